//! Runs through several modes of contact and friction: each mode has its own equations, its ends are located as events, and
//! complementarity decides what follows. (T-203, T-204)

mod accumulation;
mod choices;
mod collision;
mod departure;
mod moreau;
mod numbers;
mod pivots;
mod record;
mod saltation;
mod situation;
mod slopes;
mod solve;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use galilei_tape::math::scalar::log2;
use galilei_tape::{ContactQuantities, Grip, Guard, Mode, ModeProblem, Touch, VelocityJump};

use crate::atlas::{Atlas, Changes, Folding, Piece};
use crate::handover::Handover;
use crate::problem::{Error, Method, Options, Record, Run, Status};
use crate::sensitivity::{Directions, Propagation, SensitivityMethod, StateSensitivities};
use crate::taylor::Prepared;
use accumulation::Accumulation;
use moreau::Stepper;
use numbers::Frame;
pub use record::{Collision, ContactRecord, ModeEntry, Situation, Undetermined};
use saltation::{End, Track};
use solve::{Answer, Forbidden, NoAnswer, Question};

/// The part of its scale up to which a gap counts as zero.
const TOUCHING: f64 = 1e-11;
/// The part of the largest velocity up to which a velocity along a line counts as zero.
const AT_REST: f64 = 1e-10;
/// The part of the velocity that the accelerations along a line could have made since the start up to which a velocity along it
/// is rounding: a body that has always rested has no other velocities.
const VELOCITY_ROUNDING: f64 = 1e-13;
/// The part of its scale by which the gap of an open contact may be negative at the end of a mode.
const PENETRATED: f64 = 1e-9;
/// The part of its terms up to which a negative limit of friction is rounding.
const LIMIT_ROUNDING: f64 = 1e-12;
/// The largest number of changes of mode in a run.
const MAX_CHANGES: usize = 5_000_000;
/// The largest number of changes of mode at one instant.
const MAX_CHANGES_AT_ONCE: usize = 64;
/// The speed at which an element with two components counts as stopping, as a part of the speed at which it begins: the rest
/// of the way is a straight line to the square of it. Below it rounding hides the end of the slip, where the direction of the
/// velocity has no series.
const STOPPING: f64 = 1e-7;
/// The part of the run that this straight line may take: one that takes longer is none.
const LONGEST_STOP: f64 = 1e-2;
/// The length of steps of the time-stepping scheme as a part of the run, where none is given.
const DEFAULT_PART: f64 = 1e-4;
/// The times, as parts of the run, at which modes that are the same motion at an instant are told apart.
const AHEAD: [f64; 5] = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4];

/// The source of the equations of motion of each mode.
pub trait Modes {
    /// The equations in a mode; `None` where they have no numbers.
    fn problem(&mut self, mode: &Mode) -> Option<Arc<ModeProblem>>;
}

/// A system with contacts, friction or jumps of velocities, ready for runs.
pub struct ContactRunner<'a, M> {
    quantities: &'a ContactQuantities,
    jumps: &'a [VelocityJump],
    /// Whether each event of the model ends runs.
    terminal: &'a [bool],
    modes: &'a mut M,
    method: Method,
    /// Values of the inputs behind the state.
    fixed: &'a [f64],
    prepared: PreparedModes,
    /// Coordinates of rotations that are inverted at a sphere; `None` where there are none.
    changes: Option<Arc<Changes>>,
}

/// The code of modes, for runs one after the other with one tolerance.
#[derive(Default)]
pub struct PreparedModes(HashMap<Mode, (f64, Arc<ModeProblem>, Option<Prepared>)>);

/// A run that is under way.
struct Course {
    time: f64,
    /// The time at which the run began.
    origin: f64,
    /// The time at which the present mode began.
    begun: f64,
    /// x, then u.
    state: Vec<f64>,
    /// The contacts that are known to touch.
    pressed: Vec<bool>,
    /// Elements whose velocity is known to be zero.
    arrested: Vec<bool>,
    /// States that the motion has just left.
    forbidden: Vec<Forbidden>,
    /// The largest velocity along each line until now.
    fastest: Vec<f64>,
    /// The largest acceleration that free motion allows along each line until now.
    strongest: Vec<f64>,
    /// The defect of the energy balance at jumps.
    defect: f64,
    record: ContactRecord,
    accumulation: Accumulation,
    /// The sensitivities, if they are followed.
    track: Option<Track>,
}

