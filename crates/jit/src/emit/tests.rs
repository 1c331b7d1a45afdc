//! Emitted code on a simulated processor, in every mode and encoding.

#[allow(dead_code)]
#[path = "../../tests/support/random.rs"]
mod random;

use std::collections::BTreeSet;

use galilei_tape::Function;
use galilei_tape::code::{Assembler, Instr, Value};

use super::simulator::Simulator;
use super::{Code, Encoding, Mode, emit};
use random::{Dice, Source};

const MODES: [(Mode, Encoding); 5] = [
    (Mode::Scalar, Encoding::Vex),
    (Mode::Lanes4, Encoding::Vex),
    (Mode::Scalar, Encoding::Evex),
    (Mode::Lanes4, Encoding::Evex),
    (Mode::Lanes8, Encoding::Evex),
];

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// Runs code at a random state, and returns the instructions it consists of.
fn simulate(
    code: &Code,
    mode: Mode,
    encoding: Encoding,
    dice: &mut Dice,
) -> BTreeSet<(u8, u8, u8)> {
    let lanes = mode.lanes();
    let len = code.inputs() * lanes;
    let inputs: Vec<f64> = (0..len).map(|_| random::number(dice)).collect();
    let emitted = emit(code, mode, encoding).unwrap();
    let count = code.output_len() * lanes;
    let mut simulator = Simulator::new(&emitted, encoding, &inputs, count);
    let outputs = simulator.run();
    for l in 0..lanes {
        let state: Vec<[f64; 1]> = (0..code.inputs())
            .map(|i| [inputs[i * lanes + l]])
            .collect();
        let expected = code.run::<1>(&state, &mut Vec::new());
        for (k, [e]) in expected.into_iter().enumerate() {
            let got = outputs[k * lanes + l];
            assert!(
                same(got, e),
                "{mode:?} {encoding:?} output {k} of lane {l}: {got:e} for {e:e}\n{code:?}"
            );
        }
    }
    simulator.met
}

#[test]
fn random_code_on_a_simulated_processor() {
    let mut met = [const { BTreeSet::new() }; 5];
    for seed in 0..1500 {
        let dice = &mut Dice(0x5eed + seed);
        let size = 1 + dice.below(if seed % 4 == 0 { 400 } else { 60 });
        let wide = seed % 3 == 0;
        let code = random::code(dice, size, wide);
        for (k, (mode, encoding)) in MODES.into_iter().enumerate() {
            if lanes_fit(&code, mode) {
                met[k].append(&mut simulate(&code, mode, encoding, dice));
            }
        }
    }
    // Every instruction that is ever emitted. For single numbers: 10 of arithmetic, loads, stores and
    // comparison, 9 fused, 2 masks, 2 copies (EVEX needs one), the blend; 19 again for wide values, and
    // 7 to put them together, rearrange and take them apart. With lanes 24; EVEX has the broadcast for a copy.
    assert_eq!(met.map(|set| set.len()), [50, 24, 49, 24, 24]);
}

/// Frames small and large, on the stack and in a workspace, with and without calls.
#[test]
fn frames_on_a_simulated_processor() {
    for live in [3, 20, 40, 60, 120, 400, 500, 600, 1000, 4000, 4200] {
        for call in [false, true] {
            let mut a = Assembler::new(1);
            let mut v = a.input(0);
            let list: Vec<Value> = (0..live)
                .map(|_| {
                    v = a.push(Instr::Sqrt(v));
                    v
                })
                .collect();
            if call {
                v = a.push(Instr::Call(Function::Cos, v, v));
            }
            let mut sum = v;
            for &v in list.iter().rev() {
                sum = a.push(Instr::Add(sum, v));
            }
            let code = a.finish(vec![sum]);
            for (mode, encoding) in MODES {
                simulate(&code, mode, encoding, &mut Dice(live));
            }
        }
    }
}

fn lanes_fit(code: &Code, mode: Mode) -> bool {
    mode == Mode::Scalar || !code.has_wide()
}
