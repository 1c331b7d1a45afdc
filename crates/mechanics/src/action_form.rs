//! Action forms: the two-forms that are second-order fields in disguise.

use std::fmt;

use galilei_expr::{Expr, Rational, Verdict};
use galilei_geometry::{Form, Matrix, Singular, decide_all_zero};

use crate::second_order::SecondOrderField;
use crate::state_space::StateSpace;

/// Ω = gᵢⱼ ηⁱ∧θʲ of a matrix g and a second-order field Z. (T-23)
#[derive(Clone, Debug, PartialEq)]
pub struct ActionForm<'p> {
    state: StateSpace<'p>,
    form: Form<'p>,
    field: SecondOrderField<'p>,
    notion: Notion,
}

/// In which sense a two-form is an action form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notion {
    /// g depends on (t, x) only: a Galilean metric. (T-24)
    Strict,
    /// g depends on u, with ∂gᵢⱼ/∂uᵏ totally symmetric: every regular Lagrangian. (T-26)
    Extended,
}

/// A two-form recognised as an action form, with the weakest of the verdicts used.
#[derive(Clone, Debug, PartialEq)]
pub struct Recognised<'p> {
    /// The action form.
    pub action: ActionForm<'p>,
    /// How sure the recognition is.
    pub verdict: Verdict,
}

/// Which condition of T-24 fails, and where.
#[derive(Clone, Debug, PartialEq)]
pub enum NotAnActionForm {
    /// It is not a two-form on this state space.
    Degree(usize),
    /// (i): Ω(∂_{uⁱ}, ∂_{uʲ}) ≠ 0 for these i, j.
    Vertical(usize, usize, Verdict),
    /// (i): Ω(∂_t + uᵏ∂_{xᵏ}, ∂_{uⁱ}) ≠ 0 for this i.
    Contact(usize, Verdict),
    /// (ii): gᵢⱼ = Ω(∂_{uⁱ}, ∂_{xʲ}) is not symmetric.
    NotSymmetric(usize, usize, Verdict),
    /// (ii): g is singular.
    Singular,
    /// (ii), extended: ∂gᵢⱼ/∂uᵏ is not totally symmetric.
    VelocityDependence(usize, usize, usize, Verdict),
    /// (iii): ∂Ω ≠ 0.
    NotDelClosed(Verdict),
}

impl fmt::Display for NotAnActionForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Degree(k) => write!(f, "an action form is a two-form, not a {k}-form"),
            Self::Vertical(i, j, v) => {
                write!(
                    f,
                    "condition (i) fails: Ω(∂u{i}, ∂u{j}) does not vanish: {v}"
                )
            }
            Self::Contact(i, v) => {
                write!(
                    f,
                    "condition (i) fails: Ω(∂t + u·∂x, ∂u{i}) does not vanish: {v}"
                )
            }
            Self::NotSymmetric(i, j, v) => {
                write!(
                    f,
                    "condition (ii) fails: g is not symmetric in {i}, {j}: {v}"
                )
            }
            Self::Singular => f.write_str("condition (ii) fails: g is singular"),
            Self::VelocityDependence(i, j, k, v) => write!(
                f,
                "condition (ii) fails: ∂g{i}{j}/∂u{k} is not totally symmetric: {v}"
            ),
            Self::NotDelClosed(v) => write!(f, "condition (iii) fails: ∂Ω ≠ 0: {v}"),
        }
    }
}
impl std::error::Error for NotAnActionForm {}

impl<'p> ActionForm<'p> {
    /// The action form of (g, Z): gᵢⱼ ηⁱ∧θʲ. (T-23)
    ///
    /// g may depend on u, if ∂gᵢⱼ/∂uᵏ is totally symmetric; whether it does decides the notion.
    ///
    /// # Panics
    /// If the matrix is not n × n.
    pub fn of(g: &Matrix<'p>, field: &SecondOrderField<'p>) -> Self {
        let state = field.state();
        let n = state.degrees_of_freedom();
        assert_eq!(g.size(), (n, n), "the size of the metric");
        let mut form = Form::zero(state.chart(), 2);
        for i in 0..n {
            let eta = field.eta_form(i);
            for j in 0..n {
                let term = eta.wedge(&state.contact(j)).scaled(g.rows()[i][j]);
                form = form.plus(&term);
            }
        }
        let dependent = g
            .rows()
            .iter()
            .flatten()
            .any(|c| state.velocities().iter().any(|&u| c.contains(u)));
        Self {
            state: state.clone(),
            form,
            field: field.clone(),
            notion: if dependent {
                Notion::Extended
            } else {
                Notion::Strict
            },
        }
    }

