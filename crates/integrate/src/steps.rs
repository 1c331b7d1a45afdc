//! The trait that a method of integration implements for the run loop.

use galilei_tape::math::scalar::powi;

use crate::leap::Leap;
use crate::problem::Error;
use crate::sensitivity::Lost;
use crate::sum::Compensated;

/// Single steps of a method, and the polynomial through the last one.
///
/// A method that [foresees](Steps::FORESEES) has series at the start of a step. They give the length of the step and
/// the zeros within it before it is taken. The steps of other methods are judged by an error estimate, and their
/// polynomials are sampled afterwards.
pub(crate) trait Steps {
    /// Whether series at the start of a step give its length and what happens within it.
    const FORESEES: bool = false;

    /// Goes to the start of a step, on given branches of the kinks.
    fn start(
        &mut self,
        time: &Compensated,
        state: &[Compensated],
        branches: &[f64],
    ) -> Result<(), Error>;

    /// Makes the end of the last step the start of the next one.
    fn follow(&mut self, time: &Compensated, state: &[Compensated]) -> Result<(), Error>;

    /// Damps an error of the velocities over the step as far as the motion does, where the method is made for that.
    fn damp(&mut self, _errors: &mut [f64]) {}

    /// Goes back to the start of a step that was rejected.
    fn reject(&mut self) {}

    /// A length to try first, forward in time (1) or backward (−1); `None` if the state does not tell.
    fn first_length(&mut self, _tolerance: f64, _sign: f64) -> Option<f64> {
        None
    }

    /// The error of the last step as far as accelerations that are known up to this do not explain it; 1 is what a
    /// tolerance admits. Work is measured by an energy. Asked of methods whose steps adapt to the error.
    fn error_beyond(
        &mut self,
        _rounding: &[f64],
        _tolerance: f64,
        _energy: f64,
    ) -> Result<f64, Error> {
        Ok(f64::INFINITY)
    }

