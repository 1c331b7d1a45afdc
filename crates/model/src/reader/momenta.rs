//! Momenta `p(x)` in models that are given by their Hamiltonian.

use galilei_expr::Expr;
use galilei_syntax::{Expression, ExpressionKind as E, Name, Span};

use super::Reader;
use crate::code::Code;
use crate::dimension::Dimension;
use crate::value::{Uses, Value};

/// The function of the language that names the momentum of a coordinate.
pub(crate) const MOMENTUM: &str = "p";

impl<'p, 's> Reader<'p, 's> {
    /// Makes `p(x)` known; a function of one's own cannot have its name then.
    pub(crate) fn declare_momenta(&mut self) {
        if let Some((_, span)) = self.callables.remove(MOMENTUM) {
            self.error(
                Code::ReservedName,
                "in a model with `hamiltonian:`, p(x) is the momentum of a coordinate",
                "choose another name for the function",
                span,
            );
        }
        let symbol = |c: &super::Coordinate<'p>| self.pool.symbol(&format!("p({})", c.position));
        self.momenta = Some(self.coordinates.iter().map(symbol).collect());
    }

    /// The coordinate whose momentum a call `p(x)` is.
    pub(crate) fn momentum_of(
        &mut self,
        arguments: &'s [Expression],
        name: &Name,
    ) -> Option<usize> {
        let [a] = self.arguments(arguments, name)?;
        let v = self.read(a)?;
        let found = v
            .only()
            .and_then(|(x, _)| self.coordinates.iter().position(|c| c.position == x));
        let direct = matches!(a.kind, E::Name(_) | E::Index(..));
        if found.is_none() || !direct {
            self.error(
                Code::NotACoordinate,
                format!(
                    "only a coordinate has a momentum; `{}` is none",
                    self.text(a.span)
                ),
                "write p(x) with a coordinate x",
                a.span,
            );
            return None;
        }
        found
    }

    /// The dimension of the momentum of a coordinate: energy per velocity.
    pub(crate) fn momentum_dimension(&self, k: usize) -> Dimension {
        let rate = self.rate(&self.coordinates[k].dimension);
        self.energy.div(&rate)
    }

    /// `p(x)` as a value.
    pub(super) fn momentum(
        &mut self,
        symbols: &[Expr<'p>],
        name: &Name,
        arguments: &'s [Expression],
        span: Span,
    ) -> Option<Value<'p>> {
        let k = self.momentum_of(arguments, name)?;
        let uses = Uses {
            symbols: true,
            state: Some(span),
            velocity: Some(span),
            ..Uses::default()
        };
        Some(Value::scalar(symbols[k], self.momentum_dimension(k), uses))
    }
}
