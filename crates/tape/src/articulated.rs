//! Mass matrices that are never written out: the kinetic energy is eliminated along the graph by which it is computed.
//!
//! The registers of degree one in the velocities form a graph: sums of others, and products with functions of the
//! position. A kinetic energy is a quadratic form in some of them. Its registers are replaced, the last one first, by
//! the operands they are computed from, and a velocity is eliminated as soon as nothing depends on it any more. For a
//! tree of bodies, whose velocities follow from those of the bodies that carry them, this is the recursion of articulated
//! bodies, with as many operations as there are bodies; nothing but the tape says what the tree is.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::code::{Assembler, Value};
use crate::jets::Rates;
use crate::solve::SMALLEST_PIVOT;
use crate::tape::{Op, Reg, Tape};

/// The degree of a register that is no polynomial of degree two in the velocities.
const NOT_QUADRATIC: u8 = 3;
/// The largest number of entries of a row. Beyond it the graph is no tree, and elimination takes longer than with the
/// matrix itself.
const MAX_NEIGHBOURS: usize = 400;

/// The graph of a Lagrangian that is quadratic in the velocities.
pub(crate) struct Graph<'t> {
    tape: &'t Tape,
    lagrangian: Reg,
    n: usize,
    /// The degree of each register in the velocities.
    degree: Vec<u8>,
    /// Registers on which the Lagrangian depends.
    reached: Vec<bool>,
    sequence: Sequence,
    /// The largest number of instructions of an elimination.
    limit: usize,
}

/// The register that is replaced first, of those on which nothing depends any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sequence {
    /// The register with the fewest adjacent ones in the graph.
    Neighbours,
    /// The outermost register: from the ends of a tree to its root.
    Depth,
}

impl<'t> Graph<'t> {
    /// The graph of the Lagrangian whose Hessian is the mass matrix; `None` if it is not known or not quadratic.
    pub(crate) fn new(tape: &'t Tape, rates: &Rates) -> Option<Self> {
        let (lagrangian, n) = (rates.lagrangian?, rates.dimension);
        if rates.asymmetric {
            return None;
        }
        let mut degree = vec![0; lagrangian as usize + 1];
        for at in 0..degree.len() {
            let of = |r: Reg| degree.get(r as usize).copied().unwrap_or(NOT_QUADRATIC);
            degree[at] = match tape.ops[at] {
                Op::Input(i) => u8::from(n < i as usize && i as usize <= 2 * n),
                Op::Add(a, b) | Op::Sub(a, b) => of(a).max(of(b)),
                Op::Scale(a, _) | Op::Shift(a, _) => of(a),
                Op::Mul(a, b) => (of(a) + of(b)).min(NOT_QUADRATIC),
                Op::Square(a) => (2 * of(a)).min(NOT_QUADRATIC),
                Op::Div(a, b) if of(b) == 0 => of(a),
                // Factors of derivatives are behind their function, and depend on the same inputs.
                op => {
                    let before = op.operands().into_iter().filter(|&r| (r as usize) < at);
                    match before.map(of).max().unwrap_or(0) {
                        0 => 0,
                        _ => NOT_QUADRATIC,
                    }
                }
            };
        }
        let mut reached = vec![false; degree.len()];
        reached[lagrangian as usize] = true;
        for at in (0..reached.len()).rev() {
            if reached[at] && degree[at] > 0 {
                for r in tape.ops[at].operands() {
                    reached[r as usize] = true;
                }
            }
        }
        let whole = (n + 1..=2 * n).all(|u| reached.get(u) == Some(&true));
        (whole && degree[lagrangian as usize] == 2).then_some(Self {
            tape,
            lagrangian,
            n,
            degree,
            reached,
            sequence: Sequence::Neighbours,
            limit: usize::MAX,
        })
    }

    /// The graph with another sequence of elimination.
    pub(crate) fn in_sequence(mut self, sequence: Sequence) -> Self {
        self.sequence = sequence;
        self
    }

