//! Sensitivities through the ends of modes: saltation matrices, from the derivatives of the quantities of contact. (T-207)

use galilei_tape::code::Code;
use galilei_tape::{ContactQuantities, Grip, Guard, Mode, Touch, VelocityJump};

use super::numbers::dot;
use super::size;
use super::slopes::{Level, Rows, Slopes, Solved};
use crate::problem::Error;
use crate::sensitivity::{Directions, StateSensitivities, Transition};

/// The rate at which a mode ends, as a part of its scale, below which the motion grazes the end. A gap that closes from rest
/// has half of its scale after any flight, however short.
const GRAZING: f64 = 3e-6;
/// The part of their size up to which two derivatives of a time are equal.
const TOGETHER: f64 = 1e-6;

/// The event that ends a mode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum End {
    Guard(Guard),
    /// A jump of velocities that the model gives, by its place.
    Jump(usize),
}

/// The derivatives of a motion on their way through modes.
#[derive(Clone)]
pub(super) struct Track {
    n: usize,
    /// The quantities, then their derivatives by (t, x, u) and the parameters.
    quantities: Code,
    /// The equations of jumps and their triggers with derivatives.
    jumps: Vec<(Code, Option<Code>)>,
    parameters: Vec<f64>,
    /// The present sensitivities: each (δx, δu, parameters).
    pub(super) columns: Rows,
    pub(super) keeps: bool,
    pub(super) result: StateSensitivities,
    pending: Option<Pending>,
}

/// An end of a mode whose next mode is not known yet.
#[derive(Clone)]
struct Pending {
    time: f64,
    /// The derivative of its time by (x, u) before it at a fixed time, and by the parameters.
    shift: Vec<f64>,
    /// The derivatives of the state at the end by the same.
    state: Rows,
}

impl Track {
    pub(super) fn new(
        q: &ContactQuantities,
        jumps: &[VelocityJump],
        directions: &Directions,
    ) -> Self {
        Self {
            n: q.dimension,
            quantities: q.tape.slopes(),
            jumps: (jumps.iter())
                .map(|j| (j.tape.slopes(), j.trigger.as_ref().map(|t| t.slopes())))
                .collect(),
            parameters: q.tape.parameter_values(),
            columns: directions.columns.clone(),
            keeps: directions.transitions,
            result: StateSensitivities::default(),
            pending: None,
        }
    }

    /// Whether derivatives by parameters are followed.
    pub(super) fn has_parameters(&self) -> bool {
        !self.parameters.is_empty()
    }

    /// The number of components of a state with the parameters.
    fn width(&self) -> usize {
        2 * self.n + self.parameters.len()
    }

    /// Code at a state: the outputs, then their derivatives by each input and parameter.
    fn compute(&self, code: &Code, inputs: &[f64]) -> Option<Rows> {
        let all = inputs.iter().chain(&self.parameters);
        let all: Vec<[f64; 1]> = all.map(|x| [*x]).collect();
        let values = code.run(&all, &mut vec![]);
        let values: Vec<f64> = values.into_iter().map(|v| v[0]).collect();
        let count = values.len() / (1 + all.len());
        let finite = values.iter().all(|x| x.is_finite());
        (finite && count > 0).then(|| values.chunks(count).map(<[f64]>::to_vec).collect())
    }

    /// The quantities at a state with their derivatives.
    pub(super) fn slopes(
        &self,
        q: &ContactQuantities,
        time: f64,
        state: &[f64],
    ) -> Result<Slopes, Error> {
        let inputs = [&[time], &state[..2 * self.n]].concat();
        let rows = self.compute(&self.quantities, &inputs);
        let rows = rows.ok_or(Error::NotFinite)?;
        Slopes::read(q, &rows).ok_or(Error::NotFinite)
    }

