//! Derivations of constrained motion: on J¹_σ, by reactions, and in the canonical chart.

use galilei_expr::{Expr, Layout};
use galilei_geometry::{Form, Integrability};
use galilei_mechanics::{
    ConstrainedHamiltonian, Constraint, Dependence, NotDetermined, ReducedSystem, ReferenceField,
    SolvedForm,
};
use galilei_model::{Constructions, Enforcement, Level, term_count};

use crate::derivation::{Derivation, Draft, Line, Shape, Tree};
use crate::topic::Topic;

/// Number of coordinates up to which multipliers and accelerations are written out.
pub(crate) const MAX_EXPLICIT_COORDINATES: usize = 5;
/// Number of coordinates up to which the fundamental two-form is written out.
const MAX_FORM_COORDINATES: usize = 4;

/// Number of terms up to which a formula is shortened, and solutions are written out: longer ones
/// take a second each and fill a page.
pub(crate) const MAX_SHORTENED_TERMS: usize = 800;

pub(crate) fn is_short(list: &[Expr<'_>]) -> bool {
    too_long(list).is_none()
}

/// The number of terms of some formulas, if it is too large to write them out.
pub(crate) fn too_long(list: &[Expr<'_>]) -> Option<usize> {
    let sizes = list.iter().map(|&e| term_count(vec![e]));
    let (largest, all) = sizes.fold((0, 0), |(m, s), k| (k.max(m), s + k));
    (largest > MAX_SHORTENED_TERMS || all > 2 * MAX_SHORTENED_TERMS).then_some(all)
}

pub(crate) const SOLVED_FOR: &str =
    "multipliers and accelerations are solved for, not written out: the formulas fill pages";

fn no_constraints<'m>(mut d: Draft<'m>) -> Draft<'m> {
    d.reason = Some("there are no constraints".into());
    d.components = vec![("components".into(), Tree::Null)];
    d
}

impl<'m> Derivation<'m> {
    /// Adds a line; the first of a group carries the label.
    pub(crate) fn line(
        d: &mut Draft<'m>,
        label: &str,
        shape: Shape<'m>,
        theorem: &'static str,
        note: impl Into<String>,
    ) {
        let again = d.lines.iter().rev().find(|l| !l.label.is_empty());
        let repeated = again.is_some_and(|l| l.label == label);
        d.lines.push(Line {
            label: if repeated {
                String::new()
            } else {
                label.into()
            },
            shape,
            theorem,
            note: note.into(),
        });
    }

    /// x'' as it is written.
    fn acceleration(&self, i: usize) -> Layout {
        Layout::name(&format!("{}''", self.names[i]))
    }

    fn velocity(&self, i: usize) -> Layout {
        Layout::name(&format!("{}'", self.names[i]))
    }

