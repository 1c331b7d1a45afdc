//! Straight-line code: what an expression means in numbers.
//!
//! A [`Tape`] is a list of operations over registers, each written once. The interpreter
//! ([`Tape::run`]) is its meaning. [`Jets`] computes, along a motion, the Taylor coefficients of every
//! register; linear systems are solved with one factorisation for all orders.
//!
//! ```
//! use galilei_expr::Pool;
//! use galilei_tape::Builder;
//! let pool = Pool::new();
//! let [x, y] = pool.symbols(["x", "y"]);
//! let mut builder = Builder::new(&[x, y]);
//! let r = builder.expr((x * y).sin() + x.pow(3)).unwrap();
//! let tape = builder.finish(vec![r]);
//! assert_eq!(tape.run(&[2.0, 0.5], &[]), [1f64.sin() + 8.0]);
//! ```

// Tests compare with closed forms to less than all digits.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod articulated;
mod builder;
pub mod code;
mod contact;
mod derivative;
mod function;
mod hash;
mod holonomic;
mod jets;
mod linearised;
mod lookup;
mod lower;
mod momenta;
mod problem;
mod regular;
mod saturation;
mod sensitivity;
mod series;
mod solve;
mod surfaces;
mod tape;

pub use builder::{Builder, Unsupported};
pub use contact::{
    ContactQuantities, FrictionElement, Grip, Guard, Mode, ModeProblem, Touch, VelocityJump,
};
pub use function::Function;
pub use galilei_linear::math;
pub use holonomic::Holonomic;
pub use jets::{Jets, Rates};
pub use linearised::{Hamilton, Jacobian};
pub use lookup::{Lookup, PIECE_LEN};
pub use momenta::MomentumBalance;
pub use problem::{Branch, ConstraintLevels, Event, MultiplierOutputs, Output, Problem};
pub use series::{
    Ahead, MAX_MASS_RATIO, Reduced, Rolled, Series, Squares, Velocity, Wanted, rolled,
};
pub use surfaces::{Edge, EdgeKind, Levels, Surfaces, Threshold};
pub use tape::{Kink, Op, Reg, Tape};
