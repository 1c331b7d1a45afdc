//! Systems on the constraint manifold J¹_σ: the fundamental two-form, the reduced equations, the
//! multipliers.
//!
//! The indices are those of the solved form: A all coordinates, a dependent, α independent ones.

use galilei_expr::{Expr, Verdict};
use galilei_geometry::{Form, Matrix, Singular, VectorField};

use crate::constrained::{ConstrainedSystem, NotDetermined, Reaction};
use crate::routes::decide_together;
use crate::solved::SolvedForm;
use crate::system::System;

/// A system whose velocities satisfy uᵃ = gᵃ(t, x, u^β).
#[derive(Clone, Debug, PartialEq)]
pub struct ReducedSystem<'p> {
    system: System<'p>,
    solved: SolvedForm<'p>,
    lagrangian: Expr<'p>,
    dependent_momenta: Vec<Expr<'p>>,
    /// (∂L/∂xᵃ + F_a)∘i
    dependent_slopes: Vec<Expr<'p>>,
    forces: Vec<Expr<'p>>,
}

impl<'p> ReducedSystem<'p> {
    /// The system under solved constraints.
    ///
    /// # Panics
    /// If they belong to different state spaces.
    pub fn new(system: System<'p>, solved: SolvedForm<'p>) -> Self {
        assert!(
            system.state() == solved.state(),
            "a solved form on another state space"
        );
        let i = solved.embedding();
        let l = system.lagrangian();
        let onto =
            |list: &[Expr<'p>]| -> Vec<Expr<'p>> { list.iter().map(|e| i.pullback(e)).collect() };
        let pick = |list: Vec<Expr<'p>>| -> Vec<Expr<'p>> {
            solved.dependent().iter().map(|&k| list[k]).collect()
        };
        let force = system.total_force();
        let slopes = l.function().gradient(solved.state().base().positions());
        let slopes = slopes.into_iter().zip(force.components());
        let slopes: Vec<Expr<'p>> = slopes.map(|(s, &f)| s + f).collect();
        let below = onto(force.components());
        Self {
            lagrangian: i.pullback(&l.function()),
            dependent_momenta: pick(onto(&l.momenta())),
            dependent_slopes: pick(onto(&slopes)),
            forces: solved.along_directions(&below),
            system,
            solved,
        }
    }

    /// The system with L̄, L_a and the forces written in another form. `form` must return an expression
    /// equal to its argument.
    #[must_use]
    pub fn rewritten(mut self, form: impl Fn(Expr<'p>) -> Expr<'p>) -> Self {
        self.lagrangian = form(self.lagrangian);
        for list in [
            &mut self.dependent_momenta,
            &mut self.dependent_slopes,
            &mut self.forces,
        ] {
            list.iter_mut().for_each(|e| *e = form(*e));
        }
        self
    }

    /// The system without its constraints.
    pub fn system(&self) -> &System<'p> {
        &self.system
    }

    /// The solved constraints.
    pub fn solved(&self) -> &SolvedForm<'p> {
        &self.solved
    }

