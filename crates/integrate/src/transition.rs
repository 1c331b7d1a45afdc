//! Transition matrices of pieces of a motion.
//!
//! A step by Taylor series is a polynomial. Along it the equations of sensitivities are linear and known, and Gauss' collocation
//! solves them with an error that is the square of what a series of the same length has: six or seven nodes do what takes a
//! series of order 25. Several pieces are computed in lanes.

use std::sync::Arc;

mod arithmetic;
mod equations;

use std::ops::Range;

use galilei_jit::Kernel;
use galilei_tape::code::{Assembler, Code, Value};
use galilei_tape::math::scalar::powi;
use galilei_tape::{Op, Rates, Reg, Tape};

use crate::derived::Slopes;
use arithmetic::{Numbers, SIDE_BY_SIDE};
use equations::{Measures, Shape, Stages, transition};

/// Equations that take more operations are not written as code.
const MAX_OPERATIONS: usize = 30_000;
/// The window of the scheduler in the equations: rows are eliminated one after the other, so that each stays in
/// registers.
const SOLVER_WINDOW: usize = 64;
/// The window of the scheduler in the derivatives at all nodes, which are almost in order already.
const SLOPES_WINDOW: usize = 200;
/// The largest number of stages.
const MAX_STAGES: usize = 16;

/// The largest difference of transitions by different numbers of nodes, in units of their error.
const MAX_DIFFERENCE_IN_ERRORS: f64 = 100.0;
/// The smallest relative error that can be required of a transition, close to rounding.
const SMALLEST_ERROR: f64 = 2e-15;

/// The number of stages for steps of a given part of the radius of convergence, with a tolerance.
fn stages_for(part: f64, tolerance: f64) -> usize {
    // Polynomials through s points of [0, h] converge like r⁻ˢ, r the sum of the half axes of the ellipse with the foci 0
    // and h through the next singularity, measured by h/2.
    let z = (2.0 / part - 1.0).max(1.1);
    let r = z + (z * z - 1.0).sqrt();
    let wrong = |s: usize| powi(r, -2 * s as i32);
    (4..MAX_STAGES)
        .find(|&s| wrong(s) <= tolerance.max(1e-16) / 10.0)
        .unwrap_or(MAX_STAGES)
}

/// The number of pieces computed at once: code is called several times in a row, so that a processor need not fetch
/// it each time.
pub(crate) const PIECES_AT_ONCE: usize = 16;

/// Pieces in lanes, and what becomes of them.
struct Group {
    inputs: Vec<f64>,
    nodes: Vec<f64>,
    found: Vec<f64>,
    result: Vec<f64>,
}

/// Code that finds slopes at all nodes, and code that solves the equations.
struct Written {
    slopes: Kernel,
    solver: Kernel,
}

/// Computes transitions over pieces of polynomials.
pub(crate) struct Transitions {
    shape: Shape,
    order: usize,
    stages: Stages,
    /// The initial number of stages.
    first: usize,
    /// The reciprocal of the size of each parameter.
    parameters: Vec<f64>,
    /// The number of inputs before the coefficients of a polynomial: its time, the branches of the kinks, the
    /// parameters.
    head: usize,
    slopes: Slopes,
    /// Code for this number of stages; numbers do without it, slowly.
    written: Option<Written>,
    /// The number of pieces computed in lanes.
    lanes: usize,
    groups: Vec<Group>,
}

/// About how many operations on four numbers the transition over a step takes.
pub(crate) fn operations(
    tape: &Tape,
    rates: &Rates,
    order: usize,
    part: f64,
    tolerance: f64,
) -> f64 {
    let n = rates.dimension;
    let columns = 2 * n + tape.parameters().len();
    // Some motions need more.
    let stages = stages_for(part, tolerance) + 2;
    let error = tolerance;
    let equations = Shape { n, columns, error }.operations(stages);
    // Numbers are slower than code.
    let speed = if equations <= MAX_OPERATIONS { 1 } else { 4 };
    let slopes = tape.jacobian_on_branches(rates).code.operations();
    (equations * speed + stages * (2 * n * order + slopes)) as f64 / SIDE_BY_SIDE as f64
}

