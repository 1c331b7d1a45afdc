//! Events, kinks and surfaces ahead of a step, from the series at its start.

use super::ending::Early;
use super::lengths::shortest_step;
use super::zeros::{NODES, TOUCHING_VALUE, dipping, resolve, zeros};
use super::{Driver, Phase};
use crate::branch_points::{Branch, touched_to};
use crate::piecewise::no_way;
use crate::problem::{Error, Record};
use crate::roots::{is_flat, located_to, roots_in, scaled, touches_in, trusted, value};
use crate::steps::Steps;
use crate::sum::smaller;
use crate::surfaces::Ahead;

/// Where within a step an event is compared with its series.
const COMPARED_PARTS: [f64; 3] = [0.31, 0.68, 1.0];
/// Where a series is below this part of the sum of its terms' sizes, rounding may hide zeros.
const CANCELLED_PART: f64 = 1e-9;
/// A kink that is on the wrong side at the end of a step by this part of its series has jumped there.
const SMALLEST_JUMP: f64 = 1e-3;
/// The rounding error of an event is at most this many units in the last place.
const ROUNDING_UNITS: f64 = 16.0;
/// Steps do not become shorter for the sake of an event than this part of what the motion allows.
const SHORTEST_FOR_EVENTS: f64 = 1e-5;
/// An edge within so many of the shortest steps is hopped over where no step is possible.
const NEAR_EDGE_IN_STEPS: f64 = 16.0;
/// The number of hops over edges without a step in between that counts as sticking.
pub(super) const MAX_HOPS: usize = 50;

/// A step that is foreseen.
#[derive(Clone, Debug, Default)]
pub(super) struct Foreseen {
    /// Its length if nothing ended it.
    pub(super) length: f64,
    /// Why it ends early.
    pub(super) early: Option<Early>,
    /// Events: the time until then, of either sign, and which; in order.
    pub(super) events: Vec<(f64, usize)>,
    /// x and u at each of them.
    pub(super) states: Vec<Vec<f64>>,
    /// Events that are found by their values in this step, not by their series.
    sampled: Vec<bool>,
    /// Kinks that have jumped over zero, so that they are found by their values.
    jumping: Vec<bool>,
}

/// The next incident of a step.
pub(super) enum Move {
    /// A step of a length.
    Step(f64),
    /// A hop over an edge after the first time, to the second.
    Hop(f64, f64),
}

