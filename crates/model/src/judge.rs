//! What holds for a model: geometry, routes to the equations of motion, forces, constraints.

use galilei_expr::{Assumptions, Bound, Expr, Query, Verdict, View};
use galilei_geometry::Form;
use galilei_mechanics::{
    AdaptedChange, AdaptedChart, Condition, Failure, Inertia, PotentialTest, ReferenceField,
    Routes, System, TimeIndependent, decide_together,
};

use crate::diagnostic::{Diagnostic, nearest};
use crate::judge_symmetries::JudgedSymmetry;
use crate::model::Model;

/// Work that the proofs of `check` may take, by the estimate of [`Model::work`].
const WORK: f64 = 4e7;
/// Degrees of freedom up to which ∂Ω is computed as a form.
const FORM: usize = 8;

/// How sure a finding is.
#[derive(Clone, PartialEq, Debug)]
pub enum Status {
    /// A verdict on a claim.
    Verdict(Verdict),
    /// The claim makes no sense for this model.
    NotApplicable,
}

impl Status {
    /// The word of the contract.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Verdict(Verdict::Proved(_)) => "proved",
            Self::Verdict(Verdict::Certified) => "certified",
            Self::Verdict(Verdict::Sampled(_)) => "sampled",
            Self::Verdict(Verdict::Refuted(_)) => "fails",
            Self::Verdict(Verdict::Undecided(_)) => "undecided",
            Self::NotApplicable => "not applicable",
        }
    }
}

/// One thing that was asked of a model.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// The claim.
    pub name: String,
    /// Its number in the theory.
    pub theorem: &'static str,
    /// The answer.
    pub status: Status,
    /// What it means here.
    pub detail: String,
    /// Whether the model is in order only if the claim holds.
    pub required: bool,
}

impl Finding {
    /// Where the claim fails.
    pub fn witness(&self) -> Option<String> {
        match &self.status {
            Status::Verdict(Verdict::Refuted(w)) => Some(w.to_string()),
            _ => None,
        }
    }

    /// The error bound of a proof.
    pub fn bound(&self) -> Option<Bound> {
        match &self.status {
            Status::Verdict(Verdict::Proved(b)) => Some(*b),
            _ => None,
        }
    }
}

/// What is known about a force.
#[derive(Clone, Debug)]
pub struct JudgedForce<'p> {
    /// Its name.
    pub name: String,
    /// Whether it has potentials: proved, refuted, or open.
    pub verdict: Verdict,
    /// Why, naming the first failing condition.
    pub reason: String,
    /// V and A, where found in closed form.
    pub potentials: Option<(Expr<'p>, Vec<Expr<'p>>)>,
}

/// What is known about the constraints.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedConstraints {
    /// How many equations.
    pub count: usize,
    /// Whether they are independent.
    pub admissible: bool,
    /// Whether they are affine in the velocities.
    pub linear: bool,
    /// Whether they come from equations between positions.
    pub integrable: bool,
    /// Whether they determine the motion.
    pub regular: bool,
}

/// The result of `check`.
#[derive(Clone, Debug)]
pub struct Check<'p> {
    /// Whether everything required holds.
    pub ok: bool,
    /// n
    pub dimension: usize,
    /// Whether Ω depends on time.
    pub time_dependent: bool,
    /// Whether dΩ = 0.
    pub closed: bool,
    /// Whether L is quadratic in the velocities.
    pub quadratic: bool,
    /// The findings.
    pub findings: Vec<Finding>,
    /// The forces.
    pub forces: Vec<JudgedForce<'p>>,
    /// The constraints, if there are any.
    pub constraints: Option<JudgedConstraints>,
    /// The declared symmetries.
    pub symmetries: Vec<JudgedSymmetry<'p>>,
    /// Momenta that are conserved, by coordinate.
    pub cyclic: Vec<String>,
    /// Whether the energy is conserved.
    pub conservative: bool,
    /// Warnings and errors.
    pub diagnostics: Vec<Diagnostic>,
}

pub(crate) fn proved() -> Verdict {
    Verdict::Proved(Bound::CERTAIN)
}

