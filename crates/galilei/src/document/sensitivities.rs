//! The document of `jacobi`.

use galilei_report::document::Entries;
use serde::Serialize;

use super::Run;

/// A run with its sensitivities.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Sensitivities<'a> {
    /// The run.
    #[serde(flatten)]
    pub run: Run<'a>,
    /// The state-transition matrix in positions and velocities, row by row.
    pub transition: &'a [Vec<f64>],
    /// The state-transition matrix in positions and momenta.
    pub canonical_transition: Option<&'a [Vec<f64>]>,
    /// The deviation of the canonical transition from a symplectic matrix.
    pub symplectic_defect: Option<f64>,
    /// The derivatives of the final state with respect to parameters.
    pub sensitivities: Entries<&'a [f64]>,
    /// The gradient of a final value, if requested.
    pub gradient: Option<Gradient<'a>>,
}

/// The derivatives of a final value with respect to earlier states.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Gradient<'a> {
    /// The name of the value.
    pub of: &'a str,
    /// The value.
    pub value: f64,
    /// The times of the states.
    pub times: Vec<f64>,
    /// One row for each time: the derivatives with respect to positions, then to velocities.
    pub by_state: Vec<&'a [f64]>,
    /// The derivatives with respect to parameters.
    pub by_parameters: Entries<f64>,
}

impl<'a> Sensitivities<'a> {
    /// The document of the sensitivities of a run of a system.
    pub fn new(title: &'a str, found: &'a crate::Sensitivities) -> Self {
        let parameters = || found.parameters.iter().cloned();
        let sensitivities = found.by_parameters.iter().map(Vec::as_slice);
        let gradient = found.gradient.as_ref().map(|g| Gradient {
            of: &g.of,
            value: g.value,
            times: g.rows.iter().map(|row| row.0).collect(),
            by_state: g.rows.iter().map(|row| row.1.as_slice()).collect(),
            by_parameters: parameters().zip(g.parameters.iter().copied()).collect(),
        });
        Self {
            run: Run::new(title, &found.motion),
            transition: &found.transition,
            canonical_transition: found.canonical.as_deref(),
            symplectic_defect: found.symplectic_defect(),
            sensitivities: parameters().zip(sensitivities).collect(),
            gradient,
        }
    }
}
