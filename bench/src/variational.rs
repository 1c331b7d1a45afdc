//! Work `variational`: the double pendulum to t = 1000 by itself, and with its state-transition matrix.

use galilei::integrate::{Directions, Options, Run, Status, Variation};
use galilei::{Compiled, compile_varied};

use crate::clock::{Clock, ENOUGH_SECONDS, LEAST_REPEATS};
use crate::models::{Digits, pendulum};

/// The size it is listed under: its degrees of freedom.
const FREEDOM: usize = 2;
const START: [f64; 4] = [0.5, 0.3, 0.0, 0.0];
const END: f64 = 1000.0;
/// A short time after which everybody must agree.
const CHECK: f64 = 5.0;

/// A run, and the seconds of its motion: from when the code of the series is there and the first step
/// is computed, which is when a run reports for the first time.
fn integrate(compiled: &Compiled, varied: bool, to: f64) -> (Run, Variation, f64) {
    let options = Options {
        from: 0.0,
        to,
        every: Some(1e9),
        tolerance: f64::EPSILON,
        max_steps: 100_000_000,
        step: None,
    };
    let mut clock = None;
    let progress = |_: f64| {
        clock.get_or_insert_with(Clock::start);
        true
    };
    let (run, variation) = if varied {
        let directions = Directions::all(compiled.tape(), FREEDOM);
        compiled.integrate_with(&START, &options, &directions, progress)
    } else {
        (
            compiled.integrate(&START, &options, progress),
            Variation::default(),
        )
    };
    assert_eq!(run.status, Status::Finished);
    (run, variation, clock.map_or(0.0, |clock| clock.seconds()))
}

pub(crate) fn run(name: &str) {
    let varied = name == "varied";
    let source = pendulum(Digits::Exact);
    let mut compile_s = f64::INFINITY;
    for _ in 0..LEAST_REPEATS {
        let clock = Clock::start();
        let compiled = compile_varied(&source.read(), &[]).expect("the model compiles");
        std::hint::black_box(integrate(&compiled, varied, 1e-12).0.steps);
        compile_s = compile_s.min(clock.seconds());
    }
    let compiled = compile_varied(&source.read(), &[]).expect("the model compiles");
    let (mut best, mut spent, mut repeats, mut steps) = (f64::INFINITY, 0.0, 0, 0);
    while repeats < LEAST_REPEATS || spent < ENOUGH_SECONDS {
        let whole = Clock::start();
        let (run, _, seconds) = integrate(&compiled, varied, END);
        steps = run.steps;
        best = best.min(seconds);
        spent += whole.seconds();
        repeats += 1;
    }
    let (run, variation, _) = integrate(&compiled, varied, CHECK);
    let all = run.state.iter().chain(&variation.last);
    let check: f64 = all
        .enumerate()
        .map(|(i, x)| (1.0 + 0.37 * i as f64) * x)
        .sum();
    println!(
        r#"{{"work":"variational","peer":"galilei","n":{FREEDOM},"variant":"{name}","total_s":{best:e},"compile_s":{compile_s:e},"steps":{steps},"check":{check:?}}}"#
    );
}
