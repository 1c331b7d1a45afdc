//! Lie derivatives.

use galilei_expr::Expr;

use crate::form::Form;
use crate::vector::VectorField;

/// Objects that have a Lie derivative.
pub trait LieDerivative<'p> {
    /// The Lie derivative along a vector field.
    fn lie_along(&self, x: &VectorField<'p>) -> Self;
}

impl<'p> LieDerivative<'p> for Expr<'p> {
    /// X\[f\]
    fn lie_along(&self, x: &VectorField<'p>) -> Self {
        x.apply(*self)
    }
}

impl<'p> LieDerivative<'p> for VectorField<'p> {
    /// \[X, Y\]
    fn lie_along(&self, x: &VectorField<'p>) -> Self {
        x.bracket(self)
    }
}

impl<'p> LieDerivative<'p> for Form<'p> {
    /// L_X ω by its definition on coefficients: (L_Xω)_I = X\[ω_I\] + Σ ω_{…k…} ∂Xᵏ/∂x^i.
    ///
    /// Cartan's formula L_Xω = d(X⌟ω) + X⌟dω is not used here; a test proves it.
    fn lie_along(&self, x: &VectorField<'p>) -> Self {
        let chart = self.chart();
        let jacobian = chart.pool().jacobian(x.components(), chart.coordinates());
        let mut result = self.map_coefficients(|c| x.apply(c));
        for (indices, c) in self.terms() {
            for (slot, &k) in indices.iter().enumerate() {
                // dxᵏ becomes d(Xᵏ) = Σ ∂Xᵏ/∂xʲ dxʲ in its slot.
                let moved = (0..chart.dimension())
                    .filter(|&j| !jacobian[k][j].is_zero())
                    .map(|j| {
                        let mut list = indices.clone();
                        list[slot] = j;
                        (list, c * jacobian[k][j])
                    });
                result = result.plus(&Form::from_terms(chart, indices.len(), moved));
            }
        }
        result
    }
}
