//! Substitution: simultaneous, and compatible with differentiation.

use galilei_expr::{Expr, Pool, UndeterminedFunction};
use proptest::prelude::*;

use crate::draw::Menu;
use crate::law::{Law, cases, hold, not_refuted, proved, same, trees};
use crate::tree::Tree;

type E<'p> = Expr<'p>;
type Equal = for<'p> fn(&str, E<'p>, E<'p>) -> Law;
type Substitute = for<'p> fn(E<'p>, &[(E<'p>, E<'p>)]) -> E<'p>;
type Replace = for<'p> fn(E<'p>, UndeterminedFunction<'p>, E<'p>, E<'p>) -> E<'p>;

const OURS: Substitute = |e, pairs| e.substitute(pairs);
const FUNCTION: Replace = |e, f, parameter, body| e.substitute_function(f, &[parameter], body);

/// Substitution of one symbol after the other, each in the result of the one before.
const SEQUENTIAL: Substitute = |e, pairs| pairs.iter().fold(e, |e, pair| e.substitute(&[*pair]));

/// Exchanging x and y twice changes nothing.
fn simultaneous<'p>(substitute: Substitute, equal: Equal, e: E<'p>, [x, y]: [E<'p>; 2]) -> Law {
    let swap = [(x, y), (y, x)];
    equal("swapped twice", substitute(substitute(e, &swap), &swap), e)
}

/// Substituting in the expression is building it from the substituted text.
fn textual(substitute: Substitute, equal: Equal, pool: &Pool, t: &[Tree; 3]) -> Law {
    let [x, y] = pool.symbols(["x", "y"]);
    let [e, a, b] = [0, 1, 2].map(|k: usize| t[k].build(pool));
    let written = replaced(&t[0], &[&t[1], &t[2]]).build(pool);
    equal(
        "substituted text",
        substitute(e, &[(x, a), (y, b)]),
        written,
    )
}

/// The tree with symbol number k replaced by `images[k]`.
fn replaced(tree: &Tree, images: &[&Tree]) -> Tree {
    if let Tree::Symbol(k) = tree {
        return images.get(*k).map_or(tree.clone(), |&image| image.clone());
    }
    let mut result = tree.clone();
    for child in result.children_mut() {
        *child = replaced(child, images);
    }
    result
}

/// ∂/∂z of e(a, b, z) = e₁·∂a/∂z + e₂·∂b/∂z + e₃, all at (a, b, z).
fn differentiable<'p>(substitute: Substitute, equal: Equal, [e, a, b]: [E<'p>; 3]) -> Law {
    let [x, y, z] = e.pool().symbols(["x", "y", "z"]);
    let at = |e: E<'p>| substitute(e, &[(x, a), (y, b)]);
    let rule = at(e.diff(x)) * a.diff(z) + at(e.diff(y)) * b.diff(z) + at(e.diff(z));
    equal("chain rule", at(e).diff(z), rule)
}

/// Replacing f by a body and differentiating, in either order.
fn replaceable<'p>(replace: Replace, equal: Equal, e: E<'p>, body: E<'p>) -> Law {
    let pool = e.pool();
    let f = pool.function("f");
    let [x, t] = pool.symbols(["x", "t"]);
    let with = |e: E<'p>| replace(e, f, t, body);
    equal("f := body, then ∂/∂x", with(e).diff(x), with(e.diff(x)))
}

/// Formulas in f, which a function of t replaces.
const WITH_F: Menu = Menu {
    undetermined: true,
    ..Menu::CIRCULAR
};
/// Bodies in t alone, which do not meet the other symbols.
fn bodies() -> impl Strategy<Value = Tree> {
    trees(
        Menu {
            symbols: 1,
            ..Menu::CIRCULAR
        },
        3,
    )
    .prop_map(|t| replaced(&t, &[&Tree::Symbol(3)]))
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn swapping_twice_gives_the_same_handle(t in trees(Menu::ALL, 4)) {
        let pool = Pool::new();
        let e = t.build(&pool);
        hold(simultaneous(OURS, same, e, pool.symbols(["x", "y"])))?;
    }

    #[test]
    fn substitution_in_rational_functions_is_proved(t in [trees(Menu::RATIONAL, 3), trees(Menu::RATIONAL, 2), trees(Menu::RATIONAL, 2)]) {
        let pool = Pool::new();
        let list = [0, 1, 2].map(|k: usize| t[k].build(&pool));
        hold(textual(OURS, proved, &pool, &t))?;
        hold(differentiable(OURS, proved, list))?;
    }

    #[test]
    fn functions_are_replaced_with_their_derivatives(e in trees(WITH_F, 4), body in bodies()) {
        let pool = Pool::new();
        hold(replaceable(FUNCTION, not_refuted, e.build(&pool), body.build(&pool)))?;
    }
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn no_substitution_is_refuted(t in [trees(Menu::ALL, 3), trees(Menu::ALL, 2), trees(Menu::ALL, 2)]) {
        let pool = Pool::new();
        let list = [0, 1, 2].map(|k: usize| t[k].build(&pool));
        hold(textual(OURS, not_refuted, &pool, &t))?;
        hold(differentiable(OURS, not_refuted, list))?;
    }
}

