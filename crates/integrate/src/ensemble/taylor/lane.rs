//! What is known of the motion in one lane beside its numbers.

use crate::Ledger;
use crate::branch::{Branch, Branches, touched_to};
use crate::problem::{Crossing, Run, Status, Stop};
use crate::project::Projection;
use crate::record::Watch;
use crate::roots::{located_to, roots_in, touches_in, trusted};
use crate::sides::Sides;
use crate::sum::Compensated;
use crate::taylor::{POWER, SHORTEN, SHORTEST, defect_limits};
use crate::trail::Trail;
use crate::work::SHORTEST_PART;

use super::control::{DONE, LENGTH, RADIUS, WORKABLE};
use super::layout::{
    DEFECT, END, LARGEST, LAST, LIMIT, LONGEST, LOST, RESIDUAL, SCALE, SIGN, START, STEPS,
    TIME_LOST, UNBALANCED,
};
use super::{Motions, Start, Taylor};

/// What a lane does next.
pub(super) enum Next {
    /// A step of this length.
    Step(f64),
    /// Its series once more.
    Again,
    /// Nothing: the motion has ended.
    End(Status),
}

/// The motion in one lane.
pub(super) struct Lane<'e> {
    pub(super) sides: Sides<'e>,
    /// The kink that the step ends at, after how much of a step of which length.
    pub(super) flipped: Option<(usize, f64, f64)>,
    watch: Watch<'e>,
    projection: Projection<'e>,
    branches: Branches,
    /// Whether the state was just brought back to the constraints.
    projected: bool,
    /// Whether the last step needs no check any more: it was checked, or ended at a kink.
    checked: bool,
    /// Events that were reported in the last step, and when each had been seen before.
    reported: Option<(usize, Watch<'e>)>,
    rejected: usize,
    /// The event that ends the motion.
    ended: Option<usize>,
    /// Series that were computed without a step after them.
    evaluations: usize,
    projections: usize,
    crossings: Vec<Crossing>,
    order: usize,
    /// x and u are so many numbers.
    moving: usize,
    constrained: bool,
}

impl<'e> Lane<'e> {
    pub(super) fn new(e: &'e Taylor) -> Self {
        Self {
            sides: Sides::new(&e.problem, 1.0),
            flipped: None,
            watch: Watch::over(&e.problem, 0.0, 1.0),
            projection: Projection::new(&e.problem, e.tolerance),
            branches: Branches::new(&e.problem, 0.0),
            projected: false,
            checked: true,
            reported: None,
            rejected: 0,
            ended: None,
            evaluations: 0,
            projections: 0,
            crossings: vec![],
            order: e.layout.order,
            moving: 2 * e.layout.n,
            constrained: !e.problem.residuals.is_empty(),
        }
    }

    /// A new motion from a state (t, x, u and what is fixed).
    pub(super) fn begin(
        &mut self,
        e: &'e Taylor,
        start: &Start,
        state: &[f64],
    ) -> Result<(), Stop> {
        let sign = if start.to >= start.from { 1.0 } else { -1.0 };
        self.flipped = None;
        if !e.problem.events.is_empty() {
            self.watch = Watch::over(&e.problem, start.from, start.to);
            self.branches = Branches::new(&e.problem, start.from);
        }
        self.projection.restart();
        (self.projected, self.ended) = (false, None);
        (self.checked, self.reported, self.rejected) = (true, None, 0);
        (self.evaluations, self.projections) = (0, 0);
        self.sides.restart(sign);
        self.evaluations += self.sides.choose(state)?;
        Ok(())
    }

    /// A step was taken.
    pub(super) fn moved(&mut self) {
        self.projected = false;
        self.checked = self.flipped.is_some();
        self.sides.fresh.fill(false);
    }

    /// Goes over the kink that the step ended at, and reports events that jump there.
    pub(super) fn cross(&mut self, state: &[f64], time: &Compensated) -> Result<(), Stop> {
        let Some((k, part, length)) = self.flipped.take() else {
            return Ok(());
        };
        let before = self.sides.events(state);
        self.evaluations += self.sides.cross(k, part, length, state)?;
        let found = match self.sides.is_cut(k) {
            true => vec![],
            false => {
                let after = self.sides.events(state);
                self.watch.jumps(&before, &after, time, length)
            }
        };
        let moving = state[1..=self.moving].to_vec();
        let crossings = &mut self.crossings;
        let ended = self
            .watch
            .report(found, time, crossings, |_| moving.clone());
        self.ended = ended.map(|(_, k)| k);
        Ok(())
    }
}

