//! The numbers of all lanes, and the code that moves them together.

use galilei_tape::{Jets, Reg};

use super::control::{CALM, MOVED, RADIUS};
use super::lane::{Lane, Motion};
use super::layout::{Layout, SCALE, STEP};
use super::{Kernels, Taylor};
use crate::accelerations::reason;
use crate::lines::Lines;
use crate::problem::Error;
use crate::radius::Coefficients;

/// The numbers of all lanes in rows, with what is known of the motion in each.
pub(super) struct Board<'e> {
    pub(super) code: &'e Taylor,
    rows: Lines,
    /// The outputs of the control, of this time and of the last two.
    found: [Lines; 3],
    /// The place of this time's outputs.
    now: usize,
    /// The outputs of the step.
    moved: Lines,
    /// The rows that the last step changed, with their values before it, unless those are kept among the outputs of the
    /// control: the last two steps were taken in all lanes together.
    before: Vec<f64>,
    kept: bool,
    kernels: Kernels,
    jets: Option<Jets>,
    pub(super) motions: Vec<Motion>,
}

impl<'e> Board<'e> {
    pub(super) fn new(code: &'e Taylor) -> Self {
        let (kernels, lanes) = (code.kernels.clone(), code.lanes);
        Self {
            code,
            rows: Lines::zeros(code.layout.rows * lanes, 0),
            found: [(); 3].map(|()| Lines::zeros(kernels.control.output_len(), 0)),
            now: 0,
            moved: Lines::zeros(kernels.advance.output_len(), 0),
            before: vec![0.0; code.layout.moving().len() * lanes],
            kept: false,
            kernels,
            jets: None,
            motions: vec![Motion::default(); lanes],
        }
    }

    pub(super) fn lane(&mut self, l: usize) -> Lane<'_, 'e> {
        Lane { board: self, l }
    }

    #[inline]
    pub(super) fn row(&self, row: usize, l: usize) -> f64 {
        self.rows[row * self.code.lanes + l]
    }

    #[inline]
    pub(super) fn set(&mut self, row: usize, l: usize, value: f64) {
        self.rows[row * self.code.lanes + l] = value;
    }

    /// A row before the last step.
    pub(super) fn row_before(&self, row: usize, l: usize) -> f64 {
        self.changed_before((row - SCALE) * self.code.lanes + l)
    }

    /// A number among the rows that the last step changed, before it.
    fn changed_before(&self, at: usize) -> f64 {
        match self.kept {
            true => self.found[(self.now + 1) % 3][MOVED * self.code.lanes + at],
            false => self.before[at],
        }
    }

    /// The outputs of the control for a lane.
    #[inline]
    pub(super) fn control(&self, row: usize, l: usize) -> f64 {
        self.found[self.now][row * self.code.lanes + l]
    }

    /// The series of all lanes and what follows for the next step.
    pub(super) fn expand(&mut self) {
        let e = self.code;
        let (inputs, outputs) = self.rows.split_at_mut(e.layout.outputs * e.lanes);
        let inputs = &inputs[e.layout.inputs * e.lanes..];
        self.kernels.series.call(inputs, outputs);
        self.now = (self.now + 1) % 3;
        let found = &mut self.found[self.now];
        self.kernels.control.call(&self.rows, found);
    }

    /// Takes the next step of all lanes if none needs a closer look; whether it did. `again` says whether it took the last
    /// one.
    #[inline]
    pub(super) fn step_calmly(&mut self, again: bool) -> bool {
        let e = self.code;
        let found = &self.found[self.now];
        let calm = &found[CALM * e.lanes..(CALM + 1) * e.lanes];
        if !calm.iter().all(|calm| *calm > 0.0) {
            return false;
        }
        let rows = e.layout.moving();
        let rows = &mut self.rows[rows.start * e.lanes..rows.end * e.lanes];
        if !again {
            self.before.copy_from_slice(rows);
        }
        self.kept = again;
        rows.copy_from_slice(&found[MOVED * e.lanes..]);
        true
    }

    /// Takes the step in all lanes that have one.
    pub(super) fn step_some(&mut self) {
        self.kept = false;
        self.kernels.advance.call(&self.rows, &mut self.moved);
        for l in 0..self.code.lanes {
            if self.row(STEP, l) != 0.0 {
                self.take(l);
            }
        }
    }

