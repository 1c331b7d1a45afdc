//! Exact expressions: written as in a paper, differentiated without growing, identities decided.
//!
//! This crate knows numbers, symbols, elementary and undetermined functions. It does not know
//! coordinates, time, mass, files or floating-point constants.

mod arena;
mod build;
mod decide;
mod derivative;
mod evaluate;
mod expr;
mod function;
mod layout;
mod legendre;
mod limbs;
mod node;
mod number;
mod plan;
mod polynomial;
mod pool;
mod present;
mod print;
mod substitute;
mod table;
mod view;

pub use decide::{
    Assumption, Assumptions, Bound, Decision, Query, Rank, Reason, SymmetricMatrix, Verdict,
    Witness, decide_singular, generic_rank,
};
pub use derivative::Variables;
pub use evaluate::{
    Arithmetic, Ball, Balls, Doubles, Enclosures, Fail, Float, Floats, Interval, Intervals,
    Program, Truth,
};
pub use expr::{Expr, Operand, UndeterminedFunction};
pub use function::Function;
pub use layout::{Differential, Layout, Place, Plain, Shared, Sign, Style};
pub use node::Comparison;
pub use number::{ParseRationalError, Rational};
pub use polynomial::{NotPolynomial, Polynomial};
pub use pool::{ExprId, Pool};
pub use present::{Factors, Reading};
pub use print::{Notation, Printed};
pub use table::{Interpolation, Piece, Table};
pub use view::{View, subexpressions};
