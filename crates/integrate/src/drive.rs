//! The run loop of all methods: rows, events, kinks, edges, constraints, branch points and the balance of energy.
//!
//! A [`Driver`] asks a method for one step after the other and is told what came of each; who takes the steps may take
//! those of several runs at once. Methods that foresee have the length of a step and the zeros within it from series
//! at its start ([`foresight`]); the steps of others are sampled after they were taken ([`watching`]).

mod arrival;
mod beginning;
mod ending;
mod foresight;
mod hop;
mod lengths;
mod probe;
mod touching;
mod verdict;
mod view;
mod watching;
mod zeros;

pub(crate) use lengths::{REJECTED_FACTOR, SHORTEST_STEP};
pub(crate) use probe::{Probe, defect, defect_limits};
pub(crate) use view::View;

use crate::branch_points::BranchPoints;
use crate::piecewise::Branches;
use crate::problem::{Error, Options, Problem, Run, Status};
use crate::project::Projection;
use crate::rank::Rank;
use crate::record::{Balance, Recorder, Underflows, Watch, started};
use crate::steps::{Pace, SingleSteps, Steps};
use crate::sum::Compensated;
use crate::surfaces::Watched;
use foresight::{Foreseen, Move};
use hop::Hops;
use lengths::Lengths;

/// The smallest error that a step can be asked for.
const SMALLEST_ERROR: f64 = f64::EPSILON / 2.0;

/// A run that is under way.
pub(crate) struct Driver<'a> {
    problem: &'a Problem,
    options: Options,
    order: usize,
    tolerance: f64,
    /// −1 for runs back in time.
    sign: f64,
    lengths: Lengths,
    recorder: Recorder<'a>,
    watch: Watch<'a>,
    underflows: Underflows,
    /// The values of events at the end of the polynomial over the step before, unless it ended early.
    event_ends: Vec<f64>,
    branches: Branches<'a>,
    projection: Projection<'a>,
    branch_points: BranchPoints,
    view: View,
    surfaces: Watched,
    rank: Option<Rank>,
    /// The largest size of the step behind a threshold.
    limit: Option<f64>,
    time: Compensated,
    /// x, u and the fixed inputs.
    state: Vec<Compensated>,
    /// Kinks at the start of the step that rounding hides all along it.
    hidden: Vec<bool>,
    /// Kinks whose side was changed at the start of the step.
    astray: Vec<usize>,
    phase: Phase,
    /// The part of the run that remains at the start of the step, and the largest energy until then.
    left: f64,
    energy: f64,
    balance: Balance,
    /// Whether series are searched for events, kinks and surfaces.
    watches: bool,
    /// Whether more is looked at at the start of a step than the balance of energy.
    looks: bool,
    foreseen: Foreseen,
    hops: Hops,
    /// The largest velocity until now, where there are surfaces.
    fastest: f64,
    probe: Option<Probe>,
    /// The points within steps at which accelerations are probed, with Gauss' weights: none without surfaces.
    nodes: Vec<(f64, f64)>,
    defect_limits: [f64; 2],
    run: Run,
}

/// The request of a run to its method.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Next {
    /// A step of this size, of either sign, from the present state.
    Step(f64),
    /// The quantities at the start of a step, which the method computes together with other runs.
    Wait,
    /// The end of the run.
    End(Status),
}

/// The phase of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// At the start of a step.
    Start,
    /// At the start of a step, after a projection onto the constraints.
    Projected,
    /// Waiting for the error of a step of this length.
    Trial(f64),
    /// Waiting for an accepted step that is repeated up to an incident.
    Again(f64),
    /// Ended by an event.
    Ended(usize),
}

/// The tolerance of a step that can be met.
pub(crate) fn attainable(tolerance: f64) -> f64 {
    tolerance.max(SMALLEST_ERROR)
}

/// Integrates from a state by steps of some order. `progress` is called from time to time with the time
/// and returns whether to go on.
pub(crate) fn drive(
    problem: &Problem,
    state: &[f64],
    options: &Options,
    stages: &mut impl SingleSteps,
    pace: (usize, Pace),
    progress: &mut impl FnMut(f64) -> bool,
) -> Run {
    let mut driver = Driver::new(problem, View::new(problem), options, pace);
    driver.run(state, stages, progress)
}

