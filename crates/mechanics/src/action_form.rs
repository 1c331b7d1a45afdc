//! Action forms: the two-forms that correspond one to one to second-order fields.

use std::fmt;

use galilei_expr::{
    Assumption, Assumptions, Bound, Expr, Interval, Rational, Reason, SymmetricMatrix, Verdict,
};
use galilei_geometry::{Form, Matrix, Singular, decide_all_zero};

use crate::failing::{FailingPart, all_vanish};
use crate::force::Force;
use crate::kinetic::KineticEnergy;
use crate::lagrangian::Lagrangian;
use crate::metric::GalileanMetric;
use crate::reference::ReferenceField;
use crate::second_order::SecondOrderField;
use crate::state_space::StateSpace;
use crate::system::System;

/// Ω = gᵢⱼ ηⁱ∧θʲ of a matrix g and a second-order field Z. (T-23)
#[derive(Clone, Debug, PartialEq)]
pub struct ActionForm<'p> {
    state: StateSpace<'p>,
    form: Form<'p>,
    field: SecondOrderField<'p>,
    notion: Notion,
}

/// The sense in which a two-form is an action form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notion {
    /// g depends on (t, x) only and is shown to be positive definite: a Galilean metric. (T-24)
    Strict,
    /// g is regular, with ∂gᵢⱼ/∂uᵏ totally symmetric: every regular Lagrangian. (T-26)
    Extended,
}

/// The states at which g is required to be positive definite. [`Notion::Strict`] needs an affirmative answer.
#[derive(Clone, Copy, Debug)]
pub enum Definiteness<'a, 'p> {
    /// Nowhere.
    Unasked,
    /// At given values of all symbols.
    At(&'a [(Expr<'p>, Rational)]),
    /// Everywhere on a box.
    On(&'a [(Expr<'p>, Interval)]),
    /// Wherever some expressions are positive: the leading minors of g must be among them, or positive numbers
    /// (Sylvester's criterion).
    Assuming(&'a Assumptions<'p>),
}

impl<'p> Definiteness<'_, 'p> {
    /// Whether a symmetric matrix is positive definite at these states.
    pub fn decide(&self, g: &Matrix<'p>) -> Verdict {
        let (n, _) = g.size();
        // Both entries have one handle; their equality has been decided.
        let rows = (0..n).map(|i| (0..n).map(|j| g.rows()[i.min(j)][i.max(j)]).collect());
        let symmetric = SymmetricMatrix::new(rows.collect());
        let proved = Verdict::Proved(Bound::CERTAIN);
        match (self, symmetric) {
            (_, None) => proved,
            (Self::Unasked, _) => {
                Verdict::Undecided(Reason::OutOfReach("definiteness was not asked for"))
            }
            (Self::At(values), Some(m)) => m.positive_definite_at(values),
            (Self::On(domain), Some(m)) => m.positive_definite_on(domain),
            (Self::Assuming(assumptions), Some(_)) => (1..=n)
                .map(|k| {
                    let leading = (0..k).map(|i| g.rows()[i][..k].to_vec()).collect();
                    decide_positive(
                        Matrix::new(g.rows()[0][0].pool(), leading).determinant(),
                        assumptions,
                    )
                })
                .fold(proved, Verdict::and),
        }
    }
}

/// Whether an expression is a positive number or one of those assumed to be positive.
fn decide_positive<'p>(e: Expr<'p>, assumptions: &Assumptions<'p>) -> Verdict {
    if e.as_rational().is_some_and(|q| q > Rational::from(0)) {
        return Verdict::Proved(Bound::CERTAIN);
    }
    let positive = assumptions.iter().filter_map(|a| match a {
        Assumption::Positive(p) => Some(p),
        Assumption::NonZero(_) => None,
    });
    let verdicts = positive.map(|p| e.decide_equal(p));
    let known = verdicts.into_iter().find(Verdict::is_proved);
    let why = "a leading minor of g is not among what is assumed to be positive";
    known.unwrap_or(Verdict::Undecided(Reason::OutOfReach(why)))
}

/// A two-form recognised as an action form, with the weakest of the verdicts used.
#[derive(Clone, Debug, PartialEq)]
pub struct Recognised<'p> {
    /// The action form.
    pub action: ActionForm<'p>,
    /// The weakest of the verdicts on the conditions.
    pub verdict: Verdict,
    /// Whether g is positive definite at the requested states.
    pub definite: Verdict,
}

/// The condition of T-24 that fails, with its indices.
#[derive(Clone, Debug, PartialEq)]
pub enum NotAnActionForm {
    /// It is not a two-form on this state space.
    Degree(usize),
    /// The matrix of g is not n × n.
    Size(usize, usize),
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
    NotDelClosed(FailingPart),
}

impl fmt::Display for NotAnActionForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Degree(k) => write!(f, "an action form is a two-form, not a {k}-form"),
            Self::Size(m, n) => write!(f, "the metric has {m} rows and {n} columns"),
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
            Self::NotDelClosed(part) => {
                write!(f, "condition (iii) fails: ∂Ω ≠ 0: {part}")
            }
        }
    }
}
impl std::error::Error for NotAnActionForm {}

