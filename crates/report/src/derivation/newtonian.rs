//! Newtonian systems, and the recovery of metric, reference field and potentials from L.

use galilei_expr::{Expr, Layout};
use galilei_mechanics::{
    KineticEnergy, ReferenceField, System, decide_newtonian, newtonian_defect,
};

use super::Derivation;
use super::draft::Draft;
use super::shape::Shape;
use super::tree::Tree;
use crate::topic::Topic;

impl<'m> Derivation<'m> {
    /// Whether the mass matrix and the motion are a Newtonian system. (T-89, T-119, T-121)
    pub(super) fn newtonian(&self) -> Draft<'m> {
        let mut d = self.draft(Topic::Newtonian);
        let field = match self.motion() {
            Ok(field) => field,
            Err(why) => {
                d.reason = Some(why);
                d.components = vec![("components".into(), Tree::Null)];
                return d;
            }
        };
        let state = field.state();
        let m = self.readable.lagrangian().mass_matrix();
        let names = self.chart_names();
        let accelerations = self.readable.acceleration_symbols();
        let left = Layout::Apply(
            Box::new(Layout::Name("D".into()).indexed(Layout::Name("ξ".into()))),
            vec![Layout::name("x''")],
        );
        let covariant = field.covariant_differential(&accelerations);
        let note = "the covariant differential; motions are its kernel";
        let line = ("Differential", left, "T-121", note);
        let tree = self.add_vector(&mut d, line, &covariant, &names);
        d.components.push(("differential".into(), tree));
        let u = state.velocities();
        let symmetric = galilei_geometry::decide_all_zero((0..self.n()).flat_map(|i| {
            let rows = m.rows();
            let pairs = (0..self.n()).flat_map(move |j| (0..self.n()).map(move |k| (j, k)));
            pairs
                .map(move |(j, k)| rows[i][j].diff(u[k]) - rows[i][k].diff(u[j]))
                .collect::<Vec<_>>()
        }));
        let defect = newtonian_defect(&m, &field);
        let verdict = decide_newtonian(&m, &field);
        let words = match (verdict.is_proved(), symmetric.is_refuted()) {
            (true, _) => "Newtonian: both conditions hold",
            (_, true) => "not Newtonian: ∂mᵢⱼ/∂uᵏ is not symmetric",
            _ if verdict.is_refuted() => {
                "not Newtonian: 2ξ(mᵢⱼ) + mᵢₖ∂ξᵏ/∂uʲ + mⱼₖ∂ξᵏ/∂uⁱ does not vanish; under forces it is ∂Fᵢ/∂uʲ + ∂Fⱼ/∂uⁱ"
            }
            _ => "it was not decided whether the conditions hold",
        };
        let left = Layout::Row(vec![
            Layout::Number("2".into()),
            Layout::Name("ξ".into()),
            Layout::Tuple(vec![Layout::Name("m".into())]),
            Layout::Word("+ m ∂ξ/∂u + (m ∂ξ/∂u)ᵀ".into()),
        ]);
        let line = ("Condition", left, "T-89", words);
        let tree = self.add_matrix(&mut d, line, &defect, &self.names);
        let answer = match (verdict.is_proved(), verdict.is_refuted()) {
            (true, _) => "true",
            (_, true) => "false",
            _ => "undecided",
        };
        d.components
            .push(("newtonian".into(), Tree::Words(answer.into())));
        d.components.push(("condition".into(), tree));
        // L = ½m(u − Γ)² and a force, for the resting frame.
        let rest = ReferenceField::resting(state.base());
        if let Some(parts) = self.readable.lagrangian().recover(&rest) {
            let system = System::of_field(&parts.metric, &field, &rest);
            let force = system.total_force();
            let values = self.all_present(force.components());
            let terms = values.iter().enumerate();
            let terms = terms.map(|(i, &f)| (f, Self::differential(&self.names[i])));
            let shape = Shape::Combination(Layout::Name("F".into()), terms.collect());
            let note = "the system is L = ½ mᵢⱼuⁱuʲ with this force";
            Self::line(&mut d, "Force", shape, "T-119", note);
            d.components.push(("force".into(), self.named(&values)));
        }
        d
    }

    /// g, R, A and V of L, for R = 0, for A = 0 and for every declared reference field; Ω = Ω_R + Φ_R. (T-40, T-45)
    pub(super) fn recovery(&self) -> Draft<'m> {
        let mut d = self.draft(Topic::Recovery);
        let lagrangian = self.readable.lagrangian();
        let state = self.readable.state();
        let rest = ReferenceField::resting(state.base());
        let Some(parts) = lagrangian.recover(&rest) else {
            d.reason = Some(
                "L is not quadratic in the velocities: metric, reference field and potentials cannot be read off".into(),
            );
            d.components = vec![("components".into(), Tree::Null)];
            return d;
        };
        let rows: Vec<Vec<Expr<'m>>> = parts.metric.matrix().rows().to_vec();
        let line = (
            "Metric",
            Layout::Name("g".into()),
            "T-45",
            "gᵢⱼ = ∂²L/∂uⁱ∂uʲ",
        );
        let tree = self.add_matrix(&mut d, line, &rows, &self.names);
        d.components.push(("metric".into(), tree));
        let mut choices: Vec<(String, ReferenceField<'m>)> = vec![("rest".into(), rest.clone())];
        if self.is_written_out() {
            match lagrangian.natural_reference() {
                Ok(natural) => {
                    let short = self.all_present(natural.components());
                    if short.iter().any(|r| !r.is_zero()) {
                        let natural = ReferenceField::new(state.base(), short);
                        choices.push(("natural".into(), natural));
                    }
                }
                Err(singular) => d.reason = Some(singular.to_string()),
            }
        }
        choices.extend(self.references());
        let mut entries = Vec::new();
        for (name, r) in &choices {
            let Some(found) = lagrangian.recover(r) else {
                continue;
            };
            let mut list = vec![(
                "R".to_owned(),
                self.named(&self.all_present(r.components())),
            )];
            let index =
                |letter: &str| Layout::Name(letter.into()).indexed(Layout::Name(name.clone()));
            let label = match name.as_str() {
                "rest" => "R = 0".to_owned(),
                "natural" => "A = 0".to_owned(),
                _ => format!("in {name}"),
            };
            if name != "rest" {
                let names: Vec<String> = self.chart_names();
                let terms = std::iter::once((self.model.pool().one(), "t")).chain(
                    r.components()
                        .iter()
                        .copied()
                        .zip(names[1..].iter().map(String::as_str)),
                );
                let terms: Vec<_> = terms
                    .filter(|t| !t.0.is_zero())
                    .map(|(c, x)| (self.present_short(c), Layout::name(x).coordinate_field()))
                    .collect();
                Self::line(
                    &mut d,
                    &label,
                    Shape::Combination(index("R"), terms),
                    "T-45",
                    "",
                );
            }
            let vector = self.all_present(&found.potentials.vector);
            let scalar = self.present_short(found.potentials.scalar);
            let terms = vector.iter().enumerate();
            let terms = terms.map(|(i, &a)| (a, Self::differential(&self.names[i])));
            let shape = Shape::Combination(index("A"), terms.collect());
            Self::line(&mut d, &label, shape, "T-45", "");
            let note = "L = ½ g(u − R, u − R) − V + Aᵢuⁱ";
            Self::line(
                &mut d,
                &label,
                Shape::Equal(index("V"), scalar),
                "T-45",
                note,
            );
            list.push(("A".into(), self.named(&vector)));
            list.push(("V".into(), Tree::One(scalar)));
            entries.push((name.clone(), Tree::Many(list)));
        }
        d.components
            .push(("potentials".into(), Tree::Many(entries)));
        let gauged = self.is_written_out().then(|| lagrangian.without_gauge());
        if let Some((h, plain)) = gauged.flatten() {
            let (h, plain) = (self.present_short(h), self.present_short(plain.function()));
            let note = "L = L′ + ∂ₜh + uⁱ∂ᵢh has the same equations: p′ = p − ∂h/∂x, H′ = H + ∂ₜh";
            let name = |text: &str| Layout::Name(text.into());
            Self::line(&mut d, "Gauge", Shape::Equal(name("h"), h), "T-44", "");
            Self::line(
                &mut d,
                "Gauge",
                Shape::Equal(name("L′"), plain),
                "T-44",
                note,
            );
            let entries = vec![
                ("h".into(), Tree::One(h)),
                ("lagrangian".into(), Tree::One(plain)),
            ];
            d.components.push(("gauge".into(), Tree::Many(entries)));
        }
        // Ω = Ω_R + Φ_R for the resting field and for those that are declared.
        let omega = self.readable.action_two_form();
        let mut entries = Vec::new();
        for (name, r) in choices.iter().filter(|c| c.0 != "natural") {
            let kinetic = KineticEnergy::new(state, &parts.metric, r);
            let own = kinetic.action_two_form();
            let left =
                |letter: &str| Layout::Name(letter.into()).indexed(Layout::Name(name.clone()));
            let energy = self.present_short(kinetic.energy());
            let first = self.add_form(&mut d, ("Splitting", left("Ω"), "T-40", ""), &own);
            let note = "Ω = Ω_R + Φ_R, with the kinetic energy T_R = ½ g(u − R, u − R) in Ω_R";
            let second = self.add_form(
                &mut d,
                ("Splitting", left("Φ"), "T-40", note),
                &omega.minus(&own),
            );
            entries.push((
                name.clone(),
                Tree::Many(vec![
                    ("kinetic".into(), Tree::One(energy)),
                    ("Omega_R".into(), first),
                    ("Phi_R".into(), second),
                ]),
            ));
        }
        d.components.push(("splitting".into(), Tree::Many(entries)));
        d
    }
}
