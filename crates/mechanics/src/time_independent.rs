//! The three time-independent formulations as special cases: Christoffel symbols, symplectic forms
//! on TQ, and on T*Q.

use galilei_expr::{Expr, Verdict};
use galilei_geometry::{
    Chart, Form, LeviCivita, Matrix, Singular, SymmetricTensor, VectorField, decide_all_zero,
};

use crate::lagrangian::Lagrangian;
use crate::system::System;

/// A system whose Lagrangian is ½gᵢⱼ(x)uⁱuʲ − V(x), with forces f(x, u). (T-67)
#[derive(Clone, Debug, PartialEq)]
pub struct TimeIndependent<'p> {
    system: System<'p>,
    metric: SymmetricTensor<'p>,
    potential: Expr<'p>,
}

/// The reason why a system is not of this kind.
#[derive(Clone, Debug, PartialEq)]
pub enum DependsOnTime {
    /// L or a force depends on t.
    Time(Verdict),
    /// L is not quadratic in the velocities.
    NotQuadratic,
    /// L has a part linear in the velocities.
    LinearPart(Verdict),
}

impl std::fmt::Display for DependsOnTime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Time(v) => write!(f, "the system depends on time: {v}"),
            Self::NotQuadratic => f.write_str("the Lagrangian is not quadratic in the velocities"),
            Self::LinearPart(v) => {
                write!(f, "the Lagrangian has a part linear in the velocities: {v}")
            }
        }
    }
}
impl std::error::Error for DependsOnTime {}

impl<'p> TimeIndependent<'p> {
    /// The system, if nothing in it depends on time and R = 0, A = 0.
    pub fn new(system: &System<'p>) -> Result<Self, DependsOnTime> {
        let state = system.state();
        let (t, l) = (state.time(), system.lagrangian());
        let force = system.total_force();
        let rates = std::iter::once(l.function().diff(t))
            .chain(force.components().iter().map(|f| f.diff(t)));
        let still = decide_all_zero(rates.collect::<Vec<_>>());
        if !still.is_proved() {
            return Err(DependsOnTime::Time(still));
        }
        if !l.decide_quadratic().is_proved() {
            return Err(DependsOnTime::NotQuadratic);
        }
        let linear = decide_all_zero(l.linear_part());
        if !linear.is_proved() {
            return Err(DependsOnTime::LinearPart(linear));
        }
        // Where t cancels without disappearing, any value of it will do.
        let pool = state.pool();
        let still = |e: Expr<'p>| e.substitute(&[(t, pool.zero())]);
        let space = Chart::of(pool, state.base().positions().iter().copied());
        let rows = l.at_rest_matrix();
        let metric = SymmetricTensor::from_upper(&space, |i, j| still(rows[i][j]));
        let rest: Vec<_> = state
            .velocities()
            .iter()
            .map(|&u| (u, pool.zero()))
            .collect();
        let potential = still(-l.function().substitute(&rest));
        Ok(Self {
            system: system.clone(),
            metric,
            potential,
        })
    }

