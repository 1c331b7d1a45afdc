//! Floating-point numbers of N·64 bits, without bounds of their errors.
//!
//! A [`Float`] is what [`Ball`]s have as midpoints. Sums, products and quotients err by a few units in the last place;
//! elementary functions are those of balls without the radius.

use std::cmp::Ordering;

use dashu_int::{IBig, UBig};
use galilei_linear::math::scalar;

use super::arithmetic::{Arithmetic, Fail, Truth};
use super::ball::Ball;
use super::real::Balls;
use super::wide::{MAX_EXPONENT, Wide};
use crate::function::Function;
use crate::node::Comparison;
use crate::number::Rational;
use crate::table::Table;

/// A floating-point number of N·64 bits with an exponent that practically has no bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Float<const N: usize>(Wide<N>);

/// Binary exponents from which on a number counts as infinite: it would have 300,000 decimal digits.
const MAX_FLOAT_EXPONENT: i64 = 1 << 20;
/// Binary exponents below which a number is written as 0.
const MIN_WRITTEN_EXPONENT: i64 = -(1 << 20);
/// Decimal exponents from which on numbers are written with an exponent, as doubles are.
const POSITIONAL: std::ops::Range<i64> = -5..16;

impl<const N: usize> Float<N> {
    /// The number 0.
    pub const ZERO: Self = Self(Wide::ZERO);

    /// A whole number.
    pub fn int(n: i64) -> Self {
        Self(Wide::from_i64(n))
    }

    /// The value of a finite double, exactly; 0 for others.
    pub fn exact(x: f64) -> Self {
        Self(Wide::from_f64(x))
    }

    /// The number nearest to a fraction, but for a unit in the last place.
    pub fn rational(q: &Rational) -> Self {
        Self(Ball::rational(q).mid)
    }

    /// The midpoint of a ball.
    pub fn of_ball(ball: &Ball<N>) -> Self {
        Self(ball.mid)
    }

    fn ball(self) -> Ball<N> {
        Ball::of_wide(self.0)
    }

    /// The nearest double.
    pub fn to_f64(self) -> f64 {
        self.0.to_f64()
    }

    /// Whether the number is 0.
    pub fn is_zero(self) -> bool {
        self.0.is_zero()
    }

    /// −1, 0 or 1.
    pub fn sign(self) -> i32 {
        match (self.0.is_zero(), self.0.negative) {
            (true, _) => 0,
            (_, true) => -1,
            (_, false) => 1,
        }
    }

    /// Whether the exponent is in its range, so that later results can be trusted.
    pub fn is_bounded(self) -> bool {
        (-MAX_EXPONENT / 256..MAX_FLOAT_EXPONENT).contains(&self.0.exponent)
    }

    /// The base-2 logarithm of the magnitude; −∞ for zero.
    pub fn log2(self) -> f64 {
        match self.0.is_zero() {
            true => f64::NEG_INFINITY,
            false => self.0.exponent as f64 + scalar::log2(self.0.limbs[N - 1] as f64) - 64.0,
        }
    }

    /// |self|
    #[must_use]
    pub fn abs(self) -> Self {
        Self(self.0.abs())
    }

    /// −self
    #[must_use]
    #[allow(clippy::should_implement_trait)]
    pub fn neg(self) -> Self {
        Self(self.0.neg())
    }

    /// self + other
    #[must_use]
    #[inline]
    #[allow(clippy::should_implement_trait)]
    pub fn add(self, other: Self) -> Self {
        Self(self.0.add(&other.0))
    }

    /// self − other
    #[must_use]
    #[inline]
    #[allow(clippy::should_implement_trait)]
    pub fn sub(self, other: Self) -> Self {
        Self(self.0.add(&other.0.neg()))
    }

    /// self·other
    #[must_use]
    #[inline]
    #[allow(clippy::should_implement_trait)]
    pub fn mul(self, other: Self) -> Self {
        Self(self.0.mul(&other.0))
    }

    /// self/other; `None` if other is zero.
    #[allow(clippy::should_implement_trait)]
    pub fn div(self, other: Self) -> Option<Self> {
        if other.is_zero() {
            return None;
        }
        let inverse = Self(other.0.recip_approx());
        let q = self.mul(inverse);
        // a/b = q + (a − q·b)/b
        Some(q.add(inverse.mul(self.sub(q.mul(other)))))
    }

    /// self·2^k
    #[must_use]
    pub fn shifted(self, k: i64) -> Self {
        Self(self.0.shifted(k))
    }

    /// self/n for a small positive whole number.
    #[must_use]
    pub fn over(self, n: u32) -> Self {
        Self(self.0.div_small(n))
    }

    /// The order of two numbers.
    pub fn order(self, other: Self) -> Ordering {
        self.sub(other).sign().cmp(&0)
    }

    /// The larger magnitude of two numbers.
    #[must_use]
    pub fn larger(self, other: Self) -> Self {
        let (a, b) = (self.abs(), other.abs());
        match a.order(b) {
            Ordering::Less => b,
            _ => a,
        }
    }

