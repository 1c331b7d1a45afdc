//! The analysis of a model, which takes time: its diagnostics and the glossary of its names.

use galilei::{Diagnostic, Severity};
use galilei_model::{NameEntry, Settings, read_with_glossary};
use galilei_syntax::{MAX_FILE_BYTES, Span, parse};
use serde::{Deserialize, Serialize};

/// The diagnostics and names of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// Errors and warnings, in order of place.
    pub problems: Vec<Problem>,
    /// The names of the model.
    pub names: Vec<Named>,
}

/// A diagnostic with its place in bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// Whether the model is refused.
    pub error: bool,
    /// The kind of problem.
    pub code: String,
    /// The problem, in the language of mechanics.
    pub message: String,
    /// The suggested correction.
    pub hint: String,
    /// The first byte of the place and the one behind the last.
    pub place: Option<(u32, u32)>,
}

/// A name of the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Named {
    /// The name.
    pub name: String,
    /// `constant`, `parameter`, `coordinate` or `abbreviation`.
    pub kind: String,
    /// The dimension in SI units, where it is known.
    pub dimension: Option<String>,
    /// The unit as written.
    pub unit: Option<String>,
    /// The value in SI units, or the formula.
    pub value: Option<String>,
    /// The range of the index of a family.
    pub range: Option<(i64, i64)>,
}

impl Problem {
    fn new(d: &Diagnostic, shift: u32) -> Self {
        Self {
            error: d.severity == Severity::Error,
            code: d.code.to_string(),
            message: d.message.clone(),
            hint: d.hint.clone(),
            place: d.span.map(|s| (s.start + shift, s.end + shift)),
        }
    }

    /// The place of the problem.
    pub fn span(&self) -> Option<Span> {
        let (start, end) = self.place?;
        Some(Span { start, end })
    }
}

impl From<NameEntry> for Named {
    fn from(entry: NameEntry) -> Self {
        Self {
            name: entry.name,
            kind: entry.kind.as_str().to_owned(),
            dimension: entry.dimension,
            unit: entry.unit,
            value: entry.value,
            range: entry.range,
        }
    }
}

/// The length of a byte order mark in front of a text.
fn mark_length(text: &str) -> u32 {
    if text.starts_with('\u{feff}') { 3 } else { 0 }
}

impl Analysis {
    /// Errors of syntax alone, which take no time.
    pub fn of_syntax(text: &str) -> Self {
        let errors = parse(text).errors.into_iter();
        Self {
            problems: errors
                .map(|e| Problem::new(&Diagnostic::from(e), 0))
                .collect(),
            names: vec![],
        }
    }

    /// Reads the model, then judges it and its initial state.
    ///
    /// ```
    /// use galilei_lsp::Analysis;
    /// let analysis = Analysis::of("coord x [m]\nkinetic: y'^2\n");
    /// assert_eq!(analysis.problems[0].code, "unknown_name");
    /// assert_eq!(analysis.names[0].dimension.as_deref(), Some("m"));
    /// ```
    pub fn of(text: &str) -> Self {
        if text.len() > MAX_FILE_BYTES {
            return Self::of_syntax(text);
        }
        let shift = mark_length(text);
        let (outcome, names) = read_with_glossary(text, &Settings::default());
        let mut diagnostics = outcome.diagnostics;
        if let Some(model) = &outcome.model {
            diagnostics.extend(model.validate());
        }
        diagnostics.sort_by_key(|d| d.span.map_or((0, 0), |s| (s.start, s.end)));
        Self {
            problems: diagnostics.iter().map(|d| Problem::new(d, shift)).collect(),
            names: names.into_iter().map(Named::from).collect(),
        }
    }
}
