//! Certified runs: steps, switching surfaces and events one after the other.

use galilei_expr::{Ball, Fail, Interval};

use crate::flow::{Flow, Obstacle, Step};
use crate::jets::{Branch, Equations};
use crate::set::Set;
use crate::tape::Reg;
use crate::zeros::{Curve, Zero};

/// The largest number of steps of a certified run.
const MAX_STEPS: usize = 200_000;
/// The shortest step, as a part of the run.
const MIN_STEP_PART: f64 = 1e-10;
/// The shortest step across a switching surface, as a part of the run.
const MIN_CROSSING_PART: f64 = 1e-17;
/// Doublings of a step across a switching surface.
const MAX_DOUBLINGS: usize = 30;
/// Attempts to end a step where the signs of all events are certain.
const MAX_ENDS: usize = 24;

/// An event that a certified run watches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watch {
    pub(crate) register: Reg,
    /// The direction of crossings that count along the run: 1, −1, or 0 for both.
    pub(crate) direction: i32,
    pub(crate) terminal: bool,
    /// Whether the event function vanishes exactly at the start.
    pub(crate) zero_at_start: bool,
}

/// A crossing of an event.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) event: usize,
    /// The time.
    pub(crate) time: Interval,
    /// The state then.
    pub(crate) state: Vec<Interval>,
    /// Whether it is proved to happen, once, at that time; otherwise it may happen or not.
    pub(crate) certain: bool,
}

/// The end of a certified run.
pub(crate) struct Outcome<const N: usize> {
    /// The states that the motion may have reached, at the last time that is certified.
    pub(crate) set: Set<N>,
    pub(crate) found: Vec<Found>,
    /// The terminal event that ended the run.
    pub(crate) ended: Option<usize>,
    /// Why the run was not certified to its end.
    pub(crate) obstacle: Option<Obstacle>,
    pub(crate) steps: usize,
    pub(crate) rejected: usize,
}

/// The settings of a certified run.
pub(crate) struct Course<const N: usize> {
    pub(crate) to: Ball<N>,
    pub(crate) tolerance: f64,
    pub(crate) order: usize,
    pub(crate) groups: Vec<usize>,
}

fn sign(x: Interval) -> Option<i32> {
    match x {
        _ if x.low() > 0.0 => Some(1),
        _ if x.high() < 0.0 => Some(-1),
        _ => None,
    }
}

struct Driver<'e, 'w, const N: usize> {
    flow: Flow<'e, N>,
    watch: &'w [Watch],
    /// 1, or −1 for runs backwards in time.
    direction: i32,
    span: f64,
    found: Vec<Found>,
}

