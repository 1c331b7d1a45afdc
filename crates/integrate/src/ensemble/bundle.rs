//! What a method does with motions side by side.

use super::Start;
use crate::problem::{Run, Status, Stop};

/// Motions side by side, one in a lane.
pub(super) trait Bundle {
    /// Begins a motion in a lane.
    fn begin(&mut self, l: usize, start: &Start) -> Result<(), Stop>;

    /// Brings the motions of all lanes that have a number some way ahead, and says which have ended, and how.
    fn advance(&mut self, numbers: &[Option<u64>], ended: &mut Vec<(usize, Status)>);

    /// The motion of a lane as a run that ended so.
    fn close(&mut self, l: usize, status: Status) -> Run;
}
