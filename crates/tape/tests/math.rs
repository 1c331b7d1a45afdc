//! The elementary functions, against balls of many bits, and against themselves. The bounds are those
//! of the documentation.

// Functions compiled for a processor's extensions are called behind a test that it has them.
#![allow(unsafe_code)]

use galilei_expr::{Arithmetic, Ball, Balls, Function, Rational};
use galilei_linear::math;

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
        // In two steps: the power itself may be beyond the normal numbers.
        let half = exponent / 2;
        let x = (1.0 + self.unit()) * 2f64.powi(half) * 2f64.powi(exponent - half);
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
        "the reference {exact:?} is not sharp"
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
    let mut known = [0; 2];
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
                known[k] += 1;
                let e = ulps(&mut balls, exact, result);
                if e.is_nan() || e > worst[k].0 {
                    worst[k] = (e, x[l], y[l]);
                }
            }
        }
    }
    // The reference knows everything, and has no second result or all of them.
    assert_eq!(known[0], count / 4 * 4, "{name}");
    assert!([0, known[0]].contains(&known[1]), "{name}");
    for (e, x, y) in worst {
        println!("{name}: {e:.4} ulp at ({x:e}, {y:e})");
        assert!(
            e <= bound,
            "{name}: {e} ulp at ({x:e}, {y:e}), more than {bound}"
        );
    }
}

/// The errors of a function for several sets of arguments: limbs of the reference, name and number => how to draw one.
macro_rules! worst_of {
    ($f:expr, $exact:expr, $bound:expr; $($m:literal, $name:literal, $count:expr => |$d:ident| $draw:expr;)*) => {
        $(worst::<$m>($name, $bound, $f, $exact, $count, |$d| $draw);)*
    };
}

fn call<const M: usize>(
    balls: &mut Balls<M>,
    f: Function,
    x: &Ball<M>,
    y: Option<&Ball<M>>,
) -> Option<Ball<M>> {
    balls.call(0, f, x, y).ok()
}

/// An angle without its whole turns, however many.
fn wound_off<const M: usize>(balls: &mut Balls<M>, x: &Ball<M>) -> Ball<M> {
    let two = ball(balls, 2.0);
    let pi = balls.pi().expect("π");
    let turn = balls.mul(&two, &pi);
    let per_turn = balls.pow(0, &turn, &Rational::new(-1, 1)).expect("1/2π");
    let mut x = *x;
    while x.to_f64().abs() > 10.0 {
        // Each time 52 bits of the number of turns.
        let turns = balls.mul(&x, &per_turn).to_f64().round();
        let minus = ball(balls, -turns);
        let off = balls.mul(&minus, &turn);
        x = balls.add(&x, &off);
    }
    x
}

fn exact_sin_cos<const M: usize>(
    balls: &mut Balls<M>,
    x: &Ball<M>,
    _: &Ball<M>,
) -> [Option<Ball<M>>; 2] {
    let x = wound_off(balls, x);
    [
        call(balls, Function::Sin, &x, None),
        call(balls, Function::Cos, &x, None),
    ]
}

