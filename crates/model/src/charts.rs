//! Declared charts, and the system in them.

use galilei_expr::ExprId;
use galilei_mechanics::{AdaptedChange, AdaptedChart, System};

use crate::code::Code;
use crate::contents::Chart;
use crate::diagnostic::{Diagnostic, nearest};
use crate::model::Model;
use crate::regularise::{has_inverses, regular_system};

impl Model {
    /// A declared chart.
    pub fn chart(&self, name: &str) -> Result<&Chart<ExprId>, Diagnostic> {
        let charts = &self.contents().charts;
        if let Some(chart) = charts.iter().find(|c| c.name == name) {
            return Ok(chart);
        }
        let known: Vec<&str> = charts.iter().map(|c| c.name.as_str()).collect();
        let hint = match nearest(name, known.iter().copied()) {
            Some(w) => format!("did you mean `{w}`?"),
            None if known.is_empty() => "declare one: `chart NAME(r, φ): x = …, y = …`".into(),
            None => format!("the charts are {}", known.join(", ")),
        };
        Err(Diagnostic::error(
            Code::UnknownChart,
            format!("there is no chart `{name}`"),
            hint,
            None,
        ))
    }

    /// The change to another declared chart, and the system in it.
    pub fn in_chart<'p>(
        &'p self,
        system: &System<'p>,
        chart: &Chart<ExprId>,
    ) -> (AdaptedChange<'p>, System<'p>) {
        let names: Vec<String> = self
            .exprs(&chart.symbols)
            .iter()
            .map(|s| s.to_string())
            .collect();
        let new = AdaptedChart::new(self.pool(), "t", &names);
        let change = AdaptedChange::new(system.state().base(), &new, self.exprs(&chart.old))
            .with_shift(self.expr(chart.shift));
        let moved = change.system(system);
        let moved = match has_inverses(&self.exprs(&chart.old)) {
            true => regular_system(&moved, &self.assumptions()),
            false => moved,
        };
        (change, moved)
    }
}
