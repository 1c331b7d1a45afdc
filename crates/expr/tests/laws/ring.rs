//! Sums and products form a commutative ring.
//!
//! By handle where the constructors promise it: they flatten sums of up to five terms and products
//! of up to sixteen factors. Everywhere else by decision.

use galilei_expr::{Expr, Function, Pool};
use proptest::prelude::*;

use crate::draw::Menu;
use crate::law::{Law, cases, hold, not_refuted, proved, same, trees};
use crate::tree::Tree;

type E<'p> = Expr<'p>;

/// A comparison of two expressions.
type Equal = for<'p> fn(&str, E<'p>, E<'p>) -> Law;

/// The two operations.
struct Ring {
    add: for<'p> fn(E<'p>, E<'p>) -> E<'p>,
    mul: for<'p> fn(E<'p>, E<'p>) -> E<'p>,
}

const OURS: Ring = Ring {
    add: |a, b| a + b,
    mul: |a, b| a * b,
};

fn commutative<'p>(ring: &Ring, equal: Equal, a: E<'p>, b: E<'p>) -> Law {
    equal("a + b = b + a", (ring.add)(a, b), (ring.add)(b, a))?;
    equal("a·b = b·a", (ring.mul)(a, b), (ring.mul)(b, a))
}

fn associative_sum<'p>(ring: &Ring, equal: Equal, [a, b, c]: [E<'p>; 3]) -> Law {
    let add = ring.add;
    equal(
        "(a + b) + c = a + (b + c)",
        add(add(a, b), c),
        add(a, add(b, c)),
    )
}

fn associative_product<'p>(ring: &Ring, equal: Equal, [a, b, c]: [E<'p>; 3]) -> Law {
    let mul = ring.mul;
    equal("(a·b)·c = a·(b·c)", mul(mul(a, b), c), mul(a, mul(b, c)))
}

fn distributive<'p>(ring: &Ring, equal: Equal, [a, b, c]: [E<'p>; 3]) -> Law {
    let Ring { add, mul } = ring;
    equal(
        "a·(b + c) = a·b + a·c",
        mul(a, add(b, c)),
        add(mul(a, b), mul(a, c)),
    )
}

fn units<'p>(ring: &Ring, a: E<'p>) -> Law {
    let pool = a.pool();
    if a.is_undefined() {
        return Ok(());
    }
    same("a + 0 = a", (ring.add)(a, pool.zero()), a)?;
    same("a·1 = a", (ring.mul)(a, pool.one()), a)?;
    same("a − a = 0", (ring.add)(a, -a), pool.zero())?;
    same("−(−a) = a", -(-a), a)?;
    same("a·0 = 0", (ring.mul)(a, pool.zero()), pool.zero())
}

/// Collecting a list at once gives what the operators give one by one.
fn collected<'p>(sum: fn(&'p Pool, [E<'p>; 3]) -> E<'p>, equal: Equal, list: [E<'p>; 3]) -> Law {
    let [a, b, c] = list;
    equal("Σ = a + b + c", sum(a.pool(), list), a + b + c)?;
    equal("Π = a·b·c", a.pool().product(list), a * b * c)
}

fn build<'p>(pool: &'p Pool, trees: &[Tree; 3]) -> [E<'p>; 3] {
    [0, 1, 2].map(|k| trees[k].build(pool))
}

/// Trees whose sums and products stay below the limits of flattening.
fn small(menu: Menu) -> impl Strategy<Value = [Tree; 3]> {
    [trees(menu, 3), trees(menu, 2), trees(menu, 3)].prop_filter("few leaves", |t| {
        let [a, b, c] = [0, 1, 2].map(|k: usize| t[k].leaves());
        a + b <= 5 && b + c <= 5
    })
}

/// Integers, positive powers, odd roots and functions without special values that are fractions.
/// An even root remembers its domain, and a fraction is multiplied into a sum but never taken out
/// of it again: x·(4x + ½)·5 has two handles.
const INTEGER: Menu = Menu {
    functions: &[
        Function::Sin,
        Function::Cos,
        Function::Exp,
        Function::Cosh,
        Function::Log,
        Function::Abs,
        Function::Sign,
        Function::Min,
        Function::Max,
    ],
    exponents: &[(2, 1), (3, 1), (1, 3), (2, 3)],
    division: false,
    ..Menu::ALL
};

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn operations_commute_by_handle(t in [trees(Menu::ALL, 4), trees(Menu::ALL, 4)]) {
        let pool = Pool::new();
        let (a, b) = (t[0].build(&pool), t[1].build(&pool));
        hold(commutative(&OURS, same, a, b))?;
        hold(units(&OURS, a))?;
    }

    #[test]
    fn small_sums_are_associative_by_handle(t in small(Menu::ALL)) {
        let pool = Pool::new();
        let list = build(&pool, &t);
        hold(associative_sum(&OURS, same, list))?;
    }

    #[test]
    fn small_products_are_associative_by_handle(t in small(INTEGER)) {
        let pool = Pool::new();
        let list = build(&pool, &t);
        hold(associative_product(&OURS, same, list))?;
        hold(collected(|p, l| p.sum(l), same, list))?;
    }

    #[test]
    fn rational_functions_form_a_ring(t in [trees(Menu::RATIONAL, 3), trees(Menu::RATIONAL, 3), trees(Menu::RATIONAL, 3)]) {
        let pool = Pool::new();
        let list = build(&pool, &t);
        hold(associative_sum(&OURS, proved, list))?;
        hold(associative_product(&OURS, proved, list))?;
        hold(distributive(&OURS, proved, list))?;
        hold(collected(|p, l| p.sum(l), proved, list))?;
    }
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn no_ring_law_is_refuted(t in [trees(Menu::ALL, 3), trees(Menu::ALL, 3), trees(Menu::ALL, 3)]) {
        let pool = Pool::new();
        let list = build(&pool, &t);
        hold(associative_sum(&OURS, not_refuted, list))?;
        hold(associative_product(&OURS, not_refuted, list))?;
        hold(distributive(&OURS, not_refuted, list))?;
        hold(collected(|p, l| p.sum(l), not_refuted, list))?;
    }
}

