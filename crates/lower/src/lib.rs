//! From a model to numbers: which equations of motion, in which unknowns, on which tape.
//!
//! [`lower`] turns a [`Model`](galilei_model::Model) into a [`Problem`](galilei_tape::Problem), a tape and the meaning
//! of its registers. Everything numeric starts from it: runs, sensitivities, ensembles, exported source code.
//!
//! ```
//! use galilei_lower::{Form, Parameters, lower};
//! use galilei_model::{Settings, read};
//! let text = "coord x\nkinetic: x'^2/2\npotential: 2*x^2\n";
//! let model = read(text, &Settings::default()).model.unwrap();
//! let lowered = lower(&model, Form::Shortest, Parameters::Constant).unwrap();
//! assert_eq!(lowered.coordinates, ["x"]);
//! // At t = 0, x = 3, x' = 1 the energy is 1/2 + 18.
//! let tape = &lowered.problem.tape;
//! let mut values = vec![0.0; tape.len()];
//! tape.evaluate(&[0.0, 3.0, 1.0], &[], &mut values);
//! assert_eq!(values[lowered.problem.energy as usize], 18.5);
//! ```

mod atlas;
mod canonical;
mod contact;
mod enforcement;
mod equations;
mod factored;
mod followed;
mod lowering;
mod multipliers;
mod reduced;
mod stopwatch;
mod turning;

pub use atlas::{LoweredChart, lower_atlas};
pub use canonical::{CanonicalField, lower_canonical, not_available};
pub use contact::Contacts;
pub use equations::Form;
pub use lowering::{Lowered, Parameters, lower, no_numbers};
pub use stopwatch::Stopwatch;
