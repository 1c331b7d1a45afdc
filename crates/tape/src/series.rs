//! Taylor series of a motion as straight-line code: the recurrences of all orders, unrolled.
//!
//! The accelerations solve a linear system M·a = f. Coefficient k of a is found from those below it,
//! with M factored once: M₀aₖ = fₖ − Σ Mⱼaₖ₋ⱼ. Where the kinetic energy is a sum of squares
//! ½m·v², its part of the equations is taken as it stands, Σ m·v̇·∂v/∂u, and v̇ is the series of v
//! shifted by one place; then M needs no series at all ([`Squares`]).

use crate::code::{Assembler, Code, Value, WIDTH};
use crate::hash::Table;
use crate::jets::{Needs, Rates, moving};
use crate::lower::Sources;
use crate::solve::{self, Factored, Order, Symmetric, factor, order};
use crate::tape::{Op, Reg, Tape};

/// The part of the equations of motion that comes from kinetic energies ½m·v², v affine in u.
#[derive(Clone, Debug, Default)]
pub struct Squares {
    /// (i, b, w): equation i has the term b·ẇ on its left side, where w is a sum of m·v.
    pub terms: Vec<(usize, Reg, Reg)>,
    /// For each term b and w once more, written out so that all are like computations; or nothing.
    pub written_out: Vec<(Reg, Reg)>,
    /// The matrix without that part; the whole one stands in [`Rates::matrix`].
    pub rest: Vec<Reg>,
    /// The right-hand side without that part.
    pub right: Vec<Reg>,
    /// The velocities v, for a sparse solution.
    pub velocities: Vec<Velocity>,
}

impl Squares {
    /// The terms as they are computed.
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
    /// A velocity that stands earlier in the list.
    pub parent: Option<usize>,
    /// (i, bᵢ)
    pub entries: Vec<(usize, Reg)>,
}

/// What is wanted of a motion.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Registers whose coefficients 0 … order are computed.
    pub series: Vec<Reg>,
    /// Registers whose values at the start are computed.
    pub values: Vec<Reg>,
    /// Whether the coefficients of the unknowns behind the accelerations are wanted, too.
    pub multipliers: bool,
    /// Whether each kink is on the side where its register is; then there are no inputs for sides.
    pub own_sides: bool,
    /// Whether like computations share instructions on four numbers; for a single lane.
    pub packed: bool,
}

/// Code that computes the Taylor coefficients of a motion at a state.
///
/// Inputs: t, x, u, then, unless kinks decide for themselves, for each kink a number that is positive on
/// its positive side. Outputs: the
/// coefficients 0 … order of u, order by order; coefficients 0 … order of each wanted series, register
/// by register; 0 … order − 1 of each multiplier; the wanted values; last the guard, which is positive
/// as long as the factorisation can be trusted. Where the code would be too long, it computes nothing and
/// its guard is negative.
#[derive(Clone, Debug)]
pub struct Series {
    /// The code, not yet fused or scheduled.
    pub code: Code,
    /// The order.
    pub order: usize,
    /// n
    pub dimension: usize,
    /// How many multipliers are computed.
    pub multipliers: usize,
    /// How many series and values are computed.
    pub wanted: (usize, usize),
}

impl Series {
    /// Where the coefficients of a wanted series start among the outputs.
    pub fn series_at(&self, k: usize) -> usize {
        (self.dimension + k) * (self.order + 1)
    }

    /// Where the coefficients of a multiplier start.
    pub fn multiplier_at(&self, k: usize) -> usize {
        self.series_at(self.wanted.0) + k * self.order
    }

    /// Where the wanted values start.
    pub fn values_at(&self) -> usize {
        self.multiplier_at(self.multipliers)
    }

    /// Where the guard stands.
    pub fn guard_at(&self) -> usize {
        self.values_at() + self.wanted.1
    }
}

/// How accelerations depend on velocities, for a look ahead: of order k,
/// aₖ = aₖ⁰ + g⁻¹(∂f/∂u − k·ġ)uₖ, where aₖ⁰ is computed as if uₖ were zero, and so does not wait for it.
#[derive(Clone, Debug, Default)]
pub struct Ahead {
    /// ∂f/∂u, row by row.
    pub slopes: Vec<Reg>,
    /// ġ along the motion, row by row.
    pub drift: Vec<Reg>,
}

/// g⁻¹(∂f/∂u − k·ġ) and g⁻¹ġ at a state, k the order at work.
struct Predictor {
    slopes: Vec<Vec<Value>>,
    drift: Vec<Vec<Value>>,
}

impl Predictor {
    fn new(
        asm: &mut Assembler,
        inverse: &[Vec<Value>],
        ahead: &Ahead,
        value: &dyn Fn(Reg) -> Value,
    ) -> Self {
        let n = inverse.len();
        let mut times = |list: &[Reg]| -> Vec<Vec<Value>> {
            (0..n)
                .map(|i| {
                    (0..n)
                        .map(|j| {
                            let column: Vec<Value> =
                                (0..n).map(|l| value(list[l * n + j])).collect();
                            dot(asm, &inverse[i], &column)
                        })
                        .collect()
                })
                .collect()
        };
        Self {
            slopes: times(&ahead.slopes),
            drift: times(&ahead.drift),
        }
    }

    /// The accelerations of the next order.
    fn correct(&mut self, asm: &mut Assembler, foreseen: &[Value], u: &[Value]) -> Vec<Value> {
        for i in 0..u.len() {
            for j in 0..u.len() {
                self.slopes[i][j] = asm.sub(self.slopes[i][j], self.drift[i][j]);
            }
        }
        (0..u.len())
            .map(|i| {
                let mut sum = foreseen[i];
                for j in 0..u.len() {
                    let t = asm.mul(self.slopes[i][j], u[j]);
                    sum = asm.add(sum, t);
                }
                sum
            })
            .collect()
    }
}

