//! Accelerations at single states, and how far those of a step's polynomial are from them.

use crate::accelerations::{Accelerations, rounding_of};
use crate::drive::Driver;
use crate::legendre::rounded_gauss;
use crate::problem::{Error, Problem};
use crate::steps::{SMALLEST_SIZE, Steps};
use crate::sum::larger;

/// Accelerations within a step may differ from those of its polynomial by these multiples of the tolerance, relative to
/// the velocity of their own coordinate and to the largest one. Sound steps of the models in `models/` stay below a
/// tenth of both.
const DEFECT_IN_TOLERANCES: [f64; 2] = [1e4, 1e2];
/// The smallest tolerance that counts in these limits.
const SMALLEST_TOLERANCE: f64 = 1e-12;
/// The largest that both limits may be.
const LARGEST_LIMIT: f64 = 0.1;
/// The number of Gauss' points within a step at which accelerations are probed where surfaces lie.
const PROBES: usize = 10;
/// The relative change of an input that shows how accelerations depend on it.
const RELATIVE_CHANGE: f64 = 1e-6;
/// Rounding errors of the state and of the accelerations are at most this many units in the last place.
const ROUNDING_UNITS: f64 = 16.0;

/// The points within a step at which accelerations are probed, as parts of it, with Gauss' weights.
pub(super) fn nodes() -> Vec<(f64, f64)> {
    rounded_gauss(PROBES)
}

/// The largest deviations of accelerations from those of a polynomial, relative to the velocity of their own
/// coordinate and to the largest one.
pub(crate) fn defect_limits(tolerance: f64) -> [f64; 2] {
    let tolerance = tolerance.max(SMALLEST_TOLERANCE);
    DEFECT_IN_TOLERANCES.map(|times| (times * tolerance).min(LARGEST_LIMIT))
}

/// The defect of a step at a place within it: 0 if it is accepted, else more than 1. `of` gives for each coordinate its
/// velocity at the end of the step, and the accelerations by the polynomial and by the equations, times the step.
#[inline(always)]
pub(crate) fn defect(limits: [f64; 2], n: usize, of: impl Fn(usize) -> (f64, f64, f64)) -> f64 {
    let (mut fastest, mut differing) = (0.0, 0.0);
    for i in 0..n {
        let (velocity, foreseen, there) = of(i);
        fastest = larger(velocity.abs(), fastest);
        differing += (there - foreseen).abs();
    }
    // Sound steps are accepted by this; NaN is not.
    match differing <= limits[1] * fastest {
        true => 0.0,
        false => largest_defect(limits, n, of),
    }
}

/// The largest defect of a coordinate, relative to its limit; 0 if all are accepted.
#[cold]
fn largest_defect(limits: [f64; 2], n: usize, of: impl Fn(usize) -> (f64, f64, f64)) -> f64 {
    let size = |(velocity, foreseen, there): (f64, f64, f64)| {
        larger(larger(velocity.abs(), foreseen.abs()), there.abs())
    };
    let mut largest = SMALLEST_SIZE;
    for i in 0..n {
        largest = larger(size(of(i)), largest);
    }
    let all = limits[1] * largest;
    let mut worst = 0.0_f64;
    for i in 0..n {
        let numbers = of(i);
        let difference = (numbers.2 - numbers.1).abs();
        let most = larger(limits[0] * size(numbers), all);
        if difference <= most {
            continue;
        }
        // NaN counts as too much.
        let ratio = difference / most;
        worst = match ratio.is_nan() {
            true => f64::INFINITY,
            false => worst.max(ratio),
        };
    }
    worst
}

/// Accelerations, multipliers and the power at a state on given branches of the kinks.
pub(crate) struct Probe {
    code: Accelerations,
    inputs: Vec<f64>,
    result: Vec<f64>,
}

