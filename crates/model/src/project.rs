//! States that are moved onto constraints, by Newton's method.
//!
//! Runs have a projection of their own, over the registers of a tape (`integrate/project.rs`): it keeps rounding errors
//! of a state apart and leaves a state as it is where rounding is reached. Here functions are expressions, and a state is
//! refused unless Newton's method converges.

use galilei_expr::{Expr, Rational};
use galilei_linear::solve;

use crate::constrained::ConstraintRow;
use crate::model::Model;
use crate::numbers::doubles;
use crate::state::State;

/// Newton steps of a projection.
const MAX_PROJECTION_STEPS: usize = 50;
/// The relative change of a converged state where rounding prevents smaller ones.
const CONVERGED_CHANGE: f64 = 1e-14;

/// A state of a model, in numbers.
pub(crate) struct Place<'p> {
    model: &'p Model,
    /// Parameters and the time.
    fixed: Vec<(Expr<'p>, Expr<'p>)>,
    /// Positions, then velocities.
    symbols: Vec<Expr<'p>>,
    pub(crate) numbers: Vec<f64>,
}

impl<'p> Place<'p> {
    /// A state; `None` if it has no numbers.
    pub(crate) fn new(model: &'p Model, state: &State<'p>) -> Option<Self> {
        let system = model.system();
        let space = system.state();
        let mut fixed = model.parameter_values().ok()?;
        fixed.push((space.time(), state.time));
        let symbols = space.base().positions().iter().chain(space.velocities());
        let numbers = [&state.position[..], &state.velocity].concat();
        let numbers = doubles(model.pool(), &numbers, &[]).into_iter();
        Some(Self {
            model,
            fixed,
            symbols: symbols.copied().collect(),
            numbers: numbers.collect::<Option<_>>()?,
        })
    }

    /// All symbols with their values; `None` if one is not finite.
    pub(crate) fn values(&self) -> Option<Vec<(Expr<'p>, Expr<'p>)>> {
        let pool = self.model.pool();
        let mut values = self.fixed.clone();
        for (s, x) in self.symbols.iter().zip(&self.numbers) {
            values.push((*s, pool.number(Rational::from_f64(*x)?)));
        }
        Some(values)
    }

    /// Moves the positions, then the velocities, onto constraints by the shortest steps in a metric, given row by row.
    /// `None` if Newton's method does not converge.
    pub(crate) fn project(
        &mut self,
        rows: &[ConstraintRow<'p>],
        metric: &[Expr<'p>],
    ) -> Option<()> {
        let between_positions = rows.iter().filter(|r| r.rate.is_some());
        let positions: Vec<_> = between_positions
            .filter_map(|r| Some((&r.row, r.residual?)))
            .collect();
        let velocities = (rows.iter()).filter_map(|r| Some((&r.row, r.rate.or(r.residual)?)));
        let velocities: Vec<_> = velocities.collect();
        self.newton(&positions, metric, 0)?;
        self.newton(&velocities, metric, self.symbols.len() / 2)
    }

    /// Newton's method for functions with their gradients, by the numbers behind an offset.
    fn newton(
        &mut self,
        list: &[(&Vec<Expr<'p>>, Expr<'p>)],
        metric: &[Expr<'p>],
        offset: usize,
    ) -> Option<()> {
        if list.is_empty() {
            return Some(());
        }
        let n = self.symbols.len() / 2;
        let size = n + list.len();
        let rows = list.iter().flat_map(|(row, f)| row.iter().chain([f]));
        let asked: Vec<Expr<'p>> = metric.iter().chain(rows).copied().collect();
        let mut last = f64::INFINITY;
        for _ in 0..MAX_PROJECTION_STEPS {
            let found = doubles(self.model.pool(), &asked, &self.values()?);
            let found: Vec<f64> = found.into_iter().collect::<Option<_>>()?;
            let (g, rows) = found.split_at(n * n);
            let rows: Vec<&[f64]> = rows.chunks(n + 1).collect();
            let mut matrix = vec![vec![0.0; size]; size];
            let mut right = vec![0.0; size];
            for (i, row) in g.chunks(n).enumerate() {
                matrix[i][..n].copy_from_slice(row);
            }
            for (a, row) in rows.into_iter().enumerate() {
                for i in 0..n {
                    matrix[i][n + a] = 0.0 - row[i];
                    matrix[n + a][i] = row[i];
                }
                right[n + a] = 0.0 - row[n];
            }
            let step = solve(&matrix, &right).ok()?;
            let mut change = 0.0_f64;
            for (x, d) in self.numbers[offset..offset + n].iter_mut().zip(&step) {
                *x += d;
                change = change.max(d.abs() / x.abs().max(1.0));
            }
            if !change.is_finite() {
                return None;
            }
            // Newton's method doubles the digits; where it no longer does, rounding is reached.
            if change <= 4.0 * f64::EPSILON || change <= CONVERGED_CHANGE && change >= 0.5 * last {
                return Some(());
            }
            last = change;
        }
        None
    }
}

impl Model {
    /// The nearest state on the constraints, in the metric g: first the positions, then the
    /// velocities. `None` if none is found nearby. (T-88)
    ///
    /// ```
    /// use galilei_model::{Settings, read};
    /// let text = "coord x, y\nkinetic: (x'^2 + y'^2)/2\nconstraint circle: x^2 + y^2 = 1\ninitial x = 2, x' = 1\n";
    /// let model = read(text, &Settings::default()).model.unwrap();
    /// let state = model.projected(&model.initial_state().unwrap()).unwrap();
    /// let values: Vec<f64> = state.position.iter().chain(&state.velocity).map(|e| e.evaluate_f64(&[])).collect();
    /// assert!((values[0] - 1.0).abs() < 1e-14 && values[2].abs() < 1e-14);
    /// ```
    pub fn projected<'p>(&'p self, state: &State<'p>) -> Option<State<'p>> {
        let mut place = Place::new(self, state)?;
        let mass = self.system().lagrangian().mass_matrix();
        place.project(&self.constraint_rows(), &mass.rows().concat())?;
        let exact = |x: &f64| Rational::from_f64(*x).map(|q| self.pool().number(q));
        let (position, velocity) = place.numbers.split_at(state.position.len());
        Some(State {
            time: state.time,
            position: position.iter().map(exact).collect::<Option<_>>()?,
            velocity: velocity.iter().map(exact).collect::<Option<_>>()?,
        })
    }
}
