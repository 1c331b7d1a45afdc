//! The Taylor coefficients of a motion at a state: by machine code, by the interpreter, and where a
//! pivot is too small for a fixed order of elimination, by jets with pivoting.

use std::sync::Arc;

use galilei_jit::{Kernel, RolledKernel};
use galilei_tape::code::{Assembler, Code, WIDTH};
use galilei_tape::math::scalar::{exp, log, log10};
use galilei_tape::math::{rough_exp2, rough_log2};
use galilei_tape::{Jets, Rates, Reg, Series, Tape, Wanted};

use crate::accelerations::reason;
use crate::problem::Error;
use crate::radius::Coefficients;
use crate::sensitivity::expansion::{SensitivityExpansion, at_once};
use crate::sum::with_known_size;

/// Windows of the scheduler: for series whose instructions wait for each other, and for those with enough independent
/// ones, which soon fill 16 registers.
const SCHEDULER_WINDOWS: [usize; 2] = [200, 32];
/// The largest number of operations of unrolled series at order 20, roughly. Longer ones are computed by a loop over the
/// orders. For chains, in which everything waits for its neighbours, it is faster from about there on, for arms earlier.
const MAX_UNROLLED: usize = 70_000;
/// The cost of a step without its series, in operations: measured on a rolling disk, whose series are short.
const STEP_OPERATIONS: f64 = 700.0;

/// The number of operations of the series of an order: a + b·p + c·p².
pub(crate) fn operations(tape: &Tape, rates: &Rates, wanted: &Wanted) -> [f64; 3] {
    if let Some(rolled) = tape.rolled_series(rates, wanted, 1, MAX_UNROLLED) {
        return rolled.operations();
    }
    let at = |p: usize| tape.series(rates, wanted, p).code.operations() as f64;
    let (x, y) = ([4.0, 7.0, 10.0], [at(4), at(7), at(10)]);
    let slope = |i: usize, j: usize| (y[j] - y[i]) / (x[j] - x[i]);
    let c = (slope(1, 2) - slope(0, 1)) / (x[2] - x[0]);
    let b = slope(0, 1) - c * (x[0] + x[1]);
    [y[0] - b * x[0] - c * x[0] * x[0], b, c]
}

/// The order that Jorba and Zou's rule gives for a tolerance.
pub(crate) fn classical(tolerance: f64) -> f64 {
    let exact = -log(tolerance.max(1e-18)) / 2.0 + 1.0;
    exact.ceil().max(4.0)
}

/// The order of the series with the least cost per unit of time. The step of order p is ρ·exp(−(2(p₀ − 1) + 0.7)/(p − 1)),
/// p₀ the classical order for the tolerance; the cost of a step is counted, not timed, so that a run is
/// the same on every machine. `step` is the cost of a step without its series.
pub(crate) fn order_for([a, b, c]: [f64; 3], step: f64, tolerance: f64) -> usize {
    let classical = classical(tolerance);
    let series = |p: usize| a + b * p as f64 + c * (p * p) as f64;
    let cost = |p: usize| {
        let length = exp(-(2.0 * (classical - 1.0) + 0.7) / (p as f64 - 1.0));
        (series(p) + step) / length
    };
    // Higher orders take longer steps, in which larger terms cancel: the more, the less a tolerance
    // leaves to rounding.
    let spare = (log10(tolerance / f64::EPSILON) / 7.0).clamp(0.0, 1.0);
    let highest = |more: f64| ((1.25 + more * spare) * classical).round() as usize;
    // Short series hardly cost anything beside the rest of the step. They are often those of functions
    // without poles, whose steps grow with the order by more than counted here.
    let short = |p: &usize| *p <= highest(0.15) || series(*p) <= 2.0 * step;
    (4.max(classical as usize * 3 / 4)..=highest(0.75))
        .filter(short)
        .min_by(|&p, &q| cost(p).total_cmp(&cost(q)))
        .unwrap_or(20)
}

/// The order for a single motion with what is wanted of it.
pub(crate) fn order_of(tape: &Tape, rates: &Rates, wanted: &Wanted, tolerance: f64) -> usize {
    let once = Wanted {
        directions: wanted.directions.min(WIDTH),
        ..wanted.clone()
    };
    order_for(operations(tape, rates, &once), STEP_OPERATIONS, tolerance)
}

