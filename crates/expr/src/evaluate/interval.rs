//! Intervals of doubles with outward rounding.
//!
//! Sums and products are rounded outward exactly. Elementary functions are those of
//! [`galilei_linear::math`], with the same bits on every machine; their error, which is measured and
//! not proved, is taken to be at most [`SLACK`] of the value. Nothing is proved or refuted with them
//! alone: [`crate::Query::decide`] confirms with [`crate::Ball`]s, and what is certified on boxes
//! comes from [`crate::Enclosures`].

use galilei_linear::math::scalar;

use super::arithmetic::{Arithmetic, Fail, Truth, enclosed};
use crate::function::Function;
use crate::node::Comparison;
use crate::number::Rational;
use crate::table::Table;

/// 2⁻⁴⁸, sixteen units in the last place.
const SLACK: f64 = 1.0 / (1u64 << 48) as f64;

/// A closed interval of real numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    low: f64,
    high: f64,
}

impl Interval {
    /// [low, high].
    ///
    /// # Panics
    /// If an end is NaN or they are in the wrong order.
    pub fn new(low: f64, high: f64) -> Self {
        assert!(low <= high, "an interval from {low} to {high}");
        Self { low, high }
    }

    /// [low, high], for ends that are known to be in order.
    #[inline]
    pub(super) const fn exactly(low: f64, high: f64) -> Self {
        Self { low, high }
    }

    /// [x, x].
    pub fn point(x: f64) -> Self {
        Self::new(x, x)
    }

    /// The smallest interval of doubles around a number.
    pub fn around(q: &Rational) -> Self {
        let x = q.to_f64();
        match Rational::from_f64(x) {
            Some(back) if back == *q => Self::point(x),
            Some(back) if back < *q => Self {
                low: x,
                high: x.next_up(),
            },
            Some(_) => Self {
                low: x.next_down(),
                high: x,
            },
            None if x > 0.0 => Self {
                low: f64::MAX,
                high: f64::INFINITY,
            },
            None => Self {
                low: f64::NEG_INFINITY,
                high: f64::MIN,
            },
        }
    }

    /// The lower end.
    #[inline]
    pub fn low(self) -> f64 {
        self.low
    }

    /// The upper end.
    #[inline]
    pub fn high(self) -> f64 {
        self.high
    }

    /// Whether x lies inside.
    pub fn contains(self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }

