//! Work `callable`: from the text of the model to its accelerations as machine code.

use crate::clock::{Clock, least};
use crate::evaluate::{Layout, check};
use crate::models::{Digits, Source, cart};

/// Reads, derives and compiles the model, and computes the accelerations at one state.
fn once(source: &Source, layout: &Layout) -> f64 {
    let model = source.read();
    let compiled = model.compile().expect("the chain compiles");
    let mut accelerations = compiled.accelerations(1);
    let mut result = vec![0.0; layout.results()];
    accelerations.compute(layout.state(0), &mut result);
    result[0]
}

/// Seconds to read, to derive and build the tape, and to make machine code.
fn stages(source: &Source) -> [f64; 3] {
    let clock = Clock::start();
    let model = source.read();
    let read = clock.seconds();
    let compiled = model.compile().expect("the chain compiles");
    let tape = clock.seconds();
    let accelerations = compiled.accelerations(1);
    std::hint::black_box(accelerations.operations());
    [read, tape - read, clock.seconds() - tape]
}

pub(crate) fn run(sizes: &[usize]) {
    for &n in sizes {
        let source = cart(n, Digits::Short);
        let layout = Layout::new(n, 1);
        let total = least(|| {
            std::hint::black_box(once(&source, &layout));
        });
        let mut best = [f64::INFINITY; 3];
        for _ in 0..5 {
            for (b, s) in best.iter_mut().zip(stages(&source)) {
                *b = b.min(s);
            }
        }
        let model = source.read();
        let compiled = model.compile().expect("the chain compiles");
        let accelerations = compiled.accelerations(1);
        let (native, operations) = (accelerations.is_native(), accelerations.operations());
        let check = check(accelerations, &layout);
        println!(
            r#"{{"work":"callable","peer":"galilei","n":{n},"variant":"abs","total_s":{total:e},"read_s":{:e},"tape_s":{:e},"machine_s":{:e},"native":{native},"operations":{operations},"check":{check:?}}}"#,
            best[0], best[1], best[2]
        );
    }
}
