//! Long steps of motions that have settled.
//!
//! Motions that have died away still bound the steps of a series: longer steps than some relaxation times are unstable,
//! whatever the tolerance. The linearised equations ẏ = f + J(y − y₀) are solved for any time at once, by their exponential,
//! and how well they describe the motion can be seen: along their solution, f differs from what they say by a
//! defect, and the defects, carried to the end by the same exponential, are the error.

use galilei_tape::math::scalar::{exp2, log2};

use crate::sum::with_known_size;

/// The part of the largest velocity of the run by which velocities may change on a step of a settled motion, besides
/// the root of the tolerance: the error of the linearised equations is quadratic in the changes.
const MAX_CHANGE: f64 = 0.005;
/// The largest change of velocities on a step of a settled motion in tolerances: changes are followed with the errors
/// that differences have.
const MAX_CHANGE_IN_TOLERANCES: f64 = 1e5;
/// Steps that a leap must save to be worth its trial; more where its matrices are large.
const MIN_SAVED_STEPS: f64 = 32.0;
/// A change of the state that shows a derivative: the root of a rounding error.
const DIFFERENCE: f64 = 1.0 / 67_108_864.0;
/// The size of a matrix whose exponential is summed up.
const MAX_SUMMED_SIZE: f64 = 0.35;
/// Terms of that sum: three times four.
const EXPONENTIAL_TERMS: usize = 12;
/// The largest number of doublings of its time.
const MAX_DOUBLINGS: usize = 40;
/// Where a leap is looked at, in the order of time: halves of halves, and some sums of those. Each is given by the
/// flows that lead there.
const CHECKED_TIMES: [&[usize]; 12] = [
    &[20],
    &[16],
    &[12],
    &[9],
    &[7],
    &[5],
    &[4],
    &[3],
    &[2, 4, 6],
    &[1],
    &[1, 3, 4],
    &[0],
];
/// Below this many rounding errors no tolerance can be kept.
const SMALLEST_TOLERANCE: f64 = 8.0 * f64::EPSILON;
/// A component smaller than this part of the largest of its kind, or of the largest velocity of the run, is measured
/// by that.
const SMALLEST_COMPONENT: f64 = 1e-4;

/// Detects that a motion has reached a steady state.
#[derive(Clone, Debug)]
pub(crate) struct Settling {
    calm: f64,
    /// The largest velocity so far.
    pub(crate) fastest: f64,
    /// No trial before this step.
    next: usize,
}

impl Settling {
    pub(crate) fn new(tolerance: f64) -> Self {
        Self {
            calm: (MAX_CHANGE * tolerance.sqrt()).min(MAX_CHANGE_IN_TOLERANCES * tolerance),
            fastest: 0.0,
            next: 0,
        }
    }

    /// Whether a leap over the time that is left is worth a trial, at a state with these velocities and
    /// accelerations that is left by a step of such a length.
    #[inline]
    pub(crate) fn sees(
        &mut self,
        step: usize,
        length: f64,
        left: f64,
        u: &[f64],
        a: &[f64],
    ) -> bool {
        let largest = |n: usize| {
            let (u, a) = (&u[..n], &a[..n]);
            (0..n).fold((self.fastest, 0.0), |(fastest, change), i| {
                (larger(fastest, u[i]), larger(change, a[i]))
            })
        };
        let (fastest, change) = with_known_size!(u.len(), largest);
        self.fastest = fastest;
        change * length <= self.calm * fastest && step >= self.next && {
            let size = (2 * u.len() + 1) as f64;
            left.abs() > (MIN_SAVED_STEPS + size * size / 16.0) * length
        }
    }

    /// A trial has failed at a step.
    pub(crate) fn failed(&mut self, step: usize) {
        self.next = step + step / 4;
    }
}

/// The start of a linearised jump, and its target.
pub(crate) struct Start<'a> {
    /// y = (t, x, u)
    pub(crate) state: &'a [f64],
    /// f = ẏ there, and the power.
    pub(crate) rates: Vec<f64>,
    pub(crate) power: f64,
    /// The components on which the accelerations or the power depend.
    pub(crate) inputs: &'a [bool],
    /// The length of the jump.
    pub(crate) length: f64,
    /// The step size of the series.
    pub(crate) step: f64,
    pub(crate) tolerance: f64,
    /// The largest velocity, and the largest energy of the run.
    pub(crate) fastest: f64,
    pub(crate) energy: f64,
}

