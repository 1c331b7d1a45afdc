//! Constraints on the Hamiltonian side: codistributions on V*Q and the momentum equations.

use galilei_expr::{Expr, Verdict};
use galilei_geometry::{Chart, Form, Matrix, Singular, VectorField};

use crate::canonical::Canonical;
use crate::constrained::{ConstrainedSystem, NotDetermined, Reaction};
use crate::reference::ReferenceField;
use crate::routes::decide_together;

/// A Hamiltonian form H = pᵢdxⁱ − ℋdt on V*Q with coordinates (t, x, p). (T-95)
#[derive(Clone, Debug, PartialEq)]
pub struct HamiltonianForm<'p> {
    chart: Chart<'p>,
    function: Expr<'p>,
}

impl<'p> HamiltonianForm<'p> {
    /// The form with this ℋ(t, x, p) on a chart (t, x¹ … xⁿ, p₁ … pₙ).
    ///
    /// # Panics
    /// If the chart does not have 2n + 1 coordinates.
    pub fn new(chart: &Chart<'p>, function: Expr<'p>) -> Self {
        assert_eq!(chart.dimension() % 2, 1, "a chart (t, x, p)");
        Self {
            chart: chart.clone(),
            function,
        }
    }

    /// (t, x, p)
    pub fn chart(&self) -> &Chart<'p> {
        &self.chart
    }

    /// ℋ
    pub fn function(&self) -> Expr<'p> {
        self.function
    }

    /// n
    pub fn degrees_of_freedom(&self) -> usize {
        self.chart.dimension() / 2
    }

    /// p₁ … pₙ
    pub fn momenta(&self) -> &[Expr<'p>] {
        &self.chart.coordinates()[1 + self.degrees_of_freedom()..]
    }

    /// H = pᵢdxⁱ − ℋdt. (T-95)
    pub fn as_form(&self) -> Form<'p> {
        let pool = self.chart.pool();
        let mut components = vec![-self.function];
        components.extend_from_slice(self.momenta());
        components.extend((0..self.degrees_of_freedom()).map(|_| pool.zero()));
        Form::one_form(&self.chart, &components)
    }

    /// The canonical three-form dpᵢ∧dxⁱ∧dt. (T-96)
    pub fn three_form(&self) -> Form<'p> {
        let n = self.degrees_of_freedom();
        let d = |k: usize| self.chart.differential(k);
        (0..n).fold(Form::zero(&self.chart, 3), |sum, i| {
            sum.plus(&d(1 + n + i).wedge(&d(1 + i)).wedge(&d(0)))
        })
    }

    /// γ_H = ∂ₜ + ∂ⁱℋ∂ᵢ − ∂ᵢℋ∂ⁱ, with γ_H ⌟ Ω = dH. (T-96)
    pub fn field(&self) -> VectorField<'p> {
        let n = self.degrees_of_freedom();
        let slopes = self.function.gradient(self.chart.coordinates());
        let mut components = vec![self.chart.pool().one()];
        components.extend_from_slice(&slopes[1 + n..]);
        components.extend(slopes[1..=n].iter().map(|&e| -e));
        VectorField::new(&self.chart, components)
    }

    /// ℋ̃_Γ = ℋ − pᵢΓⁱ, the Hamiltonian with respect to a reference field. (T-95)
    pub fn relative_to(&self, frame: &ReferenceField<'p>) -> Expr<'p> {
        let pairs = self.momenta().iter().zip(frame.components());
        self.function - self.chart.pool().sum(pairs.map(|(&p, &r)| p * r))
    }

    /// L∘Ĥ = γ_H ⌟ H = pᵢ∂ⁱℋ − ℋ. (T-114)
    pub fn lagrangian(&self) -> Expr<'p> {
        self.as_form().evaluate(&[&self.field()])
    }

    /// Mⁱʲ = ∂²ℋ/∂pᵢ∂pⱼ. (T-97)
    pub fn inverse_mass(&self) -> Matrix<'p> {
        Matrix::new(self.chart.pool(), self.function.hessian(self.momenta()))
    }
}

/// A Hamiltonian form with a force and one-forms βᵃ on V*Q that restrict it. (T-97, T-114)
#[derive(Clone, Debug, PartialEq)]
pub struct ConstrainedHamiltonian<'p> {
    form: HamiltonianForm<'p>,
    force: Vec<Expr<'p>>,
    forms: Vec<Form<'p>>,
    /// For each constraint the covector along which its reaction acts, if that is not ideal; empty if all are ideal.
    along: Vec<Option<Vec<Expr<'p>>>>,
}

/// The constrained motion in the canonical chart.
#[derive(Clone, Debug, PartialEq)]
pub struct CanonicalReaction<'p> {
    /// γ̃ = ∂ₜ + ẋⁱ∂ᵢ + ṗᵢ∂ⁱ
    pub field: VectorField<'p>,
    /// λ_a = −M̃_ab βᵇ(γ_F)
    pub multipliers: Vec<Expr<'p>>,
    /// λ_aṡᵃᵢ
    pub reaction: Vec<Expr<'p>>,
}