/// Computes Taylor coefficients and keeps them. Clones share the code.
#[derive(Clone)]
pub(crate) struct Expansion {
    tape: Arc<Tape>,
    rates: Arc<Rates>,
    wanted: Wanted,
    layout: Layout,
    kernel: Program,
    /// Where reduced equations degenerate: code that has one unknown for each coordinate and constraint.
    whole: Option<Kernel>,
    /// Whether the last series are those of reduced equations, and those at the other state.
    reduced: bool,
    other_reduced: bool,
    jets: Option<Jets>,
    inputs: Vec<f64>,
    /// A time, then what the kernel computes.
    buffer: Vec<f64>,
    /// Inputs and results at another state: those of the start of a step while its end is tried.
    other: (Vec<f64>, Vec<f64>),
    /// The code of the changes of positions and velocities in that time.
    advance: Kernel,
    /// 1/k
    inverse: Vec<f64>,
    /// StateSensitivities, where they are wanted.
    sensitivities: Option<SensitivityExpansion>,
}

/// The series of one state, by unrolled code or by a loop over the orders.
#[derive(Clone)]
enum Program {
    Unrolled(Kernel),
    Rolled(Box<RolledKernel>),
}

impl Program {
    #[inline]
    fn call(&mut self, inputs: &[f64], outputs: &mut [f64]) {
        match self {
            Self::Unrolled(kernel) => kernel.call(inputs, outputs),
            Self::Rolled(kernel) => kernel.call(inputs, outputs),
        }
    }

    /// The series up to an order, with the places of its outputs.
    fn of(tape: &Tape, rates: &Rates, wanted: &Wanted, order: usize) -> (Self, Series) {
        let Some(rolled) = tape.rolled_series(rates, wanted, order, MAX_UNROLLED) else {
            let shape = tape.series(rates, wanted, order);
            return (Self::Unrolled(kernel(&shape.code, rates.separate)), shape);
        };
        let shape = rolled.shape();
        let kernel = RolledKernel::new(rolled, |code| optimised(code, rates.separate));
        (Self::Rolled(Box::new(kernel)), shape)
    }
}

/// Code of series for one state.
fn kernel(code: &Code, separate: bool) -> Kernel {
    Kernel::new(optimised(code, separate), 1)
}

/// The code as it is compiled.
fn optimised(code: &Code, separate: bool) -> Code {
    match separate {
        true => arranged(code),
        false => arranged(&code.fused()),
    }
}

/// The code in an order that suits it.
fn arranged(code: &Code) -> Code {
    let waiting = code.operations() < 3 * code.longest_chain();
    code.scheduled(SCHEDULER_WINDOWS[usize::from(!waiting)])
}

