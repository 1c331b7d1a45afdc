//! Sums and products over a family.

use galilei_syntax::{Expression, ExpressionKind as E, IndexBinder, Name, Span};

use super::Reader;
use super::meaning::{Callable, Meaning};
use crate::code::Code;
use crate::dimension::Dimension;
use crate::value::{Uses, Value};

impl<'p, 's> Reader<'p, 's> {
    /// `sum(k in 1..n: EXPR)` or `product(…)`: the body is read for each index. Terms have the same shape and dimensions; an
    /// empty sum is zero, an empty product one.
    pub(super) fn fold(
        &mut self,
        name: &Name,
        binder: &'s IndexBinder,
        body: &'s Expression,
        span: Span,
    ) -> Option<Value<'p>> {
        let mut values: Vec<Value<'p>> = Vec::new();
        let (low, _) = self.range(&binder.range)?;
        self.each(binder, |r, _| {
            values.push(r.read(body)?);
            Some(())
        })?;
        let sum = name.text == "sum";
        if values.is_empty() {
            if !sum {
                return Some(Value::number(self.pool.one()));
            }
            return self.empty_sum(binder, body);
        }
        let mut uses = Uses::default();
        values.iter().for_each(|v| uses = uses.with(v.uses));
        let n = values[0].len();
        if values.iter().any(|v| v.len() != n) || (!sum && n != 1) {
            self.error(
                Code::ShapeMismatch,
                if sum {
                    "the terms of this sum have different shapes"
                } else {
                    "a product over a family is one of scalars"
                },
                "every member must have the same number of components",
                body.span,
            );
            return None;
        }
        if !sum {
            let mut d = Dimension::none();
            values.iter().for_each(|v| d = d.mul(&v.dimensions[0]));
            let e = self.factors(values.iter().map(|v| v.parts[0]).collect(), span)?;
            return Some(Value::scalar(e, d, uses));
        }
        for (k, v) in values.iter().enumerate().skip(1) {
            for i in 0..n {
                let (a, b) = (
                    format!("the term for {} = {low}", binder.variable.text),
                    format!("that for {} = {}", binder.variable.text, low + k as i64),
                );
                if !self.agree((&values[0].dimensions[i], &a), (&v.dimensions[i], &b), span) {
                    return None;
                }
            }
        }
        let parts = (0..n)
            .map(|i| self.pool.sum(values.iter().map(|v| v.parts[i])))
            .collect();
        Some(Value {
            parts,
            dimensions: values[0].dimensions.clone(),
            tuple: values[0].tuple,
            uses,
        })
    }

    /// An empty sum is zero of its body's shape, which is read off a body for some index.
    fn empty_sum(&mut self, binder: &'s IndexBinder, body: &'s Expression) -> Option<Value<'p>> {
        let n = self.shape_of(body, &binder.variable.text, 0).unwrap_or(1);
        let dimensions = (0..n).map(|_| self.unifier.unknown()).collect();
        Some(Value {
            parts: vec![self.pool.zero(); n],
            dimensions,
            tuple: n > 1,
            uses: Uses::default(),
        })
    }

    /// The number of components of an expression, determined without reading members that may not exist.
    fn shape_of(&mut self, e: &'s Expression, bound: &str, depth: usize) -> Option<usize> {
        if depth > 64 {
            return None;
        }
        match &e.kind {
            E::Tuple(items) => Some(items.len()),
            E::Negate(a) => self.shape_of(a, bound, depth + 1),
            E::Sum(terms) => terms
                .iter()
                .find_map(|(_, t)| self.shape_of(t, bound, depth + 1)),
            E::Product(factors) => factors
                .iter()
                .filter_map(|(_, f)| self.shape_of(f, bound, depth + 1))
                .max(),
            E::Fold(_, binder, body) => self.shape_of(body, &binder.variable.text, depth + 1),
            E::Name(name) if name != bound => match self.names.get(name).map(|m| m.0) {
                Some(Meaning::Let(d)) => self.shape_of_definition(d, depth),
                _ => self
                    .locals
                    .iter()
                    .rev()
                    .find(|l| &l.0 == name)
                    .map(|l| l.1.len())
                    .or(Some(1)),
            },
            E::Index(name, _) => match self.names.get(&name.text).map(|m| m.0) {
                Some(Meaning::Let(d)) => self.shape_of_definition(d, depth),
                _ => Some(1),
            },
            E::Call(name, _, arguments) => match name.text.as_str() {
                "D" => self.shape_of(arguments.first()?, bound, depth + 1),
                // The cross product of two vectors of the plane is a number.
                "cross" => match self.shape_of(arguments.first()?, bound, depth + 1) {
                    Some(3) => Some(3),
                    _ => Some(1),
                },
                "position" | "velocity" | "if" => {
                    self.shape_of(arguments.get(1)?, bound, depth + 1)
                }
                _ => match self.callables.get(&name.text) {
                    Some((Callable::Own(d), _)) => {
                        let d = *d;
                        self.shape_of_definition(d, depth)
                    }
                    _ => Some(1),
                },
            },
            _ => Some(1),
        }
    }

    /// The number of components of an abbreviation or a function of the file.
    fn shape_of_definition(&mut self, d: usize, depth: usize) -> Option<usize> {
        let value = self.definitions[d].declaration.value.as_ref()?;
        self.shape_of(value, "", depth + 1)
    }
}