/// Σ aⱼbⱼ
fn dot(asm: &mut Assembler, a: &[Value], b: &[Value]) -> Value {
    let mut sum = None;
    for (&a, &b) in a.iter().zip(b) {
        let t = asm.mul(a, b);
        if !asm.is_zero(t) {
            sum = Some(match sum {
                None => t,
                Some(s) => asm.add(s, t),
            });
        }
    }
    sum.unwrap_or_else(|| asm.number(0.0))
}

/// Up to so many unknowns the matrix is inverted.
const INVERTED: usize = 20;

/// How the linear system is solved.
enum System {
    /// By the inverse.
    Inverse(Vec<Vec<Value>>),
    /// The unknowns as they are.
    Plain(Factored),
    /// With the velocities of the squares as further unknowns, behind the others: A and its multiplier
    /// for each.
    Augmented(Factored),
}

/// What is known at work on coefficient k.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Everything up to u_k.
    Whole,
    /// u_k is not known yet; it counts as zero.
    Part,
    /// Nor is u_{k−1}.
    Early,
}

impl System {
    fn solve(
        &self,
        asm: &mut Assembler,
        right: Vec<Value>,
        velocities: usize,
        packed: bool,
    ) -> Vec<Value> {
        match self {
            Self::Inverse(rows) if packed && rows.len() > 2 => {
                // Four rows at a time, from the end.
                let n = rows.len();
                let mut list = Vec::with_capacity(n);
                let mut start = 0;
                while start < n {
                    let count = match (n - start) % WIDTH {
                        0 => WIDTH,
                        rest => rest,
                    };
                    let row = |l: usize| start + l.min(count - 1);
                    let columns: Vec<Value> = (0..n)
                        .map(|j| asm.pack(std::array::from_fn(|l| rows[row(l)][j])))
                        .collect();
                    let spread: Vec<Value> = right.iter().map(|&r| asm.pack([r; WIDTH])).collect();
                    let sum = dot(asm, &columns, &spread);
                    // Where every term is zero there is nothing wide to take apart.
                    list.extend((0..count).map(|l| match asm.constant_of(sum) {
                        Some(_) => sum,
                        None => asm.lane(sum, l),
                    }));
                    start += count;
                }
                list
            }
            Self::Inverse(rows) => rows.iter().map(|row| dot(asm, row, &right)).collect(),
            Self::Plain(f) => f.solve(asm, &right),
            Self::Augmented(f) => {
                let mut all = right;
                let zero = asm.number(0.0);
                all.resize(all.len() + 2 * velocities, zero);
                f.solve(asm, &all)
            }
        }
    }
}

struct Unroll<'a> {
    tape: &'a Tape,
    asm: Assembler,
    n: usize,
    /// Coefficients by register, as far as they are known.
    coefficients: Vec<Vec<Value>>,
    /// Coefficient k with u_k taken as zero, of registers that depend on u.
    partial: Vec<Value>,
    /// Coefficient k with u_{k−1} and u_k taken as zero.
    early: Vec<Value>,
    mode: Mode,
    /// Registers that depend on u.
    moving: Vec<bool>,
    packed: bool,
    /// For each kink what decides its side, and whether zero belongs to the positive one.
    sides: Vec<(Value, bool)>,
    rates: Table<(Reg, u32), Value>,
    /// The rate of a register is taken from those of its operands only to this depth.
    depth: Vec<u8>,
    zero: Value,
}

/// Chains of linear operations longer than this are not looked through.
const LINEAR: u8 = 16;

impl<'a> Unroll<'a> {
    fn new(tape: &'a Tape, n: usize, own_sides: bool) -> Self {
        let kinks = if own_sides { 0 } else { tape.kinks.len() };
        let mut asm = Assembler::new(2 * n + 1 + kinks);
        let zero = asm.number(0.0);
        let sides = (0..kinks)
            .map(|k| (asm.input(2 * n + 1 + k), false))
            .collect();
        let moving = moving(tape, n);
        let mut depth = vec![u8::MAX; tape.ops.len()];
        for at in 0..tape.ops.len() {
            let of = |r: Reg| depth[r as usize].saturating_add(1);
            depth[at] = match tape.ops[at] {
                Op::Input(i) if i as usize <= n => 0,
                Op::Const(_) => 0,
                Op::Scale(a, _) | Op::Shift(a, _) => of(a),
                Op::Add(a, b) | Op::Sub(a, b) => of(a).max(of(b)),
                _ => u8::MAX,
            };
        }
        Self {
            tape,
            asm,
            n,
            coefficients: vec![Vec::new(); tape.ops.len()],
            partial: vec![Value::MAX; tape.ops.len()],
            early: vec![Value::MAX; tape.ops.len()],
            mode: Mode::Whole,
            moving,
            packed: false,
            sides,
            rates: Table::default(),
            depth,
            zero,
        }
    }

    /// Coefficient j of a register, at work on coefficient k.
    fn get(&self, r: Reg, j: usize, k: usize) -> Value {
        let at = r as usize;
        if j > 0 && matches!(self.tape.ops[at], Op::Const(_)) {
            return self.zero;
        }
        match self.mode {
            Mode::Early if j == k => self.early[at],
            Mode::Early if j + 1 == k && self.moving[at] => self.partial[at],
            Mode::Part if j == k && self.moving[at] => self.partial[at],
            _ => self.coefficients[at][j],
        }
    }

