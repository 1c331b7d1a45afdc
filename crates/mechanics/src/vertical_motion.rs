//! Hamilton's equations on VV*Q over the natural chart, for Lagrangians without an explicit Hamiltonian.

use galilei_expr::{Expr, Verdict};
use galilei_geometry::{Singular, decide_all_zero};

use crate::system::System;
use crate::vertical_hamilton::VerticalPhaseSpace;

/// Hamilton's equations on VV*Q with p = ∂L/∂u substituted, for every regular L and any force: functions of
/// (t, x, u, ξ, π). (T-100 … T-102)
///
/// ∂H/∂x = −∂L/∂x and ∂H/∂p = u have formulas where H has none, and so has ℋ_V; its derivatives are those
/// of the canonical frame. With x′ = u these are all equations.
#[derive(Clone, Debug, PartialEq)]
pub struct VerticalMotion<'p> {
    /// VV*Q
    pub space: VerticalPhaseSpace<'p>,
    /// ℋ_V = πᵢuⁱ − ξⁱ(∂L/∂xⁱ + Fᵢ)
    pub function: Expr<'p>,
    /// p′ᵢ = ∂L/∂xⁱ + Fᵢ
    pub momenta: Vec<Expr<'p>>,
    /// ξ′ⁱ = ∂ℋ_V/∂pᵢ
    pub varied_positions: Vec<Expr<'p>>,
    /// π′ᵢ = −∂ℋ_V/∂xⁱ at fixed p
    pub varied_momenta: Vec<Expr<'p>>,
    /// The terms that the linearised equations for (ξ, π) have in addition.
    excess: Vec<Expr<'p>>,
}

impl<'p> System<'p> {
    /// Hamilton's equations on VV*Q, at p = ∂L/∂u. (T-101, T-102)
    pub fn vertical_motion(&self) -> Result<VerticalMotion<'p>, Singular> {
        let (state, l) = (self.state(), self.lagrangian());
        let pool = state.pool();
        let frame = l.canonical_frame()?;
        let space = VerticalPhaseSpace::over(l.legendre_map().chart());
        let (xi, pi) = (space.varied_positions(), space.varied_momenta());
        let u = state.velocities();
        let slopes = l.function().gradient(state.base().positions()).into_iter();
        let momenta: Vec<Expr<'p>> = slopes
            .zip(self.total_force().components())
            .map(|(slope, &f)| slope + f)
            .collect();
        let pair = |a: &[Expr<'p>], b: &[Expr<'p>]| pool.sum(a.iter().zip(b).map(|(&a, &b)| a * b));
        let function = pair(pi, u) - pair(xi, &momenta);
        let varied_positions = frame.by_momenta(function);
        let fall = frame.by_positions(function).into_iter();
        let varied_momenta: Vec<Expr<'p>> = fall.map(|e| -e).collect();
        // ∂_Vγ = ξʲ∂ⱼγ + πⱼ∂ʲγ for γ = (u, p′)
        let linear =
            |e: Expr<'p>| pair(xi, &frame.by_positions(e)) + pair(pi, &frame.by_momenta(e));
        let jacobi = u.iter().chain(&momenta).map(|&e| linear(e));
        let adjoint = varied_positions.iter().chain(&varied_momenta);
        Ok(VerticalMotion {
            excess: jacobi.zip(adjoint).map(|(j, &a)| j - a).collect(),
            space,
            function,
            momenta,
            varied_positions,
            varied_momenta,
        })
    }
}

impl VerticalMotion<'_> {
    /// Whether (ξ, π) is a variation of the motion, and not only adjoint to one: exactly if the equations of
    /// motion are Hamiltonian. (T-102)
    pub fn decide_hamiltonian(&self) -> Verdict {
        decide_all_zero(self.excess.iter().copied())
    }
}