    pub(crate) fn named(&self, values: &[Expr<'m>]) -> Tree<'m> {
        let entries = values.iter().enumerate();
        Tree::Many(
            entries
                .map(|(i, &e)| (self.names[i].clone(), Tree::One(e)))
                .collect(),
        )
    }

    fn by_constraint(&self, values: &[Expr<'m>]) -> Tree<'m> {
        let names = self.constraints.iter().map(|c| c.name.clone());
        Tree::Many(names.zip(values.iter().map(|&e| Tree::One(e))).collect())
    }

    pub(crate) fn all_present(&self, values: &[Expr<'m>]) -> Vec<Expr<'m>> {
        values.iter().map(|&e| self.present_short(e)).collect()
    }

    /// The short form of an expression, unless it is too long to be read at all.
    pub(crate) fn present_short(&self, e: Expr<'m>) -> Expr<'m> {
        let limit = if self.n() <= MAX_EXPLICIT_COORDINATES {
            MAX_SHORTENED_TERMS
        } else {
            MAX_SHORTENED_TERMS / 5
        };
        if term_count(vec![e]) <= limit {
            self.present(e)
        } else {
            e
        }
    }

    /// The constraints on J¹_σ: solved form, geometry, reduced equations. (T-71 … T-81)
    pub(crate) fn nonholonomic(&self) -> Draft<'m> {
        let mut d = self.draft(Topic::Nonholonomic);
        let found = match self.constructions() {
            None => return no_constraints(d),
            Some(Err(why)) => {
                d.reason = Some(why.to_string());
                return d;
            }
            Some(Ok(found)) => found,
        };
        let codistribution = found.constrained.codistribution();
        let kind = codistribution.dependence();
        let words = match (kind, codistribution.functions()) {
            (Some(kind), _) => kind.to_string(),
            (None, Some(_)) => "undecided".to_owned(),
            (None, None) => "codistribution".to_owned(),
        };
        d.components.push(("kind".into(), Tree::Words(words)));
        self.add_constraints(&mut d);
        self.add_one_forms(&mut d, &found);
        let reduced = match &found.reduced {
            Ok(reduced) => reduced,
            Err(why) => {
                d.reason = Some(format!(
                    "{why}: there is no construction on J¹_σ in formulas, `reaction` gives the motion"
                ));
                return d;
            }
        };
        // Formulas derived from short formulas are short.
        let solved = reduced.solved();
        let solved = SolvedForm::new(
            solved.state(),
            solved.dependent().to_vec(),
            self.all_present(solved.functions()),
        );
        let reduced = ReducedSystem::new(self.readable.clone(), solved.clone());
        let reduced = reduced.rewritten(|e| self.present_short(e));
        self.add_solved(&mut d, &found, &solved, kind);
        self.add_geometry(&mut d, &solved);
        self.add_reduced(&mut d, &found, &reduced);
        d
    }

    /// sᵃ of the constraints that restrict accelerations. (T-82)
    fn add_one_forms(&self, d: &mut Draft<'m>, found: &Constructions<'m>) {
        let u = self.names.iter().map(|n| format!("{n}'"));
        let names: Vec<String> = std::iter::once("t".to_owned())
            .chain(self.names.iter().cloned())
            .chain(u)
            .collect();
        let mut entries = Vec::new();
        let forms = found.constrained.codistribution().forms();
        for (c, s) in self.constraints.iter().zip(forms) {
            if c.level == Level::Acceleration {
                let left = Layout::name("s").power(Layout::Name(c.name.clone()));
                let (shape, parts) = self.combination(left, s, &names);
                entries.push((c.name.clone(), Tree::Many(parts)));
                Self::line(
                    d,
                    "One-forms",
                    shape,
                    "T-82",
                    "sᵃ(ξ) = 0 restricts accelerations",
                );
            }
        }
        if !entries.is_empty() {
            d.components.push(("forms".into(), Tree::Many(entries)));
        }
    }

    /// βᵃ(γ) in the canonical chart, with symbols for the rates of the momenta. (T-97)
    fn in_momenta(&self, below: &ConstrainedHamiltonian<'m>, k: usize) -> Expr<'m> {
        let (beta, n) = (&below.forms()[k], self.n());
        let velocities = below.form().field();
        let pool = self.model.pool();
        let rates = (0..n).map(|i| {
            let rate = pool.symbol(&format!("p({})'", self.names[i]));
            beta.component(&[1 + i]) * velocities.component(1 + i)
                + beta.component(&[1 + n + i]) * rate
        });
        beta.component(&[0]) + pool.sum(rates)
    }

    fn add_solved(
        &self,
        d: &mut Draft<'m>,
        found: &Constructions<'m>,
        solved: &SolvedForm<'m>,
        kind: Option<Dependence>,
    ) {
        let g = self.all_present(solved.functions());
        let sheet = match kind {
            Some(Dependence::Nonlinear) => "the sheet of the initial state",
            _ => "",
        };
        let mut entries = Vec::new();
        for (&k, &g) in solved.dependent().iter().zip(&g) {
            entries.push((self.names[k].clone(), Tree::One(g)));
            let shape = Shape::Equal(self.velocity(k), g);
            let note = if entries.len() == solved.dependent().len() {
                sheet
            } else {
                ""
            };
            Self::line(d, "Solved", shape, "T-71", note);
        }
        d.components.push(("dependent".into(), Tree::Many(entries)));
        let codistribution = found.constrained.codistribution();
        let mut integrals = Vec::new();
        for ((c, h), row) in (codistribution.constraints().iter())
            .zip(codistribution.evident_integrals())
            .zip(&self.constraints)
        {
            let Some(h) = h else { continue };
            let h = self.present_short(h);
            integrals.push((row.name.clone(), Tree::One(h)));
            if !matches!(c, Constraint::Position(_)) {
                let left = Layout::name("h").indexed(Layout::Name(row.name.clone()));
                Self::line(
                    d,
                    "Integral",
                    Shape::Equal(left, h),
                    "T-75",
                    "constant along motions",
                );
            }
        }
        if !integrals.is_empty() {
            d.components
                .push(("integrals".into(), Tree::Many(integrals)));
        }
    }

    /// ηᵃ, X_α, Cᵃ_α. (T-72, T-75)
    fn add_geometry(&self, d: &mut Draft<'m>, solved: &SolvedForm<'m>) {
        if self.n() > MAX_FORM_COORDINATES {
            return;
        }
        let names = self.solved_names(solved);
        let mut etas = Vec::new();
        for (a, &k) in solved.dependent().iter().enumerate() {
            let eta = solved.eta(a);
            let left = Layout::Name("η".into()).power(self.name(k));
            let (shape, entries) = self.combination(left, &eta, &names);
            etas.push((self.names[k].clone(), Tree::Many(entries)));
            Self::line(d, "Connection", shape, "T-72", "");
        }
        d.components.push(("eta".into(), Tree::Many(etas)));
        let mut fields = Vec::new();
        for (alpha, &k) in solved.independent().iter().enumerate() {
            let x = solved.horizontal(alpha);
            let mut terms = Vec::new();
            let mut entries = Vec::new();
            for (j, &e) in x.components().iter().enumerate() {
                if e.is_zero() {
                    continue;
                }
                let e = self.present_short(e);
                entries.push((names[j].clone(), Tree::One(e)));
                terms.push((e, Layout::name(&names[j]).coordinate_field()));
            }
            fields.push((self.names[k].clone(), Tree::Many(entries)));
            let left = Layout::name("X").indexed(self.name(k));
            Self::line(d, "Connection", Shape::Combination(left, terms), "T-72", "");
        }
        d.components.push(("fields".into(), Tree::Many(fields)));
        // Cᵃ_α along Γ, with the accelerations in it where the constraint is not affine.
        let gamma = solved.second_order(&self.free_accelerations(solved));
        let mut rows = Vec::new();
        for (a, &k) in solved.dependent().iter().enumerate() {
            let mut row = Vec::new();
            for (alpha, &j) in solved.independent().iter().enumerate() {
                let e = self.present_short(solved.curvature_along(&gamma, a, alpha));
                row.push((self.names[j].clone(), Tree::One(e)));
                if !e.is_zero() {
                    let left = Layout::name("C").power(self.name(k)).indexed(self.name(j));
                    Self::line(d, "Curvature", Shape::Equal(left, e), "T-75", "");
                }
            }
            rows.push((self.names[k].clone(), Tree::Many(row)));
        }
        d.components.push(("curvature".into(), Tree::Many(rows)));
    }

    /// L̄, Ω_Γ, M, the equations and their solution. (T-77 … T-79)
    fn add_reduced(
        &self,
        d: &mut Draft<'m>,
        found: &Constructions<'m>,
        reduced: &ReducedSystem<'m>,
    ) {
        let solved = reduced.solved();
        let l = self.present_short(reduced.lagrangian());
        let left = Layout::name("L").indexed(Layout::Name("σ".into()));
        let flat = matches!(
            found.constrained.codistribution().integrability(),
            Some(Integrability::Integrable(_))
        );
        let note = if flat {
            "L on the constraint manifold"
        } else {
            "L on the constraint manifold; without the curvature its equations are wrong"
        };
        Self::line(d, "Lagrangian", Shape::Equal(left, l), "T-72", note);
        d.components.push(("lagrangian".into(), Tree::One(l)));
        let f = self.free_accelerations(solved);
        if self.n() < MAX_FORM_COORDINATES {
            let omega = reduced.fundamental_two_form(&solved.second_order(&f));
            let names = self.solved_names(solved);
            let left = Layout::name("Ω").indexed(Layout::Name("Γ".into()));
            let (shape, entries) = self.combination(left, &omega, &names);
            Self::line(d, "Two-form", shape, "T-77", "i_ΓΩ_Γ = 0 with ηᵃ(Γ) = 0");
            d.components.push(("two_form".into(), Tree::Many(entries)));
        }
        if solved.independent().is_empty() {
            d.reason = Some("the constraints determine all velocities".into());
            return;
        }
        let rows: Vec<Vec<Expr<'m>>> = (reduced.regularity_matrix().rows().iter())
            .map(|row| self.all_present(row))
            .collect();
        let left = Layout::name("M");
        let shape = Shape::Matrix(left, rows.clone());
        Self::line(
            d,
            "Regularity",
            shape,
            "T-79",
            "regular: the motion is determined",
        );
        let independent = solved.independent();
        let matrix = rows.into_iter().enumerate().map(|(a, row)| {
            let entries = row.into_iter().enumerate();
            let entries = entries.map(|(b, e)| (self.names[independent[b]].clone(), Tree::One(e)));
            (
                self.names[independent[a]].clone(),
                Tree::Many(entries.collect()),
            )
        });
        d.components
            .push(("regularity".into(), Tree::Many(matrix.collect())));
        let mut entries = Vec::new();
        let equations = reduced.equations(&f);
        let readable = self.n() <= MAX_EXPLICIT_COORDINATES && is_short(&equations);
        for (e, &k) in equations.into_iter().zip(independent) {
            let e = self.present_short(e);
            entries.push((self.names[k].clone(), Tree::One(e)));
            if readable {
                Self::line(d, "Equations", Shape::Zero(e), "T-78", "");
            }
        }
        d.components
            .push(("components".into(), Tree::Many(entries)));
        if !readable {
            d.reason = Some(SOLVED_FOR.into());
            return;
        }
        let Ok(f) = reduced.accelerations() else {
            d.reason = Some(NotDetermined::Constraints.to_string());
            return;
        };
        if !is_short(&f) {
            d.reason = Some(SOLVED_FOR.into());
            return;
        }
        let f = self.all_present(&f);
        for (&k, &f) in independent.iter().zip(&f) {
            Self::line(
                d,
                "Motion",
                Shape::Equal(self.acceleration(k), f),
                "T-79",
                "",
            );
        }
        let all = self.all_present(&reduced.all_accelerations(&f));
        d.components
            .push(("accelerations".into(), self.named(&all)));
        if let Ok(lambda) = reduced.multipliers_of(&found.constrained, &f) {
            let lambda = self.all_present(&lambda);
            d.components
                .push(("multipliers".into(), self.by_constraint(&lambda)));
        }
    }

    fn free_accelerations(&self, solved: &SolvedForm<'m>) -> Vec<Expr<'m>> {
        let all = self.readable.acceleration_symbols();
        solved.independent().iter().map(|&k| all[k]).collect()
    }

    /// The names of (t, x^A, u^α).
    fn solved_names(&self, solved: &SolvedForm<'m>) -> Vec<String> {
        let u = solved.independent().iter();
        let u = u.map(|&k| format!("{}'", self.names[k]));
        std::iter::once("t".to_owned())
            .chain(self.names.iter().cloned())
            .chain(u)
            .collect()
    }

    /// The ideal reaction on the state space. (T-84 … T-93)
    pub(crate) fn reactions(&self) -> Draft<'m> {
        let mut d = self.draft(Topic::Reaction);
        let found = match self.constructions() {
            None => return no_constraints(d),
            Some(Err(why)) => {
                d.reason = Some(why.to_string());
                return d;
            }
            Some(Ok(found)) => found,
        };
        self.add_constraints(&mut d);
        self.add_one_forms(&mut d, &found);
        let constrained = &found.constrained;
        let state = constrained.state();
        let a = self.readable.acceleration_symbols();
        // sᵃ(ξ) = 0, the constraint differentiated.
        let drift = constrained.codistribution().drift();
        let rows = constrained.codistribution().vertical();
        let ahead = rows.times_vector(&a);
        let mut entries = Vec::new();
        for ((row, &s), &drift) in self.constraints.iter().zip(&ahead).zip(&drift) {
            let e = self.present_short(s + drift);
            entries.push((row.name.clone(), Tree::One(e)));
            Self::line(&mut d, "Differentiated", Shape::Zero(e), "T-82", "");
        }
        d.components
            .push(("differentiated".into(), Tree::Many(entries)));
        // Fᶜᵢ = λ_aṡᵃᵢ
        let force: Vec<Expr<'m>> = (0..self.n()).map(|i| self.reaction(i)).collect();
        let force = self.all_present(&force);
        let terms = force
            .iter()
            .enumerate()
            .filter(|(_, f)| !f.is_zero())
            .map(|(i, &f)| (f, Self::differential(&self.names[i])));
        let left = Layout::name("F").indexed(Layout::Name("c".into()));
        let shape = Shape::Combination(left, terms.collect());
        let (theorem, note) = match (
            self.is_ideal(),
            found.constrained.codistribution().functions(),
        ) {
            (true, Some(_)) => ("T-85", "Fᶜᵢ = λₐ ∂fᵃ/∂uⁱ"),
            (true, None) => ("T-85", "Fᶜᵢ = λₐ ṡᵃᵢ"),
            (false, _) => (
                "T-83",
                "λₐ multiplies the covector along which the reaction acts",
            ),
        };
        Self::line(&mut d, "Reaction", shape, theorem, note);
        d.components.push(("components".into(), self.named(&force)));
        let rest = ReferenceField::resting(state.base());
        let power = (self.constraints.iter()).zip(constrained.power_factors(&rest));
        let pool = self.model.pool();
        let power =
            pool.sum(power.map(|(c, p)| pool.symbol(&format!("multiplier({})", c.name)) * p));
        let power = self.present_short(power);
        Self::line(
            &mut d,
            "Power",
            Shape::Equal(Layout::name("P"), power),
            "T-93",
            "uⁱFᶜᵢ",
        );
        d.components.push(("power".into(), Tree::One(power)));
        let kind = constrained.codistribution().dependence();
        if kind == Some(Dependence::Affine)
            && self.n() <= MAX_EXPLICIT_COORDINATES
            && let Some(frame) = constrained.constraint_frame()
        {
            let r = self.all_present(frame.components());
            let time = (pool.one(), Layout::name("t").coordinate_field());
            let terms = r.iter().enumerate().filter(|(_, e)| !e.is_zero());
            let terms = terms.map(|(i, &e)| (e, self.name(i).coordinate_field()));
            let terms = std::iter::once(time).chain(terms).collect();
            let shape = Shape::Combination(Layout::name("Γ"), terms);
            let note = match self.is_ideal() {
                true => "the frame of the constraints, in which the reactions do no work",
                false => "the frame of the constraints",
            };
            Self::line(&mut d, "Frame", shape, "T-90", note);
            d.components.push(("frame".into(), self.named(&r)));
        }
        if self.n() > MAX_EXPLICIT_COORDINATES {
            d.reason = Some(SOLVED_FOR.into());
            return d;
        }
        match constrained
            .reaction()
            .or_else(|_| constrained.reaction_augmented())
        {
            Err(why) => d.reason = Some(why.to_string()),
            Ok(r) if !is_short(r.field.accelerations()) => d.reason = Some(SOLVED_FOR.into()),
            Ok(r) => {
                let lambda = self.all_present(r.multipliers.as_deref().unwrap_or(&[]));
                let theorem = if self.is_ideal() { "T-85" } else { "T-83" };
                for (c, &l) in self.constraints.iter().zip(&lambda) {
                    let left = Layout::name(&format!("multiplier({})", c.name));
                    let note = match c.enforcement {
                        Enforcement::Connection => "the change of a dependent acceleration",
                        _ => "",
                    };
                    Self::line(&mut d, "Multipliers", Shape::Equal(left, l), theorem, note);
                }
                d.components
                    .push(("multipliers".into(), self.by_constraint(&lambda)));
                let a = self.all_present(r.field.accelerations());
                let theorem = if self.is_ideal() { "T-84" } else { "T-83" };
                for (i, &e) in a.iter().enumerate() {
                    let shape = Shape::Equal(self.acceleration(i), e);
                    Self::line(&mut d, "Motion", shape, theorem, "");
                }
                d.components.push(("accelerations".into(), self.named(&a)));
            }
        }
        d
    }

    /// The constrained momentum equations. (T-97, T-98)
    pub(crate) fn constrained_hamilton(&self) -> Draft<'m> {
        let mut d = self.draft(Topic::ConstrainedHamilton);
        let found = match self.constructions() {
            None => return no_constraints(d),
            Some(Err(why)) => {
                d.reason = Some(why.to_string());
                return d;
            }
            Some(Ok(found)) => found,
        };
        let constrained = &found.constrained;
        let n = self.n();
        let canonical = if n <= MAX_EXPLICIT_COORDINATES {
            constrained.system().canonical()
        } else {
            None
        };
        let Some(canonical) = canonical else {
            d.reason = Some(self.no_canonical());
            d.components = vec![("components".into(), Tree::Null)];
            return d;
        };
        let below = constrained.canonical(&canonical);
        let map = canonical.to_natural();
        let mut entries = Vec::new();
        for c in &self.constraints {
            let e = match c.rate.or(c.residual) {
                Some(level) => map.pullback(&level),
                None => self.in_momenta(&below, entries.len()),
            };
            let e = self.present_short(e);
            entries.push((c.name.clone(), Tree::One(e)));
            Self::line(&mut d, "Constraints", Shape::Zero(e), "T-98", "");
        }
        d.components
            .push(("constraints".into(), Tree::Many(entries)));
        let reaction = match below.reaction() {
            Ok(r) => r,
            Err(why) => {
                d.reason = Some(why.to_string());
                return d;
            }
        };
        if !is_short(&reaction.multipliers) {
            d.lines.clear();
            d.reason = Some(SOLVED_FOR.into());
            d.components = vec![("components".into(), Tree::Null)];
            return d;
        }
        let lambda = self.all_present(&reaction.multipliers);
        for (c, &l) in self.constraints.iter().zip(&lambda) {
            let left = Layout::name(&format!("multiplier({})", c.name));
            let shape = Shape::Equal(left, l);
            Self::line(&mut d, "Multipliers", shape, "T-98", "");
        }
        d.components
            .push(("multipliers".into(), self.by_constraint(&lambda)));
        // Printed formulas contain the multipliers as symbols; in the components they are substituted.
        let free = below.free_field();
        let mut entries = Vec::new();
        for k in 0..2 * n {
            let name = if k < n {
                self.names[k].clone()
            } else {
                format!("p({})", self.names[k - n])
            };
            let shown = if k < n {
                free.component(1 + k)
            } else {
                free.component(1 + k) + map.pullback(&self.reaction(k - n))
            };
            let left = Layout::name(&format!("{name}'"));
            let shown = self.present_short(shown);
            Self::line(&mut d, "Hamilton", Shape::Equal(left, shown), "T-98", "");
            let whole = self.present_short(reaction.field.component(1 + k));
            entries.push((name, Tree::One(whole)));
        }
        d.components
            .push(("components".into(), Tree::Many(entries)));
        d
    }

    /// left = Σ c·basis of a form, and its components by names.
    fn combination(
        &self,
        left: Layout,
        form: &Form<'m>,
        names: &[String],
    ) -> (Shape<'m>, Vec<(String, Tree<'m>)>) {
        let mut terms = Vec::new();
        let mut entries = Vec::new();
        let mut list: Vec<(Vec<usize>, Expr<'m>)> = form.terms().collect();
        list.sort_by_key(|(k, _)| (std::cmp::Reverse(k.iter().sum::<usize>()), k.clone()));
        for (indices, e) in list {
            let (order, e) = match indices.as_slice() {
                [a, b] => (vec![*b, *a], -e),
                _ => (indices.clone(), e),
            };
            let e = self.present_short(e);
            if e.is_zero() {
                continue;
            }
            let basis = Layout::wedge(order.iter().map(|&k| Self::differential(&names[k])));
            let key: Vec<&str> = order.iter().map(|&k| names[k].as_str()).collect();
            entries.push((key.join(" "), Tree::One(e)));
            terms.push((e, basis));
        }
        (Shape::Combination(left, terms), entries)
    }
}
