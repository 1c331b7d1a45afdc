//! The derivation, from space-time to motion: formulas with their theorems and sources.

use std::fmt::Write;

use super::Page;
use super::formula::{definition, display, latex_attribute};
use crate::chapter::{absent, chapters};
use crate::derivation::{Formula, Section};
use crate::markup::escaped;
use crate::theorem::{PAPERS, theorem};
use crate::topic::Topic;

impl Page<'_, '_> {
    pub(super) fn derivation(&self, out: &mut String) {
        out.push_str(
            "<p>Every formula below was derived for this model. The numbers at the right name the theorems they rest on; \
             <a href=\"#checks\">what was proved</a> about them is in the next part.</p>\n",
        );
        tell(out, &self.sections, &|name| self.potentials(name));
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
}

/// Looks up the text about the potentials of a force.
type Potentials<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// Writes all chapters, the sections that do not apply, and the sources.
pub(super) fn tell(out: &mut String, sections: &[Section], potentials: &Potentials<'_>) {
    let mut cited: Vec<&'static str> = Vec::new();
    for (k, chapter) in chapters(sections).iter().enumerate() {
        let title = escaped(chapter.title);
        let _ = writeln!(out, "<h3><span>{}</span> {title}</h3>", k + 1);
        for section in &chapter.sections {
            write_section(out, section, &mut cited, potentials);
        }
    }
    let list: Vec<String> = absent(sections)
        .map(|(title, reason)| format!("{}: {}", escaped(title), escaped(reason)))
        .collect();
    if !list.is_empty() {
        let _ = writeln!(
            out,
            "<details><summary>What does not apply to this system</summary><ul><li>{}</li></ul></details>",
            list.join("</li>\n<li>")
        );
    }
    sources(out);
}

fn write_section(
    out: &mut String,
    section: &Section,
    cited: &mut Vec<&'static str>,
    potentials: &Potentials<'_>,
) {
    let together = |a: &Formula, b: &Formula| b.label.is_empty() && a.theorem == b.theorem;
    for step in section.formulas.chunk_by(together) {
        write_step(out, section, step, cited, potentials);
    }
    if let Some(reason) = &section.reason {
        let _ = writeln!(out, "<p class=\"why\">{}</p>", escaped(reason));
    }
    if !section.abbreviations.is_empty() || section.earlier {
        abbreviations(out, section);
    }
}

/// Writes the formulas under one label, with their theorem.
fn write_step(
    out: &mut String,
    section: &Section,
    step: &[Formula],
    cited: &mut Vec<&'static str>,
    potentials: &Potentials<'_>,
) {
    let first = &step[0];
    let layouts: Vec<_> = step.iter().map(|f| &f.layout).collect();
    let _ = writeln!(
        out,
        "<div class=\"step\"{}><p class=\"label\"><span>{}</span><b>{}</b></p>",
        latex_attribute(&layouts),
        escaped(&first.label),
        first.theorem
    );
    for f in step {
        out.push_str(&display(&f.layout));
    }
    let notes = step.iter().filter(|f| !f.note.is_empty());
    let mut said: Vec<String> = notes.map(|f| sentence(&f.note)).collect();
    if section.topic == Topic::Forces {
        said.extend(potentials(&first.label));
    }
    if let Some(t) = theorem(first.theorem)
        && !cited.contains(&t.number)
    {
        cited.push(t.number);
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

fn abbreviations(out: &mut String, section: &Section) {
    let _ = writeln!(
        out,
        "<div class=\"step\"><p class=\"label\"><span>{}</span></p>",
        section.meaning()
    );
    let many = section.abbreviations.len() > 12;
    if many {
        let n = section.abbreviations.len();
        let _ = writeln!(out, "<details><summary>{n} abbreviations</summary>");
    }
    for (name, value) in &section.abbreviations {
        out.push_str(&definition(name, value));
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

/// Text with a full stop, and with a capital if it begins with a word.
fn sentence(text: &str) -> String {
    let word: String = text.chars().take_while(|c| c.is_alphabetic()).collect();
    let capital = word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase());
    let mut letters = text.chars();
    let text: String = match letters.next() {
        Some(c) if capital => c.to_uppercase().chain(letters).collect(),
        _ => text.to_owned(),
    };
    let end = if text.ends_with(['.', ')']) { "" } else { "." };
    escaped(&format!("{text}{end}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_capitals_and_formulas_have_not() {
        assert_eq!(sentence("not potential, P2"), "Not potential, P2.");
        assert_eq!(sentence("uⁱFᵢ"), "uⁱFᵢ.");
        assert_eq!(sentence("Ω = dω (T-26)"), "Ω = dω (T-26)");
    }
}