    /// Prepares the polynomial over the step.
    fn densify(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// x and u after a part of the step, by the polynomial; asked of methods that do not foresee.
    fn between(&mut self, _part: f64, _state: &mut [f64]) {}

    /// x and u a time after the start of a step of length h, by the polynomial.
    fn after(&mut self, time: f64, h: f64, state: &mut [f64]) {
        self.between(time / h, state);
    }

    /// Makes a part of the step the whole, by the polynomial; asked of methods that do not foresee.
    fn cut(&mut self, _part: f64) {}

    /// Brings the state of the start to the end.
    fn arrive(&self, state: &mut [Compensated]);

    /// The work done on the step, as far as it is known.
    fn work(&self) -> f64;

    /// Evaluations of the right-hand side, or of series, so far.
    fn evaluations(&self) -> usize;

    /// Whether steps end on the constraints, so that states must not be brought back to them.
    fn keeps_constraints(&self) -> bool {
        false
    }

    /// The momenta at the start, where the method has some of its own.
    fn momenta(&self) -> Vec<f64> {
        vec![]
    }

    /// Whether what is computed at the start of a step is there; if not, it is computed together with other runs.
    fn is_ready(&self) -> bool {
        true
    }

    /// Writes what a [`View`](crate::drive::View) shows at the start of the step; false if the method does not know it.
    fn look(&self, _seen: &mut [f64]) -> bool {
        false
    }

    /// Velocities at the start that satisfy the constraints, if the method has solved for them.
    fn solved_velocities(&self) -> Option<&[f64]> {
        None
    }

    /// Energy, scales of the balance and residuals at the start of the step, if the method knows them.
    fn values(&self) -> Option<&[f64]> {
        None
    }

    /// The work that the power at the start adds to that of the step before. It is judged relative to the largest energy so
    /// far and to the first `scales` scales of the balance.
    fn closing_work(&mut self, _energy: f64, _scales: usize) -> Option<f64> {
        None
    }

    /// The length that the series at the start allow for a step, where energies are as large as this one.
    fn length(&mut self, _steps: usize, _energy: f64) -> f64 {
        f64::INFINITY
    }

    /// The Taylor coefficients at the start of an event, a kink, a threshold or an edge, counted in this order.
    fn coefficients(&self, _watched: usize) -> &[f64] {
        &[]
    }

    /// The values of `count` events, kinks, thresholds and edges, from the first one on, at the end of the step; none where
    /// series there are not known.
    fn values_at_end(&mut self, _first: usize, _count: usize) -> Vec<f64> {
        vec![]
    }

    /// x and u a time after the start, and the accelerations there, times that time, by the polynomial.
    fn foresee(&mut self, _time: f64, _state: &mut [f64], _accelerations: &mut [f64]) {}

    /// Replaces the work of the step by one that was found by quadrature of the power.
    fn replace_work(&mut self, _work: f64) {}

    /// The jump over the time that is left by linearised equations, if the motion has come to rest after a number of steps.
    fn leap(&mut self, _steps: usize, _left: f64, _energy: f64) -> Result<Option<Leap>, Error> {
        Ok(None)
    }

    /// Whether sensitivities are followed together with the motion.
    fn has_sensitivities(&self) -> bool {
        false
    }

    /// Prepares sensitivities for the time that is left of the run.
    fn prepare_sensitivities(&mut self, _left: f64, _energy: f64) {}

    /// Whether steps end where states are recorded.
    fn ends_at_rows(&self) -> bool {
        false
    }

    /// Notes sensitivities a time after the start of the step.
    fn record_sensitivities(&mut self, _time: f64) {}

    /// Takes sensitivities over an accepted step.
    fn step_sensitivities(&mut self, _h: f64) -> Result<(), Error> {
        Ok(())
    }

    /// Notes what sensitivities need to know of a kink that was reached, before it is crossed.
    fn reach_kink(&mut self, _kink: usize) {}

    /// Takes sensitivities over the kink that was crossed.
    fn cross_kink(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// Completes sensitivities; where they were lost on the way, if they were.
    fn finish_sensitivities(&mut self) -> Option<&Lost> {
        None
    }
}

/// Steps of one run; those of several runs together are taken by who has them.
pub(crate) trait SingleSteps: Steps {
    /// Takes a step from the start; it may be taken again with another length.
    fn step(&mut self, h: f64) -> Result<(), Error>;

    /// The error of the step, or the defect of its end; 1 is what a tolerance admits. Work is measured by an energy.
    fn error(&mut self, tolerance: f64, energy: f64) -> Result<f64, Error>;
}

/// The step sizes of a method.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pace {
    /// Adaptive, from an error of this order in the size: a power of two.
    Adaptive(u32),
    /// All the same.
    Constant(f64),
    /// Foreseen by the method.
    Foreseen,
}
/// The root of an order that is a power of two: the same number on every machine, as no library has a part in it.
pub(crate) fn root(x: f64, order: u32) -> f64 {
    (0..order.ilog2()).fold(x, |x, _| x.sqrt())
}

/// The time in which a state with such rates changes by itself, the least of several.
pub(crate) fn time_scale(
    x: impl Iterator<Item = f64>,
    u: impl Iterator<Item = f64>,
    a: impl Iterator<Item = f64>,
) -> Option<f64> {
    let fold = |m: f64, x: f64| m.max(x.abs());
    let (x, u, a) = (x.fold(0.0, fold), u.fold(0.0, fold), a.fold(0.0, fold));
    let times = [x / u, u / a, (x / a).sqrt()];
    let known = times.into_iter().filter(|t| t.is_finite() && *t > 0.0);
    known.reduce(f64::min)
}

/// Positions and velocities are not measured by less than this: errors relative to numbers next to the smallest ones
/// say nothing.
pub(crate) const SMALLEST_SIZE: f64 = 1e-40;

/// Squares of errors, relative to the size of each component and to the largest size.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ErrorSquares {
    own: f64,
    all: f64,
}

/// The part of an error that rounding does not explain; NaN stays NaN.
#[inline]
pub(crate) fn beyond(error: f64, rounding: f64) -> f64 {
    let rest = error.abs() - rounding;
    if rest < 0.0 { 0.0 } else { rest }
}

impl ErrorSquares {
    /// Adds an error to a component of some size. Nothing is measured by less than [`SMALLEST_SIZE`].
    #[inline]
    pub(crate) fn add(&mut self, error: f64, size: f64, largest: f64) {
        if error != 0.0 {
            self.own += powi(error / size.max(SMALLEST_SIZE), 2);
            self.all += powi(error / largest.max(SMALLEST_SIZE), 2);
        }
    }

    /// The mean over a number of components: the error relative to each, but a component that is small on the way
    /// is not worth steps shorter than the largest would take by more than what `max_shortening` allows.
    pub(crate) fn norm(&self, count: usize, max_shortening: f64) -> f64 {
        self.corrected_by(&Self::default(), count, max_shortening)
    }

    /// The error of an estimate that is corrected by a second one of lower order.
    pub(crate) fn corrected_by(&self, lower: &Self, count: usize, max_shortening: f64) -> f64 {
        let mean = |sum: f64, lower: f64| match sum == 0.0 {
            true => 0.0,
            false => sum / ((sum + 0.01 * lower) * count as f64).sqrt(),
        };
        mean(self.own, lower.own).min(max_shortening * mean(self.all, lower.all))
    }
}
