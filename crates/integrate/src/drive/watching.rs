//! Events and kinks within a step, from samples of its polynomial.

use std::cell::RefCell;

use galilei_tape::math::scalar::{exp2, powi};

use super::Driver;
use super::ending::Early;
use super::zeros::{NODES, TOUCHING_VALUE, dipping, resolve, zeros};
use crate::branch_points::{Branch, touched_to};
use crate::steps::Steps;

/// A relative change that shows how a quantity depends on the state.
const RELATIVE_CHANGE: f64 = 1e-6;

/// Deviations below this many times the rounding of the state need no closer look.
const ROUNDING_FACTOR: f64 = 100.0;
/// A step that was taken again and ends before this part of it is taken once more: the first incident was found
/// behind one that had been missed.
const REPEATED_END: f64 = 1.0 - 1e-3;

/// A threshold beyond this part of a step that was taken again lies at its end.
const THRESHOLD_END: f64 = 0.9;

/// The values of an event at both sides of the start, relative to its largest value on a step, below which it
/// vanishes between them.
const VANISHING_PART: f64 = 1e-3;

/// The part of the way to a branch point that a step covers if it ends before it, and the distance in time, relative
/// to the elapsed time, from which on the polynomial of a step reaches it.
const BRANCH_APPROACH: [f64; 2] = [0.99, 1e-4];
/// The number of times that the distance to the start of a step is divided by ten in the search for branch points.
const BRANCH_DECADES: i32 = 10;

/// The incidents within a step.
pub(super) enum Within {
    /// The length of a shorter step that is taken instead, because this one ends early: its end has the accuracy of a step then.
    Shorter(f64),
    /// Events, as parts of the step, and where it ends early.
    Seen(Vec<(f64, usize)>, Option<Early>),
}

