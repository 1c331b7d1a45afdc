//! The stages of one step of several motions, each with a length of its own.

use super::lane::Lane;
use super::tableau::{A, C, D, FIFTH, THIRD};
use crate::accelerations::Accelerations;
use crate::problem::Error;
use crate::steps::{ErrorSquares, beyond};

/// The stage at the end of the step.
pub(super) const LAST: usize = 12;
/// Stages with those of dense output.
const ALL: usize = 16;
/// The largest factor by which a small component can shorten a step, to the power of the order.
const MAX_SHORTENING: f64 = 65536.0;

/// A number of each motion.
type Row<const L: usize> = [f64; L];

/// The rates of positions, velocities and work at the stages of a step of L motions in lanes. The result of
/// a motion does not depend on the others: each number is computed by the same operations in the same order.
pub(crate) struct Stages<const L: usize> {
    pub(super) n: usize,
    field: Accelerations,
    /// Whether work is done: a power and the rates of reactions follow the multipliers.
    working: bool,
    multipliers: usize,
    /// The states at which rates are computed: t, x, u, the fixed inputs and branches.
    pub(super) inputs: Vec<Row<L>>,
    result: Vec<Row<L>>,
    /// The rates of each component at all stages.
    pub(super) rates: Vec<[Row<L>; ALL]>,
    /// t, x and u at the start of the step, and what was lost of them to rounding.
    pub(super) start: Vec<Row<L>>,
    pub(super) lost: Vec<Row<L>>,
    /// The length of the step.
    pub(super) h: Row<L>,
    /// The changes of positions, velocities and work.
    pub(super) change: Vec<Row<L>>,
    /// The coefficients of dense output, and which motions they are known of.
    pub(super) dense: [Vec<Row<L>>; 7],
    pub(super) is_dense: [bool; L],
    /// Why a step could not be made.
    stops: [Option<Error>; L],
    pub(super) evaluations: [usize; L],
}

/// Σ row·rates of a component.
#[inline(always)]
fn sum<const L: usize>(row: &[(usize, f64)], rates: &[Row<L>; ALL]) -> Row<L> {
    let mut sum = [0.0; L];
    for &(s, c) in row {
        let rate = &rates[s];
        for l in 0..L {
            sum[l] += c * rate[l];
        }
    }
    sum
}

/// Σ |row|: how far an error of one in each rate changes a sum.
fn weight(row: &[(usize, f64)]) -> f64 {
    row.iter().map(|(_, c)| c.abs()).sum()
}

/// The larger sizes.
#[inline]
fn largest<const L: usize>(most: &mut Row<L>, values: &Row<L>) {
    for (m, v) in most.iter_mut().zip(values) {
        *m = if v.abs() > *m { v.abs() } else { *m };
    }
}

impl<const L: usize> Stages<L> {
    /// The stages of motions whose accelerations are computed by code for L states on given branches. Where work is done, the
    /// code also computes the power and the rates of the reactions.
    pub(crate) fn new(field: Accelerations) -> Self {
        let n = field.dimension();
        let zeros = |count: usize| vec![[0.0; L]; count];
        Self {
            n,
            working: field.values() > 0,
            multipliers: field.unknowns() - n,
            inputs: zeros(field.inputs()),
            result: zeros(field.unknowns() + field.values()),
            rates: vec![[[0.0; L]; ALL]; 2 * n + 1],
            start: zeros(2 * n + 1),
            lost: zeros(2 * n + 1),
            h: [0.0; L],
            change: zeros(2 * n + 1),
            dense: std::array::from_fn(|_| zeros(2 * n + 1)),
            is_dense: [false; L],
            stops: [const { None }; L],
            evaluations: [0; L],
            field,
        }
    }

