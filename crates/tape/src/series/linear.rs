//! Variations from the derivatives of the equations of motion.
//!
//! Where E = A·a − r, A·δa = −(∂E/∂x·δx + ∂E/∂u·δu + ∂E/∂θ·δθ). Where kinetic energies are squares of
//! velocities v = ṙ, the equations have terms b·ẇ as well, w = Ṙ a sum of such velocities. With
//! R′ = ∂R/∂x the variation of ẇ is the second derivative of R′·δx in time, so no product of a velocity
//! is varied; what the variation of b brings is one more factor of δx.

use super::job::{Job, Kind};
use super::tangents::Written;
use super::unroll::Unroll;
use crate::code::Value;
use crate::jets::Rates;
use crate::tangent::Along;
use crate::tape::{Op, Reg, Tape};

/// The derivatives of the equations of motion, with the unknowns of the linear system in them as they
/// are.
#[derive(Clone, Debug, Default)]
pub struct Slopes {
    /// ∂(A·a − r) by x, u and the parameters, row by row: of the whole equations, or of what stands
    /// beside the squares.
    pub entries: Vec<Reg>,
    /// For each term of the squares its own, if they are used.
    pub squares: Vec<SquareSlopes>,
}

/// The derivatives of a term b·ẇ by the positions; they depend on time and place alone.
#[derive(Clone, Debug, Default)]
pub struct SquareSlopes {
    /// (j, r, c): ∂w/∂uʲ has the term c·r.
    pub gradient: Vec<(usize, Reg, f64)>,
    /// (j, r): ∂b/∂xʲ is r.
    pub bends: Vec<(usize, Reg)>,
}

impl Slopes {
    /// Whatever needs series.
    pub(super) fn registers(&self, rates: &Rates) -> Vec<Reg> {
        let mut list = self.entries.clone();
        if self.squares.is_empty() {
            list.extend(&rates.matrix);
        }
        for s in &self.squares {
            list.extend(s.gradient.iter().map(|g| g.1));
            list.extend(s.bends.iter().map(|b| b.1));
        }
        list
    }
}

/// ∂E/∂x with what the squares bring, Σ ẇ·∂b/∂x: the same for all variations.
pub(super) struct Bends<'a> {
    tape: &'a Tape,
    rates: &'a Rates,
    slopes: &'a Slopes,
    /// By equation and position; nothing where it vanishes.
    series: Vec<Option<Vec<Value>>>,
}

impl<'a> Bends<'a> {
    /// Nothing if the squares are not used.
    pub(super) fn new(tape: &'a Tape, rates: &'a Rates, slopes: &'a Slopes) -> Option<Self> {
        let n = rates.dimension;
        (!slopes.squares.is_empty()).then(|| Self {
            tape,
            rates,
            slopes,
            series: vec![None; n * n],
        })
    }

    /// Coefficient k − 1.
    pub(super) fn step(&mut self, w: &mut Unroll<'a>, k: usize) {
        let Some(squares) = &self.rates.squares else {
            return;
        };
        let (n, low) = (self.rates.dimension, k - 1);
        let (mut jobs, mut places) = (Vec::new(), Vec::new());
        for ((i, _, momentum), slopes) in squares.terms(w.packed).zip(&self.slopes.squares) {
            for &(j, bend) in &slopes.bends {
                let rate = w.rate_list(momentum, k);
                jobs.push(Job {
                    key: u64::from(bend),
                    first: true,
                    kind: Kind::Product(w.list(bend, low, usize::MAX), rate),
                });
                places.push(i * n + j);
            }
        }
        let results = w.carry_out(&jobs);
        let columns = self.slopes.entries.len() / self.rates.unknowns;
        for i in 0..n {
            for j in 0..n {
                let entry = self.slopes.entries[i * columns + j];
                let mut sum = match self.tape.ops[entry as usize] {
                    Op::Const(0.0) => None,
                    Op::Const(c) if low == 0 => Some(w.asm.number(c)),
                    _ => Some(w.get(entry, low, usize::MAX)),
                };
                for (_, &v) in places.iter().zip(&results).filter(|p| *p.0 == i * n + j) {
                    sum = Some(match sum {
                        None => v,
                        Some(s) => w.asm.add(s, v),
                    });
                }
                if let Some(c) = sum {
                    self.series[i * n + j].get_or_insert_default().push(c);
                }
            }
        }
    }
}

