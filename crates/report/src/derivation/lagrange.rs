//! Lagrange's equations, with constraints and their reactions.

use galilei_expr::Expr;
use galilei_model::{ConstraintRow, Enforcement};

use super::Derivation;
use super::draft::{Draft, Line};
use super::shape::Shape;
use super::tree::Tree;
use crate::topic::Topic;

impl<'m> Derivation<'m> {
    pub(super) fn lagrange(&self) -> Draft<'m> {
        let mut d = self.draft(Topic::Lagrange);
        let a = self.readable.acceleration_symbols();
        let mut equations = self.readable.by_lagrange(&a);
        for (i, e) in equations.iter_mut().enumerate() {
            *e -= self.reaction(i);
        }
        let theorem = if self.constraints.is_empty() {
            "T-49"
        } else {
            "T-85"
        };
        let mut entries = Vec::new();
        for (i, e) in equations.into_iter().enumerate() {
            let e = self.present(e);
            entries.push((self.names[i].clone(), Tree::One(e)));
            d.lines.push(Line {
                label: if i == 0 {
                    "Lagrange".into()
                } else {
                    String::new()
                },
                shape: Shape::Zero(e),
                theorem,
                note: String::new(),
            });
        }
        d.components = vec![("components".into(), Tree::Many(entries))];
        self.add_constraints(&mut d);
        if self.is_written_out()
            && self.constraints.is_empty()
            && let Ok(field) = self.readable.lagrange()
        {
            let list = field.accelerations().iter().enumerate();
            let list = list.map(|(i, &z)| (self.names[i].clone(), Tree::One(self.present(z))));
            d.components
                .push(("accelerations".into(), Tree::Many(list.collect())));
        }
        d
    }

    /// λ_aJᵃᵢ with symbols for the multipliers, with the given covector where a reaction is not ideal. (T-83, T-85)
    pub(crate) fn reaction(&self, i: usize) -> Expr<'m> {
        let pool = self.model.pool();
        pool.sum(self.constraints.iter().map(|c| {
            let multiplier = pool.symbol(&format!("multiplier({})", c.name));
            multiplier * c.covector[i]
        }))
    }

    /// Whether all reactions are ideal.
    pub(crate) fn is_ideal(&self) -> bool {
        (self.constraints.iter()).all(|c| c.enforcement == Enforcement::Ideal)
    }

    /// How a constraint is enforced, where its reaction is not ideal.
    fn enforced(&self, c: &ConstraintRow<'m>) -> String {
        match c.enforcement {
            Enforcement::Ideal => String::new(),
            Enforcement::Connection => "enforced by the connection".into(),
            Enforcement::Along(_) => "enforced along a given covector".into(),
        }
    }

    /// The constraints themselves, as equations.
    pub(crate) fn add_constraints(&self, d: &mut Draft<'m>) {
        let mut entries = Vec::new();
        for (k, c) in self.constraints.iter().enumerate() {
            let f = self.present(c.equation);
            entries.push((c.name.clone(), Tree::One(f)));
            d.lines.push(Line {
                label: if k == 0 {
                    "Constraints".into()
                } else {
                    String::new()
                },
                shape: Shape::Zero(f),
                theorem: "T-82",
                note: self.enforced(c),
            });
        }
        if !entries.is_empty() {
            d.components
                .push(("constraints".into(), Tree::Many(entries)));
        }
    }
}