    /// Coefficients 0 … m of a register, at work on coefficient k.
    fn list(&self, r: Reg, m: usize, k: usize) -> Vec<Value> {
        (0..=m).map(|j| self.get(r, j, k)).collect()
    }

    /// Coefficient j of the rate of a register, at work on coefficient k.
    fn rate(&mut self, r: Reg, j: usize, k: usize) -> Value {
        let fixed = match self.mode {
            Mode::Whole => true,
            Mode::Part => !(self.moving[r as usize] && j + 1 == k),
            Mode::Early => j + 2 < k,
        };
        if fixed && let Some(&v) = self.rates.get(&(r, j as u32)) {
            return v;
        }
        let v = match self.tape.ops[r as usize] {
            Op::Const(_) => self.zero,
            Op::Input(0) => self.asm.number(if j == 0 { 1.0 } else { 0.0 }),
            Op::Input(i) if i as usize <= self.n => self.get(i + self.n as Reg, j, k),
            Op::Scale(a, c) if self.depth[r as usize] <= LINEAR => {
                let a = self.rate(a, j, k);
                self.asm.scale(a, c)
            }
            Op::Shift(a, _) if self.depth[r as usize] <= LINEAR => self.rate(a, j, k),
            Op::Add(a, b) if self.depth[r as usize] <= LINEAR => {
                let (a, b) = (self.rate(a, j, k), self.rate(b, j, k));
                self.asm.add(a, b)
            }
            Op::Sub(a, b) if self.depth[r as usize] <= LINEAR => {
                let (a, b) = (self.rate(a, j, k), self.rate(b, j, k));
                self.asm.sub(a, b)
            }
            _ => {
                let c = self.get(r, j + 1, k);
                self.asm.scale(c, (j + 1) as f64)
            }
        };
        if fixed {
            self.rates.insert((r, j as u32), v);
        }
        v
    }

    /// Coefficients 0 … k − 1 of the rate of a register.
    fn rate_list(&mut self, r: Reg, k: usize) -> Vec<Value> {
        (0..k).map(|j| self.rate(r, j, k)).collect()
    }

    /// The product of two series, its coefficient a.len() − 1. Which factor is written first does not
    /// matter: equal products are found again.
    fn product(&self, a: Factor, b: Factor) -> Job {
        let (a, b) = if a.id <= b.id { (a, b) } else { (b, a) };
        Job {
            // What does not move comes in the same order wherever it is a factor.
            key: if a.moving { b.id } else { a.id },
            // The newest coefficient of a moving series is known last.
            first: !a.moving,
            kind: Kind::Product(a.list, b.list),
        }
    }

    fn series(&self, r: Reg, m: usize, k: usize) -> Factor {
        Factor {
            list: self.list(r, m, k),
            id: u64::from(r),
            moving: self.moving[r as usize],
        }
    }

    /// The rate of a register as a factor: the velocity, if it is a coordinate.
    fn rate_series(&mut self, r: Reg, k: usize) -> Factor {
        let id = match self.tape.ops[r as usize] {
            Op::Input(i) if i > 0 && i as usize <= self.n => u64::from(r) + self.n as u64,
            _ => RATE + u64::from(r),
        };
        Factor {
            list: self.rate_list(r, k),
            id,
            moving: true,
        }
    }

    /// The coefficients 0 … k − 1 of the register at work, or of one that stands behind it.
    fn own(&self, at: Reg, k: usize) -> Factor {
        Factor {
            list: self.list(at, k - 1, k),
            id: u64::from(at),
            moving: self.moving[at as usize],
        }
    }

    /// Coefficients 0 … k − 2 of the rate of the register at work.
    fn own_rate(&mut self, at: Reg, k: usize) -> Vec<Value> {
        (0..k - 1).map(|j| self.rate(at, j, k)).collect()
    }

    /// Σ_{j<m} ownⱼ·b_{m−j} with m = own.len().
    fn behind(&self, own: Vec<Value>, b: Factor) -> Job {
        let m = own.len();
        Job {
            key: b.id,
            first: false,
            kind: Kind::Product(own, b.list[1..=m].to_vec()),
        }
    }

    /// The sums of products that coefficient k ≥ 1 of a register needs.
    fn jobs(&mut self, at: Reg, k: usize) -> Vec<Job> {
        let along = |this: &mut Self, a: Reg, w: Reg| {
            let rate = this.rate_series(a, k);
            vec![this.product(rate, this.own(w, k))]
        };
        match self.tape.ops[at as usize] {
            Op::Mul(a, b) => vec![self.product(self.series(a, k, k), self.series(b, k, k))],
            Op::Square(a) => vec![Job::square(self.series(a, k, k), 0)],
            Op::Div(_, b) | Op::Recip(b, _) => {
                let own = self.own(at, k).list;
                vec![self.behind(own, self.series(b, k, k))]
            }
            Op::Sqrt(_) => {
                let mut own = self.own(at, k);
                own.list.push(self.zero);
                vec![Job::square(own, 1)]
            }
            Op::Power(a, _) | Op::OddPower(a, _, _) => {
                // own˙·a = r·a˙·own
                let mut jobs = along(self, a, at);
                let own = self.own_rate(at, k);
                jobs.push(self.behind(own, self.series(a, k - 1, k)));
                jobs
            }
            Op::Exp(a) => along(self, a, at),
            Op::Log(a) => {
                // own˙·a = a˙
                let own = self.own_rate(at, k);
                vec![self.behind(own, self.series(a, k - 1, k))]
            }
            Op::Sin(a) | Op::Sinh(a) => along(self, a, at + 1),
            Op::Cos(a) | Op::Cosh(a) => along(self, a, at - 1),
            Op::Tan(a, w) | Op::Tanh(a, w) | Op::Asin(a, w) | Op::Acos(a, w) | Op::Atan(a, w) => {
                along(self, a, w)
            }
            Op::Atan2(y, x, r) => {
                // own˙·r = y˙x − x˙y
                let (dy, dx) = (self.rate_series(y, k), self.rate_series(x, k));
                let own = self.own_rate(at, k);
                vec![
                    self.product(dy, self.series(x, k - 1, k)),
                    self.product(dx, self.series(y, k - 1, k)),
                    self.behind(own, self.series(r, k - 1, k)),
                ]
            }
            Op::Const(_)
            | Op::Input(_)
            | Op::Add(..)
            | Op::Sub(..)
            | Op::Scale(..)
            | Op::Shift(..)
            | Op::Abs(..)
            | Op::Sign(..)
            | Op::Choose(..) => vec![],
        }
    }