impl Driver<'_> {
    /// The next step, by the series at its start.
    #[inline(always)]
    pub(super) fn foresee<S: Steps>(&mut self, stages: &mut S) -> Result<Move, Error> {
        let sign = self.sign;
        let size = self.lengths.foreseen();
        let most = smaller(size, self.left.abs());
        let length = match self.watches {
            true => self.trusted_length(most, stages),
            false => most,
        };
        if smaller(size, length) < shortest_step(&self.time) && length < self.left.abs()
            || size == 0.0
        {
            return self.edge_at_start(stages).ok_or(Error::StepUnderflow);
        }
        let mut h = sign * length;
        if stages.ends_at_rows()
            && let Some(ahead) = self.recorder.ahead(&self.time)
            && ahead.abs() < h.abs()
        {
            h = ahead;
        }
        match self.watches {
            true => self.look_ahead(h, length, stages),
            false => Ok(Move::Step(h)),
        }
    }

    /// A hop over an edge that is as near as the shortest step.
    #[cold]
    fn edge_at_start<S: Steps>(&mut self, stages: &S) -> Option<Move> {
        if self.surfaces.edges().is_empty() || self.hops.count >= MAX_HOPS {
            return None;
        }
        let sign = self.sign;
        let first = self.problem.events.len() + self.branches.list.len();
        let series = |k: usize| stages.coefficients(first + k);
        let reach = NEAR_EDGE_IN_STEPS * shortest_step(&self.time);
        let ahead = self.surfaces.ahead(series, sign * reach, reach);
        let ahead = ahead.filter(|ahead| matches!(ahead, Ahead::Hop(..)));
        match ahead.or_else(|| self.surfaces.just_passed(series, sign * reach))? {
            Ahead::Hop(edge, to) => Some(Move::Hop(sign * edge, sign * to)),
            Ahead::End(_) => None,
        }
    }

    /// A length of the step in which events, kinks and surfaces are found, too. Events that would ask for next to nothing
    /// are sampled instead: their series end at a pole, or at a zero of high order.
    fn trusted_length<S: Steps>(&mut self, size: f64, stages: &S) -> f64 {
        let (events, kinks) = (self.problem.events.len(), self.branches.kinks());
        let part = located_to(self.tolerance);
        let mut length = (events..events + kinks)
            .fold(size, |size, w| trusted(stages.coefficients(w), size, part));
        let least = SHORTEST_FOR_EVENTS * size;
        let sampled = &mut self.foreseen.sampled;
        sampled.resize(events, false);
        for (k, event) in self.problem.events.iter().enumerate() {
            let series = stages.coefficients(k);
            // Where an event has no series, as at a pole, its values tell more.
            if !series.iter().all(|c| c.is_finite()) {
                sampled[k] = true;
                continue;
            }
            let own = trusted(series, length, part);
            sampled[k] = own < least && event.branch.is_none();
            length = if sampled[k] { length.min(least) } else { own };
        }
        let first = events + kinks;
        let series = |k: usize| stages.coefficients(first + k);
        self.surfaces.trusted(series, length, [part, least])
    }

    /// The incidents within a step of length h, which may be shorter than the trusted one.
    fn look_ahead<S: Steps>(
        &mut self,
        mut h: f64,
        length: f64,
        stages: &mut S,
    ) -> Result<Move, Error> {
        let sign = self.sign;
        let events = self.problem.events.len();
        // The first kink on the way ends the step.
        let mut early: Option<Early> = None;
        for k in 0..self.branches.kinks() {
            if let Some(s) = self.kink_ahead(k, h, stages) {
                let time = s * h.abs();
                if s < 1.0 && early.is_none_or(|e| matches!(e, Early::Kink(t, _) if time < t)) {
                    early = Some(Early::Kink(time, k));
                }
            }
        }
        if let Some(Early::Kink(time, _)) = early {
            h = sign * time;
        }
        if !self.surfaces.is_empty() {
            let first = events + self.branches.kinks();
            let size = self.lengths.foreseen().min(self.left.abs());
            let series = |k: usize| stages.coefficients(first + k);
            match self.surfaces.ahead(series, h, size) {
                Some(Ahead::End(t)) => (h, early) = (sign * t, None),
                Some(Ahead::Hop(edge, to)) if self.hops.count < MAX_HOPS => {
                    return Ok(Move::Hop(sign * edge, sign * to));
                }
                Some(Ahead::Hop(..)) => return Err(Error::Sticking),
                None => {}
            }
        }
        // Events in order of time. What lies at the end of the step could be missed by both
        // steps, so the search goes a little beyond it; nothing is reported twice.
        let reach = if h == self.left { h } else { h * (1.0 + 1e-9) };
        let mut found: Vec<(f64, usize)> = Vec::new();
        for k in 0..events {
            for (s, direction) in self.zeros_ahead(k, reach, stages) {
                if self.watch.admits(k, &self.time, s * reach, direction, h) {
                    found.push((s * reach, k));
                }
            }
        }
        found.sort_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
        if let Some(&(tau, k)) = found.iter().find(|e| self.problem.events[e.1].terminal) {
            (h, early) = (tau, Some(Early::Event(1.0, k)));
        }
        self.foreseen.early = early;
        let moving = 2 * self.problem.rates.dimension;
        let state = |&(tau, _): &(f64, usize)| {
            let mut state = vec![0.0; moving];
            stages.after(tau, h, &mut state);
            state
        };
        self.foreseen.states = found.iter().map(state).collect();
        self.foreseen.events = found;
        self.foreseen.length = length;
        Ok(Move::Step(h))
    }

    /// Where an event vanishes within a length: parts of it with the sign of the change.
    fn zeros_ahead<S: Steps>(&mut self, k: usize, length: f64, stages: &mut S) -> Vec<(f64, i8)> {
        let q = scaled(stages.coefficients(k), length);
        self.underflows.note(k, q.iter().copied());
        if self.foreseen.sampled[k] {
            return self.sampled_zeros(k, length, None, stages);
        }
        if self.problem.events[k].branch == Some(Branch::Touched) {
            return touches_in(&q, touched_to(self.tolerance));
        }
        let mut roots = roots_in(&q);
        if roots.iter().any(|r| is_flat(&q, r.0)) {
            self.refine_flat(k, length, &q, &mut roots, stages);
        }
        self.see_touches(k, length, &q, &mut roots, stages);
        match self.is_followed(k, length, &q, &roots, stages) {
            true => roots,
            false => self.sampled_zeros(k, length, None, stages),
        }
    }

    /// The first place within a length where a kink comes to zero or jumps over it, by its series or by its values.
    fn kink_ahead<S: Steps>(&mut self, k: usize, length: f64, stages: &mut S) -> Option<f64> {
        let events = self.problem.events.len();
        let mut least = 0.0;
        let roots = match self.foreseen.jumping.get(k) {
            Some(true) => self.sampled_zeros(
                events + k,
                length,
                Some(self.branches.is_positive(k)),
                stages,
            ),
            _ => {
                let mut q = scaled(stages.coefficients(events + k), length);
                if self.branches.fresh[k] {
                    // What lies at the start is divided out, also if it is a zero of higher order but for rounding.
                    q.remove(0);
                    least = no_way(self.time.high, length) / length.abs();
                }
                roots_in(&q)
            }
        };
        let crossed = roots.into_iter().find(|r| r.1 != 0 && r.0 > least);
        crossed.map(|r| r.0)
    }

    /// Notes the kinks that are on the wrong side at the end of a step of length h: they have jumped there, as behind a
    /// pole. Whether there are any that were not known.
    #[inline]
    pub(super) fn has_jumped<S: Steps>(&mut self, h: f64, stages: &mut S) -> bool {
        let (events, kinks) = (self.problem.events.len(), self.branches.kinks());
        if kinks == 0 {
            return false;
        }
        self.foreseen.jumping.resize(kinks, false);
        let mut found = false;
        for (k, there) in stages.values_at_end(events, kinks).into_iter().enumerate() {
            let ends = matches!(self.foreseen.early, Some(Early::Kink(_, flipped)) if flipped == k);
            let kept = there == 0.0 || (there > 0.0) == self.branches.is_positive(k);
            if ends || kept || self.foreseen.jumping[k] {
                continue;
            }
            let terms = scaled(stages.coefficients(events + k), h);
            let size: f64 = terms.iter().map(|c| c.abs()).sum();
            // Rounding may hide to which side a kink at the start is left; its series know where it ends.
            let hidden = self.branches.fresh[k] && terms.iter().sum::<f64>() * there.signum() > 0.0;
            if there.abs() > SMALLEST_JUMP * size && !hidden {
                self.foreseen.jumping[k] = true;
                found = true;
            }
        }
        found
    }

    /// Where an event, or a kink behind the events, vanishes within a length, by its values along the motion. A kink
    /// starts on its side, however small the value is, and may jump over zero.
    fn sampled_zeros<S: Steps>(
        &mut self,
        k: usize,
        length: f64,
        side: Option<bool>,
        stages: &mut S,
    ) -> Vec<(f64, i8)> {
        let mut at = |part: f64| self.watched_after(k, part * length, stages);
        let mut points: Vec<(f64, f64)> = NODES.iter().map(|s| (*s, at(*s))).collect();
        resolve(&mut points, || 0.0, &mut at);
        if let Some(side) = side {
            points[0].1 = f64::MIN_POSITIVE.copysign(if side { 1.0 } else { -1.0 });
        }
        let low = if side.is_none() {
            dipping(&points)
        } else {
            None
        };
        let doubt = match low {
            Some(s) => {
                at(s);
                self.doubt(k, false)
            }
            None => 0.0,
        };
        let at = |part: f64| self.watched_after(k, part * length, stages);
        zeros(&points, [TOUCHING_VALUE, doubt], side.is_some(), at)
    }

    /// Whether an event has the signs that its series and their roots say, between the roots and elsewhere.
    fn is_followed<S: Steps>(
        &mut self,
        k: usize,
        length: f64,
        q: &[f64],
        roots: &[(f64, i8)],
        stages: &mut S,
    ) -> bool {
        let sizes: Vec<f64> = q.iter().map(|c| c.abs()).collect();
        let cancels = |s: &f64| value(q, *s).abs() < CANCELLED_PART * value(&sizes, *s);
        if NODES.iter().any(cancels) {
            return false;
        }
        let mut places = COMPARED_PARTS.to_vec();
        let ends = roots.iter().map(|r| r.0).chain([1.0]);
        let mut low = 0.0;
        for high in ends {
            places.push(0.5 * (low + high));
            low = high;
        }
        places.into_iter().all(|s| {
            let (foreseen, there) = (value(q, s), self.watched_after(k, s * length, stages));
            let alike = foreseen == there || foreseen * there.signum() > 0.0;
            alike || there.is_finite() && there.abs() <= self.rounding_of_event(k)
        })
    }

    /// About how large the rounding error of an event is, at the state that was looked at last.
    fn rounding_of_event(&self, k: usize) -> f64 {
        let tape = &self.problem.tape;
        let state = &self.view.inputs[..=self.state.len()];
        let mut values = vec![0.0; tape.len()];
        tape.evaluate(state, &self.branches.list, &mut values);
        let errors = tape.rounding(&values, &self.branches.list);
        ROUNDING_UNITS * errors[self.problem.events[k].register as usize]
    }

    /// The value of an event, or of a kink behind the events, a time after the start of a step.
    pub(super) fn watched_after<S: Steps>(&mut self, k: usize, time: f64, stages: &mut S) -> f64 {
        self.place(0.0, 0.0, stages);
        let moving = 2 * self.problem.rates.dimension;
        let inputs = &mut self.view.inputs;
        inputs[0] = self.time.plus(time);
        stages.after(time, time, &mut inputs[1..=moving]);
        self.view.watch();
        self.view.seen[self.view.events + k]
    }

    /// Jumps to the end of the run by linearised equations, if the motion has come to rest.
    #[inline(always)]
    pub(super) fn leap<S: Steps>(
        &mut self,
        stages: &mut S,
        progress: &mut impl FnMut(f64) -> bool,
    ) -> Result<bool, Error> {
        let Some(leap) = stages.leap(self.run.steps, self.left, self.energy)? else {
            return Ok(false);
        };
        if matches!(self.options.record, Record::Steps) {
            self.row(0.0, 1.0, self.time.high, stages);
        }
        while let Some((tau, at)) = self.recorder.due(&self.time, leap.length) {
            let change = leap.change(tau);
            let pairs = self.state.iter().zip(&change[1..]);
            let state = pairs.map(|(c, d)| c.plus(*d));
            self.run
                .rows
                .push(self.recorder.row(at, state, &self.branches.list));
            if self.run.rows.len().is_multiple_of(1024) && !progress(at) {
                return Err(Error::Interrupted);
            }
        }
        for (s, d) in self.state.iter_mut().zip(&leap.change(leap.length)[1..]) {
            s.add(*d);
        }
        self.balance.work.add(leap.work);
        self.run.settled = Some(self.time.high);
        self.time.high = self.options.to;
        self.time.low = 0.0;
        self.run.steps += 1;
        self.phase = Phase::Start;
        stages.start(&self.time, &self.state, &self.branches.list)?;
        Ok(true)
    }
}
