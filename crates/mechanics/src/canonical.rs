//! The canonical chart: momenta, Hamiltonian, Hamilton's equations.

use galilei_expr::{Assumptions, Expr, Rational};
use galilei_geometry::{Chart, Form, Matrix, Singular, SmoothMap, VectorField};

use crate::constrained_hamilton::HamiltonianForm;
use crate::force::Force;
use crate::lagrangian::Lagrangian;
use crate::legendre::NotLegendreInverse;
use crate::state_space::StateSpace;
use crate::system::System;

/// The chart (t, xⁱ, pᵢ) of a Lagrangian whose Legendre map has an inverse in closed form, pᵢ named
/// `p(x)`: found if L is quadratic in the velocities, given and checked otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Canonical<'p> {
    state: StateSpace<'p>,
    chart: Chart<'p>,
    /// u(t, x, p)
    velocities: Vec<Expr<'p>>,
    hamiltonian: Expr<'p>,
}

impl<'p> Canonical<'p> {
    /// The Legendre transform u = g⁻¹(p − a), H = ½g⁻¹(p − a, p − a) − a₀ of L = ½g(u, u) + a·u + a₀.
    /// `None` unless L is quadratic. (T-51)
    pub fn new(lagrangian: &Lagrangian<'p>) -> Option<Result<Self, Singular>> {
        if !lagrangian.decide_quadratic().is_proved() {
            return None;
        }
        let state = lagrangian.state();
        let (pool, map) = (state.pool(), lagrangian.legendre_map());
        let momenta = map.momenta();
        let a = lagrangian.linear_part();
        let shifted: Vec<Expr<'p>> = momenta.iter().zip(&a).map(|(&p, &a)| p - a).collect();
        let g = Matrix::new(pool, lagrangian.at_rest_matrix());
        let velocities = match g.solve(&shifted) {
            Ok(u) => u,
            Err(singular) => return Some(Err(singular)),
        };
        let zero = pool.zero();
        let rest: Vec<_> = state.velocities().iter().map(|&u| (u, zero)).collect();
        let constant = lagrangian.function().substitute(&rest);
        let pairs = shifted.iter().zip(&velocities);
        let quadratic = pool.sum(pairs.map(|(&p, &u)| p * u));
        Some(Ok(Self {
            state: state.clone(),
            chart: map.chart().clone(),
            velocities,
            hamiltonian: Rational::new(1, 2) * quadratic - constant,
        }))
    }

    /// The canonical chart of any regular L with the inverse u(t, x, p) of its Legendre map, which is
    /// checked; H = pᵢuⁱ − L. (T-26, T-52 … T-54)
    pub fn with_velocities(
        lagrangian: &Lagrangian<'p>,
        velocities: Vec<Expr<'p>>,
        domain: &Assumptions<'p>,
    ) -> Result<Self, NotLegendreInverse> {
        let map = lagrangian.legendre_map();
        let verdict = map.decide_inverse(&velocities, domain);
        if !verdict.is_proved() {
            return Err(NotLegendreInverse(verdict));
        }
        let state = lagrangian.state();
        let u = state.velocities().iter().copied();
        let pairs: Vec<(Expr<'p>, Expr<'p>)> = u.zip(velocities.iter().copied()).collect();
        let paired = map.momenta().iter().zip(&velocities);
        let paired = state.pool().sum(paired.map(|(&p, &u)| p * u));
        Ok(Self {
            state: state.clone(),
            chart: map.chart().clone(),
            hamiltonian: paired - lagrangian.function().substitute(&pairs),
            velocities,
        })
    }

    /// The canonical chart of a Hamiltonian that is given, with u = ∂H/∂p. (T-52, T-114)
    pub fn of_hamiltonian(state: &StateSpace<'p>, form: &HamiltonianForm<'p>) -> Self {
        Self {
            state: state.clone(),
            chart: form.chart().clone(),
            velocities: form.velocities(),
            hamiltonian: form.function(),
        }
    }

    /// The canonical chart with H in another form, which must be equal.
    #[must_use]
    pub fn rewritten(&self, hamiltonian: Expr<'p>) -> Self {
        Self::of_hamiltonian(&self.state, &HamiltonianForm::new(&self.chart, hamiltonian))
    }

