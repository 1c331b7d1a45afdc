//! Coefficients of registers, order by order.

use super::job::{Factor, Job, Kind, MIN_LIKE_JOBS, MIN_TERMS, square};
use super::plan::Level;
use super::rolled::AnyOrder;
use super::tile::Tiles;
use super::{Series, Wanted};
use crate::code::{Assembler, Value, WIDTH};
use crate::hash::Table;
use crate::jets::moving;
use crate::lower::Sources;
use crate::tape::{Op, Reg, Tape};

/// The velocities that are known while coefficient k is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Everything up to u_k.
    Whole,
    /// u_k is not known yet; it counts as zero.
    Part,
    /// Neither u_k nor u_{k−1} is known; both count as zero.
    Early,
}

pub(super) struct Unroll<'a> {
    pub(super) tape: &'a Tape,
    pub(super) asm: Assembler,
    pub(super) n: usize,
    /// Coefficients by register, as far as they are known.
    pub(super) coefficients: Vec<Vec<Value>>,
    /// Coefficient k with u_k taken as zero, of registers that depend on u.
    pub(super) partial: Vec<Value>,
    /// Coefficient k with u_{k−1} and u_k taken as zero.
    pub(super) early: Vec<Value>,
    pub(super) mode: Mode,
    /// Registers that depend on u.
    pub(super) moving: Vec<bool>,
    pub(super) packed: bool,
    /// Whether each kink is on the branch of its register.
    own_branches: bool,
    /// The smallest number of jobs of equal form that share instructions, where that is allowed.
    pub(super) like: usize,
    /// For each kink the value that decides its branch, and whether zero belongs to the positive one.
    pub(super) branches: Vec<(Value, bool)>,
    pub(super) rates: Table<(Reg, u32), Value>,
    /// The depth of linear operations above each register, up to which its rate is computed from those of its
    /// operands.
    pub(super) depth: Vec<u8>,
    pub(super) zero: Value,
    /// Sums of products that have been begun.
    pub(super) tiles: Tiles,
    /// Set where order 2 stands for any order.
    pub(super) any: Option<AnyOrder>,
}

/// The largest depth of chains of linear operations through which rates are computed.
pub(super) const MAX_LINEAR_DEPTH: u8 = 16;

