//! Kinetic energy with respect to a reference field.

use galilei_expr::{Expr, Rational, Verdict};
use galilei_geometry::{Form, LeviCivita, Singular, SymmetricTensor};

use crate::lagrangian::Lagrangian;
use crate::metric::GalileanMetric;
use crate::reference::ReferenceField;
use crate::routes::decide_together;
use crate::second_order::SecondOrderField;
use crate::state_space::StateSpace;
use crate::system::System;

/// T_R = ½ gᵢⱼ(uⁱ − Rⁱ)(uʲ − Rʲ). (T-38)
#[derive(Clone, Debug, PartialEq)]
pub struct KineticEnergy<'p> {
    state: StateSpace<'p>,
    metric: GalileanMetric<'p>,
    reference: ReferenceField<'p>,
}

impl<'p> KineticEnergy<'p> {
    /// The kinetic energy of a metric with respect to a reference field.
    pub fn new(
        state: &StateSpace<'p>,
        metric: &GalileanMetric<'p>,
        reference: &ReferenceField<'p>,
    ) -> Self {
        Self {
            state: state.clone(),
            metric: metric.clone(),
            reference: reference.clone(),
        }
    }

    /// T_R of a function T = T_R + W(t, x) that is quadratic in the velocities: g = ∂²T/∂u∂u and
    /// R = −g⁻¹∂T/∂u at u = 0. `None` if T is not quadratic. (T-38, T-45)
    ///
    /// T is a kinetic energy and never a Lagrangian: the linear terms of L also hold vector potentials, and
    /// those are no motion of a frame.
    pub fn recover(state: &StateSpace<'p>, t: Expr<'p>) -> Option<Result<Self, Singular>> {
        let function = Lagrangian::new(state, t);
        let rest = ReferenceField::resting(state.base());
        let metric = function.recover(&rest)?.metric;
        let reference = match function.natural_reference() {
            Ok(reference) => reference,
            Err(singular) => return Some(Err(singular)),
        };
        Some(Ok(Self::new(state, &metric, &reference)))
    }

    /// The metric g.
    pub fn metric(&self) -> &GalileanMetric<'p> {
        &self.metric
    }

    /// The reference field R.
    pub fn reference(&self) -> &ReferenceField<'p> {
        &self.reference
    }

    /// Whether T = T_R + W(t, x): g and R are those of the function T.
    pub fn decide_recovers(&self, t: Expr<'p>) -> Verdict {
        decide_together(&(t - self.energy()).gradient(self.state.velocities()))
    }

    /// T_R
    pub fn energy(&self) -> Expr<'p> {
        let pairs = self
            .state
            .velocities()
            .iter()
            .zip(self.reference.components());
        let relative: Vec<Expr<'p>> = pairs.map(|(&u, &r)| u - r).collect();
        Rational::new(1, 2) * self.metric.pair(&relative, &relative)
    }

    /// T₂, T₁, T₀: the parts of degree 2, 1, 0 in u. (T-109)
    pub fn homogeneous_parts(&self) -> [Expr<'p>; 3] {
        let (u, r) = (self.state.velocities(), self.reference.components());
        let half = Rational::new(1, 2);
        [
            half.clone() * self.metric.pair(u, u),
            -self.metric.pair(u, r),
            half * self.metric.pair(r, r),
        ]
    }

    /// Ω_R = d(T_R dt + ∂T_R). (T-38)
    pub fn action_two_form(&self) -> Form<'p> {
        let state = &self.state;
        let energy = Form::function(state.chart(), self.energy());
        energy.wedge(&state.dt()).plus(&state.del(&energy)).d()
    }

    /// Lagrange's expressions d/dt ∂T_R/∂uⁱ − ∂T_R/∂xⁱ with free accelerations a, the components of
    /// Z ⌟ Ω_R. (T-48)
    pub fn lagrange(&self, a: &[Expr<'p>]) -> Vec<Expr<'p>> {
        let system = System::new(Lagrangian::new(&self.state, self.energy()));
        system.by_lagrange(a)
    }

    /// The field of Ω_R in closed form. With bᵢ = gᵢⱼRʲ,
    /// gᵢⱼZʲ = −\[jk,i\]uʲuᵏ − ∂ₜgᵢⱼuʲ + ∂ₜbᵢ + (∂ₖbᵢ − ∂ᵢbₖ)uᵏ + ½∂ᵢ(gⱼₖRʲRᵏ). (T-39)
    pub fn field(&self) -> Result<SecondOrderField<'p>, Singular> {
        let (state, g) = (&self.state, &self.metric);
        let n = state.degrees_of_freedom();
        let (t, u) = (state.time(), state.velocities());
        let x = state.base().positions();
        let pool = state.pool();
        let space = galilei_geometry::Chart::of(pool, x.iter().copied());
        let spatial = SymmetricTensor::from_upper(&space, |i, j| g.component(i, j));
        let first = LeviCivita::first_kind(&spatial);
        let b = g.lower(self.reference.components());
        let [_, _, t0] = self.homogeneous_parts();
        let right: Vec<Expr<'p>> = (0..n)
            .map(|i| {
                let mut terms = vec![b[i].diff(t), t0.diff(x[i])];
                for j in 0..n {
                    terms.push(-g.component(i, j).diff(t) * u[j]);
                    terms.push((b[i].diff(x[j]) - b[j].diff(x[i])) * u[j]);
                    for k in 0..n {
                        terms.push(-first[i][j][k] * u[j] * u[k]);
                    }
                }
                pool.sum(terms)
            })
            .collect();
        Ok(SecondOrderField::new(state, g.matrix().solve(&right)?))
    }
}