impl Model {
    /// Everything that is asked of a model.
    pub fn check(&self) -> Check<'_> {
        let system = self.system();
        if self.work(&system) > WORK {
            return self.check_in_part(&system);
        }
        let routes = system.routes();
        self.check_with(&system, &routes)
    }

    /// An estimate of the work that the proofs take: forms have n² components, each with the size
    /// of what it is derived from.
    fn work(&self, system: &System<'_>) -> f64 {
        let n = system.state().degrees_of_freedom() as f64;
        let mut parts = vec![system.lagrangian().function()];
        parts.extend(
            system
                .forces()
                .iter()
                .flat_map(|f| f.1.components().to_vec()),
        );
        let size = term_count(parts) as f64;
        n.powi(3) + n * n * size / 32.0 + 300.0 * size
    }

    /// What can be said of a very large model: its regularity and its constraints. The proofs are
    /// left undecided, and the reason is said.
    fn check_in_part<'p>(&'p self, system: &System<'p>) -> Check<'p> {
        const REASON: &str = "the model is too large for this proof";
        let mut diagnostics = self.validate();
        let c = self.contents();
        diagnostics.push(Diagnostic::warning(
            "check_in_part",
            format!(
                "the model is so large ({} coordinates) that only its regularity and its constraints are checked",
                c.coordinates.len()
            ),
            "the same model with fewer members is checked in full: --set n=8",
            None,
        ));
        let undecided = || Verdict::Undecided(galilei_expr::Reason::OutOfReach(REASON));
        let regular = !diagnostics
            .iter()
            .any(|d| d.code == "degenerate_lagrangian");
        let is_quadratic = !diagnostics
            .iter()
            .any(|d| d.code == "not_an_action_form_in_strict_sense");
        let finding =
            |name: &str, theorem: &'static str, verdict: Verdict, required: bool| Finding {
                name: name.to_owned(),
                theorem,
                detail: match &verdict {
                    Verdict::Undecided(_) => REASON.into(),
                    _ => String::new(),
                },
                status: Status::Verdict(verdict),
                required,
            };
        let mut findings = vec![
            finding("time structure: dϑ = 0, ϑ ≠ 0", "T-5", proved(), true),
            finding(
                "regular: det ∂²L/∂u∂u ≠ 0",
                "T-48",
                if regular { proved() } else { undecided() },
                true,
            ),
            finding("action form: ∂Ω = 0", "T-24", undecided(), is_quadratic),
            finding("postulate: X ⌟ Ω = 0 ⇔ Lagrange", "T-47", undecided(), true),
            finding(
                "Hamilton: ẋ = ∂H/∂p, ṗ = −∂H/∂x + F ⇔ Lagrange",
                "T-54",
                undecided(),
                true,
            ),
            finding("energy: dE/dt = −∂L/∂t + uⁱFᵢ", "T-50", undecided(), true),
            finding("closed: dΩ = 0", "T-33", undecided(), false),
        ];
        let asked = c.symmetries.iter().map(|s| {
            let name = format!("symmetry {}", s.name);
            finding(&name, "T-111", undecided(), false)
        });
        findings.extend(asked);
        findings.extend(crate::judge_variational::unasked());
        let forces = system
            .forces()
            .iter()
            .map(|(name, _)| JudgedForce {
                name: name.clone(),
                verdict: undecided(),
                reason: format!("P1 to P4 were not asked: {REASON}"),
                potentials: None,
            })
            .collect();
        let t = system.state().time();
        let time_dependent = system.lagrangian().function().contains(t)
            || (system.forces().iter()).any(|(_, f)| f.components().iter().any(|e| e.contains(t)));
        Check {
            ok: !diagnostics.iter().any(Diagnostic::is_error),
            dimension: c.coordinates.len(),
            time_dependent,
            closed: system.forces().is_empty(),
            quadratic: is_quadratic,
            findings,
            forces,
            constraints: self.judge_constraints(system, &c, &diagnostics),
            symmetries: vec![],
            cyclic: vec![],
            conservative: false,
            diagnostics,
        }
    }

    /// The same for given routes to the equations of motion: what is wrong in one of them is seen.
    pub fn check_with<'p>(&'p self, system: &System<'p>, routes: &Routes<'p>) -> Check<'p> {
        let diagnostics = self.validate();
        let c = self.contents();
        let assumptions = self.assumptions();
        let mut findings = Vec::new();
        let mut add = |name: &str,
                       theorem: &'static str,
                       verdict: Option<Verdict>,
                       detail: String,
                       required: bool| {
            let status = verdict.map_or(Status::NotApplicable, Status::Verdict);
            findings.push(Finding {
                name: name.to_owned(),
                theorem,
                status,
                detail,
                required,
            });
        };
        let n = c.coordinates.len();
        let regular = !diagnostics
            .iter()
            .any(|d| d.code == "degenerate_lagrangian");
        let lagrangian = system.lagrangian();
        add(
            "time structure: dϑ = 0, ϑ ≠ 0",
            "T-5",
            Some(proved()),
            "ϑ = dt in the declared chart".into(),
            true,
        );
        let matrix = lagrangian.mass_matrix();
        let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
        let asymmetry: Vec<Expr<'p>> = pairs
            .map(|(i, j)| matrix.rows()[i][j] - matrix.rows()[j][i])
            .collect();
        add(
            "metric: g symmetric",
            "T-6",
            Some(decide_together(&asymmetry)),
            "gᵢⱼ = ∂²L/∂uⁱ∂uʲ".into(),
            true,
        );
        let definite = self.definite(system, self.initial_state().ok().as_ref());
        let detail = match &definite {
            None => "some parameter has no value, so there is no state to ask at".to_owned(),
            Some(Verdict::Certified) => "by enclosures of the pivots".into(),
            Some(Verdict::Undecided(why)) => why.to_string(),
            Some(_) => {
                "regular, but not positive definite: Theorem 1 holds in the extended sense".into()
            }
        };
        add(
            "metric: positive definite at the initial state",
            "T-6",
            definite,
            detail,
            false,
        );
        add(
            "regular: det ∂²L/∂u∂u ≠ 0",
            "T-48",
            Some(self.decide_regular(system)),
            if regular {
                "the accelerations are determined".into()
            } else {
                "the accelerations are not determined".into()
            },
            true,
        );
        let quadratic = lagrangian.decide_quadratic();
        let is_quadratic = quadratic.is_proved();
        add(
            "quadratic: ∂³L/∂u³ = 0",
            "T-46",
            Some(quadratic),
            if is_quadratic {
                "g is a Galilean metric: it depends on (t, x) only".into()
            } else {
                "g depends on the velocities: action form in the extended sense".into()
            },
            false,
        );
        let omega = system.action_two_form();
        if n <= FORM {
            let verdict = system.state().del(&omega).decide_zero();
            add(
                "action form: ∂Ω = 0",
                "T-24",
                Some(verdict),
                "Ω = dω + ΣΦ".into(),
                is_quadratic,
            );
        } else {
            // ∂Ω = 0 is what makes the dx∧dx-part of Ω the one that g and its field determine.
            let verdict = self.large_action_form(system, &omega);
            add(
                "action form: ∂Ω = 0",
                "T-24",
                Some(verdict),
                "through the gyroscopic part of Ω (T-23)".into(),
                is_quadratic,
            );
        }
        add(
            "postulate: X ⌟ Ω = 0 ⇔ Lagrange",
            "T-47",
            Some(routes.decide_postulate()),
            "contracting Ω gives Lagrange's equations, component by component".into(),
            true,
        );
        let hamilton = if regular {
            routes.decide_hamilton()
        } else {
            None
        };
        let detail = match &hamilton {
            Some(_) => "Hamilton's equations at p = ∂L/∂u are Lagrange's",
            None => "L is degenerate: velocities do not follow from momenta",
        };
        add(
            "Hamilton: ẋ = ∂H/∂p, ṗ = −∂H/∂x + F ⇔ Lagrange",
            "T-54",
            hamilton,
            detail.into(),
            true,
        );
        add(
            "energy: dE/dt = −∂L/∂t + uⁱFᵢ",
            "T-50",
            Some(system.energy_residual().decide_zero()),
            "E = uⁱ∂L/∂uⁱ − L".into(),
            true,
        );
        let total = system.total_force();
        let closed_test = total.potential_test();
        let closed = closed_test.is_potential();
        let kinked: Vec<&str> = c
            .forces
            .iter()
            .filter(|f| f.kinked)
            .map(|f| f.name.as_str())
            .collect();
        let away = match kinked.as_slice() {
            [] => String::new(),
            names => format!(", away from the kinks of {}", names.join(", ")),
        };
        add(
            "closed: dΩ = 0",
            "T-33",
            Some(match &closed_test {
                PotentialTest::Potential { verdict, .. } => verdict.clone(),
                PotentialTest::NotPotential(f) => f.verdict.clone(),
            }),
            if closed {
                format!("all forces together have potentials{away}")
            } else {
                format!("the forces together have no potentials{away}")
            },
            false,
        );
        let time_dependent = self.decide_time_dependent(system, &omega);
        let forces = self.judge_forces(system);
        let cyclic = self.cyclic(system, &assumptions);
        for (name, verdict) in &cyclic {
            add(
                &format!("conserved: p({name})"),
                "T-49",
                Some(verdict.clone()),
                "∂L/∂x + F = 0 for this coordinate".into(),
                false,
            );
        }
        let rate = Query::zero(system.energy_rate())
            .assuming(&assumptions)
            .decide()
            .verdict;
        // Under constraints the reactions count, and the rate where the constraints hold.
        let free = c.constraints.is_empty();
        let answers = self.constraint_answers(system);
        let rate = match &answers {
            Some(answers) => answers.energy.clone(),
            None => Some(rate),
        };
        let conservative = rate.as_ref().is_some_and(Verdict::is_proved);
        let detail = match (conservative, free, &rate) {
            (true, true, _) => "−∂L/∂t + uⁱFᵢ = 0",
            (true, false, _) => "−∂L/∂t + uⁱFᵢ + uⁱFᶜᵢ = 0 where the constraints hold",
            (false, true, _) => "the energy changes at the rate −∂L/∂t + uⁱFᵢ",
            (false, false, Some(_)) => "the energy changes at the rate −∂L/∂t + uⁱFᵢ + uⁱFᶜᵢ",
            (false, false, None) => "not decided along the constrained motion",
        };
        add("conserved: E", "T-50", rate, detail.into(), false);
        for r in &c.references {
            let Some((verdict, detail)) = self.judge_reference(system, &r.components) else {
                continue;
            };
            add(
                &format!("inertia forces with respect to {}", r.name),
                "T-41",
                Some(verdict),
                detail,
                true,
            );
        }
        if regular && c.constraints.is_empty() {
            for chart in &c.charts {
                let verdict = self.judge_chart(system, chart);
                add(
                    &format!("chart {}: the equations transform", chart.name),
                    "T-10",
                    verdict,
                    "accelerations agree in both charts".into(),
                    true,
                );
            }
            if !time_dependent && is_quadratic && n <= 3 {
                let (verdict, detail) = self.judge_time_independent(system);
                add(
                    "three time-independent formulations agree",
                    "T-67",
                    verdict,
                    detail,
                    true,
                );
            }
        }
        findings.extend(answers.into_iter().flat_map(|a| a.findings));
        let symmetries = self.judge_symmetries(system, &c);
        findings.extend(symmetries.iter().map(JudgedSymmetry::finding));
        let proved = |f: &Finding| matches!(&f.status, Status::Verdict(v) if v.is_proved());
        let hamilton = findings.iter().any(|f| f.theorem == "T-54" && proved(f));
        findings.extend(self.variational_findings(system, regular, hamilton));
        let constraints = self.judge_constraints(system, &c, &diagnostics);
        let ok = !diagnostics.iter().any(Diagnostic::is_error)
            && !findings
                .iter()
                .any(|f| f.required && matches!(f.status, Status::Verdict(Verdict::Refuted(_))));
        Check {
            ok,
            dimension: n,
            time_dependent,
            closed,
            quadratic: is_quadratic,
            findings,
            forces,
            constraints,
            symmetries,
            cyclic: cyclic.into_iter().map(|c| c.0).collect(),
            conservative,
            diagnostics,
        }
    }

    /// The conditions of T-24 component by component: with hᵢ = Ω(∂ₜ + u∂ₓ, ∂xⁱ) = −gᵢₖZᵏ, the
    /// dx∧dx-part of Ω is the one that g and Z determine, 2Ω(∂xⁱ, ∂xʲ) = ∂hⱼ/∂uⁱ − ∂hᵢ/∂uʲ.
    fn large_action_form<'p>(&'p self, system: &System<'p>, omega: &Form<'p>) -> Verdict {
        let state = system.state();
        let n = state.degrees_of_freedom();
        let (x, u) = (|i: usize| 1 + i, |i: usize| 1 + n + i);
        let along = |k: usize| {
            let sum = (0..n).map(|l| state.velocity(l) * omega.component(&[x(l), k]));
            omega.component(&[0, k]) + self.pool().sum(sum)
        };
        let h: Vec<Expr<'p>> = (0..n).map(|i| along(x(i))).collect();
        let slopes = self.pool().jacobian(&h, state.velocities());
        let mut claims: Vec<Expr<'p>> = (0..n).map(|i| along(u(i))).collect();
        for i in 0..n {
            for j in 0..i {
                claims.push(omega.component(&[u(i), u(j)]));
                claims.push(omega.component(&[u(i), x(j)]) - omega.component(&[u(j), x(i)]));
                claims.push(2 * omega.component(&[x(i), x(j)]) + slopes[i][j] - slopes[j][i]);
            }
        }
        decide_together(&claims)
    }

    fn decide_time_dependent<'p>(&'p self, system: &System<'p>, omega: &Form<'p>) -> bool {
        let t = system.state().time();
        let changing: Vec<Expr<'p>> = omega
            .terms()
            .map(|(_, e)| e)
            .filter(|e| e.contains(t))
            .map(|e| e.diff(t))
            .collect();
        !changing.is_empty() && !decide_together(&changing).is_proved()
    }

    fn judge_forces<'p>(&'p self, system: &System<'p>) -> Vec<JudgedForce<'p>> {
        let c = self.contents();
        system
            .forces()
            .iter()
            .zip(&c.forces)
            .map(|((name, force), declared)| {
                let away = if declared.kinked {
                    " (away from its kinks)"
                } else {
                    ""
                };
                let test = force.potential_test();
                match &test {
                    PotentialTest::NotPotential(f) => {
                        let names: Vec<String> =
                            c.coordinates.iter().map(|c| c.name.clone()).collect();
                        let reason = format!("{}{away}", why_not_potential(f, &names));
                        JudgedForce {
                            name: name.clone(),
                            verdict: f.verdict.clone(),
                            reason,
                            potentials: None,
                        }
                    }
                    PotentialTest::Potential { verdict, .. } => {
                        let found = self.potentials(force);
                        let reason = match &found {
                            Some(_) => format!(
                                "P1 to P4 hold{away}; V and A are local to a star-shaped domain"
                            ),
                            None => {
                                format!("P1 to P4 hold{away}; no closed form of V and A was found")
                            }
                        };
                        JudgedForce {
                            name: name.clone(),
                            verdict: verdict.clone(),
                            reason,
                            potentials: found,
                        }
                    }
                }
            })
            .collect()
    }

    /// V and A about the origin, or about a point where the force is defined.
    fn potentials<'p>(
        &'p self,
        force: &galilei_mechanics::Force<'p>,
    ) -> Option<(Expr<'p>, Vec<Expr<'p>>)> {
        let n = force.components().len();
        let (zero, one) = (self.pool().zero(), self.pool().one());
        for centre in [vec![zero; n], vec![one; n]] {
            let Ok(p) = force.potentials(&centre) else {
                continue;
            };
            let fine = p.closed_form
                && !p.scalar.is_undefined()
                && p.vector.iter().all(|a| !a.is_undefined());
            if !fine {
                continue;
            }
            // What was found must give the force back.
            let back = p.force(force.state());
            let claims: Vec<Expr<'p>> = back
                .components()
                .iter()
                .zip(force.components())
                .map(|(&a, &b)| a - b)
                .collect();
            if decide_together(&claims).is_proved() {
                return Some((p.scalar, p.vector));
            }
        }
        None
    }

    fn cyclic<'p>(
        &'p self,
        system: &System<'p>,
        assumptions: &Assumptions<'p>,
    ) -> Vec<(String, Verdict)> {
        let c = self.contents();
        let slopes = system
            .lagrangian()
            .function()
            .gradient(system.state().base().positions());
        let force = system.total_force();
        // A reaction along a coordinate changes its momentum.
        let rows = Self::constraint_matrix(&c);
        c.coordinates
            .iter()
            .enumerate()
            .filter(|(i, _)| rows.iter().all(|r| r[*i].decide_zero().is_proved()))
            .filter_map(|(i, coordinate)| {
                let claim = slopes[i] + force.components()[i];
                let verdict = Query::zero(claim).assuming(assumptions).decide().verdict;
                verdict
                    .is_proved()
                    .then(|| (coordinate.name.clone(), verdict))
            })
            .collect()
    }

    fn judge_reference<'p>(
        &'p self,
        system: &System<'p>,
        components: &[Expr<'p>],
    ) -> Option<(Verdict, String)> {
        let lagrangian = system.lagrangian();
        let base = system.state().base();
        let rest = ReferenceField::resting(base);
        let metric = lagrangian.recover(&rest)?.metric;
        let own = lagrangian.natural_reference().ok()?;
        let observer = ReferenceField::new(base, components.to_vec());
        let inertia = Inertia::new(system.state(), &metric, &observer, &own);
        let parts = inertia.parts();
        let whole = inertia.force();
        let claims: Vec<Expr<'p>> = (0..components.len())
            .map(|i| {
                let sum =
                    [&parts.centrifugal, &parts.euler, &parts.coriolis].map(|f| f.components()[i]);
                self.pool().sum(sum) - whole.components()[i]
            })
            .collect();
        Some((
            decide_together(&claims),
            "centrifugal, Euler and Coriolis parts add up to dα".into(),
        ))
    }

    fn judge_chart<'p>(
        &'p self,
        system: &System<'p>,
        chart: &crate::contents::Chart<Expr<'p>>,
    ) -> Option<Verdict> {
        let (change, moved) = self.in_chart(system, chart);
        // W from L in the new chart, and K·W + … from Z in the old one.
        let n = chart.symbols.len();
        let a: Vec<Expr<'p>> = moved.acceleration_symbols();
        let new = moved.by_lagrange(&a);
        let old_symbols = system.acceleration_symbols();
        let old = system.by_lagrange(&old_symbols);
        // Old accelerations in terms of the new ones, then the old equations pulled back by K.
        let space = change.new_state();
        let mut rates = vec![(space.time(), self.pool().one())];
        rates.extend(
            space
                .base()
                .positions()
                .iter()
                .copied()
                .zip(space.velocities().iter().copied()),
        );
        rates.extend(space.velocities().iter().copied().zip(a.iter().copied()));
        let velocities = change.velocities();
        let mut pairs: Vec<(Expr<'p>, Expr<'p>)> = Vec::new();
        for i in 0..n {
            pairs.push((system.state().position(i), chart.old[i]));
            pairs.push((system.state().velocity(i), velocities[i]));
            pairs.push((old_symbols[i], velocities[i].derivative_along(&rates)));
        }
        let old = self.pool().substitute_all(&old, &pairs);
        let k = change.jacobian();
        let claims: Vec<Expr<'p>> = (0..n)
            .map(|i| self.pool().sum((0..n).map(|j| k.rows()[j][i] * old[j])) - new[i])
            .collect();
        Some(decide_together(&claims))
    }

    /// A declared chart.
    pub fn chart(&self, name: &str) -> Result<crate::contents::Chart<Expr<'_>>, Diagnostic> {
        let charts = self.contents().charts;
        if let Some(k) = charts.iter().position(|c| c.name == name) {
            return Ok(charts[k].clone());
        }
        let known: Vec<&str> = charts.iter().map(|c| c.name.as_str()).collect();
        let hint = match nearest(name, known.iter().copied()) {
            Some(w) => format!("did you mean `{w}`?"),
            None if known.is_empty() => "declare one: `chart NAME(r, φ): x = …, y = …`".into(),
            None => format!("the charts are {}", known.join(", ")),
        };
        Err(Diagnostic::error(
            "unknown_chart",
            format!("there is no chart `{name}`"),
            hint,
            None,
        ))
    }

    /// The change to another declared chart, and the system in it.
    pub fn in_chart<'p>(
        &'p self,
        system: &System<'p>,
        chart: &crate::contents::Chart<Expr<'p>>,
    ) -> (AdaptedChange<'p>, System<'p>) {
        let names: Vec<String> = chart.symbols.iter().map(|s| s.to_string()).collect();
        let new = AdaptedChart::new(self.pool(), "t", &names);
        let change = AdaptedChange::new(system.state().base(), &new, chart.old.clone());
        let moved = change.system(system);
        (change, moved)
    }

    fn judge_time_independent<'p>(&'p self, system: &System<'p>) -> (Option<Verdict>, String) {
        let Ok(t) = TimeIndependent::new(system) else {
            return (
                None,
                "the Lagrangian has a part linear in the velocities".into(),
            );
        };
        let n = system.state().degrees_of_freedom();
        let Ok(z) = system.lagrange() else {
            return (None, "degenerate".into());
        };
        let (Ok(first), Ok(second), Ok((third, velocities))) = (
            t.by_christoffel(),
            t.on_tangent_bundle(),
            t.on_cotangent_bundle(),
        ) else {
            return (None, "degenerate".into());
        };
        let mut claims: Vec<Expr<'p>> = Vec::new();
        for i in 0..n {
            claims.push(first[i] - z.accelerations()[i]);
            claims.push(second.component(n + i) - z.accelerations()[i]);
            claims.push(third.component(i) - velocities[i]);
        }
        (
            Some(decide_together(&claims)),
            "Christoffel symbols, TQ and T*Q".into(),
        )
    }
}

