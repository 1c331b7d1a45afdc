//! Signs of expressions, as far as their structure shows them.

use super::Builder;
use crate::function::Function;
use crate::node::{Comparison, Ix, Tag, ZERO};
use crate::pool::Pool;

/// A sign that holds wherever the expression is defined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sign {
    Positive,
    NonNegative,
    Negative,
    NonPositive,
    Unknown,
}
use Sign::{Negative, NonNegative, NonPositive, Positive, Unknown};

impl Sign {
    pub(crate) fn is_nonnegative(self) -> bool {
        matches!(self, Positive | NonNegative)
    }

    fn times(self, other: Sign) -> Sign {
        let flip = |s| match s {
            Positive => Negative,
            NonNegative => NonPositive,
            Negative => Positive,
            NonPositive => NonNegative,
            Unknown => Unknown,
        };
        match (self, other) {
            (Unknown, _) | (_, Unknown) => Unknown,
            (Positive, s) | (s, Positive) => s,
            (Negative, s) | (s, Negative) => flip(s),
            (NonNegative, s) | (s, NonNegative) => s,
            (NonPositive, NonPositive) => NonNegative,
        }
    }

    fn plus(self, other: Sign) -> Sign {
        match (self, other) {
            (Positive, Positive | NonNegative) | (NonNegative, Positive) => Positive,
            (NonNegative, NonNegative) => NonNegative,
            (Negative, Negative | NonPositive) | (NonPositive, Negative) => Negative,
            (NonPositive, NonPositive) => NonPositive,
            _ => Unknown,
        }
    }
}

/// Levels of the expression graph that are examined, and operands up to which a node is.
const MAX_DEPTH: u32 = 6;
const MAX_OPERANDS: u32 = 32;

impl Builder<'_> {
    pub(crate) fn sign(&self, ix: Ix) -> Sign {
        sign(self.pool, ix, MAX_DEPTH, &|_| Unknown)
    }

    /// Whether the structure shows the expression to be defined at every point.
    pub(super) fn is_total(&self, ix: Ix) -> bool {
        is_total(self.pool, ix, MAX_DEPTH)
    }

    /// Whether the expression is analytic where it is defined, so that it vanishes nearly nowhere
    /// or everywhere.
    pub(super) fn is_analytic(&self, ix: Ix) -> bool {
        is_analytic(self.pool, ix, MAX_DEPTH)
    }

    /// Whether a ? b holds at every point at which a and b are defined, or at none.
    pub(crate) fn comparison(&mut self, comparison: Comparison, a: Ix, b: Ix) -> Option<bool> {
        let difference = self.sub(b, a);
        match (comparison, self.sign(difference)) {
            (_, _) if difference == ZERO => Some(comparison == Comparison::LessEqual),
            (_, Positive) => Some(true),
            (_, Negative) => Some(false),
            (Comparison::LessEqual, NonNegative) => Some(true),
            (Comparison::Less, NonPositive) => Some(false),
            _ => None,
        }
    }
}

fn is_total(pool: &Pool, ix: Ix, depth: u32) -> bool {
    let node = pool.node(ix);
    if depth == 0 || node.operands() > MAX_OPERANDS {
        return false;
    }
    let inner = |ix| is_total(pool, ix, depth - 1);
    let of = |ix| sign(pool, ix, depth - 1, &|_| Unknown);
    match node.tag {
        Tag::Small | Tag::Big | Tag::Pi | Tag::Symbol => true,
        Tag::Undefined | Tag::Integral | Tag::FunctionName => false,
        Tag::Sum | Tag::If => pool.words(&node).all(|w| inner(w.child)),
        Tag::Undetermined => pool.words(&node).skip(1).all(|w| inner(w.child)),
        Tag::Product => pool.words(&node).all(|w| {
            let q = pool.rational(w.attr);
            let admissible = match (q.has_even_denominator(), q.is_negative()) {
                (false, false) => true,
                (false, true) => matches!(of(w.child), Positive | Negative),
                (true, false) => of(w.child).is_nonnegative(),
                (true, true) => of(w.child) == Positive,
            };
            admissible && inner(w.child)
        }),
        Tag::Call(f) => {
            let admissible = match f {
                Function::Tan | Function::Asin | Function::Acos => false,
                Function::Log => of(pool.word(&node, 0).child) == Positive,
                // Undefined at the origin only.
                Function::Atan2 => pool
                    .words(&node)
                    .any(|w| matches!(of(w.child), Positive | Negative)),
                _ => true,
            };
            admissible && pool.words(&node).all(|w| inner(w.child))
        }
    }
}