    /// The number in decimal notation with at most a number of significant digits, the last one rounded; 0 for numbers
    /// below 10⁻³⁰⁰⁰⁰⁰, and `inf` beyond the range of [`Self::is_bounded`].
    ///
    /// ```
    /// use galilei_expr::{Float, Rational};
    /// let third = Float::<2>::rational(&Rational::new(-1, 3));
    /// assert_eq!(third.to_decimal(33), "-0.333333333333333333333333333333333");
    /// assert_eq!(Float::<2>::exact(0.5).to_decimal(33), "0.5");
    /// assert_eq!(Float::<4>::exact(2f64.powi(80)).to_decimal(65), "1.208925819614629174706176e24");
    /// ```
    pub fn to_decimal(self, digits: usize) -> String {
        if self.is_zero() || self.0.exponent < MIN_WRITTEN_EXPONENT {
            return "0.0".into();
        }
        if self.0.exponent >= MAX_FLOAT_EXPONENT {
            return if self.0.negative { "-inf" } else { "inf" }.into();
        }
        let digits = digits.max(1);
        let (mantissa, exponent) = self.0.abs().to_parts();
        // The decimal exponent, perhaps too small by one.
        let mut place = (self.log2() * std::f64::consts::LOG10_2).floor() as i64 - 1;
        let text = loop {
            let text = scaled(&mantissa, exponent, digits as i64 - 1 - place).to_string();
            // Rounding may carry into a further digit, too.
            if text.len() <= digits {
                break text;
            }
            place += 1;
        };
        place += text.len() as i64 - digits as i64;
        let kept = text.trim_end_matches('0');
        let sign = if self.0.negative { "-" } else { "" };
        if !POSITIONAL.contains(&place) {
            let (first, rest) = kept.split_at(1);
            let rest = if rest.is_empty() { "0" } else { rest };
            return format!("{sign}{first}.{rest}e{place}");
        }
        if place < 0 {
            return format!("{sign}0.{}{kept}", "0".repeat((-place - 1) as usize));
        }
        let whole = place as usize + 1;
        let padded = format!("{kept:0<whole$}");
        let (whole, rest) = padded.split_at(whole);
        let rest = if rest.is_empty() { "0" } else { rest };
        format!("{sign}{whole}.{rest}")
    }
}

/// m·2^e·10^k, rounded to a whole number.
fn scaled(m: &IBig, e: i64, k: i64) -> IBig {
    let ten = IBig::from(UBig::from(10u8).pow(k.unsigned_abs() as usize));
    let (mut over, mut under) = (m.clone(), IBig::from(1));
    match k < 0 {
        true => under *= ten,
        false => over *= ten,
    }
    match e < 0 {
        true => under <<= e.unsigned_abs() as usize,
        false => over <<= e as usize,
    }
    (over * IBig::from(2) + &under) / (under * IBig::from(2))
}

/// The arithmetic of [`Float`]s of N·64 bits.
///
/// ```
/// use galilei_expr::{Arithmetic, Float, Floats, Function, Pool, Program};
/// let pool = Pool::new();
/// let x = pool.symbol("x");
/// let program = Program::new(&[x.exp()], &[x]).unwrap();
/// let e = program.run(&mut Floats::<2>::new(), &[Float::int(1)])[0].unwrap();
/// assert_eq!(e.to_decimal(33), "2.71828182845904523536028747135266");
/// ```
#[derive(Default)]
pub struct Floats<const N: usize> {
    balls: Balls<N>,
}

impl<const N: usize> Floats<N> {
    /// The arithmetic.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<const N: usize> Arithmetic for Floats<N> {
    type Value = Float<N>;

    fn number(&mut self, q: &Rational) -> Result<Float<N>, Fail> {
        Ok(Float::rational(q))
    }

    fn pi(&mut self) -> Result<Float<N>, Fail> {
        self.balls.pi().map(|b| Float(b.mid))
    }

    #[inline]
    fn add(&mut self, a: &Float<N>, b: &Float<N>) -> Float<N> {
        a.add(*b)
    }

    #[inline]
    fn mul(&mut self, a: &Float<N>, b: &Float<N>) -> Float<N> {
        a.mul(*b)
    }

    fn negated(&mut self, a: &Float<N>) -> Option<Float<N>> {
        Some(a.neg())
    }

    fn pow(&mut self, at: usize, a: &Float<N>, q: &Rational) -> Result<Float<N>, Fail> {
        if q.to_i64() == Some(2) {
            return Ok(a.mul(*a));
        }
        self.balls.pow(at, &a.ball(), q).map(|b| Float(b.mid))
    }

    fn call(
        &mut self,
        at: usize,
        f: Function,
        a: &Float<N>,
        b: Option<&Float<N>>,
    ) -> Result<Float<N>, Fail> {
        let b = b.map(|b| b.ball());
        let value = self.balls.call(at, f, &a.ball(), b.as_ref());
        value.map(|b| Float(b.mid))
    }

    fn compare(
        &mut self,
        _: usize,
        comparison: Comparison,
        a: &Float<N>,
        b: &Float<N>,
    ) -> Result<Truth, Fail> {
        Ok(match (a.order(*b), comparison) {
            (Ordering::Less, _) | (Ordering::Equal, Comparison::LessEqual) => Truth::Yes,
            _ => Truth::No,
        })
    }

    fn hull(&mut self, _: &Float<N>, _: &Float<N>) -> Result<Float<N>, Fail> {
        Err(Fail::Unknown)
    }

    fn undetermined(&mut self, _: usize, _: &[u32], _: &[Float<N>]) -> Result<Float<N>, Fail> {
        Err(Fail::Unknown)
    }

    fn tabulated(
        &mut self,
        table: &Table,
        order: u32,
        argument: &Float<N>,
    ) -> Option<Result<Float<N>, Fail>> {
        let value = self.balls.tabulated(table, order, &argument.ball())?;
        Some(value.map(|b| Float(b.mid)))
    }
}
