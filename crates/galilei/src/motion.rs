//! The plan of a run, and its result.

use galilei_expr::{ExprId, Rational};
use galilei_integrate::{Method, Options, Record, Run, Status, Trust};
use galilei_model::{Code, Diagnostic, Model, State, TOLERANCES, refused};

use crate::error::Error;
use crate::method::chosen;
use crate::settings::RunSettings;

/// A run with its method, names, warnings and timings.
#[derive(Clone, Debug)]
#[non_exhaustive]
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
    /// The names of the charts through which a run may go, the first of which is that of the model; empty without an
    /// atlas.
    pub charts: Vec<String>,
    /// Whether the system has contacts, friction or impacts: see [`Run::contacts`].
    pub has_contacts: bool,
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

impl Motion {
    /// The motion, if its run did not fail.
    ///
    /// # Errors
    /// Where the run failed; the [`RunError`](crate::RunError) is the source of the error.
    ///
    /// ```
    /// let model = galilei::Model::parse("coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1")?;
    /// let motion = model.simulate().to(10.0).run()?.finished()?;
    /// assert_eq!(motion.run.time, 10.0);
    /// # Ok::<(), galilei::Error>(())
    /// ```
    pub fn finished(self) -> Result<Self, Error> {
        match self.run.status {
            Status::Failed(why) => Err(why.into()),
            Status::Finished | Status::Event(_) => Ok(self),
        }
    }
}

/// The relative tolerance of a step, where neither the settings nor the file give one.
pub const DEFAULT_TOLERANCE: f64 = 1e-12;
/// The largest number of steps of a run.
pub(crate) const MAX_STEPS: usize = 50_000_000;
/// The largest number of states that a run records at constant intervals.
const MAX_RECORDS: f64 = 5e7;

/// The plan of a run: the values of the file, overridden by the settings.
#[derive(Clone)]
pub(crate) struct Plan {
    pub(crate) method: Method,
    pub(crate) options: Options,
    /// Whether a run with an unbalanced energy is accepted.
    pub(crate) accept_balance: bool,
    /// x, then u; of a run in (x, p), x, then p.
    pub(crate) start: Vec<f64>,
    /// The place of the chart in which the run starts: 0 for the model's own.
    pub(crate) chart: usize,
}

impl Plan {
    pub(crate) fn new(model: &Model, settings: &RunSettings) -> Result<Self, Vec<Diagnostic>> {
        let method = chosen(model, settings).map_err(|why| vec![why])?;
        let mut options = options(model, settings)?;
        let chart = chart_number(model, settings)?;
        let (start, from) = start(model, settings, chart)?;
        options.from = from.unwrap_or(options.from);
        if options.to < options.from && model.has_contacts() {
            let refusal = model.contacts_not_available("a run backward in time");
            let hint = "impacts and friction do not determine the past; without losses, reverse the velocities and run forward";
            let with_hint = |d: Diagnostic| Diagnostic {
                hint: hint.into(),
                ..d
            };
            return Err(refusal.into_iter().map(with_hint).collect());
        }
        Ok(Self {
            method,
            accept_balance: settings.accept_balance,
            options,
            start,
            chart,
        })
    }
}

/// The refusal of a run whose end is given neither in the file nor in the settings.
pub(crate) fn missing_end() -> Vec<Diagnostic> {
    refused(
        Code::MissingEndTime,
        "the run has no end",
        "write `simulate to 10` in the file, or give --to 10",
    )
}

/// The times, the tolerance and the steps of a run, as numbers that have a meaning.
fn options(model: &Model, settings: &RunSettings) -> Result<Options, Vec<Diagnostic>> {
    let file = &model.contents().run;
    let values = model.parameter_values()?;
    let number =
        |id: Option<ExprId>| id.map(|id| model.expr(id).substitute(&values).evaluate_f64(&[]));
    let from = settings.from.or_else(|| number(file.from)).unwrap_or(0.0);
    let Some(to) = settings.to.or_else(|| number(file.to)) else {
        return Err(missing_end());
    };
    let every = settings.every.or_else(|| number(file.every));
    let tolerance = settings
        .tolerance
        .or_else(|| number(file.tolerance))
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
            return Err(refused(
                Code::WrongSetting,
                format!("`{name}` is {x}"),
                "times are finite, steps and tolerances positive",
            ));
        }
    }
    if !TOLERANCES.contains(&tolerance) {
        return Err(refused(
            Code::WrongSetting,
            format!("`tolerance` is {tolerance:?}"),
            "it is a relative error: below 1, and not below 1e-18, which doubles cannot tell from rounding",
        ));
    }
    if every.is_some_and(|every| ((to - from) / every).abs() > MAX_RECORDS) {
        return Err(refused(
            Code::WrongSetting,
            "more than 50 million states would be recorded",
            "make `every` larger",
        ));
    }
    if let Some(step) = step {
        possible(model, (to - from).abs() / step).map_err(|why| vec![why])?;
    }
    Ok(Options {
        from,
        to,
        record: match every {
            _ if settings.unrecorded => Record::Nothing,
            Some(every) => Record::Every(every),
            None => Record::Steps,
        },
        tolerance,
        max_steps: MAX_STEPS,
        step,
        ..Options::default()
    })
}

