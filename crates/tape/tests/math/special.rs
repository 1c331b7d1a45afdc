//! Arguments with exact results: zeros, ends of domains, infinities.

use super::*;

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
