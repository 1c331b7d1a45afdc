//! Long computations stop when Python is interrupted.

use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// The time between two checks for interrupts: short for a user, long for a run.
const CHECK_INTERVAL: Duration = Duration::from_millis(30);

/// Checks from time to time whether Python was interrupted, from a thread that holds no lock.
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
        if self.error.is_none() && self.last.elapsed() >= CHECK_INTERVAL {
            self.last = Instant::now();
            self.error = Python::attach(|py| py.check_signals().err());
        }
        self.error.is_none()
    }

    /// The exception, if one was raised.
    pub(crate) fn raised(self) -> PyResult<()> {
        self.error.map_or(Ok(()), Err)
    }
}
