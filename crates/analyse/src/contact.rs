//! Models with contacts, friction and impacts as code, and motions that are followed with their derivatives.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use galilei_expr::{Expr, ExprId};
use galilei_integrate::{
    ContactRunner, Directions, Error as RunError, Folding, Method, Modes, Options, PreparedModes,
    Run, Situation, StateSensitivities, integrate_with,
};
use galilei_lower::{Contacts, Form, Lowered, Parameters, lower};
use galilei_model::{Diagnostic, ManifoldKind, Model};
use galilei_tape::{ContactQuantities, Mode, ModeProblem, VelocityJump};

/// The motions of a model, with contacts or without, that can be differentiated by the start and some parameters.
pub(crate) struct Motions {
    /// The equations of motion; with contacts those of free motion.
    pub(crate) lowered: Lowered,
    pub(crate) contacts: Option<ContactCode>,
}

impl Motions {
    pub(crate) fn new<'p>(
        model: &'p Model,
        parameters: &[Expr<'p>],
    ) -> Result<Self, Vec<Diagnostic>> {
        let parameters = Parameters::Differentiated(parameters);
        match model.has_contacts() {
            true => {
                let (contacts, lowered) = ContactCode::new(model, parameters)?;
                Ok(Self {
                    lowered,
                    contacts: Some(contacts),
                })
            }
            false => Ok(Self {
                lowered: lower(model, Form::Shortest, parameters)?,
                contacts: None,
            }),
        }
    }

    /// Events do not end these motions; those at which velocities jump remain.
    pub(crate) fn without_events(mut self) -> Self {
        match &mut self.contacts {
            Some(contacts) => contacts.terminal.fill(false),
            None => {
                self.lowered.problem.events.clear();
                self.lowered.event_names.clear();
            }
        }
        self
    }

    /// A motion with its derivatives along some directions, for values of the parameters; none keeps them.
    pub(crate) fn follow(
        &self,
        (start, parameters): (&[f64], Option<&[f64]>),
        options: &Options,
        directions: &Directions,
        progress: impl FnMut(f64) -> bool,
    ) -> (Run, StateSensitivities) {
        match &self.contacts {
            Some(contacts) => {
                let own = contacts.parameter_values();
                let values = parameters.unwrap_or(&own);
                contacts.integrate_with((start, values), options, directions, progress)
            }
            None => {
                let problem = match parameters {
                    Some(values) => self.lowered.problem.with_parameters(values),
                    None => self.lowered.problem.clone(),
                };
                integrate_with(problem, start, options, directions, progress)
            }
        }
    }

    /// A motion alone.
    pub(crate) fn run(&self, start: &[f64], options: &Options) -> Run {
        match &self.contacts {
            Some(contacts) => {
                let values = contacts.parameter_values();
                contacts.integrate(Method::Taylor, (start, &values), options, |_| true)
            }
            None => Method::Taylor.integrate(&self.lowered.problem, start, options, |_| true),
        }
    }
}

/// A model with contacts or friction as code: the equations of its modes are made when a run enters them.
pub struct ContactCode {
    model: Model,
    /// The parameters that are no constants.
    inputs: Vec<ExprId>,
    /// Whether the code can be differentiated by them; otherwise they are inputs behind the state.
    differentiated: bool,
    quantities: ContactQuantities,
    jumps: Vec<VelocityJump>,
    /// Whether each event of the model ends runs.
    terminal: Vec<bool>,
    modes: Mutex<HashMap<Mode, Arc<ModeProblem>>>,
    /// Coordinates of rotations that are inverted at a sphere.
    foldings: Vec<Folding>,
}

/// The coordinates of the ready-made manifolds of a model that are inverted at a sphere.
pub fn foldings_of(model: &Model) -> Vec<Folding> {
    let folding = |m: &galilei_model::Manifold| {
        let sphere = m.kind == ManifoldKind::Sphere;
        (m.kind != ManifoldKind::Circle).then(|| Folding {
            first: m.first,
            count: m.kind.dimension(),
            bit: if sphere { 1 << m.bit } else { 0 },
            // Opposite unit quaternions are the same rotation.
            negative: !sphere,
        })
    };
    model.manifolds().iter().filter_map(folding).collect()
}

impl fmt::Debug for ContactCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContactCode")
            .field("contacts", &self.quantities.contacts)
            .finish_non_exhaustive()
    }
}

impl ContactCode {
    /// The code of a model with some parameters as no constants, and its free motion with the names of what is followed.
    pub fn new(
        model: &Model,
        parameters: Parameters<'_, '_>,
    ) -> Result<(Self, Lowered), Vec<Diagnostic>> {
        let inputs: Vec<ExprId> = parameters.list().iter().map(|e| e.id()).collect();
        let differentiated = matches!(parameters, Parameters::Differentiated(_));
        let contacts = read(model, &inputs, differentiated)?;
        let free = contacts.free();
        let (mut lowered, problem) = contacts.mode(&free)?;
        let events = &model.contents().events;
        lowered.event_names.truncate(events.len());
        let code = Self {
            quantities: contacts.quantities()?,
            jumps: contacts.jumps()?,
            terminal: events.iter().map(|e| e.terminal).collect(),
            modes: Mutex::new(HashMap::from([(free, Arc::new(problem))])),
            foldings: foldings_of(model),
            model: model.clone(),
            inputs,
            differentiated,
        };
        Ok((code, lowered))
    }

