//! Many runs of one model.

use galilei::SweepBuilder;
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::interrupt::Interrupt;
use crate::run::array;

/// Final states, outputs and events of many runs. See `galilei.Sweep`.
#[pyclass(frozen, module = "galilei._galilei")]
pub(crate) struct Sweep {
    sweep: galilei::Sweep,
    rows: Py<PyArray2<f64>>,
    events: Py<PyArray2<f64>>,
    seconds: galilei::SweepSeconds,
}

/// The axes of a sweep, and the numbers of threads and lanes.
#[derive(FromPyObject)]
pub(crate) struct Axes {
    #[pyo3(item)]
    sample: Option<u64>,
    #[pyo3(item)]
    seed: u64,
    #[pyo3(item)]
    vary: Vec<String>,
    #[pyo3(item)]
    grid: Vec<String>,
    #[pyo3(item)]
    shard: Option<(u64, u64)>,
    #[pyo3(item)]
    threads: Option<usize>,
    #[pyo3(item)]
    lyapunov: Option<usize>,
}

impl Axes {
    /// A sweep over these axes.
    pub(crate) fn vary(self, sweep: SweepBuilder<'_>) -> SweepBuilder<'_> {
        sweep
            .sample(self.sample)
            .seed(self.seed)
            .vary_all(self.vary)
            .grid_all(self.grid)
            .shard(self.shard)
            .threads(self.threads)
            .lyapunov(self.lyapunov)
    }
}

impl Sweep {
    /// Computes all runs; their rows are in the order of their numbers.
    pub(crate) fn compute(py: Python<'_>, sweep: galilei::Sweep) -> PyResult<Self> {
        let mut interrupt = Interrupt::new();
        let mut blocks = Vec::new();
        let seconds = py.detach(|| {
            sweep.run(
                |_| false,
                |block| {
                    blocks.push(block);
                    interrupt.go_on()
                },
            )
        });
        interrupt.raised()?;
        blocks.sort_by_key(|block| block.number);
        let (mut rows, mut events) = (Vec::new(), Vec::new());
        for mut block in blocks {
            rows.append(&mut block.rows);
            events.append(&mut block.events);
        }
        Ok(Self {
            rows: array(py, &rows, sweep.columns().len())?.unbind(),
            events: array(py, &events, sweep.event_columns().len())?.unbind(),
            sweep,
            seconds,
        })
    }
}

#[pymethods]
impl Sweep {
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.sweep.columns()
    }

    /// A row for each run.
    #[getter]
    fn rows(&self, py: Python<'_>) -> Py<PyArray2<f64>> {
        self.rows.clone_ref(py)
    }

    /// The number of runs of all shards.
    #[getter]
    fn total(&self) -> u64 {
        self.sweep.total()
    }

    #[getter]
    fn event_columns(&self) -> Vec<String> {
        self.sweep.event_columns()
    }

    /// A row for each event.
    #[getter]
    fn events(&self, py: Python<'_>) -> Py<PyArray2<f64>> {
        self.events.clone_ref(py)
    }

    #[getter]
    fn event_names(&self) -> Vec<String> {
        self.sweep.event_names().to_vec()
    }

    #[getter]
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("method", self.sweep.method())?;
        dict.set_item("tolerance", self.sweep.tolerance())?;
        dict.set_item("lanes", self.sweep.lanes())?;
        dict.set_item("threads", self.sweep.threads())?;
        dict.set_item("compile_seconds", self.seconds.compile)?;
        dict.set_item("integrate_seconds", self.seconds.integrate)?;
        Ok(dict)
    }
}
