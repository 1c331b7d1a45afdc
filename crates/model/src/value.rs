//! Values of expressions of the language: scalars or tuples, with their dimensions.

use galilei_expr::{Expr, Interpolation};
use galilei_syntax::Span;

use crate::dimension::Dimension;

/// A scalar or a tuple.
#[derive(Clone, Debug)]
pub(crate) struct Value<'p> {
    /// The components; one for a scalar.
    pub(crate) parts: Vec<Expr<'p>>,
    /// Their dimensions.
    pub(crate) dimensions: Vec<Dimension>,
    /// Whether the value was written as a tuple.
    pub(crate) tuple: bool,
    /// The quantities used to compute the value.
    pub(crate) uses: Uses,
}

/// The quantities that an expression uses, as written; terms that cancel count. Each with a place.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Uses {
    /// Parameters, or anything else that is not a plain number.
    pub(crate) symbols: bool,
    /// Time or a coordinate or a velocity.
    pub(crate) state: Option<Span>,
    /// A velocity.
    pub(crate) velocity: Option<Span>,
    /// An acceleration.
    pub(crate) acceleration: Option<Span>,
    /// `abs`, `sign`, `min`, `max` or `if` of something that varies.
    pub(crate) kink: Option<Span>,
    /// A table with lines of something that varies: continuous, but not differentiable at its knots.
    pub(crate) corner: Option<Span>,
    /// `position` of a point that slides along its body.
    pub(crate) sliding: Option<Span>,
}

impl Uses {
    /// Notes a table of something that varies: lines have kinks at their knots, steps jump there.
    pub(crate) fn note_table(&mut self, interpolation: Interpolation, span: Span) {
        match interpolation {
            _ if self.state.is_none() => {}
            Interpolation::Cubic | Interpolation::Periodic => {}
            Interpolation::Linear => self.corner = self.corner.or(Some(span)),
            Interpolation::Steps => self.kink = self.kink.or(Some(span)),
        }
    }

    /// A place where the value is not differentiable.
    pub(crate) fn not_smooth(&self) -> Option<Span> {
        self.kink.or(self.corner)
    }

    pub(crate) fn with(self, other: Self) -> Self {
        Self {
            symbols: self.symbols || other.symbols,
            state: self.state.or(other.state),
            velocity: self.velocity.or(other.velocity),
            acceleration: self.acceleration.or(other.acceleration),
            kink: self.kink.or(other.kink),
            corner: self.corner.or(other.corner),
            sliding: self.sliding.or(other.sliding),
        }
    }

    /// The quantities used, located at the name that refers to the value.
    pub(crate) fn seen_at(self, span: Span) -> Self {
        Self {
            symbols: self.symbols,
            state: self.state.map(|_| span),
            velocity: self.velocity.map(|_| span),
            acceleration: self.acceleration.map(|_| span),
            kink: self.kink.map(|_| span),
            corner: self.corner.map(|_| span),
            sliding: self.sliding.map(|_| span),
        }
    }
}

impl<'p> Value<'p> {
    pub(crate) fn scalar(e: Expr<'p>, dimension: Dimension, uses: Uses) -> Self {
        Self {
            parts: vec![e],
            dimensions: vec![dimension],
            tuple: false,
            uses,
        }
    }

    /// A pure number.
    pub(crate) fn number(e: Expr<'p>) -> Self {
        Self::scalar(e, Dimension::none(), Uses::default())
    }

    pub(crate) fn len(&self) -> usize {
        self.parts.len()
    }

    /// The value and dimension of a scalar or a one-component tuple.
    pub(crate) fn only(&self) -> Option<(Expr<'p>, &Dimension)> {
        (self.len() == 1).then(|| (self.parts[0], &self.dimensions[0]))
    }

    /// The shape of the value in words.
    pub(crate) fn shape(&self) -> String {
        if self.tuple {
            format!("a tuple of {}", self.len())
        } else {
            "a scalar".into()
        }
    }
}
