//! Sensitivities by the transitions of pieces of the motion, several of them computed together.

use std::sync::Arc;

use galilei_tape::Tape;

use super::{Directions, StateSensitivities, Transition};
use crate::expansion::Expansion;
use crate::problem::{Error, Problem};
use crate::sum::sum;
use crate::taylor::part_of_radius;
use crate::transition::{PIECES_AT_ONCE, Transitions};

/// The number of directions that are computed together, for the sake of processors.
const DIRECTIONS_PER_BLOCK: usize = 4;
type Block = [f64; DIRECTIONS_PER_BLOCK];

/// The purpose of a piece of the motion.
#[derive(Clone, Copy, Debug)]
enum Task {
    /// Sensitivities at its end are noted.
    Record,
    /// The motion has gone on to its end, from a time to a time.
    Step(f64, f64),
}

/// Where sensitivities could not be followed.
#[derive(Clone, Debug)]
pub(crate) struct Lost {
    pub(crate) stop: Error,
    /// The time and state until which they are known.
    pub(crate) time: f64,
    pub(crate) state: Vec<f64>,
    /// The number of records before the piece.
    pub(crate) rows: usize,
}

/// The number of nodes grows where more than one piece in this many cannot be trusted: of those computed together, or of all
/// since the number of nodes last changed.
const MAX_FAILED_OF_GROUP: usize = 4;
const MAX_FAILED_OF_MANY: usize = 32;
/// The number of pieces from which on code is compiled: for fewer, compiling takes longer than the interpreter.
const MIN_COMPILED_PIECES: usize = 1000;
/// The largest number of divisions of a piece, and of its parts altogether.
const MAX_DIVISIONS: usize = 24;
const MAX_PARTS: usize = 5000;
/// The largest number of shortenings of the first step: from any number to any other.
const MAX_SHORTENINGS: usize = 1100;
/// The number of parts of one division.
const PARTS_PER_DIVISION: usize = 4;

/// The sensitivities of a run by collocation, and the pieces of the motion that wait to be computed.
pub(crate) struct ByCollocation {
    tape: Arc<Tape>,
    n: usize,
    /// The numbers of directions and of blocks of them.
    columns: usize,
    blocks: usize,
    /// δx, δu and the parameters, row by row, and what is left of the sums.
    state: Vec<Block>,
    rest: Vec<Block>,
    /// The values of the parameters.
    values: Vec<f64>,
    /// Whether the transitions of single steps are kept.
    keeps: bool,
    transitions: Transitions,
    /// The tasks of the pieces in the lanes, since several are computed together.
    waiting: Vec<Task>,
    /// Longer pieces could not be trusted lately.
    longest: f64,
    /// The number of computed pieces, and with the present number of nodes those computed and those that could not be
    /// trusted.
    pieces: usize,
    counted: (usize, usize),
    /// The lane that has the polynomial of the present step.
    present: Option<usize>,
    /// A transition: by how much δx and δu change, by the start and the parameters.
    matrix: Vec<f64>,
    change: Vec<Block>,
    result: StateSensitivities,
    lost: Option<Lost>,
}

impl ByCollocation {
    pub(crate) fn new(
        problem: &Problem,
        order: usize,
        tolerance: f64,
        directions: &Directions,
    ) -> Self {
        let (tape, rates) = (&problem.tape, &problem.rates);
        let n = rates.dimension;
        let columns = &directions.columns;
        let size = 2 * n + tape.parameters().len();
        let row = |i: usize| {
            let blocks = columns.chunks(DIRECTIONS_PER_BLOCK);
            blocks.map(move |b| std::array::from_fn(|l| b.get(l).map_or(0.0, |c| c[i])))
        };
        let blocks = columns.len().div_ceil(DIRECTIONS_PER_BLOCK);
        let part = part_of_radius(tolerance, order);
        Self {
            tape: Arc::clone(tape),
            n,
            columns: columns.len(),
            blocks,
            state: (0..size).flat_map(row).collect(),
            rest: vec![[0.0; DIRECTIONS_PER_BLOCK]; 2 * n * blocks],
            values: tape.parameter_values(),
            keeps: directions.transitions,
            transitions: Transitions::new(tape, rates, order, part, tolerance),
            waiting: vec![],
            longest: f64::INFINITY,
            pieces: 0,
            counted: (0, 0),
            present: None,
            matrix: vec![0.0; 2 * n * size],
            change: vec![[0.0; DIRECTIONS_PER_BLOCK]; 2 * n * blocks],
            result: StateSensitivities::default(),
            lost: None,
        }
    }