    /// The end of a mode, with other ends that are reached at the same time: how the time changes.
    pub(super) fn end(
        &mut self,
        s: &Slopes,
        end: End,
        mode: &Mode,
        others: &[Guard],
        (begun, time, state): (f64, f64, &[f64]),
    ) -> Result<(), Error> {
        let n = self.n;
        let motion = s.motion(mode)?;
        let rates = motion.rates(&state[n..2 * n]);
        let (slopes, scale) = self.watched(s, end, mode, &motion, (begun, time, state))?;
        let shift = shift_of(&slopes, scale, &rates)?;
        // Other ends that are reached together must be reached together by nearby motions, too.
        for &other in others {
            let (slopes, scale) =
                self.watched(s, End::Guard(other), mode, &motion, (begun, time, state))?;
            let own = shift_of(&slopes, scale, &rates).map_err(|_| Error::ModesEndTogether)?;
            self.same_time(&shift, &own)?;
        }
        let w = self.width();
        let rows = (0..2 * n).map(|i| {
            let unit = (0..w).map(|j| f64::from(u8::from(i == j)));
            unit.zip(&shift).map(|(d, s)| d + rates[i] * s).collect()
        });
        self.pending = Some(Pending {
            time,
            state: rows.collect(),
            shift,
        });
        Ok(())
    }

    /// Whether two ends are reached at one time by all nearby motions that are followed.
    fn same_time(&self, a: &[f64], b: &[f64]) -> Result<(), Error> {
        let terms = |v: &[f64], c: &[f64]| -> f64 {
            v.iter().zip(c).map(|(x, y)| (x * y).abs()).sum::<f64>()
        };
        let same = self.columns.iter().all(|c| {
            let most = terms(a, c).max(terms(b, c));
            (dot(a, c) - dot(b, c)).abs() <= TOGETHER * most
        });
        match same {
            true => Ok(()),
            false => Err(Error::ModesEndTogether),
        }
    }

    /// The derivatives of the quantity that is zero at an end by t, x, u and the parameters, and the scale of its rate.
    fn watched(
        &self,
        s: &Slopes,
        end: End,
        mode: &Mode,
        motion: &Solved,
        (begun, time, state): (f64, f64, &[f64]),
    ) -> Result<(Vec<f64>, f64), Error> {
        let n = self.n;
        let guard = match end {
            End::Guard(guard) => guard,
            End::Jump(k) => {
                let code = self.jumps[k].1.as_ref().ok_or(Error::NoDerivatives)?;
                let inputs = [&[time], &state[..2 * n], &state[n..2 * n]].concat();
                let rows = self.compute(code, &inputs).ok_or(Error::NotFinite)?;
                let by: Vec<f64> = rows[1..].iter().map(|r| r[0]).collect();
                // The velocities before are behind those after, on which the event does not depend.
                let (head, tail) = by.split_at(1 + n);
                return Ok(([head, &tail[n..]].concat(), 0.0));
            }
        };
        let line = |l: usize| -> Vec<f64> { s.by.iter().map(|b| b.lines[l].velocity).collect() };
        Ok(match guard {
            Guard::Gap(k) => {
                let by = s.by.iter().map(|b| b.contacts[k].gap).collect();
                let line = &s.own.lines[s.own.contacts[k].line];
                let pull = dot(&line.row, &motion.change) + line.drift;
                (by, (pull * (time - begun)).abs())
            }
            Guard::Pressure(k) => (motion.slopes[n + s.own.contacts[k].line].clone(), 0.0),
            Guard::Sign(k) => (motion.slopes[n + k].clone(), 0.0),
            Guard::Slip(k) => {
                let lines = &s.own.elements[k].lines;
                let v: Vec<f64> = lines.iter().map(|&l| s.own.lines[l].velocity).collect();
                let along = match v.as_slice() {
                    [_] => vec![1.0],
                    _ => v.iter().map(|x| x / size(&v)).collect(),
                };
                let mut by = vec![0.0; s.by.len()];
                for (&l, d) in lines.iter().zip(&along) {
                    for (b, x) in by.iter_mut().zip(line(l)) {
                        *b += d * x;
                    }
                }
                (by, 0.0)
            }
            Guard::Limit(k) => {
                let e = &s.own.elements[k];
                let limit = s.limit(&e.sticking, mode, &motion.multipliers);
                let slopes = s.limit_slopes(k, mode, motion);
                let mut by: Vec<f64> = slopes.iter().map(|x| 2.0 * limit * x).collect();
                for &l in &e.lines {
                    for (b, x) in by.iter_mut().zip(&motion.slopes[n + l]) {
                        *b -= 2.0 * motion.multipliers[l] * x;
                    }
                }
                (by, 0.0)
            }
            Guard::Size(_) => return Err(Error::NegativeFriction),
        })
    }

