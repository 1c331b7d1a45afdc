//! What is wrong with a model: a place, the physics, and what to write instead.

use galilei_syntax::{Lines, Span, SyntaxError};

use crate::code::Code;

/// Lines longer than this are shown in part.
const LONG: usize = 200;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The model is refused.
    Error,
    /// The model is used; something about it is worth knowing.
    Warning,
}

/// One thing to say about a model file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Whether the model is refused.
    pub severity: Severity,
    /// What kind of problem it is.
    pub code: Code,
    /// What is wrong, in the language of mechanics.
    pub message: String,
    /// What to write instead; may be empty.
    pub hint: String,
    /// Where in the file; `None` for what is not in it.
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

    /// The diagnostic as text: code and message, the line with the place marked, the hint.
    pub fn render(&self, file: &str, source: &str) -> String {
        use std::fmt::Write;
        let kind = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let mut out = format!("{kind}[{}]: {}\n", self.code, self.message);
        if let Some(span) = self.span {
            let lines = Lines::new(source);
            let (line, column) = lines.place(span.start);
            let (last_line, last_column) = lines.place(span.end);
            let text = lines.line(line).replace('\t', " ");
            let width = line.to_string().len();
            let length = text.chars().count();
            let end = if last_line == line {
                last_column
            } else {
                length + 1
            };
            // Of a very long line only the surroundings are shown.
            let from = if length > LONG {
                column.saturating_sub(40)
            } else {
                0
            };
            let shown: String = text.chars().skip(from).take(LONG).collect();
            let before = if from > 0 { "…" } else { "" };
            let after = if from + LONG < length { "…" } else { "" };
            let indent = column - 1 - from + before.chars().count();
            let marks = end.saturating_sub(column).clamp(1, LONG);
            let _ = writeln!(out, "{:width$}--> {file}:{line}:{column}", "");
            let _ = writeln!(out, "{:width$} |", "");
            let _ = writeln!(out, "{line} | {before}{shown}{after}");
            let _ = writeln!(out, "{:width$} | {:indent$}{}", "", "", "^".repeat(marks));
        }
        if !self.hint.is_empty() {
            let _ = writeln!(out, "  = hint: {}", self.hint);
        }
        out
    }
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
