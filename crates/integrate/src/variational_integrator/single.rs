//! Single steps, for measurements.

use super::{DiscreteAction, Variational};
use crate::constant::Constant;
use crate::problem::{Error, Problem};

/// One variational step of any length, for measurements.
pub struct VariationalStep {
    steps: Constant<Variational>,
}

impl VariationalStep {
    /// Compiled for a motion; `None` unless its constraints are between positions.
    ///
    /// # Panics
    /// If a degree is not from one to three.
    pub fn new(problem: &Problem, action: DiscreteAction) -> Option<Self> {
        let scheme = Variational::new(problem, action)?;
        Some(Self {
            steps: Constant::new(problem, scheme),
        })
    }

    /// The state a time h after a state (t, x, u), kinks on the sides where they are.
    pub fn step(&mut self, state: &[f64], h: f64) -> Result<Vec<f64>, Error> {
        self.steps.single(state, h)
    }

    /// x and u after a part of the last step.
    pub fn between(&mut self, part: f64) -> Result<Vec<f64>, Error> {
        self.steps.within(part)
    }

    /// The discrete momenta at both ends of the last step.
    pub fn momenta(&self) -> [Vec<f64>; 2] {
        self.steps.end_momenta()
    }
}
