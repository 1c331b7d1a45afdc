//! Motions that are proved.
//!
//! [`certify`] encloses the motion of a model: its parameters and its start as they are written, or intervals of them. The
//! true motion lies in the intervals that come out, whatever rounding does. Steps are those of an interval Taylor method
//! with sets that turn with the flow; events are certified to happen, once, in an interval of time, or said to be undecided.
//!
//! [`follow`] computes motions in 106 or 212 bits instead, by the same equations with exact constants, without proofs.
//!
//! The crate does not know commands, nor the compiled code of runs in doubles. Its results have the same bits on every machine.

// Tests compare with closed forms to less than all digits.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod certificate;
mod charts;
mod dual;
mod field;
mod flow;
mod jets;
mod matrix;
mod periodic;
mod precise;
mod problem;
mod run;
mod set;
mod start;
mod tangent;
mod tape;
mod zeros;

pub use certificate::{
    CERTIFIED_TOLERANCE, Certificate, CertifiedEvent, ChartChange, Range, Settings, certify,
};
pub use periodic::{OrbitGuess, PeriodicProof, prove_periodic};
pub use precise::{
    Decimal, PreciseEvent, PreciseFailure, PreciseRun, PreciseSettings, Precision, follow,
};