/// Code for Σ uₖ₋₁hᵏ/k and Σ uₖhᵏ, k from 1 to p, and, if that is wanted, for the accelerations at the end, Σ k·uₖhᵏ;
/// inputs h, and from a place on u₀, …, u_p. Even and odd powers are summed separately: two chains are done sooner than
/// one of twice the length.
pub(crate) fn advance(n: usize, p: usize, start: usize, accelerations: bool) -> Code {
    let mut asm = Assembler::new(start + n * (p + 1));
    let h = asm.input(0);
    let square = asm.mul(h, h);
    // Positions, then velocities; four at a time, the last four again if they do not come out even.
    let places: Vec<usize> = (0..2 * n).collect();
    let chunks: Vec<Vec<usize>> = if 2 * n < WIDTH {
        places.iter().map(|&i| vec![i]).collect()
    } else {
        let starts = (0..2 * n).step_by(WIDTH).map(|s| s.min(2 * n - WIDTH));
        starts.map(|s| (s..s + WIDTH).collect()).collect()
    };
    let mut outputs = vec![None; if accelerations { 3 * n } else { 2 * n }];
    for chunk in chunks {
        let wide: Option<[usize; WIDTH]> = chunk.clone().try_into().ok();
        let coefficient = |asm: &mut Assembler, k: usize| {
            // Positions have the coefficients of velocities one order below.
            let factor = |i: usize| if i < n { 1.0 / k as f64 } else { 1.0 };
            let place = |i: usize| start + (k - 1) * n + i;
            match wide {
                Some(list) => {
                    let (values, factors) = (asm.row(place(list[0])), asm.table(list.map(factor)));
                    asm.mul(values, factors)
                }
                None => {
                    let value = asm.input(place(chunk[0]));
                    asm.scale(value, factor(chunk[0]))
                }
            }
        };
        let spread = |asm: &mut Assembler, v| match wide {
            Some(_) => asm.pack([v; WIDTH]),
            None => v,
        };
        let (step, double) = (spread(&mut asm, h), spread(&mut asm, square));
        let mut parts = [None, None];
        // The derivatives of both parts by h².
        let mut slopes = [None, None];
        let differentiated = accelerations && chunk.iter().any(|i| *i >= n);
        for k in (1..=p).rev() {
            let c = coefficient(&mut asm, k);
            let (part, slope) = (&mut parts[k % 2], &mut slopes[k % 2]);
            if let (Some(s), true) = (*part, differentiated) {
                *slope = Some(match *slope {
                    None => s,
                    Some(d) => {
                        let d = asm.mul(d, double);
                        asm.add(d, s)
                    }
                });
            }
            *part = Some(match *part {
                None => c,
                Some(s) => {
                    let s = asm.mul(s, double);
                    asm.add(s, c)
                }
            });
        }
        // Odd powers start with h, even ones with h².
        let odd = parts[1].unwrap_or(step);
        let sum = match parts[0] {
            None => odd,
            Some(even) => {
                let even = asm.mul(even, step);
                asm.add(even, odd)
            }
        };
        let sum = asm.mul(sum, step);
        for (l, &i) in chunk.iter().enumerate() {
            outputs[i] = Some(match wide {
                Some(_) => asm.lane(sum, l),
                None => sum,
            });
        }
        let (Some(even), Some(even_slope), Some(odd_slope)) = (parts[0], slopes[0], slopes[1])
        else {
            continue;
        };
        // h·d/dh of h·odd(h²) + h²·even(h²) = sum + h²·(even + 2h·(odd' + h·even')).
        let inner = asm.mul(even_slope, step);
        let inner = asm.add(odd_slope, inner);
        let longer = asm.add(step, step);
        let inner = asm.mul(inner, longer);
        let inner = asm.add(even, inner);
        let rest = asm.mul(inner, double);
        let rate = asm.add(sum, rest);
        for (l, &i) in chunk.iter().enumerate().filter(|(_, i)| **i >= n) {
            outputs[n + i] = Some(match wide {
                Some(_) => asm.lane(rate, l),
                None => rate,
            });
        }
    }
    let outputs = outputs.into_iter().flatten().collect();
    arranged(&asm.finish(outputs).fused())
}

/// Whether all numbers of two lists of the same length are finite: only then their sum is.
#[inline(always)]
fn are_finite(a: &[f64], b: &[f64]) -> bool {
    let sum = (0..a.len()).fold(0.0, |s, i| s + (a[i].abs() + b[i].abs()));
    sum.is_finite()
}

/// log₂ to four digits.
#[inline]
pub(crate) fn log2(x: f64) -> f64 {
    rough_log2(&[x])[0]
}

/// 2ˣ to five digits.
#[inline]
pub(crate) fn exp2(x: f64) -> f64 {
    rough_exp2(&[x])[0]
}

/// x^(1/k), good to four digits: enough for the length of a step.
pub(crate) fn root(x: f64, k: usize) -> f64 {
    if x.is_finite() && x > 0.0 {
        exp2(log2(x) / k as f64)
    } else {
        x
    }
}

/// The positions of the outputs; see [`galilei_tape::Series`].
#[derive(Clone)]
struct Layout {
    order: usize,
    n: usize,
    series: usize,
    multipliers: usize,
    values: usize,
    guard: usize,
    /// The number of inputs of the tape, and where the directions of sensitivities begin behind the branches.
    known: usize,
    seeds: usize,
    /// Whether the equations are reduced ones.
    reducible: bool,
}

impl Expansion {
    /// Compiled for what a tolerance asks for.
    pub(crate) fn new(
        tape: &Arc<Tape>,
        rates: &Arc<Rates>,
        wanted: Wanted,
        tolerance: f64,
    ) -> Self {
        let order = order_of(tape, rates, &wanted, tolerance);
        Self::of_order(tape, rates, wanted, order)
    }

