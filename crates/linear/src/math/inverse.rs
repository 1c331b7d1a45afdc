//! Inverse trigonometric functions.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use super::double::{fast_sum, polynomial_11, polynomial_13, quotient, sum};

/// The rounding error of π as a double.
const PI_LOW: f64 = 1.2246467991473532e-16;
/// 3π/4 and its rounding error.
const THREE_QUARTERS: (f64, f64) = (2.356194490192345, 9.184850993605148e-17);
const ATAN: [f64; 11] = [
    -0.333333333333332,
    0.19999999999954002,
    -0.142857142802399,
    0.111111107856872,
    -0.09090897822963162,
    0.07692061388646446,
    -0.06663117469816994,
    0.058479871091036015,
    -0.050397447223035394,
    0.03807570009359035,
    -0.017919347262501256,
];
const ASIN: [f64; 13] = [
    0.16666666666666763,
    0.07499999999970264,
    0.04464285717511975,
    0.03038194268365044,
    0.02237221565961276,
    0.01735160010194328,
    0.013980961344115786,
    0.011397776813102351,
    0.0107865245304775,
    0.0036830591078367623,
    0.021763456646666943,
    -0.021077230126171888,
    0.032676849322685976,
];
/// tan(π/8) and its inverse.
const TAN_EIGHTH: f64 = 0.41421356237309503;
const COT_EIGHTH: f64 = 2.414213562373095;
/// The range of magnitudes in which nothing overflows or underflows.
const LARGE: f64 = 3.273390607896142e150;
const SMALL: f64 = 1.0 / LARGE;

/// Whether the argument of an inverse tangent is far from overflow.
#[inline(always)]
pub(super) fn ordinary_atan(x: f64) -> bool {
    x.abs() <= LARGE
}

/// Whether each is zero or of moderate size, and not both zero.
#[inline(always)]
pub(super) fn ordinary_atan2(y: f64, x: f64) -> bool {
    let (y, x) = (y.abs(), x.abs());
    let moderate = |a: f64| (a == 0.0) | (SMALL..=LARGE).contains(&a);
    moderate(y) & moderate(x) & ((y > 0.0) | (x > 0.0))
}

/// The angle of the point (±x, y) for x ≥ 0 and y ≥ 0; minus if `left`.
#[inline(always)]
fn angle(y: f64, x: f64, left: bool) -> f64 {
    let low = y < TAN_EIGHTH * x;
    let high = y > COT_EIGHTH * x;
    let choose = |a: f64, b: f64, c: f64| {
        let rest = if high { c } else { b };
        if low { a } else { rest }
    };
    // atan(y/x) = 0 + atan(y/x) = π/4 + atan((y − x)/(y + x)) = π/2 + atan(−x/y)
    let difference = sum(y, -x);
    let total = sum(y, x);
    let above = (choose(y, difference.0, -x), choose(0.0, difference.1, 0.0));
    let below = (choose(x, total.0, y), choose(0.0, total.1, 0.0));
    let (t, t_low) = quotient(above, below);
    let z = t * t;
    let rest = (t * z).mul_add(polynomial_11(&ATAN, z), (-z).mul_add(t_low, t_low));
    let (t, rest) = (if left { -t } else { t }, if left { -rest } else { rest });
    let base = if left {
        choose(PI, THREE_QUARTERS.0, FRAC_PI_2)
    } else {
        choose(0.0, FRAC_PI_4, FRAC_PI_2)
    };
    let base_low = if left {
        choose(PI_LOW, THREE_QUARTERS.1, 0.5 * PI_LOW)
    } else {
        choose(0.0, 0.25 * PI_LOW, 0.5 * PI_LOW)
    };
    let (lead, lost) = fast_sum(base, t);
    lead + (lost + (base_low + rest))
}

/// The inverse tangent of an ordinary argument.
#[inline(always)]
pub(super) fn atan(x: f64) -> f64 {
    angle(x.abs(), 1.0, false).copysign(x)
}

/// The inverse tangent of any argument.
pub(super) fn atan_any(x: f64) -> f64 {
    if ordinary_atan(x) {
        atan(x)
    } else if x.is_nan() {
        f64::NAN
    } else {
        FRAC_PI_2.copysign(x)
    }
}

/// The angle of an ordinary point.
#[inline(always)]
pub(super) fn atan2(y: f64, x: f64) -> f64 {
    angle(y.abs(), x.abs(), x < 0.0).copysign(y)
}

/// The angle of any point, as in C99.
pub(super) fn atan2_any(y: f64, x: f64) -> f64 {
    if ordinary_atan2(y, x) {
        return atan2(y, x);
    }
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    let left = x.is_sign_negative();
    let (mut a, mut b) = (y.abs(), x.abs());
    if a.is_infinite() || b.is_infinite() {
        a = if a.is_infinite() { 1.0 } else { 0.0 };
        b = if b.is_infinite() { 1.0 } else { 0.0 };
    }
    const TINY: f64 = 6.223015277861142e-61;
    const SCALE: f64 = 4.149515568880993e180;
    let value = if a <= b * TINY {
        // The origin belongs to this case.
        if left {
            PI
        } else if b == 0.0 {
            0.0
        } else {
            a / b
        }
    } else if b <= a * TINY {
        FRAC_PI_2
    } else if a.max(b) < 1.0 {
        angle(a * SCALE, b * SCALE, left)
    } else {
        angle(a / SCALE, b / SCALE, left)
    };
    value.copysign(y)
}

/// For a = |x| ≤ 1: asin a = t + tₗ, or asin a = π/2 − 2(t + tₗ) if a > ½.
#[inline(always)]
fn half_asin(a: f64) -> (f64, f64) {
    let steep = a > 0.5;
    let z = if steep { 0.5 - 0.5 * a } else { a * a };
    let root = z.sqrt();
    // The rounding error of the root; the last summand only guards the zero.
    let lacks = (-root).mul_add(root, z) / (root + root + 1e-200);
    let t = if steep { root } else { a };
    let low = if steep { lacks } else { 0.0 };
    let rest = (t * z).mul_add(polynomial_13(&ASIN, z), (0.5 * z).mul_add(low, low));
    (t, rest)
}

/// The inverse sine of any number.
#[inline(always)]
pub(super) fn asin(x: f64) -> f64 {
    let a = x.abs();
    let (t, rest) = half_asin(a);
    let steep = a > 0.5;
    let base = if steep { FRAC_PI_2 } else { 0.0 };
    let base_low = if steep { 0.5 * PI_LOW } else { 0.0 };
    let factor = if steep { -2.0 } else { 1.0 };
    let (lead, lost) = fast_sum(base, factor * t);
    let value = (lead + (lost + factor.mul_add(rest, base_low))).copysign(x);
    if a <= 1.0 { value } else { f64::NAN }
}

/// The inverse cosine of any number.
#[inline(always)]
pub(super) fn acos(x: f64) -> f64 {
    let a = x.abs();
    let (t, rest) = half_asin(a);
    let choose = |right: f64, middle: f64, left: f64| {
        let rest = if x < -0.5 { left } else { middle };
        if x > 0.5 { right } else { rest }
    };
    let base = choose(0.0, FRAC_PI_2, PI);
    let base_low = choose(0.0, 0.5 * PI_LOW, PI_LOW);
    let factor = choose(2.0, -1f64.copysign(x), -2.0);
    let (lead, lost) = fast_sum(base, factor * t);
    let value = lead + (lost + factor.mul_add(rest, base_low));
    if a <= 1.0 { value } else { f64::NAN }
}
