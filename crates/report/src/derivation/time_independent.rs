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
        self.add_geodesic(&mut d, &t);
        self.add_symplectic(&mut d, &t);
        d
    }

    /// (I): gᵢₖ(q̈ᵏ + Γᵏₗₘq̇ˡq̇ᵐ) = −∂ᵢV + fᵢ, solved for the accelerations. (T-67)
    fn add_geodesic(&self, d: &mut Draft<'m>, t: &TimeIndependent<'m>) {
        let Ok(accelerations) = t.by_christoffel() else {
            return;
        };
        let values = self.all_present(&accelerations);
        for (i, &a) in values.iter().enumerate() {
            let left = Layout::name(&format!("{}''", self.names[i]));
            let note = match i {
                0 => "(I) on Q: q̈ᵏ = −Γᵏₗₘ q̇ˡq̇ᵐ + gᵏⁱ(fᵢ − ∂ᵢV)",
                _ => "",
            };
            Self::line(d, "Formulation I", Shape::Equal(left, a), "T-67", note);
        }
        d.components
            .push(("accelerations".into(), self.named(&values)));
    }

    /// (II) on TQ and (III) on T*Q: the two-form, the function, and the field. (T-68, T-69)
    fn add_symplectic(&self, d: &mut Draft<'m>, t: &TimeIndependent<'m>) {
        let (Ok(tangent), Ok((cotangent, _))) = (t.on_tangent_bundle(), t.on_cotangent_bundle())
        else {
            return;
        };
        let both = [
            (
                "Formulation II",
                "L",
                "E",
                "X",
                "T-68",
                "tangent",
                t.tangent_forms(),
                tangent,
            ),
            (
                "Formulation III",
                "H",
                "H",
                "Y",
                "T-69",
                "cotangent",
                t.cotangent_forms(),
                cotangent,
            ),
        ];
        for (label, index, letter, field, theorem, key, (omega, function), motion) in both {
            let chart = motion.chart();
            let names: Vec<String> = chart
                .coordinates()
                .iter()
                .map(ToString::to_string)
                .collect();
            let left = Layout::Name("Ω".into()).indexed(Layout::Name(index.into()));
            let (terms, two_form) = self.form_terms(&omega, &names);
            Self::line(d, label, Shape::Combination(left, terms), theorem, "");
            let value = self.present_short(function);
            Self::line(
                d,
                label,
                Shape::Equal(Layout::name(letter), value),
                theorem,
                "",
            );
            let note = match key {
                "tangent" => "on TQ: X ⌟ Ω_L = dE − f, with Ω_L = −d(∂L/∂uⁱ dqⁱ)",
                _ => "on T*Q: Y ⌟ Ω_H = dH − f, with Ω_H = dqⁱ ∧ dpᵢ",
            };
            let line = (label, Layout::Name(field.into()), theorem, note);
            let tree = self.add_vector(d, line, &motion, &names);
            d.components.push((
                key.into(),
                Tree::Many(vec![
                    ("two_form".into(), Tree::Many(two_form)),
                    ("function".into(), Tree::One(value)),
                    ("field".into(), tree),
                ]),
            ));
        }
    }
}
