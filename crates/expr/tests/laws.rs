//! Laws of expressions, tested on random ones; each law is also seen to fail for a broken operation.
//!
//! A law is a function that takes the operations it is about and returns what is wrong, so
//! that the same law can be held against a deliberately broken operation.

#[path = "common/big.rs"]
mod big;
mod common;
#[path = "common/draw.rs"]
mod draw;
#[path = "common/tree.rs"]
mod tree;

#[path = "laws/derivative.rs"]
mod derivative;
#[path = "laws/enclosure.rs"]
mod enclosure;
#[path = "laws/functions.rs"]
mod functions;
#[path = "laws/law.rs"]
mod law;
#[path = "laws/order.rs"]
mod order;
#[path = "laws/polynomial.rs"]
mod polynomial;
#[path = "laws/pools.rs"]
mod pools;
#[path = "laws/ring.rs"]
mod ring;
#[path = "laws/substitution.rs"]
mod substitution;
#[path = "laws/text.rs"]
mod text;
