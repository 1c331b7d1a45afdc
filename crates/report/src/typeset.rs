//! LaTeX, HTML with MathML, and the JSON of `derive`.

use crate::derivation::Section;
use crate::json::Json;
use crate::markup::escaped;

/// Characters of LaTeX source after which a sum is broken.
const LINE: usize = 110;

/// The LaTeX of a section: one `align*`.
pub fn latex_section(s: &Section) -> String {
    let mut lines: Vec<String> = s
        .formulas
        .iter()
        .map(|f| format!("  & {}", f.layout.to_latex_lines(LINE)))
        .collect();
    for (name, value) in &s.abbreviations {
        lines.push(format!(
            "  & {}",
            name.clone().equals(value.clone()).to_latex_lines(LINE)
        ));
    }
    if lines.is_empty() {
        return String::new();
    }
    format!(
        "\\begin{{align*}}\n{}\n\\end{{align*}}",
        lines.join(" \\\\\n")
    )
}

/// A complete LaTeX document.
pub fn latex(title: &str, sections: &[Section]) -> String {
    crate::latex::document(title, sections)
}

/// The text of a section, unwrapped.
pub fn text_section(s: &Section) -> String {
    let mut lines: Vec<String> = s.formulas.iter().map(|f| f.layout.to_text()).collect();
    lines.extend(
        s.abbreviations
            .iter()
            .map(|(n, v)| n.clone().equals(v.clone()).to_text()),
    );
    lines.extend(s.reason.iter().cloned());
    lines.join("\n")
}

/// `derive --json`
pub fn json(sections: &[Section]) -> Json {
    Json::Object(
        sections
            .iter()
            .map(|s| (s.what.to_owned(), json_section(s)))
            .collect(),
    )
}

/// A section of `derive --json`.
pub fn json_section(s: &Section) -> Json {
    let mut entries = vec![
        ("latex".to_owned(), Json::text(cut(latex_section(s)))),
        ("text".into(), Json::text(cut(text_section(s)))),
    ];
    if let Json::Object(components) = &s.components {
        entries.extend(components.iter().cloned());
    }
    if !s.shared.is_empty() {
        entries.push((
            "where".into(),
            Json::object(s.shared.iter().map(|(n, v)| (n.clone(), Json::text(v)))),
        ));
    }
    let mut theorems: Vec<&str> = Vec::new();
    for f in &s.formulas {
        if !theorems.contains(&f.theorem) {
            theorems.push(f.theorem);
        }
    }
    entries.push(("theorems".into(), Json::texts(theorems)));
    if let Some(reason) = &s.reason {
        entries.push(("reason".into(), Json::text(reason)));
    }
    Json::Object(entries)
}

/// A text, or an empty one if it exceeds 64 kB: the components contain the same formulas.
fn cut(text: String) -> String {
    if text.len() <= 64_000 {
        text
    } else {
        String::new()
    }
}

/// The section as a piece of a page, with MathML.
pub fn html_section(s: &Section) -> String {
    let mut out = format!("<p><b>{}</b></p>\n", escaped(s.title));
    for f in &s.formulas {
        out += &f.layout.to_mathml(true);
        out.push('\n');
    }
    for (name, value) in &s.abbreviations {
        out += &name.clone().equals(value.clone()).to_mathml(true);
        out.push('\n');
    }
    if let Some(reason) = &s.reason {
        out += &format!("<p>{}</p>\n", escaped(reason));
    }
    out
}

/// One self-contained page with MathML.
pub fn html(title: &str, sections: &[Section]) -> String {
    crate::page::derivation_alone(title, sections)
}
