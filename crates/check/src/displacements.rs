//! Virtual displacements of the file: whether constraints admit them, and their virtual work.

use galilei_expr::{Reason, Verdict};
use galilei_mechanics::{OnSheets, SecondOrderField, VirtualDisplacement};

use crate::Checker;
use crate::finding::Finding;

/// Coordinates up to which the motion is solved for and displaced.
const MAX_SOLVED_COORDINATES: usize = 5;

const LARGE: &str = "the model is too large for this proof";

/// A variation of the file and what holds for it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct JudgedVariation<'p> {
    /// Its name.
    pub name: String,
    /// The complete lift of its components.
    pub displacement: VirtualDisplacement<'p>,
    /// The explanation that derivations print.
    pub remark: String,
    findings: Vec<Finding>,
}

impl<'p> Checker<'p> {
    /// The variations of the file: the central equation for them, whether constraints admit them, and whether the
    /// motion has no virtual work on them. (T-57 … T-61, T-81)
    pub fn variations(self) -> Vec<JudgedVariation<'p>> {
        let list = &self.model.contents().variations;
        if list.is_empty() {
            return vec![];
        }
        let system = self.model.system();
        let state = system.state();
        let n = state.degrees_of_freedom();
        let set = match self.model.codistribution(&system) {
            Some(Ok(_)) => self.model.constraint_set(&system),
            _ => None,
        };
        let along = self.model.reaction_covectors(&system);
        let motions = set.as_ref().map(|set| self.motions(&system, set, &along));
        let free = SecondOrderField::new(state, system.acceleration_symbols());
        let mut out = Vec::new();
        for v in list {
            let components = self.model.exprs(&v.components);
            // The components of a variation are functions of (t, x), or the file is not read.
            let Ok(y) = VirtualDisplacement::complete_lift(state, components) else {
                continue;
            };
            let named = |what: &str| format!("variation {}: {what}", v.name);
            let mut findings = Vec::new();
            let central = system.central_equation(&y, |e| free.rate(e)).lagrange();
            let identity = central.decide_equal(system.virtual_work(&free, &y));
            let detail = "δu = ∂ₜδx + uʲ∂ⱼδx, the complete lift, is in Virt_Z for every motion";
            findings.push(Finding::new(
                named("Lagrange's central equation is Ω(Z, Y) = 0"),
                "T-61",
                Some(identity),
                detail,
                true,
            ));
            let mut remark = "the complete lift of δx(t, x)".to_owned();
            let (Some(set), Some(motions)) = (&set, &motions) else {
                if self.model.contents().constraints.is_empty() {
                    let work = system
                        .lagrange()
                        .ok()
                        .filter(|_| n <= MAX_SOLVED_COORDINATES);
                    let work = work.map(|z| system.virtual_work(&z, &y).decide_zero());
                    let name = named("no virtual work on the motion, Ω(Z, Y) = 0");
                    let work = work.unwrap_or_else(too_large);
                    findings.push(Finding::new(
                        name,
                        "T-59",
                        Some(work),
                        "",
                        n <= MAX_SOLVED_COORDINATES,
                    ));
                }
                out.push(JudgedVariation {
                    name: v.name.clone(),
                    displacement: y,
                    remark,
                    findings,
                });
                continue;
            };
            let decide = |of: &dyn Fn(usize) -> Verdict| {
                OnSheets::of((0..motions.len()).map(of).collect(), set.complete)
            };
            let admissible = decide(&|k| match &motions[k].constrained {
                Some(c) => set.decide_all_zero_on(k, &c.chetaev_conditions(&y)),
                None => Verdict::Undecided(Reason::OutOfReach(
                    "the constraints are not independent there",
                )),
            });
            let (detail, said) = match &admissible.verdict {
                _ if admissible.is_proved() => ("the constraints admit it", "; admissible"),
                v if v.is_refuted() => ("it leaves the constraints", "; not admissible"),
                _ => ("not decided everywhere", ""),
            };
            remark.push_str(said);
            let name = named("admissible, (∂fᵃ/∂uⁱ)δxⁱ = 0");
            findings.push(Finding::new(
                name,
                "T-81",
                Some(admissible.verdict),
                detail,
                false,
            ));
            let work = decide(
                &|k| match (&motions[k].reaction, n <= MAX_SOLVED_COORDINATES) {
                    (Some(r), true) => set.decide_zero_on(k, y.pair(r.force.components())),
                    _ => too_large(),
                },
            );
            let detail = match &work.verdict {
                _ if work.is_proved() => "the reactions do no work on it: Ω(Z, Y) = 0 without them",
                v if v.is_refuted() => "the reactions do work on it, Fᶜᵢδxⁱ",
                _ => "not decided",
            };
            let name = named("no virtual work of reactions, Fᶜᵢδxⁱ = 0");
            findings.push(Finding::new(
                name,
                "T-85",
                Some(work.verdict),
                detail,
                false,
            ));
            out.push(JudgedVariation {
                name: v.name.clone(),
                displacement: y,
                remark,
                findings,
            });
        }
        out
    }

    /// The findings about the variations of the file.
    pub(crate) fn variation_findings(self) -> Vec<Finding> {
        let list = self.variations().into_iter();
        list.flat_map(|v| v.findings).collect()
    }
}

fn too_large() -> Verdict {
    Verdict::Undecided(Reason::OutOfReach(LARGE))
}
