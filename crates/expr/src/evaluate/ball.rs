//! Real numbers enclosed in balls of N·64 bits.
//!
//! A [`Ball`] is a midpoint and a radius; every operation encloses all results it could have, so
//! what comes out is a theorem about real numbers. Elementary functions are computed by any
//! convenient approximation and then *verified*: the distance to the true value is bounded by a
//! residual that is itself computed with balls.

use galilei_linear::math::scalar;

use super::interval::Interval;
use super::wide::{MAX_EXPONENT, Wide, power_of_two, scale};
use crate::number::Rational;

/// Limbs up to which one unit in the last place, relative to 1, is a normal double.
const MAX_LIMBS_IN_DOUBLES: usize = 8;

/// A nonnegative upper bound m·2^e with 1 ≤ m < 2, or zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Radius {
    m: f64,
    e: i64,
}

impl Radius {
    pub(crate) const ZERO: Self = Self { m: 0.0, e: 0 };

    pub(crate) fn power_of_two(e: i64) -> Self {
        Self { m: 1.0, e }
    }

    /// Normalises m·2^e and adds a relative 2⁻⁵⁰ for the rounding errors in `m`.
    fn new(m: f64, e: i64) -> Self {
        if m == 0.0 {
            return Self::ZERO;
        }
        let m = m * (1.0 + 1.0 / (1u64 << 50) as f64);
        let bits = m.to_bits();
        Self {
            m: f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52),
            e: e + (bits >> 52) as i64 - 1023,
        }
    }

    fn is_zero(self) -> bool {
        self.m == 0.0
    }

    fn add(self, other: Self) -> Self {
        let (big, small) = if self.is_zero() || (!other.is_zero() && other.e > self.e) {
            (other, self)
        } else {
            (self, other)
        };
        if small.is_zero() {
            return big;
        }
        let gap = small.e - big.e;
        let lower = if gap < -60 {
            scale(1.0, -60)
        } else {
            scale(small.m, gap)
        };
        Self::new(big.m + lower, big.e)
    }

    fn mul(self, other: Self) -> Self {
        Self::new(self.m * other.m, self.e + other.e)
    }

    fn shifted(self, k: i64) -> Self {
        if self.is_zero() {
            self
        } else {
            Self {
                e: self.e + k,
                ..self
            }
        }
    }

    /// The radius divided by 2^e, exactly, if that is at most about one and not beyond doubles.
    fn below(self, e: i64) -> Option<f64> {
        if self.is_zero() {
            return Some(0.0);
        }
        let gap = self.e.checked_sub(e)?;
        (-900..=0)
            .contains(&gap)
            .then(|| self.m * power_of_two(gap))
    }

    /// An upper bound of |x|.
    fn above<const N: usize>(x: &Wide<N>) -> Self {
        if x.is_zero() {
            return Self::ZERO;
        }
        Self::new(((x.limbs[N - 1] >> 12) + 1) as f64, x.exponent - 52)
    }

    /// An upper bound of 1/|x| for x ≠ 0.
    fn recip_above<const N: usize>(x: &Wide<N>) -> Self {
        Self::new(1.0 / (x.limbs[N - 1] >> 12) as f64, 52 - x.exponent)
    }

    fn to_f64(self) -> f64 {
        scale(self.m, self.e)
    }

    /// The radius as a wide number, exactly.
    fn wide<const N: usize>(self) -> Wide<N> {
        Wide::from_f64(self.m).shifted(self.e)
    }
}

/// A closed interval of real numbers around a midpoint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball<const N: usize> {
    pub(crate) mid: Wide<N>,
    pub(crate) rad: Radius,
}

/// The sign a ball proves its number to have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProvenSign {
    Negative,
    Zero,
    Positive,
    Unknown,
}

/// Exponents beyond this count as infinite.
const MAX_BALL_EXPONENT: i64 = MAX_EXPONENT / 2;

impl<const N: usize> Ball<N> {
    /// The number 0.
    pub const ZERO: Self = Self {
        mid: Wide::ZERO,
        rad: Radius::ZERO,
    };

    /// A whole number.
    pub fn int(n: i64) -> Self {
        Self {
            mid: Wide::from_i64(n),
            rad: Radius::ZERO,
        }
    }

