//! A model as code, for repeated computations.

use std::borrow::Cow;
use std::sync::Arc;

use galilei_analyse::{ContactCode, foldings_of};
use galilei_expr::Expr;
use galilei_integrate::{
    Accelerations, Directions, Ensemble, Error as RunError, Folding, Hamilton, Jacobian, Method,
    Options, Prepared, PreparedModes, Record, Run, Runner, SingleStep, Start, StateSensitivities,
    Status, Step, admitted,
};
use galilei_lower::{
    Form, Lowered, LoweredChart, Parameters, Stopwatch, lower, lower_atlas, lower_canonical,
};
use galilei_model::{Diagnostic, Model};
use galilei_tape::{MomentumBalance, Problem, Rates, Series, Tape, Wanted};

use crate::atlas::atlas_of;
use crate::contacts::contact_warnings;
use crate::motion::{MAX_STEPS, Motion, Plan, extrapolations, judged, underflows};
use crate::phase_space::natural_run;

/// The equations of motion of a model as code, with numbers for its parameters: accelerations, derivatives, steps of all
/// methods, and runs. Made by [`Model::compile`](crate::Model::compile).
#[derive(Clone, Debug)]
pub struct Compiled {
    lowered: Lowered,
    /// The charts that runs may enter; empty without an atlas.
    charts: Vec<LoweredChart>,
    /// Coordinates of ready-made manifolds that are inverted at a sphere.
    foldings: Vec<Folding>,
    /// The modes of contacts and friction, if there are any; the equations are those of free motion then.
    contacts: Option<Arc<ContactCode>>,
}

impl Compiled {
    /// Compiles the motion of a model, with the equations in a form.
    pub(crate) fn new(model: &Model, form: Form) -> Result<Self, Vec<Diagnostic>> {
        Self::lowering(model, form, Parameters::Constant)
    }

    /// Compiles the runs of a model, which are in (x, p) if its Lagrangian has no closed form.
    pub(crate) fn for_runs(model: &Model) -> Result<Self, Vec<Diagnostic>> {
        if model.has_contacts() {
            return Self::with_modes(model, Parameters::Inputs(&[]));
        }
        if !model.is_implicit() {
            return Self::new(model, Form::ForRuns);
        }
        Ok(Self {
            lowered: lower_canonical(model)?,
            charts: vec![],
            foldings: vec![],
            contacts: None,
        })
    }

    /// Compiles the modes of a model with contacts or friction, with some parameters as no constants.
    fn with_modes(model: &Model, parameters: Parameters<'_, '_>) -> Result<Self, Vec<Diagnostic>> {
        let (contacts, lowered) = ContactCode::new(model, parameters)?;
        Ok(Self {
            lowered,
            charts: vec![],
            foldings: foldings_of(model),
            contacts: Some(Arc::new(contacts)),
        })
    }

