//! Time-independent formulations: Christoffel symbols and the potential.

use galilei_expr::Layout;
use galilei_geometry::LeviCivita;
use galilei_mechanics::{DependsOnTime, TimeIndependent};

use super::draft::{Draft, Line};
use super::shape::Shape;
use super::tree::Tree;
use super::{Derivation, MAX_INVERSE_DEGREES};
use crate::topic::Topic;

impl<'m> Derivation<'m> {
    pub(super) fn time_independent(&self) -> Draft<'m> {
        let mut d = self.draft(Topic::TimeIndependent);
        let t = match TimeIndependent::new(&self.readable) {
            Ok(t) => t,
            Err(why) => {
                let why = match why {
                    DependsOnTime::Time(_) => "the system depends on time",
                    DependsOnTime::NotQuadratic => "L is not quadratic in the velocities",
                    DependsOnTime::LinearPart(_) => "L has a part linear in the velocities",
                };
                d.reason = Some(why.into());
                d.components = vec![("components".into(), Tree::Null)];
                return d;
            }
        };
        let n = self.n();
        if n > MAX_INVERSE_DEGREES {
            d.reason = Some(
                "above three degrees of freedom Christoffel symbols are not written out".into(),
            );
            d.components = vec![("components".into(), Tree::Null)];
            return d;
        }
        let Ok(connection) = LeviCivita::new(t.metric()) else {
            d.reason = Some("the metric is singular".into());
            return d;
        };
        let mut entries = Vec::new();
        for k in 0..n {
            let mut list = Vec::new();
            for i in 0..n {
                for j in 0..=i {
                    let e = self.present(connection.christoffel(k, i, j));
                    if e.is_zero() {
                        continue;
                    }
                    list.push((format!("{} {}", self.names[j], self.names[i]), Tree::One(e)));
                    let upper = Layout::Name("Γ".into()).power(self.name(k));
                    let left = upper.indexed(Layout::List(vec![self.name(j), self.name(i)]));
                    d.lines.push(Line {
                        label: if d.lines.is_empty() {
                            "Christoffel".into()
                        } else {
                            String::new()
                        },
                        shape: Shape::Equal(left, e),
                        theorem: "T-67",
                        note: String::new(),
                    });
                }
            }
            entries.push((self.names[k].clone(), Tree::Many(list)));
        }
        let v = self.present(t.potential());
        d.lines.push(Line {
            label: "Potential".into(),
            shape: Shape::Equal(Layout::name("V"), v),
            theorem: "T-67",
            note: if v.is_zero() {
                "geodesics: the free case".into()
            } else {
                String::new()
            },
        });
        d.components = vec![
            ("christoffel".into(), Tree::Many(entries)),
            ("potential".into(), Tree::One(v)),
        ];
        d
    }
}
