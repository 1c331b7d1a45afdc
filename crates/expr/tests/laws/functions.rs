//! Every elementary function over many magnitudes: doubles are close to the value another library
//! computes, intervals and balls contain it, and are narrow.

use galilei_expr::{Expr, Function, Interval, Pool, Program, Rational};

use crate::big::{self, Big, Value};
use crate::draw::Dice;
use crate::enclosure::{checked, interval_ends, narrow, program};
use crate::law::Law;
use crate::tree::Tree;

/// |x·f′(x)| from a difference quotient: the effect of a relative error of the arguments.
fn sensitivity(tree: &Tree, point: &[Rational], v: &Value) -> isize {
    let tiny = Rational::from(2).powi(-300, 1 << 10).unwrap();
    (0..point.len())
        .filter_map(|k| {
            let mut near = point.to_vec();
            near[k] = &point[k] + &(&point[k] * &tiny);
            let change = big::value(tree, &near)?.value - &v.value;
            Some(big::log2(&change) + 300)
        })
        .max()
        .unwrap_or(isize::MIN)
}

/// The requirements on one function at one point.
struct Demands {
    /// The ball must exist.
    ball: bool,
    /// The interval must exist and be narrow.
    interval: bool,
    /// The largest error of a double, in units in the last place.
    ulps: u32,
}

/// All three arithmetics at one point, given as doubles.
fn at_point(tree: &Tree, point: &[f64], demands: &Demands) -> Law {
    let exact: Vec<Rational> = point
        .iter()
        .map(|&x| Rational::from_f64(x).unwrap())
        .collect();
    at_exact(tree, &exact, demands)?;
    let pool = Pool::new();
    let program = program(&pool, tree, point.len());
    let Some(v) = big::value(tree, &exact) else {
        return Ok(());
    };
    let double = program.f64(point)[0];
    let Some(there) = big::double(double) else {
        return match v.value.to_f64().value().is_infinite() {
            true => Ok(()),
            false => Err(format!("{tree} at {point:?}: {double}")),
        };
    };
    let off = big::abs(&there - &v.value);
    if off
        > ((big::abs(v.value.clone()) * Big::from(demands.ulps)) >> 52)
            + big::double(f64::MIN_POSITIVE).unwrap()
    {
        return Err(format!("{tree} at {point:?}: {double} is off"));
    }
    let inputs: Vec<Interval> = point.iter().map(|&x| Interval::point(x)).collect();
    match (program.intervals(&inputs)[0], demands.interval) {
        (Some(i), narrow) => {
            let Some(ends) = interval_ends(i) else {
                return Ok(());
            };
            checked(&ends, &v).map_err(|e| format!("interval of {tree} at {point:?}: {e}"))?;
            let [low, high] = ends;
            let allowed = (big::abs(v.value.clone()) >> 40) + big::double(1e-300).unwrap();
            match narrow && high - low > allowed {
                true => Err(format!("interval of {tree} at {point:?} is wide: {i:?}")),
                false => Ok(()),
            }
        }
        (None, true) => Err(format!("no interval of {tree} at {point:?}")),
        (None, false) => Ok(()),
    }
}

/// The ball at an exact point: it contains the value, and its radius is at most 2⁻²⁰⁰ of what a
/// relative error of the arguments would change.
fn at_exact(tree: &Tree, point: &[Rational], demands: &Demands) -> Law {
    let pool = Pool::new();
    let at = || format!("ball of {tree} at {point:?}");
    let Some(v) = big::value(tree, point) else {
        return Ok(());
    };
    let Some(ball) = program(&pool, tree, point.len()).balls::<4>(point)[0] else {
        return match demands.ball {
            true => Err(format!("no {}", at())),
            false => Ok(()),
        };
    };
    let ends = big::ends(&ball).ok_or_else(at)?;
    checked(&ends, &v).map_err(|e| format!("{}: {e}", at()))?;
    let scale = sensitivity(tree, point, &v).max(big::log2(&v.value));
    narrow(&ball, scale).map_err(|e| format!("{}: {e}", at()))
}

/// Doubles with random digits: both signs, every power of ten from 10^low to 10^high.
fn magnitudes(seed: u64, low: i32, high: i32) -> Vec<f64> {
    let mut dice = Dice::new(seed);
    let mut list = Vec::new();
    for k in low..=high {
        let digits = 1.0 + (dice.word() >> 12) as f64 / (1u64 << 52) as f64 * 8.9;
        list.extend([
            digits * 10f64.powi(k),
            -digits * 10f64.powi(k),
            10f64.powi(k),
        ]);
    }
    list
}