/// r·δxʲ as a series.
struct Product {
    factor: Reg,
    position: usize,
    /// Whole coefficients.
    list: Vec<Value>,
    /// The next one without the newest δx.
    part: Option<Value>,
}

/// Four variations side by side.
pub(super) struct Linear<'a> {
    rates: &'a Rates,
    slopes: &'a Slopes,
    packed: bool,
    /// δx, δu and the parameters, as series.
    state: Vec<Vec<Value>>,
    /// δa and those of the multipliers.
    unknowns: Vec<Vec<Value>>,
    products: Vec<Product>,
    /// δẇ of each term of the squares, whole coefficients.
    changes: Vec<Vec<Value>>,
}

impl<'a> Linear<'a> {
    pub(super) fn new(rates: &'a Rates, slopes: &'a Slopes, packed: bool, rows: &[Value]) -> Self {
        let mut products: Vec<Product> = Vec::new();
        for &(position, factor, _) in slopes.squares.iter().flat_map(|s| &s.gradient) {
            if !products
                .iter()
                .any(|p| (p.factor, p.position) == (factor, position))
            {
                products.push(Product {
                    factor,
                    position,
                    list: vec![],
                    part: None,
                });
            }
        }
        Self {
            rates,
            slopes,
            packed,
            state: rows.iter().map(|&v| vec![v]).collect(),
            unknowns: vec![Vec::new(); rates.unknowns],
            products,
            changes: vec![Vec::new(); slopes.squares.len()],
        }
    }

    /// Coefficient k of δu.
    pub(super) fn velocity(&self, i: usize, k: usize) -> Value {
        self.state[self.rates.dimension + i][k]
    }

    /// Coefficient k ≥ 1.
    pub(super) fn step(&mut self, a: &mut Written<'_, '_>, k: usize) {
        let (n, size) = (self.rates.dimension, self.rates.unknowns);
        let over = 1.0 / k as f64;
        for i in 0..n {
            let x = a.scale(self.state[n + i][k - 1], over);
            self.state[i].push(x);
        }
        let newest = self.bend(a, k);
        let mut right = Vec::with_capacity(size);
        for i in 0..size {
            right.push(self.right(a, i, k, &newest));
        }
        let solution = a.solve(right);
        for (i, &s) in solution.iter().enumerate() {
            self.unknowns[i].push(s);
            if i < n {
                let u = a.scale(s, over);
                self.state[n + i].push(u);
            }
        }
    }

    /// Brings the products with δx to order k, and δẇ to order k − 2; its coefficient k − 1 with the
    /// newest δu taken as zero.
    fn bend(&mut self, a: &mut Written<'_, '_>, k: usize) -> Vec<Value> {
        for p in &mut self.products {
            let x = &self.state[p.position];
            let first = a.coefficient(p.factor, 0);
            if k == 1 {
                p.list.push(a.w.asm.mul(first, x[0]));
                p.part = a.product(p.factor, 1, &x[..1]);
            }
            let newest = a.w.asm.mul(first, x[k]);
            p.list.push(plus(a, p.part, newest));
            p.part = a.product(p.factor, 1, &x[..=k]);
        }
        let mut newest = Vec::with_capacity(self.changes.len());
        for (slopes, changes) in self.slopes.squares.iter().zip(&mut self.changes) {
            // Σ c·r·δx of order m, twice differentiated.
            let mut second = |m: usize, whole: bool| {
                let mut sum = None;
                for &(j, factor, c) in &slopes.gradient {
                    let same = |p: &&Product| (p.factor, p.position) == (factor, j);
                    let product = self.products.iter().find(same);
                    let value = product.and_then(|p| if whole { Some(p.list[m]) } else { p.part });
                    if let Some(v) = value {
                        let t = a.scale(v, c);
                        sum = Some(plus(a, sum, t));
                    }
                }
                let sum = sum.unwrap_or_else(|| a.zero());
                a.scale(sum, (m * (m - 1)) as f64)
            };
            if k >= 2 {
                let c = second(k, true);
                changes.push(c);
            }
            newest.push(second(k + 1, false));
        }
        newest
    }

