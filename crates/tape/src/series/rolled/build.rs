//! The code of one order: that of order 2, in which a term between the lowest and the highest coefficients stands for the
//! sum of all of them.

use super::{GROUP, ORDER, Rolled};
use crate::code::{Assembler, Code, Instr, Value};
use crate::hash::Table;
use crate::jets::Rates;
use crate::series::job::{Job, Kind, add_product};
use crate::series::plan::Plan;
use crate::series::unroll::{Mode, Unroll};
use crate::series::{System, Wanted};
use crate::tape::{Op, Reg, Tape};

/// The order that stands for all.
const ANY: usize = 2;
/// The order to which unrolled code is compared with this one.
const TYPICAL_ORDER: usize = 20;

/// A sequence of coefficients that is a factor of products.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::series) enum Stream {
    /// The coefficients of a register.
    Register(Reg),
    /// Those of its rate, from one order below.
    Rate(Reg),
    /// Those of an unknown of the linear system, from one order below.
    Unknown(u32),
}

/// The inputs of the code of one order.
pub(in crate::series) struct AnyOrder {
    /// k
    pub(in crate::series) order: Value,
    /// 1/k
    pub(in crate::series) over: Value,
    /// Coefficient k of the time.
    time: Value,
    /// Registers whose coefficient one order below is needed.
    carried: Vec<(Reg, Value)>,
    carried_of: Table<Reg, Value>,
    /// The values that stand for the coefficients between the lowest and the highest.
    middle: Table<Stream, Value>,
    stream_of: Table<Value, Stream>,
    /// The sums of products of two streams.
    products: Vec<([Stream; 2], Value)>,
    product_of: Table<[Stream; 2], Value>,
}

impl AnyOrder {
    fn new(asm: &mut Assembler) -> Self {
        let [order, over, time] = std::array::from_fn(|_| asm.another_input());
        Self {
            order,
            over,
            time,
            carried: vec![],
            carried_of: Table::default(),
            middle: Table::default(),
            stream_of: Table::default(),
            products: vec![],
            product_of: Table::default(),
        }
    }

    /// The coefficients between the lowest and the highest.
    fn middle(&mut self, asm: &mut Assembler, stream: Stream) -> Value {
        if let Some(&v) = self.middle.get(&stream) {
            return v;
        }
        let v = asm.another_input();
        self.middle.insert(stream, v);
        self.stream_of.insert(v, stream);
        v
    }

    /// The coefficient of a register one order below.
    fn carried(&mut self, asm: &mut Assembler, r: Reg) -> Value {
        if let Some(&v) = self.carried_of.get(&r) {
            return v;
        }
        let v = asm.another_input();
        self.carried_of.insert(r, v);
        self.carried.push((r, v));
        v
    }

    /// The sum of a job; `None` if every term is zero.
    pub(in crate::series) fn sum(&mut self, asm: &mut Assembler, job: &Job) -> Option<Value> {
        match &job.kind {
            Kind::Square(a, lowest) => {
                let twice = asm.scale(a[0], 2.0);
                let mut sum = self.product(asm, a[1], a[1]);
                if *lowest == 0 {
                    add_product(asm, &mut sum, twice, a[2]);
                }
                sum
            }
            Kind::Product(a, b) => {
                let mut terms: Vec<(Value, Value)> =
                    a.iter().copied().zip(b.iter().rev().copied()).collect();
                if job.first {
                    terms.reverse();
                }
                let mut sum = None;
                for &(a, b) in &terms {
                    sum = sum.or_else(|| self.product(asm, a, b));
                }
                for (a, b) in terms {
                    if !self.stream_of.contains_key(&a) {
                        add_product(asm, &mut sum, a, b);
                    }
                }
                sum
            }
        }
    }

    /// The sum of products of the coefficients between, if two values stand for them.
    fn product(&mut self, asm: &mut Assembler, a: Value, b: Value) -> Option<Value> {
        let mut pair = [*self.stream_of.get(&a)?, *self.stream_of.get(&b)?];
        pair.sort();
        if let Some(&v) = self.product_of.get(&pair) {
            return Some(v);
        }
        let v = asm.another_input();
        self.product_of.insert(pair, v);
        self.products.push((pair, v));
        Some(v)
    }
}