impl<'a, M: Modes> ContactRunner<'a, M> {
    /// The system ready for runs by a method.
    pub fn new(
        quantities: &'a ContactQuantities,
        jumps: &'a [VelocityJump],
        terminal: &'a [bool],
        modes: &'a mut M,
        method: Method,
    ) -> Self {
        Self {
            quantities,
            jumps,
            terminal,
            modes,
            method,
            fixed: &[],
            prepared: PreparedModes::default(),
            changes: None,
        }
    }

    /// With values of the inputs behind the state of the equations of modes, and with the code of other runs, which is handed
    /// back by [`Self::into_prepared`].
    #[must_use]
    pub fn with_code(mut self, fixed: &'a [f64], prepared: PreparedModes) -> Self {
        self.fixed = fixed;
        self.prepared = prepared;
        self
    }

    /// With coordinates of rotations, which are left where they become large.
    #[must_use]
    pub fn with_foldings(mut self, foldings: &[Folding]) -> Self {
        // Other charts of a sphere have equations of their own.
        let same = foldings.iter().filter(|f| f.bit == 0).copied();
        let foldings: Vec<Folding> = same.collect();
        let atlas = Atlas {
            charts: vec![],
            foldings,
        };
        self.changes = (!atlas.foldings.is_empty()).then(|| Arc::new(Changes::new(&atlas)));
        self
    }

    /// The code of the modes of all runs until now.
    pub fn into_prepared(self) -> PreparedModes {
        self.prepared
    }

    fn frame(&self, time: f64, state: &[f64]) -> Result<Frame, Error> {
        Frame::new(self.quantities, time, state).ok_or(Error::NotFinite)
    }

    /// Integrates from a state, x then u. `progress` is called from time to time with the time and returns whether to go on.
    pub fn run(
        &mut self,
        state: &[f64],
        options: &Options,
        mut progress: impl FnMut(f64) -> bool,
    ) -> Run {
        if self.method == Method::Moreau {
            let free = self.free_problem();
            let start = (options.from, state);
            let length = options
                .step
                .unwrap_or(DEFAULT_PART * (options.to - options.from).abs());
            return Stepper::new(self.quantities, self.terminal, &free, start).run(
                options,
                length,
                &mut progress,
            );
        }
        self.follow(state, options, None, progress).0
    }

    /// The mode in which nothing touches and nothing rubs.
    fn free(&self) -> Mode {
        Mode {
            touches: vec![Touch::Open; self.quantities.contacts.len()],
            grips: vec![Grip::Free; self.quantities.elements.len()],
            signs: vec![1; self.quantities.constraints],
            stopping: 0,
        }
    }

    /// Integrates with sensitivities along some directions. The code of modes and quantities can be differentiated by the
    /// parameters of the directions.
    pub fn run_with(
        &mut self,
        state: &[f64],
        options: &Options,
        directions: &Directions,
        progress: impl FnMut(f64) -> bool,
    ) -> (Run, StateSensitivities) {
        let track = Track::new(self.quantities, self.jumps, directions);
        let (run, track) = self.follow(state, options, Some(track), progress);
        (run, track.map(Track::close).unwrap_or_default())
    }

    fn follow(
        &mut self,
        state: &[f64],
        options: &Options,
        track: Option<Track>,
        mut progress: impl FnMut(f64) -> bool,
    ) -> (Run, Option<Track>) {
        let mut course = Course {
            track,
            ..Course::new(self.quantities, options.from, state)
        };
        let mut whole: Option<Run> = None;
        let failed = self.go(&mut course, options, &mut whole, &mut progress);
        let mut run = whole.unwrap_or_else(|| self.nothing(&course, options));
        if let Err(why) = failed {
            run.status = Status::Failed(why);
        }
        if run.status == Status::Failed(Error::ContactNotUnique) {
            course.record.undetermined = self.undetermined(&course);
        }
        run.contacts = course.record;
        (run, course.track)
    }

    /// A run that ends where it begins.
    fn nothing(&mut self, course: &Course, options: &Options) -> Run {
        let nowhere = Options {
            to: options.from,
            ..options.clone()
        };
        let problem = self.free_problem();
        self.method
            .integrate(&problem.problem, &course.state, &nowhere, |_| true)
    }