    fn rounded(mid: Wide<N>, rad: Radius) -> Self {
        Self {
            mid,
            rad: rad.add(Radius::power_of_two(mid.ulp_exponent())),
        }
        .bounded()
    }

    /// Replaces a ball with an exponent beyond ±2⁶⁰ by that of all numbers, or by a neighbourhood of zero, so
    /// that exponents never overflow.
    #[inline]
    fn bounded(self) -> Self {
        let near = |e: i64| e.unsigned_abs() < MAX_BALL_EXPONENT as u64;
        if near(self.mid.exponent) && near(self.rad.e) {
            return self;
        }
        self.brought_back()
    }

    #[cold]
    fn brought_back(self) -> Self {
        let Self { mut mid, mut rad } = self;
        if (!mid.is_zero() && mid.exponent > MAX_BALL_EXPONENT)
            || (!rad.is_zero() && rad.e > MAX_BALL_EXPONENT)
        {
            return Self::everything();
        }
        if !mid.is_zero() && mid.exponent < -MAX_BALL_EXPONENT {
            mid = Wide::ZERO;
            rad = rad.add(Radius::power_of_two(-MAX_BALL_EXPONENT));
        }
        if !rad.is_zero() && rad.e < -MAX_BALL_EXPONENT {
            rad = Radius::power_of_two(-MAX_BALL_EXPONENT);
        }
        Self { mid, rad }
    }

    /// The ball of all numbers. Every operation on it gives it again: no factor makes it small.
    fn everything() -> Self {
        Self {
            mid: Wide::ZERO,
            rad: Radius::power_of_two(MAX_EXPONENT / 2),
        }
    }

    /// Whether the ball contains all numbers.
    fn is_everything(&self) -> bool {
        !self.rad.is_zero() && self.rad.e >= MAX_EXPONENT / 2
    }

    /// The smallest ball around a number.
    pub fn rational(q: &Rational) -> Self {
        let big = |n| {
            let (mid, exact) = Wide::from_big(&n);
            if exact {
                Self {
                    mid,
                    rad: Radius::ZERO,
                }
            } else {
                Self::rounded(mid, Radius::ZERO)
            }
        };
        if let Some((n, d)) = q.small()
            && let Ok(d) = u32::try_from(d)
        {
            let n = Self::int(n);
            return if d.is_power_of_two() {
                n.shifted(-i64::from(d.trailing_zeros()))
            } else {
                n.div_small(d)
            };
        }
        let n = big(q.numerator());
        if q.is_integer() {
            return n;
        }
        n.div(&big(q.denominator().into())).unwrap_or(Self::ZERO)
    }

    pub(crate) fn sign(&self) -> ProvenSign {
        if self.rad.is_zero() && self.mid.is_zero() {
            return ProvenSign::Zero;
        }
        if self.is_everything() {
            return ProvenSign::Unknown;
        }
        match (self.distance_from_zero(), self.mid.negative) {
            (None, _) => ProvenSign::Unknown,
            (_, true) => ProvenSign::Negative,
            (_, false) => ProvenSign::Positive,
        }
    }

    /// A positive lower bound of the magnitude, if the ball excludes zero.
    fn distance_from_zero(&self) -> Option<Wide<N>> {
        if self.rad.is_zero() {
            return (!self.mid.is_zero()).then(|| self.mid.abs());
        }
        let r = self.rad.wide::<N>();
        let margin = self.mid.abs().add(&r.neg());
        // The subtraction may be off by one unit of its larger operand.
        let unit = Wide::from_i64(-1).shifted(self.mid.ulp_exponent().max(r.ulp_exponent()));
        let low = margin.add(&unit);
        (!low.is_zero() && !low.negative).then_some(low)
    }

    /// Whether the ball proves that its number is not zero.
    pub fn excludes_zero(&self) -> bool {
        matches!(self.sign(), ProvenSign::Negative | ProvenSign::Positive)
    }

    /// An upper bound of the magnitude, as a double (infinite if beyond).
    pub fn magnitude(&self) -> f64 {
        let bound = self.bound();
        if bound.is_zero() {
            0.0
        } else {
            bound.to_f64().max(f64::MIN_POSITIVE)
        }
    }

