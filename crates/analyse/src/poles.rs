//! States of rest at singular points of coordinates, such as the poles of a spherical pendulum. (T-202)

use galilei_expr::Expr;
use nalgebra::{DMatrix, SymmetricEigen};

use crate::eigen::Random;
use crate::setting::{Setting, vanishes};

/// Rows of the mass matrix below this part of its largest entry vanish.
const SILENT: f64 = 1e-14;
/// Curvatures below this part of the largest are zero.
const FLAT: f64 = 1e-8;

/// Whether a state of rest is stable where some coordinates, such as an azimuth at a pole, move nothing, with the argument:
/// by the potential as a function of the others, and by the motion in which the former rest. `None` where neither
/// decides.
pub(crate) fn at_singular_point(setting: &Setting<'_>, state: &[f64]) -> Option<(bool, String)> {
    let pool = setting.pool();
    let n = setting.n();
    let (x, u, l) = (&setting.x, &setting.u, setting.lagrangian);
    if l.contains(setting.time) || !setting.force.iter().all(|f| vanishes(*f)) {
        return None;
    }
    let hessian = l.hessian(u).concat();
    if hessian.iter().any(|e| e.contains_any(u)) {
        return None;
    }
    let mass = |state: &[f64]| Some(DMatrix::from_row_slice(n, n, &setting.at(&hessian, state)?));
    let here = mass(state)?;
    let is_silent = |m: &DMatrix<f64>, i: usize| m.row(i).amax() <= SILENT * here.amax();
    let silent: Vec<usize> = (0..n).filter(|&i| is_silent(&here, i)).collect();
    let others: Vec<usize> = (0..n).filter(|i| !silent.contains(i)).collect();
    if silent.is_empty() || others.is_empty() || others.iter().any(|&i| state[1 + n + i] != 0.0) {
        return None;
    }
    // Wherever the silent coordinates are, the place is the same: they have no length there.
    let mut random = Random::new(29);
    for _ in 0..4 {
        let mut turned = state.to_vec();
        for &i in &silent {
            turned[1 + i] = 6.0 * random.unit() - 3.0;
        }
        let there = mass(&turned)?;
        if silent.iter().any(|&i| !is_silent(&there, i)) {
            return None;
        }
        // Nearby the kinetic energy is positive.
        for i in 0..n {
            turned[1 + i] += 1e-3 * (random.unit() - 0.5);
        }
        if SymmetricEigen::new(mass(&turned)?).eigenvalues.min() <= 0.0 {
            return None;
        }
    }
    let their_x: Vec<Expr<'_>> = others.iter().map(|&i| x[i]).collect();
    let their_u: Vec<Expr<'_>> = others.iter().map(|&i| u[i]).collect();
    let still: Vec<(Expr<'_>, Expr<'_>)> = u.iter().map(|v| (*v, pool.zero())).collect();
    let potential = -l.substitute(&still);
    let natural = pool.substitute_all(&l.gradient(u), &still);
    let idle = |i: &usize| vanishes(potential.diff(x[*i]));
    if !silent.iter().all(idle) || !natural.into_iter().all(vanishes) {
        return None;
    }
    let mut place = state.to_vec();
    place[1 + n..].fill(0.0);
    let flat = potential.hessian(&their_x).concat();
    let m = others.len();
    let curvature = DMatrix::from_row_slice(m, m, &setting.at(&flat, &place)?);
    let values = SymmetricEigen::new(curvature).eigenvalues;
    let limit = FLAT * values.amax();
    let names = |list: &[usize]| -> String {
        let names: Vec<&str> = list.iter().map(|&i| setting.coordinate(i)).collect();
        names.join(", ")
    };
    if limit > 0.0 && values.iter().all(|v| *v > limit) {
        let reason = format!(
            "the potential has a strict minimum in {} and the energy is conserved (Lagrange–Dirichlet); the coordinates have a singular point there",
            names(&others)
        );
        return Some((true, reason));
    }
    // Motions in which the silent coordinates rest are motions of the whole system.
    let mut resting: Vec<(Expr<'_>, Expr<'_>)> = Vec::new();
    for &i in &silent {
        resting.extend([(x[i], pool.zero()), (u[i], pool.zero())]);
    }
    let momenta = l.gradient(u);
    let slopes = l.gradient(x);
    let closed = silent.iter().all(|&i| {
        [momenta[i], slopes[i]]
            .into_iter()
            .all(|e| vanishes(e.substitute(&resting)))
    });
    let own = l.substitute(&resting).hessian(&their_u).concat();
    let own = DMatrix::from_row_slice(m, m, &setting.at(&own, &place)?);
    let regular = SymmetricEigen::new(own).eigenvalues.min() > 0.0;
    (closed && regular && values.min() < -limit).then(|| {
        let reason = format!(
            "the potential has no minimum in {}, and motions with {} at rest leave; the coordinates have a singular point there",
            names(&others),
            names(&silent)
        );
        (false, reason)
    })
}
