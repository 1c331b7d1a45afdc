//! Work `linearize`: from the text of a model to the matrix A of the motion near an equilibrium.

use crate::clock::{Clock, MEASURED_SECONDS, MIN_REPEATS};
use crate::models::{Digits, cart, rods};

pub(crate) fn run(sizes: &[usize], name: &str) {
    for &n in sizes {
        let source = match name {
            "rods" => rods(n, Digits::Short),
            _ => cart(n, Digits::Short),
        };
        let (mut best, mut spent, mut repeats) = (f64::INFINITY, 0.0, 0);
        let mut check = 0.0;
        while repeats < MIN_REPEATS || spent < MEASURED_SECONDS {
            let clock = Clock::start();
            let model = source.read();
            let state = model.state_at("").expect("a state");
            let found = model.modes(&state).expect("modes");
            let now = clock.seconds();
            best = best.min(now);
            spent += now;
            repeats += 1;
            let entries = found.a.iter().flatten().enumerate();
            check = entries.map(|(i, a)| (1.0 + 0.37 * i as f64) * a).sum();
        }
        println!(
            r#"{{"work":"linearize","peer":"galilei","n":{n},"variant":"{name}","total_s":{best:e},"check":{check:?}}}"#
        );
    }
}
