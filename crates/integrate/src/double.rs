//! Numbers of twice the digits, for coefficients that are used in every step: errors of theirs add up.

use std::ops::{Add, Div, Mul, Sub};

use crate::sum::Compensated;

/// The unevaluated sum of a number and what rounding took from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Double {
    high: f64,
    low: f64,
}

/// A sum and what rounding took from it.
fn two_sum(a: f64, b: f64) -> Double {
    let high = a + b;
    let back = high - a;
    Double {
        high,
        low: (a - (high - back)) + (b - back),
    }
}

/// The sum where the first summand is the larger one.
fn quick_sum(a: f64, b: f64) -> Double {
    let high = a + b;
    Double {
        high,
        low: b - (high - a),
    }
}

/// A number in two parts of half the digits.
fn halves(a: f64) -> (f64, f64) {
    let c = 134_217_729.0 * a;
    let high = c - (c - a);
    (high, a - high)
}

/// A product and what rounding took from it.
fn two_product(a: f64, b: f64) -> Double {
    let high = a * b;
    let ((a1, a2), (b1, b2)) = (halves(a), halves(b));
    let low = ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2;
    Double { high, low }
}

impl Double {
    /// The nearest number.
    pub(crate) fn rounded(self) -> f64 {
        self.high + self.low
    }
}

impl From<f64> for Double {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

impl From<Compensated> for Double {
    fn from(c: Compensated) -> Self {
        two_sum(c.high, c.low)
    }
}

impl From<Double> for Compensated {
    fn from(d: Double) -> Self {
        Self {
            high: d.high,
            low: d.low,
        }
    }
}

impl Add for Double {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let sum = two_sum(self.high, other.high);
        quick_sum(sum.high, sum.low + (self.low + other.low))
    }
}

impl Sub for Double {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + Self {
            high: -other.high,
            low: -other.low,
        }
    }
}

impl Mul for Double {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let product = two_product(self.high, other.high);
        let rest = self.high * other.low + self.low * other.high;
        quick_sum(product.high, product.low + rest)
    }
}

impl Div for Double {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self - other * Self::from(first);
        let second = rest.high / other.high;
        let rest = rest - other * Self::from(second);
        quick_sum(first, second) + Self::from(rest.high / other.high)
    }
}

impl std::iter::Sum for Double {
    fn sum<I: Iterator<Item = Self>>(list: I) -> Self {
        list.fold(Self::from(0.0), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// √2 by Newton's method, with the digits that a double does not have; and what is left of 1/3.
    #[test]
    fn twice_the_digits() {
        let two = Double::from(2.0);
        let mut root = Double::from(1.0);
        for _ in 0..7 {
            root = (root + two / root) / two;
        }
        assert_eq!(root.high, std::f64::consts::SQRT_2);
        // 1.414213562373095048801688724209698…
        assert!((root.low - -9.667_293_313_452_913e-17).abs() < 1e-31);
        let rest = Double::from(1.0) - Double::from(3.0) * (Double::from(1.0) / Double::from(3.0));
        assert!(rest.rounded().abs() < 1e-31);
    }
}
