//! Diagnostics: the place of a problem in a model, its physics, and a correction.

use annotate_snippets::Renderer;
use galilei_syntax::{Span, SyntaxError};

use crate::code::Code;
use crate::snippet;

/// The severity of a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The model is refused.
    Error,
    /// The model is used; something about it is worth knowing.
    Warning,
}

/// A diagnostic about a model file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// The severity: an error refuses the model.
    pub severity: Severity,
    /// The kind of problem.
    pub code: Code,
    /// The problem, in the language of mechanics.
    pub message: String,
    /// The suggested correction; may be empty.
    pub hint: String,
    /// The place in the file; `None` for a problem that is not located in it.
    pub span: Option<Span>,
}

impl Diagnostic {
    /// An error.
    pub fn error(
        code: impl Into<Code>,
        message: impl Into<String>,
        hint: impl Into<String>,
        span: impl Into<Option<Span>>,
    ) -> Self {
        Self {
            severity: Severity::Error,
            code: code.into(),
            message: message.into(),
            hint: hint.into(),
            span: span.into(),
        }
    }

    /// A warning.
    pub fn warning(
        code: impl Into<Code>,
        message: impl Into<String>,
        hint: impl Into<String>,
        span: impl Into<Option<Span>>,
    ) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(code, message, hint, span)
        }
    }

    /// Whether the model is refused.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The diagnostic as plain text: code and message, the lines with the place marked, the hint.
    ///
    /// ```
    /// use galilei_model::{Settings, read};
    /// let text = "coord x\nkinetic: y'^2\n";
    /// let diagnostics = read(text, &Settings::default()).diagnostics;
    /// let shown = diagnostics[0].render("m.gal", text);
    /// assert!(shown.contains("\n --> m.gal:2:10\n  |\n2 | kinetic: y'^2\n  |          ^\n"));
    /// ```
    pub fn render(&self, file: &str, source: &str) -> String {
        snippet::draw(self, file, source, &Renderer::plain())
    }

    /// The diagnostic as [`Diagnostic::render`] gives it, with ANSI escape codes for colours.
    pub fn render_coloured(&self, file: &str, source: &str) -> String {
        snippet::draw(self, file, source, &Renderer::styled())
    }
}

/// One error without a place in the file, as the reason of a refusal.
pub fn refused(
    code: impl Into<Code>,
    message: impl Into<String>,
    hint: impl Into<String>,
) -> Vec<Diagnostic> {
    vec![Diagnostic::error(code, message, hint, None)]
}

impl From<SyntaxError> for Diagnostic {
    fn from(e: SyntaxError) -> Self {
        Self::error(e.code, e.message, e.hint, e.span)
    }
}

/// The known word nearest to what was written, if any is near.
pub(crate) fn nearest<'w>(word: &str, known: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    galilei_syntax::nearest(word, known)
}
