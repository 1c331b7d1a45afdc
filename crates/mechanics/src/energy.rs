//! Energy with respect to a reference field, and its balance along motions.

use galilei_expr::{Expr, Verdict};
use galilei_geometry::VectorField;

use crate::lagrangian::Lagrangian;
use crate::reference::ReferenceField;
use crate::state_space::StateSpace;
use crate::system::System;

/// The energy E_R of a system with respect to a reference field R, and its balance along motions:
/// dE_R/dt = −R̄(L) + (uⁱ − Rⁱ)Fᵢ. (T-92, without constraints; T-50 for the resting field)
#[derive(Clone, Debug, PartialEq)]
pub struct EnergyBalance<'p> {
    /// E_R = pᵢ(uⁱ − Rⁱ) − L
    pub energy: Expr<'p>,
    /// −R̄(L), the contribution of the change of L along R.
    pub drift: Expr<'p>,
    /// (uⁱ − Rⁱ)Fᵢ for each force, by name.
    pub powers: Vec<(String, Expr<'p>)>,
}

impl<'p> EnergyBalance<'p> {
    /// dE_R/dt along motions: the drift and all powers.
    pub fn rate(&self) -> Expr<'p> {
        let powers = self.powers.iter().map(|(_, power)| *power);
        self.drift.pool().sum(powers.chain([self.drift]))
    }

    /// Whether E_R is conserved by every motion.
    pub fn decide_conserved(&self) -> Verdict {
        self.rate().decide_zero()
    }
}

impl<'p> ReferenceField<'p> {
    /// R̄ = ∂ₜ + Rⁱ∂_{xⁱ} + (∂ₜRⁱ + uʲ∂ⱼRⁱ)∂_{uⁱ} on A¹M, the prolongation of R. (T-92)
    ///
    /// # Panics
    /// If the state space is over another chart.
    pub fn prolonged(&self, state: &StateSpace<'p>) -> VectorField<'p> {
        self.as_field().prolonged(state)
    }

    /// uⁱ − Rⁱ, the velocity relative to R. (T-7)
    pub fn relative_velocities(&self, state: &StateSpace<'p>) -> Vec<Expr<'p>> {
        let pairs = state.velocities().iter().zip(self.components());
        pairs.map(|(&u, &r)| u - r).collect()
    }
}

impl<'p> Lagrangian<'p> {
    /// E_R = pᵢ(uⁱ − Rⁱ) − L, the energy with respect to R. (T-92)
    pub fn energy_in(&self, reference: &ReferenceField<'p>) -> Expr<'p> {
        let relative = reference.relative_velocities(self.state());
        let pairs = self.momenta().into_iter().zip(relative);
        let pool = self.state().pool();
        pool.sum(pairs.map(|(p, v)| p * v)) - self.function()
    }
}

impl<'p> System<'p> {
    /// The energy with respect to R and its balance. (T-92)
    pub fn energy_balance(&self, reference: &ReferenceField<'p>) -> EnergyBalance<'p> {
        let state = self.state();
        let relative = reference.relative_velocities(state);
        let power = |components: &[Expr<'p>]| {
            let pairs = components.iter().zip(&relative);
            state.pool().sum(pairs.map(|(&f, &v)| f * v))
        };
        let forces = self.forces().iter();
        EnergyBalance {
            energy: self.lagrangian().energy_in(reference),
            drift: -reference
                .prolonged(state)
                .apply(self.lagrangian().function()),
            powers: forces
                .map(|(name, f)| (name.clone(), power(f.components())))
                .collect(),
        }
    }
}
