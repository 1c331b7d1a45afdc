//! Whether the charts of an atlas fit together. (T-9, T-125)

use galilei_expr::{Bound, Expr, ExprId, Query, Verdict};
use galilei_mechanics::System;
use galilei_model::ManifoldKind;

use crate::Checker;
use crate::finding::Finding;

impl<'p> Checker<'p> {
    /// Findings about the overlaps of the charts of ready-made manifolds: each is inverted at the unit sphere.
    pub(super) fn manifold_findings(self) -> Vec<Finding> {
        let model = self.model;
        let pool = model.pool();
        let assumptions = model.assumptions();
        let mut findings = Vec::new();
        for m in model.manifolds() {
            let (bits, sign) = match m.kind {
                ManifoldKind::Circle => continue,
                ManifoldKind::Sphere => (1 << m.bit, 1),
                ManifoldKind::Rotations => (0, -1),
            };
            let other = model.in_manifold_chart(bits);
            let own = model.contents();
            // Both have the same symbols in one pool.
            let places = m.first..m.first + m.kind.dimension();
            let (x, u) = (model.positions(), model.velocities());
            let square = pool.sum(x[places.clone()].iter().map(|x| x.pow(2)));
            let rates: Vec<_> = x.iter().copied().zip(u.iter().copied()).collect();
            let mut change: Vec<(Expr<'p>, Expr<'p>)> = Vec::new();
            for k in places {
                let y = sign * x[k] / square;
                change.push((x[k], y));
                change.push((u[k], y.derivative_along(&rates)));
            }
            let pulled = |id: ExprId| pool.expr(id).substitute(&change);
            let decided = |differences: Vec<Expr<'p>>| {
                let zero = |e: Expr<'p>| Query::zero(e).assuming(&assumptions).decide().verdict;
                let all = differences.into_iter().map(zero);
                all.reduce(Verdict::and)
            };
            let head = match m.kind {
                ManifoldKind::Sphere => format!("atlas: {} from both poles", m.name),
                _ => format!("atlas: {} by opposite quaternions", m.name),
            };
            // L is a scalar, and forces are covectors. (T-11)
            let mut motion = vec![model.lagrangian() - pulled(other.lagrangian().id())];
            for (f, there) in own.forces.iter().zip(&other.contents().forces) {
                let moved: Vec<Expr<'p>> = there.components.iter().map(|c| pulled(*c)).collect();
                for (i, c) in f.components.iter().enumerate() {
                    let terms = moved.iter().enumerate().map(|(j, c)| {
                        let y = x[j].substitute(&change);
                        *c * y.diff(x[i])
                    });
                    motion.push(model.expr(*c) - pool.sum(terms));
                }
            }
            let pairs = |a: &[ExprId], b: &[ExprId]| -> Vec<Expr<'p>> {
                let pairs = a.iter().zip(b);
                pairs.map(|(a, b)| model.expr(*a) - pulled(*b)).collect()
            };
            let there = other.contents();
            let constraints = |c: &galilei_model::Contents<ExprId>| -> Vec<ExprId> {
                let list = c.constraints.iter().filter(|c| c.form.is_empty());
                list.map(|c| c.function).collect()
            };
            let outputs = |c: &galilei_model::Contents<ExprId>| -> Vec<ExprId> {
                c.outputs.iter().map(|o| o.value).collect()
            };
            for (what, differences, detail) in [
                (
                    "the same Ω",
                    motion,
                    "L and the forces of both charts agree on their overlap",
                ),
                (
                    "the same constraints",
                    pairs(&constraints(own), &constraints(there)),
                    "they agree on the overlap",
                ),
                (
                    "the same outputs",
                    pairs(&outputs(own), &outputs(there)),
                    "they agree on the overlap",
                ),
            ] {
                let Some(verdict) = decided(differences) else {
                    continue;
                };
                let name = format!("{head}: {what}");
                findings.push(Finding::new(name, "T-125", Some(verdict), detail, true));
            }
        }
        findings
    }

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
            if !self.model.contents().outputs.is_empty() {
                findings.push(Finding::new(
                    format!("{head}: the same outputs"),
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
