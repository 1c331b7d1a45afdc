//! Verdicts on objects with many components.

use galilei_expr::{Assumptions, Bound, Expr, Query, Verdict};

/// Whether all components vanish: the weakest of the verdicts on each, refuted as soon as one is.
pub fn decide_all_zero<'p>(components: impl IntoIterator<Item = Expr<'p>>) -> Verdict {
    all(components.into_iter().map(Query::zero), &Assumptions::new())
}

fn all<'p>(claims: impl Iterator<Item = Query<'p>>, domain: &Assumptions<'p>) -> Verdict {
    let mut so_far = Verdict::Proved(Bound::CERTAIN);
    for claim in claims {
        so_far = so_far.and(claim.assuming(domain).decide().verdict);
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

/// Whether two lists are equal, entry by entry, where both are defined and the conditions hold.
pub fn decide_equal_on<'p>(
    left: &[Expr<'p>],
    right: &[Expr<'p>],
    domain: &Assumptions<'p>,
) -> Verdict {
    assert_eq!(left.len(), right.len(), "lists of different lengths");
    let pairs = left.iter().zip(right);
    all(pairs.map(|(&a, &b)| Query::equal(a, b)), domain)
}
