//! Derivations, checks and values, for people and for scripts.
//!
//! ```
//! use galilei_model::{Settings, read};
//! use galilei_report::Derivation;
//! let text = "param m, l, g\ncoord theta\nparticle bob: mass m at (l*sin(theta), -l*cos(theta))\n\
//!             gravity: (0, -g)\n";
//! let model = read(text, &Settings::default()).model.unwrap();
//! let derivation = Derivation::new(&model);
//! let lagrange = derivation.section("lagrange").unwrap();
//! assert!(lagrange.formulas[0].layout.to_text().ends_with("= 0"));
//! ```

mod action;
mod animation;
mod chapter;
mod constrained;
pub mod contract;
pub mod data;
mod derivation;
pub mod export;
mod figure;
mod history;
mod jacobi;
pub mod journal;
mod json;
mod latex;
mod markup;
mod matrix;
mod page;
pub mod plot;
mod presented;
mod request;
mod spacetime;
mod symmetry;
pub mod text;
mod theorem;
mod told;
pub mod typeset;
mod units;
mod variational;
mod vertical;

pub use derivation::{Derivation, Draft, Formula, Section, WHAT};
pub use history::{Histories, Record};
pub use json::Json;
pub use page::{Page, story};
pub use request::Request;
pub use theorem::{PAPERS, Theorem, theorem};