    /// The equations of free motion, with the values of the inputs behind the state.
    fn free_problem(&mut self) -> Arc<ModeProblem> {
        let free = self.modes.problem(&self.free());
        let free = free.expect("the free mode was lowered before");
        closed(&free, self.fixed)
    }

    /// Goes through the modes to the end of the run.
    fn go(
        &mut self,
        course: &mut Course,
        options: &Options,
        whole: &mut Option<Run>,
        progress: &mut impl FnMut(f64) -> bool,
    ) -> Result<(), Error> {
        self.touch_at_start(course)?;
        let mut handover: Option<Handover> = None;
        let mut steps = 0;
        let (mut changes, mut at_once) = (0, 0);
        loop {
            self.collide(course, options)?;
            let (mode, answer) = self.settle(course, options)?;
            let settled = course.time;
            self.begin_gliding(course, options, &mode, &answer)?;
            if let Some(track) = &mut course.track {
                let s = track.slopes(self.quantities, course.time, &course.state)?;
                track.begin(&s, &mode, (course.time, &course.state))?;
            }
            let closing = course.accumulation.take_end();
            let entered = closing.unwrap_or(settled);
            course.record.enter(self.quantities, entered, &mode);
            if let Some(h) = &mut handover {
                h.defect += std::mem::take(&mut course.defect);
                h.forget_rounding();
                let events = self.terminal.len();
                h.events.truncate(events);
            }
            let left = Arc::new(AtomicUsize::new(usize::MAX));
            let stop = |c: &Arc<Changes>| Changes::stop(c, 0, &left);
            let part = Options {
                from: course.time,
                stop: self.changes.as_ref().map(stop),
                handover: handover.take(),
                max_steps: options.max_steps - steps.min(options.max_steps),
                ..options.clone()
            };
            let begun = course.time;
            course.begun = begun;
            let (mut run, problem, found) = self.part(&mode, course, &part, progress)?;
            steps += run.steps;
            course.time = run.time;
            course.state.clone_from(&run.state);
            if matches!(run.status, Status::Finished | Status::Event(_)) {
                self.refuse_penetration(course, &mode)?;
            }
            handover = Some(run.handover.clone());
            let rows_before = part.handover.as_ref().map_or(0, |h| h.rows);
            let status = run.status.clone();
            let turned = status == Status::Finished && left.load(Ordering::Relaxed) != usize::MAX;
            let ends = !turned && self.ends(&status, &problem);
            if !ends {
                drop_last_row(&mut run, options, rows_before);
            }
            if let Some(track) = &mut course.track {
                track.take(found, run.rows.len())?;
            }
            if options.dense_output {
                let mut known = course.record.problems.iter();
                let known = known.position(|p| Arc::ptr_eq(p, &problem));
                let chart = known.unwrap_or_else(|| {
                    course.record.problems.push(problem.clone());
                    course.record.problems.len() - 1
                });
                run.pieces = vec![Piece {
                    chart,
                    from: begun,
                    trail: std::mem::take(&mut run.trail),
                }];
            }
            self.join(whole, run, &problem);
            let Some(all) = whole.as_mut() else {
                return Ok(());
            };
            match status {
                Status::Finished if turned => self.change_coordinates(course)?,
                Status::Finished | Status::Failed(_) => return Ok(()),
                Status::Event(k) if k < problem.events => {
                    if ends {
                        return Ok(());
                    }
                    self.begin_jump(course, k, &mode)?;
                    self.jump(course, k)?;
                }
                Status::Event(k) => {
                    let Some(guard) = problem.guards.get(k - problem.events) else {
                        // The reactions of friction cease to determine the motion.
                        let singular = mode.grips.iter().any(|g| !matches!(g, Grip::Free));
                        let why = match singular {
                            true => Error::ContactNotUnique,
                            false => Error::LeftConstraints,
                        };
                        all.status = Status::Failed(why);
                        return Ok(());
                    };
                    all.status = Status::Finished;
                    // A limit that vanishes at the end of the run was not negative.
                    if matches!(guard, Guard::Size(_)) && course.time == options.to {
                        return Ok(());
                    }
                    let reached = course.time;
                    self.leave(course, *guard, &mode)?;
                    let span = (options.to - options.from).abs();
                    if (course.time - reached).abs() > LONGEST_STOP * span {
                        return Err(Error::ContactNotUnique);
                    }
                }
            }
            changes += 1;
            let near = 1e-14 * (options.to - options.from).abs();
            at_once = match (course.time - begun).abs() <= near {
                true => at_once + 1,
                false => 0,
            };
            if changes > MAX_CHANGES {
                return Err(Error::TooManySteps);
            }
            if at_once > MAX_CHANGES_AT_ONCE {
                return Err(Error::EndlessTransitions);
            }
        }
    }

