//! What holds for the constraints of a model and for its motion under them.

use galilei_expr::{Assumptions, Expr, Query, Reason, Verdict, generic_rank};
use galilei_geometry::Integrability;
use galilei_mechanics::{
    AdmissibleCodistribution, ConstrainedSystem, Dependence, Inadmissible, Reaction, ReducedSystem,
    ReferenceField, System, decide_together,
};

use crate::construction::Constructions;
use crate::contents::{Contents, Level};
use crate::diagnostic::Diagnostic;
use crate::judge::{Finding, JudgedConstraints, Status, proved};
use crate::model::Model;

/// Coordinates and constraints together up to which constrained motion is written out for proofs.
const WRITTEN_OUT: usize = 48;
/// Coordinates up to which solutions are compared; beyond, the equations they solve are.
const SOLVED: usize = 5;
/// Coordinates up to which the Hamiltonian is written out.
const CANONICAL: usize = 12;

/// The answers about constraints.
pub(crate) struct ConstraintAnswers {
    pub(crate) findings: Vec<Finding>,
    /// Whether the energy is conserved along the constrained motion; `None` if that was not asked.
    pub(crate) energy: Option<Verdict>,
}

impl Model {
    /// The summary of the contract.
    pub(crate) fn judge_constraints<'p>(
        &'p self,
        system: &System<'p>,
        c: &Contents<Expr<'p>>,
        diagnostics: &[Diagnostic],
    ) -> Option<JudgedConstraints> {
        if c.constraints.is_empty() {
            return None;
        }
        let admissible = !diagnostics
            .iter()
            .any(|d| d.code.starts_with("inadmissible_constraint"));
        let regular = admissible
            && !diagnostics.iter().any(|d| {
                d.code == "constrained_dynamics_not_unique" || d.code == "degenerate_lagrangian"
            });
        // Kinds and integrability do not need independence.
        let u = system.state().velocities();
        let mut curvature = Vec::new();
        for f in c.constraints.iter().filter(|f| f.level == Level::Velocity) {
            let h = f.function.hessian(u);
            curvature.extend(
                (0..u.len())
                    .flat_map(|i| (0..=i).map(move |j| (i, j)))
                    .map(|(i, j)| h[i][j]),
            );
        }
        let linear = decide_together(&curvature).is_proved();
        let holonomic = || c.constraints.iter().all(|f| f.level == Level::Position);
        let frobenius = || match self.codistribution(system) {
            Some(Ok(d)) => matches!(d.integrability(), Some(Integrability::Integrable(_))),
            _ => false,
        };
        Some(JudgedConstraints {
            count: c.constraints.len(),
            admissible,
            linear,
            integrable: linear && (holonomic() || frobenius()),
            regular,
        })
    }

    /// Everything that is asked about constrained motion; `None` without constraints.
    pub(crate) fn constraint_answers<'p>(
        &'p self,
        system: &System<'p>,
    ) -> Option<ConstraintAnswers> {
        let constructions = match self.constructions(system)? {
            Ok(found) => found,
            Err(why) => {
                let verdict = match why {
                    Inadmissible::Undecided(v) => v,
                    _ => Verdict::Refuted(galilei_expr::Witness::default()),
                };
                let finding = finding(ADMISSIBLE, "T-82", Some(verdict), String::new(), true);
                return Some(ConstraintAnswers {
                    findings: vec![finding],
                    energy: None,
                });
            }
        };
        Some(self.ask(&constructions))
    }

    fn ask<'p>(&'p self, found: &Constructions<'p>) -> ConstraintAnswers {
        let constrained = &found.constrained;
        let d = constrained.codistribution();
        let n = constrained.state().degrees_of_freedom();
        let mut out = vec![finding(
            ADMISSIBLE,
            "T-82",
            Some(d.admissible().verdict.clone()),
            "the constraints are independent almost everywhere".into(),
            true,
        )];
        self.ask_kind(found, &mut out);
        let small = n + d.count() <= WRITTEN_OUT;
        out.push(self.ask_regular(found));
        let reaction = if small {
            constrained.ideal().ok()
        } else {
            None
        };
        let (verdict, detail) = match (&found.reduced, small) {
            (Err(why), _) => (None, format!("{why}: construction B alone")),
            (Ok(_), false) => {
                let why = Verdict::Undecided(Reason::OutOfReach(LARGE));
                (Some(why), LARGE.into())
            }
            (Ok(reduced), true) => {
                let names = self.velocity_names(reduced.solved().dependent());
                let detail = format!("solved for {names}, and by the ideal reaction");
                (Some(Self::ask_agreement(reduced, constrained, n)), detail)
            }
        };
        out.push(finding(AGREE, "T-94", verdict, detail, true));
        // Solved where that is short; the identity behind it for any size.
        let unsolved = constrained.decide_gauss_unsolved();
        let verdict = match &reaction {
            Some(r) if n <= SOLVED => match constrained.decide_gauss(r) {
                Ok(v) if v.is_proved() || v.is_refuted() => unsolved.and(v),
                _ => unsolved,
            },
            _ => unsolved,
        };
        let verdict = Some(verdict);
        let definite = self.definite(constrained.system(), self.initial_state().ok().as_ref());
        let detail = match definite {
            Some(Verdict::Certified) => "a minimum: m is positive definite at the initial state",
            _ => "stationary: m is not known to be positive definite",
        };
        out.push(finding(GAUSS, "T-86", verdict, detail.into(), true));
        let (verdict, detail) = Self::ask_canonical(constrained, reaction.as_ref(), n);
        out.push(finding(CANONICAL_IMAGE, "T-98", verdict, detail, true));
        let energy = self.ask_power(found, reaction.as_ref(), &mut out);
        ConstraintAnswers {
            findings: out,
            energy,
        }
    }

    fn velocity_names(&self, dependent: &[usize]) -> String {
        let c = self.contents();
        let names = dependent.iter();
        let names: Vec<String> = names
            .map(|&k| format!("{}'", c.coordinates[k].name))
            .collect();
        names.join(", ")
    }

    fn ask_kind<'p>(&'p self, found: &Constructions<'p>, out: &mut Vec<Finding>) {
        let d = found.constrained.codistribution();
        let affine = d.decide_affine();
        let kind = d.dependence();
        let detail = match kind {
            Some(kind) => format!("{kind} in the velocities"),
            None => "it could not be decided how they depend on the velocities".into(),
        };
        out.push(finding(
            "constraints: affine in the velocities",
            "T-71",
            Some(affine),
            detail,
            false,
        ));
        let (verdict, detail) = match (&found.reduced, d.integrability()) {
            (_, None) => (None, "the constraints are not affine".to_owned()),
            (_, Some(Integrability::NotIntegrable { verdict, .. })) => {
                (Some(verdict), "not from equations between positions".into())
            }
            (reduced, Some(Integrability::Integrable(v) | Integrability::Undecided(v))) => {
                // The same question, asked of the solved form: 𝒩_N = 0.
                let flat = match reduced {
                    Ok(r) if d.forms().len() <= 3 => r.solved().curvature().decide_zero(),
                    _ => v.clone(),
                };
                (Some(v.and(flat)), integrals(d))
            }
        };
        out.push(finding(
            "constraints: integrable, 𝒩_N = 0",
            "T-75",
            verdict,
            detail,
            false,
        ));
    }

    /// det M_αβ ≠ 0 on J¹_σ, or, without a solved form, [m ṡᵀ; ṡ 0] regular.
    fn ask_regular<'p>(&'p self, found: &Constructions<'p>) -> Finding {
        let (rows, detail) = match &found.reduced {
            Ok(reduced) => (
                reduced.regularity_matrix().rows().to_vec(),
                "M_αβ is regular: the constraints determine the motion",
            ),
            Err(_) => (
                found.constrained.augmented().0.rows().to_vec(),
                "[m ṡᵀ; ṡ 0] is regular: the constraints determine the motion",
            ),
        };
        let rank = generic_rank(&rows, &self.assumptions());
        let verdict = match (rank.rank == rows.len(), rank.verdict) {
            (true, v) => v,
            (false, v) if v.is_proved() => Verdict::Refuted(galilei_expr::Witness::default()),
            (false, v) => v,
        };
        finding(
            "constraints: regular, det M ≠ 0",
            "T-79",
            Some(verdict),
            detail.into(),
            true,
        )
    }

    fn ask_agreement<'p>(
        reduced: &ReducedSystem<'p>,
        constrained: &ConstrainedSystem<'p>,
        n: usize,
    ) -> Verdict {
        let unsolved = reduced.decide_agreement_unsolved(constrained);
        if n > SOLVED || !unsolved.is_proved() {
            return unsolved;
        }
        match reduced.decide_agreement(constrained) {
            Ok(v) if v.is_proved() || v.is_refuted() => unsolved.and(v),
            // The equations are the same; their solutions were too intricate to compare.
            _ => unsolved,
        }
    }

    fn ask_canonical<'p>(
        constrained: &ConstrainedSystem<'p>,
        reaction: Option<&Reaction<'p>>,
        n: usize,
    ) -> (Option<Verdict>, String) {
        if n > CANONICAL {
            let why = Verdict::Undecided(Reason::OutOfReach(LARGE));
            return (Some(why), LARGE.into());
        }
        let (Some(canonical), Some(reaction)) = (constrained.system().canonical(), reaction) else {
            let why = "H has no closed form: L is not quadratic in the velocities, or degenerate";
            return (None, why.into());
        };
        let below = constrained.canonical(&canonical);
        let unsolved = constrained.decide_legendre_image_unsolved(&below);
        let detail = "βᵃ = Ĥ*sᵃ, at p = ∂L/∂u".to_owned();
        if n > SOLVED || !unsolved.is_proved() {
            return (Some(unsolved), detail);
        }
        let verdict = match below.ideal() {
            Ok(solution) => match constrained.decide_legendre_image(reaction, &solution) {
                v if v.is_proved() || v.is_refuted() => unsolved.and(v),
                // The equations are the same; their solutions were too intricate to compare.
                _ => unsolved,
            },
            Err(why) => return (None, why.to_string()),
        };
        (Some(verdict), detail)
    }

    /// The power of the reactions with respect to the chart, and to the frame of the constraints where
    /// that is another one; and whether the energy is conserved with them.
    fn ask_power<'p>(
        &'p self,
        found: &Constructions<'p>,
        reaction: Option<&Reaction<'p>>,
        out: &mut Vec<Finding>,
    ) -> Option<Verdict> {
        let constrained = &found.constrained;
        let base = constrained.state().base();
        let assumptions = self.assumptions();
        let rest = ReferenceField::resting(base);
        let idle = powerless(found, reaction, &rest, &assumptions);
        let detail = match &idle {
            Verdict::Proved(_) => "the reactions do no work".to_owned(),
            Verdict::Refuted(_) => "the reactions do work, λₐuⁱ∂fᵃ/∂uⁱ".into(),
            Verdict::Undecided(why) => why.to_string(),
            _ => "the reactions were not seen to do work".into(),
        };
        out.push(finding(
            "power of reactions: uⁱFᶜᵢ = 0",
            "T-93",
            Some(idle.clone()),
            detail,
            false,
        ));
        let affine = constrained.codistribution().dependence() == Some(Dependence::Affine);
        if affine && constrained.state().degrees_of_freedom() <= CANONICAL {
            let frame = constrained.constraint_frame();
            let verdict = frame.map(|f| powerless(found, reaction, &f, &assumptions));
            out.push(finding(
                "power of reactions: (uⁱ − Γⁱ)Fᶜᵢ = 0, fᵃ₀ + fᵃᵢΓⁱ = 0",
                "T-93",
                verdict,
                "with respect to the frame of the constraints".into(),
                false,
            ));
        }
        // dE/dt = −∂L/∂t + uⁱFᵢ + uⁱFᶜᵢ, where the constraints hold.
        let applied = constrained.system().energy_rate();
        let onto = |e: Expr<'p>| match &found.reduced {
            Ok(reduced) => reduced.solved().embedding().pullback(&e),
            Err(_) => e,
        };
        let zero = |e: Expr<'p>| Query::zero(e).assuming(&assumptions).decide().verdict;
        if idle.is_proved() {
            let rate = zero(onto(applied));
            return (rate.is_proved() || found.reduced.is_ok()).then_some(rate);
        }
        let (Ok(_), Some(reaction)) = (&found.reduced, reaction) else {
            return None;
        };
        Some(zero(onto(applied + constrained.power(reaction, &rest))))
    }
}