    /// Coefficient k ≥ 1 of a register, from its sums of products.
    fn coefficient(&mut self, at: Reg, k: usize, sums: &[Value]) -> Value {
        let over = 1.0 / k as f64;
        match self.tape.ops[at as usize] {
            Op::Const(_) | Op::Sign(..) => self.zero,
            Op::Input(_) => self.get(at, k, k),
            Op::Add(a, b) => {
                let (a, b) = (self.get(a, k, k), self.get(b, k, k));
                self.asm.add(a, b)
            }
            Op::Sub(a, b) => {
                let (a, b) = (self.get(a, k, k), self.get(b, k, k));
                self.asm.sub(a, b)
            }
            Op::Scale(a, c) => {
                let a = self.get(a, k, k);
                self.asm.scale(a, c)
            }
            Op::Shift(a, _) => self.get(a, k, k),
            Op::Mul(..) | Op::Square(_) => sums[0],
            Op::Div(a, b) => {
                let a = self.get(a, k, k);
                let left = self.asm.sub(a, sums[0]);
                self.divided(left, b)
            }
            Op::Recip(b, _) => {
                let left = self.asm.neg(sums[0]);
                self.divided(left, b)
            }
            Op::Sqrt(a) => {
                // own² = a
                let a = self.get(a, k, k);
                let left = self.asm.sub(a, sums[0]);
                let own = self.coefficients[at as usize][0];
                let twice = self.asm.add(own, own);
                let one = self.asm.number(1.0);
                let factor = self.asm.div(one, twice);
                self.asm.mul(left, factor)
            }
            Op::Power(a, r) => self.power(a, r, sums, over),
            Op::OddPower(a, n, d) => self.power(a, f64::from(n) / f64::from(d), sums, over),
            Op::Log(a) => {
                let top = self.rate(a, k - 1, k);
                let left = self.asm.sub(top, sums[0]);
                let c = self.divided(left, a);
                self.asm.scale(c, over)
            }
            Op::Cos(_) => self.asm.scale(sums[0], -over),
            Op::Exp(_)
            | Op::Sin(_)
            | Op::Sinh(_)
            | Op::Cosh(_)
            | Op::Tan(..)
            | Op::Tanh(..)
            | Op::Asin(..)
            | Op::Acos(..)
            | Op::Atan(..) => self.asm.scale(sums[0], over),
            Op::Atan2(_, _, r) => {
                let top = self.asm.sub(sums[0], sums[1]);
                let left = self.asm.sub(top, sums[2]);
                let c = self.divided(left, r);
                self.asm.scale(c, over)
            }
            Op::Abs(a, kink) => {
                let a = self.get(a, k, k);
                let minus = self.asm.neg(a);
                let (side, closed) = self.sides[kink as usize];
                self.asm.choose(side, closed, a, minus)
            }
            Op::Choose(a, b, kink) => {
                let (a, b) = (self.get(a, k, k), self.get(b, k, k));
                let (side, closed) = self.sides[kink as usize];
                self.asm.choose(side, closed, a, b)
            }
        }
    }

    /// Divided by the value of a register.
    fn divided(&mut self, left: Value, b: Reg) -> Value {
        let one = self.asm.number(1.0);
        let b = self.coefficients[b as usize][0];
        let factor = self.asm.div(one, b);
        self.asm.mul(left, factor)
    }

    fn power(&mut self, a: Reg, r: f64, sums: &[Value], over: f64) -> Value {
        let top = self.asm.scale(sums[0], r);
        let left = self.asm.sub(top, sums[1]);
        let c = self.divided(left, a);
        self.asm.scale(c, over)
    }

    /// Coefficient k of registers, those of one level together; `put` keeps each.
    fn advance(&mut self, levels: &[Level], k: usize, put: impl Fn(&mut Self, Reg, Value)) {
        for level in levels {
            for &r in &level.light {
                let c = self.coefficient(r, k, &[]);
                put(self, r, c);
            }
            let mut jobs = Vec::new();
            let mut counts = Vec::new();
            for &r in &level.heavy {
                let own = self.jobs(r, k);
                counts.push(own.len());
                jobs.extend(own);
            }
            let sums = self.carry_out(&jobs);
            let mut rest = &sums[..];
            for (&r, count) in level.heavy.iter().zip(counts) {
                let (own, others) = rest.split_at(count);
                rest = others;
                let c = self.coefficient(r, k, own);
                put(self, r, c);
            }
        }
    }

