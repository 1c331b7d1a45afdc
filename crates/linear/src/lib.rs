//! Small dense linear algebra in double precision: systems that are factored once and solved often, determinants, ranks; and
//! a·b + c with one rounding ([`fma`]); elementary functions with the same bits on every machine ([`math`]).
//!
//! Matrices have as many rows as a mechanism has coordinates and constraints, a few to some dozens, so elimination by
//! loops is as fast as any library, and results have the same bits on every machine.
//!
//! ```
//! use galilei_linear::{Factors, determinant, rank};
//! let matrix = vec![vec![2.0, 1.0], vec![1.0, 3.0]];
//! let mut factors = Factors::new(2);
//! factors.factor(|i, j| matrix[i][j])?;
//! let mut x = [4.0, 7.0];
//! factors.solve(&mut x);
//! assert!((x[0] - 1.0).abs() < 1e-15 && (x[1] - 2.0).abs() < 1e-15);
//! assert_eq!((determinant(matrix.clone()), rank(matrix)), (5.0, 2));
//! # Ok::<(), galilei_linear::Singular>(())
//! ```

// Tests compare with the functions of the platform.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod definite;
mod echelon;
mod fused;
mod lu;
pub mod math;

pub use definite::is_positive_definite;
pub use echelon::{determinant, rank};
pub use fused::{fma, fma_exact};
pub use lu::{Factors, Singular, solve};
