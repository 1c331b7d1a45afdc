//! Random code gives the same bits in every evaluator.

mod support;

use galilei_jit::{Encoding, Mode};
use support::random::{self, Dice, Source};
use support::{Compiled, Evaluator, Interpreter, check};

#[test]
fn random_code_gives_the_same_bits_everywhere() {
    let evaluators: [Box<dyn Evaluator>; 7] = [
        Box::new(Interpreter::<4>),
        Box::new(Interpreter::<8>),
        Box::new(Compiled(Mode::Scalar, Encoding::Vex)),
        Box::new(Compiled(Mode::Lanes4, Encoding::Vex)),
        Box::new(Compiled(Mode::Scalar, Encoding::Evex)),
        Box::new(Compiled(Mode::Lanes4, Encoding::Evex)),
        Box::new(Compiled(Mode::Lanes8, Encoding::Evex)),
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
