//! Lagrangians: momenta, energy, Cartan form, and the recovery of metric, reference field and potentials.

use galilei_expr::{Bound, Expr, Rational, Verdict};
use galilei_geometry::{Chart, Form, Matrix, Singular, decide_all_zero};

use crate::force::Force;
use crate::metric::GalileanMetric;
use crate::potential::Potentials;
use crate::primitive::primitive;
use crate::reference::ReferenceField;
use crate::second_order::SecondOrderField;
use crate::state_space::StateSpace;

/// The largest number of velocities for which the energy is written with the momenta.
const MAX_MOMENTA_IN_ENERGY: usize = 64;

/// A function L(t, x, u) on the state space.
#[derive(Clone, Debug, PartialEq)]
pub struct Lagrangian<'p> {
    state: StateSpace<'p>,
    function: Expr<'p>,
}

/// g, R, V, A with L = ½g(u − R, u − R) − V + Aᵢuⁱ. (T-45)
#[derive(Clone, Debug, PartialEq)]
pub struct Recovered<'p> {
    /// gᵢⱼ = ∂²L/∂uⁱ∂uʲ
    pub metric: GalileanMetric<'p>,
    /// The reference field that was chosen.
    pub reference: ReferenceField<'p>,
    /// V and A for that reference field.
    pub potentials: Potentials<'p>,
}

impl<'p> Lagrangian<'p> {
    /// The Lagrangian with this function.
    pub fn new(state: &StateSpace<'p>, function: Expr<'p>) -> Self {
        Self {
            state: state.clone(),
            function,
        }
    }

