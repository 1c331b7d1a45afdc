//! Proved enclosures: intervals of doubles whose elementary functions come from balls.
//!
//! [`Enclosures`] trusts no library: sums, products, quotients and square roots are those of IEEE 754, moved outward by one
//! unit, and every other function is evaluated at the ends of an interval by [`Balls`] of 128 bits. Operators on
//! [`Interval`] are meant for finite intervals; an overflow leaves an end that is not finite, which
//! [`Interval::is_finite`] reports and which no later sum or product makes finite again.

use std::ops::{Add, Mul, Neg, Sub};

use super::arithmetic::{Arithmetic, Fail, Truth, enclosed};
use super::ball::Ball;
use super::interval::{Interval, Intervals};
use super::real::Balls;
use crate::function::Function;
use crate::node::Comparison;
use crate::number::Rational;
use crate::table::Table;

/// The limbs of the balls that evaluate functions at the ends of intervals.
const LIMBS: usize = 2;

#[inline]
fn down(x: f64) -> f64 {
    if x == 0.0 { x } else { x.next_down() }
}

#[inline]
fn up(x: f64) -> f64 {
    if x == 0.0 { x } else { x.next_up() }
}

impl Interval {
    /// [0, 0].
    pub const ZERO: Self = Self::exactly(0.0, 0.0);
    /// [1, 1].
    pub const ONE: Self = Self::exactly(1.0, 1.0);

    /// The interval [−r, r] of a radius r ≥ 0.
    pub fn symmetric(r: f64) -> Self {
        Self::exactly(-r, r)
    }

    /// Whether both ends are finite numbers.
    #[inline]
    pub fn is_finite(self) -> bool {
        self.low().is_finite() && self.high().is_finite()
    }

    /// Whether the interval is [0, 0].
    #[inline]
    pub fn is_zero(self) -> bool {
        self.low() == 0.0 && self.high() == 0.0
    }

    /// Whether all of the interval lies in another one.
    pub fn is_within(self, other: Self) -> bool {
        other.low() <= self.low() && self.high() <= other.high()
    }

    /// The common part of two intervals; `None` if there is none.
    pub fn intersection(self, other: Self) -> Option<Self> {
        let (low, high) = (self.low().max(other.low()), self.high().min(other.high()));
        (low <= high).then(|| Self::exactly(low, high))
    }

    /// The interval with both ends moved outward by at least r ≥ 0.
    pub fn widened(self, r: f64) -> Self {
        Self::exactly((self.low() - r).next_down(), (self.high() + r).next_up())
    }

    /// An upper bound of the distance of the ends from [`Interval::middle`].
    pub fn radius(self) -> f64 {
        let m = self.middle();
        up((m - self.low()).max(self.high() - m))
    }

    /// The square, never negative.
    #[inline]
    pub fn squared(self) -> Self {
        let (a, b) = (self.low().abs(), self.high().abs());
        let high = a.max(b);
        let low = if self.excludes_zero() { a.min(b) } else { 0.0 };
        Self::exactly((low * low).next_down().max(0.0), (high * high).next_up())
    }

    /// self/other; `None` if the divisor contains zero.
    #[inline]
    pub fn divided_by(self, other: Self) -> Option<Self> {
        if !other.excludes_zero() {
            return None;
        }
        if self.is_zero() {
            return Some(Self::ZERO);
        }
        let (a, b) = (self.low() / other.low(), self.low() / other.high());
        let (c, d) = (self.high() / other.low(), self.high() / other.high());
        let low = a.min(b).min(c.min(d));
        let high = a.max(b).max(c.max(d));
        Some(Self::exactly(low.next_down(), high.next_up()))
    }
}

impl Neg for Interval {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self::exactly(-self.high(), -self.low())
    }
}

impl Add for Interval {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        // A sum that is zero is exact.
        Self::exactly(
            down(self.low() + other.low()),
            up(self.high() + other.high()),
        )
    }
}

impl Sub for Interval {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self::exactly(
            down(self.low() - other.high()),
            up(self.high() - other.low()),
        )
    }
}

impl Mul for Interval {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return Self::ZERO;
        }
        let (a, b) = (self.low() * other.low(), self.low() * other.high());
        let (c, d) = (self.high() * other.low(), self.high() * other.high());
        let low = a.min(b).min(c.min(d));
        let high = a.max(b).max(c.max(d));
        Self::exactly(low.next_down(), high.next_up())
    }
}

/// The arithmetic of [`Interval`]s whose results are proved enclosures.
///
/// ```
/// use galilei_expr::{Enclosures, Interval, Pool, Program};
/// let pool = Pool::new();
/// let x = pool.symbol("x");
/// let program = Program::new(&[x.sin() + x.exp()], &[x]).unwrap();
/// let y = program.run(&mut Enclosures::new(), &[Interval::point(1.0)])[0].unwrap();
/// assert!(y.contains(1f64.sin() + 1f64.exp()) && y.width() < 1e-14);
/// ```
#[derive(Default)]
pub struct Enclosures {
    balls: Balls<LIMBS>,
}

