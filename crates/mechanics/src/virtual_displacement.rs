//! Virtual displacements: spacelike fields on the state space, in their three kinds.

use std::fmt;

use galilei_expr::{Expr, Verdict};
use galilei_geometry::{SmoothMap, VectorField, decide_all_zero};

use crate::canonical::Canonical;
use crate::jets::variation_symbol;
use crate::lagrangian::Lagrangian;
use crate::second_order::SecondOrderField;
use crate::state_space::StateSpace;

/// The kinds of virtual displacements. Each kind contains the next, if Z is the field of the
/// motion. (T-56, T-57)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisplacementKind {
    /// Virt(A¹M): δx and δu are independent.
    StateSpace,
    /// Virt_Z: integral curves of Z are displaced into second-order curves, δu = Z\[δx\].
    SecondOrder,
    /// Complete lifts of spacelike fields on M: δx(t, x), δu = ∂ₜδx + uʲ∂ⱼδx.
    CompleteLift,
}

impl DisplacementKind {
    /// All three, the widest first.
    pub const ALL: [Self; 3] = [Self::StateSpace, Self::SecondOrder, Self::CompleteLift];
}

/// Y = δxⁱ∂_{xⁱ} + δuⁱ∂_{uⁱ}, a displacement at fixed time: ϑ̂(Y) = 0. (T-56)
#[derive(Clone, Debug, PartialEq)]
pub struct VirtualDisplacement<'p> {
    state: StateSpace<'p>,
    positions: Vec<Expr<'p>>,
    velocities: Vec<Expr<'p>>,
}

/// The error for a field with ϑ̂(Y) ≠ 0, or not shown to be spacelike: it displaces time as well.
#[derive(Clone, Debug, PartialEq)]
pub struct NotSpacelike(pub Verdict);

impl fmt::Display for NotSpacelike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a virtual displacement happens at fixed time: {}",
            self.0
        )
    }
}
impl std::error::Error for NotSpacelike {}

/// The error for a δx that depends on velocities, or was not shown not to: it is not a field on space-time.
#[derive(Clone, Debug, PartialEq)]
pub struct NotOnSpaceTime(pub Verdict);

impl fmt::Display for NotOnSpaceTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "only fields on space-time have a complete lift, and δx depends on velocities: {}",
            self.0
        )
    }
}
impl std::error::Error for NotOnSpaceTime {}

impl<'p> VirtualDisplacement<'p> {
    /// The displacement with these δx and δu: any element of Virt(A¹M). (T-56)
    ///
    /// # Panics
    /// If there are not as many of each as degrees of freedom.
    pub fn new(
        state: &StateSpace<'p>,
        positions: Vec<Expr<'p>>,
        velocities: Vec<Expr<'p>>,
    ) -> Self {
        let n = state.degrees_of_freedom();
        assert_eq!((positions.len(), velocities.len()), (n, n), "displacements");
        Self {
            state: state.clone(),
            positions,
            velocities,
        }
    }

    /// The displacement with a symbol for every component: `delta(x)`, `delta(x')`.
    pub fn symbols(state: &StateSpace<'p>) -> Self {
        let named = |of: &[Expr<'p>]| of.iter().map(|&e| variation_symbol(e)).collect();
        let (x, u) = (state.base().positions(), state.velocities());
        Self::new(state, named(x), named(u))
    }

    /// A field on the state space as a virtual displacement, if it is spacelike. (T-56)
    ///
    /// # Panics
    /// If the field lives on another chart.
    pub fn of_vector(state: &StateSpace<'p>, y: &VectorField<'p>) -> Result<Self, NotSpacelike> {
        assert!(y.chart() == state.chart(), "a field on another chart");
        let verdict = y.component(0).decide_zero();
        if !verdict.is_proved() {
            return Err(NotSpacelike(verdict));
        }
        let (x, u) = y.components()[1..].split_at(state.degrees_of_freedom());
        Ok(Self::new(state, x.to_vec(), u.to_vec()))
    }

    /// δu = Z\[δx\]: the element of Virt_Z with these δx. (T-57)
    ///
    /// # Panics
    /// If there are not as many as degrees of freedom.
    pub fn along(field: &SecondOrderField<'p>, positions: Vec<Expr<'p>>) -> Self {
        let velocities = positions.iter().map(|&d| field.rate(d)).collect();
        Self::new(field.state(), positions, velocities)
    }

    /// δu = ∂ₜδx + uʲ∂ⱼδx: the complete lift of the field δx(t, x)∂ₓ, which is in Virt_Z for every
    /// Z. (T-57)
    ///
    /// # Panics
    /// If there are not as many components as degrees of freedom.
    pub fn complete_lift(
        state: &StateSpace<'p>,
        positions: Vec<Expr<'p>>,
    ) -> Result<Self, NotOnSpaceTime> {
        let u = state.velocities();
        let slopes = positions.iter().filter(|d| d.contains_any(u));
        let slopes: Vec<Expr<'p>> = slopes.flat_map(|d| d.gradient(u)).collect();
        let constant = decide_all_zero(slopes);
        if !constant.is_proved() {
            return Err(NotOnSpaceTime(constant));
        }
        let velocities = positions.iter().map(|&d| state.drift(d)).collect();
        Ok(Self::new(state, positions, velocities))
    }

    /// The state space.
    pub fn state(&self) -> &StateSpace<'p> {
        &self.state
    }