impl<'a> Unroll<'a> {
    /// The unrolled series of a tape, with `more` inputs behind the state and the branches.
    pub(super) fn new(tape: &'a Tape, n: usize, own_branches: bool, more: usize) -> Self {
        let kinks = if own_branches { 0 } else { tape.branch_len() };
        let mut asm = Assembler::new(tape.inputs + kinks + more);
        let zero = asm.number(0.0);
        let branches = (0..kinks)
            .map(|k| (asm.input(tape.inputs + k), false))
            .collect();
        let moving = moving(tape, n);
        let mut depth = vec![u8::MAX; tape.ops.len()];
        for at in 0..tape.ops.len() {
            let of = |r: Reg| depth[r as usize].saturating_add(1);
            depth[at] = match tape.ops[at] {
                Op::Input(i) if i as usize <= n => 0,
                Op::Const(_) | Op::Fixed(_) | Op::Parameter(..) | Op::Piece(..) => 0,
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
            own_branches,
            like: MIN_LIKE_JOBS,
            branches,
            rates: Table::default(),
            depth,
            zero,
            tiles: Tiles::default(),
            any: None,
        }
    }

    /// Order 0 of registers, given with all they need and in order; their values.
    pub(super) fn start(&mut self, valued: &[Reg]) -> Vec<Value> {
        let mut values = vec![Value::MAX; self.tape.ops.len()];
        self.lower(valued, &mut values);
        if self.own_branches {
            let kinks = self.tape.kinks.iter();
            self.branches = kinks
                .map(|k| (values[k.register as usize], k.closed))
                .collect();
        }
        for &r in valued {
            self.coefficients[r as usize].push(values[r as usize]);
        }
        values
    }

    fn lower(&mut self, list: &[Reg], values: &mut [Value]) {
        let branches: Vec<Value> = self.branches.iter().map(|s| s.0).collect();
        let inputs: Vec<Value> = (0..self.tape.inputs).map(|k| self.asm.input(k)).collect();
        let sources = Sources {
            inputs: &inputs,
            branches: (!self.own_branches).then_some(&branches),
            parameters: &[],
        };
        self.tape.lower_into(&mut self.asm, &sources, list, values);
    }

    /// t and x of order k; `over` is 1/k.
    pub(super) fn move_on(&mut self, k: usize, over: Value) {
        let t = self.asm.number(if k == 1 { 1.0 } else { 0.0 });
        self.coefficients[0].push(t);
        for i in 1..=self.n {
            let u = self.coefficients[i + self.n][k - 1];
            let x = self.asm.mul(u, over);
            self.coefficients[i].push(x);
        }
    }

    /// The finished code, when all coefficients up to p are known; the sensitivities come behind the guard.
    pub(super) fn finish(
        self,
        wanted: &Wanted,
        multipliers: &[Vec<Value>],
        guard: Value,
        sensitivities: Vec<Value>,
        p: usize,
    ) -> Series {
        let mut outputs = Vec::new();
        for k in 0..=p {
            outputs.extend((0..self.n).map(|i| self.coefficients[1 + self.n + i][k]));
        }
        for (w, &r) in wanted.series.iter().enumerate() {
            let known = match w < wanted.integrated {
                true => wanted.places.map_or(p, |places| places.min(p)),
                false => p + 1,
            };
            outputs.extend((0..known).map(|k| self.get(r, k, k)));
            outputs.extend((known..=p).map(|_| self.zero));
        }
        for list in multipliers {
            outputs.extend(&list[..p]);
        }
        let values = wanted.values.iter();
        outputs.extend(values.map(|&r| self.coefficients[r as usize][0]));
        outputs.push(guard);
        outputs.extend(sensitivities);
        Series {
            code: self.asm.finish(outputs),
            order: p,
            dimension: self.n,
            multipliers: multipliers.len(),
            wanted: (wanted.series.len(), wanted.values.len()),
            directions: wanted.directions,
        }
    }

    /// Coefficient j of a register, while coefficient k is computed.
    pub(super) fn get(&self, r: Reg, j: usize, k: usize) -> Value {
        let at = r as usize;
        if j > 0 && self.tape.ops[at].is_fixed() {
            return self.zero;
        }
        match self.mode {
            Mode::Early if j == k => self.early[at],
            Mode::Early if j + 1 == k && self.moving[at] => self.partial[at],
            Mode::Part if j == k && self.moving[at] => self.partial[at],
            _ => self.coefficients[at][j],
        }
    }

    /// Coefficients 0 … m of a register, while coefficient k is computed.
    pub(super) fn list(&self, r: Reg, m: usize, k: usize) -> Vec<Value> {
        (0..=m).map(|j| self.get(r, j, k)).collect()
    }

    /// Coefficient j of the rate of a register, while coefficient k is computed.
    pub(super) fn rate(&mut self, r: Reg, j: usize, k: usize) -> Value {
        if let Some(known) = self.rate_at_any_order(r, j) {
            return known;
        }
        let fixed = match self.mode {
            Mode::Whole => true,
            Mode::Part => !(self.moving[r as usize] && j + 1 == k),
            Mode::Early => j + 2 < k,
        };
        if fixed && let Some(&v) = self.rates.get(&(r, j as u32)) {
            return v;
        }
        let v = match self.tape.ops[r as usize] {
            Op::Const(_) | Op::Fixed(_) | Op::Parameter(..) | Op::Piece(..) => self.zero,
            Op::Input(0) => self.asm.number(if j == 0 { 1.0 } else { 0.0 }),
            Op::Input(i) if i as usize <= self.n => self.get(i + self.n as Reg, j, k),
            Op::Scale(a, c) if self.depth[r as usize] <= MAX_LINEAR_DEPTH => {
                let a = self.rate(a, j, k);
                self.asm.scale(a, c)
            }
            Op::Shift(a, _) if self.depth[r as usize] <= MAX_LINEAR_DEPTH => self.rate(a, j, k),
            Op::Add(a, b) if self.depth[r as usize] <= MAX_LINEAR_DEPTH => {
                let (a, b) = (self.rate(a, j, k), self.rate(b, j, k));
                self.asm.add(a, b)
            }
            Op::Sub(a, b) if self.depth[r as usize] <= MAX_LINEAR_DEPTH => {
                let (a, b) = (self.rate(a, j, k), self.rate(b, j, k));
                self.asm.sub(a, b)
            }
            _ => {
                let c = self.get(r, j + 1, k);
                self.times_order(c, j + 1)
            }
        };
        if fixed {
            self.rates.insert((r, j as u32), v);
        }
        v
    }

    /// Coefficients 0 … k − 1 of the rate of a register.
    pub(super) fn rate_list(&mut self, r: Reg, k: usize) -> Vec<Value> {
        (0..k).map(|j| self.rate(r, j, k)).collect()
    }

    /// The product of two series, its coefficient a.len() − 1. The order of the factors does not matter: equal
    /// products are found again.
    pub(super) fn product(&self, a: Factor, b: Factor) -> Job {
        let (a, b) = if a.id <= b.id { (a, b) } else { (b, a) };
        Job {
            // Factors that do not move come in the same order wherever they occur.
            key: if a.moving { b.id } else { a.id },
            // The newest coefficient of a moving series is known last.
            first: !a.moving,
            kind: Kind::Product(a.list, b.list),
        }
    }

    pub(super) fn series(&self, r: Reg, m: usize, k: usize) -> Factor {
        Factor {
            list: self.list(r, m, k),
            id: u64::from(r),
            moving: self.moving[r as usize],
        }
    }

    /// The rate of a register as a factor: the velocity, if it is a coordinate.
    pub(super) fn rate_series(&mut self, r: Reg, k: usize) -> Factor {
        let id = match self.tape.ops[r as usize] {
            Op::Input(i) if i > 0 && i as usize <= self.n => u64::from(r) + self.n as u64,
            _ => RATE_IDS + u64::from(r),
        };
        Factor {
            list: self.rate_list(r, k),
            id,
            moving: true,
        }
    }

    /// The coefficients 0 … k − 1 of the current register, or of one behind it.
    pub(super) fn own(&self, at: Reg, k: usize) -> Factor {
        Factor {
            list: self.list(at, k - 1, k),
            id: u64::from(at),
            moving: self.moving[at as usize],
        }
    }

    /// Coefficients 0 … k − 2 of the rate of the current register.
    pub(super) fn own_rate(&mut self, at: Reg, k: usize) -> Vec<Value> {
        (0..k - 1).map(|j| self.rate(at, j, k)).collect()
    }

    /// Σ_{j<m} ownⱼ·b_{m−j} with m = own.len().
    pub(super) fn behind(&self, own: Vec<Value>, b: Factor) -> Job {
        let m = own.len();
        Job {
            key: b.id,
            first: false,
            kind: Kind::Product(own, b.list[1..=m].to_vec()),
        }
    }

    /// The sums of products that coefficient k ≥ 1 of a register needs.
    pub(super) fn jobs(&mut self, at: Reg, k: usize) -> Vec<Job> {
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
            Op::Atan2(y, x, r, _) => {
                // own˙·r = y˙x − x˙y
                let (dy, dx) = (self.rate_series(y, k), self.rate_series(x, k));
                let own = self.own_rate(at, k);
                vec![
                    self.product(dy, self.series(x, k - 1, k)),
                    self.product(dx, self.series(y, k - 1, k)),
                    self.behind(own, self.series(r, k - 1, k)),
                ]
            }
            op => {
                debug_assert!(op.is_light(), "{op:?} has no rule");
                vec![]
            }
        }
    }

