//! The verdict on an identity.

use galilei_expr::{Decision, Pool, Reason, Verdict};
use galilei_model::{Code, read_claim};

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

/// Decides `EXPR = EXPR` under assumptions, each an inequality or a list of them.
///
/// ```
/// assert!(galilei::decide("sqrt(x^2) = x", &["x > 0"]).unwrap().verdict.is_proved());
/// assert!(!galilei::decide("sqrt(x^2) = x", &[]).unwrap().verdict.is_proved());
/// ```
///
/// # Errors
/// Where the claim or an assumption cannot be read. One whose derivatives grow too large is undecided.
pub fn decide(claim: &str, assume: &[&str]) -> Result<Decision, Error> {
    let pool = Pool::new();
    let list: Vec<&str> = assume.iter().flat_map(|a| entries(a)).collect();
    match read_claim(&pool, claim, &list) {
        Ok(query) => Ok(query.decide()),
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