fn exact_tan<const M: usize>(
    balls: &mut Balls<M>,
    x: &Ball<M>,
    _: &Ball<M>,
) -> [Option<Ball<M>>; 2] {
    let x = wound_off(balls, x);
    [call(balls, Function::Tan, &x, None), None]
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

#[path = "math/lanes.rs"]
mod lanes;

const COUNT: usize = 8_000;

/// The double nearest to k·π/2 and its neighbours.
fn near_quarter_turn(dice: &mut Dice, limit: f64) -> f64 {
    let k = (dice.between(0.0, limit) / std::f64::consts::FRAC_PI_2).ceil();
    let x = k * std::f64::consts::FRAC_PI_2;
    f64::from_bits(x.to_bits().wrapping_add(dice.bits() % 5).saturating_sub(2))
}

#[test]
fn sine_and_cosine() {
    let f = lanes!(|x, _| math::sin_cos(x));
    let bound = 0.65;
    worst_of!(f, exact_sin_cos, bound;
        4, "sin_cos, a turn", COUNT => |d| (d.between(-7.0, 7.0), 1.0);
        4, "sin_cos, 1e6", COUNT => |d| (d.between(-1e6, 1e6), 1.0);
        4, "sin_cos, any size", COUNT => |d| (d.of_size(-80, 19), 1.0);
        4, "sin_cos, quarters", COUNT => |d| (near_quarter_turn(d, 1e6), 1.0);
        8, "sin_cos, large", COUNT / 4 => |d| (d.of_size(19, 60), 1.0);
        8, "sin_cos, large quarters", COUNT / 4 => |d| (near_quarter_turn(d, 1e15), 1.0);
        24, "sin_cos, huge", COUNT / 10 => |d| (d.of_size(19, 1023), 1.0);
    );
    // The number nearest to a multiple of π/2 of all, and its relatives.
    worst_of!(f, exact_sin_cos, bound;
        24, "sin_cos, hardest", 64 => |d| {
            let exponent = 790 + (d.bits() % 16) as i32;
            (6381956970095103.0 * 2f64.powi(exponent), 1.0)
        };
    );
}

#[test]
fn tangent() {
    let f = lanes!(|x, _| (math::tan(x), *x));
    let bound = 0.72;
    worst_of!(f, exact_tan, bound;
        4, "tan, a turn", COUNT => |d| (d.between(-7.0, 7.0), 1.0);
        4, "tan, any size", COUNT => |d| (d.of_size(-80, 19), 1.0);
        4, "tan, quarters", COUNT => |d| (near_quarter_turn(d, 1e6), 1.0);
        24, "tan, huge", COUNT / 10 => |d| (d.of_size(19, 1023), 1.0);
    );
}

#[test]
fn exponential() {
    let f = lanes!(|x, _| (math::exp(x), *x));
    let bound = 0.64;
    worst_of!(f, exact!(Exp), bound;
        4, "exp, near 0", COUNT => |d| (d.between(-1.0, 1.0), 1.0);
        4, "exp, all", COUNT => |d| (d.between(-708.0, 709.7), 1.0);
        4, "exp, subnormal", COUNT => |d| (d.between(-745.0, -707.0), 1.0);
        4, "exp, small", COUNT => |d| (d.of_size(-80, 0), 1.0);
    );
}

#[test]
fn logarithm() {
    let f = lanes!(|x, _| (math::log(x), *x));
    let bound = 0.65;
    worst_of!(f, exact!(Log), bound;
        4, "log, about 1", COUNT => |d| (d.between(0.4, 2.5), 1.0);
        4, "log, near 1", COUNT => |d| {
            let x = 1.0 + d.of_size(-52, -2);
            (if x == 1.0 { 2.0 } else { x }, 1.0)
        };
        4, "log, all", COUNT => |d| (d.of_size(-1022, 1023).abs(), 1.0);
        4, "log, subnormal", COUNT => |d| (d.of_size(-1074, -1022).abs(), 1.0);
    );
}

/// x^y = exp(y·log x).
fn exact_pow<const M: usize>(
    balls: &mut Balls<M>,
    x: &Ball<M>,
    y: &Ball<M>,
) -> [Option<Ball<M>>; 2] {
    let power = call(balls, Function::Log, x, None).and_then(|log| {
        let p = balls.mul(&log, y);
        call(balls, Function::Exp, &p, None)
    });
    [power, None]
}

#[test]
fn powers() {
    let f = lanes!(|x, y| (math::pow(x, y), *x));
    let bound = 0.66;
    worst_of!(f, exact_pow, bound;
        4, "pow, moderate", COUNT => |d| (d.between(0.01, 10.0), d.between(-20.0, 20.0));
    );
    // The size of the result is drawn, and the exponent from it.
    worst_of!(f, exact_pow, bound;
        4, "pow, any basis", COUNT => |d| {
            let x = d.of_size(-1074, 1023).abs();
            (x, d.between(-700.0, 700.0) / x.ln())
        };
        4, "pow, near 1", COUNT => |d| {
            let x = 1.0 + d.of_size(-52, -2);
            let x = if x == 1.0 { 1.5 } else { x };
            (x, d.between(-700.0, 700.0) / x.ln())
        };
        4, "pow, subnormal", COUNT => |d| {
            let x = d.of_size(-30, 30).abs();
            (x, d.between(-744.0, -706.0) / x.ln())
        };
        4, "pow, large", COUNT => |d| {
            let x = d.of_size(-30, 30).abs();
            (x, d.between(706.0, 709.7) / x.ln())
        };
        4, "pow, simple exponents", COUNT => |d| {
            let y = [-2.0, -1.5, -0.5, 0.5, 1.5, 2.0, 3.0, 7.0][(d.bits() % 8) as usize];
            (d.of_size(-30, 30).abs(), y)
        };
    );
}

#[test]
fn odd_powers() {
    fn exact<const M: usize>(
        balls: &mut Balls<M>,
        x: &Ball<M>,
        (n, d): (i64, i64),
    ) -> [Option<Ball<M>>; 2] {
        [balls.pow(0, x, &Rational::new(n, d)).ok(), None]
    }
    let bound = 0.65;
    let all = |d: &mut Dice| (d.of_size(-1074, 1023), 1.0);
    worst::<4>(
        "odd_power 1/3",
        bound,
        lanes!(|x, _| (math::odd_power(x, 1, 3), *x)),
        |balls, x, _| exact(balls, x, (1, 3)),
        COUNT,
        all,
    );
    worst::<4>(
        "odd_power -2/3",
        bound,
        lanes!(|x, _| (math::odd_power(x, -2, 3), *x)),
        |balls, x, _| exact(balls, x, (-2, 3)),
        COUNT,
        all,
    );
    worst::<4>(
        "odd_power 7/5",
        bound,
        lanes!(|x, _| (math::odd_power(x, 7, 5), *x)),
        |balls, x, _| exact(balls, x, (7, 5)),
        COUNT,
        |d| (d.of_size(-700, 700), 1.0),
    );
}

#[test]
fn inverse_tangent() {
    let f = lanes!(|x, _| (math::atan(x), *x));
    let bound = 0.67;
    worst_of!(f, exact!(Atan), bound;
        4, "atan, near 0", COUNT => |d| (d.between(-3.0, 3.0), 1.0);
        4, "atan, any size", COUNT => |d| (d.of_size(-80, 80), 1.0);
        4, "atan, huge", COUNT => |d| (d.of_size(-200, 1023), 1.0);
    );
    let f = lanes!(|y, x| (math::atan2(y, x), *x));
    let bound = 0.68;
    fn exact<const M: usize>(
        balls: &mut Balls<M>,
        y: &Ball<M>,
        x: &Ball<M>,
    ) -> [Option<Ball<M>>; 2] {
        [call(balls, Function::Atan2, y, Some(x)), None]
    }
    worst_of!(f, exact, bound;
        4, "atan2, a square", COUNT => |d| (d.between(-1.0, 1.0), d.between(-1.0, 1.0));
        4, "atan2, any size", COUNT => |d| (d.of_size(-60, 60), d.of_size(-60, 60));
        4, "atan2, huge or tiny", COUNT => |d| {
            let e = (d.bits() % 1900) as i32 - 1000;
            let at = |d: &mut Dice| d.of_size(e, e + 50);
            (at(d), at(d))
        };
        4, "atan2, near the diagonals", COUNT => |d| {
            let y = d.of_size(-3, 3);
            (y, y * (1.0 + d.of_size(-52, -2)))
        };
    );
}

#[test]
fn inverse_sine_and_cosine() {
    let f = lanes!(|x, _| (math::asin(x), math::acos(x)));
    fn exact<const M: usize>(
        balls: &mut Balls<M>,
        x: &Ball<M>,
        _: &Ball<M>,
    ) -> [Option<Ball<M>>; 2] {
        [
            call(balls, Function::Asin, x, None),
            call(balls, Function::Acos, x, None),
        ]
    }
    let bound = 0.67;
    worst_of!(f, exact, bound;
        4, "asin acos, all", COUNT => |d| (d.between(-1.0, 1.0), 1.0);
        4, "asin acos, near 0", COUNT => |d| (d.of_size(-80, -1), 1.0);
        4, "asin acos, near 1", COUNT => |d| {
            let x = 1.0 - d.of_size(-53, -2).abs();
            let x = if x == 1.0 { 0.75 } else { x };
            (if d.bits() & 1 == 0 { x } else { -x }, 1.0)
        };
    );
}

#[test]
fn hyperbolic() {
    let f = lanes!(|x, _| math::sinh_cosh(x));
    fn exact<const M: usize>(
        balls: &mut Balls<M>,
        x: &Ball<M>,
        _: &Ball<M>,
    ) -> [Option<Ball<M>>; 2] {
        [
            call(balls, Function::Sinh, x, None),
            call(balls, Function::Cosh, x, None),
        ]
    }
    let bound = 0.7;
    worst_of!(f, exact, bound;
        4, "sinh_cosh, near 0", COUNT => |d| (d.between(-3.0, 3.0), 1.0);
        4, "sinh_cosh, to 45", COUNT => |d| (d.between(-45.0, 45.0), 1.0);
        4, "sinh_cosh, to 710", COUNT => |d| (d.between(-710.4, 710.4), 1.0);
        8, "sinh_cosh, small", COUNT => |d| (d.of_size(-80, -1), 1.0);
    );
    let f = lanes!(|x, _| (math::tanh(x), *x));
    let bound = 0.68;
    worst_of!(f, exact!(Tanh), bound;
        4, "tanh, near 0", COUNT => |d| (d.between(-3.0, 3.0), 1.0);
        4, "tanh, to 25", COUNT => |d| (d.between(-25.0, 25.0), 1.0);
        8, "tanh, small", COUNT => |d| (d.of_size(-80, -1), 1.0);
    );
}

/// Equal in bits, or both NaN.
fn same(result: f64, expected: f64, what: &str) {
    assert!(
        result.to_bits() == expected.to_bits() || (result.is_nan() && expected.is_nan()),
        "{what} is {result:e}, not {expected:e}"
    );
}

#[test]
fn special_arguments() {
    use std::f64::consts::{E, FRAC_PI_2, FRAC_PI_4, PI};
    const INF: f64 = f64::INFINITY;
    const NAN: f64 = f64::NAN;
    type One = fn(f64) -> f64;
    let sin: One = |x| math::sin_cos(&[x]).0[0];
    let cos: One = |x| math::sin_cos(&[x]).1[0];
    let tan: One = |x| math::tan(&[x])[0];
    let exp: One = |x| math::exp(&[x])[0];
    let log: One = |x| math::log(&[x])[0];
    let atan: One = |x| math::atan(&[x])[0];
    let asin: One = |x| math::asin(&[x])[0];
    let acos: One = |x| math::acos(&[x])[0];
    let sinh: One = |x| math::sinh_cosh(&[x]).0[0];
    let cosh: One = |x| math::sinh_cosh(&[x]).1[0];
    let tanh: One = |x| math::tanh(&[x])[0];
    let cube_root: One = |x| math::odd_power(&[x], 1, 3)[0];
    for (name, f) in [
        ("sin", sin),
        ("tan", tan),
        ("atan", atan),
        ("asin", asin),
        ("sinh", sinh),
        ("tanh", tanh),
    ] {
        for x in [
            0.0,
            -0.0,
            5e-324,
            -5e-324,
            1e-310,
            f64::MIN_POSITIVE,
            1e-200,
        ] {
            same(f(x), x, &format!("{name} {x:e}"));
        }
    }
    let table: [(&str, One, f64, f64); 45] = [
        ("sin", sin, INF, NAN),
        ("cos", cos, -INF, NAN),
        ("tan", tan, INF, NAN),
        ("sin", sin, NAN, NAN),
        ("cos", cos, 0.0, 1.0),
        ("cos", cos, 5e-324, 1.0),
        ("exp", exp, 0.0, 1.0),
        ("exp", exp, -0.0, 1.0),
        ("exp", exp, 1.0, E),
        ("exp", exp, INF, INF),
        ("exp", exp, -INF, 0.0),
        ("exp", exp, NAN, NAN),
        ("exp", exp, 709.782712893384, 1.7976931348622732e308),
        ("exp", exp, 709.7827128933841, INF),
        ("exp", exp, -745.1332191019411, 5e-324),
        ("exp", exp, -745.1332191019412, 0.0),
        ("exp", exp, 1e300, INF),
        ("exp", exp, -1e300, 0.0),
        ("log", log, 1.0, 0.0),
        ("log", log, 0.0, -INF),
        ("log", log, -0.0, -INF),
        ("log", log, -1.0, NAN),
        ("log", log, -INF, NAN),
        ("log", log, INF, INF),
        ("log", log, NAN, NAN),
        ("log", log, 5e-324, -744.4400719213812),
        ("atan", atan, INF, FRAC_PI_2),
        ("atan", atan, -INF, -FRAC_PI_2),
        ("atan", atan, 1.0, FRAC_PI_4),
        ("atan", atan, f64::MAX, FRAC_PI_2),
        ("atan", atan, NAN, NAN),
        ("asin", asin, 1.0, FRAC_PI_2),
        ("asin", asin, -1.0, -FRAC_PI_2),
        ("asin", asin, 1.0000000000000002, NAN),
        ("acos", acos, 1.0, 0.0),
        ("acos", acos, -1.0, PI),
        ("acos", acos, 0.0, FRAC_PI_2),
        ("acos", acos, -2.0, NAN),
        ("sinh", sinh, -INF, -INF),
        ("cosh", cosh, -INF, INF),
        ("cosh", cosh, 0.0, 1.0),
        ("sinh", sinh, -711.0, -INF),
        ("tanh", tanh, -INF, -1.0),
        ("tanh", tanh, 1e300, 1.0),
        ("tanh", tanh, NAN, NAN),
    ];
    for (name, f, x, expected) in table {
        same(f(x), expected, &format!("{name} {x:e}"));
    }
    for (x, expected) in [
        (0.0, 0.0),
        (-0.0, 0.0),
        (-27.0, -3.0),
        (1.0, 1.0),
        (-1.0, -1.0),
        (INF, INF),
        (-INF, -INF),
        (NAN, NAN),
        (1e-300, 1e-100),
    ] {
        same(cube_root(x), expected, &format!("cube root of {x:e}"));
    }
    same(math::odd_power(&[-8.0], 2, 3)[0], 4.0, "(-8)^(2/3)");
    same(math::odd_power(&[-8.0], -1, 3)[0], -0.5, "(-8)^(-1/3)");
    same(math::odd_power(&[0.0], -1, 3)[0], INF, "0^(-1/3)");
    same(math::odd_power(&[-5.0], 0, 3)[0], 1.0, "(-5)^0");
}

#[test]
fn special_angles() {
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};
    const INF: f64 = f64::INFINITY;
    for (y, x, expected) in [
        (0.0, 0.0, 0.0),
        (-0.0, 0.0, -0.0),
        (0.0, -0.0, PI),
        (-0.0, -0.0, -PI),
        (0.0, 1.0, 0.0),
        (-0.0, 1.0, -0.0),
        (0.0, -1.0, PI),
        (-0.0, -1.0, -PI),
        (1.0, 0.0, FRAC_PI_2),
        (1.0, -0.0, FRAC_PI_2),
        (-1.0, 0.0, -FRAC_PI_2),
        (INF, 1.0, FRAC_PI_2),
        (-INF, INF, -FRAC_PI_4),
        (INF, -INF, 2.356194490192345),
        (1.0, INF, 0.0),
        (-1.0, INF, -0.0),
        (1.0, -INF, PI),
        (5e-324, 5e-324, FRAC_PI_4),
        (f64::MAX, f64::MAX, FRAC_PI_4),
        (5e-324, f64::MAX, 0.0),
        (5e-324, -1.0, PI),
        (f64::MAX, 5e-324, FRAC_PI_2),
        (1e-320, 1.0, 1e-320),
        (f64::NAN, 1.0, f64::NAN),
        (1.0, f64::NAN, f64::NAN),
    ] {
        same(
            math::atan2(&[y], &[x])[0],
            expected,
            &format!("atan2({y:e}, {x:e})"),
        );
    }
}

