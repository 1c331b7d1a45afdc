//! The derivatives of the motion at a state, on the tangent space of the constraints. (T-201)

use galilei_expr::Expr;
use galilei_integrate::Jacobian;
use galilei_lower::{Form, Lowered, Parameters, lower};
use galilei_model::{Code, Diagnostic};
use nalgebra::DMatrix;

use crate::setting::{Setting, refused};

/// Pivots below this part of the largest entry do not determine a declared dependent coordinate.
const SINGULAR_PIVOT: f64 = 1e-10;
/// Pivots below this part of the largest entry do not determine a coordinate well.
const FAIR_PIVOT: f64 = 1e-2;
/// Values of piecewise functions' switching functions below this are on the switching surface.
const ON_SURFACE: f64 = 1e-12;

/// Coordinates on the constraint manifold near a state, and the tangent vectors that belong to them.
#[derive(Clone, Debug)]
pub(crate) struct Tangent {
    /// The positions that are left free.
    pub(crate) positions: Vec<usize>,
    /// The velocities that are left free.
    pub(crate) velocities: Vec<usize>,
    /// A column (δx, δu) for each of them.
    pub(crate) basis: DMatrix<f64>,
}

impl Tangent {
    /// The rows of a vector (δx, δu) that are coordinates on the manifold.
    pub(crate) fn rows(&self) -> Vec<usize> {
        let n = self.basis.nrows() / 2;
        let velocities = self.velocities.iter().map(|j| n + j);
        self.positions.iter().copied().chain(velocities).collect()
    }

    /// A matrix on (δx, δu) in the coordinates of the manifold.
    pub(crate) fn restrict(&self, full: &DMatrix<f64>) -> DMatrix<f64> {
        (full * &self.basis).select_rows(&self.rows())
    }

    /// The change (δx, δu) of the dependent coordinates that increments of inputs force through the constraints, with the
    /// independent ones held: a column for each.
    pub(crate) fn moved_by<'p>(
        &self,
        model: &'p galilei_model::Model,
        increments: &[Expr<'p>],
        state: &[f64],
    ) -> Result<DMatrix<f64>, Vec<Diagnostic>> {
        let setting = Setting::new(model, increments)?;
        let (n, k) = (setting.n(), increments.len());
        let restricting: Vec<_> = (setting.rows.iter())
            .filter(|r| r.residual.is_some())
            .collect();
        let mut moved = DMatrix::zeros(2 * n, k);
        let zero = setting.pool().zero();
        let mut list = Vec::new();
        for r in &restricting {
            list.extend(&r.row);
            let function = r.rate.or(r.residual).unwrap_or(zero);
            list.extend(function.gradient(&setting.x));
            list.extend(function.gradient(increments));
            list.extend(r.residual.unwrap_or(zero).gradient(increments));
        }
        if list.is_empty() {
            return Ok(moved);
        }
        let at: Vec<(Expr<'p>, Expr<'p>)> = increments.iter().map(|&i| (i, zero)).collect();
        let list = setting.pool().substitute_all(&list, &at);
        let undefined = || {
            refused(
                Code::NotDefinedAtState,
                "the constraints have no derivatives by the inputs at the state",
                "choose a state where they are defined",
            )
        };
        let values = setting.at(&list, state).ok_or_else(undefined)?;
        let width = 2 * n + 2 * k;
        let rows: Vec<&[f64]> = values.chunks(width).collect();
        let bound =
            |free: &[usize]| -> Vec<usize> { (0..n).filter(|i| !free.contains(i)).collect() };
        let solve = |matrix: DMatrix<f64>, right: DMatrix<f64>| match matrix.is_empty() {
            true => Ok(right),
            false => matrix.lu().solve(&right).ok_or_else(undefined),
        };
        let holonomic: Vec<usize> = (0..rows.len())
            .filter(|&a| restricting[a].rate.is_some())
            .collect();
        let places = bound(&self.positions);
        let matrix = DMatrix::from_fn(holonomic.len(), places.len(), |a, i| {
            rows[holonomic[a]][places[i]]
        });
        let right = DMatrix::from_fn(holonomic.len(), k, |a, c| {
            -rows[holonomic[a]][2 * n + k + c]
        });
        let found = solve(matrix, right)?;
        for (i, &place) in places.iter().enumerate() {
            for c in 0..k {
                moved[(place, c)] = found[(i, c)];
            }
        }
        let speeds = bound(&self.velocities);
        let matrix = DMatrix::from_fn(rows.len(), speeds.len(), |a, i| rows[a][speeds[i]]);
        let right = DMatrix::from_fn(rows.len(), k, |a, c| {
            let through: f64 = (0..n).map(|i| rows[a][n + i] * moved[(i, c)]).sum();
            -rows[a][2 * n + c] - through
        });
        let found = solve(matrix, right)?;
        for (i, &speed) in speeds.iter().enumerate() {
            for c in 0..k {
                moved[(n + speed, c)] = found[(i, c)];
            }
        }
        Ok(moved)
    }

