//! Runs: a model compiled to a tape, and the motion from a state.

use std::time::Instant;

use galilei_expr::Expr;
use galilei_integrate::{
    Accelerations, Directions, DiscreteAction, Ensemble, Event, GaussStep, Hamilton, Jacobian,
    Late, Levels, Method, Options, Output, Prepared, Problem, Run, RungeKuttaStep, Start, Status,
    Step, Variation, VariationalStep, admitted,
};
use galilei_mechanics::{Force, Lagrangian};
use galilei_model::{ConstraintRow, Diagnostic, Direction, Model, State};
use galilei_tape::{Builder, MomentumBalance, Rates, Reg, Series, Tape, Unsupported, Wanted};

use crate::equations::{Equations, Form};
use crate::factored::factored;
use crate::method::chosen;
use crate::reduced::{ReducedEquations, offset};

/// A model as straight-line code: numbers only.
#[derive(Clone, Debug)]
pub struct Compiled {
    tape: Tape,
    rates: Rates,
    energy: Reg,
    power: Reg,
    reaction_rates: Vec<Reg>,
    residuals: Vec<Reg>,
    levels: Vec<Levels>,
    scale: Vec<Reg>,
    events: Vec<Event>,
    outputs: Vec<Output>,
    late: Option<(Tape, Vec<Vec<usize>>)>,
    /// Whether runs keep the states between which their steps lie.
    trail: bool,
    /// The components of the force.
    force: Tape,
    /// The names of the coordinates.
    pub coordinates: Vec<String>,
    /// The names of the outputs.
    pub output_names: Vec<String>,
    /// The names of the events.
    pub event_names: Vec<String>,
    /// Seconds from the model to g, f, energies, events and outputs as expressions.
    pub derive_seconds: f64,
    /// Seconds from those to the tape.
    pub compile_seconds: f64,
}

/// Settings of a run that win over those of the file.
#[derive(Clone, Debug, Default)]
pub struct RunSettings {
    /// The start.
    pub from: Option<f64>,
    /// The end.
    pub to: Option<f64>,
    /// The distance of recorded states.
    pub every: Option<f64>,
    /// The method.
    pub method: Option<String>,
    /// The tolerance.
    pub tolerance: Option<f64>,
    /// The length of all steps, for methods of constant steps.
    pub step: Option<f64>,
    /// Start from the nearest state on the constraints.
    pub project: bool,
}

/// A run with what it took.
#[derive(Clone, Debug)]
pub struct Motion {
    /// The run.
    pub run: Run,
    /// The method.
    pub method: &'static str,
    /// The tolerance.
    pub tolerance: f64,
    /// The length of all steps, where it was given.
    pub step: Option<f64>,
    /// The names of the coordinates.
    pub coordinates: Vec<String>,
    /// The names of the outputs.
    pub output_names: Vec<String>,
    /// The names of the events.
    pub event_names: Vec<String>,
    /// Seconds from the model to the code's input.
    pub derive_seconds: f64,
    /// Seconds to compile.
    pub compile_seconds: f64,
    /// Seconds of integration.
    pub integrate_seconds: f64,
}

/// The tolerance of a run that does not say.
pub const TOLERANCE: f64 = 1e-12;
/// Steps of a run.
const MAX_STEPS: usize = 50_000_000;

fn no_numbers(why: &Unsupported) -> Vec<Diagnostic> {
    let (code, hint) = match why {
        Unsupported::Undetermined(f) => (
            "undetermined_function",
            format!("write `let {f}(…) = …` instead of `function {f}(…)`"),
        ),
        Unsupported::Symbol(s) => ("missing_value", format!("give it with --set {s}=…")),
        _ => ("not_finite", "check the model for divisions by zero".into()),
    };
    vec![Diagnostic::error(
        code,
        format!("there are no numbers: {why}"),
        hint,
        None,
    )]
}

/// `multiplier(NAME)` or `reaction(NAME)` in an output, and the constraints it means.
struct Special<'p> {
    symbol: Expr<'p>,
    norm: bool,
    members: Vec<usize>,
}

