//! The work done in a step, from the power at both its ends.
//!
//! With coefficients 0 … m − 1 of the power at the start and at the end of a step h,
//!
//! ∫ P dt = q(h; P at the start) − q(−h; P at the end), q(h; P) = Σ wₖPₖhᵏ⁺¹,
//! wₖ = 1/(k + 1)·∏ᵢ₌₀ᵏ (m − i)/(2m − i),
//!
//! is exact for powers of degree 2m − 1 (Hermite's interpolation at two points, integrated). What is left out is
//! P₂ₘh²ᵐ⁺¹ over (2m + 1) times a binomial coefficient: far fewer coefficients serve than a series at one end takes, and
//! powers that change twice as fast as the state, as squares do, take no shorter steps. Where they change faster still,
//! the same with m − 1 places tells afterwards, and the next steps are shorter.

use galilei_tape::Op;
use galilei_tape::math::scalar::log;

use crate::expansion::root;
use crate::problem::Problem;

/// The contributions of the powers at both ends of a step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TwoPoint {
    /// w₀, w₁, …
    pub(crate) weights: Vec<f64>,
    /// The differences from the rule with one coefficient less.
    pub(crate) differences: Vec<f64>,
}

/// The largest rate of change of a power, relative to that of the state.
const MAX_POWER_SPEED: f64 = 2.0;
/// Differences from the rule with one place less that are as large as this many times the tolerance shorten steps;
/// such that are much larger, by more.
pub(crate) const LARGE_DIFFERENCES: [f64; 2] = [0.1, 1e4];
/// The factors by which the step after such a difference is shortened.
pub(crate) const SHORTENING: [f64; 2] = [0.7, 0.3];
/// The factor by which later steps may be longer than that.
pub(crate) const LENGTHENING: f64 = 1.25;
/// Steps do not become shorter for the sake of the work than this part of what the state wants.
pub(crate) const SHORTEST_PART: f64 = 1e-3;

/// The finest tolerance that rounding leaves room for in the work of a step.
pub(crate) fn finest(tolerance: f64) -> f64 {
    tolerance.max(1e-15)
}

/// w₀ … w_{m−1}
fn weights(m: usize) -> Vec<f64> {
    let mut product = 1.0;
    (0..m)
        .map(|k| {
            product *= (m - k) as f64 / (2 * m - k) as f64;
            product / (k + 1) as f64
        })
        .collect()
}

/// Σ wₖPₖhᵏ⁺¹
fn sum(weights: &[f64], power: &[f64], h: f64) -> f64 {
    let terms = weights.iter().zip(power).rev();
    terms.fold(0.0, |sum, (w, c)| sum * h + w * c) * h
}

impl TwoPoint {
    /// The rule for steps by series of an order that are a part of the radius of convergence: as many places as leave out
    /// less of the power than the series do of the state.
    pub(crate) fn new(order: usize, part: f64) -> Self {
        let goal = (order + 1) as f64 * log(part);
        let faster = log((MAX_POWER_SPEED * part).min(1.0));
        // The logarithm of 2m over m.
        let mut choices = log(2.0);
        let mut m = 1;
        while m < 3 || (m < order && 2.0 * m as f64 * faster - choices > goal) {
            m += 1;
            choices += log((4 * m - 2) as f64 / m as f64);
        }
        let mut differences = weights(m);
        for (w, less) in differences.iter_mut().zip(weights(m - 1)) {
            *w -= less;
        }
        Self {
            weights: weights(m),
            differences,
        }
    }

    /// Whether the rule is valid for a problem: the power at the start of a step must be that at the end of the step before,
    /// so nothing may happen between two steps.
    pub(crate) fn serves(problem: &Problem) -> bool {
        let idle = problem.tape.ops()[problem.power as usize] == Op::Const(0.0);
        let smooth = problem.tape.kinks().is_empty() && problem.levels.is_empty();
        !idle && smooth && problem.reaction_rates.is_empty()
    }

    /// The number of coefficients of the power.
    pub(crate) fn places(&self) -> usize {
        self.weights.len()
    }

    /// q(h; P)
    pub(crate) fn part(&self, power: &[f64], h: f64) -> f64 {
        sum(&self.weights, power, h)
    }

    /// The difference from the rule with one coefficient less.
    pub(crate) fn difference(&self, power: &[f64], h: f64) -> f64 {
        sum(&self.differences, power, h)
    }

    /// The largest first step size, before any difference is known: that which the last coefficients of the power
    /// allow, relative to an energy.
    pub(crate) fn first(&self, power: &[f64], energy: f64, part: f64) -> f64 {
        let m = self.places();
        let lengths = [m - 2, m - 1].map(|k| {
            let radius = root(energy * (k + 1) as f64 / power[k].abs(), k + 1);
            MAX_POWER_SPEED * part * radius
        });
        // Where there is no energy yet, or no power, nothing is said.
        let said = lengths.into_iter().filter(|l| *l > 0.0);
        said.fold(f64::INFINITY, f64::min)
    }