    /// Does some jobs, four like ones at a time where that is allowed.
    fn carry_out(&mut self, jobs: &[Job]) -> Vec<Value> {
        let mut results = vec![self.zero; jobs.len()];
        let mut order: Vec<usize> = (0..jobs.len()).collect();
        let short: Vec<bool> = jobs.iter().map(|j| j.terms(&self.asm) < LONG).collect();
        if self.packed {
            order.sort_by_key(|&i| (short[i], jobs[i].shape(), jobs[i].key));
        }
        let mut at = 0;
        while at < order.len() {
            let shape = jobs[order[at]].shape();
            let like = order[at..]
                .iter()
                .take(WIDTH)
                .take_while(|&&i| jobs[i].shape() == shape && !short[i])
                .count();
            if self.packed && like >= LIKE {
                let group: [&Job; WIDTH] =
                    std::array::from_fn(|l| &jobs[order[at + l.min(like - 1)]]);
                let wide = Job::pack(&mut self.asm, group).carry_out(&mut self.asm);
                for (l, &i) in order[at..at + like].iter().enumerate() {
                    results[i] = match wide {
                        Some(w) => self.asm.lane(w, l),
                        None => self.zero,
                    };
                }
                at += like;
            } else {
                let i = order[at];
                results[i] = jobs[i].carry_out(&mut self.asm).unwrap_or(self.zero);
                at += 1;
            }
        }
        results
    }
}

/// Ids of rates that are no registers.
const RATE: u64 = 1 << 32;
/// So many like jobs are worth an instruction for four.
const LIKE: usize = 3;
/// So long they must be.
const LONG: usize = 3;

/// A series as a factor.
struct Factor {
    list: Vec<Value>,
    id: u64,
    moving: bool,
}

/// A sum of products to be computed.
struct Job {
    key: u64,
    /// Whether the newest coefficient of the first factor is known before that of the second.
    first: bool,
    kind: Kind,
}

enum Kind {
    /// Σ aⱼ·b_{m−j}
    Product(Vec<Value>, Vec<Value>),
    /// The same of a series with itself, from an index on both sides.
    Square(Vec<Value>, usize),
}

impl Job {
    fn square(a: Factor, lowest: usize) -> Self {
        Self {
            key: a.id,
            first: false,
            kind: Kind::Square(a.list, lowest),
        }
    }

    /// How many terms are not zero.
    fn terms(&self, asm: &Assembler) -> usize {
        match &self.kind {
            Kind::Product(a, b) => a
                .iter()
                .zip(b.iter().rev())
                .filter(|(a, b)| !asm.is_zero(**a) && !asm.is_zero(**b))
                .count(),
            Kind::Square(a, _) => a.iter().filter(|a| !asm.is_zero(**a)).count(),
        }
    }

    /// Jobs of one shape are the same instructions on other operands.
    fn shape(&self) -> (u8, usize, bool) {
        match &self.kind {
            Kind::Product(a, _) => (0, a.len(), self.first),
            Kind::Square(a, lowest) => (1 + *lowest as u8, a.len(), false),
        }
    }

    /// Four jobs of one shape as one.
    fn pack(asm: &mut Assembler, group: [&Self; WIDTH]) -> Self {
        let side = |asm: &mut Assembler, lists: [&[Value]; WIDTH]| -> Vec<Value> {
            (0..lists[0].len())
                .map(|j| asm.pack(lists.map(|l| l[j])))
                .collect()
        };
        let a = side(
            asm,
            group.map(|job| match &job.kind {
                Kind::Product(a, _) | Kind::Square(a, _) => &a[..],
            }),
        );
        let kind = match &group[0].kind {
            Kind::Square(_, lowest) => Kind::Square(a, *lowest),
            Kind::Product(..) => {
                let b = side(
                    asm,
                    group.map(|job| match &job.kind {
                        Kind::Product(_, b) | Kind::Square(b, _) => &b[..],
                    }),
                );
                Kind::Product(a, b)
            }
        };
        Self {
            key: group[0].key,
            first: group[0].first,
            kind,
        }
    }

    /// The sum; `None` if every term is zero.
    fn carry_out(&self, asm: &mut Assembler) -> Option<Value> {
        match &self.kind {
            Kind::Product(a, b) => convolve(asm, None, a, b, self.first),
            Kind::Square(a, lowest) => {
                let k = a.len() - 1;
                let mut sum = None;
                for j in (*lowest..k.div_ceil(2)).rev() {
                    let t = asm.mul(a[j], a[k - j]);
                    if asm.is_zero(t) {
                        continue;
                    }
                    sum = Some(match sum {
                        None => t,
                        Some(s) => asm.add(s, t),
                    });
                }
                let twice = sum.map(|s| asm.add(s, s));
                if k.is_multiple_of(2) && k / 2 >= *lowest {
                    let t = asm.mul(a[k / 2], a[k / 2]);
                    return Some(match twice {
                        None => t,
                        Some(s) => asm.add(s, t),
                    });
                }
                twice
            }
        }
    }
}

/// Σⱼ aⱼ·b_{m−j} over two lists of one length, from the middle outwards; `first` puts the term with
/// the newest of a before that with the newest of b.
fn convolve(
    asm: &mut Assembler,
    start: Option<Value>,
    a: &[Value],
    b: &[Value],
    first: bool,
) -> Option<Value> {
    let len = a.len();
    let mut sum = start;
    let mut add = |j: usize| {
        let t = asm.mul(a[j], b[len - 1 - j]);
        if asm.is_zero(t) {
            return;
        }
        sum = Some(match sum {
            None => t,
            Some(s) => asm.add(s, t),
        });
    };
    let middle = len / 2;
    if len % 2 == 1 {
        add(middle);
    }
    for d in 0..middle {
        let (low, high) = (middle - 1 - d, len - middle + d);
        if first {
            add(high);
            add(low);
        } else {
            add(low);
            add(high);
        }
    }
    sum
}

