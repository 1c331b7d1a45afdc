//! The elementary functions, against balls of many bits, and against themselves.

// Functions compiled for a processor's extensions are called behind a test that it has them.
#![allow(unsafe_code)]

use galilei_expr::{Arithmetic, Ball, Balls, Function, Rational};
use galilei_tape::math;

/// Numbers that look random, the same in each run.
struct Dice(u64);

impl Dice {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Between 0 and 1.
    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Between two numbers, evenly.
    fn between(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * self.unit()
    }

    /// Of either sign and any size between two powers of two.
    fn of_size(&mut self, low: i32, high: i32) -> f64 {
        let exponent = low + (self.bits() % (high - low) as u64) as i32;
        let x = (1.0 + self.unit()) * 2f64.powi(exponent);
        if self.bits() & 1 == 0 { x } else { -x }
    }
}

/// A function under test: four lanes in, two results out.
type Lanes = fn(&[f64; 4], &[f64; 4]) -> ([f64; 4], [f64; 4]);

/// The exact value of either result.
type Exact<const M: usize> = fn(&mut Balls<M>, &Ball<M>, &Ball<M>) -> [Option<Ball<M>>; 2];

fn ball<const M: usize>(balls: &mut Balls<M>, x: f64) -> Ball<M> {
    balls
        .number(&Rational::from_f64(x).expect("finite"))
        .expect("a number")
}

/// The distance of a result from the exact value, in units of the last place of the exact value.
fn ulps<const M: usize>(balls: &mut Balls<M>, exact: &Ball<M>, result: f64) -> f64 {
    let rounded = exact.to_f64().abs();
    assert!(
        exact.radius_log2() < exact.magnitude_log2() - 100.0,
        "the reference is not sharp"
    );
    if !result.is_finite() {
        return f64::INFINITY;
    }
    let place = if rounded < f64::MIN_POSITIVE {
        -1074
    } else {
        (rounded.to_bits() >> 52) as i32 - 1075
    };
    let minus = ball(balls, -result);
    let difference = balls.add(exact, &minus);
    // In two steps: the power may be too small for one.
    let half = place / 2;
    let scaled = {
        let a = ball(balls, 2f64.powi(-half));
        let b = ball(balls, 2f64.powi(half - place));
        let d = balls.mul(&difference, &a);
        balls.mul(&d, &b)
    };
    scaled.to_f64().abs()
}

/// The largest error over some arguments.
fn worst<const M: usize>(
    name: &str,
    bound: f64,
    f: Lanes,
    exact: Exact<M>,
    count: usize,
    mut draw: impl FnMut(&mut Dice) -> (f64, f64),
) {
    let mut dice = Dice(count as u64);
    let mut balls = Balls::<M>::new();
    let mut worst = [(0.0, 0.0, 0.0); 2];
    for _ in 0..count / 4 {
        let points: [(f64, f64); 4] = std::array::from_fn(|_| draw(&mut dice));
        let (x, y) = (points.map(|p| p.0), points.map(|p| p.1));
        let (a, b) = f(&x, &y);
        for l in 0..4 {
            let xl = ball(&mut balls, x[l]);
            let yl = ball(&mut balls, y[l]);
            let exact = exact(&mut balls, &xl, &yl);
            for (k, (exact, result)) in exact.iter().zip([a[l], b[l]]).enumerate() {
                let Some(exact) = exact else { continue };
                let e = ulps(&mut balls, exact, result);
                if !(e <= worst[k].0) {
                    worst[k] = (e, x[l], y[l]);
                }
            }
        }
    }
    for (e, x, y) in worst {
        println!("{name}: {e:.4} ulp at ({x:e}, {y:e})");
        assert!(
            e <= bound,
            "{name}: {e} ulp at ({x:e}, {y:e}), more than {bound}"
        );
    }
}

fn call<const M: usize>(
    balls: &mut Balls<M>,
    f: Function,
    x: &Ball<M>,
    y: Option<&Ball<M>>,
) -> Option<Ball<M>> {
    balls.call(0, f, x, y).ok()
}

fn exact_sin_cos<const M: usize>(
    balls: &mut Balls<M>,
    x: &Ball<M>,
    _: &Ball<M>,
) -> [Option<Ball<M>>; 2] {
    [
        call(balls, Function::Sin, x, None),
        call(balls, Function::Cos, x, None),
    ]
}

/// One result.
macro_rules! exact {
    ($f:ident) => {
        |balls, x, _| [call(balls, Function::$f, x, None), None]
    };
}

