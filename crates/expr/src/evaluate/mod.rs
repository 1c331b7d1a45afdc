//! Evaluation of expressions: one traversal, any arithmetic.
//!
//! A [`Program`] is the part of a graph that some outputs need, as a list of steps. It runs over
//! anything that implements [`Arithmetic`]: doubles, [`Interval`]s with outward rounding,
//! [`Ball`]s of any precision, the residues of a prime field.
//!
//! Results have the same bits on every machine.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod arithmetic;
mod ball;
mod double;
mod elementary;
mod float;
mod interval;
mod outward;
mod program;
mod real;
mod wide;

pub(crate) use arithmetic::Outcome;
pub use arithmetic::{Arithmetic, Fail, Truth};
pub use ball::Ball;
pub(crate) use ball::ProvenSign;
pub use double::Doubles;
pub use float::{Float, Floats};
pub use interval::{Interval, Intervals};
pub use outward::Enclosures;
pub(crate) use outward::SharpEnclosures;
pub use program::Program;
pub(crate) use program::Step;
pub use real::Balls;
