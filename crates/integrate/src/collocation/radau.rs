//! Radau's method IIA of order five, with steps as long as the error admits: for stiff motions.
//!
//! The error estimate is that of Hairer and Wanner, Solving Ordinary Differential Equations II, IV.8: with γ the
//! real eigenvalue of A, (1 − hγJ)⁻¹(hγf₀ + ΣeᵢZᵢ), of order four in h; Zᵢ are the changes from the start to
//! the stages. For y = (x, u) the matrix is one of n rows: 1 − hγ∂a/∂u − h²γ²∂a/∂x.

use galilei_linear::Factors;
use galilei_tape::math::scalar::{cbrt, pow};

use super::{Collocation, Tableau};
use crate::drive::{attainable, drive};
use crate::implicit::{Field, Goal, Place, Polynomial, Stages};
use crate::problem::{Error, Options, Problem, Run};
use crate::steps::{ErrorSquares, Pace, SingleSteps, Steps, beyond, time_scale};
use crate::sum::Compensated;

/// The order of the error estimate.
const ERROR_ORDER: u32 = 4;
/// The largest factor by which a small component can shorten a step, to the power of that order.
const MAX_SHORTENING: f64 = 256.0;
/// The part of the largest velocity so far below which a velocity is not small, but at rest for an instant: its error
/// relative to itself would shorten steps without end where its acceleration vanishes too.
const AT_REST: f64 = 1e-4;
/// A rounding of a state with what is computed from it.
const STATE_ROUNDING: f64 = 4.0 * f64::EPSILON;

struct Radau {
    core: Collocation,
    tolerance: f64,
    gamma: f64,
    /// e
    estimate: [f64; 3],
    start: Place,
    end: Place,
    /// The accelerations at the start, if they are known.
    accelerations: Option<Vec<f64>>,
    /// Whether the derivatives are those of the start.
    linearised: bool,
    stages: Stages,
    /// The step before, if the last one began at its end.
    before: Stages,
    continued: bool,
    filter: Factors,
    dense: Option<Polynomial>,
    work: f64,
    /// Whether the last error was too large, or there was none.
    doubtful: bool,
    /// The largest velocity of each coordinate at the ends of steps.
    fastest: Vec<f64>,
}

/// γ and e.
fn estimate() -> (f64, [f64; 3]) {
    let gamma = (6.0 + cbrt(81.0) - cbrt(9.0)) / 30.0;
    let r = 6f64.sqrt();
    let list = [-13.0 - 7.0 * r, -13.0 + 7.0 * r, -1.0];
    (gamma, list.map(|e| e * gamma / 3.0))
}

/// Integrates by Radau's method. `progress` is called from time to time with the time and returns whether to go on.
pub(crate) fn integrate_radau(
    problem: &Problem,
    state: &[f64],
    options: &Options,
    mut progress: impl FnMut(f64) -> bool,
) -> Run {
    let mut radau = Radau::new(problem, attainable(options.tolerance));
    radau.core.direction = options.sign();
    let pace = (radau.core.tableau.order, Pace::Adaptive(ERROR_ORDER));
    drive(problem, state, options, &mut radau, pace, &mut progress)
}

impl Radau {
    fn new(problem: &Problem, tolerance: f64) -> Self {
        let n = problem.rates.dimension;
        let (gamma, estimate) = estimate();
        Self {
            core: Collocation::new(Tableau::radau(), Field::of_velocities(problem), n, 0.0),
            tolerance,
            gamma,
            estimate,
            start: Place::new(n),
            end: Place::new(n),
            accelerations: None,
            linearised: false,
            stages: Stages::new(n, 3),
            before: Stages::new(n, 3),
            continued: false,
            filter: Factors::new(n),
            dense: None,
            work: 0.0,
            doubtful: true,
            fastest: vec![0.0; n],
        }
    }

    /// The accelerations at x + dx, u + du from the start.
    fn accelerations_near(&mut self, dx: &[f64], du: &[f64]) -> Result<Vec<f64>, Error> {
        let x = self.start.x.iter().zip(dx).map(|(x, d)| x.plus(*d));
        let u: Vec<f64> = self.start.u.iter().zip(du).map(|(u, d)| u + d).collect();
        self.core.field.place(self.start.time.high, x, &u);
        let mut a = vec![0.0; u.len()];
        let mut z = u;
        self.core.field.values(&mut z, &mut a)?;
        Ok(a)
    }

    /// Accelerations and derivatives at the start.
    fn prepare(&mut self) -> Result<(), Error> {
        if self.accelerations.is_none() {
            let none = vec![0.0; self.core.n];
            self.accelerations = Some(self.accelerations_near(&none, &none)?);
        }
        if !self.linearised {
            self.core.differentiate(&self.start, &self.stages)?;
            self.linearised = true;
        }
        Ok(())
    }