#[test]
fn special_powers() {
    const INF: f64 = f64::INFINITY;
    const NAN: f64 = f64::NAN;
    for (x, y, expected) in [
        (0.0, 0.0, 1.0),
        (NAN, 0.0, 1.0),
        (1.0, NAN, 1.0),
        (1.0, INF, 1.0),
        (-1.0, INF, 1.0),
        (-1.0, -INF, 1.0),
        (2.0, NAN, NAN),
        (NAN, 2.0, NAN),
        (0.0, 3.0, 0.0),
        (-0.0, 3.0, -0.0),
        (-0.0, 2.0, 0.0),
        (0.0, -3.0, INF),
        (-0.0, -3.0, -INF),
        (-0.0, -2.0, INF),
        (-0.0, 0.5, 0.0),
        (-0.0, -0.5, INF),
        (-2.0, 3.0, -8.0),
        (-2.0, 2.0, 4.0),
        (-2.0, -1.0, -0.5),
        (-2.0, 0.5, NAN),
        (-2.0, 9007199254740992.0, INF),
        (-0.5, INF, 0.0),
        (-0.5, -INF, INF),
        (2.0, INF, INF),
        (2.0, -INF, 0.0),
        (0.5, INF, 0.0),
        (0.5, -INF, INF),
        (INF, 2.0, INF),
        (INF, -2.0, 0.0),
        (-INF, 3.0, -INF),
        (-INF, 2.0, INF),
        (-INF, -3.0, -0.0),
        (-INF, -2.0, 0.0),
        (-INF, 0.5, INF),
        (-INF, INF, INF),
        (2.0, 1024.0, INF),
        (2.0, 1023.0, 8.98846567431158e307),
        (2.0, -1074.0, 5e-324),
        (2.0, -1076.0, 0.0),
        (-2.0, -1075.5, NAN),
        (-2.0, 1025.0, -INF),
        (10.0, 300.0, 1e300),
        (10.0, -310.0, 1e-310),
        (5e-324, 0.5, 2.2227587494850775e-162),
        (1.0000000000000002, 1e300, INF),
        (0.9999999999999999, 1e300, 0.0),
        (3.0, 1.0, 3.0),
        (1.5, 5e-324, 1.0),
    ] {
        same(
            math::pow(&[x], &[y])[0],
            expected,
            &format!("pow({x:e}, {y:e})"),
        );
    }
}

