//! A run in many digits, with its numbers as texts.

use galilei::{Decimal, PreciseMotion, Rational};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A run in 106 or 212 bits. See `galilei.PreciseRun`.
#[pyclass(frozen, module = "galilei._galilei")]
pub(crate) struct PreciseRun {
    motion: PreciseMotion,
}

/// The time and the state of an event, with its name.
type Event = (String, String, Vec<String>);

fn text(x: &Decimal) -> String {
    x.as_str().to_owned()
}

impl PreciseRun {
    pub(crate) fn new(motion: PreciseMotion) -> Self {
        Self { motion }
    }
}

#[pymethods]
impl PreciseRun {
    /// Recorded rows: t, x, u, outputs.
    #[getter]
    fn rows(&self) -> Vec<Vec<Option<String>>> {
        let row = |r: &Vec<Option<Decimal>>| r.iter().map(|x| x.as_ref().map(text)).collect();
        self.motion.run.rows.iter().map(row).collect()
    }

    /// The names of the columns of the rows.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.motion.columns()
    }

    #[getter]
    fn coordinates(&self) -> Vec<String> {
        self.motion.coordinates.clone()
    }

    #[getter]
    fn status(&self) -> &'static str {
        match (self.motion.run.failure, self.motion.run.ended_by) {
            (Some(_), _) => "failed",
            (None, Some(_)) => "event",
            (None, None) => "finished",
        }
    }

    /// The reason why the run failed, if it did.
    #[getter]
    fn reason(&self) -> Option<String> {
        self.motion.run.failure.map(|why| why.to_string())
    }

    #[getter]
    fn time(&self) -> String {
        text(&self.motion.run.time)
    }

    /// x, then u, at the end.
    #[getter]
    fn state(&self) -> Vec<String> {
        self.motion.run.state.iter().map(text).collect()
    }

    /// Name, time and state of each event.
    #[getter]
    fn events(&self) -> Vec<Event> {
        let m = &self.motion;
        let event = |e: &galilei::PreciseEvent| {
            let name = m.event_names[e.event].clone();
            (name, text(&e.time), e.state.iter().map(text).collect())
        };
        m.run.events.iter().map(event).collect()
    }

    #[getter]
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (m, dict) = (&self.motion, PyDict::new(py));
        dict.set_item("method", "taylor")?;
        dict.set_item("precision", m.run.precision.bits())?;
        dict.set_item("tolerance", m.run.tolerance)?;
        dict.set_item("order", m.run.order)?;
        dict.set_item("steps", m.run.steps)?;
        dict.set_item("rejected", m.run.rejected)?;
        dict.set_item("energy_balance", m.run.energy_balance)?;
        dict.set_item("constraint_residual", m.run.constraint_residual)?;
        dict.set_item("integrate_seconds", m.seconds)?;
        Ok(dict)
    }

    /// x, then u, at a time in decimal digits.
    fn at(&self, time: &str) -> PyResult<Vec<String>> {
        let parsed: Rational = time
            .parse()
            .map_err(|_| PyValueError::new_err(format!("{time} is no time")))?;
        let state = self.motion.run.at(&parsed);
        let state = state
            .ok_or_else(|| PyValueError::new_err(format!("the run did not come to t = {time}")))?;
        Ok(state.iter().map(text).collect())
    }
}
