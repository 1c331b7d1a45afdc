//! Forces, and inertia forces with respect to reference fields.

use galilei_check::why_not_potential;
use galilei_expr::{Expr, Layout};
use galilei_mechanics::{Inertia, KineticEnergy, PotentialTest, ReferenceField};

use super::Derivation;
use super::draft::{Draft, Line};
use super::shape::Shape;
use super::tree::Tree;
use crate::topic::Topic;

impl<'m> Derivation<'m> {
    pub(super) fn forces(&self) -> Draft<'m> {
        let mut d = self.draft(Topic::Forces);
        let mut entries = Vec::new();
        for (name, force) in self.readable.forces() {
            let mut list = Vec::new();
            let letter = Layout::name("F").indexed(Layout::Name(name.clone()));
            let mut terms = Vec::new();
            for (i, &f) in force.components().iter().enumerate() {
                let f = self.present(f);
                list.push((self.names[i].clone(), Tree::One(f)));
                terms.push((f, Self::differential(&self.names[i])));
            }
            let test = force.potential_test();
            let note = match &test {
                PotentialTest::Potential { .. } => "has potentials".to_owned(),
                PotentialTest::NotPotential(f) => {
                    format!("not potential, {}", why_not_potential(f, &self.names))
                }
            };
            let kind = Tree::Words(note.clone());
            d.lines.push(Line {
                label: name.clone(),
                shape: Shape::Combination(letter, terms),
                theorem: "T-32",
                note,
            });
            entries.push((
                name.clone(),
                Tree::Many(vec![
                    ("components".into(), Tree::Many(list)),
                    ("potential".into(), kind),
                ]),
            ));
        }
        if entries.is_empty() {
            d.reason = Some("there are no forces beside those in the Lagrangian".into());
        }
        d.components = vec![("components".into(), Tree::Many(entries))];
        d
    }

    pub(super) fn inertia(&self) -> Draft<'m> {
        let mut d = self.draft(Topic::Inertia);
        if self.contents.references.is_empty() || self.chart.is_some() {
            d.reason = Some(
                "no reference field is declared in this chart: `reference NAME: x = …`".into(),
            );
            d.components = vec![("components".into(), Tree::Many(vec![]))];
            return d;
        }
        // R̃ comes from T, never from L: the terms of a vector potential in L are no motion of a frame.
        let state = self.readable.state();
        let own = self
            .split()
            .and_then(|(t, _)| KineticEnergy::recover(state, self.present(t))?.ok());
        let Some(own) = own else {
            d.reason = Some(
                "inertia forces belong to kinetic energies that are quadratic and regular in the velocities"
                    .into(),
            );
            d.components = vec![("components".into(), Tree::Null)];
            return d;
        };
        let mut entries = Vec::new();
        for r in &self.contents.references {
            let observer = ReferenceField::new(state.base(), self.model.exprs(&r.components));
            let parts = Inertia::new(state, own.metric(), &observer, own.reference()).parts();
            let mut list = Vec::new();
            for (k, (kind, force)) in parts.named().into_iter().enumerate() {
                let values: Vec<Expr<'m>> = force
                    .components()
                    .iter()
                    .map(|&f| self.present(f))
                    .collect();
                let named = values
                    .iter()
                    .enumerate()
                    .map(|(i, &f)| (self.names[i].clone(), Tree::One(f)));
                list.push((kind.to_owned(), Tree::Many(named.collect())));
                let kind = Layout::Name(kind.into());
                let index = match self.contents.references.len() {
                    1 => kind,
                    _ => Layout::List(vec![kind, Layout::Name(r.name.clone())]),
                };
                let letter = Layout::name("F").indexed(index);
                let terms = values
                    .iter()
                    .enumerate()
                    .map(|(i, &f)| (f, Self::differential(&self.names[i])));
                d.lines.push(Line {
                    label: if k == 0 {
                        format!("in {}", r.name)
                    } else {
                        String::new()
                    },
                    shape: Shape::Combination(letter, terms.collect()),
                    theorem: "T-108",
                    note: String::new(),
                });
            }
            entries.push((r.name.clone(), Tree::Many(list)));
        }
        d.components = vec![("components".into(), Tree::Many(entries))];
        d
    }
}
