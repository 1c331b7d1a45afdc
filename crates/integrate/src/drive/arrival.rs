//! The arrival at the start of a step: constraints, balance of energy, branch points, and the end of the run.

use super::{Driver, Phase};
use crate::problem::{Error, Status};
use crate::rank::reached;
use crate::steps::Steps;

impl Driver<'_> {
    /// Brings the state at the start of a step back to the constraints, if it is too far from them; whether it moved.
    #[inline(always)]
    pub(super) fn project(&mut self, stages: &mut impl Steps) -> Result<bool, Error> {
        if !self.looks && stages.values().is_some() {
            return Ok(false);
        }
        if !std::mem::take(&mut self.view.shown) {
            self.look(stages);
        }
        self.see_branch_points();
        let kept = self.run.steps > 0 && stages.keeps_constraints();
        let part = self.branch_points.closeness();
        if kept || !self.projection.needed(self.view.residuals(), part) {
            return Ok(false);
        }
        let (time, branches) = (self.time.high, &self.branches.list);
        let solved = stages.solved_velocities();
        if !self
            .projection
            .apply(time, &mut self.state, branches, solved)
        {
            return Ok(false);
        }
        if self.run.steps > 0 && self.projection.was_far() {
            return Err(Error::LeftConstraints);
        }
        self.run.projections += 1;
        stages.start(&self.time, &self.state, &self.branches.list)?;
        Ok(true)
    }

    /// Handles the arrival at the start of a step; returns how the run ended if it did.
    #[inline(always)]
    pub(super) fn arrived(
        &mut self,
        stages: &mut impl Steps,
        progress: &mut impl FnMut(f64) -> bool,
    ) -> Result<Option<Status>, Error> {
        self.left = self.time.from(self.options.to);
        if self.phase == Phase::Projected {
            self.look(stages);
            self.see_branch_points();
        }
        if self.options.dense_output {
            self.run.trail.push(&self.plain(), &self.branches.list);
        }
        self.close_work(stages);
        let seen = stages.values().unwrap_or(self.view.balance());
        self.balance.see(self.time.high, seen, self.view.scales);
        self.energy = self.balance.largest();
        if let Some(k) = self.branch_points.reached() {
            return Ok(Some(self.branched(k, stages)));
        }
        let plain = self.rank.as_ref().map(|_| self.plain());
        if let (Some(rank), Some(plain)) = (&mut self.rank, plain)
            && rank.arrive(&plain, &self.branches.list, reached(self.tolerance))
        {
            let k = rank.event;
            return Ok(Some(self.branched(k, stages)));
        }
        if self.left * self.sign <= 0.0 {
            if self.recorder.at_end(&self.time) {
                self.row(0.0, 0.0, self.time.high, stages);
            }
            return Ok(Some(Status::Finished));
        }
        if self.options.stop.is_some() && self.run.steps > 0 && self.stops() {
            return Ok(Some(Status::Finished));
        }
        if self.run.steps >= self.options.max_steps {
            return Err(Error::TooManySteps);
        }
        if self.run.steps == 0 {
            stages.prepare_sensitivities(self.left, self.energy);
        }
        if self.run.steps.is_multiple_of(64) && !progress(self.time.high) {
            return Err(Error::Interrupted);
        }
        if !self.surfaces.is_empty() {
            self.see_surfaces();
        }
        self.lengths.start();
        Ok(None)
    }

    /// Whether the run is asked to end here.
    fn stops(&self) -> bool {
        let moving = 2 * self.problem.rates.dimension;
        self.options.stop.as_ref().is_some_and(|stop| {
            let state: Vec<f64> = self.state[..moving].iter().map(|c| c.high).collect();
            stop.asked(self.time.high, &state)
        })
    }

    /// Notes how large the arguments of flat functions are at the start of a step.
    pub(super) fn see_surfaces(&mut self) {
        let seen = &self.view.seen[self.view.thresholds..];
        self.surfaces.note(seen.iter().copied());
    }

    /// Adds the work that the power at the start of a step contributes to the step before.
    #[inline(always)]
    pub(super) fn close_work(&mut self, stages: &mut impl Steps) {
        if let Some(work) = stages.closing_work(self.balance.largest(), self.view.scales) {
            self.balance.work.add(work);
        }
    }
}
