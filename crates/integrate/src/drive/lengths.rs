//! Step sizes of a run.

use crate::problem::Error;
use crate::steps::{Pace, root};
use crate::sum::{Compensated, smaller};

/// Steps shorter than this part of the time do not advance it.
pub(crate) const SHORTEST_STEP: f64 = 1e-14;
/// The factor by which a foreseen step is shortened after it was rejected.
pub(crate) const REJECTED_FACTOR: f64 = 0.5;
/// Constant steps are not longer than this many times what an adaptive one behind a threshold is.
const MOST_OF_LIMIT: f64 = 4.0;
/// A constant step may be longer by this part to end where the run does.
const LAST_STEP_STRETCH: f64 = 1e-9;

/// The length of the next step, by what came of those before.
pub(super) struct Lengths {
    pace: Pace,
    /// The length of the next step.
    pub(super) length: f64,
    /// The largest size of a foreseen step after one from the same state was rejected.
    limit: f64,
    /// Why no longer step was possible.
    failure: Option<Error>,
    /// Whether a longer step from the same state was refused.
    refused: bool,
}

/// The shortest step that advances a time.
#[inline]
pub(super) fn shortest_step(time: &Compensated) -> f64 {
    SHORTEST_STEP * time.high.abs().max(1e-300)
}

impl Lengths {
    pub(super) fn new(pace: Pace) -> Self {
        Self {
            pace,
            length: 0.0,
            limit: f64::INFINITY,
            failure: None,
            refused: false,
        }
    }

    /// Prepares for a run whose first step has a length.
    pub(super) fn begin(&mut self, length: f64) {
        self.length = length;
        self.limit = f64::INFINITY;
        self.failure = None;
        self.start();
    }

    /// Prepares for steps from a new state.
    pub(super) fn start(&mut self) {
        self.refused = false;
    }

    /// Whether all steps have one length.
    pub(super) fn are_constant(&self) -> bool {
        matches!(self.pace, Pace::Constant(_))
    }

    /// Shortens the step behind a threshold of a flat function. A constant step whose length is to meet the tolerance must
    /// not step over what the function does there.
    pub(super) fn pass_threshold(&mut self, limit: f64, given: bool) -> Result<(), Error> {
        match self.pace {
            Pace::Constant(length) if !given && length > MOST_OF_LIMIT * limit => {
                Err(Error::StepTooLong)
            }
            Pace::Constant(_) => Ok(()),
            Pace::Adaptive(_) | Pace::Foreseen => {
                self.length = self.length.min(limit);
                Ok(())
            }
        }
    }

    /// The length of the step to try, with its sign; `left` is the time that is left of the run.
    pub(super) fn ahead(&mut self, time: &Compensated, left: f64) -> Result<f64, Error> {
        let whole = match self.pace {
            Pace::Adaptive(_) => self.length >= left.abs(),
            Pace::Constant(length) => length * (1.0 + LAST_STEP_STRETCH) >= left.abs(),
            Pace::Foreseen => false,
        };
        match self.pace {
            _ if whole => Ok(left),
            Pace::Constant(length) => Ok(length.copysign(left)),
            Pace::Adaptive(_) if self.length < shortest_step(time) => {
                Err(self.failure.take().unwrap_or(Error::StepUnderflow))
            }
            Pace::Adaptive(_) | Pace::Foreseen => Ok(self.length.copysign(left)),
        }
    }

    /// The length of a foreseen step, unless what happens within it shortens it.
    #[inline]
    pub(super) fn foreseen(&self) -> f64 {
        smaller(self.length, self.limit)
    }

    /// Accepts a foreseen step.
    #[inline]
    pub(super) fn accept_foreseen(&mut self) {
        self.limit = f64::INFINITY;
    }

    /// Whether a foreseen step is accepted, by its defect.
    #[inline]
    pub(super) fn judge_foreseen(
        &mut self,
        h: f64,
        time: &Compensated,
        outcome: Result<f64, Error>,
    ) -> Result<bool, Error> {
        let accepted = match outcome {
            Ok(defect) => defect <= 1.0,
            Err(stop) if REJECTED_FACTOR * h.abs() < shortest_step(time) => return Err(stop),
            Err(_) => false,
        };
        self.limit = match accepted {
            true => f64::INFINITY,
            false => REJECTED_FACTOR * h.abs(),
        };
        Ok(accepted)
    }

    /// Whether a step is accepted, by its error, where 1 is what the tolerance admits.
    pub(super) fn judge(
        &mut self,
        h: f64,
        left: f64,
        outcome: Result<f64, Error>,
    ) -> Result<bool, Error> {
        match (self.pace, outcome) {
            (Pace::Adaptive(order), outcome) => {
                let accepted = self.adapt(order, h, left, outcome);
                self.refused |= !accepted;
                Ok(accepted)
            }
            (_, Ok(error)) if error <= 1.0 => Ok(true),
            (_, Ok(_)) => Err(Error::StepTooLong),
            (_, Err(stop)) => Err(stop),
        }
    }

    fn adapt(&mut self, order: u32, h: f64, left: f64, outcome: Result<f64, Error>) -> bool {
        let towards_one = |error: f64| 0.9 / root(error, order);
        let (factor, failure) = match outcome {
            Ok(error) if error <= 1.0 => {
                let most = if self.refused { 1.0 } else { 6.0 };
                let factor = towards_one(error).clamp(1.0 / 3.0, most);
                let next = h.abs() * factor;
                // A step cut short by the end says little about the next one.
                self.length = match h == left {
                    true => next.max(self.length.min(6.0 * h.abs())),
                    false => next,
                };
                self.failure = None;
                return true;
            }
            Ok(error) if error.is_finite() => (towards_one(error).max(0.1), None),
            Ok(_) => (0.1, Some(Error::NotFinite)),
            Err(stop) => (0.25, Some(stop)),
        };
        self.length = h.abs() * factor;
        self.failure = failure;
        false
    }
}
