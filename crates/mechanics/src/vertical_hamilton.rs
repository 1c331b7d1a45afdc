//! Hamilton's equations on the vertical momentum phase space VV*Q ≅ V*VQ.
//!
//! Over (t, x, p) there are the variations ξ of x and π of p, and the conjugate pairs are (x, π) and
//! (ξ, p). Every first-order equation on V*Q is part of Hamilton's equations for some ℋ_V there.

use galilei_expr::Expr;
use galilei_geometry::{Chart, Form, SmoothMap, VectorField};

use crate::constrained::NotDetermined;
use crate::constrained_hamilton::{ConstrainedHamiltonian, HamiltonianForm};
use crate::lagrangian::Lagrangian;
use crate::space_time::AdaptedChart;
use crate::state_space::StateSpace;
use crate::vertical::VerticalBundle;

/// VV*Q with coordinates (t, x, p, ξ, π). (T-99)
#[derive(Clone, Debug, PartialEq)]
pub struct VerticalPhaseSpace<'p> {
    bundle: VerticalBundle<'p>,
}

impl<'p> VerticalPhaseSpace<'p> {
    /// The vertical bundle of a chart (t, x¹ … xⁿ, p₁ … pₙ).
    ///
    /// # Panics
    /// If the chart does not have 2n + 1 coordinates.
    pub fn over(canonical: &Chart<'p>) -> Self {
        assert_eq!(canonical.dimension() % 2, 1, "a chart (t, x, p)");
        Self {
            bundle: VerticalBundle::over(canonical),
        }
    }

    /// VV*Q as a vertical bundle.
    pub fn bundle(&self) -> &VerticalBundle<'p> {
        &self.bundle
    }

    /// (t, x, p, ξ, π)
    pub fn chart(&self) -> &Chart<'p> {
        self.bundle.chart()
    }

    /// n
    pub fn degrees_of_freedom(&self) -> usize {
        self.bundle.base().dimension() / 2
    }

    /// The n coordinates of one kind: 0 for x, 1 for p, 2 for ξ, 3 for π.
    fn block(&self, kind: usize) -> &[Expr<'p>] {
        let n = self.degrees_of_freedom();
        &self.chart().coordinates()[1 + kind * n..1 + (kind + 1) * n]
    }

    /// x¹ … xⁿ
    pub fn positions(&self) -> &[Expr<'p>] {
        self.block(0)
    }

    /// p₁ … pₙ, conjugate to ξ.
    pub fn momenta(&self) -> &[Expr<'p>] {
        self.block(1)
    }

    /// ξ¹ … ξⁿ, the variations of x.
    pub fn varied_positions(&self) -> &[Expr<'p>] {
        self.block(2)
    }

    /// π₁ … πₙ, the variations of p, conjugate to x.
    pub fn varied_momenta(&self) -> &[Expr<'p>] {
        self.block(3)
    }

    /// Ω_V = (dπᵢ∧dxⁱ + dpᵢ∧dξⁱ)∧dt. (T-99)
    pub fn three_form(&self) -> Form<'p> {
        let n = self.degrees_of_freedom();
        let (chart, d) = (self.chart(), |k: usize| self.chart().differential(k));
        let [x, p, xi, pi] = [1, 1 + n, 1 + 2 * n, 1 + 3 * n];
        (0..n).fold(Form::zero(chart, 3), |sum, i| {
            let pairs = d(pi + i).wedge(&d(x + i)).plus(&d(p + i).wedge(&d(xi + i)));
            sum.plus(&pairs.wedge(&d(0)))
        })
    }

    /// The canonical isomorphism VV*Q → V*VQ onto the chart (t, x, ξ, momenta of x, momenta of ξ) of
    /// a Legendre map of VQ: π is the momentum of x, p that of ξ. (T-99)
    ///
    /// # Panics
    /// If the target does not have as many coordinates.
    pub fn to_canonical(&self, target: &Chart<'p>) -> SmoothMap<'p> {
        let parts = [0, 2, 3, 1].into_iter().flat_map(|kind| self.block(kind));
        let time = self.chart().coordinates()[..1].iter();
        SmoothMap::new(self.chart(), target, time.chain(parts).copied().collect())
    }
}

