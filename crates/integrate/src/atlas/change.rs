//! Changes of chart along a run.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use galilei_linear::Factors;
use galilei_tape::Tape;
use galilei_tape::math::scalar::cos;

use super::quality::Quality;
use super::{Atlas, AtlasChart, Stop};
use crate::double::Double;
use crate::sum::Compensated;

/// A chart is left when the size of ∂g in it is this many times that in another chart, and this many times the smallest
/// that the run has met since it entered: coordinates that are as good as at the start are kept. Twice that of a chart
/// of the sphere at 20° from its pole.
const WORSE_BY: f64 = 10.0;
/// A ready-made chart is left where the square of its coordinates exceeds this; that of the next one is its inverse. For
/// steady turns, whose series have poles where a chart ends, larger ones take more steps, smaller ones more changes.
const LARGEST_SQUARE: f64 = 2.0;
/// Steps of Newton's method for the inverse of a chart.
const MAX_INVERSE_STEPS: usize = 60;
/// Initial guesses of Newton's method for the inverse of a chart.
const MAX_GUESSES: usize = 24;
/// The residual at which Newton's method for the inverse of a chart ends, relative to the coordinates.
const INVERSE_ACCURACY: f64 = 1e-13;

/// Coordinates of a ready-made manifold: y ↦ ±y/|y|² leads to the next chart, and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Folding {
    /// The place of the first of them.
    pub first: usize,
    /// The number of them.
    pub count: usize,
    /// The change of the number of the chart, as a bit; 0 where both charts have the same equations.
    pub bit: usize,
    /// Whether the sign changes, too.
    pub negative: bool,
}

impl Folding {
    /// The tangent of the change at a state, applied to a sensitivity of it.
    fn tangent(&self, state: &[f64], sensitivity: &mut [f64]) {
        let n = state.len() / 2;
        let (first, count) = (self.first, self.count);
        let (y, w) = (
            &state[first..first + count],
            &state[n + first..n + first + count],
        );
        let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
        let square = dot(y, y);
        let sign = if self.negative { -1.0 } else { 1.0 };
        let (dy, dw) = sensitivity.split_at_mut(n);
        let (dy, dw) = (&mut dy[first..first + count], &mut dw[first..first + count]);
        let stretch = 2.0 * dot(y, dy) / square;
        let rate = dot(y, w) / square;
        let turn = (dot(dy, w) + dot(y, dw)) / square - rate * stretch;
        for k in 0..count {
            let there = w[k] - 2.0 * rate * y[k];
            let change = dw[k] - 2.0 * (turn * y[k] + rate * dy[k]);
            dw[k] = sign * (change - there * stretch) / square;
            dy[k] = sign * (dy[k] - y[k] * stretch) / square;
        }
    }

    fn square(&self, state: &[f64]) -> f64 {
        let y = &state[self.first..self.first + self.count];
        y.iter().map(|y| y * y).sum()
    }

    /// The state in the next chart, with its rounding errors: a run may change charts in every swing, and rounding
    /// should not add up.
    fn fold(&self, state: &mut [Compensated]) {
        let (positions, velocities) = state.split_at_mut(state.len() / 2);
        let place = self.first..self.first + self.count;
        let list = |part: &[Compensated]| -> Vec<Double> {
            part[place.clone()].iter().map(|c| (*c).into()).collect()
        };
        let (y, w) = (list(positions), list(velocities));
        let dot =
            |a: &[Double], b: &[Double]| -> Double { a.iter().zip(b).map(|(a, b)| *a * *b).sum() };
        let square = dot(&y, &y);
        let twice = Double::from(2.0) * dot(&y, &w) / square;
        let sign = Double::from(if self.negative { -1.0 } else { 1.0 });
        for (k, i) in place.enumerate() {
            positions[i] = (sign * y[k] / square).into();
            velocities[i] = (sign * (w[k] - twice * y[k]) / square).into();
        }
    }
}

/// A chart for a state, and the state in it.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(super) chart: usize,
    pub(crate) state: Vec<f64>,
    /// The rounding errors of the state; empty where they are not known.
    pub(super) low: Vec<f64>,
    pub(super) quality: f64,
}

/// The charts of an atlas and the changes between them.
pub(crate) struct Changes {
    charts: Vec<AtlasChart>,
    foldings: Vec<Folding>,
    qualities: Mutex<Vec<Option<Quality>>>,
}

