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
    // The unknowns that wait for each one.
    let mut waiting = original.clone();
    for (i, kind) in m.kinds.iter().enumerate() {
        if let Kind::Defines(j) = kind {
            waiting[*j].push(i);
        }
    }
    let key =
        |i: usize, adjacent: &[BTreeSet<usize>], depth: &[usize]| (adjacent[i].len(), depth[i], i);
    let allowed = |i: usize, done: &[bool]| match m.kinds[i] {
        Kind::Inertia | Kind::Mass => true,
        Kind::Massless => original[i]
            .iter()
            .all(|&j| done[j] || m.kinds[j].positive() || m.kinds[j] == Kind::Multiplier),
        Kind::Defines(j) => done[j],
        Kind::Multiplier => original[i]
            .iter()
            .all(|&j| done[j] || m.kinds[j] == Kind::Multiplier),
    };
    let mut ready: BTreeSet<(usize, usize, usize)> = (0..n)
        .filter(|&i| diagonal[i] && allowed(i, &done))
        .map(|i| key(i, &adjacent, &depth))
        .collect();
    for _ in 0..n {
        let (_, _, next) = ready.pop_first()?;
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
        for &i in &near {
            ready.remove(&key(i, &adjacent, &depth));
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
        for &i in near.iter().chain(&waiting[next]) {
            if !done[i] && diagonal[i] && allowed(i, &done) {
                ready.insert(key(i, &adjacent, &depth));
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

/// Σ aⱼbⱼ
pub(crate) fn dot(asm: &mut Assembler, a: &[Value], b: &[Value]) -> Value {
    let mut sum = None;
    for (&a, &b) in a.iter().zip(b) {
        let t = asm.mul(a, b);
        if !asm.is_zero(t) {
            sum = Some(match sum {
                None => t,
                Some(s) => asm.add(s, t),
            });
        }
    }
    sum.unwrap_or_else(|| asm.number(0.0))
}

/// The rows of the inverse of [m −C; −J 0], given [m −C; J 0], and a guard that is positive as long as no pivot is
/// small relative to the terms it was computed from. (T-83)
pub(crate) fn bordered_inverse(
    asm: &mut Assembler,
    n: usize,
    size: usize,
    entry: &dyn Fn(usize, usize) -> Value,
) -> (Vec<Vec<Value>>, Value) {
    let c = size - n;
    let mut mass = Symmetric::new(vec![Kind::Mass; n]);
    for i in 0..n {
        for j in i..n {
            mass.set(asm, i, j, entry(i, j));
        }
    }
    let list = order(&mass).map_or_else(|| (0..n).collect(), |o| o.order);
    let factors = factor(asm, &mass, &list);
    let mut guard = factors.guard;
    let inverse = factors.inverse(asm, n);
    let rows: Vec<Vec<Value>> = (n..size)
        .map(|a| (0..n).map(|i| entry(a, i)).collect())
        .collect();
    // J·m⁻¹ and −m⁻¹·C
    let pushed: Vec<Vec<Value>> = rows
        .iter()
        .map(|row| inverse.iter().map(|column| dot(asm, row, column)).collect())
        .collect();
    let raised: Vec<Vec<Value>> = (n..size)
        .map(|a| {
            let covector: Vec<Value> = (0..n).map(|i| entry(i, a)).collect();
            inverse.iter().map(|row| dot(asm, row, &covector)).collect()
        })
        .collect();
    // −J·m⁻¹·C, and the sum of the magnitudes of its terms.
    let mut schur: Vec<Vec<Value>> = Vec::with_capacity(c);
    let mut sizes: Vec<Value> = Vec::with_capacity(c);
    for row in &rows {
        schur.push(raised.iter().map(|y| dot(asm, row, y)).collect());
        let sides: Vec<Value> = row.iter().map(|&v| asm.abs(v)).collect();
        let mut all: Option<Value> = None;
        for y in &raised {
            let y: Vec<Value> = y.iter().map(|&v| asm.abs(v)).collect();
            let size = dot(asm, &sides, &y);
            all = Some(all.map_or(size, |s| asm.greatest(s, size)));
        }
        sizes.extend(all);
    }
    let small = inverted(asm, schur, &sizes, &mut guard);
    // λ = S⁻¹(g + J·m⁻¹f) and a = m⁻¹f − (−m⁻¹C)λ with S = −J·m⁻¹·C.
    let mut result: Vec<Vec<Value>> = Vec::with_capacity(size);
    let forced: Vec<Vec<Value>> = small
        .iter()
        .map(|row| {
            (0..n)
                .map(|j| {
                    let column: Vec<Value> = pushed.iter().map(|p| p[j]).collect();
                    dot(asm, row, &column)
                })
                .collect()
        })
        .collect();
    for i in 0..n {
        let own: Vec<Value> = raised.iter().map(|y| y[i]).collect();
        let mut line = Vec::with_capacity(size);
        for j in 0..n {
            let column: Vec<Value> = forced.iter().map(|f| f[j]).collect();
            let part = dot(asm, &own, &column);
            line.push(asm.sub(inverse[i][j], part));
        }
        for b in 0..c {
            let column: Vec<Value> = small.iter().map(|s| s[b]).collect();
            let part = dot(asm, &own, &column);
            line.push(asm.neg(part));
        }
        result.push(line);
    }
    for (forced, small) in forced.into_iter().zip(small) {
        result.push(forced.into_iter().chain(small).collect());
    }
    (result, guard)
}

/// The inverse of a small matrix by Gauss and Jordan, with pivots that are not zero as code. The guard becomes negative
/// where a pivot is small relative to the given sizes of the rows.
fn inverted(
    asm: &mut Assembler,
    mut m: Vec<Vec<Value>>,
    sizes: &[Value],
    guard: &mut Value,
) -> Vec<Vec<Value>> {
    let c = m.len();
    let (zero, one) = (asm.number(0.0), asm.number(1.0));
    let unit = |a: usize| (0..c).map(move |b| if a == b { one } else { zero });
    for (a, row) in m.iter_mut().enumerate() {
        row.extend(unit(a));
    }
    let mut sizes = sizes.to_vec();
    for k in 0..c {
        if let Some(p) = (k..c).find(|&i| !asm.is_zero(m[i][k])) {
            m.swap(k, p);
            sizes.swap(k, p);
        }
        let pivot = m[k][k];
        let (large, least) = (asm.abs(pivot), asm.scale(sizes[k], SMALLEST_PIVOT));
        let part = asm.sub(large, least);
        *guard = asm.least(part, *guard);
        let over = asm.div(one, pivot);
        for v in &mut m[k] {
            *v = asm.mul(*v, over);
        }
        for i in (0..c).filter(|&i| i != k) {
            let factor = m[i][k];
            if asm.is_zero(factor) {
                continue;
            }
            for j in 0..2 * c {
                let t = asm.mul(factor, m[k][j]);
                m[i][j] = asm.sub(m[i][j], t);
            }
        }
    }
    m.into_iter().map(|row| row[c..].to_vec()).collect()
}
