//! Verdicts on objects with many components.

use galilei_expr::{Bound, Expr, Query, Verdict};

/// Whether all of these vanish: the weakest of the verdicts on each, refuted as soon as one is.
pub fn decide_all_zero<'p>(components: impl IntoIterator<Item = Expr<'p>>) -> Verdict {
    let mut so_far = Verdict::Proved(Bound::CERTAIN);
    for e in components {
        if e.is_zero() {
            continue;
        }
        so_far = so_far.and(Query::zero(e).decide().verdict);
        if so_far.is_refuted() {
            break;
        }
    }
    so_far
}

/// Whether two lists are equal, entry by entry.
pub fn decide_equal<'p>(left: &[Expr<'p>], right: &[Expr<'p>]) -> Verdict {
    assert_eq!(left.len(), right.len(), "lists of different lengths");
    decide_all_zero(left.iter().zip(right).map(|(&a, &b)| a - b))
}
