//! Enclosures contain references that share no code with them: values of mpmath.

mod common;

use common::{enclosed, pair, state};
use galilei_certify::CERTIFIED_TOLERANCE;

const KEPLER: &str = "coord x, y\nkinetic: x'^2/2 + y'^2/2\npotential: -1/sqrt(x^2 + y^2)\ninitial x = 0.4, y' = 2\n";
const DOUBLE_PENDULUM: &str = "param g = 9.81\ncoord a, b\nkinetic: a'^2 + b'^2/2 + a'*b'*cos(a - b)\npotential: -2*g*cos(a) - g*cos(b)\ninitial a = 1, b = 1.5\n";

/// Values of mpmath 1.3 at t = 1, odefun with 45 digits, rounded to pairs: the double nearest, and the rest.
const KEPLER_AT_1: [&str; 4] = [
    "-0.628948176826624230582918587817501442",
    "0.799664730970039266599484724505168831",
    "-0.982515690938811327687772587326457271",
    "-0.0227631700974304199197307940278182272",
];
const DOUBLE_PENDULUM_AT_1: [&str; 4] = [
    "-0.665314329682786921967138480599012908",
    "-0.747622590034531450635406699418849453",
    "-2.86855488836595059917117122554059346",
    "-0.933904480586560685428565700984224264",
];

#[test]
fn enclosures_contain_references_and_shrink_with_the_tolerance() {
    for (text, reference) in [
        (KEPLER, KEPLER_AT_1),
        (DOUBLE_PENDULUM, DOUBLE_PENDULUM_AT_1),
    ] {
        let mut last = f64::INFINITY;
        for tolerance in [1e-6, 1e-9, 1e-12, CERTIFIED_TOLERANCE] {
            let found = enclosed(text, (1, 1), tolerance);
            assert!(found.certified, "{:?}", found.reason);
            for (interval, reference) in state(&found).into_iter().zip(reference) {
                let beyond = pair(reference).beyond(interval);
                assert!(beyond <= 0.0, "{text} {tolerance} {interval:?} {reference}");
            }
            assert!(found.width() < 0.1 * last, "{tolerance} {}", found.width());
            last = found.width();
        }
        assert!(last < 1e-13, "{last}");
    }
}

#[test]
fn a_wrong_coefficient_is_caught() {
    // A part in 10¹² of the gravitation.
    for (text, wrong, reference) in [
        (
            KEPLER,
            KEPLER.replace("-1/sqrt", "-1.000000000001/sqrt"),
            KEPLER_AT_1,
        ),
        (
            DOUBLE_PENDULUM,
            DOUBLE_PENDULUM.replace("g = 9.81", "g = 9.81000000001"),
            DOUBLE_PENDULUM_AT_1,
        ),
    ] {
        let apart = |a: [f64; 2], b: [f64; 2]| a[1] < b[0] || b[1] < a[0];
        let (good, bad) = (
            state(&enclosed(text, (1, 1), CERTIFIED_TOLERANCE)),
            state(&enclosed(&wrong, (1, 1), CERTIFIED_TOLERANCE)),
        );
        assert!(
            good.iter().zip(&bad).all(|(a, b)| apart(*a, *b)),
            "{good:?} {bad:?}"
        );
        let out = bad.iter().zip(reference).map(|(i, x)| pair(x).beyond(*i));
        assert!(out.fold(f64::NEG_INFINITY, f64::max) > 0.0);
    }
}
