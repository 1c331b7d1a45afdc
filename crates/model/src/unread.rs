//! Parts of a file that could not be read, and diagnostics that are mere consequences of them.
//!
//! A statement with an error of syntax may have declared a name or contained a term that is missing elsewhere. A diagnostic that
//! such a part may explain is not shown: it would send the reader to a place where nothing is wrong.

use std::collections::HashSet;

use galilei_syntax::{File, Kind, Span, Statement, SyntaxError};

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::reader::is_inside;

/// Codes of names that are unknown, or are not what they are used as.
const NAMED: [Code; 7] = [
    Code::UnknownName,
    Code::NotACoordinate,
    Code::UnknownBody,
    Code::UnknownConstraint,
    Code::UnknownFunction,
    Code::MissingIndex,
    Code::NotAFamily,
];

/// Codes of statements that are missing.
const ABSENT: [Code; 2] = [Code::NoCoordinates, Code::GravityWithoutMass];

/// Codes of what a statement may seem to say that was not read to its end.
const SEEMING: [Code; 11] = [
    Code::DimensionMismatch,
    Code::ShapeMismatch,
    Code::ConstantEvent,
    Code::InadmissibleConstraint,
    Code::NumberTooLarge,
    Code::WrongChart,
    Code::MissingEndTime,
    Code::MissingIndex,
    Code::NotAFamily,
    Code::DegenerateLagrangian,
    Code::DegenerateHamiltonian,
];

/// The parts of a file that could not be read.
pub(crate) struct Unread<'a> {
    text: &'a str,
    /// Names that may be declared there.
    names: HashSet<&'a str>,
    /// Statements with errors of syntax.
    spoilt: &'a [Span],
    /// Whether a statement could not be read at all.
    has_broken: bool,
}

impl<'a> Unread<'a> {
    pub(crate) fn new(text: &'a str, file: &'a File, spoilt: &'a [Span]) -> Self {
        Self {
            text,
            names: file.lost.iter().map(String::as_str).collect(),
            spoilt,
            has_broken: has_broken(&file.statements),
        }
    }

    /// Whether a diagnostic may be a consequence of parts that could not be read.
    pub(crate) fn explains(&self, d: &Diagnostic) -> bool {
        let inside = d.span.is_some_and(|s| is_inside(self.spoilt, s));
        let lost = |w: &str| self.names.contains(w) || galilei_syntax::is_keyword(w) && inside;
        let names = || d.span.is_some_and(|s| words(s.text(self.text)).any(lost));
        let anything = self.has_broken || !self.names.is_empty() || !self.spoilt.is_empty();
        NAMED.contains(&d.code) && names()
            || ABSENT.contains(&d.code) && anything
            || SEEMING.contains(&d.code) && inside
    }
}

/// The names in a piece of text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
}

/// Whether a statement could not be read at all.
fn has_broken(statements: &[Statement]) -> bool {
    statements.iter().any(|s| match &s.kind {
        Kind::Broken => true,
        Kind::For { body, .. } => has_broken(body),
        _ => false,
    })
}

/// The innermost statements with errors of syntax.
pub(crate) fn spoilt_statements(file: &File) -> Vec<Span> {
    let mut out = Vec::new();
    add_spoilt(&file.statements, &file.errors, &mut out);
    out
}

fn add_spoilt(statements: &[Statement], errors: &[SyntaxError], out: &mut Vec<Span>) {
    for s in statements {
        if let Kind::For { body, .. } = &s.kind {
            add_spoilt(body, errors, out);
            continue;
        }
        // Errors are in order of place.
        let first = errors.partition_point(|e| e.span.start < s.span.start);
        if errors
            .get(first)
            .is_some_and(|e| e.span.start <= s.span.end)
        {
            out.push(s.span);
        }
    }
}
