//! Elementary functions over lanes, the same bits everywhere.

mod double;
mod exponential;
mod hyperbolic;
mod inverse;
mod lanes;
mod power;
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

/// xʸ.
#[inline(always)]
pub fn pow<const N: usize>(x: &[f64; N], y: &[f64; N]) -> [f64; N] {
    lanes(
        x,
        y,
        power::pow,
        |x, _, size| power::ordinary(x, size),
        |x, y| (power::pow_any(x, y), 0.0),
    )
    .0
}

/// xʸ with the same y in all lanes.
#[inline(always)]
pub fn pow_constant<const N: usize>(x: &[f64; N], y: f64) -> [f64; N] {
    pow(x, &[y; N])
}

/// The odd root x^(n/d) for odd d.
#[inline(always)]
pub fn odd_power<const N: usize>(x: &[f64; N], n: i32, d: i32) -> [f64; N] {
    let y = power::fraction(n, d);
    let odd = n % 2 != 0;
    lanes(
        x,
        x,
        |x, _| power::odd_power(x, y, odd),
        |x, _, size| power::ordinary(x.abs(), size),
        |x, _| (power::odd_power_any(x, y, odd), 0.0),
    )
    .0
}

/// The inverse tangent.
#[inline(always)]
pub fn atan<const N: usize>(x: &[f64; N]) -> [f64; N] {
    lanes(
        x,
        x,
        |x, _| (inverse::atan(x), 0.0),
        |x, _, _| inverse::ordinary_atan(x),
        |x, _| (inverse::atan_any(x), 0.0),
    )
    .0
}

/// The angle of the point (x, y).
#[inline(always)]
pub fn atan2<const N: usize>(y: &[f64; N], x: &[f64; N]) -> [f64; N] {
    lanes(
        y,
        x,
        |y, x| (inverse::atan2(y, x), 0.0),
        |y, x, _| inverse::ordinary_atan2(y, x),
        |y, x| (inverse::atan2_any(y, x), 0.0),
    )
    .0
}

/// The inverse sine.
#[inline(always)]
pub fn asin<const N: usize>(x: &[f64; N]) -> [f64; N] {
    lanes(
        x,
        x,
        |x, _| (inverse::asin(x), 0.0),
        |_, _, _| true,
        |x, _| (inverse::asin(x), 0.0),
    )
    .0
}

/// The inverse cosine.
#[inline(always)]
pub fn acos<const N: usize>(x: &[f64; N]) -> [f64; N] {
    lanes(
        x,
        x,
        |x, _| (inverse::acos(x), 0.0),
        |_, _, _| true,
        |x, _| (inverse::acos(x), 0.0),
    )
    .0
}

/// Hyperbolic sine and cosine.
#[inline(always)]
pub fn sinh_cosh<const N: usize>(x: &[f64; N]) -> ([f64; N], [f64; N]) {
    lanes(
        x,
        x,
        |x, _| hyperbolic::sinh_cosh(x),
        |x, _, _| exponential::ordinary_exp(x),
        |x, _| hyperbolic::sinh_cosh_any(x),
    )
}

/// The hyperbolic tangent.
#[inline(always)]
pub fn tanh<const N: usize>(x: &[f64; N]) -> [f64; N] {
    lanes(
        x,
        x,
        |x, _| (hyperbolic::tanh(x), 0.0),
        |_, _, _| true,
        |x, _| (hyperbolic::tanh(x), 0.0),
    )
    .0
}
