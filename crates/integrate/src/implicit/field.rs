//! The equations that implicit methods solve at the stages of a step: ẋ = u and ż = φ.
//!
//! z is the quantity that a method balances: the momenta p, whose rate φ is ∂L/∂x + F, or the velocities themselves, whose
//! rate φ are the accelerations. Both z and φ are functions of (t, x, u), so velocities are the unknowns in either case.

use galilei_jit::Kernel;
use galilei_linear::Factors;
use galilei_tape::MomentumBalance;
use galilei_tape::code::WINDOW;

use super::Place;
use crate::accelerations::Accelerations;
use crate::derived::Jacobian;
use crate::problem::{Error, Problem};
use crate::sum::Compensated;

/// Newton steps from a momentum to a velocity.
const MAX_NEWTON_STEPS: usize = 30;

/// The choice of z, with the code for it.
enum Law {
    /// z = p = ∂L/∂u, φ = ∂L/∂x + F: Hamilton's equations, written in velocities.
    Momenta {
        /// z, φ and the power.
        values: Kernel,
        /// The derivatives of z and φ by x and u.
        slopes: Kernel,
        /// z and ∂z/∂u, to find velocities from momenta.
        momenta: Kernel,
    },
    /// z = u, φ the accelerations, with reactions where there are constraints.
    Velocities {
        values: Box<Accelerations>,
        slopes: Jacobian,
    },
}

/// The derivatives of z and φ by x and u, each row by row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slopes {
    pub(crate) z_x: Vec<f64>,
    pub(crate) z_u: Vec<f64>,
    pub(crate) phi_x: Vec<f64>,
    pub(crate) phi_u: Vec<f64>,
}

/// Constraints Ju + s = 0 on velocities at one state.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rows<'a> {
    /// J, row by row.
    pub(crate) matrix: &'a [f64],
    /// s, one number for each constraint.
    pub(crate) offsets: &'a [f64],
}

impl Rows<'_> {
    /// The residual of constraint a at velocities u.
    fn rate(&self, a: usize, u: &[f64]) -> f64 {
        let row = self.matrix[a * u.len()..].iter().zip(u);
        row.fold(self.offsets[a], |s, (j, u)| s + j * u)
    }
}

/// z, φ and the power of a motion, and their derivatives, at a state to which the field is moved.
pub(crate) struct Field {
    law: Law,
    /// The number of coordinates.
    n: usize,
    /// The number of multipliers, one for each constraint.
    multipliers: usize,
    /// Whether forces or reactions do work.
    working: bool,
    /// The number of reactions that do work.
    reactions: usize,
    /// The state, (t, x, u), and the branches of the kinks.
    inputs: Vec<f64>,
    /// Room for the results of the code in velocities.
    result: Vec<f64>,
    /// The derivatives at the state of the last call of [`Field::differentiate`].
    pub(crate) slopes: Slopes,
    /// The number of evaluations so far.
    pub(crate) evaluations: usize,
}

impl Field {
    /// The field with z = u and φ = a.
    pub(crate) fn of_velocities(problem: &Problem) -> Self {
        let (tape, rates) = (&problem.tape, &problem.rates);
        let law = Law::Velocities {
            values: Box::new(Accelerations::on_branches(
                tape,
                rates,
                problem.working(),
                1,
            )),
            slopes: Jacobian::on_branches(tape, rates),
        };
        let size = rates.unknowns * (2 * rates.dimension + 2) + problem.reaction_rates.len() + 1;
        Self::new(problem, law, size)
    }

    /// The field with z = p and φ = ṗ, for motions without constraints: reactions are no part of φ.
    pub(crate) fn of_momenta(problem: &Problem) -> Self {
        let (tape, rates) = (&problem.tape, &problem.rates);
        let MomentumBalance {
            values,
            slopes,
            momenta,
        } = tape.momentum_balance(rates, problem.lagrangian, &problem.working());
        let [values, slopes, momenta] = [values, slopes, momenta]
            .map(|code| Kernel::new(code.optimised(rates.separate, WINDOW), 1));
        let law = Law::Momenta {
            values,
            slopes,
            momenta,
        };
        Self::new(problem, law, 0)
    }