/// A step by the linearised equations.
#[derive(Clone, Debug)]
pub(crate) struct Leap {
    pub(crate) length: f64,
    /// (J | f), row by row.
    rates: Matrix,
    /// (e^{sJ} − 1 | ∫e^{sJ}f) for s = `length`, a half of it, a quarter, …
    flows: Vec<Matrix>,
    /// The work done.
    pub(crate) work: f64,
}

/// A matrix with a column more than rows: an affine map.
#[derive(Clone, Debug)]
struct Matrix {
    rows: usize,
    entries: Vec<f64>,
}

impl Matrix {
    fn zero(rows: usize) -> Self {
        Self {
            rows,
            entries: vec![0.0; rows * (rows + 1)],
        }
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.entries[i * (self.rows + 1)..(i + 1) * (self.rows + 1)]
    }

    /// The constant part of component i.
    fn constant(&self, i: usize) -> f64 {
        self.entries[i * (self.rows + 1) + self.rows]
    }

    /// Ay + b
    fn at(&self, y: &[f64], result: &mut [f64]) {
        for (i, r) in result.iter_mut().enumerate() {
            let row = self.row(i).iter().zip(y);
            *r = row.fold(self.constant(i), |s, (a, y)| s + a * y);
        }
    }

    /// Adds the product of a square part with another matrix.
    fn add_product(&mut self, left: &Self, right: &Self) {
        let width = self.rows + 1;
        for (i, row) in self.entries.chunks_exact_mut(width).enumerate() {
            for (k, &a) in left.row(i)[..width - 1].iter().enumerate() {
                // Many of them are zero.
                if a != 0.0 {
                    for (s, b) in row.iter_mut().zip(right.row(k)) {
                        *s += a * b;
                    }
                }
            }
        }
    }

    fn scaled(&self, factor: f64) -> Self {
        Self {
            rows: self.rows,
            entries: self.entries.iter().map(|a| a * factor).collect(),
        }
    }

    /// The largest sum of a row of the square part.
    fn norm(&self) -> f64 {
        let sum = |i: usize| self.row(i)[..self.rows].iter().map(|a| a.abs()).sum();
        (0..self.rows).map(sum).fold(0.0, f64::max)
    }
}

/// The larger size of two, and NaN if the second is.
#[inline]
fn larger(most: f64, x: f64) -> f64 {
    if x.abs() <= most { most } else { x.abs() }
}

impl Leap {
    /// Tests whether the linearised equations reach the end, where `field` computes f at a state and returns the
    /// power. `None` if they do not, or nothing can be concluded.
    pub(crate) fn plan(
        start: &Start<'_>,
        mut field: impl FnMut(&[f64], &mut [f64]) -> Option<f64>,
    ) -> Option<Self> {
        let rates = linearised(start, &mut field)?;
        let mut leap = Self {
            length: start.length,
            flows: flows(&rates, start.length)?,
            rates,
            work: 0.0,
        };
        leap.holds(start, &mut field).then_some(leap)
    }

    /// The time of a flow.
    fn time(&self, j: usize) -> f64 {
        self.length * exp2(-(j as i32))
    }

    /// The change of (t, x, u) in a time.
    pub(crate) fn change(&self, time: f64) -> Vec<f64> {
        let d = self.rates.rows;
        let (mut y, mut more) = (vec![0.0; d], vec![0.0; d]);
        let mut left = time;
        for (j, flow) in self.flows.iter().enumerate() {
            let s = self.time(j);
            if left.abs() >= s.abs() {
                flow.at(&y, &mut more);
                y.iter_mut().zip(&more).for_each(|(y, m)| *y += m);
                left -= s;
            }
        }
        if left == 0.0 {
            return y;
        }
        // What is left is shorter than the last flow: its series.
        self.rates.at(&y, &mut more);
        let mut term: Vec<f64> = more.iter().map(|m| m * left).collect();
        for k in 2..=EXPONENTIAL_TERMS {
            y.iter_mut().zip(&term).for_each(|(y, t)| *y += t);
            for (i, m) in more.iter_mut().enumerate() {
                let row = self.rates.row(i).iter().zip(&term);
                *m = row.fold(0.0, |s, (a, t)| s + a * t) * (left / k as f64);
            }
            term.copy_from_slice(&more);
        }
        y
    }

    /// The change of (t, x, u) by some flows, one after the other.
    fn change_by(&self, flows: &[usize], change: &mut [f64], more: &mut [f64]) {
        change.fill(0.0);
        for &j in flows {
            self.flows[j].at(change, more);
            change.iter_mut().zip(&*more).for_each(|(y, m)| *y += m);
        }
    }