    /// The tangent space of the constraints at (t, x, u).
    pub(crate) fn new(setting: &Setting<'_>, state: &[f64]) -> Result<Self, Vec<Diagnostic>> {
        let n = setting.n();
        // Constraints on accelerations admit every state.
        let restricting = setting.rows.iter().filter(|r| r.residual.is_some());
        let restricting: Vec<_> = restricting.collect();
        let c = restricting.len();
        let undefined = || {
            refused(
                Code::NotDefinedAtState,
                "the constraints or the mass matrix have no derivatives at the state",
                "choose a state where they are defined",
            )
        };
        let (x, u) = (&setting.x, &setting.u);
        let mut list = Vec::new();
        for i in 0..n {
            list.push(setting.lagrangian.diff(u[i]).diff(u[i]));
        }
        for r in &restricting {
            list.extend(&r.row);
            let function = r.rate.or(r.residual).unwrap_or(setting.pool().zero());
            list.extend(function.gradient(x));
        }
        let values = setting.at(&list, state).ok_or_else(undefined)?;
        let scale: Vec<f64> = values[..n]
            .iter()
            .map(|m| if *m > 0.0 { m.sqrt() } else { 1.0 })
            .collect();
        let rows: Vec<&[f64]> = values[n..].chunks(2 * n).collect();
        let vertical = DMatrix::from_fn(c, n, |a, i| rows[a][i]);
        let slope = DMatrix::from_fn(c, n, |a, i| rows[a][n + i]);
        let holonomic: Vec<usize> = (0..c).filter(|&a| restricting[a].rate.is_some()).collect();
        let between = vertical.select_rows(&holonomic);
        let dependent = || {
            refused(
                Code::InadmissibleConstraintAtState,
                "the constraints are not independent at the state",
                "choose another state: here a constraint restricts nothing or repeats another",
            )
        };
        let declared = &setting.model.contents().dependent;
        let bound_positions = pivots(&between, &scale, declared, &[]).ok_or_else(dependent)?;
        let bound = pivots(&vertical, &scale, declared, &bound_positions).ok_or_else(dependent)?;
        let left =
            |bound: &[usize]| -> Vec<usize> { (0..n).filter(|i| !bound.contains(i)).collect() };
        let (positions, velocities) = (left(&bound_positions), left(&bound));
        let lift =
            |matrix: &DMatrix<f64>, bound: &[usize], right: DMatrix<f64>| match bound.is_empty() {
                true => Ok(right),
                false => matrix
                    .select_columns(bound)
                    .lu()
                    .solve(&right)
                    .ok_or_else(dependent),
            };
        let (p, k) = (positions.len(), positions.len() + velocities.len());
        let mut basis = DMatrix::zeros(2 * n, k);
        for (c, &i) in positions.iter().enumerate() {
            basis[(i, c)] = 1.0;
        }
        let followed = lift(
            &between,
            &bound_positions,
            -between.select_columns(&positions),
        )?;
        for (r, &i) in bound_positions.iter().enumerate() {
            for c in 0..p {
                basis[(i, c)] = followed[(r, c)] + 0.0;
            }
        }
        for (c, &j) in velocities.iter().enumerate() {
            basis[(n + j, p + c)] = 1.0;
        }
        let mut right = DMatrix::zeros(c, k);
        right
            .columns_mut(0, p)
            .copy_from(&(-(&slope * basis.view((0, 0), (n, p)))));
        right
            .columns_mut(p, k - p)
            .copy_from(&(-vertical.select_columns(&velocities)));
        let followed = lift(&vertical, &bound, right)?;
        for (r, &j) in bound.iter().enumerate() {
            for c in 0..k {
                basis[(n + j, c)] = followed[(r, c)] + 0.0;
            }
        }
        Ok(Self {
            positions,
            velocities,
            basis,
        })
    }
}

