//! The Taylor coefficients of a motion at a state: by machine code, by the interpreter, and where a
//! pivot is too small for a fixed order of elimination, by jets with pivoting.

use galilei_jit::{Machine, Mode, Workspace};
use galilei_tape::code::Code;
use galilei_tape::{Jets, Rates, Reg, Series, Tape, Wanted};

use crate::problem::Stop;

/// Longer code is not unrolled: the jets compute it.
const UNROLLED: f64 = 6e5;
/// How far the scheduler looks ahead in series: 16 registers are soon full.
const WINDOW: usize = 200;
/// What a step costs beside its series, in operations.
const STEP: f64 = 300.0;

/// How many operations the series of an order take: a + b·p + c·p².
fn operations(tape: &Tape, rates: &Rates, wanted: &Wanted) -> [f64; 3] {
    let at = |p: usize| tape.series(rates, wanted, p).code.operations() as f64;
    let (x, y) = ([2.0, 5.0, 8.0], [at(2), at(5), at(8)]);
    let slope = |i: usize, j: usize| (y[j] - y[i]) / (x[j] - x[i]);
    let c = (slope(1, 2) - slope(0, 1)) / (x[2] - x[0]);
    let b = slope(0, 1) - c * (x[0] + x[1]);
    [y[0] - b * x[0] - c * x[0] * x[0], b, c]
}

/// The order that Jorba and Zou's rule gives for a tolerance.
pub(crate) fn classical(tolerance: f64) -> f64 {
    let exact = -tolerance.max(1e-18).ln() / 2.0 + 1.0;
    exact.ceil().max(4.0)
}

/// The order that costs least per unit of time. The step of order p is ρ·exp(−(2(p₀ − 1) + 0.7)/(p − 1)),
/// p₀ the classical order for the tolerance; the cost of a step is counted, not timed, so that a run is
/// the same on every machine.
pub(crate) fn order_for(tape: &Tape, rates: &Rates, wanted: &Wanted, classical: f64) -> usize {
    let [a, b, c] = operations(tape, rates, wanted);
    let cost = |p: usize| {
        let p = p as f64;
        let step = (-(2.0 * (classical - 1.0) + 0.7) / (p - 1.0)).exp();
        (a + STEP + b * p + c * p * p) / step
    };
    // Much higher orders take steps in which large terms cancel.
    let highest = (1.4 * classical).round() as usize;
    (4.max(classical as usize * 3 / 4)..=highest)
        .min_by(|&p, &q| cost(p).total_cmp(&cost(q)))
        .unwrap_or(20)
}

/// Code with what runs it.
enum Kernel {
    Native(Machine, Workspace),
    Interpreted(Code, Vec<[f64; 1]>),
}

/// Computes Taylor coefficients and keeps them.
pub(crate) struct Expansion<'t> {
    tape: &'t Tape,
    rates: &'t Rates,
    wanted: Wanted,
    layout: Layout,
    kernel: Option<Kernel>,
    jets: Option<Jets>,
    inputs: Vec<f64>,
    outputs: Vec<f64>,
    /// 1/k
    inverse: Vec<f64>,
}

/// Where things stand among the outputs; see [`Series`].
struct Layout {
    order: usize,
    n: usize,
    series: usize,
    multipliers: usize,
    values: usize,
    guard: usize,
}

