//! Forces, and inertia forces with respect to reference fields.

use galilei_check::why_not_potential;
use galilei_expr::{Expr, Layout, Rational};
use galilei_mechanics::{Inertia, PotentialTest};

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

    /// φ, Φ, E and B of every force: Φ = Eᵢ dxⁱ∧dt + ½Bᵢⱼ dxⁱ∧dxʲ. (T-29, T-32)
    pub(super) fn force_forms(&self) -> Draft<'m> {
        let mut d = self.draft(Topic::ForceForms);
        let state = self.readable.state();
        let n = self.n();
        let u = state.velocities();
        let half = Rational::new(1, 2);
        let mut entries = Vec::new();
        for (name, force) in self.readable.forces() {
            let left =
                |letter: &str| Layout::Name(letter.into()).indexed(Layout::Name(name.clone()));
            let phi = self.add_form(
                &mut d,
                (name, left("φ"), "T-29", "φ = Fᵢ θⁱ"),
                &force.one_form(),
            );
            let two = force.two_form();
            let note = "Φ = Fᵢ dxⁱ ∧ dt + ½ ∂Fᵢ/∂uʲ θⁱ ∧ θʲ";
            let big = self.add_form(&mut d, (name, left("Φ"), "T-29", note), two.as_two_form());
            let f = force.components();
            let slope = |i: usize, j: usize| f[i].diff(u[j]);
            let b = |i: usize, j: usize| half.clone() * (slope(i, j) - slope(j, i));
            let pool = self.model.pool();
            let e: Vec<Expr<'m>> = (0..n)
                .map(|i| f[i] - pool.sum((0..n).map(|j| b(i, j) * u[j])))
                .collect();
            let e = self.all_present(&e);
            let terms = e.iter().enumerate();
            let terms = terms.map(|(i, &f)| (f, Self::differential(&self.names[i])));
            let shape = Shape::Combination(left("E"), terms.collect());
            Self::line(&mut d, name, shape, "T-32", "");
            let (mut terms, mut list) = (Vec::new(), Vec::new());
            for i in 0..n {
                for j in i + 1..n {
                    let entry = self.present_short(b(i, j));
                    let basis = [i, j].map(|k| Self::differential(&self.names[k]));
                    list.push((
                        format!("{} {}", self.names[i], self.names[j]),
                        Tree::One(entry),
                    ));
                    if !entry.is_zero() {
                        terms.push((entry, Layout::wedge(basis)));
                    }
                }
            }
            let note = "Φ = E ∧ dt + B";
            Self::line(
                &mut d,
                name,
                Shape::Combination(left("B"), terms),
                "T-32",
                note,
            );
            entries.push((
                name.clone(),
                Tree::Many(vec![
                    ("F".into(), self.named(&self.all_present(f))),
                    ("phi".into(), phi),
                    ("Phi".into(), big),
                    ("E".into(), self.named(&e)),
                    ("B".into(), Tree::Many(list)),
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
        if self.contents.references.is_empty() {
            d.reason = Some("no reference field is declared: `reference NAME: x = …`".into());
            d.components = vec![("components".into(), Tree::Many(vec![]))];
            return d;
        }
        // R̃ comes from T, never from L: the terms of a vector potential in L are no motion of a frame.
        let state = self.readable.state();
        let Some(own) = self.own_kinetic() else {
            d.reason = Some(
                "inertia forces belong to kinetic energies that are quadratic and regular in the velocities"
                    .into(),
            );
            d.components = vec![("components".into(), Tree::Null)];
            return d;
        };
        let mut entries = Vec::new();
        let references = self.references();
        if references.len() < self.contents.references.len() {
            d.reason = Some("a reference field could not be carried into this chart".into());
        }
        for (name, observer) in &references {
            let parts = Inertia::new(state, own.metric(), observer, own.reference()).parts();
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
                let index = match references.len() {
                    1 => kind,
                    _ => Layout::List(vec![kind, Layout::Name(name.clone())]),
                };
                let letter = Layout::name("F").indexed(index);
                let terms = values
                    .iter()
                    .enumerate()
                    .map(|(i, &f)| (f, Self::differential(&self.names[i])));
                d.lines.push(Line {
                    label: if k == 0 {
                        format!("in {name}")
                    } else {
                        String::new()
                    },
                    shape: Shape::Combination(letter, terms.collect()),
                    theorem: "T-108",
                    note: String::new(),
                });
            }
            entries.push((name.clone(), Tree::Many(list)));
        }
        d.components = vec![("components".into(), Tree::Many(entries))];
        d
    }
}
