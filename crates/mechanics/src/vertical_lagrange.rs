//! The vertical configuration space VQ: L_V and the Jacobi equations on the Lagrangian side.

use galilei_expr::Expr;

use crate::codistribution::Constraint;
use crate::constrained::ConstrainedSystem;
use crate::lagrangian::Lagrangian;
use crate::space_time::AdaptedChart;
use crate::state_space::StateSpace;
use crate::system::System;
use crate::vertical::{VerticalBundle, variation};

/// VQ with coordinates (t, x, ξ) as a configuration space, and its velocities: J¹VQ ≅ VJ¹Q, so that
/// ξ̇ varies u. (T-99, T-101)
#[derive(Clone, Debug, PartialEq)]
pub struct VerticalConfiguration<'p> {
    state: StateSpace<'p>,
    jets: VerticalBundle<'p>,
}

impl<'p> VerticalConfiguration<'p> {
    /// VQ over the configuration space of these states; ξ is named `jacobi(x)`.
    pub fn over(below: &StateSpace<'p>) -> Self {
        let pool = below.pool();
        let x = below.base().positions();
        let xi: Vec<Expr<'p>> = x.iter().map(|&x| variation(pool, x)).collect();
        let names: Vec<String> = x.iter().chain(&xi).map(ToString::to_string).collect();
        let time = below.time().to_string();
        let state = StateSpace::new(AdaptedChart::new(pool, &time, &names));
        let rates = state.velocities()[x.len()..].iter().copied();
        let fibre = xi.into_iter().chain(rates).collect();
        Self {
            jets: VerticalBundle::with_fibre(below.chart(), fibre),
            state,
        }
    }

    /// J¹VQ, the state space over VQ: (t, x, ξ, u, ξ̇).
    pub fn state(&self) -> &StateSpace<'p> {
        &self.state
    }

    /// VJ¹Q with coordinates (t, x, u, ξ, ξ̇).
    pub fn jets(&self) -> &VerticalBundle<'p> {
        &self.jets
    }

    fn half(&self) -> usize {
        self.state.degrees_of_freedom() / 2
    }

    /// ξ¹ … ξⁿ
    pub fn variations(&self) -> &[Expr<'p>] {
        &self.state.base().positions()[self.half()..]
    }

    /// ξ̇¹ … ξ̇ⁿ
    pub fn rates(&self) -> &[Expr<'p>] {
        &self.state.velocities()[self.half()..]
    }

    /// L_V = ξⁱ∂L/∂xⁱ + ξ̇ⁱ∂L/∂uⁱ: its Lagrange equations are those of L, along ξ, and the linearised
    /// ones, along x. Regular if L is, with a Hessian that is never definite. (T-101)
    pub fn lagrangian(&self, lagrangian: &Lagrangian<'p>) -> Lagrangian<'p> {
        Lagrangian::new(&self.state, self.jets.derivative(lagrangian.function()))
    }

    /// ξⁱ∂f/∂xⁱ + ξ̇ⁱ∂f/∂uⁱ + ξ̈ⁱ∂f/∂aⁱ of a function of states and accelerations.
    fn varied(&self, f: Expr<'p>, accelerations: &[(Expr<'p>, Expr<'p>)]) -> Expr<'p> {
        let z = self.jets.base().coordinates()[1..].iter().copied();
        let pairs = z.zip(self.jets.fibre().iter().copied());
        let all: Vec<_> = pairs.chain(accelerations.iter().copied()).collect();
        f.derivative_along(&all)
    }
}

/// The linearised equations of motion in ξ, ξ̇, ξ̈, along a motion x(t).
#[derive(Clone, Debug, PartialEq)]
pub struct JacobiEquations<'p> {
    /// VQ
    pub configuration: VerticalConfiguration<'p>,
    /// ξ̈, named `jacobi(x)''`.
    pub accelerations: Vec<Expr<'p>>,
    /// Variations of the multipliers, named `jacobi(multiplier(NAME))`; none without constraints.
    pub multipliers: Vec<Expr<'p>>,
    /// ∂_V of Lagrange's equations, forces and reactions included, one for each coordinate.
    pub equations: Vec<Expr<'p>>,
    /// ∂_Vfᵃ = 0, one for each constraint; ∂_Vhᵃ for one between positions.
    pub constraints: Vec<Expr<'p>>,
}

impl<'p> System<'p> {
    /// (aⁱ, ξ̈ⁱ)
    fn varied_accelerations(&self) -> Vec<(Expr<'p>, Expr<'p>)> {
        let pool = self.state().pool();
        let x = self.state().base().positions().iter();
        let second = x.map(|&x| pool.symbol(&format!("{}''", variation(pool, x))));
        let a = self.acceleration_symbols();
        a.into_iter().zip(second).collect()
    }

    /// ∂_V(d/dt ∂L/∂uⁱ − ∂L/∂xⁱ − Fᵢ) with free accelerations: the Lagrange equations of L_V along x
    /// where there are no forces, and the linearised equations of motion in any case. (T-101)
    pub fn jacobi(&self) -> JacobiEquations<'p> {
        let configuration = VerticalConfiguration::over(self.state());
        let pairs = self.varied_accelerations();
        let a: Vec<Expr<'p>> = pairs.iter().map(|p| p.0).collect();
        let varied = |e: Expr<'p>| configuration.varied(e, &pairs);
        JacobiEquations {
            equations: self.by_lagrange(&a).into_iter().map(varied).collect(),
            accelerations: pairs.iter().map(|p| p.1).collect(),
            multipliers: vec![],
            constraints: vec![],
            configuration,
        }
    }
}

impl<'p> ConstrainedSystem<'p> {
    /// ∂_V of Eᵢ − λ_aṡᵃᵢ and of fᵃ, where the multipliers vary too: the equations for the difference of two
    /// nearby constrained motions. The multipliers are free symbols. Of a constraint that is a one-form, ∂_V of sᵃ(ξ) is
    /// taken, with free accelerations. (T-85, T-101)
    ///
    /// # Panics
    /// If there is not one multiplier for each constraint.
    pub fn jacobi(&self, multipliers: &[Expr<'p>]) -> JacobiEquations<'p> {
        assert_eq!(multipliers.len(), self.codistribution().count());
        let ahead = (self.codistribution()).on_accelerations(&self.system().acceleration_symbols());
        let restricted = self.codistribution().constraints().iter().zip(ahead);
        let functions: Vec<Expr<'p>> = restricted
            .map(|(c, ahead)| match c {
                Constraint::Velocity(e) | Constraint::Position(e) => *e,
                Constraint::Form(_) => ahead,
            })
            .collect();
        let pool = self.state().pool();
        let mut found = self.system().jacobi();
        let configuration = &found.configuration;
        found.multipliers = multipliers.iter().map(|&l| variation(pool, l)).collect();
        let mut varying = self.system().varied_accelerations();
        let pairs = multipliers.iter().copied();
        varying.extend(pairs.zip(found.multipliers.iter().copied()));
        let rows = self.covectors();
        let reaction = rows.transposed().times_vector(multipliers);
        for (e, r) in found.equations.iter_mut().zip(reaction) {
            *e -= configuration.varied(r, &varying);
        }
        let accelerations = self.system().varied_accelerations();
        let varied = |&f: &Expr<'p>| configuration.varied(f, &accelerations);
        found.constraints = functions.iter().map(varied).collect();
        found
    }
}