    /// g as a tensor on Q.
    pub fn metric(&self) -> &SymmetricTensor<'p> {
        &self.metric
    }

    /// V
    pub fn potential(&self) -> Expr<'p> {
        self.potential
    }

    /// (I): accelerations from gᵢₖ(q̈ᵏ + Γᵏₗₘ q̇ˡq̇ᵐ) = −∂ᵢV + fᵢ. (T-67)
    pub fn by_christoffel(&self) -> Result<Vec<Expr<'p>>, Singular> {
        let state = self.system.state();
        let (n, u) = (state.degrees_of_freedom(), state.velocities());
        let nabla = LeviCivita::new(&self.metric)?;
        let force = self.system.total_force();
        let right: Vec<Expr<'p>> = (0..n)
            .map(|i| force.components()[i] - self.potential.diff(state.position(i)))
            .collect();
        let push = self.metric.matrix().solve(&right)?;
        let pool = state.pool();
        Ok((0..n)
            .map(|k| {
                let curve = (0..n).flat_map(|i| {
                    let nabla = &nabla;
                    (0..n).map(move |j| nabla.christoffel(k, i, j) * u[i] * u[j])
                });
                push[k] - pool.sum(curve)
            })
            .collect())
    }

    /// TQ with coordinates (q, u).
    fn tangent_chart(&self) -> Chart<'p> {
        let state = self.system.state();
        let all = state.base().positions().iter().chain(state.velocities());
        Chart::of(state.pool(), all.copied().collect::<Vec<_>>())
    }

    /// Ω_L = −d(∂L/∂uⁱ dqⁱ) and E = uⁱ∂L/∂uⁱ − L on TQ. (T-68)
    pub fn tangent_forms(&self) -> (Form<'p>, Expr<'p>) {
        let state = self.system.state();
        let chart = self.tangent_chart();
        let l = self.lagrangian();
        let mut theta = l.momenta();
        theta.extend((0..state.degrees_of_freedom()).map(|_| state.pool().zero()));
        (Form::one_form(&chart, &theta).d().negated(), l.energy())
    }

    /// (II): the field on TQ with X ⌟ Ω_L = dE − f, Ω_L = −dθ_L. (T-68)
    pub fn on_tangent_bundle(&self) -> Result<VectorField<'p>, Singular> {
        let state = self.system.state();
        let n = state.degrees_of_freedom();
        let pool = state.pool();
        let (omega, energy) = self.tangent_forms();
        let chart = omega.chart().clone();
        let energy = Form::function(&chart, energy).d();
        let mut work = self.system.total_force().components().to_vec();
        work.extend((0..n).map(|_| pool.zero()));
        solve_symplectic(&omega, &energy.minus(&Form::one_form(&chart, &work)))
    }

    /// The Lagrangian of the system with t replaced by a value.
    fn lagrangian(&self) -> Lagrangian<'p> {
        let state = self.system.state();
        let l = self.system.lagrangian().function();
        Lagrangian::new(state, l.substitute(&[(state.time(), state.pool().zero())]))
    }

    /// T*Q with coordinates (q, p).
    fn cotangent_chart(&self) -> Chart<'p> {
        let state = self.system.state();
        let (pool, q) = (state.pool(), state.base().positions());
        let p = q.iter().map(|x| pool.symbol(&format!("p({x})")));
        Chart::of(pool, q.iter().copied().chain(p).collect::<Vec<_>>())
    }

    /// Ω_H = dqⁱ∧dpᵢ and H = ½gⁱʲpᵢpⱼ + V on T*Q; H is undefined where g is singular. (T-69)
    pub fn cotangent_forms(&self) -> (Form<'p>, Expr<'p>) {
        let chart = self.cotangent_chart();
        let (pool, n) = (chart.pool(), chart.dimension() / 2);
        let p = &chart.coordinates()[n..];
        let omega = Form::from_terms(&chart, 2, (0..n).map(|i| (vec![i, n + i], pool.one())));
        let kinetic = match self.metric.matrix().solve(p) {
            Ok(u) => pool.sum(p.iter().zip(&u).map(|(&p, &u)| p * u)) / 2,
            Err(Singular) => pool.zero().recip(),
        };
        (omega, kinetic + self.potential)
    }

    /// (III): the field on T*Q with Y ⌟ Ω_H = dH − f, Ω_H = dqⁱ∧dpᵢ, and the map u(q, p). (T-69)
    #[allow(clippy::type_complexity)]
    pub fn on_cotangent_bundle(&self) -> Result<(VectorField<'p>, Vec<Expr<'p>>), Singular> {
        let state = self.system.state();
        let n = state.degrees_of_freedom();
        let pool = state.pool();
        let (omega, h) = self.cotangent_forms();
        let chart = omega.chart().clone();
        let u = self.metric.matrix().solve(&chart.coordinates()[n..])?;
        let pairs: Vec<_> = state
            .velocities()
            .iter()
            .copied()
            .zip(u.iter().copied())
            .collect();
        let force = self.system.total_force();
        let mut work: Vec<Expr<'p>> = force
            .components()
            .iter()
            .map(|f| f.substitute(&pairs))
            .collect();
        work.extend((0..n).map(|_| pool.zero()));
        let right = Form::function(&chart, h)
            .d()
            .minus(&Form::one_form(&chart, &work));
        Ok((solve_symplectic(&omega, &right)?, u))
    }
}

/// The field with X ⌟ Ω = α.
fn solve_symplectic<'p>(omega: &Form<'p>, alpha: &Form<'p>) -> Result<VectorField<'p>, Singular> {
    let chart = omega.chart();
    let m = chart.dimension();
    let rows = (0..m)
        .map(|j| (0..m).map(|i| omega.component(&[i, j])).collect())
        .collect();
    let right: Vec<Expr<'p>> = (0..m).map(|j| alpha.component(&[j])).collect();
    let components = Matrix::new(chart.pool(), rows).solve(&right)?;
    Ok(VectorField::new(chart, components))
}