/// Whether the reactions do no work with respect to a frame, wherever the constraints hold: λ_a is
/// multiplied by ṡᵃᵢ(u − Γ)ⁱ, which vanishes on J¹_σ or is a multiple of fᵃ; or the power does.
fn powerless<'p>(
    found: &Constructions<'p>,
    reaction: Option<&Reaction<'p>>,
    frame: &ReferenceField<'p>,
    assumptions: &Assumptions<'p>,
) -> Verdict {
    let constrained = &found.constrained;
    let factors = constrained.power_factors(frame);
    let zero = |e: Expr<'p>| Query::zero(e).assuming(assumptions).decide().verdict;
    // Euler: homogeneous functions of the velocities.
    let functions = constrained.codistribution().functions();
    let homogeneous = factors.iter().zip(functions.into_iter().flatten());
    let multiple = |(&p, f): (&Expr<'p>, Expr<'p>)| {
        let degrees = (1..=4).map(|k| zero(p - k * f));
        degrees.into_iter().find(Verdict::is_proved)
    };
    let verdicts: Vec<Option<Verdict>> = homogeneous.map(multiple).collect();
    if verdicts.len() == factors.len() && verdicts.iter().all(Option::is_some) {
        return verdicts.into_iter().flatten().fold(proved(), Verdict::and);
    }
    let Ok(reduced) = &found.reduced else {
        return Verdict::Undecided(Reason::OutOfReach(
            "the constraints were not solved for velocities",
        ));
    };
    let i = reduced.solved().embedding();
    let below: Vec<Expr<'p>> = factors.iter().map(|e| i.pullback(e)).collect();
    let each = decide_together(&below);
    if each.is_proved() {
        return each;
    }
    match reaction {
        Some(r) => zero(i.pullback(&constrained.power(r, frame))),
        None => Verdict::Undecided(Reason::OutOfReach(LARGE)),
    }
}

