//! Taylor series of a motion as straight-line code: the recurrences of all orders, unrolled.
//!
//! The accelerations solve a linear system M·a = f. Coefficient k of a is found from those below it, with M factored
//! once: M₀aₖ = fₖ − Σ Mⱼaₖ₋ⱼ. Where the kinetic energy is a sum of squares ½m·v², its part of the equations is used
//! in the form Σ m·v̇·∂v/∂u, and v̇ is the series of v shifted by one place; then M needs no series at all
//! ([`Squares`]).

mod job;
mod plan;
mod reduced;
pub mod rolled;
mod sensitivities;
mod sparse;
mod system;
mod tile;
mod unroll;

use crate::code::{Assembler, Code, Value, WIDTH};
use crate::jets::Rates;
use crate::sensitivity::Reach;
use crate::tape::{Reg, Tape};

use plan::Plan;
pub use reduced::Reduced;
pub use rolled::Rolled;
use sensitivities::Sensitivities;
pub(crate) use sparse::Elimination;
pub use system::MAX_MASS_RATIO;
use system::{Predictor, System};
use unroll::{Mode, Unroll};

/// The part of the equations of motion that comes from kinetic energies ½m·v², v affine in u.
#[derive(Clone, Debug, Default)]
pub struct Squares {
    /// (i, b, w): equation i has the term b·ẇ on its left side, where w is a sum of m·v.
    pub terms: Vec<(usize, Reg, Reg)>,
    /// Each term b and w a second time, written out so that all have equal form; or empty.
    pub written_out: Vec<(Reg, Reg)>,
    /// The matrix without that part; the whole one is [`Rates::matrix`].
    pub rest: Vec<Reg>,
    /// The right-hand side without that part.
    pub right: Vec<Reg>,
    /// The velocities v, for a sparse solution.
    pub velocities: Vec<Velocity>,
}

impl Squares {
    /// The terms in the form in which they are computed.
    pub(crate) fn terms(&self, packed: bool) -> impl Iterator<Item = (usize, Reg, Reg)> {
        let all = self.terms.iter().enumerate();
        all.map(move |(k, &(i, b, w))| match self.written_out.get(k) {
            Some(&(b, w)) if packed => (i, b, w),
            _ => (i, b, w),
        })
    }
}

/// v = v(parent) + Σ bᵢuⁱ + …, with mass m > 0.
#[derive(Clone, Debug)]
pub struct Velocity {
    /// m
    pub mass: Reg,
    /// The index of an earlier velocity in the list.
    pub parent: Option<usize>,
    /// (i, bᵢ)
    pub entries: Vec<(usize, Reg)>,
}

/// The quantities that are wanted of a motion.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Registers whose coefficients 0 … order are computed.
    pub series: Vec<Reg>,
    /// The number of these series that are integrated, like velocities to positions: their coefficient of the highest
    /// order is not computed, and zero.
    pub integrated: usize,
    /// The number of coefficients of the integrated series that are computed, if given; the others are zero.
    pub places: Option<usize>,
    /// Registers whose values at the start are computed.
    pub values: Vec<Reg>,
    /// Whether the coefficients of the unknowns behind the accelerations are wanted.
    pub multipliers: bool,
    /// Whether each kink is on the branch of its register; then there are no inputs for branches.
    pub own_branches: bool,
    /// Whether computations of equal form share instructions on four numbers; for a single lane.
    pub packed: bool,
    /// The number of directions in which sensitivities of the motion are computed; a multiple of
    /// [`WIDTH`](crate::code::WIDTH).
    pub directions: usize,
}

