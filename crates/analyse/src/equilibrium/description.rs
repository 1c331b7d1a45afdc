//! The description of an equilibrium: its verdict, whether it belongs to a family, its stability.

use galilei_expr::Expr;
use galilei_model::{Diagnostic, Enforcement};
use nalgebra::{DMatrix, DVector};

use super::problem::{Problem, Unknowns, Zero};
use super::{Certainty, Equilibrium};
use crate::eigen::Random;
use crate::linearisation::Derivatives;
use crate::newton::Equations;
use crate::setting::{Generator, null_space};
use crate::stability::judge;

impl<'p> Problem<'_, 'p> {
    pub(super) fn describe(
        &self,
        plan: &Unknowns,
        equations: &Equations<'p>,
        derivatives: Option<&mut Derivatives>,
        mut zero: Zero,
        family: bool,
    ) -> Result<Equilibrium, Vec<Diagnostic>> {
        let n = self.n();
        let setting = self.setting;
        let formulas = self.formulas(plan, &zero);
        for (i, e) in formulas.iter().flatten() {
            // What is proved to be zero carries no rounding.
            if e.is_zero() {
                zero.x[*i] = 0.0;
            }
        }
        let state = self.state_of(&zero);
        let mut y: Vec<f64> = plan.positions.iter().map(|&i| zero.x[i]).collect();
        y.extend(plan.speeds.iter().map(|&k| zero.speeds[k]));
        y.extend(&zero.parameters);
        y.resize(equations.unknowns.len(), 0.0);
        let first = y.len() - setting.rows.len() * self.times().len();
        for (slot, l) in y[first..].iter_mut().zip(&zero.multipliers) {
            *slot = *l;
        }
        if self.times().len() > 1 {
            self.fill_multipliers(plan, equations, &mut y);
        }
        let residual = equations.at(&y).map_or(f64::NAN, |v| {
            v.f.iter().fold(0.0_f64, |m, f| m.max(f.abs()))
        });
        let verdict = match &formulas {
            Some(_) => Certainty::Proved,
            None if self.certified(equations, &y, &state) => Certainty::Certified,
            None => Certainty::Sampled,
        };
        let (directions, other) = self.family(&zero, &state);
        let family = family && other;
        let own;
        let fixed = self.free_values(&zero);
        let (setting, mut compiled) = match derivatives {
            Some(d) => (setting, Ok(d)),
            None => {
                // Free parameters have their values now.
                own = setting.with_values(&fixed);
                (&own, Err(()))
            }
        };
        let mut fresh;
        let judged = match &mut compiled {
            Ok(d) => judge(
                setting,
                &self.generators,
                &zero.speeds,
                &state,
                self.autonomous,
                &directions,
                d,
            ),
            Err(()) => {
                fresh = self.compiled_with(&zero)?;
                judge(
                    setting,
                    &self.generators,
                    &zero.speeds,
                    &state,
                    self.autonomous,
                    &directions,
                    &mut fresh,
                )
            }
        };
        Ok(Equilibrium {
            position: zero.x.clone(),
            velocity: state[1 + n..].iter().map(|v| v + 0.0).collect(),
            multipliers: (self.setting.rows.iter().zip(&zero.multipliers))
                .map(|(r, l)| (r.enforcement != Enforcement::Connection).then_some(l + 0.0))
                .collect(),
            parameters: self
                .free
                .iter()
                .map(|f| f.0.clone())
                .zip(zero.parameters.iter().copied())
                .collect(),
            residual,
            verdict,
            expressions: (formulas.as_ref())
                .map(|list| list.iter().map(|(i, e)| (*i, e.id())).collect()),
            formulas: formulas.map(|list| {
                let written = |(i, e): (usize, Expr<'p>)| {
                    (self.setting.coordinate(i).to_owned(), e.to_string())
                };
                list.into_iter().map(written).collect()
            }),
            stable: judged.stable,
            linearly_stable: judged.linearly_stable,
            reason: judged.reason,
            energy_hessian: judged.hessian,
            eigenvalues: judged.eigenvalues,
            family,
        })
    }

    /// Directions (δx, δu) from a zero to other stationary states, in columns: along symmetries, and with other speeds or
    /// positions as far as such states are found at a small distance.
    fn family(&self, zero: &Zero, state: &[f64]) -> (DMatrix<f64>, bool) {
        let n = self.n();
        let none = (DMatrix::zeros(2 * n, 0), false);
        let mut unexplained = false;
        let (s, pool) = (self.setting, self.setting.pool());
        if !self.autonomous {
            return none;
        }
        let count = self.generators.len();
        let mut unknowns = s.x.clone();
        unknowns.extend((0..count).map(|k| self.speed_symbol(k)));
        unknowns.extend((0..s.rows.len()).map(|a| self.multiplier_symbol(a, 0)));
        let functions = pool.substitute_all(&self.general_along(|_| true), &self.free_values(zero));
        let functions: Vec<Expr<'p>> = functions.into_iter().filter(|e| !e.is_zero()).collect();
        let Some(equations) = Equations::new(functions, unknowns) else {
            return none;
        };
        let y: Vec<f64> = [&zero.x[..], &zero.speeds, &zero.multipliers].concat();
        let Some(values) = equations.at(&y) else {
            return none;
        };
        let scale: Vec<f64> = y.iter().map(|v| v.abs().max(1.0)).collect();
        let mut scaled = DMatrix::from_fn(values.j.nrows(), y.len(), |i, j| {
            values.j[(i, j)] * scale[j]
        });
        for mut row in scaled.row_iter_mut() {
            let size = row.amax();
            if size > 0.0 {
                row /= size;
            }
        }
        let kernel = null_space(&scaled, 1e-8);
        let step = 1e-3;
        let mut columns: Vec<DVector<f64>> = Vec::new();
        let fields: Vec<Expr<'p>> = self
            .generators
            .iter()
            .flat_map(|g| g.components.clone())
            .collect();
        let along: Vec<(Expr<'p>, Expr<'p>)> =
            s.x.iter().copied().zip(s.u.iter().copied()).collect();
        let rates: Vec<Expr<'p>> = fields.iter().map(|v| v.derivative_along(&along)).collect();
        let (Some(fields), Some(rates)) = (s.at(&fields, state), s.at(&rates, state)) else {
            return none;
        };
        for k in 0..count {
            let position = fields[k * n..(k + 1) * n].iter();
            columns.push(DVector::from_iterator(
                2 * n,
                position.chain(&rates[k * n..(k + 1) * n]).copied(),
            ));
        }
        let steady = s.field(&self.generators, &zero.speeds);
        let slopes: Vec<Expr<'p>> = steady.iter().flat_map(|v| v.gradient(&s.x)).collect();
        let Some(slopes) = s.at(&slopes, state) else {
            return none;
        };
        for direction in kernel.column_iter() {
            let start: Vec<f64> = (0..y.len())
                .map(|i| y[i] + step * direction[i] * scale[i])
                .collect();
            let Some(found) = equations.solve(&start, &scale) else {
                continue;
            };
            let moved: f64 = (0..y.len())
                .map(|i| (found[i] - y[i]) / scale[i] * direction[i])
                .sum();
            if (moved - step).abs() > 0.3 * step {
                continue;
            }
            let x = |i: usize| direction[i] * scale[i];
            let faster = (n..n + count).any(|i| direction[i].abs() > 1e-6);
            if !faster && !spanned(&columns[..count], &DVector::from_fn(n, |i, _| x(i))) {
                unexplained = true;
            }
            let velocity = |i: usize| {
                let turned: f64 = (0..n).map(|j| slopes[i * n + j] * x(j)).sum();
                let faster: f64 = (0..count).map(|k| fields[k * n + i] * x(n + k)).sum();
                turned + faster
            };
            columns.push(DVector::from_fn(2 * n, |i, _| {
                if i < n { x(i) } else { velocity(i - n) }
            }));
        }
        columns.retain(|c| c.norm() > 1e-12);
        match columns.is_empty() {
            true => none,
            false => {
                let all = DMatrix::from_columns(&columns);
                // An orthonormal basis of their span.
                let svd = all.svd(true, false);
                let largest = svd.singular_values.max();
                let kept: Vec<usize> = (0..svd.singular_values.len())
                    .filter(|&k| svd.singular_values[k] > 1e-9 * largest)
                    .collect();
                svd.u
                    .map_or(none, |u| (u.select_columns(&kept), unexplained))
            }
        }
    }

    /// Whether a zero lies where the mass matrix is singular and accelerations nearby do not become those of the steady
    /// motion: the equations hold there only because the coordinates fail.
    pub(super) fn is_apparent(&self, zero: &Zero, derivatives: &mut Derivatives) -> bool {
        let n = self.n();
        let state = self.state_of(zero);
        if !self.is_singular(&state) {
            return false;
        }
        let field = self.setting.field(&self.generators, &zero.speeds);
        let along: Vec<(Expr<'p>, Expr<'p>)> = (self.setting.x.iter().copied())
            .zip(field.iter().copied())
            .collect();
        let turning: Vec<Expr<'p>> = field.iter().map(|v| v.derivative_along(&along)).collect();
        let mut random = Random::new(41);
        let mut left = |step: f64| -> Option<f64> {
            let mut worst = 0.0_f64;
            for _ in 0..4 {
                let mut near = state.clone();
                for x in &mut near[1..=n] {
                    *x += step * (2.0 * random.unit() - 1.0);
                }
                let values = self.setting.at(&[&field[..], &turning].concat(), &near)?;
                near[1 + n..].copy_from_slice(&values[..n]);
                let own = derivatives.at(&near).ok()?.acceleration;
                let off = (0..n).map(|i| (own[i] - values[n + i]).abs());
                worst = worst.max(off.fold(0.0, f64::max));
            }
            Some(worst)
        };
        match (left(1e-2), left(1e-4)) {
            // Accelerations that fall with the distance belong to an equilibrium.
            (Some(far), Some(close)) => close > 0.1 * far && close > 1e-6,
            _ => true,
        }
    }

    /// Whether the mass matrix is singular at (t, x, u).
    fn is_singular(&self, state: &[f64]) -> bool {
        self.setting.has_singular_mass(state)
    }

    /// Code for the model with the found values of its free parameters.
    fn compiled_with(&self, zero: &Zero) -> Result<Derivatives, Vec<Diagnostic>> {
        let symbols: Vec<Expr<'p>> = self.free.iter().map(|f| f.1).collect();
        Derivatives::with_parameters(self.setting, &symbols, &zero.parameters)
    }

    /// Whether a box around a zero holds exactly one solution: of as many equations as are independent, in as many
    /// unknowns; equations that follow from the others by Noether's identity are left out.
    fn certified(&self, equations: &Equations<'p>, y: &[f64], state: &[f64]) -> bool {
        let Some(values) = equations.at(y) else {
            return false;
        };
        let (m, k) = values.j.shape();
        let Some((rows, columns)) = independent(&values.j) else {
            return false;
        };
        let left_out: Vec<usize> = (0..m).filter(|i| !rows.contains(i)).collect();
        if !left_out.is_empty() && !self.follow(equations, &left_out, state) {
            return false;
        }
        if columns.len() == k && rows.len() == m {
            return equations.certify(y);
        }
        let part = equations.part(&rows, &columns, y);
        part.is_some_and(|(part, y)| part.certify(&y))
    }

    /// Whether some equations follow from the others: along each conserved symmetry the equations have no component, and
    /// these determine the ones left out.
    fn follow(&self, equations: &Equations<'p>, left_out: &[usize], state: &[f64]) -> bool {
        let n = self.n();
        if !self.autonomous {
            return false;
        }
        // Lagrange's equations that are not trivially zero, in their order.
        let general = self.general();
        let kept: Vec<usize> = (0..general.len())
            .filter(|&i| !general[i].is_zero())
            .collect();
        if kept.len() != equations.functions.len() {
            return false;
        }
        let coordinates: Vec<usize> = left_out.iter().map(|&i| kept[i]).collect();
        if coordinates.iter().any(|&i| i >= n) {
            return false;
        }
        let conserved: Vec<&Generator<'p>> =
            self.generators.iter().filter(|g| g.conserved).collect();
        let list: Vec<Expr<'p>> = conserved
            .iter()
            .flat_map(|g| coordinates.iter().map(|&i| g.components[i]))
            .collect();
        let Some(values) = self.setting.at(&list, state) else {
            return false;
        };
        let matrix: Vec<Vec<f64>> = values
            .chunks(coordinates.len().max(1))
            .map(<[f64]>::to_vec)
            .collect();
        let d = DMatrix::from_fn(matrix.len(), coordinates.len(), |i, j| matrix[i][j]);
        d.ncols() <= d.nrows() && null_space(&d, 1e-6).ncols() == 0
    }
}

