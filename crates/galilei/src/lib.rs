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
//! | How does it move, to 32 or 64 digits? | [`Model::simulate_precisely`] → [`PreciseMotion`] |
//! | How does the motion depend on start and parameters? | [`Model::sensitivities`] → [`Sensitivities`] |
//! | How do many motions end? | [`Model::sweep`] → [`Sweep`] |
//! | Which motions lead from here to there? | [`Model::stationary`] → [`StationaryMotions`] |
//! | Where does it rest, and is that stable? | [`Model::equilibria`] → [`Equilibria`] |
//! | How does it vibrate about a state? | [`Model::modes`] → [`Modes`] |
//! | Which motions repeat? | [`Model::periodic`] → [`PeriodicMotions`] |
//! | Is it chaotic? | [`Model::lyapunov`] → [`Lyapunov`] |
//! | How do I use the equations elsewhere? | [`Model::compile`] → [`Field`], [`Model::export`] |
//!
//! Results that a program reads, as JSON, are in [`document`]. The crates behind this one (`galilei-expr`,
//! `galilei-mechanics`, `galilei-tape`, …) can be used by themselves; ARCHITECTURE.md says what each holds.

mod analysis;
mod atlas;
mod certification;
mod claim;
mod compiled;
mod contacts;
pub mod document;
mod error;
mod field;
mod lyapunov;
mod method;
mod model;
mod motion;
mod page;
mod phase_space;
mod precise;
mod sensitivities;
mod settings;
mod simulation;
mod stationary;
mod sweep;
mod trajectory;
mod unit;

pub use certification::Certification;
pub use claim::decide;
pub use compiled::Compiled;
pub use error::Error;
pub use field::Field;
pub use lyapunov::LyapunovAnalysis;
pub use model::{Model, ModelReader};
pub use motion::{DEFAULT_TOLERANCE, Motion};
pub use precise::{PreciseMotion, PreciseSimulation};
pub use sensitivities::{Gradient, Sensitivities, SensitivityAnalysis};
pub use settings::{Progress, RunSettings};
pub use simulation::Simulation;
pub use stationary::{Conjugate, StationaryMotion, StationaryMotions, StationarySearch};
pub use sweep::{BLOCK, Block, Sweep, SweepBuilder, SweepSeconds};
pub use trajectory::Trajectory;

pub use analysis::read_measurements;
pub use galilei_analyse::{
    Bifurcation, Certainty, Eigen, EnergyHessian, Equilibria, Equilibrium, EquilibriumSearch, Fit,
    FitSettings, Fitted, Lyapunov, Measurements, Modes, PeriodicMotion, PeriodicMotions,
    PeriodicSearch, Profile,
};
pub use galilei_certify::{
    CERTIFIED_TOLERANCE, Certificate, CertifiedEvent, Decimal, PeriodicProof, PreciseEvent,
    PreciseFailure, PreciseRun, Precision,
};
pub use galilei_check::{Check, Finding};
pub use galilei_export::fmu::Fmi;
pub use galilei_export::source::{Language, UnknownLanguage};
pub use galilei_expr::{Decision, Interpolation, Rational, Table, Verdict};
pub use galilei_integrate::{
    Collision, ContactRecord, Crossing, Error as RunError, Method, ModeEntry, Run, Situation,
    Status, Trust, Undetermined, UnknownMethod,
};
pub use galilei_lower::Form;
pub use galilei_mechanics::{ActionKind, UnknownActionKind};
pub use galilei_model::{
    Code, Diagnostic, Evaluation, NamedRange, Ranges, Severity, State, reference,
};
pub use galilei_report::{Addition, Derivation, Page, Section, Topic};
pub use galilei_syntax::format as format_text;

/// The blocks of the README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The examples in the README files of all crates, run as tests.
#[cfg(doctest)]
mod readme {
    #[doc = include_str!("../../../CONTRIBUTING.md")]
    struct Contributing;
    #[doc = include_str!("../../galilei/README.md")]
    struct Galilei;
    #[doc = include_str!("../../expr/README.md")]
    struct Expr;
    #[doc = include_str!("../../linear/README.md")]
    struct Linear;
    #[doc = include_str!("../../geometry/README.md")]
    struct Geometry;
    #[doc = include_str!("../../mechanics/README.md")]
    struct Mechanics;
    #[doc = include_str!("../../syntax/README.md")]
    struct Syntax;
    #[doc = include_str!("../../model/README.md")]
    struct Model;
    #[doc = include_str!("../../check/README.md")]
    struct Check;
    #[doc = include_str!("../../tape/README.md")]
    struct Tape;
    #[doc = include_str!("../../lower/README.md")]
    struct Lower;
    #[doc = include_str!("../../jit/README.md")]
    struct Jit;
    #[doc = include_str!("../../integrate/README.md")]
    struct Integrate;
    #[doc = include_str!("../../analyse/README.md")]
    struct Analyse;
    #[doc = include_str!("../../certify/README.md")]
    struct Certify;
    #[doc = include_str!("../../export/README.md")]
    struct Export;
    #[doc = include_str!("../../report/README.md")]
    struct Report;
}
