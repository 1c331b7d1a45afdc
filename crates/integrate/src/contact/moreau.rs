//! Moreau's and Jean's time-stepping scheme: steps of constant length, contacts and friction as complementarity between
//! velocities and impulses, without locating impacts. First order. (T-203, T-204)

use galilei_tape::{ContactQuantities, Grip, Mode, ModeProblem, Touch};

use super::numbers::{Frame, dot};
use super::{Collision, ContactRecord, size};
use crate::ledger::{Entry, Ledger};
use crate::problem::{Crossing, Error, Options, Record, Run, Status};
use crate::project::admitted;
use crate::record::started;

/// Sweeps over all contacts in one step.
const MAX_SWEEPS: usize = 20_000;
/// The change of the velocities in a sweep, relative to the largest, at which sweeps end.
const CONVERGED: f64 = 1e-13;
/// The part of the largest velocity below which a contact that closes is no impact: a few steps of free fall.
const SOFT_STEPS: f64 = 4.0;

/// An impulse that friction limits, or a normal one.
struct Block {
    /// The normal line, or none for a friction element of its own.
    normal: Option<(usize, f64)>,
    /// The lines of friction and the element.
    friction: Option<(usize, Vec<usize>)>,
}

/// A run by steps of constant length.
pub(super) struct Stepper<'a> {
    pub(super) quantities: &'a ContactQuantities,
    pub(super) terminal: &'a [bool],
    /// Free motion, for its constraints.
    pub(super) free: &'a ModeProblem,
    /// Impulses of the step before, for all lines.
    impulses: Vec<f64>,
    /// The contacts that were closed in the step before.
    closed: Vec<bool>,
    record: ContactRecord,
    /// The present time and state, x then u, and the forces of the last step along all lines.
    time: f64,
    state: Vec<f64>,
    forces: Vec<f64>,
}

impl<'a> Stepper<'a> {
    pub(super) fn new(
        quantities: &'a ContactQuantities,
        terminal: &'a [bool],
        free: &'a ModeProblem,
        (time, state): (f64, &[f64]),
    ) -> Self {
        let lines = quantities.constraints
            + quantities.contacts.len()
            + (quantities.elements.iter().map(|e| e.tangents)).sum::<usize>();
        Self {
            quantities,
            terminal,
            free,
            impulses: vec![0.0; lines],
            closed: vec![false; quantities.contacts.len()],
            record: ContactRecord::default(),
            time,
            state: state.to_vec(),
            forces: vec![0.0; lines],
        }
    }

    /// Outputs, events and the power at a state, with forces as multipliers.
    fn watch(&self, time: f64, state: &[f64], forces: &[f64]) -> Result<Vec<f64>, Error> {
        let tape = self
            .quantities
            .recorded
            .as_ref()
            .ok_or(Error::NotRecorded)?;
        Ok(tape.run(&[&[time], state, forces].concat(), &[]))
    }

