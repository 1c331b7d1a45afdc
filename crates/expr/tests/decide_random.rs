//! `decide` on random claims, and on claims with assumptions, ranks and definiteness.

#[path = "common/big.rs"]
mod big;
#[path = "common/claim.rs"]
mod claim;
#[path = "common/draw.rs"]
mod draw;
#[path = "common/rewrite.rs"]
mod rewrite;
#[path = "common/tree.rs"]
mod tree;

#[path = "decide_random/assumptions.rs"]
mod assumptions;
#[path = "decide_random/claims.rs"]
mod claims;
#[path = "decide_random/definite.rs"]
mod definite;
#[path = "decide_random/rank.rs"]
mod rank;
