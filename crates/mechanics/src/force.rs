//! Forces: as sections, one-forms and two-forms.

use std::fmt;

use galilei_expr::{Expr, Rational};
use galilei_geometry::Form;

use crate::failing::{FailingPart, all_vanish};
use crate::state_space::StateSpace;

/// A force Fᵢ(t, x, u), a covector on vertical vectors. (T-28)
#[derive(Clone, Debug, PartialEq)]
pub struct Force<'p> {
    state: StateSpace<'p>,
    components: Vec<Expr<'p>>,
}

impl<'p> Force<'p> {
    /// The force with these components.
    ///
    /// # Panics
    /// If there are not as many as degrees of freedom.
    pub fn new(state: &StateSpace<'p>, components: Vec<Expr<'p>>) -> Self {
        assert_eq!(
            components.len(),
            state.degrees_of_freedom(),
            "components of a force"
        );
        Self {
            state: state.clone(),
            components,
        }
    }

    /// The state space.
    pub fn state(&self) -> &StateSpace<'p> {
        &self.state
    }

    /// Fᵢ
    pub fn components(&self) -> &[Expr<'p>] {
        &self.components
    }

    /// The sum of two forces.
    pub fn plus(&self, other: &Self) -> Self {
        let pairs = self.components.iter().zip(&other.components);
        Self::new(&self.state, pairs.map(|(&a, &b)| a + b).collect())
    }

    /// φ = F∘μ = Fᵢθⁱ. (T-29)
    pub fn one_form(&self) -> Form<'p> {
        let zero = Form::zero(self.state.chart(), 1);
        let terms = self.components.iter().enumerate();
        terms.fold(zero, |sum, (i, &f)| {
            sum.plus(&self.state.contact(i).scaled(f))
        })
    }

    /// Φ = Fᵢ dxⁱ∧dt + ½(∂Fᵢ/∂uʲ) θⁱ∧θʲ. (T-29)
    pub fn two_form(&self) -> ForceTwoForm<'p> {
        let state = &self.state;
        let mut form = Form::zero(state.chart(), 2);
        for (i, &f) in self.components.iter().enumerate() {
            form = form.plus(&state.dx(i).wedge(&state.dt()).scaled(f));
            for j in 0..state.degrees_of_freedom() {
                let c = f.diff(state.velocity(j)) * Rational::new(1, 2);
                form = form.plus(&state.contact(i).wedge(&state.contact(j)).scaled(c));
            }
        }
        ForceTwoForm {
            state: state.clone(),
            form,
        }
    }

    /// The force of a one-form φ = Fᵢθⁱ; refused where φ is no combination of contact forms. (T-29)
    pub fn from_one_form(state: &StateSpace<'p>, phi: &Form<'p>) -> Result<Self, NotAForceOneForm> {
        if phi.degree() != 1 {
            return Err(NotAForceOneForm::Degree(phi.degree()));
        }
        let n = state.degrees_of_freedom();
        let components = (0..n).map(|i| phi.component(&[state.x(i)])).collect();
        let force = Self::new(state, components);
        let rest = phi.minus(&force.one_form());
        all_vanish(&rest, |_| true).map_err(NotAForceOneForm::NotContact)?;
        Ok(force)
    }
}

/// The reason why a one-form is not that of a force.
#[derive(Clone, Debug, PartialEq)]
pub enum NotAForceOneForm {
    /// It is not a one-form.
    Degree(usize),
    /// It is no combination of contact forms: this part is left when those are subtracted.
    NotContact(FailingPart),
}

impl fmt::Display for NotAForceOneForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Degree(k) => write!(f, "a force one-form has degree 1, not degree {k}"),
            Self::NotContact(part) => write!(
                f,
                "the one-form is no combination of contact forms: without them {part}"
            ),
        }
    }
}
impl std::error::Error for NotAForceOneForm {}

/// A two-form that is semi-basic and ∂-closed: a force. (T-30)
#[derive(Clone, Debug, PartialEq)]
pub struct ForceTwoForm<'p> {
    state: StateSpace<'p>,
    form: Form<'p>,
}

/// The reason why a two-form is not that of a force.
#[derive(Clone, Debug, PartialEq)]
pub enum NotAForceTwoForm {
    /// It is not a two-form.
    Degree(usize),
    /// It has du-components.
    NotSemiBasic(FailingPart),
    /// ∂Φ ≠ 0.
    NotDelClosed(FailingPart),
}

impl fmt::Display for NotAForceTwoForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Degree(k) => write!(f, "a force two-form has degree 2, not degree {k}"),
            Self::NotSemiBasic(part) => write!(f, "the two-form is not semi-basic: {part}"),
            Self::NotDelClosed(part) => {
                write!(f, "the two-form Φ is not ∂-closed: of ∂Φ, {part}")
            }
        }
    }
}
impl std::error::Error for NotAForceTwoForm {}

impl<'p> ForceTwoForm<'p> {
    /// Takes a two-form that is semi-basic and ∂-closed. (T-30)
    pub fn new(state: &StateSpace<'p>, form: Form<'p>) -> Result<Self, NotAForceTwoForm> {
        if form.degree() != 2 {
            return Err(NotAForceTwoForm::Degree(form.degree()));
        }
        semi_basic(state, &form)?;
        all_vanish(&state.del(&form), |_| true).map_err(NotAForceTwoForm::NotDelClosed)?;
        Ok(Self {
            state: state.clone(),
            form,
        })
    }

    /// P(Φ) = Φ − ½ Z ⌟ ∂Φ of a semi-basic two-form, for any second-order Z: the force two-form
    /// nearest to it. (T-30)
    pub fn projected(state: &StateSpace<'p>, form: &Form<'p>) -> Result<Self, NotAForceTwoForm> {
        if form.degree() != 2 {
            return Err(NotAForceTwoForm::Degree(form.degree()));
        }
        semi_basic(state, form)?;
        let zero = vec![state.pool().zero(); state.degrees_of_freedom()];
        let z = state.vector(state.pool().one(), state.velocities(), &zero);
        let correction = z
            .interior(&state.del(form))
            .scaled(state.pool().number((1, 2)));
        Ok(Self {
            state: state.clone(),
            form: form.minus(&correction),
        })
    }

    /// Φ
    pub fn as_two_form(&self) -> &Form<'p> {
        &self.form
    }

    /// The state space.
    pub fn state(&self) -> &StateSpace<'p> {
        &self.state
    }

    /// Fᵢ = Φ(∂_{xⁱ}, ∂_t + uʲ∂_{xʲ}). (T-29)
    pub fn force(&self) -> Force<'p> {
        let state = &self.state;
        let n = state.degrees_of_freedom();
        let zero = vec![state.pool().zero(); n];
        let flow = state.vector(state.pool().one(), state.velocities(), &zero);
        let components = (0..n)
            .map(|i| {
                self.form
                    .evaluate(&[&state.chart().partial(state.x(i)), &flow])
            })
            .collect();
        Force::new(state, components)
    }
}

/// Succeeds if a two-form has no du-components.
fn semi_basic(state: &StateSpace<'_>, form: &Form<'_>) -> Result<(), NotAForceTwoForm> {
    let vertical = |indices: &[usize]| indices.iter().any(|&k| k >= state.u(0));
    let found = all_vanish(form, vertical);
    found.map(|_| ()).map_err(NotAForceTwoForm::NotSemiBasic)
}
