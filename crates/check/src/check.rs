//! The check of a model: every property that a theorem speaks of is decided, and each decision is a [`Finding`].
//!
//! The order of the findings is that of the pages: geometry, the routes to the equations of motion, forces and conservation,
//! references and charts, symmetries, constraints. A finding is *required* where the equations of motion would be wrong without it.

use galilei_expr::{Bound, Expr, Query, Verdict, generic_rank};
use galilei_geometry::Form;
use galilei_mechanics::{PotentialTest, Routes, System, decide_together};
use galilei_model::{Diagnostic, Regularity};

use crate::Checker;
use crate::constraints::ConstraintAnswers;
use crate::finding::{Finding, Status};
use crate::forces::JudgedForce;
use crate::large::MAX_SECONDS;
use crate::symmetries::JudgedSymmetry;

/// Degrees of freedom up to which the time-independent formulations are compared.
const MAX_TIME_INDEPENDENT_DEGREES: usize = 3;
/// Degrees of freedom up to which ∂Ω is computed as a form.
pub(crate) const MAX_FORM_DEGREES: usize = 8;

/// The properties of the constraints of a model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct JudgedConstraints {
    /// The number of equations.
    pub count: usize,
    /// Whether the constraints are admissible: their rows are linearly independent wherever they hold.
    pub admissible: bool,
    /// Whether they are affine in the velocities.
    pub linear: bool,
    /// Whether they come from equations between positions.
    pub integrable: bool,
    /// Whether the constraints and their reactions determine the accelerations.
    pub regular: bool,
}

/// The properties of a model: the result of `galilei check`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Check<'p> {
    /// Whether everything required holds: proved or certified. `None` if nothing required fails and something
    /// required could not be decided.
    pub ok: Option<bool>,
    /// The number of coordinates, n.
    pub dimension: usize,
    /// Whether Ω or the constraint set depends on time.
    pub time_dependent: bool,
    /// Whether dΩ = 0; under constraints dΩ_c = 0, reactions included.
    pub closed: bool,
    /// Whether L is quadratic in the velocities.
    pub quadratic: bool,
    /// The findings, in the order of the pages.
    pub findings: Vec<Finding>,
    /// The forces, with their potentials where they have any.
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

/// The name of the finding of T-120.
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

/// The verdict on what holds by construction.
pub(crate) fn proved() -> Verdict {
    Verdict::Proved(Bound::CERTAIN)
}

/// The findings on quantities that are conserved along the motion.
struct Conservation {
    findings: Vec<Finding>,
    /// Whether dΩ = 0, or dΩ_c = 0 under constraints.
    closed: bool,
    /// Whether the energy is conserved.
    conservative: bool,
    /// The coordinates whose momenta are conserved.
    cyclic: Vec<String>,
    /// Whether the constraint set depends on time.
    constraints_move: bool,
}

/// Conservation under constraints; `alone` is the finding dΩ = 0 about the system without them.
fn constrained_conservation(answers: ConstraintAnswers, alone: Finding) -> Conservation {
    let whole = |f: &Finding| f.holds() && f.sheets.is_none();
    let (closed, conservative) = (answers.closed.holds(), whole(&answers.energy));
    let kept = answers.momenta.iter().filter(|(_, f)| whole(f));
    let cyclic = kept.map(|(name, _)| name.clone()).collect();
    let mut findings = vec![answers.energy_law, answers.closed, alone];
    findings.extend(answers.momenta.into_iter().map(|(_, f)| f));
    findings.push(answers.energy);
    let why = "it is asked of systems without constraints";
    findings.push(Finding::new(INVERSE, "T-120", None, why, false));
    findings.extend(answers.findings);
    Conservation {
        findings,
        closed,
        conservative,
        cyclic,
        constraints_move: answers.time_dependent,
    }
}

/// Whether the metric depends on (t, x) only. (T-46)
fn quadratic_finding(system: &System<'_>) -> Finding {
    let quadratic = system.lagrangian().decide_quadratic();
    let detail = match quadratic.is_proved() {
        true => "g is a Galilean metric: it depends on (t, x) only",
        false => "g depends on the velocities: action form in the extended sense",
    };
    let name = "quadratic: ∂³L/∂u³ = 0";
    Finding::new(name, "T-46", Some(quadratic), detail, false)
}

