//! The quantities of contact with their derivatives, and what follows from them: accelerations, forces, jumps. (T-207)

use galilei_linear::Factors;
use galilei_tape::{ContactQuantities, Grip, Mode, Touch};

use super::numbers::{Limit, Numbers, dot};
use super::size;
use crate::problem::Error;

/// The part of the size of its terms up to which a derivative is zero.
const ZERO: f64 = 1e-9;

/// A matrix by its rows.
pub(super) type Rows = Vec<Vec<f64>>;

/// The quantities at a state with their derivatives by t, x, u and the parameters.
pub(super) struct Slopes {
    n: usize,
    pub(super) own: Numbers,
    pub(super) by: Vec<Numbers>,
}

/// The accelerations, or the jump of the velocities, with the multipliers of all lines and derivatives.
pub(super) struct Solved {
    pub(super) change: Vec<f64>,
    pub(super) multipliers: Vec<f64>,
    /// For each component of both a row of derivatives by t, x, u and the parameters.
    pub(super) slopes: Rows,
}

/// Equations for accelerations or velocity jumps.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Level {
    Forces,
    Impulses,
}

impl Slopes {
    /// Reads the outputs of the code, then their derivatives by each input and parameter.
    pub(super) fn read(q: &ContactQuantities, rows: &[Vec<f64>]) -> Option<Self> {
        let mut list = rows.iter().map(|r| Numbers::read(q, r));
        Some(Self {
            n: q.dimension,
            own: list.next()?,
            by: list.collect(),
        })
    }
}

impl Solved {
    /// (ẋ, u̇) for velocities.
    pub(super) fn rates(&self, velocities: &[f64]) -> Vec<f64> {
        [velocities, &self.change].concat()
    }
}

/// The rest of a vector across a unit vector, divided by a size: the change of a direction.
fn turned(d: &[f64], v: &[f64], speed: f64) -> Vec<f64> {
    let along = dot(d, v);
    d.iter()
        .zip(v)
        .map(|(d, v)| (v - d * along) / speed)
        .collect()
}

impl Slopes {
    fn lines(&self) -> usize {
        self.own.lines.len()
    }

    /// The size of friction of an element with multipliers.
    pub(super) fn limit(&self, limit: &Limit, mode: &Mode, multipliers: &[f64]) -> f64 {
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
    pub(super) fn limit_slopes(&self, k: usize, mode: &Mode, motion: &Solved) -> Vec<f64> {
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
    pub(super) fn solved(
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
    fn direction(&self, k: usize, level: Level, change: &[f64]) -> Result<(Vec<f64>, f64), Error> {
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
            Role::Normal(k) => velocity + self.own.contacts[k].restitution * velocity.min(0.0),
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
    pub(super) fn project(
        &self,
        mode: &Mode,
        matrix: &mut Rows,
        start: Option<&Rows>,
    ) -> Result<(), Error> {
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

/// The part that a line plays in a mode.
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
    let mut factors = Factors::new(matrix.len());
    (factors.factor(|i, j| matrix[i][j])).map_err(|_| Error::NoDerivatives)?;
    rights.iter_mut().for_each(|b| factors.solve(b));
    Ok(rights)
}
