//! Runs: a model compiled to a tape, and the motion from a state.

mod compiled;

use galilei_expr::{Expr, Rational};
use galilei_integrate::{Method, Options, Run, Trust};
use galilei_lower::{Form, Lowered, Parameters, lower};
use galilei_model::{Code, Diagnostic, Model, State, TOLERANCES};

use crate::method::chosen;

/// A model as straight-line code, and what can be computed with it: numbers only.
#[derive(Clone, Debug)]
pub struct Compiled {
    lowered: Lowered,
}

/// Compiles the motion of a model, with ideal reactions where it has constraints; parameters are folded in as constants.
pub fn compile(model: &Model) -> Result<Compiled, Vec<Diagnostic>> {
    compile_as(model, Form::Shortest)
}

/// Compiles the motion of a model with the equations of motion in a given form.
pub fn compile_as(model: &Model, form: Form) -> Result<Compiled, Vec<Diagnostic>> {
    let lowered = lower(model, form, Parameters::Constant)?;
    Ok(Compiled { lowered })
}

/// Compiles the motion of a model with its variations, also by some parameters.
///
/// # Errors
/// Where a parameter is unknown or has no value, or the model has no numbers.
pub fn compile_varied(model: &Model, parameters: &[String]) -> Result<Compiled, Vec<Diagnostic>> {
    let kept = crate::variations::named(model, parameters)?;
    let lowered = lower(model, Form::Shortest, Parameters::Differentiated(&kept))?;
    Ok(Compiled { lowered })
}

/// Compiles the motion of a model with some parameters as inputs behind the state.
pub(crate) fn compile_open(
    model: &Model,
    parameters: &[Expr<'_>],
    form: Form,
) -> Result<Compiled, Vec<Diagnostic>> {
    let lowered = lower(model, form, Parameters::Inputs(parameters))?;
    Ok(Compiled { lowered })
}

/// Settings of a run that win over those of the file.
#[derive(Clone, Debug, Default)]
pub struct RunSettings {
    /// The start.
    pub from: Option<f64>,
    /// The end.
    pub to: Option<f64>,
    /// The distance of recorded states; the end of the run is recorded, too.
    pub every: Option<f64>,
    /// The method.
    pub method: Option<String>,
    /// The tolerance.
    pub tolerance: Option<f64>,
    /// The length of all steps, for methods of constant steps.
    pub step: Option<f64>,
    /// Start from the nearest state on the constraints.
    pub project: bool,
    /// Whether a run is accepted whose energy is not balanced by the work done.
    pub accept_balance: bool,
    /// Whether no states are recorded: only the end and events are wanted.
    pub unrecorded: bool,
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
    /// Warnings about the run, such as an energy balance that is too coarse.
    pub warnings: Vec<Diagnostic>,
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
    /// Whether a run is accepted whose energy is not balanced.
    pub(crate) accept_balance: bool,
    /// x, then u.
    pub(crate) start: Vec<f64>,
}

impl Plan {
    pub(crate) fn new(model: &Model, settings: &RunSettings) -> Result<Self, Vec<Diagnostic>> {
        let contents = model.contents();
        let values = model.parameter_values()?;
        let number = |e: Option<Expr<'_>>| e.map(|e| e.substitute(&values).evaluate_f64(&[]));
        let wrong = |code: Code, message: String, hint: &str| {
            vec![Diagnostic::error(code, message, hint, None)]
        };
        let method = chosen(model, settings).map_err(|why| vec![why])?;
        let from = settings
            .from
            .or_else(|| number(contents.run.from))
            .unwrap_or(0.0);
        let Some(to) = settings.to.or_else(|| number(contents.run.to)) else {
            return Err(wrong(
                Code::MissingEndTime,
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
                    Code::WrongSetting,
                    format!("`{name}` is {x}"),
                    "times are finite, steps and tolerances positive",
                ));
            }
        }
        if !TOLERANCES.contains(&tolerance) {
            return Err(wrong(
                Code::WrongSetting,
                format!("`tolerance` is {tolerance:?}"),
                "it is a relative error: below 1, and not below 1e-18, which doubles cannot tell from rounding",
            ));
        }
        if let Some(every) = every
            && ((to - from) / every).abs() > 5e7
        {
            return Err(wrong(
                Code::WrongSetting,
                "more than 50 million states would be recorded".into(),
                "make `every` larger",
            ));
        }
        if let Some(step) = step {
            possible(model, (to - from).abs() / step).map_err(|why| vec![why])?;
        }
        let mut state: State<'_> = model.initial_state()?;
        if let Some(from) = settings.from.and_then(Rational::from_f64) {
            state.time = model.pool().number(from);
        }
        if settings.project {
            state = model.projected(&state).ok_or_else(|| {
                wrong(
                    Code::ProjectionFailed,
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
                Code::NotFinite,
                format!(
                    "the initial value of `{}` is not a number",
                    contents.coordinates[k % n].name
                ),
                "check the `initial` statement",
            ));
        }
        Ok(Self {
            method,
            accept_balance: settings.accept_balance,
            options: Options {
                from,
                to,
                every: match settings.unrecorded {
                    true => Some(f64::INFINITY),
                    false => every,
                },
                tolerance,
                max_steps: MAX_STEPS,
                step,
            },
            start,
        })
    }
}

/// Warnings from the energy balance of a run. A run by adaptive steps that cannot be trusted has failed, unless it is
/// accepted.
fn judged(run: &mut Run, plan: &Plan) -> Vec<Diagnostic> {
    let tolerance = plan.options.tolerance;
    let trust = run.trust(tolerance);
    if trust == Trust::Balanced {
        return vec![];
    }
    if !plan.accept_balance {
        run.distrust(plan.method, tolerance);
    }
    let hint = match plan.method.has_constant_steps() {
        true => "shorter steps balance it better; `taylor` chooses them by itself",
        false => {
            "compare with another method (`--method radau` or `dop853`) and another tolerance; --accept-balance accepts the run as it is"
        }
    };
    vec![Diagnostic::warning(
        Code::EnergyBalance,
        format!(
            "energy and the work done differ by {:.1e} of the largest energy",
            run.energy_balance
        ),
        hint,
        None,
    )]
}

/// Whether a run of so many steps may come to its end: by them, or by an event before.
fn possible(model: &Model, steps: f64) -> Result<(), Diagnostic> {
    let ends_early = model.contents().events.iter().any(|e| e.terminal);
    if ends_early || steps <= MAX_STEPS as f64 {
        return Ok(());
    }
    Err(Diagnostic::error(
        Code::WrongSetting,
        format!("the run would be {steps:.1e} steps, and {MAX_STEPS} are the most"),
        "make `step` longer, or the span shorter",
        None,
    ))
}