    /// Goes on in the other coordinates of rotations, in which the equations of each mode are the same.
    fn change_coordinates(&self, course: &mut Course) -> Result<(), Error> {
        let Some(changes) = &self.changes else {
            return Ok(());
        };
        let found = changes.candidates(0, course.time, (&course.state, &[]));
        let there = found.into_iter().next().ok_or(Error::ChangeOfChart)?.state;
        if let Some(track) = &mut course.track {
            let (from, to) = ((0, &course.state[..]), (0, &there[..]));
            for column in &mut track.columns {
                let moved = changes.carried(course.time, from, to, column);
                let moved = moved.ok_or(Error::ChangeOfChart)?;
                column[..moved.len()].copy_from_slice(&moved);
            }
        }
        course.state = there;
        Ok(())
    }

    /// Whether the run ends with a part.
    fn ends(&self, status: &Status, problem: &ModeProblem) -> bool {
        match status {
            Status::Finished | Status::Failed(_) => true,
            Status::Event(k) if *k < problem.events => self.terminal[*k],
            Status::Event(k) => problem.guards.get(k - problem.events).is_none(),
        }
    }

    /// A part of a run in one mode.
    fn part(
        &mut self,
        mode: &Mode,
        course: &Course,
        options: &Options,
        progress: &mut impl FnMut(f64) -> bool,
    ) -> Result<(Run, Arc<ModeProblem>, StateSensitivities), Error> {
        let state = &[&course.state[..], self.fixed].concat();
        let tolerance = options.tolerance;
        let known = &mut self.prepared.0;
        if known.get(mode).is_none_or(|entry| entry.0 != tolerance) {
            let problem = self.modes.problem(mode).ok_or(Error::NotFinite)?;
            let prepared = (self.method == Method::Taylor)
                .then(|| Prepared::new(problem.problem.clone(), tolerance));
            known.insert(mode.clone(), (tolerance, problem, prepared));
        }
        let (_, problem, prepared) = known.get_mut(mode).ok_or(Error::NotFinite)?;
        let (run, found) = match (prepared, &course.track) {
            (Some(p), None) => (p.integrate(state, options, progress), None),
            (Some(p), Some(track)) => {
                // In contact and while sticking a parameter may do nothing but rounding errors to accelerations that vanish:
                // only series need no scale for them.
                let held = mode.touches.contains(&Touch::Closed)
                    || mode.grips.iter().any(|g| matches!(g, Grip::Stick(_)));
                let method = match held && track.has_parameters() {
                    true => SensitivityMethod::Series,
                    false => SensitivityMethod::Collocation,
                };
                let directions = Directions {
                    columns: track.columns.clone(),
                    transitions: track.keeps,
                    method: Some(method),
                };
                let own = &problem.problem;
                match method {
                    SensitivityMethod::Series => {
                        let (mut series, own) =
                            Prepared::with(own.clone(), tolerance, Some(&directions));
                        series.follow(state, options, own, progress)
                    }
                    SensitivityMethod::Collocation => {
                        let own = Propagation::new(method, own, p.order(), tolerance, &directions);
                        p.follow(state, options, Some(own), progress)
                    }
                }
            }
            (None, _) => {
                let method = self.method;
                let own = closed(problem, self.fixed);
                let run = method.integrate(&own.problem, &course.state, options, progress);
                (run, None)
            }
        };
        let found = found.map(Propagation::close).unwrap_or_default();
        Ok((run, problem.clone(), found))
    }

    /// Adds a part to the run.
    fn join(&self, whole: &mut Option<Run>, mut run: Run, problem: &ModeProblem) {
        run.crossings.retain(|c| c.event < problem.events);
        run.underflows.retain(|e| *e < problem.events);
        match whole {
            None => *whole = Some(run),
            Some(all) => all.join(run),
        }
    }

