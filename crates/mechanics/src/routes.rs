//! Three routes to the equations of motion, each written as Eᵢ(t, x, u, a) = 0 with free
//! accelerations a, so that they can be compared without solving for anything.
//!
//! They share no code above `geometry`: the first contracts a vector with the two-form Ω, the
//! second differentiates L, the third differentiates H at constant momenta. [`HamiltonRoute`] says how the third
//! does that; one of its variants is not an independent route.

use galilei_expr::{Expr, Verdict};
use galilei_geometry::VectorField;

use crate::canonical::Canonical;
use crate::implicit_hamiltonian::ImplicitHamiltonian;
use crate::system::System;

/// Number of degrees of freedom up to which H is written out through the inverse of the mass matrix.
const MAX_FREEDOM_EXPLICIT: usize = 3;

/// The ways to compute ∂H/∂x and ∂H/∂p.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HamiltonRoute {
    /// H(t, x, p) is written out through the inverse of the mass matrix and differentiated.
    Explicit,
    /// H is the energy, differentiated by the frame of the canonical chart, with the inverse of ∂²L/∂u∂u. (T-52)
    Frame,
    /// H = ½wⁱ(pᵢ − aᵢ) − a₀, and the velocities w(t, x, p) are differentiated through the equation
    /// gw = p − a that defines them.
    Implicit,
    /// L is not quadratic in the velocities and has too many degrees of freedom for an inverse:
    /// ∂H/∂x = −∂L/∂x is taken from T-52 and not computed independently. Two routes are compared, not three.
    FromLagrange,
}

impl HamiltonRoute {
    /// Whether ∂H/∂x is found without ∂L/∂x.
    pub fn is_independent(self) -> bool {
        self != Self::FromLagrange
    }
}

/// The equations of one system by each route.
#[derive(Clone, Debug, PartialEq)]
pub struct Routes<'p> {
    /// Symbols for the accelerations.
    pub accelerations: Vec<Expr<'p>>,
    /// X ⌟ Ω = 0: the dxⁱ-components for X = ∂ₜ + u∂ₓ + a∂ᵤ. (T-47)
    pub postulate: Vec<Expr<'p>>,
    /// X ⌟ Ω = 0: the duⁱ-components for X = ∂ₜ + A∂ₓ + a∂ᵤ, minus mᵢⱼ(Aʲ − uʲ). They vanish, so
    /// that A = u wherever m is regular. (T-48)
    pub velocities: Vec<Expr<'p>>,
    /// d/dt ∂L/∂uⁱ − ∂L/∂xⁱ − Fᵢ. (T-49)
    pub lagrange: Vec<Expr<'p>>,
    /// dpᵢ/dt + ∂H/∂xⁱ − Fᵢ along the motion, at p = ∂L/∂u; `None` if L is degenerate. (T-54)
    pub hamilton: Option<Vec<Expr<'p>>>,
    /// ∂H/∂pᵢ − uⁱ at p = ∂L/∂u, and the other expressions that must vanish for u to belong to that p. (T-54)
    pub hamilton_velocities: Option<Vec<Expr<'p>>>,
    /// The way of the third route; `None` if L is degenerate.
    pub hamilton_route: Option<HamiltonRoute>,
}

impl<'p> Routes<'p> {
    /// Whether the postulate and Lagrange's equations agree. (T-47, T-49)
    pub fn decide_postulate(&self) -> Verdict {
        let mut claims: Vec<Expr<'p>> = self.velocities.clone();
        claims.extend(
            self.postulate
                .iter()
                .zip(&self.lagrange)
                .map(|(&a, &b)| a - b),
        );
        decide_together(&claims)
    }

    /// Whether Lagrange's and Hamilton's equations agree. (T-54)
    pub fn decide_hamilton(&self) -> Option<Verdict> {
        let mut claims = self.hamilton_velocities.clone()?;
        claims.extend(
            self.hamilton
                .as_ref()?
                .iter()
                .zip(&self.lagrange)
                .map(|(&a, &b)| a - b),
        );
        Some(decide_together(&claims))
    }
}

/// ∂H/∂x at p = ∂L/∂u, the expressions that must vanish for ẋ = ∂H/∂p to be u, and the way they were computed.
type Slopes<'p> = (Vec<Expr<'p>>, Vec<Expr<'p>>, HamiltonRoute);

