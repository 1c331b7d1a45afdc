//! Families of periodic motions along a parameter, by pseudo-arclength.

use galilei_model::{Code, Diagnostic};
use nalgebra::DVector;

use super::{Bifurcation, Orbit, PeriodicMotions, Plane, Point, Shooting};
use crate::setting::null_space;

/// Points of a family.
const MAX_POINTS: usize = 400;
/// The first step, as a part of the range.
const FIRST_STEP: f64 = 0.05;
/// The largest step, as a part of the range.
const LARGEST_STEP: f64 = 0.1;
/// The smallest step, as a part of the range.
const SMALLEST_STEP: f64 = 1e-6;
/// The distance of multipliers from ±1 at the ends of an interval from which on the sign of det(M ∓ 1) is no rounding.
const CLEAR_DISTANCE: f64 = 1e-4;
/// Halvings that locate a bifurcation.
const HALVINGS: usize = 26;

/// A point of the family with its direction.
struct Along {
    point: Point,
    /// By (x, u, period, parameter), of length one in scaled units.
    tangent: Vec<f64>,
}

/// Follows the family from the first value of the parameter to the last.
pub(super) fn follow(
    shooting: &Shooting<'_>,
    start: Orbit,
    last: f64,
    found: &mut PeriodicMotions,
) -> Result<(), Vec<Diagnostic>> {
    let first = start.parameter.unwrap_or(0.0);
    let range = last - first;
    let point = shooting.begin(&start)?;
    found.motions.push(shooting.motion(&point, None));
    if range == 0.0 {
        return Ok(());
    }
    let mut scale = Scale::new(&point, range);
    // In the plane of the first point the derivatives by the parameter are known, too.
    let level = Plane {
        point: shooting.vector(&point.orbit),
        normal: scale.unit_parameter(),
    };
    let point = shooting.correct(&point.orbit, Some(&level))?;
    let tangent = direction(shooting, &point, &scale, &scale.unit_parameter());
    let mut here = Along { point, tangent };
    if here.tangent[scale.parameter()] * range < 0.0 {
        here.tangent.iter_mut().for_each(|t| *t = -*t);
    }
    let mut step = FIRST_STEP;
    while found.motions.len() < MAX_POINTS {
        // Orbits may have grown by orders of magnitude since the start.
        scale = Scale::new(&here.point, range);
        here.tangent = direction(shooting, &here.point, &scale, &here.tangent);
        let Some(next) = advance(shooting, &here, &scale, step) else {
            step *= 0.5;
            if step < SMALLEST_STEP {
                break;
            }
            continue;
        };
        let value = next.point.orbit.parameter.unwrap_or(first);
        let beyond = |end: f64, sign: f64| (value - end) * sign * range.signum() > 0.0;
        for (end, reached) in [(last, beyond(last, 1.0)), (first, beyond(first, -1.0))] {
            if !reached {
                continue;
            }
            let before = here.point.orbit.parameter.unwrap_or(first);
            let part = (end - before) / (value - before);
            let mut guess = mixed(shooting, &here.point.orbit, &next.point.orbit, part);
            guess.parameter = Some(end);
            let closing = shooting.correct(&guess, None)?;
            if let Some(kind) = located(
                shooting,
                &here,
                &Along {
                    point: closing.clone(),
                    tangent: next.tangent.clone(),
                },
                &scale,
            ) {
                found.motions.push(kind);
            }
            found.motions.push(shooting.motion(&closing, None));
            if end == first {
                found.warnings.push(Diagnostic::warning(
                    Code::FamilyEnds,
                    format!("the family turns back to {first} and does not reach {last}"),
                    "a fold is among the motions; continue the other part from another start",
                    None,
                ));
            }
            return Ok(());
        }
        if let Some(special) = located(shooting, &here, &next, &scale) {
            found.motions.push(special);
        }
        found.motions.push(shooting.motion(&next.point, None));
        // Directions that turn little allow longer steps.
        let turn: f64 = here
            .tangent
            .iter()
            .zip(&next.tangent)
            .zip(&scale.0)
            .map(|((a, b), s)| a * b / (s * s))
            .sum();
        step = match turn {
            t if t > 0.98 => (1.5 * step).min(LARGEST_STEP),
            t if t < 0.9 => (0.6 * step).max(SMALLEST_STEP),
            _ => step,
        };
        here = next;
    }
    let reached = here.point.orbit.parameter.unwrap_or(first);
    found.warnings.push(Diagnostic::warning(
        Code::FamilyEnds,
        format!("the family was followed only to {reached}"),
        "the motions may end in an equilibrium, a collision, or a motion of infinite period there",
        None,
    ));
    Ok(())
}