    /// The base-2 logarithm of an upper bound of the magnitude; −∞ for zero.
    pub fn magnitude_log2(&self) -> f64 {
        let bound = self.bound();
        if bound.is_zero() {
            f64::NEG_INFINITY
        } else {
            bound.e as f64 + scalar::log2(bound.m)
        }
    }

    /// The exact value of a finite double; `None` for others.
    pub fn exact(x: f64) -> Option<Self> {
        x.is_finite().then(|| Self {
            mid: Wide::from_f64(x),
            rad: Radius::ZERO,
        })
    }

    /// The smallest ball around an interval; `None` unless it is finite.
    pub fn of_interval(x: Interval) -> Option<Self> {
        if !x.is_finite() {
            return None;
        }
        let centre = Self::exact(x.middle())?;
        Some(match x.radius() {
            0.0 => centre,
            r => centre.widened(Radius::new(r.max(f64::MIN_POSITIVE), 0)),
        })
    }

    /// The ball of one number.
    pub(crate) fn of_wide(mid: Wide<N>) -> Self {
        Self {
            mid,
            rad: Radius::ZERO,
        }
    }

    /// The midpoint, without the radius.
    #[must_use]
    pub fn midpoint(&self) -> Self {
        Self {
            mid: self.mid,
            rad: Radius::ZERO,
        }
    }

    /// An upper bound of the radius, as a double (infinite if beyond).
    pub fn radius(&self) -> f64 {
        match self.rad.is_zero() {
            true => 0.0,
            false => self.rad.to_f64().next_up(),
        }
    }

    /// The sign that the ball proves its number to have: −1, 0 or 1; `None` if it proves none.
    pub fn proven_sign(&self) -> Option<i32> {
        match self.sign() {
            ProvenSign::Negative => Some(-1),
            ProvenSign::Zero => Some(0),
            ProvenSign::Positive => Some(1),
            ProvenSign::Unknown => None,
        }
    }

    /// An interval of doubles around the ball, with infinite ends if it is beyond all doubles.
    pub fn to_interval(&self) -> Interval {
        if self.is_everything() {
            return Interval::exactly(f64::NEG_INFINITY, f64::INFINITY);
        }
        let x = self.mid.to_f64();
        if self.rad.is_zero() && Wide::from_f64(x) == self.mid {
            return Interval::exactly(x, x);
        }
        let r = self.radius();
        // The double is nearest to the midpoint: half of the distance to the next one is left for the radius.
        if 2.0 * r <= (x.next_up() - x).min(x - x.next_down()) {
            return Interval::exactly(x.next_down(), x.next_up());
        }
        Interval::exactly((x.next_down() - r).next_down(), (x.next_up() + r).next_up())
    }

    /// The midpoint as a double.
    pub fn to_f64(&self) -> f64 {
        self.mid.to_f64()
    }

    /// The base-2 logarithm of the radius; −∞ for an exact number.
    pub fn radius_log2(&self) -> f64 {
        if self.rad.is_zero() {
            f64::NEG_INFINITY
        } else {
            self.rad.e as f64 + scalar::log2(self.rad.m)
        }
    }

    /// Lower and upper end, as exact fractions of the form n·2^e.
    pub fn ends(&self) -> [(dashu_int::IBig, i64); 2] {
        let r = self.rad.wide::<N>();
        // The ends may need a bit more than N limbs: they are moved outward by one unit.
        [true, false].map(|low| {
            if self.rad.is_zero() {
                return self.mid.to_parts();
            }
            let end = self.mid.add(&if low { r.neg() } else { r });
            let unit = self.mid.ulp_exponent().max(r.ulp_exponent());
            let outward = Wide::from_i64(if low { -2 } else { 2 }).shifted(unit);
            end.add(&outward).to_parts()
        })
    }

    /// −self
    #[must_use]
    #[allow(clippy::should_implement_trait)]
    pub fn neg(&self) -> Self {
        Self {
            mid: self.mid.neg(),
            rad: self.rad,
        }
    }

