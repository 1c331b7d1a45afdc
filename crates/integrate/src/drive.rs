//! The run loop of all methods: rows, events, kinks, edges, constraints, branch points and the balance of energy.
//!
//! A [`Driver`] asks a method for one step after the other and is told what came of each; who takes the steps may take
//! those of several runs at once. Methods that foresee have the length of a step and the zeros within it from series
//! at its start ([`foresight`]); the steps of others are sampled after they were taken ([`watching`]).

mod ending;
mod foresight;
mod hop;
mod lengths;
mod probe;
mod view;
mod watching;
mod zeros;

pub(crate) use lengths::{REJECTED_FACTOR, SHORTEST_STEP};
pub(crate) use probe::{Probe, defect, defect_limits};
pub(crate) use view::View;

use crate::branch::Branches;
use crate::problem::{Options, Problem, Run, Status, Stop};
use crate::project::Projection;
use crate::rank::{Rank, SHORTEST_PART, reached};
use crate::record::{Balance, Recorder, Underflows, Watch, started};
use crate::sides::Sides;
use crate::steps::{Pace, SingleSteps, Steps};
use crate::sum::Compensated;
use crate::surfaces::Watched;
use ending::Early;
use foresight::{Foreseen, Move};
use hop::Hops;
use lengths::Lengths;
use watching::Within;