/// Units of (x, u, period, parameter).
struct Scale(Vec<f64>);

impl Scale {
    fn new(point: &Point, range: f64) -> Self {
        let size = point
            .orbit
            .state
            .iter()
            .fold(1e-3_f64, |m, x| m.max(x.abs()));
        let mut all = vec![size; point.orbit.state.len()];
        all.push(point.orbit.period.abs());
        all.push(range.abs());
        Self(all)
    }

    fn parameter(&self) -> usize {
        self.0.len() - 1
    }

    fn unit_parameter(&self) -> Vec<f64> {
        let mut v = vec![0.0; self.0.len()];
        v[self.parameter()] = self.0[self.parameter()];
        v
    }

    /// The covector that measures lengths along a vector.
    fn normal(&self, v: &[f64]) -> Vec<f64> {
        v.iter().zip(&self.0).map(|(v, s)| v / (s * s)).collect()
    }
}

/// The direction of the family at a point, nearest to a former one.
fn direction(shooting: &Shooting<'_>, point: &Point, scale: &Scale, former: &[f64]) -> Vec<f64> {
    let basis = &point.basis;
    let (m, p) = basis.shape();
    let free = shooting.period_is_free();
    let rows = point.slopes.nrows() - 1;
    let width = point.slopes.ncols();
    // The last condition is that of the plane.
    let unit = |j: usize| match j {
        j if j < p => scale.0[0],
        j if j == p && free => scale.0[m],
        _ => scale.0[m + 1],
    };
    let scaled = nalgebra::DMatrix::from_fn(rows, width, |i, j| {
        point.slopes[(i, j)] * unit(j) / scale.0[0]
    });
    let kernel = null_space(&scaled, 1e-6);
    let reduce = |v: &[f64]| {
        let state = basis.transpose() * DVector::from_column_slice(&v[..m]);
        DVector::from_fn(width, |j, _| match j {
            j if j < p => state[j] / unit(j),
            j if j == p && free => v[m] / unit(j),
            _ => v[m + 1] / unit(j),
        })
    };
    let former = reduce(former);
    let inside = &kernel * (kernel.transpose() * &former);
    let inside = if inside.norm() > 1e-9 {
        inside.normalize()
    } else {
        former.normalize()
    };
    let mut v: Vec<f64> = (basis * DVector::from_fn(p, |j, _| inside[j] * unit(j)))
        .iter()
        .copied()
        .collect();
    v.push(if free { inside[p] * unit(p) } else { 0.0 });
    v.push(inside[width - 1] * unit(width - 1));
    v
}

/// The next point at a distance along the direction.
fn advance(shooting: &Shooting<'_>, here: &Along, scale: &Scale, step: f64) -> Option<Along> {
    let at = shooting.vector(&here.point.orbit);
    let ahead: Vec<f64> = at
        .iter()
        .zip(&here.tangent)
        .map(|(a, t)| a + step * t)
        .collect();
    let m = ahead.len() - 2;
    let guess = Orbit {
        state: ahead[..m].to_vec(),
        period: shooting
            .driven_period(Some(ahead[m + 1]))
            .unwrap_or(ahead[m]),
        parameter: Some(ahead[m + 1]),
    };
    let plane = Plane {
        point: ahead,
        normal: scale.normal(&here.tangent),
    };
    let point = shooting.correct(&guess, Some(&plane)).ok()?;
    let moved: f64 = shooting
        .vector(&point.orbit)
        .iter()
        .zip(&plane.point)
        .zip(&scale.0)
        .map(|((a, b), s)| ((a - b) / s).powi(2))
        .sum::<f64>()
        .sqrt();
    // A correction longer than the step has jumped to another family.
    if moved > step {
        return None;
    }
    let tangent = direction(shooting, &point, scale, &here.tangent);
    Some(Along { point, tangent })
}