    /// −∂E·δz of order k − 1, without the newest δa. What was found last is added last.
    fn right(&self, a: &mut Written<'_, '_>, i: usize, k: usize, bent: &[Value]) -> Value {
        let low = k - 1;
        let (mut sums, mut newest) = (Vec::new(), Vec::new());
        for (j, series) in self.state.iter().enumerate() {
            self.through(a, (i, j), series, low, &mut sums, &mut newest);
        }
        let size = self.rates.unknowns;
        let matrix = match &self.rates.squares {
            Some(s) if !self.slopes.squares.is_empty() => &s.rest,
            _ => &self.rates.matrix,
        };
        for (j, series) in self.unknowns.iter().enumerate() {
            let entry = matrix[i * size + j];
            if low > 0 && !matches!(a.w.tape.ops[entry as usize], Op::Const(_)) {
                sums.extend(a.product(entry, 1, &series[..low]));
            }
        }
        let terms = self.rates.squares.iter().flat_map(|s| s.terms(self.packed));
        for ((equation, b, _), (changes, &last)) in terms.zip(self.changes.iter().zip(bent)) {
            if equation != i {
                continue;
            }
            if low > 0 {
                sums.extend(a.product(b, 1, &changes[..low]));
            }
            let factor = a.coefficient(b, 0);
            newest.push(a.w.asm.mul(factor, last));
        }
        let mut sum: Option<Value> = None;
        for t in sums.into_iter().chain(newest) {
            if !a.is_zero(t) {
                sum = Some(plus(a, sum, t));
            }
        }
        match sum {
            None => a.zero(),
            Some(s) => a.w.asm.neg(s),
        }
    }

    /// (∂Eᵢ/∂zʲ)·δzʲ of order k − 1: what was known before, and what is new.
    fn through(
        &self,
        a: &mut Written<'_, '_>,
        (i, j): (usize, usize),
        series: &[Value],
        low: usize,
        sums: &mut Vec<Value>,
        newest: &mut Vec<Value>,
    ) {
        let n = self.rates.dimension;
        if let (true, Some(bends)) = (i < n && j < n, a.bends) {
            if let Some(list) = &bends.series[i * n + j] {
                sums.extend(a.sum(list, &series[..=low]));
            }
            return;
        }
        let entry = self.slopes.entries[i * self.state.len() + j];
        let parameter = j >= 2 * n;
        match a.w.tape.ops[entry as usize] {
            Op::Const(0.0) => {}
            Op::Const(_) if parameter && low > 0 => {}
            Op::Const(c) => newest.push(a.scale(series[low], c)),
            // A parameter stays what it is.
            _ if parameter => {
                let factor = a.coefficient(entry, low);
                newest.push(a.w.asm.mul(factor, series[0]));
            }
            _ => {
                if low > 0 {
                    sums.extend(a.product(entry, 1, &series[..low]));
                }
                let factor = a.coefficient(entry, 0);
                newest.push(a.w.asm.mul(factor, series[low]));
            }
        }
    }
}

fn plus(a: &mut Written<'_, '_>, sum: Option<Value>, v: Value) -> Value {
    match sum {
        None => v,
        Some(s) => a.add(s, v),
    }
}
