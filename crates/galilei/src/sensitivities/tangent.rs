//! Directions tangent to the constraints.

use galilei_expr::Expr;
use galilei_model::{Diagnostic, Model};

/// The smallest relative length of the orthogonal part of a direction that counts as independent.
const INDEPENDENT_PART: f64 = 1e-9;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The part of a direction that is orthogonal to orthonormal ones, normalised; `None` where it vanishes.
fn orthogonal_part(list: &[Vec<f64>], direction: &[f64]) -> Option<Vec<f64>> {
    let size = dot(direction, direction).sqrt();
    let mut rest = direction.to_vec();
    // A second pass removes the rounding errors of the first.
    for other in list.iter().chain(list) {
        let part = dot(&rest, other);
        rest.iter_mut().zip(other).for_each(|(r, o)| *r -= part * o);
    }
    let left = dot(&rest, &rest).sqrt();
    let some = left.is_finite() && left > INDEPENDENT_PART * size;
    some.then(|| rest.iter().map(|r| r / left).collect())
}

fn unit(size: usize, d: usize) -> Vec<f64> {
    (0..size).map(|i| f64::from(u8::from(i == d))).collect()
}

/// (δx, δp) of a sensitivity (δx, δu) by the Legendre map, with length one.
fn with_momenta(legendre: &[f64], sensitivity: &[f64]) -> Vec<f64> {
    let momenta = legendre
        .chunks(sensitivity.len())
        .map(|p| dot(p, sensitivity));
    let positions = sensitivity[..sensitivity.len() / 2].iter().copied();
    let both: Vec<f64> = positions.chain(momenta).collect();
    let length = dot(&both, &both).sqrt();
    both.iter().map(|v| v / length).collect()
}

/// Independent sensitivities (δx, δp) of a state (t, x, u) that keep all constraints, given the derivatives of the
/// Legendre map; without constraints those of single components.
pub(super) fn tangent(
    model: &Model,
    state: &[f64],
    legendre: &[f64],
) -> Result<Vec<Vec<f64>>, Vec<Diagnostic>> {
    let size = state.len() - 1;
    let normals = normals(model, state)?;
    if normals.is_empty() {
        return Ok((0..size).map(|d| unit(size, d)).collect());
    }
    let mut all = normals.clone();
    for d in 0..size {
        all.extend(orthogonal_part(&all, &unit(size, d)));
    }
    let kept = all[normals.len()..].iter();
    Ok(kept.map(|v| with_momenta(legendre, v)).collect())
}

/// Orthonormal directions of (x, u) normal to the constraints.
fn normals(model: &Model, state: &[f64]) -> Result<Vec<Vec<f64>>, Vec<Diagnostic>> {
    let values = model.parameter_values()?;
    let system = model.system();
    let space = system.state();
    let moving = space.base().positions().iter().chain(space.velocities());
    let moving: Vec<Expr<'_>> = moving.copied().collect();
    let names = std::iter::once(space.time()).chain(moving.iter().copied());
    let at: Vec<(Expr<'_>, f64)> = names.zip(state.iter().copied()).collect();
    let mut list: Vec<Vec<f64>> = Vec::new();
    for c in model.constraint_rows() {
        for f in c.residual.into_iter().chain(c.rate) {
            let slope = |z: &Expr<'_>| f.diff(*z).substitute(&values).evaluate_f64(&at);
            let row: Vec<f64> = moving.iter().map(slope).collect();
            list.extend(orthogonal_part(&list, &row));
        }
    }
    Ok(list)
}
