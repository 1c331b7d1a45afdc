//! The first variation of the action, from the Cartan form.

use galilei_expr::Expr;
use galilei_geometry::VectorField;

use crate::lagrangian::Lagrangian;
use crate::system::System;
use crate::virtual_displacement::VirtualDisplacement;

/// δA = ∫dω(Y, β̇)dt + \[Y ⌟ ω\] at the ends, for a curve β displaced along Y. (T-62)
#[derive(Clone, Debug, PartialEq)]
pub struct FirstVariation<'p> {
    /// dω(Y, β̇)
    pub integrand: Expr<'p>,
    /// Y ⌟ ω = pᵢδxⁱ, which vanishes where positions are fixed.
    pub boundary: Expr<'p>,
}

impl<'p> Lagrangian<'p> {
    /// The first variation of A = ∫ω along a curve with the tangent X̃ = ∂ₜ + ẋⁱ∂_{xⁱ} + u̇ⁱ∂_{uⁱ}, which
    /// need not be of second order. (T-62)
    pub fn first_variation(
        &self,
        displacement: &VirtualDisplacement<'p>,
        tangent: &VectorField<'p>,
    ) -> FirstVariation<'p> {
        let omega = self.cartan_form();
        let y = displacement.as_vector();
        FirstVariation {
            integrand: omega.d().evaluate(&[&y, tangent]),
            boundary: omega.evaluate(&[&y]),
        }
    }
}

impl<'p> System<'p> {
    /// δA + ∫Fᵢδxⁱdt, the first variation with the virtual work of the forces: −Ω(Z, Y) under the
    /// integral. It vanishes for all admissible variations exactly along motions, although it need not be the variation
    /// of a functional. (T-58, T-62)
    pub fn first_variation(
        &self,
        displacement: &VirtualDisplacement<'p>,
        tangent: &VectorField<'p>,
    ) -> FirstVariation<'p> {
        let exact = self.lagrangian().first_variation(displacement, tangent);
        let work = displacement.pair(self.total_force().components());
        FirstVariation {
            integrand: exact.integrand + work,
            boundary: exact.boundary,
        }
    }
}
