//! Explicit assumptions about symbols and expressions.

use crate::expr::Expr;

/// One assumption about an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Assumption<'p> {
    /// e > 0
    Positive(Expr<'p>),
    /// e ≠ 0
    NonZero(Expr<'p>),
}

impl std::fmt::Display for Assumption<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Positive(e) => write!(f, "{e} > 0"),
            Self::NonZero(e) => write!(f, "{e} != 0"),
        }
    }
}

/// A list of assumptions, passed to a query and recorded in its decision.
///
/// ```
/// use galilei_expr::{Assumptions, Pool, Query};
/// let pool = Pool::new();
/// let x = pool.symbol("x");
/// let claim = x.pow(2).sqrt() - x;
/// assert!(Query::zero(claim).decide().is_refuted());
/// let decision = Query::zero(claim).assuming(&Assumptions::new().positive(x)).decide();
/// assert!(decision.is_proved());
/// assert_eq!(decision.assumptions, ["x > 0"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Assumptions<'p>(Vec<Assumption<'p>>);

impl<'p> Assumptions<'p> {
    /// No assumptions.
    pub fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds e > 0.
    #[must_use]
    pub fn positive(mut self, e: Expr<'p>) -> Self {
        self.0.push(Assumption::Positive(e));
        self
    }

    /// Adds e ≠ 0.
    #[must_use]
    pub fn nonzero(mut self, e: Expr<'p>) -> Self {
        self.0.push(Assumption::NonZero(e));
        self
    }

    pub(crate) fn push(&mut self, assumption: Assumption<'p>) {
        self.0.push(assumption);
    }

    /// The assumptions, in the order they were made.
    pub fn iter(&self) -> impl Iterator<Item = Assumption<'p>> {
        self.0.iter().copied()
    }

    /// Whether a symbol is assumed to be positive.
    pub fn is_positive(&self, symbol: Expr<'p>) -> bool {
        self.0.contains(&Assumption::Positive(symbol))
    }
}