/// Compiled for the extensions of the processor, if it has them, as kernels are.
macro_rules! lanes {
    ($f:expr) => {{
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        fn wide(x: &[f64; 4], y: &[f64; 4]) -> ([f64; 4], [f64; 4]) {
            let f: Lanes = $f;
            f(x, y)
        }
        fn plain(x: &[f64; 4], y: &[f64; 4]) -> ([f64; 4], [f64; 4]) {
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                // SAFETY: the processor has what the function is compiled for.
                return unsafe { wide(x, y) };
            }
            let f: Lanes = $f;
            f(x, y)
        }
        plain as Lanes
    }};
}

const COUNT: usize = 20_000;

/// The double nearest to k·π/2 and its neighbours.
fn near_quarter_turn(dice: &mut Dice, limit: f64) -> f64 {
    let k = (dice.between(0.0, limit) / std::f64::consts::FRAC_PI_2).round();
    let x = k * std::f64::consts::FRAC_PI_2;
    f64::from_bits(x.to_bits().wrapping_add(dice.bits() % 5).saturating_sub(2))
}

#[test]
fn sine_and_cosine() {
    let f = lanes!(|x, _| math::sin_cos(x));
    let bound = 0.75;
    worst::<4>("sin_cos, a turn", bound, f, exact_sin_cos, COUNT, |d| {
        (d.between(-7.0, 7.0), 1.0)
    });
    worst::<4>("sin_cos, 1e6", bound, f, exact_sin_cos, COUNT, |d| {
        (d.between(-1e6, 1e6), 1.0)
    });
    worst::<4>("sin_cos, any size", bound, f, exact_sin_cos, COUNT, |d| {
        (d.of_size(-80, 19), 1.0)
    });
    worst::<4>("sin_cos, quarters", bound, f, exact_sin_cos, COUNT, |d| {
        (near_quarter_turn(d, 1e6), 1.0)
    });
    worst::<8>("sin_cos, large", bound, f, exact_sin_cos, COUNT / 4, |d| {
        (d.of_size(19, 60), 1.0)
    });
    worst::<8>(
        "sin_cos, large quarters",
        bound,
        f,
        exact_sin_cos,
        COUNT / 4,
        |d| (near_quarter_turn(d, 1e15), 1.0),
    );
    worst::<24>("sin_cos, huge", bound, f, exact_sin_cos, COUNT / 10, |d| {
        (d.of_size(19, 1023), 1.0)
    });
}

#[test]
fn tangent() {
    let f = lanes!(|x, _| (math::tan(x), *x));
    let bound = 0.8;
    worst::<4>("tan, a turn", bound, f, exact!(Tan), COUNT, |d| {
        (d.between(-7.0, 7.0), 1.0)
    });
    worst::<4>("tan, any size", bound, f, exact!(Tan), COUNT, |d| {
        (d.of_size(-80, 19), 1.0)
    });
    worst::<4>("tan, quarters", bound, f, exact!(Tan), COUNT, |d| {
        (near_quarter_turn(d, 1e6), 1.0)
    });
    worst::<24>("tan, huge", bound, f, exact!(Tan), COUNT / 10, |d| {
        (d.of_size(19, 1023), 1.0)
    });
}

#[test]
fn exponential() {
    let f = lanes!(|x, _| (math::exp(x), *x));
    let bound = 0.75;
    worst::<4>("exp, near 0", bound, f, exact!(Exp), COUNT, |d| {
        (d.between(-1.0, 1.0), 1.0)
    });
    worst::<4>("exp, all", bound, f, exact!(Exp), COUNT, |d| {
        (d.between(-708.0, 709.7), 1.0)
    });
    worst::<4>("exp, subnormal", bound, f, exact!(Exp), COUNT, |d| {
        (d.between(-745.0, -707.0), 1.0)
    });
    worst::<4>("exp, small", bound, f, exact!(Exp), COUNT, |d| {
        (d.of_size(-80, 0), 1.0)
    });
}

#[test]
fn logarithm() {
    let f = lanes!(|x, _| (math::log(x), *x));
    let bound = 0.75;
    worst::<4>("log, about 1", bound, f, exact!(Log), COUNT, |d| {
        (d.between(0.4, 2.5), 1.0)
    });
    worst::<4>("log, near 1", bound, f, exact!(Log), COUNT, |d| {
        let x = 1.0 + d.of_size(-52, -2);
        (if x == 1.0 { 2.0 } else { x }, 1.0)
    });
    worst::<4>("log, all", bound, f, exact!(Log), COUNT, |d| {
        (d.of_size(-1022, 1023).abs(), 1.0)
    });
    worst::<4>("log, subnormal", bound, f, exact!(Log), COUNT, |d| {
        (d.of_size(-1074, -1022).abs(), 1.0)
    });
}
