//! Runs in 106 or 212 bits.

use std::time::Instant;

use galilei_certify::{PreciseFailure, PreciseRun, PreciseSettings, Precision, follow};
use galilei_expr::{Expr, ExprId, Rational};
use galilei_integrate::Method;
use galilei_model::{Code, Diagnostic, refused};

use crate::certification::decimal;
use crate::error::Error;
use crate::method::chosen;
use crate::model::Model;
use crate::motion::missing_end;
use crate::settings::{Observer, Progress, RunSettings, report, setters, shared_setters};

/// The largest balance of energy and work of a run that is trusted, in tolerances for each step.
const MAX_IMBALANCE_PER_STEP: f64 = 1e6;
/// The largest number of recorded states.
const MAX_ROWS: f64 = 1e7;

/// Settings of a run in many digits, then [`run`](Self::run). Made by [`Model::simulate_precisely`].
///
/// Numbers of the model and of [`at`](Model::starting_at) are taken exactly; times are the shortest decimals that read as
/// the given doubles. The tolerance of the file is that of runs in doubles, and does not matter here.
///
/// ```
/// let model = galilei::Model::parse("coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1\n")?;
/// let motion = model.simulate_precisely(galilei::Precision::Bits106).to(1.0).run()?;
/// // cos 1 by mpmath
/// assert!(motion.run.state[0].as_str().starts_with("0.54030230586813971740093660744"));
/// let half = motion.run.at(&galilei::Rational::new(1, 2)).unwrap();
/// assert!(half[0].as_str().starts_with("0.87758256189037271611628158260"));
/// # Ok::<(), galilei::Error>(())
/// ```
pub struct PreciseSimulation<'a> {
    model: &'a Model,
    precision: Precision,
    run: RunSettings,
    observer: Option<Observer<'a>>,
}

/// A run in many digits with its names.
#[derive(Debug)]
#[non_exhaustive]
pub struct PreciseMotion {
    /// The run.
    pub run: PreciseRun,
    /// The names of the coordinates.
    pub coordinates: Vec<String>,
    /// The names of the outputs.
    pub output_names: Vec<String>,
    /// The names of the events.
    pub event_names: Vec<String>,
    /// Warnings about the run.
    pub warnings: Vec<Diagnostic>,
    /// Seconds of the run with its preparation.
    pub seconds: f64,
}

impl PreciseMotion {
    /// The names of the columns of [`PreciseRun::rows`].
    pub fn columns(&self) -> Vec<String> {
        let mut columns = vec!["t".to_owned()];
        columns.extend(self.coordinates.iter().cloned());
        columns.extend(self.coordinates.iter().map(|c| format!("{c}'")));
        columns.extend(self.output_names.iter().cloned());
        columns
    }
}

impl Model {
    /// A run in 106 or 212 bits: choose settings, then call [`run`](PreciseSimulation::run).
    pub fn simulate_precisely(&self, precision: Precision) -> PreciseSimulation<'_> {
        PreciseSimulation {
            model: self,
            precision,
            run: RunSettings::new(),
            observer: None,
        }
    }
}

impl<'a> PreciseSimulation<'a> {
    shared_setters!(run);

