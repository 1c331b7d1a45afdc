//! Sections as they are written: formulas with what is said about them.

use galilei_expr::Layout;

use crate::document::{Component, Entries};
use crate::topic::Topic;

/// One formula with what is said about it.
#[derive(Clone, Debug)]
pub struct Formula {
    /// What it is: `Lagrange`, `Energy`, ….
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
pub struct Section {
    /// What it is about.
    pub topic: Topic,
    /// The formulas.
    pub formulas: Vec<Formula>,
    /// What the abbreviations in the formulas stand for.
    pub abbreviations: Vec<(Layout, Layout)>,
    /// Whether abbreviations of earlier sections are used as well.
    pub earlier: bool,
    /// The components, in the model's own syntax.
    pub components: Entries<Component>,
    /// What the abbreviations in the components stand for.
    pub shared: Entries<String>,
    /// Why there is nothing here, if there is nothing.
    pub reason: Option<String>,
}
