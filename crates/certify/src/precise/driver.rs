//! The run loop in many digits: steps by Taylor series, with checks at their ends.

use galilei_expr::{Expr, Fail, Float, Floats, Program};
use galilei_linear::math::scalar;

use super::PreciseFailure;
use super::roots::{Zeros, value, zeros};
use super::segment::Segment;
use crate::jets::{Branch, Equations, Jets};
use crate::problem::{Followed, Level, Problem};
use crate::tape::Reg;

/// Coefficients at the end of a series from which its radius is estimated.
const TAIL: usize = 8;
/// Terms of a series whose size is a scale of its values within a step.
const FIRST_TERMS: usize = 3;
/// Halvings of a step before the run is given up.
const MAX_HALVINGS: usize = 40;
/// Steps of a run.
const MAX_STEPS: usize = 5_000_000;
/// Newton's steps of a projection onto constraints.
const MAX_PROJECTIONS: usize = 12;
/// The difference between the accelerations of the series and those of the equations at the end of a step, in
/// tolerances.
const MAX_DEFECT: f64 = 1e4;
/// Bits in which the arithmetic of a step may be wrong.
const LOST_BITS: i64 = 20;

/// An event that is looked for.
pub(crate) struct Watch {
    pub(crate) register: Reg,
    /// 1 rising, −1 falling, 0 both.
    pub(crate) direction: i32,
    pub(crate) terminal: bool,
}

/// An event that was found.
pub(crate) struct Found<const N: usize> {
    pub(crate) event: usize,
    pub(crate) time: Float<N>,
    pub(crate) state: Vec<Float<N>>,
}

/// The settings of a run.
pub(crate) struct Course<const N: usize> {
    pub(crate) from: Float<N>,
    pub(crate) to: Float<N>,
    pub(crate) every: Option<Float<N>>,
    pub(crate) rows: bool,
    pub(crate) tolerance: f64,
    pub(crate) order: usize,
    pub(crate) dense: bool,
}

/// A run.
pub(crate) struct Outcome<const N: usize> {
    pub(crate) time: Float<N>,
    pub(crate) state: Vec<Float<N>>,
    pub(crate) outputs: Vec<Option<Float<N>>>,
    /// t, x, u, outputs
    pub(crate) rows: Vec<Vec<Option<Float<N>>>>,
    pub(crate) found: Vec<Found<N>>,
    pub(crate) touched: Vec<(usize, Float<N>)>,
    pub(crate) ended: Option<usize>,
    pub(crate) failure: Option<PreciseFailure>,
    pub(crate) segments: Vec<Segment<N>>,
    pub(crate) steps: usize,
    pub(crate) rejected: usize,
    pub(crate) energy_balance: f64,
    pub(crate) residual: Option<f64>,
}

pub(crate) struct Driver<'e, 'p, const N: usize> {
    field: Floats<N>,
    problem: &'e Problem<'p>,
    followed: &'e Followed,
    watch: &'e [Watch],
    course: Course<N>,
    jets: Jets<Floats<N>>,
    /// Values at a state alone.
    probe: Jets<Floats<N>>,
    branches: Vec<Branch>,
    time: Float<N>,
    state: Vec<Float<N>>,
    work: Float<N>,
    energy_at_start: Option<Float<N>>,
    energy_scale: Float<N>,
    imbalance: Float<N>,
    worst_residual: Float<N>,
    next_row: u64,
    out: Outcome<N>,
}

/// A step that was accepted.
struct Step<const N: usize> {
    length: Float<N>,
    state: Vec<Float<N>>,
    /// Switching functions that vanish at its end.
    crossed: Vec<usize>,
    /// The events within it, in order, with their places from 0 to 1.
    events: Vec<(usize, Float<N>)>,
    touches: Vec<(usize, Float<N>)>,
}

impl From<Fail> for PreciseFailure {
    fn from(_: Fail) -> Self {
        Self::Undefined
    }
}

