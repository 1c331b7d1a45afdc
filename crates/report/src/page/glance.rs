//! The first screen: the mechanism in motion, the equations of motion, what was proved, and the plot that matters.

use std::fmt::Write;

use galilei_check::{Finding, Status};
use galilei_expr::Layout;
use galilei_model::Model;

use super::Page;
use super::formula::{definition, display, latex_attribute};
use crate::animation;
use crate::derivation::{Formula, Section};
use crate::figure::{Footage, Mechanism};
use crate::history::{Histories, Record};
use crate::markup::readable;
use crate::topic::Topic;
use crate::units::Units;

/// Characters of equations that are shown on the first screen; further ones are folded.
const MAX_SHOWN_CHARACTERS: usize = 620;

/// Abbreviations up to which equations are shown.
const MAX_ABBREVIATIONS: usize = 8;
/// Equations and their characters up to which a plot fits below them.
const MAX_SHORT_EQUATIONS: usize = 4;
const MAX_SHORT_CHARACTERS: usize = 240;

impl Page<'_, '_> {
    pub(super) fn glance(&self, out: &mut String, histories: Option<&Histories>) {
        let plot = histories.and_then(Histories::key);
        let plot = plot.map(|plot| format!("<figure>{}</figure>\n", plot.to_svg("plot-1")));
        let mut moving = String::new();
        if let Ok(record) = &self.record {
            motion(self.model, &mut moving, record);
        }
        let mut equations = String::from("<h2>Equations of motion</h2>\n");
        let long = self.equations(&mut equations);
        let proof = format!("<p class=\"proof\">{}</p>\n", self.proof());
        let plot = plot.unwrap_or_default();
        // Both columns are about equally high.
        let columns = match (moving.is_empty(), long) {
            (true, _) => [equations + &proof, plot],
            (false, true) => [moving + &plot, equations + &proof],
            (false, false) => [moving, equations + &proof + &plot],
        };
        out.push_str("<div class=\"glance\">\n");
        for column in columns.iter().filter(|c| !c.is_empty()) {
            let _ = write!(out, "<div>\n{column}</div>\n");
        }
        out.push_str("</div>\n");
    }

    /// Lagrange's equations, as in the derivation. Returns whether they take half of a screen.
    fn equations(&self, out: &mut String) -> bool {
        let lagrange = |s: &&Section| s.topic == Topic::Lagrange && !s.formulas.is_empty();
        let Some(section) = self.sections.iter().find(lagrange) else {
            out.push_str("<p>They are in <a href=\"#derivation\">the derivation</a>.</p>\n");
            return false;
        };
        if section.earlier || section.abbreviations.len() > MAX_ABBREVIATIONS {
            let n = section.formulas.len();
            let _ = writeln!(
                out,
                "<p>The {n} equations are long; they are written with abbreviations in <a href=\"#derivation\">the derivation</a>.</p>"
            );
            return false;
        }
        let mut used = 0;
        let mut fits = |f: &Formula| {
            used += f.layout.text_width();
            used <= MAX_SHOWN_CHARACTERS
        };
        let shown = section.formulas.iter().map_while(|f| fits(f).then_some(f));
        let shown = shown.count();
        let (first, rest) = section.formulas.split_at(shown);
        let all: Vec<&Layout> = section.formulas.iter().map(|f| &f.layout).collect();
        let _ = writeln!(out, "<div class=\"step\"{}>", latex_attribute(&all));
        let write = |out: &mut String, list: &[Formula]| {
            list.iter().for_each(|f| out.push_str(&display(&f.layout)));
        };
        write(out, first);
        if !rest.is_empty() || !section.abbreviations.is_empty() {
            let label = match (first.is_empty(), rest.len()) {
                (_, 0) => "abbreviations".to_owned(),
                (true, n) => format!("{n} equations"),
                (false, n) => format!("{n} more"),
            };
            let _ = writeln!(out, "<details><summary>{label}</summary>");
            write(out, rest);
            for (name, value) in &section.abbreviations {
                out.push_str(&definition(name, value));
            }
            out.push_str("</details>\n");
        }
        out.push_str("</div>\n");
        let characters: usize = first.iter().map(|f| f.layout.text_width()).sum();
        first.len() > MAX_SHORT_EQUATIONS || characters > MAX_SHORT_CHARACTERS
    }

    /// One line on what was proved.
    fn proof(&self) -> String {
        let judged = |f: &&Finding| f.required && matches!(f.status, Status::Verdict(_));
        let required: Vec<&Finding> = self.check.findings.iter().filter(judged).collect();
        let held = required.iter().filter(|f| f.holds()).count();
        let count = required.len();
        let certified = required.iter().any(|f| f.word() == "certified");
        let word = match certified {
            true => "proved or certified",
            false => "proved",
        };
        let mut text = match self.check.ok {
            Some(true) => format!(
                "<b class=\"verdict proved\">✓</b> {held} of {count} required properties {word}"
            ),
            Some(false) => format!(
                "<b class=\"verdict fails\">Something required does not hold:</b> {held} of {count} properties {word}"
            ),
            None => format!(
                "<b class=\"verdict undecided\">Not everything required could be decided:</b> {held} of {count} properties {word}"
            ),
        };
        let holds = |start: &str| {
            let named = |f: &&Finding| f.name.starts_with(start);
            self.check
                .findings
                .iter()
                .find(named)
                .is_some_and(Finding::holds)
        };
        if holds("postulate:") {
            text += match holds("Hamilton:") {
                true => {
                    ", among them that Lagrange’s, Hamilton’s and the action form’s equations are the same"
                }
                false => {
                    ", among them that Lagrange’s and the action form’s equations are the same"
                }
            };
        }
        text.push('.');
        let conserved = self.check.findings.iter().filter(|f| f.holds());
        let conserved = conserved.filter_map(|f| f.name.strip_prefix("conserved: "));
        let mut list: Vec<String> = conserved
            .map(|name| Layout::name(name).to_mathml(false))
            .collect();
        list.dedup();
        if !list.is_empty() {
            text += &format!(" Conserved: {}.", list.join(", "));
        }
        text + " <a href=\"#checks\">All findings</a>"
    }
}

/// The mechanism in motion, if the model places anything in space.
pub(super) fn motion(model: &Model, out: &mut String, record: &Record) {
    let Some(mechanism) = Mechanism::new(model) else {
        return;
    };
    let wanted = animation::frames(mechanism.points.len());
    let states = spaced(&record.run.rows, wanted);
    let Some(footage) = Footage::new(&mechanism, model, &states) else {
        return;
    };
    let units = Units::of(model.contents());
    let (whole, played) = (footage.fixed(), footage.followed());
    let follows = match played.camera {
        Some(_) => " The camera follows the mechanism.",
        None => "",
    };
    let _ = writeln!(
        out,
        "<figure class=\"motion\">{}<figcaption>The motion from t = {} to {} {}.{follows}</figcaption></figure>",
        animation::animation(
            &whole,
            &played,
            &record.run.contacts,
            [units.length, units.time]
        ),
        readable(whole.times.first().copied().unwrap_or(0.0)),
        readable(whole.times.last().copied().unwrap_or(0.0)),
        units.time
    );
}

/// Evenly spaced rows, including the first and the last.
pub(super) fn spaced(rows: &[Vec<f64>], wanted: usize) -> Vec<&[f64]> {
    let last = rows.len().saturating_sub(1);
    if last < wanted {
        return rows.iter().map(Vec::as_slice).collect();
    }
    let pick = |k: usize| rows[k * last / (wanted - 1)].as_slice();
    (0..wanted).map(pick).collect()
}
