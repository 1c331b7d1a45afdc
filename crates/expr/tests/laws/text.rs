//! The model language reads back to the handle it was printed from.

use galilei_expr::{Expr, Notation, Pool};
use proptest::prelude::*;

use crate::common::read;
use crate::draw::Menu;
use crate::law::{Law, cases, hold, trees};

/// A printer of the model language.
type Print = fn(Expr<'_>) -> String;

const OURS: Print = |e| e.to_string();

/// A printed text reads back to the same handle.
fn round_trip(print: Print, e: Expr<'_>) -> Law {
    let text = print(e);
    let back = read(e.pool(), &text);
    if back == e {
        Ok(())
    } else {
        Err(format!("{text} reads back as {back}"))
    }
}

/// A text with named parts reads back when the parts are substituted.
fn round_trip_named(e: Expr<'_>) -> Law {
    let printed = e.pool().print(&[e], Notation::Model);
    let pool = e.pool();
    let mut pairs = Vec::new();
    for (name, text) in &printed.shared {
        let part = read(pool, text).substitute(&pairs);
        pairs.push((pool.symbol(name), part));
    }
    let back = read(pool, &printed.texts[0]).substitute(&pairs);
    if back == e {
        Ok(())
    } else {
        Err(format!(
            "{} with {} names reads back differently",
            printed.texts[0],
            pairs.len()
        ))
    }
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn a_printed_expression_reads_back(t in trees(Menu::ALL, 4)) {
        let pool = Pool::new();
        hold(round_trip(OURS, t.build(&pool)))?;
    }

    #[test]
    fn a_printed_derivative_reads_back(t in trees(Menu::ALL, 3)) {
        let pool = Pool::new();
        hold(round_trip(OURS, t.build(&pool).diff(pool.symbol("x"))))?;
    }
}

proptest! {
    #![proptest_config(cases(400))]

    /// Sums and products too long to be opened, inside each other, with signs and numbers.
    #[test]
    fn long_sums_and_products_read_back(
        parts in proptest::collection::vec(trees(Menu::ALL, 2), 6..24),
        choices in proptest::collection::vec(0usize..6, 24),
    ) {
        let pool = Pool::new();
        let mut e = pool.one();
        for (t, choice) in parts.iter().zip(choices) {
            let t = t.build(&pool);
            e = match choice {
                0 | 1 => e + t,
                2 => e - t,
                3 => -e - 2 * t,
                4 => pool.sum([t, -e, t * e]),
                _ => e * t,
            };
            hold(round_trip(OURS, e))?;
        }
    }
}

/// Forms that a printer is likely to get wrong.
#[test]
fn awkward_forms_read_back() {
    let pool = Pool::new();
    let [x, y, l, x2, x10] = pool.symbols(["x", "y", "lambda_1", "x2", "x10"]);
    let q = |n, d| pool.number(galilei_expr::Rational::new(n, d));
    let f = pool.function("f");
    let sum = x + y;
    let list = [
        q(-1, 2) * x,
        q(-1, 2) * sum,
        -(x * y),
        -sum / 3,
        x / (y * l),
        x / y / l * 2 / 7,
        q(981, 100) * x,
        q(-981, 100),
        q(1, 3).pow(y),
        q(2, 1).sqrt() / 2,
        (-x).sqrt(),
        (-x - y).sqrt().recip(),
        x.pow(q(-7, 3)) * y,
        (x * y).sqrt(),
        (x.sqrt() * x.sqrt()) / y,
        x.sqrt().pow(6),
        sum.pow(2).sqrt(),
        sum.pow(-2),
        sum * sum.sin().pow(-1),
        x.pow(y).pow(x),
        x.if_less(y, -x, y / 2) * 2,
        f.partial(&[2, 1], [x, -y]),
        pool.pi() * 2 / 3 + 1,
        q(-8, 1).pow(q(1, 3)),
        q(12, 1).pow(q(2, 3)),
        x2 + x10 - 1,
        (x2 * x10).abs() - 1,
        pool.number(10).pow(40) * x,
        pool.number(10).pow(-40) * x,
        q(1, 1 << 20) * x,
        q(3, 40) * sum,
        x - (y - 1) * q(1, 2),
        (x - 1) * (y - 1) * -1,
        pool.zero().recip(),
    ];
    for e in list {
        round_trip(OURS, e).unwrap();
    }
    let long = pool.sum((0..9).map(|k| pool.symbol(&format!("s{k}"))));
    for e in [
        (x * y - x + q(1, 2)) + (x.pow(2) + y.pow(2) + x / y) + x,
        (x * y - x + q(1, 2)) + (x.pow(2) + y.pow(2) + x / y) - x,
        long * 2,
        -long,
        long - x,
        (long * 3 + x).sin(),
        long * q(1, 2),
        -(long * x),
        long + long * x,
    ] {
        round_trip(OURS, e).unwrap();
    }
}

/// Numbers beyond the size that is multiplied out.
#[test]
fn huge_numbers_read_back() {
    let pool = Pool::new();
    let x = pool.symbol("x");
    let huge = pool.number(3).pow(10_000_000);
    for e in [huge, huge * x, huge + x, 1 / huge, huge.sqrt()] {
        round_trip(OURS, e).unwrap();
    }
}

/// Large graphs print with names for their parts.
#[test]
fn named_parts_read_back() {
    let pool = Pool::new();
    let [x, y] = pool.symbols(["x", "y"]);
    let mut e = x;
    for k in 1..200 {
        e = (e * e + y).sin() + k * e;
    }
    assert!(!pool.print(&[e], Notation::Model).shared.is_empty());
    round_trip_named(e).unwrap();
    round_trip_named(e.diff(x)).unwrap();
}

#[test]
fn broken_printers_are_noticed() {
    let pool = Pool::new();
    let [x, y] = pool.symbols(["x", "y"]);
    let bare: Print = |e| e.to_string().replace(['(', ')'], "");
    let signless: Print = |e| e.to_string().replace('-', "+");
    assert!(round_trip(OURS, (x + y) * x).is_ok());
    assert!(round_trip(bare, (x + y) * x).is_err());
    assert!(round_trip(signless, x - y).is_err());
}
