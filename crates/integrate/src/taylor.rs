//! The Taylor integrator: series at the start of each step, whose coefficients give the length of the step and what
//! happens within it.

mod kinks;
mod steps;

use galilei_jit::Kernel;
use galilei_tape::math::scalar::exp;
use galilei_tape::{Op, Wanted};

use crate::drive::{Driver, Next, View};
use crate::expansion::{Expansion, classical, order_of};
use crate::problem::{Error, Options, Problem, Run, Status, wanted};
use crate::sensitivity::{Directions, Propagation, SensitivityMethod, StateSensitivities};
use crate::steps::Pace;
use crate::work::TwoPoint;
use steps::TaylorSteps;

/// The place of the work's rate among the wanted series.
pub(crate) const POWER: usize = 0;

/// The step of an order that a tolerance admits, as a part of the radius of convergence.
pub(crate) fn part_of_radius(tolerance: f64, order: usize) -> f64 {
    exp((-2.0 * (classical(tolerance) - 1.0) - 0.7) / (order as f64 - 1.0))
}

/// The components of (t, x, u) on which the equations depend; velocities always count, because positions change by
/// them.
fn inputs_used(problem: &Problem) -> Vec<bool> {
    let n = problem.rates.dimension;
    let mut used = vec![false; 2 * n + 1];
    used[1 + n..].fill(true);
    for r in problem.tape.ops().iter().flat_map(Op::operands) {
        if let Some(used) = used.get_mut(r as usize) {
            *used = true;
        }
    }
    used
}

/// A problem with the code of its series, for runs of one tolerance. Clones share the code.
#[derive(Clone)]
pub struct Prepared {
    problem: Problem,
    tolerance: f64,
    series: Expansion,
    /// Where the series of events, kinks and surfaces start among the wanted ones.
    watched: usize,
    view: View,
    /// The components of (t, x, u) on which the equations depend.
    inputs: Vec<bool>,
    /// The rule for the work from the power at both ends of steps, where it is valid.
    rule: Option<TwoPoint>,
}

impl Prepared {
    /// Compiles the series for a tolerance.
    pub fn new(problem: Problem, tolerance: f64) -> Self {
        Self::with(problem, tolerance, None).0
    }

    /// Compiles the series for a tolerance, with sensitivities in some directions.
    pub(crate) fn with(
        problem: Problem,
        tolerance: f64,
        directions: Option<&Directions>,
    ) -> (Self, Option<Propagation>) {
        let view = View::new(&problem);
        let (wanted, [watched, _]) = wanted(&problem, tolerance, view.surfaces());
        let mut wanted = Wanted {
            packed: true,
            ..wanted
        };
        let (tape, rates) = (&problem.tape, &problem.rates);
        let mut order = order_of(tape, rates, &wanted, tolerance);
        let propagation = directions.map(|directions| {
            let method = directions.method(&problem, &wanted, order, tolerance);
            let propagation = Propagation::new(method, &problem, order, tolerance, directions);
            wanted.directions = propagation.directions();
            if method == SensitivityMethod::Series {
                order = order_of(tape, rates, &wanted, tolerance);
            }
            propagation
        });
        if !view.surfaces().is_empty() {
            // The work is found from the power within steps.
            wanted.places = None;
        }
        let rule = wanted
            .places
            .map(|_| TwoPoint::new(order, part_of_radius(tolerance, order)));
        wanted.places = rule.as_ref().map(TwoPoint::places);
        let prepared = Self {
            series: Expansion::of_order(tape, rates, wanted, order),
            rule,
            inputs: inputs_used(&problem),
            view,
            problem,
            tolerance,
            watched,
        };
        (prepared, propagation)
    }

    /// Integrates from a state, x then u, with the tolerance it was prepared for. `progress` is called from
    /// time to time with the time and returns whether to go on.
    pub fn integrate(
        &mut self,
        state: &[f64],
        options: &Options,
        progress: impl FnMut(f64) -> bool,
    ) -> Run {
        self.follow(state, options, None, progress).0
    }

    /// The order of the series.
    pub(crate) fn order(&self) -> usize {
        self.series.order()
    }

    /// The code of the series for several states at once, with the bits of those of a single one; `None` for long series,
    /// which are computed one after the other.
    pub(crate) fn in_lanes(&self, lanes: usize) -> Option<Kernel> {
        self.series.in_lanes(lanes)
    }

