//! Very large models: the time their proofs would take, and the findings without them.

use galilei_expr::Verdict;
use galilei_mechanics::System;
use galilei_model::{Code, Diagnostic, Regularity, term_count};

use crate::Checker;
use crate::check::{Check, proved};
use crate::constraints::{CLOSED, ENERGY_LAW};
use crate::finding::Finding;
use crate::forces::JudgedForce;

/// Seconds that the proofs of `check` may take, by the estimate of [`Checker::seconds`].
pub(super) const MAX_SECONDS: f64 = 10.0;
/// The work that is done in a second of one core of a usual machine, in the units of that estimate.
const WORK_PER_SECOND: f64 = 4e6;
const REASON: &str = "the proofs would take longer than their budget of 10 s";

impl<'p> Checker<'p> {
    /// An estimate of the seconds that the proofs take on one core: forms have n² components, each with the size
    /// of what it is derived from.
    pub(super) fn seconds(self, system: &System<'_>) -> f64 {
        let n = system.state().degrees_of_freedom() as f64;
        let mut parts = vec![system.lagrangian().function()];
        parts.extend(
            system
                .forces()
                .iter()
                .flat_map(|f| f.1.components().to_vec()),
        );
        let size = term_count(parts) as f64;
        (n.powi(3) + n * n * size / 32.0 + 300.0 * size) / WORK_PER_SECOND
    }

    /// The findings about a very large model: its regularity and its constraints. The proofs are
    /// left undecided, with the reason.
    pub(super) fn check_in_part(self, system: &System<'p>, seconds: f64) -> Check<'p> {
        const REGULAR: &str = "regular: det ∂²L/∂u∂u ≠ 0";
        let mut validation = self.model.validation();
        let c = self.model.contents();
        validation.diagnostics.push(Diagnostic::warning(
            Code::CheckInPart,
            format!(
                "the proofs about {} coordinates would take about {seconds:.0} s, more than the {MAX_SECONDS} s of their budget: only regularity and constraints are checked",
                c.coordinates.len()
            ),
            "the same model with fewer members is checked in full: --set n=8",
            None,
        ));
        let undecided = || Verdict::Undecided(galilei_expr::Reason::OutOfReach(REASON));
        let regular = validation.lagrangian == Regularity::Regular;
        let extended = |d: &Diagnostic| d.code == Code::NotAnActionFormInStrictSense;
        let is_quadratic = !validation.diagnostics.iter().any(extended);
        let finding = |name: &str, theorem: &'static str, verdict: Verdict, required: bool| {
            let detail = match &verdict {
                Verdict::Undecided(_) => REASON,
                _ => "",
            };
            Finding::new(name, theorem, Some(verdict), detail, required)
        };
        let (generic, except) = self.mass_locus(system).0.scope();
        let mut findings = vec![
            finding("time structure: dϑ = 0, ϑ ≠ 0", "T-5", proved(), true),
            match regular {
                true => Finding {
                    generic,
                    except,
                    ..finding(REGULAR, "T-48", proved(), true)
                },
                false => finding(REGULAR, "T-48", undecided(), true),
            },
            finding("action form: ∂Ω = 0", "T-24", undecided(), is_quadratic),
            finding("postulate: X ⌟ Ω = 0 ⇔ Lagrange", "T-47", undecided(), true),
            finding(
                "Hamilton: ẋ = ∂H/∂p, ṗ = −∂H/∂x + F ⇔ Lagrange",
                "T-54",
                undecided(),
                true,
            ),
        ];
        match c.constraints.is_empty() {
            true => findings.extend([
                finding("energy: dE/dt = −∂L/∂t + uⁱFᵢ", "T-50", undecided(), true),
                finding("closed: dΩ = 0", "T-33", undecided(), false),
            ]),
            false => findings.extend([
                finding(ENERGY_LAW, "T-92", undecided(), true),
                finding(CLOSED, "T-105", undecided(), false),
            ]),
        }
        let asked = c.symmetries.iter().map(|s| {
            let name = format!("symmetry {}", s.name);
            finding(&name, "T-111", undecided(), false)
        });
        findings.extend(asked);
        findings.extend(self.unasked_variational(system));
        let asked = c.variations.iter().map(|v| {
            let name = format!("variation {}", v.name);
            finding(&name, "T-61", undecided(), false)
        });
        findings.extend(asked);
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
            || (system.forces().iter()).any(|(_, f)| f.components().iter().any(|e| e.contains(t)))
            || c.constraints
                .iter()
                .any(|f| self.model.expr(f.function).contains(t));
        Check {
            ok: Check::all_required(&findings, &validation.diagnostics),
            dimension: c.coordinates.len(),
            time_dependent,
            closed: system.forces().is_empty() && c.constraints.is_empty(),
            quadratic: is_quadratic,
            findings,
            forces,
            constraints: self.judge_constraints(system, c, &validation),
            symmetries: vec![],
            cyclic: vec![],
            conservative: false,
            diagnostics: validation.diagnostics,
        }
    }
}
