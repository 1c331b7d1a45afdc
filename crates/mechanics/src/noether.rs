//! Noether's theorem: fields on space-time, the change of L along them, and their first integrals.
//!
//! For v = v⁰∂ₜ + vⁱ∂ᵢ with constant v⁰ and d_t along a motion,
//!
//!   d_t(πᵢvⁱ − v⁰(πᵢuⁱ − L)) = v̄(L) + (vⁱ − v⁰uⁱ)(Fᵢ + Fᶜᵢ),
//!
//! by the first variational formula. (T-91) If the right-hand side is d_th for some h(t, x), the
//! difference of both is conserved. (T-111)

use galilei_expr::{Assumptions, Expr, Query, Reason, Verdict};
use galilei_geometry::{Matrix, VectorField};

use crate::codistribution::Constraint;
use crate::constrained::{ConstrainedSystem, Reaction};
use crate::constraint_set::ConstraintSet;
use crate::lagrangian::Lagrangian;
use crate::reference::ReferenceField;
use crate::routes::decide_together;
use crate::solved::SolvedForm;
use crate::space_time::AdaptedChart;
use crate::state_space::StateSpace;
use crate::system::System;

/// v = v⁰∂ₜ + vⁱ(t, x)∂ᵢ with v⁰ = const. (T-91)
#[derive(Clone, Debug, PartialEq)]
pub struct SpaceTimeField<'p> {
    base: AdaptedChart<'p>,
    time: Expr<'p>,
    components: Vec<Expr<'p>>,
}

impl<'p> SpaceTimeField<'p> {
    /// The field with these components.
    ///
    /// # Panics
    /// If there are not n of them, or if v⁰ depends on (t, x).
    pub fn new(base: &AdaptedChart<'p>, time: Expr<'p>, components: Vec<Expr<'p>>) -> Self {
        assert_eq!(components.len(), base.degrees_of_freedom(), "components");
        let coordinates = base.chart().coordinates();
        assert!(
            coordinates.iter().all(|&x| !time.contains(x)),
            "a constant time component"
        );
        Self {
            base: base.clone(),
            time,
            components,
        }
    }

    /// v̄ = v⁰∂ₜ + vⁱ∂ᵢ + (d_tvⁱ)∂_{uⁱ} on A¹M, the prolongation. (T-91)
    ///
    /// # Panics
    /// If the state space is over another chart.
    pub fn prolonged(&self, state: &StateSpace<'p>) -> VectorField<'p> {
        assert!(self.base == *state.base(), "a field of another chart");
        let rates = self.components.iter().map(|&v| state.total_derivative(v));
        let rates: Vec<Expr<'p>> = rates.collect();
        state.vector(self.time, &self.components, &rates)
    }

    /// vⁱ − v⁰uⁱ, the displacement by v at fixed time.
    pub fn characteristic(&self, state: &StateSpace<'p>) -> Vec<Expr<'p>> {
        let pairs = self.components.iter().zip(state.velocities());
        pairs.map(|(&v, &u)| v - self.time * u).collect()
    }

    /// πᵢvⁱ − v⁰(πᵢuⁱ − L). (T-91)
    pub fn charge(&self, lagrangian: &Lagrangian<'p>) -> Expr<'p> {
        let pairs = lagrangian.momenta().into_iter().zip(&self.components);
        let momentum = lagrangian.state().pool().sum(pairs.map(|(p, &v)| p * v));
        momentum - self.time * lagrangian.energy()
    }
}

impl<'p> ReferenceField<'p> {
    /// R = ∂ₜ + Rⁱ∂ᵢ as a field on space-time.
    pub fn as_field(&self) -> SpaceTimeField<'p> {
        let one = self.base().pool().one();
        SpaceTimeField::new(self.base(), one, self.components().to_vec())
    }
}

/// The result of Noether's theorem for a field and a system. (T-111)
#[derive(Clone, Debug, PartialEq)]
pub struct FirstIntegral<'p> {
    /// πᵢvⁱ − v⁰(πᵢuⁱ − L)
    pub charge: Expr<'p>,
    /// h(t, x), which is subtracted from the charge; `None` if it exists but no closed form was found.
    pub gauge: Option<Expr<'p>>,
    /// d_t(charge − h) along motions, as a function of (t, x, u) and the multipliers.
    pub defect: Expr<'p>,
    /// The defect with the multipliers of an ideal reaction substituted, where they were needed.
    pub solved: Option<Expr<'p>>,
    /// Whether the defect vanishes along every motion.
    pub verdict: Verdict,
}

impl<'p> FirstIntegral<'p> {
    /// πᵢvⁱ − v⁰(πᵢuⁱ − L) − h, if h has a closed form.
    pub fn quantity(&self) -> Option<Expr<'p>> {
        self.gauge.map(|h| self.charge - h)
    }
}