impl Unroll<'_> {
    /// Coefficient j of the rate of a register, where order 2 stands for any; `None` where the rule is that of every
    /// order.
    pub(in crate::series) fn rate_at_any_order(&mut self, r: Reg, j: usize) -> Option<Value> {
        let any = self.any.as_mut()?;
        match self.tape.ops[r as usize] {
            op if op.is_fixed() => None,
            _ if j == 0 => Some(any.middle(&mut self.asm, Stream::Rate(r))),
            Op::Input(0) => Some(any.time),
            Op::Input(i) if i as usize <= self.n => {
                Some(any.carried(&mut self.asm, i + self.n as Reg))
            }
            _ => None,
        }
    }

    /// Coefficient j of the rate of a momentum, while coefficient k is computed.
    pub(in crate::series) fn momentum_rate(&mut self, r: Reg, j: usize, k: usize) -> Value {
        if let Some(any) = &mut self.any
            && j == 0
            && !self.tape.ops[r as usize].is_fixed()
        {
            return any.middle(&mut self.asm, Stream::Rate(r));
        }
        let c = self.get(r, j + 1, k);
        self.times_order(c, j + 1)
    }

    /// Coefficient k − 1 of a register, while coefficient k is computed.
    pub(in crate::series) fn before(&mut self, r: Reg, k: usize) -> Value {
        match &mut self.any {
            Some(any) => any.carried(&mut self.asm, r),
            None => self.get(r, k - 1, k),
        }
    }

    /// Coefficient k of a stream, all coefficients of that order being known.
    fn newest(&mut self, stream: Stream, solution: &[Value]) -> Value {
        match stream {
            Stream::Register(r) => self.get(r, ANY, ANY),
            Stream::Rate(r) => self.rate(r, ANY - 1, ANY),
            Stream::Unknown(i) => solution[i as usize],
        }
    }
}

impl Tape {
    /// The Taylor coefficients of a motion up to an order by a loop over the orders, where unrolled code would have more
    /// than about `longest` operations; `None` where it would not, and for sensitivities.
    pub fn rolled_series(
        &self,
        rates: &Rates,
        wanted: &Wanted,
        p: usize,
        longest: usize,
    ) -> Option<Rolled> {
        let most = self.len() * TYPICAL_ORDER * TYPICAL_ORDER / 2;
        if most < longest || wanted.directions > 0 || rates.reduced_for(wanted).is_some() {
            return None;
        }
        let wanted = &Wanted {
            packed: false,
            ..wanted.clone()
        };
        let plan = Plan::new(self, rates, wanted, TYPICAL_ORDER);
        if plan.unrolled <= longest || plan.rolled_too_long {
            return None;
        }
        self.rolled(&plan, rates, wanted, p)
    }

    fn rolled(&self, plan: &Plan<'_>, rates: &Rates, wanted: &Wanted, p: usize) -> Option<Rolled> {
        let (n, m) = (rates.dimension, rates.unknowns);
        let mut w = Unroll::new(self, n, wanted.own_branches, 0);
        let inputs = w.asm.inputs();
        let values = w.start(&plan.valued);
        let (system, guard) = plan.system(
            &mut w.asm,
            rates,
            &|r: Reg| values[r as usize],
            TYPICAL_ORDER,
        );
        let mut any = AnyOrder::new(&mut w.asm);
        let velocities = (1..=n).map(|i| (i + n) as Reg);
        let newest: Vec<Value> = velocities.map(|u| any.carried(&mut w.asm, u)).collect();
        let lists = [&plan.still, &plan.moving].into_iter().flatten();
        let registers = lists.flat_map(|l| l.light.iter().chain(&l.heavy).copied());
        for r in registers.chain(0..=2 * n as Reg) {
            let middle = any.middle(&mut w.asm, Stream::Register(r));
            w.coefficients[r as usize].push(middle);
        }
        let mut unknowns: Vec<Vec<Value>> = (0..m as u32)
            .map(|i| vec![any.middle(&mut w.asm, Stream::Unknown(i))])
            .collect();
        let (time, over) = (any.time, any.over);
        w.any = Some(any);
        w.coefficients[0].push(time);
        for i in 1..=n {
            let x = w.asm.mul(newest[i - 1], over);
            w.coefficients[i].push(x);
        }
        let solution = order(&mut w, plan, (rates, &system), &mut unknowns, over);
        let finished = Finished {
            plan: (rates, wanted),
            guard,
            solution,
            inputs,
            p,
        };
        finished.rolled(w)
    }
}

/// The coefficients of one order; the solution of the linear system.
fn order(
    w: &mut Unroll<'_>,
    plan: &Plan<'_>,
    (rates, system): (&Rates, &System),
    unknowns: &mut [Vec<Value>],
    over: Value,
) -> Vec<Value> {
    let n = rates.dimension;
    let push = |w: &mut Unroll<'_>, r: Reg, c: Value| w.coefficients[r as usize].push(c);
    w.advance(&plan.still, ANY, push);
    w.mode = Mode::Part;
    for i in 1..=n {
        w.partial[i + n] = w.zero;
    }
    let part = |w: &mut Unroll<'_>, r: Reg, c: Value| w.partial[r as usize] = c;
    w.advance(&plan.squared, ANY, part);
    let right = plan.right(w, rates, unknowns, ANY);
    let solution = system.solve(&mut w.asm, right, plan.velocities, false);
    w.mode = Mode::Whole;
    for i in 0..n {
        let u = w.asm.mul(solution[i], over);
        w.coefficients[1 + n + i].push(u);
    }
    w.advance(&plan.moving, ANY, push);
    solution
}