    /// The motion with all that its runs need, for runs one after the other with the same tolerance and dense output.
    pub(crate) fn session(&mut self, options: &Options) -> Session<'_> {
        let options = &Options {
            tolerance: self.tolerance,
            ..options.clone()
        };
        let pace = (self.order(), Pace::Foreseen);
        let view = self.view.clone();
        let problem = &self.problem;
        let steps = TaylorSteps::new(
            problem,
            (&mut self.series, self.watched, &self.inputs),
            self.rule.as_ref(),
            view.surfaces(),
            options,
            None,
        );
        Session {
            driver: Driver::new(problem, view, options, pace),
            steps,
        }
    }

    /// Integrates from a state: x, u and the fixed inputs.
    pub(crate) fn follow(
        &mut self,
        state: &[f64],
        options: &Options,
        propagation: Option<Propagation>,
        mut progress: impl FnMut(f64) -> bool,
    ) -> (Run, Option<Propagation>) {
        let options = &Options {
            tolerance: self.tolerance,
            ..options.clone()
        };
        let pace = (self.order(), Pace::Foreseen);
        let view = self.view.clone();
        let problem = &self.problem;
        let mut steps = TaylorSteps::new(
            problem,
            (&mut self.series, self.watched, &self.inputs),
            self.rule.as_ref(),
            view.surfaces(),
            options,
            propagation,
        );
        let mut driver = Driver::new(problem, view, options, pace);
        let run = driver.run(state, &mut steps, &mut progress);
        (run, steps.into_sensitivities())
    }
}

/// A series of runs of one problem; the code that a run compiles is used by the next ones.
pub(crate) struct Session<'a> {
    driver: Driver<'a>,
    steps: TaylorSteps<'a>,
}

impl Session<'_> {
    /// Integrates from a state: the run that a new session would make.
    pub(crate) fn integrate(
        &mut self,
        state: &[f64],
        options: &Options,
        progress: &mut impl FnMut(f64) -> bool,
    ) -> Run {
        self.driver.renew(options);
        self.steps.renew(options.to);
        self.driver.run(state, &mut self.steps, progress)
    }

    /// Begins a run from a state, whose series are computed together with those of other runs: goes to the end of its
    /// first step, or to its end.
    pub(crate) fn begin(&mut self, state: &[f64], options: &Options) -> Option<Run> {
        self.driver.renew(options);
        self.steps.renew(options.to);
        let ends = (options.from, options.to);
        let begun = self.driver.begin(ends, state, &mut self.steps);
        self.go_on(begun)
    }

    /// The numbers at the end of the step that the code of the series reads, and those that it writes.
    pub(crate) fn numbers(&mut self) -> (&[f64], &mut [f64]) {
        self.steps.numbers()
    }

    /// Computes the series of the numbers at the end of the step.
    pub(crate) fn compute(&mut self) {
        self.steps.compute_loaded();
    }

    /// Judges a step by the series at its end, and goes to the end of the next one, or to the end of the run.
    pub(crate) fn take(&mut self) -> Option<Run> {
        let outcome = self.steps.judge();
        let taken = self.driver.took(outcome, &mut self.steps);
        self.go_on(taken)
    }

    fn go_on(&mut self, outcome: Result<(), Error>) -> Option<Run> {
        let next = outcome.and_then(|()| {
            loop {
                match self.driver.next(&mut self.steps, &mut |_| true)? {
                    Next::Step(h) => {
                        self.steps.prepare(h);
                        return Ok(None);
                    }
                    Next::End(status) => return Ok(Some(status)),
                    Next::Wait => {}
                }
            }
        });
        let status = next.unwrap_or_else(|stop| Some(Status::Failed(stop)))?;
        Some(self.driver.close(status, &mut self.steps))
    }
}

/// Integrates with sensitivities of the motion.
pub fn integrate_with(
    problem: Problem,
    state: &[f64],
    options: &Options,
    directions: &Directions,
    progress: impl FnMut(f64) -> bool,
) -> (Run, StateSensitivities) {
    let (mut prepared, propagation) = Prepared::with(problem, options.tolerance, Some(directions));
    let (run, propagation) = prepared.follow(state, options, propagation, progress);
    (run, propagation.map(Propagation::close).unwrap_or_default())
}