    /// self + other
    #[must_use]
    #[allow(clippy::should_implement_trait)]
    pub fn add(&self, other: &Self) -> Self {
        let mid = self.mid.add(&other.mid);
        let exact = self.rad.is_zero() && other.rad.is_zero();
        if exact && self.mid.add_is_exact(&other.mid) {
            return Self {
                mid,
                rad: Radius::ZERO,
            };
        }
        // Operands of opposite sign may cancel: the lost bits are relative to the larger one.
        let top = self.mid.exponent.max(other.mid.exponent) + 1;
        if N <= MAX_LIMBS_IN_DOUBLES
            && let (Some(a), Some(b)) = (self.rad.below(top), other.rad.below(top))
        {
            let rad = Radius::new(a + b + power_of_two(-64 * N as i64), top);
            return Self { mid, rad }.bounded();
        }
        let lost = Radius::power_of_two(top - 64 * N as i64);
        Self {
            mid,
            rad: self.rad.add(other.rad).add(lost),
        }
        .bounded()
    }

    /// self − other
    #[must_use]
    #[allow(clippy::should_implement_trait)]
    pub fn sub(&self, other: &Self) -> Self {
        self.add(&other.neg())
    }

    /// self·other
    #[must_use]
    #[allow(clippy::should_implement_trait)]
    pub fn mul(&self, other: &Self) -> Self {
        if self.is_everything() || other.is_everything() {
            return Self::everything();
        }
        let mid = self.mid.mul(&other.mid);
        if let Some(rad) = self.quick_radius(other, &mid) {
            return Self { mid, rad }.bounded();
        }
        let mut rad = Radius::ZERO;
        if !other.rad.is_zero() {
            rad = rad
                .add(Radius::above(&self.mid).mul(other.rad))
                .add(self.rad.mul(other.rad));
        }
        if !self.rad.is_zero() {
            rad = rad.add(Radius::above(&other.mid).mul(self.rad));
        }
        if rad.is_zero() && self.mid.mul_is_exact(&other.mid) {
            Self { mid, rad }.bounded()
        } else {
            Self::rounded(mid, rad)
        }
    }

    /// |a|·s + |b|·r + r·s and one unit of the product for balls a ± r, b ± s, computed in doubles relative to
    /// the exponents of a and b. `None` where that is out of range.
    #[inline]
    fn quick_radius(&self, other: &Self, product: &Wide<N>) -> Option<Radius> {
        if N > MAX_LIMBS_IN_DOUBLES || self.mid.is_zero() || other.mid.is_zero() {
            return None;
        }
        let (r, s) = (
            self.rad.below(self.mid.exponent)?,
            other.rad.below(other.mid.exponent)?,
        );
        let exponent = self.mid.exponent + other.mid.exponent;
        if r == 0.0 && s == 0.0 && self.mid.mul_is_exact(&other.mid) {
            return Some(Radius::ZERO);
        }
        let above = |x: &Wide<N>| ((x.limbs[N - 1] >> 12) + 1) as f64 * power_of_two(-52);
        let unit = power_of_two(product.exponent - exponent - 64 * N as i64);
        let sum = above(&self.mid) * s + above(&other.mid) * r + r * s + unit;
        Some(Radius::new(sum, exponent))
    }

    pub(crate) fn square(&self) -> Self {
        self.mul(self)
    }

    pub(crate) fn shifted(&self, k: i64) -> Self {
        if self.is_everything() {
            return *self;
        }
        Self {
            mid: self.mid.shifted(k),
            rad: self.rad.shifted(k),
        }
        .bounded()
    }

    pub(super) fn div_small(&self, n: u32) -> Self {
        if self.is_everything() {
            return *self;
        }
        let mid = self.mid.div_small(n);
        let rad = self.rad.mul(Radius::new(1.0 / f64::from(n), 0));
        if mid.is_zero() {
            Self { mid, rad }
        } else {
            Self::rounded(mid, rad)
        }
    }

    /// The ball with its radius increased by at least `r`.
    fn widened(&self, r: Radius) -> Self {
        Self {
            mid: self.mid,
            rad: self.rad.add(r),
        }
        .bounded()
    }

    /// The ball with its radius increased by the largest magnitude in the other ball.
    pub(super) fn widened_by(&self, other: &Self) -> Self {
        self.widened(other.bound())
    }