/// cₖhᵏ
fn scaled<const N: usize>(c: &[Float<N>], h: Float<N>) -> Vec<Float<N>> {
    let mut power = Float::int(1);
    let terms = c.iter().map(|c| {
        let term = c.mul(power);
        power = power.mul(h);
        term
    });
    terms.collect()
}

/// Σ |qₖ|
fn size<const N: usize>(q: &[Float<N>]) -> Float<N> {
    q.iter().fold(Float::ZERO, |s, c| s.add(c.abs()))
}

/// Whether a number is rounding relative to another.
fn is_noise<const N: usize>(x: Float<N>, scale: Float<N>) -> bool {
    x.is_zero() || x.log2() < scale.log2() - (64 * N as i64 - LOST_BITS) as f64
}

impl<'e, 'p, const N: usize> Driver<'e, 'p, N> {
    pub(crate) fn new(
        problem: &'e Problem<'p>,
        followed: &'e Followed,
        watch: &'e [Watch],
        course: Course<N>,
        start: Vec<Float<N>>,
    ) -> Result<Self, Fail> {
        let mut field = Floats::new();
        let equations = &problem.equations;
        Ok(Self {
            jets: Jets::new(&mut field, equations, course.order)?,
            probe: Jets::new(&mut field, equations, 1)?,
            branches: vec![Branch::Either; equations.tape.switches.len()],
            time: course.from,
            state: start.clone(),
            out: Outcome {
                time: course.from,
                state: start,
                outputs: vec![],
                rows: vec![],
                found: vec![],
                touched: vec![],
                ended: None,
                failure: None,
                segments: vec![],
                steps: 0,
                rejected: 0,
                energy_balance: 0.0,
                residual: None,
            },
            field,
            problem,
            followed,
            watch,
            course,
            work: Float::ZERO,
            energy_at_start: None,
            energy_scale: Float::ZERO,
            imbalance: Float::ZERO,
            worst_residual: Float::ZERO,
            next_row: 0,
        })
    }

