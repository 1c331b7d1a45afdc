//! What holds for a model: geometry, routes to the equations of motion, forces, constraints.

mod action_form;
mod charts;
mod conserved;
mod finding;
mod forces;
mod large;
mod references;
mod time_independent;

use galilei_expr::{Bound, Expr, Query, Verdict};
use galilei_mechanics::{PotentialTest, Routes, System, decide_together};

use crate::diagnostic::Diagnostic;
use crate::judge_symmetries::JudgedSymmetry;
use crate::model::Model;

pub use finding::{Finding, Status};
pub(crate) use forces::short;
pub use forces::{JudgedForce, why_not_potential};
pub use large::term_count;

/// Work that the proofs of `check` may take, by the estimate of [`Model::work`].
const WORK: f64 = 4e7;
/// Degrees of freedom up to which ∂Ω is computed as a form.
const FORM: usize = 8;

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
        let detail = match (&hamilton, routes.hamilton_route) {
            (Some(_), Some(route)) if !route.is_independent() => {
                "two routes compared, not three: ∂H/∂x is −∂L/∂x by T-52, since L is not quadratic in more than three velocities"
            }
            (Some(_), _) => "Hamilton's equations at p = ∂L/∂u are Lagrange's",
            (None, _) => "L is degenerate: velocities do not follow from momenta",
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
            let Some((verdict, detail)) = self.judge_reference(&r.components) else {
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
}
