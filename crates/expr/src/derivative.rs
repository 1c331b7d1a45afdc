//! Derivatives: forward over the graph for one symbol, backward for a gradient.
//!
//! Both visit each node once and skip what cannot depend on the symbol, so a derivative is
//! about as large as what is differentiated, however often parts of it are shared.

use std::collections::HashMap;

use crate::build::Builder;
use crate::expr::Expr;
use crate::function::Function;
use crate::node::{HALF, Ix, MINUS_ONE, Node, ONE, Tag, UNDEFINED, Word, ZERO};
use crate::plan::Plan;
use crate::pool::Pool;

impl<'p> Expr<'p> {
    /// The partial derivative with respect to a symbol.
    ///
    /// The derivative of `abs`, `sign`, `min`, `max` and conditions is the one away from their kinks.
    ///
    /// # Panics
    /// If `symbol` is not a symbol.
    pub fn diff(self, symbol: Expr<'p>) -> Self {
        let s = symbol_index(self, symbol);
        let mut b = self.pool().builder();
        let ix = forward(&mut b, &[self.ix()], &[(s, ONE)])[0];
        Self::new(self.pool(), ix)
    }

    /// The partial derivatives with respect to several symbols, computed together: the work is
    /// that of a few evaluations, not one per symbol.
    pub fn gradient(self, symbols: &[Expr<'p>]) -> Vec<Self> {
        let s: Vec<Ix> = symbols.iter().map(|&s| symbol_index(self, s)).collect();
        let mut b = self.pool().builder();
        let all = backward(&mut b, self.ix(), &s);
        drop(b);
        all.into_iter()
            .map(|ix| Self::new(self.pool(), ix))
            .collect()
    }

    /// The symmetric matrix of second derivatives.
    pub fn hessian(self, symbols: &[Expr<'p>]) -> Vec<Vec<Self>> {
        let s: Vec<Ix> = symbols.iter().map(|&s| symbol_index(self, s)).collect();
        let mut b = self.pool().builder();
        let gradient = backward(&mut b, self.ix(), &s);
        let n = s.len();
        let mut rows = vec![vec![self; n]; n];
        let mut pass = Forward::new(self.pool(), &gradient, &s);
        for j in 0..n {
            // Row i of column j for i ≥ j; the rest by symmetry.
            pass.run(&mut b, s[j], &gradient[j..]);
            for i in j..n {
                let entry = Self::new(self.pool(), pass.value(gradient[i]));
                rows[i][j] = entry;
                rows[j][i] = entry;
            }
        }
        rows
    }

    /// The derivative along given rates: Σ rateₖ·∂self/∂symbolₖ.
    ///
    /// With (t, 1), (x, u), (u, a) it is the total time derivative along a motion.
    pub fn derivative_along(self, rates: &[(Expr<'p>, Expr<'p>)]) -> Self {
        let rates: Vec<(Ix, Ix)> = rates
            .iter()
            .map(|&(s, r)| (symbol_index(self, s), self.same_pool(r)))
            .collect();
        let mut b = self.pool().builder();
        let ix = forward(&mut b, &[self.ix()], &rates)[0];
        Self::new(self.pool(), ix)
    }

    /// Whether the symbol occurs in the expression.
    pub fn contains(self, symbol: Expr<'p>) -> bool {
        let s = self.same_pool(symbol);
        let mask = self.pool().node(s).mask();
        Plan::filtered(
            self.pool(),
            &[self.ix()],
            if mask == 0 { u64::MAX } else { mask },
        )
        .find(s)
        .is_some()
    }

    /// Whether any of the symbols occurs in the expression.
    pub fn contains_any(self, symbols: &[Expr<'p>]) -> bool {
        let list: Vec<Ix> = symbols.iter().map(|&s| self.same_pool(s)).collect();
        let pool = self.pool();
        let mask = list.iter().fold(0, |m, &s| m | pool.node(s).mask());
        if pool.node(self.ix()).mask() & mask == 0 {
            return false;
        }
        let plan = Plan::filtered(pool, &[self.ix()], mask);
        list.into_iter().any(|s| plan.find(s).is_some())
    }
}

/// Many symbols with their places, for questions about expressions in which few of them occur.
///
/// ```
/// use galilei_expr::{Pool, Variables};
/// let pool = Pool::new();
/// let [x, y, z] = pool.symbols(["x", "y", "z"]);
/// let variables = Variables::new(&[x, y, z]);
/// assert_eq!(variables.slopes(y * z), [(1, z), (2, y)]);
/// assert!(!variables.occur_in(pool.symbol("m")));
/// ```
#[derive(Clone, Debug)]
pub struct Variables<'p> {
    list: Vec<Expr<'p>>,
    places: HashMap<Ix, usize>,
    mask: u64,
}

impl<'p> Variables<'p> {
    /// The symbols of a list, by their places in it.
    ///
    /// # Panics
    /// If an expression of the list is not a symbol.
    pub fn new(list: &[Expr<'p>]) -> Self {
        let place = |(k, &s): (usize, &Expr<'p>)| (symbol_index(s, s), k);
        Self {
            list: list.to_vec(),
            places: list.iter().enumerate().map(place).collect(),
            mask: list.iter().fold(0, |m, s| m | s.pool().node(s.ix()).mask()),
        }
    }

    /// The places of the symbols among the nodes of a plan, in order.
    fn places_in(&self, pool: &Pool, plan: &Plan) -> Vec<usize> {
        let symbols = plan
            .nodes()
            .iter()
            .filter(|&&ix| pool.node(ix).tag == Tag::Symbol);
        let mut found: Vec<usize> = symbols
            .filter_map(|ix| self.places.get(ix).copied())
            .collect();
        found.sort_unstable();
        found
    }

    fn found_in(&self, e: Expr<'p>) -> Vec<usize> {
        let pool = e.pool();
        match pool.node(e.ix()).mask() & self.mask {
            0 => vec![],
            _ => self.places_in(pool, &Plan::filtered(pool, &[e.ix()], self.mask)),
        }
    }

    /// Whether any of the symbols occurs in an expression.
    pub fn occur_in(&self, e: Expr<'p>) -> bool {
        !self.found_in(e).is_empty()
    }

    /// The symbols that occur in an expression, in the order of the list.
    pub fn occurring(&self, e: Expr<'p>) -> Vec<Expr<'p>> {
        self.found_in(e).into_iter().map(|k| self.list[k]).collect()
    }

    /// The partial derivatives that are not zero, each with the place of its symbol, in the order of the list.
    pub fn slopes(&self, e: Expr<'p>) -> Vec<(usize, Expr<'p>)> {
        let places = self.found_in(e);
        let symbols: Vec<Ix> = places.iter().map(|&k| self.list[k].ix()).collect();
        if symbols.is_empty() && e.ix() != UNDEFINED {
            return vec![];
        }
        let mut b = e.pool().builder();
        let slopes = backward(&mut b, e.ix(), &symbols);
        drop(b);
        let pairs = places.into_iter().zip(slopes).filter(|s| s.1 != ZERO);
        pairs.map(|(k, ix)| (k, Expr::new(e.pool(), ix))).collect()
    }
}

impl Pool {
    /// The matrix ∂fᵢ/∂xⱼ.
    pub fn jacobian<'p>(
        &'p self,
        functions: &[Expr<'p>],
        symbols: &[Expr<'p>],
    ) -> Vec<Vec<Expr<'p>>> {
        let here = Expr::new(self, ZERO);
        let f = self.indices(functions.iter().copied());
        let s: Vec<Ix> = symbols.iter().map(|&s| symbol_index(here, s)).collect();
        let mut rows = vec![vec![here; s.len()]; f.len()];
        let mut b = self.builder();
        let mut pass = Forward::new(self, &f, &s);
        for (j, &symbol) in s.iter().enumerate() {
            pass.run(&mut b, symbol, &f);
            for (i, &function) in f.iter().enumerate() {
                rows[i][j] = Expr::new(self, pass.value(function));
            }
        }
        rows
    }
}

fn symbol_index<'p>(e: Expr<'p>, symbol: Expr<'p>) -> Ix {
    let s = e.same_pool(symbol);
    assert!(
        e.pool().node(s).tag == Tag::Symbol,
        "{symbol} is not a symbol: one differentiates with respect to symbols"
    );
    s
}

/// Derivatives of `roots` along the rates of some symbols.
fn forward(b: &mut Builder<'_>, roots: &[Ix], rates: &[(Ix, Ix)]) -> Vec<Ix> {
    let symbols: Vec<Ix> = rates.iter().map(|&(s, _)| s).collect();
    let mut pass = Forward::new(b.pool, roots, &symbols);
    pass.run_along(b, rates, roots);
    roots.iter().map(|&r| pass.value(r)).collect()
}

/// The derivatives of one set of nodes with respect to one symbol after the other.
struct Forward {
    plan: Plan,
    nodes: Vec<Node>,
    masks: Vec<u64>,
    values: Vec<Ix>,
}

impl Forward {
    fn new(pool: &Pool, roots: &[Ix], symbols: &[Ix]) -> Self {
        let mask = symbols.iter().fold(0, |m, &s| m | pool.node(s).mask());
        let plan = Plan::filtered(pool, roots, mask);
        let nodes: Vec<Node> = plan.nodes().iter().map(|&ix| pool.node(ix)).collect();
        Self {
            masks: nodes.iter().map(Node::mask).collect(),
            values: vec![ZERO; plan.len()],
            nodes,
            plan,
        }
    }

    fn run(&mut self, b: &mut Builder<'_>, symbol: Ix, roots: &[Ix]) {
        self.run_along(b, &[(symbol, ONE)], roots);
    }

    /// Fills in the derivatives of every node up to the last of `roots`.
    fn run_along(&mut self, b: &mut Builder<'_>, rates: &[(Ix, Ix)], roots: &[Ix]) {
        let mask = rates.iter().fold(0, |m, &(s, _)| m | b.node(s).mask());
        let end = roots
            .iter()
            .filter_map(|&r| self.plan.find(r))
            .max()
            .map_or(0, |p| p + 1);
        for k in 0..end {
            self.values[k] = if self.masks[k] & mask == 0 {
                ZERO
            } else if self.nodes[k].tag == Tag::Symbol {
                let ix = self.plan.nodes()[k];
                let all = rates.iter().filter(|(s, _)| *s == ix);
                all.fold(ZERO, |sum, &(_, rate)| b.add(sum, rate))
            } else {
                self.node(b, k)
            };
        }
    }

    fn value(&self, ix: Ix) -> Ix {
        if ix == UNDEFINED {
            return UNDEFINED;
        }
        self.plan.find(ix).map_or(ZERO, |p| self.values[p])
    }

    /// Chain rule: Σ over operands of (∂node/∂operand)·(derivative of the operand).
    fn node(&self, b: &mut Builder<'_>, k: usize) -> Ix {
        let (ix, node) = (self.plan.nodes()[k], &self.nodes[k]);
        if node.tag == Tag::If {
            let [a, c, then, otherwise] = operands(b, node);
            let (dt, de) = (self.value(then.child), self.value(otherwise.child));
            let comparison = crate::node::Comparison::from_attr(a.attr);
            return b.conditional(comparison, a.child, c.child, dt, de);
        }
        if node.tag == Tag::Integral {
            let [variable, integrand] = operands(b, node);
            return b.integral(variable.child, self.value(integrand.child));
        }
        let mut terms: Vec<(Ix, Ix)> = Vec::new();
        let pool = b.pool;
        for (slot, w) in pool.words(node).enumerate() {
            let inner = self.value(w.child);
            if inner == ZERO {
                continue;
            }
            if node.tag == Tag::Sum {
                terms.push((w.attr, inner));
                continue;
            }
            let outer = partial(b, ix, node, slot, w);
            terms.push((ONE, b.mul(outer, inner)));
        }
        match *terms.as_slice() {
            [] => ZERO,
            [(c, t)] => b.scale(c, t),
            [(c, t), (d, s)] => b.linear(c, t, d, s),
            _ => b.sum(terms),
        }
    }
}

fn operands<const N: usize>(b: &Builder<'_>, node: &Node) -> [Word; N] {
    std::array::from_fn(|k| b.pool.word(node, k))
}

/// The derivative of a node with respect to its operand number `slot`. Not for sums and
/// conditions.
fn partial(b: &mut Builder<'_>, ix: Ix, node: &Node, slot: usize, w: Word) -> Ix {
    match node.tag {
        Tag::Product => {
            // ∂/∂b (b^q·rest) = q·b^(q−1)·rest = q·node/b
            if w.attr == ONE && node.len == 2 {
                let other = b.pool.word(node, 1 - slot);
                return b.pow(other.child, other.attr);
            }
            let mut parts = Vec::with_capacity(node.len as usize);
            let words: Vec<Word> = b.pool.words(node).collect();
            for (k, v) in words.into_iter().enumerate() {
                let exponent = if k == slot {
                    b.add(v.attr, MINUS_ONE)
                } else {
                    v.attr
                };
                parts.push(b.pow(v.child, exponent));
            }
            let rest = match *parts.as_slice() {
                [p] => p,
                [p, q] => b.mul(p, q),
                _ => b.product(parts),
            };
            b.mul(w.attr, rest)
        }
        Tag::Undetermined => {
            let words: Vec<Word> = b.pool.words(node).collect();
            let mut orders: Vec<u32> = words[1..].iter().map(|w| w.attr).collect();
            let arguments: Vec<Ix> = words[1..].iter().map(|w| w.child).collect();
            orders[slot - 1] += 1;
            b.undetermined(words[0].child, &orders, &arguments)
        }
        Tag::Call(f) => derivative_of(b, f, ix, node, slot),
        _ => UNDEFINED,
    }
}

/// The derivative of an elementary function in its argument number `slot`.
fn derivative_of(b: &mut Builder<'_>, f: Function, ix: Ix, node: &Node, slot: usize) -> Ix {
    let x = b.pool.word(node, 0).child;
    match f {
        Function::Sin => b.call(Function::Cos, &[x]),
        Function::Cos => {
            let sin = b.call(Function::Sin, &[x]);
            b.neg(sin)
        }
        Function::Tan => {
            let square = b.square(ix);
            b.add(ONE, square)
        }
        Function::Asin | Function::Acos => {
            // ±1/√(1 − x²)
            let square = b.square(x);
            let rest = b.sub(ONE, square);
            let exponent = b.mul(MINUS_ONE, HALF);
            let root = b.pow(rest, exponent);
            if f == Function::Asin {
                root
            } else {
                b.neg(root)
            }
        }
        Function::Atan => {
            let square = b.square(x);
            let sum = b.add(ONE, square);
            b.pow(sum, MINUS_ONE)
        }
        Function::Sinh => b.call(Function::Cosh, &[x]),
        Function::Cosh => b.call(Function::Sinh, &[x]),
        Function::Tanh => {
            let square = b.square(ix);
            b.sub(ONE, square)
        }
        Function::Exp => ix,
        Function::Log => b.pow(x, MINUS_ONE),
        Function::Abs => b.call(Function::Sign, &[x]),
        Function::Sign => ZERO,
        Function::Atan2 => {
            // θ = atan2(y, x): ∂θ/∂y = x/(x² + y²), ∂θ/∂x = −y/(x² + y²)
            let (y, x) = (x, b.pool.word(node, 1).child);
            let (y2, x2) = (b.square(y), b.square(x));
            let sum = b.add(x2, y2);
            let inverse = b.pow(sum, MINUS_ONE);
            if slot == 0 {
                b.mul(x, inverse)
            } else {
                let v = b.mul(y, inverse);
                b.neg(v)
            }
        }
        Function::Min | Function::Max => {
            // ½(1 ± sign(a − b)): the derivative of ½(a + b ∓ |a − b|)
            let (first, second) = (x, b.pool.word(node, 1).child);
            let difference = b.sub(first, second);
            let sign = b.call(Function::Sign, &[difference]);
            let positive = (f == Function::Max) == (slot == 0);
            let half_sign = b.scale(HALF, sign);
            if positive {
                b.add(HALF, half_sign)
            } else {
                b.sub(HALF, half_sign)
            }
        }
    }
}

/// The gradient of `root`, by going from the root to the symbols once.
fn backward(b: &mut Builder<'_>, root: Ix, symbols: &[Ix]) -> Vec<Ix> {
    if root == UNDEFINED {
        return vec![UNDEFINED; symbols.len()];
    }
    let pool = b.pool;
    let mask = symbols.iter().fold(0, |m, &s| m | pool.node(s).mask());
    let plan = Plan::filtered(pool, &[root], mask);
    // Adjoint of each node: a list of (coefficient, factor) whose sum is ∂root/∂node.
    let mut adjoints: Vec<Vec<(Ix, Ix)>> = vec![Vec::new(); plan.len()];
    if let Some(last) = adjoints.last_mut() {
        last.push((ONE, ONE));
    }
    let mut found = vec![ZERO; plan.len()];
    for k in (0..plan.len()).rev() {
        let ix = plan.nodes()[k];
        let contributions = std::mem::take(&mut adjoints[k]);
        let node = pool.node(ix);
        // A single contribution keeps its coefficient apart: no sum is scaled on the way.
        let (c, adjoint) = match *contributions.as_slice() {
            [] => continue,
            [one] => one,
            [(c, s), (d, t)] => (ONE, b.linear(c, s, d, t)),
            _ => (ONE, b.sum(contributions)),
        };
        if adjoint == ZERO {
            continue;
        }
        match node.tag {
            Tag::Symbol => found[k] = b.scale(c, adjoint),
            Tag::Sum => {
                for w in pool.words(&node) {
                    if let Some(p) = plan.find(w.child) {
                        adjoints[p].push(scaled(b, c, w.attr, adjoint));
                    }
                }
            }
            Tag::Integral | Tag::If => {
                // Under the integral sign, and branch by branch: a branch that is not taken need
                // not be defined. Symbol by symbol.
                for &s in symbols {
                    let Some(p) = plan.find(s) else { continue };
                    let inner = forward(b, &[ix], &[(s, ONE)])[0];
                    let product = b.mul(adjoint, inner);
                    adjoints[p].push((c, product));
                }
            }
            _ => {
                for (slot, w) in pool.words(&node).enumerate() {
                    let Some(p) = plan.find(w.child) else {
                        continue;
                    };
                    let outer = partial(b, ix, &node, slot, w);
                    let (d, outer) = split_number(b, outer);
                    let product = b.mul(adjoint, outer);
                    adjoints[p].push(scaled(b, c, d, product));
                }
            }
        }
    }
    symbols
        .iter()
        .map(|&s| plan.find(s).map_or(ZERO, |p| found[p]))
        .collect()
}

/// c·d·e as a coefficient and a factor. Numbers whose product is too large to be written out are factors.
fn scaled(b: &mut Builder<'_>, c: Ix, d: Ix, e: Ix) -> (Ix, Ix) {
    let coefficient = b.mul(c, d);
    if b.node(coefficient).is_number() {
        return (coefficient, e);
    }
    (ONE, b.mul(coefficient, e))
}

/// c·rest for a single scaled term.
fn split_number(b: &Builder<'_>, a: Ix) -> (Ix, Ix) {
    let node = b.node(a);
    if node.tag == Tag::Sum && node.len == 1 {
        let w = b.pool.word(&node, 0);
        return (w.attr, w.child);
    }
    (ONE, a)
}