/// Code that computes the Taylor coefficients of a motion at a state.
///
/// Inputs: t, x, u and all other inputs of the tape; then, unless kinks are on the branches of their registers, for
/// each kink a number that is positive on its positive branch; then, for sensitivities, δx, δu and the parameters, each
/// in all directions. Outputs: the coefficients 0 … order of u, order by order; coefficients 0 … order of each wanted
/// series, register by register; 0 … order − 1 of each multiplier; the wanted values; the guard, which is positive as
/// long as the factorisation can be trusted; for sensitivities the coefficients 0 … order of δu, order by order, each in
/// all directions, and the sensitivities of the kinks' registers at the start. Where the code would be too long, it
/// computes nothing and its guard is negative.
#[derive(Clone, Debug)]
pub struct Series {
    /// The code, not yet fused or scheduled.
    pub code: Code,
    /// The order.
    pub order: usize,
    /// n
    pub dimension: usize,
    /// The number of multipliers.
    pub multipliers: usize,
    /// The numbers of series and values.
    pub wanted: (usize, usize),
    /// The number of directions of sensitivities.
    pub directions: usize,
}

impl Series {
    /// The index of the first coefficient of a wanted series among the outputs.
    pub fn series_at(&self, k: usize) -> usize {
        (self.dimension + k) * (self.order + 1)
    }

    /// The index of the first coefficient of a multiplier.
    pub fn multiplier_at(&self, k: usize) -> usize {
        self.series_at(self.wanted.0) + k * self.order
    }

    /// The index of the first wanted value.
    pub fn values_at(&self) -> usize {
        self.multiplier_at(self.multipliers)
    }

    /// The index of the guard.
    pub fn guard_at(&self) -> usize {
        self.values_at() + self.wanted.1
    }

    /// The index of the first coefficient of a sensitivity.
    pub fn sensitivities_at(&self) -> usize {
        self.guard_at() + 1
    }

    /// The index of the first sensitivity of a kink's register.
    pub fn kinks_at(&self) -> usize {
        self.sensitivities_at() + self.dimension * (self.order + 1) * self.directions
    }
}

/// The derivatives of accelerations with respect to velocities, for a prediction. At order k, aₖ = aₖ⁰ + g⁻¹(∂f/∂u −
/// k·ġ)uₖ, where aₖ⁰ is computed with uₖ = 0, and so does not wait for it.
#[derive(Clone, Debug, Default)]
pub struct Ahead {
    /// ∂f/∂u, row by row.
    pub slopes: Vec<Reg>,
    /// ġ along the motion, row by row.
    pub drift: Vec<Reg>,
}

