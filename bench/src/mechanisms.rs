//! Work `mechanisms`: the accelerations of a spatial arm, and Taylor steps along its motion.

use crate::clock::{Clock, least};
use crate::evaluate::STATES;
use crate::models::{Digits, arm};

/// The number of states at which results are compared.
const COMPARED: usize = 8;
/// Evaluations of all states in one measurement.
const ROUNDS: usize = 8;
/// The order of the Taylor steps.
const ORDER: usize = 20;
/// The number of states at which Taylor steps are taken.
const STEPS: usize = 64;

/// A state (t, q, u): multiples of the golden ratio, modulo 1, between −1 and 1.
fn state(n: usize, s: usize) -> Vec<f64> {
    let entry = |i: usize| 2.0 * ((s * 2 * n + i + 1) as f64 * 0.6180339887498949).fract() - 1.0;
    std::iter::once(0.0).chain((0..2 * n).map(entry)).collect()
}

pub(crate) fn run(sizes: &[usize]) {
    for &n in sizes {
        let source = arm(n, Digits::Short);
        let states: Vec<Vec<f64>> = (0..STATES).map(|s| state(n, s)).collect();
        let mut result = vec![0.0; n];
        // From the text to the first value.
        let callable = (0..5).map(|_| {
            let clock = Clock::start();
            let compiled = source.read().compile().expect("the arm compiles");
            compiled.accelerations(1).compute(&states[0], &mut result);
            clock.seconds()
        });
        let callable = callable.fold(f64::INFINITY, f64::min);
        let compiled = source.read().compile().expect("the arm compiles");
        let mut accelerations = compiled.accelerations(1);
        let seconds = least(|| {
            for _ in 0..ROUNDS {
                for state in &states {
                    accelerations.compute(state, &mut result);
                    std::hint::black_box(&mut result);
                }
            }
        });
        let mut check = 0.0;
        for (s, state) in states.iter().enumerate().take(COMPARED) {
            accelerations.compute(state, &mut result);
            for (i, a) in result.iter().enumerate() {
                check += (1.0 + 0.37 * i as f64 + 0.11 * s as f64) * a;
            }
        }
        let total = seconds / (ROUNDS * STATES) as f64;
        let mut step = compiled.taylor_step_of_order(ORDER);
        let step = least(|| {
            for state in states.iter().take(STEPS) {
                step.compute(state).expect("the arm moves everywhere");
            }
        }) / states.len().min(STEPS) as f64;
        let (native, operations) = (accelerations.is_native(), accelerations.operations());
        println!(
            r#"{{"work":"mechanisms","peer":"galilei","n":{n},"variant":"arm","total_s":{total:e},"compile_s":{callable:e},"taylor_s":{step:e},"native":{native},"operations":{operations},"check":{check:?}}}"#
        );
    }
}