    /// A jump of velocities that the model gives, from the velocities before to those after.
    pub(super) fn given_jump(
        &mut self,
        k: usize,
        jump: &VelocityJump,
        time: f64,
        (x, before, after): (&[f64], &[f64], &[f64]),
    ) -> Result<(), Error> {
        let n = self.n;
        let m = jump.unknowns.len();
        let inputs = [&[time], x, after, before].concat();
        let rows = self.compute(&self.jumps[k].0, &inputs);
        let rows = rows.ok_or(Error::NotFinite)?;
        let (own, by) = rows.split_at(1);
        let matrix: Rows = own[0][m..m + m * m]
            .chunks(m)
            .map(<[f64]>::to_vec)
            .collect();
        let at = 1 + n;
        // The derivatives by t, x, the velocities before and the parameters; velocities that are not named are those before.
        let velocity = |i: usize| -> Vec<f64> {
            let named = jump.unknowns.contains(&i);
            (0..m)
                .map(|e| by[at + n + i][e] + if named { 0.0 } else { by[at + i][e] })
                .collect()
        };
        let mut slopes: Rows = by[..at].iter().map(|r| r[..m].to_vec()).collect();
        slopes.extend((0..n).map(velocity));
        slopes.extend(by[at + 2 * n..].iter().map(|r| r[..m].to_vec()));
        let mut columns = Vec::new();
        for right in &slopes {
            let right: Vec<f64> = right.iter().map(|x| -x).collect();
            let found = galilei_linear::solve(&matrix, &right);
            columns.push(found.map_err(|_| Error::SingularImpact)?);
        }
        let change: Rows = (0..n)
            .map(|i| match jump.unknowns.iter().position(|&u| u == i) {
                Some(e) => (columns.iter().enumerate())
                    .map(|(w, c)| c[e] - f64::from(u8::from(w == at + i)))
                    .collect(),
                None => vec![0.0; columns.len()],
            })
            .collect();
        self.change_velocities(&change)
    }

    /// An impact of contacts in a mode of impulses.
    pub(super) fn impact(
        &mut self,
        s: &Slopes,
        mode: &Mode,
        (change, multipliers): (&[f64], &[f64]),
        idle: &[usize],
    ) -> Result<(), Error> {
        let n = self.n;
        let found = s.solved(mode, Level::Impulses, change, multipliers)?;
        // Closed contacts that the impact neither presses nor lifts must not feel it.
        for &k in idle {
            let mut other = mode.clone();
            other.touches[k] = match mode.touches[k] {
                Touch::Closed => Touch::Open,
                _ => Touch::Closed,
            };
            let elements = s.own.elements.iter().zip(&mut other.grips);
            for (_, grip) in elements.filter(|(e, _)| e.contact == Some(k)) {
                *grip = Grip::Free;
            }
            let second = s.solved(&other, Level::Impulses, change, multipliers)?;
            for (a, b) in found.slopes[..n].iter().zip(&second.slopes) {
                for c in 0..self.columns.len() {
                    let p = self.pending.as_ref().ok_or(Error::NoDerivatives)?;
                    let (x, terms) = p.along(&self.columns[c], a);
                    let (y, more) = p.along(&self.columns[c], b);
                    if (x - y).abs() > TOGETHER * terms.max(more) {
                        return Err(Error::ModesEndTogether);
                    }
                }
            }
        }
        self.change_velocities(&found.slopes[..n])
    }

    /// A change of the velocities by derivatives with respect to t, x, u and the parameters.
    fn change_velocities(&mut self, slopes: &[Vec<f64>]) -> Result<(), Error> {
        let n = self.n;
        let w = self.width();
        let p = self.pending.as_mut().ok_or(Error::NoDerivatives)?;
        let mut more = vec![vec![0.0; w]; n];
        for (row, slope) in more.iter_mut().zip(slopes) {
            for (c, r) in row.iter_mut().enumerate() {
                let through = p.state.iter().zip(&slope[1..]);
                *r = slope[0] * p.shift[c] + through.map(|(s, d)| s[c] * d).sum::<f64>();
                if c >= 2 * n {
                    *r += slope[1 + c];
                }
            }
        }
        for (row, more) in p.state[n..].iter_mut().zip(more) {
            for (a, b) in row.iter_mut().zip(more) {
                *a += b;
            }
        }
        Ok(())
    }

