//! Emitted code on a simulated processor, in every mode.

use std::collections::BTreeSet;

use galilei_tape::code::{Assembler, Instr};

use super::simulator::Simulator;
use super::{Code, Mode, emit};
use crate::testing::random::Dice;
use crate::testing::{compare, framed_codes, lanes_fit, random_codes};

const MODES: [Mode; 4] = [Mode::Scalar, Mode::Lanes2, Mode::Lanes4, Mode::Lanes8];

/// Runs code at a random state, and returns the instructions it consists of.
fn simulate(code: &Code, mode: Mode, dice: &mut Dice) -> BTreeSet<&'static str> {
    let emitted = emit(code, mode).unwrap();
    let mut met = BTreeSet::new();
    compare(code, mode, dice, |inputs, count| {
        let mut simulator = Simulator::new(&emitted, inputs, count);
        let outputs = simulator.run();
        met = simulator.met;
        outputs
    });
    met
}

#[test]
fn random_code_on_a_simulated_processor() {
    let mut met: [BTreeSet<&str>; 4] = Default::default();
    for (code, mut dice) in random_codes(0xa64, 1500) {
        for (k, mode) in MODES.into_iter().enumerate() {
            if lanes_fit(&code, mode) {
                met[k].append(&mut simulate(&code, mode, &mut dice));
            }
        }
    }
    // Every instruction that is ever emitted, but for those of long displacements.
    let of_addresses = [
        "add", "sub", "movz", "movk", "adr", "blr", "mov x", "str xzr", "add x",
    ];
    for set in &mut met {
        set.retain(|name| !of_addresses.contains(name));
    }
    let single = [
        "fadd d", "fsub d", "fmul d", "fdiv d", "fneg d", "fabs d", "fsqrt d", "fmadd", "fmsub",
        "fnmsub", "fcmp", "fcmp 0", "fcsel mi", "fcsel ge", "fcsel gt", "ldr d", "str d", "ldp d",
        "stp d", "ldp x", "stp x",
    ];
    let pair = [
        "fadd 2d", "fsub 2d", "fmul 2d", "fdiv 2d", "fneg 2d", "fabs 2d", "fsqrt 2d", "fmla",
        "fmls", "fcmgt", "fcmgt 0", "fcmge 0", "bsl", "mov 16b", "ldr q", "str q",
    ];
    let wide = [
        "zip1", "zip2", "ext", "ins", "dup 2d", "dup d", "fmov d", "ldp q", "stp q",
    ];
    let scalar: BTreeSet<&str> = single.iter().chain(&pair).chain(&wide).copied().collect();
    assert_eq!(met[0], scalar);
    let saved = ["ldp d", "stp d", "ldp x", "stp x"];
    let two: BTreeSet<&str> = pair.iter().chain(&saved).copied().collect();
    assert_eq!(met[1], two);
    let more: BTreeSet<&str> = two.into_iter().chain(["ldp q", "stp q"]).collect();
    assert_eq!(met[2], more);
    assert_eq!(met[3], more);
}

#[test]
fn frames_on_a_simulated_processor() {
    for (k, code) in framed_codes().enumerate() {
        for mode in MODES {
            simulate(&code, mode, &mut Dice(k as u64));
        }
    }
}

/// Constants farther from the beginning than one instruction reaches, and inputs and outputs behind long displacements.
#[test]
fn far_memory_on_a_simulated_processor() {
    let count = 90_000;
    let mut a = Assembler::new(count);
    let mut sum = a.input(0);
    let mut outputs = Vec::new();
    for k in 1..count {
        let (x, c) = (a.input(k), a.number(k as f64 + 0.5));
        sum = a.push(Instr::Fma(x, c, sum));
        if k % 3 == 0 {
            outputs.push(sum);
        }
    }
    let code = a.finish(outputs);
    for mode in MODES {
        let met = simulate(&code, mode, &mut Dice(5));
        assert!(met.contains("add x"), "{mode:?}: {met:?}");
    }
}