    /// The errors of x and u, given velocities and accelerations at the start.
    fn errors(&mut self, u: &[f64], a: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (n, h) = (self.core.n, self.stages.h * self.gamma);
        let (stages, start) = (&self.stages, &self.start);
        let sum = |change: &dyn Fn(usize) -> f64| -> f64 {
            let terms = self.estimate.iter().enumerate();
            terms.map(|(i, e)| e * change(i)).sum()
        };
        let mut x: Vec<f64> = (0..n)
            .map(|p| h * u[p] + sum(&|i| stages.changes[i * n + p]))
            .collect();
        let slopes = &self.core.field.slopes;
        let mut v: Vec<f64> = (0..n)
            .map(|p| {
                let change = sum(&|i| stages.velocities[i * n + p] - start.u[p]);
                let row = &slopes.phi_x[p * n..(p + 1) * n];
                let pull: f64 = row.iter().zip(&x).map(|(s, x)| s * x).sum();
                h * a[p] + change + h * pull
            })
            .collect();
        self.filter.solve(&mut v);
        x.iter_mut().zip(&v).for_each(|(x, v)| *x += h * v);
        (x, v)
    }

    /// The effect of rounding on the errors of u: of the state at the start and, where given, of the accelerations.
    fn noise(&mut self, rounding: &[f64]) -> Vec<f64> {
        let (n, h) = (self.core.n, self.stages.h * self.gamma);
        let (slopes, start) = (&self.core.field.slopes, &self.start);
        let weights = self.estimate.iter().map(|e| e.abs()).sum::<f64>();
        let weight = h.abs() + weights * self.stages.h.abs();
        let mut noise: Vec<f64> = (0..n)
            .map(|p| {
                let felt = |q: usize| {
                    let by_x = slopes.phi_x[p * n + q] * start.x[q].high;
                    by_x.abs() + (slopes.phi_u[p * n + q] * start.u[q]).abs()
                };
                let of_state = STATE_ROUNDING * h * (0..n).map(felt).sum::<f64>();
                of_state + weight * rounding.get(p).copied().unwrap_or_default()
            })
            .collect();
        self.filter.solve(&mut noise);
        noise.iter_mut().for_each(|v| *v = v.abs());
        noise
    }

    /// The norm of errors of x and u, relative to their changes, without the part that rounding explains.
    fn norm(&mut self, x: &[f64], v: &[f64], rounding: &[f64]) -> f64 {
        let n = self.core.n;
        let noise = self.noise(rounding);
        let h = self.stages.h.abs();
        let most = |list: &[f64], p: usize| {
            let values = list.iter().skip(p).step_by(n);
            values.fold(0.0_f64, |m, x| m.max(x.abs()))
        };
        let mut squares = ErrorSquares::default();
        let sizes: Vec<[f64; 2]> = (0..n)
            .map(|p| {
                let fast = most(&self.stages.velocities, p)
                    .max(self.start.u[p].abs())
                    .max(AT_REST * self.fastest[p]);
                let far = self.start.x[p].high.abs().max(h * fast);
                [far, fast]
            })
            .collect();
        let largest = [0, 1].map(|k| sizes.iter().map(|s| s[k]).fold(0.0, f64::max));
        for p in 0..n {
            squares.add(beyond(x[p], h * noise[p]), sizes[p][0], largest[0]);
            squares.add(beyond(v[p], noise[p]), sizes[p][1], largest[1]);
        }
        squares.norm(2 * n, MAX_SHORTENING) / self.tolerance
    }
}

impl Steps for Radau {
    fn start(
        &mut self,
        time: &Compensated,
        state: &[Compensated],
        branches: &[f64],
    ) -> Result<(), Error> {
        self.start = self.core.field.start(time, state, branches)?;
        (self.continued, self.linearised, self.doubtful) = (false, false, true);
        self.accelerations = None;
        self.dense = None;
        self.prepare()
    }

    fn follow(&mut self, time: &Compensated, _: &[Compensated]) -> Result<(), Error> {
        std::mem::swap(&mut self.start, &mut self.end);
        self.start.time = *time;
        std::mem::swap(&mut self.before, &mut self.stages);
        for (most, u) in self.fastest.iter_mut().zip(&self.start.u) {
            *most = most.max(u.abs());
        }
        (self.continued, self.linearised, self.doubtful) = (true, false, false);
        self.accelerations = None;
        self.dense = None;
        Ok(())
    }

    fn damp(&mut self, errors: &mut [f64]) {
        self.filter.solve(errors);
    }

    fn first_length(&mut self, tolerance: f64, _: f64) -> Option<f64> {
        let x = self.start.x.iter().map(|c| c.high);
        let u = self.start.u.iter().copied();
        let a = self.accelerations.iter().flatten().copied();
        Some(time_scale(x, u, a)? * pow(tolerance, 1.0 / f64::from(ERROR_ORDER)))
    }

