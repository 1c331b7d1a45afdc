//! The equations of motion as a callable.

use std::sync::{Arc, Mutex, PoisonError};

use galilei::Compiled;
use numpy::{
    PyArray1, PyArray2, PyArrayDyn, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A model as it travels between processes.
pub(crate) struct Written {
    /// The text.
    pub(crate) source: String,
    /// The name of the file.
    pub(crate) name: String,
    /// The values that were given, as texts.
    pub(crate) set: Vec<String>,
}

/// (t, y) ↦ (u, a) for y = (x, u), compiled. See `galilei.System.rhs`.
#[pyclass(frozen, module = "galilei._galilei")]
pub(crate) struct Field {
    compiled: Arc<Compiled>,
    /// The kernel for one state, while Python waits.
    one: Mutex<galilei::Field>,
    /// Kernels for many states, used by threads that compute in parallel.
    many: Mutex<Vec<galilei::Field>>,
    size: usize,
    written: Written,
}

fn wrong(message: String) -> PyErr {
    PyValueError::new_err(message)
}

/// An array of doubles, row by row; the object itself if it is one.
fn as_doubles<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let numpy = value.py().import("numpy")?;
    let options = PyDict::new(value.py());
    options.set_item("dtype", "float64")?;
    numpy.call_method("ascontiguousarray", (value,), Some(&options))
}

impl Field {
    pub(crate) fn new(compiled: &Arc<Compiled>, written: Written) -> Self {
        let one = galilei::Field::new(compiled);
        Self {
            compiled: Arc::clone(compiled),
            size: one.size(),
            one: Mutex::new(one),
            many: Mutex::new(vec![]),
            written,
        }
    }

    /// Computes with a kernel of its own, which is kept.
    fn with_own(&self, work: impl FnOnce(&mut galilei::Field)) {
        let spare = || self.many.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = spare().pop();
        let mut own = kept.unwrap_or_else(|| galilei::Field::new(&self.compiled));
        work(&mut own);
        spare().push(own);
    }

    fn single<'py>(
        &self,
        py: Python<'py>,
        t: f64,
        y: &PyReadonlyArray1<'py, f64>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let y = y.as_slice()?;
        if y.len() != self.size {
            return Err(wrong(format!(
                "a state has {} components, not {}",
                self.size,
                y.len()
            )));
        }
        let out = match out {
            Some(out) => out.cast::<PyArray1<f64>>()?.clone(),
            None => PyArray1::zeros(py, self.size, false),
        };
        let mut rates = out.try_readwrite()?;
        let rates = rates.as_slice_mut()?;
        if rates.len() != self.size {
            return Err(wrong(format!("`out` needs {} components", self.size)));
        }
        let mut one = self.one.lock().unwrap_or_else(PoisonError::into_inner);
        one.at(t, y, rates);
        Ok(out.into_any())
    }

    fn several<'py>(
        &self,
        t: &Bound<'py, PyAny>,
        y: &Bound<'py, PyArray2<f64>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = t.py();
        let shape = [y.shape()[0], y.shape()[1]];
        if shape[0] != self.size {
            return Err(wrong(format!(
                "states stand in columns of {} components, not {}",
                self.size, shape[0]
            )));
        }
        let times = as_doubles(t)?;
        let times = times.cast::<PyArrayDyn<f64>>()?.try_readonly()?;
        let times = times.as_slice()?;
        if times.len() != 1 && times.len() != shape[1] {
            return Err(wrong(format!(
                "{} times for {} states",
                times.len(),
                shape[1]
            )));
        }
        let out = match out {
            Some(out) => out.cast::<PyArray2<f64>>()?.clone(),
            None => PyArray2::zeros(py, shape, false),
        };
        if out.shape() != shape {
            return Err(wrong(format!("`out` needs the shape {shape:?}")));
        }
        let states = y.try_readonly()?;
        let states = states.as_slice()?;
        let mut rates = out.try_readwrite()?;
        let rates = rates.as_slice_mut()?;
        py.detach(|| self.with_own(|own| own.at_all(times, states, rates)));
        Ok(out.into_any())
    }
}

/// Text, name and values of a model.
type FieldArguments = (String, String, Vec<String>);

#[pymethods]
impl Field {
    /// The number of components of a state.
    #[getter]
    fn size(&self) -> usize {
        self.size
    }

    /// Pickled as the text of the model, compiled again where it is unpickled.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, FieldArguments)> {
        let restore = py.import("galilei.model")?.getattr("restored_rhs")?;
        let Written { source, name, set } = &self.written;
        Ok((restore, (source.clone(), name.clone(), set.clone())))
    }

    #[pyo3(signature = (t, y, out=None))]
    fn __call__<'py>(
        &self,
        t: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(y) = y.cast::<PyArray1<f64>>()
            && y.is_contiguous()
        {
            return self.single(y.py(), t.extract()?, &y.try_readonly()?, out);
        }
        let y = as_doubles(y)?;
        match y.cast::<PyArray2<f64>>() {
            Ok(columns) => self.several(t, columns, out),
            Err(_) => {
                let y = y.cast::<PyArray1<f64>>()?;
                self.single(y.py(), t.extract()?, &y.try_readonly()?, out)
            }
        }
    }
}
