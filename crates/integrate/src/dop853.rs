//! Dormand and Prince's explicit Runge–Kutta method of order 8 with errors of order 5 and 3 and dense
//! output of order 7. It checks Taylor series by another method, and takes right-hand sides of any kind.

use std::sync::Arc;

mod lane;
mod stages;
mod tableau;

use galilei_tape::{Rates, Tape};

use crate::accelerations::Accelerations;
use crate::drive::drive;
use crate::piecewise::branches_at;
use crate::problem::{Error, Options, Problem, Run};
use crate::steps::{Pace, SingleSteps, Steps};
use crate::sum::Compensated;
pub(crate) use stages::Stages;

/// The order.
const ORDER: usize = 8;
/// Steps are as long as the error admits.
pub(crate) const PACE: (usize, Pace) = (ORDER, Pace::Adaptive(ORDER as u32));

/// Integrates by Runge–Kutta steps. `progress` is called from time to time with the time and returns whether to go on.
pub fn integrate_dop853(
    problem: &Problem,
    state: &[f64],
    options: &Options,
    mut progress: impl FnMut(f64) -> bool,
) -> Run {
    let mut stages = Stages::<1>::new(field(problem, 1));
    let lane = &mut stages.lane(0);
    drive(problem, state, options, lane, PACE, &mut progress)
}

/// The code of a motion's rates at so many states.
pub(crate) fn field(problem: &Problem, lanes: usize) -> Accelerations {
    Accelerations::on_branches(&problem.tape, &problem.rates, problem.working(), lanes)
}

/// One Runge–Kutta step of any length, for measurements.
pub struct RungeKuttaStep {
    tape: Arc<Tape>,
    stages: Stages<1>,
}

impl RungeKuttaStep {
    /// Compiled for a motion.
    pub fn new(tape: &Arc<Tape>, rates: &Arc<Rates>) -> Self {
        Self {
            tape: Arc::clone(tape),
            stages: Stages::new(Accelerations::on_branches(tape, rates, vec![], 1)),
        }
    }

    /// The state a time h after a state (t, x, u), without an error estimate.
    pub fn step(&mut self, state: &[f64], h: f64) -> Result<Vec<f64>, Error> {
        let branches = branches_at(&self.tape, state);
        let parts: Vec<Compensated> = state[1..].iter().map(|x| Compensated::new(*x)).collect();
        let mut lane = self.stages.lane(0);
        lane.start(&Compensated::new(state[0]), &parts, &branches)?;
        lane.step(h)?;
        Ok(std::iter::once(state[0] + h).chain(lane.end()).collect())
    }

    /// x and u after a part of the last step, by dense output.
    pub fn between(&mut self, part: f64) -> Result<Vec<f64>, Error> {
        let mut lane = self.stages.lane(0);
        lane.densify()?;
        let mut state = vec![0.0; self.tape.inputs() - 1];
        lane.between(part, &mut state);
        Ok(state)
    }
}
