//! Work `nonholonomic`, derivation: from the text of a model with velocity constraints to its equations of
//! motion.

use crate::clock::{Clock, MEASURED_SECONDS, MIN_REPEATS};
use crate::models::{Digits, disk, sleigh};

/// The size under which both systems are listed: their degrees of freedom.
const FREEDOM: usize = 2;

pub(crate) fn run(name: &str) {
    // (t, x, u), at which all sides are compared.
    let (source, state) = if name == "disk" {
        let (y, x) = 0.4_f64.sin_cos();
        let velocity = [0.85 * x, 0.85 * y, 0.8, 1.7];
        let state = [&[0.0, 0.1, 0.2, 0.4, 0.3][..], &velocity].concat();
        (disk(Digits::Short), state)
    } else {
        let (y, x) = 0.7_f64.sin_cos();
        let velocity = [0.9 * x, 0.9 * y, -1.1];
        let state = [&[0.0, 0.1, 0.2, 0.7][..], &velocity].concat();
        (sleigh(Digits::Short), state)
    };
    let (mut equations, mut tape, mut spent, mut repeats) = (f64::INFINITY, f64::INFINITY, 0.0, 0);
    let mut check = 0.0;
    while repeats < MIN_REPEATS || spent < MEASURED_SECONDS {
        let clock = Clock::start();
        let model = source.read();
        let read = clock.seconds();
        let compiled = model.compile().expect("the model compiles");
        let total = clock.seconds();
        equations = equations.min(read + compiled.lowered().derive_seconds);
        tape = tape.min(total);
        spent += total;
        repeats += 1;
        let mut result = vec![0.0; compiled.rates().unknowns];
        compiled.accelerations(1).compute(&state, &mut result);
        let accelerations = result[..compiled.rates().dimension].iter();
        let weighted = accelerations.enumerate();
        check = weighted.map(|(i, a)| (1.0 + 0.37 * i as f64) * a).sum();
    }
    println!(
        r#"{{"work":"nonholonomic","peer":"galilei","n":{FREEDOM},"variant":"{name}","total_s":{equations:e},"tape_s":{tape:e},"check":{check:?}}}"#
    );
}
