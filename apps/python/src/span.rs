//! Settings of a run.

use galilei::{Error, Method, Model, RunSettings};
use pyo3::prelude::*;

/// Settings of a run.
#[derive(FromPyObject)]
pub(crate) struct Span {
    #[pyo3(item)]
    from: Option<f64>,
    #[pyo3(item)]
    to: Option<f64>,
    #[pyo3(item)]
    every: Option<f64>,
    #[pyo3(item)]
    method: Option<String>,
    #[pyo3(item)]
    tolerance: Option<f64>,
    #[pyo3(item)]
    step: Option<f64>,
    #[pyo3(item)]
    project: bool,
    #[pyo3(item)]
    accept_balance: bool,
}

impl Span {
    /// The settings of a run of a model.
    pub(crate) fn settings(self, model: &Model) -> Result<RunSettings, Error> {
        let method = self.method.map(|name| name.parse::<Method>());
        let method = method.transpose().map_err(|e| model.error(e))?;
        Ok(RunSettings::new()
            .from(self.from)
            .to(self.to)
            .every(self.every)
            .method(method)
            .tolerance(self.tolerance)
            .step(self.step)
            .project(self.project)
            .accept_balance(self.accept_balance))
    }
}
