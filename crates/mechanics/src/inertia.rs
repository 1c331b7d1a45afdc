//! Inertia forces: the difference between the free motions of two reference fields.

use galilei_expr::{Expr, Rational, Verdict};
use galilei_geometry::Form;

use crate::force::Force;
use crate::kinetic::KineticEnergy;
use crate::metric::GalileanMetric;
use crate::potential::Potentials;
use crate::reference::ReferenceField;
use crate::routes::decide_together;
use crate::state_space::StateSpace;

/// The inertia force, with respect to R, on a system that is free with respect to R̃:
/// Ψ_{R,R̃} = Ω_R̃ − Ω_R = dα. (T-40)
#[derive(Clone, Debug, PartialEq)]
pub struct Inertia<'p> {
    state: StateSpace<'p>,
    metric: GalileanMetric<'p>,
    from: ReferenceField<'p>,
    to: ReferenceField<'p>,
}

/// The parts of an inertia force, by name. (T-108)
#[derive(Clone, Debug, PartialEq)]
pub struct InertiaParts<'p> {
    /// ∂ᵢ ½g(R − R̃, R − R̃)
    pub centrifugal: Force<'p>,
    /// −(L_Rβ)ᵢ
    pub euler: Force<'p>,
    /// (∂ᵢβⱼ − ∂ⱼβᵢ)(uʲ − Rʲ)
    pub coriolis: Force<'p>,
}

impl<'p> InertiaParts<'p> {
    /// The inertia force, the sum of its parts.
    pub fn sum(&self) -> Force<'p> {
        self.centrifugal.plus(&self.euler).plus(&self.coriolis)
    }

    /// The parts with their names. The force in a frame with accelerated translation is an Euler force.
    pub fn named(&self) -> [(&'static str, &Force<'p>); 3] {
        [
            ("centrifugal", &self.centrifugal),
            ("Euler", &self.euler),
            ("Coriolis", &self.coriolis),
        ]
    }
}

impl<'p> Inertia<'p> {
    /// The inertia force with respect to the reference field `observer` (R) on a system that is free with respect to `free` (R̃).
    pub fn new(
        state: &StateSpace<'p>,
        metric: &GalileanMetric<'p>,
        observer: &ReferenceField<'p>,
        free: &ReferenceField<'p>,
    ) -> Self {
        Self {
            state: state.clone(),
            metric: metric.clone(),
            from: observer.clone(),
            to: free.clone(),
        }
    }

    fn difference(&self) -> Vec<Expr<'p>> {
        let pairs = self.from.components().iter().zip(self.to.components());
        pairs.map(|(&r, &s)| r - s).collect()
    }

    /// α = ½gᵢⱼ(R̃ⁱR̃ʲ − RⁱRʲ)dt + gᵢⱼ(Rʲ − R̃ʲ)dxⁱ on M, with Ψ = dα. (T-41)
    pub fn one_form(&self) -> Form<'p> {
        let (r, s) = (self.from.components(), self.to.components());
        let g = &self.metric;
        let time = Rational::new(1, 2) * (g.pair(s, s) - g.pair(r, r));
        let space = g.lower(&self.difference());
        let components: Vec<Expr<'p>> = std::iter::once(time).chain(space).collect();
        Form::one_form(self.state.base().chart(), &components)
    }

    /// V = −α₀, Aᵢ = αᵢ: inertia forces always have potentials. (T-41)
    pub fn potentials(&self) -> Potentials<'p> {
        let alpha = self.one_form();
        let n = self.state.degrees_of_freedom();
        let vector = (0..n).map(|i| alpha.component(&[1 + i])).collect();
        Potentials::new(self.state.base(), -alpha.component(&[0]), vector)
    }

    /// Fᵢ = ∂ᵢα₀ − ∂ₜαᵢ + (∂ᵢαⱼ − ∂ⱼαᵢ)uʲ. (T-41)
    pub fn force(&self) -> Force<'p> {
        self.potentials().force(&self.state)
    }

    /// T_R of the observer's field and T_R̃ of the free one.
    fn energies(&self) -> [KineticEnergy<'p>; 2] {
        [&self.from, &self.to].map(|r| KineticEnergy::new(&self.state, &self.metric, r))
    }

    /// Ψ = Ω_R̃ − Ω_R by its definition, from the two kinetic energies. (T-38, T-40)
    pub fn two_form(&self) -> Form<'p> {
        let [observer, free] = self.energies().map(|t| t.action_two_form());
        free.minus(&observer)
    }

    /// Whether a force is the inertia force: its two-form is Ω_R̃ − Ω_R, component by component. (T-40)
    pub fn decide(&self, force: &Force<'p>) -> Verdict {
        force
            .two_form()
            .as_two_form()
            .decide_equal(&self.two_form())
    }

    /// Whether a force is the inertia force, by contraction with second-order fields of every acceleration:
    /// −Fᵢ = Eᵢ(T_R̃) − Eᵢ(T_R) with Lagrange's expressions E. Needs n components where [`Inertia::decide`]
    /// needs n². (T-40, T-48)
    pub fn decide_contracted(&self, force: &Force<'p>) -> Verdict {
        let pool = self.state.pool();
        let symbol = |i: usize| pool.symbol(&format!("a#{i}"));
        let n = self.state.degrees_of_freedom();
        let a: Vec<Expr<'p>> = (0..n).map(symbol).collect();
        let [observer, free] = self.energies().map(|t| t.lagrange(&a));
        let claims: Vec<Expr<'p>> = (0..n)
            .map(|i| force.components()[i] + free[i] - observer[i])
            .collect();
        decide_together(&claims)
    }

    /// The force split into centrifugal, Euler and Coriolis parts. (T-108)
    pub fn parts(&self) -> InertiaParts<'p> {
        let state = &self.state;
        let n = state.degrees_of_freedom();
        let (t, x) = (state.time(), state.base().positions());
        let pool = state.pool();
        let r = self.from.components();
        let difference = self.difference();
        let beta = self.metric.lower(&difference);
        let energy = Rational::new(1, 2) * self.metric.pair(&difference, &difference);
        let force = |f: &dyn Fn(usize) -> Expr<'p>| Force::new(state, (0..n).map(f).collect());
        InertiaParts {
            centrifugal: force(&|i| energy.diff(x[i])),
            euler: force(&|i| {
                let moved = (0..n).map(|j| r[j] * beta[i].diff(x[j]) + beta[j] * r[j].diff(x[i]));
                -(beta[i].diff(t) + pool.sum(moved))
            }),
            coriolis: force(&|i| {
                pool.sum((0..n).map(|j| {
                    (beta[j].diff(x[i]) - beta[i].diff(x[j])) * (state.velocity(j) - r[j])
                }))
            }),
        }
    }
}
