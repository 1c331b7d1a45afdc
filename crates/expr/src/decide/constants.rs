//! What the reals say about the constants of a program.
//!
//! In a prime field "being a square" stands for "being positive". For constants the truth is
//! known, and is used instead: the sign of √2 − 3/2 is not left to chance.

use std::collections::HashMap;

use crate::evaluate::{Balls, Program, ProvenSign, Step};
use crate::function::Function;

/// Known signs, and whether there is a root the field cannot be trusted with.
#[derive(Debug, Default)]
pub(crate) struct Constants {
    /// Sign of the argument of abs, sign, log, of a − b for min and max, of b − a for a < b.
    pub(crate) signs: HashMap<usize, i32>,
    /// An even root of a constant that is not rational: √(3 + 2√2). Which of its two roots is
    /// the positive one is not a question of algebra.
    pub(crate) nested_root: bool,
}

impl Constants {
    pub(crate) fn new(program: &Program) -> Self {
        let mut found = Self::default();
        let interesting = program.steps.iter().any(|s| match s {
            Step::Call(f, ..) => {
                matches!(
                    f,
                    Function::Abs | Function::Sign | Function::Min | Function::Max | Function::Log
                )
            }
            Step::If(..) => true,
            Step::Product(start, end) => has_even_root(program, *start, *end),
            _ => false,
        });
        if !interesting {
            return found;
        }
        // Without inputs only the constants have values.
        let values = program.values(&mut Balls::<4>::new(), &[], |_, _| true);
        let constant = |k: u32| values[k as usize].as_ref().ok();
        for (at, step) in program.steps.iter().enumerate() {
            let sign = match *step {
                Step::Call(Function::Abs | Function::Sign | Function::Log, a, _) => {
                    constant(a).map(|v| v.sign())
                }
                Step::Call(Function::Min | Function::Max, a, Some(b)) => {
                    constant(a).zip(constant(b)).map(|(a, b)| a.sub(b).sign())
                }
                Step::If(_, [a, b, ..]) => {
                    constant(a).zip(constant(b)).map(|(a, b)| b.sub(a).sign())
                }
                Step::Product(start, end) => {
                    for &(e, base) in &program.operands[start as usize..end as usize] {
                        let rational = matches!(program.steps[base as usize], Step::Number(_));
                        let even = program.numbers[e as usize].has_even_denominator();
                        found.nested_root |= even && !rational && constant(base).is_some();
                    }
                    None
                }
                _ => None,
            };
            let sign = match sign {
                Some(ProvenSign::Positive) => 1,
                Some(ProvenSign::Negative) => -1,
                Some(ProvenSign::Zero) => 0,
                _ => continue,
            };
            found.signs.insert(at, sign);
        }
        found
    }
}

pub(crate) fn has_even_root(program: &Program, start: u32, end: u32) -> bool {
    program.operands[start as usize..end as usize]
        .iter()
        .any(|&(e, _)| program.numbers[e as usize].has_even_denominator())
}