impl Driver<'_> {
    /// The values of what is watched, up to `reach`: at the nodes, and between them as often as it takes to show how they
    /// go.
    fn sample(&mut self, reach: f64, h: f64, stages: &mut impl Steps) -> Vec<Vec<(f64, f64)>> {
        let first = self.view.events;
        let mut list = vec![Vec::with_capacity(NODES.len()); self.view.seen.len() - first];
        for node in NODES {
            self.look_at(node * reach, h, stages);
            for (points, v) in list.iter_mut().zip(&self.view.seen[first..]) {
                points.push((node * reach, *v));
            }
        }
        for (k, points) in list.iter_mut().enumerate() {
            let at = first + k;
            let both = RefCell::new((&mut *self, &mut *stages));
            let noise = || {
                let (driver, stages) = &mut *both.borrow_mut();
                ROUNDING_FACTOR * driver.noise(at, h, *stages)
            };
            resolve(points, noise, |theta| {
                let (driver, stages) = &mut *both.borrow_mut();
                driver.look_at(theta, h, *stages);
                driver.view.seen[at]
            });
        }
        list
    }

    /// The effect of rounding of the state on a watched quantity, at the end of the step.
    fn noise(&mut self, at: usize, h: f64, stages: &mut impl Steps) -> f64 {
        self.look_at(1.0, h, stages);
        let view = &mut self.view;
        let (value, inputs) = (view.seen[at], view.inputs.clone());
        let mut sum = 0.0;
        for i in 0..=2 * self.problem.rates.dimension {
            view.inputs[i] = inputs[i] * (1.0 + RELATIVE_CHANGE);
            view.watch();
            sum += (view.seen[at] - value).abs();
            view.inputs[i] = inputs[i];
        }
        8.0 * f64::EPSILON / RELATIVE_CHANGE * sum
    }

    /// The first kink on the way: as a part of the step, and which. A kink at the start that is left to
    /// the wrong side is an error.
    #[allow(clippy::type_complexity)]
    fn kink(
        &mut self,
        samples: &mut [Vec<(f64, f64)>],
        h: f64,
        stages: &mut impl Steps,
    ) -> Result<Option<(f64, usize)>, usize> {
        let first = self.view.kinks - self.view.events;
        let mut found: Option<(f64, usize)> = None;
        for k in 0..self.branches.kinks() {
            let points = &mut samples[first + k];
            // The motion starts on its side, however small the value is.
            points[0].1 = if self.branches.is_positive(k) {
                f64::MIN_POSITIVE
            } else {
                -f64::MIN_POSITIVE
            };
            let at = self.view.kinks + k;
            let mut points = points.clone();
            let noise = if self.branches.fresh[k] {
                self.noise(at, h, stages)
            } else {
                0.0
            };
            let clear = |v: f64| if v.abs() <= noise { 0.0 } else { v };
            for p in &mut points[1..] {
                p.1 = clear(p.1);
            }
            let expected = points[0].1;
            let shown = points[1..].iter().find(|p| p.1 != 0.0);
            if noise > 0.0
                && let Some(shown) = shown.filter(|p| p.1.signum() != expected.signum())
            {
                let kept = (1..20).any(|j| {
                    self.look_at(shown.0 * exp2(-j), h, stages);
                    clear(self.view.seen[at]) * expected.signum() > 0.0
                });
                if !kept {
                    return Err(k);
                }
            }
            let roots = zeros(&points, [TOUCHING_VALUE, 0.0], true, |theta| {
                self.look_at(theta, h, stages);
                clear(self.view.seen[at])
            });
            self.hidden[k] = noise > 0.0 && points.iter().skip(1).all(|p| p.1 == 0.0);
            if let Some((theta, _)) = roots.into_iter().find(|r| r.1 != 0)
                && found.is_none_or(|f| theta < f.0)
            {
                found = Some((theta, k));
            }
        }
        Ok(found)
    }

    /// The first threshold of a flat function within a part of a step: where it is, and how long the step behind it may be
    /// so that it meets the next one.
    fn threshold(
        &mut self,
        samples: &[Vec<(f64, f64)>],
        until: f64,
        h: f64,
        stages: &mut impl Steps,
    ) -> Option<(f64, f64)> {
        let first = self.view.thresholds - self.view.events;
        let mut found: Option<(f64, f64)> = None;
        for k in 0..self.surfaces.thresholds().len() {
            let points = &samples[first + k];
            let Some((level, rises)) = self.surfaces.level(k, points[0].1) else {
                continue;
            };
            let start = points[0].1.signum();
            let distance = |v: f64| match rises {
                true => level - v.abs(),
                false => v * start - level,
            };
            let distances: Vec<(f64, f64)> = points.iter().map(|p| (p.0, distance(p.1))).collect();
            // The level may be reached for a short time between two points.
            let reached = zeros(&distances, [TOUCHING_VALUE, 0.0], true, |theta| {
                self.look_at(theta, h, stages);
                distance(self.view.seen[self.view.thresholds + k])
            });
            let Some(&(theta, _)) = reached.iter().find(|r| r.1 < 0) else {
                continue;
            };
            let before = distances.iter().rfind(|d| d.0 < theta);
            let before = before.copied().unwrap_or(distances[0]);
            let slope = before.1.abs() / ((theta - before.0) * h).abs();
            let long = (theta * h).abs() > 1e-9 * self.time.high.abs().max(h.abs());
            if theta < until && long && found.is_none_or(|f| theta < f.0) {
                // Denominators say nothing about constant steps.
                let next = match self.lengths.are_constant() && !self.surfaces.has_sizes(k) {
                    true => f64::INFINITY,
                    false => 0.5 * level / slope,
                };
                found = Some((theta, next));
            }
        }
        found
    }

    /// Events to report up to a part of the step.
    fn crossings(
        &mut self,
        samples: &[Vec<(f64, f64)>],
        until: f64,
        h: f64,
        stages: &mut impl Steps,
    ) -> Vec<(f64, usize)> {
        let mut found = Vec::new();
        for (k, points) in samples.iter().enumerate().take(self.problem.events.len()) {
            let at = self.view.events + k;
            self.underflows.note(k, points.iter().map(|p| p.1));
            let touched = self.problem.events[k].branch == Some(Branch::Touched);
            let (touch, points) = match touched {
                true => (
                    touched_to(self.tolerance),
                    self.ladder(at, points, h, stages),
                ),
                false => (TOUCHING_VALUE, points.clone()),
            };
            let doubt = match dipping(&points) {
                Some(theta) if !touched => {
                    self.look_at(theta, h, stages);
                    self.doubt(k, true)
                }
                _ => 0.0,
            };
            let roots = zeros(&points, [touch, doubt], false, |theta| {
                self.look_at(theta, h, stages);
                self.view.seen[at]
            });
            // The polynomial of the step before may have ended on this side of a zero that this one starts behind.
            let between = self.between(k, &points);
            for (theta, direction) in between.into_iter().chain(roots) {
                let admitted =
                    self.watch
                        .admits(k, &self.time, theta * h, direction, h * until.min(1.0));
                if theta <= until && admitted {
                    found.push((theta, k));
                }
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        found
    }

    /// A zero of an event between the end of the step before and the start of this one, which differ by errors of the step.
    fn between(&self, k: usize, points: &[(f64, f64)]) -> Option<(f64, i8)> {
        let (before, after) = (*self.event_ends.get(k)?, points[0].1);
        let size = points.iter().fold(0.0_f64, |m, p| m.max(p.1.abs()));
        let near = before.abs().max(after.abs()) <= VANISHING_PART * size;
        let direction = if after > 0.0 { 1 } else { -1 };
        (near && before * after.signum() < 0.0).then_some((0.0, direction))
    }

    /// Handles the incidents of a step of length h that was taken, for the second time if it was shortened.
    pub(super) fn watch_step(&mut self, h: f64, again: bool, stages: &mut impl Steps) -> Within {
        // An incident at the end of the step could be missed by both steps, so the search goes a little beyond it.
        let reach = match (h == self.left, again) {
            (true, _) => 1.0,
            (_, false) => 1.0 + 1e-9,
            (_, true) => 1.0 + 1e-6,
        };
        let mut samples = self.sample(reach, h, stages);
        let kink = match self.kink(&mut samples, h, stages) {
            Ok(kink) => kink.filter(|k| again || k.0 < 1.0),
            Err(k) => return Within::Seen(vec![], Some(Early::Astray(k))),
        };
        let until = kink.map_or(reach, |k| k.0 * (1.0 + 1e-9));
        // A step that was taken again to end at a threshold ends there.
        let most = if again { THRESHOLD_END } else { 1.0 };
        if let Some((theta, next)) = self.threshold(&samples, until.min(most), h, stages) {
            self.limit = Some(next);
            return Within::Shorter(theta * h);
        }
        let mut found = self.crossings(&samples, until, h, stages);
        let events = &samples[..self.problem.events.len()];
        self.event_ends.clear();
        self.event_ends
            .extend(events.iter().filter_map(|points| Some(points.last()?.1)));
        let terminal = |f: &(f64, usize)| self.problem.events[f.1].terminal;
        let early = match found.iter().position(terminal) {
            Some(p) => {
                found.truncate(p + 1);
                Some(Early::Event(found[p].0, found[p].1))
            }
            None => kink.map(|(theta, k)| Early::Kink(theta, k)),
        };
        let Some(Early::Event(theta, _) | Early::Kink(theta, _)) = early else {
            return Within::Seen(found, None);
        };
        if let Some(Early::Event(_, k)) = early
            && self.problem.events[k].branch.is_some()
        {
            return match self.before_branch(theta, h) {
                Some(shorter) => Within::Shorter(shorter),
                None => Within::Seen(found, early),
            };
        }
        let shorter = theta * h;
        let long = shorter.abs() > 1e-12 * self.time.high.abs().max(1e-12);
        let near = if again { REPEATED_END } else { 1.0 - 1e-9 };
        if theta > near || !long {
            return Within::Seen(found, early);
        }
        Within::Shorter(shorter)
    }

    /// Points with more of them close to the start: a step may begin next to a branch point.
    fn ladder(
        &mut self,
        at: usize,
        points: &[(f64, f64)],
        h: f64,
        stages: &mut impl Steps,
    ) -> Vec<(f64, f64)> {
        let (start, rest) = points.split_at(1);
        let steps = (1..=BRANCH_DECADES).rev().map(|k| rest[0].0 * powi(0.1, k));
        let close: Vec<(f64, f64)> = steps
            .map(|theta| {
                self.look_at(theta, h, stages);
                (theta, self.view.seen[at])
            })
            .collect();
        [start, &close, rest].concat()
    }

    /// Whether a step that is taken again may be shortened further: one that was to end before a branch point.
    pub(super) fn may_be_shorter(&self, h: f64) -> bool {
        !self.branch_points.is_empty() && h.abs() > 1e-12 * self.time.high.abs().max(1e-12)
    }

    /// A step that ends before a branch point: none can end there, where nothing determines the accelerations, and one that
    /// passes it does not show well where it is. `None` where it is near enough.
    fn before_branch(&self, theta: f64, h: f64) -> Option<f64> {
        let elapsed = (self.time.plus(theta * h) - self.options.from).abs();
        let near = (theta * h).abs() <= BRANCH_APPROACH[1] * elapsed;
        (!near).then_some(BRANCH_APPROACH[0] * theta * h)
    }
}