/// Values of formulas are computed with these functions, too: the last digits of a start do not depend on the machine.
#[test]
fn formulas_have_the_bits_of_tapes() {
    let pool = galilei_expr::Pool::new();
    let x = pool.symbol("x");
    let y = pool.symbol("y");
    let formulas = [
        x.sin(),
        x.cos(),
        x.tan(),
        (x / 5).asin(),
        (x / 5).acos(),
        x.atan(),
        x.sinh(),
        x.cosh(),
        x.tanh(),
        x.exp(),
        x.abs().log(),
        x.atan2(y),
        x.pow(Rational::new(1, 3)),
        x.pow(Rational::new(5, 7)),
        x.pow(Rational::new(2, 3)),
        (x.exp() + 1).pow(Rational::new(3, 4)),
    ];
    let mut builder = galilei_tape::Builder::new(&[x, y]);
    let registers = formulas.map(|e| builder.expr(e).expect("a formula of tapes"));
    let tape = builder.finish(registers.to_vec());
    let mut dice = Dice(11);
    for _ in 0..2000 {
        let at = [dice.between(-5.0, 5.0), dice.between(-5.0, 5.0)];
        let expected = tape.run(&at, &[]);
        for (formula, expected) in formulas.iter().zip(expected) {
            let value = formula.evaluate_f64(&[(x, at[0]), (y, at[1])]);
            let (a, b) = (value.to_bits(), expected.to_bits());
            assert_eq!(a, b, "{formula} at {at:?}: {value:e}, {expected:e}");
        }
    }
}