impl Changes {
    pub(crate) fn new(atlas: &Atlas) -> Self {
        let quality = |c: &AtlasChart| {
            let n = c.problem.rates.dimension;
            c.metric.as_ref().map(|tape| Quality::new(n, tape))
        };
        Self {
            qualities: Mutex::new(atlas.charts.iter().map(quality).collect()),
            charts: atlas.charts.clone(),
            foldings: atlas.foldings.clone(),
        }
    }

    /// The size of ∂g of a chart at a state, or the largest square of the coordinates that are inverted.
    pub(super) fn quality(&self, chart: usize, time: f64, state: &[f64]) -> f64 {
        if !self.foldings.is_empty() {
            let squares = self.foldings.iter().map(|f| f.square(state));
            return squares.fold(0.0, f64::max);
        }
        let mut list = self
            .qualities
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let quality = list[chart].as_mut();
        quality.map_or(0.0, |q| q.at(time, state))
    }

    pub(super) fn is_regular(&self, chart: usize, time: f64, state: &[f64]) -> bool {
        self.quality(chart, time, state).is_finite()
    }

    /// The function that ends a part of a run where its chart is left; it writes down for which.
    pub(crate) fn stop(this: &Arc<Self>, chart: usize, next: &Arc<AtomicUsize>) -> Stop {
        let (this, next) = (Arc::clone(this), Arc::clone(next));
        let mut best = f64::INFINITY;
        Stop::new(move |time, state| {
            let here = this.quality(chart, time, state);
            let left = match this.foldings.is_empty() {
                false => here > LARGEST_SQUARE,
                true => {
                    best = best.min(here);
                    here > WORSE_BY * best
                        && this
                            .candidates(chart, time, (state, &[]))
                            .iter()
                            .any(|c| here > WORSE_BY * c.quality)
                }
            };
            if left {
                next.store(chart, Ordering::Relaxed);
            }
            left
        })
    }

    /// A state, whose rounding errors may be known, in all other charts that have it.
    pub(crate) fn candidates(
        &self,
        chart: usize,
        time: f64,
        (state, low): (&[f64], &[f64]),
    ) -> Vec<Candidate> {
        if !self.foldings.is_empty() {
            let lows = low.iter().copied().chain(std::iter::repeat(0.0));
            let pairs = state.iter().zip(lows);
            let mut other = chart;
            let mut there: Vec<Compensated> = pairs
                .map(|(&high, low)| Compensated { high, low })
                .collect();
            let folded = |f: &&Folding| f.square(state) > 1.0;
            for f in self.foldings.iter().filter(folded) {
                f.fold(&mut there);
                other ^= f.bit;
            }
            if !self.foldings.iter().any(|f| folded(&f)) {
                return vec![];
            }
            let state: Vec<f64> = there.iter().map(|c| c.high).collect();
            return vec![Candidate {
                chart: other,
                quality: self.quality(other, time, &state),
                low: there.iter().map(|c| c.low).collect(),
                state,
            }];
        }
        let first = self.in_first(chart, time, state);
        let others = (0..self.charts.len()).filter(|&k| k != chart);
        let found = others.filter_map(|k| {
            let there = self.of_first(k, time, &first)?;
            let finite = there.iter().all(|x| x.is_finite());
            let quality = if finite {
                self.quality(k, time, &there)
            } else {
                f64::INFINITY
            };
            quality.is_finite().then_some(Candidate {
                chart: k,
                state: there,
                low: vec![],
                quality,
            })
        });
        found.collect()
    }

    /// The tangent of the change from a state of a chart to that of another, applied to a sensitivity with its parameters
    /// behind the state; `None` where it is not known.
    pub(crate) fn carried(
        &self,
        time: f64,
        (chart, state): (usize, &[f64]),
        (other, there): (usize, &[f64]),
        sensitivity: &[f64],
    ) -> Option<Vec<f64>> {
        if !self.foldings.is_empty() {
            let mut moved = sensitivity[..state.len()].to_vec();
            for f in self.foldings.iter().filter(|f| f.square(state) > 1.0) {
                f.tangent(state, &mut moved);
            }
            return Some(moved);
        }
        let shown = self.shown_sensitivity(chart, time, state, sensitivity)?;
        self.hidden_sensitivity(other, time, there, &shown, &sensitivity[state.len()..])
    }

