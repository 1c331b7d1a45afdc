//! Warnings about runs with contacts, friction and impacts.

use galilei_integrate::Run;
use galilei_model::{Code, Diagnostic};

/// The residual of the impulses of a step above which a run has a warning.
const MAX_RESIDUAL: f64 = 1e-9;

/// Warnings about the contacts of a run.
pub(crate) fn contact_warnings(run: &Run) -> Vec<Diagnostic> {
    let mut list = Vec::new();
    if let galilei_integrate::Status::Failed(galilei_integrate::Error::ContactNotUnique) =
        run.status
    {
        list.push(Diagnostic::warning(
            Code::ContactNotUnique,
            format!(
                "at t = {:?} the equations of contact and friction have no solution, or several (Painlevé's paradox)",
                run.time
            ),
            "rigid bodies with Coulomb friction do not determine the motion there: less friction, or a spring between the bodies, does",
            None,
        ));
    }
    if let galilei_integrate::Status::Failed(galilei_integrate::Error::Penetration) = run.status {
        list.push(Diagnostic::warning(
            Code::ContactPenetrated,
            format!("at t = {:?} the gap of a contact is negative", run.time),
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