    /// The largest next step size, after one of a length with a difference between the rules, relative to the largest
    /// difference that is not `large` yet.
    pub(crate) fn next(&self, longest: f64, last: f64, difference: f64, large: f64) -> f64 {
        let size = difference.abs();
        if size > LARGE_DIFFERENCES[1] * large {
            SHORTENING[1] * last
        } else if size > LARGE_DIFFERENCES[0] * large {
            SHORTENING[0] * last
        } else {
            LENGTHENING * longest
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;

    /// Coefficients of e^{at} at a time.
    fn exponential(a: f64, t: f64) -> Vec<f64> {
        let first = (a * t).exp();
        let terms = (1..40).scan(first, |c, k| {
            *c *= a / f64::from(k);
            Some(*c)
        });
        std::iter::once(first).chain(terms).collect()
    }

    #[test]
    fn polynomials_of_the_highest_degree_are_exact() {
        for order in [4, 9, 17, 25] {
            let rule = TwoPoint::new(order, 0.25);
            let m = rule.weights.len();
            // (1 + t)^d from 0 to 1.
            let d = 2 * m - 1;
            let at = |x: f64| -> Vec<f64> {
                let mut c = x.powi(d as i32);
                (0..m)
                    .map(|k| {
                        let now = c;
                        c *= (d - k) as f64 / ((k + 1) as f64 * x);
                        now
                    })
                    .collect()
            };
            let found = rule.part(&at(1.0), 1.0) - rule.part(&at(2.0), -1.0);
            let exact = (2_f64.powi(d as i32 + 1) - 1.0) / (d + 1) as f64;
            assert!(
                (found / exact - 1.0).abs() < 1e-12,
                "{order}: {found} {exact}"
            );
        }
    }

    #[test]
    fn less_is_left_out_than_by_series_at_one_end() {
        for (order, part) in [(8, 0.1), (12, 0.16), (17, 0.242), (25, 0.2)] {
            let rule = TwoPoint::new(order, part);
            assert!(rule.places() <= order * 2 / 3, "{order}: {}", rule.places());
            // A pole at distance one: P = 1/(1 - t), P_k = (1 - t)^{-k-1}.
            let at = |t: f64| -> Vec<f64> {
                (0..order)
                    .map(|k| (1.0 - t).powi(-(k as i32) - 1))
                    .collect()
            };
            let exact = -(1.0 - part).ln();
            let found = rule.part(&at(0.0), part) - rule.part(&at(part), -part);
            let series: f64 = (1..=order).map(|k| part.powi(k as i32) / k as f64).sum();
            let (ours, theirs) = ((found - exact).abs(), (series - exact).abs());
            assert!(ours <= theirs.max(1e-16), "{order}: {ours:e} {theirs:e}");
        }
    }

    #[test]
    fn powers_twice_as_fast_as_the_state_are_met_as_well() {
        for (order, part) in [(12, 0.16), (17, 0.242), (25, 0.2)] {
            let rule = TwoPoint::new(order, part);
            // 1/(1 + 4t²), with its poles half as far away as those of the state.
            let at = |t: f64| -> Vec<f64> {
                let (size, angle) = ((1.0 + 4.0 * t * t).sqrt(), -(2.0 * t).atan());
                let turn = |k: f64| (k * FRAC_PI_2 - (k + 1.0) * angle).cos();
                let coefficient =
                    |k: usize| 2_f64.powi(k as i32) * size.powi(-(k as i32) - 1) * turn(k as f64);
                (0..order).map(coefficient).collect()
            };
            let work = |rule: &TwoPoint| rule.part(&at(0.0), part) - rule.part(&at(part), -part);
            let exact = (2.0 * part).atan() / 2.0;
            let left_out = part.powi(order as i32 + 1).max(1e-16);
            let found = work(&rule);
            assert!(
                (found - exact).abs() <= left_out,
                "{order}: {:e}",
                found - exact
            );
            // One place less is worse, by what the difference says.
            let less = TwoPoint {
                weights: weights(rule.places() - 1),
                differences: vec![],
            };
            let difference = rule.difference(&at(0.0), part) - rule.difference(&at(part), -part);
            assert!((found - work(&less) - difference).abs() < 1e-15);
        }
    }

    #[test]
    fn steps_of_both_directions() {
        let rule = TwoPoint::new(17, 0.242);
        for h in [0.3, -0.3] {
            let found =
                rule.part(&exponential(1.5, 0.2), h) - rule.part(&exponential(1.5, 0.2 + h), -h);
            let exact = ((1.5 * (0.2 + h)).exp() - (0.3_f64).exp()) / 1.5;
            assert!((found - exact).abs() < 1e-14, "{found} {exact}");
        }
    }
}