impl<'p> ConstrainedHamiltonian<'p> {
    /// A Hamiltonian form with Fᵢ(t, x, p) and βᵃ given directly. (T-114)
    ///
    /// # Panics
    /// If the force does not have n components or a form is not a one-form on the same chart.
    pub fn new(form: HamiltonianForm<'p>, force: Vec<Expr<'p>>, forms: Vec<Form<'p>>) -> Self {
        assert_eq!(
            force.len(),
            form.degrees_of_freedom(),
            "components of a force"
        );
        for beta in &forms {
            assert!(form.chart() == beta.chart(), "a form on another chart");
            assert_eq!(beta.degree(), 1, "constraints are one-forms");
        }
        Self {
            form,
            force,
            forms,
            along: vec![],
        }
    }

    /// The form with reactions along given covectors Cᵢ(t, x, p), one for each constraint; `None` stands for an ideal
    /// reaction. (T-83)
    ///
    /// # Panics
    /// If there is not one entry for each constraint.
    #[must_use]
    pub fn with_reactions(mut self, along: Vec<Option<Vec<Expr<'p>>>>) -> Self {
        assert_eq!(
            along.len(),
            self.forms.len(),
            "one reaction for each constraint"
        );
        self.along = along;
        self
    }

    /// The Hamiltonian form.
    pub fn form(&self) -> &HamiltonianForm<'p> {
        &self.form
    }

    /// Fᵢ(t, x, p)
    pub fn force(&self) -> &[Expr<'p>] {
        &self.force
    }

    /// βᵃ
    pub fn forms(&self) -> &[Form<'p>] {
        &self.forms
    }

    /// γ_F = γ_H + Fᵢ∂ⁱ. (T-98)
    pub fn free_field(&self) -> VectorField<'p> {
        let n = self.form.degrees_of_freedom();
        let mut components = self.form.field().components().to_vec();
        for (p, &f) in components[1 + n..].iter_mut().zip(&self.force) {
            *p += f;
        }
        VectorField::new(self.form.chart(), components)
    }

    /// β̇ᵃⁱ, a row for each constraint.
    fn vertical(&self) -> Vec<Vec<Expr<'p>>> {
        let n = self.form.degrees_of_freedom();
        let row = |b: &Form<'p>| (0..n).map(|i| b.component(&[1 + n + i])).collect();
        self.forms.iter().map(row).collect()
    }

    /// ẋⁱ = ∂ⁱℋ, ṗᵢ = −∂ᵢℋ + Fᵢ − M̃_ab ṡᵃᵢβᵇ(γ_F), with ṡᵃᵢ = Mᵢⱼβ̇ᵃʲ and M̃ᵃᵇ = β̇ᵃⁱMᵢⱼβ̇ᵇʲ, where Mᵢⱼ is the
    /// inverse of ∂²ℋ/∂p∂p. (T-98)
    pub fn ideal(&self) -> Result<CanonicalReaction<'p>, NotDetermined> {
        self.reaction_along(&[])
    }

    /// The constrained motion under the reactions of the system, ideal or along given covectors C: in ṗ stands Cᵀλ with
    /// β̇Cᵀλ = −β(γ_F). (T-83, T-98)
    pub fn reaction(&self) -> Result<CanonicalReaction<'p>, NotDetermined> {
        self.reaction_along(&self.along)
    }

    fn reaction_along(
        &self,
        along: &[Option<Vec<Expr<'p>>>],
    ) -> Result<CanonicalReaction<'p>, NotDetermined> {
        let pool = self.form.chart().pool();
        let (n, c) = (self.form.degrees_of_freedom(), self.forms.len());
        let lower = self
            .form
            .inverse_mass()
            .inverse()
            .map_err(|Singular| NotDetermined::Lagrangian)?;
        let vertical = self.vertical();
        let given = |a: usize| along.get(a).and_then(Option::clone);
        let s: Vec<Vec<Expr<'p>>> = (vertical.iter().enumerate())
            .map(|(a, b)| given(a).unwrap_or_else(|| lower.times_vector(b)))
            .collect();
        let entry = |a: usize, b: usize| pool.sum((0..n).map(|i| vertical[a][i] * s[b][i]));
        let rows = (0..c)
            .map(|a| (0..c).map(|b| entry(a, b)).collect())
            .collect();
        let free = self.free_field();
        let off: Vec<Expr<'p>> = (self.forms.iter()).map(|b| -b.evaluate(&[&free])).collect();
        let multipliers = Matrix::new(pool, rows).solve(&off).map_err(|Singular| {
            match along.iter().all(Option::is_none) {
                true => NotDetermined::Constraints,
                false => NotDetermined::Reactions,
            }
        })?;
        let reaction: Vec<Expr<'p>> = (0..n)
            .map(|i| pool.sum((0..c).map(|a| multipliers[a] * s[a][i])))
            .collect();
        let mut components = free.components().to_vec();
        for (p, &r) in components[1 + n..].iter_mut().zip(&reaction) {
            *p += r;
        }
        Ok(CanonicalReaction {
            field: VectorField::new(self.form.chart(), components),
            multipliers,
            reaction,
        })
    }
}

