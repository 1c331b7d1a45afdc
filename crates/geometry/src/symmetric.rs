//! Symmetric covariant tensors of rank two: metrics.

use galilei_expr::{Expr, Verdict};

use crate::chart::Chart;
use crate::lie::LieDerivative;
use crate::matrix::{Matrix, Singular};
use crate::vector::VectorField;
use crate::verdict::decide_all_zero;

/// A symmetric tensor gᵢⱼ dxⁱ dxʲ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymmetricTensor<'p> {
    chart: Chart<'p>,
    rows: Vec<Vec<Expr<'p>>>,
}

impl<'p> SymmetricTensor<'p> {
    /// The tensor with components `f(i, j)` for i ≤ j; the others by symmetry.
    pub fn from_upper(chart: &Chart<'p>, f: impl Fn(usize, usize) -> Expr<'p>) -> Self {
        let n = chart.dimension();
        let rows = (0..n)
            .map(|i| (0..n).map(|j| f(i.min(j), i.max(j))).collect())
            .collect();
        Self {
            chart: chart.clone(),
            rows,
        }
    }

    /// The chart.
    pub fn chart(&self) -> &Chart<'p> {
        &self.chart
    }

    /// gᵢⱼ
    pub fn component(&self, i: usize, j: usize) -> Expr<'p> {
        self.rows[i][j]
    }

    /// g(X, Y)
    pub fn evaluate(&self, x: &VectorField<'p>, y: &VectorField<'p>) -> Expr<'p> {
        self.chart.assert_same(x.chart());
        self.chart.assert_same(y.chart());
        let n = self.chart.dimension();
        let lowered = |j: usize| (0..n).map(move |i| self.rows[i][j] * x.component(i));
        let pool = self.chart.pool();
        pool.sum((0..n).map(|j| pool.sum(lowered(j)) * y.component(j)))
    }

    /// The matrix of components.
    pub fn matrix(&self) -> Matrix<'p> {
        Matrix::new(self.chart.pool(), self.rows.clone())
    }

    /// The matrix gⁱʲ of the inverse.
    pub fn inverse(&self) -> Result<Matrix<'p>, Singular> {
        self.matrix().inverse()
    }

    /// Whether two tensors are equal.
    pub fn decide_equal(&self, other: &Self) -> Verdict {
        self.chart.assert_same(&other.chart);
        let pairs = self.rows.iter().flatten().zip(other.rows.iter().flatten());
        decide_all_zero(pairs.map(|(&a, &b)| a - b))
    }
}

impl<'p> LieDerivative<'p> for SymmetricTensor<'p> {
    /// (L_Xg)ᵢⱼ = X\[gᵢⱼ\] + gₖⱼ ∂ᵢXᵏ + gᵢₖ ∂ⱼXᵏ
    fn lie_along(&self, x: &VectorField<'p>) -> Self {
        let n = self.chart.dimension();
        let pool = self.chart.pool();
        let jacobian = pool.jacobian(x.components(), self.chart.coordinates());
        Self::from_upper(&self.chart, |i, j| {
            let moved =
                (0..n).map(|k| self.rows[k][j] * jacobian[k][i] + self.rows[i][k] * jacobian[k][j]);
            x.apply(self.rows[i][j]) + pool.sum(moved)
        })
    }
}
