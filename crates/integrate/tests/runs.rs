//! Records, stops and continuations of runs of hand-written problems, against closed forms.

mod common;

use std::f64::consts::{SQRT_2, TAU};

use common::{Formula, nothing, problem, spring};
use galilei_integrate::{
    Accelerations, Directions, Ensemble, Error, Hamilton, Jacobian, Method, Options, Prepared,
    Record, Run, SensitivityMethod, SingleStep, Start, Status, Stop, Trust, integrate_with,
};

fn options(to: f64, record: Record) -> Options {
    Options {
        to,
        record,
        tolerance: 1e-11,
        ..Options::default()
    }
}

#[track_caller]
fn near(a: f64, b: f64, most: f64, what: &str) {
    assert!((a - b).abs() <= most, "{what}: {a} is not {b}");
}

/// All methods that integrate a single smooth motion, with the error that a tolerance of 1e-8 leaves them.
fn methods() -> impl Iterator<Item = (Method, f64)> {
    let all = Method::ALL.into_iter();
    all.filter(|m| *m != Method::Moreau)
        .map(|m| (m, if m.has_constant_steps() { 1e-5 } else { 1e-6 }))
}

/// The names of methods are read back, and no two are the same.
#[test]
fn methods_have_names() {
    for method in Method::ALL {
        assert_eq!(method.name().parse(), Ok(method));
        assert_eq!(format!("{method:>12}").trim(), method.name());
    }
    assert!("euler".parse::<Method>().is_err());
}

/// Each reason of a failure has words of its own, with which `?` shows it.
#[test]
fn failures_have_words() {
    let mut words: Vec<String> = Error::ALL.iter().map(ToString::to_string).collect();
    let count = words.len();
    words.sort();
    words.dedup();
    assert_eq!(words.len(), count);
    let boxed: Box<dyn std::error::Error> = Error::Sticking.into();
    assert!(boxed.to_string().contains("sticks at a kink"));
}

/// x = cos t at the times that are asked for, by every method; the end is always among them.
#[test]
fn rows_lie_where_they_are_asked_for() {
    let problem = problem(spring, nothing, None);
    let times: Vec<f64> = vec![0.0, 0.1, 0.70001, 2.0, 2.5];
    for (method, most) in methods() {
        let run = |record: Record| -> Run {
            let options = Options {
                tolerance: 1e-8,
                ..options(2.5, record)
            };
            let run = method.integrate(&problem, &[1.0, 0.0], &options, |_| true);
            assert_eq!(run.status, Status::Finished, "{method}");
            for row in &run.rows {
                near(row[1], row[0].cos(), most, method.name());
                near(row[2], -row[0].sin(), most, method.name());
            }
            run
        };
        let at = |run: &Run| run.rows.iter().map(|r| r[0]).collect::<Vec<f64>>();
        assert!(run(Record::Nothing).rows.is_empty());
        let given = at(&run(Record::At(times.clone().into())));
        assert_eq!(given, times, "{method}");
        let even = at(&run(Record::Every(0.4)));
        assert_eq!(even.len(), 8, "{method}: {even:?}");
        for (k, t) in even[..7].iter().enumerate() {
            near(*t, 0.4 * k as f64, 1e-15, method.name());
        }
        assert_eq!(even[7], 2.5);
        let steps = run(Record::Steps);
        assert_eq!(steps.rows.len(), steps.steps + 1, "{method}");
        assert_eq!(at(&steps).last(), Some(&2.5));
        // What is recorded has no influence on a run.
        assert_eq!(steps.state, run(Record::Nothing).state, "{method}");
    }
}

/// Forth and back along a pendulum, to the start.
#[test]
fn runs_go_back_to_their_start() {
    let pendulum: Formula = |x, _| -x.cos();
    let problem = problem(pendulum, nothing, None);
    for (method, most) in methods() {
        let by = |from: f64, to: f64, state: &[f64]| {
            let options = Options {
                from,
                tolerance: 1e-8,
                ..options(to, Record::Nothing)
            };
            let run = method.integrate(&problem, state, &options, |_| true);
            assert_eq!(run.status, Status::Finished, "{method}");
            run.state
        };
        let end = by(0.5, 7.5, &[2.0, 0.3]);
        let back = by(7.5, 0.5, &end);
        near(back[0], 2.0, most, method.name());
        near(back[1], 0.3, most, method.name());
    }
}