    /// The run, in steps of a length.
    pub(super) fn run(
        mut self,
        options: &Options,
        length: f64,
        progress: &mut impl FnMut(f64) -> bool,
    ) -> Run {
        let n = self.quantities.dimension;
        let (events, outputs) = (self.terminal.len(), self.quantities.outputs);
        let span = options.to - options.from;
        let sign = options.sign();
        // Backward in time impacts have no law.
        let count = (span.abs() / length * (1.0 - 1e-12)).ceil().max(0.0);
        let mut run = started(&self.free.problem, &self.state, options, 1);
        let mut status = match sign < 0.0 {
            true => Status::Failed(Error::BackwardImpacts),
            false => Status::Finished,
        };
        let mut recorder = Recorder::new(options);
        let (mut largest, mut defect) = (0.0_f64, 0.0_f64);
        let (mut worst, mut residual) = (0.0_f64, 0.0_f64);
        let mut ledger = Ledger::default();
        let mut before = match self.watch(self.time, &self.state, &self.forces) {
            Ok(values) => values,
            Err(why) => {
                status = Status::Failed(why);
                vec![f64::NAN; outputs + events + 1]
            }
        };
        let row = |time: f64, state: &[f64], values: &[f64]| -> Vec<f64> {
            [&[time], &state[..2 * n], &values[..outputs]].concat()
        };
        let mut last = row(self.time, &self.state, &before);
        recorder.first(&last, &mut run.rows);
        let mut steps = 0.0;
        while steps < count && status == Status::Finished {
            if run.steps >= options.max_steps {
                status = Status::Failed(Error::TooManySteps);
                break;
            }
            if run.steps.is_multiple_of(16) && !progress(self.time) {
                status = Status::Failed(Error::Interrupted);
                break;
            }
            let end = match steps + 1.0 >= count {
                true => options.to,
                false => options.from + (steps + 1.0) * length,
            };
            let here = (self.time, self.state.clone(), self.forces.clone());
            let step = match self.step(end - self.time, end) {
                Ok(step) => step,
                Err(why) => {
                    status = Status::Failed(why);
                    break;
                }
            };
            let values = match self.watch(self.time, &self.state, &self.forces) {
                Ok(v) if v.iter().chain(&self.state).all(|x| x.is_finite()) => v,
                _ => {
                    status = Status::Failed(Error::NotFinite);
                    (self.time, self.state, self.forces) = here;
                    break;
                }
            };
            steps += 1.0;
            run.steps += 1;
            run.evaluations += 2;
            let power = 0.5 * (before[outputs + events] + values[outputs + events]);
            defect += step.energy - step.work - power * (self.time - here.0);
            largest = largest.max(step.scale);
            worst = worst.max(defect.abs());
            residual = residual.max(step.residual);
            ledger.write(Entry {
                time: self.time,
                defect,
                residual: 0.0,
            });
            let next = row(self.time, &self.state, &values);
            // Events are located on the straight line between the ends of the step.
            let mut found: Vec<(f64, usize)> = (0..events)
                .filter_map(|k| {
                    let (a, b) = (before[outputs + k], values[outputs + k]);
                    let direction = self.free.problem.events[k].direction;
                    let counts = match direction {
                        0 => true,
                        d => (b - a) * f64::from(d) > 0.0,
                    };
                    (counts && a != 0.0 && a * b <= 0.0).then(|| (a / (a - b), k))
                })
                .collect();
            found.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mut until = 1.0;
            for (part, k) in found {
                let at: Vec<f64> = mixed(&last, &next, part);
                run.crossings.push(Crossing {
                    event: k,
                    time: at[0],
                    state: at[1..=2 * n].to_vec(),
                });
                if self.terminal[k] {
                    status = Status::Event(k);
                    until = part;
                    break;
                }
            }
            let end = mixed(&last, &next, until);
            recorder.step(&last, &end, &mut run.rows);
            if until < 1.0 {
                self.time = end[0];
                self.state[..2 * n].copy_from_slice(&end[1..=2 * n]);
            }
            last = end;
            before = values;
        }
        recorder.last(&last, &mut run.rows);
        run.status = status;
        run.time = self.time;
        run.state = self.state;
        run.outputs = last[1 + 2 * n..].to_vec();
        run.energy_balance = if largest > 0.0 { worst / largest } else { 0.0 };
        run.ledger = ledger.relative_to(largest.max(f64::MIN_POSITIVE));
        run.contacts = self.record;
        run.contacts.residual = residual;
        run
    }

