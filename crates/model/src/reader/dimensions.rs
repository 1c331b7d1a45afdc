//! Dimensions that must agree, and where they come from.

use galilei_syntax::{Expression, Span};

use super::Reader;
use super::meaning::{Meaning, Progress};
use crate::code::Code;
use crate::dimension::Dimension;

/// Whether a text consists of numbers: no name occurs in it.
fn is_numeric(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit())
        && text
            .chars()
            .all(|c| c.is_ascii_digit() || " .,()+-*/^eE".contains(c))
}

impl<'p, 's> Reader<'p, 's> {
    /// The velocity dimension of a coordinate.
    pub(crate) fn rate(&self, d: &Dimension) -> Dimension {
        d.div(&self.time_dimension)
    }

    /// Whether an expression of some dimension has the wanted one, which `of` has; reports it otherwise.
    pub(crate) fn fits(
        &mut self,
        dimension: &Dimension,
        e: &Expression,
        wanted: &Dimension,
        of: &str,
    ) -> Option<()> {
        let what = format!("`{}`", self.text(e.span));
        self.agree((dimension, &what), (wanted, of), e.span)
            .then_some(())
    }

    /// Requires equal dimensions; reports the given message if they differ.
    pub(crate) fn agree(
        &mut self,
        (left, what_left): (&Dimension, &str),
        (right, what_right): (&Dimension, &str),
        span: Span,
    ) -> bool {
        let of_energy = what_right.contains("energ") || what_right.contains("power");
        if self.unifier.equate(left, right) {
            if of_energy && self.energy_from.is_none() {
                self.energy_from = Some(span);
            }
            return true;
        }
        let (l, r) = (self.unifier.resolve(left), self.unifier.resolve(right));
        let origin = self.origins(span);
        let mut hint = if origin.is_empty() {
            "check the units".to_owned()
        } else {
            format!("the dimensions come from {origin}")
        };
        if let Some(first) = self.energy_from.filter(|first| of_energy && *first != span) {
            hint += &format!("; the first energy is in line {}", self.line(first));
        }
        let number = |d: &Dimension, what: &str| {
            d.is_none()
                && what.starts_with('`')
                && what[1..].starts_with(|c: char| c.is_ascii_digit())
        };
        let in_gravity = of_energy && is_numeric(self.text(span));
        let bare = number(&l, what_left) || number(&r, what_right) || in_gravity;
        if bare {
            hint +=
                "; a number has no dimension: give the quantity a name, `param NAME = 1 [unit]`";
        } else if of_energy {
            let coordinates = self.coordinates.iter().filter(|c| c.unit_text.is_none());
            let names: Vec<&str> = coordinates.map(|c| c.name.as_str()).take(4).collect();
            if let Some(first) = names.first() {
                hint += &format!(
                    "; {} without a unit {}: `coord {first} [m]`, if it is a length",
                    names.join(", "),
                    if names.len() == 1 {
                        "is a number"
                    } else {
                        "are numbers"
                    },
                );
            }
        }
        self.error(
            Code::DimensionMismatch,
            format!("{what_left} has the dimension [{l}], {what_right} [{r}]"),
            hint,
            span,
        );
        false
    }

    /// The origins of the dimensions at a place: the units of the names that occur in it.
    fn origins(&self, span: Span) -> String {
        let text = self.text(span);
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let mut seen: Vec<&str> = Vec::new();
        let mut list: Vec<String> = Vec::new();
        for word in text.split(|c: char| !is_name(c)) {
            if word.is_empty() || seen.contains(&word) || list.len() >= 5 {
                continue;
            }
            seen.push(word);
            let found = self.names.get(word);
            let (dimension, unit) = match found.map(|m| m.0) {
                Some(Meaning::Parameter(k) | Meaning::Parameters(_, k, _)) => {
                    let Some(p) = self.parameters.get(k) else {
                        continue;
                    };
                    (p.dimension.clone(), p.unit.clone())
                }
                Some(Meaning::Coordinate(k) | Meaning::Coordinates(_, k, _)) => {
                    let Some(c) = self.coordinates.get(k) else {
                        continue;
                    };
                    (c.dimension.clone(), c.unit_text.clone())
                }
                Some(Meaning::Let(k)) => match self.memo.get(&(k, None)) {
                    Some(Progress::Done(Some(v))) => (v.dimensions[0].clone(), None),
                    _ => continue,
                },
                _ if word == "t" => (self.time_dimension.clone(), Some("s".to_owned())),
                _ => continue,
            };
            let unit = unit.unwrap_or_else(|| self.unifier.resolve(&dimension).to_string());
            list.push(match found {
                Some((_, place)) => format!("{word} [{unit}] in line {}", self.line(*place)),
                None => format!("{word} [{unit}]"),
            });
        }
        list.join(", ")
    }
}
