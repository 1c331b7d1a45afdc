//! Surfaces ahead of a step that series do not announce: thresholds of flat functions, and edges, where a function has
//! a value but no series.
//!
//! A step ends at a threshold, and the next one has coefficients that show what the function does. A step ends before
//! an edge, and the motion is taken across by a short step of second order, the *hop*, because the series on one side
//! says nothing about the other.

use galilei_tape::math::scalar::powi;
use galilei_tape::{Edge, EdgeKind, Levels, Reg, Surfaces, Threshold};

use crate::problem::Problem;
use crate::roots::{roots_in, scaled, trusted, value};

/// A pole that is as near as this part of the largest distance, and is still not felt, is none.
const PASSED_POLE_DISTANCE: f64 = 1e-13;
/// A threshold counts as ahead where the size is larger than its level by this part.
const AHEAD_MARGIN: f64 = 1e-9;
/// A sum of squares below this part of its value at the ends of a step touches zero within it.
const TOUCHING_PART: f64 = 1e-8;
/// A touched edge is approached to this part of the way before it is located again.
const APPROACH_FRACTION: f64 = 1e-3;
/// The length of a hop behind a touched edge, relative to a step: the error is of second order.
const HOP_LENGTH: f64 = 1e-7;
/// The distance from a crossed edge at which a hop begins and ends, relative to the largest distance: functions such
/// as x^(1/3) are less smooth.
const CROSSED_EDGE_DISTANCE: f64 = 1e-10;

/// A hop over a crossed edge is not longer than this part of a step.
const MAX_CROSSED_HOP: f64 = 1e-6;

/// The end of a step because of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Ahead {
    /// The step ends there; both are times from its start.
    End(f64),
    /// There is an edge after the first time, and the motion goes on after the second one.
    Hop(f64, f64),
}

impl Ahead {
    /// The time until then.
    fn time(self) -> f64 {
        match self {
            Self::End(t) | Self::Hop(t, _) => t,
        }
    }
}

/// The surfaces of a problem along one motion.
#[derive(Clone, Debug)]
pub(crate) struct Watched {
    surfaces: Surfaces,
    /// The largest size of each register until now.
    sizes: Vec<f64>,
    /// About how long the steps are.
    pace: f64,
    /// Whether each register belongs to the motion, not to events alone.
    moving: Vec<bool>,
}

impl Watched {
    pub(crate) fn new(problem: &Problem, surfaces: Surfaces) -> Self {
        let mut moving = vec![true; surfaces.registers().count()];
        if !surfaces.is_empty() && !problem.events.is_empty() {
            let kinks = problem.tape.kinks().iter().map(|k| k.register);
            let needed = kinks.chain([problem.power]);
            let own = problem.tape.surfaces(&problem.rates, needed);
            let own: Vec<Reg> = own.registers().collect();
            moving = surfaces.registers().map(|r| own.contains(&r)).collect();
        }
        Self {
            sizes: vec![0.0; surfaces.registers().count()],
            surfaces,
            pace: 0.0,
            moving,
        }
    }

    /// Prepares for another motion.
    pub(crate) fn restart(&mut self) {
        self.sizes.fill(0.0);
        self.pace = 0.0;
    }

    /// The thresholds.
    pub(crate) fn thresholds(&self) -> &[Threshold] {
        &self.surfaces.thresholds
    }

    /// Notes values of the thresholds' registers.
    pub(crate) fn note(&mut self, values: impl Iterator<Item = f64>) {
        for (size, v) in self.sizes.iter_mut().zip(values) {
            *size = size.max(v.abs());
        }
    }

    /// The next level of a threshold whose register has a value, and whether its size rises to it.
    pub(crate) fn level(&self, k: usize, value: f64) -> Option<(f64, bool)> {
        let levels = &self.surfaces.thresholds[k].levels;
        let level = next_level(levels, value, self.sizes[k]).filter(|_| value.is_finite())?;
        Some((level, matches!(levels, Levels::Rise(_))))
    }

    /// Whether a threshold has given sizes, at which a flat function begins to matter.
    pub(crate) fn has_sizes(&self, k: usize) -> bool {
        matches!(self.surfaces.thresholds[k].levels, Levels::Sizes(_))
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.surfaces.is_empty()
    }

    /// The edges.
    pub(crate) fn edges(&self) -> &[Edge] {
        &self.surfaces.edges
    }

