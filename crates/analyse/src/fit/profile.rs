//! Profiles of the sum of squares: one unknown held, the others fitted again.

use nalgebra::DVector;

use super::comparison::Comparison;
use super::search::{Found, search};

/// Places on each side of the minimum, in units of half the interval of 95 % that the linearisation gives.
const PLACES: [f64; 8] = [0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0];
/// Degrees of freedom from which Student's distribution is taken as normal, whose quantiles differ by 0.02 %.
const MANY: usize = 10_000;
/// The quantile 97.5 % of the normal distribution.
const NORMAL_975: f64 = 1.959_963_984_540_054;
/// Iterations of one search with a held unknown.
const MAX_ITERATIONS: usize = 40;

/// The least sums of squares with one unknown held.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
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

/// The quantile 97.5 % of Student's distribution, from its closed form for whole degrees of freedom (Abramowitz and Stegun
/// 26.7.3, 26.7.4).
fn student_975(freedom: usize) -> f64 {
    if freedom >= MANY {
        return NORMAL_975;
    }
    // The probability of |T| < t.
    let inside = |t: f64| {
        let angle = (t / (freedom as f64).sqrt()).atan();
        let (sin, cos) = angle.sin_cos();
        let odd = freedom % 2;
        let mut term = if odd == 1 { cos } else { 1.0 };
        let mut sum = if freedom == 1 { 0.0 } else { term };
        for k in (2 + odd..freedom).step_by(2) {
            term *= cos * cos * (k as f64 - 1.0) / k as f64;
            sum += term;
        }
        match odd {
            1 => (angle + sin * sum) * std::f64::consts::FRAC_2_PI,
            _ => sin * sum,
        }
    };
    let (mut low, mut high) = (1.0, 13.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        match inside(middle) < 0.95 {
            true => low = middle,
            false => high = middle,
        }
    }
    0.5 * (low + high)
}

/// The profile of one unknown, within three times the interval of 95 % that the linearisation gives.
pub(super) fn profile(
    comparison: &Comparison<'_>,
    found: &Found,
    bounds: &[(f64, f64)],
    unknown: usize,
    standard_error: f64,
) -> Profile {
    let least = found.residuals.norm_squared();
    let free = found
        .residuals
        .len()
        .saturating_sub(found.unknowns.len())
        .max(1);
    // The ratio of likelihoods, exact for a linear model: F(1, ν) is the square of Student's t.
    let quantile = student_975(free);
    let limit = least * (1.0 + quantile * quantile / free as f64);
    let centre = found.unknowns[unknown];
    let mut points = vec![(centre, least)];
    let mut interval = [None, None];
    for (side, sign) in [(0, -1.0), (1, 1.0)] {
        let mut from: DVector<f64> = found.unknowns.clone();
        let mut before = (centre, least);
        for place in PLACES {
            let value = centre + sign * place * quantile * standard_error;
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
            if interval[side].is_some() && place > 1.0 {
                break;
            }
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

#[cfg(test)]
mod tests {
    use super::student_975;

    /// Quantiles of Student's distribution from SciPy 1.14, `scipy.stats.t.ppf(0.975, n)`.
    #[test]
    fn quantiles_agree_with_tables() {
        for (freedom, expected) in [
            (1, 12.706_204_736_174_694),
            (2, 4.302_652_729_911_275),
            (3, 3.182_446_305_284_263),
            (4, 2.776_445_105_197_793),
            (7, 2.364_624_251_592_784_4),
            (30, 2.042_272_456_301_238),
            (999, 1.962_341_461_133_449_4),
        ] {
            assert!((student_975(freedom) - expected).abs() < 1e-9, "{freedom}");
        }
    }
}
