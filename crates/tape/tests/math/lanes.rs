//! Lanes and extensions of the processor: the bits of a result depend on neither.

use super::*;

/// Every function at N lanes.
fn results<const N: usize>(x: &[f64; N], y: &[f64; N]) -> [[f64; N]; 16] {
    let (sin, cos) = math::sin_cos(x);
    let (sinh, cosh) = math::sinh_cosh(x);
    [
        sin,
        cos,
        math::tan(x),
        math::exp(x),
        math::log(x),
        math::pow(x, y),
        math::pow_constant(x, -1.75),
        math::odd_power(x, -5, 3),
        math::odd_power(x, 2, 7),
        math::atan(x),
        math::atan2(x, y),
        math::asin(x),
        math::acos(x),
        sinh,
        cosh,
        math::tanh(x),
    ]
}

/// The same, compiled for the extensions named.
#[cfg(target_arch = "x86_64")]
mod extended {
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn avx2<const N: usize>(x: &[f64; N], y: &[f64; N]) -> [[f64; N]; 16] {
        super::results(x, y)
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512dq")]
    pub(super) fn avx512<const N: usize>(x: &[f64; N], y: &[f64; N]) -> [[f64; N]; 16] {
        super::results(x, y)
    }
}

/// Lanes are compared, with those of N = 1 without any extension, in bits.
fn compare<const N: usize>(
    points: &[(f64, f64)],
    f: impl Fn(&[f64; N], &[f64; N]) -> [[f64; N]; 16],
) {
    for start in 0..points.len() - N {
        let x = std::array::from_fn(|l| points[start + l].0);
        let y = std::array::from_fn(|l| points[start + l].1);
        let together = f(&x, &y);
        for l in 0..N {
            let alone = results(&[x[l]], &[y[l]]);
            for k in 0..16 {
                assert_eq!(
                    together[k][l].to_bits(),
                    alone[k][0].to_bits(),
                    "function {k} at ({:e}, {:e}), lane {l} of {N}",
                    x[l],
                    y[l]
                );
            }
        }
    }
}

/// Arguments of all kinds, special ones among ordinary ones.
fn mixture() -> Vec<(f64, f64)> {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        -f64::NAN,
        f64::MIN_POSITIVE,
        5e-324,
        -5e-324,
        f64::MAX,
        f64::MIN,
        1e6,
        1000001.0,
        708.0,
        709.9,
        -745.2,
        1e22,
        3.0,
        -3.0,
    ];
    let mut dice = Dice(1);
    (0..6000)
        .map(|_| {
            let mut one = || match dice.bits() % 12 {
                0 => special[(dice.bits() % special.len() as u64) as usize],
                1 => f64::from_bits(dice.bits()),
                2 => dice.of_size(-1074, 1023),
                3..7 => dice.between(-1.0, 1.0),
                _ => dice.between(-30.0, 30.0),
            };
            (one(), one())
        })
        .collect()
}

#[test]
fn lanes_do_not_know_of_each_other() {
    let points = mixture();
    compare::<2>(&points, results);
    compare::<3>(&points, results);
    compare::<4>(&points, results);
    compare::<8>(&points, results);
}

#[test]
#[cfg(target_arch = "x86_64")]
fn extensions_change_no_bit() {
    let points = mixture();
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        // SAFETY: the processor has what the functions are compiled for.
        compare::<1>(&points, |x, y| unsafe { extended::avx2(x, y) });
        compare::<2>(&points, |x, y| unsafe { extended::avx2(x, y) });
        compare::<4>(&points, |x, y| unsafe { extended::avx2(x, y) });
        compare::<8>(&points, |x, y| unsafe { extended::avx2(x, y) });
    }
    if is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
    {
        // SAFETY: as above.
        compare::<4>(&points, |x, y| unsafe { extended::avx512(x, y) });
        compare::<8>(&points, |x, y| unsafe { extended::avx512(x, y) });
    }
}
