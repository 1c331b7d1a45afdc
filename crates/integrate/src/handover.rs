//! Runs in several parts: the function that ends a part, and the record with which the next part continues.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::problem::{Options, Run};

/// The record of a run that is continued with other equations or in other coordinates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Handover {
    /// The time at which the whole run began.
    pub origin: f64,
    /// The number of rows at constant distances that are written.
    pub rows: u64,
    /// The defect of the energy balance, with its sign.
    pub defect: f64,
    /// The largest energy.
    pub largest: f64,
    /// The time at which each event was seen last; not a number where it was not.
    pub events: Vec<f64>,
    /// The rounding error of the time at which the next part begins.
    pub time_low: f64,
    /// The rounding errors of the state with which the next part begins; empty where they are not known.
    pub state_low: Vec<f64>,
}

impl Handover {
    /// The record for a part that begins at a time and a state of its own.
    pub(crate) fn forget_rounding(&mut self) {
        self.time_low = 0.0;
        self.state_low.clear();
    }
}

/// The function of a time and a state, x then u, that says whether a run ends there.
type Question = dyn FnMut(f64, &[f64]) -> bool + Send;

/// A function that is asked at the start of each step but the first whether the run ends there. Clones share it.
///
/// ```
/// use galilei_integrate::{Options, Stop};
/// let options = Options { to: 10.0, stop: Some(Stop::new(|_, state| state[0] > 1.0)), ..Options::default() };
/// assert!(options.stop.is_some());
/// ```
#[derive(Clone)]
pub struct Stop(Arc<Mutex<Question>>);

impl Stop {
    /// Asks a function.
    pub fn new(question: impl FnMut(f64, &[f64]) -> bool + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(question)))
    }

    /// Whether the run ends at a time and a state, x then u.
    pub(crate) fn asked(&self, time: f64, state: &[f64]) -> bool {
        let mut question = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        question(time, state)
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stop")
    }
}

impl Options {
    /// The time at which the whole run began, of which this may be a part.
    pub(crate) fn origin(&self) -> f64 {
        self.handover.as_ref().map_or(self.from, |h| h.origin)
    }
}

impl Run {
    /// Adds the part of a run that continues from its end.
    pub(crate) fn join(&mut self, mut run: Self) {
        self.rows.append(&mut run.rows);
        self.row_charts.append(&mut run.row_charts);
        self.pieces.append(&mut run.pieces);
        self.crossings.append(&mut run.crossings);
        self.underflows.append(&mut run.underflows);
        self.underflows.sort_unstable();
        self.underflows.dedup();
        self.ledger.join(&run.ledger);
        for outside in std::mem::take(&mut run.extrapolated) {
            if !self.extrapolated.iter().any(|e| e.0 == outside.0) {
                self.extrapolated.push(outside);
            }
        }
        let largest = run.handover.largest;
        let earlier = match largest > 0.0 {
            true => self.energy_balance * self.handover.largest / largest,
            false => self.energy_balance,
        };
        *self = Self {
            rows: std::mem::take(&mut self.rows),
            row_charts: std::mem::take(&mut self.row_charts),
            pieces: std::mem::take(&mut self.pieces),
            crossings: std::mem::take(&mut self.crossings),
            underflows: std::mem::take(&mut self.underflows),
            ledger: std::mem::take(&mut self.ledger),
            extrapolated: std::mem::take(&mut self.extrapolated),
            steps: self.steps + run.steps,
            rejected: self.rejected + run.rejected,
            evaluations: self.evaluations + run.evaluations,
            projections: self.projections + run.projections,
            energy_balance: earlier.max(run.energy_balance),
            constraint_residual: match (self.constraint_residual, run.constraint_residual) {
                (Some(a), Some(b)) => Some(a.max(b)),
                (a, b) => a.or(b),
            },
            order: self.order.max(run.order),
            ..run
        };
    }
}