    /// At least ∫|e^{sJ}| over the leap, which carries defects to the end: each flow counts on both sides of it.
    fn carriage(&self) -> Matrix {
        let (d, last) = (self.rates.rows, self.flows.len() - 1);
        let mut sum = Matrix::zero(d);
        for (j, flow) in self.flows.iter().enumerate() {
            let before = if j == last { 1.0 } else { 0.5 };
            let after = if j == 0 { 0.0 } else { 1.0 };
            let time = (before + after) * self.time(j).abs();
            let pairs = sum.entries.iter_mut().zip(&flow.entries);
            pairs.for_each(|(s, a)| *s += time * a.abs());
            // The flows are without the 1.
            for i in 0..d {
                let a = flow.row(i)[i];
                sum.entries[i * (d + 2)] += time * ((1.0 + a).abs() - a.abs());
            }
        }
        // The start.
        let time = self.time(last).abs();
        (0..d).for_each(|i| sum.entries[i * (d + 2)] += time);
        sum
    }

    /// Whether the error is what the tolerance admits. Finds the work, too.
    fn holds(
        &mut self,
        start: &Start<'_>,
        field: &mut impl FnMut(&[f64], &mut [f64]) -> Option<f64>,
    ) -> bool {
        let (d, first) = (self.rates.rows, start.state);
        let [mut found, mut expected, mut state, mut change] = [(); 4].map(|()| vec![0.0; d]);
        // The largest defects, changes and values.
        let [mut defects, mut changes] = [(); 2].map(|()| vec![0.0; d]);
        let mut sizes: Vec<f64> = first.iter().map(|y| y.abs()).collect();
        let (mut before, mut last) = (0.0, start.power);
        let (mut work, mut unsure) = (0.0, 0.0);
        let known = self.flows.len();
        let places = CHECKED_TIMES
            .iter()
            .filter(|list| list.iter().all(|j| *j < known));
        for flows in places {
            let s: f64 = flows.iter().map(|&j| self.time(j)).sum();
            if s.abs() < start.step {
                continue;
            }
            self.change_by(flows, &mut change, &mut expected);
            for ((y, y0), c) in state.iter_mut().zip(first).zip(&change) {
                *y = y0 + c;
            }
            let Some(power) = field(&state, &mut found) else {
                return false;
            };
            self.rates.at(&change, &mut expected);
            for i in 0..d {
                defects[i] = larger(defects[i], found[i] - expected[i]);
                changes[i] = larger(changes[i], change[i]);
                sizes[i] = larger(sizes[i], state[i]);
            }
            work += 0.5 * (s - before) * (power + last);
            unsure += 0.5 * ((s - before) * (power - last)).abs();
            (before, last) = (s, power);
        }
        self.work = work;
        let carriage = self.carriage();
        let tolerance = start.tolerance.max(SMALLEST_TOLERANCE);
        let longest = |list: &[f64], m: f64| list.iter().fold(m, |m, x| larger(m, *x));
        let (positions, velocities) = sizes[1..].split_at(d / 2);
        let most = [
            longest(positions, start.fastest * start.step),
            longest(velocities, start.fastest),
        ];
        let admitted = |i: usize| {
            let row = carriage.row(i).iter().zip(&defects);
            let carried = row.fold(0.0, |s, (a, r)| s + a * r);
            let row = self.rates.row(i).iter().zip(&changes);
            let rates = row.fold(0.0, |s, (a, c)| s + a.abs() * c);
            let rounded = rates * self.length.abs() * f64::EPSILON;
            let size = sizes[i].max(SMALLEST_COMPONENT * most[usize::from(i > d / 2)]);
            carried + rounded <= tolerance * size
        };
        (1..d).all(admitted) && unsure <= tolerance * start.energy
    }
}

/// (J | f) at the start.
fn linearised(
    start: &Start<'_>,
    field: &mut impl FnMut(&[f64], &mut [f64]) -> Option<f64>,
) -> Option<Matrix> {
    let d = start.state.len();
    let mut rates = Matrix::zero(d);
    let mut ahead = vec![0.0; d];
    let mut state = start.state.to_vec();
    for (i, f) in start.rates.iter().enumerate() {
        rates.entries[i * (d + 1) + d] = *f;
    }
    for k in (0..d).filter(|&k| start.inputs[k]) {
        let (y, way) = (start.state[k], (start.rates[k] * start.step).abs());
        // Times have no zero, and angles come back.
        let size = if k == 0 {
            way
        } else {
            way.max(y.abs().min(1.0))
        };
        state[k] = y + if size > 0.0 {
            size * DIFFERENCE
        } else {
            DIFFERENCE
        };
        field(&state, &mut ahead)?;
        let over = 1.0 / (state[k] - y);
        for (i, f) in start.rates.iter().enumerate() {
            rates.entries[i * (d + 1) + k] = (ahead[i] - f) * over;
        }
        state[k] = y;
    }
    Some(rates)
}

