//! Work `evaluate`: the accelerations at one state, from compiled code.

use galilei_integrate::Accelerations;

use crate::clock::least;
use crate::models::{Digits, cart};

/// The number of states that take turns, so that no result can be reused from one evaluation to the next.
pub(crate) const STATES: usize = 264;
/// The number of states at which results are compared.
const COMPARED: usize = 8;
/// Evaluations of all states in one measurement.
const ROUNDS: usize = 8;

/// The states, in groups as lanes need them.
pub(crate) struct Layout {
    n: usize,
    lanes: usize,
    data: Vec<f64>,
}

/// Entry i of state s: multiples of the golden ratio, modulo 1, between −1 and 1.
fn entry(n: usize, s: usize, i: usize) -> f64 {
    let k = (s * 2 * (n + 1) + i + 1) as f64;
    2.0 * (k * 0.6180339887498949).fract() - 1.0
}

impl Layout {
    pub(crate) fn new(n: usize, lanes: usize) -> Self {
        let width = 2 * (n + 1);
        let mut data = Vec::new();
        for group in 0..STATES / lanes {
            data.extend(std::iter::repeat_n(0.0, lanes));
            for i in 0..width {
                data.extend((0..lanes).map(|l| entry(n, group * lanes + l, i)));
            }
        }
        Self { n, lanes, data }
    }

    fn size(&self) -> usize {
        (2 * (self.n + 1) + 1) * self.lanes
    }

    /// A group of states.
    pub(crate) fn state(&self, group: usize) -> &[f64] {
        &self.data[group * self.size()..][..self.size()]
    }

    /// The number of results of a group of states.
    pub(crate) fn results(&self) -> usize {
        (self.n + 1) * self.lanes
    }
}

/// The accelerations at the first states, added with weights.
pub(crate) fn check(mut accelerations: Accelerations, layout: &Layout) -> f64 {
    let mut result = vec![0.0; layout.results()];
    let mut sum = 0.0;
    for s in 0..COMPARED {
        accelerations.compute(layout.state(s / layout.lanes), &mut result);
        for i in 0..=layout.n {
            let weight = 1.0 + 0.37 * i as f64 + 0.11 * s as f64;
            sum += weight * result[i * layout.lanes + s % layout.lanes];
        }
    }
    sum
}

pub(crate) fn run(sizes: &[usize], variant: &str) {
    let lanes = if variant == "lanes" {
        Accelerations::widest()
    } else {
        1
    };
    for &n in sizes {
        let model = cart(n, Digits::Short).read();
        let compiled = model.compile().expect("the chain compiles");
        let layout = Layout::new(n, lanes);
        let mut accelerations = compiled.accelerations(lanes);
        let mut result = vec![0.0; layout.results()];
        let seconds = least(|| {
            for _ in 0..ROUNDS {
                for group in 0..STATES / lanes {
                    accelerations.compute(layout.state(group), &mut result);
                    std::hint::black_box(&mut result);
                }
            }
        });
        let total = seconds / (ROUNDS * STATES) as f64;
        let (native, operations) = (accelerations.is_native(), accelerations.operations());
        let check = check(accelerations, &layout);
        println!(
            r#"{{"work":"evaluate","peer":"galilei","n":{n},"variant":"{variant}","total_s":{total:e},"lanes":{lanes},"native":{native},"operations":{operations},"check":{check:?}}}"#
        );
    }
}