impl Enclosures {
    /// The arithmetic.
    pub fn new() -> Self {
        Self::default()
    }

    /// The enclosure of a function at a double.
    fn at(&mut self, f: Function, x: f64) -> Result<Interval, Fail> {
        let ball = Ball::exact(x).ok_or(Fail::Unknown)?;
        let value = self.balls.call(0, f, &ball, None)?;
        finite(value.to_interval())
    }

    /// The image of a function that increases.
    fn increasing(&mut self, f: Function, a: Interval) -> Result<Interval, Fail> {
        let low = self.at(f, a.low())?;
        let high = if a.low() == a.high() {
            low
        } else {
            self.at(f, a.high())?
        };
        Ok(Interval::exactly(low.low(), high.high()))
    }

    /// The numbers k for which k·π/2 may lie in the interval, as a range that contains all of them.
    fn quarter_turns(&mut self, a: Interval) -> Option<(i64, i64)> {
        let pi = self.balls.pi().ok()?;
        let turns = |x: f64| Some(Ball::exact(2.0 * x)?.div(&pi)?.to_interval());
        let (low, high) = (turns(a.low())?.low(), turns(a.high())?.high());
        let small = low.abs().max(high.abs()) < 1e15;
        small.then(|| (low.ceil() as i64, high.floor() as i64))
    }

    /// The image of a circular function whose largest value 1 is at the angles k·π/2 with k ≡ `top` modulo 4.
    fn circular(&mut self, f: Function, a: Interval, top: i64) -> Result<Interval, Fail> {
        let all = Interval::exactly(-1.0, 1.0);
        let Some((first, last)) = self.quarter_turns(a).filter(|_| a.width() < 7.0) else {
            return Ok(all);
        };
        let meets = |residue: i64| (first..=last).any(|k| k.rem_euclid(4) == residue);
        let (x, y) = (self.at(f, a.low())?, self.at(f, a.high())?);
        let high = match meets(top) {
            true => 1.0,
            false => x.high().max(y.high()),
        };
        let low = match meets((top + 2) % 4) {
            true => -1.0,
            false => x.low().min(y.low()),
        };
        Interval::exactly(low, high)
            .intersection(all)
            .ok_or(Fail::Unknown)
    }
}

fn finite(a: Interval) -> Result<Interval, Fail> {
    if a.is_finite() {
        Ok(a)
    } else {
        Err(Fail::Unknown)
    }
}

impl Arithmetic for Enclosures {
    type Value = Interval;

    fn number(&mut self, q: &Rational) -> Result<Interval, Fail> {
        finite(Interval::around(q))
    }

    fn pi(&mut self) -> Result<Interval, Fail> {
        Ok(self.balls.pi()?.to_interval())
    }

    fn add(&mut self, a: &Interval, b: &Interval) -> Interval {
        *a + *b
    }

    fn mul(&mut self, a: &Interval, b: &Interval) -> Interval {
        *a * *b
    }

    fn negated(&mut self, a: &Interval) -> Option<Interval> {
        Some(-*a)
    }

    fn pow(&mut self, at: usize, a: &Interval, q: &Rational) -> Result<Interval, Fail> {
        if !a.is_finite() {
            return Err(Fail::Unknown);
        }
        // Whole powers and square roots are products and roots of IEEE 754.
        if q.is_integer() || *q == Rational::new(1, 2) {
            return finite(Intervals.pow(at, a, q)?);
        }
        if a.low() > 0.0 || (a.high() < 0.0 && !q.has_even_denominator()) {
            // Monotone on either side of zero.
            let mut end = |x: f64| {
                let ball = Ball::exact(x).ok_or(Fail::Unknown)?;
                finite(self.balls.pow(at, &ball, q)?.to_interval())
            };
            let (x, y) = (end(a.low())?, end(a.high())?);
            return Ok(x.hull(y));
        }
        if a.high() < 0.0 {
            return Err(Fail::Undefined);
        }
        // Around zero: |x|^q for q > 0, with both signs where the root is odd.
        if q.is_negative() || (q.has_even_denominator() && a.low() < 0.0) {
            return Err(Fail::Unknown);
        }
        let m = a.magnitude();
        if m == 0.0 {
            return Ok(Interval::ZERO);
        }
        let ball = Ball::exact(m).ok_or(Fail::Unknown)?;
        let high = finite(self.balls.pow(at, &ball, q)?.to_interval())?.high();
        let low = match q.has_even_numerator() || a.low() >= 0.0 {
            true => 0.0,
            false => -high,
        };
        Ok(Interval::exactly(low, high))
    }