impl<'p> Checker<'p> {
    /// All findings about the model.
    pub fn check(self) -> Check<'p> {
        let system = self.model.system();
        let seconds = self.seconds(&system);
        if seconds > MAX_SECONDS {
            return self.check_in_part(&system, seconds);
        }
        let routes = system.routes();
        self.check_with(&system, &routes)
    }

    /// All findings about the model with given routes to the equations of motion; an error in one of them is detected.
    pub fn check_with(self, system: &System<'p>, routes: &Routes<'p>) -> Check<'p> {
        let validation = self.model.validation();
        let c = self.model.contents();
        let n = c.coordinates.len();
        let regular = validation.lagrangian == Regularity::Regular;
        let omega = system.action_two_form();
        let mut findings = self.metric_findings(system);
        findings.push(self.regular_finding(system));
        let quadratic = quadratic_finding(system);
        let is_quadratic = quadratic.is_proved();
        findings.push(quadratic);
        findings.push(self.action_form_finding(system, &omega, is_quadratic));
        findings.push(Finding::new(
            self.of_free("postulate: X ⌟ Ω = 0 ⇔ Lagrange"),
            "T-47",
            Some(routes.decide_postulate()),
            "contracting Ω gives Lagrange's equations, component by component",
            true,
        ));
        let hamilton = self.hamilton_finding(routes, regular);
        let canonical = hamilton.is_proved();
        findings.push(hamilton);
        findings.extend(self.judge_given(system));
        let forces = self.judge_forces(system);
        let conservation = self.conservation(system, regular);
        let Conservation {
            closed,
            mut conservative,
            mut cyclic,
            ..
        } = conservation;
        findings.extend(conservation.findings);
        let time_dependent =
            self.decide_time_dependent(system, &omega) | conservation.constraints_move;
        findings.extend(self.reference_findings());
        if regular && c.constraints.is_empty() {
            findings.extend(self.chart_findings(system));
            if !time_dependent && is_quadratic && n <= MAX_TIME_INDEPENDENT_DEGREES {
                let (verdict, detail) = self.judge_time_independent(system);
                let name = "three time-independent formulations agree";
                findings.push(Finding::new(name, "T-67", verdict, detail, true));
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

    /// Whether the accelerations computed in each declared chart are those of the model's own chart. (T-10)
    fn chart_findings(self, system: &System<'p>) -> Vec<Finding> {
        let charts = self.model.contents().charts.iter();
        let judged = charts.map(|chart| {
            let name = format!("chart {}: the equations transform", chart.name);
            let detail = "accelerations agree in both charts";
            Finding::new(name, "T-10", self.judge_chart(system, chart), detail, true)
        });
        judged.collect()
    }

    /// The name of a finding about Ω alone. Under constraints the system is given by Ω_c, and the finding is said to concern
    /// the free system.
    fn of_free(self, name: &str) -> String {
        match self.model.contents().constraints.is_empty() {
            true => name.to_owned(),
            false => format!("{name} (free system)"),
        }
    }

    /// The time structure, and the symmetry and definiteness of the metric. (T-5, T-6)
    fn metric_findings(self, system: &System<'p>) -> Vec<Finding> {
        let matrix = system.lagrangian().mass_matrix();
        let pairs = (0..matrix.rows().len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        let asymmetry: Vec<Expr<'p>> = pairs
            .map(|(i, j)| matrix.rows()[i][j] - matrix.rows()[j][i])
            .collect();
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
        vec![
            Finding::new(
                "time structure: dϑ = 0, ϑ ≠ 0",
                "T-5",
                Some(proved()),
                "ϑ = dt in the declared chart",
                true,
            ),
            Finding::new(
                "metric: g symmetric",
                "T-6",
                Some(decide_together(&asymmetry)),
                "gᵢⱼ = ∂²L/∂uⁱ∂uʲ",
                true,
            ),
            Finding::new(
                "metric: positive definite at the initial state",
                "T-6",
                definite,
                detail,
                false,
            ),
        ]
    }

    /// Whether the mass matrix is regular, and where it is not. (T-48)
    fn regular_finding(self, system: &System<'p>) -> Finding {
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
        let name = self.of_free("regular: det ∂²L/∂u∂u ≠ 0");
        Finding {
            generic,
            except,
            ..Finding::new(name, "T-48", Some(determined), detail, true)
        }
    }

    /// ∂Ω = 0, computed as a form or, for many coordinates, by the part of Ω that it determines. (T-23, T-24)
    fn action_form_finding(self, system: &System<'p>, omega: &Form<'p>, required: bool) -> Finding {
        let (verdict, detail) = if system.state().degrees_of_freedom() <= MAX_FORM_DEGREES {
            (system.state().del(omega).decide_zero(), "Ω = dω + ΣΦ")
        } else {
            // ∂Ω = 0 is what makes the dx∧dx-part of Ω the one that g and its field determine.
            let verdict = self.large_action_form(system, omega);
            (verdict, "through the gyroscopic part of Ω (T-23)")
        };
        let name = self.of_free("action form: ∂Ω = 0");
        Finding::new(name, "T-24", Some(verdict), detail, required)
    }

    /// Whether Hamilton's equations are Lagrange's, where velocities follow from momenta. (T-54)
    fn hamilton_finding(self, routes: &Routes<'p>, regular: bool) -> Finding {
        let verdict = match regular {
            true => routes.decide_hamilton(),
            false => None,
        };
        let detail = match (&verdict, routes.hamilton_route) {
            (Some(_), Some(route)) if !route.is_independent() => {
                "two routes compared, not three: ∂H/∂x is −∂L/∂x by T-52, since L is not quadratic in more than three velocities"
            }
            (Some(_), _) => "Hamilton's equations at p = ∂L/∂u are Lagrange's",
            (None, _) => "L is degenerate: velocities do not follow from momenta",
        };
        let name = self.of_free("Hamilton: ẋ = ∂H/∂p, ṗ = −∂H/∂x + F ⇔ Lagrange");
        Finding::new(name, "T-54", verdict, detail, true)
    }

    /// Whether dΩ = 0, the law of the energy, and which momenta and whether the energy are conserved.
    fn conservation(self, system: &System<'p>, regular: bool) -> Conservation {
        let answers = self.constraint_answers(system);
        let total = system.total_force();
        let potentials = total.potential_test();
        let forces = self.model.contents().forces.iter();
        let kinked: Vec<&str> = (forces.filter(|f| f.kinked))
            .map(|f| f.name.as_str())
            .collect();
        let away = match kinked.as_slice() {
            [] => String::new(),
            names => format!(", away from the kinks of {}", names.join(", ")),
        };
        let detail = match potentials.is_potential() {
            true => {
                let domain = self.domain_remark(&total);
                format!("all forces together have local potentials{away}{domain}")
            }
            false => format!("the forces together have no potentials{away}"),
        };
        let verdict = match &potentials {
            PotentialTest::Potential { verdict, .. } => verdict.clone(),
            PotentialTest::NotPotential(f) => f.verdict.clone(),
        };
        let closed =
            |name: &str| Finding::new(name, "T-33", Some(verdict.clone()), detail.clone(), false);
        match answers {
            None => Conservation {
                closed: potentials.is_potential(),
                ..self.free_conservation(system, regular, closed("closed: dΩ = 0"))
            },
            Some(answers) => {
                let alone = closed("free system, without the constraints: dΩ = 0");
                constrained_conservation(answers, alone)
            }
        }
    }

    /// Conservation in a system without constraints. (T-49, T-50, T-120)
    fn free_conservation(
        self,
        system: &System<'p>,
        regular: bool,
        closed: Finding,
    ) -> Conservation {
        let assumptions = self.model.assumptions();
        let residual = system.energy_residual().decide_zero();
        let mut findings = vec![
            Finding::new(
                "energy: dE/dt = −∂L/∂t + uⁱFᵢ",
                "T-50",
                Some(residual),
                "E = uⁱ∂L/∂uⁱ − L",
                true,
            ),
            closed,
        ];
        let momenta = self.cyclic(system, &assumptions);
        findings.extend(momenta.iter().map(|(name, verdict)| {
            let name = format!("conserved: p({name})");
            let detail = "∂L/∂x + F = 0 for this coordinate";
            Finding::new(name, "T-49", Some(verdict.clone()), detail, false)
        }));
        let rate = Query::zero(system.energy_rate()).assuming(&assumptions);
        let rate = rate.decide().verdict;
        let conservative = rate.is_proved();
        let detail = match conservative {
            true => "−∂L/∂t + uⁱFᵢ = 0",
            false => "the energy changes at the rate −∂L/∂t + uⁱFᵢ",
        };
        findings.push(Finding::new(
            "conserved: E",
            "T-50",
            Some(rate),
            detail,
            false,
        ));
        let (verdict, detail) = self.judge_inverse(system, regular);
        findings.push(Finding::new(INVERSE, "T-120", verdict, detail, false));
        Conservation {
            findings,
            closed: false,
            conservative,
            cyclic: momenta.into_iter().map(|c| c.0).collect(),
            constraints_move: false,
        }
    }

    /// Whether the inertia forces of the reference fields are those of the system. (T-41)
    fn reference_findings(self) -> Vec<Finding> {
        let references = self.model.contents().references.iter();
        let judged = references.filter_map(|r| {
            let (verdict, detail) = self.judge_reference(&self.model.exprs(&r.components))?;
            let name = format!("inertia forces with respect to {}", r.name);
            Some(Finding::new(name, "T-41", Some(verdict), detail, true))
        });
        judged.collect()
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
