//! The document of `simulate`.

use galilei_integrate::{Piece, Status};
use galilei_report::document::{Diagnostic, Entries, warnings};
use serde::Serialize;

use crate::motion::Motion;

/// A run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Run<'a> {
    /// The title of the system.
    pub system: &'a str,
    /// The method.
    pub method: &'a str,
    /// The relative tolerance of a step.
    pub tolerance: f64,
    /// `finished`, `event` or `failed`.
    pub status: &'static str,
    /// The time at the end.
    pub time: f64,
    /// The positions at the end.
    pub position: &'a [f64],
    /// The velocities at the end.
    pub velocity: &'a [f64],
    /// The momenta at the end, for methods that compute them.
    #[serde(skip_serializing_if = "<[f64]>::is_empty")]
    pub momentum: &'a [f64],
    /// The outputs at the end.
    pub outputs: Entries<f64>,
    /// The number of steps.
    pub steps: usize,
    /// The number of rejected steps.
    pub rejected: usize,
    /// The number of evaluations of the equations.
    pub evaluations: usize,
    /// The difference between energy and work, relative to the largest energy.
    pub energy_balance: f64,
    /// The largest violation of constraints.
    pub constraint_residual: Option<f64>,
    /// The events.
    pub events: Vec<Event<'a>>,
    /// The jumps of velocities, of systems with contacts, friction or impacts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub impacts: Option<Vec<Impact<'a>>>,
    /// The modes of contact and friction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modes: Option<Vec<Mode<'a>>>,
    /// The energy lost in impacts, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub impact_losses: Option<Entries<f64>>,
    /// The chart at the end, of runs that may change it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chart: Option<&'a str>,
    /// The changes of chart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<Change<'a>>>,
    /// Seconds from the model to equations.
    pub derive_seconds: f64,
    /// Seconds to compile them.
    pub compile_seconds: f64,
    /// Seconds of integration.
    pub integrate_seconds: f64,
    /// Why the run failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A change of chart.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Change<'a> {
    /// Its time.
    pub time: f64,
    /// The chart that is left.
    pub from: &'a str,
    /// The chart that is entered.
    pub to: &'a str,
}

/// An event of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Event<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its time.
    pub time: f64,
    /// The positions at the event.
    pub position: &'a [f64],
    /// The velocities at the event.
    pub velocity: &'a [f64],
}

/// A jump of velocities.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Impact<'a> {
    /// The name of the contact or of the `impact` statement.
    pub name: &'a str,
    /// Its time.
    pub time: f64,
    /// The velocities before.
    pub velocity_before: &'a [f64],
    /// The velocities after.
    pub velocity_after: &'a [f64],
    /// The normal impulse and those of friction; null for an `impact` statement.
    pub impulse: Option<&'a [f64]>,
}

/// A mode of contact and friction, from a time on.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Mode<'a> {
    /// The time at which it begins.
    pub time: f64,
    /// The names of the closed contacts.
    pub closed: &'a [String],
    /// The names of the friction elements and contacts that stick.
    pub sticking: &'a [String],
}

impl<'a> Run<'a> {
    /// The document of a run of a system.
    pub fn new(title: &'a str, m: &'a Motion) -> Self {
        let run = &m.run;
        let (position, velocity) = run.state.split_at(m.coordinates.len());
        let (status, reason) = match &run.status {
            Status::Finished => ("finished", None),
            Status::Event(_) => ("event", None),
            Status::Failed(why) => ("failed", Some(why.to_string())),
        };
        let events = run.crossings.iter().map(|c| {
            let (position, velocity) = c.state.split_at(m.coordinates.len());
            Event {
                name: &m.event_names[c.event],
                time: c.time,
                position,
                velocity,
            }
        });
        let name = |k: usize| m.charts.get(k).map_or("", String::as_str);
        let change = |pair: &'a [Piece]| Change {
            time: pair[1].from,
            from: name(pair[0].chart),
            to: name(pair[1].chart),
        };
        let pieces = if m.charts.is_empty() {
            &[][..]
        } else {
            &run.pieces[..]
        };
        let contacts = &run.contacts;
        let impacts = contacts.collisions.iter().map(|c| Impact {
            name: &c.name,
            time: c.time,
            velocity_before: &c.before,
            velocity_after: &c.after,
            impulse: c.impulse.as_deref(),
        });
        let modes = contacts.modes.iter().map(|e| Mode {
            time: e.time,
            closed: &e.closed,
            sticking: &e.sticking,
        });
        Self {
            impacts: m.has_contacts.then(|| impacts.collect()),
            modes: m.has_contacts.then(|| modes.collect()),
            impact_losses: (m.has_contacts).then(|| contacts.losses().into_iter().collect()),
            chart: pieces.last().map(|p| name(p.chart)),
            changes: (!pieces.is_empty()).then(|| pieces.windows(2).map(change).collect()),
            system: title,
            method: m.method,
            tolerance: m.tolerance,
            status,
            time: run.time,
            position,
            velocity,
            momentum: &run.momenta,
            outputs: outputs(&m.output_names, &run.outputs),
            steps: run.steps,
            rejected: run.rejected,
            evaluations: run.evaluations,
            energy_balance: run.energy_balance,
            constraint_residual: run.constraint_residual,
            events: events.collect(),
            derive_seconds: m.derive_seconds,
            compile_seconds: m.compile_seconds,
            integrate_seconds: m.integrate_seconds,
            reason,
        }
    }
}

/// Outputs by name.
pub(super) fn outputs(names: &[String], values: &[f64]) -> Entries<f64> {
    names.iter().cloned().zip(values.iter().copied()).collect()
}

/// A run with a list of warnings, which may be empty.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Simulation<'a> {
    /// The run.
    #[serde(flatten)]
    pub run: Run<'a>,
    /// The warnings.
    pub warnings: Vec<Diagnostic>,
}

impl<'a> Simulation<'a> {
    /// A run with the warnings among diagnostics of a text.
    pub fn new(run: Run<'a>, diagnostics: &[galilei_model::Diagnostic], source: &str) -> Self {
        Self {
            run,
            warnings: warnings(diagnostics, source),
        }
    }
}