    /// The largest next step size.
    pub(crate) fn longest(&self) -> f64 {
        self.longest
    }

    /// Where they could not be followed any more.
    pub(crate) fn lost(&self) -> Option<&Lost> {
        self.lost.as_ref()
    }

    /// Whether the transitions of single steps are kept.
    pub(crate) fn keeps(&self) -> bool {
        self.keeps
    }

    /// The number of components of a state with the parameters.
    fn size(&self) -> usize {
        2 * self.n + self.values.len()
    }

    /// Puts a piece at the start of a step into a place.
    fn fill(&mut self, series: &Expansion, time: f64, l: usize, length: f64) {
        let [x, u] = series.polynomial();
        let parts = [&[time], series.branches(), &self.values, x, u];
        self.transitions.set_polynomial(l, parts);
        self.transitions.set_piece(l, 0.0, length);
    }

    /// Adds a piece of the present step; several are computed together.
    fn push(&mut self, series: &Expansion, time: f64, length: f64, task: Task) {
        let l = self.waiting.len();
        match self.present {
            Some(k) => {
                self.transitions.repeat(k, l);
                self.transitions.set_piece(l, 0.0, length);
            }
            None => self.fill(series, time, l, length),
        }
        self.present = Some(l);
        self.waiting.push(task);
        if self.waiting.len() >= PIECES_AT_ONCE {
            self.settle();
        }
    }

    /// Notes the sensitivities at a time after the start of the step.
    pub(crate) fn record(&mut self, series: &Expansion, time: f64, h: f64) {
        self.push(series, time, h, Task::Record);
    }

    /// Takes the step from a time.
    pub(crate) fn step(&mut self, series: &Expansion, time: f64, h: f64) {
        self.push(series, time, h, Task::Step(time, time + h));
        self.present = None;
    }

    /// Computes what waits.
    pub(crate) fn settle(&mut self) {
        if self.lost.is_some() {
            self.waiting.clear();
        }
        let mut waiting = std::mem::take(&mut self.waiting);
        let all = self.compute(waiting.len());
        // Where nearby motions need shorter steps than the motion itself, nothing else would tell how short.
        let bounded = self.longest.is_finite();
        let first = (0..waiting.len()).find(|&l| self.transitions.length(l) != 0.0);
        let all = all && (!bounded || first.is_none_or(|l| self.transitions.is_confirmed(l)));
        for (l, task) in waiting.drain(..).enumerate() {
            if self.is_sound(l) && (all || !bounded) {
                self.read(l);
            } else if let Err((stop, way)) = self.divided(l) {
                let (time, state) = self.transitions.after(l, way);
                self.apply(Task::Step(time - way, time));
                self.lost = Some(Lost {
                    stop,
                    time,
                    state,
                    rows: self.result.rows.len(),
                });
                break;
            }
            self.apply(task);
        }
        if all {
            self.longest *= 2.0;
        }
        self.waiting = waiting;
        self.present = None;
    }

