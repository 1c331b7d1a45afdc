//! Programs: lists of steps that compute expressions.

use std::sync::Arc;

use super::arithmetic::{Arithmetic, Fail, Outcome, Truth};
use super::{Ball, Balls, Doubles, Interval, Intervals};
use crate::expr::Expr;
use crate::function::Function;
use crate::legendre::LegendreProgram;
use crate::node::{Comparison, Ix, Tag};
use crate::number::Rational;
use crate::plan::Plan;
use crate::pool::Pool;
use crate::table::Table;

/// One operation. Operands are positions of earlier steps.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Number of that index in the table.
    Number(u32),
    Pi,
    Undefined,
    /// Input of that index.
    Input(u32),
    /// Σ numberₖ·stepₖ over a range of operands.
    Sum(u32, u32),
    /// Π stepₖ^numberₖ over a range of operands.
    Product(u32, u32),
    Call(Function, u32, Option<u32>),
    If(Comparison, [u32; 4]),
    /// Function of that index, with a range of (order, argument).
    Undetermined(u32, u32, u32),
    /// Integral of that index.
    Integral(u32),
    /// The name of an undetermined function: no value.
    Name,
}

/// A fixed list of steps that computes some outputs from the values of some symbols.
///
/// ```
/// use galilei_expr::{Interval, Pool, Program};
/// let pool = Pool::new();
/// let [x, y] = pool.symbols(["x", "y"]);
/// let program = Program::new(&[x.pow(2) + y.sin()], &[x, y]).unwrap();
/// assert_eq!(program.f64(&[3.0, 0.0]), [9.0]);
/// let enclosure = program.intervals(&[Interval::new(1.0, 2.0), Interval::point(0.0)])[0].unwrap();
/// assert!(enclosure.low() <= 1.0 && enclosure.high() >= 4.0);
/// ```
pub struct Program {
    pub(crate) steps: Vec<Step>,
    pub(crate) operands: Vec<(u32, u32)>,
    pub(crate) numbers: Vec<Rational>,
    pub(crate) inputs: Vec<Ix>,
    pub(crate) functions: Vec<Ix>,
    /// The tables of the functions that are given by one.
    tables: Vec<Option<Arc<Table>>>,
    pub(crate) outputs: Vec<u32>,
    /// Integrands with the place of their variable among the inputs.
    integrals: Vec<(Program, usize)>,
    /// The node behind each step.
    pub(crate) nodes: Vec<Ix>,
    /// Derivatives of a Legendre transform, with the steps that they are.
    legendre: Vec<(usize, LegendreProgram)>,
}

