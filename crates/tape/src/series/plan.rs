//! The registers needed at each stage, and the right-hand sides of each order.

use super::job::{Job, Kind};
use super::system::{
    MAX_INVERTED, MAX_MASS_RATIO, System, augmented, kinds, mass_ratio, pattern, plain_pattern,
};
use super::unroll::Unroll;
use super::{Squares, Wanted};
use crate::articulated::{Graph, Sequence};
use crate::code::{Assembler, Value};
use crate::jets::{Needs, Rates};
use crate::solve::{Order, Symmetric, bordered_inverse, factor, order};
use crate::tape::{Op, Reg, Tape};

/// Registers whose coefficients of one order can be computed together.
#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    /// Sums and other cheap operations; they may need each other, in order.
    pub(super) light: Vec<Reg>,
    /// Operations with sums of products; they come after the light ones and do not need each other.
    pub(super) heavy: Vec<Reg>,
}

pub(super) fn levels(tape: &Tape, list: &[Reg]) -> Vec<Level> {
    let mut after = vec![0usize; tape.ops.len()];
    let mut levels: Vec<Level> = Vec::new();
    for &r in list {
        let op = tape.ops[r as usize];
        let heavy = !op.is_light();
        // Factors of derivatives and partners are needed only to lower orders; they come later, or have the same
        // level.
        let needed = op.operands().into_iter().filter(|&a| a < r);
        let level = needed.map(|a| after[a as usize]).max().unwrap_or(0);
        after[r as usize] = level + usize::from(heavy);
        if levels.len() <= level {
            levels.resize_with(level + 1, Level::default);
        }
        if heavy {
            levels[level].heavy.push(r);
        } else {
            levels[level].light.push(r);
        }
    }
    levels
}

/// The plan of unrolling the series of a motion.
#[derive(Default)]
pub(super) struct Plan<'a> {
    pub(super) squares: Option<&'a Squares>,
    /// See [`Needs`].
    pub(super) still: Vec<Level>,
    pub(super) moving: Vec<Level>,
    pub(super) last: Vec<Level>,
    pub(super) squared: Vec<Level>,
    /// Registers with values.
    pub(super) valued: Vec<Reg>,
    /// The number of velocities of the augmented system.
    pub(super) velocities: usize,
    /// The order of elimination with velocities as unknowns, where it is shorter.
    pub(super) augmented: Option<Order>,
    /// The graph of the kinetic energy, where an elimination along it is shorter.
    pub(super) graph: Option<Graph<'a>>,
    /// The number of operations of unrolled code, roughly.
    pub(super) unrolled: usize,
    /// Whether the code would be too long to be unrolled.
    pub(super) too_long: bool,
    /// Whether even the code of one order would be too long.
    pub(super) rolled_too_long: bool,
}

/// The numbers of operations of an elimination along a graph, and of one solution.
fn operations(graph: &Graph<'_>, tape: &Tape, rates: &Rates) -> Option<Order> {
    let mut asm = Assembler::new(tape.len() + rates.unknowns);
    let values: Vec<Value> = (tape.ops.iter().enumerate())
        .map(|(at, op)| match op {
            Op::Const(c) => asm.number(*c),
            _ => asm.input(at),
        })
        .collect();
    let right: Vec<Value> = (0..rates.unknowns)
        .map(|k| asm.input(tape.len() + k))
        .collect();
    let before = asm.len();
    let found = graph.eliminate(&mut asm, rates, &|r| values[r as usize])?;
    let factored = asm.len();
    found.solve(&mut asm, &right);
    Some(Order {
        order: vec![],
        factor: factored - before,
        solve: asm.len() - factored,
        too_long: false,
    })
}

/// The graph with the shorter sequence of elimination, for a matrix and p right-hand sides. Where bodies carry each other in
/// simple ways, the sequence from the ends of the tree is shorter; where they are attached obliquely, the other one may be.
fn shortest<'a>(
    graph: Graph<'a>,
    tape: &Tape,
    rates: &Rates,
    p: usize,
) -> Option<(Order, Graph<'a>)> {
    let cost = |o: &Order| o.factor + p * o.solve;
    let graph = graph.in_sequence(Sequence::Depth).within(MAX_INSTRUCTIONS);
    let deep = operations(&graph, tape, rates);
    // Of the other sequence only a shorter elimination is of interest.
    let limit = deep.as_ref().map_or(MAX_INSTRUCTIONS, &cost);
    let other = graph.in_sequence(Sequence::Neighbours).within(limit);
    match (deep, operations(&other, tape, rates)) {
        (Some(deep), Some(near)) if cost(&deep) >= cost(&near) => Some((near, other)),
        (Some(deep), _) => Some((deep, other.in_sequence(Sequence::Depth).within(usize::MAX))),
        (None, near) => Some((near?, other)),
    }
}

