//! The nodes of a set of expressions, in an order of evaluation.

use std::collections::BinaryHeap;

use crate::expr::Expr;
use crate::node::{Ix, Tag};
use crate::pool::Pool;

/// The nodes reachable from some roots, children before parents.
///
/// Children have smaller indices than their parents, so the order is that of the indices and
/// no stack is needed, however deep the graph. Number nodes that serve as coefficients and
/// exponents are not listed unless they also occur as operands.
pub(crate) struct Plan {
    nodes: Vec<Ix>,
    /// Which nodes there are, with a bit for each node of the pool; `None` for few nodes of a large pool, which are
    /// searched.
    marks: Option<Marks>,
}

/// A set of nodes as bits.
struct Marks {
    bits: Vec<u64>,
    /// Number of bits set before each word.
    before: Vec<u32>,
}

/// Operands that are collected by a search per 64 nodes of the pool, before bits are faster.
const SEARCHED_PER_WORD: f64 = 0.06;

impl Plan {
    pub(crate) fn new(pool: &Pool, roots: &[Ix]) -> Self {
        Self::filtered(pool, roots, u64::MAX)
    }

    /// The plan of some roots without the integrands of integrals.
    pub(crate) fn outside_integrals(pool: &Pool, roots: &[Ix]) -> Self {
        Self::build(pool, roots, u64::MAX, true)
    }

    /// The plan of some roots restricted to nodes whose mask meets `mask` (all nodes for `u64::MAX`).
    pub(crate) fn filtered(pool: &Pool, roots: &[Ix], mask: u64) -> Self {
        Self::build(pool, roots, mask, false)
    }

    fn build(pool: &Pool, roots: &[Ix], mask: u64, stop: bool) -> Self {
        let words = roots.iter().max().map_or(0, |&r| r as usize / 64 + 1);
        let wanted = |ix: Ix| mask == u64::MAX || pool.node(ix).mask() & mask != 0;
        if let Some(nodes) = Self::few(pool, roots, (words, stop), &wanted) {
            return Self { nodes, marks: None };
        }
        let mut marks = vec![0u64; words];
        for &r in roots {
            if wanted(r) {
                marks[r as usize / 64] |= 1 << (r % 64);
            }
        }
        let mut count = 0;
        for k in (0..words).rev() {
            // Marks set inside the word while it is worked through lie below the current bit.
            let mut done = 0u64;
            while marks[k] & !done != 0 {
                let bit = 63 - (marks[k] & !done).leading_zeros();
                done |= u64::MAX << bit;
                count += 1;
                let node = pool.node(k as u32 * 64 + bit);
                if stop && node.tag == Tag::Integral {
                    continue;
                }
                for w in pool.words(&node) {
                    if wanted(w.child) {
                        marks[w.child as usize / 64] |= 1 << (w.child % 64);
                    }
                }
            }
        }
        let mut nodes = Vec::with_capacity(count);
        let mut before = Vec::with_capacity(words);
        for (k, &word) in marks.iter().enumerate() {
            before.push(nodes.len() as u32);
            let mut rest = word;
            while rest != 0 {
                nodes.push(k as u32 * 64 + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
        let bits = marks;
        Self {
            nodes,
            marks: Some(Marks { bits, before }),
        }
    }

    /// The nodes, if they are few compared with the pool: then they are found without touching the rest of it.
    fn few(
        pool: &Pool,
        roots: &[Ix],
        (words, stop): (usize, bool),
        wanted: &impl Fn(Ix) -> bool,
    ) -> Option<Vec<Ix>> {
        let most = (words as f64 * SEARCHED_PER_WORD) as usize;
        if roots.len() > most {
            return None;
        }
        let mut open: BinaryHeap<Ix> = roots.iter().copied().filter(|&r| wanted(r)).collect();
        let mut nodes: Vec<Ix> = Vec::new();
        let mut looked_at = 0;
        while let Some(ix) = open.pop() {
            if nodes.last() == Some(&ix) {
                continue;
            }
            nodes.push(ix);
            let node = pool.node(ix);
            if stop && node.tag == Tag::Integral {
                continue;
            }
            looked_at += 1 + node.operands() as usize;
            if looked_at > most {
                return None;
            }
            open.extend(pool.words(&node).map(|w| w.child).filter(|&c| wanted(c)));
        }
        nodes.reverse();
        Some(nodes)
    }

    /// The number of steps on the longest way down from any node.
    pub(crate) fn depth(&self, pool: &Pool) -> usize {
        let mut depth = vec![0usize; self.nodes.len()];
        for (k, &ix) in self.nodes.iter().enumerate() {
            let node = pool.node(ix);
            let below = pool.words(&node).map(|w| depth[self.position(w.child)] + 1);
            depth[k] = below.max().unwrap_or(0);
        }
        depth.into_iter().max().unwrap_or(0)
    }

    /// The nodes, children first.
    pub(crate) fn nodes(&self) -> &[Ix] {
        &self.nodes
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The position of a node in [`Plan::nodes`], if it is there.
    pub(crate) fn find(&self, ix: Ix) -> Option<usize> {
        let Some(marks) = &self.marks else {
            return self.nodes.binary_search(&ix).ok();
        };
        let word = *marks.bits.get(ix as usize / 64)?;
        let bit = 1u64 << (ix % 64);
        (word & bit != 0)
            .then(|| (marks.before[ix as usize / 64] + (word & (bit - 1)).count_ones()) as usize)
    }

    /// The position of a node known to be in the plan.
    pub(crate) fn position(&self, ix: Ix) -> usize {
        self.find(ix).expect("a node of the plan")
    }
}

impl Expr<'_> {
    /// The number of different nodes of the expression: its size as a graph.
    pub fn node_count(self) -> usize {
        Plan::new(self.pool(), &[self.ix()]).len()
    }

    /// The symbols that occur, in the canonical order.
    pub fn symbols(self) -> Vec<Self> {
        crate::evaluate::Program::of(self.pool(), &[self.ix()])
            .inputs
            .iter()
            .map(|&ix| Expr::new(self.pool(), ix))
            .collect()
    }
}
