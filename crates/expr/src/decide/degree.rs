//! The probability that a random point of a random field misleads.
//!
//! A query is a rational function N/D of the random variables: symbols, opaque values, units and
//! points of circles. If N is not zero, it vanishes at a random point with probability at most
//! 2·deg N/p: the theorem of Schwartz and Zippel, where a point of the circle c² + s² = 1 or of
//! the hyperbola e·e′ = 1 counts as two variables on a curve of degree two. And N, not zero over
//! the rationals, can vanish modulo p only if p divides its coefficients: a coefficient of b bits
//! has at most b/60 such primes. Roots of order q multiply both by q, by taking norms.

use std::collections::{BTreeMap, HashMap};

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

/// The form N·Π fₖ^eₖ / δ that the value of a step has: a polynomial N, known polynomials fₖ with whole exponents, and a
/// number δ. Equal factors cancel in products, and a sum has the factors that its terms share: elimination on a graph would
/// else count the denominators of its pivots again for every entry.
#[derive(Clone, Debug, Default)]
struct Size {
    n: f64,
    n_bits: f64,
    d_bits: f64,
    /// Factors in ascending order with their exponents, which are not zero.
    factors: Vec<(u32, f64)>,
}

/// A polynomial of which a [`Factors`] knows the size: degree and bit height.
type FactorSize = (f64, f64);

/// The polynomials that occur as factors.
#[derive(Default)]
struct Factors {
    sizes: Vec<FactorSize>,
    /// Numerators of steps, and what stands below a step under a root of some order.
    known: HashMap<(u32, i64), u32>,
}

/// Number of factors of one step that are told apart.
const MAX_FACTORS: usize = 96;
/// Degrees and bit heights from which on a claim is undecided.
const MAX_DEGREE: f64 = (1u64 << 40) as f64;

impl Factors {
    /// The factor behind a key; of that size if it is new.
    fn named(&mut self, key: (u32, i64), size: FactorSize) -> u32 {
        let next = self.sizes.len() as u32;
        let found = *self.known.entry(key).or_insert(next);
        if found == next {
            self.sizes.push(size);
        }
        found
    }

    /// A value of which only degrees are known: its denominator is a factor of its own.
    fn opaque(&mut self, degree: Degree) -> Size {
        let mut size = Size {
            n: degree.n,
            n_bits: degree.n_bits,
            ..Size::default()
        };
        if degree.d == 0.0 {
            size.d_bits = degree.d_bits;
        } else {
            size.factors = vec![(self.sizes.len() as u32, -1.0)];
            self.sizes.push((degree.d, degree.d_bits));
        }
        size
    }

    /// Degrees and bit heights of factors with exponents of one sign.
    fn part(&self, size: &Size, sign: f64) -> FactorSize {
        let own = size.factors.iter().filter(|f| f.1 * sign > 0.0);
        own.fold((0.0, 0.0), |(degree, bits), &(f, e)| {
            let (n, b) = self.sizes[f as usize];
            (degree + e.abs() * n, bits + e.abs() * b)
        })
    }

    /// Numerator and denominator of a value, written out.
    fn degree(&self, size: &Size) -> Degree {
        let (above, below) = (self.part(size, 1.0), self.part(size, -1.0));
        Degree {
            n: size.n + above.0,
            n_bits: size.n_bits + above.1,
            d: below.0,
            d_bits: size.d_bits + below.1,
        }
    }

    /// N of a step to a whole power, with the factors of the step.
    fn multiply(&mut self, total: &mut Size, (at, base): (u32, &Size), power: f64) {
        if power > 0.0 {
            total.d_bits += power * base.d_bits;
        } else {
            total.n_bits -= power * base.d_bits;
        }
        match (base.n == 0.0, power > 0.0) {
            (true, true) => total.n_bits += power * base.n_bits,
            (true, false) => total.d_bits -= power * base.n_bits,
            (false, _) => {
                let own = self.named((at, 1), (base.n, base.n_bits));
                total.factors.push((own, power));
            }
        }
        let inner = base.factors.iter().map(|&(f, e)| (f, e * power));
        total.factors.extend(inner);
    }

