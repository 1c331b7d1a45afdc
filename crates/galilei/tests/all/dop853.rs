//! The Runge–Kutta method: its order, and its runs against exact results and against Taylor series.

use crate::common;

use common::{by, compiled, distance, near};
use galilei::{Model, Motion, RunSettings};
use galilei_integrate::{Error, Method, Options, Record, Status};

fn run(text: &str) -> Motion {
    by("dop853", text, None)
}

/// Those that find events and cross kinks in the same way.
const METHODS: [&str; 4] = ["taylor", "dop853", "radau", "gauss6"];

const DOUBLE: &str = "coord a, b\nkinetic: a'^2 + b'^2/2 + a'*b'*cos(a - b)\n\
                      potential: -2*cos(a) - cos(b)\ninitial a = 0.5, b = 1\nsimulate to 20\n";
const KEPLER: &str = "coord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: -1/sqrt(x^2 + y^2)\n\
                      initial x = 1, y' = 1.2\nsimulate to 20\n";

/// Steps of one length: the error falls with its eighth power, that between steps with its eighth or
/// better, as one step of order seven is.
#[test]
fn the_order_is_eight() {
    for (text, start) in [
        (DOUBLE, [0.0, 0.5, 1.0, 0.3, -0.2]),
        (KEPLER, [0.0, 1.0, 0.0, 0.0, 1.2]),
    ] {
        let c = compiled(text);
        let mut step = c.single_step(Method::Dop853).unwrap();
        let mut end = |steps: usize| {
            let h = 2.0 / steps as f64;
            let mut state = start.to_vec();
            for _ in 0..steps {
                state = step.step(&state, h).unwrap();
            }
            state
        };
        let exact = end(640);
        let errors: Vec<f64> = [5, 10, 20]
            .into_iter()
            .map(|k| distance(&end(k)[1..], &exact[1..]))
            .collect();
        for pair in errors.windows(2) {
            let slope = (pair[0] / pair[1]).log2();
            assert!((7.4..9.6).contains(&slope), "slope {slope} of {errors:?}");
        }
        // Within one step: a state of order seven has an error of order eight.
        let mut middle = |h: f64| {
            step.step(&start, h).unwrap();
            let between = step.between(0.3).unwrap();
            let mut fine = start.to_vec();
            for _ in 0..64 {
                fine = step.step(&fine, 0.3 * h / 64.0).unwrap();
            }
            distance(&between, &fine[1..])
        };
        let errors = [0.4, 0.2].map(&mut middle);
        let slope = (errors[0] / errors[1]).log2();
        assert!((7.2..9.8).contains(&slope), "slope {slope} of {errors:?}");
    }
}

/// The error falls with the tolerance, and the steps with its eighth root.
#[test]
fn the_error_follows_the_tolerance() {
    for text in [DOUBLE, KEPLER] {
        let exact = by("taylor", text, Some(1e-17)).run.state;
        let mut results: Vec<(f64, f64)> = Vec::new();
        for tolerance in [1e-6, 1e-8, 1e-10, 1e-12] {
            let m = by("dop853", text, Some(tolerance));
            assert_eq!(m.method, "dop853");
            assert_eq!(m.run.order, 8);
            let error = distance(&m.run.state, &exact);
            assert!(error < 1000.0 * tolerance, "{tolerance}: {error}");
            results.push((error.ln(), (m.run.steps as f64).ln()));
            assert!(m.run.energy_balance < 100.0 * tolerance);
        }
        let (first, last) = (results[0], results[3]);
        let slope = (first.0 - last.0) / (last.1 - first.1);
        assert!((7.0..10.0).contains(&slope), "slope {slope}: {results:?}");
    }
}

#[test]
fn arenstorfs_orbit_returns() {
    let m = by(
        "dop853",
        "param mu = 0.012277471\ncoord x, y\n\
         let r1 = sqrt((x + mu)^2 + y^2)\nlet r2 = sqrt((x - 1 + mu)^2 + y^2)\n\
         kinetic: ((x' - y)^2 + (y' + x)^2)/2\npotential: -(1 - mu)/r1 - mu/r2\n\
         initial x = 0.994, y' = -2.00158510637908252240537862224\n\
         simulate to 17.0652165601579625588917206249\n",
        Some(1e-15),
    );
    near(m.run.state[0], 0.994, 1e-7);
    near(m.run.state[1], 0.0, 1e-7);
    near(m.run.state[3], -2.001_585_106_379_082_5, 1e-5);
}

