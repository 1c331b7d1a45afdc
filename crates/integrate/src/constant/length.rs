//! The length of constant steps, by a tolerance.

use galilei_tape::math::scalar::{exp2, pow, powi};

use super::{Constant, Scheme};
use crate::drive::{attainable, drive};
use crate::implicit::{Place, Stages};
use crate::piecewise::Branches;
use crate::problem::{Error, Options, Problem, Record, Run, Status};
use crate::record::started;
use crate::steps::{ErrorSquares, Pace, SingleSteps, Steps, time_scale};
use crate::sum::Compensated;

/// Steps are not made shorter than this part of what the start of a run admits: the motion comes too near to where
/// it has no solution, and needs a method whose steps adapt. A rigid body that all but meets the pole of its
/// angles took a part of 1/1600.
const SHORTEST_PART: f64 = 1.0 / 4096.0;
/// Trials for the length of the steps, at the start of a run.
const MAX_TRIALS: usize = 10;
/// The target error of a step whose size is chosen; 1 is the tolerance.
const TARGET_ERROR: f64 = 0.3;
/// The largest factor by which a small component can shorten a step.
const MAX_SHORTENING: f64 = 4.0;

/// Positions are measured by at least this part of the largest where errors at the end of a run are judged.
const SMALL_POSITION: f64 = 1e-3;

/// Every second step is compared with one of twice the length.
pub(super) struct Check {
    /// The step before, if it was not compared.
    before: Option<(Place, Stages)>,
    long: Stages,
    /// The last error, as a part of what is admitted.
    error: f64,
    /// The largest values of x and z so far; constant steps are not shortened where a component passes zero.
    sizes: [Vec<f64>; 2],
}

impl Check {
    fn new(stages: &Stages) -> Self {
        Self {
            before: None,
            long: stages.clone(),
            error: 0.0,
            sizes: [stages.u.clone(), stages.u.clone()],
        }
    }

    /// The next step does not begin where the last one ended.
    pub(super) fn forget(&mut self) {
        self.before = None;
    }
}

/// Whether a run may have failed because its steps were too long.
fn could_be_shorter(status: &Status) -> bool {
    use Error::{NotFinite, SingularMassMatrix, StepTooLong};
    matches!(
        status,
        Status::Failed(StepTooLong | NotFinite | SingularMassMatrix)
    )
}

impl<S: Scheme> Constant<S> {
    /// Integrates by steps of one length that meets the tolerance.
    pub(super) fn by_tolerance(
        &mut self,
        problem: &Problem,
        state: &[f64],
        options: &Options,
        progress: &mut impl FnMut(f64) -> bool,
    ) -> Run {
        self.check = Some(Check::new(&self.stages));
        let span = (options.to - options.from).abs();
        let first = self.length(problem, state, options).unwrap_or(span / 64.0);
        let mut length = first;
        let mut rejected = 0;
        loop {
            let count = (span / length).ceil().max(1.0);
            if count > options.max_steps as f64 && problem.events.iter().all(|e| !e.terminal) {
                return Run {
                    status: Status::Failed(Error::TooManySteps),
                    rejected,
                    ..started(problem, state, options, self.scheme.order())
                };
            }
            let pace = (self.scheme.order(), Pace::Constant(span / count));
            let mut run = drive(problem, state, options, self, pace, progress);
            run.rejected += rejected;
            length *= self.shortening();
            if length < SHORTEST_PART * first || !could_be_shorter(&run.status) {
                run.accumulated_error =
                    self.accumulated_error(problem, state, options, (&run, count), progress);
                return run;
            }
            rejected += 1;
        }
    }

    /// The error of the positions at the end of a finished run, relative to how large they became, by a run with about
    /// half the number of steps. The errors of single steps may add up to more than a tolerance lets expect.
    fn accumulated_error(
        &mut self,
        problem: &Problem,
        state: &[f64],
        options: &Options,
        (run, count): (&Run, f64),
        progress: &mut impl FnMut(f64) -> bool,
    ) -> Option<f64> {
        // The steps of the other run are too long for the tolerance: none of them is judged.
        let check = self.check.take()?;
        // A run in several parts may have been asked to end before its time.
        if run.status != Status::Finished || run.time != options.to || count < 2.0 {
            return None;
        }
        let half = (0.5 * count).ceil();
        let options = Options {
            record: Record::Nothing,
            dense_output: false,
            stop: None,
            step: Some((options.to - options.from).abs() / half),
            ..options.clone()
        };
        let (order, span) = (self.scheme.order(), (options.to - options.from).abs());
        let pace = (order, Pace::Constant(span / half));
        let other = drive(problem, state, &options, self, pace, progress);
        if other.status != Status::Finished {
            return None;
        }
        let ratio = powi(count / half, order as i32) - 1.0;
        let sizes = &check.sizes[0];
        let largest = sizes.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let pairs = run.state.iter().zip(&other.state).zip(sizes);
        let errors = pairs
            .map(|((a, b), size)| (a - b).abs() / (ratio * size.max(SMALL_POSITION * largest)));
        Some(errors.fold(0.0, f64::max))
    }

