//! The size of expressions.

use galilei_expr::{Expr, subexpressions};

/// How many terms, factors and arguments some expressions have, each shared part once.
pub fn term_count(list: Vec<Expr<'_>>) -> usize {
    let all = subexpressions(list).into_iter();
    all.map(|e| 1 + e.view().operands().len()).sum()
}
