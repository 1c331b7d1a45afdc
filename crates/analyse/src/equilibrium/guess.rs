//! Starts of a search: velocities that fit the constraints, places on ready-made manifolds.

use galilei_expr::Expr;
use galilei_model::{Manifold, ManifoldKind};
use nalgebra::{DMatrix, DVector};

use super::SAME;
use super::problem::{Problem, Unknowns};
use crate::eigen::Random;
use crate::setting::Setting;

/// Squares of coordinates of a ready-made manifold above this are near the end of their chart.
const END_OF_CHART: f64 = 1e8;
/// Steps of Newton's method for velocities under constraints.
const MAX_VELOCITY_STEPS: usize = 8;

/// Changes velocities of a guess that were not given, as little as possible, so that they fit the given ones under the
/// constraints: a wheel that turns rolls. Nothing is changed where that is impossible.
pub(super) fn follow_constraints(setting: &Setting<'_>, guess: &mut [f64], given: &[bool]) {
    let n = setting.n();
    let moves = (0..n).any(|i| given[i] && guess[1 + n + i] != 0.0);
    let loose: Vec<usize> = (0..n).filter(|&i| !given[i]).collect();
    if !moves || loose.is_empty() || setting.rows.is_empty() {
        return;
    }
    let mut list: Vec<Expr<'_>> = Vec::new();
    for r in &setting.rows {
        let Some(speed) = r.rate.or(r.residual) else {
            return;
        };
        list.push(speed);
        list.extend(&r.row);
    }
    let mut near = guess.to_vec();
    let size = near[1 + n..].iter().fold(0.0_f64, |m, u| m.max(u.abs()));
    for _ in 0..MAX_VELOCITY_STEPS {
        let Some(values) = setting.at(&list, &near) else {
            return;
        };
        let rows: Vec<&[f64]> = values.chunks(1 + n).collect();
        let worst = rows.iter().fold(0.0_f64, |m, r| m.max(r[0].abs()));
        let scale = rows.iter().flat_map(|r| &r[1..]);
        let scale = scale.fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
        if worst <= 1e-13 * scale * size {
            guess.copy_from_slice(&near);
            return;
        }
        let matrix = DMatrix::from_fn(rows.len(), loose.len(), |a, k| rows[a][1 + loose[k]]);
        let right = DVector::from_fn(rows.len(), |a, _| -rows[a][0]);
        let Ok(step) = matrix.svd(true, true).solve(&right, 1e-10 * scale) else {
            return;
        };
        for (k, &i) in loose.iter().enumerate() {
            near[1 + n + i] += step[k];
        }
    }
}

impl Problem<'_, '_> {
    /// The places of the coordinates of ready-made manifolds among the unknowns, where all of them are unknown.
    pub(super) fn curved<'a>(
        &'a self,
        plan: &'a Unknowns,
    ) -> impl Iterator<Item = (ManifoldKind, Vec<usize>)> {
        let curved = |m: &&Manifold| m.kind != ManifoldKind::Circle;
        let manifolds = self.setting.model.manifolds().iter().filter(curved);
        manifolds.filter_map(|m| {
            let own = m.first..m.first + m.kind.dimension();
            let place = |i: usize| plan.positions.iter().position(|&p| p == i);
            Some((m.kind, own.map(place).collect::<Option<Vec<usize>>>()?))
        })
    }

    /// Turns the coordinates of rotations into those of at most half a turn: y and −y/y² are the same rotation.
    pub(super) fn fold(&self, plan: &Unknowns, y: &mut [f64]) {
        for (kind, places) in self.curved(plan) {
            let square: f64 = places.iter().map(|&k| y[k] * y[k]).sum();
            if kind == ManifoldKind::Rotations && square > 1.0 + SAME {
                places.iter().for_each(|&k| y[k] /= -square);
            }
        }
    }

    /// Whether the point of a sphere is where its chart ends, so that the equations hold there in the limit at most.
    pub(super) fn is_at_end(&self, plan: &Unknowns, y: &[f64]) -> bool {
        let square = |places: Vec<usize>| places.iter().map(|&k| y[k] * y[k]).sum::<f64>();
        self.curved(plan)
            .any(|(_, places)| square(places) > END_OF_CHART)
    }
}

/// Draws a point of a ready-made manifold, from all of it: in a cube around the unit ball of its chart, and for spheres in
/// half of the cases beyond.
pub(super) fn spread_over(
    kind: ManifoldKind,
    places: &[usize],
    start: &mut [f64],
    random: &mut Random,
) {
    for &k in places {
        start[k] = 2.0 * random.unit() - 1.0;
    }
    let square: f64 = places.iter().map(|&k| start[k] * start[k]).sum();
    if kind == ManifoldKind::Sphere && random.unit() < 0.5 && square > 1e-3 {
        places.iter().for_each(|&k| start[k] /= square);
    }
}
