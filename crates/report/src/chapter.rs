//! The order of the sections of a derivation.

use crate::derivation::{GIVEN, Section};
use crate::topic::Topic;

/// Chapters, and the sections they hold.
const CHAPTERS: [(&str, &[Topic]); 9] = [
    (
        "Time, space and inertia",
        &[Topic::SpaceTime, Topic::Metric, Topic::Kinetic],
    ),
    ("Forces", &[Topic::Forces, Topic::Inertia]),
    (
        "Lagrangian, Cartan form, action form",
        &[Topic::Lagrangian, Topic::Cartan, Topic::ActionForm],
    ),
    ("The motion", &[Topic::Field, Topic::Lagrange]),
    (
        "The canonical chart",
        &[Topic::Hamiltonian, Topic::Hamilton],
    ),
    ("Energy", &[Topic::Energy]),
    (
        "Constraints and reactions",
        &[
            Topic::Nonholonomic,
            Topic::Reaction,
            Topic::ConstrainedHamilton,
        ],
    ),
    (
        "Virtual work and variational principles",
        &[
            Topic::VirtualWork,
            Topic::Central,
            Topic::Action,
            Topic::FirstVariation,
        ],
    ),
    (
        "Further",
        &[Topic::TimeIndependent, Topic::Vertical, Topic::Jacobi],
    ),
];

/// Sections with formulas under one title.
pub(crate) struct Chapter<'s> {
    pub(crate) title: &'static str,
    pub(crate) sections: Vec<&'s Section>,
}

/// The position of a section: its chapter, and its place in it. Sections that no chapter names come last.
pub(crate) fn place(topic: Topic) -> (usize, usize) {
    let find = |(k, chapter): (usize, &(&str, &[Topic]))| {
        let inside = chapter.1.iter().position(|t| *t == topic)?;
        Some((k, inside))
    };
    let named = CHAPTERS.iter().enumerate().find_map(find);
    named.unwrap_or((CHAPTERS.len() - 1, usize::MAX))
}

/// The chapters of a derivation. Every section with formulas is in exactly one; those that no chapter names come last.
pub(crate) fn chapters(sections: &[Section]) -> Vec<Chapter<'_>> {
    let chapters = CHAPTERS.iter().enumerate().map(|(k, (title, _))| {
        let inside = sections.iter().filter(|s| place(s.topic).0 == k);
        let mut sections: Vec<&Section> = inside.filter(|s| !s.formulas.is_empty()).collect();
        sections.sort_by_key(|s| place(s.topic));
        Chapter { title, sections }
    });
    let mut chapters: Vec<Chapter<'_>> = chapters.collect();
    if let Some(first) = given(sections) {
        for chapter in &mut chapters {
            let moved = |s: &Section| first.sections.iter().any(|f| f.topic == s.topic);
            chapter.sections.retain(|s| !moved(s));
        }
        chapters.insert(0, first);
    }
    chapters.retain(|c| !c.sections.is_empty());
    chapters
}

/// The first chapter of a system that is given by its action form: Ω, Theorem 1, Z.
fn given(sections: &[Section]) -> Option<Chapter<'_>> {
    let find = |topic: Topic| {
        let mut found = sections.iter().filter(|s| s.topic == topic);
        found.find(|s| !s.formulas.is_empty())
    };
    let form = find(Topic::ActionForm)?;
    (form.formulas[0].label == GIVEN).then(|| Chapter {
        title: "The action form, Theorem 1, the motion",
        sections: std::iter::once(form).chain(find(Topic::Field)).collect(),
    })
}

/// Titles of sections without formulas, with the reasons.
pub(crate) fn absent(sections: &[Section]) -> impl Iterator<Item = (&'static str, &str)> {
    let empty = sections.iter().filter(|s| s.formulas.is_empty());
    empty.map(|s| {
        (
            s.topic.title(),
            s.reason.as_deref().unwrap_or("nothing to say"),
        )
    })
}
