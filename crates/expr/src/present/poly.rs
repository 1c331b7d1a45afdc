//! Sparse polynomials over ℚ in atoms; exponents may be negative.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::number::Rational;

/// Atoms by number with their exponents, by rising number, none zero.
pub(super) type Monomial = Vec<(u32, i32)>;

/// Σ coefficient·monomial, no coefficient zero.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Poly(pub(super) BTreeMap<Monomial, Rational>);

/// The remaining budget of work.
pub(super) struct Steps(pub(super) usize);

impl Steps {
    pub(super) fn take(&mut self, n: usize) -> Option<()> {
        self.0 = self.0.checked_sub(n)?;
        Some(())
    }
}

/// The product of two monomials.
pub(super) fn times(a: &[(u32, i32)], b: &[(u32, i32)]) -> Monomial {
    let mut out = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let order = match (a.get(i), b.get(j)) {
            (Some(x), Some(y)) => x.0.cmp(&y.0),
            (Some(_), None) => Ordering::Less,
            _ => Ordering::Greater,
        };
        match order {
            Ordering::Less => {
                out.push(a[i]);
                i += 1;
            }
            Ordering::Greater => {
                out.push(b[j]);
                j += 1;
            }
            Ordering::Equal => {
                if a[i].1 + b[j].1 != 0 {
                    out.push((a[i].0, a[i].1 + b[j].1));
                }
                i += 1;
                j += 1;
            }
        }
    }
    out
}

/// The monomial to a power.
pub(super) fn raised(m: &[(u32, i32)], n: i32) -> Monomial {
    match n {
        0 => Vec::new(),
        n => m.iter().map(|&(a, e)| (a, e * n)).collect(),
    }
}

/// The exponent of an atom.
pub(super) fn exponent(m: &[(u32, i32)], atom: u32) -> i32 {
    m.iter().find(|f| f.0 == atom).map_or(0, |f| f.1)
}

/// m/d if every exponent of d, which is positive, is reached in m.
pub(super) fn over(m: &[(u32, i32)], d: &[(u32, i32)]) -> Option<Monomial> {
    d.iter()
        .all(|&(a, e)| exponent(m, a) >= e)
        .then(|| times(m, &raised(d, -1)))
}

/// The lexicographic order of exponents, which multiplication respects.
fn lexicographic(a: &[(u32, i32)], b: &[(u32, i32)]) -> Ordering {
    for k in 0.. {
        return match (a.get(k), b.get(k)) {
            (None, None) => Ordering::Equal,
            (Some(x), None) => x.1.cmp(&0),
            (None, Some(y)) => 0.cmp(&y.1),
            (Some(x), Some(y)) if x.0 == y.0 && x.1 == y.1 => continue,
            (Some(x), Some(y)) if x.0 == y.0 => x.1.cmp(&y.1),
            (Some(x), Some(y)) if x.0 < y.0 => x.1.cmp(&0),
            (Some(_), Some(y)) => 0.cmp(&y.1),
        };
    }
    Ordering::Equal
}

impl Poly {
    pub(super) fn constant(c: Rational) -> Self {
        let mut p = Self::default();
        p.add(Vec::new(), c);
        p
    }

