//! The steps of one motion among those that are computed together.

use super::stages::{LAST, Stages};
use crate::problem::Error;
use crate::steps::{SingleSteps, Steps, root, time_scale};
use crate::sum::Compensated;

/// The size of a trial step relative to the time scale of a state, and the error of the first step relative to the
/// tolerance.
const TRIAL_FRACTION: f64 = 0.01;

/// The lane of a motion.
pub(crate) struct Lane<'s, const L: usize> {
    pub(super) stages: &'s mut Stages<L>,
    pub(super) l: usize,
}

impl<const L: usize> Lane<'_, L> {
    /// This one alone.
    fn alone(&self) -> [bool; L] {
        std::array::from_fn(|l| l == self.l)
    }

    fn place(&mut self, time: &Compensated, state: &[Compensated]) {
        let (stages, l) = (&mut *self.stages, self.l);
        let all = std::iter::once(time).chain(state);
        let rows = stages.start.iter_mut().zip(&mut stages.lost);
        for ((start, lost), c) in rows.zip(all) {
            (start[l], lost[l]) = (c.high, c.low);
        }
        stages.is_dense[l] = false;
    }

    /// Forgets the motion before.
    pub(crate) fn forget(&mut self) {
        self.stages.evaluations[self.l] = 0;
    }

    /// The next step size, when it is taken together with others.
    pub(crate) fn set_length(&mut self, h: f64) {
        self.stages.h[self.l] = h;
    }

    /// The rates at the state in the inputs.
    fn evaluate(&mut self, s: usize) -> Result<(), Error> {
        let alone = self.alone();
        self.stages.evaluate(s, &alone);
        self.stages.outcome(self.l)
    }

    /// The change of component i over a part of the step.
    fn partial(&self, theta: f64, i: usize) -> f64 {
        if !self.stages.is_dense[self.l] {
            return f64::NAN;
        }
        let other = 1.0 - theta;
        let mut v = 0.0;
        for (k, list) in self.stages.dense.iter().enumerate().rev() {
            v = (v + list[i][self.l]) * if k % 2 == 0 { theta } else { other };
        }
        v
    }

    /// x, u and a at the start.
    fn first_rates(&self) -> [Vec<f64>; 3] {
        let (stages, n) = (&self.stages, self.stages.n);
        let place = |i: usize| stages.start[1 + i][self.l];
        let rate = |i: usize| stages.rates[i][0][self.l];
        [
            (0..n).map(place).collect(),
            (0..n).map(rate).collect(),
            (n..2 * n).map(rate).collect(),
        ]
    }

    /// The size of the velocities at both ends of a short step by Euler's rule, and how fast accelerations change on it.
    fn look_ahead(&mut self, h: f64, [x, u, a]: &[Vec<f64>; 3]) -> Result<(f64, f64), Error> {
        let (n, l) = (self.stages.n, self.l);
        let inputs = &mut self.stages.inputs;
        inputs[0][l] = self.stages.start[0][l] + h;
        for i in 0..n {
            inputs[1 + i][l] = x[i] + h * u[i];
            inputs[1 + n + i][l] = u[i] + h * a[i];
        }
        self.evaluate(1)?;
        let rates = &self.stages.rates;
        let most = |m: f64, v: f64| m.max(v.abs());
        let speeds = u.iter().copied().chain(rates[..n].iter().map(|r| r[1][l]));
        let changes = (0..n).map(|i| (rates[n + i][1][l] - a[i]) / h);
        Ok((speeds.fold(0.0, most), changes.fold(0.0, most)))
    }
}

impl<const L: usize> Steps for Lane<'_, L> {
    fn start(
        &mut self,
        time: &Compensated,
        state: &[Compensated],
        branches: &[f64],
    ) -> Result<(), Error> {
        self.place(time, state);
        let state = state.iter().map(|c| c.high);
        let all = std::iter::once(time.high)
            .chain(state)
            .chain(branches.iter().copied());
        for (input, value) in self.stages.inputs.iter_mut().zip(all) {
            input[self.l] = value;
        }
        self.evaluate(0)
    }

    fn follow(&mut self, time: &Compensated, state: &[Compensated]) -> Result<(), Error> {
        self.place(time, state);
        for rates in &mut self.stages.rates {
            rates[0][self.l] = rates[LAST][self.l];
        }
        Ok(())
    }

    /// The starting step of Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I, II.4: the state and
    /// its rates tell a first time scale, a hundredth of it is gone by Euler's rule, and from what the rates
    /// have become there follows a second. The step is such a part of the shorter one that its eighth power is a
    /// hundredth of the tolerance. (They count in units of time; here time scales are the unit, so that units do not matter.)
    fn first_length(&mut self, tolerance: f64, sign: f64) -> Option<f64> {
        let now = self.first_rates();
        let [x, u, a] = now.each_ref().map(|list| list.iter().copied());
        let first = time_scale(x, u, a)?;
        let scale = match self.look_ahead(sign * TRIAL_FRACTION * first, &now) {
            Ok((speed, jerk)) => Some((speed / jerk).sqrt()),
            Err(_) => Some(TRIAL_FRACTION * first),
        };
        let second = scale.filter(|t| t.is_finite() && *t > 0.0);
        Some(first.min(second.unwrap_or(first)) * root(TRIAL_FRACTION * tolerance, 8))
    }

    fn error_beyond(
        &mut self,
        rounding: &[f64],
        tolerance: f64,
        energy: f64,
    ) -> Result<f64, Error> {
        Ok(self.stages.errors(tolerance, &[energy; L], rounding)[self.l])
    }

    fn densify(&mut self) -> Result<(), Error> {
        if self.stages.is_dense[self.l] {
            return Ok(());
        }
        let alone = self.alone();
        self.stages.densify(&alone);
        self.stages.outcome(self.l)
    }

    fn cut(&mut self, theta: f64) {
        for i in 0..self.stages.change.len() {
            self.stages.change[i][self.l] = self.partial(theta, i);
        }
    }

    fn between(&mut self, theta: f64, state: &mut [f64]) {
        let l = self.l;
        let rows = self.stages.start.iter().zip(&self.stages.lost).skip(1);
        for (i, (x, (start, lost))) in state.iter_mut().zip(rows).enumerate() {
            *x = start[l] + (lost[l] + self.partial(theta, i));
        }
    }

    fn arrive(&self, state: &mut [Compensated]) {
        let moving = 2 * self.stages.n;
        for (s, d) in state.iter_mut().zip(&self.stages.change[..moving]) {
            s.add(d[self.l]);
        }
    }

    fn work(&self) -> f64 {
        self.stages.change[2 * self.stages.n][self.l]
    }

    fn evaluations(&self) -> usize {
        self.stages.evaluations[self.l]
    }
}

impl<const L: usize> SingleSteps for Lane<'_, L> {
    fn step(&mut self, h: f64) -> Result<(), Error> {
        self.stages.h[self.l] = h;
        let alone = self.alone();
        self.stages.step(&alone);
        self.stages.outcome(self.l)
    }

    fn error(&mut self, tolerance: f64, energy: f64) -> Result<f64, Error> {
        Ok(self.stages.errors(tolerance, &[energy; L], &[])[self.l])
    }
}
