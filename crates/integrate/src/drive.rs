//! A run by single steps: rows, events, kinks, constraints and the balance of energy.
//!
//! A run asks for one step after the other and is told what came of each; who takes the steps may take those
//! of several runs at once.

mod ending;
mod lengths;
mod probe;
mod view;
mod watching;
pub(crate) mod zeros;

pub(crate) use view::View;

use crate::branch::Branches;
use crate::problem::{Options, Problem, Run, Status, Stop};
use crate::project::Projection;
use crate::rank::{Rank, reached};
use crate::record::{Balance, Recorder, Underflows, Watch, started};
use crate::sides::Sides;
use crate::steps::{Pace, Steps};
use crate::sum::Compensated;
use crate::surfaces::Watched;
use lengths::Lengths;
use probe::Probe;
use watching::Within;

/// The error of a step cannot be asked to be smaller.
const LEAST: f64 = f64::EPSILON / 2.0;

/// A run that is under way.
pub(crate) struct Driver<'a> {
    problem: &'a Problem,
    options: Options,
    order: usize,
    tolerance: f64,
    lengths: Lengths,
    recorder: Recorder<'a>,
    watch: Watch<'a>,
    underflows: Underflows,
    /// The values of events at the end of the polynomial over the step before, unless it ended early.
    event_ends: Vec<f64>,
    sides: Sides<'a>,
    projection: Projection<'a>,
    branches: Branches,
    view: View,
    surfaces: Watched,
    rank: Option<Rank>,
    /// What accelerations within steps are compared by, where steps adapt.
    probe: Option<Probe>,
    /// How long the step behind a threshold may be.
    limit: Option<f64>,
    time: Compensated,
    /// x, u and what is fixed.
    state: Vec<Compensated>,
    /// Kinks at the start of the step that rounding hides all along it.
    hidden: Vec<bool>,
    /// Kinks whose side was changed at the start of the step.
    astray: Vec<usize>,
    phase: Phase,
    /// How much of the run is left at the start of the step, and the largest energy until then.
    left: f64,
    energy: f64,
    balance: Balance,
    run: Run,
}

/// What a run asks for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Next {
    /// A step of this length, of either sign, from where it is.
    Step(f64),
    /// Nothing more.
    End(Status),
}

/// What a run waits for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// Nothing: it is at the start of a step.
    Start,
    /// The error of a step of this length.
    Trial(f64),
    /// An accepted step, once more, up to where something happens.
    Again(f64),
    /// Nothing: an event has ended it.
    Ended(usize),
}

/// The tolerance of a step that can be met.
pub(crate) fn attainable(tolerance: f64) -> f64 {
    tolerance.max(LEAST)
}

/// Integrates from a state by steps of some order. `progress` is told the time now and then, and says
/// whether to go on.
pub(crate) fn drive(
    problem: &Problem,
    state: &[f64],
    options: &Options,
    stages: &mut impl Steps,
    pace: (usize, Pace),
    progress: &mut impl FnMut(f64) -> bool,
) -> Run {
    let mut driver = Driver::new(problem, View::new(problem), options, pace);
    let ends = (options.from, options.to);
    let begun = driver.begin(ends, state, stages);
    let outcome = begun.and_then(|()| driver.go(stages, progress));
    driver.close(outcome.unwrap_or_else(Status::Failed), stages)
}

impl<'a> Driver<'a> {
    /// For runs by steps of some order.
    pub(crate) fn new(
        problem: &'a Problem,
        view: View,
        options: &Options,
        (order, pace): (usize, Pace),
    ) -> Self {
        let tolerance = attainable(options.tolerance);
        Self {
            problem,
            options: options.clone(),
            order,
            tolerance,
            lengths: Lengths::new(pace),
            recorder: Recorder::new(problem, options),
            watch: Watch::new(problem, options),
            underflows: Underflows::new(problem.events.len()),
            event_ends: vec![],
            sides: Sides::new(problem, options.sign()),
            projection: Projection::new(problem, tolerance),
            branches: Branches::new(problem, options.from),
            view,
            surfaces: Watched::new(problem.surfaces()),
            rank: Rank::new(problem),
            probe: match pace {
                Pace::Adaptive(_) => Probe::new(problem, tolerance),
                Pace::Constant(_) => None,
            },
            limit: None,
            time: Compensated::default(),
            state: vec![],
            hidden: vec![false; problem.tape.kinks().len()],
            astray: vec![],
            phase: Phase::Start,
            left: 0.0,
            energy: 0.0,
            balance: Balance::new(0.0),
            run: started(problem, &[], options, order),
        }
    }

