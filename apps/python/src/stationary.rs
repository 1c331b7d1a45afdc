//! Motions between given ends.

use std::sync::Arc;

use galilei::{
    ActionKind, Compiled, Error, Model, StationaryMotion, StationaryMotions, StationarySearch,
    Trajectory,
};
use pyo3::prelude::*;

use crate::run::Run;

/// A request: the ends, and the initial curves.
#[derive(FromPyObject)]
pub(crate) struct StationaryRequest {
    #[pyo3(item)]
    start: String,
    #[pyo3(item)]
    end: String,
    #[pyo3(item)]
    free_start: Vec<String>,
    #[pyo3(item)]
    free_end: Vec<String>,
    #[pyo3(item)]
    functional: String,
    #[pyo3(item)]
    starts: usize,
    #[pyo3(item)]
    seed: u64,
    #[pyo3(item)]
    degree: usize,
    #[pyo3(item)]
    elements: usize,
}

impl StationaryRequest {
    /// The search for the requested motions.
    pub(crate) fn search(self, model: &Model) -> Result<StationarySearch<'_>, Error> {
        let functional = self.functional.parse::<ActionKind>();
        Ok(model
            .stationary()
            .start(self.start)
            .end(self.end)
            .free_start(self.free_start)
            .free_end(self.free_end)
            .functional(functional.map_err(|e| model.error(e))?)
            .starts(self.starts)
            .seed(self.seed)
            .degree(self.degree)
            .elements(self.elements))
    }
}

/// All motions that were found. See `galilei.StationaryMotions`.
#[pyclass(frozen, module = "galilei._galilei")]
pub(crate) struct Stationary {
    runs: Vec<Py<Run>>,
    found: StationaryMotions,
}

impl Stationary {
    /// `compiled` has the equations of the same model.
    pub(crate) fn new(
        py: Python<'_>,
        compiled: &Arc<Compiled>,
        mut found: StationaryMotions,
    ) -> PyResult<Self> {
        let run = |m: &mut StationaryMotion| {
            let trajectory = Trajectory::of(compiled, &mut m.motion);
            Py::new(py, Run::new(py, m.motion.clone(), Some(trajectory))?)
        };
        let runs: PyResult<Vec<_>> = found.motions.iter_mut().map(run).collect();
        Ok(Self { runs: runs?, found })
    }

    /// One number for each motion.
    fn each<T>(&self, of: impl Fn(&StationaryMotion) -> T) -> Vec<T> {
        self.found.motions.iter().map(of).collect()
    }
}

#[pymethods]
impl Stationary {
    #[getter]
    fn runs(&self, py: Python<'_>) -> Vec<Py<Run>> {
        self.runs.iter().map(|run| run.clone_ref(py)).collect()
    }

    #[getter]
    fn actions(&self) -> Vec<f64> {
        self.each(|m| m.solution.action)
    }

    /// The number of directions in which the action decreases; none where it is not determined, and under forces.
    #[getter]
    fn indices(&self) -> Vec<Option<usize>> {
        self.each(|m| m.solution.index)
    }

    /// Times and multiplicities; none where the start is not held, and under constraints.
    #[getter]
    fn conjugate_points(&self) -> Vec<Option<Vec<(f64, usize)>>> {
        self.each(|m| {
            let list = m.conjugate.as_ref()?.iter();
            Some(list.map(|c| (c.time, c.multiplicity)).collect())
        })
    }

    #[getter]
    fn residuals(&self) -> Vec<f64> {
        self.each(|m| m.solution.residual)
    }

    #[getter]
    fn closures(&self) -> Vec<f64> {
        self.each(|m| m.closure)
    }

    /// The number of pieces of each curve.
    #[getter]
    fn elements(&self) -> Vec<usize> {
        self.each(|m| m.solution.elements())
    }

    /// The reasons why searches led to no motion.
    #[getter]
    fn unsolved(&self) -> Vec<String> {
        self.found
            .unsolved
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[getter]
    fn starts(&self) -> usize {
        self.found.starts
    }

    #[getter]
    fn forced(&self) -> bool {
        self.found.forced
    }

    #[getter]
    fn tolerance(&self) -> f64 {
        self.found.tolerance
    }
}
