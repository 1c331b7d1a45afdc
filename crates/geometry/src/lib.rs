//! Exterior calculus in charts: functions, vector fields, forms of any degree, tensors, maps.
//!
//! Everything is exact and for arbitrary functions: coefficients are expressions, undetermined
//! functions among them, and a claim about them is answered by a [`Verdict`]. This crate knows
//! neither time nor mass.
//!
//! Conventions (CONVENTIONS.md): (α∧β)(X, Y) = α(X)β(Y) − α(Y)β(X); X ⌟ ω fills the first slot;
//! [X, Y]f = X(Yf) − Y(Xf).
//!
//! ```
//! use galilei_expr::Pool;
//! use galilei_geometry::Chart;
//! let pool = Pool::new();
//! let chart = Chart::new(&pool, ["x", "y", "z"]);
//! let f = pool.function("f").at(chart.coordinates().iter().copied());
//! let [dx, dy] = [chart.differential(0), chart.differential(1)];
//! let omega = dx.wedge(&dy).scaled(f);
//! assert_eq!(omega.d().to_string(), "f[3](x, y, z) dx∧dy∧dz");
//! assert!(omega.d().d().decide_zero().is_proved());
//! ```

mod chart;
mod connection;
mod endomorphism;
mod form;
mod frobenius;
mod homotopy;
mod integrate;
mod levi_civita;
mod lie;
mod map;
mod matrix;
mod symmetric;
mod vector;
mod vector_form;
mod verdict;

pub use chart::{Chart, Point};
pub use connection::{Connection, NotAProjector};
pub use endomorphism::Endomorphism;
pub use form::{Form, written_terms};
pub use frobenius::{Codistribution, Integrability};
pub use galilei_expr::Verdict;
pub use homotopy::{Contracted, Homotopy};
pub use levi_civita::LeviCivita;
pub use lie::LieDerivative;
pub use map::{Diffeomorphism, Evidence, NotInverse, Pullback, SmoothMap};
pub use matrix::{Matrix, Singular};
pub use symmetric::SymmetricTensor;
pub use vector::VectorField;
pub use vector_form::VectorForm;
pub use verdict::{decide_all_zero, decide_equal, decide_equal_on};
