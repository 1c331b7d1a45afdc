//! Sensitivities through the ends of modes: saltation matrices, from the derivatives of the quantities of contact. (T-207)

use galilei_tape::code::Code;
use galilei_tape::{ContactQuantities, Grip, Guard, Mode, Touch, VelocityJump};

use super::numbers::{Limit, Numbers, dot};
use super::size;
use crate::problem::Error;
use crate::sensitivity::{Directions, StateSensitivities, Transition};

/// The rate at which a mode ends, as a part of its scale, below which the motion grazes the end. A gap that closes from rest
/// has half of its scale after any flight, however short.
const GRAZING: f64 = 3e-6;
/// The part of their size up to which two derivatives of a time are equal.
const TOGETHER: f64 = 1e-6;
/// The part of the largest entry of a row below which a pivot counts as zero.
const SINGULAR: f64 = 1e-12;
/// The part of the size of its terms up to which a derivative is zero.
const ZERO: f64 = 1e-9;

/// A matrix by its rows.
pub(super) type Rows = Vec<Vec<f64>>;

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

/// The quantities at a state with their derivatives by t, x, u and the parameters.
pub(super) struct Slopes {
    n: usize,
    own: Numbers,
    by: Vec<Numbers>,
}

/// The accelerations, or the jump of the velocities, with the multipliers of all lines and derivatives.
pub(super) struct Solved {
    pub(super) change: Vec<f64>,
    multipliers: Vec<f64>,
    /// For each component of both a row of derivatives by t, x, u and the parameters.
    slopes: Rows,
}

/// Equations for accelerations or velocity jumps.
#[derive(Clone, Copy, PartialEq)]
enum Level {
    Forces,
    Impulses,
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
        let mut list = rows.iter().map(|r| Numbers::read(q, r));
        let own = list.next().ok_or(Error::NotFinite)?;
        Ok(Slopes {
            n: self.n,
            own,
            by: list.collect(),
        })
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
        self.result.last = rows.flat_map(|i| columns.iter().map(move |c| c[i])).collect();
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

impl Solved {
    /// (ẋ, u̇) for velocities.
    fn rates(&self, velocities: &[f64]) -> Vec<f64> {
        [velocities, &self.change].concat()
    }
}

/// The rest of a vector across a unit vector, divided by a size: the change of a direction.
fn turned(d: &[f64], v: &[f64], speed: f64) -> Vec<f64> {
    let along = dot(d, v);
    d.iter().zip(v).map(|(d, v)| (v - d * along) / speed).collect()
}

impl Slopes {
    fn lines(&self) -> usize {
        self.own.lines.len()
    }

    /// The size of friction of an element with multipliers.
    fn limit(&self, limit: &Limit, mode: &Mode, multipliers: &[f64]) -> f64 {
        let rows = self.own.lines.len() - self.behind();
        let of_rows = (0..rows).map(|k| {
            let sign = f64::from(mode.signs[k]);
            (limit.constraints[k] + sign * limit.absolute[k]) * multipliers[k]
        });
        let of_contacts = self.own.contacts.iter().zip(&limit.contacts);
        let of_contacts = of_contacts.map(|(c, k)| k * multipliers[c.line]);
        limit.own + of_rows.chain(of_contacts).sum::<f64>()
    }

    /// The number of lines that are not constraints of the model.
    fn behind(&self) -> usize {
        let elements: usize = self.own.elements.iter().map(|e| e.lines.len()).sum();
        self.own.contacts.len() + elements
    }

    /// The derivatives of the limit of an element that sticks.
    fn limit_slopes(&self, k: usize, mode: &Mode, motion: &Solved) -> Vec<f64> {
        let own = &self.own.elements[k].sticking;
        (0..self.by.len())
            .map(|w| {
                let slopes = &self.by[w].elements[k].sticking;
                let moved: Vec<f64> = (0..self.lines())
                    .map(|l| motion.slopes[self.n + l][w])
                    .collect();
                let with = |limit: &Limit, m: &[f64]| self.limit(limit, mode, m);
                with(slopes, &motion.multipliers) + with(own, &moved) - own.own
            })
            .collect()
    }

    /// The accelerations in a mode with derivatives.
    pub(super) fn motion(&self, mode: &Mode) -> Result<Solved, Error> {
        let zero = vec![0.0; self.n];
        let none = vec![0.0; self.lines()];
        let (matrix, residual) = self.equations(mode, Level::Forces, &zero, &none)?;
        let right: Vec<f64> = residual.iter().map(|x| -x).collect();
        let found = solve_all(&matrix, vec![right])?.swap_remove(0);
        let (change, multipliers) = found.split_at(self.n);
        self.solved(mode, Level::Forces, change, multipliers)
    }

