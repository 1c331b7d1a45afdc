//! Sensitivities within an expansion: their directions, the coefficients that are computed, and the places of these in
//! the results of the code.

use galilei_jit::Kernel;
use galilei_tape::code::WIDTH;
use galilei_tape::{Rates, Series, Tape, Wanted};

use crate::expansion::{advance, operations, root};

/// The number of operations of one code, about; further directions are computed by calling it again.
const MAX_OPERATIONS: f64 = 60_000.0;

/// The sensitivities of an expansion.
#[derive(Clone)]
pub(crate) struct SensitivityExpansion {
    n: usize,
    order: usize,
    /// δx, δu and parameters.
    rows: usize,
    /// The number of directions, and of those of one call.
    pub(crate) directions: usize,
    pub(crate) at_once: usize,
    /// Each row in all directions.
    pub(crate) seeds: Vec<f64>,
    /// The positions of coefficients and of the sensitivities of kinks among the outputs.
    start: usize,
    kinks: usize,
    /// The results of calls after the first: a time, then the outputs.
    pub(crate) more: Vec<Vec<f64>>,
    /// The code of their changes in that time.
    advance: Kernel,
    /// The results of one call.
    part: Vec<f64>,
}

/// The number of directions of one code.
pub(crate) fn at_once(tape: &Tape, rates: &Rates, wanted: &Wanted, order: usize) -> usize {
    let count = |directions: usize| {
        let [a, b, c] = operations(
            tape,
            rates,
            &Wanted {
                directions,
                ..wanted.clone()
            },
        );
        let p = order as f64;
        a + b * p + c * p * p
    };
    let (none, four) = (count(0), count(WIDTH));
    let room = (MAX_OPERATIONS - none) / (four - none).max(1.0);
    let chunks = wanted.directions / WIDTH;
    (room as usize).clamp(1, chunks) * WIDTH
}

/// The largest size in each of four columns.
fn largest<'b>(rows: impl Iterator<Item = &'b [f64]>) -> [f64; WIDTH] {
    let mut sizes = [0.0; WIDTH];
    for row in rows {
        for (size, c) in sizes.iter_mut().zip(row) {
            *size = if c.abs() > *size { c.abs() } else { *size };
        }
    }
    sizes
}

impl SensitivityExpansion {
    pub(crate) fn new(tape: &Tape, series: &Series, directions: usize) -> Self {
        let (n, order, at_once) = (series.dimension, series.order, series.directions);
        let rows = 2 * n + tape.parameters().len();
        let len = series.kinks_at() + tape.kinks().len() * at_once + 1;
        Self {
            n,
            order,
            rows,
            directions,
            at_once,
            seeds: vec![0.0; rows * directions],
            start: series.sensitivities_at(),
            kinks: series.kinks_at(),
            more: vec![vec![0.0; len]; directions.div_ceil(at_once) - 1],
            advance: Kernel::new(
                advance(n * at_once, order, 1 + series.sensitivities_at(), false),
                1,
            ),
            part: vec![0.0; 2 * n * at_once],
        }
    }

    /// The directions of a call, row by row.
    pub(crate) fn fill(&self, call: usize, inputs: &mut [f64]) {
        let first = call * self.at_once;
        for (row, to) in self
            .seeds
            .chunks(self.directions)
            .zip(inputs.chunks_mut(self.at_once))
        {
            let part = &row[first..self.directions.min(first + self.at_once)];
            to[..part.len()].copy_from_slice(part);
            to[part.len()..].fill(0.0);
        }
    }

    /// The direction of a column.
    pub(crate) fn direction(&self, d: usize) -> Vec<f64> {
        (0..self.rows)
            .map(|i| self.seeds[i * self.directions + d])
            .collect()
    }