impl Motions<'_> {
    #[inline]
    fn control(&self, what: usize, l: usize) -> f64 {
        self.found[what * self.code.lanes + l]
    }

    /// What a lane does next, when its series are there.
    pub(super) fn decide(&mut self, l: usize) -> Next {
        let next = match self.next(l) {
            Ok(next) => next,
            Err(stop) => Next::End(self.failed(l, stop)),
        };
        if !matches!(next, Next::Step(_)) {
            self.lanes[l].evaluations += 1;
        }
        next
    }

    #[inline]
    fn next(&mut self, l: usize) -> Result<Next, Stop> {
        let e = self.code;
        let sound = self.row(e.layout.guard(), l) > 0.0;
        // A radius that is no number may come from series that are not finite.
        let reduced = e.problem.rates.reduced_for(&e.wanted).is_some() && sound;
        if (!sound || self.control(RADIUS, l).is_nan())
            && let Err(stop) = self.pivot(l)
        {
            let shortest = SHORTEST * self.time(l).high.abs().max(1e-300);
            let shorter = SHORTEN * self.row(LAST, l).abs();
            return match !self.lanes[l].checked && shorter > shortest {
                true => self.reject(l),
                false => Err(stop),
            };
        }
        if !self.lanes[l].checked {
            if !self.is_balanced(l) {
                return self.reject(l);
            }
            self.lanes[l].checked = true;
            self.lanes[l].reported = None;
        }
        self.see_branches(l);
        if !e.problem.levels.is_empty() && !self.lanes[l].projected && self.is_off(l) {
            let solved = reduced.then(|| {
                let velocities = (0..e.layout.n).map(|i| e.layout.velocity(0, i));
                velocities.map(|row| self.row(row, l)).collect::<Vec<f64>>()
            });
            if self.project(l, solved.as_deref()) {
                if self.row(STEPS, l) > 0.0 && self.lanes[l].projection.was_far() {
                    return Err(Stop::LeftConstraints);
                }
                return Ok(Next::Again);
            }
        }
        self.balance(l);
        if let Some(k) = self.lanes[l].ended {
            return Ok(Next::End(Status::Event(k)));
        }
        if let Some(k) = self.lanes[l].branches.reached() {
            return Ok(Next::End(self.branched(l, k)));
        }
        let time = self.time(l);
        let (left, sign) = (time.from(self.row(END, l)), self.row(SIGN, l));
        if left * sign <= 0.0 {
            return Ok(Next::End(Status::Finished));
        }
        if self.row(STEPS, l) >= e.terms.most {
            return Err(Stop::TooManySteps);
        }
        let (mut radius, mut size) = (self.control(RADIUS, l), self.control(LENGTH, l));
        if !(radius > 0.0 && radius < f64::INFINITY) {
            radius = self.radius(l);
            size = radius * e.terms.shrink;
        }
        if let Some(rule) = &e.terms.work {
            let mut longest = self.control(WORKABLE, l);
            if self.row(STEPS, l) == 0.0 {
                let power: Vec<f64> = (0..rule.places())
                    .map(|k| self.row(e.layout.wanted(POWER, k), l))
                    .collect();
                longest = rule.first(&power, self.row(LARGEST, l), e.terms.shrink);
                self.set(LONGEST, l, longest);
            }
            size = size.min(longest.max(SHORTEST_PART * size));
        }
        if radius.is_finite() {
            self.set(SCALE, l, radius);
        }
        size = size.min(self.row(LIMIT, l));
        let shortest = SHORTEST * time.high.abs().max(1e-300);
        let length = self.watched(l, size.min(left.abs()));
        if size.min(length) < shortest && length < left.abs() || size == 0.0 {
            return Err(Stop::StepUnderflow);
        }
        let mut h = sign * length;
        if !self.lanes[l].sides.list.is_empty()
            && let Some((k, part)) = self.kink(l, h)
        {
            self.lanes[l].flipped = Some((k, part, length));
            h = sign * part;
        }
        if !e.problem.events.is_empty() {
            h = self.watch(l, h, left);
        }
        Ok(Next::Step(h))
    }

    /// Whether the last step changed the energy by no more than the work done on it and the tolerance allow.
    fn is_balanced(&self, l: usize) -> bool {
        let e = self.code;
        let gained = self.row(e.layout.value(0), l) - self.row(START, l);
        let change = gained - self.control(DONE, l) - self.row(UNBALANCED, l);
        let scales = (1..=e.terms.scales).map(|v| self.row(e.layout.value(v), l).abs());
        let largest = scales.fold(self.row(LARGEST, l), f64::max);
        change.abs() <= defect_limits(e.tolerance)[0] * largest
    }

    /// Goes back to the start of the last step, for a shorter one.
    #[cold]
    fn reject(&mut self, l: usize) -> Result<Next, Stop> {
        let e = self.code;
        let last = self.row(LAST, l).abs();
        for (i, row) in e.layout.moving().enumerate() {
            let before = self.before[i * e.lanes + l];
            self.set(row, l, before);
        }
        self.set(LIMIT, l, SHORTEN * last);
        let lane = &mut self.lanes[l];
        lane.rejected += 1;
        (lane.checked, lane.ended) = (true, None);
        if let Some((count, watch)) = lane.reported.take() {
            lane.crossings.truncate(count);
            lane.watch = watch;
        }
        Ok(Next::Again)
    }

    pub(super) fn time(&self, l: usize) -> Compensated {
        Compensated {
            high: self.row(self.code.layout.inputs, l),
            low: self.row(TIME_LOST, l),
        }
    }

    /// The balance at the start of a step, or at the end.
    fn balance(&mut self, l: usize) {
        let e = self.code;
        let energy = self.row(e.layout.value(0), l);
        if self.row(STEPS, l) == 0.0 {
            self.set(START, l, energy);
        }
        let defect = energy - self.row(START, l) - self.control(DONE, l);
        self.note(DEFECT, l, defect);
        for v in 1..=e.terms.scales {
            self.note(LARGEST, l, self.row(e.layout.value(v), l));
        }
        for v in (1 + e.terms.scales..).take(e.terms.residuals) {
            self.note(RESIDUAL, l, self.row(e.layout.value(v), l));
        }
    }

    /// Keeps the largest size of something.
    fn note(&mut self, row: usize, l: usize, value: f64) {
        let largest = self.row(row, l).max(value.abs());
        self.set(row, l, largest);
    }

    /// The motion of a lane as a run.
    pub(super) fn run(&mut self, l: usize, status: Status) -> Run {
        let n = self.code.layout.n;
        let state = self.state(l);
        let outputs = self.outputs.at(&state, &self.lanes[l].sides.list);
        let [defect, largest, residual] = [DEFECT, LARGEST, RESIDUAL].map(|row| self.row(row, l));
        let steps = self.row(STEPS, l) as usize;
        let lane = &mut self.lanes[l];
        Run {
            status,
            time: state[0],
            state: state[1..=2 * n].to_vec(),
            momenta: vec![],
            outputs,
            rows: vec![],
            crossings: std::mem::take(&mut lane.crossings),
            underflows: vec![],
            steps,
            settled: None,
            rejected: lane.rejected,
            evaluations: steps + lane.evaluations,
            energy_balance: defect / if largest > 0.0 { largest } else { 1.0 },
            constraint_residual: lane.constrained.then_some(residual),
            ledger: Ledger::default(),
            projections: lane.projections,
            order: lane.order,
            trail: Trail::default(),
        }
    }

    /// Whether a state is too far from the constraints.
    fn is_off(&self, l: usize) -> bool {
        let e = self.code;
        let residuals: Vec<f64> = (0..e.terms.residuals)
            .map(|r| self.row(e.layout.value(1 + e.terms.scales + r), l))
            .collect();
        let lane = &self.lanes[l];
        lane.projection
            .needed(&residuals, lane.branches.closeness())
    }

    /// Brings a state back to the constraints, with velocities that satisfy them, where some are known;
    /// whether it moved.
    fn project(&mut self, l: usize, solved: Option<&[f64]>) -> bool {
        let e = self.code;
        let n = e.layout.n;
        let count = e.layout.state - 1;
        let mut state: Vec<Compensated> = (0..count)
            .map(|i| Compensated {
                high: self.row(e.layout.component(i), l),
                low: if i < 2 * n {
                    self.row(LOST + i, l)
                } else {
                    0.0
                },
            })
            .collect();
        let time = self.time(l).high;
        let lane = &mut self.lanes[l];
        let sides = lane.sides.list.clone();
        if !lane.projection.apply(time, &mut state, &sides, solved) {
            return false;
        }
        lane.projections += 1;
        lane.projected = true;
        for (i, c) in state[..2 * n].iter().enumerate() {
            self.set(e.layout.component(i), l, c.high);
            self.set(LOST + i, l, c.low);
        }
        true
    }

    /// A length of the step in which events and kinks are found, too.
    fn watched(&self, l: usize, length: f64) -> f64 {
        let e = self.code;
        let part = located_to(e.tolerance);
        (e.events..e.wanted.series.len()).fold(length, |length, w| {
            trusted(&self.scaled(w, l, 1.0), length, part)
        })
    }

    /// The first kink within a step, and how far it is.
    fn kink(&self, l: usize, h: f64) -> Option<(usize, f64)> {
        let sides = &self.lanes[l].sides;
        let mut first: Option<(usize, f64)> = None;
        for k in 0..sides.list.len() {
            let mut q = self.scaled(self.code.kinks + k, l, h);
            if sides.fresh[k] {
                // What lies at the start is divided out.
                q.remove(0);
            }
            if let Some((s, _)) = roots_in(&q).into_iter().find(|r| r.1 != 0) {
                let part = s * h.abs();
                if s < 1.0 && first.is_none_or(|(_, t)| part < t) {
                    first = Some((k, part));
                }
            }
        }
        first
    }

    /// Where an event vanishes within a length: parts of it with the sign of the change.
    fn zeros(&self, k: usize, l: usize, length: f64) -> Vec<(f64, i8)> {
        let e = self.code;
        let q = self.scaled(e.events + k, l, length);
        match e.problem.events[k].branch {
            Some(Branch::Touched) => touches_in(&q, touched_to(e.tolerance)),
            _ => roots_in(&q),
        }
    }

    /// Looks how near branch points are.
    fn see_branches(&mut self, l: usize) {
        if self.lanes[l].branches.is_empty() {
            return;
        }
        let (e, lanes) = (self.code, self.code.lanes);
        let (time, rows) = (self.time(l).high, &self.rows);
        let value = |k: usize| rows[e.layout.wanted(e.events + k, 0) * lanes + l];
        self.lanes[l].branches.see(time, value);
    }

    /// The end at a branch point.
    fn branched(&mut self, l: usize, k: usize) -> Status {
        let moving = 2 * self.code.layout.n;
        let state = self.state(l);
        self.lanes[l].crossings.push(Crossing {
            event: k,
            time: state[0],
            state: state[1..=moving].to_vec(),
        });
        Status::Event(k)
    }

    /// The end where a motion could not go on: at a branch point, or it has failed.
    #[cold]
    fn failed(&mut self, l: usize, stop: Stop) -> Status {
        let problem = &self.code.problem;
        if let Some(k) = self.lanes[l].ended
            && problem.events[k].branch.is_some()
        {
            return Status::Event(k);
        }
        if !self.lanes[l].branches.is_empty() {
            let state = self.state(l);
            let mut values = vec![0.0; problem.tape.len()];
            let sides = &self.lanes[l].sides.list;
            problem.tape.evaluate(&state, sides, &mut values);
            let value = |k: usize| values[problem.events[k].register as usize];
            self.lanes[l].branches.see(state[0], value);
        }
        match self.lanes[l].branches.behind(stop) {
            Some(k) => self.branched(l, k),
            None => Status::Failed(stop),
        }
    }

    /// Reports the events within a step; the step, shortened if one of them ends the motion.
    fn watch(&mut self, l: usize, h: f64, left: f64) -> f64 {
        // A little beyond the end, so that nothing between two steps is missed.
        let reach = if h == left { h } else { h * (1.0 + 1e-9) };
        let mut found: Vec<(f64, usize)> = Vec::new();
        let time = self.time(l);
        for k in 0..self.code.problem.events.len() {
            for (s, direction) in self.zeros(k, l, reach) {
                let watch = &self.lanes[l].watch;
                if watch.admits(k, &time, s * reach, direction, h) {
                    found.push((s * reach, k));
                }
            }
        }
        if found.is_empty() {
            return h;
        }
        let (e, rows, lane) = (self.code, &self.rows, &mut self.lanes[l]);
        lane.reported = Some((lane.crossings.len(), lane.watch.clone()));
        let ended = lane.watch.report(found, &time, &mut lane.crossings, |tau| {
            e.state_after(rows, l, tau)
        });
        match ended {
            None => h,
            Some((tau, k)) => {
                lane.ended = Some(k);
                lane.flipped = None;
                tau
            }
        }
    }
}