/// The largest number of instructions of unrolled code.
pub(super) const MAX_INSTRUCTIONS: usize = 800_000;

impl<'a> Plan<'a> {
    pub(super) fn new(tape: &'a Tape, rates: &'a Rates, wanted: &Wanted, p: usize) -> Self {
        let squares = rates.squares.as_ref();
        let mut highest = wanted.series.clone();
        if wanted.directions > 0 {
            highest.extend(rates.momenta(wanted.packed));
        }
        let needs = Needs::new(tape, rates, &highest, wanted.packed);
        let mut valued: Vec<Reg> = needs.still.iter().chain(&needs.moving).copied().collect();
        valued.extend(wanted.values.iter().chain(&wanted.series));
        valued.extend(0..=2 * rates.dimension as Reg);
        match squares {
            Some(s) => {
                valued.extend(s.right.iter().chain(&s.rest).copied());
                valued.extend(s.terms(wanted.packed).flat_map(|t| [t.1, t.2]));
                for v in &s.velocities {
                    valued.push(v.mass);
                    valued.extend(v.entries.iter().map(|e| e.1));
                }
            }
            None => valued.extend(&rates.right),
        }
        if let Some(ahead) = rates.ahead.as_ref().filter(|_| wanted.packed) {
            valued.extend(ahead.slopes.iter().chain(&ahead.drift));
        }
        // The smaller of two systems: the matrix itself, or a sparse one with the velocities as unknowns.
        let augmented = squares
            .filter(|s| mass_ratio(tape, s).is_some_and(|r| r <= MAX_MASS_RATIO))
            .filter(|_| !rates.asymmetric)
            .and_then(|s| order(&pattern(tape, rates, s)))
            .filter(|o| !o.too_long);
        let written = !rates.is_unwritten();
        let plain = written
            .then(|| order(&plain_pattern(tape, rates)))
            .flatten();
        let reached = |more: &[Reg]| tape.reached(valued.iter().chain(more).copied(), 0).len();
        let mut extra = None;
        let mut shorter = |a: &Order| {
            let extra = *extra.get_or_insert_with(|| reached(&rates.matrix) - reached(&[]));
            plain.as_ref().is_none_or(|b| {
                b.too_long || a.factor + p * a.solve < b.factor + p * b.solve + extra
            })
        };
        let augmented = augmented.filter(&mut shorter);
        let graph = match augmented {
            Some(_) => None,
            None => Graph::new(tape, rates),
        };
        let along = graph.and_then(|g| shortest(g, tape, rates, p));
        let along = along.filter(|(a, _)| shorter(a));
        let (along, graph) = along.unzip();
        let cost = along.as_ref().or(augmented.as_ref()).or(plain.as_ref());
        let elimination = |p: usize| cost.map_or(0, |o| o.factor + p * o.solve);
        let products = needs.still.len() + needs.moving.len();
        let unsolved = cost.map_or(!written, |o| o.too_long)
            || rates.asymmetric && rates.unknowns > MAX_INVERTED;
        let unrolled =
            (elimination(p) + products * p * p / 2) * (1 + wanted.directions / 2) + valued.len();
        let rolled = elimination(1) + 2 * products + valued.len();
        let too_long = unsolved || unrolled > MAX_INSTRUCTIONS;
        let rolled_too_long = unsolved || rolled > MAX_INSTRUCTIONS;
        match &graph {
            Some(graph) => {
                let (n, size) = (rates.dimension, rates.unknowns);
                valued.extend(graph.factors());
                let border = |i| &rates.matrix[i * size + n..(i + 1) * size];
                valued.extend((0..n).filter(|_| written).flat_map(border));
            }
            None if augmented.is_none() => valued.extend(&rates.matrix),
            None => {}
        }
        Self {
            squares,
            still: levels(tape, &needs.still),
            moving: levels(tape, &needs.moving),
            last: levels(tape, &needs.last),
            squared: levels(tape, &needs.squared),
            valued: tape.reached(valued.into_iter(), 0),
            velocities: squares.map_or(0, |s| s.velocities.len()),
            augmented,
            graph,
            unrolled,
            too_long,
            rolled_too_long,
        }
    }

