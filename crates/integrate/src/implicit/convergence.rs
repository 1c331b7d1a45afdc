//! Decides when Newton's method for the stages of an implicit step has converged.
//!
//! An *increment* is the change of the velocities of all stages by one step of Newton's method. Its numbers are in the order of
//! stages, then of components, so that component p of the n is at the places p, p + n, p + 2n, …. There are two goals: down to
//! rounding, for steps whose structure is to be kept exactly, and down to a tolerance, for stiff systems.

use galilei_tape::math::scalar::powi;

use super::{Place, Stages};

/// The largest number of steps of Newton's method to rounding.
const MAX_STEPS_TO_ROUNDING: usize = 60;
/// The largest number of steps of Newton's method to a tolerance.
const MAX_STEPS_TO_TOLERANCE: usize = 10;
/// The part of a tolerance that solving equations may take.
const TOLERANCE_SHARE: f64 = 1e-3;
/// Increments that no longer decrease are rounding error if they are below this part of the largest velocity.
const ROUNDING_INCREMENT: f64 = 1e-9;
/// Under constraints between positions, increments that no longer decrease are rounding error below this part of
/// [`crossing_velocity`]: the residuals of the constraints have the rounding errors of the positions.
const POSITION_ROUNDING: f64 = 4096.0 * f64::EPSILON;
/// Increments that decrease slowly may be rounding error if they are below this part of the largest velocity.
const SLOW_ROUNDING: f64 = 8.0 * f64::EPSILON;
/// The error of a component is relative to its size, but at least to this part of the largest component.
const SMALLEST_COMPONENT: f64 = 1.0 / 65536.0;

/// The accuracy to which the stages are solved.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Goal {
    /// Until the increments are rounding errors.
    Rounding,
    /// Until the error left is a small part of this relative tolerance.
    Tolerance(f64),
}

/// The decision about an increment, before it is added.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// Add it and compute another one.
    Continue,
    /// Add it; the stages are then solved to the tolerance.
    Last,
    /// The increment is rounding error: the stages are solved without it.
    Settled,
    /// Increments grow, or do not shrink fast enough.
    Diverges,
}

/// Under constraints between positions the largest position divided by the step size, otherwise zero.
fn crossing_velocity(start: &Place, stages: &Stages) -> f64 {
    match stages.impulses.is_empty() {
        true => 0.0,
        false => {
            let largest = start.x.iter().fold(0.0_f64, |m, x| m.max(x.high.abs()));
            largest / stages.h.abs()
        }
    }
}

/// The increments of one solution so far.
pub(crate) struct Convergence {
    /// The number of components of a stage.
    n: usize,
    goal: Goal,
    /// The number of increments.
    count: usize,
    /// The size of the last increment in each component: its largest over the stages.
    last: Vec<f64>,
    /// The size of the last increment; relative to the components where the goal is a tolerance.
    norm: f64,
    /// The components in which only rounding error is left.
    settled: Vec<bool>,
}

impl Convergence {
    pub(crate) fn new(n: usize, goal: Goal) -> Self {
        Self {
            n,
            goal,
            count: 0,
            last: vec![f64::INFINITY; n],
            norm: f64::INFINITY,
            settled: vec![false; n],
        }
    }

    /// Judges the next increment; `stages` are those before it is added, of a step from `start`.
    pub(crate) fn judge(&mut self, increment: &[f64], start: &Place, stages: &Stages) -> Verdict {
        self.count += 1;
        match self.goal {
            Goal::Rounding => self.by_rounding(increment, start, stages),
            Goal::Tolerance(tolerance) => self.by_tolerance(tolerance, increment, start, stages),
        }
    }

