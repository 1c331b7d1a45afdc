//! Machine code for [`Code`].
//!
//! A [`Kernel`] computes what [`Code::run`] computes, bit for bit, for one state or for several states side by side
//! (lanes). Where the processor has no machine code for them, the kernel runs the interpreter, so callers need not ask.
//! Machine code is made in one pass over the instructions: registers are given
//! up by furthest next use; inputs, constants, outputs and results of functions are read where they
//! stand; all calls of a function that stand together are one call of a vector routine.
//!
//! ```
//! use galilei_jit::Kernel;
//! use galilei_tape::code::Assembler;
//! let mut a = Assembler::new(2);
//! let (x, y) = (a.input(0), a.input(1));
//! let p = a.mul(x, y);
//! let mut kernel = Kernel::new(a.finish(vec![p]), 4);
//! let mut products = [0.0; 4];
//! kernel.call(&[1.0, 2.0, 3.0, 4.0, 5.0, 5.0, 5.0, 5.0], &mut products);
//! assert_eq!(products, [5.0, 10.0, 15.0, 20.0]);
//! ```
//!
//! # Where it works
//! Machine code runs on x86-64 with AVX2 and FMA ([`Encoding::Vex`]) or with AVX-512 F, VL and DQ ([`Encoding::Evex`]);
//! the processor is asked at run time. The code follows the System V calling convention on every system, and probes the
//! stack page by page, as Windows wants it; it was run under Linux. Elsewhere kernels use the interpreter.
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
//! from there read and write through pointers. What makes this sound: every operand, input and width of the code is
//! checked before anything is emitted; [`Kernel::call`] checks the lengths of what it is given; memory is never writable
//! and executable at once.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod check;
#[cfg(target_arch = "x86_64")]
mod emit;
#[cfg(target_arch = "x86_64")]
mod encode;
mod kernel;
#[cfg(target_arch = "x86_64")]
mod machine;
#[cfg(not(target_arch = "x86_64"))]
#[path = "absent.rs"]
mod machine;
mod mode;
#[cfg(target_arch = "x86_64")]
mod routine;
mod workspace;

pub use kernel::Kernel;
pub use mode::Encoding;

#[cfg(doc)]
use galilei_tape::code::Code;
