//! The document of `derive`.

use serde::Serialize;

use super::Entries;
use crate::typeset::{latex_section, text_section};

/// The longest text of a section in bytes: what is longer is left out, and the components have it.
const MAX_TEXT: usize = 64_000;

/// Sections by the names of their topics.
pub type Derivation = Entries<Section>;

/// Components of a section, in the syntax of the model language.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Component {
    /// Nothing that could be written.
    Null,
    /// An expression, or words.
    Text(String),
    /// Components by name.
    Many(Entries<Component>),
}

/// A section of a derivation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Section {
    /// The formulas in LaTeX.
    pub latex: String,
    /// The formulas as text.
    pub text: String,
    /// The components.
    #[serde(flatten)]
    pub components: Entries<Component>,
    /// The definitions of the abbreviations in the components.
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    pub shared: Option<Entries<String>>,
    /// The numbers of the theorems.
    pub theorems: Vec<&'static str>,
    /// Why something is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Section {
    /// The document of a section.
    pub fn new(s: &crate::Section) -> Self {
        let short = |text: String| match text.len() <= MAX_TEXT {
            true => text,
            false => String::new(),
        };
        let mut theorems: Vec<&str> = Vec::new();
        for f in &s.formulas {
            if !theorems.contains(&f.theorem) {
                theorems.push(f.theorem);
            }
        }
        Self {
            latex: short(latex_section(s)),
            text: short(text_section(s)),
            components: s.components.clone(),
            shared: (!s.shared.0.is_empty()).then(|| s.shared.clone()),
            theorems,
            reason: s.reason.clone(),
        }
    }
}

impl<'s> FromIterator<&'s crate::Section> for Derivation {
    fn from_iter<I: IntoIterator<Item = &'s crate::Section>>(sections: I) -> Self {
        let entry = |s: &crate::Section| (s.topic.to_string(), Section::new(s));
        Self(sections.into_iter().map(entry).collect())
    }
}
