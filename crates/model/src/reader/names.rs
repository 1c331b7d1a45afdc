//! Names of values, alone and with an index; those that nothing declares.

use std::collections::HashMap;

use galilei_expr::Function;
use galilei_syntax::{Expression, Name, Span};

use super::Reader;
use super::calls::BUILT_IN;
use super::meaning::Meaning;
use crate::code::Code;
use crate::diagnostic::nearest;
use crate::value::{Uses, Value};

impl<'p, 's> Reader<'p, 's> {
    pub(super) fn check_local(&mut self, name: &Name) {
        if is_reserved(&name.text) {
            self.reserved(name);
        }
    }

    pub(crate) fn reserved(&mut self, name: &Name) {
        let what = match name.text.as_str() {
            "t" => "`t` is time",
            "pi" | "π" => "this is the number π",
            _ => "this word starts a statement",
        };
        self.error(
            Code::ReservedName,
            format!("`{}` cannot be used as a name: {what}", name.text),
            "choose another name",
            name.span,
        );
    }

    pub(super) fn name(&mut self, name: &str, span: Span) -> Option<Value<'p>> {
        if let Some((_, v)) = self.locals.iter().rev().find(|(n, _)| n == name) {
            let mut v = v.clone();
            v.uses = v.uses.seen_at(span);
            return Some(v);
        }
        match name {
            "t" => {
                let uses = Uses {
                    symbols: true,
                    state: Some(span),
                    ..Uses::default()
                };
                return Some(Value::scalar(self.time, self.time_dimension.clone(), uses));
            }
            "pi" | "π" => return Some(Value::number(self.pool.pi())),
            _ => {}
        }
        match self.names.get(name).map(|m| m.0) {
            Some(Meaning::Constant(n)) => {
                let mut v = Value::number(self.pool.number(n));
                if n == 0 {
                    v.dimensions[0] = self.unifier.unknown();
                }
                Some(v)
            }
            Some(Meaning::Parameter(k)) => Some(self.parameter(k)),
            Some(Meaning::Coordinate(k)) => Some(self.coordinate(k, span)),
            Some(Meaning::Manifold(k)) => self.point(k, span),
            Some(Meaning::Inner(k)) => {
                self.inner(name, k, span);
                None
            }
            Some(Meaning::Let(k)) if self.definitions[k].range.is_none() => {
                self.defined(k, None, name, span)
            }
            Some(Meaning::Broken) => None,
            Some(_) => {
                self.error(
                    Code::MissingIndex,
                    format!("`{name}` is a family"),
                    format!("write {name}[k]"),
                    span,
                );
                None
            }
            None => {
                self.unknown(name, span);
                None
            }
        }
    }

    fn parameter(&self, k: usize) -> Value<'p> {
        let p = &self.parameters[k];
        let uses = Uses {
            symbols: true,
            ..Uses::default()
        };
        Value::scalar(p.symbol, p.dimension.clone(), uses)
    }

    fn coordinate(&self, k: usize, span: Span) -> Value<'p> {
        let c = &self.coordinates[k];
        let uses = Uses {
            symbols: true,
            state: Some(span),
            ..Uses::default()
        };
        Value::scalar(c.position, c.dimension.clone(), uses)
    }

    pub(super) fn unknown(&mut self, name: &str, span: Span) {
        if self.callables.contains_key(name)
            || BUILT_IN.contains(&name)
            || Function::from_name(name).is_some()
        {
            self.error(
                Code::MissingArguments,
                format!("`{name}` is a function and needs its arguments"),
                format!("write {name}(…)"),
                span,
            );
            return;
        }
        if self.declared.contains_key(name) && self.whole {
            self.error(
                Code::NotAnInteger,
                format!("`{name}` is no constant: ranges are known while the file is read"),
                format!("declare it with `const {name} = 3` to use it in ranges and indices"),
                span,
            );
            return;
        }
        if self.declared.contains_key(name) {
            self.error(
                Code::DeclaredLater,
                format!("`{name}` is not known yet"),
                "a parameter uses only parameters declared before it, constants and numbers; exchange them, or use `let`",
                span,
            );
            return;
        }
        if self.diagnostics.len() > galilei_syntax::MAX_ERRORS {
            return;
        }
        let locals: Vec<String> = self.locals.iter().map(|l| l.0.clone()).collect();
        // The nearest of thousands, again and again, takes its time.
        let few = self.names.len() * self.diagnostics.len() < 100_000;
        let none = HashMap::new();
        let known = if few { &self.names } else { &none }
            .keys()
            .map(String::as_str)
            .chain(locals.iter().map(String::as_str))
            .chain(["t", "pi"]);
        // Names come out of a hash table: sort for the same answer every time.
        let mut known: Vec<&str> = known.collect();
        known.sort_unstable();
        let hint = match self.rate_of(name).map(Err).or(nearest(name, known).map(Ok)) {
            Some(Err(x)) => format!("the velocity of {x} is `{x}'`"),
            Some(Ok(w)) => format!("did you mean `{w}`?"),
            None => format!("declare it: `param {name} = …`, `coord {name}` or `let {name} = …`"),
        };
        self.error(
            Code::UnknownName,
            format!("`{name}` is not known here"),
            hint,
            span,
        );
    }

    /// The coordinate whose velocity is meant by `x_dot`, `xdot` or `dx`.
    fn rate_of<'n>(&self, name: &'n str) -> Option<&'n str> {
        let x = name
            .strip_suffix("dot")
            .map(|x| x.strip_suffix('_').unwrap_or(x))
            .or(name.strip_prefix('d'))?;
        matches!(self.names.get(x)?.0, Meaning::Coordinate(..)).then_some(x)
    }

    pub(super) fn indexed(
        &mut self,
        name: &'s Name,
        index: &'s [Expression],
        span: Span,
    ) -> Option<Value<'p>> {
        let Some((meaning, _)) = self.names.get(&name.text).copied() else {
            self.unknown(&name.text, name.span);
            return None;
        };
        let [index] = index else {
            self.error(
                Code::WrongIndex,
                format!("a family has one index, not {}", index.len()),
                "write q[k]",
                span,
            );
            return None;
        };
        let k = self.integer(index, "an index")?;
        let (low, count) = match meaning {
            Meaning::Parameters(low, _, count)
            | Meaning::Coordinates(low, _, count)
            | Meaning::Manifolds(low, _, count) => (low, count as i64),
            Meaning::Inner(k) => {
                self.inner(&name.text, k, span);
                return None;
            }
            Meaning::Broken => return None,
            Meaning::Let(d) if self.definitions[d].range.is_some() => {
                return self.member(&name.text, k, index.span, span);
            }
            _ => {
                self.error(
                    Code::NotAFamily,
                    format!("`{}` is not a family and has no index", name.text),
                    format!(
                        "write `{}` alone; a unit needs a space before its bracket",
                        name.text
                    ),
                    span,
                );
                return None;
            }
        };
        if k < low || k - low >= count {
            let range = if count <= 0 {
                "the family is empty".to_owned()
            } else {
                format!("its indices are {low}..{}", low + count - 1)
            };
            self.error(
                Code::IndexOutOfRange,
                format!("`{}` has no member {k}: {range}", name.text),
                "check the ends of the range",
                index.span,
            );
            return None;
        }
        match meaning {
            Meaning::Parameters(_, first, _) => Some(self.parameter(first + (k - low) as usize)),
            Meaning::Coordinates(_, first, _) => {
                Some(self.coordinate(first + (k - low) as usize, span))
            }
            Meaning::Manifolds(_, first, _) => self.point(first + (k - low) as usize, span),
            _ => None,
        }
    }

    /// A member of a family of abbreviations, which may have several definitions.
    fn member(&mut self, name: &str, k: i64, index: Span, span: Span) -> Option<Value<'p>> {
        let pieces = self.families.get(name).map_or(&[][..], Vec::as_slice);
        if let Some(&(_, _, d)) = pieces.iter().find(|p| p.0 <= k && k <= p.1) {
            return self.defined(d, Some(k), name, span);
        }
        let mut ranges: Vec<(i64, i64)> = pieces
            .iter()
            .filter(|p| p.0 <= p.1)
            .map(|p| (p.0, p.1))
            .collect();
        ranges.sort_unstable();
        // Neighbouring pieces are one range.
        let mut joined: Vec<(i64, i64)> = Vec::new();
        for (low, high) in ranges {
            match joined.last_mut() {
                Some(last) if last.1.checked_add(1) == Some(low) => last.1 = high,
                _ => joined.push((low, high)),
            }
        }
        let list: Vec<String> = joined
            .iter()
            .map(|(low, high)| match low == high {
                true => low.to_string(),
                false => format!("{low}..{high}"),
            })
            .collect();
        let range = match list.is_empty() {
            true => "the family is empty".to_owned(),
            false => format!("its indices are {}", list.join(", ")),
        };
        self.error(
            Code::IndexOutOfRange,
            format!("`{name}` has no member {k}: {range}"),
            match pieces.iter().any(|p| k.checked_add(1) == Some(p.0)) {
                true => format!(
                    "give the first member, `let {name}[{k}] = …`, or check the ends of the range"
                ),
                false => "check the ends of the range".to_owned(),
            },
            index,
        );
        None
    }
}

/// Whether a word cannot name a value: `t`, `pi` and the words of statements.
pub fn is_reserved(name: &str) -> bool {
    matches!(name, "t" | "pi" | "π")
        || galilei_syntax::statement_words()
            .any(|w| w == name && !galilei_syntax::may_name_value(w))
}
