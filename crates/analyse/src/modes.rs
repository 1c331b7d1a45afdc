//! The linearised motion at a state: matrices, eigenvalues, modes. (T-201)

use galilei_expr::Expr;
use galilei_model::{Code, Diagnostic, Model, State};
use nalgebra::DMatrix;

use crate::eigen::{Eigen, eigen};
use crate::linearisation::{Derivatives, Linearisation, Tangent};
use crate::setting::{Setting, refused};
use crate::statics::InMode;

/// Residuals of eigenvectors above this, relative to the matrix, are warned about.
const MAX_RESIDUAL: f64 = 1e-8;

/// The motion near a state: δẏ = A·δy in independent coordinates y of the constraint manifold.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Modes {
    /// t
    pub time: f64,
    /// x
    pub position: Vec<f64>,
    /// u
    pub velocity: Vec<f64>,
    /// The names of y: positions, then velocities (with a prime), those left by the constraints.
    pub independent: Vec<String>,
    /// A
    pub a: Vec<Vec<f64>>,
    /// The names of the inputs.
    pub inputs: Vec<String>,
    /// B, the derivatives of ẏ with respect to the inputs; `None` without inputs.
    pub b: Option<Vec<Vec<f64>>>,
    /// The names of the outputs.
    pub outputs: Vec<String>,
    /// C, the derivatives of the outputs with respect to y; `None` where an output has none.
    pub c: Option<Vec<Vec<f64>>>,
    /// D, the derivatives of the outputs with respect to the inputs; `None` without inputs.
    pub d: Option<Vec<Vec<f64>>>,
    /// The eigenvalues s of A, their vectors and residuals.
    pub eigen: Eigen,
    /// The displacement of every coordinate, dependent ones too, that belongs to each eigenvector.
    pub shapes: Vec<Vec<[f64; 2]>>,
    /// |Im s|/2π for each eigenvalue.
    pub frequencies_hz: Vec<f64>,
    /// −Re s/|s| for each eigenvalue; `None` for s = 0.
    pub damping_ratios: Vec<Option<f64>>,
    /// Whether the state is at rest or moves steadily along symmetries.
    pub steady: bool,
    /// The symmetries along which it moves, with the speeds: ignorable coordinates, or names of declared symmetries.
    pub along: Vec<(String, f64)>,
    /// Warnings: the state is not stationary, the system depends on time, …
    pub warnings: Vec<Diagnostic>,
}

/// The numbers of a state: (t, x, u).
///
/// # Errors
/// Where one of them is not finite.
pub fn numbers(state: &State<'_>) -> Result<Vec<f64>, Vec<Diagnostic>> {
    let parts = [state.time]
        .into_iter()
        .chain(state.position.iter().copied());
    let parts = parts.chain(state.velocity.iter().copied());
    let list: Vec<f64> = parts.map(|e| e.evaluate_f64(&[])).collect();
    match list.iter().all(|x| x.is_finite()) {
        true => Ok(list),
        false => Err(refused(
            Code::NotFinite,
            "a value of the state is not a number",
            "check the state",
        )),
    }
}

/// Linearises the motion at a state and finds its modes.
///
/// ```
/// use galilei_model::{Settings, read};
/// let text = "coord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: 9*y\nconstraint rod: x^2 + y^2 = 1\ninitial y = -1\n";
/// let model = read(text, &Settings::default()).model.unwrap();
/// let modes = galilei_analyse::modes(&model, &model.initial_state().unwrap()).unwrap();
/// assert_eq!(modes.independent, ["x", "x'"]);
/// assert!((modes.eigen.values[0][1] - 3.0).abs() < 1e-14);
/// ```
///
/// # Errors
/// Where the motion has no derivatives at the state.
pub fn modes<'p>(model: &'p Model, state: &State<'p>) -> Result<Modes, Vec<Diagnostic>> {
    modes_at(model, &numbers(state)?)
}