#[test]
fn pleiades() {
    let m = by(
        "dop853",
        "const n = 7\ncoord x[1..n], y[1..n]\n\
         for i in 1..n { particle star[i]: mass i at (x[i], y[i]) }\n\
         potential: -sum(i in 1..n: sum(j in 1..i-1: i*j/sqrt((x[i] - x[j])^2 + (y[i] - y[j])^2)))\n\
         initial x[1] = 3, x[2] = 3, x[3] = -1, x[4] = -3, x[5] = 2, x[6] = -2, x[7] = 2\n\
         initial y[1] = 3, y[2] = -3, y[3] = 2, y[6] = -4, y[7] = 4\n\
         initial x[6]' = 1.75, x[7]' = -1.5, y[4]' = -1.25, y[5]' = 1\nsimulate to 3\n",
        Some(1e-14),
    );
    near(m.run.state[0], 0.370_613_914_397_050_2, 1e-10);
    near(m.run.state[1], 3.237_284_092_057_233, 1e-10);
    assert!(m.run.energy_balance < 1e-11);
}

/// All models that have runs of their own, by both methods.
#[test]
fn models_move_alike() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
    let mut seen = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|e| e != "gal") {
            continue;
        }
        let model = Model::open(&path).unwrap();
        let end = RunSettings::new().to(2.0);
        println!("{}", path.display());
        let Ok(one) = model.simulate().settings(end.clone()).run() else {
            continue;
        };
        if one.has_contacts {
            continue;
        }
        let settings = end.method(Method::Dop853);
        let other = model.simulate().settings(settings.clone()).run().unwrap();
        let name = path.file_stem().unwrap().to_string_lossy();
        assert_eq!(one.run.status, other.run.status, "{name}");
        let size = one.run.state.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        let off = distance(&one.run.state, &other.run.state) / size;
        println!(
            "{name}: {off:.1e}, {} and {} + {} steps, balance {:.1e} and {:.1e}",
            one.run.steps,
            other.run.steps,
            other.run.rejected,
            one.run.energy_balance,
            other.run.energy_balance
        );
        assert!(off < 1e-8, "{name}: {off}");
        assert!(other.run.energy_balance < 1e-9, "{name}");
        assert_eq!(one.run.crossings.len(), other.run.crossings.len(), "{name}");
        for (a, b) in one.run.crossings.iter().zip(&other.run.crossings) {
            assert_eq!(a.event, b.event);
            near(a.time, b.time, 1e-8);
        }
        seen += 1;
    }
    assert!(seen > 20, "{seen}");
}

/// x″ = −sign(x): parabolas; from x = 1/2 at rest, quarter period 1. Forward and backward.
#[test]
fn kinks_are_crossed_forward_and_backward() {
    for method in METHODS {
        for force in [
            "-sign(x)",
            "if(x > 0, -1, 1)",
            "max(-1, min(1, -1000000000*x))",
        ] {
            for to in ["4", "-4", "3.5", "-3.5"] {
                let m = by(
                    method,
                    &format!(
                        "coord x\nkinetic: x'^2/2\nforce: x = {force}\ninitial x = 0.5\nsimulate to {to}\n"
                    ),
                    None,
                );
                assert_eq!(m.run.status, Status::Finished, "{method} {force} {to}");
                let tolerance = if force.starts_with("max") {
                    1e-7
                } else {
                    1e-12
                };
                let t: f64 = to.parse().unwrap();
                let (x, u) = match t.abs() {
                    4.0 => (0.5, 0.0),
                    _ => (0.375, 0.5 * t.signum()),
                };
                near(m.run.state[0], x, tolerance);
                near(m.run.state[1], u, tolerance);
            }
        }
        let m = by(
            method,
            "coord x\nkinetic: x'^2/2\nforce: x = -x*abs(x)\ninitial x = 1\nsimulate to 6.869261369017644\n",
            None,
        );
        near(m.run.state[0], 1.0, 1e-10);
    }
}

