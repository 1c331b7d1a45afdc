//! Evaluators of code, what they must agree on, and random code.
#![allow(dead_code)]

pub(crate) mod random;

use galilei_jit::{Encoding, Machine, Mode};
use galilei_tape::code::Code;

/// Something that evaluates code at several states.
pub(crate) trait Evaluator {
    /// How many states at once.
    fn lanes(&self) -> usize;
    /// The outputs for inputs [variable][lane], or nothing where this evaluator cannot be had.
    fn evaluate(&self, code: &Code, inputs: &[f64]) -> Option<Vec<f64>>;
}

/// The interpreter at N states.
pub(crate) struct Interpreter<const N: usize>;

impl<const N: usize> Evaluator for Interpreter<N> {
    fn lanes(&self) -> usize {
        N
    }
    fn evaluate(&self, code: &Code, inputs: &[f64]) -> Option<Vec<f64>> {
        if N > 1 && code.has_wide() {
            return None;
        }
        let (rows, rest) = inputs.as_chunks::<N>();
        assert!(rest.is_empty());
        Some(code.run::<N>(rows, &mut Vec::new()).concat())
    }
}

/// Machine code.
pub(crate) struct Compiled(pub(crate) Mode, pub(crate) Encoding);

impl Evaluator for Compiled {
    fn lanes(&self) -> usize {
        self.0.lanes()
    }
    fn evaluate(&self, code: &Code, inputs: &[f64]) -> Option<Vec<f64>> {
        let machine = Machine::compile_in(code, self.0, self.1)?;
        assert_eq!(machine.input_len(), inputs.len());
        // What is behind the outputs stays as it is.
        let len = machine.output_len();
        let mut outputs = vec![123.25; len + 8];
        machine.call(inputs, &mut outputs[..len]);
        assert_eq!(
            outputs.split_off(len),
            [123.25; 8],
            "wrote past the outputs"
        );
        let mut again = vec![0.0; len];
        machine.call_with(&mut machine.workspace(), inputs, &mut again);
        assert!(
            outputs.iter().zip(&again).all(|(a, b)| same(*a, *b)),
            "not the same twice"
        );
        Some(outputs)
    }
}

/// Whether two results are the same: in every bit, or both no number.
pub(crate) fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// Checks an evaluator against the interpreter at one state. `input(i, l)` is input i of lane l.
pub(crate) fn check(
    evaluator: &dyn Evaluator,
    code: &Code,
    mut input: impl FnMut(usize, usize) -> f64,
) {
    let (n, lanes) = (code.inputs(), evaluator.lanes());
    let mut inputs = Vec::with_capacity(n * lanes);
    for i in 0..n {
        inputs.extend((0..lanes).map(|l| input(i, l)));
    }
    let Some(outputs) = evaluator.evaluate(code, &inputs) else {
        return;
    };
    assert_eq!(outputs.len(), code.output_len() * lanes);
    for l in 0..lanes {
        let state: Vec<[f64; 1]> = (0..n).map(|i| [inputs[i * lanes + l]]).collect();
        let expected = code.run::<1>(&state, &mut Vec::new());
        for (k, [e]) in expected.into_iter().enumerate() {
            let got = outputs[k * lanes + l];
            assert!(
                same(e, got),
                "output {k} of lane {l}: {got:e} instead of {e:e} at {state:?}\n{code:?}"
            );
        }
    }
}
