//! Symmetric linear systems, factored by straight-line code: LDLᵀ along an order of elimination that
//! is fixed before any number is known.

use std::collections::{BTreeMap, BTreeSet};

use crate::code::{Assembler, Value};

/// The smallest pivot, relative to the terms it was computed from.
pub(crate) const SMALLEST_PIVOT: f64 = 1e-13;

/// The kind of an unknown, which determines when it may be eliminated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A velocity with a mass of its own: its pivot only grows.
    Inertia,
    /// A coordinate with a mass: a positive pivot at any time.
    Mass,
    /// A coordinate that gets its inertia through the relations it takes part in: a positive pivot
    /// after all of them.
    Massless,
    /// The multiplier of the relation that defines another unknown: a negative pivot after that one.
    Defines(usize),
    /// The multiplier of a constraint: a negative pivot after everything it constrains.
    Multiplier,
}

impl Kind {
    fn positive(&self) -> bool {
        matches!(self, Self::Inertia | Self::Mass | Self::Massless)
    }
}

/// The entries of a symmetric matrix that are not zero: for each row those beside the diagonal, and
/// the diagonal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symmetric {
    pub(crate) kinds: Vec<Kind>,
    pub(crate) rows: Vec<BTreeMap<usize, Value>>,
    pub(crate) diagonal: Vec<Option<Value>>,
}

impl Symmetric {
    pub(crate) fn new(kinds: Vec<Kind>) -> Self {
        let n = kinds.len();
        Self {
            kinds,
            rows: vec![BTreeMap::new(); n],
            diagonal: vec![None; n],
        }
    }

    /// Sets an entry, on both sides of the diagonal; zeros are left out.
    pub(crate) fn set(&mut self, asm: &Assembler, i: usize, j: usize, v: Value) {
        if asm.constant_of(v) == Some(0.0) {
            return;
        }
        if i == j {
            self.diagonal[i] = Some(v);
        } else {
            self.rows[i].insert(j, v);
            self.rows[j].insert(i, v);
        }
    }
}

/// An order of elimination, and an estimate of the operations of factoring and one solution.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    pub(crate) order: Vec<usize>,
    pub(crate) factor: usize,
    pub(crate) solve: usize,
    /// Whether the elimination takes so many operations that the order was given up.
    pub(crate) too_long: bool,
}

/// The largest number of operations of an elimination that is written out.
const MAX_OPERATIONS: usize = 400_000;

/// The order of minimum degree among the unknowns that may be eliminated, then of the shortest chain; `None` if none
/// may be.
pub(crate) fn order(m: &Symmetric) -> Option<Order> {
    let n = m.kinds.len();
    let original: Vec<Vec<usize>> = m.rows.iter().map(|r| r.keys().copied().collect()).collect();
    let mut adjacent: Vec<BTreeSet<usize>> =
        m.rows.iter().map(|r| r.keys().copied().collect()).collect();
    let mut diagonal: Vec<bool> = m.diagonal.iter().map(Option::is_some).collect();
    let mut done = vec![false; n];
    // The length of the chain of eliminations before each one.
    let mut depth = vec![0usize; n];
    let mut result = Order {
        order: Vec::with_capacity(n),
        factor: 0,
        solve: 0,
        too_long: false,
    };
    for _ in 0..n {
        let allowed = |i: usize| match m.kinds[i] {
            Kind::Inertia | Kind::Mass => true,
            Kind::Massless => original[i]
                .iter()
                .all(|&j| done[j] || m.kinds[j].positive() || m.kinds[j] == Kind::Multiplier),
            Kind::Defines(j) => done[j],
            Kind::Multiplier => original[i]
                .iter()
                .all(|&j| done[j] || m.kinds[j] == Kind::Multiplier),
        };
        let next = (0..n)
            .filter(|&i| !done[i] && diagonal[i] && allowed(i))
            .min_by_key(|&i| (adjacent[i].len(), depth[i], i))?;
        done[next] = true;
        result.order.push(next);
        let near: Vec<usize> = adjacent[next].iter().copied().collect();
        let d = near.len();
        result.factor += 4 + d + d * (d + 1) / 2;
        result.solve += 2 * d + 1;
        if result.factor > MAX_OPERATIONS {
            result.too_long = true;
            break;
        }
        for (k, &i) in near.iter().enumerate() {
            adjacent[i].remove(&next);
            depth[i] = depth[i].max(depth[next] + 1);
            diagonal[i] = true;
            for &j in &near[..k] {
                adjacent[i].insert(j);
                adjacent[j].insert(i);
            }
        }
    }
    Some(result)
}