    fn equations(&self) -> &'e Equations {
        &self.problem.equations
    }

    /// The run. The function is called with the time that is reached, and returns whether to go on.
    pub(crate) fn run(mut self, progress: &mut dyn FnMut(f64) -> bool) -> Outcome<N> {
        if let Err(why) = self.follow(progress) {
            self.out.failure = Some(why);
        }
        self.out.time = self.time;
        self.out.state = self.state.clone();
        let (time, state) = (self.time, self.state.clone());
        self.out.outputs = self.outputs(time, &state);
        let last = self.out.rows.last().and_then(|r| r[0]);
        if self.course.rows && last != Some(time) {
            self.record(time, &state);
        }
        let balance = self.imbalance.div(self.energy_scale);
        self.out.energy_balance = balance.map_or(0.0, |b| b.to_f64());
        if !self.problem.constraints.is_empty() {
            self.out.residual = Some(self.worst_residual.to_f64());
        }
        self.out
    }

    fn follow(&mut self, progress: &mut dyn FnMut(f64) -> bool) -> Result<(), PreciseFailure> {
        // Branches at the start: by the signs of the switching functions, then by their rates.
        self.branches = self.first_branches()?;
        let (time, start) = (self.time, self.state.clone());
        self.state = self.projected(time, start)?;
        let state = self.state.clone();
        if self.course.rows {
            self.record(time, &state);
        }
        self.next_row = 1;
        self.energies(time, &state)?;
        while self.time != self.course.to {
            if !progress(self.time.to_f64()) {
                return Err(PreciseFailure::Interrupted);
            }
            if self.out.steps >= MAX_STEPS {
                return Err(PreciseFailure::TooManySteps);
            }
            let left = self.course.to.sub(self.time);
            let length = self.expand(left)?;
            let step = self.step(length, left)?;
            self.out.steps += 1;
            if self.accept(step, left)? {
                break;
            }
        }
        Ok(())
    }

    fn inputs(&self, time: Float<N>, state: &[Float<N>]) -> Vec<Float<N>> {
        std::iter::once(time).chain(state.iter().copied()).collect()
    }

    /// Computes the values of all registers and unknowns at a state.
    fn look(&mut self, time: Float<N>, state: &[Float<N>]) -> Result<(), Fail> {
        let inputs = self.inputs(time, state);
        let (field, equations) = (&mut self.field, &self.problem.equations);
        self.probe
            .compute(field, equations, &inputs, &self.branches, (0, None))
    }

    fn seen(&self, r: Reg) -> Float<N> {
        self.probe.series(r)[0]
    }

    /// The branches by the values of the switching functions; those that vanish are taken as positive.
    fn first_branches(&mut self) -> Result<Vec<Branch>, Fail> {
        let (time, state) = (self.time, self.state.clone());
        let switches = self.equations().tape.switches.clone();
        self.branches.fill(Branch::Positive);
        // Switching functions may contain others.
        for _ in 0..=switches.len() {
            let before = self.branches.clone();
            self.look(time, &state)?;
            for (k, g) in switches.iter().enumerate() {
                self.branches[k] = match self.seen(*g).sign() {
                    -1 => Branch::Negative,
                    _ => Branch::Positive,
                };
            }
            if before == self.branches {
                break;
            }
        }
        Ok(self.branches.clone())
    }

    /// Computes the series at the state, and the branches on which it leaves it; the step size that the series allows.
    fn expand(&mut self, left: Float<N>) -> Result<Float<N>, PreciseFailure> {
        let switches = self.equations().tape.switches.clone();
        let mut tried = vec![];
        loop {
            let inputs = self.inputs(self.time, &self.state);
            let (field, equations) = (&mut self.field, &self.problem.equations);
            let order = (self.course.order, None);
            self.jets
                .compute(field, equations, &inputs, &self.branches, order)?;
            let length = self.length(left);
            let mut consistent = true;
            for (k, g) in switches.iter().enumerate() {
                let q = scaled(self.jets.series(*g), length);
                let all = size(&q);
                let leading = q.iter().find(|c| !is_noise(**c, all));
                let sign = match leading {
                    Some(c) => c.sign(),
                    // A constant that vanishes, or a motion that stays on the surface.
                    None if all.is_zero() && self.equations().tape.constant[*g as usize] => 1,
                    None => return Err(PreciseFailure::OnSurface),
                };
                let wanted = match sign {
                    -1 => Branch::Negative,
                    _ => Branch::Positive,
                };
                consistent &= self.branches[k] == wanted;
                self.branches[k] = wanted;
            }
            if consistent {
                return Ok(length);
            }
            if tried.contains(&self.branches) {
                return Err(PreciseFailure::OnSurface);
            }
            tried.push(self.branches.clone());
        }
    }

    /// The series that a step must represent: positions, velocities, power, multipliers, events and switching functions.
    /// Those of a group share a scale.
    fn groups(&self) -> Vec<Vec<&[Float<N>]>> {
        let d = self.equations().dimension();
        let single = |r: Reg| vec![self.jets.series(r)];
        let mut groups = vec![
            (0..d / 2).map(|i| self.jets.state(i)).collect(),
            (d / 2..d).map(|i| self.jets.state(i)).collect(),
            single(self.followed.power),
        ];
        groups.extend((d / 2..self.equations().unknowns()).map(|j| vec![self.jets.unknown(j)]));
        groups.extend(self.followed.reaction_rates.iter().map(|r| single(*r)));
        groups.extend(self.watch.iter().map(|w| single(w.register)));
        groups.extend(self.equations().tape.switches.iter().map(|g| single(*g)));
        groups
    }

    /// The step size for which the series at the state have about the tolerance, at most what is left.
    fn length(&self, left: Float<N>) -> Float<N> {
        let p = self.course.order;
        // Base-2 logarithms of the largest coefficient of each order.
        let sizes = |group: Vec<&[Float<N>]>| -> Vec<f64> {
            let largest = |k: usize| {
                // Series of unknowns have one coefficient less.
                let sizes = group.iter().filter_map(|c| Some(c.get(k)?.log2()));
                sizes.fold(f64::NEG_INFINITY, f64::max)
            };
            (0..=p).map(largest).collect()
        };
        let groups: Vec<Vec<f64>> = self.groups().into_iter().map(sizes).collect();
        let mut h = f64::INFINITY;
        // First with the values at the start of the step as scales, then with the first terms of the series, too: a
        // value may vanish at the start. Later terms may be large and cancel.
        for _ in 0..2 {
            let mut radius = f64::INFINITY;
            for c in &groups {
                let powers = if h.is_finite() { FIRST_TERMS } else { 1 };
                let terms = (0..powers).map(|k| if k == 0 { c[0] } else { c[k] + k as f64 * h });
                let mut scale = terms.fold(f64::NEG_INFINITY, f64::max);
                if scale == f64::NEG_INFINITY {
                    scale = 0.0;
                }
                for k in (p - TAIL + 1..=p).filter(|k| c[*k] > f64::NEG_INFINITY) {
                    radius = radius.min((scale - c[k]) / k as f64);
                }
            }
            h = radius + scalar::log2(self.course.tolerance) / p as f64;
        }
        let rest = left.log2();
        if h >= rest {
            return left;
        }
        if h > rest - 1.0 {
            return left.shifted(-1);
        }
        // 53 bits are enough for a step size.
        let size = Float::exact(scalar::pow(2.0, h - h.floor())).shifted(h.floor() as i64);
        match left.sign() < 0 {
            true => size.neg(),
            false => size,
        }
    }

    /// The zeros of the series of a register within a step that does not begin with one.
    fn zeros_of(&self, r: Reg, length: Float<N>) -> Zeros<N> {
        let q = scaled(self.jets.series(r), length);
        let all = size(&q);
        let none = Zeros {
            crossings: vec![],
            touches: vec![],
        };
        // A zero at the start belongs to the step before.
        let Some(first) = q.iter().position(|c| !is_noise(*c, all)) else {
            return none;
        };
        zeros(&q[first..])
    }

    /// Whether a register is zero, but for rounding, at the end of a step.
    fn vanishes_at_end(&self, r: Reg, length: Float<N>) -> bool {
        let q = scaled(self.jets.series(r), length);
        let all = size(&q);
        !all.is_zero() && is_noise(value(&q, Float::int(1)), all)
    }

    fn state_after(&self, length: Float<N>) -> Vec<Float<N>> {
        let d = self.equations().dimension();
        let states = (0..d).map(|i| value(self.jets.state(i), length));
        states.collect()
    }

    /// The zeros of all events within a length, in order, and where they may be touched.
    #[allow(clippy::type_complexity)]
    fn events_within(
        &self,
        length: Float<N>,
        is_end: bool,
    ) -> (Vec<(usize, Float<N>)>, Vec<(usize, Float<N>)>) {
        let (mut events, mut touches) = (vec![], vec![]);
        for (k, watch) in self.watch.iter().enumerate() {
            let r = watch.register;
            let admitted =
                |sign: i32| watch.direction == 0 || watch.direction == sign * length.sign();
            let at_end = is_end && self.vanishes_at_end(r, length);
            let mut within = length;
            if at_end {
                // The zero at the end is taken apart; those before it are looked for up to a little before.
                within = length.sub(length.shifted(-40));
            }
            let found = self.zeros_of(r, within);
            let place = |s: Float<N>| match at_end {
                true => s.sub(s.shifted(-40)),
                false => s,
            };
            for c in found.crossings {
                if admitted(c.sign) {
                    events.push((k, place(c.at)));
                }
            }
            touches.extend(found.touches.into_iter().map(|s| (k, place(s))));
            if at_end {
                let q = scaled(self.jets.series(r), length);
                let before = value(&q, place(Float::int(1))).sign();
                if before != 0 && admitted(-before) {
                    events.push((k, Float::int(1)));
                }
            }
        }
        events.sort_by(|a, b| a.1.order(b.1));
        (events, touches)
    }

    /// A step of at most a length that passes the checks.
    fn step(&mut self, mut length: Float<N>, left: Float<N>) -> Result<Step<N>, PreciseFailure> {
        let switches = self.equations().tape.switches.clone();
        for _ in 0..MAX_HALVINGS {
            // Ends at zeros of events are ambiguous, unless the run ends there.
            let ambiguous =
                |d: &Self, h: Float<N>| d.watch.iter().any(|w| d.vanishes_at_end(w.register, h));
            let mut tries = 0;
            while length != left && tries < 8 && ambiguous(self, length) {
                length = length.mul(Float::exact(0.875));
                tries += 1;
            }
            let mut crossed = vec![];
            let mut first = Float::int(1);
            for (k, g) in switches.iter().enumerate() {
                let found = self.zeros_of(*g, length);
                if let Some(c) = found.crossings.first() {
                    match c.at.order(first) {
                        std::cmp::Ordering::Less => {
                            first = c.at;
                            crossed = vec![k];
                        }
                        std::cmp::Ordering::Equal => crossed.push(k),
                        std::cmp::Ordering::Greater => {}
                    }
                }
            }
            let within = length.mul(first);
            let time = self.time.add(within);
            let end = self.state_after(within);
            let checked = match self.projected(time, end) {
                Ok(state) => self.defect_is_small(within).map(|ok| ok.then_some(state)),
                Err(_) => Ok(None),
            };
            if let Ok(Some(state)) = checked {
                // A surface may be the zero of an event, too.
                let is_end = within == left || !crossed.is_empty();
                let (events, touches) = self.events_within(within, is_end);
                return Ok(Step {
                    length: within,
                    state,
                    crossed,
                    events,
                    touches,
                });
            }
            self.out.rejected += 1;
            length = length.shifted(-1);
        }
        Err(PreciseFailure::StepTooSmall)
    }

    /// Whether the accelerations of the series at the end of a step are those of the equations, which the last
    /// projection has evaluated there.
    fn defect_is_small(&mut self, length: Float<N>) -> Result<bool, Fail> {
        let d = self.equations().dimension();
        let n = d / 2;
        let (mut worst, mut accelerations, mut scale) = (Float::ZERO, Float::ZERO, Float::ZERO);
        for i in 0..n {
            let series = self.jets.state(n + i);
            let mut rate = Float::ZERO;
            for k in (1..series.len()).rev() {
                rate = rate.mul(length).add(series[k].mul(Float::int(k as i64)));
            }
            let own = self.probe.unknown(i)[0];
            worst = worst.larger(rate.sub(own));
            accelerations = accelerations.larger(own).larger(rate);
            scale = scale.larger(size(&scaled(series, length)));
        }
        let rounding = accelerations.shifted(LOST_BITS + 8 - 64 * N as i64);
        let allowed = scale.mul(Float::exact(MAX_DEFECT * self.course.tolerance));
        let limit = rounding.mul(length).abs().add(allowed);
        Ok(worst.mul(length).abs().order(limit).is_le())
    }

    /// The nearest state on the constraints, positions first; all registers are evaluated there. (Newton's method with
    /// the matrix of the equations of motion)
    fn projected(
        &mut self,
        time: Float<N>,
        mut state: Vec<Float<N>>,
    ) -> Result<Vec<Float<N>>, PreciseFailure> {
        let n = state.len() / 2;
        self.look(time, &state)?;
        let levels: &'e [Level<'p>] = &self.problem.constraints;
        if levels.is_empty() {
            return Ok(state);
        }
        let residuals: &'e [Reg] = &self.followed.residuals;
        let size = self.equations().unknowns();
        for of_positions in [true, false] {
            if !levels.iter().any(|l| l.of_positions == of_positions) {
                continue;
            }
            // States below this are rounding.
            const SMALLEST: i64 = -40;
            let smallest = Float::int(1).shifted(SMALLEST);
            let mut before = Float::ZERO;
            for round in 0..MAX_PROJECTIONS {
                let mut right = vec![Float::ZERO; size];
                let mut worst = Float::ZERO;
                for (level, r) in levels.iter().zip(residuals) {
                    if level.of_positions == of_positions {
                        let value = self.seen(*r);
                        right[n + level.constraint] = value.neg();
                        worst = worst.larger(value);
                    }
                }
                // Rounding is reached when a step does not halve the residual.
                if worst.is_zero() || (round > 1 && worst.order(before.shifted(-1)).is_gt()) {
                    break;
                }
                if round + 1 == MAX_PROJECTIONS {
                    return Err(PreciseFailure::Projection);
                }
                before = worst;
                let moved = self.probe.solved(&mut self.field, &right)?;
                let own = match of_positions {
                    true => &mut state[..n],
                    false => &mut state[n..],
                };
                let (mut largest, mut scale) = (Float::ZERO, smallest);
                for (x, step) in own.iter_mut().zip(&moved) {
                    *x = x.add(*step);
                    (largest, scale) = (largest.larger(*step), scale.larger(*x));
                }
                self.look(time, &state)?;
                if is_noise(largest, scale.shifted(-LOST_BITS / 2)) {
                    break;
                }
            }
        }
        Ok(state)
    }

    /// Takes over a step; whether the run ends with it.
    fn accept(&mut self, step: Step<N>, left: Float<N>) -> Result<bool, PreciseFailure> {
        let d = self.equations().dimension();
        let mut length = step.length;
        let mut state = step.state;
        let mut crossed = step.crossed;
        let mut ended = None;
        for (event, s) in step.events {
            let after = step.length.mul(s);
            let time = self.time.add(after);
            let then = self.state_after(after);
            let then = self.projected(time, then)?;
            self.out.found.push(Found {
                event,
                time,
                state: then.clone(),
            });
            if self.watch[event].terminal {
                (ended, length, state) = (Some(event), after, then);
                crossed.clear();
                break;
            }
        }
        let touches = step.touches.into_iter();
        let touches = touches.map(|(k, s)| (k, self.time.add(step.length.mul(s))));
        self.out.touched.extend(touches);
        let polynomials = (0..d).map(|i| scaled(self.jets.state(i), length));
        let segment = Segment {
            start: self.time,
            length,
            state: polynomials.collect(),
        };
        let time = match length == left {
            true => self.course.to,
            false => self.time.add(length),
        };
        self.work = self.work.add(self.worked(length));
        if self.course.rows {
            self.record_within(&segment, time);
        }
        if self.course.dense {
            self.out.segments.push(segment);
        }
        (self.time, self.state) = (time, state);
        let state = self.state.clone();
        self.energies(time, &state)?;
        if self.course.rows && self.course.every.is_none() {
            self.record(time, &state);
        }
        for k in crossed {
            self.branches[k] = match self.branches[k] {
                Branch::Positive => Branch::Negative,
                _ => Branch::Positive,
            };
        }
        self.out.ended = ended;
        Ok(ended.is_some())
    }

    /// The work of forces and reactions over a length, by the series of its rate.
    fn worked(&mut self, length: Float<N>) -> Float<N> {
        let p = self.course.order;
        let mut rate = self.jets.series(self.followed.power)[..p].to_vec();
        let n = self.equations().dimension() / 2;
        for (c, r) in self.followed.reaction_rates.iter().enumerate() {
            let (multiplier, along) = (self.jets.unknown(n + c), self.jets.series(*r));
            for (k, sum) in rate.iter_mut().enumerate() {
                for j in 0..=k {
                    *sum = sum.add(multiplier[j].mul(along[k - j]));
                }
            }
        }
        let mut sum = Float::ZERO;
        for k in (0..p).rev() {
            sum = sum.mul(length).add(rate[k].over(k as u32 + 1));
        }
        sum.mul(length)
    }

    /// The energy balance and the residuals at a state.
    fn energies(&mut self, time: Float<N>, state: &[Float<N>]) -> Result<(), Fail> {
        self.look(time, state)?;
        let energy = self.seen(self.followed.energy);
        let start = *self.energy_at_start.get_or_insert(energy);
        self.energy_scale = self
            .energy_scale
            .larger(energy)
            .larger(self.seen(self.followed.scale))
            .larger(self.work);
        self.imbalance = self.imbalance.larger(energy.sub(start).sub(self.work));
        for r in &self.followed.residuals {
            self.worst_residual = self.worst_residual.larger(self.seen(*r));
        }
        Ok(())
    }

    /// Records the states at multiples of a distance in time within a step.
    fn record_within(&mut self, segment: &Segment<N>, end: Float<N>) {
        let Some(every) = self.course.every else {
            return;
        };
        let direction = segment.length.sign();
        loop {
            let distance = every.mul(Float::int(self.next_row as i64));
            let signed = if direction < 0 {
                distance.neg()
            } else {
                distance
            };
            let time = self.course.from.add(signed);
            // The end of the run is recorded on its own.
            let rest = self.course.to.sub(time);
            let last = rest.sign() != direction || is_noise(rest, self.course.to.larger(every));
            if last || time.sub(end).sign() == direction {
                return;
            }
            let state = segment.at(time);
            self.record(time, &state);
            self.next_row += 1;
        }
    }

    fn record(&mut self, time: Float<N>, state: &[Float<N>]) {
        let outputs = self.outputs(time, state);
        let mut row = vec![Some(time)];
        row.extend(state.iter().map(|x| Some(*x)));
        row.extend(outputs);
        self.out.rows.push(row);
    }

    /// The outputs at a state.
    fn outputs(&mut self, time: Float<N>, state: &[Float<N>]) -> Vec<Option<Float<N>>> {
        if self.followed.outputs.is_empty() {
            return vec![];
        }
        let mut inputs = self.inputs(time, state);
        let with_multipliers = !self.followed.members.is_empty();
        if with_multipliers {
            let numbers = match self.look(time, state) {
                Ok(()) => self.reactions(),
                Err(_) => None,
            };
            let count = 2 * self.followed.members.len();
            inputs.extend(numbers.unwrap_or(vec![Float::ZERO; count]));
        }
        let value = |program: &Program, field: &mut Floats<N>| {
            program.run(field, &inputs).into_iter().next()?.ok()
        };
        let programs = self.followed.outputs.iter();
        programs
            .map(|p| value(p.as_ref()?, &mut self.field).filter(|x| x.is_bounded()))
            .collect()
    }

    /// The multiplier and the norm of the reaction in g⁻¹ of each name, at the state that was looked at.
    fn reactions(&mut self) -> Option<Vec<Float<N>>> {
        let n = self.equations().dimension() / 2;
        let size = self.equations().unknowns();
        let matrix = &self.equations().matrix;
        let multipliers: Vec<Float<N>> = (n..size).map(|j| self.probe.unknown(j)[0]).collect();
        let members = &self.followed.members;
        let mut list: Vec<Float<N>> = members.iter().map(|m| multipliers[m.1[0]]).collect();
        for (_, constraints) in members {
            // Q = Σ λC; with g·y = Q the norm is √(Q·y).
            let mut force = vec![Float::ZERO; n];
            for (i, q) in force.iter_mut().enumerate() {
                for c in constraints {
                    let covector = self.seen(matrix[i * size + n + c]).neg();
                    *q = q.add(covector.mul(multipliers[*c]));
                }
            }
            let mass: Vec<Float<N>> = (0..n * n)
                .map(|k| self.seen(matrix[k / n * size + k % n]))
                .collect();
            let y = crate::jets::linear_solution(&mut self.field, &mass, &force).ok()?;
            let square = force
                .iter()
                .zip(&y)
                .fold(Float::ZERO, |s, (a, b)| s.add(a.mul(*b)));
            let half = galilei_expr::Rational::new(1, 2);
            use galilei_expr::Arithmetic;
            list.push(match square.sign() {
                1 => self.field.pow(0, &square, &half).ok()?,
                _ => Float::ZERO,
            });
        }
        Some(list)
    }
}

/// The number nearest to an expression without symbols.
pub(crate) fn number<const N: usize>(e: Expr<'_>) -> Option<Float<N>> {
    let program = Program::new(&[e], &[]).ok()?;
    program
        .run(&mut Floats::new(), &[])
        .into_iter()
        .next()?
        .ok()
}