impl<'t> Expansion<'t> {
    pub(crate) fn new(tape: &'t Tape, rates: &'t Rates, wanted: Wanted, order: usize) -> Self {
        let [a, b, c] = operations(tape, rates, &wanted);
        let p = order as f64;
        let n = rates.dimension;
        let multipliers = if wanted.multipliers {
            rates.unknowns - n
        } else {
            0
        };
        let mut shape = Series {
            code: Code::default(),
            order,
            dimension: n,
            multipliers,
            wanted: (wanted.series.len(), wanted.values.len()),
        };
        let kernel = (a + b * p + c * p * p < UNROLLED).then(|| {
            shape = tape.series(rates, &wanted, order);
            let code = std::mem::take(&mut shape.code).fused().scheduled(WINDOW);
            match Machine::compile(&code, Mode::Scalar) {
                Some(machine) => {
                    let workspace = machine.workspace();
                    Kernel::Native(machine, workspace)
                }
                None => Kernel::Interpreted(code, vec![]),
            }
        });
        Self {
            tape,
            rates,
            wanted,
            layout: Layout {
                order,
                n,
                series: shape.series_at(0),
                multipliers: shape.multiplier_at(0),
                values: shape.values_at(),
                guard: shape.guard_at(),
            },
            kernel,
            jets: None,
            inputs: vec![0.0; 2 * n + 1 + tape.kinks().len()],
            outputs: vec![0.0; shape.guard_at() + 1],
            inverse: (0..order + 2)
                .map(|k| if k == 0 { 0.0 } else { 1.0 / k as f64 })
                .collect(),
        }
    }

    pub(crate) fn order(&self) -> usize {
        self.layout.order
    }

    /// Computes everything at a state (t, x, u), on given sides of the kinks; without sides each kink
    /// is on its positive one.
    pub(crate) fn compute(&mut self, state: &[f64], sides: &[bool]) -> Result<(), Stop> {
        let known = 2 * self.layout.n + 1;
        self.inputs[..known].copy_from_slice(&state[..known]);
        for (k, side) in self.inputs[known..].iter_mut().enumerate() {
            *side = if sides.get(k).copied().unwrap_or(true) {
                1.0
            } else {
                -1.0
            };
        }
        match &mut self.kernel {
            Some(Kernel::Native(machine, workspace)) => {
                machine.call_with(workspace, &self.inputs, &mut self.outputs);
            }
            Some(Kernel::Interpreted(code, scratch)) => {
                let inputs: Vec<[f64; 1]> = self.inputs.iter().map(|x| [*x]).collect();
                for (o, v) in self.outputs.iter_mut().zip(code.run(&inputs, scratch)) {
                    *o = v[0];
                }
            }
            None => self.outputs[self.layout.guard] = f64::NAN,
        }
        if self.outputs[self.layout.guard] > 0.0 && self.is_finite() {
            return Ok(());
        }
        self.pivoted(state, sides)
    }

    fn is_finite(&self) -> bool {
        let (n, p) = (self.layout.n, self.layout.order);
        let ends = self.outputs[..n]
            .iter()
            .chain(&self.outputs[(p - 1) * n..p * n]);
        // A sum is finite only if all its terms are.
        ends.fold(0.0, |s, x| s + x.abs()).is_finite()
    }

