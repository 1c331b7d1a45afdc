//! Motions that settle: what is left of them is one leap of `taylor`, not hundreds of steps.

use crate::common;

use common::{by, distance, finished, largest, near};
use galilei_integrate::{Error, Options, Record, Status};

/// The largest difference of two lists of rows, beside the largest entry.
fn difference(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    assert_eq!(a.len(), b.len());
    let size = b.iter().flatten().fold(1.0_f64, |m, x| m.max(x.abs()));
    largest(a.iter().zip(b).map(|(a, b)| distance(a, b))) / size
}

/// A blade ahead of the mass centre turns until it follows: √2·v is the last speed, by the energy.
fn sleigh(end: &str) -> String {
    format!(
        "param m = 1, J = 1, a = 1\ncoord x, y, theta\nlet ahead = (cos(theta), sin(theta))\n\
         body sleigh: mass m inertia J at (x, y) + a*ahead angle theta\n\
         constraint blade: cross(ahead, velocity(sleigh, (-a, 0))) = 0\n\
         initial x' = 0.5, theta' = 2\n{end}\n"
    )
}

#[test]
fn a_sleigh_runs_straight_on() {
    let text = sleigh("simulate to 2000 every 8");
    for tolerance in [1e-9, 1e-15] {
        let run = finished("taylor", &text, tolerance);
        assert!(run.steps < 40, "{} steps", run.steps);
        assert!(run.settled.is_some_and(|t| t < 100.0));
        assert!(run.energy_balance < 10.0 * tolerance.max(1e-15));
        // v² = v₀² + (J + ma²)ω₀²/m
        let speed = run.state[3].hypot(run.state[4]);
        near(speed, 8.25_f64.sqrt(), 10.0 * tolerance);
        // Rows on the way, against another method.
        let other = finished("dop853", &text, tolerance.max(1e-12));
        let apart = difference(&run.rows, &other.rows);
        assert!(apart < 100.0 * tolerance.max(1e-12), "{apart}");
    }
}

#[test]
fn a_pendulum_with_friction_comes_to_rest() {
    let text = "param c = 0.3\ncoord q\nkinetic: q'^2/2\npotential: -cos(q)\nforce friction: q = -c*q'\n\
                initial q = 2\nsimulate to 20000 every 10\n";
    let run = finished("taylor", text, 1e-9);
    assert!(run.steps < 200, "{} steps", run.steps);
    assert!(run.state.iter().all(|x| x.abs() < 1e-15), "{:?}", run.state);
    assert!(run.energy_balance < 1e-8, "{}", run.energy_balance);
    let short = text.replace("to 20000", "to 400");
    let other = finished("dop853", &short, 1e-11);
    let apart = difference(&run.rows[..=40], &other.rows);
    assert!(apart < 1e-8, "{apart}");
    // An event at each turn: nothing is leapt over.
    let turns = |method: &str, tolerance: f64| {
        let text = format!("{}event turn: q'\n", text.replace("to 20000", "to 100"));
        finished(method, &text, tolerance).crossings.len()
    };
    assert_eq!(turns("taylor", 1e-9), turns("dop853", 1e-12));
}

#[test]
fn a_wheel_that_is_driven_as_much_as_braked_turns_evenly() {
    let text = "param k = 0.7, M = 1.4\ncoord q\nkinetic: q'^2/2\nforce drive: q = M - k*q'^3\n\
                initial q' = 0.1\nsimulate to 5000\n";
    let run = finished("taylor", text, 1e-10);
    assert!(run.steps < 100, "{} steps", run.steps);
    near(run.state[1], 2.0_f64.cbrt(), 1e-10);
    assert!(run.energy_balance < 1e-7, "{}", run.energy_balance);
    let other = finished("dop853", text, 1e-12);
    near(run.state[0], other.state[0], 1e-8);
}

/// Thrown up so that it nearly stops upright: it is calm there, and falls all the same.
#[test]
fn a_pendulum_that_stops_upright_falls() {
    let text = "param d = 1e-10\ncoord q\nkinetic: q'^2/2\npotential: -cos(q)\n\
                initial q' = 2*(1 - d)\nsimulate to 2000\n";
    let run = by("taylor", text, 1e-6).run;
    assert_eq!(run.status, Status::Finished);
    let other = finished("taylor", text, 1e-14);
    // It swings on for ever, with the same period.
    assert!(run.steps > 500 && other.steps > 500);
    assert_eq!([run.settled, other.settled], [None, None]);
    assert!(run.energy_balance < 1e-3);
}

/// Whoever waits for rows of a leap can stop it.
#[test]
fn a_leap_with_many_rows_can_be_interrupted() {
    let compiled = common::compiled(&sleigh("simulate to 1"));
    let options = Options {
        to: 1e5,
        record: Record::Every(0.5),
        tolerance: 1e-9,
        max_steps: 1_000_000,
        ..Options::default()
    };
    let start = [0.0, 0.0, 0.0, 0.5, 0.0, 2.0];
    let run = compiled.integrate(&start, &options, |t| t < 2000.0);
    assert_eq!(run.status, Status::Failed(Error::Interrupted));
    assert!((4000..6000).contains(&run.rows.len()), "{}", run.rows.len());
    assert!(run.steps < 40);
}