/// 1 ∓ 2⁻ᵏ
fn near_one() -> Vec<f64> {
    (1..=52)
        .map(|k| 0.5f64.powi(k))
        .flat_map(|d| [1.0 - d, d - 1.0, 1.0 + d])
        .collect()
}

/// The doubles next to multiples of π/2.
fn near_zeros() -> Vec<f64> {
    let half = std::f64::consts::FRAC_PI_2;
    (1..=12)
        .chain([101, 1000, 31_415, 1_000_003])
        .flat_map(|k| {
            let x = half * f64::from(k);
            [x, x.next_up(), -x, x + 1e-9]
        })
        .collect()
}

fn all(list: impl IntoIterator<Item = Law>) {
    let wrong: Vec<String> = list.into_iter().filter_map(Law::err).collect();
    let shown = &wrong[..wrong.len().min(6)];
    assert!(
        wrong.is_empty(),
        "{} cases, such as {shown:#?}",
        wrong.len()
    );
}

/// f at every double of the list.
fn everywhere(f: Function, points: Vec<f64>, narrow: impl Fn(f64) -> bool) {
    let tree = Tree::call(f, Tree::Symbol(0));
    all(points.into_iter().map(|x| {
        let demands = Demands {
            ball: true,
            interval: narrow(x),
            ulps: 4,
        };
        at_point(&tree, &[x], &demands)
    }));
}

macro_rules! function_laws {
    ($($name:ident: $f:ident, $points:expr, $narrow:expr;)*) => {
        $(
            #[test]
            fn $name() {
                everywhere(Function::$f, $points, $narrow);
            }
        )*
    };
}

function_laws! {
    sines: Sin, [magnitudes(1, -40, 15), near_zeros()].concat(), |x| x.abs() < 1.5;
    cosines: Cos, [magnitudes(2, -40, 15), near_zeros()].concat(), |x| x.abs() < 1.5;
    tangents: Tan, [magnitudes(3, -40, 15), near_zeros()].concat(), |x| x.abs() < 1.5;
    inverse_sines: Asin, [magnitudes(4, -40, -1), near_one()].concat(), |x| x.abs() < 1.0;
    inverse_cosines: Acos, [magnitudes(5, -40, -1), near_one()].concat(), |x| x.abs() < 1.0;
    inverse_tangents: Atan, magnitudes(6, -40, 40), |_| true;
    hyperbolic_sines: Sinh, magnitudes(7, -40, 5), |x| x.abs() < 10.0;
    hyperbolic_cosines: Cosh, magnitudes(8, -40, 5), |x| x.abs() < 10.0;
    hyperbolic_tangents: Tanh, magnitudes(9, -40, 5), |_| true;
    exponentials: Exp, magnitudes(10, -40, 5), |x| x.abs() < 10.0;
    logarithms: Log, [magnitudes(11, -40, 40), near_one()].concat(), |x| x > 0.0;
    absolute_values: Abs, magnitudes(12, -40, 40), |_| true;
    signs: Sign, magnitudes(13, -40, 40), |_| true;
}

/// All quadrants and both axes.
#[test]
fn angles_of_points() {
    let tree = Tree::call2(Function::Atan2, Tree::Symbol(0), Tree::Symbol(1));
    let sizes = magnitudes(14, -20, 20);
    let other = magnitudes(15, -20, 20);
    let quadrants = sizes.iter().zip(&other).map(|(&a, &b)| (a, b));
    let axes = [1e-20, 0.3, 1.0, 1e20]
        .into_iter()
        .flat_map(|r| [(0.0, r), (r, 0.0), (-r, 0.0)]);
    let near = [1e-9, 1e-17, 1e-40]
        .into_iter()
        .flat_map(|d| [(d, -1.0), (-d, -1.0), (1.0, d), (-1.0, -d)]);
    all(quadrants.chain(axes).chain(near).map(|(y, x)| {
        let demands = Demands {
            ball: true,
            interval: true,
            ulps: 4,
        };
        at_point(&tree, &[y, x], &demands)
    }));
}

/// On the cut the angle is π, and no value of a double may say −π.
#[test]
fn the_cut_belongs_to_the_upper_side() {
    let pool = Pool::new();
    let [x, y] = pool.symbols(["x", "y"]);
    let angle = |e: Expr<'_>| e.evaluate_f64(&[(x, -1.0), (y, 0.0)]);
    assert_eq!(angle(y.atan2(x)), std::f64::consts::PI);
    assert_eq!(angle((-y).atan2(x)), std::f64::consts::PI);
    assert_eq!(angle((y * x).atan2(x)), std::f64::consts::PI);
}

