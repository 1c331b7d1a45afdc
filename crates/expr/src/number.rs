//! Exact rational numbers of any size.
//!
//! A [`Rational`] is a reduced fraction with a positive denominator. Fractions whose parts fit
//! into 64 bits, nearly all that mechanics needs, are stored and computed inline; larger ones
//! are shared big integers. The representation is canonical: a number that fits is never big,
//! so equality and hashing are those of the parts.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::sync::Arc;

use dashu_base::{Abs, BitTest, Gcd, Sign, Signed};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

/// A fraction of integers of any size, always reduced, denominator positive.
///
/// Made from integers, from a pair `(numerator, denominator)`, or from decimal text, which is
/// read exactly: `"0.1"` is one tenth.
///
/// ```
/// use galilei_expr::Rational;
/// let tenth: Rational = "0.1".parse().unwrap();
/// assert_eq!(&tenth + &Rational::new(1, 5), Rational::new(3, 10));
/// assert_eq!("1.2e-3".parse::<Rational>().unwrap().to_string(), "3/2500");
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rational(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    /// `numerator / denominator`, reduced, denominator ≥ 1, numerator > `i64::MIN`.
    Small(i64, i64),
    /// Any number that does not fit.
    Big(Arc<RBig>),
}
use Repr::{Big, Small};

/// Text that is not a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseRationalError;

impl fmt::Display for ParseRationalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a number: expected digits such as 12, 0.5, 1.2e-3 or 3/4")
    }
}
impl std::error::Error for ParseRationalError {}

pub(crate) fn gcd_u64(mut a: u64, mut b: u64) -> u64 {
    if a == 0 || b == 0 {
        return a | b;
    }
    let shift = (a | b).trailing_zeros();
    a >>= a.trailing_zeros();
    while b != 0 {
        b >>= b.trailing_zeros();
        if a > b {
            std::mem::swap(&mut a, &mut b);
        }
        b -= a;
    }
    a << shift
}

fn gcd_u128(mut a: u128, mut b: u128) -> u128 {
    loop {
        if a <= u64::MAX.into() && b <= u64::MAX.into() {
            return gcd_u64(a as u64, b as u64).into();
        }
        if b == 0 {
            return a;
        }
        (a, b) = (b, a % b);
    }
}

impl Rational {
    /// Zero.
    pub const ZERO: Self = Self(Small(0, 1));
    /// One.
    pub const ONE: Self = Self(Small(1, 1));

    /// `numerator / denominator`.
    ///
    /// # Panics
    /// If the denominator is zero.
    pub fn new(numerator: i64, denominator: i64) -> Self {
        assert!(denominator != 0, "a fraction with denominator zero");
        Self::reduced(numerator.into(), denominator.into())
    }

    /// A fraction known to be reduced, with `d > 0`.
    pub(crate) fn from_reduced(n: i64, d: u32) -> Self {
        Self(Small(n, d.into()))
    }

    /// The reduced fraction; `d ≠ 0`.
    fn reduced(mut n: i128, mut d: i128) -> Self {
        if d != 1 {
            let g = gcd_u128(n.unsigned_abs(), d.unsigned_abs());
            if g != 1 {
                n /= g as i128;
                d /= g as i128;
            }
            if d < 0 {
                n = -n;
                d = -d;
            }
        }
        match (i64::try_from(n), i64::try_from(d)) {
            (Ok(n), Ok(d)) if n != i64::MIN => Self(Small(n, d)),
            _ => Self(Big(Arc::new(RBig::from_parts_signed(n.into(), d.into())))),
        }
    }

    fn from_big(big: RBig) -> Self {
        if let (Ok(n), Ok(d)) = (
            i64::try_from(big.numerator()),
            i64::try_from(big.denominator()),
        ) && n != i64::MIN
        {
            return Self(Small(n, d));
        }
        Self(Big(Arc::new(big)))
    }

    /// The fraction of two big integers; `None` if the denominator is zero.
    pub fn from_big_parts(numerator: IBig, denominator: IBig) -> Option<Self> {
        (!denominator.is_zero())
            .then(|| Self::from_big(RBig::from_parts_signed(numerator, denominator)))
    }