    /// The graph with a limit: an elimination with more instructions is given up.
    pub(crate) fn within(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    fn of(&self, r: Reg) -> u8 {
        self.degree[r as usize]
    }

    /// The registers that multiply velocities.
    pub(crate) fn factors(&self) -> Vec<Reg> {
        let mut list = Vec::new();
        for at in (0..self.degree.len()).filter(|&at| self.reached[at] && self.degree[at] > 0) {
            if let Op::Mul(a, b) | Op::Div(a, b) = self.tape.ops[at] {
                list.extend([a, b].into_iter().filter(|&r| self.of(r) == 0));
            }
        }
        list
    }

    /// The operands of degree one of a register of degree one, each with its factor.
    fn operands(
        &self,
        asm: &mut Assembler,
        at: usize,
        value: &dyn Fn(Reg) -> Value,
    ) -> Vec<(usize, Value)> {
        let one = asm.number(1.0);
        let minus = asm.number(-1.0);
        let mut list = match self.tape.ops[at] {
            Op::Add(a, b) => vec![(a, one), (b, one)],
            Op::Sub(a, b) => vec![(a, one), (b, minus)],
            Op::Scale(a, c) => vec![(a, asm.number(c))],
            Op::Shift(a, _) => vec![(a, one)],
            Op::Mul(a, b) if self.of(a) == 0 => vec![(b, value(a))],
            Op::Mul(a, b) => vec![(a, value(b))],
            Op::Div(a, b) => vec![(a, asm.div(one, value(b)))],
            _ => vec![],
        };
        list.retain(|&(r, _)| self.of(r) == 1);
        if let [(a, c), (b, d)] = list[..]
            && a == b
        {
            list = vec![(a, asm.add(c, d))];
        }
        list.into_iter().map(|(r, c)| (r as usize, c)).collect()
    }

    /// The Hessian of the Lagrangian in the registers of degree one that are multiplied with each other.
    fn form(&self, asm: &mut Assembler, value: &dyn Fn(Reg) -> Value) -> Form {
        let count = self.degree.len();
        let mut form = Form {
            rows: vec![BTreeMap::new(); count],
            diagonal: vec![None; count],
            unreduced: vec![None; count],
            registers: count,
        };
        let mut weights: Vec<Option<Value>> = vec![None; count];
        weights[self.lagrangian as usize] = Some(asm.number(1.0));
        let one = asm.number(1.0);
        for at in (0..count).rev().filter(|&at| self.degree[at] == 2) {
            let Some(w) = weights[at] else { continue };
            let passed: Vec<(Reg, Value)> = match self.tape.ops[at] {
                Op::Add(a, b) => vec![(a, w), (b, w)],
                Op::Sub(a, b) => vec![(a, w), (b, asm.neg(w))],
                Op::Scale(a, c) => vec![(a, asm.scale(w, c))],
                Op::Shift(a, _) => vec![(a, w)],
                Op::Square(a) => {
                    let twice = asm.scale(w, 2.0);
                    form.add(asm, a as usize, a as usize, twice);
                    vec![]
                }
                Op::Mul(a, b) if self.of(a) == 1 => {
                    let w = if a == b { asm.scale(w, 2.0) } else { w };
                    form.add(asm, a as usize, b as usize, w);
                    vec![]
                }
                Op::Mul(a, b) if self.of(a) == 0 => vec![(b, asm.mul(w, value(a)))],
                Op::Mul(a, b) => vec![(a, asm.mul(w, value(b)))],
                Op::Div(a, b) => {
                    let over = asm.div(one, value(b));
                    vec![(a, asm.mul(w, over))]
                }
                _ => vec![],
            };
            for (r, w) in passed.into_iter().filter(|p| self.of(p.0) == 2) {
                let sum = match weights[r as usize] {
                    None => w,
                    Some(other) => asm.add(other, w),
                };
                weights[r as usize] = Some(sum);
            }
        }
        form
    }

    /// How far outside each register is in a tree of bodies: the number of coordinates and velocities on which it depends, since
    /// those of a body depend on those of all bodies that carry it. A multiple of one velocity is as far outside as the first sum
    /// that it is a part of.
    fn depths(&self) -> Vec<usize> {
        let (n, count) = (self.n, self.degree.len());
        let words = (2 * n).div_ceil(64).max(1);
        let mut sets: Vec<u64> = vec![0; words * count];
        for at in 0..count {
            let (before, own) = sets.split_at_mut(words * at);
            let own = &mut own[..words];
            match self.tape.ops[at] {
                Op::Input(i) if (1..=2 * n).contains(&(i as usize)) => {
                    let bit = i as usize - 1;
                    own[bit / 64] |= 1 << (bit % 64);
                }
                op => {
                    // Partners of functions are behind them, and depend on the same inputs.
                    for r in op.operands().into_iter().filter(|&r| (r as usize) < at) {
                        let operand = &before[words * r as usize..][..words];
                        own.iter_mut().zip(operand).for_each(|(x, y)| *x |= y);
                    }
                }
            }
        }
        let set = |at: usize| &sets[words * at..][..words];
        let size = |at: usize| set(at).iter().map(|w| w.count_ones() as usize).sum();
        // The only velocity of a register.
        let single = |at: usize| {
            let has = |bit: &usize| set(at)[bit / 64] >> (bit % 64) & 1 == 1;
            let mut velocities = (n..2 * n).filter(has);
            let first = velocities.next()?;
            velocities.next().is_none().then_some(first - n)
        };
        let linear = |at: usize| self.reached[at] && self.degree[at] == 1;
        let mut levels: Vec<Option<usize>> = vec![None; n];
        for at in (0..count).filter(|&at| linear(at) && single(at).is_none()) {
            let operands = self.tape.ops[at].operands().into_iter();
            for r in operands.filter(|&r| self.of(r) == 1) {
                if let Some(u) = single(r as usize) {
                    levels[u] = Some(levels[u].map_or(size(at), |l| l.min(size(at))));
                }
            }
        }
        let depth = |at: usize| match single(at) {
            Some(u) => levels[u].unwrap_or(0),
            None => size(at),
        };
        (0..count)
            .map(|at| if linear(at) { depth(at) } else { 0 })
            .collect()
    }

    /// Eliminates all velocities and multipliers; `None` if that takes too long.
    pub(crate) fn eliminate(
        &self,
        asm: &mut Assembler,
        rates: &Rates,
        value: &dyn Fn(Reg) -> Value,
    ) -> Option<Articulated> {
        let (n, size, count) = (self.n, rates.unknowns, self.degree.len());
        let longest = asm.len().saturating_add(self.limit);
        let mut form = self.form(asm, value);
        // The multipliers are behind the registers. Each waits for the velocities it constrains.
        form.rows.resize(count + size - n, BTreeMap::new());
        form.diagonal.resize(count + size - n, None);
        form.unreduced.resize(count + size - n, None);
        let mut waits = vec![0; size - n];
        for i in 0..n {
            for a in 0..size - n {
                let entry = value(rates.matrix[i * size + n + a]);
                if !asm.is_zero(entry) {
                    form.add(asm, n + 1 + i, count + a, entry);
                    waits[a] += 1;
                }
            }
        }
        let linear = |at: &usize| self.reached[*at] && self.degree[*at] == 1;
        let mut users = vec![0; count];
        let mut operands: Vec<Vec<(usize, Value)>> = vec![Vec::new(); count];
        for at in (0..count).filter(linear) {
            operands[at] = self.operands(asm, at, value);
            for o in &operands[at] {
                users[o.0] += 1;
            }
        }
        let free = (0..count).filter(linear).filter(|&at| users[at] == 0);
        let mut ready: Vec<usize> = free.collect();
        let mut result = Articulated {
            unknowns: (n + 1..=2 * n).chain(count..count + size - n).collect(),
            places: count + size - n,
            steps: Vec::new(),
            guard: asm.number(1.0),
        };
        let mut pivots: Vec<usize> = Vec::new();
        let mut eliminated = 0;
        let depth = match self.sequence {
            Sequence::Neighbours => vec![0; count],
            Sequence::Depth => self.depths(),
        };
        while let Some(next) = (0..ready.len()).min_by_key(|&k| {
            let at = ready[k];
            (Reverse(depth[at]), form.rows[at].len(), Reverse(at))
        }) {
            if asm.len() > longest {
                return None;
            }
            let at = ready.swap_remove(next);
            if (n + 1..=2 * n).contains(&at) {
                pivots.push(at);
            } else {
                form.replace(asm, at, &operands[at]);
                for &(o, _) in &operands[at] {
                    users[o] -= 1;
                    match users[o] {
                        0 if o <= 2 * n => pivots.push(o),
                        0 => ready.push(o),
                        _ => {}
                    }
                }
                let own = std::mem::take(&mut operands[at]);
                result.steps.push(Step::Replaced(at, own));
            }
            while let Some(p) = pivots.pop() {
                let positive = p <= 2 * n;
                if positive {
                    let multipliers = form.rows[p].keys().filter(|&&j| j >= count);
                    for &a in multipliers {
                        // Multipliers that came by elimination do not wait for this velocity.
                        let entry = value(rates.matrix[(p - n - 1) * size + n + a - count]);
                        if !asm.is_zero(entry) {
                            waits[a - count] -= 1;
                            if waits[a - count] == 0 {
                                pivots.insert(0, a);
                            }
                        }
                    }
                }
                let step = form.pivot(asm, p, positive, &mut result.guard)?;
                result.steps.push(step);
                eliminated += 1;
            }
        }
        (eliminated == size).then_some(result)
    }
}

/// A symmetric matrix over registers, and multipliers behind them.
struct Form {
    rows: Vec<BTreeMap<usize, Value>>,
    diagonal: Vec<Option<Value>>,
    /// Diagonal entries without what eliminations subtracted, where they did: the scale of the pivots.
    unreduced: Vec<Option<Value>>,
    /// The number of registers.
    registers: usize,
}

impl Form {
    fn add(&mut self, asm: &mut Assembler, i: usize, j: usize, v: Value) {
        if asm.is_zero(v) {
            return;
        }
        let old = match i == j {
            true => self.diagonal[i],
            false => self.rows[i].get(&j).copied(),
        };
        let sum = old.map_or(v, |old| asm.add(old, v));
        if i == j {
            self.diagonal[i] = Some(sum);
        } else if asm.is_zero(sum) {
            self.rows[i].remove(&j);
            self.rows[j].remove(&i);
        } else {
            self.rows[i].insert(j, sum);
            self.rows[j].insert(i, sum);
        }
    }

