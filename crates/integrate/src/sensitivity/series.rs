//! Sensitivities as series, computed together with those of the motion: their directions are carried through every
//! step.

use galilei_tape::Tape;
use galilei_tape::code::WIDTH;

use super::{Directions, StateSensitivities, Transition};
use crate::expansion::Expansion;
use crate::sum::Compensated;

/// The sensitivities of a run by series.
pub(crate) struct BySeries {
    n: usize,
    columns: usize,
    /// Directions of the series, a multiple of what one instruction holds.
    directions: usize,
    /// δx and δu, row by row.
    state: Vec<Compensated>,
    /// The parameters' rows.
    parameters: Vec<f64>,
    /// Whether the series start with unit directions at each step.
    unit: bool,
    change: Vec<f64>,
    pub(crate) result: StateSensitivities,
}

impl BySeries {
    pub(crate) fn new(tape: &Tape, n: usize, directions: &Directions) -> Self {
        let columns = directions.columns.len();
        let size = 2 * n + tape.parameters().len();
        let row = |i: usize| directions.columns.iter().map(move |c| c[i]);
        let width = if directions.transitions {
            size
        } else {
            columns
        };
        let padded = width.next_multiple_of(WIDTH);
        Self {
            n,
            columns,
            directions: padded,
            state: (0..2 * n).flat_map(row).map(Compensated::new).collect(),
            parameters: (2 * n..size).flat_map(row).collect(),
            unit: directions.transitions,
            change: vec![0.0; 2 * n * padded],
            result: StateSensitivities::default(),
        }
    }

    /// Whether the transitions of single steps are kept.
    pub(crate) fn keeps(&self) -> bool {
        self.unit
    }

    /// The number of directions of the series.
    pub(crate) fn directions(&self) -> usize {
        self.directions
    }

    /// The directions in which the next step starts.
    pub(crate) fn seed(&self, seeds: &mut [f64]) {
        for (i, row) in seeds.chunks_mut(self.directions).enumerate() {
            if self.unit {
                row.fill(0.0);
                row[i] = 1.0;
                continue;
            }
            match i.checked_sub(2 * self.n) {
                None => {
                    let own = &self.state[i * self.columns..][..self.columns];
                    for (to, s) in row.iter_mut().zip(own) {
                        *to = s.high;
                    }
                }
                Some(k) => {
                    let own = &self.parameters[k * self.columns..][..self.columns];
                    row[..self.columns].copy_from_slice(own);
                }
            }
        }
    }

    /// The changes of δx and δu in a time, row by row.
    fn increments(&mut self, series: &mut Expansion, h: f64) -> Vec<f64> {
        series.increments_of_sensitivities(h, &mut self.change);
        let columns = self.columns;
        if !self.unit {
            let rows = self.change.chunks(self.directions);
            return rows.flat_map(|row| row[..columns].to_vec()).collect();
        }
        let mut list = vec![0.0; 2 * self.n * columns];
        for (row, to) in self
            .change
            .chunks(self.directions)
            .zip(list.chunks_mut(columns))
        {
            for (j, factor) in row[..2 * self.n].iter().enumerate() {
                for (c, to) in to.iter_mut().enumerate() {
                    *to += factor * self.state[j * columns + c].high;
                }
            }
            for (k, from) in self.parameters.chunks(columns).enumerate() {
                for (to, from) in to.iter_mut().zip(from) {
                    *to += row[2 * self.n + k] * from;
                }
            }
        }
        list
    }

    /// Notes the sensitivities at a time after the start of the step.
    pub(crate) fn record(&mut self, series: &mut Expansion, h: f64) {
        let change = self.increments(series, h);
        let row = self.state.iter().zip(&change).map(|(s, d)| s.plus(*d));
        self.result.rows.push(row.collect());
    }

    /// Takes the step from a time.
    pub(crate) fn step(&mut self, series: &mut Expansion, from: f64, h: f64) {
        if self.unit {
            let change = self.increments(series, h);
            for (s, d) in self.state.iter_mut().zip(&change) {
                s.add(*d);
            }
        } else {
            series.increments_of_sensitivities(h, &mut self.change);
            let rows = self.change.chunks_exact(self.directions);
            for (state, row) in self.state.chunks_exact_mut(self.columns).zip(rows) {
                for (s, d) in state.iter_mut().zip(row) {
                    s.add(*d);
                }
            }
        }
        if self.unit {
            let size = 2 * self.n + self.parameters.len() / self.columns.max(1);
            let mut matrix = Vec::with_capacity(2 * self.n * size);
            for (i, row) in self.change.chunks(self.directions).enumerate() {
                matrix.extend_from_slice(&row[..size]);
                matrix[i * size + i] += 1.0;
            }
            self.result.transitions.push(Transition {
                from,
                to: from + h,
                matrix,
            });
        }
    }

    /// A jump of the accelerations at a kink that is crossed with a rate: nearby motions cross it δg/ġ
    /// earlier, and feel the other side for that long. `kink` is δg in the directions of the series.
    pub(crate) fn jump(&mut self, kink: &[f64], rate: f64, jumps: &[f64]) {
        if jumps.iter().all(|a| *a == 0.0) {
            return;
        }
        let times: Vec<f64> = kink.iter().map(|g| g / rate).collect();
        let n = self.n;
        let before: Vec<f64> = self.state.iter().map(|s| s.high).collect();
        for (i, jump) in jumps.iter().enumerate() {
            for c in 0..self.columns {
                let time = if self.unit {
                    let state = (0..2 * n).map(|j| times[j] * before[j * self.columns + c]);
                    let rest = self.parameters.chunks(self.columns).zip(&times[2 * n..]);
                    state.sum::<f64>() + rest.map(|(row, t)| row[c] * t).sum::<f64>()
                } else {
                    times[c]
                };
                self.state[(n + i) * self.columns + c].add(jump * time);
            }
        }
        if let (true, Some(step)) = (self.unit, self.result.transitions.last_mut()) {
            step.jump(&times, jumps);
        }
    }

    /// The end of the run.
    pub(crate) fn close(mut self) -> StateSensitivities {
        self.result.last = self.state.iter().map(|s| s.high).collect();
        self.result
    }
}