impl Probe {
    pub(crate) fn new(problem: &Problem) -> Self {
        let (tape, rates) = (&problem.tape, &problem.rates);
        let code = Accelerations::on_branches(tape, rates, vec![problem.power], 1);
        Self {
            inputs: vec![0.0; code.inputs()],
            result: vec![0.0; code.unknowns() + code.values()],
            code,
        }
    }

    /// Accelerations, multipliers and, last, the power at a state: t, x, u and the fixed inputs.
    pub(crate) fn at(&mut self, state: &[f64], branches: &[f64]) -> &[f64] {
        let all = state.iter().chain(branches).copied();
        self.inputs.iter_mut().zip(all).for_each(|(to, x)| *to = x);
        self.code.compute(&self.inputs, &mut self.result);
        &self.result
    }
}

/// A place within a step: the state there, by the polynomial, and the accelerations by it and by the equations.
struct Place {
    /// The time since the start.
    time: f64,
    /// t, x, u and the fixed inputs.
    state: Vec<f64>,
    /// The accelerations by the polynomial, times the time since the start.
    foreseen: Vec<f64>,
    /// Accelerations, multipliers and power.
    there: Vec<f64>,
}

impl Driver<'_> {
    /// Accelerations, multipliers and power at a state: t, x, u and the fixed inputs.
    pub(super) fn probe_at(&mut self, state: &[f64]) -> &[f64] {
        let problem = self.problem;
        let probe = self.probe.get_or_insert_with(|| Probe::new(problem));
        probe.at(state, &self.branches.list)
    }

    fn probe_after(&mut self, time: f64, stages: &mut impl Steps) -> Place {
        let n = self.problem.rates.dimension;
        let (mut state, mut foreseen) = (self.plain(), vec![0.0; n]);
        state[0] = self.time.plus(time);
        stages.foresee(time, &mut state[1..=2 * n], &mut foreseen);
        let there = self.probe_at(&state).to_vec();
        Place {
            time,
            state,
            foreseen,
            there,
        }
    }

    /// The defect of a foreseen step whose end has one: the largest at its end and at the nodes within it. It is 0 where
    /// rounding explains what is too large.
    pub(super) fn defect_of_step(
        &mut self,
        h: f64,
        at_end: f64,
        stages: &mut impl Steps,
    ) -> Result<f64, Error> {
        if at_end <= 1.0 && self.nodes.is_empty() || at_end.is_infinite() {
            return Ok(at_end);
        }
        let end = self.probe_after(h, stages);
        if at_end > 1.0 {
            return Ok(if self.is_rounding(h, &end) {
                0.0
            } else {
                at_end
            });
        }
        let (n, limits) = (self.problem.rates.dimension, self.defect_limits);
        let (mut worst, mut work) = (at_end, 0.0);
        for k in 0..self.nodes.len() {
            let (part, weight) = self.nodes[k];
            let place = self.probe_after(part * h, stages);
            let defect = defect(limits, n, |i| {
                let [there, foreseen] = [h * place.there[i], place.foreseen[i] / part];
                (end.state[1 + n + i], foreseen, there)
            });
            if defect > 1.0 {
                let rounding = defect.is_finite() && self.is_rounding(h, &place);
                return Ok(if rounding { 0.0 } else { defect });
            }
            worst = worst.max(defect);
            work += weight * place.there[place.there.len() - 1];
        }
        stages.replace_work(work * h);
        Ok(worst)
    }

    /// Whether accelerations at a place differ from those of the polynomial only by what rounding of the state and of
    /// the computation does to them.
    fn is_rounding(&mut self, h: f64, place: &Place) -> bool {
        let rounding = self.rounding_at(&place.state, &place.there);
        let part = place.time / h;
        (0..self.problem.rates.dimension).all(|i| {
            let difference = (h * place.there[i] - place.foreseen[i] / part).abs();
            difference <= (h * ROUNDING_UNITS * rounding[i]).abs()
        })
    }

    /// The effect of rounding of a state (t, x, u and the fixed inputs) and of the computation on the accelerations
    /// there, which are known together with the multipliers.
    fn rounding_at(&mut self, state: &[f64], there: &[f64]) -> Vec<f64> {
        let n = self.problem.rates.dimension;
        let mut rounding = rounding_of(self.problem, state, &self.branches.list, there);
        let mut changed = state.to_vec();
        for j in 0..=2 * n {
            changed[j] = state[j] * (1.0 + RELATIVE_CHANGE);
            let found = self.probe_at(&changed);
            for i in 0..n {
                rounding[i] += (found[i] - there[i]).abs() * f64::EPSILON / RELATIVE_CHANGE;
            }
            changed[j] = state[j];
        }
        rounding
    }

    /// Accelerations, multipliers and power after a part of a sampled step, with the state there.
    fn probe_between(&mut self, part: f64, h: f64, stages: &mut impl Steps) -> [Vec<f64>; 2] {
        self.place(part, h, stages);
        let state = self.view.inputs[..=self.state.len()].to_vec();
        let there = self.probe_at(&state).to_vec();
        [state, there]
    }

    /// The defect of a sampled step: by how much velocities change over it otherwise than the accelerations along its
    /// polynomial say; 1 is the most that is accepted.
    pub(super) fn defect_within(&mut self, h: f64, stages: &mut impl Steps) -> f64 {
        if self.nodes.is_empty() {
            return 0.0;
        }
        let n = self.problem.rates.dimension;
        self.place(1.0, h, stages);
        let velocities = self.view.inputs[1 + n..=2 * n].to_vec();
        let ends = velocities.iter().zip(&self.state[n..]);
        let changes: Vec<f64> = ends.map(|(end, start)| end - start.high).collect();
        let mut impulses = vec![0.0; n];
        for k in 0..self.nodes.len() {
            let (part, weight) = self.nodes[k];
            let [_, found] = self.probe_between(part, h, stages);
            for (impulse, a) in impulses.iter_mut().zip(&found) {
                *impulse += h * weight * a;
            }
        }
        // Stiff components amplify errors of the polynomial that the step does not have.
        let mut missing: Vec<f64> = impulses.iter().zip(&changes).map(|(i, c)| i - c).collect();
        stages.damp(&mut missing);
        let found = defect(self.defect_limits, n, |i| {
            (velocities[i], changes[i], changes[i] + missing[i])
        });
        if found <= 1.0 || !found.is_finite() {
            return found;
        }
        let rounding = self.rounding_within(h, stages);
        let explained = |i: usize| missing[i].abs() <= h.abs() * rounding[i];
        if (0..n).all(explained) { 0.0 } else { found }
    }

    /// The largest rounding errors of the accelerations at three places of the polynomial over a step.
    fn rounding_within(&mut self, h: f64, stages: &mut impl Steps) -> Vec<f64> {
        let mut rounding = vec![0.0_f64; self.problem.rates.dimension];
        for part in [0.0, 0.5, 1.0] {
            let [state, there] = self.probe_between(part, h, stages);
            let here = self.rounding_at(&state, &there);
            let pairs = rounding.iter_mut().zip(here);
            pairs.for_each(|(most, r)| *most = most.max(ROUNDING_UNITS * r));
        }
        rounding
    }

    /// The error of a sampled step that is too large, apart from what rounding of the accelerations explains: where flat
    /// functions cancel next to rest, all that is felt of them is rounding.
    pub(super) fn error_beyond_rounding(
        &mut self,
        h: f64,
        error: f64,
        stages: &mut impl Steps,
    ) -> Result<f64, Error> {
        if self.nodes.is_empty() || !error.is_finite() {
            return Ok(error);
        }
        stages.densify()?;
        let rounding = self.rounding_within(h, stages);
        stages.error_beyond(&rounding, self.tolerance, self.energy)
    }
}
