//! The second variation of the action along a motion.

use galilei_expr::Expr;

use crate::lagrangian::Lagrangian;
use crate::vertical_lagrange::VerticalConfiguration;

/// δ²A = ∫Q dt for variations ξ of a motion that vanish at both ends, with the quadratic integrand
/// Q = ∂_V∂_VL = L_{xx}ξξ + 2L_{xu}ξξ̇ + L_{uu}ξ̇ξ̇. Its Lagrange equations in ξ are twice the Jacobi
/// equations. (T-62, T-101)
#[derive(Clone, Debug, PartialEq)]
pub struct SecondVariation<'p> {
    configuration: VerticalConfiguration<'p>,
    integrand: Expr<'p>,
}

impl<'p> SecondVariation<'p> {
    /// The second variation of ∫L dt.
    pub fn new(lagrangian: &Lagrangian<'p>) -> Self {
        let configuration = VerticalConfiguration::over(lagrangian.state());
        let jets = configuration.jets();
        let integrand = jets.derivative(jets.derivative(lagrangian.function()));
        Self {
            configuration,
            integrand,
        }
    }

    /// VQ
    pub fn configuration(&self) -> &VerticalConfiguration<'p> {
        &self.configuration
    }

    /// Q(t, x, u, ξ, ξ̇)
    pub fn integrand(&self) -> Expr<'p> {
        self.integrand
    }

    /// πᵢ = ½∂Q/∂ξ̇ⁱ = ∂_V∂L/∂uⁱ, the momenta of the variation.
    pub fn momenta(&self) -> Vec<Expr<'p>> {
        let slopes = self.integrand.gradient(self.configuration.rates());
        slopes.into_iter().map(|e| e / 2).collect()
    }

    /// Q as a Lagrangian on VQ, in which x(t) is given: only its equations along ξ are meaningful.
    pub fn as_lagrangian(&self) -> Lagrangian<'p> {
        Lagrangian::new(self.configuration.state(), self.integrand)
    }
}
