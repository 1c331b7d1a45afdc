//! Validation: reasons why a model is impossible or remarkable. Every command validates first.

use galilei_expr::{Assumptions, Expr, Rational, SymmetricMatrix, Verdict, generic_rank};
use galilei_mechanics::System;

use crate::code::Code;
use crate::contents::{Enforcement, Level};
use crate::diagnostic::Diagnostic;
use crate::model::Model;
use crate::numbers::doubles;
use crate::state::State;

/// Residuals of constraints below this, relative to the size of their terms, are rounding.
pub(crate) const RESIDUAL_ROUNDING: f64 = 1e-9;
/// The name of an initial state that the model does not give.
const ASSUMED_PLACE: &str = "the initial state (zero is assumed, as the model gives none)";
/// The name of a state that is not the initial one.
const OTHER_PLACE: &str = "this state";
/// Terms of the constraints up to which their set is examined before every command.
const MAX_CONSTRAINT_TERMS: usize = 400;
/// Degrees of freedom up to which the rank of the mass matrix is decided for all states first; beyond, one regular
/// state is enough.
const MAX_DEGREES_FOR_RANK: usize = 64;
/// Degrees of freedom up to which pivots are enclosed.
const MAX_DEGREES_FOR_PIVOTS: usize = 256;

/// Whether a Lagrangian determines the accelerations of a motion without constraints. (T-48)
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Regularity {
    /// Nothing speaks against det ∂²L/∂u∂u ≠ 0 at almost all states.
    Regular,
    /// det ∂²L/∂u∂u = 0 at all states, proved.
    Degenerate,
}

/// Whether the constraints of a model are independent and determine the motion. (T-79, T-82)
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ConstraintRegularity {
    /// Nothing speaks against it; also without constraints.
    Regular,
    /// The constraints are not independent, at all states or at the initial one, or no state satisfies them.
    Inadmissible,
    /// The constraints are independent, but the mass matrix is degenerate on the velocities they allow.
    NotUnique,
}

/// The result of validating a model.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Validation {
    /// Whether the Lagrangian determines the accelerations.
    pub lagrangian: Regularity,
    /// Whether the constraints are independent and determine the motion.
    pub constraints: ConstraintRegularity,
    /// Errors and warnings, in order of place.
    pub diagnostics: Vec<Diagnostic>,
}

impl Model {
    /// Diagnostics about regularity of L, definiteness, constraints and the initial state. Every command validates
    /// first.
    pub fn validate(&self) -> Vec<Diagnostic> {
        self.validation().diagnostics
    }

    /// The diagnostics of [`Model::validate`], with regularity as values.
    ///
    /// ```
    /// use galilei_model::{Regularity, Settings, read};
    /// let text = "coord x, y\nlagrangian: (x' + y')^2/2\n";
    /// let model = read(text, &Settings::default()).model.unwrap();
    /// assert_eq!(model.validation().lagrangian, Regularity::Degenerate);
    /// ```
    pub fn validation(&self) -> Validation {
        let start = self.initial_state().ok();
        self.judge(start.as_ref(), start.as_ref(), self.initial_place())
    }

    /// The diagnostics of [`Model::validate`] for a run that starts at another time than the file says.
    ///
    /// ```
    /// use galilei_model::{Settings, read};
    /// let text = "coord x\nkinetic: x'^2/2\nconstraint belt: x' = cos(t)\ninitial x' = 1\n";
    /// let model = read(text, &Settings::default()).model.unwrap();
    /// assert!(model.validate().is_empty());
    /// assert_eq!(model.validate_from(1.0)[0].code.as_str(), "state_violates_constraint");
    /// ```
    pub fn validate_from(&self, time: f64) -> Vec<Diagnostic> {
        let start = match Rational::from_f64(time) {
            Some(time) => self.initial_state_from(self.pool().number(time)).ok(),
            None => self.initial_state().ok(),
        };
        let place = self.initial_place();
        self.judge(start.as_ref(), start.as_ref(), place)
            .diagnostics
    }