#[test]
fn any_node_can_be_replaced() {
    let pool = Pool::new();
    let [x, y, s] = pool.symbols(["x", "y", "s"]);
    let f = pool.function("f");
    let e = f.at([x]).diff(x) * x.sin() + x.sin().pow(2);
    same(
        "f′(x) → y, sin x → s",
        e.substitute(&[(f.at([x]).diff(x), y), (x.sin(), s)]),
        y * s + s.pow(2),
    )
    .unwrap();
    same("the first pair wins", x.substitute(&[(x, y), (x, s)]), y).unwrap();
    same("nothing to replace", e.substitute(&[(y, s)]), e).unwrap();
}

/// The constant term of a sum is a number, not an occurrence of 1.
#[test]
fn numbers_are_not_hidden_in_sums() {
    let pool = Pool::new();
    let [x, y] = pool.symbols(["x", "y"]);
    same(
        "x + 3 without a 1",
        (x + 3).substitute(&[(pool.one(), y)]),
        x + 3,
    )
    .unwrap();
}

/// A parameter may also occur in the arguments and in the rest of the formula.
#[test]
fn parameters_are_bound() {
    let pool = Pool::new();
    let [x, r] = pool.symbols(["x", "r"]);
    let (f, g) = (pool.function("f"), pool.function("g"));
    let e = f.at([r * x]) + r;
    same(
        "f(rx) + r, f(r) = r²",
        e.substitute_function(f, &[r], r.pow(2)),
        (r * x).pow(2) + r,
    )
    .unwrap();
    let nested = f.at([f.at([x])]);
    same(
        "f(f(x)), f(r) = r + 1",
        nested.substitute_function(f, &[r], r + 1),
        x + 2,
    )
    .unwrap();
    let mixed = g.partial(&[1, 2], [x, r * x]);
    let body = x.pow(2) * r.pow(3);
    same(
        "∂³(x²r³)",
        mixed.substitute_function(g, &[x, r], body),
        x * 12 * (r * x),
    )
    .unwrap();
}

#[test]
fn broken_substitutions_are_noticed() {
    let pool = Pool::new();
    let [x, y, z, t] = pool.symbols(["x", "y", "z", "t"]);
    let e = x.pow(2) + 3 * y;
    for equal in [same as Equal, proved, not_refuted] {
        assert!(simultaneous(OURS, equal, e, [x, y]).is_ok());
        assert!(simultaneous(SEQUENTIAL, equal, e, [x, y]).is_err());
        let written = [
            Tree::Symbol(0).times(Tree::int(2)).plus(Tree::Symbol(1)),
            Tree::Symbol(1),
            Tree::Symbol(0),
        ];
        assert!(textual(OURS, equal, &pool, &written).is_ok());
        assert!(textual(SEQUENTIAL, equal, &pool, &written).is_err());
        assert!(differentiable(OURS, proved, [e, y * z, x * z]).is_ok());
        assert!(differentiable(SEQUENTIAL, equal, [e, y * z, x * z]).is_err());
    }
    // Derivatives of f replaced by the body itself.
    let careless: Replace = |e, f, parameter, body| {
        let x = e.pool().symbol("x");
        let plain = e.substitute(&[(f.partial(&[1], [x]), f.at([x]))]);
        plain.substitute_function(f, &[parameter], body)
    };
    let e = pool.function("f").at([x]) * x;
    assert!(replaceable(FUNCTION, proved, e, t.pow(2)).is_ok());
    assert!(replaceable(careless, not_refuted, e, t.pow(2)).is_err());
}
