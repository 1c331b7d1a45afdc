//! Dormand and Prince's explicit Runge–Kutta method of order 8 with errors of order 5 and 3 and dense
//! output of order 7: the second opinion beside Taylor series, for right-hand sides of any kind.

mod stages;
mod tableau;
mod zeros;

use galilei_tape::{Op, Rates, Reg, Tape};

use crate::expansion::Kernel;
use crate::problem::{Options, Problem, Run, Status, Stop};
use crate::project::Projection;
use crate::record::{Balance, Recorder, Watch, started};
use crate::sides::Sides;
use crate::sum::Compensated;
use stages::Stages;
use zeros::{NODES, zeros};

/// The order.
const ORDER: usize = 8;
/// The error of a step cannot be asked to be smaller.
const LEAST: f64 = f64::EPSILON / 2.0;
/// Steps of a length below this part of the time are none.
const UNDERFLOW: f64 = 1e-14;

struct Stepper<'a, 't> {
    problem: &'a Problem<'t>,
    options: &'a Options,
    tolerance: f64,
    stages: Stages<'t>,
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

/// A relative change that shows how something depends on the state.
const NUDGE: f64 = 1e-6;

/// Where a step ends early: as a part of it, and why.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Early {
    Kink(f64, usize),
    Event(f64, usize),
    /// A kink at the start is left to the side that was not expected: rounding hid where it goes.
    Astray(usize),
}

