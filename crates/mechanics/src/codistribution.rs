//! Constraints as codistributions on the state space.

use std::fmt;

use galilei_expr::{Assumptions, Bound, Expr, Rank, Reason, Verdict, View, generic_rank};
use galilei_geometry::{Codistribution, Form, Integrability, Matrix, VectorField, decide_all_zero};

use crate::primitive::primitive;
use crate::second_order::SecondOrderField;
use crate::state_space::StateSpace;

/// Constraints up to which dαᵃ∧α¹∧…∧αᶜ is computed: the product of ten forms on 21 coordinates has
/// 300 000 components.
const MAX_WEDGED_CONSTRAINTS: usize = 8;

/// One constraint, as it is given.
#[derive(Clone, Debug, PartialEq)]
pub enum Constraint<'p> {
    /// f(t, x, u) = 0, with the one-form s = df.
    Velocity(Expr<'p>),
    /// h(t, x) = 0, kept at both levels: f = ∂ₜh + uⁱ∂ᵢh and s = df. (T-106)
    Position(Expr<'p>),
    /// A one-form s on the state space itself.
    Form(Form<'p>),
}

impl<'p> Constraint<'p> {
    /// f(t, x, u), which vanishes along motions; `None` for a one-form.
    pub fn function(&self, state: &StateSpace<'p>) -> Option<Expr<'p>> {
        match self {
            Self::Velocity(f) => Some(*f),
            Self::Position(h) => Some(state.total_derivative(*h)),
            Self::Form(_) => None,
        }
    }

    /// s = s₀dt + sᵢdxⁱ + ṡᵢduⁱ. (T-82)
    pub fn form(&self, state: &StateSpace<'p>) -> Form<'p> {
        match self {
            Self::Form(s) => s.clone(),
            Self::Velocity(f) => Form::function(state.chart(), *f).d(),
            Self::Position(h) => Form::function(state.chart(), state.total_derivative(*h)).d(),
        }
    }
}

/// The span of c one-forms sᵃ = sᵃ₀dt + sᵃᵢdxⁱ + ṡᵃᵢduⁱ on the state space with rank ṡ = c: it
/// restricts the accelerations by c independent equations sᵃ(ξ) = 0. (T-82)
#[derive(Clone, Debug, PartialEq)]
pub struct AdmissibleCodistribution<'p> {
    state: StateSpace<'p>,
    constraints: Vec<Constraint<'p>>,
    forms: Vec<Form<'p>>,
    rank: Rank,
}

/// The reason why constraints are not admissible. (T-82)
#[derive(Clone, Debug, PartialEq)]
pub enum Inadmissible {
    /// There are more of them than degrees of freedom.
    TooMany {
        /// c
        count: usize,
        /// n
        dimension: usize,
    },
    /// The constraint of this number does not contain a velocity.
    WithoutVelocities(usize),
    /// rank ṡ < c.
    Dependent {
        /// rank ṡ
        rank: usize,
        /// The first constraint that adds nothing to those before it.
        superfluous: usize,
        /// The proof.
        verdict: Verdict,
    },
    /// The rank could not be decided.
    Undecided(Verdict),
}

impl fmt::Display for Inadmissible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany { count, dimension } => {
                write!(f, "{count} constraints on {dimension} coordinates")
            }
            Self::WithoutVelocities(k) => {
                write!(f, "constraint {} contains no velocity", k + 1)
            }
            Self::Dependent {
                rank, superfluous, ..
            } => write!(
                f,
                "the constraints have rank {rank}: constraint {} depends on those before it",
                superfluous + 1
            ),
            Self::Undecided(v) => write!(f, "the rank of the constraints is not known: {v}"),
        }
    }
}
impl std::error::Error for Inadmissible {}

/// How constraints depend on the velocities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependence {
    /// fᵃ = fᵃᵢ(t, x)uⁱ
    Linear,
    /// fᵃ = fᵃ₀(t, x) + fᵃᵢ(t, x)uⁱ
    Affine,
    /// Anything else.
    Nonlinear,
}

impl fmt::Display for Dependence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Linear => "linear",
            Self::Affine => "affine",
            Self::Nonlinear => "nonlinear",
        })
    }
}

