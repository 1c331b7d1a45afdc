//! a·b + c with one rounding, for machines that do not have it.
//!
//! `f64::mul_add` is an instruction on most processors. Where it is not, it is a function of the system's library, and that of
//! MinGW does not round correctly. Programs for Windows therefore get the function of this module under the library's name.

/// The largest exponent of a factor, with bias, whose halves do not overflow.
const MAX_FACTOR: u64 = 1973;
/// The exponents of a product, the sum of those of its factors with their biases, whose rounding error is a number.
const PRODUCT: std::ops::RangeInclusive<u64> = 1146..=2946;

/// a·b + c, rounded once, by software. The bits are those of `f64::mul_add` on a processor that has it (but one value that is no
/// number may differ from another in its bits).
///
/// ```
/// let (a, b, c) = (1.0 + f64::EPSILON, 1.0 - f64::EPSILON, -1.0);
/// assert_eq!(a * b + c, 0.0);
/// assert_eq!(galilei_linear::fma(a, b, c), -f64::EPSILON * f64::EPSILON);
/// ```
pub fn fma(a: f64, b: f64, c: f64) -> f64 {
    let exponent = |x: f64| x.to_bits() >> 52 & 0x7ff;
    let (ea, eb, ec) = (exponent(a), exponent(b), exponent(c));
    if ea.max(eb).max(ec) > MAX_FACTOR || ea.min(eb) == 0 || !PRODUCT.contains(&(ea + eb)) {
        return fma_exact(a, b, c);
    }
    // Boldo and Melquiond 2008: the product and the sums with their errors; the errors are added with rounding to odd, which
    // leaves the last rounding free to be the only one.
    let (uh, ul) = two_product(a, b);
    let (th, tl) = two_sum(c, ul);
    let (vh, vl) = two_sum(uh, th);
    let (zh, zl) = two_sum(tl, vl);
    let mut z = zh;
    if zl != 0.0 && zh.to_bits() & 1 == 0 {
        let away = (zl > 0.0) == (zh > 0.0);
        z = f64::from_bits(match away {
            true => zh.to_bits() + 1,
            false => zh.to_bits() - 1,
        });
    }
    vh + z
}

fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let t = s - a;
    (s, (a - (s - t)) + (b - t))
}

fn two_product(a: f64, b: f64) -> (f64, f64) {
    let halves = |x: f64| {
        let y = 134_217_729.0 * x;
        let high = y - (y - x);
        (high, x - high)
    };
    let p = a * b;
    let ((ah, al), (bh, bl)) = (halves(a), halves(b));
    (p, al * bl - (((p - ah * bh) - al * bh) - ah * bl))
}

/// The number as an integer times a power of two: mantissa, exponent.
fn split(x: f64) -> (u128, i32) {
    let exponent = (x.to_bits() >> 52 & 0x7ff) as i32;
    let fraction = u128::from(x.to_bits() & ((1 << 52) - 1));
    match exponent {
        0 => (fraction, -1074),
        e => (fraction | 1 << 52, e - 1075),
    }
}

/// The bit at which the mantissas of both summands begin.
const TOP: i32 = 120;

/// a·b + c for all arguments, by integers.
pub fn fma_exact(a: f64, b: f64, c: f64) -> f64 {
    if !(a.is_finite() && b.is_finite()) || a == 0.0 || b == 0.0 {
        return a * b + c;
    }
    if !c.is_finite() {
        return c;
    }
    if c == 0.0 {
        return a * b;
    }
    let ((ma, ea), (mb, eb), (mc, ec)) = (split(a), split(b), split(c));
    let aligned = |m: u128, e: i32| {
        let up = TOP - 127 + m.leading_zeros() as i32;
        (m << up, e - up)
    };
    let product = (
        aligned(ma * mb, ea + eb),
        a.is_sign_negative() != b.is_sign_negative(),
    );
    let summand = (aligned(mc, ec), c.is_sign_negative());
    let ((large, negative), (small, other)) = match product.0.1 >= summand.0.1 {
        true => (product, summand),
        false => (summand, product),
    };
    let (e, far) = (large.1, large.1 - small.1);
    // Bits that are shifted out remain as one bit at the end. Differences that cancel many bits lose none of them.
    let shifted = match far {
        0 => small.0,
        1..=TOP => {
            let lost = small.0 & ((1 << far) - 1) != 0;
            small.0 >> far | u128::from(lost)
        }
        _ => 1,
    };
    let (sum, negative) = if negative == other {
        (large.0 + shifted, negative)
    } else if large.0 >= shifted {
        (large.0 - shifted, negative)
    } else {
        (shifted - large.0, other)
    };
    if sum == 0 {
        return 0.0;
    }
    let size = rounded(sum, e);
    if negative { -size } else { size }
}

