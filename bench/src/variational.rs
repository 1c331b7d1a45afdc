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

/// A run. `progress` hears of it first when all code is there and the first step is computed.
fn integrate(
    compiled: &Compiled,
    varied: bool,
    to: f64,
    progress: impl FnMut(f64) -> bool,
) -> (Run, Variation) {
    let options = Options {
        from: 0.0,
        to,
        every: Some(1e9),
        tolerance: f64::EPSILON,
        max_steps: 100_000_000,
        step: None,
    };
    match varied {
        true => {
            let directions = Directions::all(compiled.tape(), FREEDOM);
            compiled.integrate_with(&START, &options, &directions, progress)
        }
        false => (
            compiled.integrate(&START, &options, progress),
            Variation::default(),
        ),
    }
}

/// The seconds of the motion alone, and its steps.
fn timed(compiled: &Compiled, varied: bool) -> (f64, usize) {
    let mut clock = None;
    let (run, _) = integrate(compiled, varied, END, |_| {
        clock.get_or_insert_with(Clock::start);
        true
    });
    assert_eq!(run.status, Status::Finished);
    (clock.map_or(0.0, |clock| clock.seconds()), run.steps)
}

pub(crate) fn run(name: &str) {
    let varied = name == "varied";
    let source = pendulum(Digits::Exact);
    let mut compile_s = f64::INFINITY;
    for _ in 0..LEAST_REPEATS {
        let clock = Clock::start();
        let compiled = compile_varied(&source.read(), &[]).expect("the model compiles");
        // The same run, up to its first step.
        integrate(&compiled, varied, END, |_| {
            compile_s = compile_s.min(clock.seconds());
            false
        });
    }
    let compiled = compile_varied(&source.read(), &[]).expect("the model compiles");
    let (mut best, mut spent, mut repeats, mut steps) = (f64::INFINITY, 0.0, 0, 0);
    while repeats < LEAST_REPEATS || spent < ENOUGH_SECONDS {
        let whole = Clock::start();
        let (seconds, count) = timed(&compiled, varied);
        steps = count;
        best = best.min(seconds);
        spent += whole.seconds();
        repeats += 1;
    }
    let (run, variation) = integrate(&compiled, varied, CHECK, |_| true);
    let all = run.state.iter().chain(&variation.last);
    let check: f64 = all
        .enumerate()
        .map(|(i, x)| (1.0 + 0.37 * i as f64) * x)
        .sum();
    println!(
        r#"{{"work":"variational","peer":"galilei","n":{FREEDOM},"variant":"{name}","total_s":{best:e},"compile_s":{compile_s:e},"steps":{steps},"check":{check:?}}}"#
    );
}
