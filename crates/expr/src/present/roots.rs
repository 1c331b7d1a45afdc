//! Powers of roots that cancel: a for (√a)².

use crate::expr::Expr;
use crate::node::{Ix, Tag, Word};
use crate::number::Rational;
use crate::plan::Plan;
use crate::pool::Pool;
use crate::substitute::rebuild;

impl<'p> Expr<'p> {
    /// The expression with aⁿ for powers of roots that are integer powers of the radicand. The result may be
    /// defined where the expression is not.
    pub(super) fn without_powers_of_roots(self) -> Self {
        let pool = self.pool();
        let plan = Plan::new(pool, &[self.ix()]);
        let mut values: Vec<Ix> = Vec::with_capacity(plan.len());
        for &ix in plan.nodes() {
            let node = pool.node(ix);
            let image = |old: Ix| values[plan.position(old)];
            let words: Vec<Word> = pool.words(&node).collect();
            let whole: Vec<Option<(Ix, Rational)>> = match node.tag {
                Tag::Product => words.iter().map(|w| whole_power(pool, w)).collect(),
                _ => Vec::new(),
            };
            let mut b = pool.builder();
            if whole.iter().all(Option::is_none) {
                let value = rebuild(&mut b, ix, &node, image);
                values.push(value);
                continue;
            }
            let mut factors = Vec::with_capacity(words.len());
            for (w, whole) in words.iter().zip(whole) {
                factors.push(match whole {
                    Some((radicand, n)) => {
                        let n = b.number(&n);
                        b.pow(image(radicand), n)
                    }
                    None => b.pow(image(w.child), w.attr),
                });
            }
            let value = b.product(factors);
            values.push(value);
        }
        Self::new(pool, values[plan.position(self.ix())])
    }
}

/// a and n if a factor is (a^(k/d))^m with integers m and n = mk/d.
fn whole_power(pool: &Pool, factor: &Word) -> Option<(Ix, Rational)> {
    let root = pool.node(factor.child);
    if root.tag != Tag::Product || root.operands() != 1 {
        return None;
    }
    let inner = pool.word(&root, 0);
    let m = pool.rational(factor.attr);
    let n = &pool.rational(inner.attr) * &m;
    (m.is_integer() && n.is_integer()).then_some((inner.child, n))
}