    /// The derivatives of accelerations and forces, or of changes of velocities and impulses, which are given.
    fn solved(
        &self,
        mode: &Mode,
        level: Level,
        change: &[f64],
        multipliers: &[f64],
    ) -> Result<Solved, Error> {
        let (matrix, _) = self.equations(mode, level, change, multipliers)?;
        let rights = (0..self.by.len())
            .map(|w| self.explicit(w, mode, level, change, multipliers))
            .collect::<Result<Rows, Error>>()?;
        let columns = solve_all(&matrix, rights)?;
        let slopes = (0..self.n + self.lines())
            .map(|i| columns.iter().map(|c| c[i]).collect())
            .collect();
        Ok(Solved {
            change: change.to_vec(),
            multipliers: multipliers.to_vec(),
            slopes,
        })
    }

    /// The role of each line in a mode.
    fn roles(&self, mode: &Mode) -> Vec<Role> {
        let mut roles = vec![Role::Idle; self.lines()];
        let constraints = self.lines() - self.behind();
        roles[..constraints].fill(Role::Held);
        for (k, (c, t)) in self.own.contacts.iter().zip(&mode.touches).enumerate() {
            if *t == Touch::Closed {
                roles[c.line] = Role::Normal(k);
            }
        }
        for (k, (e, g)) in self.own.elements.iter().zip(&mode.grips).enumerate() {
            for (j, &l) in e.lines.iter().enumerate() {
                roles[l] = match g {
                    Grip::Free => Role::Idle,
                    Grip::Stick(mask) if mask & (1 << j) != 0 => Role::Held,
                    Grip::Stick(_) => Role::Idle,
                    Grip::Slip(s) | Grip::Held(s) => Role::Rubs(k, j, f64::from(*s)),
                    Grip::Glide => Role::Rubs(k, j, 0.0),
                };
            }
        }
        roles
    }

    /// The velocity of an element that decides on the direction of its force: that of the state, or that after a jump.
    fn velocity(&self, k: usize, level: Level, change: &[f64]) -> Vec<f64> {
        let of = |&l: &usize| {
            let line = &self.own.lines[l];
            match level {
                Level::Forces => line.velocity,
                Level::Impulses => line.velocity + dot(&line.row, change),
            }
        };
        self.own.elements[k].lines.iter().map(of).collect()
    }

    /// The direction of an element with two components and the speed.
    fn direction(
        &self,
        k: usize,
        level: Level,
        change: &[f64],
    ) -> Result<(Vec<f64>, f64), Error> {
        let v = self.velocity(k, level, change);
        let speed = size(&v);
        match speed > 0.0 {
            true => Ok((v.iter().map(|x| x / speed).collect(), speed)),
            false => Err(Error::NoDerivatives),
        }
    }

    /// The velocity of a line, as it enters a jump, with restitution.
    fn approach(&self, role: Role, velocity: f64) -> f64 {
        match role {
            Role::Normal(k) => {
                velocity + self.own.contacts[k].restitution * velocity.min(0.0)
            }
            _ => velocity,
        }
    }