/// Why a force has no potentials: the first condition of T-32 that fails, and by how much.
pub fn why_not_potential(failure: &Failure<'_>, names: &[String]) -> String {
    let at = |k: usize| {
        let i = failure.indices.get(k).copied().unwrap_or(0);
        names.get(i).map_or("?", String::as_str)
    };
    let (a, b, c) = (at(0), at(1), at(2));
    let d = short(failure.defect);
    let claim = match failure.condition {
        Condition::P1 => format!("not affine in the velocities, ∂²F_{a}/∂{b}'∂{c}' = {d}"),
        Condition::P2 if a == b => {
            let half = short(failure.defect / 2);
            format!("∂F_{a}/∂{a}' = {half} must vanish")
        }
        Condition::P2 => format!("∂F_{a}/∂{b}' + ∂F_{b}/∂{a}' = {d} must vanish"),
        Condition::P3 => {
            format!("the cyclic sum of the derivatives of ∂F/∂u along {a}, {b}, {c} is {d}, not 0")
        }
        Condition::P4 => {
            format!("∂B/∂t − curl E, at {a} and {b}, is {d}, not 0 (F = E + Bu)")
        }
    };
    let word = failure.condition;
    match &failure.verdict {
        Verdict::Refuted(_) => format!("{word}: {claim}"),
        other => format!("{word}: {claim}; could not be decided ({other})"),
    }
}

/// How many terms, factors and arguments some expressions have, each shared part once.
pub fn term_count(mut stack: Vec<Expr<'_>>) -> usize {
    let mut seen = std::collections::HashSet::new();
    let mut count = 0;
    while let Some(e) = stack.pop() {
        if !seen.insert(e.id()) {
            continue;
        }
        let before = stack.len();
        match e.view() {
            View::Sum(terms) => stack.extend(terms.into_iter().map(|t| t.1)),
            View::Product(factors) => stack.extend(factors.into_iter().map(|f| f.0)),
            View::Call(_, arguments) | View::Undetermined { arguments, .. } => {
                stack.extend(arguments);
            }
            View::If {
                sides, branches, ..
            } => stack.extend(sides.into_iter().chain(branches)),
            View::Integral { integrand, .. } => stack.push(integrand),
            _ => {}
        }
        count += 1 + stack.len() - before;
    }
    count
}

/// An expression as text, cut if it is long.
pub(crate) fn short(e: Expr<'_>) -> String {
    let text = e.to_string();
    if text.chars().count() > 80 {
        let cut: String = text.chars().take(77).collect();
        format!("{cut}…")
    } else {
        text
    }
}
