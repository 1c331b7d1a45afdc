//! Exponential and logarithm.

use super::double::{ROUND, fast_sum, polynomial_7, polynomial_11, product, quotient};

/// ln 2: 42 bits, so that its products with exponents are exact, and the remainder.
const LN_2: [f64; 2] = [0.6931471805598903, 5.497923018708371e-14];
/// The largest magnitude of an argument whose exponential is a normal number.
const LARGEST_NORMAL: f64 = 708.0;
const EXP: [f64; 11] = [
    0.5,
    0.16666666666666682,
    0.041666666666666095,
    0.008333333333317035,
    0.0013888888889115574,
    0.00019841269896381402,
    2.4801586926704766e-05,
    2.7557234864110448e-06,
    2.7557581806344516e-07,
    2.5112036128254687e-08,
    2.0826635531757617e-09,
];
const LOG: [f64; 7] = [
    0.6666666666666734,
    0.39999999999413977,
    0.28571428742559357,
    0.2222219855410075,
    0.18183565389379036,
    0.1531402161079434,
    0.14796255926407065,
];
/// Coefficients of the two lowest orders, with their rounding errors.
const LOG_LEAD: [(f64, f64); 2] = [
    (0.6666666666666666, 3.700743415417188e-17),
    (0.4, -2.2204460492503132e-17),
];
const LOG_TAIL: [f64; 7] = [
    0.2857142857143316,
    0.22222222220012067,
    0.18181818605496328,
    0.15384572894584952,
    0.13335763305869489,
    0.11685037585193668,
    0.11911011873917142,
];
/// Makes subnormal numbers normal.
const TWO_54: f64 = 18014398509481984.0;
const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
const ONE: u64 = 0x3ff0_0000_0000_0000;
const MANTISSA: u64 = 0x000f_ffff_ffff_ffff;

/// Whether the exponential is far from overflow and underflow.
#[inline(always)]
pub(super) fn ordinary_exp(x: f64) -> bool {
    x.abs() <= LARGEST_NORMAL
}

/// Whether a number is positive, normal and finite.
#[inline(always)]
pub(super) fn ordinary_log(x: f64) -> bool {
    (f64::MIN_POSITIVE..=f64::MAX).contains(&x)
}

/// x + xₗ = k·ln 2 + r + rₗ with |r| ≤ ln 2/2; k in the low bits.
#[inline(always)]
pub(super) fn reduce(x: f64, low: f64) -> (f64, f64, u64) {
    let t = x.mul_add(std::f64::consts::LOG2_E, ROUND);
    let k = t - ROUND;
    // Exact.
    let first = (-k).mul_add(LN_2[0], x);
    let second = (-k).mul_add(LN_2[1], low);
    let (r, rest) = fast_sum(first, second);
    (r, rest, t.to_bits())
}

/// exp(r + rₗ) for |r| ≤ ln 2/2 as a leading part and a correction.
#[inline(always)]
fn near_one(r: f64, low: f64) -> (f64, f64) {
    let (lead, lost) = fast_sum(1.0, r);
    (
        lead,
        (r * r).mul_add(polynomial_11(&EXP, r), r.mul_add(low, low) + lost),
    )
}

/// exp(x + xₗ) for an ordinary x and an xₗ of the size of its rounding errors.
#[inline(always)]
pub(super) fn exp_of_pair(x: f64, low: f64) -> f64 {
    let (r, low, k) = reduce(x, low);
    let (lead, rest) = near_one(r, low);
    (lead + rest) * f64::from_bits(k.wrapping_add(1023) << 52)
}

/// 2ⁿ·exp(x + xₗ), wherever it overflows or underflows, for a small n.
pub(super) fn exp_of_pair_any(x: f64, low: f64, n: i64) -> f64 {
    if x.is_nan() {
        f64::NAN
    } else if x > 720.0 {
        f64::INFINITY
    } else if x < -750.0 {
        0.0
    } else {
        let (r, low, bits) = reduce(x, low);
        let k = ((bits << 13) as i64 >> 13) + n;
        let (lead, rest) = near_one(r, low);
        let power = |n: i64| f64::from_bits(((n + 1023) as u64) << 52);
        let (value, lost) = fast_sum(lead, rest);
        if k > -1022 || (k == -1022 && value >= 1.0) {
            return value * power(k / 2) * power(k - k / 2);
        }
        // A subnormal result has a fixed last place: the sum is rounded there, once.
        let anchor = power(-1022 - k);
        let (whole, rest) = fast_sum(anchor, value);
        let rounded = whole + (rest + lost);
        (rounded - anchor) * power(-600) * power(k + 600)
    }
}

