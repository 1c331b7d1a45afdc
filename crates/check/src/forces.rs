//! Forces: whether they have potentials, and which.

use galilei_expr::{Expr, Reading, Verdict};
use galilei_mechanics::{Condition, Failure, PotentialTest, System, decide_together};

use crate::Checker;

/// The remark on a force with kinks in the velocities.
const PIECEWISE: &str = "affine in the velocities only between kinks";

/// A force with the verdict on its potentials.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct JudgedForce<'p> {
    /// Its name.
    pub name: String,
    /// Whether it has potentials: proved, refuted, or open.
    pub verdict: Verdict,
    /// The reason for the verdict, with the first failing condition.
    pub reason: String,
    /// V and A, where found in closed form.
    pub potentials: Option<(Expr<'p>, Vec<Expr<'p>>)>,
}

impl<'p> Checker<'p> {
    pub(super) fn judge_forces(self, system: &System<'p>) -> Vec<JudgedForce<'p>> {
        let c = self.model.contents();
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
                        let domain = self.domain(force, found.as_ref());
                        let holes = domain.holes.join(" and ");
                        let form = match &found {
                            Some(_) => "",
                            None => "; no closed form of V and A was found",
                        };
                        let reason = match (holes.is_empty(), &domain.period) {
                            (true, _) if found.is_some() => format!(
                                "P1 to P4 hold{away}; V and A are local to a star-shaped domain"
                            ),
                            (true, _) => format!("P1 to P4 hold{away}{form}"),
                            (false, _) if domain.exact => format!(
                                "P1 to P4 hold{away}; V and A hold wherever the force is defined"
                            ),
                            (false, Some(why)) => format!(
                                "P1 to P4 hold{away}: potentials exist locally; the domain leaves out {holes}, so it is not star-shaped: {why}{form}"
                            ),
                            (false, None) => format!(
                                "P1 to P4 hold{away}: potentials exist locally; the domain leaves out {holes}, so it is not star-shaped{form}"
                            ),
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

    /// V and A about the origin, or about a point where the force is defined, in a short form.
    pub(super) fn potentials(
        self,
        force: &galilei_mechanics::Force<'p>,
    ) -> Option<(Expr<'p>, Vec<Expr<'p>>)> {
        let n = force.components().len();
        let (zero, one) = (self.model.pool().zero(), self.model.pool().one());
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
                let reading = Reading::new().assuming(&self.model.assumptions());
                let vector = p.vector.iter().map(|a| a.present(&reading)).collect();
                return Some((p.scalar.present(&reading), vector));
            }
        }
        None
    }
}

/// The reason why a force has no potentials: the first condition of T-32 that fails, and by how much.
pub fn why_not_potential(failure: &Failure<'_>, names: &[String]) -> String {
    let at = |k: usize| {
        let i = failure.indices.get(k).copied().unwrap_or(0);
        names.get(i).map_or("?", String::as_str)
    };
    let (a, b, c) = (at(0), at(1), at(2));
    let d = short(failure.defect);
    let claim = match failure.condition {
        Condition::P1 => match failure.indices.len() {
            1 => format!("{PIECEWISE}, F_{a} − u·∂F_{a}/∂u varies by {d}"),
            2 => format!("{PIECEWISE}, ∂F_{a}/∂{b}' varies by {d}"),
            _ => format!("not affine in the velocities, ∂²F_{a}/∂{b}'∂{c}' = {d}"),
        },
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
