//! Arithmetics over which Taylor series are computed.

use galilei_expr::{Arithmetic, Ball, Balls, Enclosures, Fail, Float, Floats, Interval};

/// An arithmetic with differences and quotients, for the recurrences of Taylor series.
pub(crate) trait Field: Arithmetic {
    /// The number 0.
    fn zero(&self) -> Self::Value;
    /// The exact value of a finite double.
    fn double(&self, x: f64) -> Self::Value;
    /// a − b
    fn sub(&mut self, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// a/b, unless b may be zero.
    fn div(&mut self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Fail>;
    /// −a
    fn neg(&mut self, a: &Self::Value) -> Self::Value;
    /// a/n for a small positive whole number.
    fn over(&mut self, a: &Self::Value, n: usize) -> Result<Self::Value, Fail> {
        let n = self.double(n as f64);
        self.div(a, &n)
    }
    /// n·a for a small whole number.
    fn times(&mut self, a: &Self::Value, n: f64) -> Self::Value;
    /// The number of which the value is certain to have the sign: −1, 0 or 1.
    fn sign(&self, a: &Self::Value) -> Option<i32>;
    /// Whether a value is bounded, so that later results can be trusted.
    fn is_bounded(&self, a: &Self::Value) -> bool;
    /// A double near the value.
    fn middle(&self, a: &Self::Value) -> f64;
}

impl Field for Enclosures {
    fn zero(&self) -> Interval {
        Interval::ZERO
    }
    fn double(&self, x: f64) -> Interval {
        Interval::point(x)
    }
    #[inline]
    fn sub(&mut self, a: &Interval, b: &Interval) -> Interval {
        *a - *b
    }
    #[inline]
    fn div(&mut self, a: &Interval, b: &Interval) -> Result<Interval, Fail> {
        a.divided_by(*b).ok_or(Fail::Unknown)
    }
    #[inline]
    fn neg(&mut self, a: &Interval) -> Interval {
        -*a
    }
    #[inline]
    fn times(&mut self, a: &Interval, n: f64) -> Interval {
        *a * Interval::point(n)
    }
    fn sign(&self, a: &Interval) -> Option<i32> {
        match a {
            _ if a.low() > 0.0 => Some(1),
            _ if a.high() < 0.0 => Some(-1),
            _ if a.is_zero() => Some(0),
            _ => None,
        }
    }
    #[inline]
    fn is_bounded(&self, a: &Interval) -> bool {
        a.is_finite()
    }
    fn middle(&self, a: &Interval) -> f64 {
        a.middle()
    }
}

impl<const N: usize> Field for Balls<N> {
    fn zero(&self) -> Ball<N> {
        Ball::ZERO
    }
    fn double(&self, x: f64) -> Ball<N> {
        Ball::exact(x).unwrap_or(Ball::ZERO)
    }
    fn sub(&mut self, a: &Ball<N>, b: &Ball<N>) -> Ball<N> {
        a.sub(b)
    }
    fn div(&mut self, a: &Ball<N>, b: &Ball<N>) -> Result<Ball<N>, Fail> {
        a.div(b).ok_or(Fail::Unknown)
    }
    fn neg(&mut self, a: &Ball<N>) -> Ball<N> {
        a.neg()
    }
    fn times(&mut self, a: &Ball<N>, n: f64) -> Ball<N> {
        a.mul(&Ball::int(n as i64))
    }
    fn sign(&self, a: &Ball<N>) -> Option<i32> {
        a.proven_sign()
    }
    fn is_bounded(&self, a: &Ball<N>) -> bool {
        a.magnitude().is_finite()
    }
    fn middle(&self, a: &Ball<N>) -> f64 {
        a.to_f64()
    }
}

impl<const N: usize> Field for Floats<N> {
    fn zero(&self) -> Float<N> {
        Float::ZERO
    }
    fn double(&self, x: f64) -> Float<N> {
        Float::exact(x)
    }
    #[inline]
    fn sub(&mut self, a: &Float<N>, b: &Float<N>) -> Float<N> {
        a.sub(*b)
    }
    #[inline]
    fn div(&mut self, a: &Float<N>, b: &Float<N>) -> Result<Float<N>, Fail> {
        a.div(*b).ok_or(Fail::Undefined)
    }
    #[inline]
    fn over(&mut self, a: &Float<N>, n: usize) -> Result<Float<N>, Fail> {
        Ok(a.over(n as u32))
    }
    #[inline]
    fn neg(&mut self, a: &Float<N>) -> Float<N> {
        a.neg()
    }
    #[inline]
    fn times(&mut self, a: &Float<N>, n: f64) -> Float<N> {
        a.mul(Float::int(n as i64))
    }
    fn sign(&self, a: &Float<N>) -> Option<i32> {
        Some(a.sign())
    }
    #[inline]
    fn is_bounded(&self, a: &Float<N>) -> bool {
        a.is_bounded()
    }
    fn middle(&self, a: &Float<N>) -> f64 {
        a.to_f64()
    }
}