    /// The contacts that touch at the start, which must not penetrate.
    fn touch_at_start(&self, course: &mut Course) -> Result<(), Error> {
        let frame = self.frame(course.time, &course.state)?;
        for (k, c) in frame.contacts.iter().enumerate() {
            let scale = gap_scale(&frame, k, &course.state);
            if c.gap < -1e-9 * scale {
                course.record.at_fault = Some(self.quantities.contacts[k].clone());
                return Err(Error::Penetration);
            }
            course.pressed[k] = c.gap.abs() <= 1e-9 * scale;
        }
        Ok(())
    }

    /// Refuses a motion through a contact that was taken for open.
    fn refuse_penetration(&self, course: &Course, mode: &Mode) -> Result<(), Error> {
        let frame = self.frame(course.time, &course.state)?;
        let through = frame.contacts.iter().enumerate().any(|(k, c)| {
            let scale = gap_scale(&frame, k, &course.state);
            mode.touches[k] == Touch::Open && c.gap < -PENETRATED * scale
        });
        match through {
            true => Err(Error::ContactMissed),
            false => Ok(()),
        }
    }

    /// The failure of a run in which the limit of an element is negative, whose name is noted.
    fn negative_limit(&self, course: &mut Course, k: usize) -> Error {
        course.record.at_fault = Some(self.quantities.elements[k].name.clone());
        Error::NegativeFriction
    }

    /// The mode that follows, with its accelerations.
    fn settle(&self, course: &mut Course, options: &Options) -> Result<(Mode, Answer), Error> {
        let frame = self.frame(course.time, &course.state)?;
        course.note_velocities(&frame);
        for (k, e) in frame.elements.iter().enumerate() {
            let limit = &e.slipping;
            if e.contact.is_none() && limit.is_own() && limit.own < 0.0 {
                return Err(self.negative_limit(course, k));
            }
        }
        let question = self.question(course, &frame, &course.forbidden);
        let mut list = solve::answers(&question).map_err(why)?;
        if list.len() > 1 {
            let best = self.told_apart(course, options, &list);
            list.swap(0, best);
        }
        let answer = list.swap_remove(0);
        let mut mode = solve::with_idle_parts(&question, &answer);
        for (k, (e, grip)) in frame.elements.iter().zip(&mode.grips).enumerate() {
            let (limit, size) = e.slipping.value(&frame, &answer.multipliers);
            // One that is zero and decreases has no zero later that would end the mode. Rounding does not grow with time.
            let ahead = |part: f64| {
                let h = part * (options.to - options.from);
                let later = self.frame_ahead(course, &answer.change, h)?;
                let limit = &later.elements[k].slipping;
                Some(limit.value(&later, &answer.multipliers).0)
            };
            let becomes_negative = || match [0, 1, 2].map(|i| ahead(AHEAD[i])) {
                [Some(a), Some(b), Some(c)] => a < 0.0 && b < 5.0 * a && c < 5.0 * b,
                _ => false,
            };
            let zero = e.contact.is_none() && limit.abs() <= LIMIT_ROUNDING * size;
            let negative = limit < -LIMIT_ROUNDING * size || zero && becomes_negative();
            if *grip != Grip::Free && negative {
                return Err(self.negative_limit(course, k));
            }
        }
        let mut stopping = 0;
        for (k, g) in mode.grips.iter().enumerate() {
            if *g == Grip::Glide {
                let e = &frame.elements[k];
                let v = e.velocity(&frame);
                let rates: Vec<f64> = e.lines.iter().map(|&l| answer.results[l]).collect();
                let span = (options.to - options.from).abs();
                let begins = || match self.departure(course, options, &mode, &answer) {
                    Some(d) => 0.25 * d.speed,
                    None => 1e-10 * span * size(&rates),
                };
                let speed = match question.moving[k] {
                    Some(_) => STOPPING * size(&v),
                    None => begins(),
                };
                let exponent = log2(speed.max(1e-300)).floor() as i32;
                stopping = if stopping == 0 {
                    exponent
                } else {
                    stopping.min(exponent)
                };
            }
        }
        mode.stopping = stopping;
        course.forbidden.clear();
        for (p, t) in course.pressed.iter_mut().zip(&mode.touches) {
            *p = *t != Touch::Open;
        }
        Ok((mode, answer))
    }