    /// A sensitivity in the first chart.
    pub(super) fn shown_sensitivity(
        &self,
        chart: usize,
        time: f64,
        state: &[f64],
        sensitivity: &[f64],
    ) -> Option<Vec<f64>> {
        let size = state.len();
        if !self.foldings.is_empty() {
            let mut moved = sensitivity[..size].to_vec();
            for f in self.foldings.iter().filter(|f| f.bit & chart != 0) {
                f.tangent(state, &mut moved);
            }
            return Some(moved);
        }
        let Some(tape) = &self.charts[chart].tangent else {
            let first = self.charts[chart].shown.is_none();
            return first.then(|| sensitivity[..size].to_vec());
        };
        let matrix = tape.run(&[&[time], state].concat(), &[]);
        let rows = matrix.chunks(sensitivity.len());
        let row = |r: &[f64]| r.iter().zip(sensitivity).map(|(a, b)| a * b).sum();
        Some(rows.map(row).collect())
    }

    /// A sensitivity in a chart from that in the first, for sensitivities of the parameters.
    fn hidden_sensitivity(
        &self,
        chart: usize,
        time: f64,
        state: &[f64],
        shown: &[f64],
        parameters: &[f64],
    ) -> Option<Vec<f64>> {
        let size = state.len();
        let Some(tape) = &self.charts[chart].tangent else {
            return self.charts[chart].shown.is_none().then(|| shown.to_vec());
        };
        let matrix = tape.run(&[&[time], state].concat(), &[]);
        let width = size + parameters.len();
        let mut factors = Factors::new(size);
        factors.factor(|i, j| matrix[i * width + j]).ok()?;
        let mut moved: Vec<f64> = (0..size)
            .map(|i| {
                let row = matrix[i * width + size..(i + 1) * width].iter();
                shown[i] - row.zip(parameters).map(|(a, b)| a * b).sum::<f64>()
            })
            .collect();
        factors.solve(&mut moved);
        Some(moved)
    }

    /// The state in the first chart.
    fn in_first(&self, chart: usize, time: f64, state: &[f64]) -> Vec<f64> {
        match &self.charts[chart].shown {
            None => state.to_vec(),
            Some(tape) => tape.run(&[&[time], state].concat(), &[]),
        }
    }

    /// The state of a chart from that of the first.
    fn of_first(&self, chart: usize, time: f64, first: &[f64]) -> Option<Vec<f64>> {
        let c = &self.charts[chart];
        if c.shown.is_none() {
            return Some(first.to_vec());
        }
        match (&c.inverse, &c.jacobian) {
            (Some(tape), _) => Some(tape.run(&[&[time], first].concat(), &[])),
            (None, Some(tape)) => inverted(tape, time, first),
            (None, None) => None,
        }
    }
}

/// The state (y, w) with X(t, y) = x and ∂X/∂t + K·w = u, by Newton's method from several guesses.
fn inverted(tape: &Tape, time: f64, first: &[f64]) -> Option<Vec<f64>> {
    let n = first.len() / 2;
    let (x, u) = first.split_at(n);
    let size = x.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    let at = |y: &[f64]| tape.run(&[&[time], y].concat(), &[]);
    let mut factors = Factors::new(n);
    for guess in 0..MAX_GUESSES {
        let spread = guess as f64;
        let mut y: Vec<f64> = (0..n)
            .map(|i| (0.37 * spread + 0.5) * cos(1.3 * spread + 2.1 * i as f64 + 0.4))
            .collect();
        for _ in 0..MAX_INVERSE_STEPS {
            let values = at(&y);
            let entry = |i: usize, j: usize| values[2 * n + i * n + j];
            if values.iter().any(|v| !v.is_finite()) || factors.factor(entry).is_err() {
                break;
            }
            let mut step: Vec<f64> = (0..n).map(|i| x[i] - values[i]).collect();
            let residual = step.iter().fold(0.0_f64, |m, r| m.max(r.abs()));
            if residual <= INVERSE_ACCURACY * size {
                let mut w: Vec<f64> = (0..n).map(|i| u[i] - values[n + i]).collect();
                factors.solve(&mut w);
                y.extend(w);
                return Some(y);
            }
            factors.solve(&mut step);
            let length = step.iter().fold(0.0_f64, |m, s| m.max(s.abs()));
            let part = (1.0 / length).min(1.0);
            y.iter_mut().zip(&step).for_each(|(y, s)| *y += part * s);
        }
    }
    None
}