    /// Ω
    pub fn as_two_form(&self) -> &Form<'p> {
        &self.form
    }

    /// The state space.
    pub fn state(&self) -> &StateSpace<'p> {
        &self.state
    }

    /// The second-order field Z with Z ⌟ Ω = 0. (T-25)
    pub fn field(&self) -> &SecondOrderField<'p> {
        &self.field
    }

    /// In which sense this is an action form.
    pub fn notion(&self) -> Notion {
        self.notion
    }

    /// gᵢⱼ = Ω(∂_{uⁱ}, ∂_{xʲ}) of any two-form. (T-24)
    pub fn metric_of(state: &StateSpace<'p>, omega: &Form<'p>) -> Matrix<'p> {
        let n = state.degrees_of_freedom();
        let entry = |i: usize, j: usize| omega.component(&[state.u(i), state.x(j)]);
        let rows = (0..n)
            .map(|i| (0..n).map(|j| entry(i, j)).collect())
            .collect();
        Matrix::new(state.pool(), rows)
    }

    /// The field of a two-form whose g is not singular: gᵢⱼZⁱ = −Ω(∂_t + uᵏ∂_{xᵏ}, ∂_{xʲ}). (T-25)
    pub fn field_of(
        state: &StateSpace<'p>,
        omega: &Form<'p>,
    ) -> Result<SecondOrderField<'p>, Singular> {
        let n = state.degrees_of_freedom();
        let zero = vec![state.pool().zero(); n];
        let flow = state.vector(state.pool().one(), state.velocities(), &zero);
        let inserted = flow.interior(omega);
        let right: Vec<Expr<'p>> = (0..n).map(|j| -inserted.component(&[state.x(j)])).collect();
        let g = Self::metric_of(state, omega);
        let accelerations = g.transposed().solve(&right)?;
        Ok(SecondOrderField::new(state, accelerations))
    }

    /// Recognises an action form, or names the condition that fails. (T-24, T-26)
    ///
    /// Positive definiteness is a matter of the point and not asked here; g must be regular.
    pub fn recognise(
        state: &StateSpace<'p>,
        omega: &Form<'p>,
    ) -> Result<Recognised<'p>, NotAnActionForm> {
        let n = state.degrees_of_freedom();
        if omega.degree() != 2 {
            return Err(NotAnActionForm::Degree(omega.degree()));
        }
        let mut sure = Verdict::Proved(galilei_expr::Bound::CERTAIN);
        let mut require = |v: Verdict| -> Result<(), Verdict> {
            sure = std::mem::replace(&mut sure, Verdict::Certified).and(v.clone());
            if v.is_proved() { Ok(()) } else { Err(v) }
        };
        // (i)
        for i in 0..n {
            for j in 0..i {
                let c = omega.component(&[state.u(i), state.u(j)]);
                require(c.decide_zero()).map_err(|v| NotAnActionForm::Vertical(i, j, v))?;
            }
        }
        let zero = vec![state.pool().zero(); n];
        let flow = state.vector(state.pool().one(), state.velocities(), &zero);
        let inserted = flow.interior(omega);
        for i in 0..n {
            let c = inserted.component(&[state.u(i)]);
            require(c.decide_zero()).map_err(|v| NotAnActionForm::Contact(i, v))?;
        }
        // (ii)
        let g = Self::metric_of(state, omega);
        for i in 0..n {
            for j in 0..i {
                let verdict = g.rows()[i][j].decide_equal(g.rows()[j][i]);
                require(verdict).map_err(|v| NotAnActionForm::NotSymmetric(i, j, v))?;
            }
        }
        let derivative = |i: usize, j: usize, k: usize| g.rows()[i][j].diff(state.velocity(k));
        let all = (0..n).flat_map(|i| (0..=i).flat_map(move |j| (0..n).map(move |k| (i, j, k))));
        let constant = decide_all_zero(all.map(|(i, j, k)| derivative(i, j, k)));
        let notion = if constant.is_proved() {
            Notion::Strict
        } else {
            Notion::Extended
        };
        if notion == Notion::Extended {
            for i in 0..n {
                for j in 0..n {
                    for k in 0..j {
                        let verdict = derivative(i, j, k).decide_equal(derivative(i, k, j));
                        require(verdict)
                            .map_err(|v| NotAnActionForm::VelocityDependence(i, j, k, v))?;
                    }
                }
            }
        }
        let field = Self::field_of(state, omega).map_err(|Singular| NotAnActionForm::Singular)?;
        // (iii)
        require(state.del(omega).decide_zero()).map_err(NotAnActionForm::NotDelClosed)?;
        let action = Self {
            state: state.clone(),
            form: omega.clone(),
            field,
            notion,
        };
        Ok(Recognised {
            action,
            verdict: sure,
        })
    }

    /// bᵢⱼ = ½(gᵢₖ∂Zᵏ/∂uʲ − gⱼₖ∂Zᵏ/∂uⁱ), the coefficient of ½θⁱ∧θʲ. (T-23)
    pub fn gyroscopic(&self, i: usize, j: usize) -> Expr<'p> {
        let g = Self::metric_of(&self.state, &self.form);
        let half = |i: usize, j: usize| {
            let terms = self.field.accelerations().iter().enumerate();
            let terms = terms.map(|(k, z)| g.rows()[i][k] * z.diff(self.state.velocity(j)));
            self.state.pool().sum(terms)
        };
        (half(i, j) - half(j, i)) * Rational::new(1, 2)
    }
}
