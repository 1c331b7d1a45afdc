//! Expressions and their text depend on the mathematics, not on the order of creation.

use galilei_expr::{Expr, Notation, Pool};
use proptest::prelude::*;

use crate::draw::Menu;
use crate::law::{Law, cases, hold, trees};
use crate::tree::{SYMBOLS, Tree};

/// A way to build a tree in a pool.
type Build = for<'p> fn(&Tree, &'p Pool) -> Expr<'p>;

/// A pool in which other symbols, the same symbols in another order, and other expressions came
/// first.
fn used() -> Pool {
    let pool = Pool::new();
    let strangers = pool.symbols(["zeta", "a", "x_1", "xx", "c1", "c2"]);
    for k in 0..100 {
        pool.symbol(&format!("q{k}"));
    }
    for name in SYMBOLS.iter().rev() {
        let s = pool.symbol(name);
        let _ = (s * strangers[1]).sin() + strangers[0] / s;
    }
    pool.function("g");
    pool.function("f");
    pool
}

/// Both pools print the same text and count the same nodes.
fn independent(first: Build, second: Build, tree: &Tree) -> Law {
    let (fresh, used) = (Pool::new(), used());
    let (a, b) = (first(tree, &fresh), second(tree, &used));
    if a.node_count() != b.node_count() {
        return Err(format!(
            "{a} has {} nodes, {b} has {}",
            a.node_count(),
            b.node_count()
        ));
    }
    for notation in [Notation::Model, Notation::Unicode] {
        let (s, t) = (fresh.print(&[a], notation), used.print(&[b], notation));
        if s != t {
            return Err(format!("{s:?} became {t:?}"));
        }
    }
    let x = |pool| Pool::symbol(pool, "x");
    let (s, t) = (a.diff(x(&fresh)).to_string(), b.diff(x(&used)).to_string());
    if s != t {
        return Err(format!("the derivative {s} became {t}"));
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn text_does_not_depend_on_age(t in trees(Menu::ALL, 4)) {
        hold(independent(|t, p| t.build(p), |t, p| t.build_backwards(p), &t))?;
    }
}

/// A large graph, its parts created from the bottom or from the top of a list.
fn large(pool: &Pool, backwards: bool) -> Expr<'_> {
    let [x, y] = pool.symbols(["x", "y"]);
    let mut parts: Vec<i32> = (0..24).collect();
    if backwards {
        parts.reverse();
    }
    let mut made: Vec<(i32, Expr<'_>)> = parts
        .into_iter()
        .map(|k| (k, (1..12).fold(x + k, |e, j| (e * e + j * y).sin() + e)))
        .collect();
    made.sort_by_key(|m| m.0);
    pool.sum(made.iter().zip(made.iter().skip(1)).map(|(a, b)| a.1 * b.1))
}

/// Names of shared parts depend on the mathematics alone.
#[test]
fn names_do_not_depend_on_the_order_of_creation() {
    let (fresh, used) = (Pool::new(), Pool::new());
    used.symbols(["y", "b", "x"]);
    let (a, b) = (large(&fresh, false), large(&used, true));
    let printed = fresh.print(&[a], Notation::Model);
    assert!(!printed.shared.is_empty());
    assert!(
        printed == used.print(&[b], Notation::Model),
        "the texts differ"
    );
}

/// A symbol of the pool that does not occur in the expression does not change its names.
#[test]
fn names_avoid_only_symbols_that_occur() {
    let (fresh, used) = (Pool::new(), Pool::new());
    used.symbols(["c1", "c2"]);
    let (a, b) = (large(&fresh, false), large(&used, false));
    let (s, t) = (
        fresh.print(&[a], Notation::Model),
        used.print(&[b], Notation::Model),
    );
    assert!(s == t, "{:?} became {:?}", s.shared[0].0, t.shared[0].0);
}

#[test]
fn broken_orders_are_noticed() {
    // Operands by creation order: the one created last comes first in a power, which does not commute.
    let by_age: Build = |t, p| {
        let parts: Vec<Expr<'_>> = t.children().iter().rev().map(|c| c.build(p)).collect();
        parts
            .into_iter()
            .reduce(|a, b| a.pow(b))
            .unwrap_or(p.zero())
    };
    let honest: Build = |t, p| {
        let parts: Vec<Expr<'_>> = t.children().iter().map(|c| c.build(p)).collect();
        parts
            .into_iter()
            .reduce(|a, b| a.pow(b))
            .unwrap_or(p.zero())
    };
    let tree = Tree::Symbol(0).plus(Tree::Symbol(1));
    assert!(independent(honest, honest, &tree).is_ok());
    assert!(independent(honest, by_age, &tree).is_err());
}
