//! The Taylor integrator.

use galilei_tape::{Op, Reg, Wanted};

use crate::branch::{Branch, Branches, touched_to};
use crate::expansion::{Expansion, classical, order_of, root};
use crate::leap::{Ground, Leap, Settling};
use crate::problem::{Crossing, Options, Problem, Run, Status, Stop};
use crate::project::Projection;
use crate::record::{Balance, Recorder, Watch, started};
use crate::roots::{located_to, roots_in, touches_in, trusted};
use crate::sides::Sides;
use crate::sum::Compensated;
use crate::variation::{Directions, Tangent, Variation, Way};
use crate::work::{SHORTEST_PART, TwoPoint, finest};

/// Σ cₖhᵏ⁺¹/(k+1)
fn integral(c: &[f64], h: f64) -> f64 {
    let n = c.len();
    let mut v = 0.0;
    for k in (0..n).rev() {
        v = v * h + c[k] / (k + 1) as f64;
    }
    v * h
}

/// A problem with the code of its series, for runs of one tolerance.
pub struct Prepared<'t> {
    problem: Problem<'t>,
    tolerance: f64,
    series: Expansion<'t>,
    /// Where the series of events start among the wanted ones, and where the kinks'.
    events: usize,
    kinks: usize,
    /// Which of (t, x, u) anything is computed from.
    inputs: Vec<bool>,
    /// Work from the power at both ends of steps, where that serves.
    work: Option<TwoPoint>,
}

struct Stepper<'a, 't> {
    problem: &'a Problem<'t>,
    options: &'a Options,
    series: &'a mut Expansion<'t>,
    /// Where the series of events start among the wanted ones, and where the kinks'.
    events: usize,
    kinks: usize,
    recorder: Recorder<'a, 't>,
    time: Compensated,
    state: Vec<Compensated>,
    sides: Sides<'a, 't>,
    plain: Vec<f64>,
    /// Increments of x and u.
    change: Vec<f64>,
    /// The step as a part of the radius of convergence.
    shrink: f64,
    /// The radius of convergence at the last step.
    scale: f64,
    /// Whether anything does work.
    working: bool,
    /// Work from the power at both ends of steps, where that serves.
    work: Option<&'a TwoPoint>,
    /// Neighbouring motions, where they are wanted.
    tangent: Option<Tangent<'t>>,
    inputs: &'a [bool],
    /// Where nothing but the state is followed: whether it has settled.
    settling: Option<Settling>,
}

/// A kink whose rate is so small beside its higher derivatives is not crossed but touched.
const TOUCHED: f64 = 1e-6;

/// A kink that a motion has come to: how its register differs for the neighbours, how fast it changes,
/// and the accelerations on this side.
struct Reached {
    kink: Vec<f64>,
    rate: f64,
    /// Whether it changes so slowly that it is touched rather than crossed.
    touched: bool,
    accelerations: Vec<f64>,
}

/// What is known of the work from the power at both ends of steps.
struct Work {
    /// The length of the last step and the difference at its start, as long as the power at its end has not been
    /// added.
    open: Option<(f64, f64)>,
    /// How long the next step may be.
    longest: f64,
}

impl Default for Work {
    fn default() -> Self {
        Self {
            open: None,
            longest: f64::INFINITY,
        }
    }
}

/// The step of an order that a tolerance admits, as a part of the radius of convergence.
pub(crate) fn part_of_radius(tolerance: f64, order: usize) -> f64 {
    ((-2.0 * (classical(tolerance) - 1.0) - 0.7) / (order as f64 - 1.0)).exp()
}