    /// The linear system at order 0, if it is eliminated without its matrix.
    pub(super) fn eliminated(
        &self,
        asm: &mut Assembler,
        rates: &Rates,
        value: &dyn Fn(Reg) -> Value,
    ) -> Option<(System, Value)> {
        if let (Some(order), Some(s)) = (&self.augmented, self.squares) {
            let m = augmented(asm, rates, s, value);
            let f = factor(asm, &m, &order.order);
            let guard = f.guard;
            return Some((System::Augmented(f), guard));
        }
        let f = self.graph.as_ref()?.eliminate(asm, rates, value)?;
        let guard = f.guard;
        Some((System::Articulated(f), guard))
    }

    /// The linear system at order 0.
    pub(super) fn system(
        &self,
        asm: &mut Assembler,
        rates: &Rates,
        value: &dyn Fn(Reg) -> Value,
        p: usize,
    ) -> (System, Value) {
        if let Some(found) = self.eliminated(asm, rates, value) {
            return found;
        }
        let (n, size) = (rates.dimension, rates.unknowns);
        if rates.asymmetric {
            let entry = |i: usize, j: usize| value(rates.matrix[i * size + j]);
            let (rows, guard) = bordered_inverse(asm, n, size, &entry);
            return (System::Inverse(rows), guard);
        }
        let mut m = Symmetric::new(kinds(n, size));
        for i in 0..size {
            for j in i..size {
                if i < n {
                    m.set(asm, i, j, value(rates.matrix[i * size + j]));
                }
            }
        }
        let list = order(&m).map_or_else(|| (0..size).collect(), |o| o.order);
        let f = factor(asm, &m, &list);
        let guard = f.guard;
        // The inverse pays off for many right-hand sides.
        if size <= MAX_INVERTED && p > size {
            return (System::Inverse(f.inverse(asm, size)), guard);
        }
        (System::Plain(f), guard)
    }

    /// The right-hand side of order k − 1. Rows of constraints have the other sign: that makes the
    /// matrix symmetric.
    pub(super) fn right(
        &self,
        w: &mut Unroll<'_>,
        rates: &Rates,
        unknowns: &[Vec<Value>],
        k: usize,
    ) -> Vec<Value> {
        let (n, size, low) = (rates.dimension, rates.unknowns, k - 1);
        let (matrix, right) = match self.squares {
            None => (&rates.matrix, &rates.right),
            Some(s) => (&s.rest, &s.right),
        };
        // Σ b·ẇ + Σ M·a, by equation.
        let mut jobs: Vec<Job> = Vec::new();
        let mut of: Vec<usize> = Vec::new();
        let packed = w.packed;
        for (i, b, momentum) in self.squares.iter().flat_map(|s| s.terms(packed)) {
            let rate: Vec<Value> = (0..=low).map(|j| w.momentum_rate(momentum, j, k)).collect();
            jobs.push(Job {
                key: u64::from(b),
                first: true,
                kind: Kind::Product(w.list(b, low, k), rate),
            });
            of.push(i);
        }
        for i in 0..size {
            for j in 0..size {
                let entry = matrix[i * size + j];
                if low == 0 || matches!(w.tape.ops[entry as usize], Op::Const(_)) {
                    continue;
                }
                let list: Vec<Value> = (1..=low).map(|l| w.get(entry, l, k)).collect();
                jobs.push(Job {
                    key: u64::from(entry),
                    first: true,
                    kind: Kind::Product(list, unknowns[j][..low].to_vec()),
                });
                of.push(i);
            }
        }
        let results = w.compute_jobs(&jobs);
        let mut sums: Vec<Option<Value>> = vec![None; size];
        for (&i, &v) in of.iter().zip(&results) {
            sums[i] = Some(match sums[i] {
                None => v,
                Some(s) => w.asm.add(s, v),
            });
        }
        let mut list = Vec::with_capacity(size);
        for i in 0..size {
            let f = w.before(right[i], k);
            let value = match sums[i] {
                None => f,
                Some(s) => w.asm.sub(f, s),
            };
            list.push(if i < n { value } else { w.asm.neg(value) });
        }
        list
    }
}
