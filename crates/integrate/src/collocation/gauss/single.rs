//! Single steps, for measurements.

use super::Gauss;
use crate::problem::{Problem, Stop};
use crate::sides::sides_at;
use crate::steps::Steps;
use crate::sum::Compensated;

/// One step of a Gauss method of any length, for measurements.
pub struct GaussStep<'t> {
    gauss: Gauss<'t>,
}

impl<'t> GaussStep<'t> {
    /// Compiled for a motion, with one, two or three stages.
    pub fn new(problem: &Problem<'t>, stages: usize) -> Self {
        Self {
            gauss: Gauss::new(problem, stages, true),
        }
    }

    /// The same on ẋ = u, u̇ = a: of the same order, but symplectic in (x, p) only where ∂²L/∂u² is constant.
    pub fn of_velocities(problem: &Problem<'t>, stages: usize) -> Self {
        Self {
            gauss: Gauss::new(problem, stages, false),
        }
    }

    /// The state a time h after a state (t, x, u), kinks on the sides where they are.
    pub fn step(&mut self, state: &[f64], h: f64) -> Result<Vec<f64>, Stop> {
        let sides = sides_at(self.gauss.tape, state);
        let parts: Vec<Compensated> = state[1..].iter().map(|x| Compensated::new(*x)).collect();
        self.gauss
            .start(&Compensated::new(state[0]), &parts, &sides)?;
        self.gauss.step(h)?;
        let end = &self.gauss.end;
        let x = end.x.iter().map(|c| c.high);
        Ok(std::iter::once(state[0] + h)
            .chain(x)
            .chain(end.u.iter().copied())
            .collect())
    }

    /// x and u after a part of the last step.
    pub fn between(&mut self, part: f64) -> Result<Vec<f64>, Stop> {
        self.gauss.densify()?;
        let mut state = vec![0.0; 2 * self.gauss.core.n];
        self.gauss.between(part, &mut state);
        Ok(state)
    }
}
