//! Steps from their equations.

use super::equations::Variational;
use crate::constant::Scheme;
use crate::implicit::{Convergence, Field, Goal, Place, Stages, Verdict};
use crate::problem::Error;

/// Derivatives are kept as soon as an increment is below this part of the velocities: they are exact to that part
/// then, and every further increment is shorter by as much.
const CONVERGED_INCREMENT: f64 = 1e-3;

/// The largest of some values.
fn largest(list: &[f64]) -> f64 {
    list.iter().fold(0.0, |m, x| m.max(x.abs()))
}

impl Scheme for Variational {
    fn order(&self) -> usize {
        self.galerkin.order
    }

    fn stages(&self) -> Stages {
        let (n, degree) = (self.n, self.galerkin.degree());
        let points = self.galerkin.points.len();
        Stages {
            rates: vec![0.0; points * n],
            powers: vec![0.0; points],
            impulses: vec![0.0; degree * self.constraints.count],
            ..Stages::new(n, degree)
        }
    }

    fn nodes(&self) -> Vec<f64> {
        self.galerkin.points.iter().map(|p| p.node).collect()
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
        stages.guess(&self.galerkin.nodes, start, before);
        match before {
            Some((before, _)) => stages.impulses.copy_from_slice(&before.impulses),
            None => stages.impulses.fill(0.0),
        }
        let unknowns = stages.velocities.len();
        let mut convergence = Convergence::new(self.n, Goal::Rounding);
        let mut close = false;
        loop {
            self.evaluate(start, stages)?;
            if !close {
                self.linearise(start, stages)?;
            }
            self.factors.solve(&mut self.residual);
            let (velocities, impulses) = self.residual.split_at(unknowns);
            match convergence.judge(velocities, start, stages) {
                Verdict::Settled => return Ok(()),
                Verdict::Diverges => return Err(Error::StepTooLong),
                Verdict::Continue | Verdict::Last => {}
            }
            close = largest(velocities) <= CONVERGED_INCREMENT * largest(&stages.velocities);
            let all = stages.velocities.iter_mut().chain(&mut stages.impulses);
            let increments = velocities.iter().chain(impulses);
            all.zip(increments).for_each(|(v, d)| *v += d);
        }
    }

    fn finish(&mut self, start: &Place, stages: &Stages, end: &mut Place) -> Result<f64, Error> {
        let work = self.advance(start, stages, end)?;
        let last = &stages.velocities[(self.galerkin.degree() - 1) * self.n..];
        let time = start.time.plus(stages.h);
        Ok(work + self.settle(time, last, end)?)
    }

    fn keeps_constraints(&self) -> bool {
        true
    }

    fn has_momenta(&self) -> bool {
        true
    }
}