    fn question<'b>(
        &self,
        course: &Course,
        frame: &'b Frame,
        forbidden: &'b [Forbidden],
    ) -> Question<'b> {
        let touching = frame.contacts.iter().enumerate().map(|(k, c)| {
            let near = c.gap <= TOUCHING * gap_scale(frame, k, &course.state);
            let rate = frame.lines[c.line].velocity;
            (near || course.pressed[k]) && rate <= course.at_rest(frame, c.line)
        });
        let moving = frame.elements.iter().enumerate().map(|(k, e)| {
            let v = e.velocity(frame);
            let least = e.lines.iter().map(|&l| course.at_rest(frame, l));
            let rests = size(&v) <= least.fold(0.0, f64::max);
            (!course.arrested[k] && !rests).then(|| v.iter().map(|x| x / size(&v)).collect())
        });
        Question {
            frame,
            jump: false,
            touching: touching.collect(),
            moving: moving.collect(),
            elastic: true,
            forbidden,
        }
    }

    /// The quantities a little later, with constant accelerations until then.
    fn frame_ahead(&self, course: &Course, change: &[f64], h: f64) -> Option<Frame> {
        let n = self.quantities.dimension;
        let mut state = course.state.clone();
        for i in 0..n {
            state[i] += h * (course.state[n + i] + 0.5 * h * change[i]);
            state[n + i] += h * change[i];
        }
        Frame::new(self.quantities, course.time + h, &state)
    }

    /// The answer that remains one a little later, among several that are the same motion at an instant.
    fn told_apart(&self, course: &Course, options: &Options, list: &[Answer]) -> usize {
        let span = options.to - options.from;
        for ahead in AHEAD {
            let h = ahead * span;
            let mut good = Vec::new();
            for (k, a) in list.iter().enumerate() {
                let Some(frame) = self.frame_ahead(course, &a.change, h) else {
                    continue;
                };
                let mut q = self.question(course, &frame, &[]);
                // Only the inequalities of the mode count.
                q.moving.fill(None);
                for (t, touch) in q.touching.iter_mut().zip(&a.mode.touches) {
                    *t = *touch == Touch::Closed;
                }
                if solve::remains(&q, a) {
                    good.push(k);
                }
            }
            if let [one] = good.as_slice() {
                return *one;
            }
            if let Some(first) = good.first().filter(|_| good.len() < list.len()) {
                return *first;
            }
        }
        0
    }

    /// Notes for the sensitivities that a mode has ended.
    fn end_of_mode(&self, course: &mut Course, end: End, mode: &Mode) -> Result<(), Error> {
        let Some(mut track) = course.track.take() else {
            return Ok(());
        };
        let frame = self.frame(course.time, &course.state)?;
        let mut others = Vec::new();
        for (k, c) in frame.contacts.iter().enumerate() {
            let near = c.gap <= TOUCHING * gap_scale(&frame, k, &course.state);
            let hits = frame.lines[c.line].velocity < -course.at_rest(&frame, c.line);
            if mode.touches[k] == Touch::Open && near && hits {
                others.push(Guard::Gap(k));
            }
        }
        for (k, e) in frame.elements.iter().enumerate() {
            if let (Grip::Slip(_), [l]) = (mode.grips[k], e.lines.as_slice())
                && frame.lines[*l].velocity.abs() <= course.at_rest(&frame, *l)
            {
                others.push(Guard::Slip(k));
            }
        }
        others.retain(|g| End::Guard(*g) != end);
        let s = track.slopes(self.quantities, course.time, &course.state)?;
        let at = (course.begun, course.time, &course.state[..]);
        track.end(&s, end, mode, &others, at)?;
        course.track = Some(track);
        Ok(())
    }

    /// Notes for the sensitivities that an event with a jump was reached.
    fn begin_jump(&self, course: &mut Course, event: usize, mode: &Mode) -> Result<(), Error> {
        match self.jumps.iter().position(|j| j.event == event) {
            Some(k) => self.end_of_mode(course, End::Jump(k), mode),
            None => Ok(()),
        }
    }

    /// Notes why a mode ended.
    fn leave(&self, course: &mut Course, guard: Guard, mode: &Mode) -> Result<(), Error> {
        self.end_of_mode(course, End::Guard(guard), mode)?;
        course.forbidden.clear();
        match guard {
            Guard::Gap(k) => course.pressed[k] = true,
            Guard::Pressure(k) => course.forbidden.push(Forbidden::Closed(k)),
            Guard::Limit(k) => course.forbidden.push(Forbidden::Stick(k)),
            Guard::Sign(k) => course.forbidden.push(Forbidden::Sign(k, mode.signs[k])),
            Guard::Size(k) => return Err(self.negative_limit(course, k)),
            Guard::Slip(k) => {
                if mode.grips[k] == Grip::Glide {
                    self.stop_gliding(course, k, mode)?;
                }
                course.arrested[k] = true;
            }
        }
        Ok(())
    }

    /// Goes the rest of the way, a straight line, to the instant at which an element with two components is at rest.
    fn stop_gliding(&self, course: &mut Course, k: usize, mode: &Mode) -> Result<(), Error> {
        let frame = self.frame(course.time, &course.state)?;
        let question = self.question(course, &frame, &[]);
        if question.moving[k].is_none() {
            // What is left is rounding.
            return Ok(());
        }
        let list = solve::answers(&question).map_err(why)?;
        let Some(answer) = list.iter().find(|a| a.mode.grips[k] == mode.grips[k]) else {
            return Ok(());
        };
        let e = &frame.elements[k];
        let v = e.velocity(&frame);
        let rate: f64 = (e.lines.iter().zip(&v))
            .map(|(&l, v)| answer.results[l] * v)
            .sum::<f64>()
            / size(&v);
        if rate < 0.0 {
            course.advance(-size(&v) / rate, &answer.change);
        }
        Ok(())
    }
}