    /// Whether the end of a mode is being worked on.
    pub(super) fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// The mode that follows an end, or with which the run begins.
    pub(super) fn begin(
        &mut self,
        s: &Slopes,
        mode: &Mode,
        (time, state): (f64, &[f64]),
    ) -> Result<(), Error> {
        let (n, w) = (self.n, self.width());
        let motion = s.motion(mode)?;
        let rates = motion.rates(&state[n..2 * n]);
        let first = self.pending.is_none();
        let unit = |i: usize| (0..w).map(|j| f64::from(u8::from(i == j))).collect();
        let (time, mut matrix) = match self.pending.take() {
            None => (time, (0..2 * n).map(unit).collect::<Rows>()),
            Some(p) => {
                let mut rows = p.state;
                for (row, rate) in rows.iter_mut().zip(&rates) {
                    for (x, shift) in row.iter_mut().zip(&p.shift) {
                        *x -= rate * shift;
                    }
                }
                (p.time, rows)
            }
        };
        s.project(mode, &mut matrix, first.then_some(&self.columns))?;
        for column in &mut self.columns {
            let new: Vec<f64> = matrix.iter().map(|row| dot(row, column)).collect();
            column[..2 * n].copy_from_slice(&new);
        }
        if self.columns.iter().flatten().any(|x| !x.is_finite()) {
            return Err(Error::NotFinite);
        }
        if self.keeps {
            self.result.transitions.push(Transition {
                from: time,
                to: time,
                matrix: matrix.concat(),
            });
        }
        Ok(())
    }

    /// The sensitivities at the end of a part.
    pub(super) fn take(&mut self, part: StateSensitivities, rows: usize) -> Result<(), Error> {
        let count = self.columns.len();
        if part.last.len() != 2 * self.n * count {
            return Err(Error::NoDerivatives);
        }
        for (c, column) in self.columns.iter_mut().enumerate() {
            for i in 0..2 * self.n {
                column[i] = part.last[i * count + c];
            }
        }
        self.result.rows.extend(part.rows.into_iter().take(rows));
        self.result.transitions.extend(part.transitions);
        Ok(())
    }

    /// All sensitivities of the run.
    pub(super) fn close(mut self) -> StateSensitivities {
        let rows = 0..2 * self.n;
        let columns = &self.columns;
        self.result.last = rows
            .flat_map(|i| columns.iter().map(move |c| c[i]))
            .collect();
        self.result
    }
}

/// dτ = −(∂γ/∂z·δz + ∂γ/∂p·δp)/γ̇ from the derivatives of γ by t, z and p. (T-207)
fn shift_of(slopes: &[f64], scale: f64, rates: &[f64]) -> Result<Vec<f64>, Error> {
    let parts = rates.iter().zip(&slopes[1..]).map(|(r, s)| r * s);
    let terms: f64 = parts.clone().map(f64::abs).sum::<f64>() + slopes[0].abs();
    let rate = slopes[0] + parts.sum::<f64>();
    if rate.abs() <= GRAZING * terms.max(scale) {
        return Err(Error::GrazingContact);
    }
    Ok(slopes[1..].iter().map(|s| -s / rate).collect())
}

impl Pending {
    /// The derivative along a column of something with slopes by t, x, u and the parameters, and the size of its terms.
    fn along(&self, column: &[f64], slopes: &[f64]) -> (f64, f64) {
        let size = self.state.len();
        let mut parts = vec![slopes[0] * dot(&self.shift, column)];
        let through = self.state.iter().zip(&slopes[1..]);
        parts.extend(through.map(|(row, s)| s * dot(row, column)));
        let own = column[size..].iter().zip(&slopes[1 + size..]);
        parts.extend(own.map(|(p, s)| p * s));
        let terms = parts.iter().map(|x| x.abs()).sum();
        (parts.iter().sum(), terms)
    }
}