    /// One step: half a drift, a kick by forces and impulses at the middle, half a drift.
    fn step(&mut self, h: f64, end: f64) -> Result<StepResult, Error> {
        let n = self.quantities.dimension;
        let frame = |t: f64, s: &[f64]| Frame::new(self.quantities, t, s).ok_or(Error::NotFinite);
        let first = frame(self.time, &self.state)?;
        let mut middle = self.state.clone();
        for i in 0..n {
            middle[i] += 0.5 * h * self.state[n + i];
        }
        let f = frame(self.time + 0.5 * h, &middle)?;
        let solved = self.impulses(&f, h)?;
        let old: Vec<f64> = self.state[n..2 * n].to_vec();
        let mut state = middle;
        for i in 0..n {
            let kick: f64 = (f.lines.iter().zip(&solved.impulses))
                .map(|(l, p)| l.raised[i] * p)
                .sum();
            state[n + i] += h * f.free[i] + kick;
            state[i] += 0.5 * h * state[n + i];
        }
        if !self.free.problem.levels.is_empty() {
            let _ = admitted(&self.free.problem, 1e-12, end, &mut state, true);
        }
        let mean: Vec<f64> = old
            .iter()
            .zip(&state[n..])
            .map(|(a, b)| 0.5 * (a + b))
            .collect();
        let work = |l: usize| solved.impulses[l] * dot(&f.lines[l].covector, &mean);
        let total: f64 = (0..f.lines.len()).map(work).sum();
        for (k, c) in f.contacts.iter().enumerate() {
            let normal = solved.impulses[c.line];
            let speed = -f.lines[c.line].velocity;
            let pull = dot(&f.lines[c.line].row, &f.free) + f.lines[c.line].drift;
            let impact = normal > 0.0 && !self.closed[k] && speed > SOFT_STEPS * h * pull.abs();
            self.closed[k] = normal > 0.0;
            if impact {
                let mut impulse = vec![normal];
                let mut loss = -work(c.line);
                for e in f.elements.iter().filter(|e| e.contact == Some(k)) {
                    impulse.extend(e.lines.iter().map(|&l| solved.impulses[l]));
                    loss -= e.lines.iter().map(|&l| work(l)).sum::<f64>();
                }
                self.record.collisions.push(Collision {
                    name: self.quantities.contacts[k].clone(),
                    time: self.time + 0.5 * h,
                    before: old.clone(),
                    after: state[n..2 * n].to_vec(),
                    impulse: Some(impulse),
                    loss,
                });
            }
        }
        self.record
            .enter(self.quantities, self.time, &self.mode(&f, &solved));
        self.forces = solved.impulses.iter().map(|p| p / h).collect();
        self.impulses = solved.impulses;
        self.state = state;
        self.time = end;
        let last = Frame::new(self.quantities, self.time, &self.state).ok_or(Error::NotFinite)?;
        Ok(StepResult {
            energy: last.energy - first.energy,
            work: total,
            scale: last.energy.abs().max(0.5 * last.speed_square),
            residual: solved.residual,
        })
    }

    /// The mode of a step: contacts with impulses are closed, and elements within their limits stick.
    fn mode(&self, f: &Frame, s: &Impulses) -> Mode {
        let pressed = |l: usize| s.impulses[l] > 0.0;
        Mode {
            touches: (f.contacts.iter())
                .map(|c| match pressed(c.line) {
                    true => Touch::Closed,
                    false => Touch::Open,
                })
                .collect(),
            grips: (f.elements.iter().enumerate())
                .map(|(k, e)| {
                    let p: Vec<f64> = e.lines.iter().map(|&l| s.impulses[l]).collect();
                    let acts = e.contact.is_none_or(|c| pressed(f.contacts[c].line));
                    match acts && size(&p) < s.limits[k] * (1.0 - 1e-9) {
                        true => Grip::Stick(3),
                        false => Grip::Free,
                    }
                })
                .collect(),
            signs: vec![1; f.constraints],
            stopping: 0,
        }
    }

