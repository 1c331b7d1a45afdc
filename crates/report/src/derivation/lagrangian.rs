//! Metric, kinetic energy and Lagrangian.

use galilei_expr::{Expr, Layout, Rational};
use galilei_mechanics::ReferenceField;
use galilei_model::Part;

use super::Derivation;
use super::draft::{Draft, Line};
use super::shape::Shape;
use super::tree::Tree;
use crate::topic::Topic;

impl<'m> Derivation<'m> {
    pub(super) fn metric(&self) -> Draft<'m> {
        let mut d = self.draft(Topic::Metric);
        let rows = self.readable.lagrangian().mass_matrix().rows().to_vec();
        let rows: Vec<Vec<Expr<'m>>> = rows
            .into_iter()
            .map(|r| r.into_iter().map(|e| self.present(e)).collect())
            .collect();
        d.components = self.by_name(&rows);
        let left = Layout::name("g");
        d.lines.push(Line {
            label: "Metric".into(),
            shape: Shape::Matrix(left, rows),
            theorem: "T-6",
            note: "gᵢⱼ = ∂²L/∂uⁱ∂uʲ, the mass matrix".into(),
        });
        d
    }

    fn by_name(&self, rows: &[Vec<Expr<'m>>]) -> Vec<(String, Tree<'m>)> {
        let entries = rows.iter().enumerate().map(|(i, row)| {
            let list = row
                .iter()
                .enumerate()
                .map(|(j, e)| (self.names[j].clone(), Tree::One(*e)));
            (self.names[i].clone(), Tree::Many(list.collect()))
        });
        vec![("components".into(), Tree::Many(entries.collect()))]
    }

    pub(super) fn kinetic(&self) -> Draft<'m> {
        let mut d = self.draft(Topic::Kinetic);
        let Some((t, _)) = self.split() else {
            d.reason = Some("L is not quadratic in the velocities and not given as T − V: there is no kinetic energy".into());
            return d;
        };
        let t = self.present(t);
        d.lines.push(Line {
            label: "Kinetic energy".into(),
            shape: Shape::Equal(Layout::name("T"), t),
            theorem: "T-38",
            note: String::new(),
        });
        let mut parts = Vec::new();
        let kinetic: Vec<_> = self
            .contents
            .contributions
            .iter()
            .filter(|c| c.part == Part::Kinetic)
            .collect();
        if self.chart.is_none() {
            for c in &kinetic {
                let value = self.present(self.model.expr(c.value));
                parts.push((c.name.clone(), Tree::One(value)));
                if kinetic.len() > 1 && kinetic.len() <= 12 {
                    d.lines.push(Line {
                        label: format!("{} {}", c.statement, c.name),
                        shape: Shape::Equal(
                            Layout::name("T").indexed(Layout::Name(c.name.clone())),
                            value,
                        ),
                        theorem: "T-38",
                        note: String::new(),
                    });
                }
            }
        }
        d.components = vec![
            ("value".into(), Tree::One(t)),
            ("components".into(), Tree::Many(parts)),
        ];
        d
    }

    /// T and V of the system in this chart.
    pub(crate) fn split(&self) -> Option<(Expr<'m>, Expr<'m>)> {
        let (t, v) = self.model.split()?;
        if self.chart.is_none() {
            return Some((t, v));
        }
        let state = self.readable.state();
        let rest = ReferenceField::resting(state.base());
        let parts = self.readable.lagrangian().recover(&rest)?;
        let u = state.velocities();
        Some((
            Rational::new(1, 2) * parts.metric.pair(u, u),
            parts.potentials.scalar,
        ))
    }

    pub(super) fn lagrangian(&self) -> Draft<'m> {
        let mut d = self.draft(Topic::Lagrangian);
        let by_acceleration = |g: &galilei_model::Given<_>| g.statement == "acceleration";
        if self.contents.given.as_ref().is_some_and(by_acceleration) && !self.is_constrained() {
            self.inverse_lagrangian(&mut d);
            return d;
        }
        let l = self.present(self.readable.lagrangian().function());
        d.components = vec![("value".into(), Tree::One(l))];
        d.lines.push(Line {
            label: "Lagrangian".into(),
            shape: Shape::Equal(Layout::name("L"), l),
            theorem: "T-42",
            note: String::new(),
        });
        d
    }
}