/// A body that falls from 2 at −1 comes to 0 after √(2·2), and rises through no zero on its way down.
#[test]
fn events_end_runs_and_have_directions() {
    let gravity: Formula = |x, _| x;
    let mut problem = problem(gravity, nothing, Some(|x, _| x));
    let fall = |problem: &galilei_tape::Problem| {
        Method::Taylor.integrate(problem, &[2.0, 0.0], &options(5.0, Record::Steps), |_| true)
    };
    let run = fall(&problem);
    assert_eq!(run.status, Status::Finished);
    assert_eq!(run.crossings.len(), 1);
    near(run.crossings[0].time, 2.0, 1e-14, "the fall");
    near(run.crossings[0].state[1], -2.0, 1e-14, "its speed");
    problem.events[0].direction = 1;
    assert!(fall(&problem).crossings.is_empty());
    problem.events[0].direction = -1;
    problem.events[0].terminal = true;
    let run = fall(&problem);
    assert_eq!(run.status, Status::Event(0));
    near(run.time, 2.0, 1e-14, "the end");
    near(run.state[0], 0.0, 1e-14, "the place of the end");
}

/// In the potential |x| a body swings with the period 4·√(2x₀).
#[test]
fn kinks_are_located() {
    let wedge: Formula = |x, _| x.abs();
    let problem = problem(wedge, nothing, Some(|x, _| x));
    for (method, most) in [(Method::Taylor, 1e-13), (Method::Dop853, 1e-12)] {
        let period = 4.0 * SQRT_2;
        let run = method.integrate(
            &problem,
            &[1.0, 0.0],
            &options(2.0 * period, Record::Nothing),
            |_| true,
        );
        near(run.state[0], 1.0, most, method.name());
        near(run.state[1], 0.0, most, method.name());
        let times: Vec<f64> = run.crossings.iter().map(|c| c.time).collect();
        assert_eq!(times.len(), 4, "{method}: {times:?}");
        for (k, t) in times.iter().enumerate() {
            near(*t, period * (0.25 + 0.5 * k as f64), most, method.name());
        }
    }
}

/// Runs that cannot go on say why, and keep what they have.
#[test]
fn failures_are_named() {
    let oscillator = problem(spring, nothing, None);
    let run = |change: fn(&mut Options), go_on: fn(f64) -> bool| {
        let mut options = options(10.0, Record::Steps);
        change(&mut options);
        Method::Taylor.integrate(&oscillator, &[1.0, 0.0], &options, go_on)
    };
    let few = run(|o| o.max_steps = 3, |_| true);
    assert_eq!(few.status, Status::Failed(Error::TooManySteps));
    // The starts of its steps are recorded; where it failed is the last state.
    assert_eq!((few.steps, few.rows.len()), (3, 3));
    assert!(few.time > few.rows[2][0]);
    near(few.state[0], few.time.cos(), 1e-10, "until the failure");
    let stopped = run(|_| {}, |_| false);
    assert_eq!(stopped.status, Status::Failed(Error::Interrupted));
    let asked = run(|o| o.stop = Some(Stop::new(|t, _| t > 1.0)), |_| true);
    assert_eq!(asked.status, Status::Finished);
    assert!(asked.time > 1.0 && asked.time < 10.0);
    near(asked.state[0], asked.time.cos(), 1e-10, "until the stop");
    // x³/3 falls to −∞ in a finite time.
    let cliff: Formula = |x, _| -x.pow(4);
    let run = Method::Taylor.integrate(
        &problem(cliff, nothing, None),
        &[1.0, 1.0],
        &options(10.0, Record::Nothing),
        |_| true,
    );
    assert!(matches!(run.status, Status::Failed(_)), "{:?}", run.status);
    assert!(run.time < 2.0);
    // No accelerations at all.
    let root: Formula = |x, _| (-x).sqrt();
    let run = Method::Dop853.integrate(
        &problem(root, nothing, None),
        &[1.0, 0.0],
        &options(1.0, Record::Nothing),
        |_| true,
    );
    assert_eq!(run.status, Status::Failed(Error::NotFinite));
    assert_eq!(run.state, [1.0, 0.0]);
}

