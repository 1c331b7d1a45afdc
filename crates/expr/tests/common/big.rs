//! Values of trees in another library's arithmetic: correctly rounded floating-point numbers of
//! hundreds of bits. Nothing here uses the expressions under test.
#![allow(dead_code)]

use dashu_float::FBig;
use dashu_float::ops::Abs;
use dashu_float::round::mode::HalfEven;
use galilei_expr::{Ball, Comparison, Function, Rational};

use super::tree::Tree;

/// A binary floating-point number.
pub(crate) type Big = FBig<HalfEven, 2>;

/// A value and a bound of its error.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub(crate) value: Big,
    pub(crate) error: Big,
}

/// Bits of the reference values, and further bits from which their error is estimated.
const BITS: usize = 640;
const EXTRA_BITS: usize = 160;

/// The value of a tree at a point, if it is defined there as far as the arithmetic can decide.
pub(crate) fn value(tree: &Tree, point: &[Rational]) -> Option<Value> {
    let rough = Oracle { bits: BITS, point }.value(tree)?;
    let value = Oracle {
        bits: BITS + EXTRA_BITS,
        point,
    }
    .value(tree)?;
    let scale = value.clone().abs() >> (BITS as isize - 16);
    let error = (&value - rough).abs() * Big::from(16) + scale;
    Some(Value { value, error })
}

/// The value at one precision, without an error bound.
pub(crate) fn rough(tree: &Tree, point: &[Rational], bits: usize) -> Option<Big> {
    Oracle { bits, point }.value(tree)
}

/// n·2^e exactly.
pub(crate) fn dyadic(n: &dashu_int::IBig, e: i64) -> Option<Big> {
    let exact = Big::from_parts(n.clone(), isize::try_from(e).ok()?);
    Some(exact.with_precision(BITS + EXTRA_BITS).value())
}

/// A finite double, exactly.
pub(crate) fn double(x: f64) -> Option<Big> {
    if !x.is_finite() {
        return None;
    }
    Some(
        Big::try_from(x)
            .ok()?
            .with_precision(BITS + EXTRA_BITS)
            .value(),
    )
}

/// The ends of a ball, exactly.
pub(crate) fn ends<const N: usize>(ball: &Ball<N>) -> Option<[Big; 2]> {
    let [(l, k), (h, m)] = ball.ends();
    Some([dyadic(&l, k)?, dyadic(&h, m)?])
}

/// A fraction, rounded to `bits` bits.
pub(crate) fn rational(q: &Rational, bits: usize) -> Big {
    let n = Big::from(q.numerator()).with_precision(bits).value();
    let d = Big::from(q.denominator()).with_precision(bits).value();
    n / d
}

/// The exponent e of |x| ∈ [2^(e−1), 2^e); very small for zero.
pub(crate) fn log2(x: &Big) -> isize {
    if is_zero(x) {
        return isize::MIN / 2;
    }
    x.repr().exponent() + x.repr().digits() as isize
}

pub(crate) fn is_zero(x: &Big) -> bool {
    x.repr().significand().is_zero()
}

pub(crate) fn abs(x: Big) -> Big {
    x.abs()
}

fn negative(x: &Big) -> bool {
    *x < Big::ZERO
}

/// log₂ of the largest argument of the exponential.
const MAX_LOG2_OF_EXP_ARGUMENT: isize = 30;
/// log₂ of the largest argument of sine and cosine.
const MAX_LOG2_OF_SINE_ARGUMENT: isize = 120;
/// log₂ of the largest value.
const MAX_LOG2_OF_VALUE: isize = 1 << 34;

struct Oracle<'a> {
    bits: usize,
    point: &'a [Rational],
}

