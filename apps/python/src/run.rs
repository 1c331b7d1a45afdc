//! A run with its arrays.

use std::sync::{Mutex, PoisonError};

use galilei::{Crossing, Motion, Status, Trajectory};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Recorded states, events and statistics of a run. See `galilei.Run`.
#[pyclass(frozen, module = "galilei._galilei")]
pub(crate) struct Run {
    motion: Motion,
    rows: Py<PyArray2<f64>>,
    trajectory: Option<Mutex<Trajectory>>,
}

/// Rows of one length as one array, which owns them.
pub(crate) fn array<'py>(
    py: Python<'py>,
    rows: &[Vec<f64>],
    width: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let flat: Vec<f64> = rows.iter().flatten().copied().collect();
    flat.into_pyarray(py).reshape([rows.len(), width])
}

impl Run {
    pub(crate) fn new(
        py: Python<'_>,
        mut motion: Motion,
        trajectory: Option<Trajectory>,
    ) -> PyResult<Self> {
        let width = 1 + 2 * motion.coordinates.len() + motion.output_names.len();
        let rows = std::mem::take(&mut motion.run.rows);
        Ok(Self {
            rows: array(py, &rows, width)?.unbind(),
            motion,
            trajectory: trajectory.map(Mutex::new),
        })
    }
}

#[pymethods]
impl Run {
    /// Recorded rows: t, x, u, outputs.
    #[getter]
    fn rows(&self, py: Python<'_>) -> Py<PyArray2<f64>> {
        self.rows.clone_ref(py)
    }

    #[getter]
    fn coordinates(&self) -> Vec<String> {
        self.motion.coordinates.clone()
    }

    #[getter]
    fn output_names(&self) -> Vec<String> {
        self.motion.output_names.clone()
    }

    /// The names of the charts through which the run may go; empty without an atlas.
    #[getter]
    fn chart_names(&self) -> Vec<String> {
        self.motion.charts.clone()
    }

    /// The place of the chart among them, for each row; empty without an atlas.
    #[getter]
    fn row_charts(&self) -> Vec<usize> {
        self.motion.run.row_charts.clone()
    }

    #[getter]
    fn event_names(&self) -> Vec<String> {
        self.motion.event_names.clone()
    }

    #[getter]
    fn status(&self) -> &'static str {
        match self.motion.run.status {
            Status::Finished => "finished",
            Status::Event(_) => "event",
            Status::Failed(_) => "failed",
        }
    }

    /// The reason why the run failed, if it did.
    #[getter]
    fn reason(&self) -> Option<String> {
        match &self.motion.run.status {
            Status::Failed(why) => Some(why.to_string()),
            _ => None,
        }
    }

    #[getter]
    fn time(&self) -> f64 {
        self.motion.run.time
    }

    /// x, then u, at the end.
    #[getter]
    fn state<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.motion.run.state)
    }

    /// The discrete momenta at the end, of variational methods.
    #[getter]
    fn momentum<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        let momenta = &self.motion.run.momenta;
        (!momenta.is_empty()).then(|| PyArray1::from_slice(py, momenta))
    }

    /// The outputs at the end.
    #[getter]
    fn outputs(&self) -> Vec<f64> {
        self.motion.run.outputs.clone()
    }

    /// The number of the event, for each crossing.
    #[getter]
    fn event_numbers<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let numbers = self.motion.run.crossings.iter().map(|c| c.event as i64);
        numbers.collect::<Vec<_>>().into_pyarray(py)
    }

    /// t, x, u for each crossing.
    #[getter]
    fn event_rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let row = |c: &Crossing| {
            let time = std::iter::once(c.time);
            time.chain(c.state.iter().copied()).collect()
        };
        let rows: Vec<Vec<f64>> = self.motion.run.crossings.iter().map(row).collect();
        array(py, &rows, 1 + self.motion.run.state.len())
    }

    /// Name, time, velocities before and after, impulse and loss of energy of each impact.
    #[getter]
    fn impacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = self.motion.run.contacts.collisions.iter().map(|c| {
            let array = |values: &[f64]| values.to_vec().into_pyarray(py);
            let impulse = c.impulse.as_deref().map(array);
            let (before, after) = (array(&c.before), array(&c.after));
            (&c.name, c.time, before, after, impulse, c.loss)
        });
        PyList::new(py, list.collect::<Vec<_>>())
    }

    /// Beginning, closed contacts and sticking elements of each mode.
    #[getter]
    fn modes(&self) -> Vec<(f64, Vec<String>, Vec<String>)> {
        let modes = self.motion.run.contacts.modes.iter();
        modes
            .map(|m| (m.time, m.closed.clone(), m.sticking.clone()))
            .collect()
    }

    #[getter]
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (m, dict) = (&self.motion, PyDict::new(py));
        dict.set_item("method", m.method)?;
        dict.set_item("tolerance", m.tolerance)?;
        dict.set_item("order", m.run.order)?;
        dict.set_item("steps", m.run.steps)?;
        dict.set_item("rejected", m.run.rejected)?;
        dict.set_item("evaluations", m.run.evaluations)?;
        dict.set_item("energy_balance", m.run.energy_balance)?;
        dict.set_item("constraint_residual", m.run.constraint_residual)?;
        dict.set_item("projections", m.run.projections)?;
        dict.set_item("derive_seconds", m.derive_seconds)?;
        dict.set_item("compile_seconds", m.compile_seconds)?;
        dict.set_item("integrate_seconds", m.integrate_seconds)?;
        Ok(dict)
    }

    /// The interval of time on which states are known; none unless the run was dense.
    #[getter]
    fn ends(&self) -> Option<(f64, f64)> {
        let trajectory = self.trajectory.as_ref()?;
        trajectory
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .ends()
    }

    /// The states at some times, a row for each.
    fn at<'py>(
        &self,
        py: Python<'py>,
        times: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let Some(trajectory) = &self.trajectory else {
            return Err(PyValueError::new_err("the run kept no dense output"));
        };
        let times = times.as_slice()?;
        let size = 2 * self.motion.coordinates.len();
        let found: Result<Vec<f64>, String> = py.detach(|| {
            let mut trajectory = trajectory.lock().unwrap_or_else(PoisonError::into_inner);
            let mut flat = Vec::with_capacity(times.len() * size);
            for &t in times {
                match trajectory.at(t) {
                    Some(Ok(state)) => flat.extend(state),
                    Some(Err(why)) => return Err(format!("t = {t}: {why}")),
                    None => return Err(format!("the run did not come to t = {t}")),
                }
            }
            Ok(flat)
        });
        let flat = found.map_err(PyValueError::new_err)?;
        flat.into_pyarray(py).reshape([times.len(), size])
    }
}