/// Code that evaluates a polynomial at the nodes of a piece, and there some other code.
fn at_all_nodes(nodes: &[f64], n: usize, order: usize, rest: usize, code: &Code) -> Code {
    let head = 3 + rest;
    let mut asm = Assembler::new(head + n * (order + 2));
    let (from, length, start) = (asm.input(0), asm.input(1), asm.input(2));
    // Coefficients of x, then of u: those of x have the coefficients of u one order below.
    let coefficients: Vec<Vec<Value>> = (0..2 * n)
        .map(|i| {
            let u = |asm: &mut Assembler, k: usize| asm.input(head + n + k * n + i % n);
            (0..=order)
                .map(|k| match (i < n, k) {
                    (false, _) => u(&mut asm, k),
                    (true, 0) => asm.input(head + i),
                    (true, _) => {
                        let below = u(&mut asm, k - 1);
                        asm.scale(below, 1.0 / k as f64)
                    }
                })
                .collect()
        })
        .collect();
    let mut outputs = Vec::new();
    for &c in nodes {
        let way = asm.scale(length, c);
        let tau = asm.add(from, way);
        let mut state = vec![asm.add(start, tau)];
        for list in &coefficients {
            let mut sum = list[order];
            for &own in list[..order].iter().rev() {
                let product = asm.mul(sum, tau);
                sum = asm.add(product, own);
            }
            state.push(sum);
        }
        state.extend((0..rest).map(|k| asm.input(3 + k)));
        outputs.extend(asm.append(code, &state));
    }
    asm.finish(outputs)
}

/// The polynomials of some pieces at their nodes.
fn at_nodes(nodes: &[f64], n: usize, order: usize, head: usize, lanes: usize, group: &mut Group) {
    let (inputs, first) = (&group.inputs, 2 + head);
    for l in 0..lanes {
        let input = |r: usize| inputs[r * lanes + l];
        let curve = Curve {
            n,
            order,
            x: |i| input(first + i),
            u: |i, k| input(first + n + k * n + i),
        };
        let mut to = group.nodes[l..].iter_mut().step_by(lanes);
        for c in nodes {
            let tau = input(0) + c * input(1);
            let rest = (3..first).map(input);
            let state = std::iter::once(input(2) + tau).chain(curve.at(tau));
            for (x, to) in state.chain(rest).zip(to.by_ref()) {
                *to = x;
            }
        }
    }
}

/// A polynomial: x at its start, and the coefficients of u.
struct Curve<X, U> {
    n: usize,
    order: usize,
    x: X,
    u: U,
}

impl<X: Fn(usize) -> f64, U: Fn(usize, usize) -> f64> Curve<X, U> {
    /// x and u some way after the start.
    fn at(&self, way: f64) -> Vec<f64> {
        let position = |i: usize| {
            let terms = (1..=self.order).rev();
            let sum = terms.fold(0.0, |s, k| s * way + (self.u)(i, k - 1) / k as f64);
            sum * way + (self.x)(i)
        };
        let velocity = |i: usize| {
            let terms = (0..=self.order).rev();
            terms.fold(0.0, |s, k| s * way + (self.u)(i, k))
        };
        let positions = (0..self.n).map(position);
        positions.chain((0..self.n).map(velocity)).collect()
    }
}

impl Transitions {
    /// Transitions along polynomials of an order, for steps that are a part of the radius of convergence, to a tolerance.
    pub(crate) fn new(
        tape: &Arc<Tape>,
        rates: &Arc<Rates>,
        order: usize,
        part: f64,
        tolerance: f64,
    ) -> Self {
        let n = rates.dimension;
        let columns = 2 * n + tape.parameters().len();
        let rest = tape.branch_len() + tape.parameters().len();
        let shape = Shape {
            n,
            columns,
            error: tolerance.max(SMALLEST_ERROR),
        };
        let lanes = match shape.operations(MAX_STAGES) <= MAX_OPERATIONS {
            true => Kernel::widest(),
            false => SIDE_BY_SIDE,
        };
        let group = || Group {
            inputs: vec![0.0; lanes * (3 + rest + n * (order + 2))],
            nodes: vec![],
            found: vec![],
            result: vec![0.0; lanes * (2 * n * columns + 1)],
        };
        let first = stages_for(part, tolerance);
        let one_over = |r: &Reg| match tape.ops()[*r as usize] {
            Op::Parameter(value, _) if value != 0.0 => 1.0 / value.abs(),
            _ => 1.0,
        };
        let mut this = Self {
            shape,
            order,
            stages: Stages::new(first),
            first,
            parameters: tape.parameters().iter().map(one_over).collect(),
            head: 1 + rest,
            slopes: Slopes::new(tape, rates, lanes),
            written: None,
            lanes,
            groups: std::iter::repeat_with(group)
                .take(PIECES_AT_ONCE / lanes)
                .collect(),
        };
        this.make_room();
        this
    }

    /// Room for what is computed at the nodes.
    fn make_room(&mut self) {
        let Shape { n, columns, .. } = self.shape;
        let (s, lanes) = (self.stages.count(), self.lanes);
        for group in &mut self.groups {
            group.nodes.resize(lanes * s * (2 * n + self.head), 0.0);
            group
                .found
                .resize(lanes * (1 + s * (n * (columns + 2) + 1)), 0.0);
        }
    }

