//! The steps of one motion among those whose series are computed together, as its driver sees them.

use super::board::Board;
use super::control::{DONE, LENGTH, RADIUS, WORKABLE};
use super::layout::{
    DEFECT, LARGEST, LAST, LIMIT, LONGEST, LOST, RESIDUAL, SCALE, START, STEPS, TIME_LOST,
};
use crate::drive::{REJECTED_FACTOR, defect, defect_limits};
use crate::problem::Error;
use crate::record::Balance;
use crate::steps::Steps;
use crate::sum::Compensated;
use crate::taylor::POWER;
use crate::work::SHORTEST_PART;

/// The state of the motion in a lane, except for its numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Motion {
    /// Whether the series are those of the state.
    pub(super) ready: bool,
    /// Why there are none, if there are none.
    pub(super) stop: Option<Error>,
    /// Whether the last step waits to be judged.
    pub(super) pending: bool,
    /// Series that were computed without a step after them.
    pub(super) repeated: usize,
    /// The series of events and kinks.
    watched: Vec<f64>,
    /// Velocities that satisfy the constraints, if they were solved for.
    pub(super) solved: Option<Vec<f64>>,
}

/// A lane of a board.
pub(super) struct Lane<'b, 'e> {
    pub(super) board: &'b mut Board<'e>,
    pub(super) l: usize,
}

impl Lane<'_, '_> {
    #[inline]
    fn row(&self, row: usize) -> f64 {
        self.board.row(row, self.l)
    }

    #[inline]
    fn set(&mut self, row: usize, value: f64) {
        self.board.set(row, self.l, value);
    }

    #[inline]
    fn motion(&mut self) -> &mut Motion {
        &mut self.board.motions[self.l]
    }

    /// The state at the end of the last step, or at its start.
    pub(super) fn component(&self, i: usize, before: bool) -> Compensated {
        let layout = &self.board.code.layout;
        let row = |row: usize| match before {
            true => self.board.row_before(row, self.l),
            false => self.row(row),
        };
        Compensated {
            high: row(layout.component(i)),
            low: row(LOST + i),
        }
    }

    /// The time at the start of the last step.
    pub(super) fn time_before(&self) -> Compensated {
        let time = self.board.code.layout.inputs;
        let [high, low] = [time, TIME_LOST].map(|row| self.board.row_before(row, self.l));
        Compensated { high, low }
    }

    /// The length of the last step, and how many there were before it.
    pub(super) fn last_step(&self) -> (f64, usize) {
        let steps = self.board.row_before(STEPS, self.l);
        (self.row(LAST), steps as usize)
    }

    /// Shows the balance that the code of all lanes has kept.
    pub(super) fn show_balance(&mut self, balance: &mut Balance) {
        if self.row(STEPS) == 0.0 {
            let energy = self.row(self.board.code.layout.value(0));
            self.set(START, energy);
        }
        balance.start = self.row(START);
        balance.work = Compensated::new(self.board.control(DONE, self.l));
        balance.largest = self.row(LARGEST);
        balance.defect = self.row(DEFECT);
        balance.residual = self.row(RESIDUAL);
    }

    /// The defect of the last step, or why there is none.
    pub(super) fn outcome(&self) -> Result<f64, Error> {
        let (code, last) = (self.board.code, self.row(LAST));
        let layout = &code.layout;
        match self.board.motions[self.l].stop {
            Some(stop) => Err(stop),
            None => Ok(defect(
                defect_limits(code.options.tolerance),
                layout.n,
                |i| {
                    let velocity = self.row(layout.component(layout.n + i));
                    let there = last * self.row(layout.velocity(1, i));
                    (velocity, self.row(layout.foreseen(i)), there)
                },
            )),
        }
    }

    /// Collects the series of events and kinks.
    fn collect_watched(&mut self) {
        let (layout, l) = (&self.board.code.layout, self.l);
        let mut watched = std::mem::take(&mut self.motion().watched);
        watched.clear();
        let (first, count) = (self.board.code.events, self.board.code.wanted.series.len());
        for w in first..count {
            watched.extend((0..=layout.order).map(|k| self.board.row(layout.wanted(w, k), l)));
        }
        self.motion().watched = watched;
    }
}

impl Steps for Lane<'_, '_> {
    const FORESEES: bool = true;