    /// Compiles the motion of a model with its derivatives with respect to the start and some parameters.
    pub(crate) fn differentiated(
        model: &Model,
        parameters: &[Expr<'_>],
    ) -> Result<Self, Vec<Diagnostic>> {
        let parameters = Parameters::Differentiated(parameters);
        if model.has_contacts() {
            return Self::with_modes(model, parameters);
        }
        Self::lowering(model, Form::Shortest, parameters)
    }

    /// Compiles the motion of a model with some parameters as inputs behind the state.
    pub(crate) fn with_inputs(
        model: &Model,
        parameters: &[Expr<'_>],
    ) -> Result<Self, Vec<Diagnostic>> {
        if model.has_contacts() {
            return Self::with_modes(model, Parameters::Inputs(parameters));
        }
        Self::lowering(model, Form::Shortest, Parameters::Inputs(parameters))
    }

    fn lowering<'p>(
        model: &'p Model,
        form: Form,
        parameters: Parameters<'_, 'p>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let lowered = lower(model, form, parameters)?;
        let charts = lower_atlas(model, form, parameters, &lowered)?;
        Ok(Self {
            lowered,
            charts,
            foldings: foldings_of(model),
            contacts: None,
        })
    }

    /// The model in numbers: its problem, and names.
    pub fn lowered(&self) -> &Lowered {
        &self.lowered
    }

    /// The charts that runs may enter, the first of which is that of the model; empty without an atlas.
    pub fn charts(&self) -> &[LoweredChart] {
        &self.charts
    }

    /// Coordinates of ready-made manifolds that are inverted at a sphere.
    pub(crate) fn foldings(&self) -> &[Folding] {
        &self.foldings
    }

    /// The number of operations of the code.
    pub fn operations(&self) -> usize {
        self.lowered.problem.tape.len()
    }

    /// The accelerations as a function of states, several at once.
    pub fn accelerations(&self, lanes: usize) -> Accelerations {
        Accelerations::new(
            &self.lowered.problem.tape,
            &self.lowered.problem.rates,
            lanes,
        )
    }

    /// Hamilton's right-hand side (ẋ, ṗ) as a function of (t, x, p), several at once; `None` unless L is
    /// quadratic in the velocities.
    ///
    /// ```
    /// let text = "coord x\nkinetic: x'^2\npotential: x^2\n";
    /// let compiled = galilei::Model::parse(text)?.compile()?;
    /// let mut rates = [0.0; 2];
    /// compiled.hamilton(1).unwrap().compute(&[0.0, 3.0, 5.0], &mut rates);
    /// assert_eq!(rates, [2.5, -6.0]);
    /// # Ok::<(), galilei::Error>(())
    /// ```
    pub fn hamilton(&self, lanes: usize) -> Option<Hamilton> {
        let parts = self.hamilton_parts()?;
        let problem = self.lowered.problem.written_out();
        Some(Hamilton::new(&problem.tape, &problem.rates, parts, lanes))
    }

    /// The momenta and their rates as functions of (t, x, u), with their derivatives, as code; `None` under
    /// constraints, whose reactions are no part of it.
    ///
    /// ```
    /// let text = "coord x\nkinetic: x'^2\npotential: x^2\n";
    /// let compiled = galilei::Model::parse(text)?.compile()?;
    /// let code = compiled.momentum_balance().unwrap().values;
    /// assert_eq!(code.run(&[[0.0], [3.0], [5.0]], &mut vec![]), [[10.0], [-6.0]]);
    /// # Ok::<(), galilei::Error>(())
    /// ```
    pub fn momentum_balance(&self) -> Option<MomentumBalance> {
        let problem = self.lowered.problem.written_out();
        let free = problem.rates.unknowns == problem.rates.dimension;
        free.then(|| {
            let lagrangian = problem.lagrangian;
            problem
                .tape
                .momentum_balance(&problem.rates, lagrangian, &[])
        })
    }

    /// The accelerations and multipliers with their derivatives with respect to (t, x, u), several at once.
    pub fn jacobian(&self, lanes: usize) -> Jacobian {
        let problem = self.lowered.problem.written_out();
        Jacobian::new(&problem.tape, &problem.rates, lanes)
    }

    /// The derivatives of the momenta with respect to x and u at a state (t, x, u), row by row.
    pub fn legendre(&self, state: &[f64]) -> Vec<f64> {
        let problem = &self.lowered.problem;
        let code = problem
            .tape
            .legendre(problem.rates.dimension, problem.lagrangian);
        let inputs: Vec<[f64; 1]> = state.iter().map(|x| [*x]).collect();
        let values = code.run(&inputs, &mut vec![]);
        values.into_iter().map(|v| v[0]).collect()
    }

    /// Whether runs go through modes of contact and friction.
    pub(crate) fn has_contacts(&self) -> bool {
        self.contacts.is_some()
    }

    /// Whether an event may end runs.
    pub(crate) fn may_end_early(&self) -> bool {
        self.lowered.problem.events.iter().any(|e| e.terminal)
    }

    /// The components of the force as functions of (t, x, u).
    pub(crate) fn force_tape(&self) -> &Tape {
        &self.lowered.force
    }

    /// The parts of Hamilton's right-hand side; `None` unless L is quadratic in the velocities.
    pub(crate) fn hamilton_parts(&self) -> Option<galilei_tape::Hamilton> {
        let problem = self.lowered.problem.written_out();
        (problem.tape).hamilton(&problem.rates, problem.lagrangian, &self.lowered.force)
    }

    /// One Taylor expansion, as a run of that tolerance uses it.
    pub fn taylor_step(&self, tolerance: f64) -> Step {
        Step::new(
            &self.lowered.problem.tape,
            &self.lowered.problem.rates,
            tolerance,
        )
    }

    /// One Taylor expansion up to an order.
    pub fn taylor_step_of_order(&self, order: usize) -> Step {
        Step::of_order(
            &self.lowered.problem.tape,
            &self.lowered.problem.rates,
            order,
        )
    }

    /// Single steps of any length by a method; `None` for methods that choose their steps by series or derivatives, and for
    /// variational methods unless all constraints are between positions.
    ///
    /// ```
    /// use galilei::{Method, Model};
    /// let text = "coord x\nkinetic: x'^2\npotential: x^2\n";
    /// let compiled = Model::parse(text)?.compile()?;
    /// let mut step = compiled.single_step(Method::Trapezoid).unwrap();
    /// // Störmer and Verlet: half a kick, a drift, half a kick.
    /// assert_eq!(step.step(&[0.0, 1.0, 0.0], 0.5).unwrap(), [0.5, 0.875, -0.46875]);
    /// assert_eq!(step.momenta(), [[0.0], [-0.9375]]);
    /// # Ok::<(), galilei::Error>(())
    /// ```
    pub fn single_step(&self, method: Method) -> Option<SingleStep> {
        SingleStep::new(&self.lowered.problem, method)
    }

    /// The motion as runs integrate it.
    pub fn problem(&self) -> &Problem {
        &self.lowered.problem
    }

    /// The Taylor coefficients of the motion as code.
    pub fn series(&self, wanted: &Wanted, order: usize) -> Series {
        self.lowered
            .problem
            .tape
            .series(&self.lowered.problem.rates, wanted, order)
    }

    /// The equations of motion.
    pub fn rates(&self) -> &Arc<Rates> {
        &self.lowered.problem.rates
    }

    /// The tape that computes all quantities.
    pub fn tape(&self) -> &Arc<Tape> {
        &self.lowered.problem.tape
    }

    /// Code with every product and sum rounded separately, as on a processor without fused instructions.
    #[must_use]
    pub fn without_fusion(mut self) -> Self {
        Arc::make_mut(&mut self.lowered.problem.rates).separate = true;
        self
    }

    /// Code for runs without projection onto the constraints.
    #[must_use]
    pub fn without_projection(mut self) -> Self {
        self.lowered.problem.levels.clear();
        self
    }

    /// A finished run as a motion, with its method and timings.
    pub(crate) fn motion(&self, mut run: Run, plan: &Plan, seconds: f64) -> Motion {
        let mut warnings = judged(&mut run, plan);
        warnings.extend(contact_warnings(&run));
        warnings.extend(underflows(&run, &self.lowered.event_names));
        warnings.extend(extrapolations(&run));
        Motion {
            warnings,
            run,
            method: plan.method.name(),
            tolerance: plan.options.tolerance,
            step: plan.options.step,
            coordinates: self.lowered.coordinates.clone(),
            charts: self.chart_names(),
            has_contacts: self.contacts.is_some(),
            output_names: self.lowered.output_names.clone(),
            event_names: self.lowered.event_names.clone(),
            derive_seconds: self.lowered.derive_seconds,
            compile_seconds: self.lowered.compile_seconds,
            integrate_seconds: seconds,
        }
    }

    /// A run as planned.
    pub(crate) fn follow(&self, plan: &Plan, progress: &mut dyn FnMut(f64) -> bool) -> Motion {
        let started = Stopwatch::start();
        let run = self.integrate_plan(plan, &plan.options, progress);
        self.motion(run, plan, started.seconds())
    }

    /// Integrates as planned, in (x, p) if the code is made for that.
    pub(crate) fn integrate_plan(
        &self,
        plan: &Plan,
        options: &Options,
        progress: impl FnMut(f64) -> bool,
    ) -> Run {
        let Some(canonical) = &self.lowered.canonical else {
            return self.integrate_from(plan.method, (plan.chart, &plan.start), options, progress);
        };
        let start = canonical.lifted(options.from, &plan.start);
        let mut run = self.integrate_by(plan.method, &start, options, progress);
        natural_run(&mut run, canonical.degrees());
        run
    }

    /// Integrates from a state, x then u, by Taylor series.
    pub fn integrate(
        &self,
        state: &[f64],
        options: &Options,
        progress: impl FnMut(f64) -> bool,
    ) -> Run {
        self.integrate_by(Method::Taylor, state, options, progress)
    }

    /// Integrates from a state, x then u, by any method.
    pub fn integrate_by(
        &self,
        method: Method,
        state: &[f64],
        options: &Options,
        progress: impl FnMut(f64) -> bool,
    ) -> Run {
        self.integrate_from(method, (0, state), options, progress)
    }

    /// Integrates from a state of a chart of the atlas.
    fn integrate_from(
        &self,
        method: Method,
        (chart, state): (usize, &[f64]),
        options: &Options,
        progress: impl FnMut(f64) -> bool,
    ) -> Run {
        if let Some(contacts) = &self.contacts {
            return contacts.integrate(method, (state, &[]), options, progress);
        }
        match self.atlas() {
            Some(atlas) => atlas.integrate(method, (chart, state), options, progress),
            None => method.integrate(&self.lowered.problem, state, options, progress),
        }
    }

    /// Integrates from a state, x then u, by Taylor series with sensitivities along some directions.
    pub fn integrate_with_sensitivities(
        &self,
        state: &[f64],
        options: &Options,
        directions: &Directions,
        progress: impl FnMut(f64) -> bool,
    ) -> (Run, StateSensitivities) {
        if let Some(contacts) = &self.contacts {
            let values = contacts.parameter_values();
            return contacts.integrate_with((state, &values), options, directions, progress);
        }
        match self.atlas() {
            Some(atlas) => atlas.integrate_with((0, state), options, directions, progress),
            None => galilei_integrate::integrate_with(
                self.lowered.problem.clone(),
                state,
                options,
                directions,
                progress,
            ),
        }
    }

    /// The motion with its series compiled for a tolerance: for many runs.
    ///
    /// ```
    /// use galilei_integrate::Options;
    /// let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\n";
    /// let compiled = galilei::Model::parse(text)?.compile()?;
    /// let mut prepared = compiled.prepared(1e-12);
    /// let options = Options { to: 3.0, tolerance: 1e-12, max_steps: 100, ..Options::default() };
    /// for start in [1.0, 2.0] {
    ///     let run = prepared.integrate(&[start, 0.0], &options, |_| true);
    ///     assert!((run.state[0] - start * 3.0_f64.cos()).abs() < 1e-11);
    /// }
    /// # Ok::<(), galilei::Error>(())
    /// ```
    pub fn prepared(&self, tolerance: f64) -> Prepared {
        Prepared::new(self.lowered.problem.clone(), tolerance)
    }

    /// One motion of a sweep by itself, by any method; a runner serves motions with the same parameters, the code of modes of
    /// contact all motions.
    pub(crate) fn alone(
        &self,
        start: &Start,
        method: Method,
        options: &Options,
        (runner, modes): (&mut Option<Runner<'_>>, &mut PreparedModes),
    ) -> Run {
        let problem = self.problem_for(&start.fixed);
        let atlas = match start.fixed.is_empty() && runner.is_some() {
            true => None,
            false => atlas_of(&self.charts, &self.foldings, &start.fixed),
        };
        let options = Options {
            from: start.from,
            to: start.to,
            // Only the final state is needed.
            record: Record::Nothing,
            ..options.clone()
        };
        let mut start = start.clone();
        let outcome = self.admitted(&mut start, options.tolerance);
        let state = &start.state;
        match outcome {
            Ok(()) => match (&self.contacts, atlas, runner) {
                (Some(contacts), ..) => {
                    let start = (&state[..], &start.fixed[..]);
                    contacts.integrate_again(method, start, &options, modes, |_| true)
                }
                (None, Some(atlas), _) => atlas.integrate(method, (0, state), &options, |_| true),
                (None, None, Some(runner)) => runner.run((0, state), &options, |_| true),
                (None, None, None) => method.integrate(&problem, state, &options, |_| true),
            },
            Err(stop) => self.refused(&start, &options, stop),
        }
    }

    /// The motion with the inputs that a run keeps fixed.
    fn problem_for(&self, fixed: &[f64]) -> Cow<'_, Problem> {
        match fixed.is_empty() {
            true => Cow::Borrowed(&self.lowered.problem),
            false => Cow::Owned(self.lowered.with_fixed(fixed).problem),
        }
    }

    /// Whether a motion may begin at a start, which is brought to the constraints if that is asked for.
    pub(crate) fn admitted(&self, start: &mut Start, tolerance: f64) -> Result<(), RunError> {
        let problem = self.problem_for(&start.fixed);
        let (from, project) = (start.from, start.project);
        admitted(&problem, tolerance, from, &mut start.state, project)
    }

    /// The run that fails at its start, for a reason.
    pub(crate) fn refused(&self, start: &Start, options: &Options, stop: RunError) -> Run {
        let nowhere = Options {
            from: start.from,
            to: start.from,
            record: Record::Nothing,
            ..options.clone()
        };
        let problem = self.problem_for(&start.fixed);
        let mut run = Method::Taylor.integrate(&problem, &start.state, &nowhere, |_| true);
        run.status = Status::Failed(stop);
        run.state.clone_from(&start.state);
        run
    }

    /// The motion with code for many runs in lanes: 1, 4 or 8.
    pub fn ensemble(&self, tolerance: f64, lanes: usize) -> Ensemble {
        Ensemble::new(self.lowered.problem.clone(), tolerance, MAX_STEPS, lanes)
    }

    /// The motion with code for many runs side by side by a method; `None` for methods whose runs go one by one.
    ///
    /// ```
    /// use galilei_integrate::{Method, Start};
    /// let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\n";
    /// let compiled = galilei::Model::parse(text)?.compile()?;
    /// let ensemble = compiled.ensemble_by(Method::Dop853, 1e-12, 4).unwrap();
    /// let starts = (0..10).map(|number| Start {
    ///     number,
    ///     from: 0.0,
    ///     to: 3.0,
    ///     state: vec![number as f64, 0.0],
    ///     fixed: vec![],
    ///     project: false,
    /// });
    /// let close = |number: u64, x: f64| (x - number as f64 * 3.0_f64.cos()).abs() < 1e-10;
    /// ensemble.worker().run(starts, |number, run| assert!(close(number, run.state[0])), || true);
    /// assert!(compiled.ensemble_by(Method::Radau, 1e-12, 4).is_none());
    /// # Ok::<(), galilei::Error>(())
    /// ```
    pub fn ensemble_by(&self, method: Method, tolerance: f64, lanes: usize) -> Option<Ensemble> {
        if !self.charts.is_empty() || self.contacts.is_some() {
            return None;
        }
        Ensemble::by(
            method,
            self.lowered.problem.clone(),
            tolerance,
            MAX_STEPS,
            lanes,
        )
    }
}
