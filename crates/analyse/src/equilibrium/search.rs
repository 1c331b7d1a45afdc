//! The search for zeros: starts from the guess, on a grid and at random; each zero once.

use galilei_model::{ConstraintRow, Enforcement};
use nalgebra::DMatrix;

use super::guess::spread_over;
use super::problem::{Problem, Unknowns, Zero};
use super::{EquilibriumSearch, SAME};
use crate::eigen::Random;
use crate::newton::Equations;
use crate::setting::null_space;

/// Starts for each unknown position.
const STARTS_PER_UNKNOWN: usize = 40;
/// The largest number of random starts.
const MAX_STARTS: usize = 240;
/// How many times more starts are taken on ready-made manifolds.
const STARTS_ON_MANIFOLDS: usize = 4;
/// Places at which an equation in one unknown is looked at for changes of sign, up to this distance in units of its scale.
const SCANNED: usize = 1001;
const REACH: f64 = 10.0;
/// Halvings of an interval with a change of sign.
const HALVINGS: usize = 20;
/// The largest number of starts on the grid of quarter turns.
const MAX_GRID: usize = 256;

impl<'p> Problem<'_, 'p> {
    /// Which unknown positions are angles: a full turn changes nothing.
    pub(super) fn angles(&self, plan: &Unknowns, equations: &Equations<'p>) -> Vec<bool> {
        let mut random = Random::new(5);
        let k = equations.unknowns.len();
        let points: Vec<Vec<f64>> = (0..3)
            .map(|_| (0..k).map(|_| 0.3 + random.unit()).collect())
            .collect();
        (0..plan.positions.len())
            .map(|i| {
                points.iter().all(|p| {
                    let mut turned = p.clone();
                    turned[i] += std::f64::consts::TAU;
                    match (equations.at(p), equations.at(&turned)) {
                        (Some(a), Some(b)) => {
                            let size = a.f.amax().max(1e-300);
                            (a.f - b.f).amax() <= 1e-9 * size
                        }
                        _ => false,
                    }
                })
            })
            .collect()
    }

    /// Zeros from the guess and from seeded starts, each once, the nearest to the guess first; with whether each is one of
    /// a family.
    pub(super) fn search(
        &self,
        plan: &Unknowns,
        equations: &Equations<'p>,
        search: &EquilibriumSearch,
    ) -> (Vec<(Zero, bool)>, usize) {
        let count = plan.positions.len();
        let angles = self.angles(plan, equations);
        let centre: Vec<f64> = self.unknowns_of_guess(plan, equations);
        let scale: Vec<f64> = centre
            .iter()
            .enumerate()
            .map(|(i, x)| match i < count && angles[i] {
                true => 1.0,
                false if i < count => x.abs().max(1.0),
                false => x.abs().max(1e-3),
            })
            .collect();
        let mut starts = vec![centre.clone()];
        if !search.nearest_only {
            starts.extend(self.grid(&centre, &angles));
            starts.extend(crossings(equations, &centre, &scale, &angles));
            let mut random = Random::new(search.seed);
            let more = (STARTS_PER_UNKNOWN * count).min(MAX_STARTS);
            // In the charts of ready-made manifolds equations fade away from their origin, and many starts lead there.
            let more = match self.curved(plan).next() {
                Some(_) => STARTS_ON_MANIFOLDS * more,
                None => more,
            };
            for _ in 0..more {
                let mut start = centre.clone();
                for i in 0..count {
                    start[i] = match angles[i] {
                        true => centre[i] + std::f64::consts::PI * (2.0 * random.unit() - 1.0),
                        false => {
                            let size = 10f64.powf(3.0 * random.unit() - 2.0);
                            centre[i] + scale[i] * size * (2.0 * random.unit() - 1.0)
                        }
                    };
                }
                for (kind, places) in self.curved(plan) {
                    spread_over(kind, &places, &mut start, &mut random);
                }
                for f in 0..self.free.len() {
                    let i = count + plan.speeds.len() + f;
                    start[i] *= 0.5 + random.unit();
                }
                starts.push(start);
            }
        }
        let moved = count + plan.speeds.len();
        let distance = |y: &[f64]| -> f64 {
            (0..moved)
                .map(|i| ((y[i] - centre[i]) / scale[i]).powi(2))
                .sum()
        };
        let total = starts.len();
        let mut found: Vec<(Vec<f64>, bool, f64)> = Vec::new();
        for mut start in starts {
            self.fill_multipliers(plan, equations, &mut start);
            let Some(mut y) = equations.solve(&start, &scale) else {
                continue;
            };
            for i in (0..count).filter(|&i| angles[i]) {
                let turn = std::f64::consts::TAU;
                y[i] -= turn * ((y[i] - centre[i]) / turn).round();
                // Just below and just above half a turn are one place.
                if (y[i] - centre[i] + 0.5 * turn).abs() < 1e-7 {
                    y[i] += turn;
                }
            }
            self.fold(plan, &mut y);
            // Turning back loses digits.
            y = equations.solve(&y, &scale).unwrap_or(y);
            if self.is_at_end(plan, &y) {
                self.ended.set(true);
                continue;
            }
            self.snap(plan, equations, &mut y, &scale);
            let Some(values) = equations.at(&y) else {
                continue;
            };
            let scaled = DMatrix::from_fn(values.j.nrows(), y.len(), |i, j| {
                values.j[(i, j)] * scale[j]
            });
            let family = null_space(&scaled, 1e-7).ncols() > 0;
            let level = self.level(plan, &y);
            let same = |other: &(Vec<f64>, bool, f64)| {
                let near = |i: usize| {
                    let mut d = (y[i] - other.0[i]).abs();
                    if angles[i] {
                        d = d.min((d - std::f64::consts::TAU).abs());
                    }
                    d <= SAME * scale[i].max(y[i].abs())
                };
                let one_family = family && other.1 && {
                    let d = (level - other.2).abs();
                    !level.is_finite() || d <= 1e-6 * (1.0 + level.abs())
                };
                (0..count).all(near) || one_family
            };
            match found.iter().position(same) {
                None => found.push((y, family, level)),
                // Of a family the nearest counts.
                Some(k) if family && distance(&y) < distance(&found[k].0) * (1.0 - 1e-6) => {
                    found[k] = (y, family, level);
                }
                Some(_) => {}
            }
        }
        found.sort_by(|a, b| distance(&a.0).total_cmp(&distance(&b.0)));
        let zeros = found
            .into_iter()
            .map(|(y, family, _)| (self.zero(plan, &y), family));
        (zeros.collect(), total)
    }

    /// Sets positions to zero that are zero up to rounding, if the equations hold there as well.
    pub(super) fn snap(
        &self,
        plan: &Unknowns,
        equations: &Equations<'p>,
        y: &mut [f64],
        scale: &[f64],
    ) {
        for i in 0..plan.positions.len() {
            if y[i] == 0.0 || y[i].abs() > 1e-12 * scale[i] {
                continue;
            }
            let size = |y: &[f64]| equations.at(y).map_or(f64::INFINITY, |v| v.f.amax());
            let (before, own) = (size(y), y[i]);
            y[i] = 0.0;
            if size(y) > before + 1e-15 {
                y[i] = own;
            }
        }
    }

    /// A number that all equilibria of one family share: the Lagrangian, which is minus the amended potential there. Not a
    /// number under nonholonomic constraints, where all families count as one.
    pub(super) fn level(&self, plan: &Unknowns, y: &[f64]) -> f64 {
        let driven = |r: &ConstraintRow<'p>| r.enforcement != Enforcement::Ideal;
        if self
            .setting
            .rows
            .iter()
            .any(|r| r.rate.is_none() || driven(r))
        {
            return f64::NAN;
        }
        let zero = self.zero(plan, y);
        let state = self.state_of(&zero);
        let values = self.free_values(&zero);
        let l = self
            .setting
            .pool()
            .substitute_all(&[self.setting.lagrangian], &values);
        self.setting.at(&l, &state).map_or(f64::NAN, |l| l[0])
    }

    /// Starts at which every angle is a multiple of a quarter turn.
    pub(super) fn grid(&self, centre: &[f64], angles: &[bool]) -> Vec<Vec<f64>> {
        let places: Vec<usize> = (0..angles.len()).filter(|&i| angles[i]).collect();
        let total = 4usize.saturating_pow(places.len() as u32);
        if places.is_empty() || total > MAX_GRID {
            return vec![];
        }
        (0..total)
            .map(|mut code| {
                let mut start = centre.to_vec();
                for &i in &places {
                    // A little off, so that no start is itself a saddle of the search.
                    start[i] =
                        std::f64::consts::FRAC_PI_2 * (code % 4) as f64 - 1.0e-2 * (1.0 + i as f64);
                    code /= 4;
                }
                start
            })
            .collect()
    }
}