/// Whether all expressions vanish, as one claim: Σ rₖeₖ = 0 for free rₖ.
pub fn decide_together(claims: &[Expr<'_>]) -> Verdict {
    let Some(first) = claims.iter().find(|e| !e.is_zero()) else {
        return Verdict::Proved(galilei_expr::Bound::CERTAIN);
    };
    if claims.iter().filter(|e| !e.is_zero()).count() == 1 {
        return first.decide_zero();
    }
    let pool = first.pool();
    let weighted = claims.iter().enumerate().filter(|(_, e)| !e.is_zero());
    pool.sum(weighted.map(|(k, &e)| pool.symbol(&format!("r#{k}")) * e))
        .decide_zero()
}

impl<'p> System<'p> {
    /// Symbols for the accelerations, `x''`.
    pub fn acceleration_symbols(&self) -> Vec<Expr<'p>> {
        let pool = self.state().pool();
        let x = self.state().base().positions();
        x.iter().map(|x| pool.symbol(&format!("{x}''"))).collect()
    }

    /// The three routes.
    pub fn routes(&self) -> Routes<'p> {
        let a = self.acceleration_symbols();
        let (velocities, postulate) = self.by_postulate(&a);
        let hamilton = self.by_hamilton(&a);
        let (hamilton, hamilton_velocities, hamilton_route) = match hamilton {
            Some((p, v, route)) => (Some(p), Some(v), Some(route)),
            None => (None, None, None),
        };
        Routes {
            lagrange: self.by_lagrange(&a),
            accelerations: a,
            postulate,
            velocities,
            hamilton,
            hamilton_velocities,
            hamilton_route,
        }
    }

    /// The three routes, the third by implicit differentiation of the given H. (T-54)
    pub fn routes_through(&self, implicit: &ImplicitHamiltonian<'p>) -> Routes<'p> {
        let a = self.acceleration_symbols();
        let (velocities, postulate) = self.by_postulate(&a);
        let (slopes, drift, route) = self.implicit_hamilton(implicit);
        Routes {
            lagrange: self.by_lagrange(&a),
            postulate,
            velocities,
            hamilton: Some(self.hamilton_residual(&a, &slopes)),
            hamilton_velocities: Some(drift),
            hamilton_route: Some(route),
            accelerations: a,
        }
    }

    /// ṫ = 1, ẋ = u, u̇ = a
    pub(crate) fn rates(&self, a: &[Expr<'p>]) -> Vec<(Expr<'p>, Expr<'p>)> {
        let state = self.state();
        let (x, u) = (state.base().positions(), state.velocities());
        let mut rates = vec![(state.time(), state.pool().one())];
        rates.extend(x.iter().copied().zip(u.iter().copied()));
        rates.extend(u.iter().copied().zip(a.iter().copied()));
        rates
    }

    /// Lagrange's equations with free accelerations: d/dt ∂L/∂uⁱ − ∂L/∂xⁱ − Fᵢ. (T-49)
    pub fn by_lagrange(&self, a: &[Expr<'p>]) -> Vec<Expr<'p>> {
        let state = self.state();
        let (x, u) = (state.base().positions(), state.velocities());
        let l = self.lagrangian().function();
        let rates = self.rates(a);
        let momenta = l.gradient(u);
        let slopes = l.gradient(x);
        let force = self.total_force();
        (0..x.len())
            .map(|i| momenta[i].derivative_along(&rates) - slopes[i] - force.components()[i])
            .collect()
    }

    /// X ⌟ Ω of X = ∂ₜ + A∂ₓ + a∂ᵤ with free A and a.
    fn by_postulate(&self, a: &[Expr<'p>]) -> (Vec<Expr<'p>>, Vec<Expr<'p>>) {
        let state = self.state();
        let pool = state.pool();
        let n = state.degrees_of_freedom();
        let omega = self.action_two_form();
        let free: Vec<Expr<'p>> = (0..n).map(|i| pool.symbol(&format!("A#{i}"))).collect();
        let contract = |x: &[Expr<'p>]| {
            let mut components = vec![pool.one()];
            components.extend_from_slice(x);
            components.extend_from_slice(a);
            VectorField::new(state.chart(), components).interior(&omega)
        };
        let open = contract(&free);
        // g from the components of the form itself.
        let g = |i: usize, j: usize| omega.component(&[state.u(i), state.x(j)]);
        let velocities = (0..n)
            .map(|i| {
                let expected = (0..n).map(|j| g(i, j) * (free[j] - state.velocity(j)));
                open.component(&[state.u(i)]) + pool.sum(expected)
            })
            .collect();
        let closed = contract(state.velocities());
        let accelerations = (0..n).map(|i| closed.component(&[state.x(i)])).collect();
        (velocities, accelerations)
    }

    /// Hamilton's equations, at p = ∂L/∂u.
    pub(crate) fn by_hamilton(&self, a: &[Expr<'p>]) -> Option<Slopes<'p>> {
        let state = self.state();
        let n = state.degrees_of_freedom();
        let quadratic = || self.lagrangian().decide_quadratic().is_proved();
        let (slopes, drift, route) = match n <= MAX_FREEDOM_EXPLICIT {
            true => match Canonical::new(self.lagrangian()) {
                Some(canonical) => self.explicit_hamilton(&canonical.ok()?),
                None => self.hamilton_by_frame()?,
            },
            false if quadratic() => {
                self.implicit_hamilton(&ImplicitHamiltonian::new(self.lagrangian()))
            }
            false => self.hamilton_by_energy(),
        };
        Some((self.hamilton_residual(a, &slopes), drift, route))
    }

    /// dpᵢ/dt + ∂H/∂xⁱ − Fᵢ
    fn hamilton_residual(&self, a: &[Expr<'p>], slopes: &[Expr<'p>]) -> Vec<Expr<'p>> {
        let (rates, force) = (self.rates(a), self.total_force());
        let momenta = self.lagrangian().momenta();
        (momenta.iter().zip(slopes).zip(force.components()))
            .map(|((p, &slope), &f)| p.derivative_along(&rates) + slope - f)
            .collect()
    }

    /// ∂H/∂p − u
    fn drift(&self, velocities: &[Expr<'p>]) -> Vec<Expr<'p>> {
        let u = self.state().velocities();
        velocities.iter().zip(u).map(|(&v, &u)| v - u).collect()
    }

    /// ∂H/∂x and ∂H/∂p of H(t, x, p), with p = ∂L/∂u substituted afterwards.
    fn explicit_hamilton(&self, canonical: &Canonical<'p>) -> Slopes<'p> {
        let n = self.state().degrees_of_freedom();
        let gradient = canonical
            .hamiltonian()
            .gradient(canonical.chart().coordinates());
        let pairs: Vec<(Expr<'p>, Expr<'p>)> = self
            .lagrangian()
            .momenta()
            .into_iter()
            .enumerate()
            .map(|(i, p)| (canonical.momentum(i), p))
            .collect();
        let all = self.state().pool().substitute_all(&gradient, &pairs);
        let drift = self.drift(&all[1 + n..]);
        (all[1..=n].to_vec(), drift, HamiltonRoute::Explicit)
    }

    /// ∂H/∂x and ∂H/∂p where H(t, x, p) has no formula: its value at p = ∂L/∂u is the energy, and is
    /// differentiated by the frame of the canonical chart. (T-52)
    fn hamilton_by_frame(&self) -> Option<Slopes<'p>> {
        let frame = self.lagrangian().canonical_frame().ok()?;
        let h = frame.hamiltonian();
        let drift = self.drift(&frame.by_momenta(h));
        Some((frame.by_positions(h), drift, HamiltonRoute::Frame))
    }

    /// ∂H/∂x through ∂H/∂p = w with mw = ∂E/∂u: ∂H/∂x = ∂E/∂x − wʲ∂pⱼ/∂x, which is −∂L/∂x again. In place of
    /// ∂H/∂p − u, ∂E/∂u − mu is returned, which is m times it; it vanishes, so that w = u. (T-52)
    fn hamilton_by_energy(&self) -> Slopes<'p> {
        let (state, l) = (self.state(), self.lagrangian());
        let (pool, n) = (state.pool(), state.degrees_of_freedom());
        let (x, u) = (state.base().positions(), state.velocities());
        let (energy, bent) = (l.energy(), pool.jacobian(&l.momenta(), x));
        let own = energy.gradient(x);
        let added = |i: usize| pool.sum((0..n).map(|j| u[j] * bent[j][i]));
        let slopes = (0..n).map(|i| own[i] - added(i)).collect();
        let (rise, lowered) = (energy.gradient(u), l.mass_matrix().times_vector(u));
        let drift = (0..n).map(|i| rise[i] - lowered[i]).collect();
        (slopes, drift, HamiltonRoute::FromLagrange)
    }

    /// ∂H/∂x and ∂H/∂p by implicit differentiation, where g⁻¹ is not written out.
    fn implicit_hamilton(&self, implicit: &ImplicitHamiltonian<'p>) -> Slopes<'p> {
        let (state, l) = (self.state(), self.lagrangian());
        let n = state.degrees_of_freedom();
        let mut all = implicit.by(state.base().positions());
        all.extend(implicit.by(&implicit.momenta));
        all.extend(&implicit.defining);
        // At p = ∂L/∂u the velocities are u: the defining equation must vanish, too.
        let u = state.velocities().iter().copied();
        let mut pairs: Vec<_> = implicit.velocities.iter().copied().zip(u).collect();
        pairs.extend(implicit.momenta.iter().copied().zip(l.momenta()));
        let all = state.pool().substitute_all(&all, &pairs);
        let mut drift = self.drift(&all[n..2 * n]);
        drift.extend(&all[2 * n..]);
        (all[..n].to_vec(), drift, HamiltonRoute::Implicit)
    }

    /// dE/dt along the motion minus (−∂L/∂t + uⁱFᵢ): vanishes. (T-50)
    ///
    /// E = uⁱ∂L/∂uⁱ − L is differentiated along (u, a), and m·a is replaced through Lagrange's
    /// equations by adding uⁱ times them.
    pub fn energy_residual(&self) -> Expr<'p> {
        let state = self.state();
        let pool = state.pool();
        let a = self.acceleration_symbols();
        let u = state.velocities();
        let rates = self.rates(&a);
        let along = self.lagrangian().energy().derivative_along(&rates);
        let equations = self.by_lagrange(&a);
        let work = pool.sum(equations.iter().zip(u).map(|(&e, &u)| u * e));
        along - work - self.energy_rate()
    }
}