    fn new(problem: &Problem, law: Law, size: usize) -> Self {
        let n = problem.rates.dimension;
        let square = vec![0.0; n * n];
        Self {
            law,
            n,
            multipliers: problem.rates.unknowns - n,
            working: !problem.working().is_empty(),
            reactions: problem.reaction_rates.len(),
            inputs: vec![0.0; 2 * n + 1 + problem.tape.branch_len()],
            result: vec![0.0; size],
            slopes: Slopes {
                z_x: square.clone(),
                z_u: square.clone(),
                phi_x: square.clone(),
                phi_u: square,
            },
            evaluations: 0,
        }
    }

    /// Fixes the branches of the kinks.
    pub(crate) fn choose(&mut self, branches: &[f64]) {
        let known = 2 * self.n + 1;
        for (input, side) in self.inputs[known..].iter_mut().zip(branches) {
            *input = *side;
        }
    }

    /// The start of a step at a state, on given branches of the kinks; z is computed.
    pub(crate) fn start(
        &mut self,
        time: &Compensated,
        state: &[Compensated],
        branches: &[f64],
    ) -> Result<Place, Error> {
        let (x, u) = state.split_at(self.n);
        let mut place = Place {
            time: *time,
            x: x.to_vec(),
            z: u.to_vec(),
            u: u.iter().map(|c| c.high).collect(),
        };
        self.choose(branches);
        self.measure(&mut place)?;
        Ok(place)
    }

    /// Computes z at a place with known x and u.
    pub(crate) fn measure(&mut self, place: &mut Place) -> Result<(), Error> {
        let x = place.x.iter().map(|c| c.high);
        self.place(place.time.high, x, &place.u);
        let (mut found, mut phi) = (vec![0.0; self.n], vec![0.0; self.n]);
        self.values(&mut found, &mut phi)?;
        for (z, found) in place.z.iter_mut().zip(found) {
            // Of velocities the rounding errors are known.
            if z.high != found {
                *z = Compensated::new(found);
            }
        }
        Ok(())
    }

    /// Moves the field to a state.
    pub(crate) fn place(&mut self, t: f64, x: impl Iterator<Item = f64>, u: &[f64]) {
        self.inputs[0] = t;
        for (input, x) in self.inputs[1..].iter_mut().zip(x) {
            *input = x;
        }
        self.inputs[1 + self.n..=2 * self.n].copy_from_slice(u);
    }

    /// The state of the field, (t, x, u), and the branches of the kinks.
    pub(crate) fn inputs(&self) -> &[f64] {
        &self.inputs
    }

    /// Computes z and φ at the state of the field, and returns the power.
    pub(crate) fn values(&mut self, z: &mut [f64], phi: &mut [f64]) -> Result<f64, Error> {
        let n = self.n;
        self.evaluations += 1;
        let mut power = 0.0;
        match &mut self.law {
            Law::Momenta { values, .. } => {
                let found = values.evaluate(&self.inputs);
                z.copy_from_slice(&found[..n]);
                phi.copy_from_slice(&found[n..2 * n]);
                if self.working {
                    power = found[2 * n];
                }
            }
            Law::Velocities { values, .. } => {
                values.compute(&self.inputs, &mut self.result);
                z.copy_from_slice(&self.inputs[1 + n..=2 * n]);
                phi.copy_from_slice(&self.result[..n]);
                if self.working {
                    let (lambda, rates) = self.result[n..].split_at(self.multipliers);
                    let reactions = lambda.iter().zip(&rates[1..=self.reactions]);
                    power = rates[0] + reactions.map(|(l, r)| l * r).sum::<f64>();
                }
            }
        }
        let sum = z.iter().chain(&*phi).fold(power, |s, x| s + x.abs());
        if sum.is_finite() {
            return Ok(power);
        }
        Err(match &self.law {
            Law::Velocities { values, .. } => values.why(&self.inputs, 0),
            Law::Momenta { .. } => Error::NotFinite,
        })
    }

