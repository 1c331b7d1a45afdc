//! Constraints as rows of a linear system for accelerations and multipliers. (T-84, T-85, T-87)
//!
//! One-forms sᵃ on the state space restrict accelerations directly: Jᵃᵢ = ṡᵃᵢ, dᵃ = sᵃ₀ + sᵃᵢuⁱ. (T-82)
//!
//! fᵃ(t, x, u) = 0 differentiated along the motion is linear in the accelerations, Jᵃᵢaⁱ + dᵃ = 0 with
//! J = ∂f/∂u; the ideal reaction is λ_aJᵃᵢ. A constraint f(t, x) = 0 is differentiated twice, with
//! J = ∂f/∂x. (T-106)
//!
//! Other reactions act along covectors C: [g −Cᵀ; J 0](a; λ) = (f; −d). Along given ones, and along gᵢₖ, the k-th column
//! of the mass matrix, where the connection corrects the acceleration of the k-th coordinate alone. (T-83, T-113)

use std::cell::LazyCell;

use galilei_expr::{Expr, ExprId};
use galilei_geometry::{Form, Matrix};
use galilei_mechanics::{AdaptedChange, AdmissibleCodistribution, StateSpace, System};
use galilei_syntax::Span;

use crate::code::Code;
use crate::contents::{Chart, Constraint, Enforcement, Level};
use crate::diagnostic::Diagnostic;
use crate::model::Model;
use crate::numbers::{doubles, undetermined};
use crate::state::State;
use crate::validate::{RESIDUAL_ROUNDING, magnitude};

/// One constraint, ready for the solve.
#[derive(Clone, Debug)]
pub struct ConstraintRow<'p> {
    /// Its name.
    pub name: String,
    /// Its place in the file.
    pub span: Span,
    /// Whether it restricts positions, velocities or accelerations.
    pub level: Level,
    /// The left side minus the right side, with symbols `x''` where it restricts accelerations.
    pub equation: Expr<'p>,
    /// Jᵢ
    pub row: Vec<Expr<'p>>,
    /// The covector that the multiplier multiplies: Jᵢ for an ideal reaction. (T-83)
    pub covector: Vec<Expr<'p>>,
    /// The reaction that enforces the constraint.
    pub enforcement: Enforcement<()>,
    /// The place of the `reaction` statement, if there is one.
    pub enforced_at: Option<Span>,
    /// The part of the differentiated constraint without accelerations.
    pub drift: Expr<'p>,
    /// f, which vanishes on admissible states; `None` where every state is admitted.
    pub residual: Option<Expr<'p>>,
    /// df/dt of a constraint between positions, which vanishes too.
    pub rate: Option<Expr<'p>>,
}

