//! The document of `stationary`.

use galilei_report::document::Entries;
use serde::Serialize;

use super::run::outputs;
use crate::stationary::{StationaryMotion, StationaryMotions};

/// Motions between given ends.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Stationary<'a> {
    /// The title of the system.
    pub system: &'a str,
    /// The functional, as requested.
    pub functional: &'a str,
    /// The tolerance.
    pub tolerance: f64,
    /// Whether there are forces that are no part of the action.
    pub forced: bool,
    /// The number of initial curves.
    pub starts: usize,
    /// The number of initial curves that led to no motion.
    pub unsolved: usize,
    /// The motions.
    pub solutions: Vec<StationarySolution<'a>>,
}

/// One motion between given ends.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StationarySolution<'a> {
    /// The value of the functional.
    pub action: f64,
    /// The index of the second variation, where it is determined.
    pub index: Option<usize>,
    /// Whether it is a minimum.
    pub minimum: Option<bool>,
    /// Points conjugate to the start.
    pub conjugate_points: Option<Vec<ConjugatePoint>>,
    /// The residual of the curve in the equations of motion.
    pub residual: f64,
    /// The distance between the end of the curve and that of a run from its start.
    pub closure: f64,
    /// The number of pieces of the curve.
    pub elements: usize,
    /// The state at the start.
    pub start: End<'a>,
    /// The state at the end.
    pub end: End<'a>,
    /// The outputs at the end.
    pub outputs: Entries<f64>,
    /// The events of the motion.
    pub events: Vec<Passing<'a>>,
    /// The difference between energy and work, relative to the largest energy.
    pub energy_balance: f64,
}

/// A point conjugate to the start of a motion.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ConjugatePoint {
    /// Its time.
    pub time: f64,
    /// The number of independent Jacobi fields that vanish there.
    pub multiplicity: usize,
}

/// The state at an end of a motion.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct End<'a> {
    /// The positions.
    pub position: &'a [f64],
    /// The velocities.
    pub velocity: &'a [f64],
}

/// An event of a motion.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Passing<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its time.
    pub time: f64,
}

impl<'a> Stationary<'a> {
    /// The document of motions of a system in which a functional is stationary.
    pub fn new(title: &'a str, functional: &'a str, found: &'a StationaryMotions) -> Self {
        let solutions = found.motions.iter();
        Self {
            system: title,
            functional,
            tolerance: found.tolerance,
            forced: found.forced,
            starts: found.starts,
            unsolved: found.unsolved.len(),
            solutions: solutions
                .map(|m| StationarySolution::new(found, m))
                .collect(),
        }
    }
}

impl<'a> StationarySolution<'a> {
    fn new(found: &'a StationaryMotions, m: &'a StationaryMotion) -> Self {
        let (s, run) = (&m.solution, &m.motion.run);
        let end = |k: usize| {
            let (position, velocity) = s.states[k].split_at(found.coordinates.len());
            End { position, velocity }
        };
        let conjugate = m.conjugate.as_ref().map(|list| {
            let points = list.iter().map(|c| ConjugatePoint {
                time: c.time,
                multiplicity: c.multiplicity,
            });
            points.collect()
        });
        let events = run.crossings.iter().map(|c| Passing {
            name: &found.event_names[c.event],
            time: c.time,
        });
        Self {
            action: s.action,
            index: s.index,
            minimum: s.index.map(|i| i == 0),
            conjugate_points: conjugate,
            residual: s.residual,
            closure: m.closure,
            elements: s.elements(),
            start: end(0),
            end: end(s.elements()),
            outputs: outputs(&found.output_names, &run.outputs),
            events: events.collect(),
            energy_balance: run.energy_balance,
        }
    }
}
