//! Stability of equilibria and steady motions: by eigenvalues, and by the second variation of an energy. (T-202)

use galilei_expr::Expr;
use galilei_model::Enforcement;
use nalgebra::{Complex, DMatrix, DVector, SymmetricEigen};

use crate::eigen::{eigen, eigenvalues};
use crate::linearisation::{Derivatives, Tangent};
use crate::normal_form::twist;
use crate::poles::at_singular_point;
use crate::setting::{Generator, Setting, null_space, unit_null_space, vanishes};

/// Real parts below this, relative to the largest eigenvalue, do not decide.
const UNDECIDED_REAL_PART: f64 = 1e-7;
/// Eigenvalues on the imaginary axis that differ by less than this, relative to the largest, may coincide.
const DISTINCT: f64 = 1e-5;
/// Eigenvalues of scaled Hessians below this are zero.
const ZERO_CURVATURE: f64 = 1e-8;
/// Gradients below this, relative to their parts, are zero.
const CRITICAL: f64 = 1e-7;

/// Index and nullity of a second variation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EnergyHessian {
    /// The number of directions in which the energy falls.
    pub index: usize,
    /// The number of directions in which it does not change to second order.
    pub nullity: usize,
}

/// A judgement on stability.
pub(crate) struct Judged {
    pub(crate) stable: Option<bool>,
    pub(crate) reason: String,
    pub(crate) hessian: Option<EnergyHessian>,
    pub(crate) eigenvalues: Vec<[f64; 2]>,
    /// Whether the linearised motion is bounded.
    pub(crate) linearly_stable: Option<bool>,
}

/// Stability in words: `stable`, `unstable`, or what is known where no argument decides.
pub(crate) fn in_words(stable: Option<bool>, linearly_stable: Option<bool>) -> &'static str {
    match (stable, linearly_stable) {
        (Some(true), _) => "stable",
        (Some(false), _) => "unstable",
        (None, Some(true)) => "linearly stable, stability open",
        (None, _) => "stability open",
    }
}

/// The energy argument at a state.
struct Energy {
    hessian: EnergyHessian,
    /// Whether the energy has a strict maximum, on a set where the kinetic energy cannot grow.
    maximum: bool,
    /// Whether forces take energy away or do no work, so that a minimum is stable.
    falling: bool,
    /// Whether there are forces that do work.
    dissipative: bool,
    /// With one degree of freedom, whether a degenerate potential has a strict minimum by its first derivative that does
    /// not vanish.
    higher: Option<bool>,
    /// Names of the symmetries that move the state: a minimum is one modulo them.
    modulo: Vec<String>,
}

