//! Vector fields.

use std::fmt;

use galilei_expr::{Expr, Verdict};

use crate::chart::Chart;
use crate::form::Form;
use crate::lie::LieDerivative;
use crate::verdict::decide_all_zero;

/// A vector field Xᵏ ∂/∂xᵏ, by its components in a chart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VectorField<'p> {
    chart: Chart<'p>,
    components: Vec<Expr<'p>>,
}

impl<'p> VectorField<'p> {
    /// The field with these components.
    ///
    /// # Panics
    /// If there are not as many components as coordinates.
    pub fn new(chart: &Chart<'p>, components: Vec<Expr<'p>>) -> Self {
        assert_eq!(
            components.len(),
            chart.dimension(),
            "components of a vector field"
        );
        Self {
            chart: chart.clone(),
            components,
        }
    }

    /// The zero field.
    pub fn zero(chart: &Chart<'p>) -> Self {
        Self::new(chart, vec![chart.zero(); chart.dimension()])
    }

    pub(crate) fn basis(chart: &Chart<'p>, k: usize) -> Self {
        let mut field = Self::zero(chart);
        field.components[k] = chart.pool().one();
        field
    }

    /// The chart.
    pub fn chart(&self) -> &Chart<'p> {
        &self.chart
    }

    /// The components, in the order of the coordinates.
    pub fn components(&self) -> &[Expr<'p>] {
        &self.components
    }

    /// Component number k.
    pub fn component(&self, k: usize) -> Expr<'p> {
        self.components[k]
    }

    fn zip(&self, other: &Self, f: impl Fn(Expr<'p>, Expr<'p>) -> Expr<'p>) -> Self {
        self.chart.assert_same(&other.chart);
        let pairs = self.components.iter().zip(&other.components);
        Self::new(&self.chart, pairs.map(|(&a, &b)| f(a, b)).collect())
    }

    /// X + Y
    pub fn plus(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a + b)
    }

    /// X − Y
    pub fn minus(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a - b)
    }

    /// f·X
    pub fn scaled(&self, f: Expr<'p>) -> Self {
        Self::new(
            &self.chart,
            self.components.iter().map(|&c| f * c).collect(),
        )
    }

    /// −X
    pub fn negated(&self) -> Self {
        Self::new(&self.chart, self.components.iter().map(|&c| -c).collect())
    }

    /// X\[f\], the derivative of a function along the field.
    pub fn apply(&self, f: Expr<'p>) -> Expr<'p> {
        let coordinates = self.chart.coordinates().iter();
        let rates: Vec<(Expr<'p>, Expr<'p>)> = coordinates
            .copied()
            .zip(self.components.iter().copied())
            .filter(|(_, c)| !c.is_zero())
            .collect();
        f.derivative_along(&rates)
    }

    /// \[X, Y\], with \[X, Y\]f = X(Yf) − Y(Xf).
    pub fn bracket(&self, other: &Self) -> Self {
        self.chart.assert_same(&other.chart);
        let pairs = self.components.iter().zip(&other.components);
        let components = pairs
            .map(|(&x, &y)| self.apply(y) - other.apply(x))
            .collect();
        Self::new(&self.chart, components)
    }

    /// X ⌟ ω: the form with X in its first slot; zero for functions.
    pub fn interior(&self, omega: &Form<'p>) -> Form<'p> {
        omega.with_first(self)
    }

    /// The Lie derivative of a function, a field, a form or a tensor along the field.
    pub fn lie<T: LieDerivative<'p>>(&self, object: &T) -> T {
        object.lie_along(self)
    }

    /// Whether the field vanishes.
    pub fn decide_zero(&self) -> Verdict {
        decide_all_zero(self.components.iter().copied())
    }

    /// Whether two fields are equal.
    pub fn decide_equal(&self, other: &Self) -> Verdict {
        self.minus(other).decide_zero()
    }
}

impl fmt::Display for VectorField<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for (c, x) in self.components.iter().zip(self.chart.coordinates()) {
            if c.is_zero() {
                continue;
            }
            let plus = if first { "" } else { " + " };
            first = false;
            if c.is_one() {
                write!(f, "{plus}∂_{x}")?;
            } else {
                write!(f, "{plus}({c}) ∂_{x}")?;
            }
        }
        if first { f.write_str("0") } else { Ok(()) }
    }
}
