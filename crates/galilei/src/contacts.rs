//! Warnings about runs with contacts, friction and impacts.

use galilei_analyse::ContactCode;
use galilei_integrate::{Error as RunError, Run, Situation, Status};
use galilei_lower::Parameters;
use galilei_model::{Code, Diagnostic, Model};

/// The residual of the impulses of a step above which a run has a warning.
const MAX_RESIDUAL: f64 = 1e-9;

/// The hint where the limit of a friction element is negative.
const NEGATIVE_LIMIT: &str = "the limit is the largest size of the force, so it is not negative: write `max(0, …)` where the element lets go";

/// Contact and friction of a model at a state, x then u: which contacts are closed, what sticks, with which forces and
/// accelerations. A failure is a warning, since everything else about the state is known.
///
/// # Errors
/// Where the contacts have no numbers.
pub(crate) fn situation(
    model: &Model,
    time: f64,
    state: &[f64],
) -> Result<Result<Situation, Diagnostic>, Vec<Diagnostic>> {
    let (code, _) = ContactCode::new(model, Parameters::Constant)?;
    Ok(code.situation(time, state).map_err(|why| {
        let (number, hint) = match why {
            RunError::Penetration => (
                Code::ContactPenetrated,
                "gaps are positive or zero; a gap of zero is a closed contact",
            ),
            RunError::NegativeFriction => (Code::NegativeFriction, NEGATIVE_LIMIT),
            _ => (
                Code::ContactNotUnique,
                "less friction, or a spring between the bodies, determines the motion",
            ),
        };
        Diagnostic::warning(number, format!("at t = {time:?}: {why}"), hint, None)
    }))
}

/// The warning that contact and friction do not determine the motion, with what causes it.
fn not_unique(run: &Run) -> Diagnostic {
    let time = run.time;
    let none = "have no solution, or several";
    let (message, hint) = match &run.contacts.undetermined {
        Some(u) if u.by_friction => (
            format!(
                "at t = {time:?} the equations of contact and friction {none}: the friction of {} is too large (Painlevé's paradox)",
                u.friction.join(", ")
            ),
            "rigid bodies with Coulomb friction do not determine the motion there: less friction, or a spring between the bodies, does",
        ),
        Some(u) if u.friction.is_empty() => (
            format!(
                "at t = {time:?} the equations of the contacts {} {none}",
                u.contacts.join(", ")
            ),
            "the contacts contradict each other or the constraints there; let one of them give way by a spring",
        ),
        Some(u) if u.contacts.is_empty() => (
            format!(
                "at t = {time:?} the equations of the friction of {} {none}",
                u.friction.join(", ")
            ),
            "a limit that grows with the friction itself, through a multiplier, may have no solution: a smaller coefficient has",
        ),
        found => {
            let names = found.as_ref().map_or_else(String::new, |u| {
                let mut names = u.contacts.clone();
                names.extend(
                    u.friction
                        .iter()
                        .filter(|n| !u.contacts.contains(n))
                        .cloned(),
                );
                format!(" of {}", names.join(", "))
            });
            (
                format!("at t = {time:?} the equations of contact and friction{names} {none}"),
                "the contacts do not determine the motion even without friction: leave one of them out, or let it give way by a spring",
            )
        }
    };
    Diagnostic::warning(Code::ContactNotUnique, message, hint, None)
}

/// Warnings about the contacts of a run.
pub(crate) fn contact_warnings(run: &Run) -> Vec<Diagnostic> {
    let mut list = Vec::new();
    if let Status::Failed(RunError::ContactNotUnique) = run.status {
        list.push(not_unique(run));
    }
    let at_fault = |unknown: &str| match &run.contacts.at_fault {
        Some(name) => format!("`{name}`"),
        None => unknown.to_owned(),
    };
    if let Status::Failed(RunError::NegativeFriction) = run.status {
        list.push(Diagnostic::warning(
            Code::NegativeFriction,
            format!(
                "at t = {:?} the limit of the friction {} becomes negative",
                run.time,
                at_fault("of an element")
            ),
            NEGATIVE_LIMIT,
            None,
        ));
    }
    if let Status::Failed(RunError::Penetration) = run.status {
        list.push(Diagnostic::warning(
            Code::ContactPenetrated,
            format!(
                "at t = {:?} the gap of {} is negative",
                run.time,
                at_fault("a contact")
            ),
            "start with gaps that are positive or zero; a gap of zero is a closed contact",
            None,
        ));
    }
    if run.contacts.residual > MAX_RESIDUAL {
        list.push(Diagnostic::warning(
            Code::NotConverged,
            format!(
                "the impulses of a step were found to {:.1e} of the velocities only",
                run.contacts.residual
            ),
            "stacks of very different masses converge slowly; shorter steps help",
            None,
        ));
    }
    for (time, names) in &run.contacts.accumulations {
        list.push(Diagnostic::warning(
            Code::ImpactsAccumulate,
            format!(
                "impacts of {} accumulate at t = {time:?}: closed from then on",
                names.join(", ")
            ),
            "infinitely many impacts happen until then; those listed are the first of them",
            None,
        ));
    }
    if let Some((time, names)) = run.contacts.disputed.first() {
        let count = run.contacts.disputed.len();
        let more = match count {
            1 => String::new(),
            _ => format!(" ({count} such impacts)"),
        };
        list.push(Diagnostic::warning(
            Code::ImpactLawUndetermined,
            format!(
                "{} collide together at t = {time:?}{more}: other impact laws give other velocities",
                names.join(", ")
            ),
            "Newton's law holds for each contact here (T-203); a small gap between the bodies makes impacts follow each other",
            None,
        ));
    }
    list
}
