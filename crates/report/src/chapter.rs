//! The order in which a derivation is told.

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

/// Sections that have something to say under one title.
pub(crate) struct Chapter<'s> {
    pub(crate) title: &'static str,
    pub(crate) sections: Vec<&'s Section>,
}

/// The chapters of a derivation. Every section with formulas is in exactly one; what is named in none comes last.
pub(crate) fn chapters(sections: &[Section]) -> Vec<Chapter<'_>> {
    let last = CHAPTERS.len() - 1;
    let place = |s: &Section| {
        let named = CHAPTERS.iter().position(|c| c.1.contains(&s.what));
        named.unwrap_or(last)
    };
    let order = |k: usize, s: &Section| {
        let named = CHAPTERS[k].1.iter().position(|w| *w == s.what);
        named.unwrap_or(usize::MAX)
    };
    let chapters = CHAPTERS.iter().enumerate().map(|(k, (title, _))| {
        let inside = sections.iter().filter(|s| place(s) == k);
        let mut sections: Vec<&Section> = inside.filter(|s| !s.formulas.is_empty()).collect();
        sections.sort_by_key(|s| order(k, s));
        Chapter { title, sections }
    });
    chapters.filter(|c| !c.sections.is_empty()).collect()
}

/// Titles of sections without formulas, with the reasons.
pub(crate) fn absent(sections: &[Section]) -> impl Iterator<Item = (&'static str, &str)> {
    let empty = sections.iter().filter(|s| s.formulas.is_empty());
    empty.map(|s| (s.title, s.reason.as_deref().unwrap_or("nothing to say")))
}
