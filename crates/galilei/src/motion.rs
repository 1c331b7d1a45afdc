//! The plan of a run, and its result.

use galilei_expr::{ExprId, Rational};
use galilei_integrate::{Method, Options, Run, Trust};
use galilei_model::{Code, Diagnostic, Model, State, TOLERANCES};

use crate::method::chosen;
use crate::settings::RunSettings;

/// A run with its method, names, warnings and timings.
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
    /// Warnings about the run, such as a coarse energy balance.
    pub warnings: Vec<Diagnostic>,
    /// The names of the coordinates.
    pub coordinates: Vec<String>,
    /// The names of the outputs.
    pub output_names: Vec<String>,
    /// The names of the events.
    pub event_names: Vec<String>,
    /// Seconds from the model to the input of the compiler.
    pub derive_seconds: f64,
    /// Seconds to compile.
    pub compile_seconds: f64,
    /// Seconds of integration.
    pub integrate_seconds: f64,
}

/// The relative tolerance of a step, where neither the settings nor the file give one.
pub const DEFAULT_TOLERANCE: f64 = 1e-12;
/// The largest number of steps of a run.
pub(crate) const MAX_STEPS: usize = 50_000_000;

/// The plan of a run: the values of the file, overridden by the settings.
pub(crate) struct Plan {
    pub(crate) method: Method,
    pub(crate) options: Options,
    /// Whether a run with an unbalanced energy is accepted.
    pub(crate) accept_balance: bool,
    /// x, then u.
    pub(crate) start: Vec<f64>,
}

impl Plan {
    pub(crate) fn new(model: &Model, settings: &RunSettings) -> Result<Self, Vec<Diagnostic>> {
        let contents = model.contents();
        let values = model.parameter_values()?;
        let number =
            |id: Option<ExprId>| id.map(|id| model.expr(id).substitute(&values).evaluate_f64(&[]));
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
            .unwrap_or(DEFAULT_TOLERANCE);
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

/// Warnings from the energy balance of a run. An untrustworthy run by adaptive steps fails, unless it is accepted.
pub(crate) fn judged(run: &mut Run, plan: &Plan) -> Vec<Diagnostic> {
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

/// Warnings about events that became too small for a number along a run.
pub(crate) fn underflows(run: &Run, names: &[String]) -> impl Iterator<Item = Diagnostic> {
    run.underflows.iter().map(|k| {
        Diagnostic::warning(
            Code::EventUnderflow,
            format!(
                "event {} becomes too small for a number, and its zeros are not seen from then on",
                names[*k]
            ),
            "leave out factors that do not vanish, such as exp, or divide by them",
            None,
        )
    })
}

/// Refuses a run whose number of steps exceeds the limit, unless an event may end it before.
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
