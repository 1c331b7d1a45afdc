//! How large things become, pinned: growth is a decision, not an accident.

use galilei::{Settings, compile, read};

/// Nodes of the pool after reading, nodes after deriving the linear system for the accelerations,
/// and operations on the tape, of the cart with n pendulums.
#[test]
fn the_cart_with_pendulums_grows_as_it_should() {
    let text = include_str!("../../../models/cart-with-pendulums.gal");
    let sizes = |n: usize| {
        let settings = Settings {
            set: vec![format!("n={n}")],
            ..Settings::default()
        };
        let model = read(text, &settings).model.unwrap();
        let read_nodes = model.pool().len();
        let tape = compile(&model).unwrap().operations();
        (read_nodes, model.pool().len(), tape)
    };
    let found: Vec<_> = [2, 8, 32].into_iter().map(sizes).collect();
    assert_eq!(found, PINNED);
}

const PINNED: [(usize, usize, usize); 3] = [(107, 383, 156), (334, 1886, 823), (1263, 19535, 6963)];
