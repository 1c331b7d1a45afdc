//! A run by single steps: rows, events, kinks, constraints and the balance of energy.

mod watching;
mod zeros;

use galilei_tape::Reg;

use crate::expansion::Kernel;
use crate::problem::{Options, Problem, Run, Status, Stop};
use crate::project::Projection;
use crate::record::{Balance, Recorder, Watch, started};
use crate::sides::Sides;
use crate::steps::{Pace, Steps};
use crate::sum::Compensated;

/// The error of a step cannot be asked to be smaller.
const LEAST: f64 = f64::EPSILON / 2.0;
/// Steps of a length below this part of the time are none.
const UNDERFLOW: f64 = 1e-14;
/// A constant step may be longer by this part to end where the run does.
const NEARLY: f64 = 1e-9;

struct Driver<'a, 't, S> {
    problem: &'a Problem<'t>,
    options: &'a Options,
    tolerance: f64,
    pace: Pace,
    stages: &'a mut S,
    recorder: Recorder<'a, 't>,
    watch: Watch<'a, 't>,
    sides: Sides<'a, 't>,
    /// Energy, scales, residuals, events, kinks at a state on given sides.
    look: Kernel,
    inputs: Vec<f64>,
    seen: Vec<f64>,
    /// Where events and kinks start among those.
    events: usize,
    kinks: usize,
    time: Compensated,
    state: Vec<Compensated>,
    /// Kinks at the start of the step that rounding hides all along it.
    hidden: Vec<bool>,
    /// The length of the next step.
    length: f64,
    /// Why no longer step was possible.
    failure: Option<Stop>,
}

/// Where a step ends early: as a part of it, and why.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Early {
    Kink(f64, usize),
    Event(f64, usize),
    /// A kink at the start is left to the side that was not expected: rounding hid where it goes.
    Astray(usize),
}

/// The tolerance of a step that can be met.
pub(crate) fn attainable(options: &Options) -> f64 {
    options.tolerance.max(LEAST)
}

/// Integrates from a state by steps of some order. `progress` is told the time now and then, and says
/// whether to go on.
pub(crate) fn drive(
    problem: &Problem<'_>,
    state: &[f64],
    options: &Options,
    stages: &mut impl Steps,
    (order, pace): (usize, Pace),
    progress: &mut impl FnMut(f64) -> bool,
) -> Run {
    let n = problem.rates.dimension;
    let tape = problem.tape;
    let mut registers: Vec<Reg> = vec![problem.energy];
    registers.extend(problem.scale.iter().chain(&problem.residuals));
    let events = registers.len();
    registers.extend(problem.events.iter().map(|e| e.register));
    let kinks = registers.len();
    registers.extend(tape.kinks().iter().map(|k| k.register));
    let mut driver = Driver {
        problem,
        options,
        tolerance: attainable(options),
        pace,
        stages,
        recorder: Recorder::new(problem, options),
        watch: Watch::new(problem, options),
        sides: Sides::new(problem, options.sign()),
        look: Kernel::new(tape.code_on_sides(&registers)),
        inputs: vec![0.0; 2 * n + 1 + tape.kinks().len()],
        seen: vec![0.0; registers.len()],
        events,
        kinks,
        time: Compensated::new(options.from),
        state: state.iter().map(|x| Compensated::new(*x)).collect(),
        hidden: vec![false; tape.kinks().len()],
        length: 0.0,
        failure: None,
    };
    let mut run = started(problem, state, options, order);
    driver.go(&mut run, progress);
    run
}

impl<S: Steps> Driver<'_, '_, S> {
    /// (t, x, u) now.
    fn plain(&self) -> Vec<f64> {
        let time = std::iter::once(self.time.high);
        time.chain(self.state.iter().map(|c| c.high)).collect()
    }

    /// Looks at the start of the step, or at a part of it.
    fn look_at(&mut self, theta: f64, h: f64) {
        let known = 1 + self.state.len();
        self.inputs[0] = self.time.plus(theta * h);
        if theta == 0.0 {
            for (input, c) in self.inputs[1..known].iter_mut().zip(&self.state) {
                *input = c.high;
            }
        } else {
            self.stages.between(theta, &mut self.inputs[1..known]);
        }
        for (input, side) in self.inputs[known..].iter_mut().zip(&self.sides.list) {
            *input = if *side { 1.0 } else { -1.0 };
        }
        self.look.call(&self.inputs, &mut self.seen);
    }