/// The smallest error that a step can be asked for.
const SMALLEST_ERROR: f64 = f64::EPSILON / 2.0;

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
    /// For runs by steps of some order.
    pub(crate) fn new(
        problem: &'a Problem,
        view: View,
        options: &Options,
        (order, pace): (usize, Pace),
    ) -> Self {
        let tolerance = attainable(options.tolerance);
        let surfaces = Watched::new(view.surfaces.clone());
        let kinks = problem.tape.kinks();
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

    /// Begins a run at a state: x, u and the fixed inputs.
    pub(crate) fn begin<S: Steps>(
        &mut self,
        (from, to): (f64, f64),
        state: &[f64],
        stages: &mut S,
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
        self.foreseen = Foreseen::default();
        self.hops = Hops::default();
        self.phase = Phase::Start;
        let plain = self.plain();
        self.balance = Balance::new(0.0);
        self.view.shown = false;
        if S::FORESEES {
            let mut values = vec![0.0; self.problem.tape.len()];
            self.problem.tape.evaluate(&plain, &[], &mut values);
            self.balance = Balance::new(values[self.problem.energy as usize]);
            self.lengths.begin(0.0);
            self.note_velocities();
        }
        self.run.evaluations += self.sides.choose(&plain)?;
        let started = stages.start(&self.time, &self.state, &self.sides.list);
        if S::FORESEES {
            return started.or_else(|stop| self.leave_edge(stop, stages));
        }
        started?;
        let span = (to - from).abs();
        let first = stages.first_length(self.tolerance, self.options.sign());
        self.lengths.begin(first.unwrap_or(span / 100.0).min(span));
        self.look_by_code();
        self.view.shown = true;
        self.balance = Balance::new(self.view.seen[0]);
        Ok(())
    }

    /// Keeps the largest velocity, where there are surfaces.
    fn note_velocities(&mut self) {
        if !self.surfaces.is_empty() {
            let n = self.problem.rates.dimension;
            let velocities = self.state[n..2 * n].iter().map(|c| c.high.abs());
            self.fastest = velocities.fold(self.fastest, f64::max);
        }
    }

    /// Goes on with a run whose last steps were taken elsewhere: it is at the end of a step of length h from a time and a
    /// state, which nobody has judged yet, after so many steps.
    pub(crate) fn resume(
        &mut self,
        h: f64,
        time: Compensated,
        state: impl Iterator<Item = Compensated>,
        steps: usize,
    ) {
        self.phase = Phase::Trial(h);
        self.time = time;
        self.left = time.from(self.options.to);
        self.state.iter_mut().zip(state).for_each(|(to, c)| *to = c);
        self.run.steps = steps;
        self.lengths.begin(0.0);
    }

    /// The balance of energy until now.
    pub(crate) fn balance(&mut self) -> &mut Balance {
        &mut self.balance
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
        let looks = self.view.watches() || !self.nodes.is_empty();
        looks && outcome.as_ref().is_ok_and(admitted)
    }

    /// (t, x, u) and the fixed inputs, now.
    fn plain(&self) -> Vec<f64> {
        let time = std::iter::once(self.time.high);
        time.chain(self.state.iter().map(|c| c.high)).collect()
    }

    /// Computes the watched quantities at the start of the step.
    #[inline]
    fn look(&mut self, stages: &impl Steps) {
        if !stages.look(&mut self.view.seen) {
            self.look_by_code();
        }
    }

    /// Computes the watched quantities at the start of the step by code, independently of the method.
    fn look_by_code(&mut self) {
        let (known, state) = self.view.inputs.split_at_mut(1);
        known[0] = self.time.high;
        let state = state.iter_mut().zip(&self.state);
        state.for_each(|(input, c)| *input = c.high);
        self.show_sides();
        self.view.look();
    }

    fn show_sides(&mut self) {
        let known = 1 + self.state.len();
        let inputs = &mut self.view.inputs[known..];
        for (input, side) in inputs.iter_mut().zip(&self.sides.list) {
            *input = if *side { 1.0 } else { -1.0 };
        }
    }

    /// Fills in the state at the start of the step, or after a part of it, with the branches of the kinks.
    fn place(&mut self, theta: f64, h: f64, stages: &mut impl Steps) {
        let known = 1 + self.state.len();
        let inputs = &mut self.view.inputs;
        inputs[0] = self.time.plus(theta * h);
        for (input, c) in inputs[1..known].iter_mut().zip(&self.state) {
            *input = c.high;
        }
        if theta != 0.0 {
            stages.between(theta, &mut inputs[1..known]);
        }
        self.show_sides();
    }

    /// Computes the watched quantities at the start of the step, or events, kinks and thresholds after a part of it.
    fn look_at(&mut self, theta: f64, h: f64, stages: &mut impl Steps) {
        self.place(theta, h, stages);
        match theta == 0.0 {
            true => self.view.look(),
            false => self.view.watch(),
        }
    }

    /// Records the state a time after the start of a step of length h, which is at a time of the run.
    fn row(&mut self, tau: f64, h: f64, time: f64, stages: &mut impl Steps) {
        if self.recorder.is_idle() {
            return;
        }
        let mut state: Vec<f64> = self.state.iter().map(|c| c.high).collect();
        if tau != 0.0 {
            stages.after(tau, h, &mut state);
        }
        let row = self.recorder.row(time, state.into_iter(), &self.sides.list);
        self.run.rows.push(row);
        stages.record_sensitivities(tau);
    }

    /// Takes all steps.
    fn go(
        &mut self,
        stages: &mut impl SingleSteps,
        progress: &mut impl FnMut(f64) -> bool,
    ) -> Result<Status, Stop> {
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
    ) -> Result<Next, Stop> {
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
                false => self.lengths.ahead(&self.time, self.left)?,
            };
            self.phase = Phase::Trial(h);
            return Ok(Next::Step(h));
        }
    }

    /// Brings the state at the start of a step back to the constraints, if it is too far from them; whether it moved.
    #[inline(always)]
    fn project(&mut self, stages: &mut impl Steps) -> Result<bool, Stop> {
        if !self.looks && stages.values().is_some() {
            return Ok(false);
        }
        if !std::mem::take(&mut self.view.shown) {
            self.look(stages);
        }
        self.see_branches();
        let kept = self.run.steps > 0 && stages.keeps_constraints();
        let part = self.branches.closeness();
        if kept || !self.projection.needed(self.view.residuals(), part) {
            return Ok(false);
        }
        let (time, sides) = (self.time.high, &self.sides.list);
        let solved = stages.solved_velocities();
        if !self.projection.apply(time, &mut self.state, sides, solved) {
            return Ok(false);
        }
        if self.run.steps > 0 && self.projection.was_far() {
            return Err(Stop::LeftConstraints);
        }
        self.run.projections += 1;
        stages.start(&self.time, &self.state, &self.sides.list)?;
        Ok(true)
    }

    /// Handles the arrival at the start of a step; returns how the run ended if it did.
    #[inline(always)]
    fn arrived(
        &mut self,
        stages: &mut impl Steps,
        progress: &mut impl FnMut(f64) -> bool,
    ) -> Result<Option<Status>, Stop> {
        self.left = self.time.from(self.options.to);
        if self.phase == Phase::Projected {
            self.look(stages);
            self.see_branches();
        }
        if self.problem.trail {
            self.run.trail.push(&self.plain(), &self.sides.list);
        }
        self.close_work(stages);
        let seen = stages.values().unwrap_or(self.view.balance());
        self.balance.see(self.time.high, seen, self.view.scales);
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
                self.row(0.0, 0.0, self.time.high, stages);
            }
            return Ok(Some(Status::Finished));
        }
        if self.run.steps >= self.options.max_steps {
            return Err(Stop::TooManySteps);
        }
        if self.run.steps == 0 {
            stages.prepare_sensitivities(self.left, self.energy);
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

    /// Adds the work that the power at the start of a step contributes to the step before.
    #[inline(always)]
    fn close_work(&mut self, stages: &mut impl Steps) {
        if let Some(work) = stages.closing_work(self.balance.largest(), self.view.scales) {
            self.balance.work.add(work);
        }
    }

    /// Goes on with a step that was asked for: its error, or why there is none.
    #[inline(always)]
    pub(crate) fn took<S: Steps>(
        &mut self,
        outcome: Result<f64, Stop>,
        stages: &mut S,
    ) -> Result<(), Stop> {
        match self.phase {
            Phase::Start | Phase::Projected | Phase::Ended(_) => Ok(()),
            Phase::Trial(h) if S::FORESEES => self.took_foreseen(h, outcome, stages),
            Phase::Trial(h) => self.took_sampled(h, false, outcome, stages),
            Phase::Again(h) => self.took_sampled(h, true, outcome, stages),
        }
    }

    /// Goes on with a step that was foreseen.
    #[inline(always)]
    fn took_foreseen<S: Steps>(
        &mut self,
        h: f64,
        outcome: Result<f64, Stop>,
        stages: &mut S,
    ) -> Result<(), Stop> {
        let outcome = match (outcome, self.foreseen.early) {
            (Ok(defect), _) if defect <= 1.0 && self.nodes.is_empty() => Ok(defect),
            (Ok(defect), _) => self.defect_of_step(h, defect, stages),
            // At a branch point nothing determines the accelerations.
            (Err(_), Some(Early::Event(_, k))) if self.problem.events[k].branch.is_some() => {
                Ok(0.0)
            }
            (failed, _) => failed,
        };
        let outcome = match outcome.is_ok() && self.has_jumped(h, stages) {
            true => Ok(f64::INFINITY),
            false => outcome,
        };
        let sound = matches!(outcome, Ok(defect) if defect <= 1.0);
        let outcome = match sound && self.ends_near_branch(h, stages) {
            true => Ok(f64::INFINITY),
            false => outcome,
        };
        if !self.lengths.judge_foreseen(h, &self.time, outcome)? {
            self.run.rejected += 1;
            stages.reject();
            return Ok(());
        }
        if !self.foreseen.events.is_empty() {
            let found = std::mem::take(&mut self.foreseen.events);
            let mut states = std::mem::take(&mut self.foreseen.states).into_iter();
            let state = |_| states.next().unwrap_or_default();
            let crossings = &mut self.run.crossings;
            self.watch.report(found, &self.time, crossings, state);
        }
        let early = self.foreseen.early.take();
        self.end(h, early, stages)?;
        self.hops.step(h);
        self.note_velocities();
        Ok(())
    }

    /// Whether a foreseen step ends next to where constraints become dependent, and a shorter one would not.
    #[inline(always)]
    fn ends_near_branch(&mut self, h: f64, stages: &mut impl Steps) -> bool {
        if self.rank.is_none() {
            return false;
        }
        let (mut end, moving) = (self.plain(), 2 * self.problem.rates.dimension);
        end[0] = self.time.plus(h);
        stages.after(h, h, &mut end[1..=moving]);
        self.rank.as_mut().is_some_and(|rank| {
            let distance = rank.distance(&end, &self.sides.list);
            rank.is_avoided(distance) && h.abs() > SHORTEST_PART * self.lengths.length
        })
    }

    /// Goes on with a step whose polynomial is sampled, for the second time if it was shortened.
    fn took_sampled(
        &mut self,
        h: f64,
        again: bool,
        outcome: Result<f64, Stop>,
        stages: &mut impl Steps,
    ) -> Result<(), Stop> {
        let outcome = match outcome {
            Ok(error) if error > 1.0 && !again => self.error_beyond_rounding(h, error, stages),
            other => other,
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
                let found = found.into_iter().map(|(theta, k)| (theta * h, k)).collect();
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
    pub(crate) fn close(&mut self, mut status: Status, stages: &mut impl Steps) -> Run {
        if let Some(lost) = stages.finish_sensitivities() {
            // The run ends where sensitivities could not be followed any more.
            let ahead = |t: f64| (t - lost.time) * self.options.sign() > 0.0;
            self.run.crossings.retain(|c| !ahead(c.time));
            self.run.rows.truncate(lost.rows);
            self.time = Compensated::new(lost.time);
            for (s, x) in self.state.iter_mut().zip(&lost.state) {
                *s = Compensated::new(*x);
            }
            status = Status::Failed(lost.stop);
        }
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
