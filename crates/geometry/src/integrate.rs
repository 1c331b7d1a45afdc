//! Integrals over the unit interval in closed form, where one is easily found.
//!
//! In turn: constants and polynomials in s; homogeneous integrands f(s) = sᵈ·f(1); sums of
//! terms c·sᵏ·e^{λs}·cos(ωs + φ) and their products; powers of linear functions; roots of quadratic functions. Any other integral
//! becomes an explicit ∫ node.

use galilei_expr::{Assumptions, Expr, Function, Query, Rational, View, subexpressions};

/// c·sᵏ·e^{λs}·{1, cos, sin}(ωs + φ) with c, λ, ω, φ free of s.
#[derive(Clone)]
struct Term<'p> {
    c: Expr<'p>,
    k: u32,
    rate: Expr<'p>,
    wave: Option<Wave<'p>>,
}

#[derive(Clone, Copy)]
struct Wave<'p> {
    cosine: bool,
    frequency: Expr<'p>,
    phase: Expr<'p>,
}

const MAX_TERMS: usize = 256;
const MAX_POWER: u32 = 64;

/// ∫₀¹ e ds, and whether it is in closed form.
pub(crate) fn unit_integral<'p>(e: Expr<'p>, s: Expr<'p>) -> (Expr<'p>, bool) {
    if let Some(value) = closed(e, s) {
        return (value, true);
    }
    // Term by term: some may be homogeneous, others polynomial.
    let pool = e.pool();
    let mut open = Vec::new();
    let mut found = Vec::new();
    for term in distributed(e, s) {
        match closed(term, s) {
            Some(value) => found.push(value),
            None => open.push(term),
        }
    }
    if let Some(value) = undetermined_rate(pool.sum(open.iter().copied()), s) {
        found.push(value);
        open.clear();
    }
    let is_closed = open.is_empty();
    found.push(pool.integral(s, pool.sum(open)));
    (pool.sum(found), is_closed)
}

fn closed<'p>(e: Expr<'p>, s: Expr<'p>) -> Option<Expr<'p>> {
    if !e.contains(s) {
        return Some(e);
    }
    let pool = e.pool();
    if let Ok(p) = e.polynomial(&[s], MAX_POWER) {
        let terms = p.terms().map(|(k, c)| c / (i64::from(k[0]) + 1));
        return Some(pool.sum(terms));
    }
    if let Some(terms) = terms(e, s) {
        return Some(pool.sum(terms.iter().map(Term::integral)));
    }
    homogeneous(e, s)
        .or_else(|| linear_power(e, s))
        .or_else(|| quadratic_root(e, s))
}

/// The terms of a product with its sums multiplied out, as far as they contain s.
fn distributed<'p>(e: Expr<'p>, s: Expr<'p>) -> Vec<Expr<'p>> {
    match e.view() {
        View::Sum(terms) => terms
            .into_iter()
            .flat_map(|(c, t)| distributed(t, s).into_iter().map(move |d| c.clone() * d))
            .collect(),
        View::Product(factors) => {
            let one = e.pool().one();
            let mut products = vec![one];
            for (b, q) in factors {
                let sum = q.is_one() && b.contains(s) && matches!(b.view(), View::Sum(_));
                let parts = if sum {
                    distributed(b, s)
                } else {
                    vec![b.pow(q)]
                };
                if products.len() * parts.len() > MAX_TERMS {
                    return vec![e];
                }
                products = products
                    .iter()
                    .flat_map(|&p| parts.iter().map(move |&d| p * d))
                    .collect();
            }
            products
        }
        _ => vec![e],
    }
}

/// f(s) = sᵈ·f(1): the integral is f(1)/(d + 1). For d < −1 this is the value that makes the
/// homotopy formula true for homogeneous fields (T-107), not a convergent integral.
fn homogeneous<'p>(e: Expr<'p>, s: Expr<'p>) -> Option<Expr<'p>> {
    let pool = e.pool();
    let derivative = e.diff(s);
    let degree = guess_degree(e, derivative, s)?;
    let euler = s * derivative - degree.clone() * e;
    let claim = Query::zero(euler).assuming(&Assumptions::new().positive(s));
    let divisor = &degree + &Rational::ONE;
    if divisor.is_zero() || !claim.decide().is_proved() {
        return None;
    }
    Some(e.substitute(&[(s, pool.one())]) / divisor)
}