    /// Coefficient k ≥ 1 of a register, from its sums of products.
    pub(super) fn coefficient(&mut self, at: Reg, k: usize, sums: &[Value]) -> Value {
        match self.tape.ops[at as usize] {
            Op::Const(_) | Op::Fixed(_) | Op::Parameter(..) | Op::Piece(..) | Op::Sign(..) => {
                self.zero
            }
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
                self.asm.rescale(a, c)
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
            Op::Power(a, r) => self.power(a, r, sums, k),
            Op::OddPower(a, n, d) => self.power(a, f64::from(n) / f64::from(d), sums, k),
            Op::Log(a) => {
                let top = self.rate(a, k - 1, k);
                let left = self.asm.sub(top, sums[0]);
                let c = self.divided(left, a);
                self.over_order(c, k)
            }
            Op::Cos(_) => self.integrated(sums[0], -1.0, k),
            Op::Exp(_)
            | Op::Sin(_)
            | Op::Sinh(_)
            | Op::Cosh(_)
            | Op::Tan(..)
            | Op::Tanh(..)
            | Op::Asin(..)
            | Op::Acos(..)
            | Op::Atan(..) => self.integrated(sums[0], 1.0, k),
            Op::Atan2(_, _, r, _) => {
                let top = self.asm.sub(sums[0], sums[1]);
                let left = self.asm.sub(top, sums[2]);
                let c = self.divided(left, r);
                self.over_order(c, k)
            }
            Op::Abs(a, kink) => {
                let a = self.get(a, k, k);
                let minus = self.asm.neg(a);
                let (side, closed) = self.branches[kink as usize];
                self.asm.choose(side, closed, a, minus)
            }
            Op::Choose(a, b, kink) => {
                let (a, b) = (self.get(a, k, k), self.get(b, k, k));
                let (side, closed) = self.branches[kink as usize];
                self.asm.choose(side, closed, a, b)
            }
        }
    }

