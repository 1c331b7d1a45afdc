//! Powers.

use super::double::product;
use super::exponential::{
    exp_of_pair, exp_of_pair_any, log_pair, log_pair_any, ordinary_exp, ordinary_log,
};

/// Whether a power and its basis are far from every special case, given y·log x.
#[inline(always)]
pub(super) fn ordinary(x: f64, size: f64) -> bool {
    ordinary_log(x) & ordinary_exp(size)
}

/// (a + aₗ)·(y + yₗ) as a pair.
#[inline(always)]
fn times(a: (f64, f64), y: f64, y_low: f64) -> (f64, f64) {
    let (p, low) = product(y, a.0);
    (p, y_low.mul_add(a.0, y.mul_add(a.1, low)))
}

/// xʸ for an ordinary x > 0, and y·log x.
#[inline(always)]
pub(super) fn pow(x: f64, y: f64) -> (f64, f64) {
    let log = log_pair(x);
    let (p, low) = product(y, log.0);
    (exp_of_pair(p, y.mul_add(log.1, low)), p)
}

/// xʸ for any arguments, as in C99.
pub(super) fn pow_any(x: f64, y: f64) -> f64 {
    if y == 0.0 || x == 1.0 {
        return 1.0;
    }
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    let whole = y.floor() == y;
    // Beyond 2⁵³ all numbers are even.
    let odd = whole && y.abs() < 9007199254740992.0 && (y as i64) & 1 == 1;
    let negative = x.is_sign_negative() && odd;
    if x < 0.0 && !whole && x.is_finite() {
        return f64::NAN;
    }
    let size = magnitude(x.abs(), y, 0.0);
    if negative { -size } else { size }
}

/// x^(y + yₗ) for x ≥ 0 and y ≠ 0, neither NaN.
fn magnitude(x: f64, y: f64, y_low: f64) -> f64 {
    let vanishes = if y.is_infinite() {
        if x == 1.0 {
            return 1.0;
        }
        (x < 1.0) == (y > 0.0)
    } else if x == 0.0 || x.is_infinite() {
        (x == 0.0) == (y > 0.0)
    } else {
        let (p, low) = times(log_pair_any(x), y, y_low);
        return if ordinary_exp(p) {
            exp_of_pair(p, low)
        } else {
            exp_of_pair_any(p, low, 0)
        };
    };
    if vanishes { 0.0 } else { f64::INFINITY }
}

/// An exponent n/d and the rounding error of the quotient.
#[inline(always)]
pub(super) fn fraction(n: i32, d: i32) -> (f64, f64) {
    let (n, d) = (f64::from(n), f64::from(d));
    let y = n / d;
    (y, (-y).mul_add(d, n) / d)
}

/// |x|^(y + yₗ) for an ordinary |x|, negative with x if the numerator is odd; and y·log |x|.
#[inline(always)]
pub(super) fn odd_power(x: f64, y: (f64, f64), odd: bool) -> (f64, f64) {
    let (p, low) = times(log_pair(x.abs()), y.0, y.1);
    let size = exp_of_pair(p, low);
    let signed = f64::from_bits(size.to_bits() | (x.to_bits() & (1 << 63)));
    (if odd { signed } else { size }, p)
}

/// |x|^(y + yₗ) for any x, negative with x if the numerator is odd.
pub(super) fn odd_power_any(x: f64, y: (f64, f64), odd: bool) -> f64 {
    if y.0 == 0.0 {
        return 1.0;
    }
    if x.is_nan() || y.0.is_nan() {
        return f64::NAN;
    }
    let size = if x.abs() == 1.0 {
        1.0
    } else {
        magnitude(x.abs(), y.0, y.1)
    };
    if x < 0.0 && odd { -size } else { size }
}
