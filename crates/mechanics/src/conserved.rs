//! Cyclic coordinates and conserved energy: quantities that are conserved for evident reasons.

use galilei_expr::{Expr, Verdict};

use crate::system::System;

/// A function on the state space, its rate along motions, and whether that vanishes.
#[derive(Clone, Debug, PartialEq)]
pub struct Conserved<'p> {
    /// The function.
    pub quantity: Expr<'p>,
    /// Its rate along motions, as a function of (t, x, u): no acceleration needs to be known.
    pub rate: Expr<'p>,
    /// Whether the rate is zero everywhere.
    pub verdict: Verdict,
}

impl<'p> Conserved<'p> {
    fn of(quantity: Expr<'p>, rate: Expr<'p>) -> Self {
        Self {
            quantity,
            rate,
            verdict: rate.decide_zero(),
        }
    }

    /// Whether it is proved that every motion conserves the function.
    pub fn is_conserved(&self) -> bool {
        self.verdict.is_proved()
    }
}

/// The verdicts on the momenta and the energy of a system.
#[derive(Clone, Debug, PartialEq)]
pub struct Conservation<'p> {
    /// pᵢ = ∂L/∂uⁱ with rate ∂L/∂xⁱ + Fᵢ, for each coordinate. (T-49)
    pub momenta: Vec<Conserved<'p>>,
    /// uⁱ∂L/∂uⁱ − L with rate −∂L/∂t + uⁱFᵢ. (T-50)
    pub energy: Conserved<'p>,
}

impl Conservation<'_> {
    /// The coordinates whose momenta are conserved: those that are cyclic, and those where a force
    /// cancels ∂L/∂xⁱ.
    pub fn conserved_momenta(&self) -> Vec<usize> {
        let indices = 0..self.momenta.len();
        indices
            .filter(|&i| self.momenta[i].is_conserved())
            .collect()
    }
}

impl<'p> System<'p> {
    /// Which momenta are conserved, ∂L/∂xⁱ + Fᵢ = 0, and whether the energy is,
    /// −∂L/∂t + uⁱFᵢ = 0. (T-49, T-50; T-111 for v = ∂_{xⁱ} and v = ∂ₜ)
    pub fn conservation(&self) -> Conservation<'p> {
        let lagrangian = self.lagrangian();
        let slopes = lagrangian
            .function()
            .gradient(self.state().base().positions());
        let force = self.total_force();
        let rates = slopes.iter().zip(force.components()).map(|(&a, &f)| a + f);
        let momenta = lagrangian.momenta().into_iter().zip(rates);
        Conservation {
            momenta: momenta.map(|(p, rate)| Conserved::of(p, rate)).collect(),
            energy: Conserved::of(lagrangian.energy(), self.energy_rate()),
        }
    }
}
