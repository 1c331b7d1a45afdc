//! Short steps of second order over edges, where a function has a value but no series.

use galilei_tape::math::scalar::powi;

use super::foresight::MAX_HOPS;
use super::{Driver, Phase};
use crate::legendre::rounded_gauss;
use crate::problem::{Error, Record};
use crate::steps::Steps;

/// The times within which a run leaves an edge at its start, as parts of the run: the shortest that leads to series.
const LEAVING_TIMES: [f64; 3] = [1e-9, 1e-8, 1e-7];
/// A hop may change velocities by this part of the largest.
const LARGEST_HOP: f64 = 1e-3;
/// Accelerations that jump by less than this part of their size do not part nearby motions.
const SMOOTH_JUMP: f64 = 1e-6;
/// The number of Gauss' points on either side of an edge at which accelerations are taken.
const HOP_POINTS: usize = 6;
/// The power of Gauss' points that is the distance from the edge: accelerations may change like a root there.
const HOP_GRADING: i32 = 4;
/// Edges that sampled steps come as near as this part of the run's time to are hopped over if no step leads further.
const REACHED_EDGE: f64 = 1e-9;
/// The time behind an edge at which such a hop ends, as a part of the run's time.
const SAMPLED_HOP: f64 = 1e-8;
/// A register below this part of its value at the end of the search touches zero.
const TOUCHED_PART: f64 = 1e-6;
/// Steps longer than this many times the last hop end a row of hops.
const FREE_STEP_IN_HOPS: f64 = 1e3;

/// Hops over edges without a step in between.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hops {
    pub(super) count: usize,
    /// The length of the last.
    last: f64,
}

impl Hops {
    /// Notes a step that was taken.
    #[inline]
    pub(super) fn step(&mut self, h: f64) {
        if h.abs() > FREE_STEP_IN_HOPS * self.last {
            *self = Self::default();
        }
    }
}

