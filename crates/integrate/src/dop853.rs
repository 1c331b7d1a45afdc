//! Dormand and Prince's explicit Runge–Kutta method of order 8 with errors of order 5 and 3 and dense
//! output of order 7. It checks Taylor series by another method, and takes right-hand sides of any kind.

mod lane;
mod stages;
mod tableau;

use crate::accelerations::Accelerations;
use crate::drive::drive;
use crate::problem::{Options, Problem, Run};
use crate::steps::Pace;
pub(crate) use stages::Stages;

/// The order.
const ORDER: usize = 8;
/// Steps are as long as the error admits.
pub(crate) const PACE: (usize, Pace) = (ORDER, Pace::Adaptive(ORDER as u32));

/// Integrates by Runge–Kutta steps. `progress` is called from time to time with the time and returns whether to go on.
pub(crate) fn integrate_dop853(
    problem: &Problem,
    state: &[f64],
    options: &Options,
    mut progress: impl FnMut(f64) -> bool,
) -> Run {
    let mut stages = Stages::<1>::new(field(problem, 1));
    let lane = &mut stages.lane(0);
    drive(problem, state, options, lane, PACE, &mut progress)
}

/// The code of the accelerations, powers and rates of reactions of a motion at several states.
pub(crate) fn field(problem: &Problem, lanes: usize) -> Accelerations {
    Accelerations::on_branches(&problem.tape, &problem.rates, problem.working(), lanes)
}
