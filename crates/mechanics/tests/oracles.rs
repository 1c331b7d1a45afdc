//! Potential tests and inertia forces of systems solved by the classical route.
//!
//! Each was derived independently: by differentiating Lagrangians, not by forms.

mod common;
#[path = "../../expr/tests/common/mod.rs"]
mod reader;

use common::*;
use galilei_expr::{Expr, Pool};
use galilei_mechanics::{AdaptedChart, Force, GalileanMetric, Inertia, ReferenceField, StateSpace};

/// Name, coordinates, force, and V with A, or the condition that fails.
type Oracle = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    Result<(&'static str, &'static [&'static str]), &'static str>,
);

const ORACLES: [Oracle; 11] = [
    (
        "harmonic oscillator",
        &["x"],
        &["-k*x"],
        Ok(("k*x^2/2", &["0"])),
    ),
    (
        "charge in uniform fields",
        &["x", "y", "z"],
        &["q*(B*y' + E*cos(w*t))", "-B*q*x'", "F*q"],
        Ok(("-q*(E*x*cos(w*t) + F*z)", &["-B*q*y/2", "B*q*x/2", "0"])),
    ),
    (
        "gyroscopic oscillator",
        &["x", "y", "z"],
        &["-b*z' + c*y'", "a*z' - c*x'", "-a*y' + b*x'"],
        Ok(("0", &["b*z/2 - c*y/2", "-a*z/2 + c*x/2", "a*y/2 - b*x/2"])),
    ),
    (
        "hidden potential force",
        &["x", "y"],
        &[
            "-2*a*t*y'*x*y - a*x*y^2 + 2*b*y'*x*sin(y) - c*y*cos(t)",
            "2*a*t*x'*x*y - 2*b*x'*x*sin(y) - c*x*cos(t)",
        ],
        Ok(("c*x*y*cos(t)", &["a*t*x*y^2", "b*x^2*sin(y)"])),
    ),
    (
        "missing induction",
        &["x", "y"],
        &["b*t*y' - k*x", "-b*t*x' - k*y"],
        Err("P4"),
    ),
    (
        "Ziegler's follower force",
        &["p", "q"],
        &["P*l*sin(p - q)", "0"],
        Err("P4"),
    ),
    (
        "damped chain",
        &["x", "y"],
        &["-c*x' + d*(-x' + y')", "-d*(-x' + y')"],
        Err("P2"),
    ),
    (
        "quadratic drag",
        &["x", "y"],
        &["-c*x'*sqrt(x'^2 + y'^2)", "-c*y'*sqrt(x'^2 + y'^2)"],
        Err("P1"),
    ),
    (
        "rotating frame with angular acceleration",
        &["x", "y"],
        &[
            "m*(y'*(2*t*v + 2*w) + v*y + x*(t*v + w)^2)",
            "m*(x'*(-2*t*v - 2*w) - v*x + y*(t*v + w)^2)",
        ],
        Ok((
            "-m*(x^2 + y^2)*(t*v + w)^2/2",
            &["-m*y*(t*v + w)", "m*x*(t*v + w)"],
        )),
    ),
    (
        "Foucault's pendulum",
        &["x", "y"],
        &["-g*m*x/l + 2*m*y'*w*sin(b)", "-g*m*y/l - 2*m*x'*w*sin(b)"],
        Ok(("g*m*(x^2 + y^2)/(2*l)", &["-m*w*y*sin(b)", "m*w*x*sin(b)"])),
    ),
    (
        "Kepler in the plane",
        &["x", "y"],
        &["-k*x*(x^2+y^2)^(-3/2)", "-k*y*(x^2+y^2)^(-3/2)"],
        Ok(("-k/sqrt(x^2+y^2)", &["0", "0"])),
    ),
];

#[test]
fn potential_tests() {
    for (name, coordinates, components, expected) in ORACLES {
        let pool = Pool::new();
        let s = StateSpace::new(AdaptedChart::new(&pool, "t", coordinates));
        let read = |text: &str| reader::read(&pool, text);
        let force = Force::new(&s, components.iter().map(|c| read(c)).collect());
        let test = force.potential_test();
        match expected {
            Err(condition) => {
                let failure = test
                    .failure()
                    .unwrap_or_else(|| panic!("{name} is not potential"));
                assert_eq!(failure.condition.to_string(), condition, "{name}");
                assert!(failure.verdict.is_refuted(), "{name}");
            }
            Ok((v, a)) => {
                assert!(test.is_potential(), "{name}");
                let origin: Vec<Expr<'_>> = coordinates.iter().map(|_| pool.zero()).collect();
                let found = force.potentials(&origin).unwrap();
                assert!(found.closed_form, "{name}");
                // The potentials found give back the force,
                for (x, y) in found.force(&s).components().iter().zip(force.components()) {
                    proved(x.decide_equal(*y));
                }
                // and differ from the known ones by a gauge: the difference is closed.
                let known = galilei_mechanics::Potentials::new(
                    s.base(),
                    read(v),
                    a.iter().map(|c| read(c)).collect(),
                );
                proved(found.one_form().minus(&known.one_form()).d().decide_zero());
            }
        }
    }
}

#[test]
fn inertia_between_rotating_and_inertial_rest() {
    let pool = Pool::new();
    let base = AdaptedChart::new(&pool, "t", ["x", "y"]);
    let s = StateSpace::new(base.clone());
    let read = |text: &str| reader::read(&pool, text);
    let (m, zero) = (pool.symbol("m"), pool.zero());
    let g = GalileanMetric::new(&base, vec![vec![m, zero], vec![zero, m]]).unwrap();
    let rotating = ReferenceField::resting(&base);
    let inertial = ReferenceField::new(&base, vec![read("y*(t*v + w)"), read("x*(-t*v - w)")]);
    let inertia = Inertia::new(&s, &g, &rotating, &inertial);
    let one_form = [
        "m*(x^2 + y^2)*(t*v + w)^2/2",
        "-m*y*(t*v + w)",
        "m*x*(t*v + w)",
    ];
    for (k, text) in one_form.iter().enumerate() {
        proved(inertia.one_form().component(&[k]).decide_equal(read(text)));
    }
    let force = [
        "m*t^2*v^2*x + 2*m*t*y'*v + 2*m*t*w*v*x + 2*m*y'*w + m*w^2*x + m*v*y",
        "m*t^2*v^2*y - 2*m*t*x'*v + 2*m*t*w*v*y - 2*m*x'*w + m*w^2*y - m*v*x",
    ];
    for (got, text) in inertia.force().components().iter().zip(force) {
        proved(got.decide_equal(read(text)));
    }
}
