//! Results of a search for motions between given ends.

use galilei_integrate::{Solution, Unsolved};
use galilei_model::{Code, Diagnostic};

use super::Conjugate;
use crate::motion::Motion;

/// A motion between the ends.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StationaryMotion {
    /// The curve; it has no index under forces.
    pub solution: Solution,
    /// Instants conjugate to the start; `None` where the start is not held, and under constraints.
    pub conjugate: Option<Vec<Conjugate>>,
    /// The motion from its start, by Taylor series; it keeps its trail (see [`crate::Trajectory`]).
    pub motion: Motion,
    /// The distance between the end of that motion and the end of the curve.
    pub closure: f64,
}

/// All motions that were found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StationaryMotions {
    /// The motions, by their action.
    pub motions: Vec<StationaryMotion>,
    /// The reasons why other initial curves led to no motion.
    pub unsolved: Vec<Unsolved>,
    /// The number of initial curves.
    pub starts: usize,
    /// Whether there are forces that are no part of the action: then the virtual work vanishes, the action is not
    /// stationary, and it has no index.
    pub forced: bool,
    /// The names of the coordinates.
    pub coordinates: Vec<String>,
    /// The names of the outputs.
    pub output_names: Vec<String>,
    /// The names of the events.
    pub event_names: Vec<String>,
    /// The tolerance.
    pub tolerance: f64,
}

impl StationaryMotions {
    /// A warning if no motion was found.
    pub fn warning(&self) -> Option<Diagnostic> {
        let why = self.unsolved.first().map(|why| format!(": {why}"));
        self.motions.is_empty().then(|| {
            Diagnostic::warning(
                Code::NoMotionFound,
                format!(
                    "no motion was found from {} curves{}",
                    self.starts,
                    why.unwrap_or_default()
                ),
                "try more curves with --starts, other ends or another time",
                None,
            )
        })
    }
}
