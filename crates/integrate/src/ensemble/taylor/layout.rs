//! The layout of the numbers of an ensemble: in rows, one number for each lane.

use galilei_tape::Series;

/// The step to take.
pub(super) const STEP: usize = 0;
/// The energy at the start.
pub(super) const START: usize = 1;
/// The time to go to, and in which direction that is.
pub(super) const END: usize = 2;
pub(super) const SIGN: usize = 3;
/// The first of the rows that a step changes, which end with the last velocity: the radius of convergence of the last step;
pub(super) const SCALE: usize = 4;
/// the largest defect of the energy balance, the largest energy and the largest residual of a constraint until now;
pub(super) const DEFECT: usize = 5;
pub(super) const LARGEST: usize = 6;
pub(super) const RESIDUAL: usize = 7;
/// the number of steps;
pub(super) const STEPS: usize = 8;
/// the work done, and what was lost of it to rounding;
pub(super) const WORK: usize = 9;
/// the last step, if the power at its end is still to be added to the work;
pub(super) const OPEN: usize = 11;
/// how the work of that step differs, at its start, from that with one place less;
pub(super) const DIFFERENCE: usize = 12;
/// how long the next step may be as far as the work is concerned;
pub(super) const LONGEST: usize = 13;
/// the last step, and how long the next one may be after one was rejected;
pub(super) const LAST: usize = 14;
pub(super) const LIMIT: usize = 15;
/// what was lost of the time and of the state to rounding; behind it the accelerations at the end of the last step by
/// the series at its start, times the step.
pub(super) const TIME_LOST: usize = 16;
pub(super) const LOST: usize = 17;

/// The rows of an ensemble: those above, the inputs of the series (t, x, u, the fixed inputs, the branches of kinks), and
/// their outputs.
pub(super) struct Layout {
    pub(super) n: usize,
    pub(super) order: usize,
    /// The inputs of the series.
    pub(super) inputs: usize,
    /// The number of rows of a state: t, x, u and the fixed inputs.
    pub(super) state: usize,
    /// The outputs of the series.
    pub(super) outputs: usize,
    /// All rows.
    pub(super) rows: usize,
    series: usize,
    multipliers: usize,
    values: usize,
    guard: usize,
}

impl Layout {
    pub(super) fn new(shape: &Series, state: usize, kinks: usize) -> Self {
        let n = shape.dimension;
        let inputs = LOST + 3 * n;
        let outputs = inputs + state + kinks;
        Self {
            n,
            order: shape.order,
            inputs,
            state,
            outputs,
            rows: outputs + shape.guard_at() + 1,
            series: outputs + shape.series_at(0),
            multipliers: outputs + shape.multiplier_at(0),
            values: outputs + shape.values_at(),
            guard: outputs + shape.guard_at(),
        }
    }

    /// Component i of the state: x, then u.
    pub(super) fn component(&self, i: usize) -> usize {
        self.inputs + 1 + i
    }

    /// The acceleration of coordinate i at the end of the last step as it was foreseen, times the step.
    pub(super) fn foreseen(&self, i: usize) -> usize {
        LOST + 2 * self.n + i
    }

    /// The rows that a step changes.
    pub(super) fn moving(&self) -> std::ops::Range<usize> {
        SCALE..self.component(2 * self.n)
    }

    /// The branch of a kink.
    pub(super) fn side(&self, k: usize) -> usize {
        self.inputs + self.state + k
    }

    /// Coefficient k of velocity i.
    pub(super) fn velocity(&self, k: usize, i: usize) -> usize {
        self.outputs + k * self.n + i
    }

    /// Coefficient k of a wanted series.
    pub(super) fn wanted(&self, w: usize, k: usize) -> usize {
        self.series + w * (self.order + 1) + k
    }

    /// Coefficient k of a multiplier.
    pub(super) fn multiplier(&self, a: usize, k: usize) -> usize {
        self.multipliers + a * self.order + k
    }

    /// A wanted value.
    pub(super) fn value(&self, v: usize) -> usize {
        self.values + v
    }

    /// Positive as long as the series can be trusted.
    pub(super) fn guard(&self) -> usize {
        self.guard
    }
}
