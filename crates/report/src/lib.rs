//! Derivations, checks and values, for people and for scripts.
//!
//! ```
//! use galilei_model::{Settings, read};
//! use galilei_report::{Derivation, Topic};
//! let text = "param m, l, g\ncoord theta\nparticle bob: mass m at (l*sin(theta), -l*cos(theta))\n\
//!             gravity: (0, -g)\n";
//! let model = read(text, &Settings::default()).model.unwrap();
//! let derivation = Derivation::new(&model);
//! let lagrange = derivation.section(Topic::Lagrange);
//! assert!(lagrange.formulas[0].layout.to_text().ends_with("= 0"));
//! ```

mod action;
mod animation;
mod chapter;
mod constrained;
mod derivation;
pub mod document;
mod figure;
mod history;
mod jacobi;
mod latex;
mod markup;
mod matrix;
mod nearby;
mod page;
pub mod plot;
mod presented;
mod render;
mod request;
mod spacetime;
mod symmetry;
pub mod text;
mod theorem;
mod topic;
pub mod typeset;
mod units;
mod vertical;
mod virtual_work;

pub use derivation::{Derivation, Draft, Formula, Section};
pub use figure::{Dragged, drag};
pub use history::{Histories, Record};
pub use nearby::{Nearby, NearbyCurve, NearbyPlot};
pub use page::{Addition, Page, run_page, story};
pub use request::Request;
pub use theorem::{PAPERS, Theorem, theorem};
pub use topic::{Topic, UnknownTopic};