    /// The matrix of the equations for the change and the multipliers, and what is left of them. For elements with two
    /// components that slip after a jump it contains how their direction turns.
    fn equations(
        &self,
        mode: &Mode,
        level: Level,
        change: &[f64],
        multipliers: &[f64],
    ) -> Result<(Rows, Vec<f64>), Error> {
        let (n, count) = (self.n, self.lines());
        let jump = level == Level::Impulses;
        let own = &self.own;
        let mut matrix = vec![vec![0.0; n + count]; n + count];
        let mut rest = vec![0.0; n + count];
        for i in 0..n {
            matrix[i][..n].copy_from_slice(&own.mass[i]);
            rest[i] = dot(&own.mass[i], change) - if jump { 0.0 } else { own.pull[i] };
            for (l, line) in own.lines.iter().enumerate() {
                matrix[i][n + l] = -line.covector[i];
                rest[i] -= line.covector[i] * multipliers[l];
            }
        }
        let constraints = count - self.behind();
        for (l, role) in self.roles(mode).into_iter().enumerate() {
            let line = &own.lines[l];
            let row = &mut matrix[n + l];
            match role {
                Role::Idle => {
                    row[n + l] = 1.0;
                    rest[n + l] = multipliers[l];
                }
                Role::Held | Role::Normal(_) => {
                    row[..n].copy_from_slice(&line.row);
                    let known = match jump {
                        true => self.approach(role, line.velocity),
                        false => line.drift,
                    };
                    rest[n + l] = dot(&line.row, change) + known;
                }
                Role::Rubs(k, j, sign) => {
                    let e = &own.elements[k];
                    let mut limit = e.slipping.clone();
                    if jump {
                        limit.own = 0.0;
                    }
                    let total = self.limit(&limit, mode, multipliers);
                    let (d, turning) = match e.lines.len() {
                        1 => (sign, None),
                        _ => {
                            let (d, speed) = self.direction(k, level, change)?;
                            (d[j], jump.then_some((d, speed)))
                        }
                    };
                    row[n + l] += 1.0;
                    for c in 0..constraints {
                        let sign = f64::from(mode.signs[c]);
                        row[n + c] += d * (limit.constraints[c] + sign * limit.absolute[c]);
                    }
                    for (c, k) in own.contacts.iter().zip(&limit.contacts) {
                        row[n + c.line] += d * k;
                    }
                    if let Some((d, speed)) = turning {
                        for (i, x) in row[..n].iter_mut().enumerate() {
                            let v: Vec<f64> =
                                e.lines.iter().map(|&l| own.lines[l].row[i]).collect();
                            *x += total * turned(&d, &v, speed)[j];
                        }
                    }
                    rest[n + l] = multipliers[l] + total * d;
                }
            }
        }
        Ok((matrix, rest))
    }

    /// Minus the derivative of the equations by an input, for a given change and given multipliers.
    fn explicit(
        &self,
        w: usize,
        mode: &Mode,
        level: Level,
        change: &[f64],
        multipliers: &[f64],
    ) -> Result<Vec<f64>, Error> {
        let (n, count) = (self.n, self.lines());
        let jump = level == Level::Impulses;
        let (own, by) = (&self.own, &self.by[w]);
        let mut right = vec![0.0; n + count];
        for i in 0..n {
            right[i] = if jump { 0.0 } else { by.pull[i] } - dot(&by.mass[i], change);
            for (line, m) in by.lines.iter().zip(multipliers) {
                right[i] += line.covector[i] * m;
            }
        }
        for (l, role) in self.roles(mode).into_iter().enumerate() {
            let (line, slope) = (&own.lines[l], &by.lines[l]);
            right[n + l] = match role {
                Role::Idle => 0.0,
                Role::Held | Role::Normal(_) => {
                    let known = match (jump, role) {
                        (false, _) => slope.drift,
                        (true, Role::Normal(k)) => {
                            let e = own.contacts[k].restitution;
                            let hits = f64::from(u8::from(line.velocity < 0.0));
                            slope.velocity * (1.0 + e * hits)
                                + by.contacts[k].restitution * line.velocity.min(0.0)
                        }
                        (true, _) => slope.velocity,
                    };
                    -(dot(&slope.row, change) + known)
                }
                Role::Rubs(k, j, sign) => {
                    let mut limit = own.elements[k].slipping.clone();
                    let mut slopes = by.elements[k].slipping.clone();
                    if jump {
                        limit.own = 0.0;
                        slopes.own = 0.0;
                    }
                    let more = self.limit(&slopes, mode, multipliers);
                    match own.elements[k].lines.len() {
                        1 => -(more * sign),
                        _ => {
                            let total = self.limit(&limit, mode, multipliers);
                            let (d, speed) = self.direction(k, level, change)?;
                            let v: Vec<f64> = (own.elements[k].lines.iter())
                                .map(|&l| {
                                    let line = &by.lines[l];
                                    line.velocity + if jump { dot(&line.row, change) } else { 0.0 }
                                })
                                .collect();
                            -(more * d[j] + total * turned(&d, &v, speed)[j])
                        }
                    }
                }
            };
        }
        Ok(right)
    }

