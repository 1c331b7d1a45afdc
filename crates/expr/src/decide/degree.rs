//! The probability that a random point of a random field misleads.
//!
//! A query is a rational function N/D of the random variables: symbols, opaque values, units and
//! points of circles. If N is not zero, it vanishes at a random point with probability at most
//! 2·deg N/p: the theorem of Schwartz and Zippel, where a point of the circle c² + s² = 1 or of
//! the hyperbola e·e′ = 1 counts as two variables on a curve of degree two. And N, not zero over
//! the rationals, can vanish modulo p only if p divides its coefficients: a coefficient of b bits
//! has at most b/60 such primes. Roots of order q multiply both by q, by taking norms.

use super::forms::{Forms, Kind, is_circular, is_exponential};
use super::prime::LOG2_PRIMES;
use crate::evaluate::{Program, Step};
use crate::function::Function;
use crate::number::Rational;

/// Degrees and bit heights (logarithms of the sum of coefficients) of numerator and denominator.
#[derive(Clone, Copy, Debug, Default)]
struct Degree {
    n: f64,
    d: f64,
    n_bits: f64,
    d_bits: f64,
}

/// Degrees and bit heights from which on a claim is undecided.
const MAX_DEGREE: f64 = (1u64 << 40) as f64;

/// log₂ of the probability that one random prime and one random point mislead.
pub(crate) fn log2_error(
    program: &Program,
    forms: &Forms,
    positive: &[bool],
) -> Result<f64, &'static str> {
    let numbers: Vec<Degree> = program.numbers.iter().map(number).collect();
    let mut degrees: Vec<Degree> = Vec::with_capacity(program.steps.len());
    let mut log2_roots = 0.0;
    let mut orders: std::collections::HashMap<u32, i64> = std::collections::HashMap::new();
    for (at, step) in program.steps.iter().enumerate() {
        let degree = match *step {
            Step::Number(k) => numbers[k as usize],
            Step::Input(k) => Degree {
                n: if positive[k as usize] { 2.0 } else { 1.0 },
                ..Degree::default()
            },
            Step::Sum(start, end) => sum(program, start, end, &numbers, &degrees),
            Step::Product(start, end) => {
                let mut total = Degree::default();
                for &(e, base) in &program.operands[start as usize..end as usize] {
                    let q = &program.numbers[e as usize];
                    let (p, order) = q.small().ok_or("an exponent is beyond 64 bits")?;
                    if p.unsigned_abs() >= 1 << 32 || order >= 1 << 32 {
                        return Err("an exponent is beyond 2^32");
                    }
                    // Roots of one base of several orders lie in the extension of the largest.
                    if order > 1 {
                        let known = orders.entry(base).or_insert(1);
                        let g = crate::number::gcd_u64(*known as u64, order as u64) as i64;
                        *known = known.saturating_mul(order / g);
                    }
                    let b = degrees[base as usize];
                    let k = p.unsigned_abs() as f64;
                    let (up, down) = if p > 0 {
                        ((b.n, b.n_bits), (b.d, b.d_bits))
                    } else {
                        ((b.d, b.d_bits), (b.n, b.n_bits))
                    };
                    total.n += k * up.0;
                    total.n_bits += k * up.1;
                    total.d += k * down.0;
                    total.d_bits += k * down.1;
                }
                total
            }
            Step::Call(f, a, b) => {
                let inner = degrees[a as usize];
                if is_circular(f) || is_exponential(f) {
                    let (degree, roots) = call(f, at, forms, &degrees)?;
                    log2_roots += roots;
                    degree
                } else if matches!(f, Function::Abs | Function::Min | Function::Max) {
                    larger(inner, b.map_or(inner, |b| degrees[b as usize]))
                } else {
                    Degree {
                        n: 1.0,
                        ..Degree::default()
                    }
                }
            }
            Step::If(_, [_, _, then, otherwise]) => {
                larger(degrees[then as usize], degrees[otherwise as usize])
            }
            Step::Pi => Degree {
                n: 2.0,
                ..Degree::default()
            },
            Step::Undetermined(..) | Step::Integral(_) | Step::Undefined | Step::Name => Degree {
                n: 1.0,
                ..Degree::default()
            },
        };
        if !(degree.n < MAX_DEGREE
            && degree.d < MAX_DEGREE
            && degree.n_bits < MAX_DEGREE
            && degree.d_bits < MAX_DEGREE)
        {
            return Err("the degree is beyond 2^40");
        }
        degrees.push(degree);
    }
    log2_roots += orders.values().map(|&d| (d as f64).log2()).sum::<f64>();
    let roots = log2_roots.min(60.0);
    // Values of opaque functions are distinguished by residues: a coincidence of two of their
    // arguments misleads as well.
    let mut opaque = 0.0f64;
    let mut worst = Degree::default();
    for step in &program.steps {
        match *step {
            Step::Undetermined(_, start, end) => {
                opaque += 1.0;
                for &(_, k) in &program.operands[start as usize..end as usize] {
                    worst = larger(worst, degrees[k as usize]);
                }
            }
            Step::Call(_, a, b) => {
                opaque += 1.0;
                for k in [Some(a), b].into_iter().flatten() {
                    worst = larger(worst, degrees[k as usize]);
                }
            }
            _ => {}
        }
    }
    worst.n += worst.d;
    worst.n_bits += worst.d_bits;
    for &k in &program.outputs {
        worst = larger(worst, degrees[k as usize]);
    }
    let chances = (1.0 + opaque * (opaque - 1.0).max(0.0) / 2.0).log2();
    let degree = (2.0 * worst.n + worst.d + 1.0).log2() + roots;
    // Reducing powers of s modulo c² + s² = 1 may double coefficients once per degree.
    let bits = (worst.n_bits + worst.n).max(1.0) * roots.exp2();
    if degree > 40.0 || bits > MAX_DEGREE {
        return Err("the degree is beyond 2^40");
    }
    let bad_point = degree + chances - 60.0;
    let bad_prime = if bits < 60.0 {
        f64::NEG_INFINITY
    } else {
        (bits / 60.0).log2() - LOG2_PRIMES
    };
    Ok((bad_point.exp2() + bad_prime.exp2()).log2())
}

