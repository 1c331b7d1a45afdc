//! The studio: a page to write a model on one side and to see its errors, equations, proofs, plots and motion on the other.
//!
//! [`answer`] is the engine: a request in, an answer out, both JSON. Compiled to WebAssembly it runs in a worker of the page,
//! which then needs no server; `galilei studio` serves the same page on this machine alone and runs the engine as native code
//! ([`serve`]).

mod engine;
#[cfg(not(target_family = "wasm"))]
mod server;
#[cfg(target_family = "wasm")]
mod wasm;

pub use engine::{Request, answer};
#[cfg(not(target_family = "wasm"))]
pub use server::{Served, serve};