    /// Compiled up to an order.
    pub(crate) fn of_order(
        tape: &Arc<Tape>,
        rates: &Arc<Rates>,
        mut wanted: Wanted,
        order: usize,
    ) -> Self {
        let directions = wanted.directions;
        if directions > WIDTH {
            wanted.directions = at_once(tape, rates, &wanted, order);
        }
        let n = rates.dimension;
        let (kernel, shape) = Program::of(tape, rates, &wanted, order);
        let seeds = (2 * n + tape.parameters().len()) * shape.directions;
        let inputs = tape.inputs() + tape.branch_len() + seeds;
        let outputs = shape.kinks_at() + tape.kinks().len() * shape.directions + 1;
        Self {
            tape: Arc::clone(tape),
            rates: Arc::clone(rates),
            layout: Layout {
                order,
                n,
                series: shape.series_at(0),
                multipliers: shape.multiplier_at(0),
                values: shape.values_at(),
                guard: shape.guard_at(),
                known: tape.inputs(),
                seeds: tape.inputs() + tape.branch_len(),
                reducible: rates.reduced_for(&wanted).is_some(),
            },
            wanted,
            kernel,
            whole: None,
            reduced: false,
            other_reduced: false,
            jets: None,
            inputs: vec![0.0; inputs],
            buffer: vec![0.0; outputs],
            other: (vec![0.0; inputs], vec![0.0; outputs]),
            advance: Kernel::new(advance(n, order, 1, true), 1),
            sensitivities: (directions > 0)
                .then(|| SensitivityExpansion::new(tape, &shape, directions)),
            inverse: (0..order + 2)
                .map(|k| if k == 0 { 0.0 } else { 1.0 / k as f64 })
                .collect(),
        }
    }

    #[inline]
    pub(crate) fn order(&self) -> usize {
        self.layout.order
    }

    /// Exchanges the coefficients with those of the other state.
    #[inline]
    pub(crate) fn exchange(&mut self) {
        std::mem::swap(&mut self.inputs, &mut self.other.0);
        std::mem::swap(&mut self.buffer, &mut self.other.1);
        std::mem::swap(&mut self.reduced, &mut self.other_reduced);
    }

    /// Computes everything at a state (t, x, u), on given branches of the kinks; without branches each kink
    /// is on its positive one.
    pub(crate) fn compute(&mut self, state: &[f64], branches: &[f64]) -> Result<(), Error> {
        self.load(state, branches);
        let seeds = self.layout.seeds;
        if let Some(sensitivities) = &mut self.sensitivities {
            for call in (0..sensitivities.more.len()).rev() {
                sensitivities.fill(call + 1, &mut self.inputs[seeds..]);
                let outputs = &mut sensitivities.more[call][1..];
                self.kernel.call(&self.inputs, outputs);
            }
            sensitivities.fill(0, &mut self.inputs[seeds..]);
        }
        self.kernel.call(&self.inputs, &mut self.buffer[1..]);
        self.judge(state, branches)
    }

    /// The code of the series, without sensitivities, for several states at once: the bits are those of
    /// [`compute`](Self::compute). A loop over the orders has none: it computes one state after the other by
    /// [`compute_loaded`](Self::compute_loaded).
    pub(crate) fn in_lanes(&self, lanes: usize) -> Option<Kernel> {
        if matches!(self.kernel, Program::Rolled(_)) {
            return None;
        }
        let series = self
            .tape
            .series(&self.rates, &self.wanted, self.layout.order);
        let code = match self.rates.separate {
            true => series.code,
            false => series.code.fused(),
        };
        let code = code.narrowed().scheduled(SCHEDULER_WINDOWS[1]);
        Some(Kernel::new(code, lanes))
    }

    /// Computes the series of the numbers that were loaded, without a judgement.
    pub(crate) fn compute_loaded(&mut self) {
        self.kernel.call(&self.inputs, &mut self.buffer[1..]);
    }

    /// The numbers that code [in lanes](Self::in_lanes) reads, and those that it writes.
    pub(crate) fn numbers(&mut self) -> (&[f64], &mut [f64]) {
        (&self.inputs, &mut self.buffer[1..])
    }