    /// The error of the last two steps as a part of what a tolerance admits, at every second step.
    pub(super) fn checked(&mut self, tolerance: f64) -> Result<f64, Error> {
        let Some(check) = &mut self.check else {
            return Ok(0.0);
        };
        match check.before.take() {
            Some((start, first)) if first.h == self.stages.h => {
                self.compare(&start, &first, tolerance)
            }
            _ => {
                check.before = Some((self.start.clone(), self.stages.clone()));
                Ok(0.0)
            }
        }
    }

    /// The error of the step before and of this one, as a part of what a tolerance admits: the difference to a
    /// step of twice the length is that of two steps times 2^order − 1.
    fn compare(&mut self, start: &Place, first: &Stages, tolerance: f64) -> Result<f64, Error> {
        let Some(check) = &mut self.check else {
            return Ok(0.0);
        };
        let scheme = &mut self.scheme;
        check.long.h = 2.0 * first.h;
        scheme.solve(start, Some((first, 0.0)), &mut check.long)?;
        let n = start.u.len();
        let mut end = self.end.clone();
        scheme.finish(start, &check.long, &mut end)?;
        let order = scheme.order() as i32;
        let scale = 2.0 * (exp2(order) - 1.0);
        let mut squares = ErrorSquares::default();
        for (sizes, starts, longs, ends) in [
            (0, &start.x, &end.x, &self.end.x),
            (1, &start.z, &end.z, &self.end.z),
        ] {
            let sizes = &mut check.sizes[sizes];
            for (p, size) in sizes.iter_mut().enumerate() {
                let change = longs[p].minus(&starts[p]);
                *size = size.max(starts[p].high.abs()).max(change.abs());
            }
            let largest = sizes.iter().copied().fold(0.0, f64::max);
            for p in 0..n {
                squares.add(longs[p].minus(&ends[p]) / scale, sizes[p], largest);
            }
        }
        check.error = squares.norm(2 * n, powi(MAX_SHORTENING, order)) / tolerance;
        Ok(check.error)
    }

    /// The factor by which steps are shortened after a run that failed.
    fn shortening(&mut self) -> f64 {
        let last = self.check.as_mut().map(|c| std::mem::take(&mut c.error));
        self.factor(last.unwrap_or_default()).clamp(0.1, 0.5)
    }

    /// The factor by which the step size should change after an error.
    fn factor(&self, error: f64) -> f64 {
        pow(
            TARGET_ERROR / error,
            1.0 / (self.scheme.order() as f64 + 1.0),
        )
    }

    /// A length whose error is within the tolerance at the start of a run.
    fn length(
        &mut self,
        problem: &Problem,
        state: &[f64],
        options: &Options,
    ) -> Result<f64, Error> {
        let tolerance = attainable(options.tolerance);
        let span = (options.to - options.from).abs();
        let mut branches = Branches::new(problem, options.sign());
        let mut plain = vec![options.from];
        plain.extend(state);
        branches.choose(&plain)?;
        let time = Compensated::new(options.from);
        let parts: Vec<Compensated> = state.iter().map(|x| Compensated::new(*x)).collect();
        self.start(&time, &parts, &branches.list)?;
        let changes = self.changes_at(false)?;
        let x = state[..self.rates.dimension].iter().copied();
        let u = self.start.u.iter().copied();
        let order = self.scheme.order() as f64;
        let mut length = span / 64.0;
        if let Some(scale) = time_scale(x, u, changes.a.iter().copied()) {
            length = scale * pow(tolerance, 1.0 / (order + 1.0));
            self.expect(scale)?;
        }
        length = length.min(span / 2.0);
        for _ in 0..MAX_TRIALS {
            self.start(&time, &parts, &branches.list)?;
            let h = options.sign() * length;
            let outcome = self.step(h).and_then(|()| {
                let (start, first) = (self.start.clone(), self.stages.clone());
                self.continue_from_end();
                self.step(h)?;
                self.compare(&start, &first, tolerance)
            });
            let factor = match outcome {
                Ok(error) => self.factor(error).clamp(0.1, 4.0),
                Err(_) => 0.1,
            };
            if (0.8..1.25).contains(&factor) || (factor > 1.0 && length >= span / 2.0) {
                break;
            }
            length = (length * factor).min(span / 2.0);
        }
        Ok(length)
    }

    /// Counts on x and z to become as large as they do in some time at the rates of the start.
    fn expect(&mut self, time: f64) -> Result<(), Error> {
        let Some(check) = &mut self.check else {
            return Ok(());
        };
        let x = self.start.x.iter().map(|c| c.high);
        let field = self.scheme.field();
        field.place(self.start.time.high, x, &self.start.u);
        let n = self.rates.dimension;
        let (mut z, mut phi) = (vec![0.0; n], vec![0.0; n]);
        field.values(&mut z, &mut phi)?;
        for (sizes, rates) in check.sizes.iter_mut().zip([&self.start.u, &phi]) {
            for (size, rate) in sizes.iter_mut().zip(rates) {
                *size = (time * rate).abs();
            }
        }
        Ok(())
    }
}