    /// L̄ = L∘i. (T-72)
    pub fn lagrangian(&self) -> Expr<'p> {
        self.lagrangian
    }

    /// L_a = (∂L/∂uᵃ)∘i. (T-72)
    pub fn dependent_momenta(&self) -> &[Expr<'p>] {
        &self.dependent_momenta
    }

    /// Q_α = (F_α + Bᵃ_αF_a)∘i. (T-77)
    pub fn forces(&self) -> &[Expr<'p>] {
        &self.forces
    }

    /// θ_L̄ = L̄dt + (∂L̄/∂u^α)θ^α. (T-77)
    pub fn cartan_form(&self) -> Form<'p> {
        let l = self.lagrangian();
        let slopes = l.gradient(self.solved.velocities());
        let start = self.solved.chart().differential(0).scaled(l);
        slopes
            .into_iter()
            .enumerate()
            .fold(start, |sum, (alpha, p)| {
                sum.plus(&self.solved.contact(alpha).scaled(p))
            })
    }

    /// Ω_Γ = dθ_L̄ + ψ∧dt + Q_αθ^α∧dt with ψ = Cᵃ_αL_aθ^α − (∂L̄/∂xᵃ)ηᵃ. (T-77)
    pub fn fundamental_two_form(&self, gamma: &VectorField<'p>) -> Form<'p> {
        let solved = &self.solved;
        let (chart, pool) = (solved.chart(), solved.state().pool());
        let l = self.lagrangian();
        let momenta = self.dependent_momenta();
        let forces = self.forces();
        let mut psi = Form::zero(chart, 1);
        for alpha in 0..solved.independent().len() {
            let bent =
                (0..momenta.len()).map(|a| solved.curvature_along(gamma, a, alpha) * momenta[a]);
            let c = pool.sum(bent) + forces[alpha];
            psi = psi.plus(&solved.contact(alpha).scaled(c));
        }
        for (a, &k) in solved.dependent().iter().enumerate() {
            let slope = l.diff(chart.coordinate(solved.x(k)));
            psi = psi.minus(&solved.eta(a).scaled(slope));
        }
        self.cartan_form()
            .d()
            .plus(&psi.wedge(&chart.differential(0)))
    }

    /// The dx^α-components of i_ΓΩ_Γ for Γ = T + f^α∂_{u^α}; the others follow from these through θ^α.
    /// (T-78)
    pub fn equations(&self, f: &[Expr<'p>]) -> Vec<Expr<'p>> {
        let gamma = self.solved.second_order(f);
        let inserted = gamma.interior(&self.fundamental_two_form(&gamma));
        let independent = self.solved.independent().iter();
        independent
            .map(|&k| inserted.component(&[self.solved.x(k)]))
            .collect()
    }

    /// M_αβ = ∂²L̄/∂u^α∂u^β − L_a∂²gᵃ/∂u^α∂u^β: the motion is determined where it is regular. (T-79)
    pub fn regularity_matrix(&self) -> Matrix<'p> {
        let u = self.solved.velocities();
        let mut rows = self.lagrangian().hessian(u);
        for (p, g) in self.dependent_momenta().iter().zip(self.solved.functions()) {
            for (row, bent) in rows.iter_mut().zip(g.hessian(u)) {
                for (entry, h) in row.iter_mut().zip(bent) {
                    *entry -= *p * h;
                }
            }
        }
        Matrix::new(self.solved.state().pool(), rows)
    }

    /// Symbols for f^α.
    fn unknowns(&self) -> Vec<Expr<'p>> {
        let pool = self.solved.state().pool();
        (0..self.solved.independent().len())
            .map(|alpha| pool.symbol(&format!("f#{alpha}")))
            .collect()
    }

    /// f^α, by solving i_ΓΩ_Γ = 0 for f inside Γ, with ηᵃ(Γ) = 0 imposed by the form of Γ: Ω_Γ contains
    /// f, and its kernel alone does not determine Γ. The equations are linear in f. (T-78, T-80)
    pub fn accelerations(&self) -> Result<Vec<Expr<'p>>, Singular> {
        let pool = self.solved.state().pool();
        let f = self.unknowns();
        let equations = self.equations(&f);
        let zero: Vec<_> = f.iter().map(|&f| (f, pool.zero())).collect();
        let rows = pool.jacobian(&equations, &f);
        let right = pool.substitute_all(&equations, &zero);
        let right: Vec<Expr<'p>> = right.into_iter().map(|e| -e).collect();
        Matrix::new(pool, rows).solve(&right)
    }

    /// The accelerations of all coordinates on J¹_σ: f^α, and Γ(gᵃ) for the dependent ones.
    pub fn all_accelerations(&self, f: &[Expr<'p>]) -> Vec<Expr<'p>> {
        let solved = &self.solved;
        let gamma = solved.second_order(f);
        let n = solved.state().degrees_of_freedom();
        let mut all = vec![solved.state().pool().zero(); n];
        for (alpha, &k) in solved.independent().iter().enumerate() {
            all[k] = f[alpha];
        }
        for (a, &k) in solved.dependent().iter().enumerate() {
            all[k] = gamma.apply(solved.functions()[a]);
        }
        all
    }

    /// λ_a = d/dt(∂L/∂uᵃ) − ∂L/∂xᵃ − F_a along Γ, the multipliers of uᵃ − gᵃ; the reaction on x^α is
    /// −λ_aBᵃ_α. (T-81)
    pub fn multipliers(&self, f: &[Expr<'p>]) -> Vec<Expr<'p>> {
        let gamma = self.solved.second_order(f);
        let pairs = self.dependent_momenta.iter().zip(&self.dependent_slopes);
        pairs.map(|(&p, &slope)| gamma.apply(p) - slope).collect()
    }

    /// The multipliers of constraints fᵇ that uᵃ − gᵃ solves: λ_b with λ_b∂fᵇ/∂uᵃ = λ_a. (T-81)
    pub fn multipliers_of(
        &self,
        constrained: &ConstrainedSystem<'p>,
        f: &[Expr<'p>],
    ) -> Result<Vec<Expr<'p>>, Singular> {
        let i = self.solved.embedding();
        let s = constrained.codistribution().vertical();
        let rows = (self.solved.dependent().iter())
            .map(|&k| s.rows().iter().map(|row| i.pullback(&row[k])).collect())
            .collect();
        Matrix::new(self.solved.state().pool(), rows).solve(&self.multipliers(f))
    }

    /// The expressions that vanish if the two constructions agree, for this system and this f: accelerations
    /// and multipliers found on J¹_σ minus those of the ideal reaction on J¹τ, restricted to J¹_σ.
    /// (T-94)
    pub fn disagreement(
        &self,
        constrained: &ConstrainedSystem<'p>,
        f: &[Expr<'p>],
        reaction: &Reaction<'p>,
    ) -> Result<Vec<Expr<'p>>, Singular> {
        let i = self.solved.embedding();
        let mut claims: Vec<Expr<'p>> = self
            .all_accelerations(f)
            .into_iter()
            .zip(reaction.field.accelerations())
            .map(|(a, b)| a - i.pullback(b))
            .collect();
        if let Some(lambda) = &reaction.multipliers {
            let own = self.multipliers_of(constrained, f)?;
            claims.extend(own.into_iter().zip(lambda).map(|(a, b)| a - i.pullback(b)));
        }
        Ok(claims)
    }

    /// Whether the solutions of both constructions agree. Each is solved by itself: f from
    /// i_ΓΩ_Γ = 0 on J¹_σ, ξ̃ and λ from the mass metric on J¹τ. (T-94)
    pub fn decide_agreement(
        &self,
        constrained: &ConstrainedSystem<'p>,
    ) -> Result<Verdict, NotDetermined> {
        let f = self
            .accelerations()
            .map_err(|Singular| NotDetermined::Constraints)?;
        let reaction = constrained.ideal()?;
        let claims = self
            .disagreement(constrained, &f, &reaction)
            .map_err(|Singular| NotDetermined::Constraints)?;
        Ok(decide_together(&claims))
    }

    /// Whether both constructions agree, decided without solving: with free f, the reduced equations are Wᵀ(ma − h) on J¹_σ
    /// for a = (f, Γ(g)), which satisfies sᵃ(a) = 0; and ṡW = 0, so that W spans the directions along which the ideal
    /// reaction does no work. (T-94)
    pub fn decide_agreement_unsolved(&self, constrained: &ConstrainedSystem<'p>) -> Verdict {
        let f = self.unknowns();
        let i = self.solved.embedding();
        let pool = self.solved.state().pool();
        let a = self.system.acceleration_symbols();
        let all = self.all_accelerations(&f);
        let onto = |list: &[Expr<'p>]| -> Vec<Expr<'p>> {
            let pairs: Vec<_> = a.iter().copied().zip(all.iter().copied()).collect();
            let below = list.iter().map(|e| i.pullback(e)).collect::<Vec<_>>();
            pool.substitute_all(&below, &pairs)
        };
        let lagrange = onto(&constrained.system().by_lagrange(&a));
        let projected = self.solved.along_directions(&lagrange);
        let mut claims: Vec<Expr<'p>> = (self.equations(&f).into_iter())
            .zip(projected)
            .map(|(a, b)| a - b)
            .collect();
        let codistribution = constrained.codistribution();
        claims.extend(onto(&codistribution.on_accelerations(&a)));
        for row in codistribution.vertical().rows() {
            let row: Vec<Expr<'p>> = row.iter().map(|e| i.pullback(e)).collect();
            claims.extend(self.solved.along_directions(&row));
        }
        decide_together(&claims)
    }
}
