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
//! Machine code runs on x86-64 with AVX2 and FMA ([`Encoding::Vex`]) or with AVX-512 F, VL and DQ ([`Encoding::Evex`]),
//! on any other x86-64 processor with SSE2 ([`Encoding::Sse`]), where fused products are routines that give the same bits,
//! and on 64-bit ARM ([`Encoding::Neon`]); the processor is asked at run time. On x86-64 the code follows the System V
//! calling convention on every system; on ARM it uses registers in a way that all systems share, and leaves x18 alone.
//! It probes the stack page by page, as Windows wants it. It was run under Linux: on x86-64 processors, and for ARM
//! under emulation, never on an ARM processor. Elsewhere kernels use the interpreter.
//!
//! On WebAssembly, with the feature `host`, kernels for one state are modules ([`Encoding::Wasm`]) that the program around this one
//! compiles: a page in a browser. It has no fused multiply-add; modules compute it from sums and products with their
//! errors, so that the bits are the same.
//!
//! # How it is tested
//! One suite of conformance runs on the interpreter and on machine code in every mode; random code must
//! give the same bits everywhere. AVX-512 is rarer than the machines that run tests: its encodings are
//! compared byte by byte with those of an independent assembler, and a simulated processor, which is also
//! held against the real one by way of the interpreter, runs what is emitted for it. On processors that
//! have it the suite runs it in earnest, and everywhere for SSE2, which every x86-64 processor has. Code for ARM is tested in the same way on x86-64, by encodings and a simulated
//! processor of its own, and the whole suite runs in programs for ARM under emulation. WebAssembly modules run in an interpreter of
//! another project.
//!
//! This crate does not know where code comes from, nor what its numbers mean.
//!
//! # Unsafe code
//! Nearly all of the workspace is in this crate: memory is made executable, jumped into, and the routines called
//! from there read and write through pointers. What makes this sound: every operand, input and width of the code is
//! checked before anything is emitted; [`Kernel::call`] checks the lengths of what it is given; memory is never writable
//! and executable at once.

#![allow(unsafe_code)]

#[cfg(any(target_arch = "aarch64", all(test, target_arch = "x86_64")))]
mod a64;
#[cfg(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", feature = "host")
))]
mod check;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod emitted;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod homes;
mod kernel;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod machine;
#[cfg(all(target_arch = "wasm32", feature = "host"))]
#[path = "hosted.rs"]
mod machine;
#[cfg(not(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", feature = "host")
)))]
#[path = "absent.rs"]
mod machine;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod memory;
mod mode;
mod rolled;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod routine;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod runs;
#[cfg(test)]
mod testing;
#[cfg(any(
    all(target_arch = "wasm32", feature = "host"),
    all(test, target_arch = "x86_64")
))]
mod wasm;
mod workspace;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use kernel::Kernel;
pub use mode::Encoding;
pub use rolled::RolledKernel;

#[cfg(doc)]
use galilei_tape::code::Code;
