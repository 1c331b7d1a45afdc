//! Many motions at once against each of them alone, which shares the tape with them but neither steps nor
//! lanes; and the same bits whatever the number of lanes and threads.

use std::path::PathBuf;

use galilei::integrate::{Run, Start, Status};
use galilei::{Block, Model, RunSettings, Settings, Sweep, SweepSettings, compile, read, simulate};

fn model(text: &str) -> Model {
    let outcome = read(text, &Settings::default());
    match outcome.model {
        Some(model) => model,
        None => panic!("{:#?}", outcome.diagnostics),
    }
}

/// Runs of one model from some starts, in so many lanes.
fn together(model: &Model, starts: &[Start], tolerance: f64, lanes: usize) -> Vec<Run> {
    let compiled = compile(model).unwrap();
    let ensemble = compiled.ensemble(tolerance, lanes);
    let mut runs: Vec<Option<Run>> = vec![None; starts.len()];
    ensemble.worker().run(
        starts.iter().cloned(),
        |number, run| runs[number as usize] = Some(run),
        || true,
    );
    runs.into_iter().map(Option::unwrap).collect()
}

fn bits(run: &Run) -> Vec<u64> {
    let crossings = run.crossings.iter().flat_map(|c| {
        let place = c.state.iter().copied();
        place.chain([c.time, c.event as f64])
    });
    let all = run.state.iter().chain(&run.outputs).copied();
    let all = all.chain([run.time, run.energy_balance]).chain(crossings);
    all.map(f64::to_bits).collect()
}

/// Every model of the gallery that has numbers, from its initial state, for a part of its run.
#[test]
fn in_lanes_every_model_moves_as_it_does_alone() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "gal"))
        .collect();
    files.sort();
    let mut compared = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let Some(model) = read(&text, &Settings::default()).model else {
            continue;
        };
        let end = model.contents().run.to.and_then(|to| {
            let values = model.parameter_values().ok()?;
            Some(to.substitute(&values).evaluate_f64(&[]))
        });
        let Some(end) = end.filter(|_| model.degrees_of_freedom() < 12) else {
            continue;
        };
        let settings = RunSettings {
            to: Some(end.min(2.0)),
            every: Some(1e9),
            tolerance: Some(1e-11),
            ..RunSettings::default()
        };
        let Ok(motion) = simulate(&model, &settings, |_, _, _| true) else {
            continue;
        };
        let state = model.initial_state().unwrap();
        let values = state.position.iter().chain(&state.velocity);
        let start = Start {
            number: 0,
            from: state.time.evaluate_f64(&[]),
            to: end.min(2.0),
            state: values.map(|e| e.evaluate_f64(&[])).collect(),
            fixed: vec![],
            project: false,
        };
        let runs = together(&model, &[start], 1e-11, 1);
        let (run, alone) = (&runs[0], &motion.run);
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        assert_eq!(run.status, alone.status, "{name}");
        assert_eq!(run.crossings.len(), alone.crossings.len(), "{name}");
        assert!((run.time - alone.time).abs() < 1e-8, "{name}");
        let size = alone.state.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        for (a, b) in run.state.iter().zip(&alone.state) {
            assert!((a - b).abs() < 1e-7 * size, "{name}: {a} {b}");
        }
        assert!(run.energy_balance < 1e-8, "{name}: {}", run.energy_balance);
        assert!(run.constraint_residual.unwrap_or(0.0) < 1e-9, "{name}");
        compared += 1;
    }
    assert!(compared >= 35, "{compared}");
}

