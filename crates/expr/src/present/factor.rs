//! Factors of an expression, which show where it can vanish.
//!
//! The numerator is read as a polynomial over ℚ in symbols, functions and roots, and split as far as
//! greatest common divisors, discriminants that are squares and evident linear factors go.

use super::atoms::Atoms;
use super::poly::{Monomial, Poly, Steps, exponent, raised, times};
use super::{MAX_DEPTH, MAX_NODES, Reading};
use crate::decide::Query;
use crate::expr::Expr;
use crate::number::Rational;
use crate::view::View;

/// Number of terms up to which a sum is searched for factors.
const MAX_TERMS: usize = 200;
/// Written size (symbols and numbers) up to which an expression is split or divided.
const MAX_WRITTEN_SIZE: u64 = 4_000;
/// Numbers q for which the linear factors x ± q are tried.
const GUESSED_NUMBERS: [(i64, i64); 5] = [(1, 1), (2, 1), (1, 2), (3, 1), (1, 3)];

/// A factorisation e = Π factorᵉˣᵖᵒⁿᵉⁿᵗ, as far as it was found.
#[derive(Clone, Debug)]
pub struct Factors<'p> {
    /// The factors with their exponents; numbers are left out.
    pub list: Vec<(Expr<'p>, Rational)>,
    /// Whether no factor can be split further as a polynomial in its symbols and functions.
    pub complete: bool,
}