/// The place of the chart in which a run starts: 0 for the model's own.
fn chart_number(model: &Model, settings: &RunSettings) -> Result<usize, Vec<Diagnostic>> {
    let Some((name, _)) = &settings.chart else {
        return Ok(0);
    };
    model.chart(name).map_err(|d| vec![d])?;
    let place = model.atlas().iter().position(|c| c.name == *name);
    place.map(|k| k + 1).ok_or_else(|| {
        refused(
            Code::NotAvailable,
            format!("the chart `{name}` is not in the atlas, so runs do not enter it"),
            "write `atlas: NAME, …` with its name",
        )
    })
}

/// The state at the start: x, then u; of a run in (x, p), x, then p. With it the time, where the state is given in a
/// chart and has a time of its own.
fn start(
    model: &Model,
    settings: &RunSettings,
    chart: usize,
) -> Result<(Vec<f64>, Option<f64>), Vec<Diagnostic>> {
    let coordinates = &model.contents().coordinates;
    let mut state: State<'_> = match settings.from.and_then(Rational::from_f64) {
        Some(from) => model.initial_state_from(model.pool().number(from))?,
        None => model.initial_state()?,
    };
    let mut time = None;
    if let Some((name, at)) = &settings.chart {
        state = model.state_in_chart(name, at)?;
        if settings.from.is_none() {
            // The time of the chart may be shifted.
            let values = model.parameter_values()?;
            let shift = model.expr(model.chart(name).map_err(|d| vec![d])?.shift);
            let shift = shift.substitute(&values).evaluate_f64(&[]);
            time = Some(state.time.evaluate_f64(&[]) + shift);
        }
    }
    if settings.project && chart == 0 {
        state = model.projected(&state).ok_or_else(|| {
            refused(
                Code::ProjectionFailed,
                "no state on the constraints was found near the initial one",
                "change the `initial` values",
            )
        })?;
    }
    let numbers = state.position.iter().chain(&state.velocity);
    let mut start: Vec<f64> = numbers.map(|e| e.evaluate_f64(&[])).collect();
    if model.is_implicit() {
        let momenta = match settings.project {
            true => model.momenta_of(&state)?,
            false => model.start_momenta(&state)?,
        };
        start.truncate(coordinates.len());
        start.extend(momenta);
    }
    if let Some(k) = start.iter().position(|x| !x.is_finite()) {
        return Err(refused(
            Code::NotFinite,
            format!(
                "the initial value of `{}` is not a number",
                coordinates[k % coordinates.len()].name
            ),
            "check the `initial` statement",
        ));
    }
    Ok((start, time))
}

/// Warnings from the energy balance and the accumulated error of a run. An untrustworthy run by adaptive steps fails,
/// unless it is accepted.
pub(crate) fn judged(run: &mut Run, plan: &Plan) -> Vec<Diagnostic> {
    let tolerance = plan.options.tolerance;
    let mut warnings = Vec::new();
    if run.has_drifted(tolerance) {
        warnings.push(Diagnostic::warning(
            Code::AccumulatedError,
            format!(
                "the errors of the steps have added up to {:.1e} of the positions",
                run.accumulated_error.unwrap_or_default()
            ),
            "a smaller tolerance makes shorter steps; `taylor` follows such a motion further",
            None,
        ));
    }
    let trust = run.trust(tolerance);
    if trust == Trust::Balanced {
        return warnings;
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
    warnings.push(Diagnostic::warning(
        Code::EnergyBalance,
        format!(
            "energy and the work done differ by {:.1e} of the largest energy",
            run.energy_balance
        ),
        hint,
        None,
    ));
    warnings
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

/// Warnings about functions given by tables whose arguments left the table along a run.
pub(crate) fn extrapolations(run: &Run) -> impl Iterator<Item = Diagnostic> {
    run.extrapolated.iter().map(|(name, since)| {
        Diagnostic::warning(
            Code::TableExtrapolated,
            format!(
                "the run goes beyond the ends of `{name}` at t = {since:?}, where it is constant"
            ),
            "give the table more rows, or end the run before",
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