    /// (t, x, p)
    pub fn chart(&self) -> &Chart<'p> {
        &self.chart
    }

    /// pᵢ
    pub fn momentum(&self, i: usize) -> Expr<'p> {
        self.chart
            .coordinate(1 + self.state.degrees_of_freedom() + i)
    }

    /// H(t, x, p)
    pub fn hamiltonian(&self) -> Expr<'p> {
        self.hamiltonian
    }

    /// pᵢdxⁱ − H dt. (T-95)
    pub fn hamiltonian_form(&self) -> HamiltonianForm<'p> {
        HamiltonianForm::new(&self.chart, self.hamiltonian)
    }

    /// The map (t, x, p) ↦ (t, x, u(t, x, p)) to the natural chart.
    pub fn to_natural(&self) -> SmoothMap<'p> {
        let base = self.state.base().chart().coordinates();
        let components = base.iter().chain(&self.velocities).copied().collect();
        SmoothMap::new(&self.chart, self.state.chart(), components)
    }

    /// Hamilton's equations ẋ = ∂H/∂p, ṗ = −∂H/∂x + F. (T-54)
    pub fn hamilton(&self, force: &Force<'p>) -> VectorField<'p> {
        let n = self.state.degrees_of_freedom();
        let map = self.to_natural();
        let h = self.hamiltonian;
        let gradient = h.gradient(self.chart.coordinates());
        let pool = self.state.pool();
        let mut components = vec![pool.one()];
        components.extend((0..n).map(|i| gradient[1 + n + i]));
        components.extend((0..n).map(|i| map.pullback(&force.components()[i]) - gradient[1 + i]));
        VectorField::new(&self.chart, components)
    }

    /// ω = −H dt + pᵢdxⁱ. (T-53)
    pub fn cartan_form(&self) -> Form<'p> {
        let n = self.state.degrees_of_freedom();
        let pool = self.state.pool();
        let mut components = vec![-self.hamiltonian];
        components.extend((0..n).map(|i| self.momentum(i)));
        components.extend((0..n).map(|_| pool.zero()));
        Form::one_form(&self.chart, &components)
    }

    /// The canonical form of a force,
    /// Fᵢdxⁱ∧dt + ½gᵣⱼ(∂Fᵢ/∂pᵣ)(dxⁱ − Hⁱdt)∧(dxʲ − Hʲdt), Hⁱ = ∂H/∂pᵢ. (T-53)
    pub fn force_two_form(&self, force: &Force<'p>) -> Form<'p> {
        let n = self.state.degrees_of_freedom();
        let (map, chart) = (self.to_natural(), &self.chart);
        let f: Vec<Expr<'p>> = force.components().iter().map(|c| map.pullback(c)).collect();
        let p: Vec<Expr<'p>> = (0..n).map(|i| self.momentum(i)).collect();
        let pool = self.state.pool();
        // gᵣⱼ is the inverse of ∂²H/∂p∂p.
        let g = Matrix::new(pool, self.hamiltonian.hessian(&p)).inverse();
        let slope = self.hamiltonian.gradient(&p);
        let contact = |i: usize| {
            chart
                .differential(1 + i)
                .minus(&chart.differential(0).scaled(slope[i]))
        };
        let mut form = Form::zero(chart, 2);
        for i in 0..n {
            form = form.plus(
                &chart
                    .differential(1 + i)
                    .wedge(&chart.differential(0))
                    .scaled(f[i]),
            );
            for j in 0..n {
                let c = pool.sum((0..n).map(|r| match &g {
                    Ok(g) => g.rows()[r][j] * f[i].diff(p[r]),
                    Err(Singular) => pool.zero(),
                }));
                let half = Rational::new(1, 2) * c;
                form = form.plus(&contact(i).wedge(&contact(j)).scaled(half));
            }
        }
        form
    }
}

impl<'p> System<'p> {
    /// The canonical chart: that of the Hamiltonian the system was given by; else, if L is quadratic and not
    /// degenerate, that of L.
    pub fn canonical(&self) -> Option<Canonical<'p>> {
        if let Some(given) = self.given_canonical() {
            return Some(given.clone());
        }
        Canonical::new(self.lagrangian())?.ok()
    }
}