impl<'p> Expr<'p> {
    /// The factors of an expression. Their product is the expression up to a number; a factor that cannot be
    /// split remains whole.
    ///
    /// ```
    /// use galilei_expr::{Pool, Reading};
    /// let pool = Pool::new();
    /// let [x, y] = pool.symbols(["x", "y"]);
    /// let f = (x.pow(2) - y.pow(2)).factors(&Reading::new());
    /// assert!(f.complete && f.list.len() == 2);
    /// let f = (x.pow(2) - 2 * x * y + y.pow(2)).factors(&Reading::new());
    /// assert_eq!(f.list, [(x - y, 2.into())]);
    /// ```
    pub fn factors(self, reading: &Reading<'p>) -> Factors<'p> {
        if self.written_size() > MAX_WRITTEN_SIZE {
            return Factors {
                list: vec![(self, Rational::ONE)],
                complete: false,
            };
        }
        let mut list: Vec<(Expr<'p>, Rational)> = Vec::new();
        let mut complete = true;
        let add = |list: &mut Vec<(Expr<'p>, Rational)>, e: Expr<'p>, q: Rational| {
            if e.as_rational().is_some() || q.is_zero() {
                return;
            }
            let e = with_leading_plus(e);
            match list.iter_mut().find(|f| f.0 == e) {
                Some(same) => same.1 = &same.1 + &q,
                None => list.push((e, q)),
            }
        };
        let mut work = vec![(self, Rational::ONE)];
        while let Some((e, q)) = work.pop() {
            match e.view() {
                View::Product(parts) => {
                    let parts = parts.into_iter().rev();
                    work.extend(parts.map(|(b, k)| (b, &k * &q)));
                }
                View::Sum(terms) if terms.len() == 1 => {
                    work.extend(terms.into_iter().map(|t| (t.1, q.clone())));
                }
                View::Sum(_) => {
                    let found = e.factors_of_sum(reading);
                    complete &= found.complete;
                    for (part, k) in found.list {
                        let same = matches!(part.view(), View::Sum(_));
                        match same {
                            true => add(&mut list, part, &k * &q),
                            // A part may be a product again, or a sum that factors as written.
                            false => match part.view() {
                                View::Product(_) => work.push((part, &k * &q)),
                                _ => add(&mut list, part, &k * &q),
                            },
                        }
                    }
                }
                _ => add(&mut list, e, q),
            }
        }
        list.retain(|f| !f.1.is_zero());
        Factors { list, complete }
    }

    /// q with self = q·other, if q is a polynomial in the symbols and functions of both; proved.
    ///
    /// ```
    /// use galilei_expr::{Pool, Reading};
    /// let pool = Pool::new();
    /// let [x, y] = pool.symbols(["x", "y"]);
    /// let q = (x.pow(3) - y.pow(3)).divided_by(x - y, &Reading::new());
    /// assert!(q.is_some());
    /// assert!(x.sin().pow(2).divided_by(1 - x.cos(), &Reading::new()).is_some());
    /// assert!((x + y).divided_by(x - y, &Reading::new()).is_none());
    /// ```
    pub fn divided_by(self, other: Self, reading: &Reading<'p>) -> Option<Self> {
        if self.written_size().max(other.written_size()) > MAX_WRITTEN_SIZE || other.is_zero() {
            return None;
        }
        let mut atoms = Atoms::new(self.pool(), &reading.assumptions, reading.steps);
        let of = |e: Self, atoms: &mut Atoms<'p>| {
            let p = atoms.read(e)?;
            let (top, below) = atoms.together(&p)?;
            Some((atoms.circular(&top)?, below))
        };
        let (top, above) = of(self, &mut atoms)?;
        let (bottom, below) = of(other, &mut atoms)?;
        if bottom.len() > MAX_TERMS || top.len() > 4 * MAX_TERMS {
            return None;
        }
        let quotient = top.divide(&bottom, &mut atoms.steps)?;
        let fraction = Poly::monomial(times(&above, &raised(&below, -1)));
        let q = atoms.flat(&quotient) * atoms.flat(&fraction);
        let query = Query::equal(self, q * other).assuming(&reading.assumptions);
        query.decide().is_proved().then_some(q)
    }

    fn factors_of_sum(self, reading: &Reading<'p>) -> Factors<'p> {
        let whole = |complete| Factors {
            list: vec![(self, Rational::ONE)],
            complete,
        };
        if self.node_count() > MAX_NODES || self.depth() > MAX_DEPTH {
            return whole(false);
        }
        let steps = reading.steps / 4;
        let mut atoms = Atoms::new(self.pool(), &reading.assumptions, steps);
        let Some((top, below)) = atoms.read(self).and_then(|p| atoms.together(&p)) else {
            return whole(false);
        };
        let mut forms = vec![top.clone()];
        forms.extend(atoms.circular(&top));
        forms.extend(atoms.reduced(&top));
        let mut best: Option<(Vec<(Poly, i64)>, bool)> = None;
        for form in forms {
            if form.len() > MAX_TERMS {
                continue;
            }
            let Some(found) = split(&form, &mut atoms.steps) else {
                continue;
            };
            let value = |f: &(Vec<(Poly, i64)>, bool)| {
                let count: i64 = f.0.iter().map(|p| p.1).sum();
                let terms: usize = f.0.iter().map(|p| p.0.len()).sum();
                (-count, terms)
            };
            if best.as_ref().is_none_or(|b| value(&found) < value(b)) {
                best = Some(found);
            }
        }
        let Some((parts, complete)) = best else {
            return whole(false);
        };
        if let ([(_, 1)], true) = (&parts[..], below.is_empty()) {
            let content = top.number_content().abs();
            return match content.recip().filter(|_| !content.is_one()) {
                Some(inverse) => Factors {
                    list: vec![(self * inverse, Rational::ONE)],
                    complete,
                },
                None => whole(complete),
            };
        }
        let mut list: Vec<(Expr<'p>, Rational)> = Vec::new();
        for (p, k) in &parts {
            let mut e = atoms.group(p, &[], false);
            if let View::Product(_) = e.view() {
                e = atoms.flat(p);
            }
            list.push((with_leading_plus(e), Rational::from(*k)));
        }
        for &(atom, k) in &below {
            list.push((atoms.expr(atom), Rational::from(i64::from(k))));
        }
        // The product of the factors must be the expression, up to a number.
        let product = self
            .pool()
            .product(list.iter().map(|(e, k)| e.pow(k.clone())));
        let number = top.number_content();
        let claims = [product * number.clone(), product * -&number];
        let scale = parts.iter().fold(Rational::ONE, |s, (p, k)| {
            let c = p.number_content().abs();
            &s * &c.powi(*k, 4096).unwrap_or(Rational::ONE)
        });
        let claims = claims.map(|c| match scale.recip() {
            Some(r) => c * r,
            None => c,
        });
        let proved = |&c: &Expr<'p>| {
            let query = Query::equal(self, c).assuming(&reading.assumptions);
            query.decide().is_proved()
        };
        match claims.iter().any(proved) {
            true => Factors { list, complete },
            false => whole(false),
        }
    }
}

/// The factor or its negative: the term of lowest degree that is not a number gets the plus sign, of
/// several the first by name.
fn with_leading_plus(e: Expr<'_>) -> Expr<'_> {
    let View::Sum(terms) = e.view() else {
        return e;
    };
    let degree = |e: Expr<'_>| match e.view() {
        View::Product(parts) => parts.iter().map(|p| p.1.to_f64().abs()).sum(),
        _ => 1.0,
    };
    let terms = terms.into_iter().filter(|t| t.1.as_rational().is_none());
    let first = terms.min_by(|a, b| {
        let by_degree = degree(a.1).total_cmp(&degree(b.1));
        by_degree.then_with(|| a.1.to_string().cmp(&b.1.to_string()))
    });
    match first {
        Some((c, _)) if c.is_negative() => -e,
        _ => e,
    }
}

/// Irreducible factors with exponents, up to a number, and whether they are known to be irreducible.
fn split(p: &Poly, steps: &mut Steps) -> Option<(Vec<(Poly, i64)>, bool)> {
    if p.len() == 0 {
        return None;
    }
    let content = p.content(true);
    let mut out: Vec<(Poly, i64)> = Vec::new();
    for &(atom, e) in &content {
        out.push((Poly::monomial(vec![(atom, 1)]), i64::from(e)));
    }
    let inner = primitive(&p.scaled(&Rational::ONE, &raised(&content, -1)));
    let mut complete = true;
    let mut work = vec![(inner, 1)];
    while let Some((p, k)) = work.pop() {
        if p.atoms().is_empty() {
            continue;
        }
        match split_once(&p, steps)? {
            Divided::Parts(parts) => {
                let parts = parts.into_iter().map(|(q, e)| (primitive(&q), e * k));
                work.extend(parts);
            }
            kind => {
                complete &= matches!(kind, Divided::Irreducible);
                match out.iter_mut().find(|f| f.0 == p) {
                    Some(same) => same.1 += k,
                    None => out.push((p, k)),
                }
            }
        }
    }
    Some((out, complete))
}

enum Divided {
    Parts(Vec<(Poly, i64)>),
    Irreducible,
    Unknown,
}

/// Coprime integer coefficients, the leading one positive.
fn primitive(p: &Poly) -> Poly {
    match p.number_content().recip() {
        Some(inverse) => p.scaled(&inverse, &Monomial::new()),
        None => p.clone(),
    }
}

/// The coefficients of the powers of an atom, from the zeroth on.
fn coefficients(p: &Poly, atom: u32) -> Vec<Poly> {
    let mut out = vec![Poly::default()];
    for (m, c) in &p.0 {
        let e = usize::try_from(exponent(m, atom)).unwrap_or(0);
        if out.len() <= e {
            out.resize(e + 1, Poly::default());
        }
        let rest: Monomial = m.iter().copied().filter(|f| f.0 != atom).collect();
        out[e].add(rest, c.clone());
    }
    out
}

/// Σ coefficientₖ·atomᵏ
fn assembled(list: &[Poly], atom: u32) -> Poly {
    let mut out = Poly::default();
    for (k, c) in list.iter().enumerate() {
        let power: Monomial = match k {
            0 => vec![],
            k => vec![(atom, k as i32)],
        };
        out.add_scaled(c, &Rational::ONE, &power);
    }
    out
}

fn degree(p: &Poly, atom: u32) -> usize {
    coefficients(p, atom).len() - 1
}

fn is_number(p: &Poly) -> bool {
    p.atoms().is_empty()
}

/// One step of the factorisation of a primitive polynomial without monomial factors.
fn split_once(p: &Poly, steps: &mut Steps) -> Option<Divided> {
    let mut atoms = p.atoms();
    atoms.sort_by_key(|&a| degree(p, a));
    // Contents with respect to each atom.
    for &atom in &atoms {
        let list = coefficients(p, atom);
        let mut content = Poly::default();
        for c in list.iter().filter(|c| c.len() > 0) {
            content = gcd(&content, c, steps)?;
        }
        if !is_number(&content) {
            let rest = p.divide(&content, steps)?;
            return Some(Divided::Parts(vec![(content, 1), (rest, 1)]));
        }
    }
    let Some(&lowest) = atoms.first() else {
        return Some(Divided::Irreducible);
    };
    if degree(p, lowest) == 1 {
        return Some(Divided::Irreducible);
    }
    // Repeated factors.
    for &atom in &atoms {
        let slope = derivative(p, atom);
        let common = gcd(p, &slope, steps)?;
        if !is_number(&common) {
            let rest = p.divide(&common, steps)?;
            return Some(Divided::Parts(vec![(common, 1), (rest, 1)]));
        }
    }
    // A square discriminant.
    if degree(p, lowest) == 2 {
        let list = coefficients(p, lowest);
        let (c, b, a) = (&list[0], &list[1], &list[2]);
        let mut discriminant = b.times(b, steps)?;
        let product = a.times(c, steps)?;
        discriminant.add_scaled(&product, &Rational::from(-4), &Monomial::new());
        let Some(root) = discriminant.square_root(steps) else {
            return Some(Divided::Irreducible);
        };
        let mut parts = Vec::new();
        for sign in [1_i64, -1] {
            let mut rest = b.clone();
            rest.add_scaled(&root, &Rational::from(sign), &Monomial::new());
            let twice = a.scaled(&Rational::from(2), &Monomial::new());
            let common = gcd(&twice, &rest, steps)?;
            let top = twice.divide(&common, steps)?;
            let rest = rest.divide(&common, steps)?;
            parts.push((assembled(&[rest, top], lowest), 1));
        }
        return Some(Divided::Parts(parts));
    }
    // Evident linear factors.
    for &atom in &atoms {
        for s in linear_candidates(&atoms, atom) {
            let mut factor = Poly::monomial(vec![(atom, 1)]);
            factor.add_scaled(&s, &Rational::from(-1), &Monomial::new());
            if let Some(rest) = p.divide(&factor, steps) {
                return Some(Divided::Parts(vec![(factor, 1), (rest, 1)]));
            }
        }
    }
    Some(Divided::Unknown)
}

/// ±q, ±q·w and ±v·w for the other atoms.
fn linear_candidates(atoms: &[u32], atom: u32) -> Vec<Poly> {
    let mut monomials = vec![Monomial::new()];
    let others: Vec<u32> = atoms.iter().copied().filter(|&a| a != atom).collect();
    monomials.extend(others.iter().map(|&a| vec![(a, 1)]));
    for (k, &a) in others.iter().enumerate() {
        for &b in &others[k + 1..] {
            let mut m = vec![(a, 1), (b, 1)];
            m.sort_unstable();
            monomials.push(m);
        }
    }
    let mut out = Vec::new();
    for m in monomials {
        for (n, d) in GUESSED_NUMBERS {
            for q in [Rational::new(n, d), Rational::new(-n, d)] {
                out.push(Poly::monomial(m.clone()).scaled(&q, &Monomial::new()));
            }
        }
    }
    out
}

fn derivative(p: &Poly, atom: u32) -> Poly {
    let list = coefficients(p, atom);
    let slopes = list.iter().enumerate().skip(1);
    let slopes = slopes.map(|(k, c)| c.scaled(&Rational::from(k as i64), &Monomial::new()));
    assembled(&slopes.collect::<Vec<_>>(), atom)
}

/// The greatest common divisor of two polynomials over ℚ, primitive; by the primitive remainder
/// sequence with respect to an atom of both.
fn gcd(a: &Poly, b: &Poly, steps: &mut Steps) -> Option<Poly> {
    steps.take(1 + 4 * (a.len() + b.len()))?;
    if a.len() == 0 {
        return Some(primitive(b));
    }
    if b.len() == 0 {
        return Some(primitive(a));
    }
    let one = || Poly::constant(Rational::ONE);
    if is_number(a) || is_number(b) {
        return Some(one());
    }
    let (of_a, of_b) = (a.atoms(), b.atoms());
    if are_coprime(a, b, &of_a, &of_b) {
        return Some(one());
    }
    // An atom of one alone: only its coefficients can share a factor.
    if let Some(&atom) = of_a.iter().find(|x| !of_b.contains(x)) {
        return gcd_with_all(b, &coefficients(a, atom), steps);
    }
    if let Some(&atom) = of_b.iter().find(|x| !of_a.contains(x)) {
        return gcd_with_all(a, &coefficients(b, atom), steps);
    }
    let least = |&&x: &&u32| degree(a, x).min(degree(b, x));
    let &atom = of_a.iter().min_by_key(least)?;
    let content = |p: &Poly, steps: &mut Steps| {
        let none = Poly::default();
        let list = coefficients(p, atom);
        list.iter()
            .filter(|c| c.len() > 0)
            .try_fold(none, |g, c| gcd(&g, c, steps))
    };
    let (content_a, content_b) = (content(a, steps)?, content(b, steps)?);
    let common = gcd(&content_a, &content_b, steps)?;
    let mut upper = a.divide(&content_a, steps)?;
    let mut lower = b.divide(&content_b, steps)?;
    if degree(&upper, atom) < degree(&lower, atom) {
        std::mem::swap(&mut upper, &mut lower);
    }
    loop {
        if lower.len() == 0 {
            let found = common.times(&upper, steps)?;
            return Some(primitive(&found));
        }
        if degree(&lower, atom) == 0 {
            return Some(common);
        }
        steps.take(16 * (upper.len() + lower.len()))?;
        let rest = remainder(&upper, &lower, atom, steps)?;
        upper = lower;
        lower = match rest.len() {
            0 => rest,
            _ => {
                let inner = content(&rest, steps)?;
                primitive(&rest.divide(&inner, steps)?)
            }
        };
    }
}

/// 2⁶¹ − 1
const PRIME: u64 = (1 << 61) - 1;

fn times_mod(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b) % u128::from(PRIME);
    product as u64
}

fn inverse_mod(a: u64) -> u64 {
    let (mut base, mut exponent, mut out) = (a, PRIME - 2, 1);
    while exponent > 0 {
        if exponent & 1 == 1 {
            out = times_mod(out, base);
        }
        base = times_mod(base, base);
        exponent >>= 1;
    }
    out
}

/// Whether two polynomials have no common factor, seen at one point modulo a prime. A factor they share has in each
/// atom the same degree there, unless a leading coefficient vanishes; then nothing is said.
fn are_coprime(a: &Poly, b: &Poly, of_a: &[u32], of_b: &[u32]) -> bool {
    let shared = of_a.iter().filter(|x| of_b.contains(x));
    shared.into_iter().all(|&atom| {
        let image = |p: &Poly| -> Option<Vec<u64>> {
            let mut list = vec![0; degree(p, atom) + 1];
            for (m, c) in &p.0 {
                let mut value = residue(c)?;
                for &(k, e) in m.iter().filter(|f| f.0 != atom) {
                    let point = times_mod(
                        0x09e3_779b_97f4_a7c1 ^ u64::from(k + 1),
                        0x0123_4567_89ab_cdef,
                    );
                    for _ in 0..u32::try_from(e).ok()? {
                        value = times_mod(value, point);
                    }
                }
                let k = usize::try_from(exponent(m, atom)).ok()?;
                list[k] = (list[k] + value) % PRIME;
            }
            (list.last() != Some(&0)).then_some(list)
        };
        match (image(a), image(b)) {
            (Some(a), Some(b)) => degree_of_gcd(a, b) == 0,
            _ => false,
        }
    })
}

/// A small fraction modulo the prime.
fn residue(q: &Rational) -> Option<u64> {
    let (n, d) = q.small()?;
    let whole = |x: i64| (i128::from(x).rem_euclid(i128::from(PRIME))) as u64;
    match whole(d) {
        0 => None,
        1 => Some(whole(n)),
        d => Some(times_mod(whole(n), inverse_mod(d))),
    }
}

/// The degree of the greatest common divisor of two polynomials modulo the prime, their leading coefficients not zero.
fn degree_of_gcd(mut a: Vec<u64>, mut b: Vec<u64>) -> usize {
    while !b.is_empty() {
        if a.len() < b.len() {
            std::mem::swap(&mut a, &mut b);
        }
        let inverse = inverse_mod(b[b.len() - 1]);
        while a.len() >= b.len() {
            let factor = times_mod(a[a.len() - 1], inverse);
            let shift = a.len() - b.len();
            for (k, &c) in b.iter().enumerate() {
                let off = times_mod(factor, c);
                a[shift + k] = (a[shift + k] + PRIME - off) % PRIME;
            }
            while a.last() == Some(&0) {
                a.pop();
            }
        }
        std::mem::swap(&mut a, &mut b);
    }
    a.len().saturating_sub(1)
}

fn gcd_with_all(p: &Poly, list: &[Poly], steps: &mut Steps) -> Option<Poly> {
    let some = list.iter().filter(|c| c.len() > 0);
    some.into_iter()
        .try_fold(p.clone(), |g, c| gcd(&g, c, steps))
}

/// The pseudo-remainder of a by b as polynomials in an atom.
fn remainder(a: &Poly, b: &Poly, atom: u32, steps: &mut Steps) -> Option<Poly> {
    let divisor = coefficients(b, atom);
    let lead = divisor.last()?;
    let mut rest = a.clone();
    loop {
        let list = coefficients(&rest, atom);
        let top = list.last()?;
        if rest.len() == 0 || list.len() < divisor.len() {
            return Some(rest);
        }
        let shift: Monomial = match list.len() - divisor.len() {
            0 => vec![],
            k => vec![(atom, k as i32)],
        };
        let mut next = rest.times(lead, steps)?;
        let off = b.times(top, steps)?;
        next.add_scaled(&off, &Rational::from(-1), &shift);
        rest = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pool;

    #[test]
    fn factors_are_found() {
        let pool = Pool::new();
        let [x, y, z, a] = pool.symbols(["x", "y", "z", "a"]);
        let list = |e: Expr<'_>| {
            let mut all: Vec<String> = (e.factors(&Reading::new()).list.iter())
                .map(|(f, k)| format!("({f})^{k}"))
                .collect();
            all.sort();
            all.join(" ")
        };
        assert_eq!(list((y - x * z).pow(2)), "(y - x*z)^2");
        assert_eq!(
            list(y.pow(2) - 2 * x * y * z + (x * z).pow(2)),
            "(y - x*z)^2"
        );
        assert_eq!(list((y - 1) * (y - x * z)), "(y - 1)^1 (y - x*z)^1");
        assert_eq!(
            list(y.pow(2) - x * y * z - y + x * z),
            "(y - 1)^1 (y - x*z)^1"
        );
        assert_eq!(list(x.pow(3) - y.pow(3)), "(x - y)^1 (x*y + x^2 + y^2)^1");
        assert_eq!(list(x.pow(2) + y.pow(2) - 1), "(x^2 + y^2 - 1)^1");
        assert_eq!(
            list(a * x.pow(2) * y + a * x * y),
            "(a)^1 (x + 1)^1 (x)^1 (y)^1"
        );
        assert_eq!(list(1 - x.cos().pow(2)), "(sin(x))^2");
        assert_eq!(list(1 / x - 1 / y), "(x - y)^1 (x)^-1 (y)^-1");
        assert_eq!(
            list(x.pow(4) - 2 * x.pow(2) * y.pow(2) + y.pow(4)),
            "(x + y)^2 (x - y)^2"
        );
    }
}