    /// Begins a run at a state: x, u and what is fixed.
    pub(crate) fn begin(
        &mut self,
        (from, to): (f64, f64),
        state: &[f64],
        stages: &mut impl Steps,
    ) -> Result<(), Stop> {
        (self.options.from, self.options.to) = (from, to);
        let moving = 2 * self.problem.rates.dimension;
        self.run = started(self.problem, &state[..moving], &self.options, self.order);
        self.recorder.restart(&self.options);
        self.watch = Watch::new(self.problem, &self.options);
        self.underflows = Underflows::new(self.problem.events.len());
        self.event_ends.clear();
        self.branches = Branches::new(self.problem, from);
        self.projection.restart();
        self.sides.restart(self.options.sign());
        self.time = Compensated::new(from);
        self.state.clear();
        self.state
            .extend(state.iter().map(|x| Compensated::new(*x)));
        self.hidden.fill(false);
        self.astray.clear();
        self.surfaces.restart();
        if let Some(rank) = &mut self.rank {
            rank.restart();
        }
        self.limit = None;
        self.phase = Phase::Start;
        self.balance = Balance::new(0.0);
        self.run.evaluations += self.sides.choose(&self.plain())?;
        stages.start(&self.time, &self.state, &self.sides.list)?;
        let span = (to - from).abs();
        let first = stages.first_length(self.tolerance, self.options.sign());
        self.lengths.begin(first.unwrap_or(span / 100.0).min(span));
        self.look_at(0.0, 0.0, stages);
        self.view.shown = true;
        self.balance = Balance::new(self.view.seen[0]);
        Ok(())
    }

    /// The largest energy until the start of the step.
    pub(crate) fn energy(&self) -> f64 {
        self.energy
    }

    /// Takes over what was seen at the start of the step together with those of other runs, if this one is there.
    pub(crate) fn show(&mut self, seen: impl Iterator<Item = f64>) {
        if self.phase == Phase::Start {
            self.view.show(seen);
        }
    }

    /// Whether the polynomial over a step is wanted, by its error.
    pub(crate) fn wants_polynomial(&self, outcome: &Result<f64, Stop>) -> bool {
        let again = matches!(self.phase, Phase::Again(_));
        let admitted = |error: &f64| again || *error <= 1.0;
        let looks = self.view.watches() || self.probe.is_some();
        looks && outcome.as_ref().is_ok_and(admitted)
    }

    /// (t, x, u) and what is fixed, now.
    fn plain(&self) -> Vec<f64> {
        let time = std::iter::once(self.time.high);
        time.chain(self.state.iter().map(|c| c.high)).collect()
    }

    /// Fills in the state at the start of the step, or after a part of it, with the sides of the kinks.
    fn place(&mut self, theta: f64, h: f64, stages: &impl Steps) {
        let known = 1 + self.state.len();
        let inputs = &mut self.view.inputs;
        inputs[0] = self.time.plus(theta * h);
        for (input, c) in inputs[1..known].iter_mut().zip(&self.state) {
            *input = c.high;
        }
        if theta != 0.0 {
            stages.between(theta, &mut inputs[1..known]);
        }
        for (input, side) in inputs[known..].iter_mut().zip(&self.sides.list) {
            *input = if *side { 1.0 } else { -1.0 };
        }
    }

    /// Looks at the start of the step, or for events and kinks after a part of it.
    fn look_at(&mut self, theta: f64, h: f64, stages: &impl Steps) {
        self.place(theta, h, stages);
        match theta == 0.0 {
            true => self.view.look(),
            false => self.view.watch(),
        }
    }

    /// Records the state after a part of the step, at a time.
    fn row(&mut self, theta: f64, time: f64, stages: &impl Steps) {
        if self.recorder.is_idle() {
            return;
        }
        let mut state: Vec<f64> = self.state.iter().map(|c| c.high).collect();
        if theta != 0.0 {
            stages.between(theta, &mut state);
        }
        let row = self.recorder.row(time, state.into_iter(), &self.sides.list);
        self.run.rows.push(row);
    }

