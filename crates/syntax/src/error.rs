//! Errors of syntax.

use crate::code::SyntaxCode;
use crate::span::Span;

/// Something that is not a sentence of the language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    /// What kind of mistake it is.
    pub code: SyntaxCode,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub hint: String,
    /// Where.
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
