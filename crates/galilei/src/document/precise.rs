//! The document of `simulate --precision`.

use galilei_certify::{Decimal, PreciseEvent};
use galilei_report::document::{Diagnostic, Entries, warnings};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::precise::PreciseMotion;

/// A number with all its digits, which is a number in JSON, too. Readers that know doubles alone get the nearest one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digits<'a>(pub &'a Decimal);

impl Serialize for Digits<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Numbers beyond all bounds are null, as in other documents.
        match RawValue::from_string(self.0.as_str().to_owned()) {
            Ok(raw) => raw.serialize(serializer),
            Err(_) => serializer.serialize_none(),
        }
    }
}

/// A run in many digits. Its keys are those of a run in doubles.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PreciseSimulation<'a> {
    /// The title of the system.
    pub system: &'a str,
    /// The method.
    pub method: &'static str,
    /// The number of bits that was asked for.
    pub precision: usize,
    /// The relative tolerance of a step.
    pub tolerance: f64,
    /// `finished`, `event` or `failed`.
    pub status: &'static str,
    /// The time at the end.
    pub time: Digits<'a>,
    /// The positions at the end.
    pub position: Vec<Digits<'a>>,
    /// The velocities at the end.
    pub velocity: Vec<Digits<'a>>,
    /// The outputs at the end; null where one has no value.
    pub outputs: Entries<Option<Digits<'a>>>,
    /// The number of steps.
    pub steps: usize,
    /// The number of rejected steps.
    pub rejected: usize,
    /// The order of the series.
    pub order: usize,
    /// The difference between energy and work, relative to the largest energy.
    pub energy_balance: f64,
    /// The largest violation of constraints.
    pub constraint_residual: Option<f64>,
    /// The events.
    pub events: Vec<EventInDigits<'a>>,
    /// Events that may be touched without a change of sign, which are not listed.
    pub touched: Vec<Touch<'a>>,
    /// Seconds of the run with its preparation.
    pub integrate_seconds: f64,
    /// Why the run failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The warnings.
    pub warnings: Vec<Diagnostic>,
}

/// An event in many digits.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct EventInDigits<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its time.
    pub time: Digits<'a>,
    /// The positions at the event.
    pub position: Vec<Digits<'a>>,
    /// The velocities at the event.
    pub velocity: Vec<Digits<'a>>,
}

/// A time at which an event may be touched.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Touch<'a> {
    /// The name of the event.
    pub name: &'a str,
    /// The time.
    pub time: Digits<'a>,
}

fn digits(list: &[Decimal]) -> Vec<Digits<'_>> {
    list.iter().map(Digits).collect()
}

impl<'a> PreciseSimulation<'a> {
    /// The document of a run of a system, with the warnings among diagnostics of its text.
    pub fn new(
        title: &'a str,
        motion: &'a PreciseMotion,
        (diagnostics, source): (&[galilei_model::Diagnostic], &str),
    ) -> Self {
        let run = &motion.run;
        let (position, velocity) = run.state.split_at(motion.coordinates.len());
        let name = |k: usize| motion.event_names.get(k).map_or("", String::as_str);
        let event = |e: &'a PreciseEvent| {
            let (position, velocity) = e.state.split_at(motion.coordinates.len());
            EventInDigits {
                name: name(e.event),
                time: Digits(&e.time),
                position: digits(position),
                velocity: digits(velocity),
            }
        };
        let outputs = motion.output_names.iter().cloned();
        Self {
            system: title,
            method: "taylor",
            precision: run.precision.bits(),
            tolerance: run.tolerance,
            status: match (run.failure, run.ended_by) {
                (Some(_), _) => "failed",
                (None, Some(_)) => "event",
                (None, None) => "finished",
            },
            time: Digits(&run.time),
            position: digits(position),
            velocity: digits(velocity),
            outputs: outputs
                .zip(run.outputs.iter().map(|x| x.as_ref().map(Digits)))
                .collect(),
            steps: run.steps,
            rejected: run.rejected,
            order: run.order,
            energy_balance: run.energy_balance,
            constraint_residual: run.constraint_residual,
            events: run.events.iter().map(event).collect(),
            touched: (run.touched.iter())
                .map(|(k, time)| Touch {
                    name: name(*k),
                    time: Digits(time),
                })
                .collect(),
            integrate_seconds: motion.seconds,
            reason: run.failure.map(|why| why.to_string()),
            warnings: warnings(diagnostics, source),
        }
    }
}