    /// A value with equal factors taken together.
    fn collected(&mut self, mut size: Size) -> Size {
        size.factors.sort_unstable_by_key(|f| f.0);
        let mut list: Vec<(u32, f64)> = Vec::with_capacity(size.factors.len());
        for &(f, e) in &size.factors {
            match list.last_mut() {
                Some(last) if last.0 == f => last.1 += e,
                _ => list.push((f, e)),
            }
        }
        list.retain(|f| f.1 != 0.0);
        size.factors = list;
        if size.factors.len() > MAX_FACTORS {
            let degree = self.degree(&size);
            return self.opaque(degree);
        }
        size
    }
}

/// log₂ of the probability that one random prime and one random point mislead.
pub(crate) fn log2_error(
    program: &Program,
    forms: &Forms,
    positive: &[bool],
) -> Result<f64, &'static str> {
    let numbers: Vec<Degree> = program.numbers.iter().map(number).collect();
    let mut factors = Factors::default();
    let mut sizes: Vec<Size> = Vec::with_capacity(program.steps.len());
    let mut degrees: Vec<Degree> = Vec::with_capacity(program.steps.len());
    let mut log2_roots = 0.0;
    let mut orders: HashMap<u32, i64> = HashMap::new();
    let symbol = |n: f64| Degree {
        n,
        ..Degree::default()
    };
    for (at, step) in program.steps.iter().enumerate() {
        let size = match *step {
            Step::Number(k) => factors.opaque(numbers[k as usize]),
            Step::Input(k) => factors.opaque(symbol(if positive[k as usize] { 2.0 } else { 1.0 })),
            Step::Sum(start, end) => {
                let terms = &program.operands[start as usize..end as usize];
                let found = sum(program, terms, &numbers, &sizes, &factors);
                factors.collected(found)
            }
            Step::Product(start, end) => {
                let mut total = Size::default();
                for &(e, base) in &program.operands[start as usize..end as usize] {
                    let q = &program.numbers[e as usize];
                    let (p, order) = q.small().ok_or("an exponent is beyond 64 bits")?;
                    if p.unsigned_abs() >= 1 << 32 || order >= 1 << 32 {
                        return Err("an exponent is beyond 2^32");
                    }
                    if order == 1 {
                        factors.multiply(&mut total, (base, &sizes[base as usize]), p as f64);
                        continue;
                    }
                    // Roots of one base of several orders lie in the extension of the largest.
                    let known = orders.entry(base).or_insert(1);
                    let g = crate::number::gcd_u64(*known as u64, order as u64) as i64;
                    *known = known.saturating_mul(order / g);
                    let b = degrees[base as usize];
                    let k = p.unsigned_abs() as f64;
                    let (up, down, side) = match p > 0 {
                        true => ((b.n, b.n_bits), (b.d, b.d_bits), -order),
                        false => ((b.d, b.d_bits), (b.n, b.n_bits), order),
                    };
                    total.n += k * up.0;
                    total.n_bits += k * up.1;
                    let root = factors.named((base, side), down);
                    total.factors.push((root, -k));
                }
                factors.collected(total)
            }
            Step::Call(f, a, b) => {
                let inner = degrees[a as usize];
                if is_circular(f) || is_exponential(f) {
                    let (degree, roots) = call(f, at, forms, &degrees)?;
                    log2_roots += roots;
                    factors.opaque(degree)
                } else if matches!(f, Function::Abs | Function::Min | Function::Max) {
                    factors.opaque(larger(inner, b.map_or(inner, |b| degrees[b as usize])))
                } else {
                    factors.opaque(symbol(1.0))
                }
            }
            Step::If(_, [_, _, then, otherwise]) => {
                factors.opaque(larger(degrees[then as usize], degrees[otherwise as usize]))
            }
            Step::Pi => factors.opaque(symbol(2.0)),
            Step::Undetermined(..) | Step::Integral(_) | Step::Undefined | Step::Name => {
                factors.opaque(symbol(1.0))
            }
        };
        let degree = factors.degree(&size);
        if !(degree.n < MAX_DEGREE
            && degree.d < MAX_DEGREE
            && degree.n_bits < MAX_DEGREE
            && degree.d_bits < MAX_DEGREE)
        {
            return Err("the degree is beyond 2^40");
        }
        degrees.push(degree);
        sizes.push(size);
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

/// Σ cᵢ·Nᵢ·Fᵢ/δᵢ over the product of the δᵢ and the least common denominator of the cᵢ, times the factors that all Fᵢ share.
fn sum(
    program: &Program,
    terms: &[(u32, u32)],
    numbers: &[Degree],
    sizes: &[Size],
    factors: &Factors,
) -> Size {
    let mut common: Option<u64> = Some(1);
    let mut total = Size::default();
    let mut product_of_denominators = 0.0;
    // Of each factor the smallest exponent, and in how many terms it occurs.
    let mut shared: BTreeMap<u32, (f64, usize)> = BTreeMap::new();
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
        total.d_bits += sizes[t as usize].d_bits;
        for &(f, e) in &sizes[t as usize].factors {
            let (least, count) = shared.entry(f).or_insert((e, 0));
            *least = least.min(e);
            *count += 1;
        }
    }
    let shared = shared.into_iter().map(|(f, (least, count))| match count {
        all if all == terms.len() => (f, least),
        _ => (f, least.min(0.0)),
    });
    total.factors = shared.filter(|f| f.1 != 0.0).collect();
    let denominator = match common {
        Some(1) => 0.0,
        Some(l) => (l as f64).log2(),
        None => product_of_denominators,
    };
    let weight = |size: &Size| {
        let (above, below) = (factors.part(size, 1.0), factors.part(size, -1.0));
        (above.0 - below.0, above.1 - below.1)
    };
    let pulled = weight(&total);
    let (mut n, mut bits) = (0.0f64, 0.0f64);
    for &(c, t) in terms {
        let inner = &sizes[t as usize];
        let own = weight(inner);
        let q = numbers[c as usize];
        n = n.max(inner.n + own.0 - pulled.0);
        let known = inner.n_bits + own.1 - pulled.1 + total.d_bits - inner.d_bits;
        bits = bits.max(known + q.n_bits + denominator - q.d_bits);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::Assumptions;
    use crate::decide::setup::Setup;
    use crate::{Expr, Pool};

    /// 2·deg N + deg D + 1 of the form N/D that the bound is about.
    fn counted(e: Expr<'_>) -> f64 {
        let setup = Setup::build(e.pool(), vec![e.ix()], &Assumptions::new());
        let forms = Forms::new(&setup.program).unwrap();
        let error = log2_error(&setup.program, &forms, &setup.positive_inputs).unwrap();
        (error + 60.0).exp2()
    }

    #[test]
    fn degrees_are_at_least_those_of_reduced_fractions() {
        let pool = Pool::new();
        let x = pool.symbol("x");
        let shifted = |k: i64| x + k;
        for n in 1..9 {
            // The sum of n different poles has degrees n − 1 and n.
            let poles = pool.sum((1..=n).map(|k| shifted(k).recip()));
            assert!(counted(poles) >= (2 * (n - 1) + n + 1) as f64 - 1e-6);
            // A square of a sum of poles, over another pole: 2(n − 1), 2n + 1.
            let square = poles.pow(2) / shifted(100);
            assert!(counted(square) >= (4 * (n - 1) + 2 * n + 2) as f64 - 1e-6);
            // Its reciprocal turns the degrees round.
            assert!(counted(square.recip()) >= (2 * (2 * n + 1) + 2 * (n - 1) + 1) as f64 - 1e-6);
            // Roots keep what is below them: √(Σ 1/(x + k)) + 1/x has degree n − 1 at least, twice by its norm.
            let root = poles.sqrt() + x.recip();
            assert!(counted(root) >= (2 * (n - 1) + n) as f64);
        }
        // Two terms with the same pole cancel, and a third with another does not: 1/(x + 1) − 1/(x + 1)·(x + 2)/(x + 3).
        let rest = shifted(1).recip() * (1 - shifted(2) / shifted(3));
        assert!(counted(rest) >= 3.0 - 1e-6);
    }

    #[test]
    fn common_denominators_count_once() {
        let pool = Pool::new();
        let [x, y] = pool.symbols(["x", "y"]);
        // n different numerators over one square: degrees 1 and 2, not n + 1 and 2n.
        let terms = (1..40).map(|k| (x + k) * (y + x * y + 1).pow(-2));
        assert!(counted(pool.sum(terms)) <= 2.0 + 4.0 + 1.0 + 1e-6);
        // A product with the reciprocal of a factor is the other factor.
        let quotient = (x + y) * (x - y + 3).pow(5) / (x - y + 3).pow(4);
        assert!(counted(quotient) <= 5.0 + 1e-6);
    }
}
