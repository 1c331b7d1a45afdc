//! Expressions without values.

use std::fmt;

/// The reason why an expression cannot be evaluated numerically.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsupported {
    /// A symbol that is no input.
    Symbol(String),
    /// An undetermined function.
    Undetermined(String),
    /// An integral without closed form.
    Integral,
    /// An expression that is defined nowhere.
    Undefined,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Symbol(s) => write!(f, "`{s}` has no value"),
            Self::Undetermined(s) => write!(f, "the function `{s}` is undetermined"),
            Self::Integral => f.write_str("an integral has no closed form"),
            Self::Undefined => f.write_str("an expression is defined nowhere"),
        }
    }
}

impl std::error::Error for Unsupported {}