impl<'p> ActionForm<'p> {
    /// The action form of (g, Z): gᵢⱼ ηⁱ∧θʲ. (T-23)
    ///
    /// g is checked: symmetric, regular, and ∂gᵢⱼ/∂uᵏ totally symmetric. The notion is strict if g does not depend
    /// on u and is positive definite where that is asked.
    pub fn of(
        g: &Matrix<'p>,
        field: &SecondOrderField<'p>,
        definiteness: Definiteness<'_, 'p>,
    ) -> Result<Recognised<'p>, NotAnActionForm> {
        let state = field.state();
        let n = state.degrees_of_freedom();
        if g.size() != (n, n) && n > 0 {
            return Err(NotAnActionForm::Size(g.size().0, g.size().1));
        }
        let mut sure = Verdict::Proved(Bound::CERTAIN);
        let (notion, definite) = Self::judge_metric(state, g, definiteness, &mut sure)?;
        let determinant = g.determinant();
        if determinant.is_zero() || determinant.decide_zero().is_proved() {
            return Err(NotAnActionForm::Singular);
        }
        let mut form = Form::zero(state.chart(), 2);
        for i in 0..n {
            let eta = field.eta_form(i);
            for j in 0..n {
                let term = eta.wedge(&state.contact(j)).scaled(g.rows()[i][j]);
                form = form.plus(&term);
            }
        }
        let action = Self {
            state: state.clone(),
            form,
            field: field.clone(),
            notion,
        };
        Ok(Recognised {
            action,
            verdict: sure,
            definite,
        })
    }

    /// Condition (ii) without regularity: g is symmetric, and its derivatives by u vanish or are totally symmetric.
    /// Returns the notion, and whether g is positive definite at the requested states. (T-24, T-26)
    fn judge_metric(
        state: &StateSpace<'p>,
        g: &Matrix<'p>,
        definiteness: Definiteness<'_, 'p>,
        sure: &mut Verdict,
    ) -> Result<(Notion, Verdict), NotAnActionForm> {
        let n = state.degrees_of_freedom();
        let mut require = |v: Verdict| -> Result<(), Verdict> {
            *sure = std::mem::replace(sure, Verdict::Certified).and(v.clone());
            if v.is_proved() { Ok(()) } else { Err(v) }
        };
        for i in 0..n {
            for j in 0..i {
                let verdict = g.rows()[i][j].decide_equal(g.rows()[j][i]);
                require(verdict).map_err(|v| NotAnActionForm::NotSymmetric(i, j, v))?;
            }
        }
        let derivative = |i: usize, j: usize, k: usize| g.rows()[i][j].diff(state.velocity(k));
        let all = (0..n).flat_map(|i| (0..=i).flat_map(move |j| (0..n).map(move |k| (i, j, k))));
        let constant = decide_all_zero(all.map(|(i, j, k)| derivative(i, j, k))).is_proved();
        if !constant {
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
        let definite = definiteness.decide(g);
        let shown = definite.is_proved() || definite.is_certified();
        let notion = match constant && shown {
            true => Notion::Strict,
            false => Notion::Extended,
        };
        Ok((notion, definite))
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
    /// Positive definiteness depends on the state; the strict notion needs it at the requested states. Otherwise g
    /// must be regular.
    pub fn recognise(
        state: &StateSpace<'p>,
        omega: &Form<'p>,
        definiteness: Definiteness<'_, 'p>,
    ) -> Result<Recognised<'p>, NotAnActionForm> {
        let n = state.degrees_of_freedom();
        if omega.degree() != 2 {
            return Err(NotAnActionForm::Degree(omega.degree()));
        }
        let mut sure = Verdict::Proved(Bound::CERTAIN);
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
        let mut metric = Verdict::Proved(Bound::CERTAIN);
        let (notion, definite) = Self::judge_metric(state, &g, definiteness, &mut metric)?;
        let _ = require(metric);
        let field = Self::field_of(state, omega).map_err(|Singular| NotAnActionForm::Singular)?;
        // (iii)
        let closed = all_vanish(&state.del(omega), |_| true);
        let _ = require(closed.map_err(NotAnActionForm::NotDelClosed)?);
        let action = Self {
            state: state.clone(),
            form: omega.clone(),
            field,
            notion,
        };
        Ok(Recognised {
            action,
            verdict: sure,
            definite,
        })
    }

    /// Φ_R = Ω − Ω_R for the metric g of Ω and a reference field: the force relative to the motion that is free with
    /// respect to R, and whether Ω − Ω_R is its two-form. (T-117)
    pub fn force_relative_to(
        &self,
        metric: &GalileanMetric<'p>,
        reference: &ReferenceField<'p>,
    ) -> (Verdict, Force<'p>) {
        let state = &self.state;
        let kinetic = KineticEnergy::new(state, metric, reference);
        let difference = self.form.minus(&kinetic.action_two_form());
        // Fᵢ = Φ(∂_{xⁱ}, ∂ₜ + u∂ₓ). (T-29)
        let zero = vec![state.pool().zero(); state.degrees_of_freedom()];
        let flow = state.vector(state.pool().one(), state.velocities(), &zero);
        let inserted = flow.interior(&difference);
        let components = (0..state.degrees_of_freedom())
            .map(|i| -inserted.component(&[state.x(i)]))
            .collect();
        let force = Force::new(state, components);
        let verdict = force.two_form().as_two_form().decide_equal(&difference);
        (verdict, force)
    }

    /// The system that has Ω as its two-form: L = T_R with the force Φ_R, for any reference field. (T-117)
    pub fn system(
        &self,
        metric: &GalileanMetric<'p>,
        reference: &ReferenceField<'p>,
    ) -> System<'p> {
        let (_, force) = self.force_relative_to(metric, reference);
        let energy = KineticEnergy::new(&self.state, metric, reference).energy();
        System::new(Lagrangian::new(&self.state, energy)).with_force("Φ_R", force)
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