    /// The impulses of a step by projected sweeps in the metric g. Constraints of the model are eliminated.
    fn impulses(&self, f: &Frame, h: f64) -> Result<Impulses, Error> {
        let count = f.lines.len();
        let m = f.constraints;
        // Velocities along all lines after the step without impulses.
        let free: Vec<f64> = (f.lines.iter())
            .map(|l| l.velocity + h * dot(&l.row, &f.free))
            .collect();
        let mut blocks: Vec<Block> = Vec::new();
        let mut lines: Vec<usize> = Vec::new();
        for (k, c) in f.contacts.iter().enumerate() {
            if c.gap > 0.0 {
                continue;
            }
            lines.push(c.line);
            let element = f.elements.iter().position(|e| e.contact == Some(k));
            let friction = element.map(|e| (e, f.elements[e].lines.clone()));
            if let Some((_, own)) = &friction {
                lines.extend(own);
            }
            blocks.push(Block {
                normal: Some((c.line, c.restitution * f.lines[c.line].velocity.min(0.0))),
                friction,
            });
        }
        for (k, e) in f.elements.iter().enumerate() {
            if e.contact.is_none() {
                lines.extend(&e.lines);
                blocks.push(Block {
                    normal: None,
                    friction: Some((k, e.lines.clone())),
                });
            }
        }
        let product = |a: usize, b: usize| dot(&f.lines[a].row, &f.lines[b].raised);
        // Constraints: C·P_c + B·P = −b_c.
        let square: Vec<Vec<f64>> = (0..m)
            .map(|a| (0..m).map(|b| product(a, b)).collect())
            .collect();
        let eliminated = |right: Vec<f64>| -> Result<Vec<f64>, Error> {
            match m {
                0 => Ok(vec![]),
                _ => galilei_linear::solve(&square, &right).map_err(|_| Error::SingularMassMatrix),
            }
        };
        let own = eliminated((0..m).map(|a| -free[a]).collect())?;
        let through: Vec<Vec<f64>> = (lines.iter())
            .map(|&l| eliminated((0..m).map(|a| -product(a, l)).collect()))
            .collect::<Result<_, Error>>()?;
        let size_of = lines.len();
        let mut place = vec![usize::MAX; count];
        for (i, &l) in lines.iter().enumerate() {
            place[l] = i;
        }
        let mut d = vec![vec![0.0; size_of]; size_of];
        let mut y: Vec<f64> = Vec::with_capacity(size_of);
        for (i, &a) in lines.iter().enumerate() {
            let to: Vec<f64> = (0..m).map(|c| product(a, c)).collect();
            y.push(free[a] + dot(&to, &own));
            for (j, &b) in lines.iter().enumerate() {
                d[i][j] = product(a, b) + dot(&to, &through[j]);
            }
        }
        let mut p: Vec<f64> = lines.iter().map(|&l| self.impulses[l]).collect();
        for (i, row) in d.iter().enumerate() {
            y[i] += dot(row, &p);
        }
        let constrained = |p: &[f64]| -> Vec<f64> {
            let mut all = own.clone();
            for (t, x) in through.iter().zip(p) {
                for (a, t) in all.iter_mut().zip(t) {
                    *a += t * x;
                }
            }
            all
        };
        let limit = |k: usize, p: &[f64]| -> f64 {
            let l = &f.elements[k].slipping;
            let rows: f64 = match m {
                0 => 0.0,
                _ => (constrained(p).iter().enumerate())
                    .map(|(c, x)| l.constraints[c] * x + l.absolute[c] * x.abs())
                    .sum(),
            };
            let contacts = f.contacts.iter().zip(&l.contacts);
            let contacts = contacts.map(|(c, k)| match place[c.line] {
                usize::MAX => 0.0,
                i => k * p[i],
            });
            let norms = match f.norms.is_empty() {
                true => 0.0,
                false => {
                    let mut all = vec![0.0; count];
                    all[..m].copy_from_slice(&constrained(p));
                    lines.iter().zip(p).for_each(|(&l, x)| all[l] = *x);
                    dot(&l.norms, &f.norm_sizes(&all))
                }
            };
            (l.own * h + rows + contacts.sum::<f64>() + norms).max(0.0)
        };
        let fastest = (0..count)
            .map(|l| f.largest_rate(l))
            .fold(0.0_f64, f64::max);
        let kicked = free.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let scale = fastest.max(kicked).max(f64::MIN_POSITIVE);
        let mut change = 0.0_f64;
        let moved = |y: &mut [f64], i: usize, delta: f64| {
            for (y, row) in y.iter_mut().zip(&d) {
                *y += row[i] * delta;
            }
        };
        for _ in 0..MAX_SWEEPS {
            change = 0.0;
            for b in &blocks {
                if let Some((line, rebound)) = b.normal {
                    let i = place[line];
                    if d[i][i] > 0.0 {
                        let new = (p[i] - (y[i] + rebound) / d[i][i]).max(0.0);
                        let delta = new - p[i];
                        p[i] = new;
                        moved(&mut y, i, delta);
                        change = change.max((delta * d[i][i]).abs());
                    }
                }
                let Some((k, own)) = &b.friction else {
                    continue;
                };
                let most = limit(*k, &p);
                let at: Vec<usize> = own.iter().map(|&l| place[l]).collect();
                let trace: f64 = at.iter().map(|&i| d[i][i]).sum();
                let stiff = match at.as_slice() {
                    [i] => d[*i][*i],
                    [i, j] => {
                        let half = 0.5 * (d[*i][*i] - d[*j][*j]);
                        0.5 * trace + (half * half + d[*i][*j] * d[*j][*i]).max(0.0).sqrt()
                    }
                    _ => 0.0,
                };
                if stiff <= 0.0 {
                    continue;
                }
                let mut new: Vec<f64> = at.iter().map(|&i| p[i] - y[i] / stiff).collect();
                let length = size(&new);
                if length > most {
                    new.iter_mut().for_each(|x| *x *= most / length);
                }
                for (&i, x) in at.iter().zip(new) {
                    let delta = x - p[i];
                    p[i] = x;
                    moved(&mut y, i, delta);
                    change = change.max((delta * stiff).abs());
                }
            }
            if change <= CONVERGED * scale {
                break;
            }
        }
        let mut impulses = vec![0.0; count];
        impulses[..m].copy_from_slice(&constrained(&p));
        for (&l, x) in lines.iter().zip(&p) {
            impulses[l] = *x;
        }
        let limits = (0..f.elements.len()).map(|k| limit(k, &p)).collect();
        match impulses.iter().all(|x| x.is_finite()) {
            true => Ok(Impulses {
                impulses,
                limits,
                residual: change / scale,
            }),
            false => Err(Error::ContactNotUnique),
        }
    }
}