/// Carries a set along the motion.
pub(crate) fn run<const N: usize>(
    equations: &Equations,
    watch: &[Watch],
    course: Course<N>,
    start: Set<N>,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Result<Outcome<N>, Fail> {
    let registers = watch.iter().map(|w| w.register).collect();
    let distance = course.to.sub(&start.time);
    let mut driver = Driver {
        flow: Flow::new(equations, registers, course.groups, course.order)?,
        watch,
        direction: if distance.to_f64() < 0.0 { -1 } else { 1 },
        span: distance.magnitude(),
        found: vec![],
    };
    let mut out = Outcome {
        set: start,
        found: vec![],
        ended: None,
        obstacle: None,
        steps: 0,
        rejected: 0,
    };
    let mut caution = 1.0;
    // Switching functions that the motion is about to cross.
    let mut near = vec![false; equations.tape.switches.len()];
    while out.set.time != course.to {
        if !progress(out.set.time.to_f64()) {
            out.obstacle = Some(Obstacle::Interrupted);
            break;
        }
        if out.steps >= MAX_STEPS {
            out.obstacle = Some(Obstacle::TooManySteps);
            break;
        }
        let next = driver.next(
            &out.set,
            &course.to,
            course.tolerance,
            (&mut caution, &mut near, &mut out.rejected),
            out.steps == 0,
        );
        match next {
            Ok(Next { set, ended }) => {
                out.steps += 1;
                out.set = set;
                out.ended = ended;
                if ended.is_some() {
                    break;
                }
            }
            Err(obstacle) => {
                out.obstacle = Some(obstacle);
                break;
            }
        }
    }
    out.found = driver.found;
    Ok(out)
}

/// The set at the end of a step.
struct Next<const N: usize> {
    set: Set<N>,
    ended: Option<usize>,
}

impl<const N: usize> Driver<'_, '_, N> {
    fn next(
        &mut self,
        set: &Set<N>,
        to: &Ball<N>,
        tolerance: f64,
        (caution, near, rejected): (&mut f64, &mut Vec<bool>, &mut usize),
        first: bool,
    ) -> Result<Next<N>, Obstacle> {
        let time = set.time.to_interval();
        let branches = self
            .flow
            .branches(time, &set.bounds)
            .map_err(|_| Obstacle::Undefined)?;
        for (near, branch) in near.iter_mut().zip(&branches) {
            *near |= *branch == Branch::Either;
        }
        if near.contains(&true) {
            let next = self.cross(set, to, &branches, near, first);
            near.fill(false);
            return next;
        }
        let series = self
            .flow
            .series(set, &branches)
            .map_err(|_| Obstacle::Undefined)?;
        let left = to.sub(&set.time);
        let estimate = self.flow.estimate(&series, tolerance);
        let length = self.length(set, &left, *caution * estimate);
        let wanted = length.magnitude();
        let mut step = self
            .flow
            .step(set, series, &branches, length, tolerance, rejected)?;
        // The next step starts from the part of the estimate that worked, and a little more.
        let taken = step.length.magnitude();
        *caution = match taken < wanted {
            true => (taken / estimate).clamp(1e-3, 1.0),
            false => (*caution * 1.15).min(1.0),
        };
        if taken < MIN_STEP_PART * self.span && taken < left.magnitude() {
            return Err(Obstacle::NoEnclosure);
        }
        self.end_before_surfaces(&mut step, &branches, near)?;
        self.end_between_events(set, &mut step, to);
        let zeros = self.zeros(&step, first);
        for (event, zero) in zeros {
            let watch = self.watch[event];
            let along = zero.slope.map(|s| s * self.direction);
            if along.is_some_and(|s| watch.direction != 0 && s != watch.direction) {
                continue;
            }
            let after = Ball::of_interval(zero.at).ok_or(Obstacle::NoEnclosure)?;
            let then = self
                .flow
                .at(set, &step, &after)
                .ok_or(Obstacle::NoEnclosure)?;
            let certain = zero.slope.is_some();
            if watch.terminal && !certain {
                return Err(Obstacle::Event(event));
            }
            self.found.push(Found {
                event,
                time: then.time.to_interval(),
                state: then.bounds.clone(),
                certain,
            });
            if watch.terminal {
                return Ok(Next {
                    set: then,
                    ended: Some(event),
                });
            }
        }
        let mut end = self
            .flow
            .at(set, &step, &step.length)
            .ok_or(Obstacle::NoEnclosure)?;
        if step.length == left {
            end.time = *to;
        }
        Ok(Next {
            set: end,
            ended: None,
        })
    }

    /// The length of a step of about a size, which ends at a double or at the end of the run.
    fn length(&self, set: &Set<N>, left: &Ball<N>, size: f64) -> Ball<N> {
        let rest = left.magnitude();
        if size >= rest {
            return *left;
        }
        let size = if size > 0.5 * rest { 0.5 * rest } else { size };
        let signed = size * f64::from(self.direction);
        let next = Ball::exact(set.time.to_f64() + signed).unwrap_or(Ball::ZERO);
        let length = next.sub(&set.time);
        match length.proven_sign() == Some(self.direction) && length.magnitude() < rest {
            true => length,
            false => Ball::exact(signed).unwrap_or(*left),
        }
    }

    /// Shortens a step so that no switching function vanishes on it, and notes which one is next.
    fn end_before_surfaces(
        &self,
        step: &mut Step<N>,
        branches: &[Branch],
        near: &mut [bool],
    ) -> Result<(), Obstacle> {
        for (k, branch) in branches.iter().enumerate() {
            let wanted = if *branch == Branch::Positive { 1 } else { -1 };
            if sign(step.switches[k]) == Some(wanted) {
                continue;
            }
            let curve = Curve {
                coefficients: &step.switching[k],
            };
            let whole = step.length.to_interval();
            let end = if self.direction > 0 {
                whole.high()
            } else {
                whole.low()
            };
            let clear = curve.clear_until(end);
            if clear == end {
                continue;
            }
            near.fill(false);
            near[k] = true;
            if clear == 0.0 {
                // Nothing of the step is left: the surface is crossed from its start.
                step.length = Ball::ZERO;
                return Ok(());
            }
            step.length = Ball::exact(clear).ok_or(Obstacle::NoEnclosure)?;
        }
        Ok(())
    }

    /// Shortens a step so that events have certain signs at its end, unless that is the end of the run.
    fn end_between_events(&self, set: &Set<N>, step: &mut Step<N>, to: &Ball<N>) {
        for _ in 0..MAX_ENDS {
            if set.time.add(&step.length) == *to || step.length == to.sub(&set.time) {
                return;
            }
            let end = step.length.to_interval();
            let undecided = |(curve, span): (&Vec<Interval>, &Interval)| {
                let curve = Curve {
                    coefficients: curve,
                };
                sign(*span).is_none() && sign(curve.value(end)).is_none()
            };
            if !step.watched.iter().zip(&step.spans).any(undecided) {
                return;
            }
            step.length = Ball::exact(0.83 * step.length.to_f64()).unwrap_or(step.length);
        }
    }

    /// The zeros of all events during a step, in time order.
    fn zeros(&self, step: &Step<N>, first: bool) -> Vec<(usize, Zero)> {
        let whole = step.length.to_interval();
        let end = if self.direction > 0 {
            whole.high()
        } else {
            whole.low()
        };
        let mut list = vec![];
        for (k, coefficients) in step.watched.iter().enumerate() {
            if sign(step.spans[k]).is_some() {
                continue;
            }
            let leaves = first && self.watch[k].zero_at_start;
            let zeros = Curve { coefficients }.zeros(end, leaves);
            list.extend(zeros.into_iter().map(|z| (k, z)));
        }
        let time = |z: &(usize, Zero)| z.1.at.middle() * f64::from(self.direction);
        list.sort_by(|a, b| time(a).total_cmp(&time(b)));
        list
    }

    /// A step across the switching surfaces that are near, by the hull of both branches: transversally, or not at all.
    fn cross(
        &mut self,
        set: &Set<N>,
        to: &Ball<N>,
        branches: &[Branch],
        near: &[bool],
        first: bool,
    ) -> Result<Next<N>, Obstacle> {
        let switches = self.flow.equations.tape.switches.clone();
        let hulls: Vec<Branch> = branches
            .iter()
            .zip(near)
            .map(|(b, near)| if *near { Branch::Either } else { *b })
            .collect();
        let time = set.time.to_interval();
        self.flow
            .values(time, &set.bounds, &hulls, true)
            .map_err(|_| Obstacle::Grazing)?;
        let before: Vec<Interval> = self
            .watch
            .iter()
            .map(|w| self.flow.register(w.register).0)
            .collect();
        let mut length = MIN_CROSSING_PART * self.span;
        let mut sides = vec![0; switches.len()];
        for k in (0..switches.len()).filter(|k| near[*k]) {
            let (value, rate) = self.flow.register(switches[k]);
            let side = sign(rate).ok_or(Obstacle::Grazing)? * self.direction;
            if sign(value) == Some(side) {
                // The motion leaves a surface that it was thought to cross.
                return Err(Obstacle::Grazing);
            }
            let slowest = rate.low().abs().min(rate.high().abs());
            length = length.max(2.0 * value.magnitude() / slowest);
            sides[k] = side;
        }
        let left = to.sub(&set.time).magnitude();
        for _ in 0..MAX_DOUBLINGS {
            if length >= left {
                return Err(Obstacle::Grazing);
            }
            let signed = length * f64::from(self.direction);
            length *= 2.0;
            let Some(crossing) = self.flow.crossing(set, &hulls, signed) else {
                return Err(Obstacle::Grazing);
            };
            for k in 0..switches.len() {
                let (value, rate) = crossing.switches[k];
                let certain = match near[k] {
                    // Monotone: the surface is crossed once.
                    true => sign(rate) == Some(sides[k] * self.direction),
                    false => sign(value).is_some(),
                };
                if !certain {
                    return Err(Obstacle::Grazing);
                }
            }
            let end = crossing.set.time.to_interval();
            let bounds = crossing.set.bounds.clone();
            if self.flow.values(end, &bounds, &hulls, false).is_err() {
                return Err(Obstacle::Grazing);
            }
            let arrived =
                |k: usize| !near[k] || sign(self.flow.register(switches[k]).0) == Some(sides[k]);
            if !(0..switches.len()).all(arrived) {
                continue;
            }
            let after: Vec<Interval> = self
                .watch
                .iter()
                .map(|w| self.flow.register(w.register).0)
                .collect();
            let during = time.hull(end);
            let mut ended = None;
            let mut retry = false;
            let mut found = vec![];
            for (event, watch) in self.watch.iter().enumerate() {
                let (value, rate) = crossing.watched[event];
                if sign(value).is_some() {
                    continue;
                }
                let rising = sign(rate).map(|s| s * self.direction);
                let certain = match (sign(before[event]), sign(after[event]), rising) {
                    _ if first && watch.zero_at_start && rising.is_some() => continue,
                    (Some(a), Some(b), Some(_)) if a == b => continue,
                    (Some(_), Some(_), Some(_)) => true,
                    (_, None, Some(_)) => {
                        retry = true;
                        continue;
                    }
                    _ => false,
                };
                if certain && watch.direction != 0 && rising != Some(watch.direction) {
                    continue;
                }
                if watch.terminal && !certain {
                    return Err(Obstacle::Event(event));
                }
                found.push(Found {
                    event,
                    time: during,
                    state: crossing.tube.clone(),
                    certain,
                });
                if watch.terminal {
                    ended = Some(event);
                }
            }
            if retry {
                continue;
            }
            self.found.extend(found);
            let mut set = crossing.set;
            if ended.is_some() {
                // The event happens at some time during the step.
                set.bounds = crossing.tube;
                set.time = Ball::of_interval(during).ok_or(Obstacle::NoEnclosure)?;
            }
            return Ok(Next { set, ended });
        }
        Err(Obstacle::Grazing)
    }
}