    /// Writes what jets computed of a direction.
    pub(crate) fn put(&mut self, first: &mut [f64], d: usize, values: &[f64]) {
        let (call, column) = (d / self.at_once, d % self.at_once);
        let buffer = match call.checked_sub(1) {
            None => first,
            Some(c) => &mut self.more[c],
        };
        let coefficients = self.n * (self.order + 1);
        for (k, &v) in values.iter().enumerate() {
            let start = match k.checked_sub(coefficients) {
                None => self.start + k * self.at_once,
                Some(kink) => self.kinks + kink * self.at_once,
            };
            buffer[1 + start + column] = v;
        }
    }

    /// The results of a call.
    fn buffer<'b>(&'b self, first: &'b [f64], call: usize) -> &'b [f64] {
        match call.checked_sub(1) {
            None => first,
            Some(c) => &self.more[c],
        }
    }

    /// Coefficient k of the velocities in four directions of a call, from a column on.
    fn coefficients<'b>(
        &self,
        buffer: &'b [f64],
        k: usize,
        column: usize,
    ) -> impl Iterator<Item = &'b [f64]> {
        let row = self.n * self.at_once;
        let from = 1 + self.start + k * row;
        let rows = buffer[from..from + row].chunks_exact(self.at_once);
        rows.map(move |list| &list[column..column + WIDTH])
    }

    /// The largest step size that the sensitivities allow, each relative to its own size, with a tenth of the state's
    /// accuracy.
    pub(crate) fn radius(&self, first: &[f64]) -> f64 {
        let p = self.order;
        let mut least = [f64::INFINITY; 2];
        for call in 0..=self.more.len() {
            let buffer = self.buffer(first, call);
            let columns = call * self.at_once..self.directions.min((call + 1) * self.at_once);
            for (at, column) in columns.step_by(WIDTH).zip((0..).step_by(WIDTH)) {
                let seeds = self.seeds.chunks_exact(self.directions).take(2 * self.n);
                let mut low = largest(seeds.map(|row| &row[at..at + WIDTH]));
                // A direction that starts with nothing grows by its first coefficients.
                let first = largest(
                    self.coefficients(buffer, 1, column)
                        .chain(self.coefficients(buffer, 2, column)),
                );
                for (low, first) in low.iter_mut().zip(first) {
                    *low = if *low > 0.0 { *low } else { first };
                }
                for (least, k) in least.iter_mut().zip([p, p - 1]) {
                    let top = largest(self.coefficients(buffer, k, column));
                    for (low, top) in low.iter().zip(top) {
                        if *low > 0.0 && low / top < *least {
                            *least = low / top;
                        }
                    }
                }
            }
        }
        let [last, before] = least.map(|x| 10.0 * x);
        root(last, p).min(root(before, p - 1))
    }

    /// The changes of δx and δu in a time, row by row in all directions.
    pub(crate) fn increments(&mut self, first: &mut [f64], h: f64, change: &mut [f64]) {
        let used = 1 + self.kinks;
        if self.more.is_empty() && self.at_once == self.directions {
            first[0] = h;
            self.advance.call(&first[..used], change);
            return;
        }
        for call in 0..=self.more.len() {
            let buffer = match call.checked_sub(1) {
                None => &mut *first,
                Some(c) => &mut self.more[c],
            };
            buffer[0] = h;
            self.advance.call(&buffer[..used], &mut self.part);
            let from = call * self.at_once;
            for (row, part) in change
                .chunks_mut(self.directions)
                .zip(self.part.chunks(self.at_once))
            {
                let count = self.at_once.min(self.directions - from);
                row[from..from + count].copy_from_slice(&part[..count]);
            }
        }
    }

    /// The sensitivities of a kink's register, in all directions.
    pub(crate) fn kink(&self, first: &[f64], k: usize) -> Vec<f64> {
        (0..self.directions)
            .map(|d| {
                let buffer = self.buffer(first, d / self.at_once);
                buffer[1 + self.kinks + k * self.at_once + d % self.at_once]
            })
            .collect()
    }
}