/// The exponential of an ordinary argument.
#[inline(always)]
pub(super) fn exp(x: f64) -> f64 {
    exp_of_pair(x, 0.0)
}

/// The exponential of any argument.
pub(super) fn exp_any(x: f64) -> f64 {
    if ordinary_exp(x) {
        exp(x)
    } else {
        exp_of_pair_any(x, 0.0, 0)
    }
}

/// x = 2ᵏ·(1 + f) with 1 + f between √½ and √2, for a positive normal x: f and k.
#[inline(always)]
fn split(x: f64) -> (f64, f64) {
    let shifted = x.to_bits().wrapping_add(ONE - SQRT_HALF);
    let m = f64::from_bits((shifted & MANTISSA).wrapping_add(SQRT_HALF));
    // 2⁵² and the biased exponent, as a number.
    let k = f64::from_bits((shifted >> 52) | 0x4330_0000_0000_0000) - 4503599627371519.0;
    (m - 1.0, k)
}

/// log(2ᵏ·(1 + f)).
#[inline(always)]
fn log_of_split(f: f64, k: f64) -> f64 {
    let s = f / (2.0 + f);
    let z = s * s;
    let half = 0.5 * f;
    let square = half * f;
    let lost = half.mul_add(f, -square);
    // log(1 + f) = f − f²/2 + s·(f²/2 + z·P(z))
    let tail = s * z.mul_add(polynomial_7(&LOG, z), square);
    let (a, a_low) = fast_sum(f, -square);
    let (b, b_low) = fast_sum(k * LN_2[0], a);
    b + (k.mul_add(LN_2[1], tail) + ((a_low - lost) + b_low))
}

/// The logarithm with more than 66 bits, as a pair.
#[inline(always)]
fn log_pair_of_split(f: f64, k: f64) -> (f64, f64) {
    let s = quotient((f, 0.0), fast_sum(2.0, f));
    let (z, z_low) = product(s.0, s.0);
    let z_low = (2.0 * s.0).mul_add(s.1, z_low);
    // 2·atanh s = 2s + s·z·(c₀ + z·(c₁ + z·P(z)))
    let times_z = |a: (f64, f64)| {
        let (p, low) = product(z, a.0);
        (p, z.mul_add(a.1, z_low.mul_add(a.0, low)))
    };
    let plus = |c: (f64, f64), a: (f64, f64)| {
        let (sum, low) = fast_sum(c.0, a.0);
        (sum, low + (c.1 + a.1))
    };
    let a = plus(LOG_LEAD[1], (z * polynomial_7(&LOG_TAIL, z), 0.0));
    let a = times_z(plus(LOG_LEAD[0], times_z(a)));
    let (tail, tail_low) = product(s.0, a.0);
    let tail_low = s.0.mul_add(a.1, s.1.mul_add(a.0, tail_low));
    let (b, b_low) = fast_sum(2.0 * s.0, tail);
    let (c, c_low) = fast_sum(k * LN_2[0], b);
    let low = k.mul_add(LN_2[1], 2.0f64.mul_add(s.1, tail_low) + (b_low + c_low));
    fast_sum(c, low)
}

/// The logarithm of an ordinary argument with more than 66 bits, as a pair.
#[inline(always)]
pub(super) fn log_pair(x: f64) -> (f64, f64) {
    let (f, k) = split(x);
    log_pair_of_split(f, k)
}

/// The logarithm of a positive finite argument with more than 66 bits, as a pair.
pub(super) fn log_pair_any(x: f64) -> (f64, f64) {
    if ordinary_log(x) {
        log_pair(x)
    } else {
        let (f, k) = split(x * TWO_54);
        log_pair_of_split(f, k - 54.0)
    }
}

/// The logarithm of an ordinary argument.
#[inline(always)]
pub(super) fn log(x: f64) -> f64 {
    let (f, k) = split(x);
    log_of_split(f, k)
}

/// The logarithm of any argument.
pub(super) fn log_any(x: f64) -> f64 {
    if ordinary_log(x) {
        log(x)
    } else if x == 0.0 {
        f64::NEG_INFINITY
    } else if x > f64::MAX {
        x
    } else if x > 0.0 {
        let (f, k) = split(x * TWO_54);
        log_of_split(f, k - 54.0)
    } else {
        f64::NAN
    }
}
