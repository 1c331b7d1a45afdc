//! Sums with their rounding error kept, and comparisons that take one instruction.

/// The larger of two numbers; the second one if one is NaN. `f64::max`, which never is NaN, takes seven instructions.
#[inline]
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The smaller of two numbers; the second one if one is NaN.
#[inline]
pub(crate) fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// Calls a function with a number of coordinates: the loops over the smallest numbers, which are constants then, are
/// unrolled. Loops over two or three numbers take several times the instructions of their terms.
macro_rules! with_known_size {
    ($n:expr, $function:expr) => {
        match $n {
            1 => $function(1),
            2 => $function(2),
            3 => $function(3),
            4 => $function(4),
            n => $function(n),
        }
    };
}
pub(crate) use with_known_size;

/// Adds x to the unevaluated sum high + low. Returns the rounded sum and its rounding error, which together are the new
/// unevaluated sum (Knuth's two-sum, with the old error added first).
#[inline]
pub(crate) fn sum(high: f64, low: f64, x: f64) -> (f64, f64) {
    let y = x + low;
    let s = high + y;
    let back = s - high;
    (s, (high - (s - back)) + (y - back))
}

/// A number as the unevaluated sum of two doubles. Times and states are kept in this form, so that the rounding errors of many
/// small steps do not add up.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Compensated {
    /// The number, rounded.
    pub(crate) high: f64,
    /// The rounding error of `high`.
    pub(crate) low: f64,
}

impl Compensated {
    /// A number without a rounding error.
    pub(crate) fn new(x: f64) -> Self {
        Self { high: x, low: 0.0 }
    }

    /// Adds x and keeps the rounding error.
    #[inline]
    pub(crate) fn add(&mut self, x: f64) {
        (self.high, self.low) = sum(self.high, self.low, x);
    }

    /// The number plus x, rounded; the number itself stays.
    #[inline]
    pub(crate) fn plus(&self, x: f64) -> f64 {
        self.high + (self.low + x)
    }

    /// The number minus another one, rounded.
    #[inline]
    pub(crate) fn minus(&self, other: &Self) -> f64 {
        (self.high - other.high) + (self.low - other.low)
    }

    /// The difference from this number to x, that is x minus the number, rounded.
    #[inline]
    pub(crate) fn from(&self, x: f64) -> f64 {
        (x - self.high) - self.low
    }
}