/// Whether a function on the state space is d_th, and h if it has a closed form.
fn total_derivative<'p>(
    state: &StateSpace<'p>,
    rate: Expr<'p>,
    assumptions: &Assumptions<'p>,
) -> (Verdict, Option<Expr<'p>>) {
    let none = state.pool().zero();
    let constant = zero(rate, assumptions);
    if constant.is_proved() {
        return (constant, Some(none));
    }
    Lagrangian::new(state, none).decide_gauge(&Lagrangian::new(state, rate))
}

fn dot<'p>(state: &StateSpace<'p>, a: &[Expr<'p>], b: &[Expr<'p>]) -> Expr<'p> {
    let terms = a.iter().zip(b).map(|(&a, &b)| a * b);
    state.pool().sum(terms)
}

fn zero<'p>(e: Expr<'p>, assumptions: &Assumptions<'p>) -> Verdict {
    Query::zero(e).assuming(assumptions).decide().verdict
}

impl<'p> System<'p> {
    /// (vⁱ − v⁰uⁱ)Fᵢ
    fn work_along(&self, field: &SpaceTimeField<'p>) -> Expr<'p> {
        let along = field.characteristic(self.state());
        dot(self.state(), &along, self.total_force().components())
    }

    /// Noether's theorem for a field and this system without constraints. The charge may have to be
    /// corrected by h, from v̄(L) or from the work of forces along the field. (T-111)
    pub fn noether(
        &self,
        field: &SpaceTimeField<'p>,
        assumptions: &Assumptions<'p>,
    ) -> FirstIntegral<'p> {
        let state = self.state();
        let change = field.prolonged(state).apply(self.lagrangian().function());
        let work = self.work_along(field);
        let found = |gauge, defect, verdict| FirstIntegral {
            charge: field.charge(self.lagrangian()),
            gauge,
            defect,
            solved: None,
            verdict,
        };
        let none = state.pool().zero();
        let (of_change, h) = total_derivative(state, change, assumptions);
        let workless = zero(work, assumptions);
        if of_change.is_proved() && workless.is_proved() {
            return found(h, none, of_change.and(workless));
        }
        // The sum may be a total derivative although neither term is.
        let (of_all, both) = total_derivative(state, change + work, assumptions);
        if of_all.is_proved() {
            return found(both, none, of_all);
        }
        match h {
            Some(h) => found(Some(h), work, of_all),
            None => found(Some(none), change + work, of_all),
        }
    }
}

impl<'p> ConstrainedSystem<'p> {
    /// Noether's theorem under constraints: the reaction λ_aṡᵃᵢ counts, and the rate of the charge has
    /// to vanish where the constraints hold, on J¹_σ if they are solved. The multipliers are symbols
    /// for the defect to be written with. (T-111)
    ///
    /// # Panics
    /// If there is not one multiplier for each constraint.
    pub fn noether(
        &self,
        field: &SpaceTimeField<'p>,
        multipliers: &[Expr<'p>],
        form: Option<&SolvedForm<'p>>,
        assumptions: &Assumptions<'p>,
    ) -> FirstIntegral<'p> {
        assert_eq!(multipliers.len(), self.codistribution().count());
        let state = self.state();
        let along = field.characteristic(state);
        // (vⁱ − v⁰uⁱ)ṡᵃᵢ, by which λ_a is multiplied.
        let factors = self.covectors().times_vector(&along);
        let mut found = self.system().noether(field, assumptions);
        let workless = self.decide_workless(&factors, form);
        if workless.is_proved() && found.verdict.is_proved() {
            found.verdict = found.verdict.and(workless);
            return found;
        }
        let onto = |e: Expr<'p>| form.map_or(e, |f| f.embedding().pullback(&e));
        if workless.is_proved() {
            found.verdict = workless.and(zero(onto(found.defect), assumptions));
        } else {
            found.defect += dot(state, multipliers, &factors);
            found.solved = self.with_multipliers(found.defect, multipliers);
            found.verdict = match found.solved {
                Some(rate) => zero(onto(rate), assumptions),
                None => Verdict::Undecided(Reason::OutOfReach("the reactions were not found")),
            };
        }
        if found.verdict.is_refuted() && !self.is_solved_by(form) {
            let why = "it does not vanish off the constraints, which were not solved";
            found.verdict = Verdict::Undecided(Reason::OutOfReach(why));
        }
        if found.verdict.is_proved() {
            found.defect = state.pool().zero();
        }
        found
    }

