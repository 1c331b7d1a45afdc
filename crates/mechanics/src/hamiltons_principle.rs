//! Hamilton's principle: stationary curves of the six functionals are the motions of an exact system.

use galilei_expr::{Expr, Verdict};
use galilei_geometry::Matrix;

use crate::action::{ActionFunctional, ActionKind};
use crate::constrained_hamilton::HamiltonianForm;
use crate::lagrangian::Lagrangian;
use crate::routes::decide_together;
use crate::system::System;

/// A Lagrangian, and its Hamiltonian where that has a closed form: the functionals of T-63 … T-65 and the claims
/// about their Euler operators.
#[derive(Clone, Debug, PartialEq)]
pub struct HamiltonsPrinciple<'p> {
    lagrangian: Lagrangian<'p>,
    hamiltonian: Option<HamiltonianForm<'p>>,
}

impl<'p> HamiltonsPrinciple<'p> {
    /// The principle for a Lagrangian and its Hamiltonian; without a Hamiltonian only (a), (c) and (e).
    pub fn new(lagrangian: &Lagrangian<'p>, hamiltonian: Option<HamiltonianForm<'p>>) -> Self {
        Self {
            lagrangian: lagrangian.clone(),
            hamiltonian,
        }
    }

    /// One of the functionals; `None` if it needs a Hamiltonian and there is none.
    pub fn functional(&self, kind: ActionKind) -> Option<ActionFunctional<'p>> {
        let by_l = self.lagrangian.action(kind);
        by_l.or_else(|| {
            let form = self.hamiltonian.as_ref()?;
            match kind {
                ActionKind::F => Some(self.lagrangian.action_by_momenta(form)),
                _ => form.action(kind),
            }
        })
    }

    /// The expressions that vanish if the Euler operator of a functional gives the motions: Lagrange's equations (T-49)
    /// with ẋ = u, or Hamilton's (T-54). `None` if the functional needs a Hamiltonian and there is none.
    ///
    /// With p = ∂L/∂u, m = ∂²L/∂u∂u and λ for the multipliers of ẋ − u and ẋ − ∂H/∂p:
    ///
    /// - (a) E_u = m(ẋ − u), and E_x = −(d/dt p − ∂L/∂x) where ẋ = u;
    /// - (b) E_p = ẋ − ∂H/∂p and E_x = −(ṗ + ∂H/∂x);
    /// - (c) E_λ = ẋ − u, E_u = p − λ, and E_x = −(d/dt p − ∂L/∂x) where ẋ = u, λ = p;
    /// - (d) E_λ = ẋ − ∂H/∂p, E_p = (∂²H/∂p∂p)(p − λ), and E_x = −(ṗ + ∂H/∂x) where λ = p;
    /// - (e), (f) E_x = −(d/dt p − ∂L/∂x).
    ///
    /// Where m and ∂²H/∂p∂p are regular, E = 0 is therefore equivalent to the equations of motion.
    pub fn claims(&self, functional: &ActionFunctional<'p>) -> Option<Vec<Expr<'p>>> {
        match functional.kind() {
            ActionKind::A => Some(self.claims_on_state_space(functional)),
            ActionKind::C => Some(self.claims_on_second_order_curves(functional)),
            ActionKind::E | ActionKind::F => {
                let found = functional.stationarity().equations;
                Some(sums(&found, &self.lagrange()))
            }
            ActionKind::B | ActionKind::D => {
                let form = self.hamiltonian.as_ref()?;
                Some(canonical_claims(form, functional))
            }
        }
    }

    /// Whether stationary curves of a functional are the motions: that its claims hold. (T-63 … T-65)
    pub fn decide(&self, kind: ActionKind) -> Option<Verdict> {
        let claims = self.claims(&self.functional(kind)?)?;
        Some(decide_together(&claims))
    }

    /// d/dt ∂L/∂u − ∂L/∂x, without forces. (T-49)
    fn lagrange(&self) -> Vec<Expr<'p>> {
        let system = System::new(self.lagrangian.clone());
        system.by_lagrange(&system.acceleration_symbols())
    }

    /// `u(x)` ↦ ẋ and `u(x)'` ↦ ẍ: second-order curves.
    fn second_order(&self) -> Vec<(Expr<'p>, Expr<'p>)> {
        let system = System::new(self.lagrangian.clone());
        let pool = self.lagrangian.state().pool();
        let u = self.lagrangian.independent_velocities();
        let rates = u.iter().map(|u| pool.symbol(&format!("{u}'")));
        let rates: Vec<_> = rates.zip(system.acceleration_symbols()).collect();
        let v = self.lagrangian.state().velocities().iter().copied();
        u.into_iter().zip(v).chain(rates).collect()
    }

    /// ẋ − u, and a function of (t, x, `x'`) as one of (t, x, `u(x)`).
    fn off_second_order(&self) -> (Vec<Expr<'p>>, Vec<(Expr<'p>, Expr<'p>)>) {
        let v = self.lagrangian.state().velocities();
        let u = self.lagrangian.independent_velocities();
        let renamed: Vec<_> = v.iter().copied().zip(u).collect();
        (renamed.iter().map(|&(v, u)| v - u).collect(), renamed)
    }

    fn claims_on_state_space(&self, functional: &ActionFunctional<'p>) -> Vec<Expr<'p>> {
        let pool = self.lagrangian.state().pool();
        let mut positions = functional.stationarity().equations;
        let velocities = positions.split_off(positions.len() / 2);
        let (off, renamed) = self.off_second_order();
        // m at u; the ẋ in ẋ − u keeps its name.
        let m = self.lagrangian.mass_matrix();
        let rows = m.rows().iter().map(|r| pool.substitute_all(r, &renamed));
        let m = Matrix::new(pool, rows.collect());
        let mut claims = differences(&velocities, &m.times_vector(&off));
        let positions = pool.substitute_all(&positions, &self.second_order());
        claims.extend(sums(&positions, &self.lagrange()));
        claims
    }

    fn claims_on_second_order_curves(&self, functional: &ActionFunctional<'p>) -> Vec<Expr<'p>> {
        let state = self.lagrangian.state();
        let pool = state.pool();
        let found = functional.stationarity();
        let (off, renamed) = self.off_second_order();
        let mut positions = found.equations;
        let velocities = positions.split_off(positions.len() / 2);
        let p = pool.substitute_all(&self.lagrangian.momenta(), &renamed);
        let lambda = found.multipliers.components();
        let mut claims = differences(&found.conditions, &off);
        claims.extend(differences(&velocities, &differences(&p, lambda)));
        let rates = p.iter().map(|&p| functional.curve().total_derivative(p));
        let rates = found.multipliers.derivatives(1).iter().copied().zip(rates);
        let pairs = lambda.iter().copied().zip(p.iter().copied()).chain(rates);
        let positions = pool.substitute_all(&positions, &pairs.collect::<Vec<_>>());
        let positions = pool.substitute_all(&positions, &self.second_order());
        claims.extend(sums(&positions, &self.lagrange()));
        claims
    }
}

/// (b) and (d), for any H.
fn canonical_claims<'p>(
    form: &HamiltonianForm<'p>,
    functional: &ActionFunctional<'p>,
) -> Vec<Expr<'p>> {
    let n = form.degrees_of_freedom();
    let (pool, p) = (form.chart().pool(), form.momenta());
    let found = functional.stationarity();
    let (at_x, at_p) = found.equations.split_at(n);
    let rates = functional.curve().derivatives(1);
    // Hamilton's equations as ẋ − ∂H/∂p and ṗ + ∂H/∂x.
    let field = form.field();
    let hamilton = differences(rates, &field.components()[1..]);
    let (of_x, of_p) = hamilton.split_at(n);
    if functional.kind() == ActionKind::B {
        let mut claims = differences(at_p, of_x);
        claims.extend(sums(at_x, of_p));
        return claims;
    }
    let lambda = found.multipliers.components();
    let mut claims = differences(&found.conditions, of_x);
    let expected = form.inverse_mass().times_vector(&differences(p, lambda));
    claims.extend(differences(at_p, &expected));
    let slopes = found.multipliers.derivatives(1).iter().copied();
    let slopes = slopes.zip(rates[n..].iter().copied());
    let pairs = lambda.iter().copied().zip(p.iter().copied()).chain(slopes);
    let at_x = pool.substitute_all(at_x, &pairs.collect::<Vec<_>>());
    claims.extend(sums(&at_x, of_p));
    claims
}

fn differences<'p>(left: &[Expr<'p>], right: &[Expr<'p>]) -> Vec<Expr<'p>> {
    left.iter().zip(right).map(|(&a, &b)| a - b).collect()
}

fn sums<'p>(left: &[Expr<'p>], right: &[Expr<'p>]) -> Vec<Expr<'p>> {
    left.iter().zip(right).map(|(&a, &b)| a + b).collect()
}
