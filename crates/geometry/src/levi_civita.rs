//! The Levi-Civita connection of a metric.

use galilei_expr::{Expr, Rational};

use crate::matrix::Singular;
use crate::symmetric::SymmetricTensor;
use crate::vector::VectorField;

/// The torsion-free connection that preserves a metric, by its Christoffel symbols.
#[derive(Clone, Debug, PartialEq)]
pub struct LeviCivita<'p> {
    metric: SymmetricTensor<'p>,
    /// Γᵏᵢⱼ as \[k\]\[i\]\[j\]
    symbols: Vec<Vec<Vec<Expr<'p>>>>,
}

impl<'p> LeviCivita<'p> {
    /// The connection of a metric that is not singular:
    /// 2Γᵏᵢⱼ = gᵏʳ(∂ᵢgⱼᵣ + ∂ⱼgᵣᵢ − ∂ᵣgᵢⱼ). (T-67)
    pub fn new(metric: &SymmetricTensor<'p>) -> Result<Self, Singular> {
        let chart = metric.chart();
        let n = chart.dimension();
        let inverse = metric.inverse()?;
        let first = Self::first_kind(metric);
        let pool = chart.pool();
        let symbol = |k: usize, i: usize, j: usize| {
            pool.sum((0..n).map(|r| inverse.rows()[k][r] * first[r][i][j]))
        };
        let symbols = (0..n)
            .map(|k| {
                (0..n)
                    .map(|i| (0..n).map(|j| symbol(k, i.min(j), i.max(j))).collect())
                    .collect()
            })
            .collect();
        Ok(Self {
            metric: metric.clone(),
            symbols,
        })
    }

    /// The symbols of the first kind \[jk, i\] = ½(∂ⱼgᵢₖ + ∂ₖgᵢⱼ − ∂ᵢgⱼₖ), as \[i\]\[j\]\[k\]. (T-39)
    pub fn first_kind(metric: &SymmetricTensor<'p>) -> Vec<Vec<Vec<Expr<'p>>>> {
        let chart = metric.chart();
        let n = chart.dimension();
        let half = Rational::new(1, 2);
        let derivative =
            |i: usize, j: usize, k: usize| metric.component(i, j).diff(chart.coordinate(k));
        (0..n)
            .map(|i| {
                let entry = |j: usize, k: usize| {
                    half.clone() * (derivative(i, k, j) + derivative(i, j, k) - derivative(j, k, i))
                };
                (0..n)
                    .map(|j| (0..n).map(|k| entry(j, k)).collect())
                    .collect()
            })
            .collect()
    }

    /// The metric.
    pub fn metric(&self) -> &SymmetricTensor<'p> {
        &self.metric
    }

    /// Γᵏᵢⱼ
    pub fn christoffel(&self, k: usize, i: usize, j: usize) -> Expr<'p> {
        self.symbols[k][i][j]
    }

    /// ∇_X Y
    pub fn covariant(&self, x: &VectorField<'p>, y: &VectorField<'p>) -> VectorField<'p> {
        let chart = self.metric.chart();
        chart.assert_same(x.chart());
        let n = chart.dimension();
        let pool = chart.pool();
        let components = (0..n)
            .map(|k| {
                let quadratic = (0..n).flat_map(|i| {
                    (0..n).map(move |j| self.symbols[k][i][j] * x.component(i) * y.component(j))
                });
                x.apply(y.component(k)) + pool.sum(quadratic)
            })
            .collect();
        VectorField::new(chart, components)
    }

    /// R(X, Y)Z = ∇_X∇_Y Z − ∇_Y∇_X Z − ∇_\[X,Y\] Z
    pub fn riemann(
        &self,
        x: &VectorField<'p>,
        y: &VectorField<'p>,
        z: &VectorField<'p>,
    ) -> VectorField<'p> {
        let first = self.covariant(x, &self.covariant(y, z));
        let second = self.covariant(y, &self.covariant(x, z));
        first
            .minus(&second)
            .minus(&self.covariant(&x.bracket(y), z))
    }
}