/// (e^{sJ} − 1 | ∫e^{sJ}f) for s = `length`, a half of it, and so on down to where a few terms are enough.
fn flows(rates: &Matrix, length: f64) -> Option<Vec<Matrix>> {
    let size = rates.norm() * length.abs();
    if !size.is_finite() {
        return None;
    }
    let doublings = log2(size / MAX_SUMMED_SIZE).ceil().max(0.0) as usize;
    if doublings > MAX_DOUBLINGS {
        return None;
    }
    let least = rates.scaled(length * exp2(-(doublings as i32)));
    // A + A²/2! + … by powers up to the fourth.
    let mut powers = vec![least];
    for k in 1..4 {
        let mut next = Matrix::zero(rates.rows);
        next.add_product(&powers[0], &powers[k - 1]);
        powers.push(next);
    }
    let mut flow = Matrix::zero(rates.rows);
    let mut factor = 1.0 / (1..=EXPONENTIAL_TERMS).map(|k| k as f64).product::<f64>();
    for k in (1..=EXPONENTIAL_TERMS).rev() {
        if k % 4 == 0 && k < EXPONENTIAL_TERMS {
            let mut next = Matrix::zero(rates.rows);
            next.add_product(&powers[3], &flow);
            flow = next;
        }
        let power = &powers[(k - 1) % 4].entries;
        let pairs = flow.entries.iter_mut().zip(power);
        pairs.for_each(|(s, a)| *s += factor * a);
        factor *= k as f64;
    }
    let mut list = vec![flow];
    for _ in 0..doublings {
        let last = &list[list.len() - 1];
        // (1 + F)² = 1 + 2F + F²
        let mut next = last.scaled(2.0);
        next.add_product(last, last);
        list.push(next);
    }
    list.reverse();
    let finite = list[0].entries.iter().all(|a| a.is_finite());
    finite.then_some(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(state: &[f64], length: f64, tolerance: f64) -> Start<'_> {
        Start {
            state,
            rates: vec![],
            power: 0.0,
            inputs: &[true; 5],
            length,
            step: 1.0,
            tolerance,
            fastest: 1.0,
            energy: 1.0,
        }
    }

    /// A leap from a state, with f and the power given.
    fn plan(
        mut start: Start<'_>,
        mut field: impl FnMut(&[f64], &mut [f64]) -> f64,
    ) -> Option<Leap> {
        start.rates = vec![0.0; start.state.len()];
        start.power = field(start.state, &mut start.rates);
        Leap::plan(&start, |state, rates| Some(field(state, rates)))
    }

    /// Two coordinates that follow each other: one is slowed down, the other swings and dies away.
    fn damped(y: &[f64], rates: &mut [f64]) -> f64 {
        let &[_, _, b, u, v] = y else {
            unreachable!("there are two coordinates")
        };
        rates.copy_from_slice(&[1.0, u, v, -0.25 * u, -2.0 * b - 0.5 * v]);
        -0.25 * u * u - 0.5 * v * v
    }

    /// The exact change of the state: x by x(t) = x + 4u(1 − e^{−t/4}), b as a damped oscillation.
    fn damped_change(y: &[f64], t: f64) -> [f64; 5] {
        let (b, u, v) = (y[2], y[3], y[4]);
        let (decay, w) = ((-0.25 * t).exp(), (2.0_f64 - 1.0 / 16.0).sqrt());
        let (s, c) = (w * t).sin_cos();
        let k = (v + 0.25 * b) / w;
        let swung = decay * (b * c + k * s);
        let rate = -0.25 * swung + decay * w * (k * c - b * s);
        [
            t,
            4.0 * u * (1.0 - decay),
            swung - b,
            u * decay - u,
            rate - v,
        ]
    }

    #[test]
    fn linear_motions_are_known_at_any_time() {
        let y = [3.0, 1.0, 1e-7, 2e-7, -3e-7];
        for length in [40.0, 1000.0] {
            let leap = plan(start(&y, length, 1e-12), damped).expect("it is linear");
            for part in [1e-6, 1e-3, 0.03, 0.2, 0.5, 0.77, 0.999, 1.0] {
                let (found, wanted) =
                    (leap.change(part * length), damped_change(&y, part * length));
                for (f, w) in found.iter().zip(wanted) {
                    assert!(
                        (f - w).abs() <= 1e-13 * w.abs() + 1e-18,
                        "{part}: {found:?} {wanted:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_way_back_is_as_long() {
        let y = [0.0, 1.0, 0.0, 1e-9, 0.0];
        let field = |y: &[f64], rates: &mut [f64]| {
            damped(y, rates);
            0.0
        };
        let back = plan(start(&y, -40.0, 1e-12), field).expect("it is linear");
        // What dies away has grown, backward in time.
        assert!((back.change(-40.0)[3] / 1e-9 + 1.0 - 10.0_f64.exp()).abs() < 1e-8);
    }

    #[test]
    fn what_is_not_linear_enough_is_refused() {
        // ü = −u − x² beside a coordinate at rest: x² is seen when it matters.
        let field = |y: &[f64], rates: &mut [f64]| {
            rates.copy_from_slice(&[1.0, y[3], y[4], -y[3] - y[1] * y[1], 0.0]);
            0.0
        };
        let state = |x: f64| [0.0, x, 1.0, 0.0, 0.0];
        assert!(plan(start(&state(1e-2), 100.0, 1e-9), field).is_none());
        assert!(plan(start(&state(1e-9), 100.0, 1e-9), field).is_some());
    }

    #[test]
    fn an_instability_is_followed_or_refused_but_not_damped() {
        // ẍ = sin x: upright at rest but for a hair.
        let field = |y: &[f64], rates: &mut [f64]| {
            rates.copy_from_slice(&[1.0, y[3], y[4], y[1].sin(), 0.0]);
            0.0
        };
        let y = [0.0, 1e-12, 1.0, 0.0, 0.0];
        assert!(plan(start(&y, 100.0, 1e-9), field).is_none());
        let leap = plan(start(&y, 10.0, 1e-6), field).expect("a hair is still little");
        assert!((leap.change(10.0)[1] / 1e-12 + 1.0 - 10.0_f64.cosh()).abs() < 1e-4);
    }

    #[test]
    fn forces_that_come_and_go_are_seen() {
        // At rest at the height of a force of period 1, which a leap of 1024 periods could overlook.
        for period in [1.0, 16.0, 64.0, 1024.0 / 3.0] {
            let field = |y: &[f64], rates: &mut [f64]| {
                let force = 1e-6 * (std::f64::consts::TAU * y[0] / period).cos();
                rates.copy_from_slice(&[1.0, y[3], y[4], force - 1e-6, 0.0]);
                0.0
            };
            let y = [0.0, 1.0, 1.0, 0.0, 0.0];
            assert!(plan(start(&y, 1024.0, 1e-9), field).is_none(), "{period}");
        }
    }

    #[test]
    fn work_is_counted_where_it_is_known() {
        // Driven as much as braked: constant power.
        let field = |y: &[f64], rates: &mut [f64]| {
            rates.copy_from_slice(&[1.0, y[3], y[4], 0.5 - 0.5 * y[3], 0.0]);
            0.25
        };
        let y = [0.0, 1.0, 1.0, 1.0, 0.0];
        let leap = plan(start(&y, 100.0, 1e-9), field).expect("it is linear");
        assert!((leap.work - 25.0).abs() < 1e-12);
        // A power that changes on the way is not integrated well enough.
        let mut calls = 0.0;
        let unsteady = |y: &[f64], rates: &mut [f64]| {
            calls += 1.0;
            field(y, rates) + calls
        };
        assert!(plan(start(&y, 100.0, 1e-9), unsteady).is_none());
    }

    #[test]
    fn a_motion_has_settled_when_its_velocities_hardly_change() {
        let mut settling = Settling::new(1e-8);
        assert!(!settling.sees(0, 1.0, 1e3, &[2.0], &[1.0]));
        assert!(!settling.sees(1, 1.0, 1e3, &[1.0], &[1e-5]));
        assert!(settling.sees(2, 1.0, 1e3, &[1e-6], &[1e-8]));
        // Not for a few steps, nor soon after a trial that failed.
        assert!(!settling.sees(3, 1.0, 30.0, &[1e-6], &[1e-8]));
        settling.failed(8);
        assert!(!settling.sees(9, 1.0, 1e3, &[1e-6], &[1e-8]));
        assert!(settling.sees(10, 1.0, 1e3, &[1e-6], &[1e-8]));
        // Nor if nobody knows.
        assert!(!settling.sees(11, 1.0, 1e3, &[1e-6], &[f64::NAN]));
    }
}
