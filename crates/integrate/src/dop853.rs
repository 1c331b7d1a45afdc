//! Dormand and Prince's explicit Runge–Kutta method of order 8 with errors of order 5 and 3 and dense
//! output of order 7: the second opinion beside Taylor series, for right-hand sides of any kind.

mod stages;
mod tableau;

use galilei_tape::{Rates, Tape};

use crate::drive::drive;
use crate::problem::{Options, Problem, Run, Stop};
use crate::sides::sides_at;
use crate::steps::{Pace, Steps};
use crate::sum::Compensated;
use stages::Stages;

/// The order.
const ORDER: usize = 8;

/// Integrates by Runge–Kutta steps. `progress` is told the time now and then, and says whether to go on.
pub fn integrate_dop853(
    problem: &Problem<'_>,
    state: &[f64],
    options: &Options,
    mut progress: impl FnMut(f64) -> bool,
) -> Run {
    let mut stages = Stages::new(problem.tape, problem.rates, problem.working());
    let pace = (ORDER, Pace::Adaptive(ORDER as i32));
    drive(problem, state, options, &mut stages, pace, &mut progress)
}

/// One Runge–Kutta step of any length, for measurements.
pub struct RungeKuttaStep<'t> {
    tape: &'t Tape,
    stages: Stages<'t>,
}

impl<'t> RungeKuttaStep<'t> {
    /// Compiled for a motion.
    pub fn new(tape: &'t Tape, rates: &'t Rates) -> Self {
        Self {
            tape,
            stages: Stages::new(tape, rates, vec![]),
        }
    }

    /// The state a time h after a state (t, x, u), without an error estimate.
    pub fn step(&mut self, state: &[f64], h: f64) -> Result<Vec<f64>, Stop> {
        let sides = sides_at(self.tape, state);
        let parts: Vec<Compensated> = state[1..].iter().map(|x| Compensated::new(*x)).collect();
        self.stages
            .start(&Compensated::new(state[0]), &parts, &sides)?;
        self.stages.step(h)?;
        Ok(std::iter::once(state[0] + h)
            .chain(self.stages.end())
            .collect())
    }

    /// x and u after a part of the last step, by dense output.
    pub fn between(&mut self, part: f64) -> Result<Vec<f64>, Stop> {
        self.stages.densify()?;
        let mut state = vec![0.0; self.tape.inputs() - 1];
        self.stages.between(part, &mut state);
        Ok(state)
    }
}
