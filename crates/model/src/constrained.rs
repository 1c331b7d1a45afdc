//! Constraints as rows of a linear system for accelerations and multipliers. (T-84, T-85, T-87)
//!
//! fᵃ(t, x, u) = 0 differentiated along the motion is linear in the accelerations, Jᵃᵢaⁱ + dᵃ = 0 with
//! J = ∂f/∂u; the ideal reaction is λ_aJᵃᵢ. A constraint f(t, x) = 0 is differentiated twice, with
//! J = ∂f/∂x. (T-106)

use std::cell::LazyCell;

use galilei_expr::{Expr, ExprId};
use galilei_mechanics::System;
use galilei_syntax::Span;

use crate::code::Code;
use crate::contents::{Chart, Constraint, Level};
use crate::diagnostic::Diagnostic;
use crate::model::Model;
use crate::numbers::{State, doubles, undetermined};
use crate::validate::{RESIDUAL_ROUNDING, magnitude};

/// One constraint, ready for the solve.
#[derive(Clone, Debug)]
pub struct ConstraintRow<'p> {
    /// Its name.
    pub name: String,
    /// Its place in the file.
    pub span: Span,
    /// Jᵢ
    pub row: Vec<Expr<'p>>,
    /// The part of the differentiated constraint without accelerations.
    pub drift: Expr<'p>,
    /// f, which vanishes on admissible states.
    pub residual: Expr<'p>,
    /// df/dt of a constraint between positions, which vanishes too.
    pub rate: Option<Expr<'p>>,
}

impl Model {
    /// The constraints of the model.
    pub fn constraint_rows(&self) -> Vec<ConstraintRow<'_>> {
        let system = self.system();
        let list = self.contents().constraints.iter();
        list.map(|f| row(&system, f, self.expr(f.function)))
            .collect()
    }

    /// The constraints in another declared chart.
    pub fn constraint_rows_in_chart<'p>(&'p self, chart: &Chart<ExprId>) -> Vec<ConstraintRow<'p>> {
        let (change, moved) = self.in_chart(&self.system(), chart);
        let map = change.prolonged();
        let list = self.contents().constraints.iter();
        list.map(|f| row(&moved, f, map.pullback(&self.expr(f.function))))
            .collect()
    }

    /// Errors of a state: it violates constraints, or they are undefined or dependent there. `hint` says how to
    /// correct a violated constraint.
    pub(crate) fn judge_state<'p>(
        &'p self,
        rows: &[ConstraintRow<'p>],
        values: &[(Expr<'p>, Expr<'p>)],
        place: &str,
        hint: impl Fn() -> String,
    ) -> Vec<Diagnostic> {
        let pool = self.pool();
        let mut out: Vec<Diagnostic> = Vec::new();
        let undefined = rows.iter().filter_map(|r| r.undefined(values, place));
        out.extend(undefined);
        if !out.is_empty() {
            return out;
        }
        let hint = LazyCell::new(hint);
        for r in rows {
            for (e, what) in [(Some(r.residual), ""), (r.rate, "the rate of ")] {
                let Some(e) = e else { continue };
                let Some(v) = doubles(pool, &[e], values)[0] else {
                    continue;
                };
                if v.abs() > RESIDUAL_ROUNDING * magnitude(pool, e, values) {
                    let message = format!(
                        "{place} violates the constraint `{}`: {what}left side − right side is {v}",
                        r.name
                    );
                    out.push(Diagnostic::error(
                        Code::StateViolatesConstraint,
                        message,
                        hint.as_str(),
                        r.span,
                    ));
                    break;
                }
            }
        }
        let flat: Vec<Expr<'p>> = rows.iter().flat_map(|r| r.row.iter().copied()).collect();
        let numbers: Option<Vec<f64>> = doubles(pool, &flat, values).into_iter().collect();
        if let (Some(numbers), Some(first)) = (numbers, rows.first()) {
            let n = first.row.len();
            let matrix: Vec<Vec<f64>> = numbers.chunks(n).map(<[f64]>::to_vec).collect();
            if galilei_linear::rank(matrix) < rows.len() {
                out.push(Diagnostic::error(
                    Code::InadmissibleConstraintAtState,
                    format!("the constraints are not independent at {place}"),
                    "choose another state: here a constraint restricts nothing or repeats another",
                    first.span,
                ));
            }
        }
        out
    }
}

