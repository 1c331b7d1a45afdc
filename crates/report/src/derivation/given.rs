//! Systems given by an action form or by accelerations: Ω, Theorem 1, Z, and what they say about energies and forces.

use galilei_expr::{ExprId, Layout};
use galilei_geometry::Form;
use galilei_mechanics::{ActionForm, whole_lagrangian};
use galilei_model::Given;

use super::Derivation;
use super::draft::{Draft, Line};
use super::shape::Shape;
use super::tree::Tree;

/// The label of the formula that a page begins with if the system is given by Ω.
pub(crate) const GIVEN: &str = "Action form, as given";

impl<'m> Derivation<'m> {
    /// The action form that gives the system, in the model's own chart.
    pub(super) fn given(&self) -> Option<&'m Given<ExprId>> {
        self.contents
            .given
            .as_ref()
            .filter(|_| !self.is_in_another_chart())
    }

    /// Ω, the metric and the field that Theorem 1 reads off it, and the force with respect to R.
    pub(super) fn given_action_form(&self, d: &mut Draft<'m>, given: &Given<ExprId>) {
        let state = self.readable.state();
        let terms = given.terms.iter();
        let terms: Vec<_> = terms
            .map(|(k, e)| (k.clone(), self.present(self.model.expr(*e))))
            .collect();
        let omega = Form::from_terms(state.chart(), 2, terms);
        let (label, theorem, note) = match (given.statement, given.strict) {
            ("action form", true) => (GIVEN, "T-24", "Theorem 1: (i), (ii) and (iii) hold"),
            ("action form", false) => (
                GIVEN,
                "T-26",
                "Theorem 1 in the extended sense: g depends on the velocities",
            ),
            _ => (
                "Action form of the metric and the accelerations",
                "T-23",
                "Ω = gᵢⱼ ηⁱ∧θʲ",
            ),
        };
        self.form(d, label, "Ω", &omega, theorem, note);
        let g = ActionForm::metric_of(state, &omega);
        let rows: Vec<Vec<_>> = (g.rows().iter())
            .map(|row| row.iter().map(|&e| self.present(e)).collect())
            .collect();
        d.lines.push(Line {
            label: "Metric".into(),
            shape: Shape::Matrix(Layout::name("g"), rows),
            theorem: "T-24",
            note: "gᵢⱼ = Ω(∂/∂uⁱ, ∂/∂xʲ)".into(),
        });
        let z = given.accelerations.iter();
        let z: Vec<_> = z.map(|&e| self.present(self.model.expr(e))).collect();
        let names = self.chart_names();
        let one = self.model.pool().one();
        let u = state.velocities().iter().copied();
        let components = std::iter::once(one).chain(u).chain(z.iter().copied());
        let directions = names.iter().map(|x| Layout::name(x).coordinate_field());
        d.lines.push(Line {
            label: "Field".into(),
            shape: Shape::Combination(
                Layout::Name("Z".into()),
                components.zip(directions).collect(),
            ),
            theorem: "T-25",
            note: "Z ⌟ Ω = 0".into(),
        });
        let field = self.names.iter().cloned().zip(z.into_iter().map(Tree::One));
        d.components
            .push(("field".into(), Tree::Many(field.collect())));
        let declared = self.contents.forces.iter().zip(self.readable.forces());
        let own = declared.filter(|(f, _)| f.statement == given.statement);
        for (_, (_, force)) in own {
            let components = force.components().iter().map(|&f| self.present(f));
            let names = self.names.iter().map(|n| Self::differential(n));
            d.lines.push(Line {
                label: "Force with respect to R".into(),
                shape: Shape::Combination(
                    Layout::name("F").indexed(Layout::Name("Φ_R".into())),
                    components.zip(names).collect(),
                ),
                theorem: "T-117",
                note: match given.statement {
                    "action form" => "Ω = Ω_R + Φ_R; what has potentials is in L".into(),
                    _ => "Ω = Ω_R + Φ_R (T-119)".into(),
                },
            });
        }
    }

    /// The Lagrangian of a system given by accelerations: that of the inverse problem, or why there is none. (T-120)
    pub(super) fn inverse_lagrangian(&self, d: &mut Draft<'m>) {
        let whole = whole_lagrangian(&self.readable);
        let Some(l) = whole else {
            let closed = self.readable.total_force().potential_test().is_potential();
            d.reason = Some(match closed {
                true => "there is a Lagrangian with this mass matrix, locally, but no closed form of it was found".into(),
                false => "no Lagrangian has this mass matrix (T-120): `check` names the condition that fails; T_R with the force Φ_R is the system".into(),
            });
            d.components = vec![("value".into(), Tree::Null)];
            return;
        };
        let l = self.present(l.function());
        d.components = vec![("value".into(), Tree::One(l))];
        d.lines.push(Line {
            label: "Lagrangian".into(),
            shape: Shape::Equal(Layout::name("L"), l),
            theorem: "T-120",
            note:
                "the accelerations come from it; as written, the system is T_R with the force Φ_R"
                    .into(),
        });
    }
}
