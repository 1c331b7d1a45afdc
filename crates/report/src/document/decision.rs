//! The document of `decide`.

use galilei_expr::Verdict;
use serde::Serialize;

use super::Entries;

/// The verdict on an identity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Decision {
    /// `proved`, `certified`, `sampled`, `refuted` or `undecided`.
    pub verdict: &'static str,
    /// The bound of the error of a proof.
    pub bound: Option<String>,
    /// The point at which the sides of a refuted identity differ.
    pub witness: Option<Entries<String>>,
    /// Why the verdict is what it is, and what it assumes.
    pub reason: String,
}

impl Decision {
    /// The document of a decision.
    pub fn new(d: &galilei_expr::Decision) -> Self {
        let (verdict, mut reason) = match &d.verdict {
            Verdict::Proved(b) if b.exponent().is_none() => {
                ("proved", "both sides have the same canonical form".into())
            }
            Verdict::Proved(_) => (
                "proved",
                "zero at all points of random prime fields and consistent with real enclosures"
                    .into(),
            ),
            Verdict::Refuted(_) => (
                "refuted",
                "the sides differ at the witness, by rigorous enclosures".into(),
            ),
            Verdict::Sampled(size) => (
                "sampled",
                format!("zero at every point tried, up to {size:e}; not a proof"),
            ),
            Verdict::Undecided(r) => ("undecided", r.to_string()),
            Verdict::Certified => ("certified", "by rigorous enclosures".into()),
        };
        if !d.assumptions.is_empty() {
            reason = format!("{reason}; assuming {}", d.assumptions.join(", "));
        }
        Self {
            verdict,
            bound: match &d.verdict {
                Verdict::Proved(b) => Some(b.to_string()),
                _ => None,
            },
            witness: match &d.verdict {
                Verdict::Refuted(w) => Some(w.values.iter().cloned().collect()),
                _ => None,
            },
            reason,
        }
    }
}