/// Columns that the rows of a matrix determine, by elimination with complete pivoting: the declared ones first, then
/// the preferred ones, then those with the largest entries in units of `scale`; among equals the last. `None` if the rows
/// are dependent.
fn pivots(
    matrix: &DMatrix<f64>,
    scale: &[f64],
    declared: &[usize],
    preferred: &[usize],
) -> Option<Vec<usize>> {
    let (c, n) = matrix.shape();
    let mut a = DMatrix::from_fn(c, n, |i, j| matrix[(i, j)] / scale[j]);
    for mut row in a.row_iter_mut() {
        let size = row.norm();
        if size > 0.0 {
            row /= size;
        }
    }
    let mut chosen: Vec<usize> = Vec::new();
    for k in 0..c {
        let best = |columns: &mut dyn Iterator<Item = usize>| {
            let mut found: Option<(usize, usize, f64)> = None;
            for j in columns.filter(|j| !chosen.contains(j)) {
                for i in k..c {
                    let size = a[(i, j)].abs();
                    if found.is_none_or(|f| size >= f.2 * (1.0 - 1e-9)) {
                        found = Some((i, j, size));
                    }
                }
            }
            found
        };
        let largest = best(&mut (0..n))?;
        if largest.2 <= SINGULAR_PIVOT {
            return None;
        }
        let above = |least: f64| move |f: &(usize, usize, f64)| f.2 > least * largest.2;
        let (i, j, _) = best(&mut declared.iter().copied())
            .filter(above(SINGULAR_PIVOT))
            .or_else(|| best(&mut preferred.iter().copied()).filter(above(FAIR_PIVOT)))
            .unwrap_or(largest);
        a.swap_rows(i, k);
        chosen.push(j);
        for i in k + 1..c {
            let factor = a[(i, j)] / a[(k, j)];
            for l in 0..n {
                let t = a[(k, l)];
                a[(i, l)] -= factor * t;
            }
        }
    }
    chosen.sort_unstable();
    Some(chosen)
}

/// Code for the accelerations, the multipliers and their derivatives.
pub(crate) struct Derivatives {
    pub(crate) lowered: Lowered,
    own: Jacobian,
}

/// The accelerations, multipliers and their derivatives at a state.
#[derive(Clone, Debug)]
pub(crate) struct Linearisation {
    /// u̇
    pub(crate) acceleration: Vec<f64>,
    /// λ
    pub(crate) multipliers: Vec<f64>,
    /// ∂(ẋ, u̇)/∂(x, u), 2n rows.
    pub(crate) full: DMatrix<f64>,
    /// ∂λ/∂(x, u)
    pub(crate) of_multipliers: DMatrix<f64>,
    /// ∂(ẋ, u̇) by the increments of inputs, 2n rows.
    pub(crate) by_increments: DMatrix<f64>,
    /// ∂λ by the increments of inputs.
    pub(crate) multipliers_by_increments: DMatrix<f64>,
}

impl Derivatives {
    /// Compiles the derivatives of the motion of a model.
    pub(crate) fn new(setting: &Setting<'_>) -> Result<Self, Vec<Diagnostic>> {
        Self::by(setting, &[])
    }

    /// Compiles the derivatives, those by some parameters with the value zero included.
    pub(crate) fn by<'p>(
        setting: &Setting<'p>,
        increments: &[Expr<'p>],
    ) -> Result<Self, Vec<Diagnostic>> {
        let parameters = match increments.is_empty() {
            true => Parameters::Constant,
            false => Parameters::Differentiated(increments),
        };
        setting.model.smooth_motion_for("a linearisation")?;
        let lowered = lower(setting.model, Form::Closed, parameters)?;
        let problem = &lowered.problem;
        Ok(Self {
            own: Jacobian::new(&problem.tape, &problem.rates, 1),
            lowered,
        })
    }