    /// Writes down the state at which everything is computed.
    #[inline]
    pub(crate) fn load(&mut self, state: &[f64], branches: &[f64]) {
        let Layout { known, seeds, .. } = self.layout;
        // A loop: to copy so little by a call takes longer.
        for (to, x) in self.inputs[..known].iter_mut().zip(&state[..known]) {
            *to = *x;
        }
        for (k, side) in self.inputs[known..seeds].iter_mut().enumerate() {
            *side = branches.get(k).copied().unwrap_or(1.0);
        }
    }

    /// Whether what was computed can be trusted; else it is computed by other equations, or with pivoting.
    #[inline]
    pub(crate) fn judge(&mut self, state: &[f64], branches: &[f64]) -> Result<(), Error> {
        let sound = self.is_sound();
        let reducible = self.layout.reducible;
        self.reduced = sound && reducible;
        if sound || reducible && self.unreduced() {
            return Ok(());
        }
        self.pivoted(state, branches)
    }

    #[inline]
    fn is_sound(&self) -> bool {
        self.outputs()[self.layout.guard] > 0.0 && self.is_finite()
    }

    /// Computes the coefficients by the equations that are not reduced; returns whether they can be trusted.
    #[cold]
    fn unreduced(&mut self) -> bool {
        let mut kernel = self.whole.take().unwrap_or_else(|| {
            let rates = Rates {
                reduced: None,
                ..Rates::clone(&self.rates)
            };
            let series = self.tape.series(&rates, &self.wanted, self.layout.order);
            self::kernel(&series.code, rates.separate)
        });
        kernel.call(&self.inputs, &mut self.buffer[1..]);
        self.whole = Some(kernel);
        self.is_sound()
    }

    #[inline]
    fn is_finite(&self) -> bool {
        let (first, last) = (self.u(1), self.u(self.layout.order));
        with_known_size!(first.len(), |n| are_finite(&first[..n], &last[..n]))
    }

    /// Computes the coefficients by jets, with pivoting.
    fn pivoted(&mut self, state: &[f64], branches: &[f64]) -> Result<(), Error> {
        let (tape, rates): (&Tape, &Rates) = (&self.tape, &self.rates);
        let Layout { order, n, .. } = self.layout;
        let mut jets = self.jets.take().unwrap_or_else(|| {
            let mut list = self.wanted.series.clone();
            if self.sensitivities.is_some() {
                list.extend(rates.momenta(false));
            }
            Jets::new(tape, rates, &list, order)
        });
        let outcome = jets.compute(tape, rates, state, branches);
        if outcome.is_ok() {
            let mut at = 1;
            let mut put = |list: &[f64]| {
                self.buffer[at..at + list.len()].copy_from_slice(list);
                at += list.len();
            };
            for k in 0..=order {
                for i in 0..n {
                    put(&jets.series((1 + n + i) as Reg)[k..=k]);
                }
            }
            for &r in &self.wanted.series {
                put(jets.series(r));
            }
            if self.wanted.multipliers {
                for i in n..rates.unknowns {
                    put(&jets.unknown(i)[..order]);
                }
            }
            for &r in &self.wanted.values {
                put(&jets.series(r)[..1]);
            }
            if let Some(sensitivities) = &mut self.sensitivities {
                let all = 0..sensitivities.directions;
                let directions: Vec<Vec<f64>> = all.map(|d| sensitivities.direction(d)).collect();
                let found = jets.sensitivities(tape, rates, branches, &directions);
                for (d, values) in found.iter().enumerate() {
                    sensitivities.put(&mut self.buffer, d, values);
                }
            }
        }
        let result = match outcome {
            Err(_) => Err(reason(&jets, rates, state)),
            Ok(()) if self.is_finite() => Ok(()),
            Ok(()) => Err(Error::NotFinite),
        };
        self.jets = Some(jets);
        result
    }

    /// The coefficients 0 … order of a wanted series.
    #[inline]
    pub(crate) fn wanted(&self, w: usize) -> &[f64] {
        let (start, len) = (self.layout.series, self.layout.order + 1);
        &self.outputs()[start + w * len..start + (w + 1) * len]
    }

    /// The coefficients 0 … order − 1 of a multiplier.
    pub(crate) fn multiplier(&self, a: usize) -> &[f64] {
        let (start, len) = (self.layout.multipliers, self.layout.order);
        &self.outputs()[start + a * len..start + (a + 1) * len]
    }

    /// The wanted values.
    #[inline]
    pub(crate) fn values(&self) -> &[f64] {
        &self.outputs()[self.layout.values..self.layout.guard]
    }