fn specials<'p>(
    model: &'p Model,
    constraints: &[ConstraintRow<'p>],
) -> Result<Vec<Special<'p>>, Vec<Diagnostic>> {
    let pool = model.pool();
    let mut names: Vec<String> = Vec::new();
    for c in constraints {
        // A constraint between tuples has one row per component: `contact.x`.
        let stem = c.name.split('.').next().unwrap_or(&c.name).to_owned();
        for name in [stem, c.name.clone()] {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let outputs = model.contents().outputs;
    let mut list = Vec::new();
    for name in names {
        let within =
            |c: &ConstraintRow<'p>| c.name == name || c.name.split('.').next() == Some(&name);
        let members: Vec<usize> = (0..constraints.len())
            .filter(|&k| within(&constraints[k]))
            .collect();
        for (word, norm) in [("reaction", true), ("multiplier", false)] {
            let symbol = pool.symbol(&format!("{word}({name})"));
            let Some(user) = outputs.iter().find(|o| o.value.contains(symbol)) else {
                continue;
            };
            if !norm && members.len() > 1 {
                return Err(vec![Diagnostic::error(
                    "several_multipliers",
                    format!(
                        "the constraint `{name}` has {} components, so it has no one multiplier",
                        members.len()
                    ),
                    format!(
                        "use reaction({name}), the size of their reaction, or write the components as constraints of their own"
                    ),
                    user.span,
                )]);
            }
            list.push(Special {
                symbol,
                norm,
                members: members.clone(),
            });
        }
    }
    Ok(list)
}

/// Compiles the motion of a model, with ideal reactions where it has constraints; parameters are folded in as constants.
pub fn compile(model: &Model) -> Result<Compiled, Vec<Diagnostic>> {
    compile_as(model, Form::Shorter)
}

/// The same with the equations of motion in a given form.
pub fn compile_as(model: &Model, form: Form) -> Result<Compiled, Vec<Diagnostic>> {
    compile_for(model, form, Kept::Nothing)
}

/// Compiles the motion of a model with its variations, also by some parameters.
///
/// # Errors
/// Where a parameter is unknown or has no value, or the model has no numbers.
pub fn compile_varied(model: &Model, parameters: &[String]) -> Result<Compiled, Vec<Diagnostic>> {
    let kept = crate::variations::named(model, parameters)?;
    compile_for(model, Form::Shorter, Kept::Varied(&kept))
}

/// Compiles the motion of a model with some parameters as inputs behind the state.
pub(crate) fn compile_open(
    model: &Model,
    parameters: &[Expr<'_>],
    form: Form,
) -> Result<Compiled, Vec<Diagnostic>> {
    compile_for(model, form, Kept::Open(parameters))
}

/// Parameters that are not folded in as constants.
#[derive(Clone, Copy)]
enum Kept<'a, 'p> {
    /// None.
    Nothing,
    /// Such by which the motion is differentiated.
    Varied(&'a [Expr<'p>]),
    /// Such that are inputs behind the state.
    Open(&'a [Expr<'p>]),
}

