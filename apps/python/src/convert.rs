//! Documents as Python objects.

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde::Serialize;
use serde_json::Value;

/// A document as Python reads its JSON: dictionaries in the order of keys, lists, numbers, `None`.
pub(crate) fn object<'py>(
    py: Python<'py>,
    document: &impl Serialize,
) -> PyResult<Bound<'py, PyAny>> {
    let value = serde_json::to_value(document);
    converted(
        py,
        &value.map_err(|e| PyValueError::new_err(e.to_string()))?,
    )
}

fn converted<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(b) => b.into_bound_py_any(py),
        Value::Number(n) => match n.as_i64() {
            Some(n) => n.into_bound_py_any(py),
            None => n.as_f64().into_bound_py_any(py),
        },
        Value::String(s) => s.into_bound_py_any(py),
        Value::Array(list) => {
            let list: PyResult<Vec<_>> = list.iter().map(|v| converted(py, v)).collect();
            Ok(PyList::new(py, list?)?.into_any())
        }
        Value::Object(entries) => {
            let dict = PyDict::new(py);
            for (name, value) in entries {
                dict.set_item(name, converted(py, value)?)?;
            }
            Ok(dict.into_any())
        }
    }
}
