//! Sine, cosine, tangent.

use super::double::{ROUND, fast_sum, polynomial_5, polynomial_6, quotient};

/// The largest argument that three parts of π/2 reduce.
const LARGEST_SHORT_REDUCTION: f64 = 1e6;
/// π/2: its leading bits, the next 33, and the remainder.
const HALF_PI: [f64; 3] = [
    std::f64::consts::FRAC_PI_2,
    6.12323399538461e-17,
    3.5215598651832e-27,
];
/// sin r = r + c·r³ + r⁵·P(r²): c, then P.
const SIN_CUBE: f64 = -0.16666666666666632;
const SIN: [f64; 5] = [
    0.008333333333322415,
    -0.0001984126982980809,
    2.7557313692007768e-06,
    -2.505075812832147e-08,
    1.5896796367095221e-10,
];
const COS: [f64; 6] = [
    0.041666666666666595,
    -0.001388888888887304,
    2.4801587288841624e-05,
    -2.7557314176302267e-07,
    2.087570042422979e-09,
    -1.135851435961141e-11,
];
/// 2/π, the first 1280 bits behind the point.
const TWO_OVER_PI: [u64; 20] = [
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
    0xf0cf_bc20_9af4_361d,
];

/// Whether the short reduction suffices.
#[inline(always)]
pub(super) fn ordinary(x: f64) -> bool {
    x.abs() <= LARGEST_SHORT_REDUCTION
}

/// x = k·π/2 + r + rₗ with |r| ≤ π/4; k in the low bits.
#[inline(always)]
fn reduce(x: f64) -> (f64, f64, u64) {
    let t = x.mul_add(std::f64::consts::FRAC_2_PI, ROUND);
    let k = t - ROUND;
    // Exact: both are multiples of 2⁻⁵³, the difference is below 1.
    let first = (-k).mul_add(HALF_PI[0], x);
    // The product is exact.
    let (r, low) = fast_sum(first, -k * HALF_PI[1]);
    (r, (-k).mul_add(HALF_PI[2], low), t.to_bits())
}

/// Sine and cosine of r + rₗ, |r| ≤ π/4, each as a leading part and a correction.
#[inline(always)]
fn first_octant(r: f64, low: f64) -> ((f64, f64), (f64, f64)) {
    let z = r * r;
    let half = 0.5 * r;
    // The cube with the rounding error of its square: it contributes a tenth of the sine.
    let z_low = r.mul_add(r, -z);
    let cube = z.mul_add(SIN_CUBE, z * z * polynomial_5(&SIN, z));
    let small = (r * z_low).mul_add(SIN_CUBE, (-half).mul_add(r * low, low));
    let sine = r.mul_add(cube, small);
    let lead = (-half).mul_add(r, 1.0);
    let lost = (-half).mul_add(r, 1.0 - lead);
    let cosine = (z * z).mul_add(polynomial_6(&COS, z), (-r).mul_add(low, lost));
    ((r, sine), (lead, cosine))
}

/// Sine and cosine in the quadrant k.
#[inline(always)]
fn place(r: f64, low: f64, k: u64) -> (f64, f64) {
    let (s, c) = first_octant(r, low);
    let (s, c) = (s.0 + s.1, c.0 + c.1);
    let odd = k & 1 != 0;
    let (s, c) = (if odd { c } else { s }, if odd { s } else { c });
    (
        f64::from_bits(s.to_bits() ^ ((k & 2) << 62)),
        f64::from_bits(c.to_bits() ^ ((k.wrapping_add(1) & 2) << 62)),
    )
}

/// Sine and cosine of an ordinary argument.
#[inline(always)]
pub(super) fn sin_cos(x: f64) -> (f64, f64) {
    let (r, low, k) = reduce(x);
    let (s, c) = place(r, low, k);
    (if x == 0.0 { x } else { s }, c)
}

/// The tangent in the quadrant k.
#[inline(always)]
fn slope(r: f64, low: f64, k: u64) -> f64 {
    let (s, c) = first_octant(r, low);
    let s = fast_sum(s.0, s.1);
    let c = fast_sum(c.0, c.1);
    let odd = k & 1 != 0;
    let above = (if odd { -c.0 } else { s.0 }, if odd { -c.1 } else { s.1 });
    let below = (if odd { s.0 } else { c.0 }, if odd { s.1 } else { c.1 });
    let (q, rest) = quotient(above, below);
    q + rest
}