    /// The same by jets, with pivoting.
    fn pivoted(&mut self, state: &[f64], sides: &[bool]) -> Result<(), Stop> {
        let (tape, rates) = (self.tape, self.rates);
        let Layout { order, n, .. } = self.layout;
        let mut jets = self
            .jets
            .take()
            .unwrap_or_else(|| Jets::new(tape, rates, &self.wanted.series, order));
        let outcome = jets.compute(tape, rates, state, sides);
        if outcome.is_ok() {
            let mut at = 0;
            let mut put = |list: &[f64]| {
                self.outputs[at..at + list.len()].copy_from_slice(list);
                at += list.len();
            };
            for k in 1..=order {
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
        }
        let regular = |jets: &Jets| {
            let finite = |r: &Reg| jets.series(*r)[0].is_finite();
            state.iter().all(|x| x.is_finite()) && rates.matrix.iter().all(finite)
        };
        let result = match outcome {
            Err(_) if regular(&jets) => Err(Stop::SingularMassMatrix),
            Err(_) => Err(Stop::NotFinite),
            Ok(()) if self.is_finite() => Ok(()),
            Ok(()) => Err(Stop::NotFinite),
        };
        self.jets = Some(jets);
        result
    }

    /// The coefficients 0 … order of a wanted series.
    pub(crate) fn wanted(&self, w: usize) -> &[f64] {
        let (start, len) = (self.layout.series, self.layout.order + 1);
        &self.outputs[start + w * len..start + (w + 1) * len]
    }

    /// The coefficients 0 … order − 1 of a multiplier.
    pub(crate) fn multiplier(&self, a: usize) -> &[f64] {
        let (start, len) = (self.layout.multipliers, self.layout.order);
        &self.outputs[start + a * len..start + (a + 1) * len]
    }

    /// The wanted values.
    pub(crate) fn values(&self) -> &[f64] {
        &self.outputs[self.layout.values..self.layout.guard]
    }

    /// Coefficient k of all velocities.
    fn u(&self, k: usize) -> &[f64] {
        let n = self.layout.n;
        if k == 0 {
            &self.inputs[1 + n..1 + 2 * n]
        } else {
            &self.outputs[(k - 1) * n..k * n]
        }
    }

    /// The largest coefficient k of positions and velocities.
    fn norm(&self, k: usize) -> f64 {
        let size = |list: &[f64]| list.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let x = if k == 0 {
            size(&self.inputs[1..=self.layout.n])
        } else {
            size(self.u(k - 1)) * self.inverse[k]
        };
        x.max(size(self.u(k)))
    }

    /// Within what time the series converges, from its last coefficients beside the first.
    pub(crate) fn radius(&self) -> f64 {
        let p = self.layout.order;
        let Some((m, low)) = (0..p).map(|k| (k, self.norm(k))).find(|n| n.1 > 0.0) else {
            return f64::INFINITY;
        };
        let at = |k: usize| {
            let top = self.norm(k);
            if top == 0.0 || k <= m {
                f64::INFINITY
            } else {
                ((low / top).ln() / (k - m) as f64).exp()
            }
        };
        at(p).min(at(p - 1))
    }

    /// The least ratio, over components, of its size within a time to its coefficient k.
    pub(crate) fn least_ratio(&self, k: usize, time: f64) -> f64 {
        let n = self.layout.n;
        let square = time * time;
        let mut least = f64::INFINITY;
        let (first, second) = (self.u(0), self.u(1));
        let third = self.u(2);
        let (below, top) = (self.u(k - 1), self.u(k));
        for i in 0..n {
            let x = self.inputs[1 + i].abs();
            let x = x
                .max(first[i].abs() * time)
                .max(second[i].abs() * 0.5 * square);
            let u = first[i]
                .abs()
                .max(second[i].abs() * time)
                .max(third[i].abs() * square);
            least = least.min(x / (below[i].abs() * self.inverse[k]));
            least = least.min(u / top[i].abs());
        }
        least
    }

    /// By how much positions and velocities change in a time.
    pub(crate) fn increments(&self, h: f64, change: &mut [f64]) {
        let (n, p) = (self.layout.n, self.layout.order);
        let (x, u) = change.split_at_mut(n);
        x.fill(0.0);
        u.fill(0.0);
        for k in (1..=p).rev() {
            let (below, top, over) = (self.u(k - 1), self.u(k), self.inverse[k]);
            for i in 0..n {
                x[i] = x[i] * h + below[i] * over;
                u[i] = u[i] * h + top[i];
            }
        }
        for d in change {
            *d *= h;
        }
    }
}

/// One Taylor expansion, for measurements.
pub struct Step<'t>(Expansion<'t>);

impl<'t> Step<'t> {
    /// Compiled with the order that a run of that tolerance has.
    pub fn new(tape: &'t Tape, rates: &'t Rates, tolerance: f64) -> Self {
        let wanted = Wanted::default();
        let order = order_for(tape, rates, &wanted, classical(tolerance));
        Self(Expansion::new(tape, rates, wanted, order))
    }

    /// The order.
    pub fn order(&self) -> usize {
        self.0.order()
    }

    /// Computes all coefficients at a state.
    pub fn compute(&mut self, state: &[f64]) -> Result<(), Stop> {
        self.0.compute(state, &[])
    }
}
