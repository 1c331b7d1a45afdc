//! What a method of single steps is asked for by a run.

use crate::problem::Stop;
use crate::sum::Compensated;

/// Single steps of a method, and the polynomial through the last one.
pub(crate) trait Steps {
    /// Goes to the start of a step, on given sides of the kinks.
    fn start(
        &mut self,
        time: &Compensated,
        state: &[Compensated],
        sides: &[bool],
    ) -> Result<(), Stop>;

    /// Goes to the end of the last step, which is such a state.
    fn follow(&mut self, time: &Compensated, state: &[Compensated]);

    /// Takes a step from the start; it may be taken again with another length.
    fn step(&mut self, h: f64) -> Result<(), Stop>;

    /// The error of the step; 1 is what a tolerance admits. Work is measured by an energy.
    fn error(&mut self, tolerance: f64, energy: f64) -> Result<f64, Stop>;

    /// Damps an error of the velocities over the step as far as the motion does, where the method is made for that.
    fn damp(&mut self, _errors: &mut [f64]) {}

    /// A length to try first, forward in time (1) or backward (−1); `None` if the state does not tell.
    fn first_length(&mut self, tolerance: f64, sign: f64) -> Option<f64>;

    /// Prepares the polynomial over the step.
    fn densify(&mut self) -> Result<(), Stop>;

    /// x and u after a part of the step, by the polynomial.
    fn between(&self, part: f64, state: &mut [f64]);

    /// Makes a part of the step the whole, by the polynomial.
    fn cut(&mut self, part: f64);

    /// Brings the state of the start to the end.
    fn arrive(&self, state: &mut [Compensated]);

    /// The work done on the step.
    fn work(&self) -> f64;

    /// Evaluations of the right-hand side so far.
    fn evaluations(&self) -> usize;

    /// Whether steps end on the constraints, so that states must not be brought back to them.
    fn keeps_constraints(&self) -> bool {
        false
    }

    /// The momenta at the start, where the method has some of its own.
    fn momenta(&self) -> Vec<f64> {
        vec![]
    }
}

/// How long the steps of a run are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pace {
    /// As the error admits, which is of this order in the length: a power of two.
    Adaptive(u32),
    /// All the same.
    Constant(f64),
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

/// Squares of errors, relative to the size of each component and to the largest size.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ErrorSquares {
    own: f64,
    all: f64,
}

impl ErrorSquares {
    /// Adds an error to a component of some size.
    #[inline]
    pub(crate) fn add(&mut self, error: f64, size: f64, largest: f64) {
        if error != 0.0 {
            self.own += (error / size).powi(2);
            self.all += (error / largest).powi(2);
        }
    }

    /// The mean over a number of components: the error relative to each, but a component that is small on the way
    /// is not worth steps shorter than the largest would take by more than what `patience` allows.
    pub(crate) fn norm(&self, count: usize, patience: f64) -> f64 {
        self.beside(&Self::default(), count, patience)
    }

    /// The same of an estimate that is corrected by a second one of lower order.
    pub(crate) fn beside(&self, lower: &Self, count: usize, patience: f64) -> f64 {
        let mean = |sum: f64, lower: f64| match sum == 0.0 {
            true => 0.0,
            false => sum / ((sum + 0.01 * lower) * count as f64).sqrt(),
        };
        mean(self.own, lower.own).min(patience * mean(self.all, lower.all))
    }
}
