//! Time-independent formulations: three that must agree.

use galilei_expr::{Expr, Verdict};
use galilei_mechanics::{System, TimeIndependent, decide_together};

use crate::Checker;

impl<'p> Checker<'p> {
    pub(super) fn judge_time_independent(self, system: &System<'p>) -> (Option<Verdict>, String) {
        let Ok(t) = TimeIndependent::new(system) else {
            return (
                None,
                "the Lagrangian has a part linear in the velocities".into(),
            );
        };
        let n = system.state().degrees_of_freedom();
        let Ok(z) = system.lagrange() else {
            return (None, "degenerate".into());
        };
        let (Ok(first), Ok(second), Ok((third, velocities))) = (
            t.by_christoffel(),
            t.on_tangent_bundle(),
            t.on_cotangent_bundle(),
        ) else {
            return (None, "degenerate".into());
        };
        let mut claims: Vec<Expr<'p>> = Vec::new();
        for i in 0..n {
            claims.push(first[i] - z.accelerations()[i]);
            claims.push(second.component(n + i) - z.accelerations()[i]);
            claims.push(third.component(i) - velocities[i]);
        }
        (
            Some(decide_together(&claims)),
            "Christoffel symbols, TQ and T*Q".into(),
        )
    }
}
