//! The glossary of a model: what each of its names is, in which unit, with which value. Editors show it.

use crate::dimension::Dimension;
use crate::reader::{Meaning, Reader};
use crate::size::term_count;

/// The number of terms up to which the formula of an abbreviation is spelt out.
const MAX_TERMS_SHOWN: usize = 60;

/// The kind of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NameKind {
    /// An integer known while the file is read.
    Constant,
    /// A parameter.
    Parameter,
    /// A coordinate.
    Coordinate,
    /// An abbreviation.
    Abbreviation,
}

impl NameKind {
    /// The kind in one word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::Parameter => "parameter",
            Self::Coordinate => "coordinate",
            Self::Abbreviation => "abbreviation",
        }
    }
}

/// A name of a model: a constant, a parameter, a coordinate or an abbreviation, or a family of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameEntry {
    /// The name, without an index.
    pub name: String,
    /// The kind of the name.
    pub kind: NameKind,
    /// The dimension in SI base units, `kg*m/s^2`, written or found from the formulas; `1` for a number, with commas
    /// between the components of a tuple. `None` where it is unknown.
    pub dimension: Option<String>,
    /// The unit as written.
    pub unit: Option<String>,
    /// The value in SI units or the formula; `None` where there is none, or it is long.
    pub value: Option<String>,
    /// The range of the index of a family.
    pub range: Option<(i64, i64)>,
}

/// A known dimension as text.
fn known(r: &Reader<'_, '_>, dimensions: &[Dimension]) -> Option<String> {
    let shown = dimensions.iter().map(|d| r.unifier.resolve(d).to_string());
    let list: Vec<String> = shown.collect();
    let all = !list.is_empty() && list.iter().all(|d| !d.contains("unknown"));
    let same = list.iter().all(|d| *d == list[0]);
    match (all, same) {
        (false, _) => None,
        (true, true) => Some(list[0].clone()),
        (true, false) => Some(list.join(", ")),
    }
}

/// The glossary of what was read, in alphabetical order.
pub(crate) fn glossary(r: &Reader<'_, '_>) -> Vec<NameEntry> {
    let mut list: Vec<NameEntry> = Vec::new();
    for (name, (meaning, _)) in &r.names {
        let mut entry = NameEntry {
            name: name.clone(),
            kind: NameKind::Parameter,
            dimension: None,
            unit: None,
            value: None,
            range: None,
        };
        match *meaning {
            Meaning::Constant(n) => {
                entry.kind = NameKind::Constant;
                entry.value = Some(n.to_string());
            }
            Meaning::Parameter(k) | Meaning::Parameters(_, k, _) => {
                if let Meaning::Parameters(low, _, count) = *meaning {
                    entry.range = Some((low, low.saturating_add(count as i64 - 1)));
                }
                if let Some(p) = r.parameters.get(k) {
                    entry.dimension = known(r, std::slice::from_ref(&p.dimension));
                    entry.unit.clone_from(&p.unit);
                    let value = p.value.filter(|_| entry.range.is_none());
                    entry.value = value.map(|v| v.to_string());
                }
            }
            Meaning::Coordinate(k) | Meaning::Coordinates(_, k, _) => {
                entry.kind = NameKind::Coordinate;
                if let Meaning::Coordinates(low, _, count) = *meaning {
                    entry.range = Some((low, low.saturating_add(count as i64 - 1)));
                }
                if let Some(c) = r.coordinates.get(k) {
                    entry.dimension = known(r, std::slice::from_ref(&c.dimension));
                    entry.unit.clone_from(&c.unit_text);
                }
            }
            Meaning::Manifold(k) | Meaning::Manifolds(_, k, _) => {
                entry.kind = NameKind::Coordinate;
                if let Meaning::Manifolds(low, _, count) = *meaning {
                    entry.range = Some((low, low.saturating_add(count as i64 - 1)));
                }
                entry.dimension = Some("1".into());
                entry.value = r.manifolds.get(k).map(|m| format!("on {}", m.kind.word()));
            }
            Meaning::Let(d) => {
                entry.kind = NameKind::Abbreviation;
                entry.range = r.definitions.get(d).and_then(|d| d.range);
                if let Some(value) = r.read_value(d, entry.range.map(|range| range.0)) {
                    entry.dimension = known(r, &value.dimensions);
                    let short = term_count(value.parts.clone()) <= MAX_TERMS_SHOWN;
                    if short && entry.range.is_none() {
                        let parts: Vec<String> =
                            value.parts.iter().map(|e| e.to_string()).collect();
                        entry.value = Some(match value.tuple {
                            true => format!("({})", parts.join(", ")),
                            false => parts.join(", "),
                        });
                    }
                }
            }
            _ => continue,
        }
        list.push(entry);
    }
    list.sort_by(|a, b| a.name.cmp(&b.name));
    list
}