    /// The steps of one of the motions.
    pub(crate) fn lane(&mut self, l: usize) -> Lane<'_, L> {
        Lane { stages: self, l }
    }

    /// The rates of some motions at the states in the inputs. Rates of other motions at the start are kept.
    pub(super) fn evaluate(&mut self, s: usize, lanes: &[bool; L]) {
        let (n, inputs, result) = (self.n, &self.inputs, &mut self.result);
        self.field
            .compute(inputs.as_flattened(), result.as_flattened_mut());
        // A sum is finite only if all its terms are.
        let mut size = [0.0; L];
        let mut put = |to: &mut Row<L>, from: &Row<L>| {
            if s > 0 {
                *to = *from;
            } else {
                let own = (0..L).filter(|l| lanes[*l]);
                own.for_each(|l| to[l] = from[l]);
            }
            size.iter_mut().zip(to).for_each(|(s, v)| *s += v.abs());
        };
        let (positions, others) = self.rates.split_at_mut(n);
        for (rates, u) in positions.iter_mut().zip(&inputs[1 + n..]) {
            put(&mut rates[s], u);
        }
        for (rates, a) in others.iter_mut().zip(&result[..n]) {
            put(&mut rates[s], a);
        }
        if self.working {
            let (multipliers, power) = result[n..].split_at(self.multipliers);
            let mut work = power[0];
            for (lambda, rate) in multipliers.iter().zip(&power[1..]) {
                for l in 0..L {
                    work[l] += lambda[l] * rate[l];
                }
            }
            put(&mut others[n][s], &work);
        }
        for l in (0..L).filter(|l| lanes[*l]) {
            self.evaluations[l] += 1;
            if !size[l].is_finite() {
                self.give_up(s, l);
            }
        }
    }

    /// Remembers why a motion has no rates; it stays at the start of its step.
    #[cold]
    fn give_up(&mut self, s: usize, l: usize) {
        self.stops[l] = Some(self.field.why(self.inputs.as_flattened(), l));
        self.h[l] = 0.0;
        for rates in &mut self.rates {
            rates[s][l] = 0.0;
        }
    }

    /// t, x, u, the fixed inputs and sides at the start of the step.
    pub(crate) fn at_start(&mut self) -> &[f64] {
        let known = self.start.len();
        self.inputs[..known].copy_from_slice(&self.start);
        self.inputs.as_flattened()
    }

    /// Why the rates of a motion could not be computed, if they could not; it is then forgotten.
    pub(crate) fn outcome(&mut self, l: usize) -> Result<(), Error> {
        self.stops[l].take().map_or(Ok(()), Err)
    }

    /// The lanes among given ones that have rates at all stages so far.
    fn sound(&self, lanes: &[bool; L]) -> [bool; L] {
        std::array::from_fn(|l| lanes[l] && self.stops[l].is_none())
    }

    /// The start of the step with a change: high + (low + change).
    #[inline]
    fn plus(&self, i: usize, change: &Row<L>) -> Row<L> {
        let (high, low) = (&self.start[i], &self.lost[i]);
        std::array::from_fn(|l| high[l] + (low[l] + change[l]))
    }

    /// Computes a stage. Its number is a constant, so that its sum is unrolled.
    fn stage<const S: usize>(&mut self, lanes: &[bool; L]) {
        let (n, h) = (self.n, self.h);
        self.inputs[0] = self.plus(0, &h.map(|h| C[S] * h));
        for i in 0..2 * n {
            let mut change = sum(A[S], &self.rates[i]);
            for l in 0..L {
                change[l] *= h[l];
            }
            if S == LAST {
                self.change[i] = change;
            }
            self.inputs[1 + i] = self.plus(1 + i, &change);
        }
        self.evaluate(S, lanes);
    }

    /// The stages of a step behind its start.
    const STEP: [fn(&mut Self, &[bool; L]); 12] = [
        Self::stage::<1>,
        Self::stage::<2>,
        Self::stage::<3>,
        Self::stage::<4>,
        Self::stage::<5>,
        Self::stage::<6>,
        Self::stage::<7>,
        Self::stage::<8>,
        Self::stage::<9>,
        Self::stage::<10>,
        Self::stage::<11>,
        Self::stage::<LAST>,
    ];

    /// The stages of dense output.
    const DENSE: [fn(&mut Self, &[bool; L]); 3] =
        [Self::stage::<13>, Self::stage::<14>, Self::stage::<15>];

    /// The stages of a step of some motions, as long as it says in their lanes.
    pub(crate) fn step(&mut self, lanes: &[bool; L]) {
        for l in 0..L {
            self.h[l] = if lanes[l] { self.h[l] } else { 0.0 };
            self.is_dense[l] &= !lanes[l];
        }
        for stage in Self::STEP {
            let lanes = self.sound(lanes);
            if lanes.contains(&true) {
                stage(self, &lanes);
            }
        }
        let work = sum(A[LAST], &self.rates[2 * self.n]);
        self.change[2 * self.n] = std::array::from_fn(|l| self.h[l] * work[l]);
    }

    /// The errors of the step, apart from what rounding of the accelerations explains; 1 is what a tolerance admits. Work
    /// is measured by an energy.
    pub(crate) fn errors(&self, tolerance: f64, energies: &Row<L>, rounding: &[f64]) -> Row<L> {
        let n = self.n;
        let mut most = [0.0; L];
        for i in 0..2 * n {
            largest(&mut most, &self.start[1 + i]);
            largest(&mut most, &self.plus(1 + i, &self.change[i]));
        }
        let count = 2 * n + usize::from(self.working);
        let mut squares = [[ErrorSquares::default(); 2]; L];
        // The largest part of an acceleration that is rounding; the power has the same.
        let mut share = [0.0_f64; L];
        for i in 0..count {
            // The rates at the end are no part of the estimate: where they are far larger than the others it would be
            // measured by what it does not see.
            let mut way = [0.0; L];
            for rate in &self.rates[i][..LAST] {
                largest(&mut way, rate);
            }
            for l in 0..L {
                way[l] *= self.h[l].abs();
            }
            let (mut size, mut common) = (way, most);
            if i < 2 * n {
                largest(&mut size, &self.start[1 + i]);
                largest(&mut size, &self.plus(1 + i, &self.change[i]));
            } else {
                largest(&mut size, energies);
                common = size;
            }
            let mut known = [0.0; L];
            if !rounding.is_empty() {
                for l in 0..L {
                    let h = self.h[l].abs();
                    known[l] = match i.checked_sub(n) {
                        None => h * h * rounding[i],
                        Some(k) if k < n => h * rounding[k],
                        Some(_) => share[l] * way[l],
                    };
                    if (n..2 * n).contains(&i) && known[l] > 0.0 {
                        share[l] = share[l].max(known[l] / way[l]).min(1.0);
                    }
                }
            }
            let errors = [FIFTH, THIRD].map(|row| (sum(row, &self.rates[i]), weight(row)));
            for l in 0..L {
                for (sums, (error, weight)) in squares[l].iter_mut().zip(&errors) {
                    let rest = beyond(self.h[l] * error[l], weight * known[l]);
                    sums.add(rest, size[l], common[l]);
                }
            }
        }
        squares.map(|[fifth, third]| fifth.corrected_by(&third, count, MAX_SHORTENING) / tolerance)
    }

    /// Prepares the polynomial over the step of some motions; not of those that have no rates there.
    pub(crate) fn densify(&mut self, lanes: &[bool; L]) {
        for stage in Self::DENSE {
            stage(self, &self.sound(lanes));
        }
        let lanes = self.sound(lanes);
        for i in 0..self.change.len() {
            let rows = D.map(|row| sum(row, &self.rates[i]));
            for l in (0..L).filter(|l| lanes[*l]) {
                let (h, change) = (self.h[l], self.change[i][l]);
                let spline = h * self.rates[i][0][l] - change;
                let end = change - h * self.rates[i][LAST][l] - spline;
                let first = [change, spline, end].into_iter();
                let all = first.chain(rows.iter().map(|row| h * row[l]));
                for (list, c) in self.dense.iter_mut().zip(all) {
                    list[i][l] = c;
                }
            }
        }
        for l in 0..L {
            self.is_dense[l] |= lanes[l];
        }
    }
}
