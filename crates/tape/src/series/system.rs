//! The linear system for the accelerations: its matrix and its solution.

use super::{Ahead, Squares, Velocity};
use crate::articulated::Articulated;
use crate::code::{Assembler, Value, WIDTH};
use crate::jets::Rates;
use crate::solve::{self, Factored, Symmetric, dot};
use crate::tape::{Op, Reg, Tape};

/// g⁻¹(∂f/∂u − k·ġ) and g⁻¹ġ at a state, where k is the current order.
pub(super) struct Predictor {
    pub(super) slopes: Vec<Vec<Value>>,
    pub(super) drift: Vec<Vec<Value>>,
}

impl Predictor {
    pub(super) fn new(
        asm: &mut Assembler,
        inverse: &[Vec<Value>],
        ahead: &Ahead,
        value: &dyn Fn(Reg) -> Value,
    ) -> Self {
        let n = inverse.len();
        let mut times = |list: &[Reg]| -> Vec<Vec<Value>> {
            (0..n)
                .map(|i| {
                    (0..n)
                        .map(|j| {
                            let column: Vec<Value> =
                                (0..n).map(|l| value(list[l * n + j])).collect();
                            dot(asm, &inverse[i], &column)
                        })
                        .collect()
                })
                .collect()
        };
        Self {
            slopes: times(&ahead.slopes),
            drift: times(&ahead.drift),
        }
    }

    /// The accelerations of the next order.
    pub(super) fn correct(
        &mut self,
        asm: &mut Assembler,
        foreseen: &[Value],
        u: &[Value],
    ) -> Vec<Value> {
        for i in 0..u.len() {
            for j in 0..u.len() {
                self.slopes[i][j] = asm.sub(self.slopes[i][j], self.drift[i][j]);
            }
        }
        (0..u.len())
            .map(|i| {
                let mut sum = foreseen[i];
                for j in 0..u.len() {
                    let t = asm.mul(self.slopes[i][j], u[j]);
                    sum = asm.add(sum, t);
                }
                sum
            })
            .collect()
    }
}

/// The largest number of unknowns whose matrix is inverted.
pub(super) const MAX_INVERTED: usize = 20;

/// The method by which the linear system is solved.
pub(super) enum System {
    /// Multiplication by the inverse.
    Inverse(Vec<Vec<Value>>),
    /// Factors of the matrix itself.
    Plain(Factored),
    /// Factors with the velocities of the squares as further unknowns, behind the others: a velocity and its
    /// multiplier for each.
    Augmented(Factored),
    /// Elimination along the graph of the kinetic energy.
    Articulated(Articulated),
}

impl System {
    /// The system for four right-hand sides at once.
    pub(super) fn spread(&self, asm: &mut Assembler) -> Self {
        let mut four = |v: Value| asm.pack([v; WIDTH]);
        match self {
            Self::Inverse(rows) => {
                let mut row = |list: &Vec<Value>| list.iter().map(|&v| four(v)).collect();
                Self::Inverse(rows.iter().map(&mut row).collect())
            }
            Self::Plain(f) => Self::Plain(f.map(four)),
            Self::Augmented(f) => Self::Augmented(f.map(four)),
            Self::Articulated(f) => Self::Articulated(f.map(four)),
        }
    }

    pub(super) fn solve(
        &self,
        asm: &mut Assembler,
        right: Vec<Value>,
        velocities: usize,
        packed: bool,
    ) -> Vec<Value> {
        match self {
            Self::Inverse(rows) if packed && rows.len() > 2 => {
                // Four rows at a time, from the end.
                let n = rows.len();
                let mut list = Vec::with_capacity(n);
                let mut start = 0;
                while start < n {
                    let count = match (n - start) % WIDTH {
                        0 => WIDTH,
                        rest => rest,
                    };
                    let row = |l: usize| start + l.min(count - 1);
                    let columns: Vec<Value> = (0..n)
                        .map(|j| asm.pack(std::array::from_fn(|l| rows[row(l)][j])))
                        .collect();
                    let spread: Vec<Value> = right.iter().map(|&r| asm.pack([r; WIDTH])).collect();
                    let sum = dot(asm, &columns, &spread);
                    // A sum whose terms are all zero is not wide.
                    list.extend((0..count).map(|l| match asm.constant_of(sum) {
                        Some(_) => sum,
                        None => asm.lane(sum, l),
                    }));
                    start += count;
                }
                list
            }
            Self::Inverse(rows) => rows.iter().map(|row| dot(asm, row, &right)).collect(),
            Self::Plain(f) => f.solve(asm, &right),
            Self::Articulated(f) => f.solve(asm, &right),
            Self::Augmented(f) => {
                let mut all = right;
                let zero = match all.first() {
                    Some(&f) if asm.is_wide(f) => asm.table([0.0; WIDTH]),
                    _ => asm.number(0.0),
                };
                all.resize(all.len() + 2 * velocities, zero);
                f.solve(asm, &all)
            }
        }
    }
}

