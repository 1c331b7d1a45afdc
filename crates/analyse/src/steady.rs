//! Whether a state is at rest or moves steadily along symmetries. (T-202)

use galilei_expr::Expr;
use nalgebra::{DMatrix, DVector};

use crate::linearisation::Linearisation;
use crate::setting::{Generator, Setting};

/// Accelerations below this part of their scale are rounding.
const STEADY_ACCELERATION: f64 = 1e-8;

/// The way in which a state is stationary, with the field along which it moves.
#[derive(Clone, Debug)]
pub(crate) struct Steady<'p> {
    /// The speeds along the generators.
    pub(crate) speeds: Vec<f64>,
    /// The field v(x) that is the velocity.
    pub(crate) field: Vec<Expr<'p>>,
    /// The residual of the velocities.
    pub(crate) velocity_residual: f64,
    /// The residual of the accelerations, relative to their scale.
    pub(crate) acceleration_residual: f64,
    /// The coordinate with the largest remaining acceleration.
    pub(crate) worst: usize,
}

impl Steady<'_> {
    pub(crate) fn holds(&self) -> bool {
        self.velocity_residual <= STEADY_ACCELERATION
            && self.acceleration_residual <= STEADY_ACCELERATION
    }
}

impl<'p> Setting<'p> {
    /// Explains the velocities of a state by fields of symmetries such that the accelerations fit, too: by ignorable
    /// coordinates, by one declared symmetry, by both, or by all together. The best explanation is returned.
    pub(crate) fn steady(
        &self,
        generators: &[Generator<'p>],
        state: &[f64],
        motion: &Linearisation,
    ) -> Option<Steady<'p>> {
        let ignorable: Vec<usize> = (0..generators.len())
            .filter(|&k| generators[k].ignorable.is_some())
            .collect();
        let declared: Vec<usize> = (0..generators.len())
            .filter(|&k| generators[k].ignorable.is_none())
            .collect();
        let mut choices = vec![ignorable.clone()];
        choices.extend(declared.iter().map(|&k| vec![k]));
        choices.extend(declared.iter().map(|&k| [&ignorable[..], &[k]].concat()));
        choices.push((0..generators.len()).collect());
        let mut best: Option<Steady<'p>> = None;
        for choice in choices {
            let Some(found) = self.explained(generators, &choice, state, motion) else {
                continue;
            };
            if found.holds() {
                return Some(found);
            }
            let size = |s: &Steady<'p>| s.velocity_residual + s.acceleration_residual;
            if best.as_ref().is_none_or(|b| size(&found) < size(b)) {
                best = Some(found);
            }
        }
        best
    }

    /// Fits the velocities of a state by some fields, and compares the accelerations.
    fn explained(
        &self,
        generators: &[Generator<'p>],
        choice: &[usize],
        state: &[f64],
        motion: &Linearisation,
    ) -> Option<Steady<'p>> {
        let n = self.n();
        let u = &state[1 + n..];
        let list: Vec<Expr<'p>> = choice
            .iter()
            .flat_map(|&k| generators[k].components.clone())
            .collect();
        let numbers = self.at(&list, state)?;
        let columns: Vec<&[f64]> = numbers.chunks(n).collect();
        let matrix = DMatrix::from_fn(n, choice.len(), |i, k| columns[k][i]);
        let right = DVector::from_column_slice(u);
        let fitted: Vec<f64> = match choice.is_empty() {
            true => vec![],
            false => matrix
                .svd(true, true)
                .solve(&right, 1e-12)
                .ok()?
                .iter()
                .copied()
                .collect(),
        };
        let scale = u.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let mut speeds = vec![0.0; generators.len()];
        for (&k, w) in choice.iter().zip(fitted) {
            // Small speeds are noise of the fit.
            speeds[k] = if w.abs() <= 1e-14 * scale { 0.0 } else { w };
        }
        let field = self.field(generators, &speeds);
        let along: Vec<(Expr<'p>, Expr<'p>)> =
            self.x.iter().copied().zip(field.iter().copied()).collect();
        let turning: Vec<Expr<'p>> = field.iter().map(|v| v.derivative_along(&along)).collect();
        let values = self.at(&[&field[..], &turning].concat(), state)?;
        let (v, a) = values.split_at(n);
        let velocity = (0..n).fold(0.0_f64, |m, i| m.max((u[i] - v[i]).abs()));
        let size = |i: usize| {
            let row = motion.full.row(n + i);
            let parts = (0..2 * n).map(|j| {
                let typical = if j < n {
                    state[1 + j].abs().max(1.0)
                } else {
                    state[1 + j].abs()
                };
                row[j].abs() * typical
            });
            parts.sum::<f64>() + a[i].abs()
        };
        let largest = (0..n)
            .map(size)
            .fold(0.0_f64, f64::max)
            .max(f64::MIN_POSITIVE);
        let left: Vec<f64> = (0..n)
            .map(|i| (motion.acceleration[i] - a[i]).abs())
            .collect();
        let worst = (0..n)
            .max_by(|&i, &j| left[i].total_cmp(&left[j]))
            .unwrap_or(0);
        Some(Steady {
            velocity_residual: velocity / scale.max(f64::MIN_POSITIVE),
            acceleration_residual: left.get(worst).copied().unwrap_or(0.0) / largest,
            speeds,
            field,
            worst,
        })
    }

    /// The field that is a combination of generators.
    pub(crate) fn field(&self, generators: &[Generator<'p>], speeds: &[f64]) -> Vec<Expr<'p>> {
        let pool = self.pool();
        let component = |i: usize| {
            let terms = generators.iter().zip(speeds).filter(|(_, w)| **w != 0.0);
            pool.sum(terms.map(|(g, w)| g.components[i] * exact(pool, *w)))
        };
        (0..self.n()).map(component).collect()
    }

    /// The linearisation in axes that move with a steady motion: the derivative of the motion minus that of the
    /// prolonged field.
    pub(crate) fn comoving(
        &self,
        field: &[Expr<'p>],
        state: &[f64],
        full: &DMatrix<f64>,
    ) -> Option<DMatrix<f64>> {
        let n = self.n();
        if field.iter().all(|v| !v.contains_any(&self.x)) {
            return Some(full.clone());
        }
        let along: Vec<(Expr<'p>, Expr<'p>)> =
            self.x.iter().copied().zip(self.u.iter().copied()).collect();
        let first: Vec<Expr<'p>> = field.iter().map(|v| v.derivative_along(&along)).collect();
        let symbols = [&self.x[..], &self.u].concat();
        let list: Vec<Expr<'p>> = field
            .iter()
            .chain(&first)
            .flat_map(|e| e.gradient(&symbols))
            .collect();
        let values = self.at(&list, state)?;
        Some(full - DMatrix::from_row_slice(2 * n, 2 * n, &values))
    }
}

/// A double as an exact number.
pub(crate) fn exact(pool: &galilei_expr::Pool, x: f64) -> Expr<'_> {
    galilei_expr::Rational::from_f64(x).map_or(pool.zero(), |q| pool.number(q))
}
