//! Charts: named coordinates.

use std::sync::Arc;

use galilei_expr::{Expr, Pool};

use crate::form::Form;
use crate::vector::VectorField;

/// A coordinate chart: an ordered list of symbols. Cheap to clone.
///
/// Two charts are the same if their coordinates are. Objects of different charts never mix;
/// an operation that meets both panics, as with expressions of two pools.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chart<'p> {
    coordinates: Arc<[Expr<'p>]>,
    pool: PoolRef<'p>,
}

#[derive(Clone, Copy)]
struct PoolRef<'p>(&'p Pool);
impl PartialEq for PoolRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}
impl Eq for PoolRef<'_> {}
impl std::fmt::Debug for PoolRef<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl<'p> Chart<'p> {
    /// The chart with coordinates of these names, in this order.
    ///
    /// # Panics
    /// If a name occurs twice.
    pub fn new<S: AsRef<str>>(pool: &'p Pool, names: impl IntoIterator<Item = S>) -> Self {
        Self::of(pool, names.into_iter().map(|n| pool.symbol(n.as_ref())))
    }

    /// The chart with given symbols as coordinates.
    ///
    /// # Panics
    /// If one of them is not a symbol or occurs twice.
    pub fn of(pool: &'p Pool, symbols: impl IntoIterator<Item = Expr<'p>>) -> Self {
        let coordinates: Arc<[Expr<'p>]> = symbols.into_iter().collect();
        for (k, c) in coordinates.iter().enumerate() {
            assert!(
                c.is_symbol(),
                "{c} is not a symbol: a coordinate must be one"
            );
            assert!(
                !coordinates[..k].contains(c),
                "the coordinate {c} occurs twice in a chart"
            );
        }
        Self {
            coordinates,
            pool: PoolRef(pool),
        }
    }

    /// The number of coordinates.
    pub fn dimension(&self) -> usize {
        self.coordinates.len()
    }

    /// The pool of the coordinates.
    pub fn pool(&self) -> &'p Pool {
        self.pool.0
    }

    /// The coordinate functions, in order.
    pub fn coordinates(&self) -> &[Expr<'p>] {
        &self.coordinates
    }

    /// Coordinate number k.
    pub fn coordinate(&self, k: usize) -> Expr<'p> {
        self.coordinates[k]
    }

    /// The differential of coordinate number k.
    pub fn differential(&self, k: usize) -> Form<'p> {
        Form::basis(self, &[k])
    }

    /// The vector field ∂/∂(coordinate number k).
    pub fn partial(&self, k: usize) -> VectorField<'p> {
        VectorField::basis(self, k)
    }

    /// The zero function.
    pub(crate) fn zero(&self) -> Expr<'p> {
        self.pool().zero()
    }

    pub(crate) fn assert_same(&self, other: &Self) {
        assert!(
            self == other,
            "objects of two different charts were mixed: {:?} and {:?}",
            self.coordinates,
            other.coordinates
        );
    }
}

/// A point of a chart, given by its coordinates: numbers, or expressions in other symbols.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Point<'p> {
    chart: Chart<'p>,
    values: Vec<Expr<'p>>,
}

impl<'p> Point<'p> {
    /// The point with these coordinates.
    ///
    /// # Panics
    /// If there are not as many values as coordinates.
    pub fn new(chart: &Chart<'p>, values: Vec<Expr<'p>>) -> Self {
        assert_eq!(values.len(), chart.dimension(), "coordinates of a point");
        Self {
            chart: chart.clone(),
            values,
        }
    }

    /// The chart the point lies in.
    pub fn chart(&self) -> &Chart<'p> {
        &self.chart
    }

    /// The coordinates.
    pub fn values(&self) -> &[Expr<'p>] {
        &self.values
    }

    /// The value of a function at the point.
    pub fn evaluate(&self, f: Expr<'p>) -> Expr<'p> {
        let pairs: Vec<(Expr<'p>, Expr<'p>)> = self
            .chart
            .coordinates()
            .iter()
            .copied()
            .zip(self.values.iter().copied())
            .collect();
        f.substitute(&pairs)
    }
}