    /// Takes as many stages as at first.
    pub(crate) fn reset(&mut self) {
        self.stages = Stages::new(self.first);
        self.written = None;
        self.make_room();
    }

    /// Takes more stages; not if there are enough for any motion.
    pub(crate) fn refine(&mut self) -> bool {
        let most = MAX_STAGES.min(self.order / 2 + 2);
        let now = self.stages.count();
        let next = (now + (now / 4).max(1)).min(most);
        if next > now {
            let written = self.written.take().is_some();
            self.stages = Stages::new(next);
            self.make_room();
            if written {
                self.compile();
            }
        }
        next > now
    }

    /// Compiles code for the present number of stages, unless it would be long.
    pub(crate) fn compile(&mut self) {
        let (s, shape) = (self.stages.count(), self.shape);
        if self.written.is_some() || shape.operations(s) > MAX_OPERATIONS {
            return;
        }
        let Shape { n, columns, .. } = shape;
        let nothing = self.slopes.zeros();
        let (own, middle) = self.found_at();
        let mut asm = Assembler::new(1 + s * own);
        let h = asm.input(0);
        let slope = |asm: &mut Assembler, i: usize, a: usize, c: usize| {
            let place = a * columns + c;
            match nothing[place] {
                true => asm.number(0.0),
                false => asm.input(1 + i * own + place),
            }
        };
        let measures = Measures {
            masses: (0..n).map(|a| asm.input(middle + a)).collect(),
            accelerations: (0..n).map(|a| asm.input(middle + n + a)).collect(),
            parameters: self.parameters.clone(),
        };
        let outputs = transition(&mut asm, &self.stages, shape, h, slope, &measures);
        let solver = asm.finish(outputs);
        let separate = self.slopes.rates.separate;
        let nodes = &self.stages.nodes;
        let slopes = at_all_nodes(nodes, n, self.order, self.head - 1, &self.slopes.code);
        self.written = Some(Written {
            slopes: Kernel::new(slopes.optimised(separate, SLOPES_WINDOW), self.lanes),
            solver: Kernel::new(solver.optimised(separate, SOLVER_WINDOW), self.lanes),
        });
    }

    /// The number of results at a node, and the position of the masses at the middle node among all results, behind
    /// the length.
    fn found_at(&self) -> (usize, usize) {
        let Shape { n, columns, .. } = self.shape;
        let own = n * (columns + 2) + 1;
        (own, 1 + self.stages.count() / 2 * own + n * columns)
    }

    /// The piece of a polynomial in a place: where it starts, counted from the start of the polynomial, and its length.
    pub(crate) fn set_piece(&mut self, k: usize, from: f64, length: f64) {
        let (group, l) = (&mut self.groups[k / self.lanes], k % self.lanes);
        group.inputs[l] = from;
        group.inputs[self.lanes + l] = length;
        group.found[l] = length;
    }

    /// The length of the piece in a place.
    #[inline]
    pub(crate) fn length(&self, k: usize) -> f64 {
        self.groups[k / self.lanes].found[k % self.lanes]
    }

    /// Puts a polynomial into a place: its time, for each kink a number that is positive on its positive side, the parameters,
    /// x at its start, and the coefficients of u, order by order.
    #[inline]
    pub(crate) fn set_polynomial(&mut self, k: usize, parts: [&[f64]; 5]) {
        let (lanes, l) = (self.lanes, k % self.lanes);
        let inputs = &mut self.groups[k / lanes].inputs;
        let mut rows = inputs[2 * lanes..].chunks_exact_mut(lanes);
        for part in parts {
            for (x, row) in part.iter().zip(rows.by_ref()) {
                row[l] = *x;
            }
        }
    }

    /// Copies a polynomial into another place.
    pub(crate) fn repeat(&mut self, from: usize, to: usize) {
        let lanes = self.lanes;
        for row in (2..self.groups[0].inputs.len() / lanes).map(|r| r * lanes) {
            let x = self.groups[from / lanes].inputs[row + from % lanes];
            self.groups[to / lanes].inputs[row + to % lanes] = x;
        }
    }

    /// The time and the state of a polynomial some way after its start.
    pub(crate) fn after(&self, k: usize, way: f64) -> (f64, Vec<f64>) {
        let (n, first) = (self.shape.n, 2 + self.head);
        let inputs = &self.groups[k / self.lanes].inputs;
        let input = |r: usize| inputs[r * self.lanes + k % self.lanes];
        let curve = Curve {
            n,
            order: self.order,
            x: |i| input(first + i),
            u: |i, j| input(first + n + j * n + i),
        };
        (input(2) + way, curve.at(way))
    }