    /// Compiles the derivatives with given values of some parameters.
    pub(crate) fn with_parameters<'p>(
        setting: &Setting<'p>,
        symbols: &[Expr<'p>],
        values: &[f64],
    ) -> Result<Self, Vec<Diagnostic>> {
        setting.model.smooth_motion_for("a linearisation")?;
        let lowered =
            lower(setting.model, Form::Closed, Parameters::Inputs(symbols))?.with_fixed(values);
        let problem = &lowered.problem;
        Ok(Self {
            own: Jacobian::new(&problem.tape, &problem.rates, 1),
            lowered,
        })
    }

    fn numbers(&mut self, state: &[f64]) -> Option<Vec<f64>> {
        let problem = &self.lowered.problem;
        let (size, parameters) = (problem.rates.unknowns, problem.tape.parameters().len());
        let mut result = vec![0.0; size * (1 + state.len() + parameters)];
        let inputs = [state, &vec![0.0; parameters]].concat();
        self.own.compute(&inputs, &mut result);
        result.iter().all(|v| v.is_finite()).then_some(result)
    }

    /// Whether the derivatives differ on the sides of a switching surface on which the state lies.
    fn is_kinked(&self, state: &[f64], result: &[f64]) -> bool {
        let problem = &self.lowered.problem;
        let tape = &problem.tape;
        let kinks = tape.kinks();
        let mut values = vec![0.0; tape.len()];
        tape.evaluate(state, &[], &mut values);
        let at = |k: usize| values[kinks[k].register as usize];
        if (0..kinks.len()).all(|k| at(k).abs() > ON_SURFACE) {
            return false;
        }
        let mut sided = Jacobian::on_branches(tape, &problem.rates);
        let scale = result.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
        let own = tape.branches(&values);
        (0..kinks.len())
            .filter(|&k| at(k).abs() <= ON_SURFACE)
            .any(|k| {
                [own.clone(), tape.across(&own, k)]
                    .into_iter()
                    .any(|branches| {
                        let parameters = vec![0.0; tape.parameters().len()];
                        let inputs = [state, &branches, &parameters].concat();
                        let mut other = vec![0.0; result.len()];
                        sided.compute(&inputs, &mut other);
                        let far =
                            |(a, b): (&f64, &f64)| (a - b).is_nan() || (a - b).abs() > 1e-9 * scale;
                        result.iter().zip(&other).any(far)
                    })
            })
    }

    /// The derivatives at (t, x, u).
    pub(crate) fn at(&mut self, state: &[f64]) -> Result<Linearisation, Vec<Diagnostic>> {
        let rates = &self.lowered.problem.rates;
        let (n, size) = (rates.dimension, rates.unknowns);
        let Some(result) = self.numbers(state) else {
            return Err(refused(
                Code::NotDefinedAtState,
                "the accelerations or their derivatives are not defined at the state",
                "choose another state: the mass matrix is singular here, or a function has no derivative",
            ));
        };
        if self.is_kinked(state, &result) {
            return Err(refused(
                Code::NotDifferentiable,
                "the state lies on a switching surface of a piecewise function, where the motion has no linearisation",
                "choose a state away from the kinks of abs, sign, min, max and if, or smooth them",
            ));
        }
        let (unknowns, rest) = result.split_at(size);
        let parameters = self.lowered.problem.tape.parameters().len();
        let rows: Vec<&[f64]> = rest.chunks(1 + 2 * n + parameters).collect();
        let full = DMatrix::from_fn(2 * n, 2 * n, |i, j| match i.checked_sub(n) {
            None => f64::from(u8::from(j == i + n)),
            Some(i) => rows[i][1 + j] + 0.0,
        });
        Ok(Linearisation {
            acceleration: unknowns[..n].to_vec(),
            multipliers: unknowns[n..].to_vec(),
            full,
            of_multipliers: DMatrix::from_fn(size - n, 2 * n, |a, j| rows[n + a][1 + j]),
            by_increments: DMatrix::from_fn(2 * n, parameters, |i, k| match i.checked_sub(n) {
                None => 0.0,
                Some(i) => rows[i][1 + 2 * n + k] + 0.0,
            }),
            multipliers_by_increments: DMatrix::from_fn(size - n, parameters, |a, k| {
                rows[n + a][1 + 2 * n + k]
            }),
        })
    }
}