impl Program {
    /// The program that computes `outputs` from values of `inputs`, in that order.
    ///
    /// # Errors
    /// A symbol that occurs in the outputs but not among the inputs, if there is one.
    pub fn new<'p>(outputs: &[Expr<'p>], inputs: &[Expr<'p>]) -> Result<Self, Expr<'p>> {
        let Some(first) = outputs.first() else {
            return Ok(Self::empty(inputs.len()));
        };
        let pool = first.pool();
        let roots = pool.indices(outputs.iter().copied());
        let inputs = pool.indices(inputs.iter().copied());
        Self::build(pool, &roots, inputs).map_err(|ix| Expr::new(pool, ix))
    }

    fn empty(_inputs: usize) -> Self {
        Self {
            steps: vec![],
            operands: vec![],
            numbers: vec![],
            inputs: vec![],
            functions: vec![],
            tables: vec![],
            outputs: vec![],
            integrals: vec![],
            nodes: vec![],
            legendre: vec![],
        }
    }

    /// The program of some nodes, its inputs the symbols in them in the canonical order.
    pub(crate) fn of(pool: &Pool, roots: &[Ix]) -> Self {
        let mut plan = Plan::new(pool, roots);
        let (mut bound, mut symbols) = (Vec::new(), Vec::new());
        for &ix in plan.nodes() {
            let node = pool.node(ix);
            match node.tag {
                Tag::Integral => bound.push(pool.word(&node, 0).child),
                Tag::Symbol => symbols.push(ix),
                _ => {}
            }
        }
        if !bound.is_empty() {
            symbols.retain(|ix| !bound.contains(ix));
            plan = Plan::outside_integrals(pool, roots);
        }
        symbols.sort_by(|&a, &b| crate::build::compare(pool, a, b));
        match Self::planned(pool, roots, symbols, &plan) {
            Ok(program) => program,
            Err(_) => unreachable!("all symbols are inputs"),
        }
    }

    fn build(pool: &Pool, roots: &[Ix], inputs: Vec<Ix>) -> Result<Self, Ix> {
        let plan = Plan::outside_integrals(pool, roots);
        let mut program = Self::planned(pool, roots, inputs, &plan)?;
        program.find_legendre(pool);
        Ok(program)
    }

    /// The derivatives of the pool's Legendre transform among the steps.
    fn find_legendre(&mut self, pool: &Pool) {
        if pool.legendre.get().is_none() {
            return;
        }
        for (at, step) in self.steps.iter().enumerate() {
            let Step::Undetermined(function, start, end) = *step else {
                continue;
            };
            let range = &self.operands[start as usize..end as usize];
            let orders: Vec<u32> = range.iter().map(|o| o.0).collect();
            let name = self.functions[function as usize];
            if let Some(program) = LegendreProgram::new(pool, name, &orders)
                && program.arguments() == orders.len()
            {
                self.legendre.push((at, program));
            }
        }
    }

    fn planned(pool: &Pool, roots: &[Ix], inputs: Vec<Ix>, plan: &Plan) -> Result<Self, Ix> {
        let mut p = Self {
            inputs,
            ..Self::empty(0)
        };
        // A cache of recent numbers; one that was evicted is merely listed twice.
        const RECENT_NUMBERS: usize = 2048;
        let mut recent = vec![(u32::MAX, 0u32); RECENT_NUMBERS.min(plan.len().next_power_of_two())];
        for &ix in plan.nodes() {
            let node = pool.node(ix);
            let mut number = |p: &mut Self, ix: Ix| {
                let place = ix as usize % recent.len();
                let slot = &mut recent[place];
                if slot.0 != ix {
                    p.numbers.push(pool.rational(ix));
                    *slot = (ix, p.numbers.len() as u32 - 1);
                }
                slot.1
            };
            let start = p.operands.len() as u32;
            let child = |ix: Ix| plan.position(ix) as u32;
            let step = match node.tag {
                Tag::Small | Tag::Big => Step::Number(number(&mut p, ix)),
                Tag::Pi => Step::Pi,
                Tag::Undefined => Step::Undefined,
                Tag::FunctionName => Step::Name,
                Tag::Symbol => {
                    let at = p.inputs.iter().position(|&s| s == ix).ok_or(ix)?;
                    Step::Input(at as u32)
                }
                // A coefficient or exponent beyond all numbers.
                Tag::Sum | Tag::Product
                    if pool.words(&node).any(|w| !pool.node(w.attr).is_number()) =>
                {
                    Step::Undefined
                }
                Tag::Sum | Tag::Product => {
                    for w in pool.words(&node) {
                        let attr = number(&mut p, w.attr);
                        p.operands.push((attr, child(w.child)));
                    }
                    let end = p.operands.len() as u32;
                    if node.tag == Tag::Sum {
                        Step::Sum(start, end)
                    } else {
                        Step::Product(start, end)
                    }
                }
                Tag::If => {
                    let w: Vec<_> = pool.words(&node).collect();
                    let children = [0, 1, 2, 3].map(|k: usize| child(w[k].child));
                    Step::If(Comparison::from_attr(w[0].attr), children)
                }
                Tag::Undetermined => {
                    let name = pool.word(&node, 0).child;
                    let at = p
                        .functions
                        .iter()
                        .position(|&f| f == name)
                        .unwrap_or_else(|| {
                            p.functions.push(name);
                            p.tables.push(pool.table_of(name));
                            p.functions.len() - 1
                        });
                    for w in pool.words(&node).skip(1) {
                        p.operands.push((w.attr, child(w.child)));
                    }
                    Step::Undetermined(at as u32, start, p.operands.len() as u32)
                }
                Tag::Integral => {
                    let (variable, integrand) =
                        (pool.word(&node, 0).child, pool.word(&node, 1).child);
                    let mut inputs = p.inputs.clone();
                    let slot = inputs
                        .iter()
                        .position(|&s| s == variable)
                        .unwrap_or_else(|| {
                            inputs.push(variable);
                            inputs.len() - 1
                        });
                    p.integrals
                        .push((Self::build(pool, &[integrand], inputs)?, slot));
                    Step::Integral(p.integrals.len() as u32 - 1)
                }
                Tag::Call(f) => {
                    let w: Vec<_> = pool.words(&node).collect();
                    Step::Call(f, child(w[0].child), w.get(1).map(|w| child(w.child)))
                }
            };
            p.steps.push(step);
        }
        p.outputs = roots.iter().map(|&r| plan.position(r) as u32).collect();
        p.nodes = plan.nodes().to_vec();
        Ok(p)
    }

    /// Whether values in doubles come from an iteration.
    pub fn is_implicit(&self) -> bool {
        !self.legendre.is_empty()
    }

    /// The number of steps.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is nothing to compute.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Computes the outputs over an arithmetic.
    pub fn run<A: Arithmetic>(
        &self,
        arithmetic: &mut A,
        inputs: &[A::Value],
    ) -> Vec<Result<A::Value, Fail>> {
        let values = self.values(arithmetic, inputs, |_, _| true);
        self.outputs
            .iter()
            .map(|&k| values[k as usize].clone())
            .collect()
    }

    /// The constants of the program in an arithmetic: computed once, good for many points.
    pub(crate) fn constants<A: Arithmetic>(&self, arithmetic: &mut A) -> Vec<Outcome<A::Value>> {
        arithmetic.numbers(&self.numbers)
    }

    /// The values of all steps; stops early, leaving the rest out, when `go_on` says no.
    pub(crate) fn values<A: Arithmetic>(
        &self,
        arithmetic: &mut A,
        inputs: &[A::Value],
        go_on: impl FnMut(usize, &Outcome<A::Value>) -> bool,
    ) -> Vec<Outcome<A::Value>> {
        let constants = self.constants(arithmetic);
        self.values_with(arithmetic, &constants, inputs, go_on)
    }

    /// [`Program::values`] with the constants given.
    pub(crate) fn values_with<A: Arithmetic>(
        &self,
        arithmetic: &mut A,
        constants: &[Outcome<A::Value>],
        inputs: &[A::Value],
        go_on: impl FnMut(usize, &Outcome<A::Value>) -> bool,
    ) -> Vec<Outcome<A::Value>> {
        let mut values = Vec::new();
        self.values_into(&mut values, arithmetic, constants, inputs, go_on);
        values
    }

    /// [`Program::values_with`] into a reused list: allocating memory for every point costs as
    /// much as the arithmetic.
    pub(crate) fn values_into<A: Arithmetic>(
        &self,
        values: &mut Vec<Outcome<A::Value>>,
        arithmetic: &mut A,
        constants: &[Outcome<A::Value>],
        inputs: &[A::Value],
        mut go_on: impl FnMut(usize, &Outcome<A::Value>) -> bool,
    ) {
        values.clear();
        values.reserve(self.steps.len());
        for (at, step) in self.steps.iter().enumerate() {
            let value = self.step(arithmetic, at, step, inputs, constants, values);
            arithmetic.record(&value);
            let more = go_on(at, &value);
            values.push(value);
            if !more {
                break;
            }
        }
    }

    fn step<A: Arithmetic>(
        &self,
        arithmetic: &mut A,
        at: usize,
        step: &Step,
        inputs: &[A::Value],
        numbers: &[Outcome<A::Value>],
        values: &[Outcome<A::Value>],
    ) -> Outcome<A::Value> {
        let get = |k: u32| values[k as usize].as_ref().map_err(|&e| e);
        match *step {
            Step::Number(k) => numbers[k as usize].clone(),
            Step::Pi => arithmetic.pi(),
            Step::Undefined => Err(Fail::Undefined),
            // A name has no value of its own; anything defined will do.
            Step::Name => arithmetic.number(&Rational::ZERO),
            Step::Input(k) => inputs.get(k as usize).cloned().ok_or(Fail::Unknown),
            Step::Sum(start, end) => {
                // The first term is not copied unless it stays alone.
                let (mut first, mut sum): (Option<&A::Value>, Option<A::Value>) = (None, None);
                for &(c, t) in &self.operands[start as usize..end as usize] {
                    let term = get(t)?;
                    let q = &self.numbers[c as usize];
                    let scaled = if q.is_one() {
                        None
                    } else {
                        let c = numbers[c as usize].as_ref().map_err(|&e| e)?;
                        let negated = q.is_minus_one().then(|| arithmetic.negated(term));
                        Some(match negated.flatten() {
                            Some(negated) => negated,
                            None => arithmetic.mul(c, term),
                        })
                    };
                    match (sum.as_ref().or(first), scaled) {
                        (Some(s), Some(scaled)) => sum = Some(arithmetic.add(s, &scaled)),
                        (Some(s), None) => sum = Some(arithmetic.add(s, term)),
                        (None, Some(scaled)) => sum = Some(scaled),
                        (None, None) => first = Some(term),
                    }
                }
                sum.or_else(|| first.cloned()).ok_or(Fail::Unknown)
            }
            Step::Product(start, end) => {
                let (mut first, mut product): (Option<&A::Value>, Option<A::Value>) = (None, None);
                for k in start as usize..end as usize {
                    let (e, b) = self.operands[k];
                    let q = &self.numbers[e as usize];
                    let base = get(b)?;
                    let power = if q.is_one() {
                        None
                    } else {
                        Some(arithmetic.pow(k, base, q)?)
                    };
                    match (product.as_ref().or(first), power) {
                        (Some(p), Some(power)) => product = Some(arithmetic.mul(p, &power)),
                        (Some(p), None) => product = Some(arithmetic.mul(p, base)),
                        (None, Some(power)) => product = Some(power),
                        (None, None) => first = Some(base),
                    }
                }
                product.or_else(|| first.cloned()).ok_or(Fail::Unknown)
            }
            Step::Call(f, a, b) => {
                let a = get(a)?;
                let b = b.map(get).transpose()?;
                arithmetic.call(at, f, a, b)
            }
            Step::If(comparison, [a, b, then, otherwise]) => {
                match arithmetic.compare(at, comparison, get(a)?, get(b)?)? {
                    Truth::Yes => get(then).cloned(),
                    Truth::No => get(otherwise).cloned(),
                    // Either branch may apply: the value is undefined only if both are.
                    Truth::Unknown => match (get(then), get(otherwise)) {
                        (Ok(a), Ok(b)) => arithmetic.hull(a, b),
                        (Err(Fail::Undefined), Err(Fail::Undefined)) => Err(Fail::Undefined),
                        _ => Err(Fail::Unknown),
                    },
                }
            }
            Step::Integral(k) => {
                let (program, slot) = &self.integrals[k as usize];
                let mut inputs = inputs.to_vec();
                arithmetic.quadrature(&mut |arithmetic, s| {
                    inputs.truncate((*slot).max(program.inputs.len() - 1));
                    if *slot == inputs.len() {
                        inputs.push(s);
                    } else {
                        inputs[*slot] = s;
                    }
                    program.run(arithmetic, &inputs).remove(0)
                })
            }
            Step::Undetermined(function, start, end) => {
                let range = &self.operands[start as usize..end as usize];
                let orders: Vec<u32> = range.iter().map(|o| o.0).collect();
                let arguments: Vec<A::Value> = range
                    .iter()
                    .map(|o| get(o.1).cloned())
                    .collect::<Result<_, _>>()?;
                if let Some((_, program)) = self.legendre.iter().find(|l| l.0 == at) {
                    return arithmetic.implicit(&arguments, &|values| program.at(values));
                }
                if let Some(table) = &self.tables[function as usize]
                    && let ([order], [argument]) = (&orders[..], &arguments[..])
                    && let Some(value) = arithmetic.tabulated(table, *order, argument)
                {
                    return value;
                }
                arithmetic.undetermined(function as usize, &orders, &arguments)
            }
        }
    }

    /// The steps whose values a step uses.
    pub(crate) fn operands_of(&self, at: usize) -> impl Iterator<Item = u32> {
        let (range, own) = match self.steps[at] {
            Step::Sum(start, end)
            | Step::Product(start, end)
            | Step::Undetermined(_, start, end) => (start as usize..end as usize, [None; 4]),
            Step::Call(_, a, b) => (0..0, [Some(a), b, None, None]),
            Step::If(_, all) => (0..0, all.map(Some)),
            _ => (0..0, [None; 4]),
        };
        let listed = self.operands[range].iter().map(|o| o.1);
        listed.chain(own.into_iter().flatten())
    }

    /// (coefficient, step) of the terms of a sum; none for anything else.
    pub(crate) fn terms(&self, at: u32) -> impl Iterator<Item = (&Rational, usize)> {
        let (start, end) = match self.steps[at as usize] {
            Step::Sum(start, end) => (start as usize, end as usize),
            _ => (0, 0),
        };
        self.operands[start..end]
            .iter()
            .map(|o| (&self.numbers[o.0 as usize], o.1 as usize))
    }

    /// The outputs in doubles; NaN where undefined.
    pub fn f64(&self, inputs: &[f64]) -> Vec<f64> {
        self.run(&mut Doubles, inputs)
            .into_iter()
            .map(|v| v.unwrap_or(f64::NAN))
            .collect()
    }

    /// Enclosures of the outputs over a box; `None` where the expression may be undefined.
    pub fn intervals(&self, inputs: &[Interval]) -> Vec<Option<Interval>> {
        self.run(&mut Intervals, inputs)
            .into_iter()
            .map(Result::ok)
            .collect()
    }

    /// Enclosures of the outputs at an exact point, with N·64 bits.
    pub fn balls<const N: usize>(&self, inputs: &[Rational]) -> Vec<Option<Ball<N>>> {
        let mut arithmetic = Balls::<N>::new();
        let inputs: Vec<Ball<N>> = inputs.iter().map(Ball::rational).collect();
        self.run(&mut arithmetic, &inputs)
            .into_iter()
            .map(Result::ok)
            .collect()
    }
}

impl Pool {
    /// Doubles for several expressions at given values of symbols; NaN where undefined or where
    /// a symbol has no value.
    pub fn evaluate_f64(&self, exprs: &[Expr<'_>], values: &[(Expr<'_>, f64)]) -> Vec<f64> {
        let roots = self.indices(exprs.iter().copied());
        let symbols = self.indices(values.iter().map(|v| v.0));
        let mut program = Program::of(self, &roots);
        program.find_legendre(self);
        let inputs: Vec<f64> = program
            .inputs
            .iter()
            .map(|ix| {
                symbols
                    .iter()
                    .position(|s| s == ix)
                    .map_or(f64::NAN, |k| values[k].1)
            })
            .collect();
        program.f64(&inputs)
    }
}

impl Expr<'_> {
    /// The value in doubles at given values of symbols; NaN where undefined.
    pub fn evaluate_f64(self, values: &[(Expr<'_>, f64)]) -> f64 {
        self.pool().evaluate_f64(&[self], values)[0]
    }
}
