//! Names of statements, and what is known of a constraint by its name.

use galilei_syntax::{Expression, ExpressionKind as E, Label, Name, Span};

use super::Reader;
use crate::diagnostic::nearest;
use crate::value::{Uses, Value};

impl<'p, 's> Reader<'p, 's> {
    pub(super) fn of_constraint(
        &mut self,
        name: &Name,
        arguments: &'s [Expression],
        span: Span,
    ) -> Option<Value<'p>> {
        let Some(known) = self.constraint_names.clone() else {
            self.error(
                "only_in_outputs",
                format!("`{}` is known only after the motion is computed", name.text),
                "it may stand in `output` statements",
                span,
            );
            return None;
        };
        let [a] = self.arguments(arguments, name)?;
        // `roll.x` is a component of a constraint between tuples.
        let (whole, component) = match &a.kind {
            E::Component(whole, component) => (&**whole, Some(component)),
            _ => (a, None),
        };
        let mut label = self.label_of(whole)?;
        if !known.contains(&label) {
            let hint = match nearest(&label, known.iter().map(String::as_str)) {
                Some(w) => format!("did you mean `{w}`?"),
                None => "name a `constraint` of this model".into(),
            };
            self.error(
                "unknown_constraint",
                format!("there is no constraint `{label}`"),
                hint,
                whole.span,
            );
            return None;
        }
        if let Some(component) = component {
            label = format!("{label}.{}", component.text);
            self.named_components.push((label.clone(), a.span));
        }
        let symbol = self.pool.symbol(&format!("{}({label})", name.text));
        let uses = Uses {
            symbols: true,
            state: Some(span),
            velocity: Some(span),
            ..Uses::default()
        };
        Some(Value::scalar(symbol, self.unifier.unknown(), uses))
    }

    /// `rod` or `rod[k]` as the name of a statement.
    pub(crate) fn label_of(&mut self, e: &'s Expression) -> Option<String> {
        match &e.kind {
            E::Name(name) => Some(name.clone()),
            E::Index(name, index) if index.len() == 1 => {
                let k = self.integer(&index[0], "an index")?;
                Some(format!("{}[{k}]", name.text))
            }
            _ => {
                self.error(
                    "expected_name",
                    format!(
                        "the name of a statement is needed, not `{}`",
                        self.text(e.span)
                    ),
                    "write the name as it stands before the colon of the statement",
                    e.span,
                );
                None
            }
        }
    }

    pub(crate) fn label(&mut self, l: &'s Label) -> Option<String> {
        match &l.index {
            None => Some(l.name.text.clone()),
            Some(index) => {
                let k = self.integer(index, "an index")?;
                Some(format!("{}[{k}]", l.name.text))
            }
        }
    }
}
