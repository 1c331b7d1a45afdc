//! The beginning of a run.

use super::foresight::Foreseen;
use super::hop::Hops;
use super::{Driver, Phase};
use crate::branch_points::BranchPoints;
use crate::problem::Error;
use crate::record::{Balance, Underflows, Watch, started};
use crate::steps::Steps;
use crate::sum::Compensated;

impl Driver<'_> {
    /// Begins a run at a state: x, u and the fixed inputs.
    pub(crate) fn begin<S: Steps>(
        &mut self,
        (from, to): (f64, f64),
        state: &[f64],
        stages: &mut S,
    ) -> Result<(), Error> {
        (self.options.from, self.options.to) = (from, to);
        self.sign = self.options.sign();
        let moving = 2 * self.problem.rates.dimension;
        self.run = started(self.problem, &state[..moving], &self.options, self.order);
        self.recorder.restart(&self.options);
        self.watch = Watch::new(self.problem, &self.options);
        self.underflows = Underflows::new(self.problem.events.len());
        self.event_ends.clear();
        self.branch_points = BranchPoints::new(self.problem, from);
        self.projection.restart();
        self.branches.restart(self.sign);
        self.time = Compensated::new(from);
        self.state.clear();
        self.state
            .extend(state.iter().map(|x| Compensated::new(*x)));
        if let Some(handover) = &self.options.handover {
            self.time.low = handover.time_low;
            let lows = self.state.iter_mut().zip(&handover.state_low);
            lows.for_each(|(to, low)| to.low = *low);
        }
        self.hidden.fill(false);
        self.astray.clear();
        self.surfaces.restart();
        if let Some(rank) = &mut self.rank {
            rank.restart();
        }
        self.limit = None;
        self.foreseen = Foreseen::default();
        self.hops = Hops::default();
        self.phase = Phase::Start;
        let plain = self.plain();
        self.balance = Balance::new(0.0);
        self.view.shown = false;
        if S::FORESEES {
            // Lanes know the energy from their series; the code for parts of a run is made once.
            if stages.is_ready() && self.options.handover.is_none() {
                let mut values = vec![0.0; self.problem.tape.len()];
                self.problem.tape.evaluate(&plain, &[], &mut values);
                self.balance = Balance::new(values[self.problem.energy as usize]);
            }
            self.lengths.begin(0.0);
            self.note_velocities();
        }
        self.run.evaluations += self.branches.choose(&plain)?;
        let started = stages.start(&self.time, &self.state, &self.branches.list);
        if S::FORESEES {
            if stages.is_ready() && self.options.handover.is_some() {
                self.look_by_code();
                self.balance = Balance::new(self.view.seen[0]);
                self.balance.continued(self.options.handover.as_ref());
            }
            return started.or_else(|stop| self.leave_edge(stop, stages));
        }
        started?;
        let span = (to - from).abs();
        let first = stages.first_length(self.tolerance, self.sign);
        self.lengths.begin(first.unwrap_or(span / 100.0).min(span));
        self.look_by_code();
        self.view.shown = true;
        self.balance = Balance::new(self.view.seen[0]);
        self.balance.continued(self.options.handover.as_ref());
        Ok(())
    }

    /// Keeps the largest velocity, where there are surfaces.
    pub(super) fn note_velocities(&mut self) {
        if !self.surfaces.is_empty() {
            let n = self.problem.rates.dimension;
            let velocities = self.state[n..2 * n].iter().map(|c| c.high.abs());
            self.fastest = velocities.fold(self.fastest, f64::max);
        }
    }

    /// Continues a run whose last steps were taken by the code of all lanes. The run is at the end of a step of length h from
    /// a time and a state, which has not been judged yet; `steps` were taken before it.
    pub(crate) fn resume(
        &mut self,
        h: f64,
        time: Compensated,
        state: impl Iterator<Item = Compensated>,
        steps: usize,
    ) {
        self.phase = Phase::Trial(h);
        self.time = time;
        self.left = time.from(self.options.to);
        self.state.iter_mut().zip(state).for_each(|(to, c)| *to = c);
        self.run.steps = steps;
        self.lengths.begin(0.0);
    }
}