impl Tape {
    /// The Taylor coefficients of a motion up to an order, as code.
    pub fn series(&self, rates: &Rates, wanted: &Wanted, p: usize) -> Series {
        if let Some(reduced) = rates.reduced_for(wanted) {
            return self.reduced_series(rates, reduced, wanted, p);
        }
        let n = rates.dimension;
        let seeds = (2 * n + self.parameters.len()) * wanted.directions;
        let mut w = Unroll::new(self, n, wanted.own_branches, seeds);
        w.packed = wanted.packed;
        if !rates.separate {
            w.asm.fuse();
        }
        let plan = Plan::new(self, rates, wanted, p);
        if plan.too_long {
            return not_written(self, rates, wanted, p);
        }
        let heavy: usize = [&plan.still, &plan.moving]
            .into_iter()
            .flatten()
            .map(|l| l.heavy.len())
            .sum();
        let sensitivities = 1 + wanted.directions / WIDTH;
        w.asm
            .reserve(plan.valued.len() + p * p * heavy.min(10_000) * 3 / 4 * sensitivities);
        let values = w.start(&plan.valued);
        let value = |r: Reg| values[r as usize];
        let (system, guard) = plan.system(&mut w.asm, rates, &value, p);
        let m = rates.unknowns;
        // Sensitivities keep the processor busy while the motion waits.
        let waits = wanted.packed && wanted.directions == 0 && m == n;
        let mut ahead = match (&system, &rates.ahead) {
            (System::Inverse(inverse), Some(ahead)) if waits => {
                Some(Predictor::new(&mut w.asm, inverse, ahead, &value))
            }
            _ => None,
        };
        let reach = (wanted.directions > 0).then(|| Reach::new(self, rates, wanted.packed));
        let first = w.asm.inputs() - seeds;
        let mut sensitivities = reach.as_ref().map(|reach| {
            let both = (self, rates);
            Sensitivities::new(&mut w, &plan, both, reach, (&system, first), wanted)
        });
        // The accelerations without the newest velocities.
        let mut foreseen: Vec<Value> = Vec::new();
        let mut unknowns: Vec<Vec<Value>> = vec![Vec::new(); m];
        for k in 1..=p {
            let over = w.asm.number(1.0 / k as f64);
            w.move_on(k, over);
            let push = |w: &mut Unroll<'_>, r: Reg, c: Value| w.coefficients[r as usize].push(c);
            w.advance(&plan.still, k, push);
            // The equations of order k − 1, with u_k taken as zero.
            w.mode = Mode::Part;
            for i in 1..=n {
                w.partial[i + n] = w.zero;
            }
            let part = |w: &mut Unroll<'_>, r: Reg, c: Value| w.partial[r as usize] = c;
            let foresee = ahead.is_some() && k < p;
            w.advance(if foresee { &plan.moving } else { &plan.squared }, k, part);
            let solution = match &mut ahead {
                Some(ahead) if k > 1 => {
                    let newest: Vec<Value> =
                        (0..n).map(|i| w.coefficients[1 + n + i][k - 1]).collect();
                    ahead.correct(&mut w.asm, &foreseen, &newest)
                }
                _ => {
                    let right = plan.right(&mut w, rates, &unknowns, k);
                    system.solve(&mut w.asm, right, plan.velocities, wanted.packed)
                }
            };
            if foresee {
                w.mode = Mode::Early;
                for i in 0..=2 * n {
                    w.early[i] = w.zero;
                }
                let early = |w: &mut Unroll<'_>, r: Reg, c: Value| w.early[r as usize] = c;
                w.advance(&plan.still, k + 1, early);
                w.advance(&plan.squared, k + 1, early);
                // The newest acceleration is that of the omitted velocities.
                let mut known = unknowns.clone();
                for list in &mut known {
                    list.push(w.zero);
                }
                let right = plan.right(&mut w, rates, &known, k + 1);
                foreseen = system.solve(&mut w.asm, right, plan.velocities, wanted.packed);
            }
            w.mode = Mode::Whole;
            for i in 0..m {
                unknowns[i].push(solution[i]);
            }
            for i in 0..n {
                let u = w.asm.mul(solution[i], over);
                w.coefficients[1 + n + i].push(u);
            }
            // Registers that depend on u, at order k.
            w.advance(if k < p { &plan.moving } else { &plan.last }, k, push);
            if let Some(sensitivities) = &mut sensitivities {
                sensitivities.step(&mut w, &unknowns, k, k == p);
            }
        }
        let sensitivities = sensitivities
            .map(|t| t.outputs(&mut w, p))
            .unwrap_or_default();
        let multipliers = if wanted.multipliers {
            &unknowns[n..]
        } else {
            &[]
        };
        w.finish(wanted, multipliers, guard, sensitivities, p)
    }
}

/// Code that computes nothing and whose guard reports it: the jets are used instead.
fn not_written(tape: &Tape, rates: &Rates, wanted: &Wanted, p: usize) -> Series {
    let (n, m) = (rates.dimension, rates.unknowns);
    let kinks = if wanted.own_branches {
        0
    } else {
        tape.branch_len()
    };
    let seeds = (2 * n + tape.parameters.len()) * wanted.directions;
    let mut asm = Assembler::new(tape.inputs + kinks + seeds);
    let mut series = Series {
        code: Code::default(),
        order: p,
        dimension: n,
        multipliers: if wanted.multipliers { m - n } else { 0 },
        wanted: (wanted.series.len(), wanted.values.len()),
        directions: wanted.directions,
    };
    let zero = asm.number(0.0);
    let mut outputs = vec![zero; series.guard_at()];
    outputs.push(asm.number(-1.0));
    outputs.resize(
        series.kinks_at() + tape.kinks.len() * wanted.directions,
        zero,
    );
    series.code = asm.finish(outputs);
    series
}
