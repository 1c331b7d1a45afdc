//! Bytes as a claim: a formula and a valid rewrite of it, or one with an error planted.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/expr/tests/common/big.rs"]
mod big;
#[path = "../../crates/expr/tests/common/claim.rs"]
mod claim;
#[path = "../../crates/expr/tests/common/draw.rs"]
mod draw;
#[path = "../../crates/expr/tests/common/rewrite.rs"]
mod rewrite;
#[path = "../../crates/expr/tests/common/tree.rs"]
mod tree;

use claim::{CAREFUL, OURS, consistent};
use draw::{Bytes, Dice, Menu};
use rewrite::{plant, rewrite};
use tree::Tree;

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes::new(data);
    let identity = bytes.below(2) == 1;
    let rules = bytes.below(4);
    let a = Tree::draw(&mut bytes, &Menu::ALL, 4);
    let mut b = a.clone();
    if !identity {
        let Some((_, changed)) = plant(&b, &mut bytes) else {
            return;
        };
        b = changed;
    }
    for _ in 0..rules {
        let Some((_, other)) = rewrite(&b, &mut bytes) else {
            return;
        };
        b = other;
    }
    if a.size() + b.size() > 300 {
        return;
    }
    let judge = if identity { CAREFUL } else { OURS };
    let mut dice = Dice::new(data.len() as u64);
    if let Err(message) = consistent(judge, &a, &b, &mut dice, identity) {
        panic!("{message}");
    }
});