    /// Noether's theorem on one sheet of the constraint set: the rate of the charge, reactions included, has
    /// to vanish there. `reaction` is that of the system, if it was found. (T-111)
    ///
    /// # Panics
    /// If there is not one multiplier for each constraint.
    pub fn noether_on(
        &self,
        field: &SpaceTimeField<'p>,
        multipliers: &[Expr<'p>],
        (set, sheet): (&ConstraintSet<'p>, usize),
        reaction: Option<&Reaction<'p>>,
        assumptions: &Assumptions<'p>,
    ) -> FirstIntegral<'p> {
        assert_eq!(multipliers.len(), self.codistribution().count());
        let state = self.state();
        let along = field.characteristic(state);
        let factors = self.covectors().times_vector(&along);
        let mut found = self.system().noether(field, assumptions);
        let workless = set.decide_all_zero_on(sheet, &factors);
        if workless.is_proved() {
            found.verdict = match found.verdict.is_proved() {
                true => found.verdict.and(workless),
                false => workless.and(set.decide_zero_on(sheet, found.defect)),
            };
        } else {
            let lambda = reaction.and_then(|r| r.multipliers.clone());
            found.solved = lambda.map(|lambda| found.defect + dot(state, &lambda, &factors));
            // Multipliers are those of the constraints as they were given.
            let given = match self.is_ideal() {
                true => Matrix::new(state.pool(), set.rows().to_vec()),
                false => self.covectors(),
            };
            found.defect += dot(state, multipliers, &given.times_vector(&along));
            found.verdict = match found.solved {
                Some(rate) => set.decide_zero_on(sheet, rate),
                None => Verdict::Undecided(Reason::OutOfReach("the reactions were not found")),
            };
        }
        if found.verdict.is_proved() {
            found.defect = state.pool().zero();
        }
        found
    }

    /// Whether the reaction does no work along the field, wherever the constraints hold: the factors of the multipliers
    /// vanish on J¹_σ, or with the constraints.
    fn decide_workless(&self, factors: &[Expr<'p>], form: Option<&SolvedForm<'p>>) -> Verdict {
        let onto = |&e: &Expr<'p>| form.map_or(e, |f| f.embedding().pullback(&e));
        let below: Vec<Expr<'p>> = factors.iter().map(onto).collect();
        let workless = decide_together(&below);
        if workless.is_proved() {
            return workless;
        }
        self.decide_multiples(factors).unwrap_or(workless)
    }

    /// A function of states and multipliers, with the multipliers of the reaction substituted.
    fn with_multipliers(&self, e: Expr<'p>, multipliers: &[Expr<'p>]) -> Option<Expr<'p>> {
        let lambda = self.reaction().ok()?.multipliers?;
        let pairs: Vec<_> = multipliers.iter().copied().zip(lambda).collect();
        Some(e.substitute(&pairs))
    }

    /// Whether J¹_σ is the whole constraint set: no constraint is one between positions.
    fn is_solved_by(&self, form: Option<&SolvedForm<'p>>) -> bool {
        let positions = |c: &Constraint<'p>| matches!(c, Constraint::Position(_));
        form.is_some() && !self.codistribution().constraints().iter().any(positions)
    }

    /// Whether each factor is an integer multiple of its constraint fᵃ and vanishes with it.
    fn decide_multiples(&self, factors: &[Expr<'p>]) -> Option<Verdict> {
        let functions = self.codistribution().functions()?;
        let multiple = |(&e, &f): (&Expr<'p>, &Expr<'p>)| {
            let factors = (-4..=4_i64).map(|k| (e - f * k).decide_zero());
            factors.into_iter().find(Verdict::is_proved)
        };
        let each: Option<Vec<Verdict>> = factors.iter().zip(&functions).map(multiple).collect();
        each?.into_iter().reduce(Verdict::and)
    }
}
