//! The stages of one step, and the polynomial through it.

use galilei_tape::{Rates, Reg, Tape};

use super::tableau::{A, C, D, FIFTH, THIRD};
use crate::accelerations::Accelerations;
use crate::problem::Stop;
use crate::steps::{ErrorSquares, Steps, time_scale};
use crate::sum::Compensated;

/// The stage at the end of the step.
const LAST: usize = 12;
/// Stages with those of dense output.
const ALL: usize = 16;
/// How many times smaller a step a small component can ask for, to the power of the order.
const PATIENCE: f64 = 65536.0;

/// The rates of positions, velocities and work at the stages of a step.
pub(super) struct Stages<'t> {
    n: usize,
    field: Accelerations<'t>,
    /// Whether work is done: a power and the rates of reactions stand behind the multipliers.
    working: bool,
    multipliers: usize,
    /// t, x, u and sides.
    inputs: Vec<f64>,
    result: Vec<f64>,
    rates: Vec<Vec<f64>>,
    time: Compensated,
    state: Vec<Compensated>,
    /// The length of the step.
    h: f64,
    /// By how much positions, velocities and work change.
    change: Vec<f64>,
    /// The coefficients of dense output, if they are known.
    dense: Option<[Vec<f64>; 7]>,
    evaluations: usize,
}

/// Σ row·rates, component i.
fn sum(row: &[(usize, f64)], rates: &[Vec<f64>], i: usize) -> f64 {
    row.iter().map(|&(s, c)| c * rates[s][i]).sum()
}

impl<'t> Stages<'t> {
    /// `power` holds the power and the rates of the reactions that do work, or nothing.
    pub(super) fn new(tape: &'t Tape, rates: &'t Rates, power: Vec<Reg>) -> Self {
        let n = rates.dimension;
        Self {
            n,
            working: !power.is_empty(),
            multipliers: rates.unknowns - n,
            inputs: vec![0.0; 2 * n + 1 + tape.kinks().len()],
            result: vec![0.0; rates.unknowns + power.len()],
            field: Accelerations::on_sides(tape, rates, power),
            rates: vec![vec![0.0; 2 * n + 1]; ALL],
            time: Compensated::default(),
            state: vec![Compensated::default(); 2 * n],
            h: 0.0,
            change: vec![0.0; 2 * n + 1],
            dense: None,
            evaluations: 0,
        }
    }

    /// The rates at what stands in the inputs.
    fn evaluate(&mut self, s: usize) -> Result<(), Stop> {
        let n = self.n;
        self.evaluations += 1;
        self.field.compute(&self.inputs, &mut self.result);
        let rates = &mut self.rates[s];
        rates[..n].copy_from_slice(&self.inputs[1 + n..=2 * n]);
        rates[n..2 * n].copy_from_slice(&self.result[..n]);
        if self.working {
            let (multipliers, power) = self.result[n..].split_at(self.multipliers);
            let pairs = multipliers.iter().zip(&power[1..]);
            rates[2 * n] = power[0] + pairs.map(|(l, r)| l * r).sum::<f64>();
        }
        // A sum is finite only if all its terms are.
        if rates.iter().fold(0.0, |s, x| s + x.abs()).is_finite() {
            Ok(())
        } else {
            Err(self.field.why(&self.inputs))
        }
    }

    fn place(&mut self, time: &Compensated, state: &[Compensated]) {
        self.time = *time;
        self.state.copy_from_slice(state);
        self.dense = None;
    }

    fn stage(&mut self, s: usize) -> Result<(), Stop> {
        self.inputs[0] = self.time.plus(C[s] * self.h);
        for i in 0..2 * self.n {
            self.inputs[1 + i] = self.state[i].plus(self.h * sum(A[s], &self.rates, i));
        }
        self.evaluate(s)
    }

    /// By how much component i changes over a part of the step.
    fn partial(&self, theta: f64, i: usize) -> f64 {
        let Some(dense) = &self.dense else {
            return f64::NAN;
        };
        let other = 1.0 - theta;
        let mut v = 0.0;
        for (k, list) in dense.iter().enumerate().rev() {
            v = (v + list[i]) * if k % 2 == 0 { theta } else { other };
        }
        v
    }