impl Oracle<'_> {
    fn number(&self, n: i64, d: i64) -> Big {
        rational(&Rational::new(n, d), self.bits)
    }

    fn pi(&self) -> Big {
        Big::pi(self.bits)
    }

    /// Whether x is certainly not zero: far above what cancellation may have left.
    fn nonzero(&self, x: &Big) -> bool {
        !is_zero(x) && log2(x) > -(self.bits as isize) / 2
    }

    fn value(&self, tree: &Tree) -> Option<Big> {
        let value = match tree {
            Tree::Number(n, d) => self.number(*n, *d),
            Tree::Pi => self.pi(),
            Tree::Symbol(k) => rational(self.point.get(*k)?, self.bits),
            Tree::Sum(terms) => {
                let mut sum = self.number(0, 1);
                for t in terms {
                    sum += self.value(t)?;
                }
                sum
            }
            Tree::Product(factors) => {
                let mut product = self.number(1, 1);
                for f in factors {
                    product *= self.value(f)?;
                }
                product
            }
            Tree::Power(base, n, d) => self.power(self.value(base)?, *n, *d)?,
            Tree::Call(f, arguments) => {
                let a = self.value(&arguments[0])?;
                match arguments.get(1) {
                    None => self.unary(*f, a)?,
                    Some(b) => self.binary(*f, a, self.value(b)?)?,
                }
            }
            Tree::If(comparison, parts) => {
                let (a, b) = (self.value(&parts[0])?, self.value(&parts[1])?);
                let difference = b - a;
                // Where both sides are equal up to rounding, the comparison is not decided.
                if !self.nonzero(&difference) {
                    return None;
                }
                let holds = match comparison {
                    Comparison::Less | Comparison::LessEqual => !negative(&difference),
                };
                self.value(&parts[if holds { 2 } else { 3 }])?
            }
            Tree::Undetermined(name, orders, arguments) => {
                self.undetermined(*name, orders, arguments)?
            }
        };
        let size = log2(&value);
        (is_zero(&value) || size.abs() < MAX_LOG2_OF_VALUE)
            .then(|| value.with_precision(self.bits).value())
    }

    /// Derivatives of f(x) = exp(⅔x + ⅕) and g(x, y) = exp(⅔x − ⅝y + ⅕), which replace the
    /// undetermined functions.
    fn undetermined(&self, name: usize, orders: &[u32], arguments: &[Tree]) -> Option<Big> {
        let rates = [(2, 3), (-5, 8)];
        let mut exponent = self.number(1 + name as i64, 5);
        let mut factor = self.number(1, 1);
        for ((&(n, d), &k), a) in rates.iter().zip(orders).zip(arguments) {
            let rate = self.number(n, d);
            exponent += &rate * self.value(a)?;
            for _ in 0..k {
                factor *= &rate;
            }
        }
        Some(factor * self.unary(Function::Exp, exponent)?)
    }

    /// a^(n/d) in lowest terms, odd roots real.
    fn power(&self, a: Big, n: i64, d: i64) -> Option<Big> {
        let q = Rational::new(n, d);
        let (n, d) = q.small()?;
        if n == 0 {
            return Some(self.number(1, 1));
        }
        if !self.nonzero(&a) {
            return (is_zero(&a) && n > 0).then(|| self.number(0, 1));
        }
        let root = match (d, negative(&a)) {
            (1, _) => a,
            (_, true) if d % 2 == 0 => return None,
            (_, true) => -(-a).nth_root(d as usize),
            (_, false) => a.nth_root(d as usize),
        };
        if log2(&root).saturating_mul(n as isize).abs() > MAX_LOG2_OF_VALUE {
            return None;
        }
        let power = root.powi(n.unsigned_abs().into());
        Some(if n < 0 {
            self.number(1, 1) / power
        } else {
            power
        })
    }

    fn unary(&self, f: Function, a: Big) -> Option<Big> {
        let one = self.number(1, 1);
        let inside = || {
            let rest = &one - &a * &a;
            !negative(&rest) && self.nonzero(&rest)
        };
        match f {
            Function::Sin | Function::Cos | Function::Tan
                if log2(&a) > MAX_LOG2_OF_SINE_ARGUMENT =>
            {
                None
            }
            Function::Exp | Function::Sinh | Function::Cosh
                if log2(&a) > MAX_LOG2_OF_EXP_ARGUMENT =>
            {
                None
            }
            Function::Sin => Some(a.sin()),
            Function::Cos => Some(a.cos()),
            Function::Tan => self.nonzero(&a.cos()).then(|| a.tan()),
            Function::Asin => inside().then(|| a.asin()),
            Function::Acos => inside().then(|| a.acos()),
            Function::Atan => Some(a.atan()),
            Function::Sinh => Some(a.sinh()),
            Function::Cosh => Some(a.cosh()),
            Function::Tanh if log2(&a) > 20 => Some(if negative(&a) { -one } else { one }),
            Function::Tanh => Some(a.tanh()),
            Function::Exp => Some(a.exp()),
            Function::Log => (self.nonzero(&a) && !negative(&a)).then(|| a.ln()),
            Function::Abs => Some(a.abs()),
            Function::Sign => self
                .nonzero(&a)
                .then(|| if negative(&a) { -one } else { one }),
            Function::Atan2 | Function::Min | Function::Max => None,
        }
    }

    fn binary(&self, f: Function, a: Big, b: Big) -> Option<Big> {
        match f {
            Function::Atan2 => {
                let defined = self.nonzero(&a) || (self.nonzero(&b) && !negative(&b));
                defined.then(|| a.atan2(&b))
            }
            Function::Min => Some(if a < b { a } else { b }),
            Function::Max => Some(if a < b { b } else { a }),
            _ => None,
        }
    }
}