/// Starts at the zeros that one equation in one unknown has by its changes of sign.
fn crossings(
    equations: &Equations<'_>,
    centre: &[f64],
    scale: &[f64],
    angles: &[bool],
) -> Vec<Vec<f64>> {
    if centre.len() != 1 || equations.functions.len() != 1 {
        return vec![];
    }
    let reach = match angles.first() {
        Some(true) => std::f64::consts::PI,
        _ => REACH * scale[0],
    };
    let at = |x: f64| equations.at(&[x]).map(|v| v.f[0]);
    // No place of the grid is a simple fraction of the reach.
    let place = |k: usize| centre[0] + reach * ((k as f64 + 0.487) / SCANNED as f64 * 2.0 - 1.0);
    let values: Vec<(f64, Option<f64>)> = (0..SCANNED).map(|k| (place(k), at(place(k)))).collect();
    let mut starts = Vec::new();
    for pair in values.windows(2) {
        let [(mut a, Some(f)), (mut b, Some(g))] = [pair[0], pair[1]] else {
            continue;
        };
        if f * g >= 0.0 {
            continue;
        }
        // Close enough that Newton's method stays.
        for _ in 0..HALVINGS {
            let middle = 0.5 * (a + b);
            match at(middle) {
                Some(v) if v * f > 0.0 => a = middle,
                Some(_) => b = middle,
                None => break,
            }
        }
        starts.push(vec![0.5 * (a + b)]);
    }
    starts
}