    /// A component is settled when its increment is below its rounding error, or no longer decreases. Near rounding error a
    /// slow decrease counts as none, since the rounding error of one component makes those of others decrease slowly.
    /// The stages are solved when all components are settled and the increment as a whole is small enough to be rounding
    /// error; where it is not, all components are judged anew.
    fn by_rounding(&mut self, increment: &[f64], start: &Place, stages: &Stages) -> Verdict {
        let largest = stages
            .velocities
            .iter()
            .fold(0.0_f64, |m, v| m.max(v.abs()));
        let by_positions = POSITION_ROUNDING * crossing_velocity(start, stages);
        let mut step = 0.0_f64;
        for p in 0..self.n {
            let d = self.size_of_component(increment, p);
            let v = self.size_of_component(&stages.velocities, p);
            if d.is_nan() {
                return Verdict::Diverges;
            }
            let vanishes = d <= 0.5 * f64::EPSILON * v;
            let creeps = d >= 0.5 * self.last[p] && d <= SLOW_ROUNDING * largest + by_positions;
            let stays = self.count > 1 && (d >= self.last[p] || creeps);
            self.settled[p] |= vanishes || stays;
            self.last[p] = d;
            step = step.max(d);
        }
        let stays = step >= 0.1 * std::mem::replace(&mut self.norm, step);
        let small = step <= ROUNDING_INCREMENT * largest + by_positions;
        let rounding = step <= SLOW_ROUNDING * largest || (stays && small);
        if !self.settled.iter().all(|s| *s) {
            return match self.count < MAX_STEPS_TO_ROUNDING {
                true => Verdict::Continue,
                false if rounding => Verdict::Settled,
                false => Verdict::Diverges,
            };
        }
        if rounding {
            Verdict::Settled
        } else if self.count < MAX_STEPS_TO_ROUNDING {
            self.settled.fill(false);
            Verdict::Continue
        } else {
            Verdict::Diverges
        }
    }

    /// Increments of simplified Newton steps decrease by a rate ρ, so that the error after the last one is about ρ/(1 − ρ) of it.
    /// The stages are solved when this is a small part of the tolerance, and given up when it will not be so within the
    /// steps that are left.
    fn by_tolerance(
        &mut self,
        tolerance: f64,
        increment: &[f64],
        start: &Place,
        stages: &Stages,
    ) -> Verdict {
        let size = |p: usize| {
            let by_rate = stages.h.abs() * self.size_of_component(&stages.rates, p);
            self.size_of_component(&stages.velocities, p).max(by_rate)
        };
        let largest = (0..self.n).map(size).fold(0.0, f64::max);
        let (mut norm, mut step) = (0.0_f64, 0.0_f64);
        for p in 0..self.n {
            let d = self.size_of_component(increment, p);
            if d.is_nan() {
                return Verdict::Diverges;
            }
            // An increment that does not change the position by more than its rounding error does not count.
            if d > f64::EPSILON * (start.x[p].high / stages.h).abs() {
                step = step.max(d);
                norm = norm.max(d / size(p).max(SMALLEST_COMPONENT * largest));
            }
        }
        if step <= f64::EPSILON * largest {
            return Verdict::Last;
        }
        let rate = if self.count == 1 {
            0.5
        } else {
            norm / self.norm
        };
        self.norm = norm;
        if rate >= 1.0 {
            let rounding = step <= 64.0 * f64::EPSILON * largest;
            return if rounding {
                Verdict::Last
            } else {
                Verdict::Diverges
            };
        }
        let left = norm * rate / (1.0 - rate);
        let most = TOLERANCE_SHARE * tolerance;
        // The rate is known from the second increment on.
        let hopeful = left * powi(rate, MAX_STEPS_TO_TOLERANCE as i32 - self.count as i32) <= most
            || self.count == 1;
        if left <= most {
            Verdict::Last
        } else if self.count < MAX_STEPS_TO_TOLERANCE && hopeful {
            Verdict::Continue
        } else {
            Verdict::Diverges
        }
    }

    /// The largest absolute value of a component over the stages; NaN if one of them is.
    fn size_of_component(&self, list: &[f64], p: usize) -> f64 {
        let values = list.iter().skip(p).step_by(self.n);
        values.fold(0.0, |m: f64, x| match m.is_nan() || x.abs() <= m {
            true => m,
            false => x.abs(),
        })
    }
}
