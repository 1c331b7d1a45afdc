//! The structure of the state space, and the connection of the motion.

use galilei_expr::{Expr, Layout};
use galilei_geometry::{Connection, VectorField};
use galilei_mechanics::{NotSolved, SecondOrderField, SolvedForm};

use super::Derivation;
use super::draft::Draft;
use super::shape::Shape;
use super::tree::Tree;
use crate::constrained::too_long;
use crate::topic::Topic;

/// Degrees of freedom up to which structures are written out for every coordinate.
const MAX_WRITTEN_DEGREES: usize = 6;
/// Degrees of freedom up to which the curvature of the connection is computed.
const MAX_CURVED_DEGREES: usize = 4;

fn call(name: &str, argument: Layout) -> Layout {
    Layout::Apply(Box::new(Layout::Name(name.into())), vec![argument])
}

fn acting(operator: Layout, on: Layout) -> Layout {
    Layout::Row(vec![operator, on])
}

impl<'m> Derivation<'m> {
    /// The accelerations of the motion, with forces and reactions, or the reason why they are not written out.
    pub(crate) fn motion(&self) -> Result<SecondOrderField<'m>, String> {
        if !self.is_written_out() {
            return Err("above three degrees of freedom that share their inertia accelerations are solved for, not written out".into());
        }
        let field = match self.constructions() {
            None => self.readable.lagrange().map_err(|e| e.to_string())?,
            Some(Err(why)) => return Err(why.to_string()),
            Some(Ok(found)) => {
                let reaction = found.constrained.reaction();
                reaction.map_err(|why| why.to_string())?.field
            }
        };
        if let Some(terms) = too_long(field.accelerations()) {
            return Err(format!(
                "the accelerations have {terms} terms and are left out"
            ));
        }
        let short = self.all_present(field.accelerations());
        Ok(SecondOrderField::new(field.state(), short))
    }

    /// μ, η, horizontal vectors, D_μ and ∂ on the basis. (T-15 … T-22)
    pub(super) fn structure(&self) -> Draft<'m> {
        let mut d = self.draft(Topic::Structure);
        let state = self.readable.state();
        let (n, chart) = (self.n(), state.chart());
        if n > MAX_WRITTEN_DEGREES {
            d.reason = Some("above six degrees of freedom the structure is not written out for every coordinate: μ = ∂_{uⁱ}⊗θⁱ".into());
            d.components = vec![("components".into(), Tree::Null)];
            return d;
        }
        let names = self.chart_names();
        let field = |k: usize| Layout::name(&names[k]).coordinate_field();
        let form = |k: usize| Self::differential(&names[k]);
        let mu = state.vertical_homomorphism();
        let mut list = Vec::new();
        for k in 0..=2 * n {
            let image = mu.on_vector(&chart.partial(k));
            let line = ("Vertical", call("μ", field(k)), "T-15", "");
            let tree = self.add_vector(&mut d, line, &image, &names);
            list.push((names[k].clone(), tree));
        }
        d.components.push(("mu".into(), Tree::Many(list)));
        match self.motion() {
            Ok(z) => {
                let (mut etas, mut lifts) = (Vec::new(), Vec::new());
                for i in 0..n {
                    let left = Layout::Name("η".into()).power(self.name(i));
                    let line = ("Vertical forms", left, "T-22", "");
                    etas.push((
                        self.names[i].clone(),
                        self.add_form(&mut d, line, &z.eta_form(i)),
                    ));
                }
                if let Some(last) = d.lines.last_mut() {
                    last.note = "η = ∂_{uⁱ} ⊗ ηⁱ projects onto vertical vectors".into();
                }
                let line = ("Horizontal", Layout::Name("Z".into()), "T-22", "");
                let tree = self.add_vector(&mut d, line, &z.as_vector(), &names);
                lifts.push(("Z".to_owned(), tree));
                for i in 0..n {
                    let left = Layout::Name("H".into()).indexed(self.name(i));
                    let note = if i + 1 == n {
                        "they and Z span ker η"
                    } else {
                        ""
                    };
                    let line = ("Horizontal", left, "T-22", note);
                    let tree = self.add_vector(&mut d, line, &z.horizontal(i), &names);
                    lifts.push((self.names[i].clone(), tree));
                }
                d.components.push(("eta".into(), Tree::Many(etas)));
                d.components.push(("horizontal".into(), Tree::Many(lifts)));
            }
            Err(why) => d.reason = Some(why),
        }
        let (mut derivation, mut differential) = (Vec::new(), Vec::new());
        let contraction = Layout::Name("D".into()).indexed(Layout::Name("μ".into()));
        for k in 0..=2 * n {
            let basis = chart.differential(k);
            let line = (
                "Derivation",
                acting(contraction.clone(), form(k)),
                "T-16",
                "",
            );
            derivation.push((
                names[k].clone(),
                self.add_form(&mut d, line, &state.d_mu(&basis)),
            ));
        }
        for k in 0..=2 * n {
            let basis = chart.differential(k);
            let line = (
                "Vertical d",
                acting(Layout::Name("∂".into()), form(k)),
                "T-17",
                "",
            );
            differential.push((
                names[k].clone(),
                self.add_form(&mut d, line, &state.del(&basis)),
            ));
        }
        if let Some(last) = d.lines.last_mut() {
            last.note = "∂ = D_μ d − d D_μ, ∂f = (∂f/∂uⁱ) θⁱ".into();
        }
        d.components.push(("D_mu".into(), Tree::Many(derivation)));
        d.components.push(("del".into(), Tree::Many(differential)));
        d
    }

    /// J¹_σ and the accelerations on it; without constraints the state space itself.
    fn on_constraints(&self) -> Result<(SolvedForm<'m>, Vec<Expr<'m>>), String> {
        let Some(found) = self.constructions() else {
            let z = self.motion()?;
            let whole = SolvedForm::new(self.readable.state(), vec![], vec![]);
            return Ok((whole, z.accelerations().to_vec()));
        };
        if !self.is_written_out() && self.n() > MAX_WRITTEN_DEGREES {
            return Err(
                "above six coordinates accelerations are solved for, not written out".into(),
            );
        }
        let found = found.map_err(|why| why.to_string())?;
        let reduced = match found.reduced {
            Ok(reduced) => reduced,
            // Other reactions and constraints on accelerations have a field on the whole state space. (T-83, T-105)
            Err(NotSolved::NotIdeal | NotSolved::OneForm) => {
                let z = self.motion()?;
                let whole = SolvedForm::new(self.readable.state(), vec![], vec![]);
                return Ok((whole, z.accelerations().to_vec()));
            }
            Err(why) => return Err(why.to_string()),
        };
        let f = reduced.accelerations().map_err(|e| e.to_string())?;
        if let Some(terms) = too_long(&f) {
            return Err(format!(
                "the accelerations have {terms} terms and are left out"
            ));
        }
        Ok((reduced.solved().clone(), self.all_present(&f)))
    }

    /// The connection of the motion: projectors, coefficients, curvature, Jacobi endomorphism. (T-74 … T-76)
    pub(super) fn connection(&self) -> Draft<'m> {
        let mut d = self.draft(Topic::Connection);
        let (solved, f) = match self.on_constraints() {
            Ok(found) => found,
            Err(why) => {
                d.reason = Some(why);
                d.components = vec![("components".into(), Tree::Null)];
                return d;
            }
        };
        let chart = solved.chart();
        let names: Vec<String> = chart
            .coordinates()
            .iter()
            .map(ToString::to_string)
            .collect();
        let gamma = solved.second_order(&f);
        let note = match !self.constraints.is_empty() && solved.dependent().is_empty() {
            true => {
                "the field on the whole state space, of which the constraint set is an invariant part"
            }
            false => "",
        };
        let line = ("Motion", Layout::Name("Γ".into()), "T-73", note);
        let tree = self.add_vector(&mut d, line, &gamma, &names);
        d.components.push(("field".into(), tree));
        let horizontal = solved.horizontal_projector(&gamma);
        let vertical = solved.vertical_projector(&gamma);
        let pair = [
            ("P_H", "horizontal", &horizontal),
            ("P_V", "vertical", &vertical),
        ];
        for (letter, key, projector) in pair {
            let label = if letter == "P_H" {
                "Horizontal"
            } else {
                "Vertical"
            };
            let mut list = Vec::new();
            for (k, name) in names.iter().enumerate() {
                let image = projector.on_vector(&chart.partial(k));
                let left = Layout::Apply(
                    Box::new(Layout::name(letter)),
                    vec![Layout::name(name).coordinate_field()],
                );
                let tree = self.add_vector(&mut d, (label, left, "T-74", ""), &image, &names);
                list.push((name.clone(), tree));
            }
            d.components.push((key.into(), Tree::Many(list)));
        }
        self.add_coefficients(&mut d, &solved, &f);
        self.add_curvature(&mut d, &solved, &gamma);
        d
    }

    /// Γ^β_α and the Jacobi endomorphism Φ^β_α, rows and columns by the coordinates with independent velocities.
    fn add_coefficients(&self, d: &mut Draft<'m>, solved: &SolvedForm<'m>, f: &[Expr<'m>]) {
        let free: Vec<String> = (solved.independent().iter())
            .map(|&i| self.names[i].clone())
            .collect();
        let k = free.len();
        let rows: Vec<Vec<Expr<'m>>> = (0..k)
            .map(|b| (0..k).map(|a| solved.coefficient(f, b, a)).collect())
            .collect();
        let left = Layout::Name("Γ".into()).power(Layout::Name("β".into()));
        let left = left.indexed(Layout::Name("α".into()));
        let note = "Γ^β_α = −½ ∂f^β/∂u^α, β is the row";
        let tree = self.add_matrix(d, ("Coefficients", left, "T-74", note), &rows, &free);
        d.components.push(("coefficients".into(), tree));
        let jacobi = solved.jacobi_endomorphism(f);
        if let Some(terms) = too_long(&jacobi.rows().concat()) {
            d.also(&format!(
                "the Jacobi endomorphism has {terms} terms and is left out: the components have it"
            ));
            let entries = jacobi.rows().iter().enumerate().map(|(i, row)| {
                let list = row.iter().enumerate();
                let list = list.map(|(j, e)| (free[j].clone(), Tree::One(*e)));
                (free[i].clone(), Tree::Many(list.collect()))
            });
            d.components
                .push(("jacobi".into(), Tree::Many(entries.collect())));
            return;
        }
        let left = Layout::Name("Φ".into()).power(Layout::Name("β".into()));
        let left = left.indexed(Layout::Name("α".into()));
        let note = "the Jacobi endomorphism: i_Γ R = −Φ^β_α θ^α ⊗ ∂_{u^β} without constraints";
        let tree = self.add_matrix(d, ("Jacobi", left, "T-76", note), jacobi.rows(), &free);
        d.components.push(("jacobi".into(), tree));
    }

    /// R(X, Y) = P_V[P_HX, P_HY] on pairs of coordinate fields, and the curvature of the constraints.
    fn add_curvature(&self, d: &mut Draft<'m>, solved: &SolvedForm<'m>, gamma: &VectorField<'m>) {
        let n = self.n();
        if n > MAX_CURVED_DEGREES {
            d.components.push(("curvature".into(), Tree::Null));
            return;
        }
        let chart = solved.chart();
        let names: Vec<String> = chart
            .coordinates()
            .iter()
            .map(ToString::to_string)
            .collect();
        let vertical = solved.vertical_projector(gamma).rows().to_vec();
        let vertical: Vec<Vec<Expr<'m>>> = vertical.iter().map(|r| self.all_present(r)).collect();
        let vertical = galilei_geometry::Endomorphism::new(chart, vertical);
        let Ok(connection) = Connection::from_vertical_projector(vertical) else {
            d.components.push(("curvature".into(), Tree::Null));
            return;
        };
        let curvature = connection.curvature();
        let values: Vec<Expr<'m>> = (0..chart.dimension())
            .flat_map(|k| {
                curvature
                    .component(k)
                    .terms()
                    .map(|t| t.1)
                    .collect::<Vec<_>>()
            })
            .collect();
        let long = too_long(&values);
        if let Some(terms) = long {
            d.also(&format!(
                "the curvature has {terms} terms and is left out: the components have it"
            ));
        }
        let mut list = Vec::new();
        let before = d.lines.len();
        for i in 0..=n {
            for j in i + 1..=n {
                let image = curvature.evaluate(&[&chart.partial(i), &chart.partial(j)]);
                if long.is_some() {
                    let entries = image.components().iter().zip(&names);
                    let entries = entries.filter(|(e, _)| !e.decide_zero().is_proved());
                    let entries = entries.map(|(&e, name)| (name.clone(), Tree::One(e)));
                    let tree = Tree::Many(entries.collect());
                    list.push((format!("{} {}", names[i], names[j]), tree));
                    continue;
                }
                let (terms, entries) = self.vector_terms(&image, &names);
                list.push((format!("{} {}", names[i], names[j]), Tree::Many(entries)));
                if terms.is_empty() {
                    continue;
                }
                let basis = [i, j].map(|k| Layout::name(&names[k]).coordinate_field());
                let left = Layout::Apply(Box::new(Layout::Name("R".into())), basis.to_vec());
                Self::line(d, "Curvature", Shape::Combination(left, terms), "T-76", "");
            }
        }
        if long.is_some() {
            // The components have it.
        } else if d.lines.len() == before {
            let shape = Shape::Combination(Layout::Name("R".into()), vec![]);
            Self::line(d, "Curvature", shape, "T-76", "the connection is flat");
        } else if let Some(last) = d.lines.last_mut() {
            last.note = "R(X, Y) = P_V[P_H X, P_H Y]; the other pairs vanish".into();
        }
        d.components.push(("curvature".into(), Tree::Many(list)));
        let mut list = Vec::new();
        for (a, &dependent) in solved.dependent().iter().enumerate() {
            for (beta, &free) in solved.independent().iter().enumerate() {
                let c = self.present_short(solved.curvature_along(gamma, a, beta));
                let upper = Layout::Name("C".into()).power(self.name(dependent));
                let shape = Shape::Equal(upper.indexed(self.name(free)), c);
                Self::line(d, "Constraints", shape, "T-75", "");
                list.push((
                    format!("{} {}", self.names[dependent], self.names[free]),
                    Tree::One(c),
                ));
            }
        }
        if !list.is_empty() {
            d.components
                .push(("constraint_curvature".into(), Tree::Many(list)));
        }
    }
}
