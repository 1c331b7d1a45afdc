//! The findings of a check with their verdicts, and the meaning of verdicts.

use std::fmt::Write;

use galilei_check::Finding;

use super::Page;
use crate::markup::{escaped, superscript};
use crate::theorem::theorem;

/// The words of verdicts, and their meanings.
const MEANINGS: [(&str, &str); 7] = [
    (
        "proved",
        "holds for all values of all symbols; the chance that this is wrong is below the stated bound, or zero",
    ),
    (
        "certified",
        "holds by rigorous enclosures, at the state named",
    ),
    (
        "sampled",
        "held at every point that was tried; this is no proof",
    ),
    ("undecided", "could not be decided, for the reason given"),
    ("no", "does not hold, and need not"),
    (
        "fails",
        "does not hold where it should; a point where it fails is named",
    ),
    (
        "note",
        "is seen in the form of the equations; whether a motion meets it is for the run to find",
    ),
];

fn detail(f: &Finding) -> String {
    let mut parts = Vec::new();
    if let Some(k) = f.bound().and_then(galilei_expr::Bound::exponent) {
        let exponent = i32::try_from(k).unwrap_or(i32::MIN);
        parts.push(format!("error below 2{}", superscript(exponent)));
    }
    let scope = f.scope();
    if !scope.is_empty() {
        parts.push(scope);
    }
    if !f.detail.is_empty() {
        parts.push(f.detail.clone());
    }
    if let Some(w) = f.witness().filter(|_| f.required) {
        parts.push(format!("at {w}"));
    }
    parts.join("; ")
}

impl Page<'_, '_> {
    pub(super) fn checks(&self, out: &mut String) {
        let _ = writeln!(
            out,
            "<p>{}</p>",
            match self.check.ok {
                Some(true) => "Everything that must hold for this model does.",
                Some(false) => "<strong>Something that must hold does not.</strong>",
                None => "<strong>Not everything that must hold could be decided.</strong>",
            }
        );
        out.push_str(
            "<table class=\"findings\"><thead><tr><th scope=\"col\">claim</th><th scope=\"col\">verdict</th>\
             <th scope=\"col\">theorem</th></tr></thead>\n<tbody>\n",
        );
        for f in &self.check.findings {
            self.finding(out, f);
        }
        out.push_str("</tbody></table>\n<dl class=\"verdicts\">\n");
        let met = |w: &str| self.check.findings.iter().any(|f| f.word() == w);
        for (word, meaning) in MEANINGS.iter().filter(|m| met(m.0)) {
            let _ = writeln!(
                out,
                "<dt><span class=\"verdict {word}\">{word}</span></dt><dd>{meaning}</dd>"
            );
        }
        out.push_str("</dl>\n");
    }

    fn finding(&self, out: &mut String, f: &Finding) {
        let word = f.word();
        let class = word.replace(' ', "-");
        let detail = match detail(f) {
            d if d.is_empty() => String::new(),
            d => format!("<small>{}</small>", escaped(&d)),
        };
        let title = theorem(f.theorem).map_or("", |t| t.says);
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\">{}{detail}</th><td><span class=\"verdict {class}\">{word}</span></td>\
             <td title=\"{}\">{}</td></tr>",
            escaped(&f.name),
            escaped(title),
            f.theorem
        );
    }
}
