//! Requests for periodic motions.

use galilei::PeriodicSearch;
use pyo3::prelude::*;

/// A request for periodic motions, from a dictionary.
#[derive(FromPyObject)]
pub(crate) struct PeriodicRequest {
    #[pyo3(item)]
    period: f64,
    #[pyo3(item)]
    at: String,
    #[pyo3(item)]
    vary: Option<(String, f64, f64)>,
    #[pyo3(item)]
    fix_period: bool,
    #[pyo3(item)]
    tolerance: Option<f64>,
    #[pyo3(item)]
    mode: Option<usize>,
    #[pyo3(item)]
    amplitude: Option<f64>,
}

impl PeriodicRequest {
    pub(crate) fn search(self) -> PeriodicSearch {
        let mut search = PeriodicSearch::new(self.period);
        search.at = self.at;
        search.vary = self.vary;
        search.fix_period = self.fix_period;
        search.mode = self.mode;
        search.tolerance = self.tolerance.unwrap_or(search.tolerance);
        search.amplitude = self.amplitude.unwrap_or(search.amplitude);
        search
    }
}
