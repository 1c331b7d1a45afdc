//! Names of statements, and what is known of a constraint by its name.

use galilei_expr::Rational;
use galilei_syntax::{Expression, ExpressionKind as E, Label, Name, Span};

use super::Reader;
use crate::diagnostic::nearest;
use crate::dimension::Dimension;
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
            let family = format!("{label}[");
            let member = known.iter().find(|name| name.starts_with(&family));
            let near = || nearest(&label, known.iter().map(String::as_str));
            let hint = match (member, near()) {
                (Some(w), _) => format!("name one of the family, such as `{w}`"),
                (None, Some(w)) => format!("did you mean `{w}`?"),
                (None, None) => "name a `constraint` of this model".into(),
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
        let dimension = match name.text.as_str() {
            "reaction" => self.reaction_dimension(),
            _ => self.multiplier_dimension(&label, span)?,
        };
        Some(Value::scalar(symbol, dimension, uses))
    }

    /// That of the multiplier of a constraint; a constraint between tuples has several.
    fn multiplier_dimension(&mut self, label: &str, span: Span) -> Option<Dimension> {
        match self.multipliers.get(label).map(Vec::as_slice) {
            // The constraint is wrong, which is said there.
            None | Some([]) => Some(self.unifier.unknown()),
            Some([one]) => Some(one.clone()),
            Some(list) => {
                let count = list.len();
                self.error(
                    "several_multipliers",
                    format!(
                        "the constraint `{label}` has {count} components, so it has no one multiplier"
                    ),
                    format!(
                        "use reaction({label}), the size of their reaction, or write the components as constraints of their own"
                    ),
                    span,
                );
                None
            }
        }
    }

    /// That of √(RᵢRⱼgⁱʲ): a force Rᵢ is an energy over a coordinate, gᵢⱼ an energy over two velocities.
    fn reaction_dimension(&self) -> Dimension {
        let root = self.energy.pow(&Rational::new(1, 2));
        self.rate(&root)
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
