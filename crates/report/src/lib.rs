//! Derivations, checks and values, for people and for scripts.

pub mod contract;
mod json;

pub use json::Json;
