//! Reference fields, which define what "at rest" means.

use galilei_expr::{Expr, Verdict};
use galilei_geometry::{Matrix, Singular, VectorField, decide_all_zero};

use crate::space_time::AdaptedChart;

/// R = ∂ₜ + Rⁱ(t, x)∂_{xⁱ}, a time-normalised field on M. (T-7)
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceField<'p> {
    base: AdaptedChart<'p>,
    components: Vec<Expr<'p>>,
}

impl<'p> ReferenceField<'p> {
    /// The field with these spatial components.
    ///
    /// # Panics
    /// If there are not as many as degrees of freedom.
    pub fn new(base: &AdaptedChart<'p>, components: Vec<Expr<'p>>) -> Self {
        assert_eq!(
            components.len(),
            base.degrees_of_freedom(),
            "components of a reference field"
        );
        Self {
            base: base.clone(),
            components,
        }
    }

    /// The resting field of the chart itself: Rⁱ = 0.
    pub fn resting(base: &AdaptedChart<'p>) -> Self {
        Self::new(base, vec![base.pool().zero(); base.degrees_of_freedom()])
    }

    /// The field that rests in the chart with coordinates yⁱ = Yⁱ(t, x), the solution of
    /// R\[Yⁱ\] = ∂ₜYⁱ + Rʲ∂Yⁱ/∂xʲ = 0. (T-110)
    ///
    /// # Panics
    /// If there are not as many functions as degrees of freedom.
    pub fn resting_in(base: &AdaptedChart<'p>, y: &[Expr<'p>]) -> Result<Self, Singular> {
        assert_eq!(y.len(), base.degrees_of_freedom(), "coordinates of a chart");
        let pool = base.pool();
        let jacobian = Matrix::new(pool, pool.jacobian(y, base.positions()));
        let right: Vec<Expr<'p>> = y.iter().map(|y| -y.diff(base.time())).collect();
        Ok(Self::new(base, jacobian.solve(&right)?))
    }

    /// The adapted chart.
    pub fn base(&self) -> &AdaptedChart<'p> {
        &self.base
    }

    /// Rⁱ
    pub fn components(&self) -> &[Expr<'p>] {
        &self.components
    }

    /// R as a vector field on M.
    pub fn as_vector(&self) -> VectorField<'p> {
        let one = self.base.pool().one();
        let all = std::iter::once(one).chain(self.components.iter().copied());
        VectorField::new(self.base.chart(), all.collect())
    }

    /// Whether R is the resting field of the chart with coordinates yⁱ = Yⁱ(t, x): R\[Yⁱ\] = 0 for
    /// all i. (T-110)
    pub fn decide_rests_in(&self, y: &[Expr<'p>]) -> Verdict {
        let r = self.as_vector();
        decide_all_zero(y.iter().map(|&y| r.apply(y)))
    }
}
