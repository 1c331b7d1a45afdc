//! The action form of large systems, and whether it depends on time.

use galilei_expr::{Expr, Verdict};
use galilei_geometry::Form;
use galilei_mechanics::{System, decide_together};

use crate::Checker;

impl<'p> Checker<'p> {
    /// The conditions of T-24 component by component: with hᵢ = Ω(∂ₜ + u∂ₓ, ∂xⁱ) = −gᵢₖZᵏ, the
    /// dx∧dx-part of Ω is the one that g and Z determine, 2Ω(∂xⁱ, ∂xʲ) = ∂hⱼ/∂uⁱ − ∂hᵢ/∂uʲ.
    pub(super) fn large_action_form(self, system: &System<'p>, omega: &Form<'p>) -> Verdict {
        let state = system.state();
        let n = state.degrees_of_freedom();
        let (x, u) = (|i: usize| 1 + i, |i: usize| 1 + n + i);
        let along = |k: usize| {
            let sum = (0..n).map(|l| state.velocity(l) * omega.component(&[x(l), k]));
            omega.component(&[0, k]) + self.model.pool().sum(sum)
        };
        let h: Vec<Expr<'p>> = (0..n).map(|i| along(x(i))).collect();
        let slopes = self.model.pool().jacobian(&h, state.velocities());
        let mut claims: Vec<Expr<'p>> = (0..n).map(|i| along(u(i))).collect();
        for i in 0..n {
            for j in 0..i {
                claims.push(omega.component(&[u(i), u(j)]));
                claims.push(omega.component(&[u(i), x(j)]) - omega.component(&[u(j), x(i)]));
                claims.push(2 * omega.component(&[x(i), x(j)]) + slopes[i][j] - slopes[j][i]);
            }
        }
        decide_together(&claims)
    }

    pub(super) fn decide_time_dependent(self, system: &System<'p>, omega: &Form<'p>) -> bool {
        let t = system.state().time();
        let changing: Vec<Expr<'p>> = omega
            .terms()
            .map(|(_, e)| e)
            .filter(|e| e.contains(t))
            .map(|e| e.diff(t))
            .collect();
        !changing.is_empty() && !decide_together(&changing).is_proved()
    }
}
