//! Taylor series by a loop over the orders: straight-line code for the start and for one order, and sums of products
//! between them.
//!
//! Coefficient k of every register is linear in the coefficients of the same order, with factors of order 0. All that
//! depends on the orders between is one sum for each product: S = Σ aⱼ·b_{k−j} over 1 ≤ j < k. Given these sums, the code
//! of all orders is equal ([`Rolled::step`]), and as long as that of one evaluation of the accelerations. The sums are
//! computed for eight products side by side, whatever the products are.
//!
//! Unrolled code needs fewer instructions, but is longer by the square of the order: beyond some thousand operations
//! the processor waits for it.

mod build;

pub(super) use build::AnyOrder;

use super::Series;
use crate::code::Code;

/// The number of products whose sums are computed together.
pub const GROUP: usize = 8;

/// One factor of a group of products.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub struct Group([f64; GROUP]);

/// The Taylor coefficients of a motion by a loop over the orders.
///
/// Inputs and outputs are those of [`Series`](super::Series) without sensitivities.
#[derive(Clone, Debug)]
pub struct Rolled {
    /// From the inputs: first the numbers that each order needs, then [`Self::carried`] numbers for order 1, the wanted series
    /// at order 0, the wanted values and the guard.
    pub start: Code,
    /// From k, 1/k, coefficient k of the time, the sums of products, the carried numbers and those of the start: the
    /// factors that order k adds to the sums, the numbers carried to the next order (first u), the wanted series at this
    /// order, the multipliers at the order before.
    pub step: Code,
    /// The order.
    pub order: usize,
    /// n
    pub dimension: usize,
    /// The number of sums, a multiple of [`GROUP`].
    pub products: usize,
    /// The number of numbers that an order takes from the one before.
    pub carried: usize,
    /// The number of multipliers.
    pub multipliers: usize,
    /// The numbers of series and values.
    pub wanted: (usize, usize),
    /// The numbers of series that are integrated, and of their coefficients that are computed.
    integrated: (usize, usize),
}

/// Numbers between the orders of a [`Rolled`].
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// The inputs of the steps, then what the start computes behind them.
    inputs: Vec<f64>,
    outputs: Vec<f64>,
    /// Both factors of each group at orders 1, 2, …
    factors: Vec<[Group; 2]>,
}

/// The parts of a [`Rolled`] in a form that can be called.
pub trait Parts {
    /// Computes [`Rolled::start`].
    fn start(&mut self, inputs: &[f64], outputs: &mut [f64]);
    /// Computes [`Rolled::step`].
    fn step(&mut self, inputs: &[f64], outputs: &mut [f64]);
    /// Computes [`add_order`].
    fn add_order(
        &mut self,
        factors: &mut [[Group; 2]],
        orders: [usize; 2],
        new: &[f64],
        sums: &mut [f64],
    );
}

/// Keeps the factors of order k, and computes the sums for the next one. `orders` are the largest order and k; `new` has
/// the first factor of each product, then the second.
///
/// Products are added one after the other, each rounded: the bits are those of any processor.
#[inline(always)]
pub fn add_order(
    factors: &mut [[Group; 2]],
    [highest, k]: [usize; 2],
    new: &[f64],
    sums: &mut [f64],
) {
    let (first, second) = new.split_at(sums.len());
    let (first, second) = (first.as_chunks::<GROUP>().0, second.as_chunks::<GROUP>().0);
    let groups = factors.chunks_exact_mut(highest);
    let sums = sums.as_chunks_mut::<GROUP>().0.iter_mut();
    for (((own, a), b), to) in groups.zip(first).zip(second).zip(sums) {
        own[k - 1] = [Group(*a), Group(*b)];
        let known = &own[..k];
        let mut sum = [0.0; GROUP];
        for ([a, _], [_, b]) in known.iter().zip(known.iter().rev()) {
            for l in 0..GROUP {
                sum[l] += a.0[l] * b.0[l];
            }
        }
        *to = sum;
    }
}

/// The places of the numbers of one order among the inputs of a step.
const ORDER: usize = 3;

impl Rolled {
    /// The number of operations up to an order: a + b·p + c·p². Sums of eight products count as two operations a term.
    pub fn operations(&self) -> [f64; 3] {
        let [start, step] = [&self.start, &self.step].map(|c| c.operations() as f64);
        // p(p − 1)/2 terms of each product.
        let terms = (self.products / GROUP) as f64;
        [start, step - terms, terms]
    }

