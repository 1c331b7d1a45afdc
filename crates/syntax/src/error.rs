//! Errors of syntax.

use crate::code::SyntaxCode;
use crate::span::Span;

/// An error of syntax.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    /// The kind of the error.
    pub code: SyntaxCode,
    /// The description of the error.
    pub message: String,
    /// The suggestion what to write instead.
    pub hint: String,
    /// The place of the error.
    pub span: Span,
}

impl SyntaxError {
    pub(crate) fn new(
        code: SyntaxCode,
        message: impl Into<String>,
        hint: impl Into<String>,
        span: Span,
    ) -> Self {
        Self {
            code,
            message: message.into(),
            hint: hint.into(),
            span,
        }
    }
}

impl std::fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}
impl std::error::Error for SyntaxError {}
