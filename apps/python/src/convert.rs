//! Values of the contract as Python objects.

use galilei::report::Json;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Objects become dictionaries in their order, lists lists; a number that is not finite stays one.
pub(crate) fn object<'py>(py: Python<'py>, json: &Json) -> PyResult<Bound<'py, PyAny>> {
    match json {
        Json::Null => Ok(py.None().into_bound(py)),
        Json::Bool(b) => b.into_bound_py_any(py),
        Json::Number(x) => x.into_bound_py_any(py),
        Json::Integer(n) => n.into_bound_py_any(py),
        Json::Text(s) => s.into_bound_py_any(py),
        Json::List(list) => {
            let list: PyResult<Vec<_>> = list.iter().map(|v| object(py, v)).collect();
            Ok(PyList::new(py, list?)?.into_any())
        }
        Json::Object(entries) => {
            let dict = PyDict::new(py);
            for (name, value) in entries {
                dict.set_item(name, object(py, value)?)?;
            }
            Ok(dict.into_any())
        }
    }
}