    /// Computes the first pieces; whether all can be trusted.
    fn compute(&mut self, count: usize) -> bool {
        loop {
            if count > 0 {
                self.transitions.compute(0..count);
            }
            let wrong = (0..count).filter(|&l| !self.is_sound(l)).count();
            let (of, all) = (self.counted.0 + count, self.counted.1 + wrong);
            let often = wrong * MAX_FAILED_OF_GROUP > count
                || all * MAX_FAILED_OF_MANY > of.max(2 * MAX_FAILED_OF_MANY);
            if often && self.transitions.refine() {
                self.counted = (0, 0);
                continue;
            }
            self.counted = (of, all);
            self.pieces += count;
            if self.pieces >= MIN_COMPILED_PIECES {
                self.transitions.compile();
            }
            return wrong == 0;
        }
    }

    fn is_sound(&self, l: usize) -> bool {
        self.transitions.length(l) == 0.0 || self.transitions.is_sound(l)
    }

    /// The transition in a lane.
    #[inline]
    fn read(&mut self, l: usize) {
        match self.transitions.length(l) == 0.0 {
            true => self.matrix.fill(0.0),
            false => self.transitions.read(l, &mut self.matrix),
        }
    }

    /// The transition over the piece in a lane, in parts since it cannot be trusted as a whole; those in other lanes stay. Where
    /// that does not help: the reason, and how far it came, with the transition until there.
    #[cold]
    fn divided(&mut self, l: usize) -> Result<(), (Error, f64)> {
        let (size, whole) = (self.size(), self.transitions.length(l));
        let mut all = vec![0.0; self.matrix.len()];
        // Parts ahead, the next one last: where it starts, its length, how often it was divided.
        let mut ahead = vec![(0.0, whole, 0)];
        let mut outcome = Ok(());
        for count in 0.. {
            let Some((from, length, depth)) = ahead.pop() else {
                break;
            };
            self.transitions.set_piece(l, from, length);
            self.transitions.compute(l..l + 1);
            let empty = length == 0.0;
            if self.is_sound(l) && (empty || self.transitions.is_confirmed(l)) {
                self.read(l);
                let before = all.clone();
                for (i, row) in self.matrix.chunks_exact(size).enumerate() {
                    for c in 0..size {
                        let through = (0..2 * self.n).map(|j| row[j] * before[j * size + c]);
                        all[i * size + c] += row[c] + through.sum::<f64>();
                    }
                }
                // A few parts are no more work than as many steps.
                if depth > 1 {
                    self.longest = self.longest.min(length.abs());
                }
                continue;
            }
            if depth == MAX_DIVISIONS || count == MAX_PARTS {
                let stop = match depth > MAX_DIVISIONS / 2 {
                    true => Error::StepUnderflow,
                    false => Error::TooManySteps,
                };
                outcome = Err((stop, from));
                break;
            }
            let length = length / PARTS_PER_DIVISION as f64;
            let parts = (0..PARTS_PER_DIVISION).rev();
            ahead.extend(parts.map(|k| (from + k as f64 * length, length, depth + 1)));
        }
        self.transitions.set_piece(l, 0.0, whole);
        self.matrix = all;
        outcome
    }

    /// Row by row in all directions.
    fn unblocked(&self, blocks: &[Block]) -> Vec<f64> {
        let rows = blocks.chunks(self.blocks.max(1));
        rows.flat_map(|row| row.iter().flatten().take(self.columns).copied())
            .collect()
    }

