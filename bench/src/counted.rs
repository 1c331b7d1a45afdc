//! Works repeated a given number of times, without clocks: for counters of instructions, which do not notice how busy a
//! machine is. The difference of two counts with different numbers of repeats leaves reading and compiling out.

use crate::{ensemble, motion, variational};

/// Repeats a work so many times, and prints the number of steps of one repeat.
pub(crate) fn run(work: &str, variant: &str, size: usize, tolerance: f64, repeats: usize) {
    let steps = match work {
        "motion" => motion::repeated(variant, size, tolerance, repeats),
        "ensemble" => ensemble::repeated(tolerance, repeats),
        _ => variational::repeated(tolerance, repeats),
    };
    println!(
        r#"{{"work":"{work}","variant":"{variant}","n":{size},"tolerance":{tolerance:e},"repeats":{repeats},"steps":{steps}}}"#
    );
}
