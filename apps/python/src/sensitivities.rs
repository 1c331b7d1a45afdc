//! Sensitivities of a run.

use numpy::PyArray2;
use pyo3::prelude::*;

use crate::run::{Run, array};

/// Derivatives of a motion with respect to its start and to parameters. See `galilei.Sensitivities`.
#[pyclass(frozen, module = "galilei._galilei")]
pub(crate) struct Sensitivities {
    run: Py<Run>,
    found: galilei::Sensitivities,
}

impl Sensitivities {
    pub(crate) fn new(py: Python<'_>, found: galilei::Sensitivities) -> PyResult<Self> {
        let run = Run::new(py, found.motion.clone(), None)?;
        Ok(Self {
            run: Py::new(py, run)?,
            found,
        })
    }

    fn size(&self) -> usize {
        self.found.transition.len()
    }
}

/// The name of the differentiated quantity, its value, times, derivatives with respect to the state at each, and to
/// the parameters.
type Gradient<'py> = (String, f64, Vec<f64>, Bound<'py, PyArray2<f64>>, Vec<f64>);

#[pymethods]
impl Sensitivities {
    #[getter]
    fn run(&self, py: Python<'_>) -> Py<Run> {
        self.run.clone_ref(py)
    }

    #[getter]
    fn parameters(&self) -> Vec<String> {
        self.found.parameters.clone()
    }

    #[getter]
    fn transition<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        array(py, &self.found.transition, self.size())
    }

    #[getter]
    fn canonical<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let canonical = self.found.canonical.as_ref();
        canonical.map(|m| array(py, m, self.size())).transpose()
    }

    #[getter]
    fn symplectic_defect(&self) -> Option<f64> {
        self.found.symplectic_defect()
    }

    /// A row for each parameter.
    #[getter]
    fn sensitivities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        array(py, &self.found.by_parameters, self.size())
    }

    /// For each recorded state the derivatives of its components: a row of (component, direction) pairs.
    #[getter]
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let directions = self.size() + self.found.parameters.len();
        array(py, &self.found.rows, self.size() * directions)
    }

    #[getter]
    fn gradient<'py>(&self, py: Python<'py>) -> PyResult<Option<Gradient<'py>>> {
        let Some(g) = &self.found.gradient else {
            return Ok(None);
        };
        let (times, rows): (Vec<f64>, Vec<Vec<f64>>) = g.rows.iter().cloned().unzip();
        let rows = array(py, &rows, self.size())?;
        Ok(Some((
            g.of.clone(),
            g.value,
            times,
            rows,
            g.parameters.clone(),
        )))
    }
}
