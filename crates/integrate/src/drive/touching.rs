//! Places at which events come to zero without a change of sign, and zeros that lie close together.

use super::Driver;
use super::zeros::zeros;
use crate::roots::{is_flat, roots_in, value};
use crate::steps::Steps;

/// The number of steps whose errors are taken to add up in the state, from the smallest to the largest.
const STEPS_IN_DOUBT: [f64; 2] = [10.0, 1000.0];
/// Polynomials over steps are less accurate than the ends of steps, by this factor.
const DENSE_FACTOR: f64 = 10.0;
/// A relative change of the state that shows how an event depends on it.
const RELATIVE_CHANGE: f64 = 1e-6;
/// A minimum of a series below this part of its largest term is looked at by values.
const LOW_PART: f64 = 1e-6;
/// The distance from a flat zero of its series, relative to the step, within which an event is searched for its zeros.
const FLAT_ZERO_WIDTH: f64 = 0.02;
/// The smallest such distance.
const LEAST_WIDTH: f64 = 1e-7;
/// An event rises beside a zero that it only touches to this many times what it is uncertain by.
const RISE: f64 = 4.0;

impl Driver<'_> {
    /// By how much an event is uncertain at the state that was looked at last: errors of steps have added up in the state.
    /// `dense` says that the state is that of a polynomial over the step. An event with a direction has no doubt: it does not
    /// happen where zero is only touched, and the guards of contacts must find two crossings however close they are.
    pub(super) fn doubt(&mut self, k: usize, dense: bool) -> f64 {
        if (self.problem.events.get(k)).is_none_or(|e| e.direction != 0) {
            return 0.0;
        }
        let at = self.view.events + k;
        let steps = (self.run.steps as f64).clamp(STEPS_IN_DOUBT[0], STEPS_IN_DOUBT[1]);
        let factor = if dense { DENSE_FACTOR } else { 1.0 };
        let (error, moving) = (
            factor * steps * self.tolerance,
            2 * self.problem.rates.dimension,
        );
        let (value, inputs) = (self.view.seen[at], self.view.inputs.clone());
        let mut sum = 0.0;
        for i in 0..=moving {
            let size = match i {
                0 => inputs[0].abs(),
                _ => inputs[i].abs().max(self.state[i - 1].high.abs()),
            };
            let error = if i == 0 { f64::EPSILON } else { error };
            self.view.inputs[i] = inputs[i] + RELATIVE_CHANGE * size;
            self.view.watch();
            let change = (self.view.seen[at] - value).abs() / RELATIVE_CHANGE;
            sum += if change.is_finite() {
                error * change
            } else {
                0.0
            };
            self.view.inputs[i] = inputs[i];
        }
        self.view.seen[at] = value;
        sum
    }

    /// Corrects the roots of an event's series where they lie next to a minimum of its size: within what the event is
    /// uncertain by it touches zero, and its values decide between two zeros and none.
    pub(super) fn see_touches<S: Steps>(
        &mut self,
        k: usize,
        length: f64,
        q: &[f64],
        roots: &mut Vec<(f64, i8)>,
        stages: &mut S,
    ) {
        let rest: f64 = q[1..].iter().map(|c| c.abs()).sum();
        let largest = q.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
        if q[0].abs() - rest > LOW_PART * largest || !rest.is_finite() {
            return;
        }
        let rates: Vec<f64> = (1..q.len()).map(|k| k as f64 * q[k]).collect();
        let slopes: Vec<f64> = (1..rates.len()).map(|k| k as f64 * rates[k]).collect();
        for (s, _) in roots_in(&rates) {
            if value(q, s).abs() > LOW_PART * largest {
                continue;
            }
            let there = self.watched_after(k, s * length, stages);
            let doubt = self.doubt(k, false);
            let bend = 0.5 * value(&slopes, s).abs();
            let width = (RISE * RISE * doubt.max(there.abs()) / bend).sqrt();
            let width = if width.is_nan() {
                FLAT_ZERO_WIDTH
            } else {
                width.clamp(LEAST_WIDTH, FLAT_ZERO_WIDTH)
            };
            let ends =
                [s - width, s + width].map(|s| (s, self.watched_after(k, s * length, stages)));
            let alike = ends[0].1 * ends[1].1.signum() > 0.0;
            let clear = ends.iter().all(|e| e.1.abs() > RISE * doubt);
            if !alike || !clear {
                continue;
            }
            let beside = |r: &(f64, i8)| (r.0 - s).abs() <= width;
            let crosses = there * ends[0].1.signum() < 0.0;
            let known = roots.iter().filter(|r| beside(r)).count();
            if there.abs() <= doubt {
                roots.retain(|r| !beside(r));
                roots.push((s, 0));
            } else if !crosses && known <= 2 {
                roots.retain(|r| !beside(r));
            } else if crosses && known < 2 {
                roots.retain(|r| !beside(r));
                let points = [ends[0], (s, there), ends[1]];
                let at = |s| self.watched_after(k, s * length, stages);
                let found = zeros(&points, [0.0; 2], false, at);
                roots.extend(found.into_iter().filter(|r| r.0 > 0.0 && r.0 <= 1.0));
            }
        }
        roots.sort_by(|a, b| a.0.total_cmp(&b.0));
    }

    /// Finds zeros where the series of an event are flat again by its values: what is left out of a series moves a zero
    /// of order m by its root of order m. Flat roots next to each other are one zero, unless the values between them have the
    /// signs of several.
    pub(super) fn refine_flat<S: Steps>(
        &mut self,
        k: usize,
        length: f64,
        q: &[f64],
        roots: &mut Vec<(f64, i8)>,
        stages: &mut S,
    ) {
        let mut at = |s: f64| self.watched_after(k, s * length, stages);
        let near = |a: f64, b: f64| b - a <= FLAT_ZERO_WIDTH;
        let mut out = Vec::with_capacity(roots.len());
        let mut first = 0;
        while first < roots.len() {
            let mut next = first + 1;
            if !is_flat(q, roots[first].0) {
                out.push(roots[first]);
                first = next;
                continue;
            }
            while next < roots.len()
                && is_flat(q, roots[next].0)
                && near(roots[next - 1].0, roots[next].0)
            {
                next += 1;
            }
            let group = &roots[first..next];
            let (low, high) = (group[0].0, group[group.len() - 1].0);
            let mut bounds = vec![(low - FLAT_ZERO_WIDTH).max(0.0)];
            bounds.extend(group.windows(2).map(|pair| 0.5 * (pair[0].0 + pair[1].0)));
            bounds.push((high + FLAT_ZERO_WIDTH).min(1.0));
            let bounds: Vec<(f64, f64)> = bounds.into_iter().map(|s| (s, at(s))).collect();
            let changes = |pair: &[(f64, f64)]| pair[0].1 * pair[1].1.signum() < 0.0;
            let whole = [bounds[0], bounds[bounds.len() - 1]];
            let own = bounds.windows(2).all(changes);
            let pairs: Vec<&[(f64, f64)]> = match own {
                true => bounds.windows(2).collect(),
                false if changes(&whole) => vec![&whole],
                false => vec![],
            };
            let found: Vec<(f64, i8)> = pairs
                .iter()
                .flat_map(|pair| zeros(pair, [0.0; 2], false, &mut at))
                .collect();
            match found.len() == pairs.len() && !found.is_empty() {
                true => out.extend(found),
                false => out.extend(group),
            }
            first = next;
        }
        out.sort_by(|a, b| a.0.total_cmp(&b.0));
        out.dedup_by(|a, b| (a.0 - b.0).abs() <= 1e-12);
        *roots = out;
    }
}