#[test]
fn events_know_their_direction_and_end_a_run() {
    let base = "coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1\nsimulate to 20\n";
    let pi = std::f64::consts::PI;
    let times = |event: &str| -> Vec<f64> {
        let m = run(&format!("{base}event crossing: {event}\n"));
        m.run.crossings.iter().map(|c| c.time).collect()
    };
    let both = times("x");
    assert_eq!(both.len(), 6);
    for (k, t) in both.iter().enumerate() {
        near(*t, pi * (k as f64 + 0.5), 1e-11);
    }
    assert_eq!(times("x rising").len(), 3);
    assert_eq!(times("x falling").len(), 3);
    assert_eq!(times("x'").len(), 6);
    // Twice within a hundredth, around each maximum.
    assert_eq!(times("x - 0.99999").len(), 7);
    let m = run(&format!("{base}event crossing: x rising terminal\n"));
    assert_eq!(m.run.status, Status::Event(0));
    near(m.run.time, 1.5 * pi, 1e-12);
    near(m.run.state[0], 0.0, 1e-12);
    assert_eq!(m.run.rows.last().unwrap()[0], m.run.time);
}

/// Events of a run back in time: in its order, rising where the value rises with time.
#[test]
fn events_backward() {
    for method in METHODS {
        let m = by(
            method,
            "coord x\nkinetic: x'^2/2\npotential: x^2/2\nevent up: x rising\nevent turn: x'\n\
             initial x = 1\nsimulate to -7\n",
            None,
        );
        let pi = std::f64::consts::PI;
        let wanted = [(0, -0.5 * pi), (1, -pi), (1, -2.0 * pi)];
        assert_eq!(m.run.crossings.len(), 3, "{method} {:?}", m.run.crossings);
        for (c, (event, time)) in m.run.crossings.iter().zip(wanted) {
            assert_eq!(c.event, event);
            near(c.time, time, 1e-11);
        }
    }
}

/// Several events in one step come in order, and the first terminal one ends the run.
#[test]
fn several_events_in_a_step_come_in_order() {
    for method in METHODS {
        for sign in ["", "-"] {
            let m = by(
                method,
                &format!(
                    "coord x\nkinetic: x'^2/2\nevent c: x - {sign}0.3\nevent a: x - {sign}0.1\n\
                     event b: x - {sign}0.2\nevent e: x - {sign}0.4 terminal\n\
                     initial x' = 1\nsimulate to {sign}1\n"
                ),
                None,
            );
            let order: Vec<usize> = m.run.crossings.iter().map(|c| c.event).collect();
            assert_eq!(order, [1, 2, 0, 3], "{method} {sign}");
            assert_eq!(m.run.status, Status::Event(3));
            near(m.run.time.abs(), 0.4, 1e-14);
        }
    }
}

#[test]
fn a_poincare_section_has_the_known_crossings() {
    let m = run(
        "param w = 1.4142135623730951\ncoord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: x^2/2 + w^2*y^2/2\n\
         event section: x rising\ninitial x = 1, y = 1\nsimulate to 1000\n",
    );
    assert_eq!(m.run.crossings.len(), 159);
    for (k, c) in m.run.crossings.iter().enumerate() {
        let t = 2.0 * std::f64::consts::PI * (k as f64 + 0.75);
        near(c.time, t, 1e-11);
        near(c.state[1], (std::f64::consts::SQRT_2 * t).cos(), 1e-8);
    }
}

#[test]
fn runs_go_backwards_and_record_what_was_asked() {
    let m = run(
        "coord x\nkinetic: x'^2/2\npotential: x^2/2\noutput double: 2*x\ninitial x = 1\n\
         simulate from 2 to -1 every 0.5\n",
    );
    assert_eq!(m.run.rows.len(), 7);
    for (k, row) in m.run.rows.iter().enumerate() {
        let t = 2.0 - 0.5 * k as f64;
        assert_eq!(row[0], t);
        near(row[1], (t - 2.0).cos(), 1e-11);
        near(row[3], 2.0 * row[1], 1e-13);
    }
    // There and back.
    let there = by("dop853", DOUBLE, Some(1e-14)).run.state;
    let back = by(
        "dop853",
        &format!(
            "{}initial a = {:?}, b = {:?}, a' = {:?}, b' = {:?}\nsimulate from 20 to 0\n",
            DOUBLE.split("initial").next().unwrap(),
            there[0],
            there[1],
            there[2],
            there[3]
        ),
        Some(1e-14),
    );
    assert!(distance(&back.run.state, &[0.5, 1.0, 0.0, 0.0]) < 1e-10);
}

