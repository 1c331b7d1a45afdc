//! Jumps: a claim that holds on both sides of a jump is decided again *on* it.
//!
//! sign and if are not continuous, and atan2 has a cut. A claim proved by random points holds
//! almost everywhere, hence, where both sides are continuous, everywhere; on a jump it is decided
//! again, with a symbol eliminated.

use std::cell::Cell;

use super::constants::varying;
use super::forms::{Forms, Kind, is_circular};
use super::setup::Setup;
use super::verdict::{Bound, Verdict};
use super::{Assumption, Assumptions, Query};
use crate::build::Sign;
use crate::evaluate::{Program, Step};
use crate::expr::Expr;
use crate::function::Function;
use crate::node::{Ix, Tag};
use crate::pool::Pool;

/// A verdict, or the point that refutes with values that may be irrational.
pub(super) enum Found<'p> {
    Verdict(Verdict),
    Refuted(Vec<(Expr<'p>, Expr<'p>)>),
}

/// Levels of kinks inside kinks that are followed, and the number of kinks in all.
const MAX_DEPTH: u32 = 4;
const MAX_KINKS: u32 = 40;

/// The number of kinks that may still be followed.
pub(super) struct Budget(Cell<u32>);

impl Budget {
    pub(super) fn new() -> Self {
        Self(Cell::new(MAX_KINKS))
    }

    fn spend(&self) -> bool {
        let left = self.0.get();
        self.0.set(left.saturating_sub(1));
        left > 0
    }
}

impl<'p> Query<'p> {
    /// The verdict with all jumps decided; `None` if some could not be.
    pub(super) fn follow_kinks(
        &self,
        setup: &Setup<'p>,
        bound: Bound,
        depth: u32,
        budget: &Budget,
    ) -> Option<Found<'p>> {
        let mut total = bound;
        // Substitution may make a factor vanish and its domain with it: 0·√y.
        let parts = setup.restricting_parts();
        // Expressions assumed not to vanish, with their factors: nothing is claimed where they do.
        let mut excluded: Vec<Ix> = Vec::new();
        for a in self.assumptions.iter() {
            let (Assumption::Positive(e) | Assumption::NonZero(e)) = a;
            for f in factors(setup.pool, e.ix()) {
                excluded.extend([f, (-Expr::new(setup.pool, f)).ix()]);
            }
        }
        for kink in setup.kinks()? {
            if excluded.contains(&kink) {
                continue;
            }
            if self.formal || depth >= MAX_DEPTH || !budget.spend() {
                return None;
            }
            let (symbol, value) = solve_linear(setup.pool, kink)?;
            let pairs = [(symbol, value)];
            let on = |e: Expr<'p>| e.substitute(&pairs);
            let mut assumptions = Assumptions::new();
            for a in self.assumptions.iter() {
                assumptions.push(match a {
                    Assumption::Positive(e) => Assumption::Positive(on(e)),
                    Assumption::NonZero(e) => Assumption::NonZero(on(e)),
                });
            }
            let restricted = Query {
                claim: on(self.claim),
                defined: self
                    .defined
                    .iter()
                    .copied()
                    .chain(parts.iter().map(|&ix| Expr::new(setup.pool, ix)))
                    .map(on)
                    .collect(),
                assumptions,
                formal: self.formal,
            };
            // Undefined as a whole on the jump, or excluded by assumption: nothing is claimed there.
            if restricted.assumptions.iter().any(is_violated)
                || restricted.claim.is_undefined()
                || restricted.defined.iter().any(|e| e.is_undefined())
            {
                continue;
            }
            match restricted.verdict(depth + 1, budget) {
                Found::Verdict(Verdict::Proved(b)) => total = total.or(b),
                Found::Refuted(mut at) => {
                    for &s in &setup.program.inputs {
                        let s = Expr::new(setup.pool, s);
                        if s != symbol && !at.iter().any(|(t, _)| *t == s) {
                            at.push((s, setup.pool.zero()));
                        }
                    }
                    at.push((symbol, value.substitute(&at)));
                    return Some(Found::Refuted(at));
                }
                Found::Verdict(_) => return None,
            }
        }
        Some(Found::Verdict(Verdict::Proved(total)))
    }
}

