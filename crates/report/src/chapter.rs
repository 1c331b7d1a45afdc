//! The order of the sections of a derivation.

use crate::derivation::Section;

/// Chapters, and the sections they hold.
const CHAPTERS: [(&str, &[&str]); 9] = [
    (
        "Time, space and inertia",
        &["spacetime", "metric", "kinetic"],
    ),
    ("Forces", &["forces", "inertia"]),
    (
        "Lagrangian, Cartan form, action form",
        &["lagrangian", "cartan", "action-form"],
    ),
    ("The motion", &["field", "lagrange"]),
    ("The canonical chart", &["hamiltonian", "hamilton"]),
    ("Energy", &["energy"]),
    (
        "Constraints and reactions",
        &["nonholonomic", "reaction", "constrained-hamilton"],
    ),
    (
        "Virtual work and variational principles",
        &["virtual-work", "central", "action", "first-variation"],
    ),
    ("Further", &["time-independent", "vertical", "jacobi"]),
];

/// Sections with formulas under one title.
pub(crate) struct Chapter<'s> {
    pub(crate) title: &'static str,
    pub(crate) sections: Vec<&'s Section>,
}

/// The position of a section: its chapter, and its place in it. Sections that no chapter names come last.
pub(crate) fn place(what: &str) -> (usize, usize) {
    let find = |(k, chapter): (usize, &(&str, &[&str]))| {
        let inside = chapter.1.iter().position(|w| *w == what)?;
        Some((k, inside))
    };
    let named = CHAPTERS.iter().enumerate().find_map(find);
    named.unwrap_or((CHAPTERS.len() - 1, usize::MAX))
}

/// The chapters of a derivation. Every section with formulas is in exactly one; those that no chapter names come last.
pub(crate) fn chapters(sections: &[Section]) -> Vec<Chapter<'_>> {
    let chapters = CHAPTERS.iter().enumerate().map(|(k, (title, _))| {
        let inside = sections.iter().filter(|s| place(s.what).0 == k);
        let mut sections: Vec<&Section> = inside.filter(|s| !s.formulas.is_empty()).collect();
        sections.sort_by_key(|s| place(s.what));
        Chapter { title, sections }
    });
    chapters.filter(|c| !c.sections.is_empty()).collect()
}

/// Titles of sections without formulas, with the reasons.
pub(crate) fn absent(sections: &[Section]) -> impl Iterator<Item = (&'static str, &str)> {
    let empty = sections.iter().filter(|s| s.formulas.is_empty());
    empty.map(|s| (s.title, s.reason.as_deref().unwrap_or("nothing to say")))
}
