//! Constrained systems: the reaction of a codistribution, ideal or not.
//!
//! ξ is the field of the system without its constraints, all applied forces included. A reaction
//! turns it into a field ξ̃ with sᵃ(ξ̃) = 0.

use std::fmt;

use galilei_expr::{Expr, Verdict};
use galilei_geometry::{Form, Matrix, Singular, decide_all_zero, decide_equal};

use crate::codistribution::AdmissibleCodistribution;
use crate::force::Force;
use crate::reference::ReferenceField;
use crate::second_order::SecondOrderField;
use crate::state_space::StateSpace;
use crate::system::System;

/// A system and the codistribution of its constraints.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstrainedSystem<'p> {
    system: System<'p>,
    codistribution: AdmissibleCodistribution<'p>,
    /// For each constraint the covector along which its reaction acts, if that is not ideal; empty if all are ideal.
    along: Vec<Option<Vec<Expr<'p>>>>,
}

/// A reaction and the motion under it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reaction<'p> {
    /// ξ̃
    pub field: SecondOrderField<'p>,
    /// Fᶜᵢ = mᵢⱼ(ξ̃ − ξ)ʲ (T-85)
    pub force: Force<'p>,
    /// λ_a with Fᶜᵢ = λ_aṡᵃᵢ for an ideal reaction, and with given covectors instead of ṡᵃᵢ for others. (T-83, T-85)
    pub multipliers: Option<Vec<Expr<'p>>>,
}

/// The reason why there is no unique constrained motion. (T-84, T-87)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotDetermined {
    /// m = ∂²L/∂u∂u is singular.
    Lagrangian,
    /// m̃ = ṡm⁻¹ṡᵀ is singular, which an indefinite m allows.
    Constraints,
    /// ṡm⁻¹Cᵀ is singular for the covectors C of the reactions: the constraints do not feel them. (T-83)
    Reactions,
}

impl fmt::Display for NotDetermined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lagrangian => "the Hessian ∂²L/∂u∂u is singular",
            Self::Constraints => "the constraints do not determine the motion: ṡm⁻¹ṡᵀ is singular",
            Self::Reactions => "the constraints do not feel their reactions: ṡm⁻¹Cᵀ is singular",
        })
    }
}
impl std::error::Error for NotDetermined {}

/// The error for a σ with ṡσ ≠ 1, or not shown to be 1: its motion would violate the constraints. (T-83)
#[derive(Clone, Debug, PartialEq)]
pub struct NotASplitting(pub Verdict);

impl fmt::Display for NotASplitting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "σ does not split the constraints, ṡᵇᵢσⁱ_a ≠ δᵇ_a: {}",
            self.0
        )
    }
}
impl std::error::Error for NotASplitting {}

impl<'p> ConstrainedSystem<'p> {
    /// A system under constraints.
    ///
    /// # Panics
    /// If they belong to different state spaces.
    pub fn new(system: System<'p>, codistribution: AdmissibleCodistribution<'p>) -> Self {
        assert!(
            system.state() == codistribution.state(),
            "constraints on another state space"
        );
        Self {
            system,
            codistribution,
            along: vec![],
        }
    }

    /// The system with reactions along given covectors, one for each constraint; `None` stands for an ideal reaction.
    /// (T-83)
    ///
    /// ```
    /// use galilei_expr::{Assumptions, Pool};
    /// use galilei_mechanics::{
    ///     AdaptedChart, AdmissibleCodistribution, ConstrainedSystem, Constraint, Lagrangian, StateSpace, System,
    /// };
    /// let pool = Pool::new();
    /// let state = StateSpace::new(AdaptedChart::new(&pool, "t", ["x", "y"]));
    /// let (u, v, t) = (state.velocity(0), state.velocity(1), state.time());
    /// // x + y = sin t, enforced by a force on y alone.
    /// let system = System::new(Lagrangian::new(&state, (u.pow(2) + 3 * v.pow(2)) / 2));
    /// let held = Constraint::Position(state.position(0) + state.position(1) - t.sin());
    /// let d = AdmissibleCodistribution::new(&state, vec![held], &Assumptions::new()).unwrap();
    /// let servo = ConstrainedSystem::new(system, d).with_reactions(vec![Some(vec![pool.zero(), pool.one()])]);
    /// let found = servo.reaction().unwrap();
    /// assert!(found.field.accelerations()[0].is_zero());
    /// assert!((found.multipliers.unwrap()[0] + 3 * t.sin()).is_zero());
    /// ```
    ///
    /// # Panics
    /// If there is not one entry for each constraint, or a covector has not n components.
    #[must_use]
    pub fn with_reactions(mut self, along: Vec<Option<Vec<Expr<'p>>>>) -> Self {
        assert_eq!(
            along.len(),
            self.codistribution.count(),
            "one reaction for each constraint"
        );
        let n = self.state().degrees_of_freedom();
        assert!(
            along.iter().flatten().all(|c| c.len() == n),
            "components of a covector"
        );
        self.along = match along.iter().all(Option::is_none) {
            true => vec![],
            false => along,
        };
        self
    }