/// Whether an assumption about a number is false.
fn is_violated(assumption: Assumption<'_>) -> bool {
    match assumption {
        Assumption::Positive(e) => e.as_rational().is_some_and(|q| q.signum() <= 0),
        Assumption::NonZero(e) => e.is_zero(),
    }
}

impl Setup<'_> {
    /// Expressions at whose zeros the claim may jump; `None` if one cannot be determined.
    fn kinks(&self) -> Option<Vec<Ix>> {
        let varies = varying(&self.program);
        let harmless = self.harmless_angles();
        let node = |k: u32| self.program.nodes[k as usize];
        let mut kinks: Vec<Ix> = Vec::new();
        let used = self.used_by_claim();
        for (at, step) in self
            .program
            .steps
            .iter()
            .enumerate()
            .filter(|(at, _)| used[*at] && !self.settled.contains_key(at))
        {
            let kink = match *step {
                Step::Call(Function::Sign, a, _) if varies[a as usize] => node(a),
                Step::Call(Function::Atan2, y, Some(x)) if varies[y as usize] && !harmless[at] => {
                    // The cut is where x < 0.
                    match self.pool.builder().sign(node(x)) {
                        Sign::Positive | Sign::NonNegative => continue,
                        _ => node(y),
                    }
                }
                Step::If(_, [a, b, ..]) if varies[a as usize] || varies[b as usize] => {
                    let (a, b) = (Expr::new(self.pool, node(a)), Expr::new(self.pool, node(b)));
                    (b - a).ix()
                }
                _ => continue,
            };
            for factor in factors(self.pool, kink) {
                let program = Program::of(self.pool, &[factor]);
                if program.inputs.is_empty() {
                    // A constant does not jump; f(1) may be any number, also zero.
                    if varying(&program).iter().any(|&v| v) {
                        return None;
                    }
                    continue;
                }
                if !kinks.contains(&factor) {
                    kinks.push(factor);
                }
            }
        }
        Some(kinks)
    }

    /// Which steps the claim itself is made of, as opposed to parts that must merely be defined.
    fn used_by_claim(&self) -> Vec<bool> {
        let program = &self.program;
        let mut used = vec![false; program.steps.len()];
        used[program.outputs[0] as usize] = true;
        for at in (0..used.len()).rev() {
            if !used[at] {
                continue;
            }
            for k in program.operands_of(at) {
                used[k as usize] = true;
            }
        }
        used
    }

    /// Parts of the claim that restrict its domain: roots, powers in denominators, logarithms and
    /// inverse sines. None where branches decide whether they count.
    fn restricting_parts(&self) -> Vec<Ix> {
        let program = &self.program;
        if program.steps.iter().any(|s| matches!(s, Step::If(..))) {
            return Vec::new();
        }
        let mut parts = Vec::new();
        for (at, step) in program.steps.iter().enumerate() {
            match *step {
                Step::Product(start, end) => {
                    for &(e, base) in &program.operands[start as usize..end as usize] {
                        let q = &program.numbers[e as usize];
                        if q.is_negative() || q.has_even_denominator() {
                            let base = Expr::new(self.pool, program.nodes[base as usize]);
                            parts.push(base.pow(q.clone()).ix());
                        }
                    }
                }
                Step::Call(
                    Function::Log | Function::Asin | Function::Acos | Function::Atan2,
                    ..,
                ) => {
                    parts.push(program.nodes[at]);
                }
                _ => {}
            }
        }
        parts
    }

    /// Which atan2 occur in the claim only as whole multiples inside sine and cosine: there the
    /// cut, a whole turn, does not show.
    fn harmless_angles(&self) -> Vec<bool> {
        let program = &self.program;
        let mut harmless = vec![false; program.steps.len()];
        let Ok(forms) = Forms::new(program) else {
            return harmless;
        };
        // Steps that the claim uses in another way than through such an argument.
        let mut used = vec![false; program.steps.len()];
        let mut inside = vec![false; program.steps.len()];
        used[program.outputs[0] as usize] = true;
        for at in (0..program.steps.len()).rev() {
            let mut open = used[at];
            if open
                && let Step::Call(f, a, _) = program.steps[at]
                && is_circular(f)
            {
                inside[a as usize] = true;
                open = false;
            }
            if inside[at] {
                match program.steps[at] {
                    Step::Sum(..) => program
                        .operands_of(at)
                        .for_each(|k| inside[k as usize] = true),
                    Step::Call(Function::Atan2, ..) => open = true,
                    Step::Input(_) | Step::Number(_) | Step::Pi => {}
                    // Anything else inside an argument is used in another way.
                    _ => (used[at], open) = (true, true),
                }
            }
            if open {
                for k in program.operands_of(at) {
                    used[k as usize] = true;
                }
            }
        }
        for (k, kind) in forms.kinds.iter().enumerate() {
            if let (Kind::Angle(Function::Atan2, ..), 1) = (kind, forms.circular[k])
                && let [(super::forms::Generator::Step(s), _)] = forms.monomials[k].as_slice()
            {
                harmless[*s as usize] = inside[*s as usize] && !used[*s as usize];
            }
        }
        harmless
    }
}