/// Sums beyond the limit of flattening: equal functions, if not equal handles.
#[test]
fn long_sums_are_associative_by_decision() {
    let pool = Pool::new();
    let x: Vec<E<'_>> = (0..24).map(|k| pool.symbol(&format!("x{k}"))).collect();
    for cut in [1, 4, 5, 6, 7, 12, 23] {
        let (left, right) = x.split_at(cut);
        let one_by_one = x.iter().copied().reduce(|a, b| a + b).unwrap();
        let halves = pool.sum(left.to_vec()) + pool.sum(right.to_vec());
        proved("Σ", one_by_one, halves).unwrap();
        proved("Σ", pool.sum(x.clone()), halves).unwrap();
        let one_by_one = x.iter().copied().reduce(|a, b| a * b).unwrap();
        let halves = pool.product(left.to_vec()) * pool.product(right.to_vec());
        proved("Π", one_by_one, halves).unwrap();
        proved("Π", pool.product(x.clone()), halves).unwrap();
    }
}

/// Exponentials collect their arguments, in whatever order they meet.
#[test]
fn exponentials_collect_by_handle() {
    let pool = Pool::new();
    let [x, y] = pool.symbols(["x", "y"]);
    same("eˣ·eˣ", x.exp() * x.exp(), (x * 2).exp()).unwrap();
    same("eˣ·e^y", x.exp() * y.exp(), (x + y).exp()).unwrap();
    same("eˣ·e⁻ˣ", x.exp() * (-x).exp(), pool.one()).unwrap();
    same("eˣ·eˣ·e^y", x.exp() * x.exp() * y.exp(), (x * 2 + y).exp()).unwrap();
    same(
        "Π eˣ",
        pool.product([x.exp(), x.exp(), x.exp()]),
        (x * 3).exp(),
    )
    .unwrap();
}

/// The greatest common divisor of integer coefficients is taken out, however large.
#[test]
fn large_integers_come_out_of_sums() {
    let pool = Pool::new();
    let [x, y] = pool.symbols(["x", "y"]);
    for n in [5, 30, 50, 200] {
        let c = pool.number(3).pow(n);
        same(
            "x·((3x + y)·c) = (x·(3x + y))·c",
            x * ((x * 3 + y) * c),
            x * (x * 3 + y) * c,
        )
        .unwrap();
    }
}

/// A number times a sum beyond the limit of flattening: with a common factor, and with a first
/// coefficient that is negative.
#[test]
fn numbers_times_long_sums_collect_by_handle() {
    let pool = Pool::new();
    let y = pool.symbol("y");
    let x: Vec<E<'_>> = (0..9).map(|k| pool.symbol(&format!("x{k}"))).collect();
    for n in 1..x.len() {
        for lead in [2, -1, -2, -4, 3] {
            let s = pool.sum((0..n).map(|k| x[k] * if k == 0 { lead } else { 2 }));
            same("Σ [s] = s", pool.sum([s]), s).unwrap();
            same("Π [s] = s", pool.product([s]), s).unwrap();
            same("Π [7, s] = 7·s", pool.product([pool.number(7), s]), s * 7).unwrap();
            same("(7·s)/7 = s", s * 7 / 7, s).unwrap();
            same("−(−s) = s", -(-s), s).unwrap();
            same("s·y/y = s", s * y / y, s).unwrap();
            let opposite = pool.sum((0..n).map(|k| x[k] * if k == 0 { -lead } else { -2 }));
            same("Σ −t = −Σ t", opposite, -s).unwrap();
            same("s + Σ −t = 0", s + opposite, pool.zero()).unwrap();
        }
    }
}

/// A sum beyond the limit of flattening, with a negative first coefficient, inside odd and even
/// functions.
#[test]
fn signs_come_out_of_long_sums() {
    let pool = Pool::new();
    let x: Vec<E<'_>> = (0..9).map(|k| pool.symbol(&format!("x{k}"))).collect();
    for n in 1..x.len() {
        let s = pool.sum(x[1..=n].to_vec()) - x[0];
        same("sin(−s) = −sin s", (-s).sin(), -s.sin()).unwrap();
        same("cos(−s) = cos s", (-s).cos(), s.cos()).unwrap();
        same("|−s| = |s|", (-s).abs(), s.abs()).unwrap();
        same("sign(−s) = −sign s", (-s).sign(), -s.sign()).unwrap();
    }
}

#[test]
fn broken_rings_are_noticed() {
    let pool = Pool::new();
    let [x, y, z] = pool.symbols(["x", "y", "z"]);
    let lopsided = Ring {
        add: |a, b| a + 2 * b,
        mul: |a, b| a * b.pow(2),
    };
    for equal in [same as Equal, proved, not_refuted] {
        assert!(commutative(&lopsided, equal, x, y).is_err());
        assert!(associative_sum(&lopsided, equal, [x, y, z]).is_err());
        assert!(associative_product(&lopsided, equal, [x, y, z]).is_err());
        let shifted = Ring {
            mul: |a, b| a * b + 1,
            ..OURS
        };
        assert!(distributive(&shifted, equal, [x, y, z]).is_err());
        assert!(collected(|_, [a, b, c]| a + b + 2 * c, equal, [x, y, z]).is_err());
    }
    let off_by_one = Ring {
        add: |a, b| a + b + 1,
        ..OURS
    };
    assert!(units(&off_by_one, x).is_err());
}
