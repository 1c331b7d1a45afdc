//! Questions that take a linearisation or many runs: modes, equilibria, periodic motions, Lyapunov exponents.
//!
//! ```
//! use galilei_model::{Settings, read};
//! let text = "coord x\nkinetic: x'^2/2\npotential: 8*x^2\n";
//! let model = read(text, &Settings::default()).model.unwrap();
//! let modes = galilei_analyse::modes(&model, &model.initial_state().unwrap()).unwrap();
//! assert_eq!(modes.eigen.values, [[0.0, 4.0], [0.0, -4.0]]);
//! ```

mod contact;
mod eigen;
mod equilibrium;
mod fields;
mod fit;
mod flow;
mod linearisation;
mod lyapunov;
mod modes;
mod newton;
mod normal_form;
mod periodic;
mod poles;
mod setting;
mod stability;
mod statics;
mod steady;
mod symbolic;

pub use contact::{ContactCode, foldings_of};
pub use eigen::{Eigen, eigen};
pub use equilibrium::{
    Certainty, Equilibria, Equilibrium, EquilibriumSearch, equilibria, state_of,
};
pub use fit::{Fit, FitSettings, Fitted, Measurements, Profile, fit, fit_runs};
pub use lyapunov::{Lyapunov, LyapunovRequest, Spreading, lyapunov};
pub use modes::{Modes, modes, modes_at, numbers as state_numbers};
pub use periodic::{Bifurcation, PeriodicMotion, PeriodicMotions, PeriodicSearch, periodic};
pub use stability::EnergyHessian;
pub use symbolic::{SymbolicLinearisation, symbolic_linearisation};
