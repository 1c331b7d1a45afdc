//! Sensitivities along a run: how the state at a time changes with the one at the start and with
//! parameters.

mod collocated;
pub(crate) mod expansion;
mod series;

use galilei_tape::code::WIDTH;
use galilei_tape::{Tape, Wanted};

use crate::expansion::{Expansion, operations};
use crate::problem::Problem;
use crate::taylor::part_of_radius;
use crate::transition;
use collocated::ByCollocation;
pub(crate) use collocated::Lost;
use series::BySeries;

/// The directions at the start in which a run is differentiated.
#[derive(Clone, Debug)]
pub struct Directions {
    /// Each (δx, δu, parameters of the tape).
    pub columns: Vec<Vec<f64>>,
    /// Whether the transitions of single steps are kept, for adjoints.
    pub transitions: bool,
    /// The method of sensitivities; if not given, the one with fewer operations.
    pub method: Option<SensitivityMethod>,
}

/// Methods of sensitivities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SensitivityMethod {
    /// Series, computed together with those of the motion.
    Series,
    /// Gauss' collocation along the polynomials of the steps.
    Collocation,
}

impl Directions {
    /// Every component of the state and every parameter of a tape for itself.
    pub fn all(tape: &Tape, dimension: usize) -> Self {
        let size = 2 * dimension + tape.parameters().len();
        let unit = |d: usize| (0..size).map(|i| f64::from(u8::from(i == d))).collect();
        Self {
            columns: (0..size).map(unit).collect(),
            transitions: false,
            method: None,
        }
    }
}

/// The transition of a sensitivity over a step, or a part of one.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Transition {
    /// When it starts.
    pub from: f64,
    /// When it ends.
    pub to: f64,
    /// The derivatives of the state at its end, x then u, each by the state at its start and by the
    /// parameters.
    pub matrix: Vec<f64>,
}

impl Transition {
    /// A jump of the accelerations at its end, with the time by which nearby motions reach it earlier, for each component.
    fn jump(&mut self, times: &[f64], jumps: &[f64]) {
        let n = jumps.len();
        let size = self.matrix.len() / (2 * n);
        let old = self.matrix.clone();
        for (i, jump) in jumps.iter().enumerate() {
            for c in 0..size {
                let through: f64 = (0..2 * n).map(|j| times[j] * old[j * size + c]).sum();
                let own = if c < 2 * n { 0.0 } else { times[c] };
                self.matrix[(n + i) * size + c] += jump * (through + own);
            }
        }
    }
}

/// The results of sensitivities.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct StateSensitivities {
    /// δx and δu at each recorded state, row by row, each in all directions.
    pub rows: Vec<Vec<f64>>,
    /// The sensitivities at the last time.
    pub last: Vec<f64>,
    /// The transitions of single steps, if requested.
    pub transitions: Vec<Transition>,
}

/// The largest number of coordinates for which operations are not counted: collocation takes fewer, or not many more.
const MAX_UNCOUNTED_COORDINATES: usize = 6;
/// The largest ratio of operations at which collocation is preferred to series: it resolves features that the motion
/// does not show.
const MAX_OPERATION_RATIO: f64 = 4.0;

/// The sensitivities of a run by one of the methods.
pub(crate) enum Propagation {
    Series(BySeries),
    Collocation(Box<ByCollocation>),
}

impl Directions {
    /// The method of sensitivities for a motion whose series have an order, with the quantities wanted of it.
    pub(crate) fn method(
        &self,
        problem: &Problem,
        wanted: &Wanted,
        order: usize,
        tolerance: f64,
    ) -> SensitivityMethod {
        let (tape, rates) = (&problem.tape, &problem.rates);
        if self.method.is_some() || rates.dimension <= MAX_UNCOUNTED_COORDINATES {
            return self.method.unwrap_or(SensitivityMethod::Collocation);
        }
        let count = |directions: usize| {
            let wanted = Wanted {
                directions,
                ..wanted.clone()
            };
            let [a, b, c] = operations(tape, rates, &wanted);
            let p = order as f64;
            a + b * p + c * p * p
        };
        let blocks = self.columns.len().div_ceil(WIDTH) as f64;
        let series = (count(WIDTH) - count(0)) * blocks;
        let part = part_of_radius(tolerance, order);
        let collocation = transition::operations(tape, rates, order, part, tolerance);
        match MAX_OPERATION_RATIO * series <= collocation {
            true => SensitivityMethod::Series,
            false => SensitivityMethod::Collocation,
        }
    }
}