    fn start(
        &mut self,
        time: &Compensated,
        state: &[Compensated],
        branches: &[f64],
    ) -> Result<(), Error> {
        let layout = &self.board.code.layout;
        let moving = 2 * layout.n;
        self.set(layout.inputs, time.high);
        self.set(TIME_LOST, time.low);
        for (i, c) in state.iter().enumerate() {
            self.set(layout.component(i), c.high);
            if i < moving {
                self.set(LOST + i, c.low);
            }
        }
        for (k, side) in branches.iter().enumerate() {
            self.set(layout.side(k), *side);
        }
        self.motion().ready = false;
        Ok(())
    }

    fn follow(&mut self, _: &Compensated, _: &[Compensated]) -> Result<(), Error> {
        self.motion().stop.map_or(Ok(()), Err)
    }

    fn reject(&mut self) {
        let limit = REJECTED_FACTOR * self.row(LAST).abs();
        self.board.restore(self.l);
        self.set(LIMIT, limit);
        self.motion().ready = false;
    }

    fn after(&mut self, time: f64, _: f64, state: &mut [f64]) {
        let (layout, inverse) = (&self.board.code.layout, &self.board.code.inverse);
        let n = layout.n;
        let coefficient = |i: usize, k: usize| match i < n {
            true => self.row(layout.velocity(k - 1, i)) * inverse[k],
            false => self.row(layout.velocity(k, i - n)),
        };
        for (i, x) in state.iter_mut().enumerate().take(2 * n) {
            let orders = (1..=layout.order).rev();
            let sum = orders.fold(0.0, |v, k| v * time + coefficient(i, k));
            *x = self.component(i, false).plus(sum * time);
        }
    }

    fn arrive(&self, state: &mut [Compensated]) {
        let moving = 2 * self.board.code.layout.n;
        for (i, c) in state[..moving].iter_mut().enumerate() {
            *c = self.component(i, false);
        }
    }

    /// Nothing: the code of all lanes keeps the work.
    fn work(&self) -> f64 {
        0.0
    }

    fn evaluations(&self) -> usize {
        self.row(STEPS) as usize + self.board.motions[self.l].repeated
    }

    fn is_ready(&self) -> bool {
        self.board.motions[self.l].ready
    }

    fn look(&self, seen: &mut [f64]) -> bool {
        let motion = &self.board.motions[self.l];
        if !motion.ready || motion.stop.is_some() {
            return false;
        }
        let code = self.board.code;
        let (values, watched) = seen.split_at_mut(code.wanted.values.len());
        for (v, to) in values.iter_mut().enumerate() {
            *to = self.row(code.layout.value(v));
        }
        for (w, to) in watched.iter_mut().enumerate() {
            *to = self.row(code.layout.wanted(code.events + w, 0));
        }
        true
    }

    fn solved_velocities(&self) -> Option<&[f64]> {
        self.board.motions[self.l].solved.as_deref()
    }

    fn length(&mut self, steps: usize, energy: f64) -> f64 {
        let code = self.board.code;
        let control = |row: usize| self.board.control(row, self.l);
        let (mut radius, mut size) = (control(RADIUS), control(LENGTH));
        let workable = control(WORKABLE);
        if !(radius > 0.0 && radius < f64::INFINITY) {
            radius = self.board.radius(self.l);
            size = radius * code.terms.shrink;
        }
        if let Some(rule) = &code.terms.work {
            let mut longest = workable;
            if steps == 0 {
                let power: Vec<f64> = (0..rule.places())
                    .map(|k| self.row(code.layout.wanted(POWER, k)))
                    .collect();
                longest = rule.first(&power, energy, code.terms.shrink);
                self.set(LONGEST, longest);
            }
            size = size.min(longest.max(SHORTEST_PART * size));
        }
        if radius.is_finite() {
            self.set(SCALE, radius);
        }
        self.collect_watched();
        size
    }

    fn coefficients(&self, watched: usize) -> &[f64] {
        let places = self.board.code.layout.order + 1;
        &self.board.motions[self.l].watched[watched * places..(watched + 1) * places]
    }

    fn values_at_end(&mut self, first: usize, count: usize) -> Vec<f64> {
        if self.board.motions[self.l].stop.is_some() {
            return vec![];
        }
        let code = self.board.code;
        let rows = (first..first + count).map(|w| code.layout.wanted(code.events + w, 0));
        rows.map(|row| self.row(row)).collect()
    }

    /// The end of the last step alone: the series at its start are gone.
    fn foresee(&mut self, _: f64, state: &mut [f64], accelerations: &mut [f64]) {
        let layout = &self.board.code.layout;
        for (i, x) in state.iter_mut().enumerate() {
            *x = self.component(i, false).high;
        }
        for (i, a) in accelerations.iter_mut().enumerate() {
            *a = self.row(layout.foreseen(i));
        }
    }
}
