//! Profiles of the sum of squares: one unknown held, the others fitted again.

use nalgebra::DVector;

use super::comparison::Comparison;
use super::search::{Found, search};

/// Places on each side of the minimum, in units of the standard error.
const PLACES: [f64; 6] = [0.5, 1.0, 1.5, 2.0, 2.5, 3.0];
/// The quantile of χ² with one degree of freedom for 95 %.
const CHI_SQUARED_95: f64 = 3.841_458_820_694_124;
/// Iterations of one search with a held unknown.
const MAX_ITERATIONS: usize = 40;

/// The least sums of squares with one unknown held.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// The name of the unknown.
    pub name: String,
    /// Values of the unknown, increasing.
    pub values: Vec<f64>,
    /// The least sums of squares with them.
    pub squares: Vec<f64>,
    /// The ends of the interval of 95 % confidence by the likelihood ratio; `None` where the profile does not reach it.
    pub interval: [Option<f64>; 2],
}

/// The profile of one unknown, within three standard errors.
pub(super) fn profile(
    comparison: &Comparison<'_>,
    found: &Found,
    bounds: &[(f64, f64)],
    unknown: usize,
    standard_error: f64,
) -> Profile {
    let least = found.residuals.norm_squared();
    let free = found.residuals.len().saturating_sub(found.unknowns.len()).max(1);
    let limit = least * (1.0 + CHI_SQUARED_95 / free as f64);
    let centre = found.unknowns[unknown];
    let mut points = vec![(centre, least)];
    let mut interval = [None, None];
    for (side, sign) in [(0, -1.0), (1, 1.0)] {
        let mut from: DVector<f64> = found.unknowns.clone();
        let mut before = (centre, least);
        for place in PLACES {
            let value = centre + sign * place * standard_error;
            let (low, high) = bounds[unknown];
            if value < low || value > high {
                break;
            }
            let mut held = bounds.to_vec();
            held[unknown] = (value, value);
            from[unknown] = value;
            let at = |x: &DVector<f64>| comparison.at(x);
            let Ok(next) = search(&at, from.clone(), &held, MAX_ITERATIONS) else {
                break;
            };
            let squares = next.residuals.norm_squared();
            from = next.unknowns;
            points.push((value, squares));
            if interval[side].is_none() && squares >= limit && squares > before.1 {
                // The sum of squares is nearly a parabola: its root grows evenly.
                let root = |s: f64| (s - least).max(0.0).sqrt();
                let part = (root(limit) - root(before.1)) / (root(squares) - root(before.1));
                interval[side] = Some(before.0 + part * (value - before.0));
            }
            before = (value, squares);
        }
    }
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    Profile {
        name: comparison.names[unknown].clone(),
        values: points.iter().map(|p| p.0).collect(),
        squares: points.iter().map(|p| p.1).collect(),
        interval,
    }
}
