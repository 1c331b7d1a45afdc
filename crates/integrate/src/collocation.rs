//! Collocation: the stages of a step from ẋ = u and ż = φ, and the methods made of it.
//!
//! With the velocities Vᵢ at the stages as unknowns, n for each and not 2n,
//!
//! Xᵢ = x₀ + hΣaᵢⱼVⱼ,  z(tᵢ, Xᵢ, Vᵢ) = z₀ + hΣaᵢⱼφ(tⱼ, Xⱼ, Vⱼ).
//!
//! For z = ∂L/∂u and φ = ∂L/∂x + F these are the stages of Hamilton's equations, without an inverse of the mass
//! matrix and without a Hamiltonian; for z = u and φ = a those of u̇ = a. Newton's method has the matrix
//! ∂z/∂u + hA(∂z/∂x − ∂φ/∂u) − h²A²∂φ/∂x, with exact derivatives at one place of the step.

mod gauss;
mod radau;
mod tableau;

pub(crate) use gauss::integrate_gauss;
pub(crate) use radau::integrate_radau;
pub(crate) use tableau::Tableau;

use galilei_linear::Factors;

use crate::implicit::{Convergence, Field, Goal, Place, Stages, Verdict};
use crate::problem::Error;
use crate::steps::time_scale;

/// Times after the start at which derivatives are taken where there are none at it, relative to the time in which the state
/// changes by itself.
const LATER_PARTS: [f64; 4] = [1e-11, 1e-9, 1e-7, 1e-5];

/// A collocation method for a motion.
pub(crate) struct Collocation {
    tableau: Tableau,
    matrix: Vec<f64>,
    square: Vec<f64>,
    field: Field,
    n: usize,
    /// Where the derivatives are taken, as a part of the step.
    middle: f64,
    /// −1 for runs back in time.
    direction: f64,
    factors: Factors,
    /// z at a stage, and the residual of all.
    z: Vec<f64>,
    residual: Vec<f64>,
    /// h·b·φ or h·b·V at the stages.
    parts: Vec<f64>,
}

impl Collocation {
    fn new(tableau: Tableau, field: Field, n: usize, middle: f64) -> Self {
        let s = tableau.stages();
        Self {
            matrix: tableau.matrix(),
            square: tableau.square(),
            tableau,
            field,
            n,
            middle,
            direction: 1.0,
            factors: Factors::new(s * n),
            z: vec![0.0; n],
            residual: vec![0.0; s * n],
            parts: vec![0.0; s * n],
        }
    }

    /// Factors the matrix of Newton's method with the derivatives at hand.
    fn factor(&mut self, h: f64) -> Result<(), Error> {
        let (n, s) = (self.n, self.tableau.stages());
        let d = &self.field.slopes;
        let entry = |row: usize, column: usize| {
            let (stages, at) = (row / n * s + column / n, row % n * n + column % n);
            let own = if row / n == column / n {
                d.z_u[at]
            } else {
                0.0
            };
            own + h * self.matrix[stages] * (d.z_x[at] - d.phi_u[at])
                - h * h * self.square[stages] * d.phi_x[at]
        };
        let outcome = self.factors.factor(entry);
        outcome.map_err(|_| Error::SingularMassMatrix)
    }

    /// Σ (mean + shareᵢⱼ)·partⱼ of stage i, component p, where `total` is the sum of all parts.
    fn sum(&self, i: usize, p: usize, total: f64) -> f64 {
        let pairs = self.tableau.shares(i).iter().enumerate();
        let own: f64 = pairs.map(|(j, c)| c * self.parts[j * self.n + p]).sum();
        self.tableau.mean * total + own
    }

    /// Writes h·bⱼ·listⱼ down as the parts.
    fn weigh(&mut self, h: f64, list: &[f64]) {
        let n = self.n;
        for (j, b) in self.tableau.weights.iter().enumerate() {
            for k in j * n..(j + 1) * n {
                self.parts[k] = h * b * list[k];
            }
        }
    }

    /// Σ partⱼ of a component.
    fn total(&self, p: usize) -> f64 {
        self.parts.iter().skip(p).step_by(self.n).sum()
    }