impl Driver<'_> {
    /// Goes over an edge that lies a time ahead, to another time. The accelerations are integrated along a parabola, on
    /// both sides of the edge with points that crowd towards it. What is left out is of third order in a time that is
    /// next to nothing.
    pub(super) fn hop<S: Steps>(
        &mut self,
        (edge, to): (f64, f64),
        stages: &mut S,
    ) -> Result<(), Error> {
        let n = self.problem.rates.dimension;
        let (start, time) = (self.plain(), self.time);
        let here = self.probe_at(&start).to_vec();
        let behind = to - edge;
        // x and u a time after the start, with accelerations as they are here and, from the edge on, as they were found.
        let after = |time: f64, found: &[f64]| -> Vec<f64> {
            let (u, a) = (&start[1 + n..], &here);
            let (first, second) = match time.abs() < edge.abs() {
                true => (time, 0.0),
                false => (edge, time - edge),
            };
            let places = (0..n).map(|i| {
                let before = a[i] * first * (0.5 * first + second);
                u[i] * time + before + 0.5 * found[i] * second * second
            });
            let rates = (0..n).map(|i| a[i] * first + found[i] * second);
            places.chain(rates).collect()
        };
        let events = self.branches.events(&start);
        let branches = self.branches.list.clone();
        let mut ahead = start.clone();
        ahead[0] = self.time.plus(to);
        for (i, d) in after(to, &here).iter().enumerate() {
            ahead[1 + i] = self.state[i].plus(*d);
        }
        self.run.evaluations += self.branches.choose(&ahead)?;
        let found = self.probe_at(&ahead).to_vec();
        if !found[..n].iter().all(|a| a.is_finite()) {
            return Err(Error::NotFinite);
        }
        let jump = (0..n).fold(0.0_f64, |m, i| m.max((found[i] - here[i]).abs()));
        let both = here[..n].iter().chain(&found[..n]);
        let size = both.fold(0.0_f64, |m, a| m.max(a.abs()));
        if jump * to.abs() > LARGEST_HOP * self.fastest && jump > LARGEST_HOP * size {
            // Something is not bounded there.
            self.branches.list = branches;
            return Err(Error::StepUnderflow);
        }
        if stages.has_sensitivities() && jump > SMOOTH_JUMP * size {
            return Err(Error::Grazing);
        }
        let path = |time: f64| after(time, &found);
        match S::FORESEES {
            true => self.record_within(to, to, stages)?,
            false => self.record_along(to, &path, stages),
        }
        let behind_edge = std::mem::replace(&mut self.branches.list, branches);
        let before = self.integrated((edge, -edge, to), &path);
        self.branches.list = behind_edge;
        let later = self.integrated((edge, behind, to), &path);
        let mut change: Vec<f64> = later.iter().zip(&before).map(|(l, b)| l - b).collect();
        for i in 0..n {
            change[i] += start[1 + n + i] * to;
        }
        if !change.iter().all(|c| c.is_finite()) {
            // Something has no value next to the edge.
            change = path(to);
            let power = |found: &[f64]| found[found.len() - 1];
            change.push(power(&here) * edge + power(&found) * behind);
        }
        self.balance.work.add(change[2 * n]);
        stages.step_sensitivities(to)?;
        for (s, d) in self.state.iter_mut().zip(&change[..2 * n]) {
            s.add(*d);
        }
        self.time.add(to);
        self.run.steps += 1;
        self.hops.count += 1;
        self.hops.last = to.abs();
        let end = self.plain();
        self.run.evaluations += self.branches.choose(&end)?;
        // Events that changed their sign did so about where a straight line does.
        let after = self.branches.events(&end);
        let mut found = self.watch.jumps(&events, &after, &self.time, to);
        for (tau, k) in &mut found {
            *tau = to * events[*k] / (events[*k] - after[*k]);
        }
        let between = |tau: f64| {
            let pairs = start[1..=2 * n].iter().zip(&end[1..=2 * n]);
            pairs.map(|(a, b)| a + tau / to * (b - a)).collect()
        };
        let crossings = &mut self.run.crossings;
        let ended = self.watch.report(found, &time, crossings, between);
        self.phase = ended.map_or(Phase::Start, |(_, k)| Phase::Ended(k));
        stages.start(&self.time, &self.state, &self.branches.list)
    }

    /// Records the states that are asked for within a hop to a time, along its path.
    fn record_along<S: Steps>(&mut self, to: f64, path: &dyn Fn(f64) -> Vec<f64>, stages: &mut S) {
        if self.options.record == Record::Steps {
            self.row(0.0, 0.0, self.time.high, stages);
        }
        while let Some((tau, at)) = self.recorder.due(&self.time, to) {
            let mut state: Vec<f64> = self.state.iter().map(|c| c.high).collect();
            state.iter_mut().zip(path(tau)).for_each(|(s, d)| *s += d);
            let row = self
                .recorder
                .row(at, state.into_iter(), &self.branches.list);
            self.run.rows.push(row);
        }
    }

    /// The changes of x beyond those by the velocities at the start, of u, and the work, from an edge on for a length of
    /// time, of either sign, where a hop ends at a time: integrals along a path, by points that crowd towards the edge.
    fn integrated(
        &mut self,
        (edge, length, to): (f64, f64, f64),
        path: &dyn Fn(f64) -> Vec<f64>,
    ) -> Vec<f64> {
        let n = self.problem.rates.dimension;
        let mut change = vec![0.0; 2 * n + 1];
        let mut place = self.plain();
        for (node, weight) in rounded_gauss(HOP_POINTS) {
            let part = powi(node, HOP_GRADING);
            let time = edge + length * part;
            let weight = weight * length * f64::from(HOP_GRADING) * part / node;
            place[0] = self.time.plus(time);
            for (i, d) in path(time).iter().enumerate() {
                place[1 + i] = self.state[i].plus(*d);
            }
            let there = self.probe_at(&place);
            for i in 0..n {
                change[i] += weight * (to - time) * there[i];
                change[n + i] += weight * there[i];
            }
            change[2 * n] += weight * there[there.len() - 1];
        }
        change
    }

    /// Hops over an edge that sampled steps cannot reach any closer; else the reason why no step was possible stays.
    pub(super) fn hop_over_reached_edge<S: Steps>(
        &mut self,
        stop: Error,
        stages: &mut S,
    ) -> Result<(), Error> {
        let run = self.options.to - self.options.from;
        if self.surfaces.edges().is_empty() || self.hops.count >= MAX_HOPS {
            return Err(stop);
        }
        let Some(edge) = self.nearest_edge(REACHED_EDGE * run) else {
            return Err(stop);
        };
        let behind = SAMPLED_HOP * run;
        if (edge + behind).abs() >= self.left.abs() {
            return Err(stop);
        }
        let event_ends = std::mem::take(&mut self.event_ends);
        self.hop((edge, edge + behind), stages)
            .inspect_err(|_| self.event_ends = event_ends)?;
        self.lengths.begin(behind.abs());
        self.look_by_code();
        self.view.shown = true;
        Ok(())
    }

    /// The time until the nearest edge within a time ahead, by the rates at which the registers of edges fall.
    fn nearest_edge(&mut self, within: f64) -> Option<f64> {
        let n = self.problem.rates.dimension;
        let start = self.plain();
        let here = self.probe_at(&start).to_vec();
        let tape = &self.problem.tape;
        let mut values = vec![0.0; tape.len()];
        let mut registers = |time: f64| -> Vec<f64> {
            let mut place = start.clone();
            place[0] = self.time.plus(time);
            for i in 0..n {
                let (u, a) = (start[1 + n + i], here[i]);
                place[1 + i] = self.state[i].plus((u + 0.5 * a * time) * time);
                place[1 + n + i] = self.state[n + i].plus(a * time);
            }
            tape.evaluate(&place, &self.branches.list, &mut values);
            let edges = self.surfaces.edges().iter();
            edges.map(|e| values[e.register as usize]).collect()
        };
        let [now, middle, end] = [0.0, 0.5, 1.0].map(|part| registers(part * within));
        let zero = |k: usize| {
            // A parabola through three values: a zero, or the minimum of what touches zero.
            let (c, q) = (now[k], 2.0 * (now[k] - 2.0 * middle[k] + end[k]));
            let b = end[k] - c - q;
            // The motion starts on the edge.
            if c == 0.0 && middle[k] != 0.0 && end[k] != 0.0 {
                return Some(0.0);
            }
            let discriminant = b * b - 4.0 * q * c;
            let root = match discriminant > 0.0 {
                true => 2.0 * c / (-b + discriminant.sqrt().copysign(-b)),
                false => -0.5 * b / q,
            };
            let size = middle[k].abs().max(end[k].abs());
            let lowest = (q * root + b) * root + c;
            let meets = (0.0..=1.0).contains(&root) && lowest.abs() <= TOUCHED_PART * size;
            meets.then_some(root * within)
        };
        let found = (0..now.len()).filter_map(zero);
        found.min_by(|a, b| a.abs().total_cmp(&b.abs()))
    }

    /// Leaves an edge at which the run starts, where no series exists, by a short step of second order.
    pub(super) fn leave_edge<S: Steps>(
        &mut self,
        stop: Error,
        stages: &mut S,
    ) -> Result<(), Error> {
        let n = self.problem.rates.dimension;
        let start = self.plain();
        let mut values = vec![0.0; self.problem.tape.len()];
        let tape = &self.problem.tape;
        tape.evaluate(&start, &self.branches.list, &mut values);
        let edges = self.surfaces.edges();
        if !edges.iter().any(|e| values[e.register as usize] == 0.0) {
            return Err(stop);
        }
        let (begun, state) = (self.time, self.state.clone());
        let here = self.probe_at(&start).to_vec();
        // Next to an edge rounding may hide that it is left: 1 − cos(10⁻⁸) is zero.
        for part in LEAVING_TIMES {
            let time = part * (self.options.to - self.options.from);
            let path = |time: f64| -> Vec<f64> {
                let (u, a) = (&start[1 + n..=2 * n], &here[..n]);
                let places = u.iter().zip(a).map(|(u, a)| (u + 0.5 * a * time) * time);
                places.chain(a.iter().map(|a| a * time)).collect()
            };
            for (s, d) in self.state.iter_mut().zip(path(time)) {
                s.add(d);
            }
            self.time.add(time);
            let ahead = self.plain();
            (self.time, self.state) = (begun, state.clone());
            self.run.evaluations += self.branches.choose(&ahead)?;
            let mut change = self.integrated((0.0, time, time), &path);
            for i in 0..n {
                change[i] += start[1 + n + i] * time;
            }
            if !change.iter().all(|c| c.is_finite()) {
                // Something has no value next to the edge.
                change = path(time);
                change.push(here[here.len() - 1] * time);
            }
            for (s, d) in self.state.iter_mut().zip(&change[..2 * n]) {
                s.add(*d);
            }
            self.time.add(time);
            self.run.evaluations += self.branches.choose(&self.plain())?;
            if stages
                .start(&self.time, &self.state, &self.branches.list)
                .is_ok()
            {
                self.balance.work.add(change[2 * n]);
                return Ok(());
            }
            (self.time, self.state) = (begun, state.clone());
        }
        Err(stop)
    }
}