/// Where an expression is not defined, a double is NaN, a ball and an interval do not exist.
#[test]
fn undefined_points_have_no_value() {
    let pool = Pool::new();
    let [x, y] = pool.symbols(["x", "y"]);
    let cases = [
        (x.recip(), 0),
        (x.pow(-2), 0),
        (x.pow(Rational::new(-1, 3)), 0),
        (x.pow(Rational::new(-1, 2)), 0),
        (x.sqrt(), -1),
        (x.pow(Rational::new(3, 4)), -1),
        (x.log(), 0),
        (x.log(), -1),
        (x.asin(), 2),
        (x.acos(), -2),
        (x.atan2(x), 0),
        (x.atan2(x).sin() * y, 0),
    ];
    let mut wrong = vec![];
    for (e, n) in cases {
        let program = Program::new(&[e], &[x, y]).ok().unwrap();
        let double = program.f64(&[f64::from(n), 1.0])[0];
        let ball = program.balls::<4>(&[Rational::from(n), Rational::ONE])[0];
        let interval = program.intervals(&[Interval::point(f64::from(n)), Interval::point(1.0)])[0];
        if !double.is_nan() || ball.is_some() || interval.is_some() {
            wrong.push(format!("{e} at {n}: {double}, {interval:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Integer powers, even roots, odd roots of negative numbers, and their inverses.
#[test]
fn powers() {
    let exponents = [
        (2, 1),
        (3, 1),
        (-1, 1),
        (-2, 1),
        (7, 1),
        (-13, 1),
        (40, 1),
        (1, 2),
        (-1, 2),
        (3, 2),
        (1, 3),
        (2, 3),
        (-1, 3),
        (-2, 3),
        (5, 3),
        (1, 4),
        (-7, 4),
        (1, 5),
        (-4, 5),
        (22, 7),
    ];
    for (n, d) in exponents {
        let tree = Tree::Symbol(0).pow(n, d);
        let points = [
            magnitudes(16, -7, 7),
            near_one(),
            vec![4.0, 9.0, 0.25, -8.0, 27.0],
        ]
        .concat();
        all(points
            .into_iter()
            .filter(|&x| d % 2 == 1 || x > 0.0)
            .map(|x| {
                let demands = Demands {
                    ball: true,
                    interval: true,
                    ulps: 4 + 2 * (n as i32).unsigned_abs(),
                };
                at_point(&tree, &[x], &demands)
            }));
    }
}

/// Square roots of doubles whose root, rounded, is an integer: only true squares are exact.
#[test]
fn roots_next_to_integers() {
    let tree = Tree::Symbol(0).root();
    let demands = Demands {
        ball: true,
        interval: true,
        ulps: 1,
    };
    all((0..60).flat_map(|k| {
        let n = ((1u64 << 26) + (1 << (k % 27)) + k) as f64;
        [n * n, (n * n).next_up(), (n * n).next_down()].map(|x| at_point(&tree, &[x], &demands))
    }));
}

/// Fractions that equal no double: thirds, sevenths, and numbers so close to π/2 and 1 that only
/// a few hundred bits distinguish them.
#[test]
fn exact_points() {
    let pi = big::rough(&Tree::Pi, &[], 400).unwrap();
    let dyadic = |x: &Big, bits: u32| {
        let two = Rational::from(2);
        let n = (x.clone() << bits as isize).to_int().value();
        &Rational::from(n) * &two.powi(-i64::from(bits), 1 << 12).unwrap()
    };
    let small = |k: i64| Rational::from(2).powi(-k, 1 << 12).unwrap();
    let mut points = vec![
        Rational::new(1, 3),
        Rational::new(-22, 7),
        Rational::new(355, 113),
    ];
    for bits in [20, 60, 100, 150, 200] {
        for multiple in [1, 2, 3, 7, 1000] {
            let near = dyadic(&(&pi * Big::from(multiple)), bits);
            points.extend([&near * &Rational::new(1, 2), near]);
        }
        let d = small(i64::from(bits));
        points.extend([
            &Rational::ONE - &d,
            &d - &Rational::ONE,
            &Rational::ONE + &d,
            d,
        ]);
    }
    for f in Function::ALL.into_iter().filter(|f| f.arity() == 1) {
        let tree = Tree::call(f, Tree::Symbol(0));
        let demands = Demands {
            ball: true,
            interval: false,
            ulps: 4,
        };
        all(points
            .iter()
            .map(|q| at_exact(&tree, std::slice::from_ref(q), &demands)));
    }
}