/// Judges a stationary state. `family` holds, in columns (δx, δu), directions to other stationary states.
pub(crate) fn judge(
    setting: &Setting<'_>,
    generators: &[Generator<'_>],
    speeds: &[f64],
    state: &[f64],
    autonomous: bool,
    family: &DMatrix<f64>,
    derivatives: &mut Derivatives,
) -> Judged {
    let mut judged = judge_below(
        setting,
        generators,
        speeds,
        state,
        autonomous,
        family,
        derivatives,
    );
    if judged.stable.is_some() || !autonomous {
        return judged;
    }
    if has_extremum(setting, state) == Some(true) {
        judged.stable = Some(true);
        judged.reason = "H has a strict extremum in (x, p) and is conserved (Dirichlet)".into();
    } else if judged.linearly_stable == Some(true) && setting.is_linear() {
        judged.stable = Some(true);
        judged.reason = format!(
            "the equations are linear, and eigenvalues on the imaginary axis are distinct{}",
            gyroscopic(judged.hessian)
        );
    } else if let Some(hessian) = judged.hessian
        && let Some((names, why, modulo)) =
            turning_extremum(setting, generators, speeds, state, family, derivatives)
    {
        judged.stable = Some(true);
        if hessian.index == 0 {
            // Directions along symmetries that nobody declared are no directions in which the energy is flat.
            judged.hessian = modulo;
        }
        judged.reason = match hessian.index {
            0 => why,
            _ => format!(
                "H and the momentum J of a symmetry that was found ({names}) are conserved, and H − ωJ has a strict extremum for some ω{}",
                gyroscopic(Some(hessian))
            ),
        };
    } else if judged.linearly_stable == Some(true)
        && let Some(why) = twist(setting, state)
    {
        judged.stable = Some(true);
        judged.reason = format!("{why}{}", gyroscopic(judged.hessian));
    }
    judged
}

/// The effect of dissipation on a stable state at which the energy is no minimum, in words.
fn gyroscopic(hessian: Option<EnergyHessian>) -> String {
    match hessian {
        Some(h) if h.index > 0 => format!(
            "; the energy is no minimum (index {}): gyroscopic forces stabilise, and dissipation destroys that (Kelvin–Tait–Chetaev)",
            h.index
        ),
        _ => String::new(),
    }
}

/// The names of symmetries that nobody declared, and the argument, if the energy with their momenta has a strict extremum,
/// modulo them. (T-202)
fn turning_extremum(
    setting: &Setting<'_>,
    generators: &[Generator<'_>],
    speeds: &[f64],
    state: &[f64],
    family: &DMatrix<f64>,
    derivatives: &mut Derivatives,
) -> Option<(String, String, Option<EnergyHessian>)> {
    let more = setting.affine_generators(generators);
    if more.is_empty() {
        return None;
    }
    let names: Vec<String> = more.iter().map(|g| g.name.clone()).collect();
    let all = [generators, &more].concat();
    let speeds = [speeds, &vec![0.0; more.len()]].concat();
    let found = judge_below(setting, &all, &speeds, state, true, family, derivatives);
    (found.stable == Some(true)).then(|| (names.join(", "), found.reason, found.hessian))
}

/// Whether the Hamiltonian of a model on phase space is conserved, and stationary with a definite Hessian at a state.
fn has_extremum(setting: &Setting<'_>, state: &[f64]) -> Option<bool> {
    let phase = setting.model.contents().phase.as_ref()?;
    let [h, power] =
        [phase.energy, phase.power].map(|e| setting.model.expr(e).substitute(&setting.values));
    let n = setting.n();
    let mut list = h.gradient(&setting.x);
    list.extend(h.hessian(&setting.x).concat());
    let values = setting.at(&list, state)?;
    let (slope, curvature) = values.split_at(n);
    let size = curvature.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
    let flat = slope.iter().all(|s| s.abs() <= CRITICAL * size);
    let values = SymmetricEigen::new(DMatrix::from_row_slice(n, n, curvature)).eigenvalues;
    let limit = ZERO_CURVATURE * size;
    let definite = values.iter().all(|c| *c > limit) || values.iter().all(|c| *c < -limit);
    Some(flat && definite && vanishes(power))
}

/// Judges by the energy of a Lagrangian and by eigenvalues.
fn judge_below(
    setting: &Setting<'_>,
    generators: &[Generator<'_>],
    speeds: &[f64],
    state: &[f64],
    autonomous: bool,
    family: &DMatrix<f64>,
    derivatives: &mut Derivatives,
) -> Judged {
    let mut judged = Judged {
        stable: None,
        reason: String::new(),
        hessian: None,
        eigenvalues: vec![],
        linearly_stable: None,
    };
    let singular = setting.has_singular_mass(state);
    if singular && setting.rows.is_empty() {
        let pole = autonomous.then(|| at_singular_point(setting, state));
        match pole.flatten() {
            Some((stable, reason)) => {
                judged.stable = Some(stable);
                judged.linearly_stable = Some(stable);
                judged.reason = reason;
            }
            None => {
                judged.reason = "the coordinates have a singular point there: the motion has no linearisation in them; `on sphere` and `on rotations` have none".into();
            }
        }
        return judged;
    }
    let energy = match autonomous && !singular {
        true => energy(setting, generators, speeds, state),
        false => None,
    };
    judged.hessian = energy.as_ref().map(|e| e.hessian);
    let minimum = energy
        .as_ref()
        .is_some_and(|e| e.falling && e.hessian.index == 0 && e.hessian.nullity == 0);
    let by_energy = || {
        let change = match energy.as_ref().is_some_and(|e| e.dissipative) {
            true => "does not grow",
            false => "is conserved",
        };
        let modulo = match energy.as_ref().map(|e| e.modulo.join(", ")) {
            Some(names) if !names.is_empty() => format!(
                ", modulo {names}: at fixed momentum; the drift along it that a change of momentum causes does not count"
            ),
            _ => String::new(),
        };
        format!("the energy has a strict minimum and {change} (Lagrange–Dirichlet){modulo}")
    };
    let field = setting.field(generators, speeds);
    let linear = derivatives.at(state).ok().and_then(|motion| {
        let tangent = Tangent::new(setting, state).ok()?;
        // Where the field vanishes the state rests, and axes need not move.
        let rests = state[1 + setting.n()..].iter().all(|u| *u == 0.0);
        let full = match rests {
            true => motion.full,
            false => setting.comoving(&field, state, &motion.full)?,
        };
        Some((tangent.restrict(&full), tangent))
    });
    let Some((a, tangent)) = linear else {
        if minimum {
            judged.stable = Some(true);
            judged.reason = by_energy();
        } else {
            judged.reason = "the motion has no linearisation there: a piecewise function has its kink, or a derivative has no value".into();
        }
        return judged;
    };
    let rows: Vec<Vec<f64>> = a.row_iter().map(|r| r.iter().copied().collect()).collect();
    if let Some(found) = eigen(&rows) {
        judged.eigenvalues = found.values;
    }
    if !autonomous {
        judged.reason = "the system depends on time".into();
        return judged;
    }
    // Directions to other stationary states decide nothing: the motion is judged modulo them.
    let along = family.select_rows(&tangent.rows());
    let across = null_space(&along.transpose(), 1e-9);
    let kept = match along.ncols() == 0
        || (across.transpose() * &a * &along).norm() > 1e-6 * a.norm() * along.norm()
    {
        true => DMatrix::identity(a.nrows(), a.nrows()),
        false => across,
    };
    let reduced = kept.transpose() * &a * &kept;
    let Some(values) = eigenvalues(&reduced) else {
        judged.reason = "the eigenvalues do not converge".into();
        return judged;
    };
    let largest = values.iter().fold(0.0_f64, |m, s| m.max(s.norm()));
    let limit = UNDECIDED_REAL_PART * largest;
    let fastest = values.iter().fold(f64::NEG_INFINITY, |m, s| m.max(s.re));
    let index = energy.as_ref().map(|e| e.hessian);
    judged.linearly_stable = bounded(&values, limit);
    if fastest > limit && largest > 0.0 && !minimum {
        judged.stable = Some(false);
        judged.reason = match index {
            // An odd index is unstable whatever gyroscopic forces there are.
            Some(h)
                if h.index > 0
                    && h.index.is_multiple_of(2)
                    && energy.as_ref().is_some_and(|e| e.dissipative) =>
            {
                format!(
                    "an eigenvalue has the real part {fastest:.3e} > 0; the energy is no minimum (index {}), and dissipation destroys gyroscopic stabilisation (Kelvin–Tait–Chetaev)",
                    h.index
                )
            }
            _ => format!("an eigenvalue has the real part {fastest:.3e} > 0"),
        };
    } else if minimum {
        judged.stable = Some(true);
        judged.reason = by_energy();
    } else if let Some(strict) = energy.as_ref().filter(|e| e.falling).and_then(|e| e.higher) {
        judged.stable = Some(strict);
        judged.reason = match strict {
            true => "the potential has a strict minimum, by a derivative of higher order (Lagrange–Dirichlet)".into(),
            false => "the potential has no minimum, by a derivative of higher order".into(),
        };
    } else if values.iter().all(|s| s.re < -limit) && largest > 0.0 {
        judged.stable = Some(true);
        judged.reason = "all eigenvalues have negative real parts".into();
    } else if energy.as_ref().is_some_and(|e| e.maximum) {
        judged.stable = Some(true);
        judged.reason = "the energy has a strict maximum at fixed momenta, modulo the symmetries, and is conserved (Lagrange–Dirichlet)".into();
    } else {
        judged.reason = match index {
            Some(h) if h.index > 0 => format!(
                "eigenvalues on the imaginary axis decide nothing, and the energy is no minimum (index {}): stabilised by gyroscopic forces at most, which dissipation destroys (Kelvin–Tait–Chetaev)",
                h.index
            ),
            Some(h) if h.nullity > 0 => "the second variation of the energy is degenerate".into(),
            _ => {
                "eigenvalues on the imaginary axis decide nothing, and there is no energy that does"
                    .into()
            }
        };
    }
    judged
}

/// Whether a linear motion with some eigenvalues is bounded: real parts beyond a limit decide, and on the imaginary axis
/// eigenvalues that are distinct. `None` where they are not.
fn bounded(values: &[Complex<f64>], limit: f64) -> Option<bool> {
    if values.iter().any(|s| s.re > limit) {
        return Some(false);
    }
    let largest = values.iter().fold(0.0_f64, |m, s| m.max(s.norm()));
    let neutral: Vec<&Complex<f64>> = values.iter().filter(|s| s.re >= -limit).collect();
    let apart = |i: usize| {
        let later = neutral.iter().skip(i + 1);
        (later.into_iter()).all(|s| (*s - neutral[i]).norm() > DISTINCT * largest)
    };
    (largest > 0.0 && (0..neutral.len()).all(apart)).then_some(true)
}

/// The second variation of H − Σ ωₖJₖ on the constraints, at fixed momenta and modulo the symmetries. `None` without an
/// energy: circulatory forces, moving constraints, momenta that are not conserved, or a state that is not critical.
fn energy(
    setting: &Setting<'_>,
    generators: &[Generator<'_>],
    speeds: &[f64],
    state: &[f64],
) -> Option<Energy> {
    let pool = setting.pool();
    let n = setting.n();
    let (x, u) = (&setting.x, &setting.u);
    let conserved: Vec<usize> = (0..generators.len())
        .filter(|&k| generators[k].conserved)
        .collect();
    if (0..generators.len()).any(|k| speeds[k] != 0.0 && !generators[k].conserved) {
        return None;
    }
    // A force is a potential one at rest, and a rest that does work.
    let still: Vec<(Expr<'_>, Expr<'_>)> = u.iter().map(|v| (*v, pool.zero())).collect();
    let resting = pool.substitute_all(&setting.force, &still);
    for i in 0..n {
        for j in 0..i {
            if !vanishes(resting[i].diff(x[j]) - resting[j].diff(x[i])) {
                return None;
            }
        }
    }
    let power = pool.sum((0..n).map(|i| (setting.force[i] - resting[i]) * u[i]));
    let dissipative = !vanishes(power);
    let falling = !dissipative || takes_energy(setting, power, state);
    // Reactions do no work.
    for r in &setting.rows {
        let (Some(residual), Enforcement::Ideal) = (r.residual, &r.enforcement) else {
            return None;
        };
        let homogeneous = match r.rate {
            Some(_) => vanishes(residual.diff(setting.time)),
            None => {
                let whole = pool.sum(r.row.iter().zip(u).map(|(&j, &u)| j * u));
                vanishes(whole - residual)
            }
        };
        if !homogeneous {
            return None;
        }
    }
    let l = setting.lagrangian;
    let momenta = l.gradient(u);
    if !vanishes(l.diff(setting.time)) {
        return None;
    }
    let h = pool.sum((0..n).map(|i| momenta[i] * u[i])) - l;
    let symbols = [&x[..], u].concat();
    let of = |k: usize| pool.sum((0..n).map(|i| momenta[i] * generators[k].components[i]));
    let moments: Vec<Expr<'_>> = conserved.iter().map(|&k| of(k)).collect();
    let tangent = Tangent::new(setting, state).ok()?;
    // Gradients: of H without and of each momentum, of the constraints.
    let mut levels: Vec<Expr<'_>> = Vec::new();
    for r in &setting.rows {
        levels.extend(r.residual);
        levels.extend(r.rate);
    }
    let gradient = |e: Expr<'_>| -> Option<DVector<f64>> {
        Some(DVector::from_vec(setting.at(&e.gradient(&symbols), state)?))
    };
    let mut of_h = gradient(h)?;
    let forces = setting.at(&resting, state)?;
    let mut size =
        of_h.abs() + DVector::from_fn(2 * n, |i, _| if i < n { forces[i].abs() } else { 0.0 });
    for i in 0..n {
        of_h[i] -= forces[i];
    }
    let of_moments: Vec<DVector<f64>> = moments
        .iter()
        .map(|&j| gradient(j))
        .collect::<Option<_>>()?;
    let own: Vec<f64> = conserved.iter().map(|&k| speeds[k]).collect();
    let of_levels: Vec<DVector<f64>> =
        levels.iter().map(|&e| gradient(e)).collect::<Option<_>>()?;
    let prolonged = |k: usize| -> Option<DVector<f64>> {
        let g = &generators[k].components;
        let pairs: Vec<(Expr<'_>, Expr<'_>)> = x.iter().copied().zip(u.iter().copied()).collect();
        let rates: Vec<Expr<'_>> = g.iter().map(|v| v.derivative_along(&pairs)).collect();
        Some(DVector::from_vec(
            setting.at(&[&g[..], &rates].concat(), state)?,
        ))
    };
    let fields: Vec<DVector<f64>> = conserved
        .iter()
        .map(|&k| prolonged(k))
        .collect::<Option<_>>()?;
    let second = |e: Expr<'_>| -> Option<DMatrix<f64>> {
        let list: Vec<Expr<'_>> = e.hessian(&symbols).concat();
        Some(DMatrix::from_row_slice(
            2 * n,
            2 * n,
            &setting.at(&list, state)?,
        ))
    };
    let mut base = second(h)?;
    let slopes: Vec<Expr<'_>> = resting.iter().flat_map(|f| f.gradient(x)).collect();
    let slopes = setting.at(&slopes, state)?;
    for i in 0..n {
        for j in 0..n {
            base[(i, j)] -= 0.5 * (slopes[i * n + j] + slopes[j * n + i]);
        }
    }
    // The size that gradients have a unit away.
    for i in 0..2 * n {
        size[i] += (0..2 * n)
            .map(|j| base[(i, j)].abs() * state[1 + j].abs().max(1.0))
            .sum::<f64>();
    }
    let critical = |speeds: &[f64]| -> Option<Vec<f64>> {
        let mut w = of_h.clone();
        let mut scale = size.clone();
        for (s, j) in speeds.iter().zip(&of_moments) {
            w -= j * *s;
            scale += j.abs() * s.abs();
        }
        let alpha: Vec<f64> = match of_levels.is_empty() {
            true => vec![],
            false => {
                let matrix = DMatrix::from_columns(&of_levels);
                let found = matrix.clone().svd(true, true).solve(&w, 1e-12).ok()?;
                let fitted = &matrix * &found;
                for i in 0..2 * n {
                    scale[i] += fitted[i].abs();
                }
                w -= fitted;
                found.iter().copied().collect()
            }
        };
        let largest = scale.amax().max(f64::MIN_POSITIVE);
        (w.amax() <= CRITICAL * largest).then_some(alpha)
    };
    let alpha = critical(&own)?;
    let of_momentum: Vec<DMatrix<f64>> =
        moments.iter().map(|&j| second(j)).collect::<Option<_>>()?;
    let of_level: Vec<DMatrix<f64>> = levels.iter().map(|&e| second(e)).collect::<Option<_>>()?;
    // Directions on the constraints at fixed momenta, modulo the symmetries.
    let rows = match of_moments.is_empty() {
        true => DMatrix::zeros(0, 2 * n),
        false => DMatrix::from_columns(&of_moments).transpose(),
    };
    let inside = &tangent.basis * null_space(&(&rows * &tangent.basis), 1e-10);
    let orthonormal = range(&inside);
    let mut kept: Vec<DVector<f64>> = keeping(&fields, &rows)
        .iter()
        .map(|r| orthonormal.transpose() * r)
        .filter(|r| r.norm() > 1e-12)
        .collect();
    // Along a symmetry whose momentum reactions change, the energy is the same, too.
    for k in (0..generators.len()).filter(|&k| generators[k].invariant && !generators[k].conserved)
    {
        let field = prolonged(k)?;
        let inside = orthonormal.transpose() * &field;
        if inside.norm() > 1e-12 && (inside.norm() - field.norm()).abs() <= 1e-9 * field.norm() {
            kept.push(inside);
        }
    }
    let across = match kept.is_empty() {
        true => DMatrix::identity(orthonormal.ncols(), orthonormal.ncols()),
        false => null_space(&DMatrix::from_columns(&kept).transpose(), 1e-10),
    };
    let basis = orthonormal * across;
    let restricted = |speeds: &[f64], alpha: &[f64]| {
        let mut w = base.clone();
        for (s, j) in speeds.iter().zip(&of_momentum) {
            w -= j * *s;
        }
        for (a, e) in alpha.iter().zip(&of_level) {
            w -= e * *a;
        }
        basis.transpose() * w * &basis
    };
    let hessian = best(&fields, &own, alpha, &critical, &restricted);
    // −H falls then, and is conserved.
    let maximum = !dissipative && hessian.index == basis.ncols() && hessian.index > 0;
    // Fields that vanish at the state move nothing.
    let moving = |k: &usize| {
        generators[*k].invariant && prolonged(*k).is_some_and(|field| field.norm() > 1e-12)
    };
    let modulo = match kept.is_empty() {
        true => vec![],
        false => (0..generators.len())
            .filter(moving)
            .map(|k| generators[k].name.clone())
            .collect(),
    };
    let plain = n == 1 && setting.rows.is_empty() && speeds.iter().all(|w| *w == 0.0);
    let higher = match plain && hessian.nullity == 1 {
        true => higher_order(
            setting,
            pool.substitute_all(&[l.diff(x[0]) + resting[0]], &still)[0],
            state,
        ),
        false => None,
    };
    Some(Energy {
        hessian,
        maximum,
        falling,
        dissipative,
        higher,
        modulo,
    })
}

/// The combinations of fields that keep the momenta: with symmetries that do not commute, those of the isotropy group.
fn keeping(fields: &[DVector<f64>], rows: &DMatrix<f64>) -> Vec<DVector<f64>> {
    let moving: Vec<DVector<f64>> = (fields.iter().filter(|f| f.norm() > 1e-12))
        .map(DVector::normalize)
        .collect();
    if moving.is_empty() || rows.nrows() == 0 {
        return moving;
    }
    let all = DMatrix::from_columns(&moving);
    let mut own = rows.clone();
    for mut row in own.row_iter_mut() {
        let size = row.norm();
        if size > 0.0 {
            row /= size;
        }
    }
    let combined = &all * unit_null_space(&(own * &all), 1e-9);
    combined.column_iter().map(|c| c.into_owned()).collect()
}

/// The second variation on the tangent of the momenta, for speeds along the symmetries and multipliers.
type Restricted<'a> = &'a dyn Fn(&[f64], &[f64]) -> DMatrix<f64>;

/// The index and nullity for the speeds, or, where fields of symmetries coincide at the state, for the combination of
/// speeds with the largest lowest curvature: each is a Lyapunov function.
fn best(
    fields: &[DVector<f64>],
    speeds: &[f64],
    alpha: Vec<f64>,
    critical: &dyn Fn(&[f64]) -> Option<Vec<f64>>,
    restricted: Restricted<'_>,
) -> EnergyHessian {
    let first = count(&restricted(speeds, &alpha));
    if fields.is_empty() || first.0.index + first.0.nullity == 0 {
        return first.0;
    }
    let free = null_space(&DMatrix::from_columns(fields), 1e-9);
    let scale = 1.0 + speeds.iter().fold(0.0_f64, |m, s| m.max(s.abs()));
    let mut found = first;
    for c in free.column_iter() {
        let at = |t: f64| {
            let moved: Vec<f64> = speeds
                .iter()
                .zip(c.iter())
                .map(|(s, c)| s + t * c)
                .collect();
            critical(&moved).map(|alpha| count(&restricted(&moved, &alpha)))
        };
        // The lowest curvature is a concave function of the combination.
        let (mut low, mut high) = (-20.0 * scale, 20.0 * scale);
        for _ in 0..120 {
            let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            let (Some(p), Some(q)) = (at(a), at(b)) else {
                break;
            };
            for candidate in [p, q] {
                if candidate.1 > found.1 {
                    found = candidate;
                }
            }
            match p.1 < q.1 {
                true => low = a,
                false => high = b,
            }
        }
    }
    found.0
}

/// Index and nullity of a symmetric matrix, and its lowest eigenvalue.
fn count(matrix: &DMatrix<f64>) -> (EnergyHessian, f64) {
    let k = matrix.nrows();
    if k == 0 {
        return (
            EnergyHessian {
                index: 0,
                nullity: 0,
            },
            f64::INFINITY,
        );
    }
    let largest = matrix.amax().max(f64::MIN_POSITIVE);
    let scale: Vec<f64> = (0..k)
        .map(|i| matrix.row(i).amax().max(1e-12 * largest).sqrt())
        .collect();
    let scaled = DMatrix::from_fn(k, k, |i, j| {
        0.5 * (matrix[(i, j)] + matrix[(j, i)]) / (scale[i] * scale[j])
    });
    let values = SymmetricEigen::new(scaled).eigenvalues;
    let index = values.iter().filter(|v| **v < -ZERO_CURVATURE).count();
    let nullity = values.iter().filter(|v| v.abs() <= ZERO_CURVATURE).count();
    let symmetric = DMatrix::from_fn(k, k, |i, j| 0.5 * (matrix[(i, j)] + matrix[(j, i)]));
    let lowest = SymmetricEigen::new(symmetric).eigenvalues.min();
    (EnergyHessian { index, nullity }, lowest)
}

/// An orthonormal basis of the span of columns.
fn range(columns: &DMatrix<f64>) -> DMatrix<f64> {
    match columns.ncols() {
        0 => columns.clone(),
        _ => columns.clone().qr().q(),
    }
}

/// Whether a power is nowhere positive near a state: by its form, or as a definite quadratic function of the velocities.
fn takes_energy(setting: &Setting<'_>, power: Expr<'_>, state: &[f64]) -> bool {
    let assumptions = setting.model.assumptions();
    if (-power).is_nonnegative_everywhere(&assumptions) {
        return true;
    }
    let pool = setting.pool();
    let u = &setting.u;
    let n = setting.n();
    let hessian: Vec<Expr<'_>> = power.hessian(u).concat();
    if !hessian.iter().all(|e| !e.contains_any(u)) {
        return false;
    }
    let square = pool.sum((0..n).flat_map(|i| {
        let hessian = &hessian;
        (0..n).map(move |j| hessian[i * n + j] * u[i] * u[j])
    }));
    if !vanishes(power * 2 - square) {
        return false;
    }
    let Some(values) = setting.at(&hessian, state) else {
        return false;
    };
    let matrix = DMatrix::from_row_slice(n, n, &values);
    let values = SymmetricEigen::new(-matrix.clone()).eigenvalues;
    let largest = matrix.amax();
    let constant = hessian.iter().all(|e| !e.contains_any(&setting.x));
    let least = values.iter().fold(f64::INFINITY, |m, v| m.min(*v));
    // A definite form stays definite nearby; a semidefinite one only if it is the same everywhere.
    least > 1e-9 * largest || constant && least >= -1e-13 * largest
}

/// Whether the potential of a force −∂V/∂x in one coordinate has a strict minimum, by its first derivative that does not
/// vanish; `None` if none of the first ones does.
fn higher_order(setting: &Setting<'_>, force: Expr<'_>, state: &[f64]) -> Option<bool> {
    let mut slope = force;
    let mut sizes: Vec<f64> = Vec::new();
    for order in 1..=8 {
        slope = slope.diff(setting.x[0]);
        let value = setting.at(&[slope], state)?[0];
        let largest = sizes.iter().fold(value.abs(), |m, s| m.max(*s));
        if order >= 2 && value.abs() > 1e-6 * largest.max(1e-300) && largest > 1e-12 {
            // The force is −c·δxᵏ: restoring for odd k and positive c.
            return Some(order % 2 == 1 && value < 0.0);
        }
        sizes.push(value.abs());
    }
    None
}
