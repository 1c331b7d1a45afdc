//! What is known of the motion in one lane beside its numbers.

use crate::Ledger;
use crate::problem::{Crossing, Run, Status, Stop};
use crate::project::Projection;
use crate::record::Watch;
use crate::roots::roots_in;
use crate::sides::Sides;
use crate::sum::Compensated;
use crate::trail::Trail;

use super::control::{DEFECT, LARGEST, LENGTH, RADIUS, RESIDUAL};
use super::layout::{LOST, SCALE, START};
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
pub(super) struct Lane<'e, 't> {
    pub(super) sides: Sides<'e, 't>,
    /// The kink that the step ends at, after how much of a step of which length.
    pub(super) flipped: Option<(usize, f64, f64)>,
    watch: Watch<'e, 't>,
    projection: Projection<'e, 't>,
    time: Compensated,
    from: f64,
    to: f64,
    /// Whether this is the first step.
    first: bool,
    /// Whether the state was just brought back to the constraints.
    projected: bool,
    /// The event that ends the motion.
    ended: Option<usize>,
    defect: f64,
    largest: f64,
    residual: f64,
    steps: usize,
    evaluations: usize,
    projections: usize,
    crossings: Vec<Crossing>,
    order: usize,
    constrained: bool,
}

impl<'e, 't> Lane<'e, 't> {
    pub(super) fn new(e: &'e Taylor<'t>) -> Self {
        Self {
            sides: Sides::new(&e.problem, 1.0),
            flipped: None,
            watch: Watch::over(&e.problem, 0.0, 1.0),
            projection: Projection::new(&e.problem, e.tolerance),
            time: Compensated::default(),
            from: 0.0,
            to: 0.0,
            first: true,
            projected: false,
            ended: None,
            defect: 0.0,
            largest: 0.0,
            residual: 0.0,
            steps: 0,
            evaluations: 0,
            projections: 0,
            crossings: vec![],
            order: e.layout.order,
            constrained: !e.problem.residuals.is_empty(),
        }
    }

    /// A new motion from a state (t, x, u and what is fixed).
    pub(super) fn begin(
        &mut self,
        e: &'e Taylor<'t>,
        start: &Start,
        state: &[f64],
    ) -> Result<(), Stop> {
        let sign = if start.to >= start.from { 1.0 } else { -1.0 };
        self.flipped = None;
        if !e.problem.events.is_empty() {
            self.watch = Watch::over(&e.problem, start.from, start.to);
        }
        self.time = Compensated::new(start.from);
        (self.from, self.to) = (start.from, start.to);
        (self.first, self.projected, self.ended) = (true, false, None);
        (self.defect, self.largest, self.residual) = (0.0, 0.0, 0.0);
        (self.steps, self.evaluations, self.projections) = (0, 0, 0);
        self.sides.restart(sign);
        self.evaluations += self.sides.choose(state)?;
        Ok(())
    }

    fn sign(&self) -> f64 {
        if self.to >= self.from { 1.0 } else { -1.0 }
    }

    /// A step was taken; the time after it.
    pub(super) fn moved(&mut self, h: f64) -> f64 {
        if h == self.time.from(self.to) {
            self.time = Compensated::new(self.to);
        } else {
            self.time.add(h);
        }
        self.steps += 1;
        self.projected = false;
        self.sides.fresh.fill(false);
        self.time.high
    }

    /// Goes over the kink that the step ended at.
    pub(super) fn cross(&mut self, state: &[f64]) -> Result<(), Stop> {
        if let Some((k, part, length)) = self.flipped.take() {
            self.evaluations += self.sides.cross(k, part, length, state)?;
        }
        Ok(())
    }

    /// The motion as a run.
    pub(super) fn close(&mut self, status: Status, state: &[f64], outputs: Vec<f64>) -> Run {
        let scale = if self.largest > 0.0 {
            self.largest
        } else {
            1.0
        };
        Run {
            status,
            time: state[0],
            state: state[1..].to_vec(),
            momenta: vec![],
            outputs,
            rows: vec![],
            crossings: std::mem::take(&mut self.crossings),
            steps: self.steps,
            rejected: 0,
            evaluations: self.evaluations,
            energy_balance: self.defect / scale,
            constraint_residual: self.constrained.then_some(self.residual),
            ledger: Ledger::default(),
            projections: self.projections,
            order: self.order,
            trail: Trail::default(),
        }
    }
}

