//! Sections as LaTeX and as HTML with MathML.

use crate::derivation::Section;
use crate::markup::escaped;

/// Characters of LaTeX source after which a sum is broken.
const MAX_LINE_CHARACTERS: usize = 110;

/// The LaTeX of a section: one `align*`.
pub fn latex_section(s: &Section) -> String {
    let mut lines: Vec<String> = s
        .formulas
        .iter()
        .map(|f| format!("  & {}", f.layout.to_latex_lines(MAX_LINE_CHARACTERS)))
        .collect();
    for (name, value) in &s.abbreviations {
        lines.push(format!(
            "  & {}",
            name.clone()
                .equals(value.clone())
                .to_latex_lines(MAX_LINE_CHARACTERS)
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

/// The section as a piece of a page, with MathML.
pub fn html_section(s: &Section) -> String {
    let mut out = format!("<p><b>{}</b></p>\n", escaped(s.topic.title()));
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