    /// Computes the derivatives of z and φ at the state of the field.
    pub(crate) fn differentiate(&mut self) -> Result<(), Error> {
        let n = self.n;
        self.evaluations += 1;
        let s = &mut self.slopes;
        match &mut self.law {
            Law::Momenta { slopes, .. } => {
                let found = slopes.evaluate(&self.inputs);
                let lists = [&mut s.z_x, &mut s.z_u, &mut s.phi_x, &mut s.phi_u];
                for (list, part) in lists.into_iter().zip(found.chunks(n * n)) {
                    list.copy_from_slice(part);
                }
            }
            Law::Velocities { slopes, .. } => {
                slopes.compute(&self.inputs, &mut self.result);
                let known = 2 * n + 1;
                let rows = self.result[n + self.multipliers..].chunks(known);
                for (i, row) in rows.take(n).enumerate() {
                    s.z_u[i * n + i] = 1.0;
                    s.phi_x[i * n..(i + 1) * n].copy_from_slice(&row[1..=n]);
                    s.phi_u[i * n..(i + 1) * n].copy_from_slice(&row[1 + n..known]);
                }
            }
        }
        let all = s.z_x.iter().chain(&s.z_u).chain(&s.phi_x).chain(&s.phi_u);
        let finite = all.fold(0.0, |sum: f64, x| sum + x.abs()).is_finite();
        if finite {
            Ok(())
        } else {
            Err(Error::NotFinite)
        }
    }

    /// Moves the field to the velocity at which z has a given value, at its time and positions. Newton's method starts from
    /// the velocity of the field.
    pub(crate) fn invert(&mut self, z: impl Fn(usize) -> f64) -> Result<(), Error> {
        match self.law {
            Law::Momenta { .. } => self.invert_under(z, &Rows::default()).map(|_| ()),
            Law::Velocities { .. } => {
                let n = self.n;
                let inputs = self.inputs[1 + n..=2 * n].iter_mut();
                inputs.enumerate().for_each(|(i, u)| *u = z(i));
                Ok(())
            }
        }
    }

    /// Moves the field to the velocity that belongs to momenta z under constraints Ju + s = 0, p(u) = z + Jᵀμ, and returns
    /// the impulses μ of the reactions.
    pub(crate) fn invert_under(
        &mut self,
        z: impl Fn(usize) -> f64,
        rows: &Rows<'_>,
    ) -> Result<Vec<f64>, Error> {
        let (n, m) = (self.n, rows.offsets.len());
        let mut impulses = vec![0.0; m];
        let Law::Momenta { momenta, .. } = &mut self.law else {
            return Ok(impulses);
        };
        let mut factors = Factors::new(n + m);
        let mut last = f64::INFINITY;
        for _ in 0..MAX_NEWTON_STEPS {
            let found = momenta.evaluate(&self.inputs);
            let (p, slopes) = found.split_at(n);
            let mut change: Vec<f64> = (0..n).map(|i| z(i) - p[i]).collect();
            let u = &self.inputs[1 + n..=2 * n];
            change.extend((0..m).map(|a| -rows.rate(a, u)));
            if !change.iter().fold(0.0, |s: f64, x| s + x.abs()).is_finite() {
                return Err(Error::NotFinite);
            }
            let mass = |i: usize, j: usize| slopes[i * n + j];
            factors
                .factor_constrained(n, mass, |a, j| rows.matrix[a * n + j])
                .map_err(|_| Error::SingularMassMatrix)?;
            factors.solve(&mut change);
            impulses.copy_from_slice(&change[n..]);
            let size = change[..n].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            // Newton's method doubles the digits; where it no longer does, rounding is reached.
            if size == 0.0 || size >= 0.5 * last {
                break;
            }
            last = size;
            for (u, d) in self.inputs[1 + n..].iter_mut().zip(&change[..n]) {
                *u += d;
            }
        }
        Ok(impulses)
    }

    /// The velocities of the field.
    pub(crate) fn velocities(&self) -> &[f64] {
        &self.inputs[1 + self.n..=2 * self.n]
    }
}