/// The largest mass ratio of connected velocities for which velocities become unknowns. Beyond it, forces between
/// them cancel, and elimination loses digits that the mass matrix keeps: four at a ratio of a million.
pub const MAX_MASS_RATIO: f64 = 100.0;

/// The largest ratio of masses between a velocity and the one it is made from, if there are velocities.
pub(super) fn mass_ratio(tape: &Tape, s: &Squares) -> Option<f64> {
    let mass = |k: usize| match tape.ops[s.velocities[k].mass as usize] {
        Op::Const(m) => m,
        _ => f64::INFINITY,
    };
    let ratio = |(k, v): (usize, &Velocity)| {
        let parent = mass(v.parent.unwrap_or(k));
        (mass(k) / parent).max(parent / mass(k))
    };
    s.velocities.iter().enumerate().map(ratio).reduce(f64::max)
}

pub(super) fn kinds(n: usize, size: usize) -> Vec<solve::Kind> {
    let of = |i| {
        if i < n {
            solve::Kind::Mass
        } else {
            solve::Kind::Multiplier
        }
    };
    (0..size).map(of).collect()
}

/// The pattern of the matrix; the values of its entries mean nothing.
pub(super) fn plain_pattern(tape: &Tape, rates: &Rates) -> Symmetric {
    let (n, size) = (rates.dimension, rates.unknowns);
    let mut m = Symmetric::new(kinds(n, size));
    for i in 0..n {
        for j in i..size {
            let r = rates.matrix[i * size + j];
            if tape.ops[r as usize] == Op::Const(0.0) {
                continue;
            }
            if i == j {
                m.diagonal[i] = Some(0);
            } else {
                m.rows[i].insert(j, 0);
                m.rows[j].insert(i, 0);
            }
        }
    }
    m
}

/// The pattern of the augmented matrix; the values of its entries mean nothing.
pub(super) fn pattern(tape: &Tape, rates: &Rates, s: &Squares) -> Symmetric {
    let zero = |r: Reg| tape.ops[r as usize] == Op::Const(0.0);
    let mut m = Symmetric::new(augmented_kinds(rates, s));
    for_each_entry(rates, s, &mut |i, j, what| {
        let nothing = match what {
            Entry::Register(r) | Entry::Minus(r) => zero(r),
            Entry::Number(_) => false,
        };
        if nothing {
        } else if i == j {
            m.diagonal[i] = Some(0);
        } else {
            m.rows[i].insert(j, 0);
            m.rows[j].insert(i, 0);
        }
    });
    m
}

pub(super) enum Entry {
    Register(Reg),
    Minus(Reg),
    Number(f64),
}

pub(super) fn augmented_kinds(rates: &Rates, s: &Squares) -> Vec<solve::Kind> {
    let (n, size) = (rates.dimension, rates.unknowns);
    let mut list = kinds(n, size);
    for kind in &mut list[..n] {
        *kind = solve::Kind::Massless;
    }
    for k in 0..s.velocities.len() {
        list.push(solve::Kind::Inertia);
        list.push(solve::Kind::Defines(size + 2 * k));
    }
    list
}

/// The entries on and above the diagonal: the unknowns, then each velocity and its multiplier.
pub(super) fn for_each_entry(rates: &Rates, s: &Squares, f: &mut dyn FnMut(usize, usize, Entry)) {
    let (n, size) = (rates.dimension, rates.unknowns);
    for i in 0..n {
        for j in i..size {
            f(i, j, Entry::Register(s.rest[i * size + j]));
        }
    }
    for (k, v) in s.velocities.iter().enumerate() {
        let (a, multiplier) = (size + 2 * k, size + 2 * k + 1);
        f(a, a, Entry::Register(v.mass));
        f(a, multiplier, Entry::Number(1.0));
        if let Some(parent) = v.parent {
            f(size + 2 * parent, multiplier, Entry::Number(-1.0));
        }
        for &(i, b) in &v.entries {
            f(i, multiplier, Entry::Minus(b));
        }
    }
}

pub(super) fn augmented(
    asm: &mut Assembler,
    rates: &Rates,
    s: &Squares,
    value: &dyn Fn(Reg) -> Value,
) -> Symmetric {
    let mut m = Symmetric::new(augmented_kinds(rates, s));
    for_each_entry(rates, s, &mut |i, j, what| {
        let v = match what {
            Entry::Register(r) => value(r),
            Entry::Minus(r) => asm.neg(value(r)),
            Entry::Number(c) => asm.number(c),
        };
        m.set(asm, i, j, v);
    });
    m
}
