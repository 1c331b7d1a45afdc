//! The memory of runs that record nothing: it does not grow with their steps. A program of its own, so that no other test
//! uses memory meanwhile.

#![cfg(target_os = "linux")]

mod common;

use common::{nothing, problem};
use galilei_integrate::{Method, Options, Record, Status};

/// The least number of further steps that must take no memory, and the kilobytes that they may take all the same: less
/// than ten bytes for each.
const STEPS: usize = 30_000;
const KILOBYTES: u64 = 256;

/// The largest amount of memory so far, in kilobytes.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("the status");
    let line = status.lines().find(|l| l.starts_with("VmHWM:"));
    let number = line.and_then(|l| l.split_whitespace().nth(1)?.parse().ok());
    number.expect("a number")
}

/// The number of steps of a run of a pendulum to a time.
fn steps(method: Method, to: f64) -> usize {
    let pendulum = problem(|x, _| -x.cos(), nothing, None);
    let options = Options {
        to,
        record: Record::Nothing,
        tolerance: 1e-11,
        max_steps: 100_000_000,
        step: method.has_constant_steps().then_some(0.01),
        ..Options::default()
    };
    let run = method.integrate(&pendulum, &[1.0, 0.0], &options, |_| true);
    assert_eq!(run.status, Status::Finished, "{method}");
    assert!(run.rows.is_empty(), "{method}");
    run.steps
}

#[test]
fn a_run_that_records_nothing_takes_no_memory_for_its_steps() {
    for (method, time) in [
        (Method::Taylor, 5000.0),
        (Method::Dop853, 2000.0),
        (Method::Radau, 200.0),
        (Method::Gauss4, 80.0),
    ] {
        let few = steps(method, time);
        let before = memory();
        let many = steps(method, 6.0 * time);
        let more = memory() - before;
        assert!(many > few + STEPS, "{method}: {few}, {many}");
        assert!(more < KILOBYTES, "{method}: {more} kB for {many} steps");
    }
}