    /// Replaces an unknown by a combination of at most two others.
    fn replace(&mut self, asm: &mut Assembler, k: usize, parts: &[(usize, Value)]) {
        let row = std::mem::take(&mut self.rows[k]);
        for j in row.keys() {
            self.rows[*j].remove(&k);
        }
        let own = self.diagonal[k].take();
        if let Some(s) = self.unreduced[k] {
            for &(a, c) in parts {
                let square = asm.mul(c, c);
                let t = asm.mul(square, s);
                let before = self.unreduced[a].or(self.diagonal[a]);
                self.unreduced[a] = Some(before.map_or(t, |b| asm.add(b, t)));
            }
        }
        // What the diagonal entry and the entries with the parts themselves add to each part.
        let mut shares: Vec<Value> = Vec::with_capacity(parts.len());
        for &(_, c) in parts {
            shares.push(match own {
                Some(d) => asm.mul(c, d),
                None => asm.number(0.0),
            });
        }
        for (l, &(a, c)) in parts.iter().enumerate() {
            // c²·d + 2c·e with e the entry of k and a.
            let mut sum = shares[l];
            if let Some(&e) = row.get(&a) {
                let twice = asm.scale(e, 2.0);
                sum = asm.add(sum, twice);
            }
            let t = asm.mul(c, sum);
            self.add(asm, a, a, t);
            for (m, &(b, d)) in parts.iter().enumerate().skip(l + 1) {
                // c·d·own + c·e(k, b) + d·e(k, a)
                let mut first = shares[m];
                if let Some(&e) = row.get(&b) {
                    first = asm.add(first, e);
                }
                let t = asm.mul(c, first);
                self.add(asm, a, b, t);
                if let Some(&e) = row.get(&a) {
                    let t = asm.mul(d, e);
                    self.add(asm, a, b, t);
                }
            }
            for (&j, &e) in &row {
                if parts.iter().all(|p| p.0 != j) {
                    let t = asm.mul(c, e);
                    self.add(asm, a, j, t);
                }
            }
        }
    }