/// The equations of a mode with the values of the inputs behind the state.
fn closed(problem: &Arc<ModeProblem>, fixed: &[f64]) -> Arc<ModeProblem> {
    match fixed {
        [] => problem.clone(),
        values => Arc::new(problem.with_fixed(values)),
    }
}

/// The error of a question without an answer.
fn why(none: NoAnswer) -> Error {
    match none {
        NoAnswer::NotUnique => Error::ContactNotUnique,
        NoAnswer::TooMany => Error::TooManyContacts,
    }
}

fn size(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The scale of a gap: the size of its terms.
fn gap_scale(frame: &Frame, contact: usize, state: &[f64]) -> f64 {
    let row = &frame.lines[frame.contacts[contact].line].row;
    let terms = row.iter().zip(state).map(|(r, x)| (r * x).abs());
    let steep = row.iter().fold(0.0_f64, |m, r| m.max(r.abs()));
    terms.sum::<f64>().max(1e-3 * steep)
}

/// Removes the row that a part writes at its end, unless it was asked for.
fn drop_last_row(run: &mut Run, options: &Options, before: u64) {
    if matches!(options.record, Record::Every(_) | Record::At(_)) {
        let asked = run.handover.rows.saturating_sub(before);
        run.rows.truncate(asked as usize);
    }
}

impl Course {
    /// At the start of a run.
    fn new(quantities: &ContactQuantities, time: f64, state: &[f64]) -> Self {
        Self {
            time,
            origin: time,
            begun: time,
            state: state.to_vec(),
            pressed: vec![false; quantities.contacts.len()],
            arrested: vec![false; quantities.elements.len()],
            forbidden: vec![],
            fastest: vec![],
            strongest: vec![],
            defect: 0.0,
            record: ContactRecord::default(),
            accumulation: Accumulation::default(),
            track: None,
        }
    }

    /// Goes a short way with constant accelerations.
    fn advance(&mut self, h: f64, accelerations: &[f64]) {
        let n = accelerations.len();
        for i in 0..n {
            self.state[i] += h * (self.state[n + i] + 0.5 * h * accelerations[i]);
            self.state[n + i] += h * accelerations[i];
        }
        self.time += h;
    }

    fn note_velocities(&mut self, frame: &Frame) {
        self.fastest.resize(frame.lines.len(), 0.0);
        self.strongest.resize(frame.lines.len(), 0.0);
        for (k, f) in self.fastest.iter_mut().enumerate() {
            *f = f.max(frame.largest_rate(k));
        }
        for (k, a) in self.strongest.iter_mut().enumerate() {
            *a = a.max(frame.largest_pull(k));
        }
    }

    /// The velocity along a line that counts as zero.
    fn at_rest(&self, frame: &Frame, line: usize) -> f64 {
        let known = self.fastest.get(line).copied().unwrap_or(0.0);
        let pull = self.strongest.get(line).copied().unwrap_or(0.0);
        let gained = pull * (self.time - self.origin).abs();
        (AT_REST * known.max(frame.largest_rate(line))).max(VELOCITY_ROUNDING * gained)
    }
}
