//! Whether the charts of an atlas fit together. (T-9, T-125)

use galilei_expr::{Bound, Query, Verdict};
use galilei_mechanics::System;

use crate::Checker;
use crate::finding::Finding;

impl<'p> Checker<'p> {
    /// Findings about the overlaps of an atlas.
    pub(super) fn atlas_findings(self, system: &System<'p>) -> Vec<Finding> {
        let charts = self.model.atlas();
        let mut findings = Vec::new();
        for chart in &charts {
            let head = format!("atlas: chart {}", chart.name);
            findings.push(Finding::new(
                format!("{head}: the same Ω"),
                "T-125",
                self.judge_chart(system, chart),
                "accelerations, forces and L of both charts agree on their overlap",
                true,
            ));
            let constraints = &self.model.contents().constraints;
            if !constraints.is_empty() {
                findings.push(Finding::new(
                    format!("{head}: the same constraints"),
                    "T-125",
                    Some(Verdict::Proved(Bound::CERTAIN)),
                    "they are pulled back by the change of charts",
                    true,
                ));
            }
            let Some(both) = self.model.compositions(chart) else {
                findings.push(Finding::noted(
                    format!("{head}: its inverse is computed numerically"),
                    "write `inverse` to have it proved",
                ));
                continue;
            };
            let near = self.model.start_in_charts(chart);
            for (c, near) in both.iter().zip(&near) {
                let assumptions = self.model.assumptions();
                let proofs = c
                    .differences
                    .iter()
                    .map(|e| Query::zero(*e).assuming(&assumptions).decide().verdict);
                let proofs: Vec<Verdict> = proofs.collect();
                let all = proofs.iter().all(Verdict::is_proved);
                let points = self.model.compose_at_points(c, near).unwrap_or_default();
                let (verdict, detail) = match (all, points.agree, points.differ) {
                    (true, ..) => (
                        proofs.into_iter().next().unwrap_or(Verdict::Certified),
                        "it is the identity".to_owned(),
                    ),
                    (false, 0, 0) => (
                        proofs
                            .into_iter()
                            .find(|v| !v.is_proved())
                            .unwrap_or(Verdict::Certified),
                        "no point was found where both are defined".to_owned(),
                    ),
                    (false, 0, _) => (
                        Verdict::Refuted(galilei_expr::Witness::default()),
                        format!(
                            "it is not the identity at {}",
                            points.witness.unwrap_or_default()
                        ),
                    ),
                    (false, agree, 0) => (
                        Verdict::Sampled(points.largest),
                        format!("it is the identity at {agree} points, up to full turns"),
                    ),
                    (false, agree, differ) => (
                        Verdict::Sampled(points.largest),
                        format!(
                            "it is the identity on a part of the overlap, at {agree} of {} points, and another branch elsewhere",
                            agree + differ
                        ),
                    ),
                };
                // On a part of an overlap only samples tell; they decide nothing but that it fails.
                let required = !matches!(verdict, Verdict::Sampled(_));
                findings.push(Finding::new(
                    format!("atlas: {} is the identity", c.name),
                    "T-9",
                    Some(verdict),
                    detail,
                    required,
                ));
            }
        }
        if charts.len() > 1 {
            findings.push(Finding::new(
                "atlas: changes between three charts agree",
                "T-125",
                Some(Verdict::Proved(Bound::CERTAIN)),
                "all changes go through the coordinates of the model",
                true,
            ));
        }
        findings
    }
}
