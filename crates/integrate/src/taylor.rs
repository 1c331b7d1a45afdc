//! The Taylor integrator.

use galilei_jit::Kernel;
use galilei_tape::{Op, Reg, Surfaces, Wanted};

use crate::accelerations::{Accelerations, rounding_of};
use crate::branch::{Branch, Branches, touched_to};
use crate::drive::zeros::{NODES, TOUCH, resolve, zeros};
use crate::expansion::{Expansion, classical, order_of, root};
use crate::leap::{Ground, Leap, Settling};
use crate::legendre::rounded_gauss;
use crate::problem::{Crossing, Options, Problem, Run, Status, Stop, wanted};
use crate::project::Projection;
use crate::rank::{Rank, SHORTEST_PART as SHORTEST_BY_RANK, reached};
use crate::record::{Balance, Recorder, Underflows, Watch, started};
use crate::roots::{is_flat, located_to, roots_in, touches_in, trusted, value};
use crate::sides::Sides;
use crate::sum::Compensated;
use crate::surfaces::{Ahead, Watched};
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
pub struct Prepared {
    problem: Problem,
    tolerance: f64,
    series: Expansion,
    /// Where the series of events start among the wanted ones, and where the kinks'.
    events: usize,
    kinks: usize,
    surfaces: Surfaces,
    /// Which of (t, x, u) anything is computed from.
    inputs: Vec<bool>,
    /// Work from the power at both ends of steps, where that serves.
    work: Option<TwoPoint>,
}

struct Stepper<'a> {
    problem: &'a Problem,
    options: &'a Options,
    series: &'a mut Expansion,
    /// Where the series of events start among the wanted ones, and where the kinks'.
    events: usize,
    kinks: usize,
    recorder: Recorder<'a>,
    time: Compensated,
    state: Vec<Compensated>,
    sides: Sides<'a>,
    plain: Vec<f64>,
    /// Increments of x and u over a step, and the accelerations at its end by the series at its start, times the step.
    change: Vec<f64>,
    /// The state at the end of a step that is tried.
    trial: Vec<Compensated>,
    surfaces: Watched,
    /// How long a step may be after one was rejected.
    limit: f64,
    hops: Hops,
    /// What [`defect`] is measured by.
    limits: [f64; 2],
    /// Whether nothing but the state is followed: no events, kinks, surfaces or work of reactions.
    unwatched: bool,
    /// Whether the step before was rejected, so that its start has been seen.
    repeated: bool,
    rank: Option<Rank>,
    /// The largest velocity until now.
    fastest: f64,
    /// Accelerations and power at a state, where series there are not computed.
    probe: Option<Accelerations>,
    /// Where accelerations are probed within a step, and weights for the work; nowhere without surfaces.
    nodes: Vec<(f64, f64)>,
    /// Events that are found by their values in the step that is planned, not by their series.
    sampled: Vec<bool>,
    underflows: Underflows,
    /// Kinks that have jumped over zero, so that they are found by their values.
    jumping: Vec<bool>,
    /// Events and kinks at a state.
    values: Option<Kernel>,
    /// The work of the step that is tried, where it was probed.
    probed: Option<f64>,
    /// The step as a part of the radius of convergence.
    shrink: f64,
    /// The radius of convergence at the last step.
    scale: f64,
    /// Whether anything does work.
    working: bool,
    /// Work from the power at both ends of steps, where that serves.
    work: Option<&'a TwoPoint>,
    /// Neighbouring motions, where they are wanted.
    tangent: Option<Tangent>,
    inputs: &'a [bool],
    /// Where nothing but the state is followed: whether it has settled.
    settling: Option<Settling>,
}

/// Accelerations at the end of a step may differ from what the series at its start say by these multiples of the
/// tolerance, relative to the velocity of their own coordinate and to the largest one. Sound steps of the models in
/// `models/` stay below a tenth of both.
const DEFECT: [f64; 2] = [1e4, 1e2];
/// The tolerance in these measures is not finer than this.
const FINEST_DEFECT: f64 = 1e-12;
/// And both limits are not coarser than this.
const COARSEST_DEFECT: f64 = 0.1;
/// How far from where the series of an event have a flat zero it is looked for, as a part of the step.
const FLAT_ZERO: f64 = 0.02;
/// Where within a step an event is compared with its series.
const LOOKED_AT: [f64; 3] = [0.31, 0.68, 1.0];
/// Where a series is below this part of the sum of its terms' sizes, rounding may hide zeros.
const CANCELLED: f64 = 1e-9;
/// A kink that is on the wrong side at the end of a step by this part of its series has jumped there.
const JUMP: f64 = 1e-3;
/// Steps do not become shorter for the sake of an event than this part of what the motion allows.
const SAMPLED: f64 = 1e-5;
/// Where surfaces lie, accelerations are probed at so many of Gauss' points within a step.
pub(crate) const PROBES: usize = 10;
/// Velocities are not measured by less than this: errors relative to numbers next to the smallest ones say nothing.
pub(crate) const SMALLEST_SIZE: f64 = 1e-40;
/// A step whose end was rejected is shortened by this factor.
pub(crate) const SHORTEN: f64 = 0.5;
/// A relative change that shows how accelerations depend on the state.
pub(crate) const NUDGE: f64 = 1e-6;
/// Rounding errors of the state and of the accelerations are at most so many units in the last place.
pub(crate) const NOISY: f64 = 16.0;
/// So many hops over edges without a step in between stick.
const MAX_HOPS: usize = 50;
/// An edge at the start is left within this part of the run.
const LEAVING: f64 = 1e-9;
/// A hop may change velocities by this part of the largest.
const LARGEST_HOP: f64 = 1e-3;

/// Short steps over edges.
#[derive(Clone, Copy, Debug, Default)]
struct Hops {
    /// So many in a row.
    count: usize,
    /// The length of the last.
    last: f64,
}

