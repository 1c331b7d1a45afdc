//! Reads claims `lhs = rhs`, one a line, from standard input and prints the verdict on each.
//!
//! ```sh
//! echo 'sin(x)^2 + cos(x)^2 = 1' | cargo run --release --example decide
//! ```

#[path = "../tests/common/mod.rs"]
mod common;

use std::io::BufRead;

fn main() {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let claim = line.split('#').next().unwrap_or("").trim();
        if claim.is_empty() {
            continue;
        }
        let pool = galilei_expr::Pool::new();
        let decision = common::read_claim(&pool, claim).decide();
        println!("{}\t{claim}", decision.verdict);
    }
}
