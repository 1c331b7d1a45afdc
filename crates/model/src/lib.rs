//! From the text of a model file to a mechanical system.
//!
//! Names, families, units, rigid bodies; every diagnostic with a place, the physics and a hint.
//! This crate does not know terminals.
//!
//! ```
//! use galilei_model::{Code, Settings, read};
//! let text = "param m = 2 [kg], k = 8 [N/m]\ncoord x [m]\n\
//!             particle bob: mass m at (x)\npotential spring: k*x^2/2\n";
//! let outcome = read(text, &Settings::default());
//! let model = outcome.model.expect("no errors");
//! assert_eq!(model.system().lagrangian().function().to_string(), "m*x'^2/2 - k*x^2/2");
//!
//! let outcome = read("coord x\nkinetic: x'^2/2\npotential: x'\n", &Settings::default());
//! assert_eq!(outcome.diagnostics[0].code, Code::VelocityNotAllowed);
//! ```

pub use atlas::{Composed, Composition};

mod atlas;
mod axes;
mod body;
mod charts;
mod claim;
mod code;
mod compression;
mod constrained;
mod constraint_set;
mod construction;
mod contents;
mod culprit;
mod data;
mod declarations;
mod diagnostic;
mod dimension;
mod dry_friction;
mod evaluation;
mod forms;
mod glossary;
mod initial_rates;
mod legendre;
mod manifold;
mod manifold_charts;
mod model;
mod momenta;
mod nearby;
mod npz;
mod numbers;
mod parquet;
mod phase_space;
mod points;
mod project;
mod ranges;
mod reader;
pub mod reference;
mod references;
mod regularise;
mod repetition;
mod rotation;
mod size;
mod snippet;
mod squares;
mod start;
mod state;
mod statements;
mod tables;
mod unilateral;
mod unread;
mod validate;
mod value;
mod vertex;

pub use axes::{Axis, Target, Values};
pub use claim::{read_claim, read_claims, read_expression, read_form};
pub use code::Code;
pub use constrained::ConstraintRow;
pub use construction::{Constructions, inertia_scales, prefer_constant};
pub use contents::{
    Assumed, Atlas, Attitude, Branch, Chart, Constraint, Contact, Contents, Contribution,
    Coordinate, Enforcement, Event, FramePlace, Friction, Given, Hamiltonian, Impact, Input, Level,
    Named, NamedForce, Output, Parameter, Part, PhaseEnergies, Placed, Run, Shape, Solid, Symmetry,
    TOLERANCES,
};
pub use data::{Column, DataError, Folder, read_columns};
pub use diagnostic::{Diagnostic, Severity, refused};
pub use dry_friction::DryFriction;
pub use evaluation::{EvaluatedConstraints, Evaluation};
pub use galilei_syntax::{Direction, Lines, Span};
pub use glossary::{NameEntry, NameKind};
pub use initial_rates::InitialRates;
pub use manifold::{Charts, Manifold, ManifoldKind};
pub use model::{Model, Outcome, Settings, Surroundings, read, read_with, read_with_glossary};
pub use ranges::{NamedRange, Ranges};
pub use reader::is_reserved as is_reserved_word;
pub use size::term_count;
pub use state::State;
pub use validate::{ConstraintRegularity, Regularity, Validation};