    /// Takes all steps.
    fn go(
        &mut self,
        stages: &mut impl Steps,
        progress: &mut impl FnMut(f64) -> bool,
    ) -> Result<Status, Stop> {
        loop {
            match self.next(stages, progress)? {
                Next::End(status) => return Ok(status),
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

    /// What the run asks for next.
    pub(crate) fn next(
        &mut self,
        stages: &mut impl Steps,
        progress: &mut impl FnMut(f64) -> bool,
    ) -> Result<Next, Stop> {
        match self.phase {
            Phase::Again(h) => return Ok(Next::Step(h)),
            Phase::Ended(k) => return Ok(Next::End(self.ended(k, stages))),
            Phase::Start => {
                if let Some(status) = self.arrived(stages, progress)? {
                    return Ok(Next::End(status));
                }
            }
            Phase::Trial(_) => {}
        }
        let h = self.lengths.ahead(&self.time, self.left)?;
        self.phase = Phase::Trial(h);
        Ok(Next::Step(h))
    }

    /// What is seen and done at the start of a step; how the run ended if it did.
    fn arrived(
        &mut self,
        stages: &mut impl Steps,
        progress: &mut impl FnMut(f64) -> bool,
    ) -> Result<Option<Status>, Stop> {
        self.left = self.time.from(self.options.to);
        if !std::mem::take(&mut self.view.shown) {
            self.look_at(0.0, 0.0, stages);
        }
        self.see_branches();
        let kept = self.run.steps > 0 && stages.keeps_constraints();
        let part = self.branches.closeness();
        if !kept && self.projection.needed(self.view.residuals(), part) {
            let (time, sides) = (self.time.high, &self.sides.list);
            if self.projection.apply(time, &mut self.state, sides, None) {
                if self.run.steps > 0 && self.projection.was_far() {
                    return Err(Stop::LeftConstraints);
                }
                self.run.projections += 1;
                stages.start(&self.time, &self.state, &self.sides.list)?;
                self.look_at(0.0, 0.0, stages);
                self.see_branches();
            }
        }
        if self.problem.trail {
            self.run.trail.push(&self.plain(), &self.sides.list);
        }
        let (seen, scales) = (self.view.balance(), self.view.scales);
        self.balance.see(self.time.high, seen, scales);
        self.energy = self.balance.largest();
        if let Some(k) = self.branches.reached() {
            return Ok(Some(self.branched(k, stages)));
        }
        let plain = self.rank.as_ref().map(|_| self.plain());
        if let (Some(rank), Some(plain)) = (&mut self.rank, plain)
            && rank.arrive(&plain, &self.sides.list, reached(self.tolerance))
        {
            let k = rank.event;
            return Ok(Some(self.branched(k, stages)));
        }
        if self.left * self.options.sign() <= 0.0 {
            if self.recorder.at_end(&self.time) {
                self.row(0.0, self.time.high, stages);
            }
            return Ok(Some(Status::Finished));
        }
        if self.run.steps >= self.options.max_steps {
            return Err(Stop::TooManySteps);
        }
        if self.run.steps.is_multiple_of(64) && !progress(self.time.high) {
            return Err(Stop::Interrupted);
        }
        self.see_surfaces();
        self.lengths.start();
        Ok(None)
    }

    /// Notes how large the arguments of flat functions are at the start of a step.
    fn see_surfaces(&mut self) {
        let seen = &self.view.seen[self.view.thresholds..];
        self.surfaces.note(seen.iter().copied());
    }

    /// Goes on with a step that was asked for: its error, or why there is none.
    pub(crate) fn took(
        &mut self,
        outcome: Result<f64, Stop>,
        stages: &mut impl Steps,
    ) -> Result<(), Stop> {
        let (h, again) = match self.phase {
            Phase::Start | Phase::Ended(_) => return Ok(()),
            Phase::Trial(h) => (h, false),
            Phase::Again(h) => (h, true),
        };
        let outcome = match self.wants_polynomial(&outcome) {
            true => stages.densify().and(outcome),
            false => outcome,
        };
        if again && outcome.is_err() && self.may_be_shorter(h) {
            self.phase = Phase::Again(0.5 * h);
            self.run.rejected += 1;
            return Ok(());
        }
        let outcome = match outcome {
            Ok(error) if error <= 1.0 && !again => Ok(error.max(self.defect_within(h, stages))),
            other => other,
        };
        if again {
            outcome?;
        } else if !self.lengths.judge(h, self.left, outcome)? {
            self.run.rejected += 1;
            return Ok(());
        }
        if !self.view.watches() {
            return self.end(h, None, stages);
        }
        match self.watch_step(h, again, stages) {
            Within::Shorter(h) => {
                self.event_ends.clear();
                self.phase = Phase::Again(h);
                Ok(())
            }
            Within::Seen(found, early) => {
                self.report(h, found, stages);
                if early.is_some() {
                    self.event_ends.clear();
                }
                self.end(h, early, stages)?;
                if let Some(limit) = self.limit.take() {
                    self.lengths.length = self.lengths.length.min(limit);
                }
                match again && early.is_none() {
                    true => stages.start(&self.time, &self.state, &self.sides.list),
                    false => Ok(()),
                }
            }
        }
    }

    /// The run with what came of it.
    pub(crate) fn close(&mut self, status: Status, stages: &impl Steps) -> Run {
        let status = match status {
            Status::Failed(stop) => self.failed(stop, stages),
            status => status,
        };
        let moving = 2 * self.problem.rates.dimension;
        let (plain, sides) = (self.plain(), &self.sides.list);
        let run = &mut self.run;
        run.status = status;
        if self.problem.trail {
            run.trail.close(&plain, sides);
        }
        run.time = plain[0];
        run.underflows = self.underflows.close();
        run.state = plain[1..=moving].to_vec();
        run.momenta = stages.momenta();
        run.outputs = self.recorder.outputs(&plain, sides);
        run.evaluations += stages.evaluations();
        std::mem::replace(&mut self.balance, Balance::new(0.0)).close(run);
        let nothing = started(self.problem, &[], &self.options, self.order);
        std::mem::replace(run, nothing)
    }
}
