//! Findings: what was asked of a model, and how sure the answer is.

use galilei_expr::{Bound, Verdict};

/// How sure a finding is.
#[derive(Clone, PartialEq, Debug)]
pub enum Status {
    /// A verdict on a claim.
    Verdict(Verdict),
    /// The claim makes no sense for this model.
    NotApplicable,
}

impl Status {
    /// The word of the contract.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Verdict(Verdict::Proved(_)) => "proved",
            Self::Verdict(Verdict::Certified) => "certified",
            Self::Verdict(Verdict::Sampled(_)) => "sampled",
            Self::Verdict(Verdict::Refuted(_)) => "fails",
            Self::Verdict(Verdict::Undecided(_)) => "undecided",
            Self::NotApplicable => "not applicable",
        }
    }
}

/// One thing that was asked of a model.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// The claim.
    pub name: String,
    /// Its number in the theory.
    pub theorem: &'static str,
    /// The answer.
    pub status: Status,
    /// What it means here.
    pub detail: String,
    /// Whether the model is in order only if the claim holds.
    pub required: bool,
}

impl Finding {
    /// Where the claim fails.
    pub fn witness(&self) -> Option<String> {
        match &self.status {
            Status::Verdict(Verdict::Refuted(w)) => Some(w.to_string()),
            _ => None,
        }
    }

    /// The error bound of a proof.
    pub fn bound(&self) -> Option<Bound> {
        match &self.status {
            Status::Verdict(Verdict::Proved(b)) => Some(*b),
            _ => None,
        }
    }
}
