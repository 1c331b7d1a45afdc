//! Changes of coordinates that a model declares: whether equations of motion, reference fields and constraints transform as
//! they should.
//!
//! A chart gives the old coordinates as functions x = X(t, y) of the new ones. K = ∂X/∂y is the Jacobian of the chart, w are
//! the velocities of y, and R̄ is a reference field R written in the chart.

use galilei_expr::{Expr, ExprId, Verdict};
use galilei_mechanics::{AdaptedChange, ReferenceField, System, decide_together};
use galilei_model::Chart;

use crate::Checker;
use crate::finding::Finding;

impl<'p> Checker<'p> {
    /// The verdict whether Lagrange's equations transform to a chart like a covector: those of L in the chart are Kᵀ times
    /// the old ones, written in (t, y, w) and the new accelerations. (T-10)
    pub(super) fn judge_chart(self, system: &System<'p>, chart: &Chart<ExprId>) -> Option<Verdict> {
        let (change, moved) = self.model.in_chart(system, chart);
        let places = self.model.exprs(&chart.old);
        let n = places.len();
        let a: Vec<Expr<'p>> = moved.acceleration_symbols();
        let new = moved.by_lagrange(&a);
        // The old equations, with old time, positions, velocities and accelerations as functions of the new ones.
        let old_symbols = system.acceleration_symbols();
        let old = system.by_lagrange(&old_symbols);
        let space = change.new_state();
        let accelerations = old_accelerations(&change, &a);
        let velocities = change.velocities();
        let mut pairs: Vec<(Expr<'p>, Expr<'p>)> = vec![(space.time(), change.time())];
        for i in 0..n {
            pairs.push((system.state().position(i), places[i]));
            pairs.push((system.state().velocity(i), velocities[i]));
            pairs.push((old_symbols[i], accelerations[i]));
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

    /// The findings on what a chart carries along: reference fields, ∂ₜX + K·R̄ = R, and constraints, which restrict the same
    /// accelerations by reactions of the same directions. (T-11, T-82)
    pub(super) fn judge_carried(self, system: &System<'p>, chart: &Chart<ExprId>) -> Vec<Finding> {
        let c = self.model.contents();
        let (change, moved) = self.model.in_chart(system, chart);
        let (pool, map) = (self.model.pool(), change.prolonged());
        let base = system.state().base();
        let mut findings = Vec::new();
        let rest = change.new_state().velocities();
        for r in &c.references {
            let own = ReferenceField::new(base, self.model.exprs(&r.components));
            let verdict = change.reference(&own).ok().map(|found| {
                // The old velocities of a point that moves with R̄.
                let with: Vec<_> = rest
                    .iter()
                    .copied()
                    .zip(found.components().iter().copied())
                    .collect();
                let there = pool.substitute_all(&change.velocities(), &with);
                let claims = there.into_iter().zip(own.components());
                let claims: Vec<Expr<'p>> = claims.map(|(u, r)| u - map.pullback(r)).collect();
                decide_together(&claims)
            });
            let name = format!(
                "chart {}: the reference field {} is carried",
                chart.name, r.name
            );
            let detail = "∂ₜX + K·R̄ = R";
            findings.push(Finding::new(name, "T-11", verdict, detail, false));
        }
        if c.constraints.is_empty() {
            return findings;
        }
        let (rows, new) = (
            self.model.constraint_rows(),
            self.model.constraint_rows_in_chart(chart),
        );
        let a = moved.acceleration_symbols();
        let old = old_accelerations(&change, &a);
        let k = change.jacobian().transposed();
        let dot = |a: &[Expr<'p>], b: &[Expr<'p>]| pool.sum(a.iter().zip(b).map(|(&a, &b)| a * b));
        let mut claims = Vec::new();
        for (before, after) in rows.iter().zip(&new) {
            let all = |list: &[Expr<'p>]| -> Vec<Expr<'p>> {
                list.iter().map(|e| map.pullback(e)).collect()
            };
            let (row, covector) = (all(&before.row), all(&before.covector));
            // The same restriction of accelerations, the same direction of the reaction.
            claims.push(
                dot(&row, &old) + map.pullback(&before.drift) - dot(&after.row, &a) - after.drift,
            );
            let carried = k.times_vector(&covector);
            claims.extend(carried.iter().zip(&after.covector).map(|(&c, &d)| c - d));
        }
        let name = format!("chart {}: the constraints are carried", chart.name);
        let detail =
            "they restrict the same accelerations, and their reactions have the same directions";
        let verdict = Some(decide_together(&claims));
        findings.push(Finding::new(name, "T-82", verdict, detail, false));
        findings
    }
}

/// The accelerations of the coordinates of the model as functions of (t, y, w) and the accelerations `a` in a chart.
fn old_accelerations<'p>(change: &AdaptedChange<'p>, a: &[Expr<'p>]) -> Vec<Expr<'p>> {
    let space = change.new_state();
    let (y, w) = (space.base().positions(), space.velocities());
    let mut rates = vec![(space.time(), space.pool().one())];
    rates.extend(y.iter().copied().zip(w.iter().copied()));
    rates.extend(w.iter().copied().zip(a.iter().copied()));
    let velocities = change.velocities();
    velocities
        .iter()
        .map(|u| u.derivative_along(&rates))
        .collect()
}