    /// The diagnostics of [`Model::validate`], with definiteness judged at a given state.
    pub fn validate_at<'p>(&'p self, state: Option<&State<'p>>) -> Vec<Diagnostic> {
        let start = self.initial_state().ok();
        self.judge(state, start.as_ref(), OTHER_PLACE).diagnostics
    }

    /// The name of the initial state in messages.
    fn initial_place(&self) -> &'static str {
        let c = self.contents();
        let mut given = c.coordinates.iter();
        match given.any(|c| c.initial_position.is_some() || c.initial_velocity.is_some()) {
            true => "the initial state",
            false => ASSUMED_PLACE,
        }
    }

    fn judge<'p>(
        &'p self,
        state: Option<&State<'p>>,
        start: Option<&State<'p>>,
        place: &str,
    ) -> Validation {
        let mut out = Vec::new();
        let system = self.system();
        if let Some(found) = state.and_then(|s| self.judge_momenta(s, place)) {
            return Validation {
                lagrangian: Regularity::Degenerate,
                constraints: ConstraintRegularity::Regular,
                diagnostics: vec![found],
            };
        }
        let lagrangian = self.judge_hessian(&system, &mut out);
        // A given state is judged with its numbers; this judges the initial one.
        if place != OTHER_PLACE
            && let Some(start) = start
        {
            self.judge_defined(&system, start, place, &mut out);
        }
        if !out.iter().any(Diagnostic::is_error) {
            self.judge_definite(&system, state, place, &mut out);
            self.judge_quadratic(&system, &mut out);
        }
        self.judge_assumptions(&mut out);
        self.judge_charts(&mut out);
        self.judge_inverses(&mut out);
        if self.contents().atlas.is_some() {
            // A run that starts where the first chart is singular starts in another one.
            let elsewhere = [Code::DegenerateLagrangianAtState, Code::NotDefinedAtState];
            out.retain(|d| !elsewhere.contains(&d.code));
        }
        let judged = start.filter(|_| place != OTHER_PLACE);
        let constraints = self.judge_constraint_rank(&system, judged, lagrangian, &mut out);
        if !out.iter().any(Diagnostic::is_error) {
            self.judge_dependent(&mut out);
        }
        if let Some(values) = start.and_then(|s| self.symbol_values(&system, s)) {
            out = (out.into_iter())
                .map(|d| self.at_culprit(d, &values))
                .collect();
        }
        out.sort_by_key(|d| d.span.map_or(u32::MAX, |s| s.start));
        Validation {
            lagrangian,
            constraints,
            diagnostics: out,
        }
    }

    pub(crate) fn kinetic_span(&self) -> Option<galilei_syntax::Span> {
        let c = self.contents();
        c.contributions.first().map(|c| c.span)
    }

    fn judge_hessian(&self, system: &System<'_>, out: &mut Vec<Diagnostic>) -> Regularity {
        let n = system.state().degrees_of_freedom();
        if n > MAX_DEGREES_FOR_RANK
            && let Some(values) = self.values_at(system, self.initial_state().ok().as_ref())
            && self.certainly_definite(system, &values)
        {
            return Regularity::Regular;
        }
        let matrix = system.lagrangian().mass_matrix();
        let inert = |row: &[Expr<'_>]| row.iter().all(|e| e.is_zero());
        if n > MAX_DEGREES_FOR_RANK
            && !matrix.rows().iter().any(|row| inert(row))
            && self.regular_at(system, self.initial_state().ok().as_ref(), matrix.rows())
                == Some(true)
        {
            return Regularity::Regular;
        }
        let idle: Vec<usize> = (0..n).filter(|&i| inert(&matrix.rows()[i])).collect();
        // Of a large matrix with rows of zeros it is enough to know these.
        let rank = if n > MAX_DEGREES_FOR_RANK && !idle.is_empty() {
            format!("at most {}", n - idle.len())
        } else {
            let found = generic_rank(matrix.rows(), &self.assumptions());
            if found.rank == n || !found.verdict.is_proved() {
                return Regularity::Regular;
            }
            found.rank.to_string()
        };
        let name = |&i: &usize| self.contents().coordinates[i].name.clone();
        let free: Vec<String> = idle.iter().map(name).collect();
        let hint = if free.is_empty() {
            "every coordinate needs inertia: check the kinetic energies".to_owned()
        } else {
            format!(
                "nothing gives inertia to {}: L contains no square of that velocity",
                free.join(", ")
            )
        };
        out.push(Diagnostic::error(
                Code::DegenerateLagrangian,
                format!(
                    "the Hessian ∂²L/∂u∂u has rank {rank} instead of {n}: the accelerations are not determined",
                ),
                hint,
                self.kinetic_span(),
            ));
        Regularity::Degenerate
    }

    /// Whether a matrix can be inverted at a state, if there is one.
    pub fn regular_at<'p>(
        &'p self,
        system: &System<'p>,
        state: Option<&State<'p>>,
        rows: &[Vec<Expr<'p>>],
    ) -> Option<bool> {
        let pool = self.pool();
        let values: Vec<_> = self
            .values_at(system, state)?
            .into_iter()
            .map(|(s, q)| (s, pool.number(q)))
            .collect();
        let flat: Vec<Expr<'_>> = rows.iter().flatten().copied().collect();
        let numbers = doubles(pool, &flat, &values)
            .into_iter()
            .collect::<Option<Vec<f64>>>()?;
        let n = rows.len();
        let rows: Vec<Vec<f64>> = numbers.chunks(n).map(<[f64]>::to_vec).collect();
        Some(galilei_linear::solve(&rows, &vec![0.0; n]).is_ok())
    }

    /// Whether an expression vanishes at given values of its symbols, up to the rounding of its terms; `false`
    /// where it has no value.
    pub fn vanishes_at<'p>(&'p self, e: Expr<'p>, values: &[(Expr<'p>, Expr<'p>)]) -> bool {
        let value = doubles(self.pool(), &[e], values)[0];
        value.is_some_and(|v| v.abs() <= RESIDUAL_ROUNDING * magnitude(self.pool(), e, values))
    }

    /// The rank of a matrix at given values of its symbols, up to rounding; `None` where an entry has no value.
    pub fn rank_at<'p>(
        &'p self,
        rows: &[Vec<Expr<'p>>],
        values: &[(Expr<'p>, Expr<'p>)],
    ) -> Option<usize> {
        let flat: Vec<Expr<'p>> = rows.iter().flatten().copied().collect();
        let numbers = doubles(self.pool(), &flat, values);
        let numbers: Vec<f64> = numbers.into_iter().collect::<Option<_>>()?;
        let width = rows.first().map_or(1, Vec::len);
        let matrix: Vec<Vec<f64>> = numbers.chunks(width).map(<[f64]>::to_vec).collect();
        Some(galilei_linear::rank(matrix))
    }

    /// Values for every symbol at a state, if all are rational numbers or nearly so.
    pub(crate) fn values_at<'p>(
        &'p self,
        system: &System<'p>,
        state: Option<&State<'p>>,
    ) -> Option<Vec<(Expr<'p>, Rational)>> {
        let values = self.symbol_values(system, state?)?;
        let pool = self.pool();
        values
            .into_iter()
            .map(|(s, v)| {
                let q = v
                    .as_rational()
                    .or_else(|| doubles(pool, &[v], &[])[0].and_then(Rational::from_f64))?;
                Some((s, q))
            })
            .collect()
    }

    fn judge_definite<'p>(
        &'p self,
        system: &System<'p>,
        state: Option<&State<'p>>,
        place: &str,
        out: &mut Vec<Diagnostic>,
    ) {
        let verdict = self.definite(system, state);
        let c = self.contents();
        if let Some(span) = c.metric {
            let metric = c.contributions.iter().find(|k| k.statement == "metric");
            let u = self.velocities();
            let alone = metric.and_then(|m| SymmetricMatrix::new(self.expr(m.value).hessian(&u)));
            let values = self.values_at(system, state);
            if let (Some(m), Some(values)) = (alone, values)
                && m.positive_definite_at(&values).is_refuted()
                // The metric may be completed by particles and bodies.
                && c.contributions.iter().filter(|k| k.part == crate::contents::Part::Kinetic).count() == 1
            {
                out.push(Diagnostic::error(
                    Code::MetricNotPositiveDefinite,
                    format!("the metric is not positive definite at {place}"),
                    "a Galilean metric measures spacelike vectors: g(v, v) > 0 for v ≠ 0",
                    span,
                ));
                return;
            }
        }
        if matches!(verdict, Some(Verdict::Refuted(_))) {
            // Singular at the state, or merely indefinite?
            let matrix = system.lagrangian().mass_matrix();
            if self.regular_at(system, state, matrix.rows()) == Some(false) {
                out.push(Diagnostic::error(
                    Code::DegenerateLagrangianAtState,
                    format!("the mass matrix ∂²L/∂u∂u is singular at {place}: the accelerations are not determined there"),
                    match place {
                        ASSUMED_PLACE => "say where it starts, `initial …`, or use another chart",
                        _ => "start from another state, or use another chart",
                    },
                    self.kinetic_span(),
                ));
                return;
            }
            out.push(Diagnostic::warning(
                Code::MetricNotPositiveDefinite,
                format!("the mass matrix ∂²L/∂u∂u is regular but not positive definite at {place}"),
                "Lagrange's and Hamilton's equations hold; Theorem 1 in its strict form and Gauss' principle do not",
                self.kinetic_span(),
            ));
        }
    }

    /// Whether the mass matrix ∂²L/∂u∂u is positive definite at a state; `None` where a parameter or the state
    /// has no value. (T-6)
    pub fn definite<'p>(
        &'p self,
        system: &System<'p>,
        state: Option<&State<'p>>,
    ) -> Option<Verdict> {
        let n = system.state().degrees_of_freedom();
        if n > MAX_DEGREES_FOR_RANK
            && !self.is_implicit()
            && let Some(values) = self.values_at(system, state)
            && self.certainly_definite(system, &values)
        {
            return Some(Verdict::Certified);
        }
        if n > MAX_DEGREES_FOR_PIVOTS {
            let reason = "the mass matrix is too large for enclosures of its pivots";
            return Some(Verdict::Undecided(galilei_expr::Reason::OutOfReach(reason)));
        }
        let mut values = self.values_at(system, state)?;
        let rows = match self.given_hamiltonian().filter(|h| h.implicit) {
            None => system.lagrangian().mass_matrix().rows().to_vec(),
            // A matrix is positive definite with its inverse, ∂²H/∂p∂p, which is a formula.
            Some(h) => {
                let momenta = self.momenta_of(state?).ok()?;
                let momenta = momenta.into_iter().map(galilei_expr::Rational::from_f64);
                let momenta = momenta.collect::<Option<Vec<_>>>()?;
                values.extend(h.momenta.iter().copied().zip(momenta));
                self.pool().jacobian(&h.velocities, &h.momenta)
            }
        };
        let matrix = SymmetricMatrix::new(rows)?;
        Some(matrix.positive_definite_at(&values))
    }

    fn judge_quadratic(&self, system: &System<'_>, out: &mut Vec<Diagnostic>) {
        if system.lagrangian().decide_quadratic().is_refuted() {
            out.push(Diagnostic::warning(
                Code::NotAnActionFormInStrictSense,
                "L is not quadratic in the velocities, so the mass matrix depends on them",
                "Ω is an action form in the extended sense (T-26); the velocities are found from the momenta numerically",
                self.kinetic_span(),
            ));
        }
    }

    fn judge_assumptions(&self, out: &mut Vec<Diagnostic>) {
        let Ok(values) = self.parameter_values() else {
            return;
        };
        let c = self.contents();
        for a in &c.assumptions {
            if let Some(v) = doubles(self.pool(), &[self.expr(a.positive)], &values)[0]
                && v <= 0.0
            {
                out.push(Diagnostic::error(
                    Code::AssumptionViolated,
                    format!(
                        "the parameters of this model violate the assumption `{}`",
                        a.text
                    ),
                    "change the values or remove the assumption",
                    a.span,
                ));
            }
        }
    }

    fn judge_charts(&self, out: &mut Vec<Diagnostic>) {
        let c = self.contents();
        for chart in &c.charts {
            let (old, new) = (self.exprs(&chart.old), self.exprs(&chart.symbols));
            let rows = self.pool().jacobian(&old, &new);
            let rank = generic_rank(&rows, &Assumptions::new());
            if rank.rank < chart.symbols.len() && rank.verdict.is_proved() {
                out.push(Diagnostic::error(
                    Code::SingularChart,
                    format!(
                        "the chart `{}` is no chart: its Jacobian has rank {} everywhere",
                        chart.name, rank.rank
                    ),
                    "the new coordinates must determine the old ones and be determined by them",
                    chart.span,
                ));
            }
        }
    }

    /// ∂f/∂u of the constraints at velocity level, ∂f/∂x of the others.
    pub(crate) fn constraint_matrix(&self) -> Vec<Vec<Expr<'_>>> {
        let (x, u) = (self.positions(), self.velocities());
        let list = self.contents().constraints.iter();
        list.map(|f| match f.level {
            Level::Position => self.expr(f.function).gradient(&x),
            Level::Velocity => self.expr(f.function).gradient(&u),
            Level::Acceleration => self.exprs(&f.form)[1 + x.len()..].to_vec(),
        })
        .collect()
    }

    fn judge_constraint_rank<'p>(
        &'p self,
        system: &System<'p>,
        start: Option<&State<'p>>,
        lagrangian: Regularity,
        out: &mut Vec<Diagnostic>,
    ) -> ConstraintRegularity {
        let c = self.contents();
        let Some(first) = c.constraints.first() else {
            return ConstraintRegularity::Regular;
        };
        let n = c.coordinates.len();
        let count = c.constraints.len();
        let rows = self.constraint_matrix();
        if count > n {
            out.push(Diagnostic::error(
                Code::InadmissibleConstraint,
                format!(
                    "there are {count} constraints on {n} coordinate{}",
                    if n == 1 { "" } else { "s" }
                ),
                "at most as many constraints as coordinates can be independent",
                c.constraints[n].span,
            ));
            return ConstraintRegularity::Inadmissible;
        }
        let rank = generic_rank(&rows, &self.assumptions());
        if rank.rank < count && rank.verdict.is_proved() {
            // The first constraint that adds nothing.
            let adds_nothing = |&k: &usize| generic_rank(&rows[..k], &self.assumptions()).rank < k;
            let culprit = (1..=count).find(adds_nothing).unwrap_or(1) - 1;
            out.push(self.repetition(&rows, culprit, rank.rank));
            return ConstraintRegularity::Inadmissible;
        }
        if lagrangian == Regularity::Regular {
            let matrix = system.lagrangian().mass_matrix();
            let augmented = self.augmented(matrix.rows(), &rows);
            let rank = generic_rank(&augmented, &self.assumptions());
            if rank.rank < n + count && rank.verdict.is_proved() {
                out.push(Diagnostic::error(
                    Code::ConstrainedDynamicsNotUnique,
                    "the mass matrix is degenerate on the velocities the constraints allow: the motion is not determined",
                    "this happens for indefinite kinetic energies only",
                    first.span,
                ));
                return ConstraintRegularity::NotUnique;
            }
            if let Some(d) = self.judge_reactions(system, &rows) {
                out.push(d);
                return ConstraintRegularity::NotUnique;
            }
        }
        if let Some(d) = self.judge_constraint_set(system) {
            out.push(d);
            return ConstraintRegularity::Inadmissible;
        }
        let here = start.map_or_else(Vec::new, |s| self.judge_initial_state(system, s));
        let dependent = |d: &Diagnostic| d.code == Code::InadmissibleConstraintAtState;
        let lost = here.iter().any(dependent);
        out.extend(here);
        match lost {
            true => ConstraintRegularity::Inadmissible,
            false => ConstraintRegularity::Regular,
        }
    }

    /// Says that no state satisfies the constraints, or that their rank is lost wherever they hold. Affine
    /// constraints of full generic rank have it almost everywhere on their set.
    fn judge_constraint_set<'p>(&'p self, system: &System<'p>) -> Option<Diagnostic> {
        let c = self.contents();
        let u = system.state().velocities();
        // Every state satisfies a constraint on accelerations.
        let restricting = || (c.constraints.iter()).filter(|f| f.level != Level::Acceleration);
        let functions: Vec<Expr<'p>> = restricting().map(|f| self.expr(f.function)).collect();
        let curved = restricting()
            .any(|f| f.level == Level::Position || self.expr(f.function).polynomial(u, 1).is_err());
        if !curved || crate::size::term_count(functions) > MAX_CONSTRAINT_TERMS {
            return None;
        }
        let set = self.constraint_set(system)?;
        if set.is_empty() {
            let alone = |k: &usize| {
                let one = self.constraint_list().swap_remove(*k);
                self.set_of(system, &[one]).is_empty()
            };
            let culprit = (0..c.constraints.len()).find(alone);
            let f = &c.constraints[culprit.unwrap_or(0)];
            let message = match culprit {
                Some(_) => format!("no state satisfies the constraint `{}`", f.name),
                None => "no state satisfies all constraints together".to_owned(),
            };
            return Some(Diagnostic::error(
                Code::InadmissibleConstraint,
                message,
                "a constraint must leave some states: its left side − right side has no real zero",
                f.span,
            ));
        }
        let lost = (0..set.sheets.len()).all(|k| set.decide_rank(k).is_refuted());
        if !set.complete || !lost {
            return None;
        }
        let alone = |k: &usize| {
            let one = self.constraint_list().swap_remove(*k);
            let own = self.set_of(system, &[one]);
            let lost = (0..own.sheets.len()).all(|s| own.decide_rank(s).is_refuted());
            own.complete && lost && !own.sheets.is_empty()
        };
        let culprit = (0..c.constraints.len()).find(alone);
        let f = &c.constraints[culprit.unwrap_or(c.constraints.len() - 1)];
        let (message, hint) = match culprit {
            Some(_) => (
                format!(
                    "the constraint `{}` has no rank where it holds: its derivatives vanish with it",
                    f.name
                ),
                self.simpler_constraint(system, self.expr(f.function)),
            ),
            None => (
                format!(
                    "the constraints are not independent wherever they hold: `{}` touches the others",
                    f.name
                ),
                "on the states that satisfy all of them, one restricts nothing more".to_owned(),
            ),
        };
        Some(Diagnostic::error(
            Code::InadmissibleConstraint,
            message,
            hint,
            f.span,
        ))
    }

    /// The set on which some constraints hold.
    fn set_of<'p>(
        &'p self,
        system: &System<'p>,
        list: &[galilei_mechanics::Constraint<'p>],
    ) -> galilei_mechanics::ConstraintSet<'p> {
        let constants = self.known_constants();
        let assumptions = self.assumptions();
        galilei_mechanics::ConstraintSet::new(system.state(), list, &constants, &assumptions)
    }

    /// A suggestion to replace a constraint that vanishes to second order.
    fn simpler_constraint<'p>(&'p self, system: &System<'p>, f: Expr<'p>) -> String {
        let reading = galilei_expr::Reading::new().assuming(&self.assumptions());
        let symbols = system.state().chart().coordinates();
        let factors = f.factors(&reading).list;
        let mut factors = factors.iter().filter(|p| p.0.contains_any(symbols));
        match (factors.next(), factors.next()) {
            (Some((e, q)), None) if *q > Rational::ONE => {
                format!("write `{e} = 0`, which vanishes to first order")
            }
            _ => "write what vanishes as constraints of its own, each to first order".into(),
        }
    }

    /// Reports an energy or a force that has no value at a state, or whose derivatives in the equations of motion
    /// have none.
    fn judge_defined<'p>(
        &'p self,
        system: &System<'p>,
        state: &State<'p>,
        place: &str,
        out: &mut Vec<Diagnostic>,
    ) {
        let c = self.contents();
        if c.coordinates.len() > MAX_DEGREES_FOR_RANK {
            return;
        }
        let Some(values) = self.symbol_values(system, state) else {
            return;
        };
        let (x, u) = (
            system.state().base().positions(),
            system.state().velocities(),
        );
        let pool = self.pool();
        let missing = |list: &[Expr<'p>]| {
            crate::numbers::undetermined(list).is_none()
                && doubles(pool, list, &values).contains(&None)
        };
        // All of them at once first: usually everything is defined.
        let lagrangian = system.lagrangian();
        let mut all = vec![lagrangian.function()];
        all.extend(lagrangian.function().gradient(x));
        all.extend(lagrangian.momenta());
        all.extend(lagrangian.mass_matrix().rows().iter().flatten());
        all.extend(c.forces.iter().flat_map(|f| self.exprs(&f.components)));
        if !doubles(pool, &all, &values).contains(&None) {
            return;
        }
        let say = |what: String, how: &str, span| {
            Diagnostic::error(
                Code::NotDefinedAtState,
                format!("{what} {how} not defined at {place}"),
                match place {
                    ASSUMED_PLACE => {
                        "say where it starts, `initial …`: a divisor is zero there, or the argument of a root or logarithm is zero or negative"
                    }
                    _ => {
                        "start from another state: a divisor is zero there, or the argument of a root or logarithm is zero or negative"
                    }
                },
                span,
            )
        };
        for k in &c.contributions {
            let what = match k.name.starts_with(k.statement) || k.name.is_empty() {
                true => format!(
                    "the {}",
                    if k.name.is_empty() {
                        k.statement
                    } else {
                        &k.name
                    }
                ),
                false => format!("the {} `{}`", k.statement, k.name),
            };
            let value = self.expr(k.value);
            if missing(&[value]) {
                out.push(say(what, "is", k.span));
                continue;
            }
            let mut slopes = value.gradient(x);
            let momenta = value.gradient(u);
            slopes.extend(momenta.iter().flat_map(|p| p.gradient(u)));
            slopes.extend(momenta);
            if missing(&slopes) {
                out.push(say(what, "has derivatives that are", k.span));
            }
        }
        for f in &c.forces {
            if missing(&self.exprs(&f.components)) {
                out.push(say(format!("the force `{}`", f.name), "is", f.span));
            }
        }
    }

    pub(crate) fn augmented<'p>(
        &'p self,
        mass: &[Vec<Expr<'p>>],
        rows: &[Vec<Expr<'p>>],
    ) -> Vec<Vec<Expr<'p>>> {
        let zero = self.pool().zero();
        let mut all: Vec<Vec<Expr<'p>>> = mass
            .iter()
            .enumerate()
            .map(|(i, m)| m.iter().copied().chain(rows.iter().map(|r| r[i])).collect())
            .collect();
        all.extend(
            rows.iter()
                .map(|r| r.iter().copied().chain(rows.iter().map(|_| zero)).collect()),
        );
        all
    }

    fn judge_initial_state<'p>(
        &'p self,
        system: &System<'p>,
        state: &State<'p>,
    ) -> Vec<Diagnostic> {
        let Some(values) = self.symbol_values(system, state) else {
            return vec![];
        };
        let rows = self.constraint_rows();
        let place = self.initial_place();
        let mut out = self.judge_state(&rows, &values, place, || match self.offer(state) {
            Some(near) => {
                format!("the nearest admissible state: initial {near}; or run with --project")
            }
            None => "change the `initial` values so that the constraint holds at the start".into(),
        });
        if out.is_empty() && !self.reactions_are_ideal() {
            let mass = system.lagrangian().mass_matrix();
            let border = self.enforcing_matrix(mass.rows(), &rows);
            if self.regular_at(system, Some(state), mass.rows()) == Some(true)
                && self.regular_at(system, Some(state), &border) == Some(false)
            {
                out.extend(self.cannot_enforce(&format!(" at {place}")));
            }
        }
        out
    }

    /// [m C; J 0] with the covectors C of the reactions. (T-83)
    fn enforcing_matrix<'p>(
        &'p self,
        mass: &[Vec<Expr<'p>>],
        rows: &[crate::constrained::ConstraintRow<'p>],
    ) -> Vec<Vec<Expr<'p>>> {
        let zero = self.pool().zero();
        let covectors = |i: usize| rows.iter().map(move |r| r.covector[i]);
        let above = mass.iter().enumerate();
        let above = above.map(|(i, m)| m.iter().copied().chain(covectors(i)).collect());
        let below = rows.iter().map(|r| {
            let none = rows.iter().map(|_| zero);
            r.row.iter().copied().chain(none).collect()
        });
        above.chain(below).collect()
    }

    /// Says that a reaction acts along a covector which the constraints do not feel: ṡm⁻¹C is singular everywhere.
    fn judge_reactions<'p>(
        &'p self,
        system: &System<'p>,
        rows: &[Vec<Expr<'p>>],
    ) -> Option<Diagnostic> {
        if self.reactions_are_ideal() {
            return None;
        }
        let mass = system.lagrangian().mass_matrix();
        let own = self.constraint_rows();
        let border = self.enforcing_matrix(mass.rows(), &own);
        let rank = generic_rank(&border, &self.assumptions());
        let singular = rank.rank < mass.rows().len() + rows.len() && rank.verdict.is_proved();
        singular.then(|| self.cannot_enforce("")).flatten()
    }

    /// The diagnostic of reactions that cannot enforce their constraints.
    pub(crate) fn cannot_enforce(&self, place: &str) -> Option<Diagnostic> {
        let list = self.contents().constraints.iter();
        let declared: Vec<_> = list
            .filter(|c| c.enforcement != Enforcement::Ideal)
            .collect();
        let first = declared.first()?;
        let names: Vec<String> = declared.iter().map(|c| format!("`{}`", c.name)).collect();
        let (subject, verb) = match names.len() {
            1 => (format!("the constraint {}", names[0]), "does"),
            _ => (format!("the constraints {}", names.join(", ")), "do"),
        };
        Some(Diagnostic::error(
            Code::ReactionCannotEnforce,
            format!(
                "{subject} {verb} not feel the reaction that should enforce it{place}: ∂f/∂u g⁻¹ times its covector is singular"
            ),
            "the covector must push along a direction that changes the constraint: choose another one, or `ideal`",
            first.enforced_at.unwrap_or(first.span),
        ))
    }
}

/// The sum of the absolute values of the terms, at least one.
pub(crate) fn magnitude<'p>(
    pool: &'p galilei_expr::Pool,
    e: Expr<'p>,
    values: &[(Expr<'p>, Expr<'p>)],
) -> f64 {
    let terms: Vec<Expr<'p>> = match e.view() {
        galilei_expr::View::Sum(terms) => {
            terms.into_iter().map(|(c, t)| pool.number(c) * t).collect()
        }
        _ => vec![e],
    };
    let numbers = doubles(pool, &terms, values);
    numbers
        .into_iter()
        .flatten()
        .map(f64::abs)
        .fold(1.0, |a, b| a + b)
}
