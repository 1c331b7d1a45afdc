//! Elementary functions over lanes: the same bits on every machine.
//!
//! Each function takes N numbers and gives N results. The result of a lane depends on its arguments
//! only, not on N, nor on the other lanes, nor on what the code is compiled for: everything is made
//! of additions, multiplications, divisions, square roots and fused multiply-adds, which IEEE 754
//! fixes, and no library of the platform is asked for a sine.
//!
//! Everything is inlined into its caller. Inside a function with
//! `#[target_feature(enable = "avx2,fma")]`, N = 4 becomes vectors of four without a branch but one:
//! a lane whose argument is special, huge or near overflow sends all lanes to code for any argument,
//! which gives the ordinary ones among them the same bits. With AVX-512, N = 8 becomes vectors of
//! eight. Without a fused multiply-add in the processor, `f64::mul_add` is a slow call.
//!
//! The largest error seen in millions of arguments of all sizes, in units of the last place (ulp). It
//! is measured, not proved; a correctly rounded result has 0.5:
//!
//! | function | error | function | error |
//! |---|---|---|---|
//! | [`sin_cos`] | 0.65 | [`atan`] | 0.67 |
//! | [`tan`] | 0.72 | [`atan2`] | 0.68 |
//! | [`exp`] | 0.64 | [`asin`] | 0.66 |
//! | [`log`] | 0.65 | [`acos`] | 0.67 |
//! | [`pow`] | 0.66 | [`sinh_cosh`] | 0.70 |
//! | [`odd_power`] | 0.65 | [`tanh`] | 0.68 |
//!
//! ```
//! use galilei_linear::math;
//! let (sin, cos) = math::sin_cos(&[0.0, 1e300]);
//! assert_eq!(sin[0], 0.0);
//! assert_eq!(cos[0], 1.0);
//! assert!((sin[1] * sin[1] + cos[1] * cos[1] - 1.0).abs() < 1e-15);
//! assert_eq!(math::odd_power(&[-27.0], 1, 3), [-3.0]);
//! ```

mod double;
mod exponential;
mod hyperbolic;
mod inverse;
mod lanes;
mod power;
mod rough;
pub mod scalar;
mod trig;

use lanes::lanes;

/// Sine and cosine, error up to 0.65 ulp.
///
/// Beyond 10⁶ the argument is reduced by as many bits of π as it needs; there is no loss up to the
/// largest number. NaN for infinities.
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

/// The tangent, error up to 0.72 ulp. Arguments as for [`sin_cos`].
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

/// The exponential, error up to 0.64 ulp, in subnormal results too.
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

/// The natural logarithm, error up to 0.65 ulp. −∞ for zeros, NaN for negative numbers.
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

/// log₂ to four digits, in much less time; −∞ for zeros, NaN for negative numbers.
#[inline(always)]
pub fn rough_log2<const N: usize>(x: &[f64; N]) -> [f64; N] {
    lanes(
        x,
        x,
        |x, _| (rough::log2(x), 0.0),
        |x, _, _| exponential::ordinary_log(x),
        |x, _| (rough::log2_any(x), 0.0),
    )
    .0
}

/// 2ˣ to five digits, in much less time.
#[inline(always)]
pub fn rough_exp2<const N: usize>(x: &[f64; N]) -> [f64; N] {
    lanes(
        x,
        x,
        |x, _| (rough::exp2(x), 0.0),
        |x, _, _| rough::ordinary_exp2(x),
        |x, _| (rough::exp2_any(x), 0.0),
    )
    .0
}

/// xʸ, error up to 0.66 ulp.
///
/// Special cases as in C99: 1 if y = 0 or x = 1, whatever the other is; NaN for a negative x and an
/// exponent that is not an integer; the sign of x for odd integers y.
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

/// xʸ with the same y in all lanes, the bits of [`pow`].
#[inline(always)]
pub fn pow_constant<const N: usize>(x: &[f64; N], y: f64) -> [f64; N] {
    pow(x, &[y; N])
}

/// The odd root x^(1/d) and its powers x^(n/d), for odd d and any sign of x, error up to 0.65 ulp.
///
/// |x|^(n/d), negative if x is negative and n is odd. The exponent is the exact fraction.
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

/// The inverse tangent, error up to 0.67 ulp.
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

/// The angle of the point (x, y), from −π to π, error up to 0.68 ulp.
///
/// Zeros and infinities as in C99: the sign of a zero tells from which side it is approached.
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

/// The inverse sine, error up to 0.66 ulp. NaN beyond ±1.
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

/// The inverse cosine, error up to 0.67 ulp. NaN beyond ±1.
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

/// Hyperbolic sine and cosine, error up to 0.70 ulp.
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

/// The hyperbolic tangent, error up to 0.68 ulp.
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
