//! Constraints that are not independent: the diagnostic of one that restricts nothing, repeats others or contradicts them.
//!
//! The gradients of a system's constraints must be independent. Where one depends on those before it, the gradients alone do
//! not tell whether the constraint repeats the others or contradicts them; its value at a state on the others does.

use galilei_expr::{Expr, generic_rank};

use crate::code::Code;
use crate::contents::Level;
use crate::diagnostic::Diagnostic;
use crate::model::Model;
use crate::numbers::doubles;
use crate::project::Place;
use crate::validate::{RESIDUAL_ROUNDING, magnitude};

impl Model {
    /// The diagnostic of the first constraint whose gradient depends on those before it: `rows` are the gradients of all
    /// constraints, `culprit` is the index of that constraint, and `rank` the rank of `rows`.
    pub(crate) fn repetition<'p>(
        &'p self,
        rows: &[Vec<Expr<'p>>],
        culprit: usize,
        rank: usize,
    ) -> Diagnostic {
        let wrong = &self.contents().constraints[culprit];
        let name = &wrong.name;
        let own = generic_rank(&rows[culprit..=culprit], &self.assumptions());
        let (message, hint) = if own.rank == 0 {
            let whatever = match wrong.level {
                Level::Position => "whatever the positions are",
                Level::Velocity => "whatever the velocities are",
                Level::Acceleration => "whatever the accelerations are",
            };
            (
                format!(
                    "the constraint `{name}` restricts nothing: left side − right side is the same {whatever}"
                ),
                "remove it, or write an equation that does not hold by itself",
            )
        } else {
            let beginning = format!(
                "the constraints have rank {rank} instead of {}: `{name}`",
                rows.len()
            );
            match self.value_on_others(&rows[..=culprit]) {
                Some(0.0) => (
                    format!("{beginning} depends on the others"),
                    "remove the constraint that repeats others",
                ),
                Some(rest) => (
                    format!(
                        "{beginning} contradicts the others: where they hold, its left side − right side is {rest}"
                    ),
                    "no motion satisfies all of them: correct or remove one",
                ),
                None => (
                    format!("{beginning} depends on the others"),
                    "remove the constraint that repeats others, or correct the one that contradicts them",
                ),
            }
        };
        Diagnostic::error(Code::InadmissibleConstraint, message, hint, wrong.span)
    }

    /// The value of the last of the first `rows.len()` constraints, or of its rate, at a state on which those before it
    /// hold: zero (within rounding) where it repeats them, another number where it contradicts them. `None` if no such
    /// state was found.
    fn value_on_others(&self, rows: &[Vec<Expr<'_>>]) -> Option<f64> {
        let all = self.constraint_rows();
        let (last, before) = all.get(..rows.len())?.split_last()?;
        // The initial state may be special; a shift by irregular amounts leads to one that is not.
        let mut at = Place::new(self, &self.initial_state().ok()?)?;
        for (k, x) in at.numbers.iter_mut().enumerate() {
            *x += 0.1 + 0.37 * (k as f64).sin();
        }
        let n = at.numbers.len() / 2;
        // Projected onto the others by the metric with the unit matrix.
        let unit = (0..n * n).map(|k| self.pool().number(i64::from(k % (n + 1) == 0)));
        at.project(before, &unit.collect::<Vec<_>>())?;
        let between_positions: Vec<Vec<Expr<'_>>> = all[..rows.len()]
            .iter()
            .filter(|r| r.rate.is_some())
            .map(|r| r.row.clone())
            .collect();
        // A constraint between positions may depend on others of its kind, or only on constraints of velocities. In
        // the second case it is its rate that repeats them, and its own value says nothing.
        let rank = generic_rank(&between_positions, &self.assumptions()).rank;
        let repeated = last.rate.is_some() && rank < between_positions.len();
        let functions = match last.rate {
            None => vec![last.residual?],
            Some(rate) if repeated => vec![last.residual?, rate],
            Some(rate) => vec![rate],
        };
        let values = at.values()?;
        for f in functions {
            let v = doubles(self.pool(), &[f], &values)[0]?;
            if v.abs() > RESIDUAL_ROUNDING * magnitude(self.pool(), f, &values) {
                return Some(v);
            }
        }
        Some(0.0)
    }
}
