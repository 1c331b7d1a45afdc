//! What lies ahead of a step, by the series at its start.

use super::ending::Early;
use super::lengths::shortest_step;
use super::zeros::{NODES, TOUCH, zeros};
use super::{Driver, Phase};
use crate::branch::{Branch, touched_to};
use crate::problem::Stop;
use crate::roots::{is_flat, located_to, roots_in, scaled, touches_in, trusted};
use crate::steps::Steps;
use crate::surfaces::Ahead;

/// How far from a flat zero of its series an event is searched for its zero, as a part of the step.
const FLAT_ZERO_WIDTH: f64 = 0.02;
/// Steps do not become shorter for the sake of an event than this part of what the motion allows.
const SHORTEST_FOR_EVENTS: f64 = 1e-5;
/// The number of hops over edges without a step in between that counts as sticking.
const MAX_HOPS: usize = 50;

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
}

/// What comes next.
pub(super) enum Move {
    /// A step of a length.
    Step(f64),
    /// A hop over an edge after the first time, to the second.
    Hop(f64, f64),
}

impl Driver<'_> {
    /// The next step, by the series at its start.
    #[inline(always)]
    pub(super) fn foresee<S: Steps>(&mut self, stages: &mut S) -> Result<Move, Stop> {
        let sign = self.options.sign();
        let size = self.lengths.foreseen();
        let most = size.min(self.left.abs());
        let length = match self.watches {
            true => self.trusted_length(most, stages),
            false => most,
        };
        if size.min(length) < shortest_step(&self.time) && length < self.left.abs() || size == 0.0 {
            return Err(Stop::StepUnderflow);
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

    /// A length of the step in which events, kinks and surfaces are found, too. Events that would ask for next to nothing
    /// are sampled instead: their series end at a pole, or at a zero of high order.
    fn trusted_length<S: Steps>(&mut self, size: f64, stages: &S) -> f64 {
        let (events, kinks) = (self.problem.events.len(), self.sides.list.len());
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
        self.surfaces.trusted(series, length, part)
    }

    /// What happens within a step of a length h, which may be shorter than what was trusted.
    fn look_ahead<S: Steps>(
        &mut self,
        mut h: f64,
        length: f64,
        stages: &mut S,
    ) -> Result<Move, Stop> {
        let sign = self.options.sign();
        let events = self.problem.events.len();
        // The first kink on the way ends the step.
        let mut early: Option<Early> = None;
        for k in 0..self.sides.list.len() {
            let mut q = scaled(stages.coefficients(events + k), h);
            if self.sides.fresh[k] {
                // What lies at the start is divided out.
                q.remove(0);
            }
            if let Some((s, _)) = roots_in(&q).into_iter().find(|r| r.1 != 0) {
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
            let first = events + self.sides.list.len();
            let size = self.lengths.foreseen().min(self.left.abs());
            let series = |k: usize| stages.coefficients(first + k);
            match self.surfaces.ahead(series, h, size) {
                Some(Ahead::End(t)) => (h, early) = (sign * t, None),
                Some(Ahead::Hop(edge, to)) if self.hops.count < MAX_HOPS => {
                    return Ok(Move::Hop(sign * edge, sign * to));
                }
                Some(Ahead::Hop(..)) => return Err(Stop::Sticking),
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
        if self.foreseen.sampled[k] {
            let mut at = |part: f64| self.event_after(k, part * length, length, stages);
            let points: Vec<(f64, f64)> = NODES.iter().map(|s| (*s, at(*s))).collect();
            return zeros(&points, TOUCH, false, at);
        }
        let q = scaled(stages.coefficients(k), length);
        if self.problem.events[k].branch == Some(Branch::Touched) {
            return touches_in(&q, touched_to(self.tolerance));
        }
        let mut roots = roots_in(&q);
        if roots.iter().any(|r| is_flat(&q, r.0)) {
            self.refine_flat(k, length, &q, &mut roots, stages);
        }
        roots
    }

    /// Finds zeros where the series of an event are flat again by its values: what is left out of a series moves a zero
    /// of order m by its root of order m.
    fn refine_flat<S: Steps>(
        &mut self,
        k: usize,
        length: f64,
        q: &[f64],
        roots: &mut Vec<(f64, i8)>,
        stages: &mut S,
    ) {
        let mut at = |s: f64| self.event_after(k, s * length, length, stages);
        for root in roots.iter_mut().filter(|r| is_flat(q, r.0)) {
            let ends =
                [root.0 - FLAT_ZERO_WIDTH, root.0 + FLAT_ZERO_WIDTH].map(|s| s.clamp(0.0, 1.0));
            let points = ends.map(|s| (s, at(s)));
            if points[0].1 * points[1].1.signum() < 0.0
                && let [found] = zeros(&points, TOUCH, false, &mut at)[..]
            {
                *root = found;
            }
        }
        roots.sort_by(|a, b| a.0.total_cmp(&b.0));
        roots.dedup_by(|a, b| (a.0 - b.0).abs() <= 1e-12);
    }

    /// The value of an event a time after the start of a step.
    fn event_after<S: Steps>(&mut self, k: usize, time: f64, h: f64, stages: &mut S) -> f64 {
        let mut state = self.plain();
        let moving = 2 * self.problem.rates.dimension;
        state[0] = self.time.plus(time);
        stages.after(time, h, &mut state[1..=moving]);
        self.sides.events(&state)[k]
    }

    /// Jumps to the end of the run by linearised equations, if the motion has come to rest.
    #[inline(always)]
    pub(super) fn leap<S: Steps>(
        &mut self,
        stages: &mut S,
        progress: &mut impl FnMut(f64) -> bool,
    ) -> Result<bool, Stop> {
        let Some(leap) = stages.leap(self.run.steps, self.left, self.energy)? else {
            return Ok(false);
        };
        if self.options.every.is_none() {
            self.row(0.0, 1.0, self.time.high, stages);
        }
        while let Some((tau, at)) = self.recorder.due(&self.time, leap.length) {
            let change = leap.change(tau);
            let pairs = self.state.iter().zip(&change[1..]);
            let state = pairs.map(|(c, d)| c.plus(*d));
            self.run
                .rows
                .push(self.recorder.row(at, state, &self.sides.list));
            if self.run.rows.len().is_multiple_of(1024) && !progress(at) {
                return Err(Stop::Interrupted);
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
        stages.start(&self.time, &self.state, &self.sides.list)?;
        Ok(true)
    }
}