    /// The state space.
    pub fn state(&self) -> &StateSpace<'p> {
        &self.state
    }

    /// L
    pub fn function(&self) -> Expr<'p> {
        self.function
    }

    /// pᵢ = ∂L/∂uⁱ. (T-51)
    pub fn momenta(&self) -> Vec<Expr<'p>> {
        self.function.gradient(self.state.velocities())
    }

    /// mᵢⱼ = ∂²L/∂uⁱ∂uʲ. (T-49)
    pub fn mass_matrix(&self) -> Matrix<'p> {
        Matrix::new(
            self.state.pool(),
            self.function.hessian(self.state.velocities()),
        )
    }

    /// uⁱ∂L/∂uⁱ − L. (T-50)
    ///
    /// For many velocities uⁱ∂L/∂uⁱ is found as the derivative along them, which is as large as L; the momenta of
    /// velocities that are sums of each other are larger.
    pub fn energy(&self) -> Expr<'p> {
        let u = self.state.velocities();
        if u.len() > MAX_MOMENTA_IN_ENERGY {
            let rates: Vec<_> = u.iter().map(|&u| (u, u)).collect();
            return self.function.derivative_along(&rates) - self.function;
        }
        let terms = self.momenta().into_iter().zip(self.state.velocities());
        self.state.pool().sum(terms.map(|(p, &u)| p * u)) - self.function
    }

    /// ω = L dt + ∂L = L dt + (∂L/∂uⁱ)θⁱ. (T-42)
    pub fn cartan_form(&self) -> Form<'p> {
        let l = Form::function(self.state.chart(), self.function);
        l.wedge(&self.state.dt()).plus(&self.state.del(&l))
    }

    /// Lagrange's equations m·Z = f: the right-hand side
    /// fᵢ = ∂L/∂xⁱ − ∂ₜ∂L/∂uⁱ − uʲ∂²L/∂xʲ∂uⁱ + Fᵢ. (T-49)
    pub fn right_hand_side(&self, force: &Force<'p>) -> Vec<Expr<'p>> {
        let state = &self.state;
        let x = state.base().positions();
        let slopes = self.function.gradient(x);
        let momenta = self.momenta().into_iter().map(|p| state.drift(p));
        slopes
            .into_iter()
            .zip(momenta)
            .zip(force.components())
            .map(|((slope, drift), &f)| slope - drift + f)
            .collect()
    }

    /// The accelerations by Lagrange's equations.
    pub fn field(&self, force: &Force<'p>) -> Result<SecondOrderField<'p>, Singular> {
        let accelerations = self.mass_matrix().solve(&self.right_hand_side(force))?;
        Ok(SecondOrderField::new(&self.state, accelerations))
    }

    /// Whether L is quadratic in the velocities: ∂³L/∂u³ = 0. Mostly its form says so, and no derivative is taken. (T-46)
    pub fn decide_quadratic(&self) -> Verdict {
        let u = self.state.velocities();
        let pool = self.state.pool();
        if self.function.degree_bound(u).is_some_and(|d| d <= 2) {
            return Verdict::Proved(Bound::CERTAIN);
        }
        // Many entries are equal, and few contain velocities: one pass for each velocity.
        let mut seen = std::collections::HashSet::new();
        let entries: Vec<Expr<'p>> = (self.function.hessian(u).into_iter().flatten())
            .filter(|e| e.as_rational().is_none() && seen.insert(e.id()))
            .collect();
        let slopes = u.iter().flat_map(|&v| pool.jacobian(&entries, &[v]));
        decide_all_zero(slopes.flatten().filter(|e| !e.is_zero()))
    }

    /// g, R, V, A for a given reference field: Aᵢ = aᵢ + gᵢⱼRʲ, V = ½g(R, R) − a₀, with aᵢ = ∂L/∂uⁱ
    /// and a₀ = L at u = 0. `None` unless L is quadratic. (T-45)
    pub fn recover(&self, reference: &ReferenceField<'p>) -> Option<Recovered<'p>> {
        if !self.decide_quadratic().is_proved() {
            return None;
        }
        let state = &self.state;
        let base = state.base();
        let metric = GalileanMetric::new(base, self.at_rest_matrix()).ok()?;
        let lowered = metric.lower(reference.components());
        let vector = self
            .linear_part()
            .into_iter()
            .zip(lowered)
            .map(|(a, b)| a + b)
            .collect();
        let r = reference.components();
        let scalar = Rational::new(1, 2) * metric.pair(r, r) - self.at_rest(self.function);
        Some(Recovered {
            metric,
            reference: reference.clone(),
            potentials: Potentials::new(base, scalar, vector),
        })
    }

    /// The reference field for which A = 0: Rⁱ = −gⁱʲaⱼ. (T-45)
    pub fn natural_reference(&self) -> Result<ReferenceField<'p>, Singular> {
        let a: Vec<Expr<'p>> = self.linear_part().into_iter().map(|a| -a).collect();
        let g = Matrix::new(self.state.pool(), self.at_rest_matrix());
        Ok(ReferenceField::new(self.state.base(), g.solve(&a)?))
    }

    fn at_rest(&self, e: Expr<'p>) -> Expr<'p> {
        let zero = self.state.pool().zero();
        let pairs: Vec<_> = self.state.velocities().iter().map(|&u| (u, zero)).collect();
        e.substitute(&pairs)
    }

    /// aᵢ = ∂L/∂uⁱ at u = 0.
    pub(crate) fn linear_part(&self) -> Vec<Expr<'p>> {
        self.momenta()
            .into_iter()
            .map(|p| self.at_rest(p))
            .collect()
    }

    pub(crate) fn at_rest_matrix(&self) -> Vec<Vec<Expr<'p>>> {
        let rows = self.mass_matrix().rows().to_vec();
        rows.into_iter()
            .map(|row| row.into_iter().map(|c| self.at_rest(c)).collect())
            .collect()
    }

    /// h(t, x) and L′ = L − ∂ₜh − uⁱ∂ᵢh, the Lagrangian of the same gauge class without terms linear in the velocities. `None`
    /// where L has no such terms, is not quadratic, or its linear part is no gradient, proved or in closed form. (T-36, T-44)
    pub fn without_gauge(&self) -> Option<(Expr<'p>, Self)> {
        let a = self.linear_part();
        if a.iter().all(|e| e.is_zero()) || !self.decide_quadratic().is_proved() {
            return None;
        }
        let space = Chart::of(self.state.pool(), self.state.base().positions().to_vec());
        let form = Form::one_form(&space, &a);
        if !form.d().decide_zero().is_proved() {
            return None;
        }
        let h = primitive(&form)?;
        let state = &self.state;
        let mut along = vec![(state.time(), state.pool().one())];
        along.extend(
            (state.base().positions().iter().copied()).zip(state.velocities().iter().copied()),
        );
        let plain = Self::new(state, self.function - h.derivative_along(&along));
        Some((h, plain))
    }

    /// Whether two Lagrangians have the same equations because they differ by a total derivative:
    /// dω′ = dω. If so, h with L′ = L + ∂ₜh + uⁱ∂ᵢh, where a homotopy finds it. (T-44)
    pub fn decide_gauge(&self, other: &Self) -> (Verdict, Option<Expr<'p>>) {
        let difference = other.cartan_form().minus(&self.cartan_form());
        let closed = difference.d().decide_zero();
        if !closed.is_proved() {
            return (closed, None);
        }
        // The difference is a closed one-form on space-time, if its components are the same at all
        // velocities and not only between kinks.
        let chart = self.state.base().chart();
        let components = (0..chart.dimension()).map(|k| difference.component(&[k]));
        let (components, below): (Vec<Expr<'p>>, Vec<Verdict>) =
            components.map(|c| self.state.on_space_time(c)).unzip();
        let verdict = below.into_iter().fold(closed, Verdict::and);
        if !verdict.is_proved() {
            return (verdict, None);
        }
        let form = Form::one_form(chart, &components);
        (verdict, primitive(&form))
    }
}
