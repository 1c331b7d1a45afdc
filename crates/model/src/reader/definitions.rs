//! Abbreviations of one's own, each read once.

use galilei_expr::Function;
use galilei_syntax::{Expression, ExpressionKind as E, Span};

use super::Reader;
use super::calls::BUILT_IN;
use super::meaning::Progress;
use super::momenta::MOMENTUM;
use crate::code::Code;
use crate::value::Value;

impl<'p, 's> Reader<'p, 's> {
    /// The value of an abbreviation, computed once.
    pub(super) fn defined(
        &mut self,
        d: usize,
        index: Option<i64>,
        name: &str,
        span: Span,
    ) -> Option<Value<'p>> {
        match self.memo.get(&(d, index)) {
            Some(Progress::Done(v)) => {
                let mut v = v.clone()?;
                v.uses = v.uses.seen_at(span);
                // Zero fits anything, anew each time it is used.
                for k in 0..v.len() {
                    if v.parts[k].is_zero() && v.dimensions[k].is_unknown() {
                        v.dimensions[k] = self.unifier.unknown();
                    }
                }
                return Some(v);
            }
            Some(Progress::Open) => {
                self.error(
                    Code::SelfReference,
                    format!("the definition of `{name}` refers to itself"),
                    "an abbreviation is made of other things; the chain of `let`s closes here",
                    span,
                );
                return None;
            }
            None => {}
        }
        let declaration = self.definitions[d].declaration;
        if declaration.value.as_ref().is_some_and(|e| self.is_form(e)) {
            self.no_scalar(span, &format!("`{name}` is a differential form"));
            return None;
        }
        self.memo.insert((d, index), Progress::Open);
        let outer = std::mem::take(&mut self.locals);
        if let (Some(k), Some(binder)) = (index, &declaration.binder) {
            let value = Value::number(self.pool.number(k));
            self.locals.push((binder.variable.text.clone(), value));
        }
        let v = declaration.value.as_ref().and_then(|e| self.read(e));
        let v = match self.definitions[d].input.is_some() {
            true => {
                let own = match index {
                    None => declaration.name.text.clone(),
                    Some(k) => format!("{}[{k}]", declaration.name.text),
                };
                self.input_value(d, &own, v)
            }
            false => v,
        };
        // A definition that was not read completely has no value, only names.
        let v = v.filter(|_| !self.is_spoilt(declaration.span));
        self.locals = outer;
        self.memo.insert((d, index), Progress::Done(v.clone()));
        let mut v = v?;
        v.uses = v.uses.seen_at(span);
        Some(v)
    }

    /// The value of an abbreviation that has been read.
    pub(crate) fn read_value(&self, d: usize, index: Option<i64>) -> Option<&Value<'p>> {
        match self.memo.get(&(d, index)) {
            Some(Progress::Done(value)) => value.as_ref(),
            _ => None,
        }
    }

    /// Reads every abbreviation, also those that nothing uses.
    pub(crate) fn read_definitions(&mut self) {
        // Given members first: the others may refer to them.
        let ranged = |d: &usize| self.definitions[*d].declaration.binder.is_some();
        let (families, single): (Vec<usize>, Vec<usize>) =
            (0..self.definitions.len()).partition(ranged);
        for d in single.into_iter().chain(families) {
            let declaration = self.definitions[d].declaration;
            if let Some(arguments) = &declaration.parameters {
                // A function that nothing calls: at least its names must be known.
                if let Some(body) = &declaration.value {
                    let mut bound: Vec<&str> = arguments.iter().map(|a| a.text.as_str()).collect();
                    self.known_names(body, &mut bound);
                }
                continue;
            }
            if declaration.value.as_ref().is_some_and(|e| self.is_form(e)) {
                self.defined_form(d, declaration.name.span);
                continue;
            }
            let indices = match self.definitions[d].range {
                Some((low, high)) => (low..=high).map(Some).collect(),
                None => vec![None],
            };
            for k in indices {
                self.defined(d, k, &declaration.name.text, declaration.name.span);
            }
        }
    }

    /// Reports names and functions of a formula that nothing declares.
    fn known_names(&mut self, e: &'s Expression, bound: &mut Vec<&'s str>) {
        match &e.kind {
            E::Number(_) | E::Missing => {}
            E::Name(name) => {
                let known = bound.contains(&name.as_str())
                    || matches!(name.as_str(), "t" | "pi" | "π")
                    || self.names.contains_key(name);
                if !known {
                    let span = self.bare(e.span);
                    self.unknown(name, span);
                }
            }
            E::Index(name, index) => {
                if !self.names.contains_key(&name.text) && !bound.contains(&name.text.as_str()) {
                    self.unknown(&name.text, name.span);
                }
                index.iter().for_each(|i| self.known_names(i, bound));
            }
            E::Prime(a, _) | E::Negate(a) | E::Component(a, _) => self.known_names(a, bound),
            E::Sum(list) | E::Product(list) => {
                list.iter().for_each(|(_, a)| self.known_names(a, bound));
            }
            E::Power(a, b) | E::Compare(_, a, b) | E::Equals(a, b) => {
                self.known_names(a, bound);
                self.known_names(b, bound);
            }
            E::Tuple(list) | E::Wedge(list) => list.iter().for_each(|a| self.known_names(a, bound)),
            E::Fold(_, binder, body) => {
                self.known_names(&binder.range.low, bound);
                self.known_names(&binder.range.high, bound);
                bound.push(&binder.variable.text);
                self.known_names(body, bound);
                bound.pop();
            }
            E::Call(name, _, arguments) => {
                let of_statement = matches!(
                    name.text.as_str(),
                    "position" | "direction" | "velocity" | "omega" | "reaction" | "multiplier"
                );
                let momentum = self.momenta.is_some() && name.text == MOMENTUM;
                if !momentum
                    && !self.callables.contains_key(&name.text)
                    && !BUILT_IN.contains(&name.text.as_str())
                    && Function::from_name(&name.text).is_none()
                {
                    self.unknown_function(name);
                }
                let skip = usize::from(of_statement);
                arguments
                    .iter()
                    .skip(skip)
                    .for_each(|a| self.known_names(a, bound));
            }
        }
    }
}
