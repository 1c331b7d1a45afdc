//! Diagnostics as exceptions of Python.

use galilei::{Diagnostic, Error, Severity, document};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::convert;

/// A diagnostic as a dictionary: the entries of its document, whether it is a warning, and its text.
fn entry<'py>(
    py: Python<'py>,
    d: &Diagnostic,
    name: &str,
    source: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let dict = convert::object(py, &document::Diagnostic::new(d, source))?;
    let dict = dict.cast_into::<PyDict>()?;
    dict.set_item("warning", d.severity == Severity::Warning)?;
    dict.set_item("rendered", d.render(name, source).trim_end())?;
    Ok(dict.into_any())
}

/// Diagnostics as dictionaries.
pub(crate) fn dictionaries<'py>(
    py: Python<'py>,
    diagnostics: &[Diagnostic],
    name: &str,
    source: &str,
) -> PyResult<Bound<'py, PyList>> {
    let list: PyResult<Vec<_>> = diagnostics
        .iter()
        .map(|d| entry(py, d, name, source))
        .collect();
    PyList::new(py, list?)
}

/// The exception for a refusal: the class is that of its first error.
pub(crate) fn refused(py: Python<'_>, error: &Error) -> PyErr {
    let made = || {
        let list = dictionaries(py, error.diagnostics(), error.name(), error.text())?;
        py.import("galilei.errors")?
            .call_method1("refusal", (list,))
    };
    match made() {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}