    #[inline]
    fn outputs(&self) -> &[f64] {
        &self.buffer[1..]
    }

    /// The velocities that the series start with, if they were solved from the constraints.
    pub(crate) fn solved_velocities(&self) -> Option<&[f64]> {
        self.reduced.then(|| self.velocities())
    }

    /// Coefficient k of all velocities.
    #[inline]
    fn u(&self, k: usize) -> &[f64] {
        let n = self.layout.n;
        &self.outputs()[k * n..(k + 1) * n]
    }

    /// The largest step size that the series of the state allow, where a step is about `time` long.
    #[inline]
    pub(crate) fn radius(&self, time: f64) -> f64 {
        let n = self.layout.n;
        let series = Coefficients {
            x: &self.inputs[1..=n],
            u: self.outputs(),
            order: self.layout.order,
            inverse: &self.inverse,
        };
        series.radius(time)
    }

    /// The branches of the series: for each kink a number that is positive on its positive branch, then the pieces of the tables.
    pub(crate) fn branches(&self) -> &[f64] {
        let known = self.tape.inputs();
        &self.inputs[known..known + self.tape.branch_len()]
    }

    /// x at the start, and the coefficients 0 … order of u, order by order.
    pub(crate) fn polynomial(&self) -> [&[f64]; 2] {
        let n = self.layout.n;
        let coefficients = &self.outputs()[..n * (self.layout.order + 1)];
        [&self.inputs[1..=n], coefficients]
    }

    /// Directions of sensitivities: each row of (δx, δu, parameters) in all of them.
    pub(crate) fn seeds(&mut self) -> &mut [f64] {
        match &mut self.sensitivities {
            Some(sensitivities) => &mut sensitivities.seeds,
            None => &mut [],
        }
    }

    /// The largest step size that the sensitivities allow.
    #[inline]
    pub(crate) fn radius_of_sensitivities(&self) -> f64 {
        let sensitivities = self.sensitivities.as_ref();
        sensitivities.map_or(f64::INFINITY, |n| n.radius(&self.buffer))
    }

    /// The changes of the sensitivities δx and δu in a time.
    pub(crate) fn increments_of_sensitivities(&mut self, h: f64, change: &mut [f64]) {
        if let Some(sensitivities) = &mut self.sensitivities {
            sensitivities.increments(&mut self.buffer, h, change);
        }
    }

    /// The derivatives of a kink's register in all directions.
    pub(crate) fn kink_of_sensitivities(&self, k: usize) -> Vec<f64> {
        let sensitivities = self.sensitivities.as_ref();
        sensitivities.map_or_else(Vec::new, |n| n.kink(&self.buffer, k))
    }

    /// The velocities that the series start with.
    #[inline]
    pub(crate) fn velocities(&self) -> &[f64] {
        self.u(0)
    }

    /// The accelerations at the start.
    #[inline]
    pub(crate) fn accelerations(&self) -> &[f64] {
        self.u(1)
    }

    /// The changes of positions and velocities in a time, and the accelerations at its end, times that time.
    #[inline]
    pub(crate) fn increments(&mut self, h: f64, change: &mut [f64]) {
        self.buffer[0] = h;
        let used = 1 + self.layout.n * (self.layout.order + 1);
        self.advance.call(&self.buffer[..used], change);
    }
}

/// The Taylor series at one state, for measurements of its code.
pub struct Step(Expansion);

impl Step {
    /// Compiles the series with the order that a run of a tolerance has.
    pub fn new(tape: &Arc<Tape>, rates: &Arc<Rates>, tolerance: f64) -> Self {
        let wanted = Wanted {
            packed: true,
            ..Wanted::default()
        };
        Self(Expansion::new(tape, rates, wanted, tolerance))
    }

    /// Compiled up to an order.
    pub fn of_order(tape: &Arc<Tape>, rates: &Arc<Rates>, order: usize) -> Self {
        let wanted = Wanted {
            packed: true,
            ..Wanted::default()
        };
        Self(Expansion::of_order(tape, rates, wanted, order))
    }

    /// The order.
    pub fn order(&self) -> usize {
        self.0.order()
    }

    /// Computes all coefficients at a state.
    pub fn compute(&mut self, state: &[f64]) -> Result<(), Error> {
        self.0.compute(state, &[])
    }
}