    fn row(&mut self, rows: &mut Vec<Vec<f64>>, theta: f64, h: f64) {
        let time = self.time.plus(theta * h);
        let mut state: Vec<f64> = self.state.iter().map(|c| c.high).collect();
        if theta != 0.0 {
            self.stages.between(theta, &mut state);
        }
        let row = self.recorder.row(time, state.into_iter(), &self.sides.list);
        rows.push(row);
    }

    /// Takes a step; its length, of either sign.
    fn advance(&mut self, left: f64, energy: f64, run: &mut Run) -> Result<f64, Stop> {
        match self.pace {
            Pace::Adaptive(order) => self.adapt(order, left, energy, run),
            Pace::Constant(length) => {
                let whole = length * (1.0 + NEARLY) >= left.abs();
                let h = if whole { left } else { length.copysign(left) };
                if self.attempt(h, energy)? <= 1.0 {
                    Ok(h)
                } else {
                    Err(Stop::StepTooLong)
                }
            }
        }
    }

    /// Takes a step of a length; its error.
    fn attempt(&mut self, h: f64, energy: f64) -> Result<f64, Stop> {
        self.stages.step(h)?;
        let error = self.stages.error(self.tolerance, energy)?;
        if error <= 1.0 && self.seen.len() > self.events {
            self.stages.densify()?;
        }
        Ok(error)
    }

    /// Takes a step as long as the tolerance admits, with an error of some order in its length.
    fn adapt(&mut self, order: i32, left: f64, energy: f64, run: &mut Run) -> Result<f64, Stop> {
        let sign = self.options.sign();
        let exponent = -1.0 / f64::from(order);
        let mut refused = false;
        loop {
            let whole = self.length >= left.abs();
            let h = if whole { left } else { sign * self.length };
            if !whole && h.abs() < UNDERFLOW * self.time.high.abs().max(1e-300) {
                return Err(self.failure.take().unwrap_or(Stop::StepUnderflow));
            }
            let factor = match self.attempt(h, energy) {
                Ok(error) if error <= 1.0 => {
                    let most = if refused { 1.0 } else { 6.0 };
                    let factor = (0.9 * error.powf(exponent)).clamp(1.0 / 3.0, most);
                    let next = h.abs() * factor;
                    // A step cut short by the end says little about the next one.
                    self.length = if whole {
                        next.max(self.length.min(6.0 * h.abs()))
                    } else {
                        next
                    };
                    self.failure = None;
                    return Ok(h);
                }
                Ok(error) if error.is_finite() => {
                    self.failure = None;
                    (0.9 * error.powf(exponent)).max(0.1)
                }
                Ok(_) => {
                    self.failure = Some(Stop::NotFinite);
                    0.1
                }
                Err(stop) => {
                    self.failure = Some(stop);
                    0.25
                }
            };
            self.length = h.abs() * factor;
            refused = true;
            run.rejected += 1;
        }
    }

    fn go(&mut self, run: &mut Run, progress: &mut impl FnMut(f64) -> bool) {
        let mut balance = Balance::new(0.0);
        let outcome = self.steps(run, &mut balance, progress);
        run.status = match outcome {
            Ok(status) => status,
            Err(stop) => Status::Failed(stop),
        };
        if self.problem.trail {
            run.trail.close(&self.plain(), &self.sides.list);
        }
        run.time = self.time.high;
        run.state = self.plain().split_off(1);
        run.momenta = self.stages.momenta();
        run.outputs = self.recorder.outputs(&self.plain(), &self.sides.list);
        run.evaluations += self.stages.evaluations();
        balance.close(run);
    }