/// The integrals that were found, as text.
fn integrals(d: &AdmissibleCodistribution<'_>) -> String {
    let found = d.evident_integrals();
    let all: Option<Vec<String>> = found
        .into_iter()
        .map(|h| h.map(|h| format!("{} = const", crate::judge::short(h))))
        .collect();
    match all {
        Some(list) => format!("from positions: {}", list.join(", ")),
        None => "from equations between positions, not found in closed form".into(),
    }
}

const ADMISSIBLE: &str = "constraints: admissible, rank ∂f/∂u = c";
const AGREE: &str = "constraints: i_ΓΩ_Γ = 0 on J¹_σ ⇔ ideal reaction";
const GAUSS: &str = "Gauss: G(ζ) = G(ξ̃) + m(ξ̃ − ζ, ξ̃ − ζ) if sᵃ(ζ) = 0";
const CANONICAL_IMAGE: &str = "constraints: Hamilton with reactions ⇔ Lagrange";
const LARGE: &str = "the model is too large for this proof";

fn finding(
    name: &str,
    theorem: &'static str,
    verdict: Option<Verdict>,
    detail: String,
    required: bool,
) -> Finding {
    Finding {
        name: name.to_owned(),
        theorem,
        status: verdict.map_or(Status::NotApplicable, Status::Verdict),
        detail,
        required,
    }
}