impl<'p> AdmissibleCodistribution<'p> {
    /// The constraints, if they are independent: decided by the generic rank of ṡ. (T-82)
    ///
    /// ```
    /// use galilei_expr::{Assumptions, Pool};
    /// use galilei_mechanics::{AdaptedChart, AdmissibleCodistribution, Constraint, StateSpace};
    /// let pool = Pool::new();
    /// let state = StateSpace::new(AdaptedChart::new(&pool, "t", ["x", "y"]));
    /// let (x, u, v) = (state.position(0), state.velocity(0), state.velocity(1));
    /// let skate = vec![Constraint::Velocity(u * x.sin() - v * x.cos())];
    /// assert!(AdmissibleCodistribution::new(&state, skate, &Assumptions::new()).is_ok());
    /// // A position is not restricted at the level of accelerations: it must be declared as such.
    /// let wall = vec![Constraint::Velocity(x - 1)];
    /// assert!(AdmissibleCodistribution::new(&state, wall, &Assumptions::new()).is_err());
    /// let wall = vec![Constraint::Position(x - 1)];
    /// assert!(AdmissibleCodistribution::new(&state, wall, &Assumptions::new()).is_ok());
    /// ```
    ///
    /// # Panics
    /// If a form is not a one-form on the state space.
    pub fn new(
        state: &StateSpace<'p>,
        constraints: Vec<Constraint<'p>>,
        assumptions: &Assumptions<'p>,
    ) -> Result<Self, Inadmissible> {
        let (n, count) = (state.degrees_of_freedom(), constraints.len());
        let forms: Vec<Form<'p>> = constraints.iter().map(|c| c.form(state)).collect();
        for form in &forms {
            assert!(state.chart() == form.chart(), "a form on another chart");
            assert_eq!(form.degree(), 1, "constraints are one-forms");
        }
        if count > n {
            return Err(Inadmissible::TooMany {
                count,
                dimension: n,
            });
        }
        let rows = vertical_rows(state, &forms);
        if let Some(k) = rows.iter().position(|r| r.iter().all(|e| e.is_zero())) {
            return Err(Inadmissible::WithoutVelocities(k));
        }
        let rank = generic_rank(&rows, assumptions);
        if !rank.verdict.is_proved() {
            return Err(Inadmissible::Undecided(rank.verdict));
        }
        if rank.rank < count {
            let superfluous = (1..=count)
                .find(|&k| generic_rank(&rows[..k], assumptions).rank < k)
                .map_or(0, |k| k - 1);
            return Err(Inadmissible::Dependent {
                rank: rank.rank,
                superfluous,
                verdict: rank.verdict,
            });
        }
        Ok(Self {
            state: state.clone(),
            constraints,
            forms,
            rank,
        })
    }

