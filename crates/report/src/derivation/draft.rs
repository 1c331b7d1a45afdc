//! Sections before abbreviations.

use super::shape::Shape;
use super::tree::Tree;
use crate::topic::Topic;

/// Formulas of one section before abbreviations.
pub struct Draft<'m> {
    pub(crate) topic: Topic,
    /// Label, left side, terms on the right with their frames, theorem, note.
    pub(crate) lines: Vec<Line<'m>>,
    pub(crate) components: Vec<(String, Tree<'m>)>,
    pub(crate) reason: Option<String>,
}

pub(crate) struct Line<'m> {
    pub(crate) label: String,
    pub(crate) shape: Shape<'m>,
    pub(crate) theorem: &'static str,
    pub(crate) note: String,
}