    /// The ball with its radius increased by 2·|factor|·(radius of x).
    pub(super) fn widened_twice(&self, factor: &Self, x: &Self) -> Self {
        self.widened(factor.bound().mul(x.rad).shifted(1))
    }

    /// An upper bound of the magnitude, as a radius.
    fn bound(&self) -> Radius {
        Radius::above(&self.mid).add(self.rad)
    }

    /// |self| is at least 1/this; `None` if the ball contains zero.
    fn recip_bound(&self) -> Option<Radius> {
        self.distance_from_zero()
            .map(|low| Radius::recip_above(&low))
    }

    /// self/other; `None` if other may be zero.
    #[allow(clippy::should_implement_trait)]
    pub fn div(&self, other: &Self) -> Option<Self> {
        if self.is_everything() || other.is_everything() {
            return None;
        }
        let inverse_bound = other.recip_bound()?;
        let x = Self {
            mid: other.mid.recip_approx(),
            rad: Radius::ZERO,
        };
        let q = Self {
            mid: self.mid.mul(&x.mid),
            rad: Radius::ZERO,
        };
        // a/b = q + (a − q·b)/b
        let residual = self.sub(&q.mul(other));
        Some(q.widened(residual.bound().mul(inverse_bound)))
    }

    /// √self; `None` unless the ball lies in [0, ∞).
    pub(crate) fn sqrt(&self) -> Option<Self> {
        match self.sign() {
            ProvenSign::Zero => return Some(Self::ZERO),
            ProvenSign::Positive => {}
            _ => return None,
        }
        let s = Self {
            mid: self.mid.sqrt_approx(),
            rad: Radius::ZERO,
        };
        // √a = s + (a − s²)/(√a + s), and √a + s ≥ s
        let residual = self.sub(&s.square());
        if residual.mid.is_zero() && residual.rad.is_zero() {
            return Some(s);
        }
        Some(s.widened(residual.bound().mul(s.recip_bound()?)))
    }

    /// self^n
    pub(crate) fn powi(&self, n: i64) -> Option<Self> {
        let mut result = Self::int(1);
        let mut square = *self;
        let mut k = n.unsigned_abs();
        while k > 0 {
            if k & 1 == 1 {
                result = result.mul(&square);
            }
            k >>= 1;
            if k > 0 {
                square = square.square();
            }
            if result.mid.exponent.abs() > MAX_EXPONENT || square.mid.exponent.abs() > MAX_EXPONENT
            {
                return None;
            }
        }
        if n < 0 {
            Self::int(1).div(&result)
        } else {
            Some(result)
        }
    }

    /// The hull of two balls.
    pub(crate) fn hull(&self, other: &Self) -> Self {
        let distance = self.sub(other).bound();
        self.widened(distance.add(other.rad))
    }

    /// π by Machin's formula.
    pub(crate) fn pi() -> Self {
        let a = Self::atan_inverse(5, false).mul(&Self::int(16));
        a.sub(&Self::atan_inverse(239, false).mul(&Self::int(4)))
    }

    /// log 2 = 18·artanh(1/26) − 2·artanh(1/4801) + 8·artanh(1/8749)
    pub(crate) fn ln2() -> Self {
        let term = |c, n| Self::atan_inverse(n, true).mul(&Self::int(c));
        term(18, 26).sub(&term(2, 4801)).add(&term(8, 8749))
    }

    /// atan(1/n), or artanh(1/n): Σ (∓1)^k/((2k+1)·n^(2k+1)).
    fn atan_inverse(n: u32, hyperbolic: bool) -> Self {
        let mut power = Self::int(1).div_small(n);
        let mut sum = power;
        let mut k = 1u32;
        while power.mid.exponent > -(64 * N as i64) - 64 {
            power = power.div_small(n).div_small(n);
            let term = power.div_small(2 * k + 1);
            sum = if hyperbolic || k.is_multiple_of(2) {
                sum.add(&term)
            } else {
                sum.sub(&term)
            };
            k += 1;
        }
        // The rest is below a geometric series with ratio ≤ 1/25.
        sum.widened(power.bound())
    }
}
