//! The Hamiltonian and Hamilton's equations.

use galilei_expr::Layout;
use galilei_mechanics::Canonical;

use super::Derivation;
use super::draft::{Draft, Line};
use super::shape::Shape;
use super::tree::Tree;
use crate::topic::Topic;

impl<'m> Derivation<'m> {
    pub(crate) fn canonical(&self) -> Option<Canonical<'m>> {
        if !self.is_written_out() {
            return None;
        }
        self.readable.canonical()
    }

    pub(crate) fn no_canonical(&self) -> String {
        if !self.is_written_out() {
            "H = ½ wⁱ(pᵢ − aᵢ) − a₀ with gᵢⱼwʲ = pᵢ − aᵢ: above three degrees of freedom that share their inertia the velocities are solved for, not written out".into()
        } else {
            "L is not quadratic in the velocities: the velocities are found from the momenta numerically (T-26)".into()
        }
    }

    pub(super) fn hamiltonian(&self) -> Draft<'m> {
        let mut d = self.draft(Topic::Hamiltonian);
        let given = self.model.given_hamiltonian().filter(|h| h.implicit);
        let momenta = self.readable.lagrangian().momenta();
        let mut entries = Vec::new();
        for (i, p) in momenta.into_iter().enumerate() {
            let p = self.present(p);
            let name = format!("p({})", self.names[i]);
            entries.push((self.names[i].clone(), Tree::One(p)));
            if given.is_some() {
                continue;
            }
            d.lines.push(Line {
                label: if i == 0 {
                    "Momenta".into()
                } else {
                    String::new()
                },
                shape: Shape::Equal(Layout::name(&name), p),
                theorem: "T-51",
                note: String::new(),
            });
        }
        d.components = vec![("momenta".into(), Tree::Many(entries))];
        // Where p(t, x, u) is no formula, the velocities of the momenta are.
        let slopes = given.iter().flat_map(|h| &h.velocities);
        for (name, &slope) in self.names.iter().zip(slopes) {
            let left = Layout::name(&format!("{name}'"));
            let shape = Shape::Equal(left, self.present(slope));
            Self::line(&mut d, "Velocities", shape, "T-51", "");
        }
        match self.canonical() {
            Some(c) => {
                let h = self.readable_hamiltonian(&c);
                d.components.push(("value".into(), Tree::One(h)));
                d.lines.push(Line {
                    label: "Hamiltonian".into(),
                    shape: Shape::Equal(Layout::name("H"), h),
                    theorem: "T-51",
                    note: "H(t, x, p) = pᵢuⁱ − L".into(),
                });
            }
            None => {
                d.components.push(("value".into(), Tree::Null));
                d.reason = Some(self.no_canonical());
            }
        }
        d
    }

    pub(super) fn hamilton(&self) -> Draft<'m> {
        let mut d = self.draft(Topic::Hamilton);
        let Some(c) = self.canonical() else {
            d.reason = Some(self.no_canonical());
            d.components = vec![("components".into(), Tree::Null)];
            return d;
        };
        let field = c.hamilton(&self.readable.total_force());
        let n = self.n();
        // Reactions at the velocities that belong to the momenta. (T-98)
        let map = c.to_natural();
        let reaction = |i: usize| map.pullback(&self.reaction(i));
        let mut entries = Vec::new();
        for k in 0..2 * n {
            let mut e = field.component(1 + k);
            if k >= n {
                e += reaction(k - n);
            }
            let e = self.present(e);
            let name = if k < n {
                self.names[k].clone()
            } else {
                format!("p({})", self.names[k - n])
            };
            let left = Layout::name(&format!("{name}'"));
            entries.push((name, Tree::One(e)));
            d.lines.push(Line {
                label: if k == 0 {
                    "Hamilton".into()
                } else {
                    String::new()
                },
                shape: Shape::Equal(left, e),
                theorem: "T-54",
                note: String::new(),
            });
        }
        d.components = vec![("components".into(), Tree::Many(entries))];
        d
    }
}