    pub(super) fn monomial(m: Monomial) -> Self {
        Self(BTreeMap::from([(m, Rational::ONE)]))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn coefficient(&self, m: &Monomial) -> Rational {
        self.0.get(m).cloned().unwrap_or(Rational::ZERO)
    }

    pub(super) fn add(&mut self, m: Monomial, c: Rational) {
        if c.is_zero() {
            return;
        }
        let sum = &self.coefficient(&m) + &c;
        if sum.is_zero() {
            self.0.remove(&m);
        } else {
            self.0.insert(m, sum);
        }
    }

    pub(super) fn add_scaled(&mut self, other: &Self, c: &Rational, m: &Monomial) {
        for (n, d) in &other.0 {
            self.add(times(n, m), c * d);
        }
    }

    pub(super) fn scaled(&self, c: &Rational, m: &Monomial) -> Self {
        let mut out = Self::default();
        out.add_scaled(self, c, m);
        out
    }

    pub(super) fn times(&self, other: &Self, steps: &mut Steps) -> Option<Self> {
        steps.take(self.len() * other.len())?;
        let mut out = Self::default();
        for (m, c) in &self.0 {
            out.add_scaled(other, c, m);
        }
        Some(out)
    }

    pub(super) fn power(&self, n: u32, steps: &mut Steps) -> Option<Self> {
        let mut out = Self::constant(Rational::ONE);
        for _ in 0..n {
            out = out.times(self, steps)?;
        }
        Some(out)
    }

    /// The atoms that occur.
    pub(super) fn atoms(&self) -> Vec<u32> {
        let mut list: Vec<u32> = self.0.keys().flatten().map(|f| f.0).collect();
        list.sort_unstable();
        list.dedup();
        list
    }

    /// The polynomial with each power of an atom replaced by a polynomial.
    pub(super) fn replace(
        &self,
        atom: u32,
        mut image: impl FnMut(i32) -> Option<Self>,
    ) -> Option<Self> {
        let mut out = Self::default();
        for (m, c) in &self.0 {
            match exponent(m, atom) {
                0 => out.add(m.clone(), c.clone()),
                e => {
                    let rest: Monomial = m.iter().copied().filter(|f| f.0 != atom).collect();
                    out.add_scaled(&image(e)?, c, &rest);
                }
            }
        }
        Some(out)
    }

    /// The monomial common to all terms: for each atom the least exponent, where every term has
    /// it with the same sign, or with any sign if `fractions` are to be brought together.
    pub(super) fn content(&self, fractions: bool) -> Monomial {
        let mut out = Monomial::new();
        for atom in self.atoms() {
            let exponents: Vec<i32> = self.0.keys().map(|m| exponent(m, atom)).collect();
            let least = exponents.iter().copied().min().unwrap_or(0);
            let most = exponents.iter().copied().max().unwrap_or(0);
            let common = if least > 0 || fractions {
                least
            } else if most < 0 {
                most
            } else {
                0
            };
            if common != 0 {
                out.push((atom, common));
            }
        }
        out
    }

    /// The number that leaves coprime integers, the first positive.
    pub(super) fn number_content(&self) -> Rational {
        let mut list = self.0.values();
        let Some(first) = list.next() else {
            return Rational::ONE;
        };
        let content = list.fold(first.abs(), |a, b| gcd(&a, &b.abs()));
        let lead = self.lead().map_or(first, |(_, c)| c);
        match lead.is_negative() {
            true => -&content,
            false => content,
        }
    }

    fn lead(&self) -> Option<(&Monomial, &Rational)> {
        self.0.iter().max_by(|a, b| lexicographic(a.0, b.0))
    }

    /// self/divisor if that is a polynomial.
    pub(super) fn divide(&self, divisor: &Self, steps: &mut Steps) -> Option<Self> {
        let (lead, coefficient) = divisor.lead()?;
        let inverse = coefficient.recip()?;
        let mut rest = self.clone();
        let mut quotient = Self::default();
        while let Some((m, c)) = rest.lead() {
            steps.take(rest.len() + divisor.len())?;
            let t = over(m, lead)?;
            // Exponents of the divisor's leading term may be negative elsewhere.
            if t.iter().any(|f| f.1 < 0) {
                return None;
            }
            let q = c * &inverse;
            rest.add_scaled(divisor, &-&q, &t);
            quotient.add(t, q);
        }
        Some(quotient)
    }

    /// A root of a perfect square, up to its sign.
    pub(super) fn square_root(&self, steps: &mut Steps) -> Option<Self> {
        let (lead, c) = self.lead()?;
        let half = |m: &Monomial| -> Option<Monomial> {
            m.iter()
                .map(|&(a, e)| (e % 2 == 0).then_some((a, e / 2)))
                .collect()
        };
        let top = half(lead)?;
        let root = rational_root(c)?;
        let mut out = Self::monomial(top.clone()).scaled(&root, &Vec::new());
        let twice = (&root * &Rational::from(2)).recip()?;
        // Each next term of the root from the leading term of what is left.
        for _ in 0..self.len() {
            let mut rest = self.clone();
            let square = out.times(&out, steps)?;
            rest.add_scaled(&square, &Rational::from(-1), &Vec::new());
            let Some((m, c)) = rest.lead() else {
                return Some(out);
            };
            let t = over(m, &top)?;
            // A term that is already there would be corrected again and again.
            if out.0.contains_key(&t) {
                return None;
            }
            out.add(t, c * &twice);
        }
        None
    }
}

fn rational_root(q: &Rational) -> Option<Rational> {
    let (n, d) = q.small()?;
    let root = |x: i64| {
        let r = (x as f64).sqrt().round() as i64;
        (x >= 0 && r.checked_mul(r) == Some(x)).then_some(r)
    };
    Some(Rational::new(root(n)?, root(d)?))
}

/// The largest rational of which both are integer multiples.
fn gcd(a: &Rational, b: &Rational) -> Rational {
    let (mut a, mut b) = (a.clone(), b.clone());
    while !b.is_zero() {
        let Some(inverse) = b.recip() else { break };
        let whole = (&a * &inverse).floor();
        let whole = Rational::from_big_parts(whole, 1.into()).unwrap_or(Rational::ZERO);
        let rest = &a - &(&whole * &b);
        (a, b) = (b, rest);
    }
    a
}