/// The impulses of a step.
struct Impulses {
    /// For each line.
    impulses: Vec<f64>,
    /// The limit of each friction element.
    limits: Vec<f64>,
    /// The change of velocities in the last sweep, relative to the largest.
    residual: f64,
}

/// The result of a step.
struct StepResult {
    /// The change of the energy.
    energy: f64,
    /// The work of impulses.
    work: f64,
    /// The energy that scales the balance.
    scale: f64,
    residual: f64,
}

/// A point on the straight line between two rows.
fn mixed(a: &[f64], b: &[f64], part: f64) -> Vec<f64> {
    if part >= 1.0 {
        return b.to_vec();
    }
    a.iter().zip(b).map(|(a, b)| a + part * (b - a)).collect()
}

/// Writes rows at the times that are asked for.
struct Recorder<'a> {
    options: &'a Options,
    next: usize,
}

impl<'a> Recorder<'a> {
    fn new(options: &'a Options) -> Self {
        Self { options, next: 1 }
    }

    fn first(&mut self, row: &[f64], rows: &mut Vec<Vec<f64>>) {
        match &self.options.record {
            Record::Nothing => {}
            Record::At(times) => {
                self.next = times.iter().take_while(|t| **t <= row[0]).count();
                rows.extend(std::iter::repeat_n(row.to_vec(), self.next));
            }
            Record::Steps | Record::Every(_) => rows.push(row.to_vec()),
        }
    }

    fn step(&mut self, a: &[f64], b: &[f64], rows: &mut Vec<Vec<f64>>) {
        let due = |k: usize| match &self.options.record {
            Record::At(times) => times.get(k).copied(),
            Record::Every(d) if *d > 0.0 && d.is_finite() => Some(self.options.from + k as f64 * d),
            _ => None,
        };
        if self.options.record == Record::Steps {
            rows.push(b.to_vec());
            return;
        }
        while let Some(t) = due(self.next).filter(|t| *t <= b[0]) {
            let mut row = mixed(a, b, (t - a[0]) / (b[0] - a[0]));
            row[0] = t;
            rows.push(row);
            self.next += 1;
        }
    }

    fn last(&mut self, row: &[f64], rows: &mut Vec<Vec<f64>>) {
        let recorded = rows.last().is_some_and(|r| r[0] == row[0]);
        if matches!(self.options.record, Record::Every(_)) && !recorded {
            rows.push(row.to_vec());
        }
    }
}