/// Which of (t, x, u) anything is computed from; velocities always are, positions change by them.
fn inputs_used(problem: &Problem<'_>) -> Vec<bool> {
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

/// Shorter steps than this part of the time make no way.
pub(crate) const SHORTEST: f64 = 1e-14;
/// The place of the work's rate among the wanted series.
pub(crate) const POWER: usize = 0;

impl<'t> Prepared<'t> {
    /// Compiles the series for a tolerance.
    pub fn new(problem: Problem<'t>, tolerance: f64) -> Self {
        Self::with(problem, tolerance, None).0
    }

    /// The same with variations in some directions.
    fn with(
        problem: Problem<'t>,
        tolerance: f64,
        directions: Option<&Directions>,
    ) -> (Self, Option<Tangent<'t>>) {
        let (wanted, [events, kinks]) = problem.wanted(tolerance);
        let mut wanted = Wanted {
            packed: true,
            ..wanted
        };
        let (tape, rates) = (problem.tape, problem.rates);
        let mut order = order_of(tape, rates, &wanted, tolerance);
        let tangent = directions.map(|directions| {
            let way = directions.way(&problem, &wanted, order, tolerance);
            let tangent = Tangent::new(way, &problem, order, tolerance, directions);
            wanted.directions = tangent.directions();
            if way == Way::Series {
                order = order_of(tape, rates, &wanted, tolerance);
            }
            tangent
        });
        let work = wanted
            .places
            .map(|_| TwoPoint::new(order, part_of_radius(tolerance, order)));
        wanted.places = work.as_ref().map(TwoPoint::places);
        let prepared = Self {
            series: Expansion::of_order(tape, rates, wanted, order),
            work,
            inputs: inputs_used(&problem),
            problem,
            tolerance,
            events,
            kinks,
        };
        (prepared, tangent)
    }

    /// Integrates from a state, x then u, with the tolerance it was prepared for. `progress` is told the
    /// time now and then, and says whether to go on.
    pub fn integrate(
        &mut self,
        state: &[f64],
        options: &Options,
        progress: impl FnMut(f64) -> bool,
    ) -> Run {
        self.follow(state, options, None, progress).0
    }

    fn follow(
        &mut self,
        state: &[f64],
        options: &Options,
        tangent: Option<Tangent<'t>>,
        mut progress: impl FnMut(f64) -> bool,
    ) -> (Run, Option<Tangent<'t>>) {
        let problem = &self.problem;
        let n = problem.rates.dimension;
        let options = &Options {
            tolerance: self.tolerance,
            ..options.clone()
        };
        let order = self.series.order();
        let mut s = Stepper {
            problem,
            options,
            series: &mut self.series,
            events: self.events,
            kinks: self.kinks,
            recorder: Recorder::new(problem, options),
            time: Compensated::new(options.from),
            state: state.iter().map(|x| Compensated::new(*x)).collect(),
            sides: Sides::new(problem, options.sign()),
            plain: vec![0.0; 2 * n + 1],
            change: vec![0.0; 2 * n],
            shrink: part_of_radius(options.tolerance, order),
            scale: 0.0,
            working: problem.tape.ops()[problem.power as usize] != Op::Const(0.0),
            inputs: &self.inputs,
            settling: (tangent.is_none() && problem.is_plain())
                .then(|| Settling::new(options.tolerance)),
            tangent,
            work: self.work.as_ref(),
        };
        let mut run = started(problem, state, options, order);
        s.go(&mut run, &mut progress);
        (run, s.tangent)
    }
}

/// Integrates with variations of the motion.
pub fn integrate_with(
    problem: Problem<'_>,
    state: &[f64],
    options: &Options,
    directions: &Directions,
    progress: impl FnMut(f64) -> bool,
) -> (Run, Variation) {
    let (mut prepared, tangent) = Prepared::with(problem, options.tolerance, Some(directions));
    let (run, tangent) = prepared.follow(state, options, tangent, progress);
    (run, tangent.map(Tangent::close).unwrap_or_default())
}

impl Stepper<'_, '_> {
    fn fill(&mut self) {
        self.plain[0] = self.time.high;
        for (p, c) in self.plain[1..].iter_mut().zip(&self.state) {
            *p = c.high;
        }
    }

    /// The values of some registers at the present state.
    fn registers(&self, list: &[Reg]) -> Vec<f64> {
        let tape = self.problem.tape;
        let mut values = vec![0.0; tape.len()];
        tape.evaluate(&self.plain, &self.sides.list, &mut values);
        list.iter().map(|&r| values[r as usize]).collect()
    }

    /// The end at an event.
    fn stopped(
        &mut self,
        run: &mut Run,
        event: usize,
        balance: &mut Balance,
        work: &mut Work,
    ) -> Result<Status, Stop> {
        self.fill();
        if let Err(stop) = self.compute(run) {
            // At a branch point nothing determines the accelerations.
            self.problem.events[event].branch.ok_or(stop)?;
            self.row(run);
            return Ok(Status::Event(event));
        }
        self.record(&mut run.rows, 0.0, self.time.high);
        self.close(work, balance);
        balance.energy(self.series.values()[0]);
        Ok(Status::Event(event))
    }

    fn compute(&mut self, run: &mut Run) -> Result<(), Stop> {
        run.evaluations += 1;
        if let Some(tangent) = &self.tangent {
            tangent.seed(self.series);
        }
        self.series.compute(&self.plain, &self.sides.list)
    }

    /// The length of the next step, whatever its direction.
    fn step_size(&mut self, balance: &Balance) -> f64 {
        let p = self.series.order();
        let mut rho = self.series.radius(self.scale);
        if rho.is_finite() {
            self.scale = rho;
        }
        // The work is integrated along: its series must converge as well as the state's.
        if self.working && self.work.is_none() {
            let power = self.series.wanted(POWER);
            let energy = self.energy(balance);
            let state = rho;
            for k in [p - 2, p - 1] {
                let own = root(energy * (k + 1) as f64 / power[k].abs(), k + 1);
                if own.is_finite() && own > 0.0 {
                    rho = rho.min(own.max(state * SHORTEST_PART));
                }
            }
        }
        let size = rho.min(self.series.radius_of_neighbours()) * self.shrink;
        let longest = self
            .tangent
            .as_ref()
            .map_or(f64::INFINITY, Tangent::longest);
        size.min(longest)
    }

    /// Adds what the power at the end of the last step contributes to the work, once.
    fn close(&self, work: &mut Work, balance: &mut Balance) {
        if let (Some(rule), Some((h, difference))) = (self.work, work.open.take()) {
            let power = self.series.wanted(POWER);
            balance.work.add(-rule.part(power, -h));
            let difference = difference - rule.difference(power, -h);
            let one = finest(self.options.tolerance) * self.energy(balance);
            work.longest = rule.next(work.longest, h.abs(), difference, one);
        }
    }

    /// The largest of the energies that are the scale of the balance, until now.
    fn energy(&self, balance: &Balance) -> f64 {
        let scale = &self.series.values()[1..=self.problem.scale.len()];
        scale.iter().fold(balance.largest(), |m, e| m.max(e.abs()))
    }

    /// A length of the step in which events and kinks are found, too.
    fn watched(&self, size: f64) -> f64 {
        let located = self.events..self.kinks + self.sides.list.len();
        let part = located_to(self.options.tolerance);
        located.fold(size, |size, w| trusted(self.series.wanted(w), size, part))
    }

    /// A wanted series over a step, scaled to [0, 1].
    fn scaled(&self, w: usize, h: f64) -> Vec<f64> {
        let mut power = 1.0;
        self.series
            .wanted(w)
            .iter()
            .map(|c| {
                let v = c * power;
                power *= h;
                v
            })
            .collect()
    }

    /// Where an event vanishes within a length: parts of it with the sign of the change.
    fn zeros(&self, k: usize, length: f64) -> Vec<(f64, i8)> {
        let q = self.scaled(self.events + k, length);
        match self.problem.events[k].branch {
            Some(Branch::Touched) => touches_in(&q, touched_to(self.options.tolerance)),
            _ => roots_in(&q),
        }
    }

    /// Records the state as it is.
    fn row(&mut self, run: &mut Run) {
        if !self.recorder.is_idle() && self.tangent.is_none() {
            let state = self.state.iter().map(|c| c.high);
            let row = self.recorder.row(self.time.high, state, &self.sides.list);
            run.rows.push(row);
        }
    }

    /// The end at a branch point.
    fn branched(&mut self, run: &mut Run, k: usize) -> Status {
        run.crossings.push(Crossing {
            event: k,
            time: self.time.high,
            state: self.state.iter().map(|c| c.high).collect(),
        });
        self.row(run);
        Status::Event(k)
    }

    /// The end where the run could not go on: at a branch point, or it has failed.
    fn failed(&mut self, run: &mut Run, stop: Stop, branches: &mut Branches) -> Status {
        if !branches.is_empty() {
            let events: Vec<Reg> = self.problem.events.iter().map(|e| e.register).collect();
            let values = self.registers(&events);
            branches.see(self.time.high, |k| values[k]);
        }
        match branches.behind(stop) {
            Some(k) => self.branched(run, k),
            None => Status::Failed(stop),
        }
    }

    /// x and u at a time after the start of the step.
    fn state_after(&mut self, tau: f64) -> impl Iterator<Item = f64> {
        self.series.increments(tau, &mut self.change);
        let pairs = self.state.iter().zip(&self.change);
        pairs.map(|(c, d)| c.plus(*d))
    }

    /// Records the state some way into the step, at a time.
    fn record(&mut self, rows: &mut Vec<Vec<f64>>, h: f64, time: f64) {
        if self.recorder.is_idle() {
            return;
        }
        self.series.increments(h, &mut self.change);
        let pairs = self.state.iter().zip(&self.change);
        let state = pairs.map(|(c, d)| c.plus(*d));
        rows.push(self.recorder.row(time, state, &self.sides.list));
        if let Some(tangent) = &mut self.tangent {
            tangent.record(self.series, self.time.high, h);
        }
    }

    /// A leap over what is left of the run, if the motion has settled so far that its linearised equations are
    /// good enough. The series may be those of another state then.
    fn leap(&mut self, run: &mut Run, size: f64, left: f64, energy: f64) -> Option<Leap> {
        let settling = self.settling.as_mut()?;
        let (u, a) = (self.series.velocities(), self.series.accelerations());
        if !settling.sees(run.steps, size, left, u, a) {
            return None;
        }
        let n = self.problem.rates.dimension;
        let rates = |series: &Expansion<'_>, rates: &mut [f64]| {
            rates[0] = 1.0;
            rates[1..=n].copy_from_slice(series.velocities());
            rates[1 + n..].copy_from_slice(series.accelerations());
            series.wanted(POWER)[0]
        };
        let mut start = vec![0.0; 2 * n + 1];
        let ground = Ground {
            power: rates(self.series, &mut start),
            rates: start,
            state: &self.plain,
            inputs: self.inputs,
            length: left,
            step: size,
            tolerance: self.options.tolerance,
            fastest: settling.fastest,
            energy,
        };
        let leap = Leap::plan(&ground, |state, result| {
            run.evaluations += 1;
            self.series.compute(state, &[]).ok()?;
            Some(rates(self.series, result))
        });
        if leap.is_none() {
            settling.failed(run.steps);
        }
        leap
    }

    /// Takes a leap to the end of the run, with what is recorded on the way.
    fn land(
        &mut self,
        run: &mut Run,
        leap: &Leap,
        progress: &mut impl FnMut(f64) -> bool,
    ) -> Result<(), Stop> {
        let sides = &self.sides.list;
        match self.options.every {
            None => {
                let state = self.state.iter().map(|c| c.high);
                let row = self.recorder.row(self.time.high, state, sides);
                run.rows.push(row);
            }
            Some(_) => {
                while let Some((tau, at)) = self.recorder.due(&self.time, leap.length) {
                    let change = leap.change(tau);
                    let pairs = self.state.iter().zip(&change[1..]);
                    let state = pairs.map(|(c, d)| c.plus(*d));
                    run.rows.push(self.recorder.row(at, state, sides));
                    if run.rows.len().is_multiple_of(1024) && !progress(at) {
                        return Err(Stop::Interrupted);
                    }
                }
            }
        }
        for (s, d) in self.state.iter_mut().zip(&leap.change(leap.length)[1..]) {
            s.add(*d);
        }
        run.settled = Some(self.time.high);
        self.time = Compensated::new(self.options.to);
        run.steps += 1;
        Ok(())
    }

    /// What the neighbours need to know of a kink that is reached, before it is crossed.
    fn at_kink(&mut self, run: &mut Run, k: usize) -> Result<Reached, Stop> {
        self.compute(run)?;
        let series = self.series.wanted(self.kinks + k);
        // Series that end have no radius of convergence; and a kink may change faster than the motion.
        let scale = if self.scale > 0.0 { self.scale } else { 1.0 };
        let scale = trusted(series, scale, located_to(self.options.tolerance));
        let (mut time, mut rest) = (1.0, 0.0_f64);
        for c in &series[2..] {
            time *= scale;
            rest = rest.max(c.abs() * time);
        }
        let kink = match &self.tangent {
            Some(tangent) => tangent.kink(k, self.series, &self.plain, &self.sides.list),
            None => vec![],
        };
        Ok(Reached {
            kink,
            rate: series[1],
            touched: series[1].abs() <= TOUCHED * rest,
            accelerations: self.series.accelerations().to_vec(),
        })
    }

    /// Takes the neighbours over a kink that was crossed.
    fn jump(&mut self, run: &mut Run, before: &Reached) -> Result<(), Stop> {
        self.compute(run)?;
        let pairs = self
            .series
            .accelerations()
            .iter()
            .zip(&before.accelerations);
        let jumps: Vec<f64> = pairs.map(|(a, b)| a - b).collect();
        match &mut self.tangent {
            Some(_) if before.touched && jumps.iter().any(|a| *a != 0.0) => Err(Stop::Grazing),
            Some(tangent) => {
                tangent.settle();
                tangent.jump(&before.kink, before.rate, &jumps);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// What neighbours need before the first step.
    fn prepare(&mut self, left: f64, balance: &Balance) {
        if self.tangent.is_none() {
            return;
        }
        let scale = self.scale;
        let size = self.step_size(balance).min(left.abs());
        self.scale = scale;
        if let Some(tangent) = &mut self.tangent {
            let (length, steps) = (size.copysign(left), left.abs() / size);
            tangent.prepare(self.series, self.time.high, length, steps);
        }
    }

    /// Computes what is left of the neighbours. Where they were lost on the way, the run ends there.
    fn settled(&mut self, run: &mut Run) -> Option<Stop> {
        let tangent = self.tangent.as_mut()?;
        let lost = tangent.settle()?;
        let ahead = |t: f64| (t - lost.time) * self.options.sign() > 0.0;
        run.crossings.retain(|c| !ahead(c.time));
        run.rows.truncate(lost.rows);
        self.time = Compensated::new(lost.time);
        for (s, x) in self.state.iter_mut().zip(&lost.state) {
            *s = Compensated::new(*x);
        }
        Some(lost.stop)
    }

    fn go(&mut self, run: &mut Run, progress: &mut impl FnMut(f64) -> bool) {
        let o = self.options;
        let sign = o.sign();
        self.fill();
        let mut balance = Balance::new(self.registers(&[self.problem.energy])[0]);
        let scales = self.problem.scale.len();
        let mut watch = Watch::new(self.problem, o);
        let mut projection = Projection::new(self.problem, o.tolerance);
        let mut branches = Branches::new(self.problem, o.from);
        let mut work = Work::default();
        let outcome = self.sides.choose(&self.plain).and_then(|taken| {
            run.evaluations += taken;
            loop {
                self.fill();
                let left = self.time.from(o.to);
                self.compute(run)?;
                let residuals = &self.series.values()[1 + scales..];
                let solved = self.series.solved_velocities();
                branches.see(self.time.high, |k| self.series.wanted(self.events + k)[0]);
                if projection.needed(residuals, branches.closeness())
                    && projection.apply(self.time.high, &mut self.state, &self.sides.list, solved)
                {
                    if run.steps > 0 && projection.was_far() {
                        return Err(Stop::LeftConstraints);
                    }
                    run.projections += 1;
                    self.fill();
                    self.compute(run)?;
                    branches.see(self.time.high, |k| self.series.wanted(self.events + k)[0]);
                }
                if self.problem.trail {
                    run.trail.push(&self.plain, &self.sides.list);
                }
                self.close(&mut work, &mut balance);
                // The balance at the start of the step.
                balance.see(self.time.high, self.series.values(), scales);
                if let Some(k) = branches.reached() {
                    return Ok(self.branched(run, k));
                }
                if left * sign <= 0.0 {
                    if self.recorder.at_end(&self.time) {
                        self.record(&mut run.rows, 0.0, self.time.high);
                    }
                    return Ok(Status::Finished);
                }
                if run.steps >= o.max_steps {
                    return Err(Stop::TooManySteps);
                }
                if run.steps == 0 {
                    self.prepare(left, &balance);
                }
                if run.steps.is_multiple_of(64) && !progress(self.time.high) {
                    return Err(Stop::Interrupted);
                }
                let mut size = self.step_size(&balance);
                if let Some(rule) = self.work {
                    if run.steps == 0 {
                        let power = self.series.wanted(POWER);
                        work.longest = rule.first(power, balance.largest(), self.shrink);
                    }
                    size = size.min(work.longest.max(SHORTEST_PART * size));
                }
                let shortest = SHORTEST * self.time.high.abs().max(1e-300);
                let ahead = size.min(left.abs());
                let length = self.watched(ahead);
                if size.min(length) < shortest && length < left.abs() || size == 0.0 {
                    return Err(Stop::StepUnderflow);
                }
                let evaluated = run.evaluations;
                if let Some(leap) = self.leap(run, size, left, balance.largest()) {
                    self.land(run, &leap, progress)?;
                    balance.work.add(leap.work);
                    continue;
                }
                if run.evaluations > evaluated {
                    self.compute(run)?;
                }
                let mut h = sign * length;
                // Transitions are wanted from one recorded state to the next.
                if self.tangent.as_ref().is_some_and(Tangent::keeps)
                    && let Some(ahead) = self.recorder.ahead(&self.time)
                    && ahead.abs() < h.abs()
                {
                    h = ahead;
                }
                // The first kink on the way ends the step.
                let mut flipped = None;
                for k in 0..self.sides.list.len() {
                    let mut q = self.scaled(self.kinks + k, h);
                    if self.sides.fresh[k] {
                        // What lies at the start is divided out.
                        q.remove(0);
                    }
                    if let Some((s, _)) = roots_in(&q).into_iter().find(|r| r.1 != 0) {
                        let earlier = flipped.is_none_or(|(_, t): (usize, f64)| s * h.abs() < t);
                        if earlier && s < 1.0 {
                            flipped = Some((k, s * h.abs()));
                        }
                    }
                }
                if let Some((_, t)) = flipped {
                    h = sign * t;
                }
                // Events in order of time. What lies at the end of the step could be missed by both
                // steps, so the search goes a little beyond it; nothing is reported twice.
                let reach = if h == left { h } else { h * (1.0 + 1e-9) };
                let mut found: Vec<(f64, usize)> = Vec::new();
                for k in 0..self.problem.events.len() {
                    for (s, direction) in self.zeros(k, reach) {
                        if watch.admits(k, &self.time, s * reach, direction, h) {
                            found.push((s * reach, k));
                        }
                    }
                }
                let mut ended = None;
                if !found.is_empty() {
                    let time = self.time;
                    ended = watch.report(found, &time, &mut run.crossings, |tau| {
                        self.state_after(tau).collect()
                    });
                }
                if let Some((tau, _)) = ended {
                    h = tau;
                }
                // What is recorded within the step.
                match o.every {
                    None => self.record(&mut run.rows, 0.0, self.time.high),
                    Some(_) => {
                        while let Some((tau, at)) = self.recorder.due(&self.time, h) {
                            self.record(&mut run.rows, tau, at);
                        }
                    }
                }
                if self.working {
                    let power = self.series.wanted(POWER);
                    balance.work.add(match self.work {
                        Some(rule) => {
                            work.open = Some((h, rule.difference(power, h)));
                            rule.part(power, h)
                        }
                        None => integral(power, h),
                    });
                }
                for a in 0..self.problem.reaction_rates.len() {
                    let lambda = self.series.multiplier(a);
                    let rate = self.series.wanted(1 + a);
                    let power: Vec<f64> = (0..lambda.len())
                        .map(|k| (0..=k).map(|j| lambda[j] * rate[k - j]).sum())
                        .collect();
                    balance.work.add(integral(&power, h));
                }
                self.series.increments(h, &mut self.change);
                for (s, d) in self.state.iter_mut().zip(&self.change) {
                    s.add(*d);
                }
                if let Some(tangent) = &mut self.tangent {
                    tangent.step(self.series, self.time.high, h);
                    if let Some(lost) = tangent.lost() {
                        return Err(lost.stop);
                    }
                }
                if h == left {
                    self.time = Compensated::new(o.to);
                } else {
                    self.time.add(h);
                }
                run.steps += 1;
                self.sides.fresh.fill(false);
                if let Some((_, k)) = ended {
                    return self.stopped(run, k, &mut balance, &mut work);
                }
                if let Some((k, t)) = flipped {
                    self.fill();
                    let events = self.sides.events(&self.plain);
                    let before = match self.tangent {
                        Some(_) => Some(self.at_kink(run, k)?),
                        None => None,
                    };
                    run.evaluations += self.sides.cross(k, t, length, &self.plain)?;
                    if let Some(before) = before {
                        self.jump(run, &before)?;
                    }
                    let found =
                        watch.jumps(&events, &self.sides.events(&self.plain), &self.time, length);
                    let state = |_| self.plain[1..].to_vec();
                    let ended = watch.report(found, &self.time, &mut run.crossings, state);
                    if let Some((_, k)) = ended {
                        return self.stopped(run, k, &mut balance, &mut work);
                    }
                }
            }
        });
        let outcome = self.settled(run).map_or(outcome, Err);
        self.fill();
        run.status = match outcome {
            Ok(status) => status,
            Err(stop) => self.failed(run, stop, &mut branches),
        };
        if self.problem.trail {
            run.trail.close(&self.plain, &self.sides.list);
        }
        run.time = self.time.high;
        run.state = self.plain[1..].to_vec();
        run.outputs = self.recorder.outputs(&self.plain, &self.sides.list);
        balance.close(run);
    }
}