/// The parts of the code of one order.
struct Finished<'a> {
    plan: (&'a Rates, &'a Wanted),
    guard: Value,
    solution: Vec<Value>,
    /// The number of inputs of the start.
    inputs: usize,
    p: usize,
}

impl Finished<'_> {
    fn rolled(self, mut w: Unroll<'_>) -> Option<Rolled> {
        let (rates, wanted) = self.plan;
        let (n, zero) = (rates.dimension, w.zero);
        let any = w.any.as_ref()?;
        let (products, carried) = (any.products.clone(), any.carried.clone());
        let given = [any.order, any.over, any.time];
        // Factors, carried numbers, series, multipliers.
        let padded = products.len().next_multiple_of(GROUP);
        let mut outputs = Vec::new();
        for side in 0..2 {
            for (pair, _) in &products {
                outputs.push(w.newest(pair[side], &self.solution));
            }
            outputs.resize((side + 1) * padded, zero);
        }
        outputs.extend(carried.iter().map(|c| w.get(c.0, ANY, ANY)));
        outputs.extend(wanted.series.iter().map(|&r| w.get(r, ANY, ANY)));
        let multipliers = if wanted.multipliers {
            &self.solution[n..rates.unknowns]
        } else {
            &[]
        };
        outputs.extend(multipliers);
        let value = |r: Reg| w.coefficients[r as usize][0];
        let mut first: Vec<Value> = carried.iter().map(|c| value(c.0)).collect();
        first.extend(wanted.series.iter().map(|&r| value(r)));
        first.extend(wanted.values.iter().map(|&r| value(r)));
        first.push(self.guard);
        // The places of the inputs of an order.
        let sums = products.iter().map(|p| p.1);
        let taken = carried.iter().map(|c| c.1);
        let mut places: Table<Value, usize> = given.into_iter().chain(sums).zip(0..).collect();
        places.extend(taken.zip(ORDER + padded..));
        let all = ORDER + padded + carried.len();
        let whole = w.asm.unfinished();
        let (start, step) = whole.parted(self.inputs, (&places, all), (first, outputs))?;
        Some(Rolled {
            start,
            step,
            order: self.p,
            dimension: n,
            products: padded,
            carried: carried.len(),
            multipliers: multipliers.len(),
            wanted: (wanted.series.len(), wanted.values.len()),
            integrated: (
                wanted.integrated,
                wanted.places.map_or(self.p, |places| places.min(self.p)),
            ),
        })
    }
}

impl Code {
    /// The part that depends on the first inputs alone, and the rest. Outputs of the former are the values that the rest
    /// needs, then `first`; inputs of the rest are those with a place, then these values. `None` if the rest needs an
    /// input without a place.
    fn parted(
        &self,
        inputs: usize,
        (places, count): (&Table<Value, usize>, usize),
        (first, outputs): (Vec<Value>, Vec<Value>),
    ) -> Option<(Self, Self)> {
        let mut rest = Self {
            outputs,
            ..self.clone()
        };
        let mut varies = vec![false; self.instrs.len()];
        for (at, i) in self.instrs.iter().enumerate() {
            varies[at] = match *i {
                Instr::Input(k) => k as usize >= inputs,
                _ => i.operands().iter().any(|&v| varies[v as usize]),
            };
        }
        let mut live = vec![false; self.instrs.len()];
        let mut between = Vec::new();
        for &v in &rest.outputs {
            live[v as usize] = true;
        }
        for at in (0..self.instrs.len()).rev() {
            if live[at] && varies[at] {
                for &v in self.instrs[at].operands().iter() {
                    live[v as usize] = true;
                }
            }
        }
        for at in (0..self.instrs.len()).filter(|&at| live[at]) {
            rest.instrs[at] = match (self.instrs[at], varies[at]) {
                (Instr::Input(_), true) => Instr::Input(*places.get(&(at as Value))? as u32),
                (i, true) => i,
                (i @ (Instr::Const(_) | Instr::Table(_)), _) => i,
                _ => {
                    between.push(at as Value);
                    Instr::Input((count + between.len() - 1) as u32)
                }
            };
        }
        rest.inputs = count + between.len();
        between.extend(first);
        let mut start = Self {
            outputs: between,
            ..self.clone()
        };
        start = start.without_dead();
        start.inputs = inputs;
        let rest = rest.without_dead();
        let sound = |code: &Self| !code.has_wide();
        (sound(&start) && sound(&rest)).then_some((start, rest))
    }
}