    /// Computes the pieces in some places. [`Transitions::read`] has the results.
    pub(crate) fn compute(&mut self, places: Range<usize>) {
        let lanes = self.lanes;
        let (own, middle) = self.found_at();
        let groups = &mut self.groups[places.start / lanes..places.end.div_ceil(lanes)];
        for group in &mut *groups {
            if let Some(code) = &mut self.written {
                let found = &mut group.found[lanes..];
                code.slopes.call(&group.inputs, found);
                let mut guards = found
                    .chunks_exact(lanes * own)
                    .map(|node| &node[lanes * (own - 1)..]);
                if guards.all(|list| list.iter().all(|g| *g > 0.0)) {
                    continue;
                }
            }
            // One by one, with pivoting where that is needed.
            at_nodes(
                &self.stages.nodes,
                self.shape.n,
                self.order,
                self.head,
                lanes,
                group,
            );
            let nodes = group
                .nodes
                .chunks_exact(group.nodes.len() / self.stages.count());
            let found = group.found[lanes..].chunks_exact_mut(lanes * own);
            for (states, found) in nodes.zip(found) {
                self.slopes.compute(states, found);
            }
        }
        for group in groups {
            if let Some(code) = &mut self.written {
                code.solver.call(&group.found, &mut group.result);
                continue;
            }
            let Shape { n, columns, .. } = self.shape;
            for first in (0..lanes).step_by(SIDE_BY_SIDE) {
                let found = &group.found;
                let lot = |k: usize| -> [f64; SIDE_BY_SIDE] {
                    std::array::from_fn(|l| found[k * lanes + (first + l).min(lanes - 1)])
                };
                let measures = Measures {
                    masses: (0..n).map(|a| lot(middle + a)).collect(),
                    accelerations: (0..n).map(|a| lot(middle + n + a)).collect(),
                    parameters: self.parameters.clone(),
                };
                let values = transition(
                    &mut Numbers,
                    &self.stages,
                    self.shape,
                    lot(0),
                    |_, i, a, c| lot(1 + i * own + a * columns + c),
                    &measures,
                );
                for (to, from) in group.result.chunks_exact_mut(lanes).zip(values) {
                    let to = &mut to[first..];
                    let count = to.len().min(SIDE_BY_SIDE);
                    to[..count].copy_from_slice(&from[..count]);
                }
            }
        }
    }

    /// The derivatives of the changes of x and u over the piece in a place, each with respect to x, u and the
    /// parameters at its start.
    #[inline]
    pub(crate) fn read(&self, k: usize, matrix: &mut [f64]) {
        let rows = self.groups[k / self.lanes].result.chunks_exact(self.lanes);
        for (x, row) in matrix.iter_mut().zip(rows) {
            *x = row[k % self.lanes];
        }
    }

    /// Whether more nodes give the same transition in a place: what is faster than the nodes are dense may pass for smooth by
    /// accident, but not twice.
    pub(crate) fn is_confirmed(&mut self, k: usize) -> bool {
        let Shape { n, columns, error } = self.shape;
        let (group, l) = (k / self.lanes, k % self.lanes);
        let (_, middle) = self.found_at();
        let found = &self.groups[group].found;
        let root = |a: usize| found[(middle + a) * self.lanes + l].max(1e-200).sqrt();
        let roots: Vec<f64> = (0..n).map(root).collect();
        let before = self.groups[group].result.clone();
        let more = Stages::new(self.stages.count() + 2);
        let (stages, written) = (
            std::mem::replace(&mut self.stages, more),
            self.written.take(),
        );
        self.make_room();
        self.compute(k..k + 1);
        let now = std::mem::replace(&mut self.groups[group].result, before);
        (self.stages, self.written) = (stages, written);
        self.make_room();
        // Without units: velocities by the length, coordinates by the roots of their masses.
        let length = self.length(k).abs();
        let unit = |i: usize| roots[i % n] * if i < n { 1.0 } else { length };
        let before = &self.groups[group].result;
        (0..2 * n).all(|i| {
            (0..2 * n).all(|c| {
                let at = (i * columns + c) * self.lanes + l;
                let scale = unit(i) / unit(c);
                let (a, b) = (before[at] * scale, now[at] * scale);
                (a - b).abs() <= MAX_DIFFERENCE_IN_ERRORS * error * (1.0 + a.abs().max(b.abs()))
            })
        })
    }

    /// Whether the transition in a place can be trusted.
    #[inline]
    pub(crate) fn is_sound(&self, k: usize) -> bool {
        let result = &self.groups[k / self.lanes].result;
        result[result.len() - self.lanes + k % self.lanes] >= 0.0
    }
}
