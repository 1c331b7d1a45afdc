//! The size of expressions.

use galilei_expr::{Expr, View};

/// How many terms, factors and arguments some expressions have, each shared part once.
pub fn term_count(mut stack: Vec<Expr<'_>>) -> usize {
    let mut seen = std::collections::HashSet::new();
    let mut count = 0;
    while let Some(e) = stack.pop() {
        if !seen.insert(e.id()) {
            continue;
        }
        let before = stack.len();
        match e.view() {
            View::Sum(terms) => stack.extend(terms.into_iter().map(|t| t.1)),
            View::Product(factors) => stack.extend(factors.into_iter().map(|f| f.0)),
            View::Call(_, arguments) | View::Undetermined { arguments, .. } => {
                stack.extend(arguments);
            }
            View::If {
                sides, branches, ..
            } => stack.extend(sides.into_iter().chain(branches)),
            View::Integral { integrand, .. } => stack.push(integrand),
            _ => {}
        }
        count += 1 + stack.len() - before;
    }
    count
}