impl Motions<'_, '_> {
    #[inline]
    fn control(&self, what: usize, l: usize) -> f64 {
        self.found[what * self.code.lanes + l]
    }

    /// What a lane does next, when its series are there.
    pub(super) fn decide(&mut self, l: usize) -> Next {
        match self.next(l) {
            Ok(next) => next,
            Err(stop) => Next::End(Status::Failed(stop)),
        }
    }

    #[inline]
    fn next(&mut self, l: usize) -> Result<Next, Stop> {
        let e = self.code;
        self.lanes[l].evaluations += 1;
        let sound = self.row(e.layout.guard(), l) > 0.0;
        // A radius that is no number may come from series that are not finite.
        let reduced = e.problem.rates.reduced_for(&e.wanted).is_some() && sound;
        if !sound || self.control(RADIUS, l).is_nan() {
            self.pivot(l)?;
        }
        if !e.problem.levels.is_empty() && !self.lanes[l].projected && self.is_off(l) {
            let solved = reduced.then(|| {
                let velocities = (0..e.layout.n).map(|i| e.layout.velocity(0, i));
                velocities.map(|row| self.row(row, l)).collect::<Vec<f64>>()
            });
            if self.project(l, solved.as_deref()) {
                return Ok(Next::Again);
            }
        }
        self.balance(l);
        let lane = &self.lanes[l];
        if let Some(k) = lane.ended {
            return Ok(Next::End(Status::Event(k)));
        }
        let (left, sign) = (lane.time.from(lane.to), lane.sign());
        if left * sign <= 0.0 {
            return Ok(Next::End(Status::Finished));
        }
        if lane.steps >= e.max_steps {
            return Err(Stop::TooManySteps);
        }
        let (mut radius, mut size) = (self.control(RADIUS, l), self.control(LENGTH, l));
        if !(radius > 0.0 && radius < f64::INFINITY) {
            radius = self.radius(l);
            size = radius * e.terms.shrink;
        }
        if radius.is_finite() {
            self.set(SCALE, l, radius);
        }
        let time = self.lanes[l].time.high.abs();
        if size < 1e-14 * time.max(1e-300) || size == 0.0 {
            return Err(Stop::StepUnderflow);
        }
        let length = size.min(left.abs());
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

    /// The balance at the start of a step.
    #[inline]
    fn balance(&mut self, l: usize) {
        let [defect, largest, residual] = [DEFECT, LARGEST, RESIDUAL].map(|w| self.control(w, l));
        if self.lanes[l].first {
            let energy = self.row(self.code.layout.value(0), l);
            self.set(START, l, energy);
        }
        let lane = &mut self.lanes[l];
        if !lane.first {
            lane.defect = lane.defect.max(defect);
        }
        lane.first = false;
        lane.largest = lane.largest.max(largest);
        lane.residual = lane.residual.max(residual);
    }

    /// Whether a state is too far from the constraints.
    fn is_off(&self, l: usize) -> bool {
        let e = self.code;
        let residuals: Vec<f64> = (0..e.terms.residuals)
            .map(|r| self.row(e.layout.value(1 + e.terms.scales + r), l))
            .collect();
        self.lanes[l].projection.needed(&residuals)
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
        let lane = &mut self.lanes[l];
        let (time, sides) = (lane.time.high, lane.sides.list.clone());
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

    /// Reports the events within a step; the step, shortened if one of them ends the motion.
    fn watch(&mut self, l: usize, h: f64, left: f64) -> f64 {
        // A little beyond the end, so that nothing between two steps is missed.
        let reach = if h == left { h } else { h * (1.0 + 1e-9) };
        let mut found: Vec<(f64, usize)> = Vec::new();
        for k in 0..self.code.problem.events.len() {
            for (s, direction) in roots_in(&self.scaled(self.code.events + k, l, reach)) {
                let lane = &self.lanes[l];
                if lane.watch.admits(k, &lane.time, s * reach, direction, h) {
                    found.push((s * reach, k));
                }
            }
        }
        if found.is_empty() {
            return h;
        }
        let (e, rows, lane) = (self.code, &self.rows, &mut self.lanes[l]);
        let ended = lane
            .watch
            .report(found, &lane.time, &mut lane.crossings, |tau| {
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
