//! Emitted code on a simulated processor, in every mode and encoding.

use std::collections::BTreeSet;

use super::simulator::Simulator;
use super::{Code, Encoding, Mode, emit};
use crate::testing::random::Dice;
use crate::testing::{compare, framed_codes, lanes_fit, random_codes};

const MODES: [(Mode, Encoding); 5] = [
    (Mode::Scalar, Encoding::Vex),
    (Mode::Lanes4, Encoding::Vex),
    (Mode::Scalar, Encoding::Evex),
    (Mode::Lanes4, Encoding::Evex),
    (Mode::Lanes8, Encoding::Evex),
];

/// Runs code at a random state, and returns the instructions it consists of.
fn simulate(
    code: &Code,
    mode: Mode,
    encoding: Encoding,
    dice: &mut Dice,
) -> BTreeSet<(u8, u8, u8)> {
    let emitted = emit(code, mode, encoding).unwrap();
    let mut met = BTreeSet::new();
    compare(code, mode, dice, |inputs, count| {
        let mut simulator = Simulator::new(&emitted, encoding, inputs, count);
        let outputs = simulator.run();
        met = simulator.met;
        outputs
    });
    met
}

#[test]
fn random_code_on_a_simulated_processor() {
    let mut met = [const { BTreeSet::new() }; 5];
    for (code, mut dice) in random_codes(0x5eed, 1500) {
        for (k, (mode, encoding)) in MODES.into_iter().enumerate() {
            if lanes_fit(&code, mode) {
                met[k].append(&mut simulate(&code, mode, encoding, &mut dice));
            }
        }
    }
    // Every instruction that is ever emitted. For single numbers: 10 of arithmetic, loads, stores and
    // comparison, 9 fused, 2 masks, 2 copies (EVEX needs one), the blend; 19 again for wide values, and
    // 7 to put them together, rearrange and take them apart. With lanes 24; EVEX has the broadcast for a copy.
    assert_eq!(met.map(|set| set.len()), [50, 24, 49, 24, 24]);
}

#[test]
fn frames_on_a_simulated_processor() {
    for (k, code) in framed_codes().enumerate() {
        for (mode, encoding) in MODES {
            simulate(&code, mode, encoding, &mut Dice(k as u64));
        }
    }
}
