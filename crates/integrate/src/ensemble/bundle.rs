//! The trait of a method for motions in lanes.

use super::Start;
use crate::problem::{Error, Run, Status};

/// Motions in lanes.
pub(super) trait Bundle {
    /// Begins a motion in a lane.
    fn begin(&mut self, l: usize, start: &Start) -> Result<(), Error>;

    /// Advances the motions of all lanes that have a number, and reports those that ended, with their status.
    fn advance(&mut self, numbers: &[Option<u64>], ended: &mut Vec<(usize, Status)>);

    /// The motion of a lane as a run with the given status.
    fn close(&mut self, l: usize, status: Status) -> Run;
}