fn number(q: &Rational) -> Degree {
    let bits = q.bits() as f64;
    match q.small() {
        Some((n, d)) => Degree {
            n_bits: (n.unsigned_abs().max(1) as f64).log2(),
            d_bits: (d as f64).log2(),
            ..Degree::default()
        },
        None => Degree {
            n_bits: bits,
            d_bits: bits,
            ..Degree::default()
        },
    }
}

fn larger(a: Degree, b: Degree) -> Degree {
    Degree {
        n: a.n.max(b.n),
        d: a.d.max(b.d),
        n_bits: a.n_bits.max(b.n_bits),
        d_bits: a.d_bits.max(b.d_bits),
    }
}

/// Σ cᵢ·Nᵢ/Dᵢ over the product of the Dᵢ and the least common denominator of the cᵢ.
fn sum(program: &Program, start: u32, end: u32, numbers: &[Degree], degrees: &[Degree]) -> Degree {
    let terms = &program.operands[start as usize..end as usize];
    let mut common: Option<u64> = Some(1);
    let mut total = Degree::default();
    let mut product_of_denominators = 0.0;
    for &(c, t) in terms {
        let q = &program.numbers[c as usize];
        common = common.zip(q.small()).and_then(|(l, (_, d))| {
            let d = d as u64;
            if l % d == 0 {
                return Some(l);
            }
            (l / crate::number::gcd_u64(l, d)).checked_mul(d)
        });
        product_of_denominators += numbers[c as usize].d_bits;
        total.d += degrees[t as usize].d;
        total.d_bits += degrees[t as usize].d_bits;
    }
    let denominator = match common {
        Some(1) => 0.0,
        Some(l) => (l as f64).log2(),
        None => product_of_denominators,
    };
    let (mut n, mut bits) = (0.0f64, 0.0f64);
    for &(c, t) in terms {
        let inner = degrees[t as usize];
        let q = numbers[c as usize];
        n = n.max(inner.n + total.d - inner.d);
        bits = bits
            .max(inner.n_bits + q.n_bits + total.d_bits - inner.d_bits + denominator - q.d_bits);
    }
    total.n = n;
    total.n_bits = bits + (terms.len() as f64).log2();
    total.d_bits += denominator;
    total
}

/// A circular or exponential call; also log₂ of the order of roots behind it.
fn call(
    f: Function,
    at: usize,
    forms: &Forms,
    degrees: &[Degree],
) -> Result<(Degree, f64), &'static str> {
    let Some(form) = forms.at.get(&at) else {
        return Err("a call without a form");
    };
    let (mut n, mut bits, mut roots) = (0.0, 0.0, 0.0);
    for (k, c) in &form.terms {
        let circular = is_circular(f);
        let denominator = if circular {
            forms.circular[*k as usize]
        } else {
            forms.exponential[*k as usize]
        };
        let multiple =
            Forms::multiple(denominator, c).ok_or("a multiple of an angle is beyond 2^32")?;
        let multiple = multiple.unsigned_abs() as f64;
        let of = |step: u32| degrees[step as usize];
        match forms.kinds[*k as usize] {
            Kind::Angle(_, a, b) if circular => {
                let inner = larger(of(a), b.map_or(Degree::default(), of));
                n += 2.0 * multiple * (inner.n + inner.d + 1.0);
                bits += multiple * (inner.n_bits + inner.d_bits + 2.0);
                roots += 1.0 + f64::from(denominator.trailing_zeros());
            }
            Kind::LogOf(b) if !circular => {
                n += multiple * (of(b).n + of(b).d);
                bits += multiple * (of(b).n_bits + of(b).d_bits);
                roots += (denominator as f64).log2();
            }
            _ => {
                n += 2.0 * multiple;
                bits += multiple;
            }
        }
    }
    if form.pi.is_some() {
        bits += 24.0;
        roots += 2.0;
    }
    let whole = Degree {
        n,
        d: 0.0,
        n_bits: bits,
        d_bits: 0.0,
    };
    let degree = match f {
        Function::Tan | Function::Tanh => Degree {
            d: n,
            d_bits: bits,
            ..whole
        },
        Function::Exp
            if form
                .terms
                .iter()
                .all(|(k, _)| forms.kinds[*k as usize] == Kind::Free) =>
        {
            whole
        }
        _ => Degree {
            d: n,
            d_bits: bits + 1.0,
            n_bits: bits + 1.0,
            n,
        },
    };
    // Free circle points have no denominators: the variables are c and s themselves.
    let free = is_circular(f)
        && f != Function::Tan
        && form
            .terms
            .iter()
            .all(|(k, _)| forms.kinds[*k as usize] == Kind::Free);
    Ok((if free { whole } else { degree }, roots))
}
