//! Single steps, for measurements.

use super::Collocation;
use crate::constant::Constant;
use crate::problem::{Error, Problem};

/// One step of a Gauss method of any length, for measurements.
pub struct GaussStep {
    steps: Constant<Collocation>,
}

impl GaussStep {
    /// Compiled for a motion, with one, two or three stages.
    pub fn new(problem: &Problem, stages: usize) -> Self {
        Self {
            steps: Constant::new(problem, Collocation::gauss(problem, stages, true)),
        }
    }

    /// A step on ẋ = u, u̇ = a: of the same order, but symplectic in (x, p) only where ∂²L/∂u² is constant.
    pub fn of_velocities(problem: &Problem, stages: usize) -> Self {
        Self {
            steps: Constant::new(problem, Collocation::gauss(problem, stages, false)),
        }
    }

    /// The state a time h after a state (t, x, u), kinks on the sides where they are.
    pub fn step(&mut self, state: &[f64], h: f64) -> Result<Vec<f64>, Error> {
        self.steps.single(state, h)
    }

    /// x and u after a part of the last step.
    pub fn between(&mut self, part: f64) -> Result<Vec<f64>, Error> {
        self.steps.within(part)
    }
}
