//! Meanings of names: parameters, coordinates, abbreviations, functions.

use galilei_expr::{Expr, Interpolation};
use galilei_syntax::{Declaration, Span};

use crate::dimension::{Dimension, Unit};
use crate::value::Value;

/// A parameter: its symbol, unit and default.
#[derive(Clone, Debug)]
pub(crate) struct Parameter<'p> {
    pub(crate) name: String,
    pub(crate) symbol: Expr<'p>,
    pub(crate) dimension: Dimension,
    pub(crate) unit: Option<String>,
    /// The unit in SI units.
    pub(crate) scale: Expr<'p>,
    pub(crate) value: Option<Expr<'p>>,
    pub(crate) span: Span,
}

/// A coordinate: its symbol, its velocity, its unit.
#[derive(Clone, Debug)]
pub(crate) struct Coordinate<'p> {
    pub(crate) name: String,
    pub(crate) position: Expr<'p>,
    pub(crate) velocity: Expr<'p>,
    pub(crate) dimension: Dimension,
    pub(crate) unit: Option<Unit>,
    pub(crate) unit_text: Option<String>,
}

/// The meaning of a name of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Meaning {
    /// An integer.
    Constant(i64),
    /// A parameter, by its place.
    Parameter(usize),
    /// A family of parameters: the first index, the place of the first, how many.
    Parameters(i64, usize, usize),
    /// A coordinate.
    Coordinate(usize),
    /// A family of coordinates.
    Coordinates(i64, usize, usize),
    /// A coordinate on a manifold, by its place.
    Manifold(usize),
    /// A family of coordinates on manifolds: the first index, the place of the first, how many.
    Manifolds(i64, usize, usize),
    /// A coordinate of a chart of the manifold with this place.
    Inner(usize),
    /// An abbreviation, by its place among the definitions.
    Let(usize),
    /// A name whose declaration has an error, which has been reported.
    Broken,
}

/// The unit of an input, if it has one, and its dimension.
pub(crate) struct InputUnit {
    pub(crate) unit: Option<Unit>,
    pub(crate) dimension: Dimension,
}

/// An abbreviation or a function of one's own, or an input.
pub(crate) struct Definition<'s> {
    pub(crate) declaration: &'s Declaration,
    /// The first and last index of a family.
    pub(crate) range: Option<(i64, i64)>,
    /// The unit of an input; `None` for abbreviations.
    pub(crate) input: Option<InputUnit>,
}

/// The meaning of a function name.
#[derive(Clone)]
pub(crate) enum Callable {
    /// `let f(s) = …`
    Own(usize),
    /// `function V(r)`: dimensions of the arguments and of the value.
    Undetermined(Vec<Dimension>, Dimension),
    /// `table f(s) = …`: dimensions of the argument and of the value.
    Table(Dimension, Dimension, Interpolation),
}

/// The progress of reading an abbreviation.
#[derive(Clone)]
pub(super) enum Progress<'p> {
    Open,
    Done(Option<Value<'p>>),
}
