//! Many motions at once against each of them alone: by Taylor series, where those share the tape with them but neither
//! steps nor lanes, within the tolerance; by Runge–Kutta steps bit for bit. And the same bits whatever the number of lanes
//! and threads.

use std::path::PathBuf;

use galilei::{Block, Model, RunSettings, SweepBuilder};
use galilei_integrate::{Error, Method, Options, Record, Run, Start, Status};

use crate::common::{has_implicit_lagrangian, model};

/// Methods that have lanes.
const METHODS: [Method; 2] = [Method::Taylor, Method::Dop853];

/// Runs of one model from some starts, in so many lanes.
fn together(
    model: &Model,
    method: Method,
    starts: &[Start],
    tolerance: f64,
    lanes: usize,
) -> Vec<Run> {
    let compiled = model.compile().unwrap();
    let ensemble = compiled.ensemble_by(method, tolerance, lanes).unwrap();
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
    let counts = [
        run.steps as u64,
        run.rejected as u64,
        run.projections as u64,
    ];
    all.map(f64::to_bits).chain(counts).collect()
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
        let Ok(model) = Model::open(&file) else {
            continue;
        };
        let end = model.contents().run.to.and_then(|to| {
            let values = model.parameter_values().ok()?;
            Some(model.expr(to).substitute(&values).evaluate_f64(&[]))
        });
        let Some(end) = end.filter(|_| model.degrees_of_freedom() < 12) else {
            continue;
        };
        // Lanes need accelerations in velocities, which a Hamiltonian without a closed Legendre transform does not give.
        if has_implicit_lagrangian(&model) {
            continue;
        }
        // Runs that go through several charts go one by one.
        if model.compile().is_ok_and(|c| c.atlas().is_some()) {
            continue;
        }
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let of = |method: Method| {
            RunSettings::new()
                .to(end.min(2.0))
                .every(1e9)
                .tolerance(1e-11)
                .method(method)
        };
        let Ok(motion) = model.simulate().settings(of(Method::Taylor)).run() else {
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
        let starts = [start];
        let run = &together(&model, Method::Taylor, &starts, 1e-11, 1)[0];
        let alone = &motion.run;
        assert_eq!(run.status, alone.status, "{name}");
        assert_eq!(run.crossings.len(), alone.crossings.len(), "{name}");
        assert!((run.time - alone.time).abs() < 1e-8, "{name}");
        let size = alone.state.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        for (a, b) in run.state.iter().zip(&alone.state) {
            assert!((a - b).abs() < 1e-7 * size, "{name}: {a} {b}");
        }
        assert!(run.energy_balance < 1e-8, "{name}: {}", run.energy_balance);
        assert!(run.constraint_residual.unwrap_or(0.0) < 1e-9, "{name}");
        let motion = model.simulate().settings(of(Method::Dop853)).run().unwrap();
        let run = &together(&model, Method::Dop853, &starts, 1e-11, 4)[0];
        assert_eq!(run.status, motion.run.status, "{name}");
        assert_eq!(bits(run), bits(&motion.run), "{name}");
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
     event floor: y falling terminal\nevent over: if(x > 0.3, 1, -1)\nevent fast: sin(30*t)\n",
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
        let (model, starts) = (model(text), starts(k, 23));
        for method in METHODS {
            let one = together(&model, method, &starts, 1e-10, 1);
            for lanes in [4, 8] {
                let several = together(&model, method, &starts, 1e-10, lanes);
                for (a, b) in one.iter().zip(&several) {
                    let place = format!("{} of model {k}, {lanes} lanes", method.name());
                    assert_eq!(a.status, b.status, "{place}");
                    assert_eq!(bits(a), bits(b), "{place}");
                }
            }
        }
    }
}

fn options(start: &Start, tolerance: f64) -> Options {
    Options {
        from: start.from,
        to: start.to,
        record: Record::Every(1e9),
        tolerance,
        max_steps: 100_000,
        ..Options::default()
    }
}

