//! Bytes as code: machine code gives the bits the interpreter gives.
#![no_main]

use galilei_jit::{Encoding, Kernel};
use galilei_tape::code::Code;
use libfuzzer_sys::fuzz_target;

#[allow(dead_code)]
#[path = "../../crates/jit/tests/support/random.rs"]
mod random;

use random::{Bytes, Dice, Source};

fuzz_target!(|data: &[u8]| {
    // Either the bytes are the choices, or a seed for many of them.
    let code = match data {
        [0, seed @ ..] if seed.len() <= 8 => {
            let seed = seed.iter().fold(0, |n, b| n << 8 | u64::from(*b));
            let mut dice = Dice(seed);
            let size = 1 + dice.below(1000);
            random::code(&mut dice, size, seed % 2 == 0)
        }
        [first, rest @ ..] => {
            random::code(&mut Bytes(rest), 1 + data.len() / 3, first % 2 == 0)
        }
        [] => return,
    };
    let mut dice = Dice(data.len() as u64);
    for lanes in [1, 4, 8] {
        for encoding in [Encoding::Vex, Encoding::Evex] {
            if let Some(kernel) = Kernel::native(&code, lanes, encoding) {
                compare(&code, kernel, &mut dice);
            }
        }
    }
});

fn compare(code: &Code, mut kernel: Kernel, dice: &mut Dice) {
    let lanes = kernel.lanes();
    let inputs: Vec<f64> = (0..kernel.input_len())
        .map(|_| random::number(dice))
        .collect();
    let outputs = kernel.evaluate(&inputs);
    for l in 0..lanes {
        let state: Vec<[f64; 1]> = inputs[l.min(inputs.len())..]
            .iter()
            .step_by(lanes)
            .map(|x| [*x])
            .collect();
        let expected = code.run::<1>(&state, &mut Vec::new());
        for (k, [e]) in expected.into_iter().enumerate() {
            let got = outputs[k * lanes + l];
            let same = e.to_bits() == got.to_bits() || (e.is_nan() && got.is_nan());
            assert!(same, "output {k} of lane {l}: {got:e} for {e:e}\n{code:?}");
        }
    }
}