fn is_analytic(pool: &Pool, ix: Ix, depth: u32) -> bool {
    let node = pool.node(ix);
    if depth == 0 || node.operands() > MAX_OPERANDS {
        return false;
    }
    let smooth = match node.tag {
        Tag::If | Tag::Undetermined | Tag::Integral | Tag::Undefined | Tag::FunctionName => false,
        Tag::Call(f) => !matches!(
            f,
            Function::Abs | Function::Sign | Function::Min | Function::Max | Function::Atan2
        ),
        _ => true,
    };
    smooth
        && pool
            .words(&node)
            .all(|w| is_analytic(pool, w.child, depth - 1))
}

/// The sign of an expression given signs of symbols.
pub(crate) fn sign(pool: &Pool, ix: Ix, depth: u32, symbol: &dyn Fn(Ix) -> Sign) -> Sign {
    let node = pool.node(ix);
    if depth == 0 || node.operands() > MAX_OPERANDS {
        return Unknown;
    }
    let inner = |ix| sign(pool, ix, depth - 1, symbol);
    match node.tag {
        Tag::Small | Tag::Big => match pool.rational(ix).signum() {
            1 => Positive,
            0 => NonNegative,
            _ => Negative,
        },
        Tag::Pi => Positive,
        Tag::Symbol => symbol(ix),
        Tag::Sum => pool
            .words(&node)
            .map(|w| inner(w.attr).times(inner(w.child)))
            .reduce(Sign::plus)
            .unwrap_or(Unknown),
        Tag::Product => pool
            .words(&node)
            .map(|w| {
                let q = pool.rational(w.attr);
                let base = inner(w.child);
                if q.has_even_denominator() || (q.has_even_numerator() && !q.is_zero()) {
                    // A negative exponent is defined only where the base does not vanish.
                    if q.is_negative() || matches!(base, Positive | Negative) {
                        Positive
                    } else {
                        NonNegative
                    }
                } else if q.is_negative() {
                    match base {
                        NonNegative => Positive,
                        NonPositive => Negative,
                        s => s,
                    }
                } else {
                    base
                }
            })
            .reduce(Sign::times)
            .unwrap_or(Unknown),
        Tag::Call(f) => {
            let first = pool.word(&node, 0).child;
            match f {
                Function::Exp | Function::Cosh => Positive,
                Function::Abs => match inner(first) {
                    Positive | Negative => Positive,
                    _ => NonNegative,
                },
                Function::Acos => NonNegative,
                Function::Asin
                | Function::Atan
                | Function::Sinh
                | Function::Tanh
                | Function::Sign => inner(first),
                Function::Max | Function::Min => {
                    let (a, b) = (inner(first), inner(pool.word(&node, 1).child));
                    let nonnegative = |s: Sign| s.is_nonnegative();
                    match f {
                        Function::Max if a == Positive || b == Positive => Positive,
                        Function::Max if nonnegative(a) || nonnegative(b) => NonNegative,
                        Function::Min if a == Positive && b == Positive => Positive,
                        Function::Min if nonnegative(a) && nonnegative(b) => NonNegative,
                        _ => Unknown,
                    }
                }
                _ => Unknown,
            }
        }
        _ => Unknown,
    }
}
