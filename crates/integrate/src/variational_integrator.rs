//! Variational integrators: steps that make a discrete action stationary.
//!
//! Over a step positions are a polynomial, with velocities W at its nodes, and the action is a quadrature of points
//! cᵢ and weights bᵢ: L_d = hΣbᵢL(tᵢ, Xᵢ, Vᵢ). The discrete principle of Lagrange and d'Alembert,
//!
//! δL_d + hΣbᵢFᵢ·δXᵢ + ΣMⱼ·δg(tⱼ, Yⱼ) = p₁·δx₁ − p₀·δx₀,
//!
//! with impulses M of reactions where positions Y at some nodes are held to constraints g = 0, gives with P = ∂L/∂u,
//! φ = ∂L/∂x + F and J = ∂g/∂x the equations of a step in positions and momenta. Basis function k has spent the part
//! ½ + sᵢₖ of its integral βₖ at point i (s̃ⱼₖ at node j), so
//!
//! Xᵢ = x₀ + hΣ(½ + sᵢₖ)βₖWₖ,  x₁ = x₀ + hΣβₖWₖ,
//! Σeᵢₖ(Pᵢ − p₀) = hΣ(½ − sᵢₖ)bᵢφᵢ + Σ(½ − s̃ⱼₖ)JⱼᵀMⱼ  for every k,
//! p₁ = p₀ + hΣbᵢφᵢ + ΣJⱼᵀMⱼ,  g(tⱼ, Yⱼ) = 0,  J(x₁)u₁ + ∂g/∂t = 0 for p₁ = ∂L/∂u at u₁.
//!
//! Both sums have the same numbers s, which makes the map symplectic, however they are rounded. The last
//! impulse appears in p₁ alone and brings the velocity to the constraints; with one basis function and two points
//! this is the method of Störmer and Verlet, with constraints RATTLE.
//!
//! J. E. Marsden, M. West, Discrete mechanics and variational integrators, Acta Numerica 10 (2001) 357; L. O. Jay,
//! Specialized partitioned additive Runge–Kutta methods, SIAM J. Numer. Anal. 45 (2007) 1814: Gauss' points for the
//! action and Lobatto's for constraints are of order 2s.

mod constraints;
mod equations;
mod galerkin;
mod scheme;

use crate::constant::integrate;
use crate::problem::{Error, Options, Problem, Run, Status};
use crate::record::started;
pub(crate) use equations::Variational;

/// The discrete action that is stationary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiscreteAction {
    /// h/2·[L(t, x₀, (x₁ − x₀)/h) + L(t + h, x₁, (x₁ − x₀)/h)]
    Trapezoid,
    /// Stationary among polynomials of a degree from one to three, by as many of Gauss' points. Of degree one it is the
    /// midpoint rule: h·L(t + h/2, (x₀ + x₁)/2, (x₁ − x₀)/h).
    Galerkin(usize),
}

/// Integrates by steps that make a discrete action stationary. Their length is chosen as by
/// those of Gauss' methods. Constraints must be between positions.
/// `progress` is called from time to time with the time and returns whether to go on.
///
/// # Panics
/// If a degree is not from one to three.
pub(crate) fn integrate_variational(
    problem: &Problem,
    action: DiscreteAction,
    state: &[f64],
    options: &Options,
    progress: impl FnMut(f64) -> bool,
) -> Run {
    match Variational::new(problem, action) {
        Some(scheme) => integrate(problem, scheme, state, options, progress),
        None => Run {
            status: Status::Failed(Error::Nonholonomic),
            ..started(problem, state, options, 0)
        },
    }
}
