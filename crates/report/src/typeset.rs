//! LaTeX, HTML with MathML, and the JSON of `derive`.

use crate::derivation::Section;
use crate::json::Json;

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

fn escaped(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => format!("\\{c}"),
            '\\' => "\\textbackslash{}".into(),
            '~' => "\\textasciitilde{}".into(),
            '^' => "\\textasciicircum{}".into(),
            c => c.to_string(),
        })
        .collect()
}

/// A LaTeX document that compiles by itself.
pub fn latex(title: &str, sections: &[Section]) -> String {
    let mut out = String::from(
        "\\documentclass{article}\n\\usepackage{amsmath}\n\\allowdisplaybreaks\n\\begin{document}\n",
    );
    out.push_str(&format!("\\section*{{{}}}\n", escaped(title)));
    for s in sections {
        out.push_str(&format!("\\subsection*{{{}}}\n", escaped(s.title)));
        out.push_str(&latex_section(s));
        out.push('\n');
    }
    out.push_str("\\end{document}");
    out
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

fn json_section(s: &Section) -> Json {
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
    let mut theorems: Vec<&str> = s.formulas.iter().map(|f| f.theorem).collect();
    theorems.dedup();
    entries.push(("theorems".into(), Json::texts(theorems)));
    if let Some(reason) = &s.reason {
        entries.push(("reason".into(), Json::text(reason)));
    }
    Json::Object(entries)
}

/// No string exceeds 64 kB: what would is left out, and the components say it.
fn cut(text: String) -> String {
    if text.len() <= 64_000 {
        text
    } else {
        String::new()
    }
}

fn html_text(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// One self-contained page with MathML.
pub fn html(title: &str, sections: &[Section]) -> String {
    let mut out =
        String::from("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    out.push_str(&format!("<title>{}</title>\n", html_text(title)));
    out.push_str("<style>body{font-family:serif;max-width:60em;margin:2em auto;padding:0 1em}math{display:block;margin:.6em 0}.t{float:right;color:#777}</style>\n</head>\n<body>\n");
    out.push_str(&format!("<h1>{}</h1>\n", html_text(title)));
    for s in sections {
        out.push_str(&format!("<h2>{}</h2>\n", html_text(s.title)));
        for f in &s.formulas {
            out.push_str(&format!(
                "<span class=\"t\">{}</span>{}\n",
                f.theorem,
                f.layout.to_mathml(true)
            ));
            if !f.note.is_empty() {
                out.push_str(&format!("<p>{}</p>\n", html_text(&f.note)));
            }
        }
        for (name, value) in &s.abbreviations {
            out.push_str(&format!(
                "{}\n",
                name.clone().equals(value.clone()).to_mathml(true)
            ));
        }
        if let Some(reason) = &s.reason {
            out.push_str(&format!("<p>{}</p>\n", html_text(reason)));
        }
    }
    out.push_str("</body>\n</html>");
    out
}
