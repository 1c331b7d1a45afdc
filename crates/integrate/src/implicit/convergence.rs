//! When the stages of a step are solved.

use galilei_tape::math::scalar::powi;

use super::{Place, Stages};

/// The largest number of steps of Newton's method to rounding.
const MAX_STEPS_TO_ROUNDING: usize = 60;
/// The largest number of steps of Newton's method to a tolerance.
const MAX_STEPS_TO_TOLERANCE: usize = 10;
/// The part of a tolerance that solving equations may take.
const TOLERANCE_SHARE: f64 = 1e-3;
/// Increments that no longer decrease are rounding if they are below this part of the largest velocity.
const ROUNDING_INCREMENT: f64 = 1e-9;
/// Increments that no longer decrease are rounding, where positions are held, below this part of the velocity that
/// crosses the largest position in a step: residuals are known to a rounding of the positions.
const POSITION_ROUNDING: f64 = 4096.0 * f64::EPSILON;
/// Increments that decrease slowly may be rounding if they are below this part of the largest velocity.
const SLOW_ROUNDING: f64 = 8.0 * f64::EPSILON;
/// Components below this part of the largest are measured by it.
const SMALLEST_COMPONENT: f64 = 1.0 / 65536.0;

/// The accuracy to which equations are solved.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Goal {
    /// Until only rounding is left.
    Rounding,
    /// Increments below a relative tolerance.
    Tolerance(f64),
}

/// The decision about an increment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// Add it and go on.
    On,
    /// Add it; that is near enough.
    Near,
    /// The increment is rounding.
    Settled,
    /// Increments grow, or do not shrink fast enough.
    Diverges,
}

/// The velocity that leads through the largest position in a step, where positions are held.
fn rushing(start: &Place, stages: &Stages) -> f64 {
    match stages.impulses.is_empty() {
        true => 0.0,
        false => {
            let far = start.x.iter().fold(0.0_f64, |m, x| m.max(x.high.abs()));
            far / stages.h.abs()
        }
    }
}

/// Newton's method watched by its increments.
pub(crate) struct Convergence {
    n: usize,
    goal: Goal,
    count: usize,
    /// The last increment: of each component, and of all.
    last: Vec<f64>,
    norm: f64,
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

    /// Judges an increment of the velocities of a step from some place.
    pub(crate) fn judge(&mut self, increment: &[f64], start: &Place, stages: &Stages) -> Verdict {
        self.count += 1;
        match self.goal {
            Goal::Rounding => self.by_rounding(increment, start, stages),
            Goal::Tolerance(tolerance) => self.by_tolerance(tolerance, increment, start, stages),
        }
    }

    /// A component is settled when its increment vanishes in it or no longer falls; at the level of rounding it need
    /// not fall by much, as one component that stays can make others creep.
    fn by_rounding(&mut self, increment: &[f64], start: &Place, stages: &Stages) -> Verdict {
        let largest = stages
            .velocities
            .iter()
            .fold(0.0_f64, |m, v| m.max(v.abs()));
        let felt = POSITION_ROUNDING * rushing(start, stages);
        let mut step = 0.0_f64;
        for p in 0..self.n {
            let (d, v) = (self.of(increment, p), self.of(&stages.velocities, p));
            if d.is_nan() {
                return Verdict::Diverges;
            }
            let vanishes = d <= 0.5 * f64::EPSILON * v;
            let creeps = d >= 0.5 * self.last[p] && d <= SLOW_ROUNDING * largest + felt;
            let stays = self.count > 1 && (d >= self.last[p] || creeps);
            self.settled[p] |= vanishes || stays;
            self.last[p] = d;
            step = step.max(d);
        }
        let stays = step >= 0.1 * std::mem::replace(&mut self.norm, step);
        let small = step <= ROUNDING_INCREMENT * largest + felt;
        let rounding = step <= SLOW_ROUNDING * largest || (stays && small);
        if !self.settled.iter().all(|s| *s) {
            return match self.count < MAX_STEPS_TO_ROUNDING {
                true => Verdict::On,
                false if rounding => Verdict::Settled,
                false => Verdict::Diverges,
            };
        }
        // What has not fallen to rounding was never about to.
        if rounding {
            Verdict::Settled
        } else if self.count < MAX_STEPS_TO_ROUNDING {
            self.settled.fill(false);
            Verdict::On
        } else {
            Verdict::Diverges
        }
    }

    /// Linear convergence with a rate: what is left is rate/(1 − rate) of the increment.
    fn by_tolerance(
        &mut self,
        tolerance: f64,
        increment: &[f64],
        start: &Place,
        stages: &Stages,
    ) -> Verdict {
        let size = |p: usize| {
            self.of(&stages.velocities, p)
                .max(stages.h.abs() * self.of(&stages.rates, p))
        };
        let largest = (0..self.n).map(size).fold(0.0, f64::max);
        let (mut norm, mut step) = (0.0_f64, 0.0_f64);
        for p in 0..self.n {
            let d = self.of(increment, p);
            if d.is_nan() {
                return Verdict::Diverges;
            }
            // What positions do not feel is rounding.
            if d > f64::EPSILON * (start.x[p].high / stages.h).abs() {
                step = step.max(d);
                norm = norm.max(d / size(p).max(SMALLEST_COMPONENT * largest));
            }
        }
        if step <= f64::EPSILON * largest {
            return Verdict::Near;
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
                Verdict::Near
            } else {
                Verdict::Diverges
            };
        }
        let left = norm * rate / (1.0 - rate);
        let most = TOLERANCE_SHARE * tolerance;
        // One increment does not tell the rate.
        let hopeful = left * powi(rate, MAX_STEPS_TO_TOLERANCE as i32 - self.count as i32) <= most
            || self.count == 1;
        if left <= most {
            Verdict::Near
        } else if self.count < MAX_STEPS_TO_TOLERANCE && hopeful {
            Verdict::On
        } else {
            Verdict::Diverges
        }
    }

    /// The largest value of a component.
    fn of(&self, list: &[f64], p: usize) -> f64 {
        let values = list.iter().skip(p).step_by(self.n);
        values.fold(
            0.0,
            |m: f64, x| if *x <= m && -x <= m { m } else { x.abs() },
        )
    }
}