impl<'p> ConstrainedSystem<'p> {
    /// The constrained system on V*Q: βᵃ = Ĥ*sᵃ, pulled back as forms by u = ∂ℋ/∂p. (T-97)
    pub fn canonical(&self, canonical: &Canonical<'p>) -> ConstrainedHamiltonian<'p> {
        let map = canonical.to_natural();
        let force = self.system().total_force();
        let form = HamiltonianForm::new(canonical.chart(), canonical.hamiltonian());
        let below = ConstrainedHamiltonian::new(
            form,
            force.components().iter().map(|f| map.pullback(f)).collect(),
            (self.codistribution().forms().iter())
                .map(|s| map.pullback(s))
                .collect(),
        );
        let pulled = |c: &Vec<Expr<'p>>| c.iter().map(|e| map.pullback(e)).collect();
        match self.reactions().is_empty() {
            true => below,
            false => {
                let along = self.reactions().iter();
                below.with_reactions(along.map(|c| c.as_ref().map(pulled)).collect())
            }
        }
    }

    /// Whether the constrained momentum equations are the Legendre image of the Lagrangian ones: at
    /// p = ∂L/∂u, ẋ = u, ṗᵢ = ∂L/∂xⁱ + Fᵢ + Fᶜᵢ and the same multipliers. (T-98)
    pub fn decide_legendre_image(
        &self,
        reaction: &Reaction<'p>,
        canonical: &CanonicalReaction<'p>,
    ) -> Verdict {
        let lagrangian = self.system().lagrangian();
        let state = self.state();
        let (pool, n) = (state.pool(), state.degrees_of_freedom());
        let chart = canonical.field.chart();
        let momenta = chart.coordinates()[1 + n..].iter().copied();
        let pairs: Vec<_> = momenta.zip(lagrangian.momenta()).collect();
        let found = pool.substitute_all(canonical.field.components(), &pairs);
        let slopes = lagrangian.function().gradient(state.base().positions());
        let force = self.system().total_force();
        let mut claims: Vec<Expr<'p>> = (0..n).map(|i| found[1 + i] - state.velocity(i)).collect();
        claims.extend((0..n).map(|i| {
            let wanted = slopes[i] + force.components()[i] + reaction.force.components()[i];
            found[1 + n + i] - wanted
        }));
        if let Some(lambda) = &reaction.multipliers {
            let own = pool.substitute_all(&canonical.multipliers, &pairs);
            claims.extend(own.into_iter().zip(lambda).map(|(a, &b)| a - b));
        }
        decide_together(&claims)
    }

    /// The comparison with the Legendre image without solving: with free accelerations a and w = d/dt ∂L/∂u along them, at
    /// p = ∂L/∂u, the equations of both sides are the same. ∂ⁱℋ = uⁱ, ∂ᵢℋ = −∂ᵢL, Mᵢⱼβ̇ᵃʲ = ṡᵃᵢ with
    /// mᵢⱼ for Mᵢⱼ, and βᵃ₀ + βᵃᵢuⁱ + β̇ᵃⁱwᵢ = sᵃ(a); so ṗ = w and the multipliers agree. (T-97, T-98)
    pub fn decide_legendre_image_unsolved(&self, below: &ConstrainedHamiltonian<'p>) -> Verdict {
        let lagrangian = self.system().lagrangian();
        let state = self.state();
        let (pool, n) = (state.pool(), state.degrees_of_freedom());
        let momenta = lagrangian.momenta();
        let pairs: Vec<(Expr<'p>, Expr<'p>)> = (below.form().momenta().iter().copied())
            .zip(momenta.iter().copied())
            .collect();
        let at = |list: &[Expr<'p>]| pool.substitute_all(list, &pairs);
        let a = self.system().acceleration_symbols();
        let along = state.vector(pool.one(), state.velocities(), &a);
        let w: Vec<Expr<'p>> = momenta.iter().map(|&p| along.apply(p)).collect();
        let free = at(below.form().field().components());
        let slopes = lagrangian.function().gradient(state.base().positions());
        let mut claims: Vec<Expr<'p>> = Vec::new();
        for i in 0..n {
            claims.push(free[1 + i] - state.velocity(i));
            claims.push(free[1 + n + i] - slopes[i]);
        }
        let force = self.system().total_force();
        let own = at(&below.force);
        claims.extend(own.into_iter().zip(force.components()).map(|(a, &b)| a - b));
        let m = lagrangian.mass_matrix();
        let s = self.codistribution().vertical();
        let here = self.codistribution().on_accelerations(&a);
        for (c, beta) in below.forms().iter().enumerate() {
            let components: Vec<Expr<'p>> = (0..=2 * n).map(|k| beta.component(&[k])).collect();
            let beta = at(&components);
            let lowered = m.times_vector(&beta[1 + n..]);
            claims.extend((0..n).map(|i| lowered[i] - s.rows()[c][i]));
            let rate = (0..n).map(|i| beta[1 + i] * state.velocity(i) + beta[1 + n + i] * w[i]);
            claims.push(beta[0] + pool.sum(rate) - here[c]);
        }
        decide_together(&claims)
    }
}