#[test]
fn motions_side_by_side_are_those_alone() {
    for (k, text) in MODELS.iter().enumerate() {
        let model = model(text);
        let compiled = model.compile().unwrap();
        let starts = starts(k, 9);
        for method in METHODS {
            let runs = together(&model, method, &starts, 1e-10, 4);
            for (start, run) in starts.iter().zip(runs) {
                let alone = compiled.integrate(&start.state, &options(start, 1e-12), |_| true);
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
}

#[test]
fn runge_kutta_steps_have_the_bits_of_single_runs() {
    for (k, text) in MODELS.iter().enumerate() {
        let model = model(text);
        let compiled = model.compile().unwrap();
        let starts = starts(k, 9);
        let runs = together(&model, Method::Dop853, &starts, 1e-10, 4);
        for (start, run) in starts.iter().zip(runs) {
            let options = options(start, 1e-10);
            let alone = compiled.integrate_by(Method::Dop853, &start.state, &options, |_| true);
            assert_eq!(run.status, alone.status, "model {k}");
            assert_eq!(bits(&run), bits(&alone), "model {k}");
        }
    }
}

/// Falls into a centre, leaves the domain of its forces, meets a singular mass matrix, sticks: each beside a motion that
/// goes on.
#[test]
fn what_cannot_go_on_stops_as_it_does_alone_and_leaves_others_in_peace() {
    for (text, falls, goes) in [
        (
            "coord r\nkinetic: r'^2/2\npotential: -1/r\n",
            [1.0, 0.0],
            [1.0, 2.0],
        ),
        (
            "coord x\nkinetic: x'^2/2\npotential: -sqrt(x)^3\n",
            [1.0, -9.0],
            [1.0, 1.0],
        ),
        (
            "coord x\nkinetic: x^2*x'^2/2\npotential: x\n",
            [0.0, 1.0],
            [1.0, 1.0],
        ),
        (
            "coord x\nkinetic: x'^2/2\npotential: -0.1*x\nforce: x = -sign(x')\n",
            [0.0, 1.0],
            [0.0, 9.0],
        ),
    ] {
        let model = model(text);
        let compiled = model.compile().unwrap();
        let start = |number: u64| Start {
            number,
            from: 0.0,
            to: 3.0,
            state: if number % 3 == 1 { falls } else { goes }.to_vec(),
            fixed: vec![],
            project: false,
        };
        let starts: Vec<Start> = (0..11).map(start).collect();
        let runs = together(&model, Method::Dop853, &starts, 1e-9, 4);
        for (start, run) in starts.iter().zip(runs) {
            let options = options(start, 1e-9);
            let alone = compiled.integrate_by(Method::Dop853, &start.state, &options, |_| true);
            let failed = matches!(run.status, Status::Failed(_));
            assert_eq!(failed, start.number % 3 == 1, "{text}: {:?}", run.status);
            assert_eq!(run.status, alone.status, "{text}");
            assert_eq!(bits(&run), bits(&alone), "{text}");
        }
    }
}

#[test]
fn a_state_off_the_constraints_fails_or_is_projected() {
    for method in METHODS {
        let model = model(MODELS[2]);
        let mut start = starts(2, 1).remove(0);
        start.state[0] += 0.1;
        let run = &together(&model, method, &[start.clone()], 1e-10, 4)[0];
        assert_eq!(run.status, Status::Failed(Error::OffConstraints));
        start.project = true;
        let run = &together(&model, method, &[start], 1e-10, 4)[0];
        assert_eq!(run.status, Status::Finished);
        assert!(run.constraint_residual.unwrap() < 1e-10);
    }
}

const SWEPT: &str = "param m = 1, k = 4*m, end = 3\ncoord x, y\nkinetic: m*(x'^2 + y'^2)/2\n\
                     potential: k*x^2/2 + y^4/4\nforce: y = -0.1*y'\ninitial x = m, y = 1\n\
                     event home: x\nsimulate to end\n";

/// The blocks of a sweep over the motions of [`SWEPT`].
fn swept(settings: impl FnOnce(SweepBuilder<'_>) -> SweepBuilder<'_>) -> Vec<Block> {
    blocks(SWEPT, settings)
}

fn blocks(text: &str, settings: impl FnOnce(SweepBuilder<'_>) -> SweepBuilder<'_>) -> Vec<Block> {
    let model = model(text);
    let sweep = settings(model.sweep()).build().unwrap();
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

/// 700 samples of a start and a parameter.
fn sampled(sweep: SweepBuilder<'_>) -> SweepBuilder<'_> {
    sweep.sample(700).seed(5).vary("y in -1..1, m in 0.5..2")
}

/// With dry friction of force 1 each half turn takes 2 from the distance, and a motion sticks where it turns below 1: until
/// t = 7 from all starts below 5.
#[test]
fn blocks_say_which_runs_failed_and_why() {
    let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\nforce: x = -sign(x')\nsimulate to 7\n";
    for (method, lanes) in [("taylor", 1), ("taylor", 4), ("dop853", 4)] {
        let method: Method = method.parse().unwrap();
        let found = blocks(text, |sweep| {
            let sweep = sweep.sample(700).vary("x in 1..6").lanes(lanes);
            sweep.method(method)
        });
        for block in found {
            let short = block.rows.iter().filter(|row| row[1] < 5.0);
            let wanted: Vec<_> = short.map(|row| (row[0] as u64, Error::Sticking)).collect();
            assert!(!wanted.is_empty() && wanted.len() < block.rows.len());
            assert_eq!(block.failures, wanted, "{method} {lanes}");
        }
    }
}

/// Rows, events and failures of blocks one behind the other.
fn joined(blocks: &[Block]) -> Block {
    Block {
        number: 0,
        rows: blocks.iter().flat_map(|b| b.rows.clone()).collect(),
        events: blocks.iter().flat_map(|b| b.events.clone()).collect(),
        failures: blocks.iter().flat_map(|b| b.failures.clone()).collect(),
    }
}

#[test]
fn neither_threads_nor_lanes_nor_shards_change_a_sweep() {
    for method in METHODS {
        let all = swept(|s| sampled(s).method(method));
        assert_eq!(all.iter().map(|b| b.rows.len()).sum::<usize>(), 700);
        for (threads, lanes) in [(1, 1), (3, 4), (2, 8)] {
            let other = swept(|s| sampled(s).method(method).threads(threads).lanes(lanes));
            assert_eq!(all, other);
        }
        let mut parts = Vec::new();
        for i in 1..=3 {
            let part = swept(|s| sampled(s).method(method).shard((i, 3)));
            // 700 runs in three parts, which end amid blocks.
            let runs: usize = part.iter().map(|b| b.rows.len()).sum();
            assert!((233..=234).contains(&runs), "{runs}");
            parts.extend(part);
        }
        assert_eq!(joined(&all), joined(&parts));
    }
}

/// m·ẍ = −4m·x from x = m: the frequency is 2 whatever m is, and the amplitude m.
#[test]
fn parameters_reach_later_parameters_starts_and_ends() {
    for method in METHODS {
        let grid = "m in [1, 2, 3], end in 1..2 by 0.5";
        let blocks = swept(|s| s.grid(grid).method(method));
        let rows: Vec<&Vec<f64>> = blocks.iter().flat_map(|b| &b.rows).collect();
        assert_eq!(rows.len(), 9);
        for row in rows {
            let (m, end) = (row[1], row[2]);
            assert_eq!(row[4], end);
            assert!((row[5] - m * (2.0 * end).cos()).abs() < 1e-11, "{row:?}");
        }
    }
}

/// Parameters of masses, of frictions with kinks, of constraints with their multipliers, of events that end a run.
#[test]
fn parameters_are_inputs_of_the_same_code_for_all_runs() {
    let cases = [
        (
            "param m = 1\ncoord a, b\nlet one = (sin(a), -cos(a))\nparticle one: mass m at one\n\
             particle two: mass 1 at (sin(a) + sin(b), -cos(a) - cos(b))\ngravity: (0, -9.81)\n\
             dissipation: 0.05*m*(a'^2 + b'^2)\ninitial a = 0.7\nevent low: a\nsimulate to 3\n",
            "m in 0.5..2, b in -1..1",
        ),
        (
            "param mu = 0.1, wall = 2\ncoord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: (x^2 + 2*y^2)/2\n\
             force: x = -mu*sign(x')\ninitial x = 1, y = 0.3, y' = 1\n\
             event hit: y - wall*x falling terminal\nsimulate to 4\n",
            "mu in 0.05..0.15, wall in 0..2",
        ),
        (
            "param l = 1\ncoord x, y\nparticle p: mass 1 at (x, y)\ngravity: (0, -9.81)\n\
             constraint rod: x^2 + y^2 = l^2\noutput tension: multiplier(rod)*l\ninitial x = l\nsimulate to 3\n",
            "l in 0.5..2",
        ),
    ];
    for (text, vary) in cases {
        let model = model(text);
        let by = |method: Method, lanes: usize| {
            let sweep = model.sweep().sample(40).seed(2).vary(vary).lanes(lanes);
            let sweep = sweep.method(method).build().unwrap();
            assert_eq!(sweep.lanes(), lanes);
            let mut blocks = Vec::new();
            sweep.run(
                |_| false,
                |block| {
                    blocks.push(block);
                    true
                },
            );
            let steps = sweep.columns().iter().position(|c| c == "steps");
            (blocks, steps.unwrap())
        };
        let (several, steps) = by(Method::Dop853, 4);
        assert_eq!(several, by(Method::Dop853, 1).0);
        let (series, _) = by(Method::Taylor, 4);
        assert_eq!(several[0].events.len(), series[0].events.len(), "{text}");
        for (a, b) in several[0].rows.iter().zip(&series[0].rows) {
            for (x, y) in a[..steps].iter().zip(&b[..steps]) {
                assert!((x - y).abs() < 1e-8 * y.abs().max(1.0), "{a:?} {b:?}");
            }
        }
    }
}

#[test]
fn samples_fill_their_ranges_evenly() {
    let blocks = swept(sampled);
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
    let other = swept(|s| sampled(s).seed(6));
    assert_ne!(blocks, other);
}

#[test]
fn other_methods_sweep_to_the_same_ends() {
    let by = |method: &str| {
        let method: Method = method.parse().unwrap();
        swept(|s| sampled(s).sample(20).method(method).tolerance(1e-10))
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

/// A potential that depends on time alone moves nothing, but changes the energy, and much faster than anything else here:
/// its work is found all the same, alone and in lanes.
#[test]
fn work_that_changes_faster_than_the_state_is_met() {
    for frequency in [5.0, 50.0, 500.0] {
        let text = format!(
            "coord x\nparticle p: mass 1 at x\nspring: stiffness 1 from 0 to x\npotential clock: 0.3*cos({frequency}*t)\n"
        );
        let model = model(&text);
        let start = |number: u64| Start {
            number,
            from: 0.0,
            to: 30.0,
            state: vec![1.0, 0.1 * number as f64],
            fixed: vec![],
            project: false,
        };
        let starts: Vec<Start> = (0..9).map(start).collect();
        let compiled = model.compile().unwrap();
        let alone = compiled.integrate(&starts[0].state, &options(&starts[0], 1e-12), |_| true);
        let mut runs = together(&model, Method::Taylor, &starts, 1e-12, 4);
        runs.push(alone);
        for run in &runs {
            assert_eq!(run.status, Status::Finished);
            assert!(
                run.energy_balance < 1e-9,
                "{frequency}: {}",
                run.energy_balance
            );
        }
        assert!((runs[0].state[0] - 30_f64.cos()).abs() < 1e-10);
    }
}
