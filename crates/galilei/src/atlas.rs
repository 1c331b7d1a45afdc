//! The charts of a model as code.

use galilei_integrate::{Atlas, AtlasChart, Folding};
use galilei_lower::LoweredChart;
use galilei_tape::Problem;

use crate::compiled::Compiled;

/// Charts with numbers for the parameters that are inputs; `None` without an atlas.
pub(crate) fn atlas_of(
    charts: &[LoweredChart],
    foldings: &[Folding],
    fixed: &[f64],
) -> Option<Atlas> {
    let bounded: Vec<_> = (foldings.iter())
        .map(|f| f.first..f.first + f.count)
        .collect();
    let chart = |c: &LoweredChart| {
        let c = match fixed.is_empty() {
            true => c.clone(),
            false => c.with_fixed(fixed),
        };
        AtlasChart {
            name: c.name,
            problem: Problem {
                bounded: bounded.clone(),
                ..c.lowered.problem
            },
            metric: c.metric,
            shown: c.shown,
            inverse: c.inverse,
            tangent: c.tangent,
            jacobian: c.jacobian,
        }
    };
    (!charts.is_empty()).then(|| Atlas {
        charts: charts.iter().map(chart).collect(),
        foldings: foldings.to_vec(),
    })
}

impl Compiled {
    /// The names of the charts; that of the model is called by its coordinates. Empty without an atlas.
    pub(crate) fn chart_names(&self) -> Vec<String> {
        let own = || format!("({})", self.lowered().coordinates.join(", "));
        let name = |c: &LoweredChart| match c.name.is_empty() {
            true => own(),
            false => c.name.clone(),
        };
        self.charts().iter().map(name).collect()
    }

    /// The charts through which runs go, as code; `None` for a model without an atlas.
    pub fn atlas(&self) -> Option<Atlas> {
        atlas_of(self.charts(), self.foldings(), &[])
    }
}
