//! The inverse problem: whether the equations of motion come from a Lagrangian with the given mass matrix.

use galilei_expr::{Reading, Reason, Verdict};
use galilei_mechanics::{
    InverseFailure, PotentialTest, System, decide_inverse_problem, whole_lagrangian,
};

use crate::Checker;
use crate::forces::{short, why_not_potential};

/// Degrees of freedom up to which accelerations are written out for it.
const MAX_FREEDOM: usize = 3;

/// Degrees of freedom up to which the Lagrangian is written out.
const MAX_WRITTEN: usize = 8;

impl<'p> Checker<'p> {
    /// Whether m(ẍ − ξ) = 0 comes from a Lagrangian, locally: (m, ξ) is Newtonian and mᵢₖΦᵏⱼ is symmetric with
    /// the Jacobi endomorphism Φ; the detail names L, or the condition that fails. In larger systems it is decided by
    /// dΩ = 0. (T-120)
    pub(super) fn judge_inverse(
        self,
        system: &System<'p>,
        regular: bool,
    ) -> (Option<Verdict>, String) {
        if !regular {
            return (None, "L is degenerate".into());
        }
        let n = system.state().degrees_of_freedom();
        let field = (n <= MAX_FREEDOM).then(|| system.lagrange().ok()).flatten();
        let Some(field) = field else {
            return self.judge_inverse_by_forces(system);
        };
        let m = system.lagrangian().mass_matrix();
        match decide_inverse_problem(&m, &field) {
            Ok(verdict) => {
                let forces = self.model.contents().forces.iter();
                let kinked: Vec<&str> = forces
                    .filter(|f| f.kinked)
                    .map(|f| f.name.as_str())
                    .collect();
                if !kinked.is_empty() {
                    let detail = format!(
                        "away from the kinks of {}, with another Lagrangian on each side of them",
                        kinked.join(", ")
                    );
                    return (Some(verdict), detail);
                }
                let detail = "(m, ξ) is Newtonian and mΦ symmetric, Φ the Jacobi endomorphism";
                (
                    Some(verdict),
                    format!("{detail}; {}", self.lagrangian_found(system)),
                )
            }
            Err(InverseFailure {
                condition,
                defect,
                verdict,
            }) => {
                let detail = match &verdict {
                    Verdict::Refuted(_) => {
                        format!("no Lagrangian has this mass matrix: {condition}; it is {defect}")
                    }
                    other => format!("{condition}: could not be decided ({other})"),
                };
                (Some(verdict), detail)
            }
        }
    }

    /// The answer by dΩ = 0, which needs no accelerations.
    fn judge_inverse_by_forces(self, system: &System<'p>) -> (Option<Verdict>, String) {
        match system.total_force().potential_test() {
            PotentialTest::Potential { verdict, .. } => {
                let detail = format!("dΩ = 0; {}", self.lagrangian_found(system));
                (Some(verdict), detail)
            }
            PotentialTest::NotPotential(failure) => {
                let c = self.model.contents().coordinates.iter();
                let names: Vec<String> = c.map(|c| c.name.clone()).collect();
                let why = why_not_potential(&failure, &names);
                match failure.verdict.is_refuted() {
                    true => (
                        Some(failure.verdict),
                        format!("no Lagrangian has this mass matrix: dΩ ≠ 0, {why}"),
                    ),
                    false => {
                        let why = Reason::OutOfReach("dΩ = 0 could not be decided");
                        (Some(Verdict::Undecided(why)), why.to_string())
                    }
                }
            }
        }
    }

    /// The Lagrangian of the whole system in words.
    fn lagrangian_found(self, system: &System<'p>) -> String {
        let forces = system.total_force();
        if system.state().degrees_of_freedom() > MAX_WRITTEN {
            return "L is not written out for so many degrees of freedom".into();
        }
        if forces.components().iter().all(|f| f.is_zero()) {
            return "it is L of the model".into();
        }
        match whole_lagrangian(system) {
            Some(l) => format!("L = {}", short(l.function().present(&Reading::new()))),
            None => "no closed form of L was found".into(),
        }
    }
}
