//! Velocities from momenta, where L is regular but not quadratic: Newton's method. (T-26)

use galilei_expr::{Expr, Program, Rational};
use galilei_linear::solve;

use crate::code::Code;
use crate::diagnostic::{Diagnostic, refused};
use crate::model::Model;
use crate::state::State;

/// Steps before the search is given up.
const MAX_NEWTON_STEPS: usize = 100;

impl Model {
    /// The velocities at which the momenta ∂L/∂u have given values, at the time and position of a
    /// state, found from its velocity. The solution nearest to the start is local: a Legendre map
    /// need not be one to one. (T-26, T-51)
    ///
    /// ```
    /// use galilei_model::{Settings, read};
    /// let text = "param m = 1, c = 2\ncoord x\nlagrangian: -m*c^2*sqrt(1 - x'^2/c^2)\n";
    /// let model = read(text, &Settings::default()).model.unwrap();
    /// let rest = model.initial_state().unwrap();
    /// let u = model.velocities_of(&rest, &[3.0]).unwrap();
    /// // p = mu/√(1 − u²/c²)
    /// assert!((u[0] / (1.0 - u[0] * u[0] / 4.0).sqrt() - 3.0).abs() < 1e-12);
    /// ```
    pub fn velocities_of<'p>(
        &'p self,
        state: &State<'p>,
        momenta: &[f64],
    ) -> Result<Vec<f64>, Vec<Diagnostic>> {
        let system = self.system();
        let space = system.state();
        let n = space.degrees_of_freedom();
        let u = space.velocities();
        let pool = self.pool();
        let mut known = self.parameter_values()?;
        known.push((space.time(), state.time));
        known.extend(
            space
                .base()
                .positions()
                .iter()
                .copied()
                .zip(state.position.iter().copied()),
        );
        let mut outputs: Vec<Expr<'p>> = system.lagrangian().momenta();
        outputs.extend(system.lagrangian().mass_matrix().rows().iter().flatten());
        let outputs = pool.substitute_all(&outputs, &known);
        let failed = |why: &str| {
            refused(
                Code::LegendreFailed,
                format!("no velocities were found for these momenta: {why}"),
                "start from velocities nearer to the solution, or check that the momenta are reached",
            )
        };
        let program =
            Program::new(&outputs, u).map_err(|s| failed(&format!("`{s}` has no value")))?;
        let start = pool.substitute_all(&state.velocity, &known);
        let mut w: Vec<f64> = Vec::with_capacity(n);
        for e in start {
            let value = e
                .as_rational()
                .map_or_else(|| e.evaluate_f64(&[]), |q: Rational| q.to_f64());
            w.push(value);
        }
        let size = |v: &[f64]| v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let residual =
            |values: &[f64]| -> Vec<f64> { (0..n).map(|i| momenta[i] - values[i]).collect() };
        let mut values = program.f64(&w);
        if values.iter().any(|v| !v.is_finite()) {
            return Err(failed("the momenta are not defined at the start"));
        }
        let goal = 4.0 * f64::EPSILON * size(momenta).max(f64::MIN_POSITIVE);
        for _ in 0..MAX_NEWTON_STEPS {
            let r = residual(&values);
            if size(&r) <= goal {
                return Ok(w);
            }
            let rows: Vec<Vec<f64>> = (0..n)
                .map(|i| values[n + i * n..n + (i + 1) * n].to_vec())
                .collect();
            let step = solve(&rows, &r)
                .map_err(|_| failed("the Hessian ∂²L/∂u∂u is singular on the way"))?;
            // Half the step until the residual falls; L may be defined only for some velocities.
            let mut part = 1.0;
            loop {
                let next: Vec<f64> = w.iter().zip(&step).map(|(w, s)| w + part * s).collect();
                let there = program.f64(&next);
                let better =
                    there.iter().all(|v| v.is_finite()) && size(&residual(&there)) < size(&r);
                if better {
                    (w, values) = (next, there);
                    break;
                }
                part /= 2.0;
                if part < 1e-12 {
                    // Converged to double precision.
                    if size(&r) <= 1e-12 * size(momenta).max(1.0) {
                        return Ok(w);
                    }
                    return Err(failed("the search stopped making progress"));
                }
            }
        }
        Err(failed("too many steps"))
    }
}