/// Linearises the motion at (t, x, u) and finds its modes. With increments of the inputs (see
/// [`galilei_model::Surroundings::increments`]) there are B and D, too.
///
/// # Errors
/// Where the motion has no derivatives at the state.
pub fn modes_at(model: &Model, state: &[f64]) -> Result<Modes, Vec<Diagnostic>> {
    if model.has_contacts() {
        let mode = InMode::new(model, state)?;
        let mut found = modes_at(&mode.model, state)?;
        found.warnings.push(mode.note());
        return Ok(found);
    }
    let setting = Setting::new(model, &[])?;
    if setting.rows.is_empty() && setting.has_singular_mass(state) {
        return Err(refused(
            Code::NotDefinedAtState,
            "the coordinates have a singular point at the state: the mass matrix is singular there",
            "choose other coordinates for this place: another chart, or `coord n on sphere`, `coord R on rotations`",
        ));
    }
    let inputs = &model.contents().inputs;
    let increments: Vec<Expr<'_>> = (inputs.iter())
        .filter_map(|i| i.increment.map(|e| model.expr(e)))
        .collect();
    let mut derivatives = Derivatives::by(&setting, &increments)?;
    let motion = derivatives.at(state)?;
    let tangent = Tangent::new(&setting, state)?;
    let n = setting.n();
    let mut warnings = Vec::new();
    let autonomous = setting.is_autonomous();
    if !autonomous {
        warnings.push(Diagnostic::warning(
            Code::DependsOnTime,
            format!(
                "the system depends on time: the matrices are those at t = {}",
                state[0]
            ),
            "eigenvalues of a matrix that changes with time decide nothing about stability",
            None,
        ));
    }
    let mut generators = setting.generators();
    let mut steady = setting.steady(&generators, state, &motion);
    if !steady.as_ref().is_some_and(|s| s.holds()) && state[1 + n..].iter().any(|u| *u != 0.0) {
        // Symmetries that were not declared may explain the velocities.
        let more = setting.affine_generators(&generators);
        if !more.is_empty() {
            generators.extend(more);
            steady = setting.steady(&generators, state, &motion);
        }
    }
    let holds = steady.as_ref().is_some_and(|s| s.holds());
    let mut along = Vec::new();
    if let Some(s) = steady.as_ref().filter(|s| s.holds()) {
        let moved = generators.iter().zip(&s.speeds).filter(|(_, w)| **w != 0.0);
        along.extend(moved.map(|(g, w)| (g.name.clone(), *w)));
    }
    let mut full = motion.full.clone();
    match &steady {
        Some(s) if s.holds() => {
            if let Some(moved) = setting.comoving(&s.field, state, &full)
                && moved != full
            {
                warnings.push(Diagnostic::warning(
                    Code::MovingAxes,
                    "the matrices are those in axes that move with the steady motion, along its symmetry",
                    "in the coordinates of the model the matrix changes along the motion",
                    None,
                ));
                full = moved;
            }
        }
        _ => {
            let worst = steady.as_ref().map_or(0, |s| s.worst);
            let name = setting.coordinate(worst);
            warnings.push(Diagnostic::warning(
                Code::NotSteady,
                match steady.as_ref().is_some_and(|s| s.velocity_residual > s.acceleration_residual) {
                    true => "the state is no equilibrium and no steady motion: its velocities belong to no symmetry".into(),
                    false => format!(
                        "the state is no equilibrium and no steady motion: the acceleration of `{name}` is {:e}",
                        motion.acceleration[worst]
                    ),
                },
                "`galilei equilibrium` finds equilibria; eigenvalues along a motion do not decide its stability",
                None,
            ));
        }
    }
    let a = tangent.restrict(&full);
    let rows = |m: &DMatrix<f64>| -> Vec<Vec<f64>> {
        m.row_iter()
            .map(|r| r.iter().map(|x| x + 0.0).collect())
            .collect()
    };
    let a_rows = rows(&a);
    let Some(eigen) = eigen(&a_rows) else {
        return Err(refused(
            Code::NotFinite,
            "the eigenvalues of the linearisation do not converge",
            "check the model for quantities of very different sizes",
        ));
    };
    let worst = eigen.residuals.iter().fold(0.0_f64, |m, r| m.max(*r));
    if worst > MAX_RESIDUAL {
        warnings.push(Diagnostic::warning(
            Code::CoarseEigenvectors,
            format!("an eigenvector satisfies its equation only to {worst:.1e} of the matrix"),
            "the matrix is nearly defective: eigenvalues that nearly coincide are uncertain, too",
            None,
        ));
    }
    let moved = match increments.is_empty() {
        true => DMatrix::zeros(2 * n, 0),
        false => tangent.moved_by(model, &increments, state)?,
    };
    let b = (&full * &moved + &motion.by_increments).select_rows(&tangent.rows());
    let mut d = None;
    let c = match outputs(&setting, &motion, state, &increments) {
        Some(both) => {
            let (of_state, of_inputs) = both.columns_range_pair(0..2 * n, 2 * n..);
            if !increments.is_empty() {
                d = Some(rows(&(of_state * &moved + of_inputs)));
            }
            Some(rows(&(of_state * &tangent.basis)))
        }
        None => {
            warnings.push(Diagnostic::warning(
                Code::NotDifferentiable,
                "an output has no derivatives at the state, and C is left out",
                "norms of reactions have none where they vanish, piecewise functions none at their kinks",
                None,
            ));
            None
        }
    };
    let shape = |vector: &Vec<[f64; 2]>| -> Vec<[f64; 2]> {
        let part = |i: usize, c: usize| -> f64 {
            (0..vector.len())
                .map(|k| tangent.basis[(i, k)] * vector[k][c])
                .sum()
        };
        (0..n).map(|i| [part(i, 0), part(i, 1)]).collect()
    };
    let contents = model.contents();
    let names = &contents.coordinates;
    let positions = tangent.positions.iter().map(|&i| names[i].name.clone());
    let velocities = tangent
        .velocities
        .iter()
        .map(|&i| format!("{}'", names[i].name));
    let size = |s: &[f64; 2]| s[0].hypot(s[1]);
    Ok(Modes {
        time: state[0],
        position: state[1..=n].to_vec(),
        velocity: state[1 + n..].to_vec(),
        independent: positions.chain(velocities).collect(),
        a: a_rows,
        inputs: inputs.iter().map(|i| i.name.clone()).collect(),
        b: (!increments.is_empty()).then(|| rows(&b)),
        outputs: contents.outputs.iter().map(|o| o.name.clone()).collect(),
        c,
        d,
        frequencies_hz: eigen
            .values
            .iter()
            .map(|s| s[1].abs() / std::f64::consts::TAU)
            .collect(),
        damping_ratios: (eigen.values.iter())
            .map(|s| (size(s) > 0.0).then(|| -s[0] / size(s) + 0.0))
            .collect(),
        shapes: eigen.vectors.iter().map(shape).collect(),
        eigen,
        steady: holds && autonomous,
        along,
        warnings,
    })
}