/// s·f′/f at s = 1 and an arbitrary point, rounded to a fraction with a small denominator.
fn guess_degree<'p>(e: Expr<'p>, derivative: Expr<'p>, s: Expr<'p>) -> Option<Rational> {
    let symbols = e.symbols();
    for attempt in 0..8 {
        let values: Vec<(Expr<'p>, f64)> = symbols
            .iter()
            .enumerate()
            .map(|(k, &x)| {
                let value = 0.3
                    + 0.37
                        * ((k + 1) as f64 * 1.7 + f64::from(attempt) * 0.9)
                            .sin()
                            .abs();
                (x, if x == s { 1.0 } else { value })
            })
            .collect();
        let (f, g) = (e.evaluate_f64(&values), derivative.evaluate_f64(&values));
        let degree = g / f;
        if degree.is_finite() && f != 0.0 {
            let twelfths = (degree * 12.0).round();
            return ((degree * 12.0 - twelfths).abs() < 1e-6 && twelfths.abs() < 1e6)
                .then(|| Rational::new(twelfths as i64, 12));
        }
    }
    None
}

/// c·(αs + β)^q
fn linear_power<'p>(e: Expr<'p>, s: Expr<'p>) -> Option<Expr<'p>> {
    let pool = e.pool();
    let factors = match e.view() {
        View::Product(factors) => factors,
        View::Sum(terms) if terms.len() == 1 => {
            let (c, t) = terms.into_iter().next()?;
            return linear_power(t, s).map(|v| c * v);
        }
        _ => vec![(e, Rational::ONE)],
    };
    let (inside, outside): (Vec<_>, Vec<_>) = factors.into_iter().partition(|(b, _)| b.contains(s));
    let [(base, q)] = inside.as_slice() else {
        return None;
    };
    let p = base.polynomial(&[s], 1).ok()?;
    let (alpha, beta) = (p.coefficient(&[1]), p.coefficient(&[0]));
    let c = pool.product(outside.into_iter().map(|(b, q)| b.pow(q)));
    let next = q + &Rational::ONE;
    let end = alpha + beta;
    Some(if next.is_zero() {
        c * (end.abs().log() - beta.abs().log()) / alpha
    } else {
        c * (end.pow(next.clone()) - beta.pow(next.clone())) / (alpha * next)
    })
}

/// Σ pₖ(s)·q(s)^(half-integers) with polynomials pₖ and one quadratic q: the integral is P·q^r at the ends if the
/// polynomial P exists, the solution of P′q + rq′P = p for the common power q^(r−1).
fn quadratic_root<'p>(e: Expr<'p>, s: Expr<'p>) -> Option<Expr<'p>> {
    let pool = e.pool();
    let mut parts: Vec<(Expr<'p>, Rational)> = Vec::new();
    let mut root: Option<Expr<'p>> = None;
    for term in distributed(e, s) {
        let (c, factors) = match term.view() {
            View::Product(factors) => (Rational::ONE, factors),
            View::Sum(terms) if terms.len() == 1 => {
                let (c, t) = terms.into_iter().next()?;
                match t.view() {
                    View::Product(factors) => (c, factors),
                    _ => (c, vec![(t, Rational::ONE)]),
                }
            }
            _ => (Rational::ONE, vec![(term, Rational::ONE)]),
        };
        let mut rest = pool.number(c);
        let mut power = None;
        for (b, q) in factors {
            let whole = q.to_i64().is_some();
            if !b.contains(s) || whole && !q.is_negative() {
                rest *= b.pow(q);
            } else if !whole && (&q + &q).to_i64().is_some() && power.is_none() {
                if root.is_some_and(|r| r != b) {
                    return None;
                }
                root = Some(b);
                power = Some(q);
            } else {
                return None;
            }
        }
        parts.push((rest, power?));
    }
    let root = root?;
    let quadratic = root.polynomial(&[s], 2).ok()?;
    let [a, b, c] = [0, 1, 2].map(|k| quadratic.coefficient(&[k]));
    let lowest = parts.iter().map(|p| p.1.clone()).min()?;
    let numerator = parts.into_iter().map(|(p, q)| p * root.pow(&q - &lowest));
    let numerator = pool.sum(numerator).polynomial(&[s], MAX_POWER).ok()?;
    let degree = numerator.terms().map(|(k, _)| k[0]).max()?;
    let r = &lowest + &Rational::ONE;
    // pₖ = αₖ + βₖp₀ from one power of s after the other; what is beyond the degree of P must vanish.
    let (zero, one) = (pool.zero(), pool.one());
    let mut p = vec![(zero, one)];
    for k in 0..i64::from(degree) + 3 {
        let at = |i: i64| usize::try_from(i).map_or((zero, zero), |i| p[i]);
        let ((a0, b0), (a1, b1)) = (at(k), at(k - 1));
        let by0 = b * (&Rational::from(k) + &r);
        let by1 = c * (&Rational::from(k - 1) + &(&r + &r));
        let right = match u32::try_from(k) {
            Ok(k) if k <= degree => numerator.coefficient(&[k]),
            _ => zero,
        };
        let scale = (a * (k + 1)).recip();
        p.push((
            (right - by0 * a0 - by1 * a1) * scale,
            -(by0 * b0 + by1 * b1) * scale,
        ));
    }
    let count = p.len() - 2;
    let beyond = [p[count], p[count + 1]];
    let vanishes = |e: Expr<'p>| e.is_zero() || Query::zero(e).decide().is_proved();
    let start = (beyond.iter().find(|(_, b)| !vanishes(*b))).map_or(zero, |(a, b)| -*a / *b);
    if !beyond.iter().all(|(a, b)| vanishes(*a + *b * start)) {
        return None;
    }
    let end = pool.sum(p[..count].iter().map(|(a, b)| *a + *b * start));
    Some(end * (a + b + c).pow(r.clone()) - start * a.pow(r))
}

/// c·dh/ds of an undetermined function h with one list of arguments, c free of s: c·h at the ends.
fn undetermined_rate<'p>(e: Expr<'p>, s: Expr<'p>) -> Option<Expr<'p>> {
    let pool = e.pool();
    let rates = subexpressions([e]).into_iter().filter(|e| e.contains(s));
    let lowered = rates.filter_map(|e| match e.view() {
        View::Undetermined {
            function,
            mut orders,
            arguments,
        } => {
            let k = orders.iter().position(|&n| n > 0)?;
            orders[k] -= 1;
            Some(function.partial(&orders, arguments))
        }
        _ => None,
    });
    let vanishes = |e: Expr<'p>| e.is_zero() || Query::zero(e).decide().is_proved();
    let mut tried: Vec<Expr<'p>> = Vec::new();
    for h in lowered {
        if tried.contains(&h) || tried.len() > 4 {
            continue;
        }
        tried.push(h);
        let c = e / h.diff(s);
        let at = |end: Expr<'p>| h.substitute(&[(s, end)]);
        let value = c.substitute(&[(s, pool.one())]) * (at(pool.one()) - at(pool.zero()));
        if !c.is_undefined() && vanishes(c.diff(s)) && !value.is_undefined() {
            return Some(value);
        }
    }
    None
}

/// The integrand as a sum of terms, if it is one.
fn terms<'p>(e: Expr<'p>, s: Expr<'p>) -> Option<Vec<Term<'p>>> {
    let pool = e.pool();
    let zero = pool.zero();
    let plain = |c: Expr<'p>, k: u32| Term {
        c,
        k,
        rate: zero,
        wave: None,
    };
    if !e.contains(s) {
        return Some(vec![plain(e, 0)]);
    }
    if e == s {
        return Some(vec![plain(pool.one(), 1)]);
    }
    match e.view() {
        View::Sum(parts) => {
            let mut list = Vec::new();
            for (c, t) in parts {
                for mut term in terms(t, s)? {
                    term.c = c.clone() * term.c;
                    list.push(term);
                }
                if list.len() > MAX_TERMS {
                    return None;
                }
            }
            Some(list)
        }
        View::Product(factors) => {
            let mut list = vec![plain(pool.one(), 0)];
            for (b, q) in factors {
                if !b.contains(s) {
                    list.iter_mut().for_each(|t| t.c *= b.pow(q.clone()));
                    continue;
                }
                let n = q.to_i64().filter(|n| (1..=16).contains(n))?;
                let factor = terms(b, s)?;
                for _ in 0..n {
                    list = product(&list, &factor)?;
                }
            }
            Some(list)
        }
        View::Call(f, arguments) => {
            let p = arguments[0].polynomial(&[s], 1).ok()?;
            let (a, b) = (p.coefficient(&[1]), p.coefficient(&[0]));
            let exponential = |sign: i32, weight: Expr<'p>| Term {
                c: weight * (sign * b).exp(),
                k: 0,
                rate: sign * a,
                wave: None,
            };
            let half = pool.number((1, 2));
            match f {
                Function::Sin | Function::Cos => Some(vec![Term {
                    wave: Some(Wave {
                        cosine: f == Function::Cos,
                        frequency: a,
                        phase: b,
                    }),
                    ..plain(pool.one(), 0)
                }]),
                Function::Exp => Some(vec![exponential(1, pool.one())]),
                Function::Cosh => Some(vec![exponential(1, half), exponential(-1, half)]),
                Function::Sinh => Some(vec![exponential(1, half), exponential(-1, -half)]),
                _ => None,
            }
        }
        _ => None,
    }
}

