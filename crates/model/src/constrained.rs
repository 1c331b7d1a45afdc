//! Constraints as rows of a linear system for accelerations and multipliers. (T-84, T-85, T-87)
//!
//! fᵃ(t, x, u) = 0 differentiated along the motion is linear in the accelerations, Jᵃᵢaⁱ + dᵃ = 0 with
//! J = ∂f/∂u; the ideal reaction is λ_aJᵃᵢ. A constraint f(t, x) = 0 is differentiated twice, with
//! J = ∂f/∂x. (T-106)

use galilei_expr::Expr;
use galilei_mechanics::System;

use crate::contents::{Chart, Constraint, Level};
use crate::model::Model;

/// One constraint, ready for the solve.
#[derive(Clone, Debug)]
pub struct ConstraintRow<'p> {
    /// Its name.
    pub name: String,
    /// Jᵢ
    pub row: Vec<Expr<'p>>,
    /// What is left of the differentiated constraint without accelerations.
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
        let list = self.contents().constraints;
        list.iter().map(|f| row(&system, f)).collect()
    }

    /// The constraints in another declared chart.
    pub fn constraint_rows_in_chart<'p>(
        &'p self,
        chart: &Chart<Expr<'p>>,
    ) -> Vec<ConstraintRow<'p>> {
        let system = self.system();
        let (change, moved) = self.in_chart(&system, chart);
        let velocities = change.velocities();
        let mut pairs = Vec::new();
        for i in 0..velocities.len() {
            pairs.push((system.state().position(i), chart.old[i]));
            pairs.push((system.state().velocity(i), velocities[i]));
        }
        self.constraint_rows_in(&moved, &pairs)
    }

    /// The constraints in another chart, given the change's substitutions.
    pub(crate) fn constraint_rows_in<'p>(
        &'p self,
        system: &System<'p>,
        pairs: &[(Expr<'p>, Expr<'p>)],
    ) -> Vec<ConstraintRow<'p>> {
        let list = self.contents().constraints;
        list.into_iter()
            .map(|mut f| {
                f.function = f.function.substitute(pairs);
                row(system, &f)
            })
            .collect()
    }
}

fn row<'p>(system: &System<'p>, f: &Constraint<Expr<'p>>) -> ConstraintRow<'p> {
    let state = system.state();
    let (x, u) = (state.base().positions(), state.velocities());
    let mut rates = vec![(state.time(), state.pool().one())];
    rates.extend(x.iter().copied().zip(u.iter().copied()));
    let along = |e: Expr<'p>| e.derivative_along(&rates);
    match f.level {
        Level::Velocity => ConstraintRow {
            name: f.name.clone(),
            row: f.function.gradient(u),
            drift: along(f.function),
            residual: f.function,
            rate: None,
        },
        Level::Position => {
            let rate = along(f.function);
            ConstraintRow {
                name: f.name.clone(),
                row: f.function.gradient(x),
                drift: along(rate),
                residual: f.function,
                rate: Some(rate),
            }
        }
    }
}