/// Models with forces that do work, kinks, events that end a run, constraints between positions and
/// between velocities.
const MODELS: [&str; 4] = [
    "coord a, b\nlet px = 0.3*cos(2*t)\nlet one = (px + sin(a), -cos(a))\n\
     particle one: mass 1 at one\nparticle two: mass 1 at (px + sin(a) + sin(b), -cos(a) - cos(b))\n\
     gravity: (0, -9.81)\ndissipation: 0.05*(a'^2 + b'^2)\nevent low: a\noutput tip: sin(a) + sin(b)\n",
    "coord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: (x^2 + 2*y^2)/2\nforce: x = -0.2*sign(x')\n\
     event floor: y falling terminal\n",
    "coord x, y\nparticle p: mass 1 at (x, y)\ngravity: (0, -9.81)\nconstraint rod: x^2 + y^2 = 1\n\
     output tension: multiplier(rod)\n",
    "coord x, y, th\nkinetic: (x'^2 + y'^2)/2 + th'^2/5\npotential: 2*x\n\
     constraint: x'*sin(th) - y'*cos(th) = 0\n",
];

/// Starts near a place, all of them different.
fn starts(model: usize, count: u64) -> Vec<Start> {
    let one = |number: u64| {
        let s = (number as f64 * 0.7).sin();
        let state = match model {
            0 => vec![s, 0.5 - s, s * s, -0.3],
            1 => vec![1.0 + s, 0.2 + s * s, 0.5 * s, 1.0],
            2 => vec![s.cos(), s.sin(), -s.sin(), s.cos()],
            _ => vec![s, 1.0, s, s.cos(), s.sin(), 1.5],
        };
        Start {
            number,
            from: 0.0,
            to: if number.is_multiple_of(3) {
                -2.0
            } else {
                4.0 + s
            },
            state,
            fixed: vec![],
            project: false,
        }
    };
    (0..count).map(one).collect()
}

#[test]
fn the_number_of_lanes_changes_no_bit() {
    for (k, text) in MODELS.iter().enumerate() {
        let model = model(text);
        let starts = starts(k, 23);
        let one = together(&model, &starts, 1e-10, 1);
        for lanes in [4, 8] {
            let several = together(&model, &starts, 1e-10, lanes);
            for (a, b) in one.iter().zip(&several) {
                assert_eq!(a.status, b.status, "model {k}, {lanes} lanes");
                assert_eq!(bits(a), bits(b), "model {k}, {lanes} lanes");
            }
        }
    }
}

#[test]
fn motions_side_by_side_are_those_alone() {
    for (k, text) in MODELS.iter().enumerate() {
        let model = model(text);
        let compiled = compile(&model).unwrap();
        let starts = starts(k, 9);
        for (start, run) in starts.iter().zip(together(&model, &starts, 1e-10, 4)) {
            let options = galilei::integrate::Options {
                from: start.from,
                to: start.to,
                every: Some(1e9),
                tolerance: 1e-12,
                max_steps: 100_000,
                step: None,
            };
            let alone = compiled.integrate(&start.state, &options, |_| true);
            assert_eq!(run.status, alone.status, "model {k}");
            assert_eq!(run.crossings.len(), alone.crossings.len(), "model {k}");
            let pairs = run.state.iter().chain(&run.outputs);
            for (a, b) in pairs.zip(alone.state.iter().chain(&alone.outputs)) {
                assert!((a - b).abs() < 1e-7, "model {k}: {a} {b}");
            }
            assert!(run.energy_balance < 1e-9, "model {k}");
            assert!(run.constraint_residual.unwrap_or(0.0) < 1e-9, "model {k}");
        }
    }
}

#[test]
fn a_state_off_the_constraints_fails_or_is_projected() {
    let model = model(MODELS[2]);
    let mut start = starts(2, 1).remove(0);
    start.state[0] += 0.1;
    let run = &together(&model, &[start.clone()], 1e-10, 4)[0];
    assert_eq!(
        run.status,
        Status::Failed(galilei::integrate::Stop::OffConstraints)
    );
    start.project = true;
    let run = &together(&model, &[start], 1e-10, 4)[0];
    assert_eq!(run.status, Status::Finished);
    assert!(run.constraint_residual.unwrap() < 1e-10);
}

const SWEPT: &str = "param m = 1, k = 4*m, end = 3\ncoord x, y\nkinetic: m*(x'^2 + y'^2)/2\n\
                     potential: k*x^2/2 + y^4/4\nforce: y = -0.1*y'\ninitial x = m, y = 1\n\
                     event home: x\nsimulate to end\n";

