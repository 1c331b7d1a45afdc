//! The memory of runs that record nothing: it does not grow with their steps. A program of its own, so that no other test
//! uses memory meanwhile.

#![cfg(target_os = "linux")]

use std::sync::Arc;

use galilei_expr::{Pool, Rational};
use galilei_integrate::{
    Options, Prepared, Record, Status, integrate_dop853, integrate_gauss, integrate_radau,
};
use galilei_tape::{Builder, Problem, Rates};

/// The least number of further steps that must take no memory, and the kilobytes that they may take all the same: less
/// than ten bytes for each.
const STEPS: usize = 30_000;
const KILOBYTES: u64 = 256;

/// A pendulum of length g.
fn pendulum() -> Problem {
    let pool = Pool::new();
    let [t, x, u] = pool.symbols(["t", "x", "u"]);
    let mut builder = Builder::new(&[t, x, u]);
    let (kinetic, potential) = (u.pow(2) * Rational::new(1, 2), -x.cos());
    let formulas = [-x.sin(), kinetic + potential, kinetic - potential];
    let [right, energy, lagrangian] = formulas.map(|e| builder.expr(e).expect("numbers"));
    let (one, power) = (builder.number(1.0), builder.number(0.0));
    Problem {
        bounded: vec![],
        rates: Arc::new(Rates {
            dimension: 1,
            unknowns: 1,
            matrix: vec![one],
            right: vec![right],
            ..Rates::default()
        }),
        energy,
        power,
        lagrangian,
        residuals: vec![],
        levels: vec![],
        reaction_rates: vec![],
        scale: vec![energy, lagrangian],
        events: vec![],
        outputs: vec![],
        multiplier_outputs: None,
        tape: Arc::new(builder.finish(vec![])),
    }
}

/// The largest amount of memory so far, in kilobytes.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("the status");
    let line = status.lines().find(|l| l.starts_with("VmHWM:"));
    let number = line.and_then(|l| l.split_whitespace().nth(1)?.parse().ok());
    number.expect("a number")
}

/// The number of steps of a run to a time.
fn steps(method: &str, to: f64) -> usize {
    let problem = pendulum();
    let options = Options {
        to,
        record: Record::Nothing,
        tolerance: 1e-11,
        max_steps: 100_000_000,
        step: (method == "gauss4").then_some(0.01),
        ..Options::default()
    };
    let state = [1.0, 0.0];
    let run = match method {
        "dop853" => integrate_dop853(&problem, &state, &options, |_| true),
        "radau" => integrate_radau(&problem, &state, &options, |_| true),
        "gauss4" => integrate_gauss(&problem, 2, &state, &options, |_| true),
        _ => Prepared::new(problem, 1e-11).integrate(&state, &options, |_| true),
    };
    assert_eq!(run.status, Status::Finished, "{method}");
    assert!(run.rows.is_empty(), "{method}");
    run.steps
}

#[test]
fn a_run_that_records_nothing_takes_no_memory_for_its_steps() {
    for (method, time) in [
        ("taylor", 5000.0),
        ("dop853", 2000.0),
        ("radau", 200.0),
        ("gauss4", 80.0),
    ] {
        let few = steps(method, time);
        let before = memory();
        let many = steps(method, 6.0 * time);
        let more = memory() - before;
        assert!(many > few + STEPS, "{method}: {few}, {many}");
        assert!(more < KILOBYTES, "{method}: {more} kB for {many} steps");
    }
}