fn compile_for(
    model: &Model,
    form: Form,
    which: Kept<'_, '_>,
) -> Result<Compiled, Vec<Diagnostic>> {
    let started = Instant::now();
    let kept = match which {
        Kept::Nothing => &[],
        Kept::Varied(list) | Kept::Open(list) => list,
    };
    let values = model.values_but(kept)?;
    let numbers = match which {
        Kept::Varied(_) => model.parameter_values()?,
        _ => vec![],
    };
    let value_of = |e: Expr<'_>| e.substitute(&numbers).evaluate_f64(&[]);
    let contents = model.contents();
    let system = model.system();
    let state = system.state();
    let pool = model.pool();
    let lagrangian = system.lagrangian();
    let force = system.total_force();
    let constraints = model.constraint_rows();
    let mut list: Vec<Expr<'_>> = Vec::new();
    let energy = lagrangian.energy();
    list.extend([
        energy,
        system.energy_rate(),
        lagrangian.function(),
        energy + lagrangian.function(),
    ]);
    // Ideal reactions of constraints homogeneous in the velocities do no work. (T-93)
    let idle = |c: &ConstraintRow<'_>| offset(state, c).is_some_and(|s| s.is_zero());
    let working: &[ConstraintRow<'_>] = match constraints.iter().all(idle) {
        true => &[],
        false => &constraints,
    };
    let u = state.velocities();
    for c in working {
        list.push(pool.sum(c.row.iter().zip(u).map(|(&j, &u)| j * u)));
    }
    let residuals: Vec<Expr<'_>> = constraints
        .iter()
        .flat_map(|c| std::iter::once(c.residual).chain(c.rate))
        .collect();
    list.extend(&residuals);
    list.extend(contents.events.iter().map(|e| e.value));
    // Outputs with multipliers or reactions are computed behind the others.
    let special = specials(model, &constraints)?;
    let is_late = |e: &Expr<'_>| special.iter().any(|s| e.contains(s.symbol));
    let (late, early): (Vec<_>, Vec<_>) = contents.outputs.iter().partition(|o| is_late(&o.value));
    list.extend(early.iter().map(|o| o.value));
    let mut list = pool.substitute_all(&list, &values);
    list[1] = factored(list[1]);
    let numeric = pool.substitute_all(&[lagrangian.function()], &values)[0];
    let numeric = Lagrangian::new(state, numeric);
    let force = Force::new(state, pool.substitute_all(force.components(), &values));
    let rows: Vec<(Vec<Expr<'_>>, Expr<'_>)> = constraints
        .iter()
        .map(|c| {
            let right = pool.substitute_all(&[-c.drift], &values)[0];
            (pool.substitute_all(&c.row, &values), right)
        })
        .collect();
    let reduced = match (form, working) {
        (Form::Reduced | Form::Shorter, []) => {
            ReducedEquations::new(model, &constraints, &values, &numeric, &force)
        }
        _ => None,
    };
    let equations = Equations::new(&numeric, &force, rows, reduced, form);
    let derive_seconds = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let mut inputs = vec![state.time()];
    inputs.extend(state.base().positions());
    inputs.extend(state.velocities());
    let builder_of = |inputs: &[Expr<'_>]| {
        let mut builder = Builder::new(inputs);
        for &p in kept {
            match which {
                Kept::Open(_) => builder.fixed(p),
                _ => builder.parameter(p, value_of(p)),
            }
        }
        builder
    };
    let mut builder = builder_of(&inputs);
    let mut registers = Vec::with_capacity(list.len());
    for e in list {
        registers.push(builder.expr(e).map_err(|why| no_numbers(&why))?);
    }
    let mut rates = equations
        .rates(&mut builder)
        .map_err(|why| no_numbers(&why))?;
    if let Kept::Varied(_) = which {
        rates = equations
            .with_slopes(&mut builder, rates, kept)
            .map_err(|why| no_numbers(&why))?;
    }
    let mut rest = registers.into_iter();
    let four: Vec<Reg> = rest.by_ref().take(4).collect();
    let reaction_rates: Vec<Reg> = rest.by_ref().take(working.len()).collect();
    let residuals: Vec<Reg> = rest.by_ref().take(residuals.len()).collect();
    let mut each = residuals.iter().copied();
    let levels: Vec<Levels> = constraints
        .iter()
        .filter_map(|c| {
            let first = each.next()?;
            Some(match c.rate {
                None => Levels {
                    position: None,
                    velocity: first,
                },
                Some(_) => Levels {
                    position: Some(first),
                    velocity: each.next()?,
                },
            })
        })
        .collect();
    let events: Vec<Event> = contents
        .events
        .iter()
        .zip(rest.by_ref())
        .map(|(e, register)| Event {
            register,
            direction: match e.direction {
                Direction::Rising => 1,
                Direction::Falling => -1,
                Direction::Both => 0,
            },
            terminal: e.terminal,
        })
        .collect();
    let mut registers = rest;
    let mut lates = 0..;
    let outputs: Vec<Output> = contents
        .outputs
        .iter()
        .map(|o| match is_late(&o.value) {
            true => Output::Late(lates.next().unwrap_or(0)),
            false => Output::Register(registers.next().unwrap_or(0)),
        })
        .collect();
    let tape = builder.finish(vec![]);
    // Apart: only Hamilton's equations want them.
    let mut builder = builder_of(&inputs);
    let components = force.components().iter().map(|&f| builder.expr(f));
    let components: Vec<Reg> = components
        .collect::<Result<_, _>>()
        .map_err(|why| no_numbers(&why))?;
    let force = builder.finish(components);
    let late = if late.is_empty() {
        None
    } else {
        let groups: Vec<&Special<'_>> = special.iter().filter(|s| s.norm).collect();
        let lambdas: Vec<Expr<'_>> = constraints
            .iter()
            .map(|c| pool.symbol(&format!("multiplier({})", c.name)))
            .collect();
        inputs.extend(&lambdas);
        inputs.extend(groups.iter().map(|s| s.symbol));
        // A multiplier called by the name of its statement.
        let pairs: Vec<(Expr<'_>, Expr<'_>)> = special
            .iter()
            .filter(|s| !s.norm)
            .map(|s| (s.symbol, lambdas[s.members[0]]))
            .collect();
        let values_of: Vec<Expr<'_>> = late.iter().map(|o| o.value).collect();
        let exprs = pool.substitute_all(&pool.substitute_all(&values_of, &values), &pairs);
        let mut builder = builder_of(&inputs);
        let mut registers = Vec::new();
        for e in exprs {
            registers.push(builder.expr(e).map_err(|why| no_numbers(&why))?);
        }
        let reactions = groups.iter().map(|s| s.members.clone()).collect();
        Some((builder.finish(registers), reactions))
    };
    Ok(Compiled {
        tape,
        rates,
        energy: four[0],
        power: four[1],
        reaction_rates,
        residuals,
        levels,
        scale: vec![four[0], four[2], four[3]],
        events,
        outputs,
        late,
        trail: false,
        force,
        coordinates: contents
            .coordinates
            .iter()
            .map(|c| c.name.clone())
            .collect(),
        output_names: contents.outputs.iter().map(|o| o.name.clone()).collect(),
        event_names: contents.events.iter().map(|e| e.name.clone()).collect(),
        derive_seconds,
        compile_seconds: started.elapsed().as_secs_f64(),
    })
}

