//! Signs of the constants of a program, known from real arithmetic.
//!
//! In a prime field being a square represents being positive. For constants the sign is
//! known, and is used instead: the sign of √2 − 3/2 is not left to chance.

use std::collections::HashMap;

use crate::evaluate::{Ball, Balls, Fail, Program, ProvenSign, Step};
use crate::function::Function;

/// Known signs of constants, and whether a constant occurs for which a prime field is unreliable.
#[derive(Debug, Default)]
pub(crate) struct Constants {
    /// Sign of the argument of abs, sign, log, of a − b for min and max, of b − a for a < b.
    pub(crate) signs: HashMap<usize, i32>,
    /// The reason why prime fields prove nothing here: an even root of an irrational constant, such as
    /// √(3 + 2√2), for which algebra cannot say which of the two roots is positive; or a constant
    /// whose sign matters and could not be determined, such as log 2 + log 3 − log 6.
    pub(crate) distrust: Option<&'static str>,
}

/// Which steps depend on something that varies: inputs, undetermined functions, integrals.
pub(crate) fn varying(program: &Program) -> Vec<bool> {
    let mut varies: Vec<bool> = Vec::with_capacity(program.steps.len());
    for step in &program.steps {
        let any = |range: (u32, u32), varies: &[bool]| {
            program.operands[range.0 as usize..range.1 as usize]
                .iter()
                .any(|o| varies[o.1 as usize])
        };
        let v = match *step {
            Step::Input(_) | Step::Undetermined(..) | Step::Integral(_) => true,
            Step::Number(_) | Step::Pi | Step::Undefined | Step::Name => false,
            Step::Sum(start, end) | Step::Product(start, end) => any((start, end), &varies),
            Step::Call(_, a, b) => varies[a as usize] || b.is_some_and(|b| varies[b as usize]),
            Step::If(_, all) => all.iter().any(|&k| varies[k as usize]),
        };
        varies.push(v);
    }
    varies
}

impl Constants {
    /// The constants of a program; `settled` are signs that are known although their arguments vary.
    pub(crate) fn new(program: &Program, settled: &HashMap<usize, i32>) -> Self {
        let mut found = Self {
            signs: settled.clone(),
            ..Self::default()
        };
        let interesting = program.steps.iter().any(|s| match s {
            Step::Call(f, ..) => matches!(
                f,
                Function::Abs | Function::Sign | Function::Min | Function::Max | Function::Log
            ),
            Step::If(..) => true,
            Step::Product(start, end) => has_even_root(program, *start, *end),
            _ => false,
        });
        if !interesting {
            return found;
        }
        let varies = varying(program);
        // Without inputs only the constants have values.
        let values = program.values(&mut Balls::<4>::new(), &[], |_, _| true);
        let difference = |a: u32, b: u32| -> Result<Ball<4>, Fail> {
            Ok(values[a as usize]?.sub(&values[b as usize]?))
        };
        for (at, step) in program.steps.iter().enumerate() {
            if settled.contains_key(&at) {
                continue;
            }
            let constant = |k: u32| !varies[k as usize];
            let sign = match *step {
                Step::Call(Function::Abs | Function::Sign | Function::Log, a, _) if constant(a) => {
                    values[a as usize]
                }
                Step::Call(Function::Min | Function::Max, a, Some(b))
                    if constant(a) && constant(b) =>
                {
                    difference(a, b)
                }
                Step::If(_, [a, b, ..]) if constant(a) && constant(b) => difference(b, a),
                Step::Product(start, end) => {
                    for &(e, base) in &program.operands[start as usize..end as usize] {
                        let rational = matches!(program.steps[base as usize], Step::Number(_));
                        let even = program.numbers[e as usize].has_even_denominator();
                        if even && !rational && constant(base) {
                            found.distrust = Some("an even root of an irrational constant");
                        }
                    }
                    continue;
                }
                _ => continue,
            };
            let sign = match sign.map(|v| v.sign()) {
                Ok(ProvenSign::Positive) => 1,
                Ok(ProvenSign::Negative) => -1,
                Ok(ProvenSign::Zero) => 0,
                Err(Fail::Undefined) => continue,
                Ok(ProvenSign::Unknown) | Err(Fail::Unknown) => {
                    found.distrust = Some("the sign of a constant could not be told");
                    continue;
                }
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