    /// The state space.
    pub fn state(&self) -> &StateSpace<'p> {
        &self.state
    }

    /// c
    pub fn count(&self) -> usize {
        self.forms.len()
    }

    /// The constraints as they were given.
    pub fn constraints(&self) -> &[Constraint<'p>] {
        &self.constraints
    }

    /// sᵃ
    pub fn forms(&self) -> &[Form<'p>] {
        &self.forms
    }

    /// The proof that rank ṡ = c.
    pub fn admissible(&self) -> &Rank {
        &self.rank
    }

    /// fᵃ(t, x, u), if none of the constraints is only a one-form.
    pub fn functions(&self) -> Option<Vec<Expr<'p>>> {
        let all = self.constraints.iter();
        all.map(|c| c.function(&self.state)).collect()
    }

    /// ṡᵃᵢ, a row for each constraint. (T-82)
    pub fn vertical(&self) -> Matrix<'p> {
        Matrix::new(self.state.pool(), vertical_rows(&self.state, &self.forms))
    }

    /// sᵃ₀ + sᵃᵢuⁱ, the part of sᵃ(ξ) without accelerations. (T-82)
    pub fn drift(&self) -> Vec<Expr<'p>> {
        let zero = self.state.pool().zero();
        self.on_accelerations(&vec![zero; self.state.degrees_of_freedom()])
    }

    /// sᵃ(ξ) = sᵃ₀ + sᵃᵢuⁱ + ṡᵃᵢξⁱ. (T-82)
    pub fn on_field(&self, field: &SecondOrderField<'p>) -> Vec<Expr<'p>> {
        self.on_accelerations(field.accelerations())
    }

    pub(crate) fn on_accelerations(&self, a: &[Expr<'p>]) -> Vec<Expr<'p>> {
        let state = &self.state;
        let xi: VectorField<'p> = state.vector(state.pool().one(), state.velocities(), a);
        self.forms.iter().map(|s| s.evaluate(&[&xi])).collect()
    }

    /// Whether all constraints are affine in the velocities: ∂²f/∂u∂u = 0, or, for one-forms, ṡ
    /// without velocities.
    pub fn decide_affine(&self) -> Verdict {
        let u = self.state.velocities();
        let rows = self.vertical();
        let slopes = rows.rows().iter().flatten().flat_map(|e| e.gradient(u));
        decide_all_zero(slopes.filter(|e| !e.is_zero()).collect::<Vec<_>>())
    }

    /// The dependence of the constraints on the velocities; `None` if it could not be decided.
    pub fn dependence(&self) -> Option<Dependence> {
        let affine = self.decide_affine();
        if affine.is_refuted() {
            return Some(Dependence::Nonlinear);
        }
        if !affine.is_proved() {
            return None;
        }
        let rest = self.functions()?.into_iter().map(|f| self.at_rest(f));
        let linear = decide_all_zero(rest);
        match (linear.is_proved(), linear.is_refuted()) {
            (true, _) => Some(Dependence::Linear),
            (_, true) => Some(Dependence::Affine),
            _ => None,
        }
    }

    fn at_rest(&self, e: Expr<'p>) -> Expr<'p> {
        let zero = self.state.pool().zero();
        let pairs: Vec<_> = self.state.velocities().iter().map(|&u| (u, zero)).collect();
        e.substitute(&pairs)
    }

    /// The one-forms fᵃ₀dt + fᵃᵢdxⁱ on space-time of affine constraints; `None` for others.
    pub fn on_space_time(&self) -> Option<Codistribution<'p>> {
        if !self.decide_affine().is_proved() {
            return None;
        }
        let chart = self.state.base().chart();
        let forms = self.functions()?.into_iter().map(|f| {
            let slopes = f.gradient(self.state.velocities());
            let mut components = vec![self.at_rest(f)];
            components.extend(slopes.into_iter().map(|s| self.at_rest(s)));
            Form::one_form(chart, &components)
        });
        Some(Codistribution::new(chart, forms.collect()))
    }

    /// Whether the constraints come from equations between positions, by the theorem of Frobenius;
    /// `None` for nonlinear ones. Equivalent to 𝒩_N = 0 of a solved form. (T-75)
    pub fn integrability(&self) -> Option<Integrability<'p>> {
        let forms = self.on_space_time()?;
        // Closed forms need no products.
        let closed = forms.forms().iter().map(|f| f.d().decide_zero());
        let closed = closed.fold(Verdict::Proved(Bound::CERTAIN), Verdict::and);
        if closed.is_proved() {
            return Some(Integrability::Integrable(closed));
        }
        if self.count() > MAX_WEDGED_CONSTRAINTS {
            let why = "products of so many forms have too many components";
            let why = Verdict::Undecided(Reason::OutOfReach(why));
            return Some(Integrability::Undecided(why));
        }
        Some(forms.integrability())
    }

    /// hᵃ(t, x) with fᵃ = μ·(∂ₜhᵃ + uⁱ∂ᵢhᵃ) for each constraint where h and a factor μ are evident:
    /// h is given, or the form is closed after division by 1, by one of its components, by the square
    /// or by a factor of one. Checked by differentiation.
    pub fn evident_integrals(&self) -> Vec<Option<Expr<'p>>> {
        let forms = self.on_space_time();
        self.constraints
            .iter()
            .enumerate()
            .map(|(a, c)| match (c, &forms) {
                (Constraint::Position(h), _) => Some(*h),
                (_, Some(forms)) => evident_integral(&forms.forms()[a]),
                _ => None,
            })
            .collect()
    }
}

/// ṡᵃᵢ
fn vertical_rows<'p>(state: &StateSpace<'p>, forms: &[Form<'p>]) -> Vec<Vec<Expr<'p>>> {
    let n = state.degrees_of_freedom();
    let row = |s: &Form<'p>| (0..n).map(|i| s.component(&[state.u(i)])).collect();
    forms.iter().map(row).collect()
}

/// h with dh proportional to α, if a simple factor makes α closed and a homotopy integrates it.
fn evident_integral<'p>(alpha: &Form<'p>) -> Option<Expr<'p>> {
    let chart = alpha.chart();
    let pool = chart.pool();
    let components: Vec<Expr<'p>> = (0..chart.dimension())
        .map(|k| alpha.component(&[k]))
        .filter(|c| c.as_rational().is_none())
        .collect();
    let mut factors = vec![pool.one()];
    factors.extend(components.iter().map(|c| c.recip()));
    factors.extend(components.iter().map(|c| c.pow(-2)));
    for c in &components {
        if let View::Product(parts) = c.view() {
            factors.extend(parts.into_iter().map(|(base, _)| base.recip()));
        }
    }
    for factor in factors {
        let scaled = alpha.scaled(factor);
        if !scaled.d().decide_zero().is_proved() {
            continue;
        }
        if let Some(h) = primitive(&scaled) {
            return Some(h);
        }
    }
    None
}