/// A damped oscillator: u′ = −x − u/5. The work of the friction is in the balance.
#[test]
fn work_of_friction_is_balanced() {
    let friction: Formula = |_, u| -u / 5;
    let problem = problem(spring, friction, None);
    let w = 0.99_f64.sqrt();
    let wanted = |t: f64| (-t / 10.0).exp() * ((w * t).cos() + (w * t).sin() / (10.0 * w));
    for method in [Method::Taylor, Method::Dop853, Method::Radau] {
        let run = method.integrate(
            &problem,
            &[1.0, 0.0],
            &options(7.0, Record::Nothing),
            |_| true,
        );
        near(run.state[0], wanted(7.0), 1e-8, method.name());
        assert!(
            run.energy_balance < 1e-8,
            "{method}: {}",
            run.energy_balance
        );
        assert_eq!(run.trust(1e-11), Trust::Balanced);
    }
    let mut run = Method::Taylor.integrate(
        &problem,
        &[1.0, 0.0],
        &options(1.0, Record::Nothing),
        |_| true,
    );
    run.energy_balance = f64::NAN;
    assert_eq!(run.trust(1e-11), Trust::Lost);
    run.distrust(Method::Taylor, 1e-11);
    assert_eq!(run.status, Status::Failed(Error::EnergyBalance));
}

/// ∂(x, u)/∂(x₀, u₀) of an oscillator is a rotation, by both methods of sensitivities; the adjoint's steps multiply to it.
#[test]
fn sensitivities_of_an_oscillator_are_a_rotation() {
    let problem = problem(spring, nothing, None);
    for method in [SensitivityMethod::Series, SensitivityMethod::Collocation] {
        let directions = Directions {
            method: Some(method),
            transitions: true,
            ..Directions::all(&problem.tape, 1)
        };
        let (run, found) = integrate_with(
            problem.clone(),
            &[0.3, -0.8],
            &options(5.0, Record::Every(1.0)),
            &directions,
            |_| true,
        );
        assert_eq!(run.status, Status::Finished);
        let check = |m: &[f64], t: f64| {
            for (a, b) in m.iter().zip([t.cos(), t.sin(), -t.sin(), t.cos()]) {
                near(*a, b, 1e-12, &format!("{method:?} at {t}"));
            }
        };
        check(&found.last, 5.0);
        for (row, m) in run.rows.iter().zip(&found.rows) {
            check(m, row[0]);
        }
        let product = found.transitions.iter().fold([1.0, 0.0, 0.0, 1.0], |p, t| {
            let m = &t.matrix;
            [
                m[0] * p[0] + m[1] * p[2],
                m[0] * p[1] + m[1] * p[3],
                m[2] * p[0] + m[3] * p[2],
                m[2] * p[1] + m[3] * p[3],
            ]
        });
        check(&product, 5.0);
    }
}

/// Accelerations, their derivatives and Hamilton's right-hand side of a pendulum, alone and in lanes.
#[test]
fn right_hand_sides_have_their_values() {
    let pendulum: Formula = |x, _| -x.cos() * 3;
    let problem = problem(pendulum, nothing, None);
    for lanes in [1, Accelerations::widest()] {
        let place = |l: usize| (0.3 + 0.2 * l as f64, 1.0 - 0.1 * l as f64);
        let list = |f: &dyn Fn(usize) -> f64| (0..lanes).map(f).collect::<Vec<f64>>();
        let states = [list(&|_| 0.0), list(&|l| place(l).0), list(&|l| place(l).1)].concat();
        let mut a = vec![0.0; lanes];
        Accelerations::new(&problem.tape, &problem.rates, lanes).compute(&states, &mut a);
        let mut slopes = vec![0.0; 4 * lanes];
        Jacobian::new(&problem.tape, &problem.rates, lanes).compute(&states, &mut slopes);
        for l in 0..lanes {
            let x = place(l).0;
            near(a[l], -3.0 * x.sin(), 1e-15, "a");
            let wanted = [-3.0 * x.sin(), 0.0, -3.0 * x.cos(), 0.0];
            for (k, w) in wanted.into_iter().enumerate() {
                near(slopes[k * lanes + l], w, 1e-15, "∂a");
            }
        }
        let force = nothing_tape(&problem);
        let parts = (problem.tape).hamilton(&problem.rates, problem.lagrangian, &force);
        let mut hamilton = Hamilton::new(&problem.tape, &problem.rates, parts.unwrap(), lanes);
        let mut rates = vec![0.0; 2 * lanes];
        hamilton.compute(&states, &mut rates);
        for l in 0..lanes {
            near(rates[l], place(l).1, 1e-15, "x′");
            near(rates[lanes + l], -3.0 * place(l).0.sin(), 1e-15, "p′");
        }
    }
}

/// The force 0 as a function of (t, x, u).
fn nothing_tape(problem: &galilei_tape::Problem) -> galilei_tape::Tape {
    let pool = galilei_expr::Pool::new();
    let symbols = pool.symbols(["t", "x", "u"]);
    assert_eq!(problem.rates.dimension, 1);
    let mut builder = galilei_tape::Builder::new(&symbols);
    let zero = builder.number(0.0);
    builder.finish(vec![zero])
}

