//! Bytes as a formula, built twice: the same text from any pool, read back to the same handle,
//! with the value another library computes; and nothing one does with it panics.
#![no_main]

use galilei_expr::{Arithmetic, Ball, Balls, Fail, Notation, Pool, Program, Rational};
use libfuzzer_sys::fuzz_target;

#[path = "../../crates/expr/tests/common/big.rs"]
mod big;
#[path = "../../crates/expr/tests/common/draw.rs"]
mod draw;
#[path = "../../crates/expr/tests/common/mod.rs"]
mod reader;
#[path = "../../crates/expr/tests/common/tree.rs"]
mod tree;

use draw::{Bytes, Menu};
use tree::Tree;

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes::new(data);
    let point = [(); 3].map(|()| Rational::new(i64::from(bytes.byte()) - 128, 32));
    let tree = Tree::draw(&mut bytes, &Menu::ALL, 6);
    if tree.size() > 300 {
        return;
    }
    let (pool, other) = (Pool::new(), Pool::new());
    let e = tree.build(&pool);
    for name in ["t", "c1", "y"] {
        other.symbol(name);
    }
    let same = tree.build_backwards(&other);
    for notation in [Notation::Model, Notation::Unicode] {
        assert_eq!(pool.print(&[e], notation), other.print(&[same], notation));
    }
    assert_eq!(reader::read(&pool, &e.to_string()), e);
    let symbols = pool.symbols(["x", "y", "z"]);
    let [x, y, z] = symbols;
    let derivative = e.diff(x);
    let _ = (
        e.gradient(&symbols),
        e.hessian(&[x, y]),
        e.polynomial(&[x, y], 8).is_ok(),
    );
    let swap = [(x, y), (y, x)];
    assert_eq!(e.substitute(&swap).substitute(&swap), e);
    let _ = (derivative.substitute(&[(x, y * z)]), e.contains(z));
    enclosed(&tree, e, &symbols, &point);
});

/// The ball at the point contains the value.
fn enclosed<'p>(
    tree: &Tree,
    e: galilei_expr::Expr<'p>,
    symbols: &[galilei_expr::Expr<'p>],
    point: &[Rational],
) {
    let (Some(v), Ok(program)) = (big::value(tree, point), Program::new(&[e], symbols)) else {
        return;
    };
    if tree.any(&|t| matches!(t, Tree::Undetermined(..))) {
        return;
    }
    let mut balls = Balls::<4>::new();
    let inputs: Vec<Ball<4>> = point.iter().filter_map(|q| balls.number(q).ok()).collect();
    match &program.run(&mut balls, &inputs)[0] {
        Err(Fail::Unknown) => {}
        Err(Fail::Undefined) => panic!("{tree} is {e}, undefined at {point:?}"),
        Ok(ball) => {
            let Some([low, high]) = big::ends(ball) else {
                return;
            };
            let inside = low <= &v.value + &v.error && &v.value - &v.error <= high;
            assert!(inside, "{tree} is {e} at {point:?}");
        }
    }
}
