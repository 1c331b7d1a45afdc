//! The end of a step, and of a run.

use super::{Driver, Phase};
use crate::handover::Handover;
use crate::problem::{Crossing, Error, Record, Run, Status};
use crate::record::{Balance, started};
use crate::steps::Steps;
use crate::sum::Compensated;

/// Why a step ends early: where a sampled step does, as a part of it; at a kink that was foreseen, the time until then.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Early {
    Kink(f64, usize),
    Event(f64, usize),
    /// A kink at the start is left to the side that was not expected: rounding hid where it goes.
    Astray(usize),
}

impl Driver<'_> {
    /// Reports events of a step of length h: the time until then, and which.
    pub(super) fn report(&mut self, h: f64, found: Vec<(f64, usize)>, stages: &mut impl Steps) {
        if found.is_empty() {
            return;
        }
        let size = 2 * self.problem.rates.dimension;
        let state = |tau: f64| {
            let mut state = vec![0.0; size];
            stages.after(tau, h, &mut state);
            state
        };
        let crossings = &mut self.run.crossings;
        self.watch.report(found, &self.time, crossings, state);
    }

    /// Records the states that are asked for up to a time within a step of length h.
    #[inline(always)]
    pub(super) fn record_within<S: Steps>(
        &mut self,
        until: f64,
        h: f64,
        stages: &mut S,
    ) -> Result<(), Error> {
        if matches!(self.options.record, Record::Steps) {
            self.row(0.0, h, self.time.high, stages);
        }
        while let Some((tau, at)) = self.recorder.due(&self.time, until) {
            stages.densify()?;
            self.row(tau, h, at, stages);
        }
        Ok(())
    }

    /// Goes to the end of a step.
    #[inline(always)]
    pub(super) fn end<S: Steps>(
        &mut self,
        h: f64,
        early: Option<Early>,
        stages: &mut S,
    ) -> Result<(), Error> {
        self.phase = Phase::Start;
        let part = match early {
            // A foreseen step ends exactly at the incident.
            _ if S::FORESEES => 1.0,
            Some(Early::Event(theta, _) | Early::Kink(theta, _)) => theta,
            Some(Early::Astray(k)) => return self.go_astray(k, stages),
            None => 1.0,
        };
        self.astray.clear();
        self.branches.note_outside(self.time.high, part * h);
        self.record_within(part * h, h, stages)?;
        if part != 1.0 {
            stages.cut(part);
        }
        stages.step_sensitivities(h)?;
        stages.arrive(&mut self.state);
        self.balance.work.add(stages.work());
        if h == self.left && part == 1.0 {
            self.time = Compensated::new(self.options.to);
        } else {
            self.time.add(part * h);
        }
        // Tables of time have their knots at known times.
        if let Some(Early::Kink(_, k)) = early
            && let Some(knot) = self.branches.knot_time(k)
        {
            self.time = Compensated::new(knot);
        }
        self.run.steps += 1;
        if !self.hidden.is_empty() {
            self.branches.fresh.copy_from_slice(&self.hidden);
        }
        match early {
            Some(Early::Kink(time, k)) => {
                let (way, length) = match S::FORESEES {
                    true => (time, self.foreseen.length),
                    false => (part * h, self.lengths.length),
                };
                self.cross_kink(k, way, length, stages)
            }
            Some(Early::Event(_, k)) => {
                self.phase = Phase::Ended(k);
                let followed = stages.follow(&self.time, &self.state);
                // At a branch point nothing determines the accelerations.
                followed.or_else(|stop| self.problem.events[k].branch.map(|_| ()).ok_or(stop))
            }
            _ => stages.follow(&self.time, &self.state),
        }
    }

    /// Goes over a kink, reached after a way within a step that could have a length, and reports events that jump there.
    fn cross_kink<S: Steps>(
        &mut self,
        k: usize,
        way: f64,
        length: f64,
        stages: &mut S,
    ) -> Result<(), Error> {
        let plain = self.plain();
        let before = self.event_values();
        if stages.has_sensitivities() {
            stages.follow(&self.time, &self.state)?;
            stages.reach_kink(k);
        }
        self.run.evaluations += self.branches.cross(k, way, length, &plain)?;
        stages.start(&self.time, &self.state, &self.branches.list)?;
        stages.cross_kink()?;
        if self.branches.is_cut(k) {
            return Ok(());
        }
        let after = self.event_values();
        let found = self.watch.jumps(&before, &after, &self.time, length);
        let size = 2 * self.problem.rates.dimension;
        let state = |_| plain[1..=size].to_vec();
        let crossings = &mut self.run.crossings;
        if let Some((_, k)) = self.watch.report(found, &self.time, crossings, state) {
            self.phase = Phase::Ended(k);
        }
        Ok(())
    }

    /// Continues from the same state on the other branch of a kink. The run sticks if that was wrong, too.
    fn go_astray(&mut self, k: usize, stages: &mut impl Steps) -> Result<(), Error> {
        if self.astray.contains(&k) {
            return Err(Error::Sticking);
        }
        self.astray.push(k);
        self.branches.exchange(k);
        self.run.rejected += 1;
        stages.start(&self.time, &self.state, &self.branches.list)
    }

    /// The values of all events where the run is now.
    fn event_values(&mut self) -> Vec<f64> {
        if self.problem.events.is_empty() {
            return vec![];
        }
        self.look_by_code();
        self.view.seen[self.view.events..self.view.kinks].to_vec()
    }

    /// Updates the distances of branch points from the values at the start of the step.
    pub(super) fn see_branch_points(&mut self) {
        let seen = &self.view.seen[self.view.events..];
        self.branch_points.update(self.time.high, |k| seen[k]);
    }

    /// The end at a branch point.
    pub(super) fn branched(&mut self, k: usize, stages: &mut impl Steps) -> Status {
        let moving = 2 * self.problem.rates.dimension;
        let state = self.state[..moving].iter().map(|c| c.high);
        self.run.crossings.push(Crossing {
            event: k,
            time: self.time.high,
            state: state.collect(),
        });
        // Nothing determines sensitivities there.
        if !stages.has_sensitivities() {
            self.row(0.0, 0.0, self.time.high, stages);
        }
        Status::Event(k)
    }

    /// The status of a run that could not continue: it ended at a branch point, or it failed.
    pub(super) fn failed(&mut self, stop: Error, stages: &mut impl Steps) -> Status {
        if !self.branch_points.is_empty() && !self.state.is_empty() {
            self.look_by_code();
            self.see_branch_points();
        }
        match self.branch_points.behind(stop) {
            Some(k) => self.branched(k, stages),
            None => Status::Failed(stop),
        }
    }

    /// The end at an event.
    pub(super) fn ended(&mut self, k: usize, stages: &mut impl Steps) -> Status {
        let known = stages.look(&mut self.view.seen);
        if !known {
            self.look_by_code();
        }
        // A sampled step to a branch point is cut there, and its work with it: that is no measure of the balance.
        let branch = self.problem.events[k].branch.is_some();
        if known || !branch {
            self.close_work(stages);
            self.balance.energy(self.view.seen[0]);
        }
        if known || !stages.has_sensitivities() {
            self.row(0.0, 0.0, self.time.high, stages);
        }
        Status::Event(k)
    }

    /// Records the state a time after the start of a step of length h, which is at a time of the run.
    pub(super) fn row(&mut self, tau: f64, h: f64, time: f64, stages: &mut impl Steps) {
        if self.recorder.is_idle() {
            return;
        }
        let mut state: Vec<f64> = self.state.iter().map(|c| c.high).collect();
        if tau != 0.0 {
            stages.after(tau, h, &mut state);
        }
        let row = self
            .recorder
            .row(time, state.into_iter(), &self.branches.list);
        self.run.rows.push(row);
        stages.record_sensitivities(tau);
    }

    /// The run with what came of it.
    pub(crate) fn close(&mut self, mut status: Status, stages: &mut impl Steps) -> Run {
        if let Some(lost) = stages.finish_sensitivities() {
            // The run ends where sensitivities could not be followed any more.
            let ahead = |t: f64| (t - lost.time) * self.options.sign() > 0.0;
            self.run.crossings.retain(|c| !ahead(c.time));
            self.run.rows.truncate(lost.rows);
            self.time = Compensated::new(lost.time);
            for (s, x) in self.state.iter_mut().zip(&lost.state) {
                *s = Compensated::new(*x);
            }
            status = Status::Failed(lost.stop);
        }
        let status = match status {
            Status::Failed(stop) => self.failed(stop, stages),
            status => status,
        };
        let moving = 2 * self.problem.rates.dimension;
        let (plain, branches) = (self.plain(), &self.branches.list);
        let run = &mut self.run;
        run.status = status;
        if self.options.dense_output {
            run.trail.close(&plain, branches);
        }
        run.time = plain[0];
        run.underflows = self.underflows.close();
        let lookups = self.problem.tape.lookups().iter();
        for (lookup, since) in lookups.zip(&self.branches.outside) {
            if let Some(since) = since
                && !run.extrapolated.iter().any(|e| e.0 == lookup.name)
            {
                run.extrapolated.push((lookup.name.clone(), *since));
            }
        }
        run.state = plain[1..=moving].to_vec();
        run.momenta = stages.momenta();
        run.outputs = self.recorder.outputs(&plain, branches);
        run.evaluations += stages.evaluations();
        run.handover = Handover {
            origin: self.options.origin(),
            rows: self.recorder.written(),
            events: self.watch.last().to_vec(),
            time_low: self.time.low,
            state_low: self.state[..moving.min(self.state.len())]
                .iter()
                .map(|c| c.low)
                .collect(),
            ..Handover::default()
        };
        std::mem::replace(&mut self.balance, Balance::new(0.0)).close(run);
        let nothing = started(self.problem, &[], &self.options, self.order);
        std::mem::replace(run, nothing)
    }
}
