//! Random code gives the same bits in every evaluator.

mod support;

use galilei_jit::Encoding;
use galilei_tape::code::Code;
use support::random::{self, Dice, Source};
use support::{Compiled, Evaluator, Interpreter, check};

#[test]
fn random_code_gives_the_same_bits_everywhere() {
    let evaluators: [Box<dyn Evaluator>; 14] = [
        Box::new(Interpreter::<4>),
        Box::new(Interpreter::<8>),
        Box::new(Compiled(1, Encoding::Sse)),
        Box::new(Compiled(2, Encoding::Sse)),
        Box::new(Compiled(4, Encoding::Sse)),
        Box::new(Compiled(1, Encoding::Vex)),
        Box::new(Compiled(4, Encoding::Vex)),
        Box::new(Compiled(1, Encoding::Evex)),
        Box::new(Compiled(4, Encoding::Evex)),
        Box::new(Compiled(8, Encoding::Evex)),
        Box::new(Compiled(1, Encoding::Neon)),
        Box::new(Compiled(2, Encoding::Neon)),
        Box::new(Compiled(4, Encoding::Neon)),
        Box::new(Compiled(8, Encoding::Neon)),
    ];
    for seed in 0..2000 {
        let dice = &mut Dice(seed);
        let size = 1 + dice.below(if seed % 4 == 0 { 400 } else { 60 });
        let code = random::code(dice, size, seed % 3 == 0);
        for e in &evaluators {
            check(&**e, &code, 2, |_| random::number(dice));
        }
    }
}

/// The order of instructions is a matter of speed alone.
#[test]
fn other_orders_give_the_same_bits() {
    for seed in 0..1000 {
        let dice = &mut Dice(seed);
        let size = 1 + dice.below(300);
        let code = random::code(dice, size, seed % 2 == 0);
        let inputs: Vec<[f64; 1]> = (0..code.inputs()).map(|_| [random::number(dice)]).collect();
        let bits = |code: &Code| -> Vec<u64> {
            let outputs = code.run(&inputs, &mut vec![]);
            let bits = |x: &[f64; 1]| {
                if x[0].is_nan() {
                    0x7ff8 << 48
                } else {
                    x[0].to_bits()
                }
            };
            outputs.iter().map(bits).collect()
        };
        let expected = bits(&code);
        for window in [1, 8, 200] {
            assert_eq!(
                bits(&code.scheduled(window)),
                expected,
                "seed {seed}, {window}"
            );
        }
        assert_eq!(bits(&code.gathered()), expected, "seed {seed}");
    }
}
