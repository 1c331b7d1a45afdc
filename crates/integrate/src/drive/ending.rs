//! How a step ends.

use super::{Driver, Phase};
use crate::problem::{Crossing, Status, Stop};
use crate::steps::Steps;
use crate::sum::Compensated;

/// Where a step ends early: as a part of it, and why.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Early {
    Kink(f64, usize),
    Event(f64, usize),
    /// A kink at the start is left to the side that was not expected: rounding hid where it goes.
    Astray(usize),
}

impl Driver<'_> {
    /// Reports what was found: parts of the step, and which events.
    pub(super) fn report(&mut self, h: f64, found: Vec<(f64, usize)>, stages: &impl Steps) {
        if found.is_empty() {
            return;
        }
        let ahead = found.into_iter().map(|(theta, k)| (theta * h, k)).collect();
        let size = 2 * self.problem.rates.dimension;
        let state = |tau: f64| {
            let mut state = vec![0.0; size];
            stages.between(tau / h, &mut state);
            state
        };
        let crossings = &mut self.run.crossings;
        self.watch.report(ahead, &self.time, crossings, state);
    }

    /// Goes to the end of a step.
    pub(super) fn end(
        &mut self,
        h: f64,
        early: Option<Early>,
        stages: &mut impl Steps,
    ) -> Result<(), Stop> {
        self.phase = Phase::Start;
        let part = match early {
            Some(Early::Event(theta, _) | Early::Kink(theta, _)) => theta,
            Some(Early::Astray(k)) => return self.go_astray(k, stages),
            None => 1.0,
        };
        self.astray.clear();
        // What is recorded within the step.
        if self.options.every.is_none() {
            self.row(0.0, self.time.high, stages);
        }
        while let Some((tau, at)) = self.recorder.due(&self.time, part * h) {
            stages.densify()?;
            self.row(tau / h, at, stages);
        }
        if part != 1.0 {
            stages.cut(part);
        }
        stages.arrive(&mut self.state);
        self.balance.work.add(stages.work());
        if h == self.left && part == 1.0 {
            self.time = Compensated::new(self.options.to);
        } else {
            self.time.add(part * h);
        }
        self.run.steps += 1;
        self.sides.fresh.copy_from_slice(&self.hidden);
        match early {
            Some(Early::Kink(_, k)) => {
                let (length, plain) = (self.lengths.length, self.plain());
                let before = self.event_values(stages);
                self.run.evaluations += self.sides.cross(k, part * h, length, &plain)?;
                stages.start(&self.time, &self.state, &self.sides.list)?;
                let found = match self.sides.is_cut(k) {
                    true => vec![],
                    false => {
                        let after = self.event_values(stages);
                        self.watch.jumps(&before, &after, &self.time, h)
                    }
                };
                let size = 2 * self.problem.rates.dimension;
                let state = |_| plain[1..=size].to_vec();
                let crossings = &mut self.run.crossings;
                if let Some((_, k)) = self.watch.report(found, &self.time, crossings, state) {
                    self.phase = Phase::Ended(k);
                }
            }
            _ => stages.follow(&self.time, &self.state),
        }
        if let Some(Early::Event(_, k)) = early {
            self.phase = Phase::Ended(k);
        }
        Ok(())
    }

    /// From the same state on the other side of a kink; both cannot be wrong.
    fn go_astray(&mut self, k: usize, stages: &mut impl Steps) -> Result<(), Stop> {
        if self.astray.contains(&k) {
            return Err(Stop::Sticking);
        }
        self.astray.push(k);
        self.sides.list[k] = !self.sides.list[k];
        self.run.rejected += 1;
        stages.start(&self.time, &self.state, &self.sides.list)
    }

    /// The values of all events where the run is now.
    fn event_values(&mut self, stages: &impl Steps) -> Vec<f64> {
        if self.problem.events.is_empty() {
            return vec![];
        }
        self.look_at(0.0, 0.0, stages);
        self.view.seen[self.view.events..self.view.kinks].to_vec()
    }

    /// Looks how near branch points are, by what was seen at the start of the step.
    pub(super) fn see_branches(&mut self) {
        let seen = &self.view.seen[self.view.events..];
        self.branches.see(self.time.high, |k| seen[k]);
    }

    /// The end at a branch point.
    pub(super) fn branched(&mut self, k: usize, stages: &impl Steps) -> Status {
        let moving = 2 * self.problem.rates.dimension;
        let state = self.state[..moving].iter().map(|c| c.high);
        self.run.crossings.push(Crossing {
            event: k,
            time: self.time.high,
            state: state.collect(),
        });
        self.row(0.0, self.time.high, stages);
        Status::Event(k)
    }

    /// The end where the run could not go on: at a branch point, or it has failed.
    pub(super) fn failed(&mut self, stop: Stop, stages: &impl Steps) -> Status {
        if !self.branches.is_empty() && !self.state.is_empty() {
            self.look_at(0.0, 0.0, stages);
            self.see_branches();
        }
        match self.branches.behind(stop) {
            Some(k) => self.branched(k, stages),
            None => Status::Failed(stop),
        }
    }

    /// The end at an event.
    pub(super) fn ended(&mut self, k: usize, stages: &impl Steps) -> Status {
        self.look_at(0.0, 0.0, stages);
        // A step to a branch point is cut there, and its work with it: that is no measure of the balance.
        if self.problem.events[k].branch.is_none() {
            self.balance.energy(self.view.seen[0]);
        }
        self.row(0.0, self.time.high, stages);
        Status::Event(k)
    }
}