    /// Does what was to be done with a piece whose transition is at hand.
    fn apply(&mut self, task: Task) {
        let (blocks, size) = (self.blocks, self.size());
        for (k, to) in self.change.iter_mut().enumerate() {
            let row = &self.matrix[k / blocks * size..][..size];
            let from = self.state[k % blocks..].iter().step_by(blocks);
            let mut sum = [0.0; DIRECTIONS_PER_BLOCK];
            for (factor, from) in row.iter().zip(from) {
                for (sum, x) in sum.iter_mut().zip(from) {
                    *sum += factor * x;
                }
            }
            *to = sum;
        }
        match task {
            Task::Record => {
                let sums = self.state.iter().zip(&self.rest).zip(&self.change);
                let all: Vec<Block> = sums
                    .map(|((x, rest), d)| std::array::from_fn(|l| x[l] + (rest[l] + d[l])))
                    .collect();
                let row = self.unblocked(&all);
                self.result.rows.push(row);
            }
            Task::Step(from, to) => {
                let sums = self.state.iter_mut().zip(&mut self.rest);
                for ((x, rest), d) in sums.zip(&self.change) {
                    for l in 0..DIRECTIONS_PER_BLOCK {
                        (x[l], rest[l]) = sum(x[l], rest[l], d[l]);
                    }
                }
                if self.keeps {
                    let mut matrix = self.matrix.clone();
                    for i in 0..2 * self.n {
                        matrix[i * size + i] += 1.0;
                    }
                    self.result
                        .transitions
                        .push(Transition { from, to, matrix });
                }
            }
        }
    }

    /// The derivatives of a kink's register by x, u and the parameters, at a state.
    pub(crate) fn kink(&self, k: usize, state: &[f64], branches: &[f64]) -> Vec<f64> {
        let inputs: Vec<[f64; 1]> = state
            .iter()
            .copied()
            .chain(branches.iter().copied())
            .chain(self.values.iter().copied())
            .map(|x| [x])
            .collect();
        let code = self
            .tape
            .gradient_on_branches(self.tape.kinks()[k].register);
        let values = code.run(&inputs, &mut vec![]);
        values[1..].iter().map(|v| v[0]).collect()
    }

    /// A jump of the accelerations at a kink that is crossed with a rate: nearby motions cross it δg/ġ
    /// earlier, and feel the other side for that long. `kink` are the derivatives of g.
    pub(crate) fn jump(&mut self, kink: &[f64], rate: f64, jumps: &[f64]) {
        if jumps.iter().all(|a| *a == 0.0) {
            return;
        }
        let times: Vec<f64> = kink.iter().map(|g| g / rate).collect();
        let n = self.n;
        for k in 0..self.blocks {
            let rows = self.state[k..].iter().step_by(self.blocks);
            let mut early = [0.0; DIRECTIONS_PER_BLOCK];
            for (time, row) in times.iter().zip(rows) {
                for (sum, x) in early.iter_mut().zip(row) {
                    *sum += time * x;
                }
            }
            for (i, jump) in jumps.iter().enumerate() {
                let at = (n + i) * self.blocks + k;
                for (l, early) in early.iter().enumerate() {
                    let (x, rest) = (self.state[at][l], self.rest[at][l]);
                    (self.state[at][l], self.rest[at][l]) = sum(x, rest, jump * early);
                }
            }
        }
        if let (true, Some(step)) = (self.keeps, self.result.transitions.last_mut()) {
            step.jump(&times, jumps);
        }
    }

    /// Prepares for a run of about `steps` steps, of which the first one is known: chooses the number of nodes, and compiles
    /// code if that saves time.
    pub(crate) fn prepare(&mut self, series: &Expansion, time: f64, length: f64, steps: f64) {
        if !(length.is_finite() && length != 0.0) {
            return;
        }
        self.fill(series, time, 0, length);
        if !(self.compute(1) && self.transitions.is_confirmed(0)) {
            // No step of this length serves, with however many nodes.
            self.transitions.reset();
            for _ in 0..MAX_SHORTENINGS {
                self.longest = self.transitions.length(0).abs() / PARTS_PER_DIVISION as f64;
                self.transitions
                    .set_piece(0, 0.0, self.longest.copysign(length));
                self.transitions.compute(0..1);
                if self.is_sound(0) && self.transitions.is_confirmed(0) {
                    break;
                }
            }
        }
        if steps >= MIN_COMPILED_PIECES as f64 {
            self.transitions.compile();
        }
    }

    /// The end of the run.
    pub(crate) fn close(mut self) -> StateSensitivities {
        self.result.last = self.unblocked(&self.state[..2 * self.n * self.blocks]);
        self.result
    }
}
