//! How large things become, pinned: growth is a decision, not an accident.

use galilei::Model;
use galilei_tape::Wanted;

/// Nodes of the pool after reading and after deriving the equations of motion, operations on the tape,
/// operations of one evaluation and of series to order 20, of the cart with n pendulums.
#[test]
fn the_cart_with_pendulums_grows_as_it_should() {
    let text = include_str!("../../../../models/cart-with-pendulums.gal");
    let sizes = |n: usize| {
        let model = Model::reader().set(format!("n={n}")).parse(text).unwrap();
        let read_nodes = model.pool().len();
        let compiled = model.compile().unwrap();
        let wanted = Wanted {
            packed: true,
            ..Wanted::default()
        };
        [
            read_nodes,
            model.pool().len(),
            compiled.operations(),
            compiled.accelerations(1).operations(),
            compiled.series(&wanted, 20).code.fused().operations(),
        ]
    };
    let found: Vec<_> = [2, 8, 32].into_iter().map(sizes).collect();
    assert_eq!(found, PINNED);
}

const PINNED: [[usize; 5]; 3] = [
    [107, 417, 233, 63, 2034],
    [334, 860, 890, 529, 7191],
    [1263, 4505, 5664, 1823, 41210],
];
