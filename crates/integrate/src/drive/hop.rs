//! Short steps of second order over edges, where a function has a value but no series.

use super::{Driver, Phase};
use crate::problem::Stop;
use crate::steps::Steps;

/// The time within which a run leaves an edge at its start, as a part of the run.
const LEAVING_TIME: f64 = 1e-9;
/// A hop may change velocities by this part of the largest.
const LARGEST_HOP: f64 = 1e-3;
/// Accelerations that jump by less than this part of their size do not part nearby motions.
const SMOOTH_JUMP: f64 = 1e-6;
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
    /// Goes over an edge that lies a time ahead, to another time: with the accelerations here until the edge, and with
    /// those behind it from there on. What is left out is of second order in a time that is next to nothing.
    pub(super) fn hop<S: Steps>(
        &mut self,
        (edge, to): (f64, f64),
        stages: &mut S,
    ) -> Result<(), Stop> {
        let n = self.problem.rates.dimension;
        let (start, time) = (self.plain(), self.time);
        let here = self.probe_at(&start).to_vec();
        let behind = to - edge;
        let end = |found: &[f64]| -> Vec<f64> {
            let (u, a) = (&start[1 + n..], &here);
            let places = (0..n).map(|i| {
                let before = a[i] * edge * (0.5 * edge + behind);
                u[i] * to + before + 0.5 * found[i] * behind * behind
            });
            let rates = (0..n).map(|i| a[i] * edge + found[i] * behind);
            places.chain(rates).collect()
        };
        let events = self.sides.events(&start);
        let sides = self.sides.list.clone();
        let mut ahead = start.clone();
        ahead[0] = self.time.plus(to);
        for (i, d) in end(&here).iter().enumerate() {
            ahead[1 + i] = self.state[i].plus(*d);
        }
        self.run.evaluations += self.sides.choose(&ahead)?;
        let found = self.probe_at(&ahead).to_vec();
        if !found[..n].iter().all(|a| a.is_finite()) {
            return Err(Stop::NotFinite);
        }
        let jump = (0..n).fold(0.0_f64, |m, i| m.max((found[i] - here[i]).abs()));
        let both = here[..n].iter().chain(&found[..n]);
        let size = both.fold(0.0_f64, |m, a| m.max(a.abs()));
        if jump * to.abs() > LARGEST_HOP * self.fastest && jump > LARGEST_HOP * size {
            // Something is not bounded there.
            self.sides.list = sides;
            return Err(Stop::StepUnderflow);
        }
        if stages.has_sensitivities() && jump > SMOOTH_JUMP * size {
            return Err(Stop::Grazing);
        }
        self.record_within(to, to, stages)?;
        let power = |found: &[f64]| found[found.len() - 1];
        self.balance
            .work
            .add(power(&here) * edge + power(&found) * behind);
        stages.step_sensitivities(to)?;
        for (s, d) in self.state.iter_mut().zip(end(&found)) {
            s.add(d);
        }
        self.time.add(to);
        self.run.steps += 1;
        self.hops.count += 1;
        self.hops.last = to.abs();
        let end = self.plain();
        self.run.evaluations += self.sides.choose(&end)?;
        // Events that changed their sign did so about where a straight line does.
        let after = self.sides.events(&end);
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
        stages.start(&self.time, &self.state, &self.sides.list)
    }

    /// Leaves an edge at which the run starts, where no series exists, by a short step of second order.
    pub(super) fn leave_edge<S: Steps>(&mut self, stop: Stop, stages: &mut S) -> Result<(), Stop> {
        let n = self.problem.rates.dimension;
        let start = self.plain();
        let mut values = vec![0.0; self.problem.tape.len()];
        let tape = &self.problem.tape;
        tape.evaluate(&start, &self.sides.list, &mut values);
        let edges = self.surfaces.edges();
        if !edges.iter().any(|e| values[e.register as usize] == 0.0) {
            return Err(stop);
        }
        let time = LEAVING_TIME * (self.options.to - self.options.from);
        let accelerations = self.probe_at(&start).to_vec();
        for i in 0..n {
            let (u, a) = (start[1 + n + i], accelerations[i]);
            self.state[i].add((u + 0.5 * a * time) * time);
            self.state[n + i].add(a * time);
        }
        self.time.add(time);
        self.run.evaluations += self.sides.choose(&self.plain())?;
        stages.start(&self.time, &self.state, &self.sides.list)
    }
}
