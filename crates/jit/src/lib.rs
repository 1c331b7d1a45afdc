//! Machine code for [`Code`]: what a formula costs when a processor computes it itself.
//!
//! A [`Machine`] computes what [`Code::run`] computes, bit for bit, for one state or for four or eight
//! states side by side ([`Mode`]). It is made in one pass over the instructions: registers are given
//! up by furthest next use; inputs, constants, outputs and results of functions are read where they
//! stand; all calls of a function that stand together are one call of a vector routine.
//!
//! ```
//! use galilei_jit::{Machine, Mode};
//! use galilei_tape::code::Assembler;
//! let mut a = Assembler::new(2);
//! let (x, y) = (a.input(0), a.input(1));
//! let p = a.mul(x, y);
//! let code = a.finish(vec![p]);
//! if let Some(machine) = Machine::compile(&code, Mode::Scalar) {
//!     let mut out = [0.0];
//!     machine.call(&[2.0, 3.0], &mut out);
//!     assert_eq!(out, [6.0]);
//! }
//! ```
//!
//! # Where it works
//! On x86-64 under Unix, with AVX2 and FMA ([`Encoding::Vex`]) or with AVX-512 F, VL and DQ
//! ([`Encoding::Evex`]); the processor is asked at run time. Elsewhere [`Machine::compile`] gives
//! nothing and the interpreter is what there is.
//!
//! # How it is tested
//! One suite of conformance runs on the interpreter and on machine code in every mode; random code must
//! give the same bits everywhere. AVX-512 is rarer than the machines that run tests: its encodings are
//! compared byte by byte with those of an independent assembler, and a simulated processor, which is also
//! held against the real one by way of the interpreter, runs what is emitted for it. On processors that
//! have it the suite runs it in earnest.
//!
//! This crate does not know where code comes from, nor what its numbers mean.
//!
//! # Unsafe code
//! This is the only crate that has it: memory is made executable, jumped into, and the routines called
//! from there read and write through pointers. What makes this sound: [`Machine::compile`] checks every
//! operand, input and width of the code before it emits anything; [`Machine::call`] checks the lengths
//! of what it is given; memory is never writable and executable at once.

#![allow(unsafe_code)]

#[cfg(all(unix, target_arch = "x86_64"))]
mod check;
#[cfg(all(unix, target_arch = "x86_64"))]
mod emit;
#[cfg(all(unix, target_arch = "x86_64"))]
mod encode;
#[cfg(all(unix, target_arch = "x86_64"))]
mod machine;
#[cfg(not(all(unix, target_arch = "x86_64")))]
#[path = "absent.rs"]
mod machine;
#[cfg(all(unix, target_arch = "x86_64"))]
mod memory;
mod mode;
#[cfg(all(unix, target_arch = "x86_64"))]
mod routine;

pub use machine::{Machine, Workspace};
pub use mode::{Encoding, Mode};

#[cfg(doc)]
use galilei_tape::code::Code;
