//! Names of statements, and what is known of a constraint by its name.

use galilei_expr::Rational;
use galilei_syntax::{Expression, ExpressionKind as E, Label, Name, Span, SyntaxCode};

use super::Reader;
use crate::code::Code;
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
                Code::OnlyInOutputs,
                format!("`{}` is known only after the motion is computed", name.text),
                "use it in `output` statements, and in limits of `friction`",
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
        let label = self.label_of(whole)?;
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
                Code::UnknownConstraint,
                format!("there is no constraint `{label}`"),
                hint,
                whole.span,
            );
            return None;
        }
        if name.text == "reaction" && self.unilateral.contains(&label) {
            self.error(
                Code::NotAvailable,
                format!(
                    "`{label}` is a contact or friction element, and `reaction` is for constraints"
                ),
                format!("use multiplier({label}), its normal force or force of friction"),
                span,
            );
            return None;
        }
        let whole = component.map(|c| format!("{label}.{}", c.text));
        if let Some(named) = &whole {
            self.named_components.push((named.clone(), a.span));
        }
        let named = whole.as_ref().unwrap_or(&label);
        let symbol = self.pool.symbol(&format!("{}({named})", name.text));
        let uses = Uses {
            symbols: true,
            state: Some(span),
            velocity: Some(span),
            ..Uses::default()
        };
        let dimension = match name.text.as_str() {
            "reaction" => self.reaction_dimension(),
            _ => self.multiplier_dimension(&label, component.map(|c| c.text.as_str()), span)?,
        };
        Some(Value::scalar(symbol, dimension, uses))
    }

    /// The dimension of the multiplier of a constraint; a constraint between tuples has one multiplier per component.
    fn multiplier_dimension(
        &mut self,
        label: &str,
        component: Option<&str>,
        span: Span,
    ) -> Option<Dimension> {
        if self.without_multipliers.iter().any(|c| c == label) {
            self.error(
                Code::NoMultiplier,
                format!("the constraint `{label}` is enforced by the connection, which has no multiplier"),
                format!("use reaction({label}), the size of its reaction"),
                span,
            );
            return None;
        }
        let place = component.map(|c| ["x", "y", "z"].iter().position(|name| *name == c));
        match (self.multipliers.get(label).map(Vec::as_slice), place) {
            // The constraint or its component is wrong, which is reported there.
            (None | Some([]), _) | (_, Some(None)) => Some(self.unifier.unknown()),
            (Some(list), Some(Some(k))) => Some(
                list.get(k)
                    .cloned()
                    .unwrap_or_else(|| self.unifier.unknown()),
            ),
            (Some([one]), None) => Some(one.clone()),
            (Some(list), None) => {
                let count = list.len();
                self.error(
                    Code::SeveralMultipliers,
                    format!(
                        "the constraint `{label}` has {count} components, so it has no one multiplier"
                    ),
                    format!(
                        "use multiplier({label}.x) for that of a component, or reaction({label}), the size of their reaction"
                    ),
                    span,
                );
                None
            }
        }
    }

    /// The dimension of √(RᵢRⱼgⁱʲ): a force Rᵢ is an energy over a coordinate, gᵢⱼ an energy over two velocities.
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
                    SyntaxCode::ExpectedName,
                    format!(
                        "the name of a statement is needed, not `{}`",
                        self.text(e.span)
                    ),
                    "write the name as it is before the colon of the statement",
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
