//! The derivation, from space-time to motion: formulas, what they rest on, where that is from.

use std::fmt::Write;

use super::Page;
use super::formula::display;
use crate::derivation::{Formula, Section};
use crate::markup::escaped;
use crate::theorem::{PAPERS, theorem};

/// Chapters, and the sections they hold; what is in none comes last.
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
    ("The motion: X ⌟ Ω = 0", &["lagrange"]),
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

impl Page<'_, '_> {
    pub(super) fn derivation(&self, out: &mut String) {
        out.push_str(
            "<p>Every formula below was derived for this model. The numbers at the right name the theorems they rest on; \
             <a href=\"#checks\">what was proved</a> about them stands in the next part.</p>\n",
        );
        let mut told: Vec<&'static str> = Vec::new();
        let mut number = 0;
        for (title, words) in CHAPTERS {
            let known = |s: &&Section| words.contains(&s.what);
            let last = title == CHAPTERS[CHAPTERS.len() - 1].0;
            let stray = |s: &&Section| last && CHAPTERS.iter().all(|c| !c.1.contains(&s.what));
            let sections = self.sections.iter().filter(|s| known(s) || stray(s));
            let sections: Vec<&Section> = sections.filter(|s| !s.formulas.is_empty()).collect();
            if sections.is_empty() {
                continue;
            }
            number += 1;
            let _ = writeln!(out, "<h3><span>{number}</span> {}</h3>", escaped(title));
            for section in sections {
                self.section(out, section, &mut told);
            }
        }
        self.absent(out);
        sources(out);
    }

    fn section(&self, out: &mut String, section: &Section, told: &mut Vec<&'static str>) {
        let steps = section
            .formulas
            .chunk_by(|a, b| b.label.is_empty() && a.theorem == b.theorem && a.note == b.note);
        for step in steps {
            self.step(out, section, step, told);
        }
        if let Some(reason) = &section.reason {
            let _ = writeln!(out, "<p class=\"why\">{}</p>", escaped(reason));
        }
        if !section.abbreviations.is_empty() {
            abbreviations(out, section);
        }
    }

    /// Formulas under one label, with their theorem.
    fn step(
        &self,
        out: &mut String,
        section: &Section,
        step: &[Formula],
        told: &mut Vec<&'static str>,
    ) {
        let Some(first) = step.first() else {
            return;
        };
        let _ = write!(
            out,
            "<div class=\"step\"><p class=\"label\"><span>{}</span><b>{}</b></p>\n",
            escaped(&first.label),
            first.theorem
        );
        for f in step {
            out.push_str(&display(&f.layout));
        }
        let mut said = Vec::new();
        if !first.note.is_empty() {
            said.push(sentence(&first.note));
        }
        if section.what == "forces" {
            said.extend(self.potentials(&first.label));
        }
        if let Some(t) = theorem(first.theorem)
            && !told.contains(&t.number)
        {
            told.push(t.number);
            let source = match t.source {
                "" => String::new(),
                s => format!(" <cite>{}</cite>", escaped(s)),
            };
            said.push(format!("{}{source}", escaped(t.says)));
        }
        if !said.is_empty() {
            let _ = writeln!(out, "<p class=\"why\">{}</p>", said.join(" "));
        }
        out.push_str("</div>\n");
    }

    /// The potentials that were found for a force.
    fn potentials(&self, name: &str) -> Option<String> {
        let force = self.check.forces.iter().find(|f| f.name == name)?;
        let (v, a) = force.potentials.as_ref()?;
        let mut text = format!("V = {}", v.to_unicode());
        if a.iter().any(|a| !a.is_zero()) {
            let list: Vec<String> = a.iter().map(|a| a.to_unicode()).collect();
            text += &format!(", A = ({})", list.join(", "));
        }
        Some(escaped(&format!("{text}.")))
    }

    /// What this system does not have.
    fn absent(&self, out: &mut String) {
        let empty = self.sections.iter().filter(|s| s.formulas.is_empty());
        let list: Vec<String> = empty
            .map(|s| {
                let reason = s.reason.as_deref().unwrap_or("nothing to say");
                format!("{}: {}", escaped(s.title), escaped(reason))
            })
            .collect();
        if !list.is_empty() {
            let _ = writeln!(
                out,
                "<details><summary>What does not apply to this system</summary><ul><li>{}</li></ul></details>",
                list.join("</li>\n<li>")
            );
        }
    }
}

fn abbreviations(out: &mut String, section: &Section) {
    let _ = write!(
        out,
        "<div class=\"step\"><p class=\"label\"><span>where</span></p>\n"
    );
    let many = section.abbreviations.len() > 12;
    if many {
        let n = section.abbreviations.len();
        let _ = write!(out, "<details><summary>{n} abbreviations</summary>\n");
    }
    for (name, value) in &section.abbreviations {
        out.push_str(&display(&name.clone().equals(value.clone())));
    }
    if many {
        out.push_str("</details>\n");
    }
    out.push_str("</div>\n");
}

fn sources(out: &mut String) {
    out.push_str("<details><summary>Sources</summary><dl class=\"sources\">\n");
    for (letters, paper) in PAPERS {
        let _ = writeln!(
            out,
            "<dt>{}</dt><dd>{}</dd>",
            escaped(letters),
            escaped(paper)
        );
    }
    out.push_str("</dl></details>\n");
}

/// Text with a capital and a full stop.
fn sentence(text: &str) -> String {
    let formula = text.contains('=');
    let mut letters = text.chars();
    let text = match (letters.next(), formula) {
        (Some(c), false) => c.to_uppercase().chain(letters).collect(),
        _ => text.to_owned(),
    };
    match text.ends_with(['.', ')']) {
        true => escaped(&text),
        false => escaped(&format!("{text}.")),
    }
}
