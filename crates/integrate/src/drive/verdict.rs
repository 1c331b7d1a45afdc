//! Whether a step that was taken is accepted.

use super::ending::Early;
use super::watching::Within;
use super::{Driver, Phase};
use crate::problem::Error;
use crate::rank::SHORTEST_PART;
use crate::steps::Steps;

impl Driver<'_> {
    /// Whether the polynomial over a step is wanted, by its error.
    pub(crate) fn wants_polynomial(&self, outcome: &Result<f64, Error>) -> bool {
        let again = matches!(self.phase, Phase::Again(_));
        let admitted = |error: &f64| again || *error <= 1.0;
        let looks = self.view.watches() || !self.nodes.is_empty();
        looks && outcome.as_ref().is_ok_and(admitted)
    }

    /// Goes on with a step that was asked for: its error, or why there is none.
    #[inline(always)]
    pub(crate) fn took<S: Steps>(
        &mut self,
        outcome: Result<f64, Error>,
        stages: &mut S,
    ) -> Result<(), Error> {
        match self.phase {
            Phase::Start | Phase::Projected | Phase::Ended(_) => Ok(()),
            Phase::Trial(h) if S::FORESEES => self.took_foreseen(h, outcome, stages),
            Phase::Trial(h) => self.took_sampled(h, false, outcome, stages),
            Phase::Again(h) => self.took_sampled(h, true, outcome, stages),
        }
    }

    /// Goes on with a step that was foreseen.
    #[inline(always)]
    pub(super) fn took_foreseen<S: Steps>(
        &mut self,
        h: f64,
        outcome: Result<f64, Error>,
        stages: &mut S,
    ) -> Result<(), Error> {
        let plain = !self.watches && self.rank.is_none();
        match outcome {
            // Most steps are sound, and nothing else is to be looked at.
            Ok(defect) if plain && defect <= 1.0 => self.lengths.accept_foreseen(),
            outcome => {
                let outcome = self.judged_foreseen(h, outcome, stages);
                if !self.lengths.judge_foreseen(h, &self.time, outcome)? {
                    self.run.rejected += 1;
                    stages.reject();
                    return Ok(());
                }
            }
        }
        if !self.watches {
            return self.end(h, None, stages);
        }
        if !self.foreseen.events.is_empty() {
            let found = std::mem::take(&mut self.foreseen.events);
            let mut states = std::mem::take(&mut self.foreseen.states).into_iter();
            let state = |_| states.next().unwrap_or_default();
            let crossings = &mut self.run.crossings;
            self.watch.report(found, &self.time, crossings, state);
        }
        let early = self.foreseen.early.take();
        self.end(h, early, stages)?;
        self.hops.step(h);
        self.note_velocities();
        Ok(())
    }

    /// The outcome of a foreseen step after a closer look: within it where surfaces lie, at the kinks at its end, and at
    /// the rank of the constraints there.
    fn judged_foreseen<S: Steps>(
        &mut self,
        h: f64,
        outcome: Result<f64, Error>,
        stages: &mut S,
    ) -> Result<f64, Error> {
        let outcome = match (outcome, self.foreseen.early) {
            (Ok(defect), _) if defect <= 1.0 && self.nodes.is_empty() => Ok(defect),
            (Ok(defect), _) => self.defect_of_step(h, defect, stages),
            // At a branch point nothing determines the accelerations.
            (Err(_), Some(Early::Event(_, k))) if self.problem.events[k].branch.is_some() => {
                Ok(0.0)
            }
            (failed, _) => failed,
        };
        let outcome = match outcome.is_ok() && self.has_jumped(h, stages) {
            true => Ok(f64::INFINITY),
            false => outcome,
        };
        let sound = matches!(outcome, Ok(defect) if defect <= 1.0);
        match sound && self.ends_near_branch(h, stages) {
            true => Ok(f64::INFINITY),
            false => outcome,
        }
    }

    /// Whether a foreseen step ends next to where constraints become dependent, and a shorter one would not.
    #[inline(always)]
    pub(super) fn ends_near_branch(&mut self, h: f64, stages: &mut impl Steps) -> bool {
        if self.rank.is_none() {
            return false;
        }
        let (mut end, moving) = (self.plain(), 2 * self.problem.rates.dimension);
        end[0] = self.time.plus(h);
        stages.after(h, h, &mut end[1..=moving]);
        self.rank.as_mut().is_some_and(|rank| {
            let distance = rank.distance(&end, &self.branches.list);
            rank.is_avoided(distance) && h.abs() > SHORTEST_PART * self.lengths.length
        })
    }

    /// Goes on with a step whose polynomial is sampled, for the second time if it was shortened.
    pub(super) fn took_sampled(
        &mut self,
        h: f64,
        again: bool,
        outcome: Result<f64, Error>,
        stages: &mut impl Steps,
    ) -> Result<(), Error> {
        let outcome = match outcome {
            Ok(error) if error > 1.0 && !again => self.error_beyond_rounding(h, error, stages),
            other => other,
        };
        let outcome = match self.wants_polynomial(&outcome) {
            true => stages.densify().and(outcome),
            false => outcome,
        };
        if again && outcome.is_err() && self.may_be_shorter(h) {
            self.phase = Phase::Again(0.5 * h);
            self.run.rejected += 1;
            return Ok(());
        }
        let outcome = match outcome {
            Ok(error) if error <= 1.0 && !again => Ok(error.max(self.defect_within(h, stages))),
            other => other,
        };
        if again {
            outcome?;
        } else if !self.lengths.judge(h, self.left, outcome)? {
            self.run.rejected += 1;
            return Ok(());
        }
        self.hops.step(h);
        self.note_velocities();
        if !self.view.watches() {
            return self.end(h, None, stages);
        }
        match self.watch_step(h, again, stages) {
            Within::Shorter(h) => {
                self.event_ends.clear();
                self.phase = Phase::Again(h);
                Ok(())
            }
            Within::Seen(found, early) => {
                let found = found.into_iter().map(|(theta, k)| (theta * h, k)).collect();
                self.report(h, found, stages);
                if early.is_some() {
                    self.event_ends.clear();
                }
                self.end(h, early, stages)?;
                if let Some(limit) = self.limit.take() {
                    let given = self.options.step.is_some();
                    self.lengths.pass_threshold(limit, given)?;
                }
                match again && early.is_none() {
                    true => stages.start(&self.time, &self.state, &self.branches.list),
                    false => Ok(()),
                }
            }
        }
    }
}
