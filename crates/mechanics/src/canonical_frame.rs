//! The frame of the canonical chart of any regular Lagrangian, as fields on the natural chart.

use galilei_expr::Expr;
use galilei_geometry::{Singular, VectorField};

use crate::lagrangian::Lagrangian;

/// The frame ∂/∂t, ∂/∂xⁱ, ∂/∂pᵢ of the canonical chart (t, x, p = ∂L/∂u), as fields on the natural
/// chart (t, x, u). (T-52)
///
/// With m = ∂²L/∂u∂u and z for t and xⁱ it is
///
/// - ∂/∂pᵢ = mⁱʲ∂_{uʲ},
/// - ∂/∂z at fixed p = ∂_z − (∂pⱼ/∂z)∂/∂pⱼ.
///
/// A function on V*Q of which only the values at p = ∂L/∂u are known, as of H, is differentiated by the
/// frame: that needs the derivative of the Legendre map and not its inverse, which has a closed form for few L.
#[derive(Clone, Debug, PartialEq)]
pub struct CanonicalFrame<'p> {
    lagrangian: Lagrangian<'p>,
    time: VectorField<'p>,
    positions: Vec<VectorField<'p>>,
    momenta: Vec<VectorField<'p>>,
}

impl<'p> Lagrangian<'p> {
    /// The frame of the canonical chart; none where L is degenerate. (T-52)
    pub fn canonical_frame(&self) -> Result<CanonicalFrame<'p>, Singular> {
        let state = self.state();
        let (pool, n) = (state.pool(), state.degrees_of_freedom());
        let none = vec![pool.zero(); n];
        let inverse = self.mass_matrix().inverse()?;
        let momenta: Vec<VectorField<'p>> = (inverse.rows().iter())
            .map(|row| state.vector(pool.zero(), &none, row))
            .collect();
        let slopes = pool.jacobian(&self.momenta(), state.base().chart().coordinates());
        let held = |k: usize| {
            let added = (0..n).map(|j| momenta[j].scaled(-slopes[j][k]));
            added.fold(state.chart().partial(k), |sum, v| sum.plus(&v))
        };
        Ok(CanonicalFrame {
            lagrangian: self.clone(),
            time: held(0),
            positions: (1..=n).map(held).collect(),
            momenta,
        })
    }
}

impl<'p> CanonicalFrame<'p> {
    /// ∂/∂t at fixed x and p.
    pub fn time(&self) -> &VectorField<'p> {
        &self.time
    }

    /// ∂/∂xⁱ at fixed t, p and the other positions.
    pub fn positions(&self) -> &[VectorField<'p>] {
        &self.positions
    }

    /// ∂/∂pᵢ
    pub fn momenta(&self) -> &[VectorField<'p>] {
        &self.momenta
    }

    /// H at p = ∂L/∂u: the energy uⁱ∂L/∂uⁱ − L. (T-51)
    pub fn hamiltonian(&self) -> Expr<'p> {
        self.lagrangian.energy()
    }

    /// ∂f/∂xⁱ at fixed p, for each i.
    pub fn by_positions(&self, f: Expr<'p>) -> Vec<Expr<'p>> {
        self.positions.iter().map(|v| v.apply(f)).collect()
    }

    /// ∂f/∂pᵢ, for each i.
    pub fn by_momenta(&self, f: Expr<'p>) -> Vec<Expr<'p>> {
        self.momenta.iter().map(|v| v.apply(f)).collect()
    }
}
