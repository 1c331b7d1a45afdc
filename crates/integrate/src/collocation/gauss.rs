//! Gauss' methods: symplectic, with constant steps.
//!
//! Applied to Hamilton's equations they are symplectic in (x, p) for every Lagrangian. Applied to ẋ = u,
//! u̇ = a they are so only where ∂²L/∂u² is constant, which is why momenta are what is balanced here. With
//! constraints that does not help: the reactions are those of the accelerations, states are brought back to
//! the constraints, and nothing is symplectic.

use super::{Collocation, Tableau};
use crate::constant::{Scheme, integrate};
use crate::implicit::{Field, Goal, Place, Stages};
use crate::problem::{Error, Options, Problem, Run};

/// Integrates by Gauss' method with one, two or three stages. Steps are as long as the options say, or all of
/// one length for which the error of every second step, estimated by a step of twice the length, is within the
/// tolerance: where it is not, the run begins anew with shorter steps, which is counted as rejected.
/// `progress` is called from time to time with the time and returns whether to go on.
pub(crate) fn integrate_gauss(
    problem: &Problem,
    stages: usize,
    state: &[f64],
    options: &Options,
    progress: impl FnMut(f64) -> bool,
) -> Run {
    let scheme = Collocation::gauss(problem, stages, true);
    integrate(problem, scheme, state, options, progress)
}

impl Collocation {
    /// Gauss' method in momenta, or in velocities.
    pub(crate) fn gauss(problem: &Problem, stages: usize, momenta: bool) -> Self {
        let n = problem.rates.dimension;
        let field = match momenta && problem.rates.unknowns == n {
            true => Field::of_momenta(problem),
            false => Field::of_velocities(problem),
        };
        Self::new(Tableau::gauss(stages), field, n, 0.5)
    }
}

impl Scheme for Collocation {
    fn order(&self) -> usize {
        self.tableau.order
    }

    fn stages(&self) -> Stages {
        Stages::new(self.n, self.tableau.stages())
    }

    fn nodes(&self) -> Vec<f64> {
        self.tableau.nodes.clone()
    }

    fn field(&mut self) -> &mut Field {
        &mut self.field
    }

    fn evaluations(&self) -> usize {
        self.field.evaluations
    }

    fn solve(
        &mut self,
        start: &Place,
        before: Option<(&Stages, f64)>,
        stages: &mut Stages,
    ) -> Result<(), Error> {
        stages.guess(&self.tableau.nodes, start, before);
        self.differentiate(start, stages)?;
        Self::solve(self, start, stages, Goal::Rounding)
    }

    fn finish(&mut self, start: &Place, stages: &Stages, end: &mut Place) -> Result<f64, Error> {
        self.weigh(stages.h, &stages.velocities);
        for (p, (end, start)) in end.x.iter_mut().zip(&start.x).enumerate() {
            *end = *start;
            end.add(self.total(p));
        }
        self.weigh(stages.h, &stages.rates);
        for (p, (end, start)) in end.z.iter_mut().zip(&start.z).enumerate() {
            *end = *start;
            end.add(self.total(p));
        }
        let last = &stages.velocities[(self.tableau.stages() - 1) * self.n..];
        let x = end.x.iter().map(|c| c.high);
        self.field.place(start.time.plus(stages.h), x, last);
        self.field.invert(|i| end.z[i].high)?;
        end.u.copy_from_slice(self.field.velocities());
        Ok(self.work(stages))
    }

    fn keeps_constraints(&self) -> bool {
        false
    }

    fn has_momenta(&self) -> bool {
        false
    }
}
