//! What a search for motions between given ends found.

use galilei_integrate::{Solution, Unsolved};
use galilei_model::{Code, Diagnostic};

use super::Conjugate;
use crate::motion::Motion;

/// A motion between the ends.
#[derive(Clone, Debug)]
pub struct StationaryMotion {
    /// The curve; it has no index under forces.
    pub solution: Solution,
    /// Instants conjugate to the start; `None` where the start is not held, and under constraints.
    pub conjugate: Option<Vec<Conjugate>>,
    /// The motion from its start, by Taylor series; it keeps its trail (see [`crate::Trajectory`]).
    pub motion: Motion,
    /// How far that motion ends from the curve.
    pub closure: f64,
}

/// All that were found.
#[derive(Clone, Debug)]
pub struct StationaryMotions {
    /// The motions, by their action.
    pub motions: Vec<StationaryMotion>,
    /// What became of the other tries.
    pub unsolved: Vec<Unsolved>,
    /// From how many curves it was tried.
    pub starts: usize,
    /// Whether there are forces that are no part of the action: then it is the virtual work that vanishes, the
    /// action is not stationary, and it has no index.
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
    /// A warning where nothing was found.
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