#[test]
fn what_cannot_go_on_stops_with_what_is_there() {
    // The inertia 1 − t of the second coordinate vanishes at t = 1.
    let m = run(
        "coord x, y\nkinetic: x'^2/2 + (1 - t)*y'^2/2\nforce: y = 1\ninitial x = 1, x' = -1\nsimulate to 3\n",
    );
    assert!(
        matches!(m.run.status, Status::Failed(_)),
        "{:?}",
        m.run.status
    );
    near(m.run.time, 1.0, 1e-6);
    assert!(!m.run.rows.is_empty() && m.run.rejected > 0);
    // It is singular at the start.
    let m =
        run("coord x, y\nkinetic: x'^2/2 + (1 - t)*y'^2/2\nforce: y = 1\nsimulate from 1 to 3\n");
    assert_eq!(m.run.status, Status::Failed(Error::SingularMassMatrix));
    assert_eq!((m.run.time, m.run.steps), (1.0, 0));
    // A fall into the centre.
    let m = run("coord x\nkinetic: x'^2/2\npotential: -1/x\ninitial x = 1\nsimulate to 3\n");
    let end = std::f64::consts::PI / 8.0f64.sqrt();
    assert!(
        matches!(m.run.status, Status::Failed(_)),
        "{:?}",
        m.run.status
    );
    near(m.run.time, end, 1e-6);
}

/// Van der Pol's oscillator with a friction that the first step has to find out about, against Radau's method.
#[test]
fn a_stiff_start_is_survived() {
    for friction in [1e2, 1e3, 1e4] {
        let text = format!(
            "coord x\nkinetic: x'^2/2\npotential: x^2/2\nforce: x = {friction}*(1 - x^2)*x'\n\
             initial x = 2\nsimulate to 0.5\n"
        );
        let exact = by("radau", &text, Some(1e-13)).run.state;
        for tolerance in [1e-6, 1e-9, 1e-12] {
            let m = by("dop853", &text, Some(tolerance));
            assert_eq!(m.run.status, Status::Finished, "{friction} {tolerance}");
            let error = distance(&m.run.state, &exact);
            assert!(error < 10.0 * tolerance, "{friction} {tolerance}: {error}");
        }
    }
}

/// From rest, where a force only begins to act: nothing tells how long the first step may be, and on a long one the friction throws
/// each stage farther than the one before. The rates at its end are then so large that beside them no error counts.
#[test]
fn steps_whose_stages_run_away_are_refused() {
    for pull in [1000, 1400, 2000, 2800] {
        let text =
            format!("coord x\nkinetic: x'^2/2\nforce: x = {pull}*t - x'^3\nsimulate to 100\n");
        let exact = by("radau", &text, Some(1e-10)).run.state;
        let m = by("dop853", &text, Some(1e-8));
        assert_eq!(m.run.status, Status::Finished, "{pull}");
        near(m.run.state[0], exact[0], 1e-9);
    }
}

/// A ball that jumps on a wall of its force's domain, with a weight that is there all at once after the start: the first steps
/// would have stages beyond the wall.
#[test]
fn steps_that_leave_the_domain_are_tried_shorter() {
    let text = "coord x\nkinetic: x'^2/2\npotential: 2/(7*sqrt(x)^7) + x + 1e5*x*t^2/(t^2 + 1e-6)\n\
                initial x = 1\nsimulate to 1\n";
    let (m, exact) = (run(text), by("taylor", text, Some(1e-15)));
    assert_eq!(m.run.status, Status::Finished);
    near(m.run.state[0], exact.run.state[0], 1e-7);
}

/// With infinitely many seconds between rows there are none, at an event that ends the run neither; the run is the same.
#[test]
fn nothing_is_recorded_where_nothing_is_asked_for() {
    let c =
        compiled("coord x\nkinetic: x'^2/2\npotential: x^2/2\nevent home: x falling terminal\n");
    for name in METHODS {
        let method = name.parse::<Method>().unwrap();
        let by = |record: Record| {
            let options = Options {
                to: 3.0,
                record,
                tolerance: 1e-9,
                max_steps: 10_000,
                ..Options::default()
            };
            c.integrate_by(method, &[1.0, 0.0], &options, |_| true)
        };
        let (silent, told) = (by(Record::Nothing), by(Record::Every(0.5)));
        assert_eq!((silent.rows.len(), told.rows.len()), (0, 5), "{name}");
        assert_eq!(silent.status, Status::Event(0), "{name}");
        assert_eq!(silent.state, told.state, "{name}");
    }
}

