//! Elementary functions of one number: the same bits on every machine.
//!
//! The methods of `f64` with these names ask the library of the platform, whose last digits differ from one platform to
//! the next. Decisions of a run, such as the length of its steps, may not depend on them.
//!
//! ```
//! use galilei_linear::math::scalar;
//! assert_eq!(scalar::log2(0.125), -3.0);
//! assert_eq!(scalar::powi(2.0, -3), 0.125);
//! assert!((scalar::log10(1000.0) - 3.0).abs() < 1e-15);
//! ```

use std::f64::consts::{LN_2, LN_10};

/// The exponential function, error up to 0.64 ulp.
#[must_use]
pub fn exp(x: f64) -> f64 {
    super::exp(&[x])[0]
}

/// The natural logarithm, error up to 0.65 ulp.
#[must_use]
pub fn log(x: f64) -> f64 {
    super::log(&[x])[0]
}

/// The logarithm to base 2; exact for powers of two.
#[must_use]
pub fn log2(x: f64) -> f64 {
    const MANTISSA: u64 = (1 << 52) - 1;
    if !x.is_normal() || x < 0.0 {
        return log(x) / LN_2;
    }
    let bits = x.to_bits();
    let exponent = (bits >> 52) as i32 - 1023;
    let mantissa = f64::from_bits(bits & MANTISSA | 1.0_f64.to_bits());
    f64::from(exponent) + log(mantissa) / LN_2
}

/// The logarithm to base 10.
#[must_use]
pub fn log10(x: f64) -> f64 {
    log(x) / LN_10
}

/// A power of two; exact, 0 and infinity where it is too small and too large.
#[must_use]
pub fn exp2(n: i32) -> f64 {
    let half = n.clamp(-2200, 2200) / 2;
    let rest = n.clamp(-2200, 2200) - half;
    // Neither factor leaves the range before the product does.
    [half / 2, half - half / 2, rest / 2, rest - rest / 2]
        .into_iter()
        .fold(1.0, |product, k| product * powi(2.0, k))
}

/// A power with an integer exponent, by squaring.
#[must_use]
pub fn powi(x: f64, n: i32) -> f64 {
    let (mut power, mut square, mut left) = (1.0, x, n.unsigned_abs());
    while left > 0 {
        if left & 1 == 1 {
            power *= square;
        }
        square *= square;
        left >>= 1;
    }
    if n < 0 { 1.0 / power } else { power }
}

/// A power, error up to 0.66 ulp.
#[must_use]
pub fn pow(x: f64, y: f64) -> f64 {
    super::pow(&[x], &[y])[0]
}

/// Sine and cosine, error up to 0.65 ulp.
#[must_use]
pub fn sin_cos(x: f64) -> (f64, f64) {
    let (sin, cos) = super::sin_cos(&[x]);
    (sin[0], cos[0])
}

/// The cosine, error up to 0.65 ulp.
#[must_use]
pub fn cos(x: f64) -> f64 {
    sin_cos(x).1
}

/// The cube root, error up to 0.65 ulp.
#[must_use]
pub fn cbrt(x: f64) -> f64 {
    super::odd_power(&[x], 1, 3)[0]
}

/// The sine, error up to 0.65 ulp.
#[must_use]
pub fn sin(x: f64) -> f64 {
    sin_cos(x).0
}

/// The tangent, error up to 0.72 ulp.
#[must_use]
pub fn tan(x: f64) -> f64 {
    super::tan(&[x])[0]
}

/// The inverse sine, error up to 0.66 ulp.
#[must_use]
pub fn asin(x: f64) -> f64 {
    super::asin(&[x])[0]
}

/// The inverse cosine, error up to 0.67 ulp.
#[must_use]
pub fn acos(x: f64) -> f64 {
    super::acos(&[x])[0]
}

/// The inverse tangent, error up to 0.67 ulp.
#[must_use]
pub fn atan(x: f64) -> f64 {
    super::atan(&[x])[0]
}

/// The hyperbolic tangent, error up to 0.68 ulp.
#[must_use]
pub fn tanh(x: f64) -> f64 {
    super::tanh(&[x])[0]
}

/// The angle of the point (x, y), error up to 0.68 ulp.
#[must_use]
pub fn atan2(y: f64, x: f64) -> f64 {
    super::atan2(&[y], &[x])[0]
}

/// The hyperbolic sine, error up to 0.70 ulp.
#[must_use]
pub fn sinh(x: f64) -> f64 {
    super::sinh_cosh(&[x]).0[0]
}

/// The hyperbolic cosine, error up to 0.70 ulp.
#[must_use]
pub fn cosh(x: f64) -> f64 {
    super::sinh_cosh(&[x]).1[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_are_exact() {
        for n in -1074..=1023 {
            let bits = match n {
                ..-1022 => 1_u64 << (n + 1074),
                _ => ((n + 1023) as u64) << 52,
            };
            assert_eq!(exp2(n).to_bits(), bits, "{n}");
            if n >= -1022 {
                assert_eq!(log2(exp2(n)), f64::from(n));
            }
        }
        assert_eq!(exp2(-1075), 0.0);
        assert_eq!(exp2(1024), f64::INFINITY);
        assert_eq!((exp2(i32::MIN), exp2(i32::MAX)), (0.0, f64::INFINITY));
    }

    #[test]
    fn powers_are_products() {
        // Exact while the digits of the power fit: 3³³ < 2⁵³.
        let mut exact = 1_u64;
        for n in 0..=33 {
            assert_eq!(powi(3.0, n), exact as f64);
            assert_eq!(
                powi(-3.0, n),
                if n % 2 == 0 {
                    exact as f64
                } else {
                    -(exact as f64)
                }
            );
            assert_eq!(powi(3.0, -n), 1.0 / exact as f64);
            exact = exact.saturating_mul(3);
        }
        assert_eq!(powi(0.0, -1), f64::INFINITY);
        assert_eq!(powi(2.0, i32::MIN), 0.0);
    }

    /// Bits computed by mpmath with 60 digits, correctly rounded; an error below 0.66 ulp leaves one neighbour.
    #[test]
    fn close_to_correctly_rounded() {
        let near = |x: f64, exact: f64| {
            assert!(
                (x - exact).abs() <= f64::EPSILON * exact.abs(),
                "{x:e} is not {exact:e}"
            );
        };
        near(exp(-28.7 / 23.0), 0.2871283108621591);
        near(log(1e-12), -27.631021115928547);
        near(log2(7.0), 2.807354922057604);
        near(log2(1e-310), -1029.7977094150824);
        near(log10(5e-5), -4.301029995663981);
        near(pow(0.3, 0.2), 0.7860030855966228);
        near(cbrt(9.0), 2.080083823051904);
        near(cos(2.5), -0.8011436155469337);
        assert!(log2(-1.0).is_nan() && log2(0.0) == f64::NEG_INFINITY);
    }
}