    /// A length of the step for which the series of the surfaces' registers can be trusted. `series` are the
    /// coefficients of each register. Registers of events alone do not ask for less than `least`: their series may end at a
    /// pole that the motion does not have.
    pub(crate) fn trusted<'s>(
        &self,
        series: impl Fn(usize) -> &'s [f64],
        length: f64,
        [part, least]: [f64; 2],
    ) -> f64 {
        let thresholds = self.surfaces.thresholds.iter().enumerate();
        let outside = thresholds.filter(|(k, t)| {
            let largest = self.sizes[*k];
            next_level(&t.levels, series(*k)[0], largest).is_some()
        });
        let edges = self.surfaces.thresholds.len()..self.sizes.len();
        let list = outside.map(|(k, _)| k).chain(edges);
        list.fold(length, |length, k| {
            let own = trusted(series(k), length, part);
            match self.moving[k] {
                true => own,
                false => own.max(least.min(length)),
            }
        })
    }

    /// The first surface ahead within a step of a length h, of either sign, where steps want to be `size` long.
    pub(crate) fn ahead<'s>(
        &mut self,
        series: impl Fn(usize) -> &'s [f64],
        h: f64,
        size: f64,
    ) -> Option<Ahead> {
        self.pace = size.max(0.7 * self.pace);
        let mut first: Option<Ahead> = None;
        let mut found = |ahead: Ahead| {
            if first.is_none_or(|f| ahead.time() < f.time()) {
                first = Some(ahead);
            }
        };
        for (k, threshold) in self.surfaces.thresholds.iter().enumerate() {
            let c = series(k);
            self.sizes[k] = self.sizes[k].max(c[0].abs());
            if let Some(t) = threshold_ahead(&threshold.levels, self.sizes[k], c, h) {
                found(Ahead::End(t));
            }
        }
        for (e, edge) in self.surfaces.edges.iter().enumerate() {
            let e = self.surfaces.thresholds.len() + e;
            let c = series(e);
            self.sizes[e] = self.sizes[e].max(c[0].abs());
            if c[0] == 0.0 && c.iter().any(|c| *c != 0.0) {
                found(Ahead::Hop(0.0, HOP_LENGTH * self.pace));
                continue;
            }
            let squared = edge.kind == EdgeKind::Touched && is_like_a_square(c);
            let ahead = match squared {
                true => touched_ahead(c, h, self.pace),
                false => crossed_ahead(c, h, self.sizes[e], self.pace),
            };
            if let Some(ahead) = ahead {
                found(ahead);
            }
        }
        first
    }
}

impl Watched {
    /// A hop away from an edge that the motion has passed within a time, of the sign of the run.
    pub(crate) fn just_passed<'s>(
        &self,
        series: impl Fn(usize) -> &'s [f64],
        time: f64,
    ) -> Option<Ahead> {
        let first = self.surfaces.thresholds.len();
        let passed = |e: usize| {
            let c = series(first + e);
            let ago = c[0] / c[1] * time.signum();
            (0.0..=time.abs()).contains(&ago)
        };
        let hop = Ahead::Hop(0.0, HOP_LENGTH * self.pace);
        (0..self.surfaces.edges.len()).any(passed).then_some(hop)
    }
}

/// The next level of a register with a value, where it has been as large as another one.
fn next_level(levels: &Levels, value: f64, largest: f64) -> Option<f64> {
    match levels {
        Levels::Sizes(list) => {
            let below = |l: &&f64| **l < value.abs() * (1.0 - AHEAD_MARGIN);
            list.iter().rev().find(below).copied()
        }
        Levels::Rise(list) => {
            let above = |l: &&f64| **l > value.abs() * (1.0 + AHEAD_MARGIN);
            list.iter().find(above).copied()
        }
        Levels::Fall(factor) => {
            (value.abs() > PASSED_POLE_DISTANCE * largest).then(|| value.abs() / factor)
        }
    }
}

/// When the size of a register falls to the next level.
fn threshold_ahead(levels: &Levels, largest: f64, c: &[f64], h: f64) -> Option<f64> {
    if !c[0].is_finite() {
        return None;
    }
    let level = next_level(levels, c[0], largest)?;
    let rises = matches!(levels, Levels::Rise(_));
    let reaches = |level: f64| {
        let mut q = scaled(c, h);
        q[0] -= level;
        roots_in(&q).into_iter().map(|r| r.0).find(|s| *s < 1.0)
    };
    let own = reaches(level.copysign(c[0]));
    // What rises may pass zero first.
    let other = rises.then(|| reaches(-level.copysign(c[0]))).flatten();
    let root = own.into_iter().chain(other).reduce(f64::min)?;
    Some(root * h.abs())
}

