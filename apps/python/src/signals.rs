//! Signals for inputs, from arrays.

use galilei::{Interpolation, Table};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A signal: the name of an input, times, values, `linear`, `cubic`, `periodic` or `steps`.
pub(crate) type Signal = (String, Vec<f64>, Vec<f64>, String);

/// The table of times and values.
pub(crate) fn table(times: Vec<f64>, values: Vec<f64>, word: &str) -> PyResult<Table> {
    let found = Interpolation::ALL.into_iter().find(|i| i.0 == word);
    let Some((_, interpolation)) = found else {
        let message =
            format!("`{word}` is no interpolation: write linear, cubic, periodic or steps");
        return Err(PyValueError::new_err(message));
    };
    Table::new(times, values, interpolation).ok_or_else(|| {
        PyValueError::new_err(
            "a signal has finite values at finite, strictly increasing times, one for each; a periodic one ends with the value that it begins with",
        )
    })
}

/// The values of a table at some times.
#[pyfunction]
pub(crate) fn interpolate(
    times: Vec<f64>,
    values: Vec<f64>,
    interpolation: &str,
    at: Vec<f64>,
) -> PyResult<Vec<f64>> {
    let table = table(times, values, interpolation)?;
    Ok(at.into_iter().map(|s| table.at(s, 0)).collect())
}