    /// Whether all reactions are declared to be ideal.
    pub fn is_ideal(&self) -> bool {
        self.along.is_empty()
    }

    /// The covectors of the reactions that are not ideal; empty if all are ideal.
    pub fn reactions(&self) -> &[Option<Vec<Expr<'p>>>] {
        &self.along
    }

    /// The covectors that the multipliers multiply, a row for each constraint: ṡᵃᵢ for ideal reactions. (T-83, T-85)
    pub fn covectors(&self) -> Matrix<'p> {
        let own = self.codistribution.vertical();
        let rows = own.rows().iter().enumerate();
        let given = |a: usize| self.along.get(a).and_then(Option::clone);
        let rows = rows.map(|(a, row)| given(a).unwrap_or_else(|| row.clone()));
        Matrix::new(self.state().pool(), rows.collect())
    }

    /// The reaction of the system: ideal, or along the given covectors, with multipliers such that sᵃ(ξ̃) = 0.
    /// (T-83, T-84)
    pub fn reaction(&self) -> Result<Reaction<'p>, NotDetermined> {
        match self.is_ideal() {
            true => self.ideal(),
            false => self.along(&self.covectors(), NotDetermined::Reactions),
        }
    }

    /// The system without its constraints.
    pub fn system(&self) -> &System<'p> {
        &self.system
    }

    /// The constraints.
    pub fn codistribution(&self) -> &AdmissibleCodistribution<'p> {
        &self.codistribution
    }

    /// The state space.
    pub fn state(&self) -> &StateSpace<'p> {
        self.system.state()
    }

    /// The ideal reaction: ξ̃ⁱ = ξⁱ − mⁱʲṡᵃⱼm̃_ab sᵇ(ξ), with m̃ᵃᵇ = ṡᵃᵢṡᵇⱼmⁱʲ, and
    /// λ_a = −m̃_ab sᵇ(ξ). (T-84, T-85)
    pub fn ideal(&self) -> Result<Reaction<'p>, NotDetermined> {
        self.along(&self.codistribution.vertical(), NotDetermined::Constraints)
    }

    /// ξ̃ = ξ + m⁻¹Cᵀλ with (ṡm⁻¹Cᵀ)λ = −s(ξ). (T-83)
    fn along(
        &self,
        covectors: &Matrix<'p>,
        singular: NotDetermined,
    ) -> Result<Reaction<'p>, NotDetermined> {
        let pool = self.state().pool();
        let (n, c) = (
            self.state().degrees_of_freedom(),
            self.codistribution.count(),
        );
        let m = self.system.lagrangian().mass_matrix();
        let inverse = m.inverse().map_err(|Singular| NotDetermined::Lagrangian)?;
        let force = self.system.total_force();
        let h = self.system.lagrangian().right_hand_side(&force);
        let xi = inverse.times_vector(&h);
        let s = self.codistribution.vertical();
        // raised[a] = mⁱʲCᵃⱼ
        let raised: Vec<Vec<Expr<'p>>> = covectors
            .rows()
            .iter()
            .map(|row| inverse.times_vector(row))
            .collect();
        let entry = |a: usize, b: usize| {
            let pairs = s.rows()[a].iter().zip(&raised[b]);
            pool.sum(pairs.map(|(&x, &y)| x * y))
        };
        let rows = (0..c)
            .map(|a| (0..c).map(|b| entry(a, b)).collect())
            .collect();
        let off: Vec<Expr<'p>> = self
            .codistribution
            .on_accelerations(&xi)
            .into_iter()
            .map(|e| -e)
            .collect();
        let lambda = Matrix::new(pool, rows)
            .solve(&off)
            .map_err(|Singular| singular)?;
        let sum = |of: &dyn Fn(usize) -> Expr<'p>| pool.sum((0..c).map(|a| lambda[a] * of(a)));
        let a = (0..n).map(|i| xi[i] + sum(&|a| raised[a][i])).collect();
        let reaction = (0..n).map(|i| sum(&|a| covectors.rows()[a][i])).collect();
        Ok(Reaction {
            field: SecondOrderField::new(self.state(), a),
            force: Force::new(self.state(), reaction),
            multipliers: Some(lambda),
        })
    }

    /// [m Cᵀ; ṡ 0] and (h; −s₀ − sᵢuⁱ), of which (a; −λ) is the solution; C = ṡ for ideal reactions. (T-83, T-87)
    pub fn augmented(&self) -> (Matrix<'p>, Vec<Expr<'p>>) {
        let pool = self.state().pool();
        let c = self.codistribution.count();
        let m = self.system.lagrangian().mass_matrix();
        let s = self.codistribution.vertical();
        let covectors = self.covectors();
        let mut rows: Vec<Vec<Expr<'p>>> = m.rows().to_vec();
        for (i, row) in rows.iter_mut().enumerate() {
            row.extend((0..c).map(|a| covectors.rows()[a][i]));
        }
        for row in s.rows() {
            rows.push(
                row.iter()
                    .copied()
                    .chain((0..c).map(|_| pool.zero()))
                    .collect(),
            );
        }
        let force = self.system.total_force();
        let mut right = self.system.lagrangian().right_hand_side(&force);
        right.extend(self.codistribution.drift().into_iter().map(|d| -d));
        (Matrix::new(pool, rows), right)
    }

    /// The reaction from the augmented system: it needs no inverse of m, which may be singular
    /// as long as it is regular on ker ṡ. (T-87)
    pub fn reaction_augmented(&self) -> Result<Reaction<'p>, NotDetermined> {
        let pool = self.state().pool();
        let (n, c) = (
            self.state().degrees_of_freedom(),
            self.codistribution.count(),
        );
        let (matrix, right) = self.augmented();
        let solution = matrix
            .solve(&right)
            .map_err(|Singular| NotDetermined::Constraints)?;
        let lambda: Vec<Expr<'p>> = solution[n..].iter().map(|&l| -l).collect();
        let s = self.covectors();
        let reaction = |i: usize| pool.sum((0..c).map(|a| lambda[a] * s.rows()[a][i]));
        Ok(Reaction {
            field: SecondOrderField::new(self.state(), solution[..n].to_vec()),
            force: Force::new(self.state(), (0..n).map(reaction).collect()),
            multipliers: Some(lambda),
        })
    }

    /// The reaction of a given splitting σⁱ_a, a column for each constraint: ξ̃ = ξ − σ_a sᵃ(ξ). The
    /// choice of σ is a model of the reaction; it must satisfy ṡᵇᵢσⁱ_a = δᵇ_a, which is decided.
    /// (T-83)
    ///
    /// # Panics
    /// If σ is not n × c.
    pub fn with_splitting(&self, sigma: &Matrix<'p>) -> Result<Reaction<'p>, NotASplitting> {
        let pool = self.state().pool();
        let (n, c) = (
            self.state().degrees_of_freedom(),
            self.codistribution.count(),
        );
        assert_eq!(
            sigma.size(),
            (n, c),
            "a splitting has a column for each constraint"
        );
        let product = self.codistribution.vertical().times(sigma);
        let identity = |a: usize, b: usize| if a == b { pool.one() } else { pool.zero() };
        let claims = (0..c).flat_map(|a| (0..c).map(move |b| (a, b)));
        let splits = decide_all_zero(
            claims
                .map(|(a, b)| product.rows()[a][b] - identity(a, b))
                .collect::<Vec<_>>(),
        );
        if !splits.is_proved() {
            return Err(NotASplitting(splits));
        }
        let undetermined = NotASplitting(Verdict::Undecided(galilei_expr::Reason::OutOfReach(
            "the Lagrangian is degenerate",
        )));
        let Ok(xi) = self.system.lagrange() else {
            return Err(undetermined);
        };
        let change = sigma.times_vector(&self.codistribution.on_field(&xi));
        let change: Vec<Expr<'p>> = change.into_iter().map(|e| -e).collect();
        let m = self.system.lagrangian().mass_matrix();
        let force = Force::new(self.state(), m.times_vector(&change));
        let pairs = xi.accelerations().iter().zip(&change);
        let field = SecondOrderField::new(self.state(), pairs.map(|(&a, &b)| a + b).collect());
        Ok(Reaction {
            field,
            force,
            multipliers: None,
        })
    }

    /// The splitting by a connection, in which the constraints act on some of the velocities alone:
    /// ξ̃^α = ξ^α, and ξ̃ᵃ is what sᵃ(ξ̃) = 0 says. Ideal only if m_αa + Bᵇ_αm_ba = 0. (T-113)
    ///
    /// # Panics
    /// If a velocity does not exist.
    pub fn by_connection(&self, dependent: &[usize]) -> Result<Reaction<'p>, NotASplitting> {
        let pool = self.state().pool();
        let (n, c) = (
            self.state().degrees_of_freedom(),
            self.codistribution.count(),
        );
        let s = self.codistribution.vertical();
        let rows = s.rows().iter();
        let rows = rows.map(|row| dependent.iter().map(|&k| row[k]).collect());
        let block = Matrix::new(pool, rows.collect());
        let unsolved = "the constraints do not determine these velocities";
        let refused = NotASplitting(Verdict::Undecided(galilei_expr::Reason::OutOfReach(
            unsolved,
        )));
        if block.size() != (c, c) {
            return Err(refused);
        }
        let Ok(inverse) = block.inverse() else {
            return Err(refused);
        };
        let zero = vec![pool.zero(); c];
        let rows = (0..n).map(|i| match dependent.iter().position(|&k| k == i) {
            Some(b) => inverse.rows()[b].clone(),
            None => zero.clone(),
        });
        self.with_splitting(&Matrix::new(pool, rows.collect()))
    }

    /// Whether a reaction does no virtual work: Fᶜᵢwⁱ = 0 for all w with ṡᵃᵢwⁱ = 0, which are the vectors
    /// projected by the ideal splitting. (T-85)
    pub fn decide_ideal(&self, reaction: &Reaction<'p>) -> Result<Verdict, NotDetermined> {
        let w = self.admissible_vector("w#")?;
        let pairs = reaction.force.components().iter().zip(&w);
        let work = self.state().pool().sum(pairs.map(|(&f, &w)| f * w));
        Ok(work.decide_zero())
    }

    /// w − m⁻¹ṡᵀm̃⁻¹ṡw for symbols w: the general vector in ker ṡ.
    fn admissible_vector(&self, letter: &str) -> Result<Vec<Expr<'p>>, NotDetermined> {
        let pool = self.state().pool();
        let n = self.state().degrees_of_freedom();
        let free: Vec<Expr<'p>> = (0..n)
            .map(|i| pool.symbol(&format!("{letter}{i}")))
            .collect();
        let sigma = self.ideal_splitting()?;
        let s = self.codistribution.vertical();
        let off = sigma.times_vector(&s.times_vector(&free));
        Ok(free.iter().zip(off).map(|(&w, o)| w - o).collect())
    }

    /// σⁱ_a = mⁱʲṡᵇⱼm̃_ba, the splitting of the ideal reaction. (T-84)
    pub fn ideal_splitting(&self) -> Result<Matrix<'p>, NotDetermined> {
        let m = self.system.lagrangian().mass_matrix();
        let inverse = m.inverse().map_err(|Singular| NotDetermined::Lagrangian)?;
        let s = self.codistribution.vertical();
        let raised = inverse.times(&s.transposed());
        let tilde = s.times(&raised);
        let tilde = tilde
            .inverse()
            .map_err(|Singular| NotDetermined::Constraints)?;
        Ok(raised.times(&tilde))
    }

    /// Gauss' constraint G(w) = mᵢⱼ(ξ − w)ⁱ(ξ − w)ʲ of accelerations w. (T-86)
    pub fn gauss(&self, w: &[Expr<'p>]) -> Result<Expr<'p>, NotDetermined> {
        let xi = self
            .system
            .lagrange()
            .map_err(|Singular| NotDetermined::Lagrangian)?;
        let off: Vec<Expr<'p>> = xi
            .accelerations()
            .iter()
            .zip(w)
            .map(|(&a, &b)| a - b)
            .collect();
        Ok(self.square(&off))
    }

    /// mᵢⱼvⁱvʲ
    fn square(&self, v: &[Expr<'p>]) -> Expr<'p> {
        let lowered = self.system.lagrangian().mass_matrix().times_vector(v);
        let pairs = v.iter().zip(lowered);
        self.state().pool().sum(pairs.map(|(&a, b)| a * b))
    }

    /// Gauss' principle: G(ζ) = G(ξ̃) + m(ξ̃ − ζ, ξ̃ − ζ) for every ζ with sᵃ(ζ) = 0, so that ξ̃ is the
    /// minimum wherever m is positive definite and stationary in any case. (T-86)
    ///
    /// ζ = ξ̃ + w with w in ker ṡ, the general solution.
    pub fn decide_gauss(&self, reaction: &Reaction<'p>) -> Result<Verdict, NotDetermined> {
        let w = self.admissible_vector("w#")?;
        let found = reaction.field.accelerations();
        let zeta: Vec<Expr<'p>> = found.iter().zip(&w).map(|(&a, &w)| a + w).collect();
        let claim = self.gauss(&zeta)? - self.gauss(found)? - self.square(&w);
        Ok(claim.decide_zero())
    }

    /// Gauss' principle without solving: for free accelerations a and any w,
    /// G(a + w) − G(a) − m(w, w) = 2Eᵢ(a)wⁱ with Lagrange's residual E. An ideal reaction makes
    /// Eᵢ = λ_aṡᵃᵢ, which vanishes on the w with ṡᵃᵢwⁱ = 0. (T-86)
    ///
    /// hᵢξⁱ, which needs the inverse of m, cancels: G(w) = m(w, w) − 2hᵢwⁱ + hᵢξⁱ.
    pub fn decide_gauss_unsolved(&self) -> Verdict {
        let pool = self.state().pool();
        let n = self.state().degrees_of_freedom();
        let a = self.system.acceleration_symbols();
        let w: Vec<Expr<'p>> = (0..n).map(|i| pool.symbol(&format!("w#{i}"))).collect();
        let h = (self.system.lagrangian()).right_hand_side(&self.system.total_force());
        let dot = |x: &[Expr<'p>], y: &[Expr<'p>]| {
            let pairs = x.iter().zip(y);
            pool.sum(pairs.map(|(&x, &y)| x * y))
        };
        let known = |v: &[Expr<'p>]| self.square(v) - 2 * dot(&h, v);
        let moved: Vec<Expr<'p>> = a.iter().zip(&w).map(|(&a, &w)| a + w).collect();
        let residual = self.system.by_lagrange(&a);
        let claim = known(&moved) - known(&a) - self.square(&w) - 2 * dot(&residual, &w);
        claim.decide_zero()
    }

    /// Whether the motion stays on the constraints: sᵃ(ξ̃) = 0. (T-83, T-88)
    pub fn decide_compatible(&self, reaction: &Reaction<'p>) -> Verdict {
        decide_all_zero(self.codistribution.on_field(&reaction.field))
    }

    /// A reference field with fᵃ₀ + fᵃᵢΓⁱ = 0, for affine constraints: Γⁱ = −mⁱʲfᵃⱼm̃_ab fᵇ₀. `None`
    /// for others, and where m depends on the velocities. (T-90)
    pub fn constraint_frame(&self) -> Option<ReferenceField<'p>> {
        if !self.codistribution.decide_affine().is_proved()
            || !self.system.lagrangian().decide_quadratic().is_proved()
        {
            return None;
        }
        let pool = self.state().pool();
        let zero: Vec<(Expr<'p>, Expr<'p>)> = self
            .state()
            .velocities()
            .iter()
            .map(|&u| (u, pool.zero()))
            .collect();
        let sigma = self.ideal_splitting().ok()?;
        let constant = pool.substitute_all(&self.codistribution.functions()?, &zero);
        let frame = sigma.times_vector(&constant);
        let frame: Vec<Expr<'p>> = frame.into_iter().map(|e| -e).collect();
        let frame = pool.substitute_all(&frame, &zero);
        Some(ReferenceField::new(self.state().base(), frame))
    }

    /// (uⁱ − Γⁱ)Fᶜᵢ, the power of a reaction with respect to a frame. (T-93)
    pub fn power(&self, reaction: &Reaction<'p>, frame: &ReferenceField<'p>) -> Expr<'p> {
        let relative = frame.relative_velocities(self.state());
        let pairs = relative.iter().zip(reaction.force.components());
        self.state().pool().sum(pairs.map(|(&v, &f)| v * f))
    }

    /// ṡᵃᵢ(uⁱ − Γⁱ) for each constraint, with its covector where the reaction is not ideal: the power of the reaction is
    /// λ_a times these. (T-93)
    pub fn power_factors(&self, frame: &ReferenceField<'p>) -> Vec<Expr<'p>> {
        let relative = frame.relative_velocities(self.state());
        self.covectors().times_vector(&relative)
    }

    /// dE_Γ/dt = −Γ̄(L) + (uⁱ − Γⁱ)(Fᵢ + Fᶜᵢ) along the constrained motion. (T-92)
    pub fn energy_rate(&self, reaction: &Reaction<'p>, frame: &ReferenceField<'p>) -> Expr<'p> {
        self.system.energy_balance(frame).rate() + self.power(reaction, frame)
    }

    /// dE/dt − uⁱ(Eᵢ − λ_aṡᵃᵢ) + ∂L/∂t − uⁱFᵢ − λ_aṡᵃᵢuⁱ for free accelerations and multipliers, with
    /// Lagrange's residual Eᵢ, which is λ_aṡᵃᵢ along the constrained motion. Identically zero: the energy law of
    /// the constrained system, without solving. (T-92)
    pub fn energy_residual(&self) -> Expr<'p> {
        let state = self.state();
        let pool = state.pool();
        let a = self.system.acceleration_symbols();
        let along = SecondOrderField::new(state, a.clone()).rate(self.system.lagrangian().energy());
        let s = self.covectors();
        let lambda: Vec<Expr<'p>> = (0..self.codistribution.count())
            .map(|a| pool.symbol(&format!("λ#{a}")))
            .collect();
        let reaction = s.transposed().times_vector(&lambda);
        let residual = self.system.by_lagrange(&a);
        let u = state.velocities();
        let left = residual.iter().zip(&reaction).zip(u);
        let left = pool.sum(left.map(|((&e, &r), &u)| u * (e - r)));
        let rest = ReferenceField::resting(state.base());
        let factors = self.power_factors(&rest);
        let power = pool.sum(lambda.iter().zip(factors).map(|(&l, f)| l * f));
        along - left - self.system.energy_balance(&rest).rate() - power
    }

    /// Ω_c = dω + Φ(F) + Φ(Fᶜ): the constrained system as an ordinary action form, whose field is ξ̃
    /// on all of A¹M. (T-105)
    pub fn action_two_form(&self, reaction: &Reaction<'p>) -> Form<'p> {
        let reaction = reaction.force.two_form();
        self.system.action_two_form().plus(reaction.as_two_form())
    }
}

/// Whether (m, ξ) is a Newtonian system: ∂mᵢⱼ/∂uᵏ symmetric and
/// 2ξ(mᵢⱼ) + mᵢₖ∂ξᵏ/∂uʲ + mⱼₖ∂ξᵏ/∂uⁱ = 0. Every regular L without forces is one; damped and
/// constrained systems are not in general. (T-89)
pub fn decide_newtonian<'p>(m: &Matrix<'p>, field: &SecondOrderField<'p>) -> Verdict {
    let state = field.state();
    let n = state.degrees_of_freedom();
    let (u, rows) = (state.velocities(), m.rows());
    let mut claims: Vec<Expr<'p>> = newtonian_defect(m, field).into_iter().flatten().collect();
    for i in 0..n {
        for j in 0..n {
            claims.extend((0..n).map(|k| rows[i][j].diff(u[k]) - rows[i][k].diff(u[j])));
        }
    }
    decide_all_zero(claims)
}

/// 2ξ(mᵢⱼ) + mᵢₖ∂ξᵏ/∂uʲ + mⱼₖ∂ξᵏ/∂uⁱ, which vanishes for Newtonian systems. Under a force F it is
/// ∂Fᵢ/∂uʲ + ∂Fⱼ/∂uⁱ. (T-89)
pub fn newtonian_defect<'p>(m: &Matrix<'p>, field: &SecondOrderField<'p>) -> Vec<Vec<Expr<'p>>> {
    let state = field.state();
    let (pool, n) = (state.pool(), state.degrees_of_freedom());
    let m = m.rows();
    let slopes = pool.jacobian(field.accelerations(), state.velocities());
    let lowered = |i: usize, j: usize| pool.sum((0..n).map(|k| m[i][k] * slopes[k][j]));
    let entry = |i: usize, j: usize| 2 * field.rate(m[i][j]) + lowered(i, j) + lowered(j, i);
    (0..n)
        .map(|i| (0..n).map(|j| entry(i, j)).collect())
        .collect()
}

impl<'p> Reaction<'p> {
    /// Whether two reactions give the same motion.
    pub fn decide_equal(&self, other: &Self) -> Verdict {
        decide_equal(self.field.accelerations(), other.field.accelerations())
    }
}
