//! Whether the equations of motion transform to the declared charts.

use galilei_expr::{Expr, ExprId, Verdict};
use galilei_mechanics::{System, decide_together};
use galilei_model::Chart;

use crate::Checker;

impl<'p> Checker<'p> {
    pub(super) fn judge_chart(self, system: &System<'p>, chart: &Chart<ExprId>) -> Option<Verdict> {
        let (change, moved) = self.model.in_chart(system, chart);
        // W from L in the new chart, and K·W + … from Z in the old one.
        let places = self.model.exprs(&chart.old);
        let n = places.len();
        let a: Vec<Expr<'p>> = moved.acceleration_symbols();
        let new = moved.by_lagrange(&a);
        let old_symbols = system.acceleration_symbols();
        let old = system.by_lagrange(&old_symbols);
        // Old accelerations in terms of the new ones, then the old equations pulled back by K.
        let space = change.new_state();
        let mut rates = vec![(space.time(), self.model.pool().one())];
        rates.extend(
            space
                .base()
                .positions()
                .iter()
                .copied()
                .zip(space.velocities().iter().copied()),
        );
        rates.extend(space.velocities().iter().copied().zip(a.iter().copied()));
        let velocities = change.velocities();
        let mut pairs: Vec<(Expr<'p>, Expr<'p>)> = Vec::new();
        for i in 0..n {
            pairs.push((system.state().position(i), places[i]));
            pairs.push((system.state().velocity(i), velocities[i]));
            pairs.push((old_symbols[i], velocities[i].derivative_along(&rates)));
        }
        let old = self.model.pool().substitute_all(&old, &pairs);
        let k = change.jacobian();
        let claims: Vec<Expr<'p>> = (0..n)
            .map(|i| {
                self.model
                    .pool()
                    .sum((0..n).map(|j| k.rows()[j][i] * old[j]))
                    - new[i]
            })
            .collect();
        Some(decide_together(&claims))
    }
}
