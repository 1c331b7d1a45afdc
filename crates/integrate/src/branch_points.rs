//! Branch points of constraints. The equations do not determine the motion beyond one: a run that reaches it ends.

pub(crate) use galilei_tape::Branch;

use galilei_tape::math::scalar::powi;

use crate::problem::{Error, Problem};

/// A run has reached a branch point where its distance, relative to the largest, is below the first number, and the
/// time to reach it, relative to the elapsed time, is below the second.
const REACHED_LIMITS: [f64; 2] = [1e-6, 1e-5];
/// The limits of [`REACHED_LIMITS`] for a step that fails.
const FAILED_LIMITS: [f64; 2] = [4e-3, 1e-2];
/// The relative distance below which constraints are kept more accurately.
const CLOSE_DISTANCE: f64 = 1e-2;

/// The part of its largest value within a step below which a square counts as vanished, by the tolerance of the
/// state.
pub(crate) fn touched_to(tolerance: f64) -> f64 {
    powi(100.0 * tolerance, 2).clamp(1e-12, 1e-4)
}

/// The approach to a branch point: the largest distance, and those at the last two times.
#[derive(Clone, Copy, Debug)]
struct Approach {
    event: usize,
    branch: Branch,
    largest: f64,
    before: (f64, f64),
    now: (f64, f64),
}

impl Approach {
    fn update(&mut self, time: f64, value: f64) {
        let distance = match self.branch {
            Branch::Crossed => value.abs(),
            Branch::Touched => value.max(0.0).sqrt(),
            Branch::Rank => value,
        };
        if time != self.now.0 {
            self.before = self.now;
        }
        self.now = (time, distance);
        self.largest = self.largest.max(distance);
    }

    /// The distance relative to the largest.
    fn part(&self) -> f64 {
        self.now.1 / self.largest
    }

    /// The time to reach the point at the present rate; infinite where the distance grows.
    fn time(&self) -> f64 {
        let (step, change) = (self.now.0 - self.before.0, self.before.1 - self.now.1);
        match self.now.1 == 0.0 {
            true => 0.0,
            false if change > 0.0 => (self.now.1 * step / change).abs(),
            false => f64::INFINITY,
        }
    }
}

/// The distances of a run from the branch points of the constraints.
pub(crate) struct BranchPoints {
    from: f64,
    list: Vec<Approach>,
}

impl BranchPoints {
    pub(crate) fn new(problem: &Problem, from: f64) -> Self {
        let events = problem.events.iter().enumerate();
        let list = events.filter_map(|(event, e)| {
            Some(Approach {
                event,
                branch: e.branch.filter(|b| *b != Branch::Rank)?,
                largest: 0.0,
                before: (f64::NAN, f64::NAN),
                now: (f64::NAN, f64::NAN),
            })
        });
        Self {
            from,
            list: list.collect(),
        }
    }

    /// Whether there are no branch points.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Updates the distances with the values of all events at a time.
    pub(crate) fn update(&mut self, time: f64, value: impl Fn(usize) -> f64) {
        for a in &mut self.list {
            a.update(time, value(a.event));
        }
    }

    /// The event of a branch point within limits of the distance and of the time.
    fn within(&self, [part, time]: [f64; 2]) -> Option<usize> {
        let there = |a: &&Approach| {
            let elapsed = (a.now.0 - self.from).abs();
            elapsed > 0.0 && a.part() <= part && a.time() <= time * elapsed
        };
        self.list.iter().find(there).map(|a| a.event)
    }

    /// The event of a branch point that the run has reached.
    pub(crate) fn reached(&self) -> Option<usize> {
        self.within(REACHED_LIMITS)
    }

    /// The event of a branch point that explains why the run could not go on.
    pub(crate) fn behind(&self, stop: Error) -> Option<usize> {
        let stops = [
            Error::SingularMassMatrix,
            Error::NotFinite,
            Error::StepUnderflow,
            Error::StepTooLong,
            Error::LeftConstraints,
            Error::Sticking,
        ];
        match stops.contains(&stop) {
            true => self.within(FAILED_LIMITS),
            false => None,
        }
    }

    /// The part of a tolerance by which constraints are kept: their residuals vanish as squares of the distance.
    pub(crate) fn closeness(&self) -> f64 {
        let parts = self.list.iter().map(Approach::part);
        let least = parts.filter(|p| *p < CLOSE_DISTANCE).fold(1.0, f64::min);
        least * least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn approach(branch: Branch) -> BranchPoints {
        BranchPoints {
            from: 0.0,
            list: vec![Approach {
                event: 4,
                branch,
                largest: 0.0,
                before: (f64::NAN, f64::NAN),
                now: (f64::NAN, f64::NAN),
            }],
        }
    }

    /// In a finite time, and not by the way of an exponential.
    #[test]
    fn a_branch_point_is_reached_in_a_finite_time() {
        let mut there = approach(Branch::Touched);
        for k in 0..60 {
            let left = 0.7_f64.powi(k);
            there.update(2.0 - left, |_| left * left);
            assert_eq!(there.reached().is_some(), left <= 1e-6, "{k}");
        }
        let mut never = approach(Branch::Crossed);
        for k in 0..600 {
            let time = 0.1 * f64::from(k);
            never.update(time, |_| (-time).exp());
            assert_eq!(never.behind(Error::StepUnderflow), None, "{k}");
        }
    }

    #[test]
    fn a_branch_point_that_is_left_is_not_reached() {
        let mut left = approach(Branch::Crossed);
        for (time, distance) in [(0.0, 1.0), (1.0, 1e-5), (1.00001, 1e-7), (1.00002, 2e-7)] {
            left.update(time, |_| distance);
        }
        assert_eq!(left.reached(), None);
        assert!(left.closeness() < 1e-12);
    }
}
