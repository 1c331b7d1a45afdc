//! The energy and its rate, also with respect to reference fields.

use galilei_expr::Layout;
use galilei_mechanics::ReferenceField;

use super::Derivation;
use super::draft::{Draft, Line};
use super::shape::Shape;
use super::tree::Tree;

impl<'m> Derivation<'m> {
    pub(super) fn energy(&self) -> Draft<'m> {
        let mut d = self.draft("energy", "Energy");
        let e = self.present(self.readable.lagrangian().energy());
        let u = self.readable.state().velocities();
        let reactions = (0..self.n()).map(|i| self.reaction(i) * u[i]);
        let power = self.model.pool().sum(reactions);
        let rate = self.present(self.readable.energy_rate() + power);
        let dot = |l: Layout| Layout::Dots(Box::new(l), 1);
        d.components = vec![
            ("value".into(), Tree::One(e)),
            ("rate".into(), Tree::One(rate)),
        ];
        d.lines.push(Line {
            label: "Energy".into(),
            shape: Shape::Equal(Layout::name("E"), e),
            theorem: "T-50",
            note: String::new(),
        });
        d.lines.push(Line {
            label: String::new(),
            shape: Shape::Equal(dot(Layout::name("E")), rate),
            theorem: "T-50",
            note: if rate.is_zero() {
                "conserved".into()
            } else {
                String::new()
            },
        });
        let mut frames = Vec::new();
        if self.chart.is_none() {
            for r in &self.contents.references {
                let field = ReferenceField::new(self.readable.state().base(), r.components.clone());
                let balance = self.readable.energy_balance(&field);
                let relative = field.relative_velocities(self.readable.state());
                let reactions = (0..self.n()).map(|i| self.reaction(i) * relative[i]);
                let power = self.model.pool().sum(reactions);
                let value = self.present(balance.energy);
                let rate = self.present(balance.rate() + power);
                let letter = Layout::name("E").indexed(Layout::Name(r.name.clone()));
                frames.push((
                    r.name.clone(),
                    Tree::Many(vec![
                        ("value".into(), Tree::One(value)),
                        ("rate".into(), Tree::One(rate)),
                    ]),
                ));
                d.lines.push(Line {
                    label: format!("Energy in {}", r.name),
                    shape: Shape::Equal(letter.clone(), value),
                    theorem: "T-92",
                    note: String::new(),
                });
                d.lines.push(Line {
                    label: String::new(),
                    shape: Shape::Equal(
                        Layout::name("E'").indexed(Layout::Name(r.name.clone())),
                        rate,
                    ),
                    theorem: "T-92",
                    note: String::new(),
                });
            }
        }
        if !frames.is_empty() {
            d.components.push(("references".into(), Tree::Many(frames)));
        }
        self.add_symmetries(&mut d);
        d
    }
}
