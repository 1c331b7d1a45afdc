//! Verdicts: the answers to mathematical claims, never a `bool`.

use std::fmt;

use crate::expr::Expr;

/// The answer to a claim, with the kind of evidence for it.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// True; the probability that this is an error is at most the bound.
    Proved(Bound),
    /// True, for an inequality, by rigorous enclosures.
    Certified,
    /// Zero at every point tried, to the precision used: the largest absolute value that enclosures allow.
    Sampled(f64),
    /// False at the given point.
    Refuted(Witness),
    /// Not decided, for the given reason.
    Undecided(Reason),
}

/// A bound of the probability of an error: 2 to a negative power, or zero.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Bound {
    log2: f64,
}

impl Bound {
    /// No possible error: both sides have the same canonical form.
    pub const CERTAIN: Self = Self {
        log2: f64::NEG_INFINITY,
    };

    pub(crate) fn log2(log2: f64) -> Self {
        Self { log2 }
    }

    /// The exponent of the bound, rounded up; `None` if no error is possible.
    pub fn exponent(self) -> Option<i64> {
        (self.log2 > f64::NEG_INFINITY).then(|| self.log2.ceil() as i64)
    }

    /// The bound for two possible errors: the sum of their probabilities.
    pub(crate) fn or(self, other: Self) -> Self {
        let (a, b) = (self.log2.max(other.log2), self.log2.min(other.log2));
        if b == f64::NEG_INFINITY {
            return Self { log2: a };
        }
        Self {
            log2: a + (1.0 + (b - a).exp2()).log2(),
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.exponent() {
            Some(k) => write!(f, "2^{k}"),
            None => f.write_str("0"),
        }
    }
}

/// Values of the symbols at which a claim fails.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Witness {
    /// Name and exact value, by name. Values are numbers, or where a number would be irrational,
    /// expressions for it.
    pub values: Vec<(String, String)>,
}

impl Witness {
    pub(crate) fn new(pairs: &[(Expr<'_>, Expr<'_>)]) -> Self {
        let mut values: Vec<(String, String)> = pairs
            .iter()
            .map(|(s, v)| (s.to_string(), v.exact_text()))
            .collect();
        values.sort();
        Self { values }
    }
}

impl fmt::Display for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.values.is_empty() {
            return f.write_str("everywhere");
        }
        for (k, (name, value)) in self.values.iter().enumerate() {
            write!(f, "{}{name} = {value}", if k == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// The reason why a claim is undecided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// No point was found at which both sides are defined and the assumptions hold.
    DefinedNowhere,
    /// The claim is beyond the limits of the procedure.
    OutOfReach(&'static str),
    /// Enclosures stayed too wide to show anything.
    Unseen,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DefinedNowhere => f.write_str("defined nowhere tried"),
            Self::OutOfReach(why) => f.write_str(why),
            Self::Unseen => f.write_str("the numbers are too large or too close to tell"),
        }
    }
}

impl Verdict {
    /// The verdict on both of two claims: refuted if one is, else the weaker of the two.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let rank = |v: &Self| match v {
            Self::Refuted(_) => 4,
            Self::Undecided(_) => 3,
            Self::Sampled(_) => 2,
            Self::Certified => 1,
            Self::Proved(_) => 0,
        };
        match (self, other) {
            (Self::Proved(a), Self::Proved(b)) => Self::Proved(a.or(b)),
            (Self::Sampled(a), Self::Sampled(b)) => Self::Sampled(a.max(b)),
            (a, b) => {
                if rank(&a) >= rank(&b) {
                    a
                } else {
                    b
                }
            }
        }
    }

    /// Whether the claim was proved.
    pub fn is_proved(&self) -> bool {
        matches!(self, Self::Proved(_))
    }

    /// Whether the claim was refuted.
    pub fn is_refuted(&self) -> bool {
        matches!(self, Self::Refuted(_))
    }

    /// Whether the claim was certified.
    pub fn is_certified(&self) -> bool {
        matches!(self, Self::Certified)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Proved(bound) => match bound.exponent() {
                Some(_) => write!(f, "proved, error below {bound}"),
                None => f.write_str("proved"),
            },
            Self::Certified => f.write_str("certified"),
            Self::Sampled(size) => write!(f, "sampled, at most {size:e}"),
            Self::Refuted(witness) => write!(f, "refuted at {witness}"),
            Self::Undecided(reason) => write!(f, "undecided: {reason}"),
        }
    }
}