    /// x and u at the end of the step.
    pub(super) fn end(&self) -> impl Iterator<Item = f64> {
        let pairs = self.state.iter().zip(&self.change);
        pairs.map(|(c, d)| c.plus(*d))
    }
}

impl Steps for Stages<'_> {
    fn start(
        &mut self,
        time: &Compensated,
        state: &[Compensated],
        sides: &[bool],
    ) -> Result<(), Stop> {
        self.place(time, state);
        let known = 2 * self.n + 1;
        for (input, side) in self.inputs[known..].iter_mut().zip(sides) {
            *input = if *side { 1.0 } else { -1.0 };
        }
        self.inputs[0] = time.high;
        for (input, c) in self.inputs[1..known].iter_mut().zip(state) {
            *input = c.high;
        }
        self.evaluate(0)
    }

    fn follow(&mut self, time: &Compensated, state: &[Compensated]) {
        self.place(time, state);
        self.rates.swap(0, LAST);
    }

    fn step(&mut self, h: f64) -> Result<(), Stop> {
        self.h = h;
        self.dense = None;
        for s in 1..=LAST {
            self.stage(s)?;
        }
        for i in 0..self.change.len() {
            self.change[i] = h * sum(A[LAST], &self.rates, i);
        }
        Ok(())
    }

    fn error(&mut self, tolerance: f64, energy: f64) -> Result<f64, Stop> {
        let n = self.n;
        let fold = |m: f64, x: f64| m.max(x.abs());
        let ends = |i: usize| [self.state[i].high, self.state[i].plus(self.change[i])];
        let largest = (0..2 * n).flat_map(ends).fold(0.0, fold);
        let count = 2 * n + usize::from(self.working);
        let mut squares = [ErrorSquares::default(); 2];
        for i in 0..count {
            let on_the_way = self.rates[..=LAST].iter().map(|r| self.h * r[i]);
            let way = on_the_way.fold(0.0, fold);
            let (size, common) = if i < 2 * n {
                (ends(i).into_iter().fold(way, fold), largest)
            } else {
                (way.max(energy), way.max(energy))
            };
            for (sum_of, row) in squares.iter_mut().zip([FIFTH, THIRD]) {
                sum_of.add(self.h * sum(row, &self.rates, i), size, common);
            }
        }
        let [fifth, third] = squares;
        Ok(fifth.beside(&third, count, PATIENCE) / tolerance)
    }

    fn first_length(&self, tolerance: f64) -> Option<f64> {
        let (n, rates) = (self.n, &self.rates[0]);
        let positions = self.state[..n].iter().map(|c| c.high);
        let (u, a) = (rates[..n].iter().copied(), rates[n..2 * n].iter().copied());
        Some(time_scale(positions, u, a)? * tolerance.powf(0.125))
    }

    fn densify(&mut self) -> Result<(), Stop> {
        if self.dense.is_some() {
            return Ok(());
        }
        for s in LAST + 1..ALL {
            self.stage(s)?;
        }
        let mut dense: [Vec<f64>; 7] = Default::default();
        for i in 0..self.change.len() {
            let change = self.change[i];
            let spline = self.h * self.rates[0][i] - change;
            let first = [
                change,
                spline,
                change - self.h * self.rates[LAST][i] - spline,
            ];
            let rest = D.map(|row| self.h * sum(row, &self.rates, i));
            for (list, c) in dense.iter_mut().zip(first.into_iter().chain(rest)) {
                list.push(c);
            }
        }
        self.dense = Some(dense);
        Ok(())
    }

    fn cut(&mut self, theta: f64) {
        let list: Vec<f64> = (0..self.change.len())
            .map(|i| self.partial(theta, i))
            .collect();
        self.change = list;
    }

    fn between(&self, theta: f64, state: &mut [f64]) {
        for (i, (x, c)) in state.iter_mut().zip(&self.state).enumerate() {
            *x = c.plus(self.partial(theta, i));
        }
    }

    fn arrive(&self, state: &mut [Compensated]) {
        for (s, d) in state.iter_mut().zip(&self.change) {
            s.add(*d);
        }
    }

    fn work(&self) -> f64 {
        self.change[2 * self.n]
    }

    fn evaluations(&self) -> usize {
        self.evaluations
    }
}