/// Whether something positive has a minimum ahead or behind rather than a zero, by its first coefficients.
fn is_like_a_square(c: &[f64]) -> bool {
    c[0] > 0.0 && c[1] * c[1] <= 16.0 * c[0] * c[2].abs()
}

/// Where something nonnegative touches zero within a step: its end before that, or a hop where it is next to the start.
fn touched_ahead(c: &[f64], h: f64, pace: f64) -> Option<Ahead> {
    let q = scaled(c, h);
    let rest: f64 = q[1..].iter().map(|c| c.abs()).sum();
    if q[0] - rest > TOUCHING_PART * q[0] || !rest.is_finite() {
        return None;
    }
    let most = TOUCHING_PART * q[0].max(value(&q, 1.0));
    let rates: Vec<f64> = (1..q.len()).map(|k| k as f64 * q[k]).collect();
    let delta = HOP_LENGTH * pace;
    let minima = roots_in(&rates).into_iter().map(|r| r.0);
    let low = |s: f64| {
        let near = s * h.abs() <= 2.0 * delta;
        let most = if near { most.max(1e-3 * q[0]) } else { most };
        value(&q, s) <= most
    };
    let s = minima.into_iter().find(|s| low(*s))?;
    let time = s * h.abs();
    Some(match time <= 2.0 * delta {
        true => Ahead::Hop(time, time + delta),
        false => Ahead::End(time - delta.max(APPROACH_FRACTION * time)),
    })
}

/// Where something changes its sign within a step, or is next to doing so.
fn crossed_ahead(c: &[f64], h: f64, size: f64, pace: f64) -> Option<Ahead> {
    let rate = c[1] * h.signum();
    let approaching = rate * c[0] < 0.0;
    let (near, time) = (CROSSED_EDGE_DISTANCE * size, (c[0] / c[1]).abs());
    let across = (near / c[1].abs()).min(MAX_CROSSED_HOP * pace);
    if approaching && c[0].abs() <= 2.0 * near {
        return Some(Ahead::Hop(time, time + across));
    }
    // A little beyond the end, where a kink may lie together with the edge.
    let h = h * (1.0 + 1e-6);
    let q = scaled(c, h);
    let root = roots_in(&q).first()?.0;
    let time = root * h.abs();
    // Not onto the edge, where nothing can be computed.
    let slope = (1..q.len()).fold(0.0, |v, k| v + k as f64 * q[k] * powi(root, k as i32 - 1));
    let before = (near / (slope / h).abs()).min(0.5 * time);
    Some(Ahead::End(time - before))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_ends_where_an_argument_falls_to_a_level() {
        let levels = Levels::Sizes(vec![10.0, 20.0, 40.0]);
        let ahead = |c: [f64; 4]| threshold_ahead(&levels, 100.0, &c, 5.0);
        // a = −100 + 30τ reaches −40 after 2.
        assert_eq!(ahead([-100.0, 30.0, 0.0, 0.0]), Some(2.0));
        // It goes away from zero.
        assert_eq!(ahead([-30.0, -30.0, 0.0, 0.0]), None);
        // Inside all levels nothing is announced.
        assert_eq!(ahead([-5.0, 30.0, 0.0, 0.0]), None);
        // A denominator 8 − τ falls to 4 after 4.
        let fall = Levels::Fall(2.0);
        assert_eq!(
            threshold_ahead(&fall, 8.0, &[8.0, -1.0, 0.0], 5.0),
            Some(4.0)
        );
        assert_eq!(threshold_ahead(&fall, 1e20, &[8.0, -1.0, 0.0], 5.0), None);
    }

    #[test]
    fn a_touched_edge_is_approached_and_hopped_over() {
        // (1 − τ)²
        let c = [1.0, -2.0, 1.0, 0.0];
        assert!(matches!(touched_ahead(&c, 3.0, 3.0), Some(Ahead::End(t)) if t > 0.99 && t < 1.0));
        let d = 1e-8;
        let near = [d * d, -2.0 * d, 1.0, 0.0];
        assert!(matches!(
            touched_ahead(&near, 3.0, 3.0),
            Some(Ahead::Hop(..))
        ));
        // A near miss is none.
        let miss = [1.0 + 1e-3, -2.0, 1.0, 0.0];
        assert_eq!(touched_ahead(&miss, 3.0, 3.0), None);
    }
}