/// A product vanishes where a factor does.
fn factors(pool: &Pool, kink: Ix) -> Vec<Ix> {
    let node = pool.node(kink);
    match node.tag {
        Tag::Product => pool.words(&node).map(|w| w.child).collect(),
        Tag::Sum if node.len == 1 => factors(pool, pool.word(&node, 0).child),
        _ => vec![kink],
    }
}

/// A symbol in which the expression is linear, and where it vanishes: a·x + b = 0 at x = −b/a.
/// Unless a is a number, b must be one and not zero: then a = 0 is no further solution.
fn solve_linear<'p>(pool: &'p Pool, kink: Ix) -> Option<(Expr<'p>, Expr<'p>)> {
    let e = Expr::new(pool, kink);
    e.symbols().into_iter().find_map(|symbol| {
        let p = e.polynomial(&[symbol], 1).ok()?;
        let (a, b) = (p.coefficient(&[1]), p.coefficient(&[0]));
        let number = |e: Expr<'p>| e.as_rational().is_some_and(|q| !q.is_zero());
        (number(a) || (number(b) && !a.is_zero())).then(|| (symbol, -b / a))
    })
}

/// Arguments of abs and sign, differences in min, max and comparisons.
pub(super) fn kinks_of(e: Expr<'_>) -> Vec<Expr<'_>> {
    let pool = e.pool();
    let program = Program::of(pool, &[e.ix()]);
    let node = |k: u32| Expr::new(pool, program.nodes[k as usize]);
    let mut kinks: Vec<Expr<'_>> = Vec::new();
    for step in &program.steps {
        kinks.push(match *step {
            Step::Call(Function::Abs | Function::Sign, a, _) => node(a),
            Step::Call(Function::Min | Function::Max, a, Some(b)) => node(a) - node(b),
            Step::If(_, [a, b, ..]) => node(a) - node(b),
            Step::Call(Function::Atan2, y, Some(x)) => {
                if pool.builder().sign(node(x).ix()).is_nonnegative() {
                    continue;
                }
                node(y)
            }
            _ => continue,
        });
    }
    kinks
}

/// Whether a root or an inverse sine occurs: at the edge of its domain the formula for the
/// derivative breaks down, while the derivative may exist.
pub(super) fn has_root(e: Expr<'_>) -> bool {
    let program = Program::of(e.pool(), &[e.ix()]);
    program.steps.iter().any(|s| match *s {
        Step::Product(start, end) => program.operands[start as usize..end as usize]
            .iter()
            .any(|&(e, _)| !program.numbers[e as usize].is_integer()),
        Step::Call(f, ..) => matches!(f, Function::Asin | Function::Acos),
        _ => false,
    })
}
