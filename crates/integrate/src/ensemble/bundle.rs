//! The traits of a method for motions in lanes.

use crate::problem::{Error, Options, Problem, Run, Status};

/// A system with the code of a method for its motions.
pub(super) trait Code: Send + Sync {
    /// The system and the options of its motions, except for their times.
    fn task(&self) -> (&Problem, &Options);

    /// The number of lanes.
    fn lanes(&self) -> usize;

    /// The order of the series, or of the method.
    fn order(&self) -> usize;

    /// Lanes for one thread.
    fn bundle(&self) -> Box<dyn Bundle + '_>;
}

/// Motions in lanes.
pub(super) trait Bundle {
    /// Begins a motion in a lane, from a time to a time, at a state: x, u and the fixed inputs.
    fn begin(&mut self, l: usize, span: (f64, f64), state: &[f64]) -> Result<(), Error>;

    /// Advances the motions of all lanes that have a number, and reports those that ended, with their status.
    fn advance(&mut self, numbers: &[Option<u64>], ended: &mut Vec<(usize, Status)>);

    /// The motion of a lane as a run with the given status.
    fn close(&mut self, l: usize, status: Status) -> Run;
}