impl Tape {
    /// The Taylor coefficients of a motion up to an order, as code.
    pub fn series(&self, rates: &Rates, wanted: &Wanted, p: usize) -> Series {
        let n = rates.dimension;
        let mut w = Unroll::new(self, n, wanted.own_sides);
        w.packed = wanted.packed;
        let plan = Plan::new(self, rates, wanted, p);
        if plan.too_long {
            return not_written(self, rates, wanted, p);
        }
        let heavy: usize = [&plan.still, &plan.moving]
            .into_iter()
            .flatten()
            .map(|l| l.heavy.len())
            .sum();
        w.asm
            .reserve(plan.valued.len() + p * p * heavy.min(10_000) * 3 / 4);
        // Order 0.
        let inputs: Vec<Value> = (0..2 * n + 1).map(|k| w.asm.input(k)).collect();
        let sides: Vec<Value> = w.sides.iter().map(|s| s.0).collect();
        let sources = Sources {
            inputs: &inputs,
            sides: (!wanted.own_sides).then_some(&sides),
        };
        let values = self.lower(&mut w.asm, &sources, &plan.valued);
        if wanted.own_sides {
            let kinks = self.kinks.iter();
            w.sides = kinks
                .map(|k| (values[k.register as usize], k.closed))
                .collect();
        }
        for &r in &plan.valued {
            w.coefficients[r as usize].push(values[r as usize]);
        }
        let value = |r: Reg| values[r as usize];
        let (system, guard) = plan.system(&mut w.asm, rates, &value, p);
        let m = rates.unknowns;
        let mut ahead = match (&system, &rates.ahead) {
            (System::Inverse(inverse), Some(ahead)) if wanted.packed && m == n => {
                Some(Predictor::new(&mut w.asm, inverse, ahead, &value))
            }
            _ => None,
        };
        // What the accelerations are without the newest velocities.
        let mut foreseen: Vec<Value> = Vec::new();
        let mut unknowns: Vec<Vec<Value>> = vec![Vec::new(); m];
        for k in 1..=p {
            let over = w.asm.number(1.0 / k as f64);
            // t and x of order k.
            let t = w.asm.number(if k == 1 { 1.0 } else { 0.0 });
            w.coefficients[0].push(t);
            for i in 1..=n {
                let u = w.coefficients[i + n][k - 1];
                let x = w.asm.mul(u, over);
                w.coefficients[i].push(x);
            }
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
                // The newest acceleration is that of the velocities left out.
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
            // What depends on u, of order k.
            w.advance(if k < p { &plan.moving } else { &plan.last }, k, push);
        }
        let mut outputs = Vec::new();
        for k in 0..=p {
            outputs.extend((0..n).map(|i| w.coefficients[1 + n + i][k]));
        }
        for &r in &wanted.series {
            outputs.extend((0..=p).map(|k| w.get(r, k, k)));
        }
        let multipliers = if wanted.multipliers { m - n } else { 0 };
        for list in unknowns.iter().skip(n).take(multipliers) {
            outputs.extend(&list[..p]);
        }
        outputs.extend(wanted.values.iter().map(|&r| value(r)));
        outputs.push(guard);
        Series {
            code: w.asm.finish(outputs),
            order: p,
            dimension: n,
            multipliers,
            wanted: (wanted.series.len(), wanted.values.len()),
        }
    }
}

/// Code that computes nothing and whose guard says so: the jets must do it.
fn not_written(tape: &Tape, rates: &Rates, wanted: &Wanted, p: usize) -> Series {
    let (n, m) = (rates.dimension, rates.unknowns);
    let kinks = if wanted.own_sides {
        0
    } else {
        tape.kinks.len()
    };
    let mut asm = Assembler::new(2 * n + 1 + kinks);
    let mut series = Series {
        code: Code::default(),
        order: p,
        dimension: n,
        multipliers: if wanted.multipliers { m - n } else { 0 },
        wanted: (wanted.series.len(), wanted.values.len()),
    };
    let mut outputs = vec![asm.number(0.0); series.guard_at()];
    outputs.push(asm.number(-1.0));
    series.code = asm.finish(outputs);
    series
}

/// Registers whose coefficients of one order can be computed side by side.
#[derive(Clone, Debug, Default)]
struct Level {
    /// Sums and the like; they may need each other, in order.
    light: Vec<Reg>,
    /// What needs sums of products; they come after the light ones and do not need each other.
    heavy: Vec<Reg>,
}

fn levels(tape: &Tape, list: &[Reg]) -> Vec<Level> {
    let mut after = vec![0usize; tape.ops.len()];
    let mut levels: Vec<Level> = Vec::new();
    for &r in list {
        let op = tape.ops[r as usize];
        let heavy = !matches!(
            op,
            Op::Const(_)
                | Op::Input(_)
                | Op::Add(..)
                | Op::Sub(..)
                | Op::Scale(..)
                | Op::Shift(..)
                | Op::Abs(..)
                | Op::Sign(..)
                | Op::Choose(..)
        );
        // Factors of derivatives and partners are needed only to lower orders; they stand behind, or
        // are of the same level.
        let needed = op.operands().into_iter().filter(|&a| a < r);
        let level = needed.map(|a| after[a as usize]).max().unwrap_or(0);
        after[r as usize] = level + usize::from(heavy);
        if levels.len() <= level {
            levels.resize_with(level + 1, Level::default);
        }
        if heavy {
            levels[level].heavy.push(r);
        } else {
            levels[level].light.push(r);
        }
    }
    levels
}

