//! Steps whose stages solve equations: what is known at their ends and between.

mod convergence;
mod field;
mod polynomial;

pub(crate) use convergence::{Convergence, Goal, Verdict};
pub(crate) use field::{Field, Rows, Slopes};
pub(crate) use polynomial::{End, Polynomial, coefficients, lagrange};

use crate::sum::Compensated;

/// A state with its rounding errors kept apart: the time, x, z, and the velocities.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) time: Compensated,
    pub(crate) x: Vec<Compensated>,
    pub(crate) z: Vec<Compensated>,
    pub(crate) u: Vec<f64>,
}

impl Place {
    pub(crate) fn new(n: usize) -> Self {
        Self {
            time: Compensated::default(),
            x: vec![Compensated::default(); n],
            z: vec![Compensated::default(); n],
            u: vec![0.0; n],
        }
    }

    /// x and u after a part of a step that starts here.
    pub(crate) fn between(&self, dense: Option<&Polynomial>, part: f64, state: &mut [f64]) {
        let n = self.x.len();
        let Some(dense) = dense else {
            return state.fill(f64::NAN);
        };
        for i in 0..n {
            state[i] = self.x[i].plus(dense.change(part, i));
            state[n + i] = dense.velocity(part, i);
        }
    }

    /// Makes another place that after a part of a step that starts here; its z is not known.
    pub(crate) fn part(&self, dense: Option<&Polynomial>, part: f64, place: &mut Self) {
        for (i, (x, u)) in place.x.iter_mut().zip(&mut place.u).enumerate() {
            *x = self.x[i];
            x.add(dense.map_or(f64::NAN, |d| d.change(part, i)));
            *u = dense.map_or(f64::NAN, |d| d.velocity(part, i));
        }
    }

    /// Writes x and u down as a state.
    pub(crate) fn write(&self, state: &mut [Compensated]) {
        let (x, u) = state.split_at_mut(self.x.len());
        x.copy_from_slice(&self.x);
        for (s, u) in u.iter_mut().zip(&self.u) {
            *s = Compensated::new(*u);
        }
    }
}

/// The stages of a step, stage by stage.
#[derive(Clone, Debug)]
pub(crate) struct Stages {
    pub(crate) h: f64,
    /// The velocities at the start.
    pub(crate) u: Vec<f64>,
    /// V
    pub(crate) velocities: Vec<f64>,
    /// X − x₀
    pub(crate) changes: Vec<f64>,
    /// φ
    pub(crate) rates: Vec<f64>,
    pub(crate) powers: Vec<f64>,
    /// Impulses of reactions, where constraints are part of the step.
    pub(crate) impulses: Vec<f64>,
}

impl Stages {
    pub(crate) fn new(n: usize, stages: usize) -> Self {
        Self {
            h: 0.0,
            u: vec![0.0; n],
            velocities: vec![0.0; n * stages],
            changes: vec![0.0; n * stages],
            rates: vec![0.0; n * stages],
            powers: vec![0.0; stages],
            impulses: vec![],
        }
    }

    /// The work of the powers, which are those at some nodes, over a part of the step.
    pub(crate) fn work(&self, nodes: &[f64], part: f64) -> f64 {
        Polynomial::through(self.h, 1, nodes, |i, _| self.powers[i]).change(part, 0)
    }

    /// Guesses the velocities at the nodes of a step from a place, by the polynomial through those of another step,
    /// for which it is said how far the start lies behind its own start, as a part of it.
    pub(crate) fn guess(&mut self, nodes: &[f64], start: &Place, before: Option<(&Self, f64)>) {
        let n = start.u.len();
        self.u.copy_from_slice(&start.u);
        let Some((before, ahead)) = before else {
            let each = self.velocities.chunks_mut(n);
            return each.for_each(|v| v.copy_from_slice(&start.u));
        };
        let known: Vec<f64> = std::iter::once(0.0).chain(nodes.iter().copied()).collect();
        for (i, c) in nodes.iter().enumerate() {
            let weights = lagrange(&known, ahead + c * self.h / before.h);
            for p in 0..n {
                let mut v = weights[0] * before.u[p];
                for (j, w) in weights[1..].iter().enumerate() {
                    v += w * before.velocities[j * n + p];
                }
                self.velocities[i * n + p] = v;
            }
        }
    }
}
