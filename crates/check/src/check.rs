//! The check of a model: geometry, routes to the equations of motion, forces, constraints.

use galilei_expr::{Bound, Expr, Query, Verdict, generic_rank};
use galilei_mechanics::{PotentialTest, Routes, System, decide_together};
use galilei_model::{Diagnostic, Regularity};

use crate::Checker;
use crate::finding::{Finding, Status};
use crate::forces::JudgedForce;
use crate::symmetries::JudgedSymmetry;

/// Work that the proofs of `check` may take, by the estimate of `Checker::work`.
const MAX_WORK: f64 = 4e7;
/// Degrees of freedom up to which ∂Ω is computed as a form.
pub(crate) const MAX_FORM_DEGREES: usize = 8;

/// The properties of the constraints of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedConstraints {
    /// The number of equations.
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
    /// Whether everything required holds: proved or certified. `None` if nothing required fails and something
    /// required could not be decided.
    pub ok: Option<bool>,
    /// n
    pub dimension: usize,
    /// Whether Ω or the constraint set depends on time.
    pub time_dependent: bool,
    /// Whether dΩ = 0; under constraints dΩ_c = 0, reactions included.
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

const INVERSE: &str = "inverse problem: m(ẍ − ξ) = 0 comes from a Lagrangian, locally";

impl Check<'_> {
    /// Whether all that is required holds: `None` if nothing fails and something was not decided.
    pub fn all_required(findings: &[Finding], diagnostics: &[Diagnostic]) -> Option<bool> {
        let refuted = |f: &Finding| matches!(&f.status, Status::Verdict(v) if v.is_refuted());
        let required = || findings.iter().filter(|f| f.required);
        if diagnostics.iter().any(Diagnostic::is_error) || required().any(refuted) {
            return Some(false);
        }
        let open = |f: &Finding| matches!(f.status, Status::Verdict(_)) && !f.holds();
        (!required().any(open)).then_some(true)
    }
}

pub(crate) fn proved() -> Verdict {
    Verdict::Proved(Bound::CERTAIN)
}