    /// Removes from derivatives what leaves the closed contacts and sticking elements of a mode: a gap, and velocities that
    /// an impact or friction ends at once. With the directions at the start, parameters must not open or close a contact.
    fn project(&self, mode: &Mode, matrix: &mut Rows, start: Option<&Rows>) -> Result<(), Error> {
        let n = self.n;
        let roles = self.roles(mode);
        let constraints = self.lines() - self.behind();
        let kept = |l: usize| matches!(roles[l], Role::Held | Role::Normal(_));
        if !(constraints..self.lines()).any(kept) {
            return Ok(());
        }
        let zero = vec![0.0; n];
        let none = vec![0.0; self.lines()];
        // Impulses that end velocities are limited like those of impacts.
        let (rows, _) = self.equations(mode, Level::Forces, &zero, &none)?;
        let w = matrix[0].len();
        // Gaps by x and the parameters.
        let gap = |k: usize, c: usize, matrix: &Rows| -> f64 {
            let by = |i: usize| self.by[1 + i].contacts[k].gap;
            let through: f64 = (0..n).map(|i| by(i) * matrix[i][c]).sum();
            through + if c >= 2 * n { by(c) } else { 0.0 }
        };
        if let Some(columns) = start {
            for column in columns {
                for (k, c) in self.own.contacts.iter().enumerate() {
                    let parts = (2 * n..w).map(|p| self.by[1 + p].contacts[k].gap * column[p]);
                    let own = (0..n).map(|i| self.by[1 + i].contacts[k].gap * column[i]);
                    let by_parameter = column[2 * n..].iter().any(|x| *x != 0.0);
                    let terms = parts.clone().chain(own.clone()).map(f64::abs).sum::<f64>();
                    let total = parts.chain(own).sum::<f64>();
                    let closed = matches!(roles[c.line], Role::Normal(_));
                    if closed && by_parameter && total.abs() > ZERO * terms {
                        return Err(Error::StartOffContact);
                    }
                }
            }
        }
        let mut rights = Vec::new();
        for c in 0..w {
            let mut right = vec![0.0; n + self.lines()];
            for (k, contact) in self.own.contacts.iter().enumerate() {
                if kept(contact.line) {
                    right[n + contact.line] = -gap(k, c, matrix);
                }
            }
            rights.push(right);
        }
        let shifts = {
            // Gaps are closed along the gradients, without friction.
            let mut rows = rows.clone();
            for l in constraints..self.lines() {
                if !matches!(roles[l], Role::Normal(_)) {
                    rows[n + l].fill(0.0);
                    rows[n + l][n + l] = 1.0;
                }
            }
            solve_all(&rows, rights)?
        };
        for (c, shift) in shifts.iter().enumerate() {
            for i in 0..n {
                matrix[i][c] += shift[i];
            }
        }
        let mut rights = Vec::new();
        for c in 0..w {
            let mut right = vec![0.0; n + self.lines()];
            for l in constraints..self.lines() {
                if kept(l) {
                    let by = |i: usize| self.by[1 + i].lines[l].velocity;
                    let through: f64 = (0..2 * n).map(|i| by(i) * matrix[i][c]).sum();
                    right[n + l] = -(through + if c >= 2 * n { by(c) } else { 0.0 });
                }
            }
            rights.push(right);
        }
        for (c, change) in solve_all(&rows, rights)?.iter().enumerate() {
            for i in 0..n {
                matrix[n + i][c] += change[i];
            }
        }
        Ok(())
    }
}

/// What a line does in a mode.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Role {
    /// Nothing.
    Idle,
    /// Its acceleration, or its velocity after a jump, has a value.
    Held,
    /// The normal of a contact that is closed.
    Normal(usize),
    /// A component of an element at its limit, with the sign of its direction if it has one component.
    Rubs(usize, usize, f64),
}

/// The solutions of a·x = b for several b.
fn solve_all(matrix: &[Vec<f64>], mut rights: Rows) -> Result<Rows, Error> {
    let n = matrix.len();
    let mut a = matrix.to_vec();
    for (i, row) in a.iter_mut().enumerate() {
        let largest = row.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if largest == 0.0 {
            return Err(Error::NoDerivatives);
        }
        row.iter_mut().for_each(|x| *x /= largest);
        rights.iter_mut().for_each(|b| b[i] /= largest);
    }
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()));
        let pivot = pivot.unwrap_or(k);
        if !(a[pivot][k].abs() > SINGULAR) {
            return Err(Error::NoDerivatives);
        }
        a.swap(k, pivot);
        rights.iter_mut().for_each(|b| b.swap(k, pivot));
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            if factor != 0.0 {
                let (head, tail) = a.split_at_mut(i);
                for (x, y) in tail[0][k..].iter_mut().zip(&head[k][k..]) {
                    *x -= factor * y;
                }
                rights.iter_mut().for_each(|b| b[i] -= factor * b[k]);
            }
        }
    }
    for b in &mut rights {
        for k in (0..n).rev() {
            let known: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
            b[k] = (b[k] - known) / a[k][k];
        }
    }
    Ok(rights)
}