/// The derivatives of the outputs with respect to (x, u) and the increments of inputs, through multipliers and reactions,
/// too; `None` where they have none.
fn outputs(
    setting: &Setting<'_>,
    motion: &Linearisation,
    state: &[f64],
    increments: &[Expr<'_>],
) -> Option<DMatrix<f64>> {
    let pool = setting.pool();
    let n = setting.n();
    let contents = setting.model.contents();
    let count = contents.outputs.len();
    let values: Vec<Expr<'_>> = contents
        .outputs
        .iter()
        .map(|o| setting.model.expr(o.value))
        .collect();
    let fixed: Vec<_> = (setting.values.iter().copied())
        .filter(|(s, _)| !increments.contains(s))
        .collect();
    let values = pool.substitute_all(&values, &fixed);
    let stem = |name: &str| name.split('.').next().unwrap_or(name).to_owned();
    // Multipliers and norms of reactions as functions: (symbol, value, derivatives by x and u).
    let mut known: Vec<(Expr<'_>, f64, Vec<f64>)> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for r in &setting.rows {
        for name in [r.name.clone(), stem(&r.name)] {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    for name in &names {
        let member =
            |a: &usize| setting.rows[*a].name == *name || stem(&setting.rows[*a].name) == *name;
        let members: Vec<usize> = (0..setting.rows.len()).filter(member).collect();
        let multiplier = pool.symbol(&format!("multiplier({name})"));
        let reaction = pool.symbol(&format!("reaction({name})"));
        let used = |s: Expr<'_>| values.iter().any(|v| v.contains(s));
        if used(multiplier) {
            let a = members[0];
            let row = (motion.of_multipliers.row(a).iter())
                .chain(motion.multipliers_by_increments.row(a).iter())
                .copied()
                .collect();
            known.push((multiplier, motion.multipliers[a], row));
        }
        if used(reaction) {
            // The norm of a reaction changes with an input in a way that is not computed.
            if !increments.is_empty() {
                return None;
            }
            let (norm, slopes) = reaction_norm(setting, motion, state, &members)?;
            known.push((reaction, norm, slopes));
        }
    }
    let mut symbols = setting.state_symbols();
    symbols.extend(increments);
    symbols.extend(known.iter().map(|k| k.0));
    let mut point = state.to_vec();
    point.extend(increments.iter().map(|_| 0.0));
    point.extend(known.iter().map(|k| k.1));
    let slopes: Vec<Expr<'_>> = values
        .iter()
        .flat_map(|v| v.gradient(&symbols[1..]))
        .collect();
    let program = galilei_expr::Program::new(&slopes, &symbols).ok()?;
    let numbers = program.f64(&point);
    let own = 2 * n + increments.len();
    let width = own + known.len();
    let entry = |k: usize, j: usize| {
        let row = &numbers[k * width..(k + 1) * width];
        let through = known
            .iter()
            .enumerate()
            .map(|(m, known)| row[own + m] * known.2[j]);
        row[j] + through.sum::<f64>()
    };
    let matrix = DMatrix::from_fn(count, own, entry);
    matrix.iter().all(|x| x.is_finite()).then_some(matrix)
}

/// The norm of the reaction of some constraints in g⁻¹ and its derivatives by x and u.
fn reaction_norm(
    setting: &Setting<'_>,
    motion: &Linearisation,
    state: &[f64],
    members: &[usize],
) -> Option<(f64, Vec<f64>)> {
    let n = setting.n();
    let symbols = [&setting.x[..], &setting.u].concat();
    let mass = setting.lagrangian.hessian(&setting.u);
    let mut list: Vec<Expr<'_>> = mass.concat();
    for &a in members {
        list.extend(&setting.rows[a].covector);
    }
    let slopes: Vec<Expr<'_>> = list.iter().flat_map(|e| e.gradient(&symbols)).collect();
    let count = list.len();
    list.extend(slopes);
    let all = setting.at(&list, state)?;
    let (numbers, slopes) = all.split_at(count);
    let (mass, rows) = numbers.split_at(n * n);
    let row = |k: usize, i: usize| rows[k * n + i];
    let slope = |e: usize, j: usize| slopes[e * 2 * n + j];
    let lambda = |k: usize| motion.multipliers[members[k]];
    let range = 0..members.len();
    let force: Vec<f64> = (0..n)
        .map(|i| range.clone().map(|k| lambda(k) * row(k, i)).sum())
        .collect();
    let g = DMatrix::from_row_slice(n, n, mass);
    let w = g
        .lu()
        .solve(&nalgebra::DVector::from_column_slice(&force))?;
    let square: f64 = force.iter().zip(w.iter()).map(|(a, b)| a * b).sum();
    let norm = square.max(0.0).sqrt();
    let slopes = (0..2 * n).map(|j| {
        let mut sum = 0.0;
        for i in 0..n {
            for k in range.clone() {
                sum += w[i]
                    * (motion.of_multipliers[(members[k], j)] * row(k, i)
                        + lambda(k) * slope(n * n + k * n + i, j));
            }
            for l in 0..n {
                sum -= 0.5 * w[i] * w[l] * slope(i * n + l, j);
            }
        }
        sum / norm
    });
    let slopes: Vec<f64> = slopes.collect();
    slopes
        .iter()
        .all(|x| x.is_finite())
        .then_some((norm, slopes))
}