    /// Eliminates an unknown by its own equation.
    fn pivot(
        &mut self,
        asm: &mut Assembler,
        p: usize,
        positive: bool,
        guard: &mut Value,
    ) -> Option<Step> {
        let row = std::mem::take(&mut self.rows[p]);
        let pivot = self.diagonal[p].take()?;
        if row.len() > MAX_NEIGHBOURS {
            return None;
        }
        if asm.constant_of(pivot).is_none_or(|c| (c > 0.0) != positive) {
            // |d| − ε·scale, which must be positive.
            let part = self.unreduced[p].map_or(pivot, |s| {
                let s = asm.scale(s, SMALLEST_PIVOT);
                asm.sub(pivot, s)
            });
            let part = if positive { part } else { asm.neg(part) };
            *guard = asm.least(part, *guard);
        }
        let one = asm.number(1.0);
        let inverse = asm.div(one, pivot);
        let near: Vec<(usize, Value)> = row.into_iter().collect();
        let column: Vec<(usize, Value)> = near
            .iter()
            .map(|&(j, v)| (j, asm.mul(v, inverse)))
            .collect();
        for (k, &(i, l)) in column.iter().enumerate() {
            self.rows[i].remove(&p);
            if (i < self.registers) == positive && self.unreduced[i].is_none() {
                self.unreduced[i] = self.diagonal[i];
            }
            for &(j, v) in &near[..=k] {
                let t = asm.mul(l, v);
                let t = asm.neg(t);
                self.add(asm, i, j, t);
            }
        }
        Some(Step::Pivot(p, inverse, column))
    }
}

/// A step of the elimination.
#[derive(Clone, Debug)]
enum Step {
    /// An unknown is the sum of others, each with its factor.
    Replaced(usize, Vec<(usize, Value)>),
    /// An unknown follows from its own equation: the inverse of the pivot, and the other entries of the row divided by
    /// the pivot.
    Pivot(usize, Value, Vec<(usize, Value)>),
}

/// A mass matrix with the rows of constraints, eliminated along the graph of the kinetic energy.
#[derive(Clone, Debug)]
pub(crate) struct Articulated {
    unknowns: Vec<usize>,
    places: usize,
    steps: Vec<Step>,
    /// Positive as long as every pivot has its sign.
    pub(crate) guard: Value,
}

impl Articulated {
    /// The elimination with other entries.
    pub(crate) fn map(&self, mut f: impl FnMut(Value) -> Value) -> Self {
        let mut result = self.clone();
        for step in &mut result.steps {
            let list = match step {
                Step::Replaced(_, list) => list,
                Step::Pivot(_, inverse, list) => {
                    *inverse = f(*inverse);
                    list
                }
            };
            for (_, v) in list {
                *v = f(*v);
            }
        }
        result
    }

