//! Runs as functions of time, and equations as vector fields: against recorded states, closed forms and
//! values of the model.

use galilei::{Field, Method, Model, Motion, RunSettings, Trajectory};

use crate::common::{distance, largest, open};

fn dense(model: &Model, settings: &RunSettings) -> (Motion, Trajectory) {
    let run = model.simulate().settings(settings.clone());
    run.run_dense().unwrap()
}

/// The largest distance of the trajectory from some rows, beside the largest number in them.
fn off(trajectory: &mut Trajectory, rows: &[Vec<f64>], size: usize) -> f64 {
    largest(rows.iter().map(|row| {
        let state = trajectory.at(row[0]).unwrap().unwrap();
        let scale = largest(row.iter().copied()).max(1.0);
        distance(&state[..size], &row[1..=size]) / scale
    }))
}

/// Recorded states come from the series of the very step: smooth, kinked and constrained systems, forth and
/// back, by both methods.
#[test]
fn a_trajectory_goes_through_all_states_that_a_run_records() {
    let names = [
        "kapitza-pendulum",
        "double-pendulum",
        "dry-friction",
        "chaplygin-sleigh",
        "rolling-disk",
        "swinging-atwood",
    ];
    for name in names {
        let m = open(name);
        let size = 2 * m.degrees_of_freedom();
        for (method, tolerance) in [("taylor", 1e-12), ("dop853", 1e-9)] {
            for to in [3.0, -2.0] {
                let settings = RunSettings::new()
                    .from(0.0)
                    .to(to)
                    .method(method.parse::<Method>().unwrap());
                let (motion, mut trajectory) = dense(&m, &settings);
                let end = motion.run.time;
                assert_eq!(trajectory.ends(), Some((0.0, end)), "{name}");
                let recorded = settings.every(0.0123);
                let rows = m
                    .simulate()
                    .settings(recorded.clone())
                    .run()
                    .unwrap()
                    .run
                    .rows;
                let inside: Vec<Vec<f64>> = rows
                    .into_iter()
                    .filter(|r| r[0].abs() <= end.abs())
                    .collect();
                assert!(inside.len() > 20, "{name}: {}", inside.len());
                let off = off(&mut trajectory, &inside, size);
                assert!(off <= tolerance, "{name} by {method} to {to}: {off:e}");
                assert!(trajectory.at(end * 1.001).is_none());
                assert!(trajectory.at(f64::NAN).is_none());
            }
        }
    }
}

/// Times in any order give the same numbers, to the last bit.
#[test]
fn the_order_of_questions_does_not_matter() {
    let settings = RunSettings::new().method(Method::Dop853).tolerance(1e-4);
    let m = open("double-pendulum");
    let (motion, mut trajectory) = dense(&m, &settings);
    let times: Vec<f64> = (0..200)
        .map(|k| motion.run.time * f64::from(k) / 199.0)
        .collect();
    let mut state = |t: f64| trajectory.at(t).unwrap().unwrap().to_vec();
    let forth: Vec<Vec<f64>> = times.iter().map(|t| state(*t)).collect();
    let mut back: Vec<Vec<f64>> = times.iter().rev().map(|t| state(*t)).collect();
    back.reverse();
    assert_eq!(forth, back);
}

/// Between the states of a run it is as good as at them, also where the method steps farther than series would.
#[test]
fn what_lies_between_is_as_good_as_the_run() {
    let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1\nsimulate to 20\n";
    let m = Model::parse(text).unwrap();
    for method in ["taylor", "dop853"] {
        for tolerance in [1e-3, 1e-6, 1e-9, 1e-12] {
            let settings = RunSettings::new()
                .method(method.parse::<Method>().unwrap())
                .tolerance(tolerance);
            let (motion, mut trajectory) = dense(&m, &settings);
            let error = |t: f64, x: f64| (x - t.cos()).abs();
            let rows = motion.run.rows.iter();
            let at_states = largest(rows.map(|r| error(r[0], r[1])));
            let between = (0..=2000).map(|k| {
                let t = f64::from(k) / 100.0;
                error(t, trajectory.at(t).unwrap().unwrap()[0])
            });
            let worst = largest(between);
            let admitted = 2.0 * at_states + tolerance;
            assert!(worst <= admitted, "{method} at {tolerance:e}: {worst:e}");
        }
    }
}

#[test]
fn runs_without_a_trail_keep_nothing() {
    let m = open("double-pendulum");
    let motion = m.simulate().run().unwrap();
    assert!(motion.run.trail.is_empty());
}

/// One state and many give the accelerations of the model, which come from 256 bits.
#[test]
fn the_field_is_that_of_the_model() {
    for name in ["double-pendulum", "kapitza-pendulum", "heavy-symmetric-top"] {
        let m = open(name);
        let n = m.degrees_of_freedom();
        let names: Vec<String> = m
            .contents()
            .coordinates
            .iter()
            .map(|c| c.name.clone())
            .collect();
        let mut field = Field::new(&m.compile().unwrap());
        assert_eq!(field.size(), 2 * n);
        // Not a multiple of any number of lanes.
        let count = 21;
        let start = m.initial_state().unwrap();
        let entry = |i: usize, k: usize| {
            let e = if i < n {
                start.position[i]
            } else {
                start.velocity[i - n]
            };
            e.evaluate_f64(&[]) + 0.1 * ((7 * i + 3 * k) as f64).sin()
        };
        let states: Vec<f64> = (0..2 * n)
            .flat_map(|i| (0..count).map(move |k| entry(i, k)))
            .collect();
        let times: Vec<f64> = (0..count).map(|k| 0.3 * k as f64).collect();
        let mut all = vec![0.0; states.len()];
        field.at_all(&times, &states, &mut all);
        for k in 0..count {
            let state: Vec<f64> = (0..2 * n).map(|i| states[i * count + k]).collect();
            let mut rates = vec![0.0; 2 * n];
            field.at(times[k], &state, &mut rates);
            let mut text = format!("t={:?}", times[k]);
            for i in 0..n {
                text += &format!(", {0}={1:?}, {0}'={2:?}", names[i], state[i], state[n + i]);
            }
            let exact = m.evaluate(&m.state_at(&text).unwrap()).unwrap();
            let scale = exact
                .acceleration
                .iter()
                .fold(1.0_f64, |s, a| s.max(a.abs()));
            for i in 0..n {
                assert_eq!(rates[i], state[n + i]);
                assert_eq!(all[i * count + k], state[n + i]);
                for found in [rates[n + i], all[(n + i) * count + k]] {
                    let off = (found - exact.acceleration[i]).abs() / scale;
                    assert!(off < 1e-12, "{name}: {off:e}");
                }
            }
        }
        let mut same = vec![0.0; 2 * n];
        let one: Vec<f64> = (0..2 * n).map(|i| states[i * count]).collect();
        field.at_all(&[times[0]], &one, &mut same);
        assert!((0..2 * n).all(|i| same[i] == all[i * count]), "{name}");
    }
}
