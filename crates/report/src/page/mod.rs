//! One self-contained page about a model: its motion and equations at a glance, then the model, its derivation, its check,
//! its run.
//!
//! The page needs no network and no script; the scripts it has play the motion and copy formulas.

mod analysis;
mod checks;
mod derivation;
mod formula;
mod glance;
mod opening;
mod reproduce;
mod run;

use std::fmt::Write;

use galilei_check::Check;
use galilei_model::Model;

use crate::derivation::Section;
use crate::history::{Histories, Record};
use crate::markup::escaped;
use crate::plot::DRAWING;

const STYLE: &str = include_str!("style.css");
/// The script of the buttons that copy; without scripts there are none.
const COPY: &str = include_str!("copy.js");
/// The script of a page with a run inside the studio: nearby motions while a slider moves, starts that are dragged.
const NEARBY: &str = include_str!("nearby.js");

/// The contents of a page.
pub struct Page<'a, 'm> {
    /// The model.
    pub model: &'m Model,
    /// Its text.
    pub source: &'a str,
    /// The sections of its derivation, in reading order.
    pub sections: Vec<Section>,
    /// The check of the model.
    pub check: Check<'m>,
    /// The run of the model, or the reason why there is none.
    pub record: Result<Record, String>,
    /// Answers to further questions, if they were asked for.
    pub additions: Vec<Addition>,
    /// The command that makes this page.
    pub command: String,
    /// The version that made it.
    pub version: &'a str,
}

/// An answer to a further question on a page.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Addition {
    /// Rest positions and steady motions.
    Equilibria(galilei_analyse::Equilibria),
    /// The modes about an equilibrium.
    Modes(Box<galilei_analyse::Modes>),
    /// The reason why a question has no answer.
    Missing(String),
}

/// The parts of a page: the anchor and the heading.
const PARTS: [(&str, &str); 6] = [
    ("model", "The model"),
    ("derivation", "The derivation"),
    ("checks", "What was checked"),
    ("run", "The run"),
    (ANALYSIS, "Equilibria and modes"),
    ("reproduce", "How to reproduce"),
];

/// The anchor of the part that is there only if it was asked for.
const ANALYSIS: &str = "analysis";

/// The beginning of a page, up to its body.
fn head(title: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title} · Galilei</title>\n<style>\n{DRAWING}{STYLE}</style>\n</head>\n<body>\n"
    )
}

/// A page with only a run: the mechanism in motion, and all plots.
pub fn run_page(model: &Model, record: &Record) -> String {
    let title = escaped(model.title());
    let mut out = head(&title);
    out.push_str("<main>\n");
    glance::motion(model, &mut out, record);
    let plots = Histories::new(model, record).all();
    run::group(&mut out, "Histories", &plots, &mut 0);
    let _ = write!(
        out,
        "</main>\n<script>{NEARBY}</script>\n</body>\n</html>\n"
    );
    out
}

/// A page with only a derivation.
pub(crate) fn derivation_alone(title: &str, sections: &[Section]) -> String {
    let title = escaped(title);
    let mut out = head(&title);
    let _ = write!(out, "<header><h1>{title}</h1></header>\n<main>\n");
    derivation::tell(&mut out, sections, &|_| None);
    out.push_str("</main>\n</body>\n</html>");
    out
}

impl Page<'_, '_> {
    /// The page as HTML.
    pub fn to_html(&self) -> String {
        let title = escaped(self.model.title());
        let mut out = head(&title);
        self.header(&mut out, &title);
        let record = self.record.as_ref().ok();
        let histories = record.map(|record| Histories::new(self.model, record));
        out.push_str("<main>\n");
        self.glance(&mut out, histories.as_ref());
        for (anchor, heading) in self.parts() {
            let _ = writeln!(
                out,
                "<section id=\"{anchor}\" aria-labelledby=\"{anchor}-h\">\n<h2 id=\"{anchor}-h\">{heading}</h2>"
            );
            match anchor {
                "model" => self.opening(&mut out),
                "derivation" => self.derivation(&mut out),
                "checks" => self.checks(&mut out),
                "run" => self.run(&mut out, histories.as_ref()),
                ANALYSIS => self.analysis(&mut out),
                _ => self.reproduce(&mut out),
            }
            out.push_str("</section>\n");
        }
        let _ = write!(out, "</main>\n<script>{COPY}</script>\n</body>\n</html>\n");
        out
    }

    /// The parts that this page has.
    fn parts(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let all = !self.additions.is_empty();
        PARTS.into_iter().filter(move |p| all || p.0 != ANALYSIS)
    }

    fn header(&self, out: &mut String, title: &str) {
        let _ = write!(out, "<header>\n<h1>{title}</h1>\n");
        let story = story(self.source);
        if !story.is_empty() {
            let _ = writeln!(out, "<p class=\"story\">{}</p>", escaped(&story));
        }
        let _ = writeln!(
            out,
            "<div class=\"line\"><p class=\"facts\">{}</p>",
            self.facts()
        );
        out.push_str("<nav aria-label=\"Parts of this page\">");
        for (anchor, heading) in self.parts() {
            let _ = write!(out, "<a href=\"#{anchor}\">{heading}</a> ");
        }
        out.push_str("</nav></div>\n</header>\n");
    }

    /// Degrees of freedom and similar properties, in words.
    fn facts(&self) -> String {
        let c = &self.check;
        let plural = |n: usize, one: &str, many: &str| match n {
            1 => format!("1 {one}"),
            n => format!("{n} {many}"),
        };
        let mut facts = vec![plural(
            c.dimension,
            "degree of freedom",
            "degrees of freedom",
        )];
        if let Some(k) = &c.constraints {
            facts[0] = plural(c.dimension, "coordinate", "coordinates");
            facts.push(plural(k.count, "constraint", "constraints"));
        }
        if c.time_dependent {
            facts.push("depends on time".into());
        }
        if c.conservative {
            facts.push("energy conserved".into());
        }
        facts.join(" · ")
    }
}

/// The comment at the beginning of a file, which describes the model.
pub fn story(source: &str) -> String {
    let lines = source.lines().map(str::trim);
    let comment = lines.take_while(|l| l.starts_with('#'));
    let words: Vec<&str> = comment.map(|l| l.trim_start_matches('#').trim()).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_does_not_end_early() {
        for script in [COPY, NEARBY] {
            assert!(!script.contains("</script") && !script.contains("<!--"));
        }
    }
}