impl<'p> ConstraintRow<'p> {
    /// Reports constraints, or derivatives of them, that have no values at a state.
    fn undefined(&self, values: &[(Expr<'p>, Expr<'p>)], place: &str) -> Option<Diagnostic> {
        let function: Vec<Expr<'p>> = std::iter::once(self.residual).chain(self.rate).collect();
        let mut slopes = self.row.clone();
        slopes.push(self.drift);
        let pool = self.residual.pool();
        let missing = |list: &[Expr<'p>]| doubles(pool, list, values).contains(&None);
        let what = match (missing(&function), missing(&slopes)) {
            (true, _) => "is",
            (false, true) => "has derivatives that are",
            (false, false) => return None,
        };
        if undetermined(&function)
            .or_else(|| undetermined(&slopes))
            .is_some()
        {
            return None;
        }
        Some(Diagnostic::error(
            Code::NotDefinedAtState,
            format!(
                "the constraint `{}` {what} not defined at {place}",
                self.name
            ),
            "choose a state where it is: the argument of a root or logarithm, or a divisor, is zero or negative here",
            self.span,
        ))
    }
}

fn row<'p>(system: &System<'p>, f: &Constraint<ExprId>, function: Expr<'p>) -> ConstraintRow<'p> {
    let state = system.state();
    let (x, u) = (state.base().positions(), state.velocities());
    let mut rates = vec![(state.time(), state.pool().one())];
    rates.extend(x.iter().copied().zip(u.iter().copied()));
    let along = |e: Expr<'p>| e.derivative_along(&rates);
    match f.level {
        Level::Velocity => ConstraintRow {
            name: f.name.clone(),
            span: f.span,
            row: function.gradient(u),
            drift: along(function),
            residual: function,
            rate: None,
        },
        Level::Position => {
            let rate = along(function);
            ConstraintRow {
                name: f.name.clone(),
                span: f.span,
                row: function.gradient(x),
                drift: along(rate),
                residual: function,
                rate: Some(rate),
            }
        }
    }
}

impl Model {
    /// The nearest admissible state as it would be written, for hints.
    pub(crate) fn offer(&self, state: &State<'_>) -> Option<String> {
        let pool = self.pool();
        let same = State {
            time: pool.expr(state.time.id()),
            position: state.position.iter().map(|e| pool.expr(e.id())).collect(),
            velocity: state.velocity.iter().map(|e| pool.expr(e.id())).collect(),
        };
        let near = self.projected(&same)?;
        let c = self.contents();
        let scale = |k: usize| self.expr(c.coordinates[k].scale).evaluate_f64(&[]);
        let mut list = Vec::new();
        let entries = [
            (&same.position, &near.position),
            (&same.velocity, &near.velocity),
        ];
        for ((from, to), prime) in entries.into_iter().zip(["", "'"]) {
            for (k, (a, b)) in from.iter().zip(to).enumerate() {
                let [a, b] = [a, b].map(|e| e.evaluate_f64(&[]) / scale(k));
                list.push((a != b, format!("{}{prime} = {b}", c.coordinates[k].name)));
            }
        }
        // A long list keeps only the entries that change, and not too many of them.
        let long = list.len() > MAX_HINT_ENTRIES;
        let shown = list.into_iter().filter(|e| !long || e.0).map(|e| e.1);
        let mut shown: Vec<String> = shown.collect();
        if shown.len() > MAX_HINT_ENTRIES {
            shown.truncate(MAX_HINT_ENTRIES);
            shown.push("…".into());
        }
        Some(shown.join(", "))
    }
}

/// Entries of a state that are written into a hint.
const MAX_HINT_ENTRIES: usize = 24;