/// How the series of a motion are unrolled.
struct Plan<'a> {
    squares: Option<&'a Squares>,
    /// See [`Needs`].
    still: Vec<Level>,
    moving: Vec<Level>,
    last: Vec<Level>,
    squared: Vec<Level>,
    /// Registers with values.
    valued: Vec<Reg>,
    /// How many velocities the augmented system has.
    velocities: usize,
    /// The order of elimination with velocities as unknowns, where that is shorter.
    augmented: Option<Order>,
    /// Whether the code would become too long to be written out.
    too_long: bool,
}

/// Longer code is not unrolled.
const UNROLLED: usize = 800_000;

impl<'a> Plan<'a> {
    fn new(tape: &Tape, rates: &'a Rates, wanted: &Wanted, p: usize) -> Self {
        let squares = rates.squares.as_ref();
        let needs = Needs::new(tape, rates, &wanted.series, wanted.packed);
        let mut valued: Vec<Reg> = needs.still.iter().chain(&needs.moving).copied().collect();
        valued.extend(wanted.values.iter().chain(&wanted.series));
        valued.extend(0..=2 * rates.dimension as Reg);
        match squares {
            Some(s) => {
                valued.extend(s.right.iter().chain(&s.rest).copied());
                valued.extend(s.terms(wanted.packed).flat_map(|t| [t.1, t.2]));
                for v in &s.velocities {
                    valued.push(v.mass);
                    valued.extend(v.entries.iter().map(|e| e.1));
                }
            }
            None => valued.extend(&rates.right),
        }
        if let Some(ahead) = rates.ahead.as_ref().filter(|_| wanted.packed) {
            valued.extend(ahead.slopes.iter().chain(&ahead.drift));
        }
        // The smaller of two systems: the matrix itself, or sparse with the velocities.
        let augmented = squares
            .filter(|s| mass_ratio(tape, s).is_some_and(|r| r <= MASSES))
            .and_then(|s| order(&pattern(tape, rates, s)))
            .filter(|o| !o.too_long);
        let plain = order(&plain_pattern(tape, rates));
        let augmented = augmented.filter(|a| {
            let reached = |more: &[Reg]| tape.reached(valued.iter().chain(more).copied(), 0).len();
            let extra = reached(&rates.matrix) - reached(&[]);
            plain.as_ref().is_none_or(|b| {
                b.too_long || a.factor + p * a.solve < b.factor + p * b.solve + extra
            })
        });
        let cost = augmented.as_ref().or(plain.as_ref());
        let elimination = cost.map_or(0, |o| o.factor + p * o.solve);
        let products = needs.still.len() + needs.moving.len();
        let too_long = cost.is_some_and(|o| o.too_long)
            || elimination + products * p * p / 2 + valued.len() > UNROLLED;
        if augmented.is_none() {
            valued.extend(&rates.matrix);
        }
        Self {
            squares,
            still: levels(tape, &needs.still),
            moving: levels(tape, &needs.moving),
            last: levels(tape, &needs.last),
            squared: levels(tape, &needs.squared),
            valued: tape.reached(valued.into_iter(), 0),
            velocities: squares.map_or(0, |s| s.velocities.len()),
            augmented,
            too_long,
        }
    }

    /// The linear system at order 0.
    fn system(
        &self,
        asm: &mut Assembler,
        rates: &Rates,
        value: &dyn Fn(Reg) -> Value,
        p: usize,
    ) -> (System, Value) {
        if let (Some(order), Some(s)) = (&self.augmented, self.squares) {
            let m = augmented(asm, rates, s, value);
            let f = factor(asm, &m, &order.order);
            let guard = f.guard;
            return (System::Augmented(f), guard);
        }
        let (n, size) = (rates.dimension, rates.unknowns);
        let mut m = Symmetric::new(kinds(n, size));
        for i in 0..size {
            for j in i..size {
                if i < n {
                    m.set(asm, i, j, value(rates.matrix[i * size + j]));
                }
            }
        }
        let list = order(&m).map_or_else(|| (0..size).collect(), |o| o.order);
        let f = factor(asm, &m, &list);
        let guard = f.guard;
        // Many right-hand sides pay for the inverse.
        if size <= INVERTED && p > size {
            return (System::Inverse(f.inverse(asm, size)), guard);
        }
        (System::Plain(f), guard)
    }

