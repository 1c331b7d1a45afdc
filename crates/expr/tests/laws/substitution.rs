//! substitution
