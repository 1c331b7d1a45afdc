//! Elementary functions over lanes, the same bits everywhere.

mod double;
mod exponential;
mod lanes;
mod trig;

use lanes::lanes;

/// Sine and cosine.
#[inline(always)]
pub fn sin_cos<const N: usize>(x: &[f64; N]) -> ([f64; N], [f64; N]) {
    lanes(
        x,
        x,
        |x, _| trig::sin_cos(x),
        |x, _, _| trig::ordinary(x),
        |x, _| trig::sin_cos_any(x),
    )
}

/// The tangent.
#[inline(always)]
pub fn tan<const N: usize>(x: &[f64; N]) -> [f64; N] {
    lanes(
        x,
        x,
        |x, _| (trig::tan(x), 0.0),
        |x, _, _| trig::ordinary(x),
        |x, _| (trig::tan_any(x), 0.0),
    )
    .0
}

/// The exponential.
#[inline(always)]
pub fn exp<const N: usize>(x: &[f64; N]) -> [f64; N] {
    lanes(
        x,
        x,
        |x, _| (exponential::exp(x), 0.0),
        |x, _, _| exponential::ordinary_exp(x),
        |x, _| (exponential::exp_any(x), 0.0),
    )
    .0
}

/// The natural logarithm.
#[inline(always)]
pub fn log<const N: usize>(x: &[f64; N]) -> [f64; N] {
    lanes(
        x,
        x,
        |x, _| (exponential::log(x), 0.0),
        |x, _, _| exponential::ordinary_log(x),
        |x, _| (exponential::log_any(x), 0.0),
    )
    .0
}
