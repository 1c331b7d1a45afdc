//! Binary logarithm and exponential to four digits: enough for the length of a step, which is a root of
//! high order.

use super::double::ROUND;
use super::exponential::{exp_any, log_any, ordinary_log};

/// The polynomial through log₂(3/2 + t/2) at Chebyshev's points of −1 … 1, with an error of at most 1.2·10⁻⁴.
const LOG2: [f64; 5] = [
    0.584_962_500_721,
    0.480_486_993_550,
    -0.080_034_869_334,
    0.019_423_515_614,
    -0.004_902_542_263,
];
const MANTISSA: u64 = (1 << 52) - 1;
const ONE: u64 = 1023 << 52;
/// The largest magnitude of an argument of the approximate exponential.
const LARGEST_ARGUMENT: f64 = 1000.0;

/// log₂ of an ordinary argument. Nothing is fused: processors without fused instructions would be slow.
#[inline(always)]
pub(super) fn log2(x: f64) -> f64 {
    let bits = x.to_bits();
    // 2⁵² and the biased exponent, as a number.
    let exponent = f64::from_bits((bits >> 52) | 0x4330_0000_0000_0000) - 4503599627371519.0;
    let t = 2.0 * f64::from_bits(bits & MANTISSA | ONE) - 3.0;
    let [a, b, c, d, e] = LOG2;
    let square = t * t;
    exponent + ((a + b * t) + square * ((c + d * t) + square * e))
}

/// log₂ of any argument.
pub(super) fn log2_any(x: f64) -> f64 {
    match ordinary_log(x) {
        true => log2(x),
        false => log_any(x) * std::f64::consts::LOG2_E,
    }
}

/// Whether a power of two is far from overflow and underflow.
#[inline(always)]
pub(super) fn ordinary_exp2(x: f64) -> bool {
    x.abs() <= LARGEST_ARGUMENT
}

/// 2ˣ of an ordinary argument.
#[inline(always)]
pub(super) fn exp2(x: f64) -> f64 {
    // The nearest whole number is in the low bits.
    let shifted = x + ROUND;
    let f = (x - (shifted - ROUND)) * std::f64::consts::LN_2;
    let square = f * f;
    let high = (1.0 / 24.0) + f * (1.0 / 120.0);
    let p = (1.0 + f) + square * ((0.5 + f * (1.0 / 6.0)) + square * high);
    p * f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52)
}

/// 2ˣ of any argument.
pub(super) fn exp2_any(x: f64) -> f64 {
    match ordinary_exp2(x) {
        true => exp2(x),
        false => exp_any(x * std::f64::consts::LN_2),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{rough_exp2, rough_log2};

    #[test]
    fn logarithms_and_powers_to_four_digits() {
        for k in -1070..1020 {
            for part in [1.0, 1.1, 1.4, 1.7, 1.999_999] {
                let x = part * f64::from(k).exp2();
                let off = (rough_log2(&[x])[0] - x.log2()).abs();
                assert!(off < 1.3e-4, "log₂ of {x:e} is off by {off:e}");
            }
        }
        for k in -10_800..10_200 {
            let x = f64::from(k) * 0.0999;
            let off = (rough_exp2(&[x])[0] / x.exp2() - 1.0).abs();
            assert!(off < 1e-5 || x.exp2() < f64::MIN_POSITIVE, "2^{x}: {off:e}");
        }
    }

    #[test]
    fn beyond_the_ordinary() {
        let found = rough_log2(&[0.0, f64::INFINITY, -1.0, f64::NAN]);
        assert_eq!(found[..2], [f64::NEG_INFINITY, f64::INFINITY]);
        assert!(found[2].is_nan() && found[3].is_nan());
        let found = rough_exp2(&[f64::INFINITY, f64::NEG_INFINITY, 2000.0, f64::NAN]);
        assert_eq!(found[..3], [f64::INFINITY, 0.0, f64::INFINITY]);
        assert!(found[3].is_nan());
        // A lane that is not ordinary does not change the others.
        assert_eq!(rough_log2(&[8.5, 0.0, 8.5, 8.5])[0], rough_log2(&[8.5])[0]);
        assert_eq!(rough_exp2(&[8.5, 2e4, 8.5, 8.5])[2], rough_exp2(&[8.5])[0]);
    }
}