fn product<'p>(left: &[Term<'p>], right: &[Term<'p>]) -> Option<Vec<Term<'p>>> {
    if left.len() * right.len() > MAX_TERMS {
        return None;
    }
    let mut list = Vec::new();
    for a in left {
        for b in right {
            let k = a.k + b.k;
            if k > MAX_POWER {
                return None;
            }
            let base = Term {
                c: a.c * b.c,
                k,
                rate: a.rate + b.rate,
                wave: None,
            };
            match (a.wave, b.wave) {
                (None, wave) | (wave, None) => list.push(Term { wave, ..base }),
                (Some(v), Some(w)) => list.extend(base.with_product(v, w)),
            }
        }
    }
    Some(list)
}

impl<'p> Term<'p> {
    /// The products of two waves as sums: cos v·cos w = ½cos(v − w) + ½cos(v + w), and so on.
    fn with_product(&self, v: Wave<'p>, w: Wave<'p>) -> [Self; 2] {
        let half = self.c.pool().number((1, 2)) * self.c;
        let part = |c: Expr<'p>, cosine: bool, sign: i32| Term {
            c,
            wave: Some(Wave {
                cosine,
                frequency: v.frequency + sign * w.frequency,
                phase: v.phase + sign * w.phase,
            }),
            ..self.clone()
        };
        match (v.cosine, w.cosine) {
            (true, true) => [part(half, true, -1), part(half, true, 1)],
            (false, false) => [part(half, true, -1), part(-half, true, 1)],
            (false, true) => [part(half, false, -1), part(half, false, 1)],
            (true, false) => [part(-half, false, -1), part(half, false, 1)],
        }
    }

    /// ∫₀¹ of the term. With D = λ² + ω², Cₖ = ∫sᵏe^{λs}cos, Sₖ = ∫sᵏe^{λs}sin and k ≥ 1:
    /// D·Cₖ = e^λ(λ cos₁ + ω sin₁) − k(λCₖ₋₁ + ωSₖ₋₁),
    /// D·Sₖ = e^λ(λ sin₁ − ω cos₁) − k(λSₖ₋₁ − ωCₖ₋₁); for k = 0 the value at 0 is subtracted.
    fn integral(&self) -> Expr<'p> {
        let pool = self.c.pool();
        let (zero, lambda) = (pool.zero(), self.rate);
        let wave = self.wave.unwrap_or(Wave {
            cosine: true,
            frequency: zero,
            phase: zero,
        });
        let (omega, phase) = (wave.frequency, wave.phase);
        if lambda.is_zero() && omega.is_zero() {
            let value = if wave.cosine {
                phase.cos()
            } else {
                phase.sin()
            };
            return self.c * value / (i64::from(self.k) + 1);
        }
        let d = (lambda.pow(2) + omega.pow(2)).recip();
        let growth = lambda.exp();
        let (cos1, sin1) = ((omega + phase).cos(), (omega + phase).sin());
        let (end_c, end_s) = (
            growth * (lambda * cos1 + omega * sin1),
            growth * (lambda * sin1 - omega * cos1),
        );
        let mut c = (end_c - (lambda * phase.cos() + omega * phase.sin())) * d;
        let mut s = (end_s - (lambda * phase.sin() - omega * phase.cos())) * d;
        for k in 1..=self.k {
            let k = i64::from(k);
            let next_c = (end_c - (lambda * c + omega * s) * k) * d;
            let next_s = (end_s - (lambda * s - omega * c) * k) * d;
            (c, s) = (next_c, next_s);
        }
        self.c * if wave.cosine { c } else { s }
    }
}
