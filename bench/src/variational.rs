//! Work `variational`: the double pendulum to t = 1000 by itself, and with its state-transition matrix, at several
//! tolerances.

use galilei::Compiled;
use galilei_integrate::{Directions, Options, Record, Run, StateSensitivities, Status};

use crate::clock::{Clock, MEASURED_SECONDS, MIN_REPEATS};
use crate::models::{Digits, pendulum};
use crate::motion::reference;

/// The size under which the work is listed: the degrees of freedom.
const FREEDOM: usize = 2;
const START: [f64; 4] = [0.5, 0.3, 0.0, 0.0];
const END: f64 = 1000.0;
const TOLERANCES: [f64; 5] = [1e-6, 1e-9, 1e-12, 1e-15, f64::EPSILON];
/// A short time after which all sides must agree.
const CHECK: f64 = 5.0;

/// A run. `progress` is called first when all code is compiled and the first step is computed.
fn integrate(
    compiled: &Compiled,
    varied: bool,
    to: f64,
    tolerance: f64,
    progress: impl FnMut(f64) -> bool,
) -> (Run, StateSensitivities) {
    let options = Options {
        to,
        record: Record::Every(1e9),
        tolerance,
        max_steps: 100_000_000,
        ..Options::default()
    };
    match varied {
        true => {
            let directions = Directions::all(compiled.tape(), FREEDOM);
            compiled.integrate_with_sensitivities(&START, &options, &directions, progress)
        }
        false => (
            compiled.integrate(&START, &options, progress),
            StateSensitivities::default(),
        ),
    }
}

/// The seconds of the motion alone, with the run and its sensitivities.
fn timed(compiled: &Compiled, varied: bool, tolerance: f64) -> (f64, Run, StateSensitivities) {
    let mut clock = None;
    let (run, variation) = integrate(compiled, varied, END, tolerance, |_| {
        clock.get_or_insert_with(Clock::start);
        true
    });
    assert_eq!(run.status, Status::Finished);
    let seconds = clock.map_or(0.0, |clock| clock.seconds());
    (seconds, run, variation)
}

/// Seconds from the model text to the first step of the run.
fn compile_seconds(varied: bool, tolerance: f64) -> f64 {
    let source = pendulum(Digits::Exact);
    let mut best = f64::INFINITY;
    for _ in 0..MIN_REPEATS {
        let clock = Clock::start();
        let compiled = source
            .read()
            .compile_with_sensitivities(&[])
            .expect("the model compiles");
        integrate(&compiled, varied, END, tolerance, |_| {
            best = best.min(clock.seconds());
            false
        });
    }
    best
}

/// The largest error of the state; of the matrix, the largest relative to its largest entry.
fn error(run: &Run, variation: &StateSensitivities, varied: bool) -> f64 {
    let (name, found) = match varied {
        true => ("transition", &variation.last),
        false => ("regular", &run.state),
    };
    let wanted = reference(name, FREEDOM, 0).expect("there is a reference");
    let largest = |list: &mut dyn Iterator<Item = f64>| list.fold(0.0_f64, |m, x| m.max(x.abs()));
    let wrong = largest(&mut found.iter().zip(&wanted).map(|(x, y)| x - y));
    match varied {
        true => wrong / largest(&mut wanted.iter().copied()),
        false => wrong,
    }
}

pub(crate) fn run(name: &str) {
    let varied = name == "varied";
    let source = pendulum(Digits::Exact);
    let compiled = source
        .read()
        .compile_with_sensitivities(&[])
        .expect("the model compiles");
    let (mut best, mut plain, mut curve) = (0.0, 0.0, Vec::new());
    for tolerance in TOLERANCES {
        (best, plain) = (f64::INFINITY, f64::INFINITY);
        let (mut spent, mut repeats, mut point) = (0.0, 0, String::new());
        let compile_s = compile_seconds(varied, tolerance);
        while repeats < MIN_REPEATS || spent < MEASURED_SECONDS {
            let whole = Clock::start();
            let (seconds, run, variation) = timed(&compiled, varied, tolerance);
            best = seconds.min(best);
            // In turns with the motion alone.
            plain = timed(&compiled, false, tolerance).0.min(plain);
            spent += whole.seconds();
            repeats += 1;
            let error = error(&run, &variation, varied);
            point = format!(r#""error":{error:e},"steps":{}"#, run.steps);
        }
        curve.push(format!(
            r#"{{"tolerance":{tolerance:e},"seconds":{best:e},"plain_s":{plain:e},"compile_s":{compile_s:e},{point}}}"#
        ));
    }
    let (run, variation) = integrate(&compiled, varied, CHECK, f64::EPSILON, |_| true);
    let all = run.state.iter().chain(&variation.last);
    let check: f64 = all
        .enumerate()
        .map(|(i, x)| (1.0 + 0.37 * i as f64) * x)
        .sum();
    println!(
        r#"{{"work":"variational","peer":"galilei","n":{FREEDOM},"variant":"{name}","total_s":{best:e},"of_plain":{:.3},"check":{check:?},"curve":[{}]}}"#,
        best / plain,
        curve.join(",")
    );
}

/// One run with its state-transition matrix to a multiple of t = 100, without measuring; the number of its steps. Every
/// run compiles code, which the difference of two ends leaves out.
pub(crate) fn repeated(tolerance: f64, repeats: usize) -> usize {
    let source = pendulum(Digits::Exact);
    let compiled = source
        .read()
        .compile_with_sensitivities(&[])
        .expect("the model compiles");
    let end = 100.0 * repeats as f64;
    integrate(&compiled, true, end, tolerance, |_| true).0.steps
}