    fn call(
        &mut self,
        at: usize,
        f: Function,
        a: &Interval,
        b: Option<&Interval>,
    ) -> Result<Interval, Fail> {
        let a = *a;
        if !a.is_finite() || b.is_some_and(|b| !b.is_finite()) {
            return Err(Fail::Unknown);
        }
        match f {
            Function::Sin => self.circular(f, a, 1),
            Function::Cos => self.circular(f, a, 0),
            Function::Tan => {
                let (first, last) = self.quarter_turns(a).ok_or(Fail::Unknown)?;
                let pole = (first..=last).any(|k| k.rem_euclid(2) == 1);
                if last - first > 2 || pole {
                    return Err(Fail::Unknown);
                }
                self.increasing(f, a)
            }
            Function::Asin | Function::Acos => {
                if a.low() > 1.0 || a.high() < -1.0 {
                    return Err(Fail::Undefined);
                }
                if a.low() < -1.0 || a.high() > 1.0 {
                    return Err(Fail::Unknown);
                }
                let (x, y) = (self.at(f, a.low())?, self.at(f, a.high())?);
                Ok(x.hull(y))
            }
            Function::Log => {
                if a.high() <= 0.0 {
                    return Err(Fail::Undefined);
                }
                if a.low() <= 0.0 {
                    return Err(Fail::Unknown);
                }
                self.increasing(f, a)
            }
            Function::Exp => {
                let e = self.increasing(f, a)?;
                Ok(Interval::exactly(e.low().max(0.0), e.high()))
            }
            Function::Sinh | Function::Atan => self.increasing(f, a),
            Function::Tanh => {
                // tanh of more than 400 is 1 to all digits of a double; balls would need e^x.
                let cut = |x: f64| x.clamp(-400.0, 400.0);
                let inner = self.increasing(f, Interval::exactly(cut(a.low()), cut(a.high())))?;
                let low = if a.low() < -400.0 { -1.0 } else { inner.low() };
                let high = if a.high() > 400.0 { 1.0 } else { inner.high() };
                Interval::exactly(low, high)
                    .intersection(Interval::exactly(-1.0, 1.0))
                    .ok_or(Fail::Unknown)
            }
            Function::Cosh => {
                let (x, y) = (self.at(f, a.low())?, self.at(f, a.high())?);
                let low = match a.excludes_zero() {
                    true => x.low().min(y.low()).max(1.0),
                    false => 1.0,
                };
                Ok(Interval::exactly(low, x.high().max(y.high())))
            }
            Function::Atan2 => {
                let (y, x) = (a, *b.ok_or(Fail::Unknown)?);
                // Away from the cut and the origin the angle is between those of the corners.
                if x.low() <= 0.0 && y.low() <= 0.0 && y.high() >= 0.0 {
                    return Err(Fail::Unknown);
                }
                let mut hull: Option<Interval> = None;
                for y in [y.low(), y.high()] {
                    for x in [x.low(), x.high()] {
                        let (y, x) = (Ball::exact(y), Ball::exact(x));
                        let (y, x) = (y.ok_or(Fail::Unknown)?, x.ok_or(Fail::Unknown)?);
                        let angle = self.balls.call(at, f, &y, Some(&x))?.to_interval();
                        hull = Some(hull.map_or(angle, |h| h.hull(angle)));
                    }
                }
                hull.ok_or(Fail::Unknown)
            }
            // Comparisons of doubles are exact.
            Function::Abs | Function::Sign | Function::Min | Function::Max => {
                Intervals.call(at, f, &a, b)
            }
        }
    }

    fn compare(
        &mut self,
        at: usize,
        comparison: Comparison,
        a: &Interval,
        b: &Interval,
    ) -> Result<Truth, Fail> {
        Intervals.compare(at, comparison, a, b)
    }

    fn hull(&mut self, a: &Interval, b: &Interval) -> Result<Interval, Fail> {
        Ok(Interval::hull(*a, *b))
    }

    fn tabulated(
        &mut self,
        table: &Table,
        order: u32,
        s: &Interval,
    ) -> Option<Result<Interval, Fail>> {
        Some(enclosed(self, table, order, s, (s.low(), s.high())))
    }

    fn undetermined(&mut self, _: usize, _: &[u32], _: &[Interval]) -> Result<Interval, Fail> {
        Err(Fail::Unknown)
    }
}

/// [`Enclosures`] whose sums and products are exact where they can be: slower, and sharp at the corners of boxes.
#[derive(Default)]
pub(crate) struct SharpEnclosures(Enclosures);

impl Arithmetic for SharpEnclosures {
    type Value = Interval;

    fn number(&mut self, q: &Rational) -> Result<Interval, Fail> {
        self.0.number(q)
    }

