//! The adjoint equation of any first-order equation on V*Q, as Hamilton's equations on VV*Q.

use galilei_expr::{Expr, Verdict};
use galilei_geometry::{VectorField, decide_equal};

use crate::vertical_hamilton::{VerticalHamiltonian, VerticalPhaseSpace};

impl<'p> VerticalHamiltonian<'p> {
    /// ℋ_V = πᵢγⁱ − ξⁱγᵢ for a first-order equation γ = ∂ₜ + γⁱ∂ᵢ + γᵢ∂ⁱ on V*Q: Hamilton's equations
    /// for it are x′ = γⁱ, p′ = γᵢ and the adjoint equation of γ. (T-102)
    ///
    /// # Panics
    /// If the chart of the field does not have 2n + 1 coordinates.
    pub fn adjoint(field: &VectorField<'p>) -> Self {
        let space = VerticalPhaseSpace::over(field.chart());
        let n = space.degrees_of_freedom();
        let term = |i: usize| {
            space.varied_momenta()[i] * field.component(1 + i)
                - space.varied_positions()[i] * field.component(1 + n + i)
        };
        let function = field.chart().pool().sum((0..n).map(term));
        Self::new(space, function)
    }
}

impl<'p> VerticalPhaseSpace<'p> {
    /// λ = (π, −ξ), the costate: λ′ = −(Dγ)ᵀλ along solutions, and λ·δz is constant for every
    /// variation δz of (x, p). (T-102)
    pub fn costate(&self) -> Vec<Expr<'p>> {
        let minus = self.varied_positions().iter().map(|&xi| -xi);
        self.varied_momenta().iter().copied().chain(minus).collect()
    }

    /// −(Dγ)ᵀλ, the rate of the costate. (T-102)
    ///
    /// # Panics
    /// If the field is not one on V*Q.
    pub fn costate_rates(&self, field: &VectorField<'p>) -> Vec<Expr<'p>> {
        let below = self.bundle().base();
        assert!(below == field.chart(), "a field on another chart");
        let pool = below.pool();
        let slopes = pool.jacobian(&field.components()[1..], &below.coordinates()[1..]);
        let lambda = self.costate();
        (0..lambda.len())
            .map(|k| -pool.sum(lambda.iter().zip(&slopes).map(|(&l, row)| l * row[k])))
            .collect()
    }

    /// Whether the adjoint equation of γ is its Jacobi equation, (ξ, π) being a variation of the
    /// motion: exactly if γ is Hamiltonian for some ℋ. (T-102)
    ///
    /// # Panics
    /// If the field is not one on V*Q.
    pub fn decide_hamiltonian(&self, field: &VectorField<'p>) -> Verdict {
        let adjoint = VerticalHamiltonian::adjoint(field).field();
        let jacobi = self.bundle().extension(field);
        decide_equal(adjoint.components(), jacobi.components())
    }
}