    /// The places of the outputs, without code.
    pub fn shape(&self) -> Series {
        Series {
            code: Code::default(),
            order: self.order,
            dimension: self.dimension,
            multipliers: self.multipliers,
            wanted: self.wanted,
            directions: 0,
        }
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.start.inputs()
    }

    /// The number of outputs.
    pub fn output_len(&self) -> usize {
        self.shape().sensitivities_at()
    }

    /// Both codes with another form.
    #[must_use]
    pub fn map(mut self, f: impl Fn(&Code) -> Code) -> Self {
        self.start = f(&self.start);
        self.step = f(&self.step);
        self
    }

    /// Memory for [`Self::compute`].
    pub fn memory(&self) -> Memory {
        let behind = self.start.output_len();
        Memory {
            inputs: vec![0.0; ORDER + self.products + self.carried + behind],
            outputs: vec![0.0; self.step.output_len()],
            factors: vec![Default::default(); self.products / GROUP * self.order],
        }
    }

    /// Computes all coefficients.
    #[inline]
    pub fn compute(
        &self,
        parts: &mut impl Parts,
        memory: &mut Memory,
        inputs: &[f64],
        outputs: &mut [f64],
    ) {
        let (n, p) = (self.dimension, self.order);
        let (series, values) = self.wanted;
        let Memory {
            inputs: own,
            outputs: found,
            factors,
        } = memory;
        let sums_end = ORDER + self.products;
        let used = self.step.inputs();
        parts.start(inputs, &mut own[sums_end + self.carried..]);
        // u, then the series, the multipliers and the values.
        let shape = self.shape();
        let (series_at, values_at) = (shape.series_at(0), shape.values_at());
        let multipliers_at = shape.multiplier_at(0);
        let first = &own[used..];
        outputs[..n].copy_from_slice(&first[..n]);
        for w in 0..series {
            outputs[series_at + w * (p + 1)] = first[self.carried + w];
        }
        let last = self.carried + series;
        outputs[values_at..=values_at + values].copy_from_slice(&first[last..=last + values]);
        own[ORDER..sums_end].fill(0.0);
        own.copy_within(used..used + self.carried, sums_end);
        let (integrated, places) = self.integrated;
        for k in 1..=p {
            own[0] = k as f64;
            own[1] = 1.0 / k as f64;
            own[2] = if k == 1 { 1.0 } else { 0.0 };
            parts.step(&own[..used], found);
            let rest = &found[2 * self.products..];
            outputs[k * n..(k + 1) * n].copy_from_slice(&rest[..n]);
            let rest = &rest[self.carried..];
            for w in 0..series {
                let known = w >= integrated || k < places;
                outputs[series_at + w * (p + 1) + k] = if known { rest[w] } else { 0.0 };
            }
            for a in 0..self.multipliers {
                outputs[multipliers_at + a * p + k - 1] = rest[series + a];
            }
            if k < p {
                let (new, rest) = found.split_at(2 * self.products);
                own[sums_end..sums_end + self.carried].copy_from_slice(&rest[..self.carried]);
                parts.add_order(factors, [p, k], new, &mut own[ORDER..sums_end]);
            }
        }
    }

    /// Computes all coefficients by the interpreter: the meaning of the codes.
    pub fn run(&self, inputs: &[f64]) -> Vec<f64> {
        let mut outputs = vec![0.0; self.output_len()];
        let mut parts = Interpreted(self, vec![]);
        self.compute(&mut parts, &mut self.memory(), inputs, &mut outputs);
        outputs
    }
}

/// Parts run by the interpreter.
struct Interpreted<'a>(&'a Rolled, Vec<[f64; 1]>);

impl Interpreted<'_> {
    fn run(code: &Code, scratch: &mut Vec<[f64; 1]>, inputs: &[f64], outputs: &mut [f64]) {
        let inputs: Vec<[f64; 1]> = inputs.iter().map(|x| [*x]).collect();
        for (to, [x]) in outputs.iter_mut().zip(code.run(&inputs, scratch)) {
            *to = x;
        }
    }
}

impl Parts for Interpreted<'_> {
    fn start(&mut self, inputs: &[f64], outputs: &mut [f64]) {
        Self::run(&self.0.start, &mut self.1, inputs, outputs);
    }

    fn step(&mut self, inputs: &[f64], outputs: &mut [f64]) {
        Self::run(&self.0.step, &mut self.1, inputs, outputs);
    }

    fn add_order(
        &mut self,
        factors: &mut [[Group; 2]],
        orders: [usize; 2],
        new: &[f64],
        sums: &mut [f64],
    ) {
        add_order(factors, orders, new, sums);
    }
}
