//! Findings: claims about a model with their verdicts.

use galilei_expr::{Bound, Verdict};

/// The status of a finding.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Status {
    /// A verdict on a claim.
    Verdict(Verdict),
    /// The claim makes no sense for this model.
    NotApplicable,
    /// An observation about the form of the model, which claims nothing.
    Noted,
}

impl Status {
    /// Whether a claim could not be decided.
    pub fn is_undecided(&self) -> bool {
        matches!(self, Self::Verdict(Verdict::Undecided(_)))
    }

    /// The word of the contract.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Verdict(Verdict::Proved(_)) => "proved",
            Self::Verdict(Verdict::Certified) => "certified",
            Self::Verdict(Verdict::Sampled(_)) => "sampled",
            Self::Verdict(Verdict::Refuted(_)) => "fails",
            Self::Verdict(Verdict::Undecided(_)) => "undecided",
            Self::NotApplicable | Self::Noted => "not applicable",
        }
    }
}

/// One claim about a model, with the answer.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Finding {
    /// The claim.
    pub name: String,
    /// Its number in the theory; empty for an observation.
    pub theorem: &'static str,
    /// The answer.
    pub status: Status,
    /// The meaning of the answer for this model.
    pub detail: String,
    /// Whether the model is in order only if the claim holds.
    pub required: bool,
    /// Whether the claim holds almost everywhere, but not or perhaps not everywhere.
    pub generic: bool,
    /// Where a generic claim fails, as text; `None` if that could not be written.
    pub except: Option<String>,
    /// The sheets of the constraint set on which the claim holds; `None` for all of them.
    pub sheets: Option<Vec<String>>,
}

impl Finding {
    /// A finding that concerns all states.
    pub fn new(
        name: impl Into<String>,
        theorem: &'static str,
        verdict: Option<Verdict>,
        detail: impl Into<String>,
        required: bool,
    ) -> Self {
        Self {
            name: name.into(),
            theorem,
            status: verdict.map_or(Status::NotApplicable, Status::Verdict),
            detail: detail.into(),
            required,
            generic: false,
            except: None,
            sheets: None,
        }
    }

    /// An observation about the form of the model: it is never required and has no verdict.
    pub(crate) fn noted(name: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            status: Status::Noted,
            ..Self::new(name, "", None, detail, false)
        }
    }

    /// The word of the status for people: what need not hold does not fail.
    pub fn word(&self) -> &'static str {
        match (&self.status, self.required) {
            (Status::Verdict(Verdict::Refuted(_)), false) => "no",
            (Status::Noted, _) => "note",
            (status, _) => status.word(),
        }
    }

    /// Whether the claim was proved or certified.
    pub fn holds(&self) -> bool {
        matches!(&self.status, Status::Verdict(v) if v.is_proved() || v.is_certified())
    }

    /// Whether the claim was proved.
    pub(crate) fn is_proved(&self) -> bool {
        matches!(&self.status, Status::Verdict(v) if v.is_proved())
    }

    /// Where a claim that holds does so: on which sheets, and except where.
    pub fn scope(&self) -> String {
        if !self.holds() {
            return String::new();
        }
        let mut parts = Vec::new();
        if let Some(sheets) = &self.sheets {
            parts.push(format!("on {}", sheets.join(" and ")));
        }
        match (&self.except, self.generic) {
            (Some(where_not), _) => parts.push(format!("except where {where_not}")),
            (None, true) => parts.push("almost everywhere".into()),
            _ => {}
        }
        parts.join(", ")
    }

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
