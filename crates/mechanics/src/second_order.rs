//! Second-order fields: the vector fields whose integral curves are motions.

use galilei_expr::{Expr, Rational};
use galilei_geometry::{Endomorphism, Form, VectorField};

use crate::state_space::StateSpace;

/// Z = ∂_t + uⁱ∂_{xⁱ} + Zⁱ∂_{uⁱ}: ṫ = 1, ẋ = u, u̇ = Z. (T-21)
#[derive(Clone, Debug, PartialEq)]
pub struct SecondOrderField<'p> {
    state: StateSpace<'p>,
    accelerations: Vec<Expr<'p>>,
}

impl<'p> SecondOrderField<'p> {
    /// The field with these accelerations Zⁱ(t, x, u).
    ///
    /// # Panics
    /// If there are not as many as degrees of freedom.
    pub fn new(state: &StateSpace<'p>, accelerations: Vec<Expr<'p>>) -> Self {
        assert_eq!(
            accelerations.len(),
            state.degrees_of_freedom(),
            "accelerations"
        );
        Self {
            state: state.clone(),
            accelerations,
        }
    }

    /// The state space.
    pub fn state(&self) -> &StateSpace<'p> {
        &self.state
    }

    /// Zⁱ
    pub fn accelerations(&self) -> &[Expr<'p>] {
        &self.accelerations
    }

    /// The field on A¹M.
    pub fn as_vector(&self) -> VectorField<'p> {
        let one = self.state.pool().one();
        self.state
            .vector(one, self.state.velocities(), &self.accelerations)
    }

    /// Z\[f\], the rate of a function along motions. (T-3)
    pub fn rate(&self, f: Expr<'p>) -> Expr<'p> {
        self.as_vector().apply(f)
    }

    /// D_ξ(ẍ) = (ẍⁱ − ξⁱ)∂_{uⁱ} of a curve with these accelerations; it vanishes along motions. (T-121)
    ///
    /// # Panics
    /// If there are not as many accelerations as degrees of freedom.
    pub fn covariant_differential(&self, accelerations: &[Expr<'p>]) -> VectorField<'p> {
        let state = &self.state;
        let n = state.degrees_of_freedom();
        assert_eq!(accelerations.len(), n, "accelerations");
        let zero = state.pool().zero();
        let pairs = accelerations.iter().zip(&self.accelerations);
        let u: Vec<Expr<'p>> = pairs.map(|(&a, &xi)| a - xi).collect();
        state.vector(zero, &vec![zero; n], &u)
    }

    /// ηⁱ = duⁱ − Zⁱdt − ½(∂Zⁱ/∂uʲ)θʲ. (T-22)
    pub fn eta_form(&self, i: usize) -> Form<'p> {
        let state = &self.state;
        let z = self.accelerations[i];
        let mut eta = state.du(i).minus(&state.dt().scaled(z));
        for j in 0..state.degrees_of_freedom() {
            let c = z.diff(state.velocity(j)) * Rational::new(-1, 2);
            eta = eta.plus(&state.contact(j).scaled(c));
        }
        eta
    }

    /// The vertical projector η = ∂_{uⁱ}⊗ηⁱ. (T-22)
    pub fn eta(&self) -> Endomorphism<'p> {
        let state = &self.state;
        (0..state.degrees_of_freedom())
            .map(|i| Endomorphism::simple(&state.chart().partial(state.u(i)), &self.eta_form(i)))
            .fold(Endomorphism::zero(state.chart()), |sum, term| {
                sum.plus(&term)
            })
    }

    /// The horizontal fields Hᵢ = ∂_{xⁱ} + ½(∂Zʲ/∂uⁱ)∂_{uʲ}, which with Z span ker η. (T-22)
    pub fn horizontal(&self, i: usize) -> VectorField<'p> {
        let state = &self.state;
        let zero = state.pool().zero();
        let n = state.degrees_of_freedom();
        let x: Vec<Expr<'p>> = (0..n)
            .map(|j| if i == j { state.pool().one() } else { zero })
            .collect();
        let u: Vec<Expr<'p>> = self
            .accelerations
            .iter()
            .map(|z| z.diff(state.velocity(i)) * Rational::new(1, 2))
            .collect();
        state.vector(zero, &x, &u)
    }
}