/// Whether a displacement of positions is a combination of those of some vectors (δx, δu).
fn spanned(columns: &[DVector<f64>], x: &DVector<f64>) -> bool {
    let n = x.len();
    if columns.is_empty() || n == 0 {
        return x.norm() <= 1e-9;
    }
    let all = DMatrix::from_fn(n, columns.len(), |i, k| columns[k][i]);
    let fitted = all.clone().svd(true, true).solve(x, 1e-10);
    fitted.is_ok_and(|c| (x - all * c).norm() <= 1e-6 * x.norm())
}

/// Rows and columns of a largest regular block, by elimination with complete pivoting; `None` if nothing is regular.
fn independent(matrix: &DMatrix<f64>) -> Option<(Vec<usize>, Vec<usize>)> {
    let (m, k) = matrix.shape();
    let mut a = matrix.clone();
    for mut row in a.row_iter_mut() {
        let size = row.amax();
        if size > 0.0 {
            row /= size;
        }
    }
    let (mut rows, mut columns): (Vec<usize>, Vec<usize>) = (vec![], vec![]);
    let mut first = 0.0_f64;
    loop {
        let mut best = (0, 0, 0.0_f64);
        for i in (0..m).filter(|i| !rows.contains(i)) {
            for j in (0..k).filter(|j| !columns.contains(j)) {
                if a[(i, j)].abs() > best.2 {
                    best = (i, j, a[(i, j)].abs());
                }
            }
        }
        first = first.max(best.2);
        if best.2 <= 1e-8 * first || best.2 == 0.0 {
            break;
        }
        let (i, j, _) = best;
        for l in (0..m).filter(|l| *l != i && !rows.contains(l)) {
            let factor = a[(l, j)] / a[(i, j)];
            for c in 0..k {
                let t = a[(i, c)];
                a[(l, c)] -= factor * t;
            }
        }
        rows.push(i);
        columns.push(j);
    }
    rows.sort_unstable();
    columns.sort_unstable();
    (!rows.is_empty() || m == 0).then_some((rows, columns))
}