    /// Goes to the end of the step of a lane, as the code has computed it.
    fn take(&mut self, l: usize) {
        let lanes = self.code.lanes;
        for (i, row) in self.code.layout.moving().enumerate() {
            self.before[i * lanes + l] = self.row(row, l);
            self.set(row, l, self.moved[i * lanes + l]);
        }
    }

    /// Goes back to the start of the last step of a lane.
    pub(super) fn restore(&mut self, l: usize) {
        for (i, row) in self.code.layout.moving().enumerate() {
            self.set(row, l, self.changed_before(i * self.code.lanes + l));
        }
    }

    /// Checks the series of a lane, or computes them with pivoting. Notes the reason of a failure, and velocities
    /// that satisfy constraints, if they were solved for.
    pub(super) fn examine(&mut self, l: usize) {
        let e = self.code;
        let sound = self.row(e.layout.guard(), l) > 0.0;
        let reduced = e.problem.rates.reduced_for(&e.wanted).is_some() && sound;
        // A radius that is no number may come from series that are not finite.
        let stop = match !sound || self.control(RADIUS, l).is_nan() {
            true => self.pivot(l).err(),
            false => None,
        };
        let velocity = |i: usize| self.row(e.layout.velocity(0, i), l);
        let solved = reduced.then(|| (0..e.layout.n).map(velocity).collect());
        let motion = &mut self.motions[l];
        (motion.ready, motion.stop, motion.solved) = (true, stop, solved);
    }

    /// The series of a lane by jets, with pivoting.
    #[cold]
    fn pivot(&mut self, l: usize) -> Result<(), Error> {
        let e = self.code;
        let (tape, rates) = (&e.problem.tape, &e.problem.rates);
        let Layout { n, order, .. } = e.layout;
        let row = |i: usize| self.row(e.layout.inputs + i, l);
        let state: Vec<f64> = (0..e.layout.state).map(row).collect();
        let side = |k: usize| self.row(e.layout.side(k), l);
        let branches: Vec<f64> = (0..tape.branch_len()).map(side).collect();
        let mut jets = self
            .jets
            .take()
            .unwrap_or_else(|| Jets::new(tape, rates, &e.wanted.series, order));
        let outcome = jets.compute(tape, rates, &state, &branches);
        let stop = outcome.is_err().then(|| reason(&jets, rates, &state));
        for k in 0..=order {
            for i in 0..n {
                let c = jets.series((1 + n + i) as Reg)[k];
                self.set(e.layout.velocity(k, i), l, c);
            }
            for (w, &r) in e.wanted.series.iter().enumerate() {
                self.set(e.layout.wanted(w, k), l, jets.series(r)[k]);
            }
        }
        for a in 0..e.terms.reactions {
            for k in 0..order {
                self.set(e.layout.multiplier(a, k), l, jets.unknown(n + a)[k]);
            }
        }
        for (v, &r) in e.wanted.values.iter().enumerate() {
            self.set(e.layout.value(v), l, jets.series(r)[0]);
        }
        let ends = (0..n).flat_map(|i| [(1, i), (order, i)]);
        let sum: f64 = ends
            .map(|(k, i)| self.row(e.layout.velocity(k, i), l).abs())
            .sum();
        self.jets = Some(jets);
        match stop {
            Some(stop) => Err(stop),
            None if !sum.is_finite() => Err(Error::NotFinite),
            None => {
                // Other lanes have been dealt with: only this one is taken over.
                let found = self.kernels.control.evaluate(&self.rows);
                let lane = self.found[self.now].iter_mut().zip(found).skip(l);
                lane.step_by(e.lanes).for_each(|(to, value)| *to = *value);
                Ok(())
            }
        }
    }

    /// The radius of convergence in a lane where the control found none.
    #[cold]
    pub(super) fn radius(&self, l: usize) -> f64 {
        let layout = &self.code.layout;
        let x: Vec<f64> = (0..layout.n)
            .map(|i| self.row(layout.component(i), l))
            .collect();
        let u: Vec<f64> = (0..(layout.order + 1) * layout.n)
            .map(|i| self.row(layout.outputs + i, l))
            .collect();
        let series = Coefficients {
            x: &x,
            u: &u,
            order: layout.order,
            inverse: &self.code.inverse,
        };
        series.radius(self.row(SCALE, l))
    }
}