    fn steps(
        &mut self,
        run: &mut Run,
        balance: &mut Balance,
        progress: &mut impl FnMut(f64) -> bool,
    ) -> Result<Status, Stop> {
        let o = self.options;
        let sign = o.sign();
        let scales = self.problem.scale.len();
        let energies = 1..=scales;
        run.evaluations += self.sides.choose(&self.plain())?;
        self.stages
            .start(&self.time, &self.state, &self.sides.list)?;
        let span = (o.to - o.from).abs();
        let first = self.stages.first_length(self.tolerance);
        self.length = first.unwrap_or(span / 100.0).min(span);
        let mut begun = false;
        let mut astray: Vec<usize> = Vec::new();
        let mut projection = Projection::new(self.problem, self.tolerance);
        loop {
            let left = self.time.from(o.to);
            self.look_at(0.0, 0.0);
            if !begun {
                *balance = Balance::new(self.seen[0]);
                begun = true;
            }
            let residuals = &self.seen[1 + scales..self.events];
            let kept = run.steps > 0 && self.stages.keeps_constraints();
            if !kept
                && projection.needed(residuals)
                && projection.apply(self.time.high, &mut self.state, &self.sides.list, None)
            {
                run.projections += 1;
                self.stages
                    .start(&self.time, &self.state, &self.sides.list)?;
                self.look_at(0.0, 0.0);
            }
            if self.problem.trail {
                run.trail.push(&self.plain(), &self.sides.list);
            }
            balance.see(self.time.high, &self.seen[..self.events], scales);
            let scale = self.seen[energies.clone()].iter();
            let energy = scale.fold(0.0_f64, |m, e| m.max(e.abs()));
            if left * sign <= 0.0 {
                if o.every.is_none() || self.recorder.due(&self.time, 0.0).is_some() {
                    self.row(&mut run.rows, 0.0, 0.0);
                }
                return Ok(Status::Finished);
            }
            if run.steps >= o.max_steps {
                return Err(Stop::TooManySteps);
            }
            if run.steps.is_multiple_of(64) && !progress(self.time.high) {
                return Err(Stop::Interrupted);
            }
            let mut h = self.advance(left, energy, run)?;
            let (mut found, mut early) = (vec![], None);
            if self.seen.len() > self.events {
                (h, found, early) = self.watch_step(h, left)?;
            }
            let part = match early {
                Some(Early::Event(theta, _) | Early::Kink(theta, _)) => theta,
                Some(Early::Astray(k)) => {
                    // From the same state on the other side; both cannot be wrong.
                    if astray.contains(&k) {
                        return Err(Stop::Sticking);
                    }
                    astray.push(k);
                    self.sides.list[k] = !self.sides.list[k];
                    self.stages
                        .start(&self.time, &self.state, &self.sides.list)?;
                    run.rejected += 1;
                    continue;
                }
                None => 1.0,
            };
            astray.clear();
            if !found.is_empty() {
                let ahead = found.into_iter().map(|(theta, k)| (theta * h, k)).collect();
                let stages = &self.stages;
                let size = self.state.len();
                let state = |tau: f64| {
                    let mut state = vec![0.0; size];
                    stages.between(tau / h, &mut state);
                    state
                };
                self.watch
                    .report(ahead, &self.time, &mut run.crossings, state);
            }
            // What is recorded within the step.
            if o.every.is_none() {
                self.row(&mut run.rows, 0.0, h);
            }
            while let Some(tau) = self.recorder.due(&self.time, part * h) {
                self.stages.densify()?;
                self.row(&mut run.rows, tau / h, h);
            }
            if part != 1.0 {
                self.stages.cut(part);
            }
            self.stages.arrive(&mut self.state);
            balance.work.add(self.stages.work());
            if h == left && part == 1.0 {
                self.time = Compensated::new(o.to);
            } else {
                self.time.add(part * h);
            }
            run.steps += 1;
            self.sides.fresh.copy_from_slice(&self.hidden);
            match early {
                Some(Early::Event(_, k)) => {
                    self.look_at(0.0, 0.0);
                    balance.energy(self.seen[0]);
                    self.row(&mut run.rows, 0.0, 0.0);
                    self.stages.follow(&self.time, &self.state);
                    return Ok(Status::Event(k));
                }
                Some(Early::Kink(_, k)) => {
                    run.evaluations += self.sides.cross(k, part * h, self.length, &self.plain())?;
                    self.stages
                        .start(&self.time, &self.state, &self.sides.list)?;
                }
                Some(Early::Astray(_)) | None => self.stages.follow(&self.time, &self.state),
            }
        }
    }
}