    /// The right-hand side of order k − 1. Rows of constraints have the other sign: that makes the
    /// matrix symmetric.
    fn right(
        &self,
        w: &mut Unroll<'_>,
        rates: &Rates,
        unknowns: &[Vec<Value>],
        k: usize,
    ) -> Vec<Value> {
        let (n, size, low) = (rates.dimension, rates.unknowns, k - 1);
        let (matrix, right) = match self.squares {
            None => (&rates.matrix, &rates.right),
            Some(s) => (&s.rest, &s.right),
        };
        // Σ b·ẇ + Σ M·a, by equation.
        let mut jobs: Vec<Job> = Vec::new();
        let mut of: Vec<usize> = Vec::new();
        let packed = w.packed;
        for (i, b, momentum) in self.squares.iter().flat_map(|s| s.terms(packed)) {
            let rate: Vec<Value> = (0..=low)
                .map(|j| {
                    let c = w.get(momentum, j + 1, k);
                    w.asm.scale(c, (j + 1) as f64)
                })
                .collect();
            jobs.push(Job {
                key: u64::from(b),
                first: true,
                kind: Kind::Product(w.list(b, low, k), rate),
            });
            of.push(i);
        }
        for i in 0..size {
            for j in 0..size {
                let entry = matrix[i * size + j];
                if low == 0 || matches!(w.tape.ops[entry as usize], Op::Const(_)) {
                    continue;
                }
                let list: Vec<Value> = (1..=low).map(|l| w.get(entry, l, k)).collect();
                jobs.push(Job {
                    key: u64::from(entry),
                    first: true,
                    kind: Kind::Product(list, unknowns[j][..low].to_vec()),
                });
                of.push(i);
            }
        }
        let results = w.carry_out(&jobs);
        let mut sums: Vec<Option<Value>> = vec![None; size];
        for (&i, &v) in of.iter().zip(&results) {
            sums[i] = Some(match sums[i] {
                None => v,
                Some(s) => w.asm.add(s, v),
            });
        }
        let mut list = Vec::with_capacity(size);
        for i in 0..size {
            let f = w.get(right[i], low, k);
            let value = match sums[i] {
                None => f,
                Some(s) => w.asm.sub(f, s),
            };
            list.push(if i < n { value } else { w.asm.neg(value) });
        }
        list
    }
}

/// Where masses of neighbours differ by more than this, forces between them cancel, and elimination with
/// velocities as unknowns loses digits that the mass matrix keeps: at a ratio of a million, four.
const MASSES: f64 = 100.0;

/// The largest ratio of masses between a velocity and the one it is made from, if there are velocities.
fn mass_ratio(tape: &Tape, s: &Squares) -> Option<f64> {
    let mass = |k: usize| match tape.ops[s.velocities[k].mass as usize] {
        Op::Const(m) => m,
        _ => f64::INFINITY,
    };
    let ratio = |(k, v): (usize, &Velocity)| {
        let parent = mass(v.parent.unwrap_or(k));
        (mass(k) / parent).max(parent / mass(k))
    };
    s.velocities.iter().enumerate().map(ratio).reduce(f64::max)
}

fn kinds(n: usize, size: usize) -> Vec<solve::Kind> {
    let of = |i| {
        if i < n {
            solve::Kind::Mass
        } else {
            solve::Kind::Multiplier
        }
    };
    (0..size).map(of).collect()
}

/// Where the matrix is not zero; the entries mean nothing.
fn plain_pattern(tape: &Tape, rates: &Rates) -> Symmetric {
    let (n, size) = (rates.dimension, rates.unknowns);
    let mut m = Symmetric::new(kinds(n, size));
    for i in 0..n {
        for j in i..size {
            let r = rates.matrix[i * size + j];
            if tape.ops[r as usize] == Op::Const(0.0) {
                continue;
            }
            if i == j {
                m.diagonal[i] = Some(0);
            } else {
                m.rows[i].insert(j, 0);
                m.rows[j].insert(i, 0);
            }
        }
    }
    m
}

/// Where the augmented matrix is not zero; the entries mean nothing.
fn pattern(tape: &Tape, rates: &Rates, s: &Squares) -> Symmetric {
    let zero = |r: Reg| tape.ops[r as usize] == Op::Const(0.0);
    let mut m = Symmetric::new(augmented_kinds(rates, s));
    for_each_entry(rates, s, &mut |i, j, what| {
        let nothing = match what {
            Entry::Register(r) | Entry::Minus(r) => zero(r),
            Entry::Number(_) => false,
        };
        if nothing {
        } else if i == j {
            m.diagonal[i] = Some(0);
        } else {
            m.rows[i].insert(j, 0);
            m.rows[j].insert(i, 0);
        }
    });
    m
}

enum Entry {
    Register(Reg),
    Minus(Reg),
    Number(f64),
}

fn augmented_kinds(rates: &Rates, s: &Squares) -> Vec<solve::Kind> {
    let (n, size) = (rates.dimension, rates.unknowns);
    let mut list = kinds(n, size);
    for kind in &mut list[..n] {
        *kind = solve::Kind::Massless;
    }
    for k in 0..s.velocities.len() {
        list.push(solve::Kind::Inertia);
        list.push(solve::Kind::Defines(size + 2 * k));
    }
    list
}

/// The entries on and above the diagonal: the unknowns, then A and its multiplier for each velocity.
fn for_each_entry(rates: &Rates, s: &Squares, f: &mut dyn FnMut(usize, usize, Entry)) {
    let (n, size) = (rates.dimension, rates.unknowns);
    for i in 0..n {
        for j in i..size {
            f(i, j, Entry::Register(s.rest[i * size + j]));
        }
    }
    for (k, v) in s.velocities.iter().enumerate() {
        let (a, multiplier) = (size + 2 * k, size + 2 * k + 1);
        f(a, a, Entry::Register(v.mass));
        f(a, multiplier, Entry::Number(1.0));
        if let Some(parent) = v.parent {
            f(size + 2 * parent, multiplier, Entry::Number(-1.0));
        }
        for &(i, b) in &v.entries {
            f(i, multiplier, Entry::Minus(b));
        }
    }
}

fn augmented(
    asm: &mut Assembler,
    rates: &Rates,
    s: &Squares,
    value: &dyn Fn(Reg) -> Value,
) -> Symmetric {
    let mut m = Symmetric::new(augmented_kinds(rates, s));
    for_each_entry(rates, s, &mut |i, j, what| {
        let v = match what {
            Entry::Register(r) => value(r),
            Entry::Minus(r) => asm.neg(value(r)),
            Entry::Number(c) => asm.number(c),
        };
        m.set(asm, i, j, v);
    });
    m
}
