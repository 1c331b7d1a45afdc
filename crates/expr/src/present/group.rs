//! From a polynomial back to an expression: common factors out, terms gathered.

use super::atoms::{Atoms, Kind};
use super::poly::{Monomial, Poly, exponent, raised};
use crate::expr::Expr;
use crate::number::Rational;

/// Number of terms up to which sums are searched for factors; longer ones are only gathered.
const MAX_TERMS_SEARCHED: usize = 60;
/// Number of terms up to which a gathered sum is compared in length with the original.
const MAX_TERMS_MEASURED: usize = 8;

impl<'p> Atoms<'p> {
    /// The polynomial as an expression: by powers of the `collected` atoms if there are any,
    /// common factors before parentheses, fractions brought together if asked for.
    pub(super) fn group(&mut self, p: &Poly, collected: &[u32], fractions: bool) -> Expr<'p> {
        if p.len() <= 1 {
            return self.flat(p);
        }
        let content = p.content(fractions);
        let number = p.number_content();
        let inverse = number.recip().unwrap_or(Rational::ONE);
        let inner = p.scaled(&inverse, &raised(&content, -1));
        let outside = self.monomial(&content) * number;
        let sum = match collected.is_empty() {
            true => self.grouped_once(&inner),
            false => self.collected(&inner, collected),
        };
        outside * sum
    }

    /// The polynomial as a sum of its terms.
    pub(super) fn flat(&self, p: &Poly) -> Expr<'p> {
        let terms: Vec<Expr<'p>> =
            p.0.iter()
                .map(|(m, c)| self.monomial(m) * c.clone())
                .collect();
        self.pool.sum(terms)
    }

    fn monomial(&self, m: &Monomial) -> Expr<'p> {
        let factors = m.iter().map(|&(a, e)| self.expr(a).pow(i64::from(e)));
        self.pool.product(factors)
    }

    /// The polynomial as a square, or as a multiple of one of the denominators.
    fn factored(&mut self, p: &Poly) -> Option<Expr<'p>> {
        if p.len() < 2 || p.len() > MAX_TERMS_SEARCHED {
            return None;
        }
        if p.len() >= 3
            && let Some(root) = p.square_root(&mut self.steps)
        {
            return Some(self.group(&root, &[], false).pow(2));
        }
        for k in 0..self.list.len() {
            let Kind::Root(1, d) = self.list[k].1.clone() else {
                continue;
            };
            if d.len() < p.len()
                && let Some(q) = p.divide(&d, &mut self.steps)
            {
                let e = self.list[k].0;
                return Some(e * self.group(&q, &[], false));
            }
        }
        None
    }

    /// The polynomial factored if that is possible, otherwise gathered.
    fn grouped_once(&mut self, p: &Poly) -> Expr<'p> {
        if let Some(&e) = self.grouped.get(p) {
            return e;
        }
        let e = match self.factored(p) {
            Some(e) => e,
            None => self.gathered(p),
        };
        self.grouped.insert(p.clone(), e);
        e
    }

    /// The polynomial in Horner's form: the factor that most terms have, its cofactor, and the rest.
    fn gathered(&mut self, p: &Poly) -> Expr<'p> {
        let Some((factor, n)) = self.most_common_factor(p) else {
            return self.flat(p);
        };
        if n < 2 || self.steps.take(p.len()).is_none() {
            return self.flat(p);
        }
        let (mut with, mut rest) = (Poly::default(), Poly::default());
        for (m, c) in &p.0 {
            match super::poly::over(m, &factor) {
                Some(q) => with.add(q, c.clone()),
                None => rest.add(m.clone(), c.clone()),
            }
        }
        let head = self.monomial(&factor);
        // x·q + r with r = q·s is q·(x + s).
        if with.len() > 1 && rest.len() > 1 && rest.len() <= MAX_TERMS_SEARCHED {
            let content = with.number_content();
            let primitive = with.scaled(
                &content.recip().unwrap_or(Rational::ONE),
                &raised(&with.content(true), -1),
            );
            if primitive.len() > 1
                && let Some(quotient) = p.divide(&primitive, &mut self.steps)
            {
                let a = self.group(&primitive, &[], false);
                let b = self.group(&quotient, &[], false);
                return a * b;
            }
        }
        let nested = head * self.group(&with, &[], false) + self.group(&rest, &[], false);
        // A factor that many terms share always pays.
        if p.len() > MAX_TERMS_MEASURED {
            return nested;
        }
        let flat = self.flat(p);
        match self.length(nested) < self.length(flat) {
            true => nested,
            false => flat,
        }
    }

    /// The factor, a power of an atom, by which most is saved.
    fn most_common_factor(&mut self, p: &Poly) -> Option<(Monomial, usize)> {
        let mut best: Option<(usize, Monomial, usize)> = None;
        for atom in p.atoms() {
            let exponents: Vec<i32> =
                p.0.keys()
                    .map(|m| exponent(m, atom))
                    .filter(|&e| e > 0)
                    .collect();
            let Some(&least) = exponents.iter().min() else {
                continue;
            };
            let n = exponents.len();
            let size = self.length(self.expr(atom)) + usize::from(least > 1);
            let gain = (n - 1) * (size + 1);
            if best.as_ref().is_none_or(|b| gain > b.0) {
                best = Some((gain, vec![(atom, least)], n));
            }
        }
        best.map(|b| (b.1, b.2))
    }

    /// The polynomial by powers of some atoms, with equal coefficients collected.
    fn collected(&mut self, p: &Poly, atoms: &[u32]) -> Expr<'p> {
        let mut groups: Vec<(Monomial, Poly)> = Vec::new();
        for (m, c) in &p.0 {
            let (inside, outside): (Monomial, Monomial) =
                m.iter().partition(|f| atoms.contains(&f.0));
            match groups.iter_mut().find(|g| g.0 == inside) {
                Some(g) => g.1.add(outside, c.clone()),
                None => {
                    let mut q = Poly::default();
                    q.add(outside, c.clone());
                    groups.push((inside, q));
                }
            }
        }
        // The same coefficient, up to a number: q·(Σ numbers·powers).
        let mut shared: Vec<(Poly, Poly)> = Vec::new();
        for (m, q) in groups {
            let number = q.number_content();
            let primitive = q.scaled(&number.recip().unwrap_or(Rational::ONE), &Monomial::new());
            match shared.iter_mut().find(|s| s.0 == primitive) {
                Some(s) => s.1.add(m, number),
                None => {
                    let mut powers = Poly::default();
                    powers.add(m, number);
                    shared.push((primitive, powers));
                }
            }
        }
        let mut terms = Vec::new();
        for (q, powers) in shared {
            let a = self.group(&q, &[], false);
            let b = self.group(&powers, &[], false);
            terms.push(a * b);
        }
        self.pool.sum(terms)
    }

    /// x·q + r for the symbols x in which the polynomial is linear, q and r each in its shortest
    /// form: A(…) + C(…)².
    pub(super) fn splits(&mut self, p: &Poly) -> Vec<Expr<'p>> {
        let mut out = Vec::new();
        if p.len() < 4 || p.len() > MAX_TERMS_SEARCHED {
            return out;
        }
        for atom in p.atoms() {
            let linear = p.0.keys().all(|m| matches!(exponent(m, atom), 0 | 1));
            if !linear || !self.expr(atom).is_symbol() {
                continue;
            }
            let (mut with, mut rest) = (Poly::default(), Poly::default());
            for (m, c) in &p.0 {
                match super::poly::over(m, &[(atom, 1)]) {
                    Some(q) => with.add(q, c.clone()),
                    None => rest.add(m.clone(), c.clone()),
                }
            }
            if with.len() > 1 && rest.len() > 1 {
                let head = self.shortest(&with) * self.expr(atom);
                out.push(head + self.shortest(&rest));
            }
        }
        out
    }

    /// Numerator and denominator: p = numerator·denominator, the second a monomial with negative
    /// exponents.
    pub(super) fn together(&mut self, p: &Poly) -> Option<(Poly, Monomial)> {
        let mut top = p.clone();
        let mut below = Monomial::new();
        for atom in p.atoms() {
            let least = top.0.keys().map(|m| exponent(m, atom)).min().unwrap_or(0);
            if least >= 0 {
                continue;
            }
            let raise: Monomial = vec![(atom, -least)];
            top = top.scaled(&Rational::ONE, &raise);
            below.push((atom, least));
            if let Kind::Root(d, inner) = self.list[atom as usize].1.clone() {
                let steps = &mut self.steps;
                let d = d as i32;
                top = top.replace(atom, |e| {
                    let whole = inner.power((e / d) as u32, steps)?;
                    let rest = match e % d {
                        0 => Monomial::new(),
                        r => vec![(atom, r)],
                    };
                    Some(whole.scaled(&Rational::ONE, &rest))
                })?;
            }
        }
        below.sort_unstable();
        Some((top, below))
    }

    /// The product of the sums in a denominator, multiplied out: x² − y² for (x + y)(x − y).
    pub(super) fn multiplied(&mut self, below: &Monomial) -> Option<Expr<'p>> {
        let mut product = Poly::constant(Rational::ONE);
        let (mut rest, mut sums) = (Monomial::new(), 0);
        for &(atom, e) in below {
            match self.list[atom as usize].1.clone() {
                Kind::Root(1, inner) => {
                    let power = inner.power(e.unsigned_abs(), &mut self.steps)?;
                    product = product.times(&power, &mut self.steps)?;
                    sums += 1;
                }
                _ => rest.push((atom, e)),
            }
        }
        if sums < 2 || product.len() > MAX_TERMS_SEARCHED {
            return None;
        }
        let sum = self.shortest(&product);
        Some(self.monomial(&rest) / sum)
    }

    /// Numerator and denominator without the denominators that divide the numerator.
    pub(super) fn cancelled(&mut self, top: &Poly, below: &Monomial) -> (Poly, Monomial) {
        let mut top = top.clone();
        let mut left = Monomial::new();
        for &(atom, e) in below {
            let mut e = e;
            match self.list[atom as usize].1.clone() {
                Kind::Root(d, inner) => {
                    while e <= -(d as i32)
                        && let Some(q) = top.divide(&inner, &mut self.steps)
                    {
                        top = q;
                        e += d as i32;
                    }
                }
                _ => {
                    let common = top.content(false);
                    let have = exponent(&common, atom).min(-e).max(0);
                    top = top.scaled(&Rational::ONE, &vec![(atom, -have)]);
                    e += have;
                }
            }
            if e != 0 {
                left.push((atom, e));
            }
        }
        (top, left)
    }
}