impl Propagation {
    pub(crate) fn new(
        method: SensitivityMethod,
        problem: &Problem,
        order: usize,
        tolerance: f64,
        directions: &Directions,
    ) -> Self {
        let (tape, n) = (&problem.tape, problem.rates.dimension);
        match method {
            SensitivityMethod::Series => Self::Series(BySeries::new(tape, n, directions)),
            SensitivityMethod::Collocation => {
                let own = ByCollocation::new(problem, order, tolerance, directions);
                Self::Collocation(Box::new(own))
            }
        }
    }

    /// The number of directions of the series of the motion.
    pub(crate) fn directions(&self) -> usize {
        match self {
            Self::Series(own) => own.directions(),
            Self::Collocation(_) => 0,
        }
    }

    /// Whether the transitions of single steps are kept.
    pub(crate) fn keeps(&self) -> bool {
        match self {
            Self::Series(own) => own.keeps(),
            Self::Collocation(own) => own.keeps(),
        }
    }

    /// The directions in which the next step starts.
    pub(crate) fn seed(&self, series: &mut Expansion) {
        if let Self::Series(own) = self {
            own.seed(series.seeds());
        }
    }

    /// Prepares for a run of about `steps` steps, of which the first one is known.
    pub(crate) fn prepare(&mut self, series: &Expansion, time: f64, length: f64, steps: f64) {
        if let Self::Collocation(own) = self {
            own.prepare(series, time, length, steps);
        }
    }

    /// The largest next step size, as far as it is not known from the series.
    pub(crate) fn longest(&self) -> f64 {
        match self {
            Self::Series(_) => f64::INFINITY,
            Self::Collocation(own) => own.longest(),
        }
    }

    /// Notes the sensitivities at a time after the start of the step.
    pub(crate) fn record(&mut self, series: &mut Expansion, time: f64, h: f64) {
        match self {
            Self::Series(own) => own.record(series, h),
            Self::Collocation(own) => own.record(series, time, h),
        }
    }

    /// Takes the step from a time.
    pub(crate) fn step(&mut self, series: &mut Expansion, time: f64, h: f64) {
        match self {
            Self::Series(own) => own.step(series, time, h),
            Self::Collocation(own) => own.step(series, time, h),
        }
    }

    /// Computes what waits; where they could not be followed any more, if that was so.
    pub(crate) fn settle(&mut self) -> Option<&Lost> {
        match self {
            Self::Series(_) => None,
            Self::Collocation(own) => {
                own.settle();
                own.lost()
            }
        }
    }

    /// Where they could not be followed any more, as far as that is known.
    pub(crate) fn lost(&self) -> Option<&Lost> {
        match self {
            Self::Series(_) => None,
            Self::Collocation(own) => own.lost(),
        }
    }

    /// The derivatives of a kink's register with respect to the state.
    pub(crate) fn kink(
        &self,
        k: usize,
        series: &Expansion,
        state: &[f64],
        branches: &[f64],
    ) -> Vec<f64> {
        match self {
            Self::Series(_) => series.kink_of_sensitivities(k),
            Self::Collocation(own) => own.kink(k, state, branches),
        }
    }

    /// A jump of the accelerations at a kink that is crossed with a rate.
    pub(crate) fn jump(&mut self, kink: &[f64], rate: f64, jumps: &[f64]) {
        match self {
            Self::Series(own) => own.jump(kink, rate, jumps),
            Self::Collocation(own) => own.jump(kink, rate, jumps),
        }
    }

    /// The end of the run.
    pub(crate) fn close(self) -> StateSensitivities {
        match self {
            Self::Series(own) => own.close(),
            Self::Collocation(own) => own.close(),
        }
    }
}
