//! The language reference, and the entries of it that `galilei help TOPIC` prints.
//!
//! ```
//! use galilei_model::reference;
//! assert!(reference::entry("coord").unwrap().contains("chart of space-time"));
//! assert!(reference::entry("units").unwrap().contains("rpm"));
//! assert!(reference::entry("sqrt").unwrap().contains("square root"));
//! assert_eq!(reference::entry("coordinate"), None);
//! assert_eq!(reference::nearest_topic("cord"), Some("coord"));
//! ```

use galilei_syntax::{nearest, statement_words};

use crate::dimension::{named, unit_names};
use crate::reader::function_names;

/// The language reference as Markdown.
pub const LANGUAGE: &str = include_str!("../reference/language.md");

/// A section of the reference: its heading without marks, its depth, and the lines below it.
struct Section {
    title: &'static str,
    depth: usize,
    lines: Vec<&'static str>,
}

/// The sections of the reference in order; a line that starts with `#` inside a block of code is no heading.
fn sections() -> Vec<Section> {
    let mut list: Vec<Section> = Vec::new();
    let mut in_code = false;
    for line in LANGUAGE.lines() {
        in_code ^= line.starts_with("```");
        let depth = line.bytes().take_while(|b| *b == b'#').count();
        if !in_code && depth > 0 {
            list.push(Section {
                title: line[depth..].trim().trim_matches('`'),
                depth,
                lines: vec![],
            });
        } else if let Some(section) = list.last_mut() {
            section.lines.push(line);
        }
    }
    list
}

/// The names in the code spans of a table row: `asin` of `` `asin(x)` ``.
fn names_in(row: &str) -> impl Iterator<Item = &str> {
    let spans = row.split('`').skip(1).step_by(2);
    spans.map(|span| {
        let end = span.find(|c: char| !(c.is_alphanumeric() || c == '_'));
        &span[..end.unwrap_or(span.len())]
    })
}

/// The entry of a topic: a statement, a function, a unit, or a heading such as `units`. `None` for an unknown topic.
pub fn entry(topic: &str) -> Option<String> {
    let sections = sections();
    let wanted = topic.trim();
    let titled = |s: &Section| s.title.eq_ignore_ascii_case(wanted);
    if let Some(k) = sections.iter().position(titled) {
        let found = &sections[k];
        let mut text = format!("{}\n{}", found.title, found.lines.join("\n"));
        let below: Vec<&str> = sections[k + 1..]
            .iter()
            .take_while(|s| s.depth > found.depth)
            .map(|s| s.title)
            .collect();
        if !below.is_empty() {
            text = format!("{}\n\nEntries: {}\n", text.trim_end(), below.join(", "));
        }
        return Some(text);
    }
    let mut text = String::new();
    for section in &sections {
        let rows = section.lines.iter().filter(|l| l.starts_with("| "));
        let rows: Vec<&str> = rows
            .filter(|row| names_in(row).any(|name| name == wanted))
            .copied()
            .collect();
        if !rows.is_empty() {
            text.push_str(&format!("{}\n\n{}\n\n", section.title, rows.join("\n")));
        }
    }
    (!text.is_empty()).then_some(text)
}

/// All topics: the headings of the reference, the statements, functions and units of the language.
pub fn topics() -> Vec<&'static str> {
    let headings = sections().into_iter().skip(1).map(|s| s.title);
    let mut list: Vec<&str> = headings.collect();
    let words = statement_words()
        .chain(function_names())
        .chain(unit_names());
    for word in words.filter(|w| !matches!(*w, "vector" | "action")) {
        if !list.contains(&word) {
            list.push(word);
        }
    }
    list
}

/// The names of all functions of the language.
pub fn function_list() -> impl Iterator<Item = &'static str> {
    function_names()
}

/// The names of all units without prefixes.
pub fn unit_list() -> impl Iterator<Item = &'static str> {
    unit_names()
}

/// The dimension of a unit in SI base units: `kg*m/s^2` of `N`.
pub fn unit_dimension(name: &str) -> Option<String> {
    named(name).map(|unit| unit.dimension.to_string())
}

/// The topic whose name is closest to a word, for suggestions.
pub fn nearest_topic(word: &str) -> Option<&'static str> {
    nearest(word, topics())
}