/// Integrates by Runge–Kutta steps. `progress` is told the time now and then, and says whether to go on.
pub fn integrate_dop853(
    problem: &Problem<'_>,
    state: &[f64],
    options: &Options,
    mut progress: impl FnMut(f64) -> bool,
) -> Run {
    let n = problem.rates.dimension;
    let tape = problem.tape;
    let idle = tape.ops()[problem.power as usize] == Op::Const(0.0);
    let mut power: Vec<Reg> = Vec::new();
    if !idle || !problem.reaction_rates.is_empty() {
        power.push(problem.power);
        power.extend(&problem.reaction_rates);
    }
    let mut registers: Vec<Reg> = vec![problem.energy];
    registers.extend(problem.scale.iter().chain(&problem.residuals));
    let events = registers.len();
    registers.extend(problem.events.iter().map(|e| e.register));
    let kinks = registers.len();
    registers.extend(tape.kinks().iter().map(|k| k.register));
    let mut s = Stepper {
        problem,
        options,
        tolerance: options.tolerance.max(LEAST),
        stages: Stages::new(tape, problem.rates, power),
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
    let mut run = started(problem, state, options, ORDER);
    s.go(&mut run, &mut progress);
    run
}

impl Stepper<'_, '_> {
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
            let state = self.stages.between(theta);
            for (input, x) in self.inputs[1..known].iter_mut().zip(state) {
                *input = x;
            }
        }
        for (input, side) in self.inputs[known..].iter_mut().zip(&self.sides.list) {
            *input = if *side { 1.0 } else { -1.0 };
        }
        self.look.call(&self.inputs, &mut self.seen);
    }

    fn row(&mut self, rows: &mut Vec<Vec<f64>>, theta: f64, h: f64) {
        let time = self.time.plus(theta * h);
        let state: Vec<f64> = if theta == 0.0 {
            self.state.iter().map(|c| c.high).collect()
        } else {
            self.stages.between(theta).collect()
        };
        let row = self.recorder.row(time, state.into_iter(), &self.sides.list);
        rows.push(row);
    }

    /// Takes a step as long as the tolerance admits; its length, of either sign.
    fn advance(&mut self, left: f64, energy: f64, run: &mut Run) -> Result<f64, Stop> {
        let sign = self.options.sign();
        let watched = self.seen.len() > self.events;
        let mut refused = false;
        loop {
            let whole = self.length >= left.abs();
            let h = if whole { left } else { sign * self.length };
            if !whole && h.abs() < UNDERFLOW * self.time.high.abs().max(1e-300) {
                return Err(self.failure.take().unwrap_or(Stop::StepUnderflow));
            }
            let outcome = self.stages.step(h).and_then(|()| {
                let error = self.stages.error(self.tolerance, energy);
                if error <= 1.0 && watched {
                    self.stages.densify()?;
                }
                Ok(error)
            });
            let factor = match outcome {
                Ok(error) if error <= 1.0 => {
                    let most = if refused { 1.0 } else { 6.0 };
                    let factor = (0.9 * error.powf(-0.125)).clamp(1.0 / 3.0, most);
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
                    (0.9 * error.powf(-0.125)).max(0.1)
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

    /// The values of what is watched at the nodes, up to `reach`.
    fn sample(&mut self, reach: f64, h: f64) -> Vec<Vec<(f64, f64)>> {
        let mut list = vec![Vec::with_capacity(NODES.len()); self.seen.len() - self.events];
        for node in NODES {
            self.look_at(node * reach, h);
            for (points, v) in list.iter_mut().zip(&self.seen[self.events..]) {
                points.push((node * reach, *v));
            }
        }
        list
    }

    /// What rounding of the state does to something that is looked at, at the end of the step.
    fn noise(&mut self, at: usize, h: f64) -> f64 {
        self.look_at(1.0, h);
        let (value, inputs) = (self.seen[at], self.inputs.clone());
        let mut sum = 0.0;
        for i in 0..=self.state.len() {
            self.inputs[i] = inputs[i] * (1.0 + NUDGE);
            self.look.call(&self.inputs, &mut self.seen);
            sum += (self.seen[at] - value).abs();
            self.inputs[i] = inputs[i];
        }
        8.0 * f64::EPSILON / NUDGE * sum
    }

    /// The first kink on the way: as a part of the step, and which. A kink at the start that is left to
    /// the wrong side is an error.
    #[allow(clippy::type_complexity)]
    fn kink(
        &mut self,
        samples: &mut [Vec<(f64, f64)>],
        h: f64,
    ) -> Result<Option<(f64, usize)>, usize> {
        let first = self.kinks - self.events;
        let mut found: Option<(f64, usize)> = None;
        for k in 0..self.sides.list.len() {
            let points = &mut samples[first + k];
            // The motion starts on its side, however small the value is.
            points[0].1 = if self.sides.list[k] {
                f64::MIN_POSITIVE
            } else {
                -f64::MIN_POSITIVE
            };
            let at = self.kinks + k;
            let mut points = points.clone();
            let noise = if self.sides.fresh[k] {
                self.noise(at, h)
            } else {
                0.0
            };
            let clear = |v: f64| if v.abs() <= noise { 0.0 } else { v };
            for p in &mut points[1..] {
                p.1 = clear(p.1);
            }
            let expected = points[0].1;
            let shown = points[1..].iter().find(|p| p.1 != 0.0);
            if noise > 0.0
                && let Some(shown) = shown.filter(|p| p.1.signum() != expected.signum())
            {
                let kept = (1..20).any(|j| {
                    self.look_at(shown.0 * 0.5f64.powi(j), h);
                    clear(self.seen[at]) * expected.signum() > 0.0
                });
                if !kept {
                    return Err(k);
                }
            }
            let roots = zeros(&points, |theta| {
                self.look_at(theta, h);
                clear(self.seen[at])
            });
            self.hidden[k] = noise > 0.0 && points.iter().skip(1).all(|p| p.1 == 0.0);
            if let Some((theta, _)) = roots.into_iter().find(|r| r.1 != 0)
                && found.is_none_or(|f| theta < f.0)
            {
                found = Some((theta, k));
            }
        }
        Ok(found)
    }

    /// Events to report up to a part of the step.
    fn crossings(&mut self, samples: &[Vec<(f64, f64)>], until: f64, h: f64) -> Vec<(f64, usize)> {
        let mut found = Vec::new();
        for (k, points) in samples.iter().enumerate().take(self.problem.events.len()) {
            let at = self.events + k;
            let roots = zeros(points, |theta| {
                self.look_at(theta, h);
                self.seen[at]
            });
            for (theta, direction) in roots {
                let admitted =
                    self.watch
                        .admits(k, &self.time, theta * h, direction, h * until.min(1.0));
                if theta <= until && admitted {
                    found.push((theta, k));
                }
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        found
    }

    /// What happens in a step of length h that was taken. Where it ends early it is taken again up to
    /// there, so that its end has the accuracy of a step. Its new length, events, and the early end.
    #[allow(clippy::type_complexity)]
    fn watch_step(
        &mut self,
        mut h: f64,
        left: f64,
    ) -> Result<(f64, Vec<(f64, usize)>, Option<Early>), Stop> {
        let mut again = false;
        loop {
            // What lies at the end of the step could be missed by both steps, so the search goes a
            // little beyond it.
            let reach = match (h == left, again) {
                (true, _) => 1.0,
                (_, false) => 1.0 + 1e-9,
                (_, true) => 1.0 + 1e-6,
            };
            let mut samples = self.sample(reach, h);
            let kink = match self.kink(&mut samples, h) {
                Ok(kink) => kink.filter(|k| again || k.0 < 1.0),
                Err(k) => return Ok((h, vec![], Some(Early::Astray(k)))),
            };
            let until = kink.map_or(reach, |k| k.0 * (1.0 + 1e-9));
            let mut found = self.crossings(&samples, until, h);
            let terminal = |f: &(f64, usize)| self.problem.events[f.1].terminal;
            let early = match found.iter().position(terminal) {
                Some(p) => {
                    found.truncate(p + 1);
                    Some(Early::Event(found[p].0, found[p].1))
                }
                None => kink.map(|(theta, k)| Early::Kink(theta, k)),
            };
            let Some(Early::Event(theta, _) | Early::Kink(theta, _)) = early else {
                return Ok((h, found, None));
            };
            let shorter = theta * h;
            let long = shorter.abs() > 1e-12 * self.time.high.abs().max(1e-12);
            if again || theta > 1.0 - 1e-9 || !long {
                return Ok((h, found, early));
            }
            h = shorter;
            self.stages.step(h)?;
            self.stages.densify()?;
            again = true;
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
        run.outputs = self.recorder.outputs(&self.plain(), &self.sides.list);
        run.evaluations += self.stages.evaluations;
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
            if projection.needed(residuals)
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
                let state = |tau: f64| stages.between(tau / h).collect();
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
            let (change, work) = self.stages.change.split_at(self.state.len());
            for (s, d) in self.state.iter_mut().zip(change) {
                s.add(*d);
            }
            balance.work.add(work[0]);
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

/// One Runge–Kutta step of any length, for measurements.
pub struct RungeKuttaStep<'t> {
    tape: &'t Tape,
    stages: Stages<'t>,
}

impl<'t> RungeKuttaStep<'t> {
    /// Compiled for a motion.
    pub fn new(tape: &'t Tape, rates: &'t Rates) -> Self {
        Self {
            tape,
            stages: Stages::new(tape, rates, vec![]),
        }
    }

    /// The state a time h after a state (t, x, u), without an error estimate.
    pub fn step(&mut self, state: &[f64], h: f64) -> Result<Vec<f64>, Stop> {
        let mut values = vec![0.0; self.tape.len()];
        self.tape.evaluate(state, &[], &mut values);
        let kinks = self.tape.kinks().iter();
        let sides: Vec<bool> = kinks.map(|k| values[k.register as usize] >= 0.0).collect();
        let parts: Vec<Compensated> = state[1..].iter().map(|x| Compensated::new(*x)).collect();
        self.stages
            .start(&Compensated::new(state[0]), &parts, &sides)?;
        self.stages.step(h)?;
        Ok(std::iter::once(state[0] + h)
            .chain(self.stages.end())
            .collect())
    }

    /// x and u after a part of the last step, by dense output.
    pub fn between(&mut self, part: f64) -> Result<Vec<f64>, Stop> {
        self.stages.densify()?;
        Ok(self.stages.between(part).collect())
    }
}
