//! Contacts, friction and impacts: runs through several modes.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use galilei_expr::{Expr, ExprId};
use galilei_integrate::{ContactRunner, Error as RunError, Method, Modes, Options, Run, Situation};
use galilei_lower::{Contacts, Lowered};
use galilei_model::{Code, Diagnostic, Model};
use galilei_tape::{ContactQuantities, Mode, ModeProblem, VelocityJump};

/// A model with contacts or friction as code: the equations of its modes are made when a run enters them.
pub(crate) struct ContactCode {
    model: Model,
    /// The parameters that are inputs behind the state.
    inputs: Vec<ExprId>,
    quantities: ContactQuantities,
    jumps: Vec<VelocityJump>,
    /// Whether each event of the model ends runs.
    terminal: Vec<bool>,
    modes: Mutex<HashMap<Mode, Arc<ModeProblem>>>,
}

impl fmt::Debug for ContactCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContactCode")
            .field("contacts", &self.quantities.contacts)
            .finish_non_exhaustive()
    }
}

impl ContactCode {
    /// The code of a model with some parameters as inputs, and its free motion with the names of what is followed.
    pub(crate) fn new(
        model: &Model,
        inputs: &[Expr<'_>],
    ) -> Result<(Self, Lowered), Vec<Diagnostic>> {
        let inputs: Vec<ExprId> = inputs.iter().map(|e| e.id()).collect();
        let contacts = Contacts::new(model, &model.exprs(&inputs))?;
        let free = contacts.free();
        let (mut lowered, problem) = contacts.mode(&free)?;
        let events = &model.contents().events;
        lowered.event_names.truncate(events.len());
        let code = Self {
            quantities: contacts.quantities()?,
            jumps: contacts.jumps()?,
            terminal: events.iter().map(|e| e.terminal).collect(),
            modes: Mutex::new(HashMap::from([(free, Arc::new(problem))])),
            model: model.clone(),
            inputs,
        };
        Ok((code, lowered))
    }

    /// The mode at a state, x then u.
    fn situation(&self, time: f64, state: &[f64]) -> Result<Situation, RunError> {
        let Ok(contacts) = Contacts::new(&self.model, &[]) else {
            unreachable!("the contacts were read when the code was made")
        };
        let mut source = Source {
            code: self,
            contacts,
            fixed: &[],
        };
        ContactRunner::new(
            &self.quantities,
            &self.jumps,
            &self.terminal,
            &mut source,
            Method::Taylor,
        )
        .situation(time, state)
    }

    /// A run from a state, x then u, with values of the parameters that are inputs.
    pub(crate) fn integrate(
        &self,
        method: Method,
        (state, fixed): (&[f64], &[f64]),
        options: &Options,
        progress: impl FnMut(f64) -> bool,
    ) -> Run {
        // The model was read in the same way before.
        let Ok(contacts) = Contacts::new(&self.model, &self.model.exprs(&self.inputs)) else {
            unreachable!("the contacts were read when the code was made")
        };
        let mut source = Source {
            code: self,
            contacts,
            fixed,
        };
        let quantities = self.quantities.with_fixed(fixed);
        let jumps: Vec<VelocityJump> = self.jumps.iter().map(|j| j.with_fixed(fixed)).collect();
        ContactRunner::new(&quantities, &jumps, &self.terminal, &mut source, method)
            .run(state, options, progress)
    }
}

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
    let (code, _) = ContactCode::new(model, &[])?;
    Ok(code.situation(time, state).map_err(|why| {
        let (number, hint) = match why {
            RunError::Penetration => (
                Code::ContactPenetrated,
                "gaps are positive or zero; a gap of zero is a closed contact",
            ),
            _ => (
                Code::ContactNotUnique,
                "less friction, or a spring between the bodies, determines the motion",
            ),
        };
        Diagnostic::warning(number, format!("at t = {time:?}: {why}"), hint, None)
    }))
}

/// The modes of a model, each of which is lowered once.
struct Source<'a> {
    code: &'a ContactCode,
    contacts: Contacts<'a>,
    /// The values of the parameters that are inputs.
    fixed: &'a [f64],
}

impl Source<'_> {
    /// The equations with the values of the parameters.
    fn closed(&self, problem: &Arc<ModeProblem>) -> Arc<ModeProblem> {
        match self.fixed {
            [] => problem.clone(),
            values => Arc::new(problem.with_fixed(values)),
        }
    }
}

impl Modes for Source<'_> {
    fn problem(&mut self, mode: &Mode) -> Option<Arc<ModeProblem>> {
        let mut modes = (self.code.modes.lock()).unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = modes.get(mode) {
            return Some(self.closed(known));
        }
        let (_, problem) = self.contacts.mode(mode).ok()?;
        let problem = Arc::new(problem);
        modes.insert(mode.clone(), problem.clone());
        Some(self.closed(&problem))
    }
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
    if let galilei_integrate::Status::Failed(galilei_integrate::Error::ContactNotUnique) =
        run.status
    {
        list.push(not_unique(run));
    }
    if let galilei_integrate::Status::Failed(galilei_integrate::Error::Penetration) = run.status {
        list.push(Diagnostic::warning(
            Code::ContactPenetrated,
            format!("at t = {:?} the gap of a contact is negative", run.time),
            "start with gaps that are positive or zero; a gap of zero is a closed contact",
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
