//! The verdict on an identity.

use galilei_expr::{Bound, Decision, Pool, Query, Reason, Verdict};
use galilei_model::{Code, read_claims};

use crate::error::Error;

/// The entries of a list: commas inside parentheses belong to the entries.
fn entries(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    let parts = list.split(move |c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    });
    parts.map(str::trim)
}

/// The weakest of the verdicts on some claims, refuted as soon as one is.
fn decide_all(queries: Vec<Query<'_>>) -> Decision {
    let mut all = Decision {
        verdict: Verdict::Proved(Bound::CERTAIN),
        assumptions: vec![],
    };
    for query in queries {
        let decision = query.decide();
        all.verdict = all.verdict.and(decision.verdict);
        all.assumptions = decision.assumptions;
        if all.verdict.is_refuted() {
            break;
        }
    }
    all
}

/// Decides `EXPR = EXPR` under assumptions, each an inequality or a list of them. Both sides are scalars or
/// differential forms of one degree.
///
/// ```
/// assert!(galilei::decide("d(x) /\\ d(y) = -d(y) /\\ d(x)", &[]).unwrap().verdict.is_proved());
/// assert!(galilei::decide("sqrt(x^2) = x", &["x > 0"]).unwrap().verdict.is_proved());
/// assert!(!galilei::decide("sqrt(x^2) = x", &[]).unwrap().verdict.is_proved());
/// ```
///
/// # Errors
/// Where the claim or an assumption cannot be read. One whose derivatives grow too large is undecided.
pub fn decide(claim: &str, assume: &[&str]) -> Result<Decision, Error> {
    let pool = Pool::new();
    let list: Vec<&str> = assume.iter().flat_map(|a| entries(a)).collect();
    match read_claims(&pool, claim, &list) {
        Ok(queries) => Ok(decide_all(queries)),
        Err(errors) if errors.iter().all(|d| d.code == Code::ModelTooLarge) => {
            let reason = Reason::OutOfReach("its derivatives grow too large");
            Ok(Decision {
                verdict: Verdict::Undecided(reason),
                assumptions: vec![],
            })
        }
        Err(errors) => Err(Error::about("claim", claim, errors)),
    }
}