impl Model {
    /// The constraints of the model.
    pub fn constraint_rows(&self) -> Vec<ConstraintRow<'_>> {
        let system = self.system();
        let state = system.state();
        let list = self.contents().constraints.iter();
        let mut rows: Vec<ConstraintRow<'_>> = list
            .map(|f| row(state, f, self.expr(f.function), self.own_form(f, state)))
            .collect();
        for (r, covector) in rows.iter_mut().zip(self.reaction_covectors(&system)) {
            if let Some(covector) = covector {
                r.covector = covector;
            }
        }
        rows
    }

    /// The constraints in another declared chart.
    pub fn constraint_rows_in_chart<'p>(&'p self, chart: &Chart<ExprId>) -> Vec<ConstraintRow<'p>> {
        let system = self.system();
        let (change, moved) = self.in_chart(&system, chart);
        let map = change.prolonged();
        let list = self.contents().constraints.iter();
        let pulled = |f: &Constraint<ExprId>| match f.level {
            Level::Acceleration => {
                let form = map.pullback(&self.own_form(f, system.state()));
                let a = moved.acceleration_symbols();
                row(
                    moved.state(),
                    f,
                    on_accelerations(&form, moved.state(), &a),
                    form,
                )
            }
            _ => {
                let function = map.pullback(&self.expr(f.function));
                let none = Form::zero(moved.state().chart(), 1);
                row(moved.state(), f, function, none)
            }
        };
        let mut rows: Vec<ConstraintRow<'p>> = list.map(pulled).collect();
        let covectors = self.reaction_covectors(&system);
        for (r, covector) in rows.iter_mut().zip(covectors) {
            if let Some(covector) = covector {
                r.covector = covector_in_chart(&change, &covector);
            }
        }
        rows
    }

    /// The one-form of a constraint that restricts accelerations; zero for others.
    pub(crate) fn own_form<'p>(
        &'p self,
        f: &Constraint<ExprId>,
        state: &StateSpace<'p>,
    ) -> Form<'p> {
        match f.form.is_empty() {
            true => Form::zero(state.chart(), 1),
            false => Form::one_form(state.chart(), &self.exprs(&f.form)),
        }
    }

    /// Whether all constraints have ideal reactions.
    pub fn reactions_are_ideal(&self) -> bool {
        let mut list = self.contents().constraints.iter();
        list.all(|c| c.enforcement == Enforcement::Ideal)
    }

    /// The covectors of the reactions that are not ideal, in the model's own chart. (T-83, T-113)
    pub fn reaction_covectors<'p>(&'p self, system: &System<'p>) -> Vec<Option<Vec<Expr<'p>>>> {
        let list = &self.contents().constraints;
        let mut dependent = self.corrected_by_connection(system).into_iter();
        let mass = LazyCell::new(|| system.lagrangian().mass_matrix());
        let covector = |c: &Constraint<ExprId>| match &c.enforcement {
            Enforcement::Ideal => None,
            Enforcement::Along(covector) => Some(self.exprs(covector)),
            Enforcement::Connection => {
                let k = dependent.next()?;
                Some(mass.rows().iter().map(|row| row[k]).collect())
            }
        };
        list.iter().map(covector).collect()
    }

    /// The coordinates whose accelerations the connection corrects, one for each constraint that it enforces: the
    /// velocities for which these constraints alone are solved. (T-113)
    pub fn corrected_by_connection<'p>(&'p self, system: &System<'p>) -> Vec<usize> {
        let list = &self.contents().constraints;
        let own = list.iter().enumerate();
        let own = own.filter(|(_, c)| c.enforcement == Enforcement::Connection);
        let all = self.constraint_list();
        let own: Vec<_> = own.map(|(k, _)| all[k].clone()).collect();
        if own.is_empty() {
            return vec![];
        }
        let Ok(d) = AdmissibleCodistribution::new(system.state(), own, &self.assumptions()) else {
            return vec![];
        };
        // What is declared says how the reaction acts: it does not depend on the state, and where the constraints do not
        // determine these velocities they cannot be enforced.
        let declared = &self.contents().dependent;
        let minor = || {
            let rows = d.vertical();
            let rows = rows.rows().iter();
            let block = rows.map(|row| declared.iter().map(|&k| row[k]).collect());
            Matrix::new(self.pool(), block.collect()).determinant()
        };
        match declared.len() == d.count() && !minor().decide_zero().is_proved() {
            true => declared.clone(),
            false => self.dependent_of(system, &d),
        }
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
            for (e, what) in [(r.residual, ""), (r.rate, "the rate of ")] {
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
        let function: Vec<Expr<'p>> = self.residual.into_iter().chain(self.rate).collect();
        let mut slopes = self.row.clone();
        slopes.push(self.drift);
        slopes.extend(&self.covector);
        let pool = self.drift.pool();
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

/// s₀ + sᵢuⁱ + ṡᵢaⁱ
fn on_accelerations<'p>(form: &Form<'p>, state: &StateSpace<'p>, a: &[Expr<'p>]) -> Expr<'p> {
    let one = state.pool().one();
    let rates = std::iter::once(&one).chain(state.velocities()).chain(a);
    let terms = rates
        .enumerate()
        .map(|(k, &rate)| form.component(&[k]) * rate);
    state.pool().sum(terms)
}

/// A covector of the old chart in the new one: F̄ᵢ = FⱼKʲᵢ. (T-11)
pub(crate) fn covector_in_chart<'p>(
    change: &AdaptedChange<'p>,
    covector: &[Expr<'p>],
) -> Vec<Expr<'p>> {
    let map = change.prolonged();
    let old: Vec<Expr<'p>> = covector.iter().map(|e| map.pullback(e)).collect();
    change.jacobian().transposed().times_vector(&old)
}

fn row<'p>(
    state: &StateSpace<'p>,
    f: &Constraint<ExprId>,
    function: Expr<'p>,
    form: Form<'p>,
) -> ConstraintRow<'p> {
    let (x, u) = (state.base().positions(), state.velocities());
    let mut rates = vec![(state.time(), state.pool().one())];
    rates.extend(x.iter().copied().zip(u.iter().copied()));
    let along = |e: Expr<'p>| e.derivative_along(&rates);
    let (row, drift, residual, rate) = match f.level {
        Level::Velocity => (function.gradient(u), along(function), Some(function), None),
        Level::Position => {
            let rate = along(function);
            (
                function.gradient(x),
                along(rate),
                Some(function),
                Some(rate),
            )
        }
        Level::Acceleration => {
            let n = state.degrees_of_freedom();
            let row = (0..n).map(|i| form.component(&[1 + n + i])).collect();
            let none = vec![state.pool().zero(); n];
            (row, on_accelerations(&form, state, &none), None, None)
        }
    };
    ConstraintRow {
        name: f.name.clone(),
        span: f.span,
        level: f.level,
        equation: function,
        covector: row.clone(),
        row,
        enforcement: match f.enforcement {
            Enforcement::Ideal => Enforcement::Ideal,
            Enforcement::Connection => Enforcement::Connection,
            Enforcement::Along(_) => Enforcement::Along(vec![]),
        },
        enforced_at: f.enforced_at,
        drift,
        residual,
        rate,
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