/// m·2ᵉ, rounded to the nearest number, ties to even.
fn rounded(m: u128, e: i32) -> f64 {
    let top = 127 - m.leading_zeros() as i32;
    // The exponent of the last bit that the number can have.
    let last = (top + e - 52).max(-1074);
    let down = last - e;
    let (mut q, mut last) = (m, last);
    if down > 0 {
        if down > TOP + 2 {
            return 0.0;
        }
        q = m >> down;
        let rest = m & ((1 << down) - 1);
        let half = 1 << (down - 1);
        q += u128::from(rest > half || rest == half && q & 1 == 1);
    } else {
        q <<= -down;
    }
    if q >> 53 != 0 {
        q >>= 1;
        last += 1;
    }
    let q = q as u64;
    match q >> 52 {
        0 => f64::from_bits(q),
        _ if last + 1075 >= 0x7ff => f64::INFINITY,
        _ => f64::from_bits((q & ((1 << 52) - 1)) | ((last + 1075) as u64) << 52),
    }
}

/// The function that `f64::mul_add` calls where the compiler does not use the instruction.
#[cfg(all(windows, target_arch = "x86_64"))]
#[allow(unsafe_code)]
mod library {
    use std::arch::x86_64::{_mm_cvtsd_f64, _mm_fmadd_sd, _mm_set_sd};

    #[target_feature(enable = "fma")]
    fn instruction(a: f64, b: f64, c: f64) -> f64 {
        _mm_cvtsd_f64(_mm_fmadd_sd(_mm_set_sd(a), _mm_set_sd(b), _mm_set_sd(c)))
    }

    /// a·b + c, rounded once.
    #[unsafe(no_mangle)]
    extern "C" fn fma(a: f64, b: f64, c: f64) -> f64 {
        match std::is_x86_feature_detected!("fma") {
            // SAFETY: the processor has the instruction.
            true => unsafe { instruction(a, b, c) },
            false => super::fma(a, b, c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(a: f64, b: f64, c: f64) {
        let expected = a.mul_add(b, c);
        for (own, name) in [(fma(a, b, c), "fma"), (fma_exact(a, b, c), "fma_exact")] {
            let equal = own.to_bits() == expected.to_bits() || own.is_nan() && expected.is_nan();
            assert!(
                equal,
                "{name}({a:e}, {b:e}, {c:e}) = {own:e}, not {expected:e}"
            );
        }
    }

    /// Numbers that make trouble, and their negatives.
    fn special() -> Vec<f64> {
        let tiny = f64::from_bits(1);
        let mut list = vec![
            0.0,
            tiny,
            3.0 * tiny,
            f64::MIN_POSITIVE,
            f64::MIN_POSITIVE - tiny,
        ];
        list.extend([
            0.5,
            1.0,
            1.0 + f64::EPSILON,
            1.0 - f64::EPSILON / 2.0,
            1.5,
            3.0,
        ]);
        list.extend([2f64.powi(-500), 2f64.powi(500), 2f64.powi(1000), f64::MAX]);
        list.extend([
            2f64.powi(-537),
            3.0 * 2f64.powi(-538),
            f64::INFINITY,
            f64::NAN,
        ]);
        let negative: Vec<f64> = list.iter().map(|x| -x).collect();
        list.extend(negative);
        list
    }

    #[test]
    fn special_numbers_as_the_processor() {
        let list = special();
        for &a in &list {
            for &b in &list {
                for &c in &list {
                    same(a, b, c);
                }
            }
        }
    }

    #[test]
    fn random_numbers_as_the_processor() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for k in 0..400_000_u64 {
            let (x, y, z) = (next(), next(), next());
            // Any bits; or factors of ordinary size and a summand that nearly cancels their product, is near half of its last
            // place, or far below it.
            let ordinary =
                |x: u64| f64::from_bits(x & !(0x7ff << 52) | (1023 + (x >> 52 & 7)) << 52);
            let few = |x: u64| f64::from_bits(x & (0x800f_ffff_f000_0000 << (x % 24)) | 1023 << 52);
            match k % 6 {
                0 => same(f64::from_bits(x), f64::from_bits(y), f64::from_bits(z)),
                1 => {
                    let (a, b) = (ordinary(x), ordinary(y));
                    let off = (z % 9) as f64 - 4.0;
                    same(a, b, -(a * b) * (1.0 + off * f64::EPSILON));
                }
                2 => {
                    let (a, b) = (few(x), few(y));
                    let scale = 2f64.powi((z % 240) as i32 - 120);
                    same(a, b, few(z) * scale);
                }
                3 => {
                    let (a, b) = (ordinary(x), ordinary(y));
                    let scale = 2f64.powi((z % 240) as i32 - 120);
                    same(a, b, ordinary(z) * scale);
                }
                4 => {
                    // Halves of the last place of the summand, but for less than the last place of the half.
                    let off = f64::EPSILON * (x % 5) as f64;
                    let sign = |x: u64| [1.0, -1.0][(x % 2) as usize];
                    let summand = 2f64.powi(53) + 2.0 * (y >> 40) as f64;
                    same(1.0 + off, sign(y) * (1.0 - off), sign(z) * summand);
                }
                _ => {
                    // Products around the smallest numbers.
                    let (a, b) = (ordinary(x) * 2f64.powi(-530), ordinary(y) * 2f64.powi(-520));
                    same(a, b, f64::from_bits(z >> 11));
                }
            }
        }
    }
}