    fn pi(&mut self) -> Result<Interval, Fail> {
        self.0.pi()
    }

    fn add(&mut self, a: &Interval, b: &Interval) -> Interval {
        Intervals.add(a, b)
    }

    fn mul(&mut self, a: &Interval, b: &Interval) -> Interval {
        Intervals.mul(a, b)
    }

    fn negated(&mut self, a: &Interval) -> Option<Interval> {
        self.0.negated(a)
    }

    fn pow(&mut self, at: usize, a: &Interval, q: &Rational) -> Result<Interval, Fail> {
        self.0.pow(at, a, q)
    }

    fn call(
        &mut self,
        at: usize,
        f: Function,
        a: &Interval,
        b: Option<&Interval>,
    ) -> Result<Interval, Fail> {
        self.0.call(at, f, a, b)
    }

    fn compare(
        &mut self,
        at: usize,
        comparison: Comparison,
        a: &Interval,
        b: &Interval,
    ) -> Result<Truth, Fail> {
        self.0.compare(at, comparison, a, b)
    }

    fn hull(&mut self, a: &Interval, b: &Interval) -> Result<Interval, Fail> {
        self.0.hull(a, b)
    }

    fn tabulated(
        &mut self,
        table: &Table,
        order: u32,
        s: &Interval,
    ) -> Option<Result<Interval, Fail>> {
        Some(enclosed(self, table, order, s, (s.low(), s.high())))
    }

    fn undetermined(&mut self, _: usize, _: &[u32], _: &[Interval]) -> Result<Interval, Fail> {
        Err(Fail::Unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every function at intervals of many sizes encloses values of 256 bits at points inside.
    #[test]
    fn functions_enclose_values_of_more_digits() {
        let mut enclosures = Enclosures::new();
        let mut wide = Balls::<4>::new();
        let mut seed = 1u64;
        let mut random = || {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 53) as f64
        };
        let one = [
            Function::Sin,
            Function::Cos,
            Function::Tan,
            Function::Asin,
            Function::Acos,
            Function::Atan,
            Function::Sinh,
            Function::Cosh,
            Function::Tanh,
            Function::Exp,
            Function::Log,
            Function::Atan2,
        ];
        let mut checked = 0;
        for round in 0..4000 {
            let f = one[round % one.len()];
            let range = [1.0, 1.0, 10.0, 100.0][round / one.len() % 4];
            let width = [0.0, 1e-12, 1e-3, 1.0, 3.0][round / 48 % 5];
            let low = range * (2.0 * random() - 1.0);
            let a = Interval::new(low, low + width * random());
            let second = Interval::point(2.0 * random() - 1.0);
            let b = (f == Function::Atan2).then_some(&second);
            let Ok(image) = enclosures.call(0, f, &a, b) else {
                continue;
            };
            for _ in 0..4 {
                let x = (a.low() + random() * a.width()).clamp(a.low(), a.high());
                let x = Ball::<4>::exact(x).unwrap();
                let y = b.map(|b| Ball::<4>::exact(b.low()).unwrap());
                // The double nearest to a number of the image is in the image.
                let value = wide.call(0, f, &x, y.as_ref()).unwrap().to_f64();
                assert!(image.contains(value), "{f:?} {a:?}: {value:?} {image:?}");
                checked += 1;
            }
            if width == 0.0 && image.magnitude() < 1e6 {
                assert!(
                    image.width() <= 1e-15 * image.magnitude().max(1e-3),
                    "{f:?} {a:?}: {image:?}"
                );
            }
        }
        assert!(checked > 6000);
    }

    #[test]
    fn operators_enclose_exact_results() {
        let mut seed = 7u64;
        let mut random = || {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            let scale = [1e-300, 1.0, 1e5, 1e-160][(seed >> 60) as usize % 4];
            scale * ((seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5)
        };
        let exact = |x: f64| Rational::from_f64(x).unwrap();
        for _ in 0..4000 {
            let [a, b, c, d] = [(); 4].map(|()| random());
            let (x, y) = (
                Interval::new(a.min(b), a.max(b)),
                Interval::new(c.min(d), c.max(d)),
            );
            for p in [a, b] {
                for q in [c, d] {
                    let (p, q) = (exact(p), exact(q));
                    let inside =
                        |i: Interval, v: Rational| exact(i.low()) <= v && v <= exact(i.high());
                    assert!(inside(x + y, &p + &q));
                    assert!(inside(x - y, &p - &q));
                    assert!(inside(x * y, &p * &q));
                    assert!(inside(x.squared(), &p * &p));
                    if let Some(quotient) = x.divided_by(y).filter(|i| i.is_finite()) {
                        assert!(inside(quotient, &p / &q));
                    }
                }
            }
        }
    }
}