    /// Computes positions, rates and powers at the stages, and what is missing in their equations.
    fn evaluate(&mut self, start: &Place, stages: &mut Stages) -> Result<(), Error> {
        let (n, s, h) = (self.n, self.tableau.stages(), stages.h);
        self.weigh(h, &stages.velocities);
        for p in 0..n {
            let total = self.total(p);
            for i in 0..s {
                stages.changes[i * n + p] = self.sum(i, p, total);
            }
        }
        for i in 0..s {
            let own = i * n..(i + 1) * n;
            let pairs = start.x.iter().zip(&stages.changes[own.clone()]);
            let time = start.time.plus(self.tableau.nodes[i] * h);
            self.field.place(
                time,
                pairs.map(|(x, d)| x.plus(*d)),
                &stages.velocities[own.clone()],
            );
            stages.powers[i] = self
                .field
                .values(&mut self.z, &mut stages.rates[own.clone()])?;
            for ((r, z0), z) in self.residual[own].iter_mut().zip(&start.z).zip(&self.z) {
                *r = z0.from(*z);
            }
        }
        self.weigh(h, &stages.rates);
        for p in 0..n {
            let total = self.total(p);
            for i in 0..s {
                self.residual[i * n + p] = self.sum(i, p, total) - self.residual[i * n + p];
            }
        }
        Ok(())
    }

    /// Takes the derivatives, at a part of the step from the guessed velocities. Where there are none, as at the zero of
    /// a fractional power, those a little later on the motion take their place: Newton's method needs no exact ones.
    fn differentiate(&mut self, start: &Place, stages: &Stages) -> Result<(), Error> {
        let exact = self.differentiate_on_step(start, stages);
        let Err(stop) = exact else {
            return Ok(());
        };
        let x = start.x.iter().map(|c| c.high);
        self.field.place(start.time.high, x, &start.u);
        let (mut z, mut a) = (start.u.clone(), vec![0.0; self.n]);
        self.field.values(&mut z, &mut a)?;
        let x = start.x.iter().map(|c| c.high);
        let scale = time_scale(x, start.u.iter().copied(), a.iter().copied());
        let way = scale.unwrap_or(1.0).copysign(self.direction);
        for part in LATER_PARTS {
            let later = part * way;
            let x = start.x.iter().zip(&start.u).map(|(x, u)| x.plus(later * u));
            let u: Vec<f64> = (start.u.iter().zip(&a))
                .map(|(u, a)| u + later * a)
                .collect();
            self.field.place(start.time.plus(later), x, &u);
            if self.field.differentiate().is_ok() {
                return Ok(());
            }
        }
        Err(stop)
    }

    /// Takes the derivatives, at a part of the step from the guessed velocities.
    fn differentiate_on_step(&mut self, start: &Place, stages: &Stages) -> Result<(), Error> {
        let (n, h) = (self.n, stages.h * self.middle);
        if self.middle == 0.0 {
            let x = start.x.iter().map(|c| c.high);
            self.field.place(start.time.high, x, &start.u);
        } else {
            let s = self.tableau.stages() as f64;
            let mean = |p: usize| stages.velocities.iter().skip(p).step_by(n).sum::<f64>() / s;
            let u: Vec<f64> = (0..n).map(mean).collect();
            let x = start.x.iter().zip(&start.u).zip(&u);
            let x = x.map(|((x, u), v)| x.plus(0.5 * h * (u + v)));
            self.field.place(start.time.plus(h), x, &u);
        }
        self.field.differentiate()
    }

    /// Solves for the stages of a step from guessed velocities, with the derivatives at hand. The last increment
    /// counts unless it is rounding alone.
    fn solve(&mut self, start: &Place, stages: &mut Stages, goal: Goal) -> Result<(), Error> {
        self.factor(stages.h)?;
        let mut convergence = Convergence::new(self.n, goal);
        loop {
            self.evaluate(start, stages)?;
            self.factors.solve(&mut self.residual);
            match convergence.judge(&self.residual, start, stages) {
                Verdict::Settled => return Ok(()),
                Verdict::Diverges => return Err(Error::StepTooLong),
                verdict => {
                    let pairs = stages.velocities.iter_mut().zip(&self.residual);
                    pairs.for_each(|(v, d)| *v += d);
                    if verdict == Verdict::Last {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// The work done on a step.
    fn work(&self, stages: &Stages) -> f64 {
        let powers = self.tableau.weights.iter().zip(&stages.powers);
        stages.h * powers.map(|(b, p)| b * p).sum::<f64>()
    }
}
