//! The canonical order of operands: by structure, never by creation order or address.
//!
//! Numbers come first, then symbols by name, then everything else by structural hash, with a
//! comparison of the structures themselves where hashes coincide.

use std::cmp::Ordering;

use crate::node::{Ix, ONE, Tag};
use crate::pool::Pool;

/// The sort key of a node; different nodes may share one.
pub(crate) fn key(pool: &Pool, ix: Ix) -> u64 {
    if ix == ONE {
        return 0;
    }
    let node = pool.node(ix);
    match node.tag {
        Tag::Small | Tag::Big => node.hash >> 2 | 1,
        Tag::Symbol | Tag::FunctionName => node.data,
        _ => 1 << 63 | node.hash >> 1,
    }
}

/// The canonical order of two nodes: total, and the same on every machine.
pub(crate) fn compare(pool: &Pool, a: Ix, b: Ix) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    key(pool, a)
        .cmp(&key(pool, b))
        .then_with(|| tie(pool, a, b))
}

/// Compares the structures of two different nodes whose keys coincide.
fn tie(pool: &Pool, a: Ix, b: Ix) -> Ordering {
    let mut pending = vec![(a, b)];
    while let Some((a, b)) = pending.pop() {
        if a == b {
            continue;
        }
        let (m, n) = (pool.node(a), pool.node(b));
        let order = m.tag.cmp(&n.tag).then_with(|| match m.tag {
            Tag::Symbol | Tag::FunctionName => pool.name(&m).cmp(pool.name(&n)),
            Tag::Small | Tag::Big => pool.rational(a).cmp(&pool.rational(b)),
            _ => m.hash.cmp(&n.hash).then(m.len.cmp(&n.len)),
        });
        if order != Ordering::Equal {
            return order;
        }
        let numbered = matches!(m.tag, Tag::Sum | Tag::Product);
        let mut inner = Vec::with_capacity(2 * m.len as usize);
        for (v, w) in pool.words(&m).zip(pool.words(&n)) {
            inner.push((v.child, w.child));
            if numbered {
                inner.push((v.attr, w.attr));
            } else if v.attr != w.attr {
                return v.attr.cmp(&w.attr);
            }
        }
        inner.reverse();
        pending.extend(inner);
    }
    Ordering::Equal
}
