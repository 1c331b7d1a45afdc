//! Motion in numbers: Taylor series with events, kinks and dense output.
//!
//! This crate knows tapes, not expressions. A run keeps its own energy balance and says when it had to
//! stop, with what it has by then.

mod accelerations;
mod expansion;
mod problem;
mod roots;
mod taylor;

pub use accelerations::Accelerations;
pub use expansion::Step;
pub use problem::{Crossing, Event, Late, Options, Output, Problem, Run, Status, Stop};
pub use roots::roots_in;
pub use taylor::integrate;