    /// δxⁱ
    pub fn positions(&self) -> &[Expr<'p>] {
        &self.positions
    }

    /// δuⁱ
    pub fn velocities(&self) -> &[Expr<'p>] {
        &self.velocities
    }

    /// Y on the state space.
    pub fn as_vector(&self) -> VectorField<'p> {
        let zero = self.state.pool().zero();
        self.state.vector(zero, &self.positions, &self.velocities)
    }

    /// fᵢδxⁱ for a covector f.
    ///
    /// # Panics
    /// If f has not as many components as there are degrees of freedom.
    pub fn pair(&self, covector: &[Expr<'p>]) -> Expr<'p> {
        assert_eq!(covector.len(), self.positions.len(), "a covector");
        let pairs = covector.iter().zip(&self.positions);
        self.state.pool().sum(pairs.map(|(&f, &d)| f * d))
    }

    /// \[Y, Z\], with \[Y, Z\]xⁱ = δuⁱ − Z\[δxⁱ\] and \[Y, Z\]t = 0. It is −d/dε of the field that is
    /// pushed forward by the flow of Y. (T-57)
    pub fn bracket(&self, field: &SecondOrderField<'p>) -> VectorField<'p> {
        self.as_vector().bracket(&field.as_vector())
    }

    /// Whether Y is in Virt_Z: \[Y, Z\] is vertical. (T-57)
    pub fn decide_second_order(&self, field: &SecondOrderField<'p>) -> Verdict {
        let n = self.state.degrees_of_freedom();
        let bracket = self.bracket(field);
        decide_all_zero(bracket.components()[..=n].iter().copied())
    }

    /// The flow of Y to first order in ε: (t, x + εδx, u + εδu). Its inverse, to that order, is the
    /// flow for −ε.
    pub fn flow(&self, epsilon: Expr<'p>) -> SmoothMap<'p> {
        let chart = self.state.chart();
        let moved = self.as_vector();
        let pairs = chart.coordinates().iter().zip(moved.components());
        let image = pairs.map(|(&z, &d)| z + epsilon * d).collect();
        SmoothMap::new(chart, chart, image)
    }

    /// δpᵢ = (∂pᵢ/∂xʲ)δxʲ + mᵢⱼδuʲ, as functions on the natural chart. (T-56)
    pub fn momenta(&self, lagrangian: &Lagrangian<'p>) -> Vec<Expr<'p>> {
        let y = self.as_vector();
        let p = lagrangian.momenta().into_iter();
        p.map(|p| y.apply(p)).collect()
    }

    /// Y in the canonical chart, δxⁱ∂_{xⁱ} + δpᵢ∂_{pᵢ}. (T-56)
    pub fn in_canonical_chart(
        &self,
        lagrangian: &Lagrangian<'p>,
        canonical: &Canonical<'p>,
    ) -> VectorField<'p> {
        let map = canonical.to_natural();
        let zero = self.state.pool().zero();
        let components = std::iter::once(zero)
            .chain(self.positions.iter().copied())
            .chain(self.momenta(lagrangian));
        let components = components.map(|e| map.pullback(&e));
        VectorField::new(canonical.chart(), components.collect())
    }
}
