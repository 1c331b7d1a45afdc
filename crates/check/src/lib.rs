//! The check of a model: findings with their verdicts, the sheets on which they hold, and the sets on which they
//! do not.
//!
//! [`check`] decides all findings; [`Checker`] decides single ones. `galilei_model` reads models and
//! refuses those that are not mechanical systems.
//!
//! ```
//! use galilei_model::{Settings, read};
//! let text = "coord x\nparticle p: mass 2 at x\nspring: stiffness 8 from 0 to x\n";
//! let model = read(text, &Settings::default()).model.expect("no errors");
//! let check = galilei_check::check(&model);
//! assert_eq!(check.ok, Some(true));
//! assert!(check.conservative && !check.time_dependent);
//! ```

mod action_form;
mod atlas;
mod charts;
mod check;
mod conserved;
mod constraints;
mod contacts;
mod displacements;
mod domain;
mod finding;
mod forces;
mod gauge;
mod given;
mod inverse;
mod large;
mod locus;
mod principles;
mod reactions;
mod references;
mod smoothness;
mod symmetries;
mod time_independent;

use galilei_model::Model;

pub use check::{Check, JudgedConstraints};
pub use constraints::ConstrainedEnergy;
pub use displacements::JudgedVariation;
pub use finding::{Finding, Status};
pub use forces::{JudgedForce, why_not_potential};
pub use symmetries::JudgedSymmetry;

/// All findings about a model.
pub fn check(model: &Model) -> Check<'_> {
    Checker::new(model).check()
}

/// A model with the questions that are asked of it.
#[derive(Clone, Copy, Debug)]
pub struct Checker<'p> {
    model: &'p Model,
}

impl<'p> Checker<'p> {
    /// The questions to a model.
    pub fn new(model: &'p Model) -> Self {
        Self { model }
    }
}
