//! Sections as they are written: formulas with what is said about them.

use galilei_expr::Layout;

use crate::json::Json;

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

/// One thing that was asked for.
#[derive(Clone, Debug)]
pub struct Section {
    /// The word it was asked with.
    pub what: &'static str,
    /// Its title.
    pub title: &'static str,
    /// The formulas.
    pub formulas: Vec<Formula>,
    /// What the abbreviations in the formulas stand for.
    pub abbreviations: Vec<(Layout, Layout)>,
    /// Whether abbreviations of earlier sections are used as well.
    pub earlier: bool,
    /// The components, in the model's own syntax.
    pub components: Json,
    /// What the abbreviations in the components stand for.
    pub shared: Vec<(String, String)>,
    /// Why there is nothing here, if there is nothing.
    pub reason: Option<String>,
}
