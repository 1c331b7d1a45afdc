//! Evaluators of code, what they must agree on, and random code.
#![allow(dead_code)]

pub(crate) mod random;

use std::cell::RefCell;

use galilei_jit::{Encoding, Kernel};
use galilei_tape::code::Code;

/// What an evaluator makes of code: outputs for inputs, both [variable][lane].
pub(crate) type Prepared<'a> = Box<dyn Fn(&[f64]) -> Vec<f64> + 'a>;

/// Something that evaluates code at several states.
pub(crate) trait Evaluator {
    /// How many states at once.
    fn lanes(&self) -> usize;
    /// Nothing where this evaluator cannot be had.
    fn prepare<'a>(&self, code: &'a Code) -> Option<Prepared<'a>>;
}

/// The interpreter at N states.
pub(crate) struct Interpreter<const N: usize>;

impl<const N: usize> Evaluator for Interpreter<N> {
    fn lanes(&self) -> usize {
        N
    }

    fn prepare<'a>(&self, code: &'a Code) -> Option<Prepared<'a>> {
        if N > 1 && code.has_wide() {
            return None;
        }
        Some(Box::new(|inputs| {
            let (rows, rest) = inputs.as_chunks::<N>();
            assert!(rest.is_empty());
            code.run::<N>(rows, &mut Vec::new()).concat()
        }))
    }
}

/// Machine code for a number of lanes in an encoding.
pub(crate) struct Compiled(pub(crate) usize, pub(crate) Encoding);

impl Evaluator for Compiled {
    fn lanes(&self) -> usize {
        self.0
    }

    fn prepare<'a>(&self, code: &'a Code) -> Option<Prepared<'a>> {
        let kernel = RefCell::new(Kernel::native(code, self.0, self.1)?);
        Some(Box::new(move |inputs| {
            let mut kernel = kernel.borrow_mut();
            // What is behind the outputs stays as it is.
            let len = kernel.output_len();
            let mut outputs = vec![123.25; len + 8];
            kernel.call(inputs, &mut outputs[..len]);
            let behind = outputs.split_off(len);
            assert_eq!(behind, [123.25; 8], "wrote past the outputs");
            let mut again = kernel.clone();
            let both = outputs.iter().zip(again.evaluate(inputs));
            assert!(
                both.into_iter().all(|(a, b)| same(*a, *b)),
                "not the same twice"
            );
            outputs
        }))
    }
}

/// Whether two results are the same: in every bit, or both no number.
pub(crate) fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// Checks an evaluator against the interpreter at one state, `times` times. `input(i)` draws input i.
pub(crate) fn check(
    evaluator: &dyn Evaluator,
    code: &Code,
    times: usize,
    mut input: impl FnMut(usize) -> f64,
) {
    let Some(evaluate) = evaluator.prepare(code) else {
        return;
    };
    let (n, lanes) = (code.inputs(), evaluator.lanes());
    for _ in 0..times {
        let mut states = vec![vec![[0.0]; n]; lanes];
        for state in &mut states {
            for i in 0..n {
                state[i] = [input(i)];
            }
        }
        let mut inputs = Vec::with_capacity(n * lanes);
        for i in 0..n {
            inputs.extend(states.iter().map(|s| s[i][0]));
        }
        let outputs = evaluate(&inputs);
        assert_eq!(outputs.len(), code.output_len() * lanes);
        for (l, state) in states.iter().enumerate() {
            let expected = code.run::<1>(state, &mut Vec::new());
            for (k, [e]) in expected.into_iter().enumerate() {
                let got = outputs[k * lanes + l];
                if !same(e, got) {
                    let text = format!("{code:?}");
                    let short = text.get(..4000).unwrap_or(&text);
                    panic!("output {k} of lane {l}: {got:e} for {e:e} at {state:?}\n{short}");
                }
            }
        }
    }
}
