//! Sums with their rounding error kept.

/// A sum of two parts with something added, in two parts.
#[inline]
pub(crate) fn sum(high: f64, low: f64, x: f64) -> (f64, f64) {
    let y = x + low;
    let s = high + y;
    let back = s - high;
    (s, (high - (s - back)) + (y - back))
}

/// A sum in two parts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Compensated {
    pub(crate) high: f64,
    pub(crate) low: f64,
}

impl Compensated {
    pub(crate) fn new(x: f64) -> Self {
        Self { high: x, low: 0.0 }
    }

    #[inline]
    pub(crate) fn add(&mut self, x: f64) {
        (self.high, self.low) = sum(self.high, self.low, x);
    }

    /// The sum with something added, rounded.
    #[inline]
    pub(crate) fn plus(&self, x: f64) -> f64 {
        self.high + (self.low + x)
    }

    /// The difference to another sum, rounded.
    #[inline]
    pub(crate) fn minus(&self, other: &Self) -> f64 {
        (self.high - other.high) + (self.low - other.low)
    }

    /// x minus the sum.
    #[inline]
    pub(crate) fn from(&self, x: f64) -> f64 {
        (x - self.high) - self.low
    }
}