    fn big(&self) -> RBig {
        match &self.0 {
            Small(n, d) => RBig::from_parts((*n).into(), UBig::from(d.unsigned_abs())),
            Big(b) => RBig::clone(b),
        }
    }

    /// The parts, if both fit into 64 bits.
    pub fn small(&self) -> Option<(i64, i64)> {
        match self.0 {
            Small(n, d) => Some((n, d)),
            Big(_) => None,
        }
    }

    /// The value as a 64-bit integer, if it is one.
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Small(n, 1) => Some(n),
            _ => None,
        }
    }

    /// The numerator, which carries the sign.
    pub fn numerator(&self) -> IBig {
        match &self.0 {
            Small(n, _) => (*n).into(),
            Big(b) => b.numerator().clone(),
        }
    }

    /// The denominator, positive.
    pub fn denominator(&self) -> UBig {
        match &self.0 {
            Small(_, d) => UBig::from(d.unsigned_abs()),
            Big(b) => b.denominator().clone(),
        }
    }

    /// Whether the value is zero.
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Small(0, _))
    }

    /// Whether the value is one.
    pub fn is_one(&self) -> bool {
        matches!(self.0, Small(1, 1))
    }

    pub(crate) fn is_minus_one(&self) -> bool {
        matches!(self.0, Small(-1, 1))
    }

    /// Whether the value is an integer.
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Small(_, d) => *d == 1,
            Big(b) => b.is_int(),
        }
    }

    /// −1, 0 or 1.
    pub fn signum(&self) -> i32 {
        match &self.0 {
            Small(n, _) => n.signum() as i32,
            Big(b) if b.is_positive() => 1,
            Big(_) => -1,
        }
    }

    /// Whether the value is below zero.
    pub fn is_negative(&self) -> bool {
        self.signum() < 0
    }

    /// The absolute value.
    pub fn abs(&self) -> Self {
        if self.is_negative() {
            -self
        } else {
            self.clone()
        }
    }

    /// Whether the denominator is even: then a power with this exponent is an even root.
    pub fn has_even_denominator(&self) -> bool {
        match &self.0 {
            Small(_, d) => d % 2 == 0,
            Big(b) => !b.denominator().bit(0),
        }
    }

    /// Whether the numerator is even.
    pub fn has_even_numerator(&self) -> bool {
        match &self.0 {
            Small(n, _) => n % 2 == 0,
            Big(b) => !b.numerator().bit(0),
        }
    }

    /// `1/self`, or `None` for zero.
    pub fn recip(&self) -> Option<Self> {
        match &self.0 {
            Small(0, _) => None,
            Small(n, d) => Some(Self(Small(d * n.signum(), n.abs()))),
            Big(b) => Some(Self::from_big(RBig::ONE / RBig::clone(b))),
        }
    }

    /// The greatest common divisor of two integers.
    pub(crate) fn gcd(&self, other: &Self) -> Self {
        match (self.to_i64(), other.to_i64()) {
            (Some(a), Some(b)) => {
                let g = gcd_u64(a.unsigned_abs(), b.unsigned_abs());
                Self::reduced(g.into(), 1)
            }
            _ => {
                let (a, b) = (
                    self.numerator().into_parts().1,
                    other.numerator().into_parts().1,
                );
                Self::from(IBig::from(a.gcd(b)))
            }
        }
    }

    /// The largest integer not above the value.
    pub fn floor(&self) -> IBig {
        match &self.0 {
            Small(n, d) => n.div_euclid(*d).into(),
            Big(b) => b.as_ref().clone().floor(),
        }
    }

    /// The number of bits of numerator and denominator together.
    pub fn bits(&self) -> usize {
        match &self.0 {
            Small(n, d) => (128 - n.unsigned_abs().leading_zeros() - d.leading_zeros()) as usize,
            Big(b) => b.numerator().bit_len() + b.denominator().bit_len(),
        }
    }

    /// `self` to an integer power, or `None` where it would be `0` to a negative power or
    /// larger than `max_bits`.
    pub fn powi(&self, exponent: i64, max_bits: usize) -> Option<Self> {
        if exponent == 0 {
            return Some(Self::ONE);
        }
        let base = if exponent < 0 {
            self.recip()?
        } else {
            self.clone()
        };
        if base.abs().is_one() {
            return Some(if exponent % 2 == 0 { Self::ONE } else { base });
        }
        if base.is_zero() {
            return Some(Self::ZERO);
        }
        let k = usize::try_from(exponent.unsigned_abs()).ok()?;
        if base.bits().checked_mul(k)? > max_bits.max(128) {
            return None;
        }
        let (n, d) = (base.numerator(), base.denominator());
        Some(Self::from_big(RBig::from_parts(n.pow(k), d.pow(k))))
    }

    /// The nearest double.
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            // Both parts exact: one correctly rounded division.
            Small(n, d) if n.unsigned_abs() < 1 << 53 && *d < 1 << 53 => *n as f64 / *d as f64,
            _ => self.big().to_f64().value(),
        }
    }

    /// The exact value of a finite double; `None` for infinities and NaN.
    pub fn from_f64(x: f64) -> Option<Self> {
        RBig::try_from(x).ok().map(Self::from_big)
    }

    /// The residue of the value modulo `p`, as (numerator, denominator) residues.
    pub(crate) fn residues(&self, p: u64) -> (u64, u64) {
        match &self.0 {
            Small(n, d) => {
                let modulo = |a: u64| if a < p { a } else { a % p };
                let r = modulo(n.unsigned_abs());
                let n = if *n < 0 && r != 0 { p - r } else { r };
                (n, modulo(*d as u64))
            }
            Big(b) => {
                let p_big = UBig::from(p);
                let n = u64::try_from(b.numerator().clone().abs() % IBig::from(p)).unwrap_or(0);
                let d = u64::try_from(b.denominator().clone() % p_big).unwrap_or(0);
                let negative = b.numerator().sign() == Sign::Negative && n != 0;
                (if negative { p - n } else { n }, d)
            }
        }
    }
}