impl<'p> Checker<'p> {
    /// All findings about the model.
    pub fn check(self) -> Check<'p> {
        let system = self.model.system();
        if self.work(&system) > MAX_WORK {
            return self.check_in_part(&system);
        }
        let routes = system.routes();
        self.check_with(&system, &routes)
    }

    /// All findings about the model with given routes to the equations of motion; an error in one of them is detected.
    pub fn check_with(self, system: &System<'p>, routes: &Routes<'p>) -> Check<'p> {
        let validation = self.model.validation();
        let c = self.model.contents();
        let assumptions = self.model.assumptions();
        let mut findings: Vec<Finding> = Vec::new();
        let free = c.constraints.is_empty();
        // Under constraints the system is Ω_c; what is asked of Ω alone is said to concern the free system.
        let of_free = |name: &str| match free {
            true => name.to_owned(),
            false => format!("{name} (free system)"),
        };
        let mut add = |name: &str,
                       theorem: &'static str,
                       verdict: Option<Verdict>,
                       detail: String,
                       required: bool| {
            findings.push(Finding::new(name, theorem, verdict, detail, required));
        };
        let n = c.coordinates.len();
        let regular = validation.lagrangian == Regularity::Regular;
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
        let definite = self
            .model
            .definite(system, self.model.initial_state().ok().as_ref());
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
        let determined = self.decide_regular(system);
        let (generic, except) = match determined.is_proved() {
            true => self.regular_locus(system).scope(),
            false => (false, None),
        };
        let detail = match (&determined, generic, &except) {
            (v, false, _) if v.is_proved() => "the accelerations are determined".to_owned(),
            (v, true, Some(e)) if v.is_proved() => {
                format!("the accelerations are determined except where {e}")
            }
            (v, ..) if v.is_proved() => {
                "the accelerations are determined almost everywhere; whether everywhere was not decided".into()
            }
            (Verdict::Undecided(why), ..) => why.to_string(),
            _ => "the accelerations are not determined".into(),
        };
        add(
            &of_free("regular: det ∂²L/∂u∂u ≠ 0"),
            "T-48",
            Some(determined),
            detail,
            true,
        );
        if let Some(last) = findings.last_mut() {
            (last.generic, last.except) = (generic, except);
        }
        let mut add = |name: &str,
                       theorem: &'static str,
                       verdict: Option<Verdict>,
                       detail: String,
                       required: bool| {
            findings.push(Finding::new(name, theorem, verdict, detail, required));
        };
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
        if n <= MAX_FORM_DEGREES {
            let verdict = system.state().del(&omega).decide_zero();
            add(
                &of_free("action form: ∂Ω = 0"),
                "T-24",
                Some(verdict),
                "Ω = dω + ΣΦ".into(),
                is_quadratic,
            );
        } else {
            // ∂Ω = 0 is what makes the dx∧dx-part of Ω the one that g and its field determine.
            let verdict = self.large_action_form(system, &omega);
            add(
                &of_free("action form: ∂Ω = 0"),
                "T-24",
                Some(verdict),
                "through the gyroscopic part of Ω (T-23)".into(),
                is_quadratic,
            );
        }
        add(
            &of_free("postulate: X ⌟ Ω = 0 ⇔ Lagrange"),
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
        let canonical = hamilton.as_ref().is_some_and(Verdict::is_proved);
        let detail = match (&hamilton, routes.hamilton_route) {
            (Some(_), Some(route)) if !route.is_independent() => {
                "two routes compared, not three: ∂H/∂x is −∂L/∂x by T-52, since L is not quadratic in more than three velocities"
            }
            (Some(_), _) => "Hamilton's equations at p = ∂L/∂u are Lagrange's",
            (None, _) => "L is degenerate: velocities do not follow from momenta",
        };
        add(
            &of_free("Hamilton: ẋ = ∂H/∂p, ṗ = −∂H/∂x + F ⇔ Lagrange"),
            "T-54",
            hamilton,
            detail.into(),
            true,
        );
        findings.extend(self.judge_given(system));
        let mut add = |name: &str,
                       theorem: &'static str,
                       verdict: Option<Verdict>,
                       detail: String,
                       required: bool| {
            findings.push(Finding::new(name, theorem, verdict, detail, required));
        };
        let answers = self.constraint_answers(system);
        let total = system.total_force();
        let closed_test = total.potential_test();
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
        let domain = self.domain_remark(&total);
        let closed_detail = match closed_test.is_potential() {
            true => format!("all forces together have local potentials{away}{domain}"),
            false => format!("the forces together have no potentials{away}"),
        };
        let closed_verdict = match &closed_test {
            PotentialTest::Potential { verdict, .. } => verdict.clone(),
            PotentialTest::NotPotential(f) => f.verdict.clone(),
        };
        let forces = self.judge_forces(system);
        let mut time_dependent = self.decide_time_dependent(system, &omega);
        let closed;
        let (mut conservative, mut cyclic): (bool, Vec<String>);
        match answers {
            None => {
                add(
                    "energy: dE/dt = −∂L/∂t + uⁱFᵢ",
                    "T-50",
                    Some(system.energy_residual().decide_zero()),
                    "E = uⁱ∂L/∂uⁱ − L".into(),
                    true,
                );
                closed = closed_test.is_potential();
                add(
                    "closed: dΩ = 0",
                    "T-33",
                    Some(closed_verdict),
                    closed_detail,
                    false,
                );
                let momenta = self.cyclic(system, &assumptions);
                for (name, verdict) in &momenta {
                    add(
                        &format!("conserved: p({name})"),
                        "T-49",
                        Some(verdict.clone()),
                        "∂L/∂x + F = 0 for this coordinate".into(),
                        false,
                    );
                }
                cyclic = momenta.into_iter().map(|c| c.0).collect();
                let rate = Query::zero(system.energy_rate()).assuming(&assumptions);
                let rate = rate.decide().verdict;
                conservative = rate.is_proved();
                let detail = match conservative {
                    true => "−∂L/∂t + uⁱFᵢ = 0",
                    false => "the energy changes at the rate −∂L/∂t + uⁱFᵢ",
                };
                add("conserved: E", "T-50", Some(rate), detail.into(), false);
                let (verdict, detail) = self.judge_inverse(system, regular);
                add(INVERSE, "T-120", verdict, detail, false);
            }
            Some(answers) => {
                findings.push(answers.energy_law);
                closed = answers.closed.holds();
                findings.push(answers.closed);
                findings.push(Finding::new(
                    "free system, without the constraints: dΩ = 0",
                    "T-33",
                    Some(closed_verdict),
                    closed_detail,
                    false,
                ));
                let whole = |f: &Finding| f.holds() && f.sheets.is_none();
                let (names, momenta): (Vec<_>, Vec<_>) = answers.momenta.into_iter().unzip();
                let kept = names.into_iter().zip(&momenta).filter(|(_, f)| whole(f));
                cyclic = kept.map(|(name, _)| name).collect();
                findings.extend(momenta);
                conservative = whole(&answers.energy);
                findings.push(answers.energy);
                time_dependent |= answers.time_dependent;
                let why = "it is asked of systems without constraints";
                findings.push(Finding::new(INVERSE, "T-120", None, why, false));
                findings.extend(answers.findings);
            }
        }
        let mut add = |name: &str,
                       theorem: &'static str,
                       verdict: Option<Verdict>,
                       detail: String,
                       required: bool| {
            findings.push(Finding::new(name, theorem, verdict, detail, required));
        };
        for r in &c.references {
            let Some((verdict, detail)) = self.judge_reference(&self.model.exprs(&r.components))
            else {
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
        for chart in &c.charts {
            findings.extend(self.judge_carried(system, chart));
        }
        findings.extend(self.judge_gauge(system));
        if regular {
            findings.extend(self.atlas_findings(system));
        }
        findings.extend(self.manifold_findings());
        let symmetries = self.judge_symmetries(system, c);
        findings.extend(symmetries.iter().map(JudgedSymmetry::finding));
        findings.extend(self.variational_findings(system, regular, canonical));
        findings.extend(self.variation_findings());
        findings.extend(self.smoothness(system, &routes.lagrange));
        let constraints = self.judge_constraints(system, c, &validation);
        let ok = Check::all_required(&findings, &validation.diagnostics);
        let mut diagnostics = validation.diagnostics;
        if let Some(warning) = self.model.free_motion() {
            for finding in &mut findings {
                finding.name = finding
                    .name
                    .replace("conserved", "conserved in free motion");
            }
            findings.extend(self.through_contacts(conservative, &cyclic));
            (conservative, cyclic) = (false, vec![]);
            diagnostics.push(warning);
        }
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
            cyclic,
            conservative,
            diagnostics,
        }
    }

    /// Whether det ∂²L/∂u∂u ≠ 0 somewhere, and so almost everywhere. (T-48)
    fn decide_regular(self, system: &System<'p>) -> Verdict {
        let matrix = system.lagrangian().mass_matrix();
        let rank = generic_rank(matrix.rows(), &self.model.assumptions());
        if rank.rank == matrix.rows().len() {
            return rank.verdict;
        }
        if rank.verdict.is_proved() {
            return Verdict::Refuted(galilei_expr::Witness::default());
        }
        // ∂²L/∂u∂u is the inverse of ∂²H/∂p∂p.
        if let Some(rows) = self.given_inverse_mass() {
            let rank = generic_rank(&rows, &self.model.assumptions());
            if rank.rank == rows.len() {
                return rank.verdict;
            }
        }
        Verdict::Undecided(galilei_expr::Reason::OutOfReach(
            "the rank is not known for sure",
        ))
    }
}
