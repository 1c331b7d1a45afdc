//! Motion in numbers: Taylor series with events, kinks and dense output, and explicit, implicit and variational methods.
//!
//! This crate knows tapes, not expressions. A run keeps its own energy balance. One that fails is returned up to the
//! failure, with the reason in its [`Status`].

// Tests compare with closed forms to less than all digits.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod accelerations;
mod atlas;
mod branch_points;
mod collocation;
mod constant;
mod contact;
mod continuation;
mod derived;
mod dop853;
mod double;
mod drive;
mod ensemble;
mod expansion;
mod handover;
mod implicit;
mod leap;
mod ledger;
mod legendre;
mod lines;
mod piecewise;
mod problem;
mod project;
mod radius;
mod rank;
mod record;
mod roots;
mod sensitivity;
mod single_step;
mod stationary;
mod steps;
mod sum;
mod surfaces;
mod taylor;
mod trail;
mod transition;
mod variational_integrator;
mod work;

pub use accelerations::Accelerations;
pub use atlas::{Atlas, AtlasChart, Folding, Piece, Runner};
pub use contact::{
    Collision, ContactRecord, ContactRunner, ModeEntry, Modes, PreparedModes, Situation,
    Undetermined,
};
pub use continuation::Continuation;
pub use derived::{Hamilton, Jacobian};
pub use ensemble::{Ensemble, Start, Worker};
pub use expansion::Step;
pub use handover::{Handover, Stop};
pub use ledger::{Entry, Ledger};
pub use problem::{Crossing, Error, Method, Options, Record, Run, Status, Trust, UnknownMethod};
pub use project::admitted;
pub use sensitivity::{Directions, SensitivityMethod, StateSensitivities, Transition};
pub use single_step::SingleStep;
pub use stationary::{Constraints, Ends, Functional, Search, Solution, Stationary, Unsolved};
pub use taylor::{Prepared, integrate_with};
pub use trail::Trail;