impl From<i64> for Rational {
    fn from(n: i64) -> Self {
        Self::reduced(n.into(), 1)
    }
}
impl From<i32> for Rational {
    fn from(n: i32) -> Self {
        Self(Small(n.into(), 1))
    }
}
impl From<IBig> for Rational {
    fn from(n: IBig) -> Self {
        Self::from_big(RBig::from_parts(n, UBig::ONE))
    }
}
impl From<(i64, i64)> for Rational {
    fn from((n, d): (i64, i64)) -> Self {
        Self::new(n, d)
    }
}

impl std::str::FromStr for Rational {
    type Err = ParseRationalError;

    /// Reads `12`, `-0.5`, `1.2e-3`, `3/4`, exactly. Exponents beyond ±10 000 are refused:
    /// such a literal is a few characters and would be megabytes.
    fn from_str(text: &str) -> Result<Self, ParseRationalError> {
        if let Some((n, d)) = text.split_once('/') {
            let (n, d): (Self, Self) = (n.trim().parse()?, d.trim().parse()?);
            return Ok(&n * &d.recip().ok_or(ParseRationalError)?);
        }
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((m, e)) => (m, e.parse::<i64>().map_err(|_| ParseRationalError)?),
            None => (text, 0),
        };
        let (negative, mantissa) = match mantissa.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, mantissa),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(ParseRationalError);
        }
        let scale = exponent
            .checked_sub(fraction.len() as i64)
            .ok_or(ParseRationalError)?;
        if exponent.abs() > 10_000 {
            return Err(ParseRationalError);
        }
        let n: IBig = digits.parse().map_err(|_| ParseRationalError)?;
        let n = if negative { -n } else { n };
        let power = IBig::from(10).pow(scale.unsigned_abs() as usize);
        let (n, d) = if scale < 0 {
            (n, power)
        } else {
            (n * power, IBig::ONE)
        };
        Self::from_big_parts(n, d).ok_or(ParseRationalError)
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Small(n, 1) => write!(f, "{n}"),
            Small(n, d) => write!(f, "{n}/{d}"),
            Big(b) if b.is_int() => write!(f, "{}", b.numerator()),
            Big(b) => write!(f, "{}/{}", b.numerator(), b.denominator()),
        }
    }
}
impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Small(a, b), Small(c, d)) => {
                (i128::from(*a) * i128::from(*d)).cmp(&(i128::from(*c) * i128::from(*b)))
            }
            _ => self.big().cmp(&other.big()),
        }
    }
}
impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Add for &Rational {
    type Output = Rational;
    fn add(self, other: Self) -> Rational {
        match (&self.0, &other.0) {
            (Small(a, b), Small(c, d)) => {
                let (a, b, c, d) = (*a as i128, *b as i128, *c as i128, *d as i128);
                if b == d {
                    Rational::reduced(a + c, b)
                } else {
                    Rational::reduced(a * d + c * b, b * d)
                }
            }
            _ => Rational::from_big(self.big() + other.big()),
        }
    }
}
impl Sub for &Rational {
    type Output = Rational;
    fn sub(self, other: Self) -> Rational {
        self + &-other
    }
}
impl Mul for &Rational {
    type Output = Rational;
    fn mul(self, other: Self) -> Rational {
        match (&self.0, &other.0) {
            (Small(a, b), Small(c, d)) => {
                Rational::reduced(*a as i128 * *c as i128, *b as i128 * *d as i128)
            }
            _ => Rational::from_big(self.big() * other.big()),
        }
    }
}
impl Div for &Rational {
    type Output = Rational;
    /// # Panics
    /// If `other` is zero; [`Rational::recip`] is the checked way.
    #[allow(clippy::suspicious_arithmetic_impl)]
    fn div(self, other: Self) -> Rational {
        self * &other.recip().expect("division by the number zero")
    }
}
impl Neg for &Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        match &self.0 {
            Small(n, d) => Rational(Small(-n, *d)),
            Big(b) => Rational::from_big(-RBig::clone(b)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_fits_is_small() {
        let big = Rational::new(i64::MAX, 1);
        let sum = &big + &Rational::ONE;
        assert_eq!(sum.small(), None);
        assert_eq!(&sum - &Rational::ONE, big);
        assert_eq!((&sum - &Rational::ONE).small(), Some((i64::MAX, 1)));
        assert_eq!(Rational::new(i64::MIN, 1).small(), None);
        assert_eq!(
            &Rational::new(i64::MIN, 2) + &Rational::ZERO,
            Rational::new(i64::MIN / 2, 1)
        );
    }

    #[test]
    fn decimals_are_fractions() {
        let q = |s: &str| s.parse::<Rational>();
        assert_eq!(q("0.5"), Ok(Rational::new(1, 2)));
        assert_eq!(q("-12.50e2"), Ok(Rational::from(-1250)));
        assert_eq!(q("1.2e-3"), Ok(Rational::new(3, 2500)));
        assert_eq!(q("3/6"), Ok(Rational::new(1, 2)));
        for wrong in [
            "",
            ".",
            "-",
            "1e",
            "1e99999999",
            "1/0",
            "0x10",
            "1.2.3",
            "--1",
        ] {
            assert_eq!(q(wrong), Err(ParseRationalError), "{wrong}");
        }
    }

    #[test]
    fn powers_are_bounded() {
        assert_eq!(
            Rational::new(-2, 3).powi(-3, 1 << 10),
            Some(Rational::new(-27, 8))
        );
        assert_eq!(Rational::from(2).powi(1 << 40, 1 << 10), None);
        assert_eq!(Rational::ZERO.powi(-1, 1 << 10), None);
        assert_eq!(
            Rational::from(-1).powi(i64::MAX, 1 << 10),
            Some(Rational::from(-1))
        );
    }

    #[test]
    fn residues_carry_the_sign() {
        let p = (1 << 61) - 1;
        assert_eq!(Rational::new(-1, 3).residues(p), (p - 1, 3));
        let big: Rational = "-2305843009213693952/3".parse().unwrap();
        assert_eq!(big.residues(p), (p - 1, 3));
    }
}
