//! Errors and warnings, and documents with warnings.

use galilei_model::Lines;
use serde::Serialize;

/// An error or a warning, with its place counted from one. What is not in the file has none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// A stable word, listed in the documentation.
    pub code: String,
    /// The error, explained in terms of mechanics.
    pub message: String,
    /// The suggestion what to write instead; may be empty.
    pub hint: String,
    /// The line where it begins.
    pub line: Option<usize>,
    /// The column where it begins.
    pub column: Option<usize>,
    /// The line where it ends.
    pub end_line: Option<usize>,
    /// The column behind its end.
    pub end_column: Option<usize>,
}

impl Diagnostic {
    /// The document of a diagnostic of a text.
    pub fn new(d: &galilei_model::Diagnostic, source: &str) -> Self {
        let lines = Lines::new(source);
        let start = d.span.map(|s| lines.place(s.start));
        let end = d.span.map(|s| lines.place(s.end));
        Self {
            code: d.code.to_string(),
            message: d.message.clone(),
            hint: d.hint.clone(),
            line: start.map(|p| p.0),
            column: start.map(|p| p.1),
            end_line: end.map(|p| p.0),
            end_column: end.map(|p| p.1),
        }
    }
}

/// The warnings among diagnostics of a text.
pub fn warnings(diagnostics: &[galilei_model::Diagnostic], source: &str) -> Vec<Diagnostic> {
    let some = diagnostics.iter().filter(|d| !d.is_error());
    some.map(|d| Diagnostic::new(d, source)).collect()
}

/// The document of a command that was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// Always false.
    pub ok: bool,
    /// The errors.
    pub errors: Vec<Diagnostic>,
    /// The warnings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Diagnostic>,
}

impl Refusal {
    /// The document of diagnostics of a text.
    pub fn new(diagnostics: &[galilei_model::Diagnostic], source: &str) -> Self {
        let errors = diagnostics.iter().filter(|d| d.is_error());
        Self {
            ok: false,
            errors: errors.map(|d| Diagnostic::new(d, source)).collect(),
            warnings: warnings(diagnostics, source),
        }
    }
}

/// A document with warnings behind its entries, where there are any.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer<T> {
    /// The document.
    #[serde(flatten)]
    pub answer: T,
    /// The warnings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Diagnostic>,
}

impl<T> Answer<T> {
    /// A document with the warnings among diagnostics of a text.
    pub fn new(answer: T, diagnostics: &[galilei_model::Diagnostic], source: &str) -> Self {
        Self {
            answer,
            warnings: warnings(diagnostics, source),
        }
    }
}
