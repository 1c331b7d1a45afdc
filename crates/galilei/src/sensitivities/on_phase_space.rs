//! Sensitivities of motions that are followed in (x, p): those of a Hamiltonian without a closed Legendre transform.

use galilei_expr::{Expr, Program};
use galilei_integrate::{Directions, Options};
use galilei_linear::Factors;
use galilei_lower::Stopwatch;
use galilei_model::{Code, Diagnostic, Model, refused};

use super::{Sensitivities, SensitivityAnalysis, moving_end, parameter_symbols, start_slopes};
use crate::compiled::Compiled;
use crate::motion::Plan;
use crate::phase_space::natural_run;
use crate::settings::report;

/// Derivatives of Hamilton's equations at the start.
struct Slopes {
    /// ∂γ/∂y for y = (x, p), row by row.
    field: Vec<f64>,
    /// The inverse of ∂(x, u)/∂(x, p), row by row.
    inverse: Vec<f64>,
}

impl Slopes {
    fn new(above: &Model, from: f64, start: &[f64]) -> Option<Self> {
        let numbers = above.parameter_values().ok()?;
        let y = above.positions();
        let still: Vec<_> = (above.velocities().into_iter())
            .map(|v| (v, above.pool().zero()))
            .collect();
        let field = above.exprs(&above.contents().initial_rates.equations);
        let field = above.pool().substitute_all(&field, &still);
        let field = above.pool().substitute_all(&field, &numbers);
        let slopes: Vec<Expr<'_>> = field.iter().flat_map(|e| (-*e).gradient(&y)).collect();
        let inputs: Vec<Expr<'_>> = [above.time()]
            .into_iter()
            .chain(y.iter().copied())
            .collect();
        let program = Program::new(&slopes, &inputs).ok()?;
        let field = program.f64(&[&[from], start].concat());
        let size = y.len();
        let n = size / 2;
        let mut factors = Factors::new(size);
        let entry = |i: usize, j: usize| match i < n {
            true => f64::from(u8::from(i == j)),
            false => field[(i - n) * size + j],
        };
        factors.factor(entry).ok()?;
        let mut inverse = vec![0.0; size * size];
        for j in 0..size {
            let mut column: Vec<f64> = (0..size).map(|i| f64::from(u8::from(i == j))).collect();
            factors.solve(&mut column);
            for (i, x) in column.into_iter().enumerate() {
                inverse[i * size + j] = x;
            }
        }
        Some(Self { field, inverse })
    }

    /// Rows of derivatives by (x, p) and parameters at the start as rows by (x, u) and parameters.
    fn by_natural(&self, row: &[f64]) -> Vec<f64> {
        let size = self.field.len().isqrt();
        let (canonical, parameters) = row.split_at(size);
        let entry = |j: usize| {
            (0..size)
                .map(|i| canonical[i] * self.inverse[i * size + j])
                .sum()
        };
        (0..size)
            .map(entry)
            .chain(parameters.iter().copied())
            .collect()
    }
}

impl SensitivityAnalysis<'_> {
    /// Sensitivities from a run in (x, p).
    pub(super) fn compute_on_phase_space(
        mut self,
        plan: Plan,
    ) -> Result<Sensitivities, Vec<Diagnostic>> {
        let model: &Model = self.model;
        if self.gradient.is_some() {
            return Err(refused(
                Code::NotAvailable,
                "the adjoint of a motion in (x, p) is not available: the Legendre transform of this Hamiltonian has no closed form",
                "leave --gradient out: the state-transition matrix and the derivatives by parameters are available",
            ));
        }
        let above = model.on_phase_space().map_err(|why| vec![why])?;
        let kept = parameter_symbols(&above, &self.parameters)?;
        let compiled = Compiled::differentiated(&above, &kept)?;
        let size = plan.start.len();
        let n = size / 2;
        let Options { from, to, .. } = plan.options;
        let start = above.phase_state(from, &plan.start[..n], &plan.start[n..])?[1..].to_vec();
        let slopes = Slopes::new(&above, from, &plan.start).ok_or_else(|| {
            refused(Code::DegenerateHamiltonian, "∂²H/∂p∂p is singular at the start: the velocities do not determine the momenta there", "start from another state, with other momenta")
        })?;
        let mut directions = Directions::all(compiled.tape(), size);
        // Rates vary with the point of phase space.
        let mut parameters = directions.columns.split_off(2 * size);
        directions.columns.truncate(size);
        for (k, column) in directions.columns.iter_mut().enumerate() {
            for i in 0..size {
                column[size + i] = slopes.field[i * size + k];
            }
        }
        for (column, &p) in parameters.iter_mut().zip(&kept) {
            column[..2 * size].copy_from_slice(&start_slopes(&above, p, self.run.from)?);
        }
        directions.columns.extend(parameters);
        let started = Stopwatch::start();
        let observer = &mut self.observer;
        let mut shown = |t: f64| report(observer, t, [from, to]);
        let (mut run, followed) =
            compiled.integrate_with_sensitivities(&start, &plan.options, &directions, &mut shown);
        let seconds = started.seconds();
        natural_run(&mut run, n);
        let columns = directions.columns.len();
        let rows: Vec<&[f64]> = followed.last.chunks(columns).collect();
        // Of (x, p, ẋ, ṗ), those of x and ẋ.
        let chosen = |rows: &[&[f64]]| -> Vec<Vec<f64>> {
            let own = rows[..n].iter().chain(&rows[size..size + n]);
            own.map(|row| slopes.by_natural(row)).collect()
        };
        let ends = chosen(&rows);
        let canonical = rows[..size]
            .iter()
            .map(|row| row[..size].to_vec())
            .collect();
        let every = followed.rows.iter().map(|row| {
            let rows: Vec<&[f64]> = row.chunks(columns).collect();
            chosen(&rows).concat()
        });
        let unit = |d: usize| (0..size).map(|i| f64::from(u8::from(i == d))).collect();
        // Those of Hamilton's equations, which are no constraints of the model.
        run.constraint_residual = None;
        let mut motion = compiled.motion(run, &plan, seconds);
        motion.coordinates.truncate(n);
        motion.warnings.extend(moving_end(
            model,
            self.run.to,
            &self.parameters,
            &parameter_symbols(model, &self.parameters)?,
        )?);
        Ok(Sensitivities {
            motion,
            transition: ends.iter().map(|row| row[..size].to_vec()).collect(),
            canonical: Some(canonical),
            tangent: (0..size).map(unit).collect(),
            by_parameters: (size..columns)
                .map(|c| ends.iter().map(|row| row[c]).collect())
                .collect(),
            rows: every.collect(),
            parameters: self.parameters,
            gradient: None,
        })
    }
}