    /// A run from a state, x then u, with values of the parameters.
    pub fn integrate(
        &self,
        method: Method,
        (state, fixed): (&[f64], &[f64]),
        options: &Options,
        progress: impl FnMut(f64) -> bool,
    ) -> Run {
        if self.differentiated {
            return self.at(method, fixed, |runner| runner.run(state, options, progress));
        }
        let mut prepared = PreparedModes::default();
        self.integrate_again(method, (state, fixed), options, &mut prepared, progress)
    }

    /// A run with values of the parameters that are inputs, which uses the code of modes that other runs of the same method
    /// have made, and adds its own.
    pub fn integrate_again(
        &self,
        method: Method,
        (state, fixed): (&[f64], &[f64]),
        options: &Options,
        prepared: &mut PreparedModes,
        progress: impl FnMut(f64) -> bool,
    ) -> Run {
        let mut source = self.source(&[]);
        let quantities = self.quantities.with_fixed(fixed);
        let jumps: Vec<VelocityJump> = self.jumps.iter().map(|j| j.with_fixed(fixed)).collect();
        let runner = ContactRunner::new(&quantities, &jumps, &self.terminal, &mut source, method);
        let code = std::mem::take(prepared);
        let mut runner = runner.with_foldings(&self.foldings).with_code(fixed, code);
        let run = runner.run(state, options, progress);
        *prepared = runner.into_prepared();
        run
    }

    /// A run from a state, x then u, with sensitivities, for values of the parameters by which the code can be
    /// differentiated.
    pub fn integrate_with(
        &self,
        (state, parameters): (&[f64], &[f64]),
        options: &Options,
        directions: &Directions,
        progress: impl FnMut(f64) -> bool,
    ) -> (Run, StateSensitivities) {
        self.at(Method::Taylor, parameters, |runner| {
            runner.run_with(state, options, directions, progress)
        })
    }

    /// The mode at a state, x then u, with its accelerations and multipliers.
    ///
    /// # Errors
    /// Where a contact is penetrated, or contact and friction do not determine the motion.
    pub fn situation(&self, time: f64, state: &[f64]) -> Result<Situation, RunError> {
        let values = self.quantities.tape.parameter_values();
        self.at(Method::Taylor, &values, |runner| {
            runner.situation(time, state)
        })
    }

    /// The model in one of its modes: closed contacts and friction that sticks are constraints, friction that slips is a force.
    pub(crate) fn in_mode(&self, mode: &Mode) -> Result<Model, Vec<Diagnostic>> {
        read(&self.model, &self.inputs, self.differentiated)?.model_in_mode(mode)
    }

    /// The values of the parameters by which the code can be differentiated.
    pub fn parameter_values(&self) -> Vec<f64> {
        self.quantities.tape.parameter_values()
    }

    /// Uses a runner for values of the parameters by which the code can be differentiated.
    fn at<T>(
        &self,
        method: Method,
        values: &[f64],
        then: impl FnOnce(&mut ContactRunner<'_, Source<'_>>) -> T,
    ) -> T {
        let mut source = self.source(values);
        let quantities = self.quantities.with_parameters(values);
        let jumps = self.jumps.iter().map(|j| j.with_parameters(values));
        let jumps: Vec<VelocityJump> = jumps.collect();
        let terminal = &self.terminal;
        let runner = ContactRunner::new(&quantities, &jumps, terminal, &mut source, method);
        then(&mut runner.with_foldings(&self.foldings))
    }

    /// The modes, with values of the parameters by which they can be differentiated.
    fn source<'a>(&'a self, values: &'a [f64]) -> Source<'a> {
        Source {
            code: self,
            contacts: None,
            values,
        }
    }
}

/// The contacts of a model with some parameters as no constants.
fn read<'p>(
    model: &'p Model,
    inputs: &[ExprId],
    differentiated: bool,
) -> Result<Contacts<'p>, Vec<Diagnostic>> {
    let inputs = model.exprs(inputs);
    Contacts::new(
        model,
        match differentiated {
            true => Parameters::Differentiated(&inputs),
            false => Parameters::Inputs(&inputs),
        },
    )
}

/// The modes of a model, each of which is lowered once.
struct Source<'a> {
    code: &'a ContactCode,
    /// Read where a mode is met for the first time.
    contacts: Option<Contacts<'a>>,
    /// The values of the parameters.
    values: &'a [f64],
}

impl Source<'_> {
    /// The equations with the values of the parameters.
    fn closed(&self, problem: &Arc<ModeProblem>) -> Arc<ModeProblem> {
        match self.values {
            [] => problem.clone(),
            values => Arc::new(problem.with_parameters(values)),
        }
    }
}

impl Modes for Source<'_> {
    fn problem(&mut self, mode: &Mode) -> Option<Arc<ModeProblem>> {
        let mut modes = (self.code.modes.lock()).unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = modes.get(mode) {
            return Some(self.closed(known));
        }
        if self.contacts.is_none() {
            let code = self.code;
            self.contacts = read(&code.model, &code.inputs, code.differentiated).ok();
        }
        let (_, problem) = self.contacts.as_ref()?.mode(mode).ok()?;
        let problem = Arc::new(problem);
        modes.insert(mode.clone(), problem.clone());
        Some(self.closed(&problem))
    }
}