fn mixed(shooting: &Shooting<'_>, a: &Orbit, b: &Orbit, part: f64) -> Orbit {
    let (a, b) = (shooting.vector(a), shooting.vector(b));
    let all: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a + part * (b - a)).collect();
    let m = all.len() - 2;
    Orbit {
        state: all[..m].to_vec(),
        period: shooting.driven_period(Some(all[m + 1])).unwrap_or(all[m]),
        parameter: Some(all[m + 1]),
    }
}

/// The two neighbouring points between which a property of the points changes that `same` says is still that of the first.
fn halved(
    shooting: &Shooting<'_>,
    a: &Along,
    b: &Along,
    scale: &Scale,
    same: &dyn Fn(&Point) -> bool,
) -> [Point; 2] {
    let (from, to) = (
        shooting.vector(&a.point.orbit),
        shooting.vector(&b.point.orbit),
    );
    let chord: Vec<f64> = from.iter().zip(&to).map(|(a, b)| b - a).collect();
    let (mut low, mut high) = (0.0, 1.0);
    let mut ends = [a.point.clone(), b.point.clone()];
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        let guess = mixed(shooting, &a.point.orbit, &b.point.orbit, middle);
        let plane = Plane {
            point: shooting.vector(&guess),
            normal: scale.normal(&chord),
        };
        let Ok(point) = shooting.correct(&guess, Some(&plane)) else {
            break;
        };
        match same(&point) {
            true => (low, ends[0]) = (middle, point),
            false => (high, ends[1]) = (middle, point),
        }
    }
    ends
}

/// A bifurcation between two points, located by halving.
fn located(
    shooting: &Shooting<'_>,
    a: &Along,
    b: &Along,
    scale: &Scale,
) -> Option<super::PeriodicMotion> {
    let p = scale.parameter();
    let folded = a.tangent[p] * b.tangent[p] < 0.0;
    if folded {
        let same =
            |point: &Point| direction(shooting, point, scale, &a.tangent)[p] * a.tangent[p] > 0.0;
        let [inner, _] = halved(shooting, a, b, scale, &same);
        return Some(shooting.motion(&inner, Some(Bifurcation::Fold)));
    }
    // Where multipliers meet at ±1 they are uncertain, and the number of those outside changes late; det(M ∓ 1) has a simple zero.
    for (at, kind) in [(1.0, Bifurcation::Branch), (-1.0, Bifurcation::Flip)] {
        let clear = |point: &Point| point.structure.distance(at) > CLEAR_DISTANCE;
        let sign = |point: &Point| point.structure.characteristic(at) > 0.0;
        let first = sign(&a.point);
        if clear(&a.point) && clear(&b.point) && first != sign(&b.point) {
            let [inner, _] = halved(shooting, a, b, scale, &|point| sign(point) == first);
            return Some(shooting.motion(&inner, Some(kind)));
        }
    }
    let before = a.point.structure.outside();
    if before == b.point.structure.outside() {
        return None;
    }
    let [inner, outer] = halved(shooting, a, b, scale, &|point| {
        point.structure.outside() == before
    });
    // The multiplier that crosses: outside on one side, and the nearest to the circle there.
    let (larger, fewer) = match inner.structure.outside() > outer.structure.outside() {
        true => (&inner, &b.point),
        false => (&outer, &a.point),
    };
    let size = |s: &[f64; 2]| s[0].hypot(s[1]);
    let crossing = larger.structure.rest.iter().filter(|s| size(s) > 1.0);
    let crossing = crossing.min_by(|a, b| size(a).total_cmp(&size(b)))?;
    let (kind, at) = match crossing {
        s if s[1].abs() > 0.02 => (Bifurcation::Torus, None),
        s if s[0] < 0.0 => (Bifurcation::Flip, Some(-1.0)),
        _ => (Bifurcation::Branch, Some(1.0)),
    };
    // It was outside before, within its uncertainty: the bifurcation is in the next interval.
    if let Some(at) = at
        && fewer.structure.has_left(at, CLEAR_DISTANCE)
    {
        return None;
    }
    Some(shooting.motion(&inner, Some(kind)))
}