/// The lengths of the first steps of a run.
fn first_steps(text: &str, tolerance: f64) -> Vec<f64> {
    let m = by("dop853", text, Some(tolerance));
    let times: Vec<f64> = m.run.rows.iter().take(4).map(|row| row[0]).collect();
    times.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// The first step is neither refused nor much shorter than those that follow, whatever the tolerance.
#[test]
fn the_first_step_is_a_good_guess() {
    for text in [DOUBLE, KEPLER] {
        for tolerance in [1e-4, 1e-8, 1e-12, 1e-15] {
            let steps = first_steps(text, tolerance);
            let short = text.replace("to 20", &format!("to {}", steps[0]));
            let m = by("dop853", &short, Some(tolerance));
            assert_eq!((m.run.steps, m.run.rejected), (1, 0), "{text} {tolerance}");
            // The second may be longer six times at most, so the third is what the error asks for.
            assert!(steps[2] < 12.0 * steps[0], "{tolerance}: {steps:?}");
        }
    }
}

/// A pendulum in units of time that differ by powers of two: the same bits.
#[test]
fn units_of_time_do_not_matter() {
    let in_units = |power: i32| {
        let unit = 2f64.powi(power);
        let text = format!(
            "coord x\nkinetic: x'^2/2\npotential: -{}*cos(x)\ninitial x = 1, x' = {}\nsimulate to {}\n",
            unit.powi(2).recip(),
            0.25 / unit,
            10.0 * unit
        );
        let run = by("dop853", &text, Some(1e-10)).run;
        let state = [run.state[0], run.state[1] * unit].map(f64::to_bits);
        (state, run.steps, run.rejected)
    };
    let seconds = in_units(0);
    for power in [-30, -3, 12, 40] {
        assert_eq!(in_units(power), seconds, "{power}");
    }
}

/// A planar motion in space: the third coordinate is noise.
#[test]
fn noise_costs_no_steps() {
    let base = |more: &str, square: &str| {
        format!(
            "coord x, y{more}\nkinetic: (x'^2 + y'^2{square})/2\npotential: -1/sqrt(x^2 + y^2)\n\
             initial x = 1, y' = 1.2\nsimulate to 20\n"
        )
    };
    let plane = run(&base("", ""));
    let space = run(&base(", z", " + z'^2")
        .replace("y^2)\n", "y^2 + (z - 0.1)^2)\n")
        .replace("initial ", "initial z = 0.10000000000000002, "));
    assert!(space.run.steps < 5 * plane.run.steps, "{}", space.run.steps);
    assert!(distance(&space.run.state[..2], &plane.run.state[..2]) < 1e-9);
}

/// A force that is not said to have a potential does work, which is measured by the kinetic energy; that
/// vanishes where the motion turns.
#[test]
fn turning_points_cost_no_steps() {
    let with = |what: &str| {
        let text = format!("coord x\nkinetic: x'^2/2\n{what}\ninitial x = 1\nsimulate to 100");
        let run = by("dop853", &text, Some(1e-10)).run;
        run.steps + run.rejected
    };
    let (force, potential) = (with("force pull: x = -x^3"), with("potential: x^4/4"));
    assert!(force < 5 * potential / 4, "{force} steps, not {potential}");
}

#[test]
fn constraints_are_kept() {
    for text in [
        "param g = 9.81\ncoord x, y\nparticle bob: mass 1 at (x, y)\ngravity: (0, -g)\n\
         constraint rod: x^2 + y^2 = 1\ninitial x = 0.8, y = -0.6\nsimulate to 100\n",
        "coord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: x^2/2 + y^2\n\
         constraint speed: x'^2 + y'^2 = 1\ninitial x = 1, y' = 1\nsimulate to 100\n",
    ] {
        for tolerance in [1e-8, 1e-11] {
            let m = by("dop853", text, Some(tolerance));
            let residual = m.run.constraint_residual.unwrap();
            assert!(residual <= tolerance, "{residual} at {tolerance}: {text}");
            assert!(m.run.projections > 0 && m.run.energy_balance < 1e4 * tolerance);
        }
    }
}
