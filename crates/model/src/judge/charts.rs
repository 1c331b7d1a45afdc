//! Declared charts, and whether the equations transform to them.

use galilei_expr::{Expr, Verdict};
use galilei_mechanics::{AdaptedChange, AdaptedChart, System, decide_together};

use crate::diagnostic::{Diagnostic, nearest};
use crate::model::Model;

impl Model {
    pub(super) fn judge_chart<'p>(
        &'p self,
        system: &System<'p>,
        chart: &crate::contents::Chart<Expr<'p>>,
    ) -> Option<Verdict> {
        let (change, moved) = self.in_chart(system, chart);
        // W from L in the new chart, and K·W + … from Z in the old one.
        let n = chart.symbols.len();
        let a: Vec<Expr<'p>> = moved.acceleration_symbols();
        let new = moved.by_lagrange(&a);
        let old_symbols = system.acceleration_symbols();
        let old = system.by_lagrange(&old_symbols);
        // Old accelerations in terms of the new ones, then the old equations pulled back by K.
        let space = change.new_state();
        let mut rates = vec![(space.time(), self.pool().one())];
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
            pairs.push((system.state().position(i), chart.old[i]));
            pairs.push((system.state().velocity(i), velocities[i]));
            pairs.push((old_symbols[i], velocities[i].derivative_along(&rates)));
        }
        let old = self.pool().substitute_all(&old, &pairs);
        let k = change.jacobian();
        let claims: Vec<Expr<'p>> = (0..n)
            .map(|i| self.pool().sum((0..n).map(|j| k.rows()[j][i] * old[j])) - new[i])
            .collect();
        Some(decide_together(&claims))
    }

    /// A declared chart.
    pub fn chart(&self, name: &str) -> Result<crate::contents::Chart<Expr<'_>>, Diagnostic> {
        let charts = self.contents().charts;
        if let Some(k) = charts.iter().position(|c| c.name == name) {
            return Ok(charts[k].clone());
        }
        let known: Vec<&str> = charts.iter().map(|c| c.name.as_str()).collect();
        let hint = match nearest(name, known.iter().copied()) {
            Some(w) => format!("did you mean `{w}`?"),
            None if known.is_empty() => "declare one: `chart NAME(r, φ): x = …, y = …`".into(),
            None => format!("the charts are {}", known.join(", ")),
        };
        Err(Diagnostic::error(
            "unknown_chart",
            format!("there is no chart `{name}`"),
            hint,
            None,
        ))
    }

    /// The change to another declared chart, and the system in it.
    pub fn in_chart<'p>(
        &'p self,
        system: &System<'p>,
        chart: &crate::contents::Chart<Expr<'p>>,
    ) -> (AdaptedChange<'p>, System<'p>) {
        let names: Vec<String> = chart.symbols.iter().map(|s| s.to_string()).collect();
        let new = AdaptedChart::new(self.pool(), "t", &names);
        let change = AdaptedChange::new(system.state().base(), &new, chart.old.clone());
        let moved = change.system(system);
        (change, moved)
    }
}
