//! The motion between the steps of a run: dense output.

use std::sync::Arc;

use galilei_tape::{Rates, Tape, Wanted};

use crate::expansion::Expansion;
use crate::problem::Error;
use crate::taylor::part_of_radius;
use crate::trail::Trail;

/// Continues a motion from the start of a step by Taylor series of the tolerance of the run, whatever the
/// method was; where that step was longer than a Taylor step, by several.
pub struct Continuation {
    series: Expansion,
    /// A step as a part of the radius of convergence.
    part: f64,
    /// The state of the trail whose series are at hand.
    at: Option<usize>,
    /// t, x, u at which the series were computed.
    state: Vec<f64>,
    change: Vec<f64>,
}

impl Continuation {
    /// The series of a tape, compiled for a tolerance.
    pub fn new(tape: &Arc<Tape>, rates: &Arc<Rates>, tolerance: f64) -> Self {
        let wanted = Wanted {
            packed: true,
            ..Wanted::default()
        };
        let series = Expansion::new(tape, rates, wanted, tolerance);
        let n = rates.dimension;
        Self {
            part: part_of_radius(tolerance, series.order()),
            series,
            at: None,
            state: vec![0.0; 2 * n + 1],
            change: vec![0.0; 3 * n],
        }
    }

    /// Drops the series of the last step, before states are asked of another trail.
    pub fn forget(&mut self) {
        self.at = None;
        self.state[0] = f64::NAN;
    }

    /// x, then u, at a time, always of the same trail; `None` at times that the run did not reach.
    pub fn state(&mut self, trail: &Trail, t: f64) -> Option<Result<&[f64], Error>> {
        let k = trail.before(t)?;
        Some(self.from(trail, k, t))
    }

    fn from(&mut self, trail: &Trail, k: usize, t: f64) -> Result<&[f64], Error> {
        let start = trail.state(k);
        if self.at != Some(k) || self.state[0] != start[0] {
            self.at = None;
            self.state.copy_from_slice(start);
        }
        while t != self.state[0] {
            if self.at != Some(k) {
                self.series.compute(&self.state, trail.branches(k))?;
                self.at = Some(k);
            }
            let (ahead, longest) = (t - self.state[0], self.part * self.series.radius(0.0));
            let h = match ahead.abs() <= longest {
                true => ahead,
                false => longest.copysign(ahead),
            };
            self.series.increments(h, &mut self.change);
            if h == ahead {
                let pairs = self.change.iter_mut().zip(&self.state[1..]);
                pairs.for_each(|(change, x)| *change += x);
                return Ok(&self.change[..self.state.len() - 1]);
            }
            if self.state[0] + h == self.state[0] {
                return Err(Error::StepUnderflow);
            }
            self.at = None;
            self.state[0] += h;
            let pairs = self.state[1..].iter_mut().zip(&self.change);
            pairs.for_each(|(x, change)| *x += change);
        }
        Ok(&self.state[1..])
    }
}
