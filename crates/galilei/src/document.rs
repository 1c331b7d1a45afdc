//! The JSON documents of all commands, as types that serialise. Scripts rely on their keys and on the order of these.
//!
//! ```
//! use galilei::{Model, document};
//! let text = "coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1\nsimulate to 1\n";
//! let motion = Model::parse(text)?.simulate().run()?;
//! let text = document::to_text(&document::Run::new("oscillator", &motion));
//! assert!(text.contains("\"status\": \"finished\",\n  \"time\": 1.0,"));
//! # Ok::<(), galilei::Error>(())
//! ```

mod analysis;
mod certified;
mod precise;
mod run;
mod sensitivities;
mod stationary;

use serde::Serialize;

pub use analysis::{
    Convergence, Equilibria, Equilibrium, Fit, FittedValue, Hessian, Lyapunov, Modes, Periodic,
    PeriodicMotion, Profile, ProofDocument, StateDocument,
};
pub use certified::{CertificateDocument, Certified, CertifiedEvent, Enclosure};
pub use galilei_report::document::*;
pub use precise::{Digits, EventInDigits, PreciseSimulation, Touch};
pub use run::{Change, Event, Run, Simulation};
pub use sensitivities::{Gradient, Sensitivities};
pub use stationary::{ConjugatePoint, End, Passing, Stationary, StationarySolution};

/// The document of `sweep`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sweep {
    /// The number of runs.
    pub trajectories: u64,
    /// The number of failed runs.
    pub failed: u64,
    /// The number of runs per second.
    pub trajectories_per_second: f64,
    /// The number of lanes in a thread.
    pub lanes: usize,
    /// The number of threads.
    pub threads: usize,
    /// Seconds from the model to machine code.
    pub compile_seconds: f64,
    /// Seconds of all runs.
    pub integrate_seconds: f64,
    /// The number of runs taken over from an interrupted sweep.
    pub resumed: u64,
}

/// The document of `merge`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Merge {
    /// The number of runs of all parts.
    pub runs: usize,
    /// The number of parts.
    pub parts: usize,
}

/// The document of `export`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Source<'a> {
    /// The title of the system.
    pub system: &'a str,
    /// The language.
    pub language: &'a str,
    /// The source file.
    pub source: &'a str,
}

/// The document of `report`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Page<'a> {
    /// The title of the system.
    pub system: &'a str,
    /// The path of the page.
    pub file: &'a str,
    /// The size of the page in bytes.
    pub bytes: usize,
}

/// The document of `bench`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bench {
    /// Seconds to read the model.
    pub parse_seconds: f64,
    /// Seconds to derive its equations.
    pub derive_seconds: f64,
    /// Seconds to compile them.
    pub compile_seconds: f64,
    /// The number of operations of the accelerations.
    pub operations: usize,
    /// Nanoseconds for the accelerations of one state.
    pub evaluate_ns: f64,
    /// Nanoseconds for the accelerations of one state, computed in lanes.
    pub evaluate_ns_per_lane: f64,
    /// The number of lanes.
    pub lanes: usize,
    /// Nanoseconds for the series of a step.
    pub taylor_step_ns: f64,
    /// The order of the series.
    pub taylor_order: usize,
    /// The kind of machine code, such as `x86-64, AVX2`, or `interpreter`.
    pub backend: &'static str,
}