/// Störmer and Verlet's step, the implicit midpoint rule and the order of the others, on an oscillator.
#[test]
fn single_steps_are_those_of_their_formulas() {
    let oscillator = problem(spring, nothing, None);
    let (x, u, h) = (0.3, -0.8, 0.5);
    let step = |method: Method| {
        SingleStep::new(&oscillator, method)
            .unwrap()
            .step(&[0.0, x, u], h)
    };
    let verlet = step(Method::Trapezoid).unwrap();
    let kicked = u - 0.5 * h * x;
    let moved = x + h * kicked;
    near(verlet[1], moved, 1e-15, "Verlet");
    near(verlet[2], kicked - 0.5 * h * moved, 1e-15, "Verlet");
    // (1 − hJ/2)⁻¹(1 + hJ/2) with J = (0 1; −1 0).
    let (c, s) = (1.0 - 0.25 * h * h, 1.0 + 0.25 * h * h);
    for method in [Method::Gauss2, Method::Midpoint, Method::Galerkin2] {
        let end = step(method).unwrap();
        near(end[1], (c * x + h * u) / s, 1e-15, method.name());
        near(end[2], (c * u - h * x) / s, 1e-15, method.name());
    }
    for (method, order) in [
        (Method::Gauss4, 4.0),
        (Method::Gauss6, 6.0),
        (Method::Galerkin4, 4.0),
        (Method::Dop853, 8.0),
    ] {
        let mut own = SingleStep::new(&oscillator, method).unwrap();
        let mut error = |h: f64| {
            let end = own.step(&[0.0, x, u], h).unwrap();
            (end[1] - (x * h.cos() + u * h.sin())).abs()
        };
        let slope = (error(0.8) / error(0.4)).log2();
        assert!(slope > order + 0.5, "{method}: {slope}");
    }
    for method in [Method::Taylor, Method::Radau] {
        assert!(SingleStep::new(&oscillator, method).is_none());
    }
}

/// Motions in lanes have the bits of single runs, whichever share the lanes; starts that cannot begin are returned.
#[test]
fn lanes_have_the_bits_of_single_runs() {
    let pendulum: Formula = |x, _| -x.cos();
    let (wedge, most): (Formula, u64) = (|x, _| x.abs(), 20);
    for potential in [pendulum, wedge] {
        let problem = problem(potential, nothing, Some(|x, _| x));
        let starts = || {
            (0..most).map(|number| Start {
                number,
                from: 0.1,
                to: 4.0 + 0.1 * number as f64,
                state: vec![0.5 + 0.1 * number as f64, 0.2],
                fixed: vec![],
                project: false,
            })
        };
        for method in [Method::Taylor, Method::Dop853] {
            let gather = |lanes: usize| {
                let ensemble = Ensemble::by(method, problem.clone(), 1e-10, 1000, lanes).unwrap();
                let mut ends = vec![vec![]; most as usize];
                ensemble.worker().run(
                    starts(),
                    |k, run| {
                        assert_eq!(run.status, Status::Finished);
                        let events = run.crossings.iter().map(|c| c.time);
                        let all = run.state.iter().copied().chain(events);
                        ends[k as usize] = all.map(f64::to_bits).collect();
                    },
                    || true,
                );
                ends
            };
            let alone = gather(1);
            assert!(alone.iter().all(|e| e.len() > 2), "{method}");
            for lanes in [4, 8] {
                assert_eq!(gather(lanes), alone, "{method} in {lanes} lanes");
            }
        }
        assert!(Ensemble::by(Method::Radau, problem, 1e-10, 1000, 1).is_none());
    }
}

/// A run that goes on from another is the whole run: its rows stay at even distances.
#[test]
fn runs_are_continued() {
    let problem = problem(spring, nothing, None);
    let mut prepared = Prepared::new(problem, 1e-12);
    let first = prepared.integrate(&[1.0, 0.0], &options(1.25, Record::Every(0.5)), |_| true);
    let second = prepared.integrate(
        &first.state,
        &Options {
            from: first.time,
            handover: Some(first.handover.clone()),
            ..options(TAU, Record::Every(0.5))
        },
        |_| true,
    );
    assert_eq!(second.status, Status::Finished);
    near(second.state[0], 1.0, 1e-11, "after a period");
    let times: Vec<f64> = second.rows.iter().map(|r| r[0]).collect();
    near(times[0], 1.5, 1e-14, "the next row");
    near(times[1] - times[0], 0.5, 1e-14, "the distance of rows");
}