impl Compiled {
    /// How many operations the code has.
    pub fn operations(&self) -> usize {
        self.tape.len()
    }

    /// The accelerations as a function of states, several at once.
    pub fn accelerations(&self, lanes: usize) -> Accelerations<'_> {
        Accelerations::new(&self.tape, &self.rates, lanes)
    }

    /// Hamilton's right-hand side (ẋ, ṗ) as a function of (t, x, p), several at once; `None` unless L is
    /// quadratic in the velocities.
    ///
    /// ```
    /// use galilei::{Settings, compile, read};
    /// let text = "coord x\nkinetic: x'^2\npotential: x^2\n";
    /// let compiled = compile(&read(text, &Settings::default()).model.unwrap()).unwrap();
    /// let mut rates = [0.0; 2];
    /// compiled.hamilton(1).unwrap().compute(&[0.0, 3.0, 5.0], &mut rates);
    /// assert_eq!(rates, [2.5, -6.0]);
    /// ```
    pub fn hamilton(&self, lanes: usize) -> Option<Hamilton<'_>> {
        let parts = self.hamilton_parts()?;
        Some(Hamilton::new(&self.tape, &self.rates, parts, lanes))
    }

    /// The momenta and their rates as functions of (t, x, u), with their derivatives, as code; `None` under
    /// constraints, whose reactions are no part of it.
    ///
    /// ```
    /// use galilei::{Settings, compile, read};
    /// let text = "coord x\nkinetic: x'^2\npotential: x^2\n";
    /// let compiled = compile(&read(text, &Settings::default()).model.unwrap()).unwrap();
    /// let code = compiled.momentum_balance().unwrap().values;
    /// assert_eq!(code.run(&[[0.0], [3.0], [5.0]], &mut vec![]), [[10.0], [-6.0]]);
    /// ```
    pub fn momentum_balance(&self) -> Option<MomentumBalance> {
        let free = self.rates.unknowns == self.rates.dimension;
        free.then(|| self.tape.momentum_balance(&self.rates, self.scale[1], &[]))
    }

    /// The accelerations and multipliers with their derivatives by (t, x, u), several at once.
    pub fn jacobian(&self, lanes: usize) -> Jacobian<'_> {
        Jacobian::new(&self.tape, &self.rates, lanes)
    }

    /// The derivatives of the momenta by x and u at a state (t, x, u), row by row.
    pub fn legendre(&self, state: &[f64]) -> Vec<f64> {
        let code = self.tape.legendre(self.rates.dimension, self.scale[1]);
        let inputs: Vec<[f64; 1]> = state.iter().map(|x| [*x]).collect();
        let values = code.run(&inputs, &mut vec![]);
        values.into_iter().map(|v| v[0]).collect()
    }

    /// The components of the force as functions of (t, x, u).
    pub(crate) fn force_tape(&self) -> &Tape {
        &self.force
    }

    /// What the energy is computed as.
    pub(crate) fn energy(&self) -> Reg {
        self.energy
    }

    /// The parts of Hamilton's right-hand side; `None` unless L is quadratic in the velocities.
    pub(crate) fn hamilton_parts(&self) -> Option<galilei_tape::Hamilton> {
        self.tape.hamilton(&self.rates, self.scale[1], &self.force)
    }

    /// One Taylor expansion as a run of that tolerance takes it.
    pub fn taylor_step(&self, tolerance: f64) -> Step<'_> {
        Step::new(&self.tape, &self.rates, tolerance)
    }

    /// Runge–Kutta steps of any length.
    pub fn runge_kutta_step(&self) -> RungeKuttaStep<'_> {
        RungeKuttaStep::new(&self.tape, &self.rates)
    }

    /// Steps of a Gauss method with one, two or three stages, of any length: in momenta, as runs take them, or in
    /// velocities, where they are symplectic only if the mass matrix is constant.
    pub fn gauss_step(&self, stages: usize, momenta: bool) -> GaussStep<'_> {
        match momenta {
            true => GaussStep::new(&self.problem(), stages),
            false => GaussStep::of_velocities(&self.problem(), stages),
        }
    }

    /// Variational steps of any length; `None` unless all constraints are between positions.
    ///
    /// ```
    /// use galilei::integrate::DiscreteAction;
    /// use galilei::{Settings, compile, read};
    /// let text = "coord x\nkinetic: x'^2\npotential: x^2\n";
    /// let compiled = compile(&read(text, &Settings::default()).model.unwrap()).unwrap();
    /// let mut step = compiled.variational_step(DiscreteAction::Trapezoid).unwrap();
    /// // Störmer and Verlet: half a kick, a drift, half a kick.
    /// assert_eq!(step.step(&[0.0, 1.0, 0.0], 0.5).unwrap(), [0.5, 0.875, -0.46875]);
    /// assert_eq!(step.momenta(), [[0.0], [-0.9375]]);
    /// ```
    ///
    /// # Panics
    /// If a degree is not from one to three.
    pub fn variational_step(&self, action: DiscreteAction) -> Option<VariationalStep<'_>> {
        VariationalStep::new(&self.problem(), action)
    }

    /// The Taylor coefficients of the motion as code.
    pub fn series(&self, wanted: &Wanted, order: usize) -> Series {
        self.tape.series(&self.rates, wanted, order)
    }

    /// The equations of motion.
    pub fn rates(&self) -> &Rates {
        &self.rates
    }

    /// The code of everything that is computed.
    pub fn tape(&self) -> &Tape {
        &self.tape
    }

    /// The same with every product and sum rounded for itself: what a processor without fused
    /// instructions would compute.
    #[must_use]
    pub fn without_fusion(mut self) -> Self {
        self.rates.separate = true;
        self
    }

    /// The same, with runs that are never brought back to the constraints.
    #[must_use]
    pub fn without_projection(mut self) -> Self {
        self.levels.clear();
        self
    }

    /// The same, with runs that keep the states between which their steps lie, or with runs that do not:
    /// see [`crate::Trajectory`].
    #[must_use]
    pub fn with_trail(mut self, kept: bool) -> Self {
        self.trail = kept;
        self
    }

    /// A run with what it took.
    pub(crate) fn motion(&self, run: Run, plan: &Plan, seconds: f64) -> Motion {
        Motion {
            run,
            method: plan.method.name(),
            tolerance: plan.options.tolerance,
            step: plan.options.step,
            coordinates: self.coordinates.clone(),
            output_names: self.output_names.clone(),
            event_names: self.event_names.clone(),
            derive_seconds: self.derive_seconds,
            compile_seconds: self.compile_seconds,
            integrate_seconds: seconds,
        }
    }

    /// A run of the model that this was compiled from, from its initial state or another: see
    /// [`Model::starting_at`].
    ///
    /// # Errors
    /// Where the settings are not those of a run.
    pub fn simulate(
        &self,
        model: &Model,
        settings: &RunSettings,
        progress: impl FnMut(f64, f64, f64) -> bool,
    ) -> Result<Motion, Vec<Diagnostic>> {
        Ok(self.follow(&Plan::new(model, settings)?, progress))
    }

    /// A run as planned.
    pub(crate) fn follow(
        &self,
        plan: &Plan,
        mut progress: impl FnMut(f64, f64, f64) -> bool,
    ) -> Motion {
        let started = Instant::now();
        let Options { from, to, .. } = plan.options;
        let run = self.integrate_by(plan.method, &plan.start, &plan.options, |t| {
            progress(t, from, to)
        });
        self.motion(run, plan, started.elapsed().as_secs_f64())
    }

    /// Integrates from a state, x then u.
    pub fn integrate(
        &self,
        state: &[f64],
        options: &Options,
        progress: impl FnMut(f64) -> bool,
    ) -> Run {
        self.integrate_by(Method::Taylor, state, options, progress)
    }

    /// The same by another method.
    pub fn integrate_by(
        &self,
        method: Method,
        state: &[f64],
        options: &Options,
        progress: impl FnMut(f64) -> bool,
    ) -> Run {
        method.integrate(&self.problem(), state, options, progress)
    }

    /// By Taylor series, with variations of the motion.
    pub fn integrate_with(
        &self,
        state: &[f64],
        options: &Options,
        directions: &Directions,
        progress: impl FnMut(f64) -> bool,
    ) -> (Run, Variation) {
        galilei_integrate::integrate_with(self.problem(), state, options, directions, progress)
    }

    /// The motion with its series compiled for a tolerance: for many runs.
    ///
    /// ```
    /// use galilei::integrate::Options;
    /// use galilei::{Settings, compile, read};
    /// let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\n";
    /// let compiled = compile(&read(text, &Settings::default()).model.unwrap()).unwrap();
    /// let mut prepared = compiled.prepared(1e-12);
    /// let options = Options { from: 0.0, to: 3.0, every: None, tolerance: 1e-12, max_steps: 100, step: None };
    /// for start in [1.0, 2.0] {
    ///     let run = prepared.integrate(&[start, 0.0], &options, |_| true);
    ///     assert!((run.state[0] - start * 3.0_f64.cos()).abs() < 1e-11);
    /// }
    /// ```
    pub fn prepared(&self, tolerance: f64) -> Prepared<'_> {
        Prepared::new(self.problem(), tolerance)
    }

    /// The same with numbers for the parameters that are inputs.
    pub(crate) fn with_fixed(&self, values: &[f64]) -> Self {
        let mut closed = self.clone();
        if !values.is_empty() {
            closed.tape = self.tape.with_fixed(values);
            closed.force = self.force.with_fixed(values);
            if let Some((tape, _)) = &mut closed.late {
                *tape = tape.with_fixed(values);
            }
        }
        closed
    }

    /// One motion of a sweep by itself, by any method.
    pub(crate) fn alone(&self, start: &Start, method: Method, options: &Options) -> Run {
        let compiled = self.with_fixed(&start.fixed);
        let problem = compiled.problem();
        let options = Options {
            from: start.from,
            to: start.to,
            // Only the end is wanted.
            every: Some(f64::MAX),
            ..options.clone()
        };
        let mut state = start.state.clone();
        let tolerance = options.tolerance;
        match admitted(&problem, tolerance, start.from, &mut state, start.project) {
            Ok(()) => method.integrate(&problem, &state, &options, |_| true),
            Err(stop) => {
                let nowhere = Options {
                    to: start.from,
                    ..options
                };
                let mut run = Method::Taylor.integrate(&problem, &state, &nowhere, |_| true);
                run.status = Status::Failed(stop);
                run
            }
        }
    }

    /// The motion with code for many runs side by side: 1, 4 or 8 lanes.
    pub fn ensemble(&self, tolerance: f64, lanes: usize) -> Ensemble<'_> {
        Ensemble::new(self.problem(), tolerance, MAX_STEPS, lanes)
    }

    fn problem(&self) -> Problem<'_> {
        Problem {
            tape: &self.tape,
            rates: &self.rates,
            energy: self.energy,
            power: self.power,
            lagrangian: self.scale[1],
            reaction_rates: self.reaction_rates.clone(),
            residuals: self.residuals.clone(),
            levels: self.levels.clone(),
            scale: self.scale.clone(),
            events: self.events.clone(),
            outputs: self.outputs.clone(),
            late: self.late.as_ref().map(|(tape, reactions)| Late {
                tape,
                reactions: reactions.clone(),
            }),
            trail: self.trail,
        }
    }
}