/// The tangent of an ordinary argument.
#[inline(always)]
pub(super) fn tan(x: f64) -> f64 {
    let (r, low, k) = reduce(x);
    let t = slope(r, low, k);
    if x == 0.0 { x } else { t }
}

/// The sine and cosine of any argument.
pub(super) fn sin_cos_any(x: f64) -> (f64, f64) {
    if ordinary(x) {
        sin_cos(x)
    } else if x.is_finite() {
        let (r, low, k) = reduce_huge(x);
        place(r, low, k)
    } else {
        (f64::NAN, f64::NAN)
    }
}

/// The tangent of any argument.
pub(super) fn tan_any(x: f64) -> f64 {
    if ordinary(x) {
        tan(x)
    } else if x.is_finite() {
        let (r, low, k) = reduce_huge(x);
        slope(r, low, k)
    } else {
        f64::NAN
    }
}

/// The reduction of a finite argument beyond the limit, by 256 bits of 2/π that matter for it.
fn reduce_huge(x: f64) -> (f64, f64, u64) {
    let bits = x.abs().to_bits();
    let mantissa = (bits & ((1 << 52) - 1)) | (1 << 52);
    // |x| = mantissa·2^exponent; x·2/π modulo 4 needs the bits of 2/π from exponent − 2 on.
    let exponent = (bits >> 52) as i32 - 1075;
    let skip = (exponent - 2).max(0) as usize;
    // Where the window would begin before the point, the product is shifted instead.
    let early = (exponent - 2 - skip as i32).unsigned_abs();
    let word = |k: usize| {
        let (i, shift) = ((skip + 64 * k) / 64, skip % 64);
        let high = TWO_OVER_PI[i] << shift;
        if shift == 0 {
            high
        } else {
            high | (TWO_OVER_PI[i + 1] >> (64 - shift))
        }
    };
    // mantissa·window, of which the integer part beyond 256 bits is a multiple of four turns.
    let mut product = [0u64; 5];
    let mut carry = 0u128;
    for k in (0..4).rev() {
        let p = u128::from(mantissa) * u128::from(word(k)) + carry;
        product[k + 1] = p as u64;
        carry = p >> 64;
    }
    product[0] = carry as u64;
    if early > 0 {
        for k in (1..5).rev() {
            product[k] = (product[k] >> early) | (product[k - 1] << (64 - early));
        }
    }
    let mut quadrant = product[1] >> 62;
    // The fraction of a quadrant, 2⁻²⁵⁴ to a unit, to the nearest quadrant.
    let mut fraction = [product[1] << 2, 0, 0];
    for k in 0..3 {
        fraction[k] = (product[k + 1] << 2) | (product[k + 2] >> 62);
    }
    let above = fraction[0] >> 63 == 1;
    if above {
        quadrant = quadrant.wrapping_add(1);
        // One minus the fraction, except for the last of 192 bits.
        fraction = fraction.map(|word| !word);
    }
    // The leading 106 bits in two numbers of 53.
    let zeros = if fraction[0] == 0 {
        64 + fraction[1].leading_zeros()
    } else {
        fraction[0].leading_zeros()
    };
    let (whole, part) = ((zeros / 64) as usize, zeros % 64);
    let pick = |k: usize| {
        let at = |i: usize| if i < 3 { fraction[i] } else { 0 };
        if part == 0 {
            at(whole + k)
        } else {
            (at(whole + k) << part) | (at(whole + k + 1) >> (64 - part))
        }
    };
    let (top, next) = (pick(0), pick(1));
    let unit = f64::from_bits(u64::from(1023 - 53 - zeros) << 52);
    let high = (top >> 11) as f64 * unit;
    let low = (((top << 42) | (next >> 22)) & ((1 << 53) - 1)) as f64
        * (unit * f64::from_bits((1023 - 53) << 52));
    // Times π/2.
    const REST: f64 = 6.123233995736766e-17;
    let r = high * HALF_PI[0];
    let lost = high.mul_add(HALF_PI[0], -r);
    let rest = low.mul_add(HALF_PI[0], high.mul_add(REST, lost));
    let (r, rest) = fast_sum(r, rest);
    let (r, rest) = if above { (-r, -rest) } else { (r, rest) };
    if x < 0.0 {
        (-r, -rest, quadrant.wrapping_neg())
    } else {
        (r, rest, quadrant)
    }
}