    fn error_beyond(&mut self, rounding: &[f64], _: f64, _: f64) -> Result<f64, Error> {
        let (n, h) = (self.core.n, self.stages.h * self.gamma);
        let s = &self.core.field.slopes;
        let entry = |i: usize, j: usize| {
            let own = if i == j { 1.0 } else { 0.0 };
            let at = i * n + j;
            own - h * s.phi_u[at] - h * h * s.phi_x[at]
        };
        self.filter
            .factor(entry)
            .map_err(|_| Error::SingularMassMatrix)?;
        let (u, a) = (
            self.start.u.clone(),
            self.accelerations.clone().unwrap_or_default(),
        );
        let (x, v) = self.errors(&u, &a);
        let mut error = self.norm(&x, &v, rounding);
        if error > 1.0 && self.doubtful {
            // What is stiff counts too much at first; so it is damped once more.
            let a = self.accelerations_near(&x, &v)?;
            let u: Vec<f64> = u.iter().zip(&v).map(|(u, d)| u + d).collect();
            let (x, v) = self.errors(&u, &a);
            error = self.norm(&x, &v, rounding);
        }
        self.doubtful = error > 1.0;
        Ok(error)
    }

    fn densify(&mut self) -> Result<(), Error> {
        if self.dense.is_some() {
            return Ok(());
        }
        let (n, stages) = (self.core.n, &self.stages);
        let mut nodes = vec![0.0];
        nodes.extend(&self.core.tableau.nodes);
        let velocity = |i: usize, p: usize| match i.checked_sub(1) {
            None => stages.u[p],
            Some(stage) => stages.velocities[stage * n + p],
        };
        self.dense = Some(Polynomial::through(stages.h, n, &nodes, velocity));
        Ok(())
    }

    fn between(&mut self, part: f64, state: &mut [f64]) {
        self.start.between(self.dense.as_ref(), part, state);
    }

    fn cut(&mut self, part: f64) {
        self.start.part(self.dense.as_ref(), part, &mut self.end);
        self.work = self.stages.work(&self.core.tableau.nodes, part);
    }

    fn arrive(&self, state: &mut [Compensated]) {
        self.end.write(state);
    }

    fn work(&self) -> f64 {
        self.work
    }

    fn evaluations(&self) -> usize {
        self.core.field.evaluations
    }
}

impl SingleSteps for Radau {
    fn step(&mut self, h: f64) -> Result<(), Error> {
        self.dense = None;
        self.stages.h = h;
        self.prepare()?;
        let before = self.continued.then_some((&self.before, 1.0));
        let nodes = &self.core.tableau.nodes;
        self.stages.guess(nodes, &self.start, before);
        let goal = Goal::Tolerance(self.tolerance);
        if let Err(stop) = self.core.solve(&self.start, &mut self.stages, goal) {
            self.doubtful = true;
            return Err(stop);
        }
        let core = &mut self.core;
        let n = core.n;
        core.weigh(h, &self.stages.velocities);
        let last = &self.stages.velocities[2 * n..];
        for (p, u) in last.iter().enumerate() {
            self.end.x[p] = self.start.x[p];
            self.end.x[p].add(core.total(p));
            self.end.u[p] = *u;
            self.end.z[p] = Compensated::new(*u);
        }
        self.work = core.work(&self.stages);
        Ok(())
    }

    fn error(&mut self, tolerance: f64, energy: f64) -> Result<f64, Error> {
        self.error_beyond(&[], tolerance, energy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// γ is an eigenvalue of A, and the estimate vanishes for y′ = tᵏ up to k = 2, no further: it is of order four.
    #[test]
    fn the_estimate_is_of_order_four() {
        let (gamma, e) = estimate();
        let tableau = Tableau::radau();
        let mut a = tableau.matrix();
        (0..3).for_each(|i| a[4 * i] -= gamma);
        let minor = |j: usize, k: usize| a[3 + j] * a[6 + k] - a[3 + k] * a[6 + j];
        let determinant = a[0] * minor(1, 2) - a[1] * minor(0, 2) + a[2] * minor(0, 1);
        assert!(determinant.abs() < 1e-16, "{determinant:e}");
        for k in 0..4 {
            let start = if k == 0 { gamma } else { 0.0 };
            let changes = tableau
                .nodes
                .iter()
                .map(|c| c.powi(k + 1) / f64::from(k + 1));
            let sum: f64 = start + changes.zip(e).map(|(z, e)| z * e).sum::<f64>();
            assert_eq!(sum.abs() < 1e-15, k < 3, "{k}: {sum:e}");
        }
    }
}
