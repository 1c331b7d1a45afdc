//! Reference frames: the declared ones, the kinetic energy's own, that of the constraints; inertia between two.

use galilei_expr::{Expr, Layout};
use galilei_mechanics::{Inertia, KineticEnergy, ReferenceField};
use galilei_model::{Code, Diagnostic};

use super::Derivation;
use super::draft::Draft;
use super::shape::Shape;
use super::tree::Tree;
use crate::topic::Topic;

impl<'m> Derivation<'m> {
    /// The declared reference fields in the chart of the derivation. (T-11)
    pub(crate) fn references(&self) -> Vec<(String, ReferenceField<'m>)> {
        let own = self.model.state_space();
        let fields = self.contents.references.iter().map(|r| {
            let field = ReferenceField::new(own.base(), self.model.exprs(&r.components));
            (r.name.clone(), field)
        });
        let Some(chart) = self.chart else {
            return fields.collect();
        };
        let (change, _) = self.model.in_chart(&self.model.system(), chart);
        fields
            .filter_map(|(name, field)| {
                let moved = change.reference(&field).ok()?;
                let short = self.all_present(moved.components());
                Some((
                    name,
                    ReferenceField::new(self.readable.state().base(), short),
                ))
            })
            .collect()
    }

    /// The kinetic energy with the metric and the reference field of its own. (T-38, T-45)
    pub(crate) fn own_kinetic(&self) -> Option<KineticEnergy<'m>> {
        let state = self.readable.state();
        let (t, _) = self.moved_split()?;
        KineticEnergy::recover(state, self.present(t))?.ok()
    }

    /// T and V of the model, carried into the chart of the derivation: T keeps its own reference field.
    fn moved_split(&self) -> Option<(Expr<'m>, Expr<'m>)> {
        let (t, v) = self.model.split()?;
        let Some(chart) = self.chart else {
            return Some((t, v));
        };
        let (change, _) = self.model.in_chart(&self.model.system(), chart);
        let map = change.prolonged();
        Some((map.pullback(&t), map.pullback(&v)))
    }

    /// R as a line, with the velocity relative to it.
    fn add_frame(
        &self,
        d: &mut Draft<'m>,
        (label, name, theorem, note): (&str, &str, &'static str, &str),
        field: &ReferenceField<'m>,
    ) -> Tree<'m> {
        let names = self.chart_names();
        let short = self.all_present(field.components());
        let field = ReferenceField::new(self.readable.state().base(), short.clone());
        let left = match name {
            "" => Layout::Name("R".into()),
            _ => Layout::Name("R".into()).indexed(Layout::Name(name.into())),
        };
        let vector = field.as_vector();
        let mut tree = match self.add_vector(d, (label, left, theorem, note), &vector, &names) {
            Tree::Many(list) => list,
            _ => vec![],
        };
        tree.retain(|e| e.0 != "t");
        let relative = field.relative_velocities(self.readable.state());
        Tree::Many(vec![
            ("components".into(), self.named(&short)),
            (
                "relative_velocity".into(),
                self.named(&self.all_present(&relative)),
            ),
        ])
    }

    /// The reference fields: the resting one of the chart, that of the kinetic energy, the declared ones, and the frame
    /// of affine constraints. (T-7, T-90, T-110)
    pub(super) fn frames(&self) -> Draft<'m> {
        let mut d = self.draft(Topic::Frames);
        let state = self.readable.state();
        let rest = ReferenceField::resting(state.base());
        let note = "what rests has constant coordinates";
        let tree = self.add_frame(&mut d, ("Chart", "", "T-7", note), &rest);
        let mut entries = vec![("rest".to_owned(), tree)];
        let own = match self.is_written_out() {
            true => self.own_kinetic(),
            false => None,
        };
        if let Some(own) = &own
            && own
                .reference()
                .components()
                .iter()
                .any(|r| !self.present(*r).is_zero())
        {
            let note = "the field of the kinetic energy, T = ½ g(u − R, u − R)";
            let tree = self.add_frame(&mut d, ("Own", "own", "T-45", note), own.reference());
            entries.push(("own".into(), tree));
        }
        let declared = self.references();
        for (name, field) in &declared {
            let rests = match (self.chart, self.charts_of_rest(field)) {
                (None, list) if !list.is_empty() => {
                    format!("the resting field of the chart {}", list.join(", "))
                }
                _ => String::new(),
            };
            let theorem = if rests.is_empty() { "T-7" } else { "T-110" };
            let tree = self.add_frame(&mut d, (name, name, theorem, &rests), field);
            entries.push((name.clone(), tree));
        }
        if declared.len() < self.contents.references.len() {
            d.reason = Some(
                "a reference field could not be carried into this chart: its Jacobian is singular"
                    .into(),
            );
        }
        d.components
            .push(("components".into(), Tree::Many(entries)));
        let constraints = match self.constructions() {
            Some(Ok(found)) => Some(found.constrained.constraint_frame()),
            _ => None,
        };
        match constraints {
            Some(Some(frame)) => {
                let note = "the frame of the constraints: fᵃ = fᵃᵢ(uⁱ − Γⁱ)";
                let short = self.all_present(frame.components());
                let frame = ReferenceField::new(state.base(), short.clone());
                let names = self.chart_names();
                let line = ("Constraints", Layout::Name("Γ".into()), "T-90", note);
                self.add_vector(&mut d, line, &frame.as_vector(), &names);
                d.components.push(("constraint".into(), self.named(&short)));
            }
            Some(None) => {
                d.reason = Some("the constraints are not affine in the velocities, or the mass matrix depends on them: they have no frame".into());
                d.components.push(("constraint".into(), Tree::Null));
            }
            None => d.components.push(("constraint".into(), Tree::Null)),
        }
        d
    }

    /// The declared charts in which a reference field rests. (T-110)
    fn charts_of_rest(&self, field: &ReferenceField<'m>) -> Vec<String> {
        let system = self.model.system();
        let rests = |chart: &&galilei_model::Chart<galilei_expr::ExprId>| {
            let (change, _) = self.model.in_chart(&system, chart);
            let moved = change.reference(field);
            moved.is_ok_and(|m| {
                galilei_geometry::decide_all_zero(m.components().iter().copied()).is_proved()
            })
        };
        let charts = self.contents.charts.iter().filter(rests);
        charts.map(|c| c.name.clone()).collect()
    }

    /// The derivation with the two reference fields of `inertia A B`.
    ///
    /// # Errors
    /// If one of them is not declared.
    pub fn between(mut self, pair: Option<[String; 2]>) -> Result<Self, Diagnostic> {
        for name in pair.iter().flatten() {
            let known = self.contents.references.iter().map(|r| r.name.as_str());
            let known: Vec<&str> = known.collect();
            if known.contains(&name.as_str()) {
                continue;
            }
            let hint = match galilei_syntax::nearest(name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if known.is_empty() => "declare it: `reference NAME: x = …`".into(),
                None => format!("the reference fields are {}", known.join(", ")),
            };
            return Err(Diagnostic::error(
                Code::UnknownReference,
                format!("there is no reference field `{name}`"),
                hint,
                None,
            ));
        }
        self.pair = pair;
        Ok(self)
    }

    /// Ψ_{A,B} = Ω_B − Ω_A = dα: the inertia force felt with respect to A by what is free with respect to B. (T-40, T-41)
    pub(super) fn inertia_between(&self, pair: &[String; 2]) -> Draft<'m> {
        let mut d = self.draft(Topic::Inertia);
        let state = self.readable.state();
        let fields = self.references();
        let find = |name: &String| fields.iter().find(|f| f.0 == *name).map(|f| &f.1);
        let (Some(a), Some(b)) = (find(&pair[0]), find(&pair[1])) else {
            d.reason = Some("a reference field could not be carried into this chart".into());
            d.components = vec![("components".into(), Tree::Null)];
            return d;
        };
        let rest = ReferenceField::resting(state.base());
        let Some(parts) = self.readable.lagrangian().recover(&rest) else {
            d.reason = Some(
                "inertia forces belong to metrics that do not depend on the velocities".into(),
            );
            d.components = vec![("components".into(), Tree::Null)];
            return d;
        };
        let inertia = Inertia::new(state, &parts.metric, a, b);
        let names = self.chart_names();
        let (terms, entries) = self.form_terms(&inertia.one_form(), &names);
        let index = Layout::List(pair.iter().map(|n| Layout::Name(n.clone())).collect());
        let left = |letter: &str| Layout::Name(letter.into()).indexed(index.clone());
        let note = format!(
            "Ψ = dα, felt with respect to {} by what is free with respect to {}",
            pair[0], pair[1]
        );
        Self::line(
            &mut d,
            "One-form",
            Shape::Combination(left("α"), terms),
            "T-41",
            note,
        );
        d.components.push(("alpha".into(), Tree::Many(entries)));
        let psi = self.add_form(
            &mut d,
            ("Two-form", left("Ψ"), "T-40", "Ψ = Ω_B − Ω_A"),
            &inertia.two_form(),
        );
        d.components.push(("Psi".into(), psi));
        let force = self.all_present(inertia.force().components());
        let terms = |values: &[Expr<'m>]| {
            let list = values.iter().enumerate();
            list.map(|(i, &f)| (f, Self::differential(&self.names[i])))
                .collect()
        };
        Self::line(
            &mut d,
            "Force",
            Shape::Combination(left("F"), terms(&force)),
            "T-41",
            "",
        );
        d.components.push(("force".into(), self.named(&force)));
        let mut list = Vec::new();
        for (kind, part) in inertia.parts().named() {
            let values = self.all_present(part.components());
            let letter = Layout::Name("F".into()).indexed(Layout::Name(kind.into()));
            Self::line(
                &mut d,
                "Parts",
                Shape::Combination(letter, terms(&values)),
                "T-108",
                "",
            );
            list.push((kind.to_owned(), self.named(&values)));
        }
        d.components.push(("parts".into(), Tree::Many(list)));
        d
    }
}