/// A Hamiltonian form H_V = πᵢdxⁱ − ξⁱdpᵢ − ℋ_Vdt on VV*Q. (T-99)
#[derive(Clone, Debug, PartialEq)]
pub struct VerticalHamiltonian<'p> {
    space: VerticalPhaseSpace<'p>,
    function: Expr<'p>,
}

impl<'p> VerticalHamiltonian<'p> {
    /// The form with this ℋ_V(t, x, p, ξ, π).
    pub fn new(space: VerticalPhaseSpace<'p>, function: Expr<'p>) -> Self {
        Self { space, function }
    }

    /// The complete extension of a Hamiltonian form, ℋ_V = ∂_Vℋ = ξⁱ∂ᵢℋ + πᵢ∂ⁱℋ: (ξ, π) solve the
    /// linearised Hamilton equations. (T-101)
    pub fn complete(form: &HamiltonianForm<'p>) -> Self {
        let space = VerticalPhaseSpace::over(form.chart());
        let function = space.bundle.derivative(form.function());
        Self::new(space, function)
    }

    /// VV*Q
    pub fn space(&self) -> &VerticalPhaseSpace<'p> {
        &self.space
    }

    /// ℋ_V
    pub fn function(&self) -> Expr<'p> {
        self.function
    }

    /// H_V = πᵢdxⁱ − ξⁱdpᵢ − ℋ_Vdt. (T-99)
    pub fn as_form(&self) -> Form<'p> {
        let space = &self.space;
        let zero = self.function.pool().zero();
        let mut components = vec![-self.function];
        components.extend_from_slice(space.varied_momenta());
        components.extend(space.varied_positions().iter().map(|&xi| -xi));
        components.resize(space.chart().dimension(), zero);
        Form::one_form(space.chart(), &components)
    }

    /// Hamilton's equations x′ = ∂ℋ_V/∂π, p′ = −∂ℋ_V/∂ξ, ξ′ = ∂ℋ_V/∂p, π′ = −∂ℋ_V/∂x. (T-100)
    pub fn field(&self) -> VectorField<'p> {
        let space = &self.space;
        let slope = |kind: usize| self.function.gradient(space.block(kind));
        let minus = |list: Vec<Expr<'p>>| list.into_iter().map(|e| -e).collect();
        let parts: [Vec<Expr<'p>>; 4] = [slope(3), minus(slope(2)), slope(1), minus(slope(0))];
        let mut components = vec![self.function.pool().one()];
        components.extend(parts.into_iter().flatten());
        VectorField::new(space.chart(), components)
    }

    /// L_H = πᵢx′ⁱ − ξⁱp′ᵢ − ℋ_V on the first jets of VV*Q: its Lagrange equations are Hamilton's.
    /// (T-104)
    pub fn lagrangian(&self) -> Lagrangian<'p> {
        let space = &self.space;
        let pool = self.function.pool();
        let names = space.chart().coordinates().iter().map(ToString::to_string);
        let names: Vec<String> = names.collect();
        let state = StateSpace::new(AdaptedChart::new(pool, &names[0], &names[1..]));
        let n = space.degrees_of_freedom();
        let along = |i: usize| {
            space.varied_momenta()[i] * state.velocity(i)
                - space.varied_positions()[i] * state.velocity(n + i)
        };
        let function = pool.sum((0..n).map(along)) - self.function;
        Lagrangian::new(&state, function)
    }
}

impl<'p> ConstrainedHamiltonian<'p> {
    /// The constrained momentum equations as Hamilton's equations on VV*Q:
    /// ℋ_V = ∂_Vℋ − ξⁱFᵢ + ξⁱϑᵢ, ϑᵢ = M̃_ab ṡᵃᵢβᵇ(γ_F), the reaction being −ϑ. (T-103)
    pub fn vertical_extension(&self) -> Result<VerticalHamiltonian<'p>, NotDetermined> {
        let reaction = self.reaction()?.reaction;
        let complete = VerticalHamiltonian::complete(self.form());
        let xi = complete.space.varied_positions().iter();
        let pushed = self.force().iter().zip(&reaction).zip(xi);
        let pool = complete.function.pool();
        let work = pool.sum(pushed.map(|((&f, &r), &xi)| xi * (f + r)));
        let function = complete.function - work;
        Ok(VerticalHamiltonian::new(complete.space, function))
    }
}