    /// Whether zero lies outside.
    #[inline]
    pub fn excludes_zero(self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    /// The largest absolute value.
    pub fn magnitude(self) -> f64 {
        self.high.abs().max(self.low.abs())
    }

    /// high − low
    pub fn width(self) -> f64 {
        self.high - self.low
    }

    /// A point in the middle.
    pub fn middle(self) -> f64 {
        let m = self.low / 2.0 + self.high / 2.0;
        m.clamp(self.low, self.high)
    }

    /// The smallest interval that contains both.
    pub fn hull(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    fn neg(self) -> Self {
        Self {
            low: -self.high,
            high: -self.low,
        }
    }

    pub(crate) fn sum(self, other: Self) -> Self {
        Self {
            low: add_down(self.low, other.low),
            high: -add_down(-self.high, -other.high),
        }
    }

    pub(crate) fn difference(self, other: Self) -> Self {
        self.sum(other.neg())
    }

    pub(crate) fn product(self, other: Self) -> Self {
        let mut low = f64::INFINITY;
        let mut high = f64::NEG_INFINITY;
        for a in [self.low, self.high] {
            for b in [other.low, other.high] {
                let (p, exact) = mul(a, b);
                low = low.min(if exact { p } else { p.next_down() });
                high = high.max(if exact { p } else { p.next_up() });
            }
        }
        Self { low, high }
    }

    /// 1/self, for an interval without zero.
    pub(crate) fn recip(self) -> Option<Self> {
        if !self.excludes_zero() {
            return None;
        }
        // 1/x is exact for powers of two.
        let exact = |x: f64| x.is_normal() && x.to_bits() << 12 == 0 && (1.0 / x).is_normal();
        let (a, b) = (1.0 / self.high, 1.0 / self.low);
        Some(Self {
            low: if exact(self.high) { a } else { a.next_down() },
            high: if exact(self.low) { b } else { b.next_up() },
        })
    }

    /// The square, never negative.
    fn square(self) -> Self {
        let p = self.product(self);
        let (a, b) = (self.low.abs(), self.high.abs());
        let smallest = if self.excludes_zero() { a.min(b) } else { 0.0 };
        let (s, exact) = mul(smallest, smallest);
        Self {
            low: if exact { s } else { s.next_down().max(0.0) },
            high: p.high,
        }
    }

    fn powi(self, n: u64) -> Self {
        let mut result = Self::point(1.0);
        let mut square = self;
        let mut k = n;
        // Even powers of an interval around zero must not become negative: start from a square.
        while k > 0 {
            if k & 1 == 1 {
                result = result.product(square);
            }
            k >>= 1;
            if k > 0 {
                square = square.square();
            }
        }
        result
    }

    /// The image of a function that increases, evaluated in doubles.
    fn increasing(self, f: impl Fn(f64) -> f64) -> Self {
        Self {
            low: below(f(self.low)),
            high: above(f(self.high)),
        }
    }

    fn clamped(self, low: f64, high: f64) -> Self {
        Self {
            low: self.low.max(low),
            high: self.high.min(high),
        }
    }

    /// Whether some (offset + k·period) may lie inside.
    fn meets(self, offset: f64, period: f64) -> bool {
        let slack = |q: f64| 1e-9 * (1.0 + q.abs());
        let (a, b) = ((self.low - offset) / period, (self.high - offset) / period);
        (a - slack(a)).floor() != (b + slack(b)).floor() || a.fract().abs() < 1e-9
    }

    fn sin(self) -> Self {
        let tau = std::f64::consts::TAU;
        if self.width() >= tau || self.magnitude() > 1e8 || self.width().is_nan() {
            return Self {
                low: -1.0,
                high: 1.0,
            };
        }
        let (a, b) = (scalar::sin(self.low), scalar::sin(self.high));
        let high = if self.meets(tau / 4.0, tau) {
            1.0
        } else {
            above(a.max(b))
        };
        let low = if self.meets(-tau / 4.0, tau) {
            -1.0
        } else {
            below(a.min(b))
        };
        if self.low == 0.0 && self.high == 0.0 {
            return Self::point(0.0);
        }
        Self { low, high }.clamped(-1.0, 1.0)
    }

    fn cos(self) -> Self {
        if self.low == 0.0 && self.high == 0.0 {
            return Self::point(1.0);
        }
        let tau = std::f64::consts::TAU;
        if self.width() >= tau || self.magnitude() > 1e8 || self.width().is_nan() {
            return Self {
                low: -1.0,
                high: 1.0,
            };
        }
        let (a, b) = (scalar::cos(self.low), scalar::cos(self.high));
        let high = if self.meets(0.0, tau) {
            1.0
        } else {
            above(a.max(b))
        };
        let low = if self.meets(tau / 2.0, tau) {
            -1.0
        } else {
            below(a.min(b))
        };
        Self { low, high }.clamped(-1.0, 1.0)
    }

    fn checked(self) -> Result<Self, Fail> {
        if self.low.is_nan() || self.high.is_nan() {
            Err(Fail::Unknown)
        } else {
            Ok(self)
        }
    }
}

/// The largest double not above a + b.
fn add_down(a: f64, b: f64) -> f64 {
    let s = a + b;
    if !s.is_finite() {
        return if s == f64::INFINITY && a.is_finite() && b.is_finite() {
            f64::MAX
        } else {
            s
        };
    }
    // Knuth's exact error of the sum.
    let a1 = s - b;
    let b1 = s - a1;
    let error = (a - a1) + (b - b1);
    if error < 0.0 { s.next_down() } else { s }
}

/// a·b and whether it is exact for an evident reason.
fn mul(a: f64, b: f64) -> (f64, bool) {
    if a == 0.0 || b == 0.0 {
        // Zero times an unbounded end is zero: the end is never reached.
        return (0.0, true);
    }
    let p = a * b;
    let whole = a.trunc() == a && b.trunc() == b && p.abs() <= 9e15;
    (p, whole || a.abs() == 1.0 || b.abs() == 1.0)
}

fn below(x: f64) -> f64 {
    if x == 0.0 {
        -f64::MIN_POSITIVE
    } else {
        x - x.abs() * SLACK - f64::MIN_POSITIVE
    }
}

fn above(x: f64) -> f64 {
    -below(-x)
}

/// The arithmetic of [`Interval`]s.
#[derive(Clone, Copy, Debug)]
pub struct Intervals;

impl Arithmetic for Intervals {
    type Value = Interval;

    fn number(&mut self, q: &Rational) -> Result<Interval, Fail> {
        Ok(Interval::around(q))
    }
    fn pi(&mut self) -> Result<Interval, Fail> {
        let pi = std::f64::consts::PI;
        Ok(Interval {
            low: pi,
            high: pi.next_up(),
        })
    }
    fn add(&mut self, a: &Interval, b: &Interval) -> Interval {
        a.sum(*b)
    }
    fn mul(&mut self, a: &Interval, b: &Interval) -> Interval {
        a.product(*b)
    }

    fn negated(&mut self, a: &Interval) -> Option<Interval> {
        Some(a.neg())
    }

    fn pow(&mut self, _: usize, a: &Interval, q: &Rational) -> Result<Interval, Fail> {
        if let Some(n) = q.to_i64() {
            let power = a.powi(n.unsigned_abs());
            if n >= 0 {
                return power.checked();
            }
            if *a == Interval::point(0.0) {
                return Err(Fail::Undefined);
            }
            return power.recip().ok_or(Fail::Unknown)?.checked();
        }
        if q.has_even_denominator() {
            if a.high < 0.0 {
                return Err(Fail::Undefined);
            }
            if a.low < 0.0 {
                return Err(Fail::Unknown);
            }
            if *q == Rational::new(1, 2) {
                // Whole roots of numbers that hold all their digits.
                let exact = |x: f64| {
                    let root = x.sqrt();
                    x <= 9e15 && root.trunc() == root && root * root == x
                };
                let (l, h) = (a.low.sqrt(), a.high.sqrt());
                return Ok(Interval {
                    low: if exact(a.low) {
                        l
                    } else {
                        l.next_down().max(0.0)
                    },
                    high: if exact(a.high) { h } else { h.next_up() },
                });
            }
        }
        if *a == Interval::point(0.0) && q.is_negative() {
            return Err(Fail::Undefined);
        }
        if q.is_negative() && !a.excludes_zero() {
            return Err(Fail::Unknown);
        }
        // x^q is computed with q rounded to a double: a relative error of |q·log x|·2⁻⁵³.
        let f = |x: f64| super::double::power(x, q);
        let loose = |x: f64| {
            let exponent = q.to_f64() * scalar::log(x.abs());
            if exponent.is_finite() {
                1.0 + exponent.abs()
            } else {
                1.0
            }
        };
        // Monotone on either side of zero; the smallest value of an even power is at zero.
        let (x, y) = (f(a.low), f(a.high));
        let slack = SLACK * loose(a.low).max(loose(a.high));
        let least = if a.excludes_zero() {
            x.min(y)
        } else {
            x.min(y).min(0.0)
        };
        let most = x.max(y);
        let image = Interval {
            low: least - least.abs() * slack - f64::MIN_POSITIVE,
            high: most + most.abs() * slack + f64::MIN_POSITIVE,
        };
        image.checked()
    }

    fn call(
        &mut self,
        _: usize,
        f: Function,
        a: &Interval,
        b: Option<&Interval>,
    ) -> Result<Interval, Fail> {
        let a = *a;
        match f {
            Function::Sin => a.sin(),
            Function::Cos => a.cos(),
            Function::Tan => {
                // Increasing between poles.
                if !a.cos().excludes_zero() || a.width() > 1.0 {
                    return Err(Fail::Unknown);
                }
                a.increasing(scalar::tan)
            }
            Function::Asin | Function::Acos => {
                if a.low > 1.0 || a.high < -1.0 {
                    return Err(Fail::Undefined);
                }
                if a.low < -1.0 || a.high > 1.0 {
                    return Err(Fail::Unknown);
                }
                match f {
                    Function::Asin => a.increasing(scalar::asin),
                    _ => a.neg().increasing(|x| scalar::acos(-x)),
                }
            }
            Function::Atan => a.increasing(scalar::atan),
            Function::Sinh => a.increasing(scalar::sinh),
            Function::Cosh => {
                let (x, y) = (scalar::cosh(a.low), scalar::cosh(a.high));
                let low = if a.excludes_zero() {
                    below(x.min(y))
                } else {
                    1.0
                };
                Interval {
                    low: low.max(1.0),
                    high: above(x.max(y)),
                }
            }
            Function::Tanh => a.increasing(scalar::tanh).clamped(-1.0, 1.0),
            Function::Exp => {
                let e = a.increasing(scalar::exp);
                Interval {
                    low: e.low.max(0.0),
                    ..e
                }
            }
            Function::Log => {
                if a.high <= 0.0 {
                    return Err(Fail::Undefined);
                }
                if a.low <= 0.0 {
                    return Err(Fail::Unknown);
                }
                a.increasing(scalar::log)
            }
            Function::Abs if a.low >= 0.0 => a,
            Function::Abs if a.high <= 0.0 => a.neg(),
            Function::Abs => Interval {
                low: 0.0,
                high: a.magnitude(),
            },
            Function::Sign => {
                let s = |x: f64| if x == 0.0 { 0.0 } else { x.signum() };
                Interval {
                    low: s(a.low),
                    high: s(a.high),
                }
            }
            Function::Atan2 => {
                let x = *b.ok_or(Fail::Unknown)?;
                // Away from the cut the angle is that of the four corners.
                if x.low <= 0.0 && a.low <= 0.0 && a.high >= 0.0 {
                    return Err(Fail::Unknown);
                }
                let corners = [
                    (a.low, x.low),
                    (a.low, x.high),
                    (a.high, x.low),
                    (a.high, x.high),
                ];
                let angles = corners.map(|(y, x)| scalar::atan2(y, x));
                let low = angles.into_iter().fold(f64::INFINITY, f64::min);
                let high = angles.into_iter().fold(f64::NEG_INFINITY, f64::max);
                Interval {
                    low: below(low),
                    high: above(high),
                }
            }
            Function::Min | Function::Max => {
                let b = b.ok_or(Fail::Unknown)?;
                match f {
                    Function::Min => Interval {
                        low: a.low.min(b.low),
                        high: a.high.min(b.high),
                    },
                    _ => Interval {
                        low: a.low.max(b.low),
                        high: a.high.max(b.high),
                    },
                }
            }
        }
        .checked()
    }

    fn compare(
        &mut self,
        _: usize,
        comparison: Comparison,
        a: &Interval,
        b: &Interval,
    ) -> Result<Truth, Fail> {
        let (yes, no) = match comparison {
            Comparison::Less => (a.high < b.low, a.low >= b.high),
            Comparison::LessEqual => (a.high <= b.low, a.low > b.high),
        };
        Ok(if yes {
            Truth::Yes
        } else if no {
            Truth::No
        } else {
            Truth::Unknown
        })
    }

    fn hull(&mut self, a: &Interval, b: &Interval) -> Result<Interval, Fail> {
        Ok(a.hull(*b))
    }

    fn tabulated(
        &mut self,
        table: &Table,
        order: u32,
        s: &Interval,
    ) -> Option<Result<Interval, Fail>> {
        Some(enclosed(self, table, order, s, (s.low, s.high)))
    }

    fn undetermined(&mut self, _: usize, _: &[u32], _: &[Interval]) -> Result<Interval, Fail> {
        Err(Fail::Unknown)
    }
}