impl<'a> Driver<'a> {
    /// The driver of runs by steps of an order.
    pub(crate) fn new(
        problem: &'a Problem,
        view: View,
        options: &Options,
        (order, pace): (usize, Pace),
    ) -> Self {
        let tolerance = attainable(options.tolerance);
        let surfaces = Watched::new(problem, view.surfaces.clone());
        let kinks = problem.tape.kinks();
        Self {
            problem,
            options: options.clone(),
            order,
            tolerance,
            sign: options.sign(),
            lengths: Lengths::new(pace),
            recorder: Recorder::new(problem, options),
            watch: Watch::new(problem, options),
            underflows: Underflows::new(problem.events.len()),
            event_ends: vec![],
            branches: Branches::new(problem, options.sign()),
            projection: Projection::new(problem, tolerance),
            branch_points: BranchPoints::new(problem, options.from),
            view,
            looks: !(problem.events.is_empty() && problem.levels.is_empty() && surfaces.is_empty()),
            watches: !(problem.events.is_empty() && kinks.is_empty() && surfaces.is_empty()),
            nodes: match (pace, surfaces.is_empty()) {
                (Pace::Constant(_), _) | (_, true) => vec![],
                _ => probe::nodes(),
            },
            surfaces,
            foreseen: Foreseen::default(),
            hops: Hops::default(),
            fastest: 0.0,
            probe: None,
            defect_limits: defect_limits(tolerance),
            rank: Rank::new(problem),
            limit: None,
            time: Compensated::default(),
            state: vec![],
            hidden: vec![false; kinks.len()],
            astray: vec![],
            phase: Phase::Start,
            left: 0.0,
            energy: 0.0,
            balance: Balance::new(0.0),
            run: started(problem, &[], options, order),
        }
    }

    /// Makes it ready for another run with the same end, tolerance and dense output.
    pub(crate) fn renew(&mut self, options: &Options) {
        let tolerance = self.options.tolerance;
        self.options = Options {
            tolerance,
            ..options.clone()
        };
    }

    /// The whole run from a state: x, u and the fixed inputs.
    pub(crate) fn run(
        &mut self,
        state: &[f64],
        stages: &mut impl SingleSteps,
        progress: &mut impl FnMut(f64) -> bool,
    ) -> Run {
        let ends = (self.options.from, self.options.to);
        let begun = self.begin(ends, state, stages);
        let outcome = begun.and_then(|()| self.go(stages, progress));
        self.close(outcome.unwrap_or_else(Status::Failed), stages)
    }

    /// The balance of energy until now.
    pub(crate) fn balance(&mut self) -> &mut Balance {
        &mut self.balance
    }

    /// The largest energy until the start of the step.
    pub(crate) fn energy(&self) -> f64 {
        self.energy
    }

    /// Takes all steps.
    fn go(
        &mut self,
        stages: &mut impl SingleSteps,
        progress: &mut impl FnMut(f64) -> bool,
    ) -> Result<Status, Error> {
        loop {
            match self.next(stages, progress)? {
                Next::End(status) => return Ok(status),
                Next::Wait => {}
                Next::Step(h) => {
                    let step = stages.step(h);
                    let outcome = step.and_then(|()| match self.phase {
                        Phase::Again(_) => Ok(0.0),
                        _ => stages.error(self.tolerance, self.energy),
                    });
                    self.took(outcome, stages)?;
                }
            }
        }
    }

    /// The next request of the run.
    #[inline(always)]
    pub(crate) fn next<S: Steps>(
        &mut self,
        stages: &mut S,
        progress: &mut impl FnMut(f64) -> bool,
    ) -> Result<Next, Error> {
        loop {
            match self.phase {
                _ if !stages.is_ready() => return Ok(Next::Wait),
                Phase::Again(h) => return Ok(Next::Step(h)),
                Phase::Ended(k) => return Ok(Next::End(self.ended(k, stages))),
                Phase::Start | Phase::Projected => {
                    if self.phase == Phase::Start && self.project(stages)? {
                        self.phase = Phase::Projected;
                        continue;
                    }
                    if let Some(status) = self.arrived(stages, progress)? {
                        return Ok(Next::End(status));
                    }
                }
                Phase::Trial(_) => {}
            }
            let h = match S::FORESEES {
                true => {
                    if !matches!(self.phase, Phase::Trial(_)) {
                        self.lengths.length = stages.length(self.run.steps, self.energy);
                        if self.leap(stages, progress)? {
                            continue;
                        }
                    }
                    match self.foresee(stages)? {
                        Move::Step(h) => h,
                        Move::Hop(edge, to) => {
                            self.hop((edge, to), stages)?;
                            continue;
                        }
                    }
                }
                false => match self.lengths.ahead(&self.time, self.left) {
                    Ok(h) => h,
                    Err(stop) => {
                        self.hop_over_reached_edge(stop, stages)?;
                        continue;
                    }
                },
            };
            self.phase = Phase::Trial(h);
            return Ok(Next::Step(h));
        }
    }
}
