//! Sections as they are written: formulas with labels, theorems and notes.

use galilei_expr::Layout;

use crate::document::{Component, Entries};
use crate::topic::Topic;

/// One formula with its label, theorem and note.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Formula {
    /// The label: `Lagrange`, `Energy`, ….
    pub label: String,
    /// The formula.
    pub layout: Layout,
    /// Its theorem.
    pub theorem: &'static str,
    /// One line of explanation; may be empty.
    pub note: String,
}

/// One topic of a derivation, as it is written.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Section {
    /// The topic of the section.
    pub topic: Topic,
    /// The formulas.
    pub formulas: Vec<Formula>,
    /// The definitions of the abbreviations in the formulas.
    pub abbreviations: Vec<(Layout, Layout)>,
    /// Whether abbreviations of earlier sections are used as well.
    pub earlier: bool,
    /// The components in the model language.
    pub components: Entries<Component>,
    /// The definitions of the abbreviations in the components.
    pub shared: Entries<String>,
    /// The reason why the section is empty, if it is.
    pub reason: Option<String>,
}
