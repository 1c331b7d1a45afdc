//! Functions of the file: those of one's own and those left undetermined.

use galilei_syntax::{Expression, Name, Span};

use super::Reader;
use crate::code::Code;
use crate::dimension::Dimension;
use crate::value::{Uses, Value};

impl<'p, 's> Reader<'p, 's> {
    /// `let f(s) = …` at given arguments.
    pub(super) fn own(
        &mut self,
        d: usize,
        arguments: &'s [Expression],
        span: Span,
    ) -> Option<Value<'p>> {
        let declaration = self.definitions[d].declaration;
        let parameters = declaration.parameters.as_deref().unwrap_or_default();
        if parameters.len() != arguments.len() {
            self.count(&declaration.name, parameters.len(), arguments.len());
            if let Some(last) = self.diagnostics.last_mut() {
                last.span = Some(span);
            }
            return None;
        }
        if self.calls.contains(&d) {
            self.error(
                Code::SelfReference,
                format!("the function `{}` calls itself", declaration.name.text),
                "functions of one's own are formulas, not programs",
                span,
            );
            return None;
        }
        let mut values = Vec::new();
        for a in arguments {
            values.push(self.read(a));
        }
        let values = values.into_iter().collect::<Option<Vec<_>>>()?;
        let outer = std::mem::take(&mut self.locals);
        for (p, v) in parameters.iter().zip(values) {
            self.locals.push((p.text.clone(), v));
        }
        self.calls.push(d);
        let v = declaration.value.as_ref().and_then(|e| self.read(e));
        self.calls.pop();
        self.locals = outer;
        let mut v = v?;
        v.uses = v.uses.seen_at(span);
        Some(v)
    }

    pub(super) fn undetermined(
        &mut self,
        name: &str,
        inputs: &[Dimension],
        output: &Dimension,
        arguments: &'s [Expression],
        span: Span,
    ) -> Option<Value<'p>> {
        if inputs.len() != arguments.len() {
            let name = Name {
                text: name.to_owned(),
                span,
            };
            self.count(&name, inputs.len(), arguments.len());
            return None;
        }
        let mut uses = Uses {
            symbols: true,
            ..Uses::default()
        };
        let mut list = Vec::new();
        for (a, d) in arguments.iter().zip(inputs) {
            let v = self.read(a)?;
            let (x, dx) = self.scalar(&v, a)?;
            let other = format!("the argument of `{name}` elsewhere");
            self.fits(&dx, a, d, &other)?;
            uses = uses.with(v.uses);
            list.push(x);
        }
        Some(Value::scalar(
            self.pool.function(name).at(list),
            output.clone(),
            uses,
        ))
    }
}
