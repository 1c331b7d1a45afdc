//! Single steps, for measurements.

use super::{Constant, Scheme};
use crate::piecewise::branches_at;
use crate::problem::Error;
use crate::steps::{SingleSteps, Steps};
use crate::sum::Compensated;

impl<S: Scheme> Constant<S> {
    /// The state a time h after a state (t, x, u), kinks on the sides where they are.
    pub(crate) fn single(&mut self, state: &[f64], h: f64) -> Result<Vec<f64>, Error> {
        let branches = branches_at(&self.tape, state);
        let parts: Vec<Compensated> = state[1..].iter().map(|x| Compensated::new(*x)).collect();
        self.start(&Compensated::new(state[0]), &parts, &branches)?;
        self.step(h)?;
        let x = self.end.x.iter().map(|c| c.high);
        Ok(std::iter::once(state[0] + h)
            .chain(x)
            .chain(self.end.u.iter().copied())
            .collect())
    }

    /// x and u after a part of the last step.
    pub(crate) fn within(&mut self, part: f64) -> Result<Vec<f64>, Error> {
        self.densify()?;
        let mut state = vec![0.0; 2 * self.rates.dimension];
        self.between(part, &mut state);
        Ok(state)
    }

    /// The momenta at both ends of the last step.
    pub(crate) fn end_momenta(&self) -> [Vec<f64>; 2] {
        [&self.start, &self.end].map(|place| place.z.iter().map(|c| c.high).collect())
    }
}
