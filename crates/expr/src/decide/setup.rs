//! A query compiled to a program.

use std::collections::HashMap;

use super::{Assumption, Assumptions, Query};
use crate::build::Sign;
use crate::evaluate::{Program, Step};
use crate::expr::Expr;
use crate::function::Function;
use crate::node::{Ix, Tag};
use crate::number::Rational;
use crate::pool::Pool;

/// A program whose first output is the claim, with the conditions on admissible points.
pub(super) struct Setup<'p> {
    pub(super) pool: &'p Pool,
    pub(super) program: Program,
    /// Which inputs are assumed positive.
    pub(super) positive_inputs: Vec<bool>,
    /// Outputs that must be positive, or not zero.
    pub(super) positive: Vec<usize>,
    pub(super) nonzero: Vec<usize>,
    /// Steps with a sign or a comparison that comes out the same at every point, by structure.
    pub(super) settled: HashMap<usize, i32>,
    pub(super) seed: u64,
}

impl<'p> Setup<'p> {
    pub(super) fn new(query: &Query<'p>) -> Self {
        let mut roots = vec![query.claim.ix()];
        roots.extend(query.defined.iter().map(|e| query.claim.same_pool(*e)));
        Self::build(query.claim.pool(), roots, &query.assumptions)
    }

    /// The program of some roots, followed by the expressions that assumptions are about.
    pub(super) fn build(pool: &'p Pool, mut roots: Vec<Ix>, assumptions: &Assumptions<'p>) -> Self {
        let (mut positive, mut nonzero) = (Vec::new(), Vec::new());
        let mut symbols = Vec::new();
        let here = Expr::new(pool, crate::node::ZERO);
        for a in assumptions.iter() {
            let (Assumption::Positive(e) | Assumption::NonZero(e)) = a;
            here.same_pool(e);
            match a {
                Assumption::Positive(e) if pool.node(e.ix()).tag == Tag::Symbol => {
                    symbols.push(e.ix())
                }
                Assumption::Positive(e) => {
                    positive.push(roots.len());
                    roots.push(e.ix());
                }
                Assumption::NonZero(e) => {
                    nonzero.push(roots.len());
                    roots.push(e.ix());
                }
            }
        }
        let program = Program::of(pool, &roots);
        Self {
            settled: settled(pool, &program),
            positive_inputs: program.inputs.iter().map(|s| symbols.contains(s)).collect(),
            seed: roots
                .iter()
                .fold(0, |h: u64, &r| h.rotate_left(7) ^ pool.node(r).hash),
            pool,
            program,
            positive,
            nonzero,
        }
    }

    /// A point as pairs of symbols and values.
    pub(super) fn pairs(&self, point: &[Rational]) -> Vec<(Expr<'p>, Expr<'p>)> {
        self.program
            .inputs
            .iter()
            .zip(point)
            .map(|(&s, q)| (Expr::new(self.pool, s), self.pool.number(q.clone())))
            .collect()
    }

    /// Whether every point counts: nothing is assumed of expressions, and no step has a domain.
    pub(super) fn is_defined_everywhere(&self) -> bool {
        let program = &self.program;
        self.positive.is_empty()
            && self.nonzero.is_empty()
            && program.steps.iter().all(|step| match *step {
                Step::Product(start, end) => program.operands[start as usize..end as usize]
                    .iter()
                    .all(|&(e, _)| {
                        let q = &program.numbers[e as usize];
                        !q.is_negative() && !q.has_even_denominator()
                    }),
                Step::Call(f, ..) => !matches!(
                    f,
                    Function::Log | Function::Asin | Function::Acos | Function::Atan2
                ),
                Step::Undefined => false,
                _ => true,
            })
    }

    /// The number of signs the steps depend on; each doubles the number of cases.
    pub(super) fn signs(&self) -> usize {
        let mut signs: Vec<(u32, u32)> = Vec::new();
        for (at, step) in self.program.steps.iter().enumerate() {
            if self.settled.contains_key(&at) {
                continue;
            }
            signs.push(match *step {
                Step::Call(Function::Abs | Function::Sign, a, _) => (a, a),
                Step::Call(Function::Min | Function::Max, a, Some(b)) => (a.min(b), a.max(b)),
                Step::If(_, [a, b, ..]) => (a.min(b), a.max(b)),
                _ => continue,
            });
        }
        signs.sort_unstable();
        signs.dedup();
        signs.len()
    }
}

/// Values of `sign` and of comparisons that are the same wherever the arguments are defined.
fn settled(pool: &Pool, program: &Program) -> HashMap<usize, i32> {
    let node = |k: u32| program.nodes[k as usize];
    let mut settled = HashMap::new();
    for (at, step) in program.steps.iter().enumerate() {
        let holds = match *step {
            Step::Call(Function::Sign, a, _) => match pool.builder().sign(node(a)) {
                Sign::Positive => Some(true),
                Sign::Negative => Some(false),
                _ => None,
            },
            Step::If(c, [a, b, ..]) => pool.builder().comparison(c, node(a), node(b)),
            _ => None,
        };
        if let Some(holds) = holds {
            settled.insert(at, if holds { 1 } else { -1 });
        }
    }
    settled
}
