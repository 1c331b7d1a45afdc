//! Long computations stop when Python is interrupted.

use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// How often Python is asked: a user does not wait, and a run does not notice.
const EVERY: Duration = Duration::from_millis(30);

/// Asks Python from time to time, from a thread that holds no lock, whether to go on.
pub(crate) struct Interrupt {
    last: Instant,
    error: Option<PyErr>,
}

impl Interrupt {
    pub(crate) fn new() -> Self {
        Self {
            last: Instant::now(),
            error: None,
        }
    }

    /// Whether to go on.
    pub(crate) fn go_on(&mut self) -> bool {
        if self.error.is_none() && self.last.elapsed() >= EVERY {
            self.last = Instant::now();
            self.error = Python::attach(|py| py.check_signals().err());
        }
        self.error.is_none()
    }

    /// The exception that came, if one came.
    pub(crate) fn raised(self) -> PyResult<()> {
        self.error.map_or(Ok(()), Err)
    }
}