fn swept(settings: &SweepSettings) -> Vec<Block> {
    let model = model(SWEPT);
    let sweep = Sweep::new(&model, settings).unwrap();
    let mut blocks = Vec::new();
    sweep.run(
        |_| false,
        |block| {
            blocks.push(block);
            true
        },
    );
    blocks.sort_by_key(|b| b.number);
    blocks
}

fn settings() -> SweepSettings {
    SweepSettings {
        sample: Some(700),
        seed: 5,
        vary: vec!["y in -1..1, m in 0.5..2".into()],
        ..SweepSettings::default()
    }
}

#[test]
fn neither_threads_nor_lanes_nor_shards_change_a_sweep() {
    let all = swept(&settings());
    assert_eq!(all.iter().map(|b| b.rows.len()).sum::<usize>(), 700);
    for (threads, lanes) in [(1, 1), (3, 4), (2, 8)] {
        let other = swept(&SweepSettings {
            threads: Some(threads),
            lanes: Some(lanes),
            ..settings()
        });
        assert_eq!(all, other);
    }
    let mut parts = Vec::new();
    for i in 1..=2 {
        parts.extend(swept(&SweepSettings {
            shard: Some((i, 2)),
            ..settings()
        }));
    }
    assert_eq!(all, parts);
}

/// m·ẍ = −4m·x from x = m: the frequency is 2 whatever m is, and the amplitude m.
#[test]
fn parameters_reach_later_parameters_starts_and_ends() {
    let blocks = swept(&SweepSettings {
        grid: vec!["m in [1, 2, 3], end in 1..2 by 0.5".into()],
        ..SweepSettings::default()
    });
    let rows: Vec<&Vec<f64>> = blocks.iter().flat_map(|b| &b.rows).collect();
    assert_eq!(rows.len(), 9);
    for row in rows {
        let (m, end) = (row[1], row[2]);
        assert_eq!(row[4], end);
        assert!((row[5] - m * (2.0 * end).cos()).abs() < 1e-11, "{row:?}");
    }
}

#[test]
fn samples_fill_their_ranges_evenly() {
    let blocks = swept(&settings());
    let rows: Vec<&Vec<f64>> = blocks.iter().flat_map(|b| &b.rows).collect();
    for (column, low, high) in [(1, -1.0, 1.0), (2, 0.5, 2.0)] {
        let values: Vec<f64> = rows.iter().map(|r| r[column]).collect();
        assert!(values.iter().all(|v| low <= *v && *v < high));
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        // Four standard deviations of the mean.
        let spread = (high - low) / 12f64.sqrt() / (values.len() as f64).sqrt();
        assert!((mean - (low + high) / 2.0).abs() < 4.0 * spread, "{mean}");
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.dedup();
        assert_eq!(sorted.len(), values.len());
    }
    let other = swept(&SweepSettings {
        seed: 6,
        ..settings()
    });
    assert_ne!(blocks, other);
}

#[test]
fn other_methods_sweep_one_by_one_to_the_same_ends() {
    let by = |method: &str| {
        let settings = SweepSettings {
            sample: Some(20),
            run: RunSettings {
                method: Some(method.into()),
                tolerance: Some(1e-10),
                ..RunSettings::default()
            },
            ..settings()
        };
        swept(&settings)
    };
    let taylor = by("taylor");
    for method in ["dop853", "radau"] {
        let other = by(method);
        let rows = |blocks: &[Block]| -> Vec<Vec<f64>> {
            blocks.iter().flat_map(|b| b.rows.clone()).collect()
        };
        for (a, b) in rows(&taylor).iter().zip(&rows(&other)) {
            // Numbers, what is varied, status and time; then the states.
            assert_eq!(a[..5], b[..5], "{method}");
            for (x, y) in a[5..9].iter().zip(&b[5..9]) {
                assert!((x - y).abs() < 1e-6, "{method}: {x} {y}");
            }
        }
        let events = |blocks: &[Block]| blocks.iter().map(|b| b.events.len()).sum::<usize>();
        assert_eq!(events(&taylor), events(&other), "{method}");
    }
}