/// What is kept along a run.
struct Along<'a> {
    balance: Balance,
    watch: Watch<'a>,
    projection: Projection<'a>,
    branches: Branches,
    work: Work,
    /// How many energies are the scale of the balance.
    scales: usize,
}

/// A step that is planned.
struct Plan {
    /// Its length, of either sign.
    h: f64,
    /// How long it would be if nothing ended it.
    length: f64,
    /// The kink at its end, and the time until then.
    flipped: Option<(usize, f64)>,
    /// Events: the time until then, of either sign, and which; in order.
    events: Vec<(f64, usize)>,
    /// The event that ends the run.
    ended: Option<usize>,
}

/// What comes next.
enum Next {
    Step(Plan),
    /// A hop over an edge after the first time, to the second.
    Hop(f64, f64),
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

/// By how much accelerations may differ from what series foresee, relative to the velocity of their own coordinate and to
/// the largest one.
pub(crate) fn defect_limits(tolerance: f64) -> [f64; 2] {
    DEFECT.map(|times| (times * tolerance.max(FINEST_DEFECT)).min(COARSEST_DEFECT))
}

/// By how much the accelerations at the end of a step, times the step, differ from those that its series foresees; 1 is
/// the most that is accepted. Of each coordinate the velocity, the acceleration that was foreseen, and the one there.
#[inline]
pub(crate) fn defect(limits: [f64; 2], n: usize, of: impl Fn(usize) -> (f64, f64, f64)) -> f64 {
    let larger = |a: f64, b: f64| if a > b { a } else { b };
    let size = |(velocity, foreseen, there): (f64, f64, f64)| {
        larger(larger(velocity.abs(), foreseen.abs()), there.abs())
    };
    let mut largest = SMALLEST_SIZE;
    for i in 0..n {
        largest = larger(size(of(i)), largest);
    }
    let all = limits[1] * largest;
    let mut worst = 0.0_f64;
    for i in 0..n {
        let numbers = of(i);
        let difference = (numbers.2 - numbers.1).abs();
        // What is no number is too much.
        let ratio = difference / larger(limits[0] * size(numbers), all);
        if ratio > worst || ratio.is_nan() {
            worst = ratio;
        }
    }
    if worst.is_nan() { f64::INFINITY } else { worst }
}

/// Brings a state back to the constraints; what is fixed stands behind (t, x, u) in `plain`. Whether it moved.
fn project(
    projection: &mut Projection<'_>,
    time: f64,
    (state, plain): (&mut [Compensated], &[f64]),
    sides: &[bool],
    solved: Option<&[f64]>,
) -> bool {
    let fixed = &plain[1 + state.len()..];
    if fixed.is_empty() {
        return projection.apply(time, state, sides, solved);
    }
    let mut all = state.to_vec();
    all.extend(fixed.iter().map(|x| Compensated::new(*x)));
    let moved = projection.apply(time, &mut all, sides, solved);
    state.copy_from_slice(&all[..state.len()]);
    moved
}

/// The step of an order that a tolerance admits, as a part of the radius of convergence.
pub(crate) fn part_of_radius(tolerance: f64, order: usize) -> f64 {
    ((-2.0 * (classical(tolerance) - 1.0) - 0.7) / (order as f64 - 1.0)).exp()
}

/// Which of (t, x, u) anything is computed from; velocities always are, positions change by them.
fn inputs_used(problem: &Problem) -> Vec<bool> {
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

impl Prepared {
    /// Compiles the series for a tolerance.
    pub fn new(problem: Problem, tolerance: f64) -> Self {
        Self::with(problem, tolerance, None).0
    }

    /// The same with variations in some directions.
    fn with(
        problem: Problem,
        tolerance: f64,
        directions: Option<&Directions>,
    ) -> (Self, Option<Tangent>) {
        let surfaces = problem.surfaces();
        let (wanted, [events, kinks]) = wanted(&problem, tolerance, &surfaces);
        let mut wanted = Wanted {
            packed: true,
            ..wanted
        };
        let (tape, rates) = (&problem.tape, &problem.rates);
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
        if !surfaces.is_empty() {
            // The work is found from the power within steps.
            wanted.places = None;
        }
        let work = wanted
            .places
            .map(|_| TwoPoint::new(order, part_of_radius(tolerance, order)));
        wanted.places = work.as_ref().map(TwoPoint::places);
        let prepared = Self {
            series: Expansion::of_order(tape, rates, wanted, order),
            work,
            inputs: inputs_used(&problem),
            surfaces,
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
        self.integrate_fixed(state, &[], options, progress)
    }

    /// Integrates with values for the inputs of the tape that do not change along a motion.
    pub(crate) fn integrate_fixed(
        &mut self,
        state: &[f64],
        fixed: &[f64],
        options: &Options,
        progress: impl FnMut(f64) -> bool,
    ) -> Run {
        self.follow((state, fixed), options, None, progress).0
    }

    /// The order of the series.
    pub(crate) fn order(&self) -> usize {
        self.series.order()
    }

    /// A run that did not begin.
    pub(crate) fn nothing(&self, state: &[f64]) -> Run {
        let options = Options {
            from: 0.0,
            to: 0.0,
            every: None,
            tolerance: self.tolerance,
            max_steps: 0,
            step: None,
        };
        started(&self.problem, state, &options, self.order())
    }

    fn follow(
        &mut self,
        (state, fixed): (&[f64], &[f64]),
        options: &Options,
        tangent: Option<Tangent>,
        mut progress: impl FnMut(f64) -> bool,
    ) -> (Run, Option<Tangent>) {
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
            plain: [&vec![0.0; 2 * n + 1][..], fixed].concat(),
            change: vec![0.0; 3 * n],
            trial: vec![Compensated::default(); 2 * n],
            surfaces: Watched::new(self.surfaces.clone()),
            limit: f64::INFINITY,
            hops: Hops::default(),
            limits: defect_limits(options.tolerance),
            repeated: false,
            unwatched: problem.events.is_empty()
                && problem.reaction_rates.is_empty()
                && problem.tape.kinks().is_empty()
                && self.surfaces.is_empty(),
            rank: Rank::new(problem),
            fastest: 0.0,
            probe: None,
            nodes: match self.surfaces.is_empty() {
                true => vec![],
                false => rounded_gauss(PROBES),
            },
            sampled: vec![false; problem.events.len()],
            underflows: Underflows::new(problem.events.len()),
            jumping: vec![false; problem.tape.kinks().len()],
            values: None,
            probed: None,
            shrink: part_of_radius(options.tolerance, order),
            scale: 0.0,
            working: problem.tape.ops()[problem.power as usize] != Op::Const(0.0),
            inputs: &self.inputs,
            settling: (tangent.is_none() && problem.is_plain(&self.surfaces))
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
    problem: Problem,
    state: &[f64],
    options: &Options,
    directions: &Directions,
    progress: impl FnMut(f64) -> bool,
) -> (Run, Variation) {
    let (mut prepared, tangent) = Prepared::with(problem, options.tolerance, Some(directions));
    let (run, tangent) = prepared.follow((state, &[]), options, tangent, progress);
    (run, tangent.map(Tangent::close).unwrap_or_default())
}

impl Stepper<'_> {
    fn fill(&mut self) {
        self.plain[0] = self.time.high;
        for (p, c) in self.plain[1..].iter_mut().zip(&self.state) {
            *p = c.high;
        }
    }

    /// The values of some registers at the present state.
    fn registers(&self, list: &[Reg]) -> Vec<f64> {
        let tape = &self.problem.tape;
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
        if self.working && self.work.is_none() && self.nodes.is_empty() {
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

    /// A length of the step in which events and kinks are found, too. Events that would ask for next to nothing are
    /// sampled instead: their series end at a pole, or at a zero of high order.
    #[inline]
    fn watched(&mut self, size: f64) -> f64 {
        match self.unwatched {
            true => size,
            false => self.watched_size(size),
        }
    }

    fn watched_size(&mut self, size: f64) -> f64 {
        let first = self.kinks + self.sides.list.len();
        let part = located_to(self.options.tolerance);
        let mut located =
            (self.kinks..first).fold(size, |size, w| trusted(self.series.wanted(w), size, part));
        let least = SAMPLED * size;
        for k in 0..self.problem.events.len() {
            let series = self.series.wanted(self.events + k);
            // Where an event has no series, as at a pole, its values tell more.
            if !series.iter().all(|c| c.is_finite()) {
                self.sampled[k] = true;
                continue;
            }
            let own = trusted(series, located, part);
            self.sampled[k] = own < least && self.problem.events[k].branch.is_none();
            located = if self.sampled[k] {
                located.min(least)
            } else {
                own
            };
        }
        self.surfaces
            .trusted(|k| self.series.wanted(first + k), located, part)
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
    fn zeros(&mut self, k: usize, length: f64) -> Vec<(f64, i8)> {
        let q = self.scaled(self.events + k, length);
        self.underflows.note(k, q.iter().copied());
        if self.sampled[k] {
            return self.sampled_zeros(k, length);
        }
        match self.problem.events[k].branch {
            Some(Branch::Touched) => touches_in(&q, touched_to(self.options.tolerance)),
            _ => {
                let mut roots = roots_in(&q);
                if roots.iter().any(|r| is_flat(&q, r.0)) {
                    self.refine_flat(k, length, &q, &mut roots);
                }
                match self.is_followed(k, length, &q, &roots) {
                    true => roots,
                    false => self.sampled_zeros(k, length),
                }
            }
        }
    }

    /// Finds zeros where the series of an event are flat again by its values: what is left out of a series moves a zero
    /// of order m by its root of order m.
    fn refine_flat(&mut self, k: usize, length: f64, q: &[f64], roots: &mut Vec<(f64, i8)>) {
        for root in roots.iter_mut().filter(|r| is_flat(q, r.0)) {
            let ends = [root.0 - FLAT_ZERO, root.0 + FLAT_ZERO].map(|s| s.clamp(0.0, 1.0));
            let points = ends.map(|s| (s, self.event_after(k, s * length)));
            if points[0].1 * points[1].1.signum() < 0.0
                && let [found] =
                    zeros(&points, TOUCH, false, |s| self.event_after(k, s * length))[..]
            {
                *root = found;
            }
        }
        roots.sort_by(|a, b| a.0.total_cmp(&b.0));
        roots.dedup_by(|a, b| (a.0 - b.0).abs() <= 1e-12);
    }

    /// Whether an event has the signs that its series and their roots say, between the roots and elsewhere.
    fn is_followed(&mut self, k: usize, length: f64, q: &[f64], roots: &[(f64, i8)]) -> bool {
        let sizes: Vec<f64> = q.iter().map(|c| c.abs()).collect();
        let cancels = |s: &f64| value(q, *s).abs() < CANCELLED * value(&sizes, *s);
        if NODES.iter().any(cancels) {
            return false;
        }
        let mut places = LOOKED_AT.to_vec();
        let ends = roots.iter().map(|r| r.0).chain([1.0]);
        let mut low = 0.0;
        for high in ends {
            places.push(0.5 * (low + high));
            low = high;
        }
        places.into_iter().all(|s| {
            let (foreseen, there) = (value(q, s), self.event_after(k, s * length));
            let alike = foreseen == there || foreseen * there.signum() > 0.0;
            alike || there.is_finite() && there.abs() <= self.rounding_of_event(k, s * length)
        })
    }

    /// About how large the rounding error of an event is, at a time after the start of the step.
    fn rounding_of_event(&mut self, k: usize, tau: f64) -> f64 {
        let state = self.plain_after(tau);
        let tape = &self.problem.tape;
        let mut values = vec![0.0; tape.len()];
        tape.evaluate(&state, &self.sides.list, &mut values);
        let errors = tape.rounding(&values, &self.sides.list);
        NOISY * errors[self.problem.events[k].register as usize]
    }

    /// (t, x, u) and what is fixed, at a time after the start of the step.
    fn plain_after(&mut self, tau: f64) -> Vec<f64> {
        let mut state = self.plain.clone();
        state[0] = self.time.plus(tau);
        let after: Vec<f64> = self.state_after(tau).collect();
        state[1..=after.len()].copy_from_slice(&after);
        state
    }

    /// The value of an event, or of a kink behind the events, at a time after the start of the step.
    fn event_after(&mut self, k: usize, tau: f64) -> f64 {
        let problem = self.problem;
        let mut inputs = self.plain_after(tau);
        inputs.extend(self.sides.list.iter().map(|s| if *s { 1.0 } else { -1.0 }));
        let registers = || {
            let events = problem.events.iter().map(|e| e.register);
            let kinks = problem.tape.kinks().iter().map(|k| k.register);
            events.chain(kinks).collect::<Vec<Reg>>()
        };
        let kernel = self
            .values
            .get_or_insert_with(|| Kernel::new(problem.tape.code_on_sides(&registers()), 1));
        let mut values = vec![0.0; problem.events.len() + self.sides.list.len()];
        kernel.call(&inputs, &mut values);
        values[k]
    }

    /// Where an event vanishes within a length, by its values along the motion.
    fn sampled_zeros(&mut self, k: usize, length: f64) -> Vec<(f64, i8)> {
        let mut at = |part: f64| self.event_after(k, part * length);
        let mut points: Vec<(f64, f64)> = NODES.iter().map(|s| (*s, at(*s))).collect();
        resolve(&mut points, || 0.0, &mut at);
        zeros(&points, TOUCH, false, at)
    }

    /// The first place within a length where a kink comes to zero or jumps over it, by its series or by its values.
    fn kink_ahead(&mut self, k: usize, length: f64) -> Option<f64> {
        let roots = match self.jumping[k] {
            true => {
                let at = self.problem.events.len() + k;
                let mut g = |part: f64| self.event_after(at, part * length);
                let mut points: Vec<(f64, f64)> = NODES.iter().map(|s| (*s, g(*s))).collect();
                resolve(&mut points, || 0.0, &mut g);
                // The motion starts on its side, however small the value is.
                points[0].1 =
                    f64::MIN_POSITIVE.copysign(if self.sides.list[k] { 1.0 } else { -1.0 });
                zeros(&points, TOUCH, true, |part| {
                    self.event_after(at, part * length)
                })
            }
            false => {
                let mut q = self.scaled(self.kinks + k, length);
                if self.sides.fresh[k] {
                    // What lies at the start is divided out.
                    q.remove(0);
                }
                roots_in(&q)
            }
        };
        roots.into_iter().find(|r| r.1 != 0).map(|r| r.0)
    }

    /// Notes the kinks that are on the wrong side at the end of a step of length h, whose series are in place: they have
    /// jumped there, as behind a pole. Whether there are any that were not known.
    fn has_jumped(&mut self, h: f64, flipped: Option<usize>) -> bool {
        let mut found = false;
        for k in (0..self.sides.list.len()).filter(|k| Some(*k) != flipped) {
            let there = self.series.wanted(self.kinks + k)[0];
            if self.jumping[k] || there == 0.0 || (there > 0.0) == self.sides.list[k] {
                continue;
            }
            self.series.exchange();
            let size: f64 = self.scaled(self.kinks + k, h).iter().map(|c| c.abs()).sum();
            self.series.exchange();
            if there.abs() > JUMP * size {
                self.jumping[k] = true;
                found = true;
            }
        }
        found
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
        let rates = |series: &Expansion, rates: &mut [f64]| {
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

    /// Brings the state back to the constraints, writes the balance down, and looks whether the run has ended.
    #[inline]
    fn arrive(
        &mut self,
        run: &mut Run,
        along: &mut Along<'_>,
        progress: &mut impl FnMut(f64) -> bool,
    ) -> Result<Option<Status>, Stop> {
        let o = self.options;
        let left = self.time.from(o.to);
        let residuals = &self.series.values()[1 + along.scales..];
        let solved = self.series.solved_velocities();
        let event = |series: &Expansion, first: usize, k: usize| series.wanted(first + k)[0];
        let Along { branches, .. } = along;
        branches.see(self.time.high, |k| event(self.series, self.events, k));
        if along.projection.needed(residuals, branches.closeness())
            && project(
                &mut along.projection,
                self.time.high,
                (&mut self.state, &self.plain),
                &self.sides.list,
                solved,
            )
        {
            if run.steps > 0 && along.projection.was_far() {
                return Err(Stop::LeftConstraints);
            }
            run.projections += 1;
            self.fill();
            self.compute(run)?;
            branches.see(self.time.high, |k| event(self.series, self.events, k));
        }
        if self.problem.trail {
            run.trail.push(&self.plain, &self.sides.list);
        }
        self.close(&mut along.work, &mut along.balance);
        // The balance at the start of the step.
        along
            .balance
            .see(self.time.high, self.series.values(), along.scales);
        if let Some(k) = along.branches.reached() {
            return Ok(Some(self.branched(run, k)));
        }
        if let Some(rank) = &mut self.rank
            && rank.arrive(
                &self.plain,
                &self.sides.list,
                reached(self.options.tolerance),
            )
        {
            let k = rank.event;
            return Ok(Some(self.branched(run, k)));
        }
        if left * o.sign() <= 0.0 {
            if self.recorder.at_end(&self.time) {
                self.record(&mut run.rows, 0.0, self.time.high);
            }
            return Ok(Some(Status::Finished));
        }
        if run.steps >= o.max_steps {
            return Err(Stop::TooManySteps);
        }
        if run.steps == 0 {
            self.prepare(left, &along.balance);
        }
        if run.steps.is_multiple_of(64) && !progress(self.time.high) {
            return Err(Stop::Interrupted);
        }
        Ok(None)
    }

    /// How long the next step may be as far as the series of the state and of the work say.
    #[inline]
    fn natural_size(&mut self, run: &Run, along: &mut Along<'_>) -> f64 {
        let size = self.step_size(&along.balance);
        let Some(rule) = self.work else {
            return size;
        };
        if run.steps == 0 {
            let power = self.series.wanted(POWER);
            along.work.longest = rule.first(power, along.balance.largest(), self.shrink);
        }
        size.min(along.work.longest.max(SHORTEST_PART * size))
    }

    /// The next step, of at most a size.
    #[inline]
    fn plan(&mut self, along: &Along<'_>, size: f64) -> Result<Next, Stop> {
        let sign = self.options.sign();
        let left = self.time.from(self.options.to);
        let shortest = SHORTEST * self.time.high.abs().max(1e-300);
        let size = size.min(self.limit);
        let length = self.watched(size.min(left.abs()));
        if size.min(length) < shortest && length < left.abs() || size == 0.0 {
            return Err(Stop::StepUnderflow);
        }
        let mut h = sign * length;
        // Transitions are wanted from one recorded state to the next.
        if self.tangent.as_ref().is_some_and(Tangent::keeps)
            && let Some(ahead) = self.recorder.ahead(&self.time)
            && ahead.abs() < h.abs()
        {
            h = ahead;
        }
        if self.unwatched {
            return Ok(Next::Step(Plan {
                h,
                length,
                flipped: None,
                events: vec![],
                ended: None,
            }));
        }
        self.plan_watched(along, (h, length, left), size)
    }

    /// A step in which events, kinks and surfaces are looked for.
    fn plan_watched(
        &mut self,
        along: &Along<'_>,
        (mut h, length, left): (f64, f64, f64),
        size: f64,
    ) -> Result<Next, Stop> {
        let sign = self.options.sign();
        // The first kink on the way ends the step.
        let mut flipped = None;
        for k in 0..self.sides.list.len() {
            if let Some(s) = self.kink_ahead(k, h) {
                let earlier = flipped.is_none_or(|(_, t): (usize, f64)| s * h.abs() < t);
                if earlier && s < 1.0 {
                    flipped = Some((k, s * h.abs()));
                }
            }
        }
        if let Some((_, t)) = flipped {
            h = sign * t;
        }
        if !self.surfaces.is_empty() {
            let first = self.kinks + self.sides.list.len();
            let series = &self.series;
            let size = size.min(left.abs());
            match self.surfaces.ahead(|k| series.wanted(first + k), h, size) {
                Some(Ahead::End(t)) => (h, flipped) = (sign * t, None),
                Some(Ahead::Hop(edge, to)) if self.hops.count < MAX_HOPS => {
                    return Ok(Next::Hop(sign * edge, sign * to));
                }
                Some(Ahead::Hop(..)) => return Err(Stop::Sticking),
                None => {}
            }
        }
        // Events in order of time. What lies at the end of the step could be missed by both
        // steps, so the search goes a little beyond it; nothing is reported twice.
        let reach = if h == left { h } else { h * (1.0 + 1e-9) };
        let mut events: Vec<(f64, usize)> = Vec::new();
        for k in 0..self.problem.events.len() {
            for (s, direction) in self.zeros(k, reach) {
                if along.watch.admits(k, &self.time, s * reach, direction, h) {
                    events.push((s * reach, k));
                }
            }
        }
        events.sort_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
        let terminal = events.iter().find(|e| self.problem.events[e.1].terminal);
        let ended = terminal.copied();
        if let Some((tau, _)) = ended {
            h = tau;
        }
        Ok(Next::Step(Plan {
            h,
            length,
            flipped,
            events,
            ended: ended.map(|e| e.1),
        }))
    }

    /// Where a step ends: the time, and (t, x, u) as they are to be computed with.
    #[inline]
    fn end_of(&mut self, h: f64) -> Compensated {
        self.series.increments(h, &mut self.change);
        for ((to, s), d) in self.trial.iter_mut().zip(&self.state).zip(&self.change) {
            *to = *s;
            to.add(*d);
        }
        let mut time = self.time;
        if h == time.from(self.options.to) {
            time = Compensated::new(self.options.to);
        } else {
            time.add(h);
        }
        self.plain[0] = time.high;
        for (p, c) in self.plain[1..].iter_mut().zip(&self.trial) {
            *p = c.high;
        }
        time
    }

    /// Tries a step: computes the series at its end, and compares the accelerations there with those by the series at
    /// its start. Those at the start are in place afterwards, and if the step is accepted those at the end beside
    /// them. `None` if it is rejected.
    #[inline]
    fn attempt(
        &mut self,
        run: &mut Run,
        plan: &Plan,
        size: f64,
    ) -> Result<Option<Compensated>, Stop> {
        let h = plan.h;
        let time = self.end_of(h);
        let n = self.problem.rates.dimension;
        let beforehand = self.tangent.as_ref().is_none_or(|t| t.directions() == 0);
        let outcome = match beforehand {
            true => {
                self.series.exchange();
                let outcome = self.compute(run);
                let jumped = outcome.is_ok() && self.has_jumped(h, plan.flipped.map(|f| f.0));
                let defect = outcome.map(|()| self.defect(h, 1.0, self.series.accelerations()));
                self.series.exchange();
                if jumped { Ok(f64::INFINITY) } else { defect }
            }
            // Directions at the end are not known yet.
            false => {
                let found = self.accelerations_at_plain();
                Ok(self.defect(h, 1.0, &found[..n]))
            }
        };
        let mut part = 1.0;
        let defect = match outcome {
            // Where the run ends nothing more need be computed.
            Err(_)
                if plan
                    .ended
                    .is_some_and(|k| self.problem.events[k].branch.is_some()) =>
            {
                0.0
            }
            Err(stop) => {
                let shortest = SHORTEST * self.time.high.abs().max(1e-300);
                if h.abs() * SHORTEN < shortest {
                    return Err(stop);
                }
                f64::INFINITY
            }
            Ok(defect) if defect <= 1.0 => {
                let (defect, at) = self.probe(h, defect);
                part = at;
                defect
            }
            Ok(defect) => defect,
        };
        if defect <= 1.0 || defect.is_finite() && self.is_noise(h, part) {
            if self.ends_near_branch(h, size) {
                self.fill();
                self.limit = SHORTEN * h.abs();
                run.rejected += 1;
                return Ok(None);
            }

            let fastest = self.trial[n..].iter().map(|c| c.high.abs());
            self.fastest = fastest.fold(self.fastest, f64::max);
            return Ok(Some(time));
        }
        self.fill();
        self.limit = SHORTEN * h.abs();
        run.rejected += 1;
        Ok(None)
    }

    /// Whether a step ends next to where constraints become dependent, and a shorter one would not.
    fn ends_near_branch(&mut self, h: f64, size: f64) -> bool {
        let Some(rank) = &mut self.rank else {
            return false;
        };
        let mut end = self.plain.clone();
        end[0] = self.time.plus(h);
        for (p, c) in end[1..].iter_mut().zip(&self.trial) {
            *p = c.high;
        }
        let distance = rank.distance(&end, &self.sides.list);
        rank.is_avoided(distance) && h.abs() > SHORTEST_BY_RANK * size
    }

    /// Accelerations, multipliers and power at the state that is filled in.
    fn accelerations_at_plain(&mut self) -> Vec<f64> {
        let (tape, rates, power) = (&self.problem.tape, &self.problem.rates, self.problem.power);
        let probe = self
            .probe
            .get_or_insert_with(|| Accelerations::on_sides(tape, rates, vec![power], 1));
        let mut result = vec![0.0; probe.unknowns() + probe.values()];
        let sides = self.sides.list.iter().map(|s| if *s { 1.0 } else { -1.0 });
        let inputs: Vec<f64> = self.plain.iter().copied().chain(sides).collect();
        probe.compute(&inputs, &mut result);
        result
    }

    /// Compares accelerations within a step with those by its series, and finds the work on it. The largest defect, or
    /// the one that is known at the end, with the part of the step after which it is. Where a defect is too large, the
    /// state there is filled in, else the one at the end.
    #[inline]
    fn probe(&mut self, h: f64, known: f64) -> (f64, f64) {
        match self.nodes.is_empty() {
            true => (known, 1.0),
            false => self.probe_within(h, known),
        }
    }

    fn probe_within(&mut self, h: f64, known: f64) -> (f64, f64) {
        self.probed = None;
        let n = self.problem.rates.dimension;
        let (end, kept) = (self.plain.clone(), self.change.clone());
        let (mut worst, mut work) = (known, 0.0);
        for k in 0..self.nodes.len() {
            let (node, weight) = self.nodes[k];
            self.series.increments(node * h, &mut self.change);
            self.plain[0] = self.time.plus(node * h);
            for i in 0..2 * n {
                self.plain[1 + i] = self.state[i].plus(self.change[i]);
            }
            let found = self.accelerations_at_plain();
            let defect = self.defect(h, node, &found[..n]);
            if defect > 1.0 {
                return (defect, node);
            }
            worst = worst.max(defect);
            work += weight * found[found.len() - 1];
        }
        (self.plain, self.change) = (end, kept);
        self.probed = Some(work * h);
        (worst, 1.0)
    }

    /// By how much accelerations after a part of a step differ from those by the series at its start; 1 is the most
    /// that is accepted.
    #[inline]
    fn defect(&self, h: f64, part: f64, accelerations: &[f64]) -> f64 {
        let n = accelerations.len();
        let velocities = &self.trial[n..2 * n];
        let foreseen = &self.change[2 * n..3 * n];
        let over = 1.0 / part;
        defect(self.limits, n, |i| {
            let [there, by_series] = [h * accelerations[i], foreseen[i] * over];
            (velocities[i].high, by_series, there)
        })
    }

    /// Whether the accelerations after a part of a step differ from those by the series only by what rounding of the state
    /// and of the computation does to them.
    fn is_noise(&mut self, h: f64, part: f64) -> bool {
        let n = self.problem.rates.dimension;
        let there = self.accelerations_at_plain();
        let mut noise = rounding_of(self.problem, &self.plain, &self.sides.list, &there);
        for j in 0..=2 * n {
            let kept = self.plain[j];
            self.plain[j] = kept * (1.0 + NUDGE);
            let nudged = self.accelerations_at_plain();
            self.plain[j] = kept;
            for i in 0..n {
                noise[i] += (nudged[i] - there[i]).abs() * f64::EPSILON / NUDGE;
            }
        }
        let by_series = &self.change[2 * n..];
        let explained = |i: usize| {
            let difference = (h * there[i] - by_series[i] / part).abs();
            difference <= (h * NOISY * noise[i]).abs()
        };
        (0..n).all(explained)
    }

    /// Goes to the end of a step that was accepted: writes down what happened within it.
    #[inline]
    fn commit(
        &mut self,
        run: &mut Run,
        plan: &Plan,
        along: &mut Along<'_>,
        end: Compensated,
    ) -> Result<Option<Status>, Stop> {
        let h = plan.h;
        if !plan.events.is_empty() {
            let (time, found) = (self.time, plan.events.clone());
            along.watch.report(found, &time, &mut run.crossings, |tau| {
                self.state_after(tau).collect()
            });
        }
        self.record_within(run, h);
        self.add_work(along, h);
        if let Some(tangent) = &mut self.tangent {
            tangent.step(self.series, self.time.high, h);
            if let Some(lost) = tangent.lost() {
                return Err(lost.stop);
            }
        }
        std::mem::swap(&mut self.state, &mut self.trial);
        self.time = end;
        run.steps += 1;
        self.sides.fresh.fill(false);
        self.limit = if self.limit.is_finite() && self.limit < plan.length {
            2.0 * h.abs()
        } else {
            f64::INFINITY
        };
        if h.abs() > 1e3 * self.hops.last {
            self.hops = Hops::default();
        }
        if let Some(k) = plan.ended {
            return self
                .stopped(run, k, &mut along.balance, &mut along.work)
                .map(Some);
        }
        if let Some((k, t)) = plan.flipped {
            self.fill();
            let events = self.sides.events(&self.plain);
            let before = match self.tangent {
                Some(_) => Some(self.at_kink(run, k)?),
                None => None,
            };
            run.evaluations += self.sides.cross(k, t, plan.length, &self.plain)?;
            if let Some(before) = before {
                self.jump(run, &before)?;
            }
            if !self.sides.is_cut(k) {
                return self.report_jumps(run, &events, along, plan.length);
            }
        }
        Ok(None)
    }

    /// Records the states that are asked for within a step of a length.
    fn record_within(&mut self, run: &mut Run, h: f64) {
        match self.options.every {
            None => self.record(&mut run.rows, 0.0, self.time.high),
            Some(_) => {
                while let Some((tau, at)) = self.recorder.due(&self.time, h) {
                    self.record(&mut run.rows, tau, at);
                }
            }
        }
    }

    /// Reports events that jumped over zero, by their values before; how the run ended if one of them ends it.
    fn report_jumps(
        &mut self,
        run: &mut Run,
        before: &[f64],
        along: &mut Along<'_>,
        length: f64,
    ) -> Result<Option<Status>, Stop> {
        let after = self.sides.events(&self.plain);
        let found = along.watch.jumps(before, &after, &self.time, length);
        let moving = self.state.len();
        let state = |_| self.plain[1..=moving].to_vec();
        let ended = along
            .watch
            .report(found, &self.time, &mut run.crossings, state);
        match ended {
            Some((_, k)) => self
                .stopped(run, k, &mut along.balance, &mut along.work)
                .map(Some),
            None => Ok(None),
        }
    }

    /// The work of a step by the series at its start.
    #[inline]
    fn add_work(&mut self, along: &mut Along<'_>, h: f64) {
        if let Some(work) = self.probed.take() {
            along.balance.work.add(work);
        } else if self.working {
            let power = self.series.wanted(POWER);
            along.balance.work.add(match self.work {
                Some(rule) => {
                    along.work.open = Some((h, rule.difference(power, h)));
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
            along.balance.work.add(integral(&power, h));
        }
    }

    /// Goes over an edge that lies a time ahead, to another time: with the accelerations here until the edge, and with
    /// those behind it from there on. What is left out is of second order in a time that is next to nothing.
    fn hop(
        &mut self,
        run: &mut Run,
        (edge, to): (f64, f64),
        along: &mut Along<'_>,
    ) -> Result<Option<Status>, Stop> {
        let n = self.problem.rates.dimension;
        let [u, a] = [self.series.velocities(), self.series.accelerations()].map(<[f64]>::to_vec);
        let behind = to - edge;
        let end = |a_behind: &[f64]| -> Vec<f64> {
            let places = (0..n).map(|i| {
                u[i] * to
                    + a[i] * edge * (0.5 * edge + behind)
                    + 0.5 * a_behind[i] * behind * behind
            });
            let rates = (0..n).map(|i| a[i] * edge + a_behind[i] * behind);
            places.chain(rates).collect()
        };
        self.fill();
        let (start, time) = (self.plain.clone(), self.time);
        let events = self.sides.events(&self.plain);
        let sides = self.sides.list.clone();
        let goes_to = |s: &mut Self, change: &[f64]| {
            s.plain[0] = s.time.plus(to);
            for (i, d) in change.iter().enumerate() {
                s.plain[1 + i] = s.state[i].plus(*d);
            }
        };
        goes_to(self, &end(&a));
        run.evaluations += self.sides.choose(&self.plain)?;
        self.series.exchange();
        let outcome = self.compute(run);
        let a_behind = self.series.accelerations().to_vec();
        let power = self.series.wanted(POWER)[0];
        self.series.exchange();
        outcome?;
        let change = end(&a_behind);
        let jump = (0..n).fold(0.0_f64, |m, i| m.max((a_behind[i] - a[i]).abs()));
        let size = a
            .iter()
            .chain(&a_behind)
            .fold(0.0_f64, |m, a| m.max(a.abs()));
        if jump * to.abs() > LARGEST_HOP * self.fastest && jump > LARGEST_HOP * size {
            // Something is not bounded there.
            self.sides.list = sides;
            return Err(Stop::StepUnderflow);
        }
        if self.tangent.is_some() && jump > TOUCHED * size {
            return Err(Stop::Grazing);
        }
        self.record_within(run, to);
        let here = self.series.wanted(POWER)[0];
        along.balance.work.add(here * edge + power * behind);
        along.work.open = None;
        if let Some(tangent) = &mut self.tangent {
            tangent.step(self.series, self.time.high, to);
        }
        for (s, d) in self.state.iter_mut().zip(&change) {
            s.add(*d);
        }
        self.time.add(to);
        run.steps += 1;
        self.hops.count += 1;
        self.hops.last = to.abs();
        self.fill();
        run.evaluations += self.sides.choose(&self.plain)?;
        // Events that changed their sign did so about where a straight line does.
        let after = self.sides.events(&self.plain);
        let mut found = along.watch.jumps(&events, &after, &self.time, to);
        for (tau, k) in &mut found {
            *tau = to * events[*k] / (events[*k] - after[*k]);
        }
        let end = &self.plain;
        let between = |tau: f64| {
            let pairs = start[1..=2 * n].iter().zip(&end[1..=2 * n]);
            pairs.map(|(a, b)| a + tau / to * (b - a)).collect()
        };
        let ended = along
            .watch
            .report(found, &time, &mut run.crossings, between);
        match ended {
            Some((_, k)) => self
                .stopped(run, k, &mut along.balance, &mut along.work)
                .map(Some),
            None => Ok(None),
        }
    }

    /// Goes away from an edge at which the run starts, where no series exists, by a short step of second order.
    fn leave_edge(&mut self, run: &mut Run, stop: Stop) -> Result<(), Stop> {
        let edges: Vec<Reg> = self.surfaces.edges().iter().map(|e| e.register).collect();
        let values = self.registers(&edges);
        if !values.contains(&0.0) {
            return Err(stop);
        }
        let n = self.problem.rates.dimension;
        let time = LEAVING * (self.options.to - self.options.from);
        let accelerations = self.accelerations_at_plain();
        for i in 0..n {
            let (u, a) = (self.state[n + i].high, accelerations[i]);
            self.state[i].add((u + 0.5 * a * time) * time);
            self.state[n + i].add(a * time);
        }
        self.time.add(time);
        self.fill();
        run.evaluations += self.sides.choose(&self.plain)?;
        self.compute(run)
    }

    /// Takes all steps.
    fn steps(
        &mut self,
        run: &mut Run,
        along: &mut Along<'_>,
        progress: &mut impl FnMut(f64) -> bool,
    ) -> Result<Status, Stop> {
        run.evaluations += self.sides.choose(&self.plain)?;
        if let Err(stop) = self.compute(run) {
            self.leave_edge(run, stop)?;
        }
        loop {
            if !std::mem::take(&mut self.repeated)
                && let Some(status) = self.arrive(run, along, progress)?
            {
                return Ok(status);
            }
            let size = self.natural_size(run, along);
            let left = self.time.from(self.options.to);
            let evaluated = run.evaluations;
            if let Some(leap) = self.leap(run, size, left, along.balance.largest()) {
                self.land(run, &leap, progress)?;
                along.balance.work.add(leap.work);
                self.fill();
                self.compute(run)?;
                continue;
            }
            if run.evaluations > evaluated {
                self.compute(run)?;
            }
            if self.is_quick(size) {
                self.quick_step(run, along, size)?;
                continue;
            }
            let computed = loop {
                match self.plan(along, size)? {
                    Next::Hop(edge, to) => {
                        if let Some(status) = self.hop(run, (edge, to), along)? {
                            return Ok(status);
                        }
                        break false;
                    }
                    Next::Step(plan) => {
                        let Some(end) = self.attempt(run, &plan, size)? else {
                            continue;
                        };
                        if let Some(status) = self.commit(run, &plan, along, end)? {
                            return Ok(status);
                        }
                        break plan.flipped.is_none()
                            && self.tangent.as_ref().is_none_or(|t| t.directions() == 0);
                    }
                }
            };
            self.fill();
            match computed {
                true => self.series.exchange(),
                false => self.compute(run)?,
            }
        }
    }

    /// Whether nothing is to be done in the next step but to take it.
    #[inline]
    fn is_quick(&self, size: f64) -> bool {
        let due = || self.recorder.is_due(&self.time, 1.01 * size);
        let followed = self.tangent.is_some() || self.rank.is_some();
        self.unwatched && !followed && (self.recorder.is_idle() || !due())
    }

    /// A step in which nothing is looked for or written down. The series at its end are in place afterwards, or, if it is
    /// rejected, those at its start.
    #[inline]
    fn quick_step(&mut self, run: &mut Run, along: &mut Along<'_>, size: f64) -> Result<(), Stop> {
        let left = self.time.from(self.options.to);
        let size = size.min(self.limit);
        let length = size.min(left.abs());
        let shortest = SHORTEST * self.time.high.abs().max(1e-300);
        if size < shortest && length < left.abs() || size == 0.0 {
            return Err(Stop::StepUnderflow);
        }
        let h = self.options.sign() * length;
        let n = self.problem.rates.dimension;
        let mut work = along.balance.work;
        let mut open = None;
        if self.working {
            let power = self.series.wanted(POWER);
            work.add(match self.work {
                Some(rule) => {
                    open = Some((h, rule.difference(power, h)));
                    rule.part(power, h)
                }
                None => integral(power, h),
            });
        }
        let end = self.end_of(h);
        self.series.exchange();
        let outcome = self.compute(run);
        let sound = outcome.is_ok() && {
            self.defect(h, 1.0, self.series.accelerations()) <= 1.0 || self.is_noise(h, 1.0)
        };
        if !sound {
            self.series.exchange();
            self.fill();
            if SHORTEN * h.abs() < shortest {
                return Err(outcome.err().unwrap_or(Stop::StepUnderflow));
            }
            self.limit = SHORTEN * h.abs();
            run.rejected += 1;
            self.repeated = true;
            return Ok(());
        }
        (along.balance.work, along.work.open) = (work, open);
        for c in &self.trial[n..] {
            self.fastest = self.fastest.max(c.high.abs());
        }
        std::mem::swap(&mut self.state, &mut self.trial);
        self.time = end;
        run.steps += 1;
        self.limit = match self.limit < size {
            true => 2.0 * h.abs(),
            false => f64::INFINITY,
        };
        Ok(())
    }

    fn go(&mut self, run: &mut Run, progress: &mut impl FnMut(f64) -> bool) {
        let o = self.options;
        self.fill();
        let mut along = Along {
            balance: Balance::new(self.registers(&[self.problem.energy])[0]),
            watch: Watch::new(self.problem, o),
            projection: Projection::new(self.problem, o.tolerance),
            branches: Branches::new(self.problem, o.from),
            work: Work::default(),
            scales: self.problem.scale.len(),
        };
        let n = self.problem.rates.dimension;
        self.fastest = self.state[n..].iter().fold(0.0, |m, c| c.high.abs().max(m));
        let outcome = self.steps(run, &mut along, progress);
        let outcome = self.settled(run).map_or(outcome, Err);
        self.fill();
        run.status = match outcome {
            Ok(status) => status,
            Err(stop) => self.failed(run, stop, &mut along.branches),
        };
        if self.problem.trail {
            run.trail.close(&self.plain, &self.sides.list);
        }
        run.time = self.time.high;
        run.underflows = self.underflows.close();
        run.state = self.state.iter().map(|c| c.high).collect();
        run.outputs = self.recorder.outputs(&self.plain, &self.sides.list);
        along.balance.close(run);
    }
}