/// A factored matrix.
#[derive(Clone, Debug)]
pub(crate) struct Factored {
    order: Vec<usize>,
    /// The columns of L, by step of the elimination.
    columns: Vec<Vec<(usize, Value)>>,
    /// 1/dⱼ
    inverse: Vec<Value>,
    /// Positive as long as every pivot has its sign and is not small relative to the terms it was computed from.
    pub(crate) guard: Value,
}

/// Factors along an order.
pub(crate) fn factor(asm: &mut Assembler, m: &Symmetric, order: &[usize]) -> Factored {
    let n = m.kinds.len();
    let (mut rows, mut diagonal) = (m.rows.clone(), m.diagonal.clone());
    // The diagonal entry before a term of the other sign was subtracted.
    let mut scale: Vec<Option<Value>> = vec![None; n];
    let one = asm.number(1.0);
    let mut guard: Option<Value> = None;
    let mut columns = Vec::with_capacity(n);
    let mut inverses = Vec::with_capacity(n);
    for &p in order {
        let pivot = diagonal[p].unwrap_or_else(|| asm.number(0.0));
        let positive = m.kinds[p].positive();
        let sign = if positive { 1.0 } else { -1.0 };
        let safe = matches!(m.kinds[p], Kind::Inertia | Kind::Defines(_));
        if !safe && asm.constant_of(pivot).is_none_or(|c| c * sign <= 0.0) {
            // |d| − ε·scale, which must be positive.
            let part = scale[p].map_or(pivot, |s| {
                let s = asm.scale(s, SMALLEST_PIVOT);
                asm.sub(pivot, s)
            });
            let part = if positive { part } else { asm.neg(part) };
            guard = Some(match guard {
                None => part,
                Some(g) => asm.least(part, g),
            });
        }
        let inverse = asm.div(one, pivot);
        inverses.push(inverse);
        let near: Vec<(usize, Value)> = rows[p].iter().map(|(&j, &v)| (j, v)).collect();
        let column: Vec<(usize, Value)> = near
            .iter()
            .map(|&(j, v)| (j, asm.mul(v, inverse)))
            .collect();
        for (k, &(i, l)) in column.iter().enumerate() {
            rows[i].remove(&p);
            let t = asm.mul(l, near[k].1);
            let own = diagonal[i];
            if m.kinds[i].positive() == positive && scale[i].is_none() {
                scale[i] = own;
            }
            diagonal[i] = Some(match own {
                None => asm.neg(t),
                Some(d) => asm.sub(d, t),
            });
            for &(j, v) in &near[..k] {
                let t = asm.mul(l, v);
                let entry = match rows[i].get(&j) {
                    None => asm.neg(t),
                    Some(&e) => asm.sub(e, t),
                };
                rows[i].insert(j, entry);
                rows[j].insert(i, entry);
            }
        }
        columns.push(column);
    }
    Factored {
        order: order.to_vec(),
        columns,
        inverse: inverses,
        guard: guard.unwrap_or(one),
    }
}

impl Factored {
    /// The factors with other entries.
    pub(crate) fn map(&self, mut f: impl FnMut(Value) -> Value) -> Self {
        let mut columns = self.columns.clone();
        for (_, l) in columns.iter_mut().flatten() {
            *l = f(*l);
        }
        Self {
            order: self.order.clone(),
            columns,
            inverse: self.inverse.iter().map(|&d| f(d)).collect(),
            guard: self.guard,
        }
    }

    /// The solution for a right-hand side.
    pub(crate) fn solve(&self, asm: &mut Assembler, right: &[Value]) -> Vec<Value> {
        let mut b = right.to_vec();
        for (&p, column) in self.order.iter().zip(&self.columns) {
            for &(i, l) in column {
                let t = asm.mul(l, b[p]);
                b[i] = asm.sub(b[i], t);
            }
        }
        for (k, &p) in self.order.iter().enumerate().rev() {
            let mut x = asm.mul(b[p], self.inverse[k]);
            for &(i, l) in &self.columns[k] {
                let t = asm.mul(l, b[i]);
                x = asm.sub(x, t);
            }
            b[p] = x;
        }
        b
    }

    /// The first n rows and columns of the inverse: solving by it takes as many operations, with shorter chains.
    pub(crate) fn inverse(&self, asm: &mut Assembler, n: usize) -> Vec<Vec<Value>> {
        let (zero, one) = (asm.number(0.0), asm.number(1.0));
        (0..n)
            .map(|j| {
                let mut unit = vec![zero; self.order.len()];
                unit[j] = one;
                let mut column = self.solve(asm, &unit);
                column.truncate(n);
                column
            })
            .collect()
    }
}