/// A run as the file and the settings say. `progress` is told the time and the ends, and says whether
/// to go on.
///
/// ```
/// use galilei::{RunSettings, Settings, read, simulate};
/// let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1\nsimulate to 2*pi\n";
/// let model = read(text, &Settings::default()).model.unwrap();
/// let motion = simulate(&model, &RunSettings::default(), |_, _, _| true).unwrap();
/// assert!((motion.run.state[0] - 1.0).abs() < 1e-12);
/// assert!(motion.run.energy_balance < 1e-13);
/// ```
pub fn simulate(
    model: &Model,
    settings: &RunSettings,
    progress: impl FnMut(f64, f64, f64) -> bool,
) -> Result<Motion, Vec<Diagnostic>> {
    let plan = Plan::new(model, settings)?;
    Ok(compile(model)?.follow(&plan, progress))
}

/// What a run of a model is to be: the file's words with the settings over them.
pub(crate) struct Plan {
    pub(crate) method: Method,
    pub(crate) options: Options,
    /// x, then u.
    pub(crate) start: Vec<f64>,
}

impl Plan {
    pub(crate) fn new(model: &Model, settings: &RunSettings) -> Result<Self, Vec<Diagnostic>> {
        let contents = model.contents();
        let values = model.parameter_values()?;
        let number = |e: Option<Expr<'_>>| e.map(|e| e.substitute(&values).evaluate_f64(&[]));
        let wrong = |code: &'static str, message: String, hint: &str| {
            vec![Diagnostic::error(code, message, hint, None)]
        };
        let method = chosen(model, settings).map_err(|why| vec![why])?;
        let from = settings
            .from
            .or_else(|| number(contents.run.from))
            .unwrap_or(0.0);
        let Some(to) = settings.to.or_else(|| number(contents.run.to)) else {
            return Err(wrong(
                "missing_end_time",
                "the run has no end".into(),
                "write `simulate to 10` in the file, or give --to 10",
            ));
        };
        let every = settings.every.or_else(|| number(contents.run.every));
        let tolerance = settings
            .tolerance
            .or_else(|| number(contents.run.tolerance))
            .unwrap_or(TOLERANCE);
        let step = settings.step;
        for (name, x, positive) in [
            ("from", from, false),
            ("to", to, false),
            ("every", every.unwrap_or(1.0), true),
            ("tolerance", tolerance, true),
            ("step", step.unwrap_or(1.0), true),
        ] {
            if !x.is_finite() || (positive && x <= 0.0) {
                return Err(wrong(
                    "wrong_setting",
                    format!("`{name}` is {x}"),
                    "times are finite, steps and tolerances positive",
                ));
            }
        }
        if let Some(every) = every
            && ((to - from) / every).abs() > 5e7
        {
            return Err(wrong(
                "wrong_setting",
                "more than 50 million states would be recorded".into(),
                "make `every` larger",
            ));
        }
        let mut state: State<'_> = model.initial_state()?;
        if settings.project {
            state = model.projected(&state).ok_or_else(|| {
                wrong(
                    "projection_failed",
                    "no state on the constraints was found near the initial one".into(),
                    "change the `initial` values",
                )
            })?;
        }
        let start: Vec<f64> = state
            .position
            .iter()
            .chain(&state.velocity)
            .map(|e| e.evaluate_f64(&[]))
            .collect();
        if let Some(k) = start.iter().position(|x| !x.is_finite()) {
            let n = contents.coordinates.len();
            return Err(wrong(
                "not_finite",
                format!(
                    "the initial value of `{}` is not a number",
                    contents.coordinates[k % n].name
                ),
                "check the `initial` statement",
            ));
        }
        Ok(Self {
            method,
            options: Options {
                from,
                to,
                every,
                tolerance,
                max_steps: MAX_STEPS,
                step,
            },
            start,
        })
    }
}
