//! Galilei: mechanical systems written as geometry.
//!
//! A [`Model`] is read from a file or a text in the model language. It gives its equations, what holds for them, numbers
//! at a state, and motions:
//!
//! ```
//! use galilei::Model;
//!
//! let model = Model::parse(
//!     "param m = 1 [kg], l = 2 [m], g = 9.81 [m/s^2]
//!      coord theta [rad]
//!      let bob = (l*sin(theta), -l*cos(theta))
//!      particle bob: mass m at bob
//!      gravity: (0, -g)
//!      initial theta = 0.5",
//! )?;
//! let motion = model.simulate().to(10.0).run()?;
//! assert!(motion.run.energy_balance < 1e-12);
//!
//! let check = model.check();
//! assert!(check.ok == Some(true) && check.conservative);
//!
//! let state = model.state_at("theta=0.5")?;
//! let acceleration = model.evaluate(&state)?.acceleration[0];
//! assert!((acceleration + 9.81 / 2.0 * 0.5f64.sin()).abs() < 1e-14);
//! # Ok::<(), galilei::Error>(())
//! ```
//!
//! # Where to look
//!
//! | question | answer |
//! | --- | --- |
//! | What is wrong with my model? | [`Error`], [`Model::warnings`], [`Diagnostic`] |
//! | What are its equations, and what holds? | [`Model::derive_all`], [`Model::check`], [`decide`] |
//! | How does it move? | [`Model::simulate`] → [`Motion`], [`Trajectory`] |
//! | How does the motion depend on start and parameters? | [`Model::sensitivities`] → [`Sensitivities`] |
//! | How do many motions end? | [`Model::sweep`] → [`Sweep`] |
//! | Which motions lead from here to there? | [`Model::stationary`] → [`StationaryMotions`] |
//! | How do I use the equations elsewhere? | [`Model::compile`] → [`Field`], [`Model::export`] |
//!
//! Results that a program reads, as JSON, are in [`document`]. The crates behind this one (`galilei-expr`,
//! `galilei-mechanics`, `galilei-tape`, …) can be used by themselves; ARCHITECTURE.md says what each holds.

mod claim;
mod compiled;
pub mod document;
mod error;
mod field;
mod method;
mod model;
mod motion;
mod page;
mod sensitivities;
mod settings;
mod simulation;
mod stationary;
mod sweep;
mod trajectory;

pub use claim::decide;
pub use compiled::Compiled;
pub use error::Error;
pub use field::Field;
pub use model::{Model, ModelReader};
pub use motion::{DEFAULT_TOLERANCE, Motion};
pub use sensitivities::{Gradient, Sensitivities, SensitivityAnalysis};
pub use settings::{Progress, RunSettings};
pub use simulation::Simulation;
pub use stationary::{Conjugate, StationaryMotion, StationaryMotions, StationarySearch};
pub use sweep::{BLOCK, Block, Sweep, SweepBuilder, SweepSeconds};
pub use trajectory::Trajectory;

pub use galilei_check::{Check, Finding};
pub use galilei_export::source::{Language, UnknownLanguage};
pub use galilei_expr::{Decision, Verdict};
pub use galilei_integrate::{Crossing, Method, Run, Status, Stop, Trust, UnknownMethod};
pub use galilei_lower::Form;
pub use galilei_mechanics::{ActionKind, UnknownActionKind};
pub use galilei_model::{Code, Diagnostic, Evaluation, Severity, State, reference};
pub use galilei_report::{Derivation, Page, Section, Topic};

/// The blocks of the README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