    /// Divided by the value of a register.
    pub(super) fn divided(&mut self, left: Value, b: Reg) -> Value {
        let one = self.asm.number(1.0);
        let b = self.coefficients[b as usize][0];
        let factor = self.asm.div(one, b);
        self.asm.mul(left, factor)
    }

    pub(super) fn power(&mut self, a: Reg, r: f64, sums: &[Value], k: usize) -> Value {
        let top = self.asm.scale(sums[0], r);
        let left = self.asm.sub(top, sums[1]);
        let c = self.divided(left, a);
        self.over_order(c, k)
    }

    /// k·c
    pub(super) fn times_order(&mut self, c: Value, k: usize) -> Value {
        match &self.any {
            Some(any) => self.asm.mul(c, any.order),
            None => self.asm.scale(c, k as f64),
        }
    }

    /// c/k
    fn over_order(&mut self, c: Value, k: usize) -> Value {
        match &self.any {
            Some(any) => self.asm.mul(c, any.over),
            None => self.asm.scale(c, 1.0 / k as f64),
        }
    }

    /// ±c/k, where c is coefficient k of a rate: that of a register that grows linearly is a multiple already.
    fn integrated(&mut self, c: Value, sign: f64, k: usize) -> Value {
        match &self.any {
            Some(any) => {
                let over = any.over;
                let c = self.asm.scale(c, sign);
                self.asm.mul(c, over)
            }
            None => self.asm.rescale(c, sign * (1.0 / k as f64)),
        }
    }

    /// Coefficient k of registers, those of one level together; `put` keeps each.
    pub(super) fn advance(
        &mut self,
        levels: &[Level],
        k: usize,
        put: impl Fn(&mut Self, Reg, Value),
    ) {
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
            let sums = self.compute_jobs(&jobs);
            let mut rest = &sums[..];
            for (&r, count) in level.heavy.iter().zip(counts) {
                let (own, others) = rest.split_at(count);
                rest = others;
                let c = self.coefficient(r, k, own);
                put(self, r, c);
            }
        }
    }

    /// The sum of a job; `None` if every term is zero.
    fn sum(&mut self, job: &Job) -> Option<Value> {
        if let Some(any) = &mut self.any {
            return any.sum(&mut self.asm, job);
        }
        match &job.kind {
            Kind::Product(a, b) => {
                // The newest coefficients may be known only in part.
                let open = if self.mode == Mode::Early { 2 } else { 1 };
                let known = a.len().saturating_sub(open);
                self.tiles.convolve(&mut self.asm, (a, b), known, job.first)
            }
            Kind::Square(a, lowest) => square(&mut self.asm, a, *lowest),
        }
    }

    /// Computes jobs, four of equal form at a time where that is allowed.
    pub(super) fn compute_jobs(&mut self, jobs: &[Job]) -> Vec<Value> {
        let mut results = vec![self.zero; jobs.len()];
        let mut order: Vec<usize> = (0..jobs.len()).collect();
        let short: Vec<bool> = jobs
            .iter()
            .map(|j| j.terms(&self.asm) < MIN_TERMS)
            .collect();
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
            if self.packed && like >= self.like {
                let group: [&Job; WIDTH] =
                    std::array::from_fn(|l| &jobs[order[at + l.min(like - 1)]]);
                let job = Job::pack(&mut self.asm, group);
                let wide = self.sum(&job);
                for (l, &i) in order[at..at + like].iter().enumerate() {
                    results[i] = match wide {
                        Some(w) => self.asm.lane(w, l),
                        None => self.zero,
                    };
                }
                at += like;
            } else {
                let i = order[at];
                results[i] = self.sum(&jobs[i]).unwrap_or(self.zero);
                at += 1;
            }
        }
        results
    }
}

/// Ids of rates that are no registers.
pub(super) const RATE_IDS: u64 = 1 << 32;
