//! Back to the constraints: the nearest state in the metric g, by Newton's method. (T-88, T-106)

use galilei_linear::Factors;
use galilei_tape::Reg;

use crate::problem::{Error, Problem};
use crate::sum::Compensated;

/// Newton steps of one projection.
const MAX_NEWTON_STEPS: usize = 8;

/// The smallest residual, relative to the size of the state, that is no rounding.
const ROUNDING_RESIDUAL: f64 = 1e-9;

/// Whether a motion may begin at a state (x, u, then the fixed inputs): it must be on the constraints, or is
/// brought there.
///
/// # Errors
/// Where it is not.
pub fn admitted(
    problem: &Problem,
    tolerance: f64,
    time: f64,
    state: &mut [f64],
    project: bool,
) -> Result<(), Error> {
    if problem.levels.is_empty() {
        return Ok(());
    }
    if project {
        let mut moved: Vec<Compensated> = state.iter().map(|x| Compensated::new(*x)).collect();
        Projection::new(problem, tolerance).apply(time, &mut moved, &[], None);
        for (x, c) in state.iter_mut().zip(&moved) {
            *x = c.high;
        }
    }
    let mut values = vec![0.0; problem.tape.len()];
    let inputs: Vec<f64> = std::iter::once(time).chain(state.iter().copied()).collect();
    problem.tape.evaluate(&inputs, &[], &mut values);
    let size = inputs.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    let off = |r: &Reg| values[*r as usize].abs() > ROUNDING_RESIDUAL * size;
    match problem.residuals.iter().any(off) {
        true => Err(Error::OffConstraints),
        false => Ok(()),
    }
}

/// The relative change of the largest velocity from which on a projection counts as large.
const LARGE_CHANGE: f64 = 1e-2;
/// The large change in units of the tolerance, and its smallest value.
const LARGE_CHANGE_IN_TOLERANCES: [f64; 2] = [1e4, 1e-6];

/// Brings states back to the constraints.
pub(crate) struct Projection<'a> {
    problem: &'a Problem,
    values: Vec<f64>,
    tolerance: f64,
    /// The largest velocity that was brought back, until now, and the last change.
    largest: f64,
    change: f64,
}

impl<'a> Projection<'a> {
    pub(crate) fn new(problem: &'a Problem, tolerance: f64) -> Self {
        Self {
            problem,
            values: vec![0.0; problem.tape.len()],
            // Half of what is asked for, and not below rounding.
            tolerance: (0.5 * tolerance).max(32.0 * f64::EPSILON),
            largest: 0.0,
            change: 0.0,
        }
    }

    /// Makes it ready for another run.
    pub(crate) fn restart(&mut self) {
        (self.largest, self.change) = (0.0, 0.0);
    }

    /// Whether residuals are so large that something must be done, where only a part of the tolerance is admitted.
    pub(crate) fn needed(&self, residuals: &[f64], part: f64) -> bool {
        let most = part * self.tolerance;
        !self.problem.levels.is_empty() && residuals.iter().any(|r| r.abs() > most)
    }

    /// Whether the last state was brought back from far away: no step with an error within the tolerance ends there.
    pub(crate) fn was_far(&self) -> bool {
        let [times, least] = LARGE_CHANGE_IN_TOLERANCES;
        let most = (times * self.tolerance).max(least);
        self.change > most.max(LARGE_CHANGE * self.largest)
    }

    /// Moves a state (its rounding errors kept apart) to the constraints: positions first, then
    /// velocities, for which `solved` has some that satisfy the constraints, where those are known
    /// already. Whether anything was changed.
    pub(crate) fn apply(
        &mut self,
        time: f64,
        state: &mut [Compensated],
        branches: &[f64],
        solved: Option<&[f64]>,
    ) -> bool {
        let n = self.problem.rates.dimension;
        let before: Vec<f64> = state[n..2 * n].iter().map(|c| c.high).collect();
        let moved = self.bring_back(time, state, branches, solved);
        let changes = before.iter().zip(&state[n..]);
        self.change = changes.fold(0.0, |most, (u, c)| {
            let change = (c.high - u).abs();
            if change.is_nan() {
                f64::INFINITY
            } else {
                change.max(most)
            }
        });
        self.largest = before.iter().fold(self.largest, |m, u| m.max(u.abs()));
        moved
    }

    fn bring_back(
        &mut self,
        time: f64,
        state: &mut [Compensated],
        branches: &[f64],
        solved: Option<&[f64]>,
    ) -> bool {
        let n = self.problem.rates.dimension;
        if let Some(solved) = solved
            && self.problem.levels.iter().all(|l| l.position.is_none())
        {
            for (s, u) in state[n..].iter_mut().zip(solved) {
                if s.high != *u {
                    *s = Compensated::new(*u);
                }
            }
            return true;
        }
        let levels = self.problem.levels.clone();
        let positions: Vec<(usize, Reg)> = levels
            .iter()
            .enumerate()
            .filter_map(|(a, l)| Some((a, l.position?)))
            .collect();
        let velocities: Vec<(usize, Reg)> = levels
            .iter()
            .enumerate()
            .filter_map(|(a, l)| Some((a, l.velocity?)))
            .collect();
        let moved = self.newton(time, state, branches, &positions, 0);
        self.newton(time, state, branches, &velocities, n) || moved
    }

    fn newton(
        &mut self,
        time: f64,
        state: &mut [Compensated],
        branches: &[f64],
        rows: &[(usize, Reg)],
        offset: usize,
    ) -> bool {
        let rates = &self.problem.rates;
        let (n, size) = (rates.dimension, rates.unknowns);
        let m = n + rows.len();
        let mut moved = false;
        let mut last = f64::INFINITY;
        for _ in 0..MAX_NEWTON_STEPS {
            let mut inputs = vec![time];
            inputs.extend(state.iter().map(|c| c.high));
            self.problem
                .tape
                .evaluate(&inputs, branches, &mut self.values);
            let value = |r: Reg| self.values[r as usize];
            let worst = rows
                .iter()
                .fold(0.0_f64, |w, &(_, r)| w.max(value(r).abs()));
            // Newton's method doubles the digits; where it no longer does, rounding is reached.
            if rows.is_empty() || worst == 0.0 || worst >= 0.5 * last || !worst.is_finite() {
                break;
            }
            last = worst;
            let metric = |i: usize, j: usize| value(rates.matrix[i * size + j]);
            let row = |a: usize, j: usize| value(rates.matrix[(n + rows[a].0) * size + j]);
            let mut factors = Factors::new(m);
            if factors.factor_constrained(n, metric, row).is_err() {
                break;
            }
            let mut right = vec![0.0; m];
            for (k, &(_, r)) in rows.iter().enumerate() {
                right[n + k] = -value(r);
            }
            factors.solve(&mut right);
            for (s, d) in state[offset..offset + n].iter_mut().zip(&right) {
                s.add(*d);
            }
            moved = true;
        }
        moved
    }
}
