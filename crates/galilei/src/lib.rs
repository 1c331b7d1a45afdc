//! Galilei: mechanical systems written as geometry.
//!
//! A [`Model`] is read from a file or a text; it gives its equations, what holds for them, and
//! numbers at a state.
//!
//! ```
//! use galilei::{Settings, read};
//! let text = "coord theta [rad]\nparam m = 1 [kg], l = 2 [m], g = 9.81 [m/s^2]\n\
//!             let bob = (l*sin(theta), -l*cos(theta))\n\
//!             particle bob: mass m at bob\ngravity: (0, -g)\n";
//! let model = read(text, &Settings::default()).model.unwrap();
//! let check = galilei::check(&model);
//! assert!(check.ok == Some(true) && check.conservative);
//! let state = model.state_at("theta=0.5").unwrap();
//! let a = model.evaluate(&state).unwrap().acceleration[0];
//! assert!((a + 9.81 / 2.0 * 0.5f64.sin()).abs() < 1e-14);
//! ```

mod claim;
mod export;
mod field;
mod loaded;
mod method;
mod motion;
mod page;
mod stationary;
mod sweep;
mod trajectory;
mod variations;

pub use claim::decide;
pub use export::{export, language};
pub use field::Field;
pub use loaded::Loaded;
pub use method::cautions;
pub use motion::{
    Compiled, Motion, RunSettings, TOLERANCE, compile, compile_as, compile_varied, simulate,
};
pub use page::{Told, derived, observed, page};
pub use stationary::{
    Conjugate, StationaryMotion, StationaryMotions, StationarySettings, action_kind, solver,
    stationary,
};
pub use sweep::{BLOCK, Block, Points, Sweep, SweepSeconds, SweepSettings};
pub use trajectory::Trajectory;
pub use variations::{Gradient, Neighbours, VariationSettings, neighbours};

pub use galilei_check as check;
pub use galilei_expr as expr;
pub use galilei_geometry as geometry;
pub use galilei_integrate as integrate;
pub use galilei_jit as jit;
pub use galilei_mechanics as mechanics;
pub use galilei_model as model;
pub use galilei_report as report;
pub use galilei_syntax as syntax;
pub use galilei_tape as tape;

pub use galilei_check::check;
pub use galilei_lower::Form;
pub use galilei_model::{
    Code, Diagnostic, Model, Outcome, Settings, Severity, read, read_claim, read_expression,
};

/// The blocks of the README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
