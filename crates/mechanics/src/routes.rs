//! Three routes to the equations of motion, each written as Eᵢ(t, x, u, a) = 0 with free
//! accelerations a, so that they can be compared without solving for anything.
//!
//! They share nothing above `geometry`: the first contracts a vector with the two-form Ω, the
//! second differentiates L, the third differentiates H at constant momenta.

use galilei_expr::{Expr, Rational, Verdict};
use galilei_geometry::{Matrix, VectorField};

use crate::canonical::Canonical;
use crate::system::System;

/// Degrees of freedom up to which H is written out through the inverse of the mass matrix.
const EXPLICIT: usize = 3;

/// What the routes say, for one system.
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
    /// ∂H/∂pᵢ − uⁱ at p = ∂L/∂u. (T-54)
    pub hamilton_velocities: Option<Vec<Expr<'p>>>,
}

impl<'p> Routes<'p> {
    /// Whether postulate and Lagrange say the same. (T-47, T-49)
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

    /// Whether Lagrange and Hamilton say the same. (T-54)
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
        let (hamilton, hamilton_velocities) = match hamilton {
            Some((p, v)) => (Some(p), Some(v)),
            None => (None, None),
        };
        Routes {
            lagrange: self.by_lagrange(&a),
            accelerations: a,
            postulate,
            velocities,
            hamilton,
            hamilton_velocities,
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
        // g as the form itself has it.
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
    #[allow(clippy::type_complexity)]
    pub(crate) fn by_hamilton(&self, a: &[Expr<'p>]) -> Option<(Vec<Expr<'p>>, Vec<Expr<'p>>)> {
        let state = self.state();
        let n = state.degrees_of_freedom();
        let (slopes, velocities) = match n <= EXPLICIT {
            true => match Canonical::new(self.lagrangian()) {
                Some(canonical) => self.explicit_hamilton(&canonical.ok()?),
                None => self.hamilton_by_frame()?,
            },
            false => match self.lagrangian().decide_quadratic().is_proved() {
                true => self.implicit_hamilton(),
                false => self.hamilton_by_energy(),
            },
        };
        let u = state.velocities();
        let rates = self.rates(a);
        let force = self.total_force();
        let momenta = self.lagrangian().momenta();
        let residual = (0..n)
            .map(|i| momenta[i].derivative_along(&rates) + slopes[i] - force.components()[i])
            .collect();
        let drift = (0..n).map(|i| velocities[i] - u[i]).collect();
        Some((residual, drift))
    }

    /// ∂H/∂x and ∂H/∂p of H(t, x, p), then p = ∂L/∂u put in.
    #[allow(clippy::type_complexity)]
    fn explicit_hamilton(&self, canonical: &Canonical<'p>) -> (Vec<Expr<'p>>, Vec<Expr<'p>>) {
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
        (all[1..=n].to_vec(), all[1 + n..].to_vec())
    }

    /// The same where H(t, x, p) has no formula: its value at p = ∂L/∂u is the energy, and is differentiated
    /// by the frame of the canonical chart. (T-52)
    #[allow(clippy::type_complexity)]
    fn hamilton_by_frame(&self) -> Option<(Vec<Expr<'p>>, Vec<Expr<'p>>)> {
        let frame = self.lagrangian().canonical_frame().ok()?;
        let h = frame.hamiltonian();
        Some((frame.by_positions(h), frame.by_momenta(h)))
    }

    /// The same through a solve: ∂H/∂p = w with mw = ∂E/∂u, and ∂H/∂x = ∂E/∂x − wʲ∂pⱼ/∂x. What is put for
    /// ∂H/∂p − u is ∂E/∂u − mu, which it is up to the factor m; it vanishes, so that w = u. (T-52)
    #[allow(clippy::type_complexity)]
    fn hamilton_by_energy(&self) -> (Vec<Expr<'p>>, Vec<Expr<'p>>) {
        let (state, l) = (self.state(), self.lagrangian());
        let (pool, n) = (state.pool(), state.degrees_of_freedom());
        let (x, u) = (state.base().positions(), state.velocities());
        let (energy, bent) = (l.energy(), pool.jacobian(&l.momenta(), x));
        let own = energy.gradient(x);
        let added = |i: usize| pool.sum((0..n).map(|j| u[j] * bent[j][i]));
        let slopes = (0..n).map(|i| own[i] - added(i)).collect();
        let (rise, lowered) = (energy.gradient(u), l.mass_matrix().times_vector(u));
        let drift = (0..n).map(|i| rise[i] - lowered[i] + u[i]).collect();
        (slopes, drift)
    }

    /// The same where H is known through a solve: H = ½wⁱ(pᵢ − aᵢ) − a₀ with gw = p − a. Then
    /// ∂H/∂p = w and ∂H/∂x = −½wᵀ(∂g/∂x)w − wᵀ∂a/∂x − ∂a₀/∂x, and at p = gu + a, w = u.
    #[allow(clippy::type_complexity)]
    fn implicit_hamilton(&self) -> (Vec<Expr<'p>>, Vec<Expr<'p>>) {
        let (state, l) = (self.state(), self.lagrangian());
        let (pool, n) = (state.pool(), state.degrees_of_freedom());
        let g = Matrix::new(pool, l.at_rest_matrix());
        let a = l.linear_part();
        let w: Vec<Expr<'p>> = (0..n).map(|i| pool.symbol(&format!("w#{i}"))).collect();
        let rest: Vec<_> = state
            .velocities()
            .iter()
            .map(|&u| (u, pool.zero()))
            .collect();
        let constant = l.function().substitute(&rest);
        let gw = g.times_vector(&w);
        let half = Rational::new(1, 2);
        // Differentiated with w held: −∂/∂x (½wᵀgw + wᵀa + a₀).
        let quadratic = half * pool.sum(w.iter().zip(&gw).map(|(&w, &c)| w * c));
        let linear = pool.sum(w.iter().zip(&a).map(|(&w, &a)| w * a));
        let held = quadratic + linear + constant;
        let slopes = held.gradient(state.base().positions());
        let pairs: Vec<_> = w
            .iter()
            .copied()
            .zip(state.velocities().iter().copied())
            .collect();
        let slopes: Vec<Expr<'p>> = slopes.into_iter().map(|s| -s).collect();
        let slopes = pool.substitute_all(&slopes, &pairs);
        // That w = u solves gw = p − a at p = ∂L/∂u: the residual of that equation stands for
        // ∂H/∂p − u, which it is up to the factor g.
        let momenta = l.momenta();
        let at_u = pool.substitute_all(&gw, &pairs);
        let drift = (0..n)
            .map(|i| momenta[i] - a[i] - at_u[i] + state.velocity(i))
            .collect();
        (slopes, drift)
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