    setters! {
        /// A function that is called from time to time with the progress of the run; it returns whether to go on.
        progress(observer: impl FnMut(Progress) -> bool + 'a)
            => observer = Some(Box::new(observer));
    }

    /// Makes the run, with dense output. A run that fails is returned up to the failure: see [`PreciseRun::failure`].
    ///
    /// # Errors
    /// Where the model has something that these runs do not have, or the settings are wrong.
    pub fn run(mut self) -> Result<PreciseMotion, Error> {
        let started = Instant::now();
        let mut observer = self.observer.take();
        let settings = self.exact_settings().map_err(|e| self.model.error(e))?;
        let ends = [settings.from, settings.to].map(|e| e.evaluate_f64(&[]));
        let mut progress = |time: f64| report(&mut observer, time, ends);
        let found = follow(self.model, &settings, &mut progress);
        let mut run = found.map_err(|e| self.model.error(e))?;
        let warnings = self.judged(&mut run);
        let contents = self.model.contents();
        Ok(PreciseMotion {
            run,
            coordinates: contents
                .coordinates
                .iter()
                .map(|c| c.name.clone())
                .collect(),
            output_names: contents.outputs.iter().map(|o| o.name.clone()).collect(),
            event_names: contents.events.iter().map(|e| e.name.clone()).collect(),
            warnings,
            seconds: started.elapsed().as_secs_f64(),
        })
    }

    /// Fails a run whose energy is not balanced, unless that is accepted.
    fn judged(&self, run: &mut PreciseRun) -> Vec<Diagnostic> {
        let bound = MAX_IMBALANCE_PER_STEP * run.tolerance * (run.steps + 1) as f64;
        if run.failure.is_some() || run.energy_balance <= bound {
            return vec![];
        }
        if !self.run.accept_balance {
            run.failure = Some(PreciseFailure::Balance);
        }
        vec![Diagnostic::warning(
            Code::EnergyBalance,
            format!(
                "energy and the work done differ by {:.1e} of the largest energy",
                run.energy_balance
            ),
            "compare with a run in doubles; --accept-balance accepts the run as it is",
            None,
        )]
    }

    /// The settings in exact numbers.
    fn exact_settings(&self) -> Result<PreciseSettings<'a>, Vec<Diagnostic>> {
        let model: &'a galilei_model::Model = self.model;
        let contents = model.contents();
        let given = &self.run;
        if given.chart.is_some() {
            return Err(refused(
                Code::NotAvailable,
                "a run in more digits starts in the coordinates of the model",
                "leave out --chart",
            ));
        }
        let mut settings = given.clone();
        settings.step = None;
        let method = chosen(model, &settings).map_err(|why| vec![why])?;
        if given.step.is_some() || (given.method.is_some() && method != Method::Taylor) {
            return Err(refused(
                Code::NotAvailable,
                "more digits are available by `taylor` alone",
                "leave out --method and --step",
            ));
        }
        let tolerance = given
            .tolerance
            .unwrap_or(self.precision.default_tolerance());
        let tolerances = self.precision.tolerances();
        if !tolerances.contains(&tolerance) {
            return Err(refused(
                Code::WrongSetting,
                format!("`tolerance` is {tolerance:?}"),
                format!(
                    "it is a relative error: below 1, and with {} bits not below {:?}",
                    self.precision.bits(),
                    tolerances.start
                ),
            ));
        }
        let values = model.parameter_values()?;
        let time = |what: &str, x: f64| {
            let q = decimal(x).filter(|_| x.is_finite());
            q.map(|q: Rational| model.pool().number(q)).ok_or_else(|| {
                refused(
                    Code::WrongSetting,
                    format!("`{what}` is {x}"),
                    "times are finite",
                )
            })
        };
        let of =
            |what: &str, x: Option<f64>, file: Option<ExprId>| -> Result<Option<Expr<'a>>, _> {
                match x {
                    Some(x) => time(what, x).map(Some),
                    None => Ok(file.map(|e| model.expr(e).substitute(&values))),
                }
            };
        let Some(to) = of("to", given.to, contents.run.to)? else {
            return Err(missing_end());
        };
        let mut state = match given.from {
            Some(from) => model.initial_state_from(time("from", from)?)?,
            None => model.initial_state()?,
        };
        if given.project {
            state = model.projected(&state).ok_or_else(|| {
                refused(
                    Code::ProjectionFailed,
                    "no state on the constraints was found near the initial one",
                    "change the `initial` values",
                )
            })?;
        }
        let every = of("every", given.every, contents.run.every)?;
        if let Some(every) = every {
            let (distance, span) = (
                every.evaluate_f64(&[]),
                (to.evaluate_f64(&[]) - state.time.evaluate_f64(&[])).abs(),
            );
            if !(distance.is_finite() && distance > 0.0) {
                return Err(refused(
                    Code::WrongSetting,
                    format!("`every` is {distance}"),
                    "it is a positive distance in time",
                ));
            }
            if span / distance > MAX_ROWS {
                return Err(refused(
                    Code::WrongSetting,
                    "more than 10 million states would be recorded",
                    "make `every` larger",
                ));
            }
        }
        Ok(PreciseSettings {
            precision: self.precision,
            from: model.expr(state.time.id()),
            to,
            every,
            rows: !given.unrecorded,
            start: (state.position.iter().chain(&state.velocity))
                .map(|e| model.expr(e.id()))
                .collect(),
            tolerance,
            dense: true,
        })
    }
}
