//! The compiled part of the Python package `galilei`: models, vector fields, runs.
//!
//! It hands out plain values and arrays; what users see is the layer in `python/galilei`.

mod analysis;
mod convert;
mod expression;
mod field;
mod forms;
mod interrupt;
mod model;
mod precise;
mod refusal;
mod run;
mod sensitivities;
mod signals;
mod span;
mod stationary;
mod sweep;

/// The module `galilei._galilei`.
#[pyo3::pymodule]
mod _galilei {
    #[pymodule_export]
    use crate::expression::{decide, differentiate, latex, names, number, substitute, tree};
    #[pymodule_export]
    use crate::field::Field;
    #[pymodule_export]
    use crate::forms::{bracket, form, interior, lie, pullback, vector_field};
    #[pymodule_export]
    use crate::model::Model;
    #[pymodule_export]
    use crate::precise::PreciseRun;
    #[pymodule_export]
    use crate::run::Run;
    #[pymodule_export]
    use crate::sensitivities::Sensitivities;
    #[pymodule_export]
    use crate::signals::interpolate;
    #[pymodule_export]
    use crate::stationary::Stationary;
    #[pymodule_export]
    use crate::sweep::Sweep;

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