    /// The solution for a right-hand side: accelerations and multipliers.
    pub(crate) fn solve(&self, asm: &mut Assembler, right: &[Value]) -> Vec<Value> {
        let mut b: Vec<Option<Value>> = vec![None; self.places];
        for (&at, &f) in self.unknowns.iter().zip(right) {
            b[at] = (!asm.is_zero(f)).then_some(f);
        }
        let minus = |asm: &mut Assembler, from: &mut Option<Value>, t: Value| {
            *from = Some(match *from {
                None => asm.neg(t),
                Some(s) => asm.sub(s, t),
            });
        };
        for step in &self.steps {
            match step {
                Step::Replaced(k, parts) => {
                    let Some(f) = b[*k] else { continue };
                    for &(a, c) in parts {
                        let t = asm.mul(c, f);
                        b[a] = Some(b[a].map_or(t, |s| asm.add(s, t)));
                    }
                }
                Step::Pivot(p, _, column) => {
                    let Some(f) = b[*p] else { continue };
                    for &(i, l) in column {
                        let t = asm.mul(l, f);
                        minus(asm, &mut b[i], t);
                    }
                }
            }
        }
        let mut x: Vec<Option<Value>> = vec![None; self.places];
        for step in self.steps.iter().rev() {
            match step {
                Step::Replaced(k, parts) => {
                    let mut sum: Option<Value> = None;
                    for &(a, c) in parts {
                        if let Some(v) = x[a] {
                            let t = asm.mul(c, v);
                            sum = Some(sum.map_or(t, |s| asm.add(s, t)));
                        }
                    }
                    x[*k] = sum;
                }
                Step::Pivot(p, inverse, column) => {
                    let mut sum = b[*p].map(|f| asm.mul(f, *inverse));
                    for &(i, l) in column {
                        if let Some(v) = x[i] {
                            let t = asm.mul(l, v);
                            minus(asm, &mut sum, t);
                        }
                    }
                    x[*p] = sum;
                }
            }
        }
        let wide = right.first().is_some_and(|&f| asm.is_wide(f));
        let zero = match wide {
            true => asm.table([0.0; crate::code::WIDTH]),
            false => asm.number(0.0),
        };
        let unknowns = self.unknowns.iter();
        unknowns.map(|&at| x[at].unwrap_or(zero)).collect()
    }
}
