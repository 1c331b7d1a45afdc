//! Motions between given ends that lie in different charts, or lead through places where a chart ends: by shooting, with
//! runs that change charts. (T-125)

use galilei_integrate::{Ends, Folding, Options, Runner, Solution, Status};
use galilei_linear::Factors;
use galilei_tape::Tape;

use crate::compiled::Compiled;
use crate::motion::Motion;
use crate::trajectory::Trajectory;

/// Newton steps from one initial velocity.
const MAX_STEPS: usize = 40;
/// The distance from the end at which Newton's method stops, relative to the coordinates.
const CLOSED: f64 = 1e-12;
/// The largest distance from the end of a motion that counts, relative to the coordinates.
const FOUND: f64 = 1e-9;
/// The longest change of an initial velocity in a step, relative to it.
const LONGEST_STEP: f64 = 0.5;
/// The change of an initial velocity whose effect is compared, relative to it.
const DIFFERENCE: f64 = 1e-5;
/// The number of pieces into which the time is divided to integrate L.
const INTERVALS: usize = 200;
/// Nodes and weights of Gauss' quadrature on [0, 1], with three nodes.
const GAUSS: [(f64, f64); 3] = [
    (0.112_701_665_379_258_31, 0.277_777_777_777_777_8),
    (0.5, 0.444_444_444_444_444_4),
    (0.887_298_334_620_741_7, 0.277_777_777_777_777_8),
];

/// A search for initial velocities with which runs from one place come to another.
pub(super) struct Shooting<'a> {
    /// Runs through the charts, the first of which is that in which the end is given.
    pub(super) runner: Runner<'a>,
    pub(super) foldings: &'a [Folding],
    /// The number of the chart in which the start is given.
    pub(super) chart: usize,
    /// The place of the start in its chart.
    pub(super) start: Vec<f64>,
    /// The place of the end in the first chart.
    pub(super) end: Vec<f64>,
    pub(super) options: Options,
}

impl Shooting<'_> {
    /// The place to which a motion comes, in the first chart.
    fn arrival(&mut self, u: &[f64], go_on: &mut dyn FnMut(f64) -> bool) -> Option<Vec<f64>> {
        let state = [&self.start[..], u].concat();
        let run = (self.runner).run((self.chart, &state), &self.options, &mut *go_on);
        let place = run.state[..u.len()].to_vec();
        (run.status == Status::Finished && place.iter().all(|x| x.is_finite())).then_some(place)
    }

    /// The initial velocity near a guess with which the motion comes to the end, and how far from it; `None` where Newton's
    /// method does not converge. Derivatives are differences: a run takes less time than code for its sensitivities.
    pub(super) fn velocity(
        &mut self,
        guess: &[f64],
        go_on: &mut dyn FnMut(f64) -> bool,
    ) -> Option<(Vec<f64>, f64)> {
        let n = guess.len();
        let size = self.end.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        let length = |v: &[f64]| v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let mut u = guess.to_vec();
        let mut last = f64::INFINITY;
        for _ in 0..MAX_STEPS {
            let place = self.arrival(&u, go_on)?;
            let target = nearest(self.foldings, &self.end, &place);
            let mut step: Vec<f64> = (0..n).map(|i| target[i] - place[i]).collect();
            let off = length(&step);
            // Rounding ends the search.
            if off <= CLOSED * size || off <= FOUND * size && off >= 0.5 * last {
                return Some((u, off));
            }
            last = off;
            let h = DIFFERENCE * length(&u).max(f64::MIN_POSITIVE);
            let mut slopes = vec![0.0; n * n];
            for j in 0..n {
                let mut moved = u.clone();
                moved[j] += h;
                let there = self.arrival(&moved, go_on)?;
                moved[j] -= 2.0 * h;
                let back = self.arrival(&moved, go_on)?;
                for i in 0..n {
                    slopes[i * n + j] = (there[i] - back[i]) / (2.0 * h);
                }
            }
            let mut factors = Factors::new(n);
            factors.factor(|i, j| slopes[i * n + j]).ok()?;
            factors.solve(&mut step);
            let part = (LONGEST_STEP * length(&u) / length(&step)).min(1.0);
            u.iter_mut().zip(&step).for_each(|(u, s)| *u += part * s);
        }
        None
    }
}

/// The coordinates of a point of rotations that are nearest to a place: y and −y/y² are the same rotation.
fn nearest(foldings: &[Folding], point: &[f64], place: &[f64]) -> Vec<f64> {
    let mut point = point.to_vec();
    for f in foldings.iter().filter(|f| f.bit == 0) {
        let range = f.first..f.first + f.count;
        let square: f64 = point[range.clone()].iter().map(|y| y * y).sum();
        let distance = |y: &dyn Fn(usize) -> f64| -> f64 {
            range.clone().map(|i| (y(i) - place[i]).powi(2)).sum()
        };
        let sign = if f.negative { -1.0 } else { 1.0 };
        if square > 0.0 && distance(&|i| sign * point[i] / square) < distance(&|i| point[i]) {
            range.for_each(|i| point[i] *= sign / square);
        }
    }
    point
}

/// A guess of an initial velocity: straight to the end first, where both are in one chart, then in different directions
/// and with growing speeds.
pub(super) fn guess(
    start: &[f64],
    end: Option<&[f64]>,
    time: f64,
    (k, seed): (usize, u64),
) -> Vec<f64> {
    if let Some(end) = end.filter(|_| k == 0) {
        let straight: Vec<f64> = start.iter().zip(end).map(|(a, b)| (b - a) / time).collect();
        if straight.iter().any(|u| *u != 0.0) {
            return straight;
        }
    }
    let speed = 0.5 * (1 + k / 2) as f64 / time;
    (0..start.len())
        .map(|i| speed * (2.0 * super::unit(seed, k * 64 + i * 8 + 7) - 1.0))
        .collect()
}

/// The curve of a motion that was followed with dense output, in the coordinates of the first chart; places where these
/// do not exist are no numbers.
pub(super) fn curve(
    compiled: &Compiled,
    motion: &mut Motion,
    momenta: &Tape,
    (ends, elements, degree): (&Ends, usize, usize),
) -> Option<Solution> {
    let problem = &compiled.lowered().problem;
    let kept = motion.run.clone();
    let mut trajectory = Trajectory::of(compiled, motion);
    motion.run = kept;
    let span = ends.to - ends.from;
    let mut at = |t: f64| -> Option<Vec<f64>> { Some(trajectory.at(t)?.ok()?.to_vec()) };
    let mut action = 0.0;
    let mut values = vec![0.0; problem.tape.len()];
    for k in 0..INTERVALS {
        for (node, weight) in GAUSS {
            let part = (k as f64 + node) / INTERVALS as f64;
            let t = ends.from + part * span;
            let inputs = [&[t][..], &at(t)?].concat();
            problem.tape.evaluate(&inputs, &[], &mut values);
            action += weight * span / INTERVALS as f64 * values[problem.lagrangian as usize];
        }
    }
    let momenta = |t: f64, state: &[f64]| momenta.run(&[&[t][..], state].concat(), &[]);
    Solution::of_motion(
        (ends.from, ends.to, elements, degree),
        &mut at,
        momenta,
        // From the earlier end to the later one.
        action * span.signum(),
    )
}
