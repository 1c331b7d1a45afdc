//! Sensitivities: derivatives of the Taylor coefficients of a motion with respect to its initial state and to
//! parameters.
//!
//! Every operation of a tape has a differential that is linear in those of its operands, with series of the motion
//! itself as factors ([`rule`]). Thus the coefficients of a sensitivity follow order by order like those of the motion,
//! and its accelerations solve a linear system with the same matrix: M·δa = δf − δM·a. The recurrences are written
//! once, for numbers and for code ([`Along`]).

mod plain;
mod rule;

use crate::jets::{Needs, Rates};
use crate::tape::{Reg, Tape};
use rule::Rule;

pub(crate) use plain::Plain;

/// A motion whose series are known as far as a sensitivity of it is, with the arithmetic of sensitivities.
pub(crate) trait Along {
    /// A coefficient of a sensitivity.
    type Number: Copy;
    fn zero(&mut self) -> Self::Number;
    fn is_zero(&self, a: Self::Number) -> bool;
    fn add(&mut self, a: Self::Number, b: Self::Number) -> Self::Number;
    fn sub(&mut self, a: Self::Number, b: Self::Number) -> Self::Number;
    fn scale(&mut self, a: Self::Number, c: f64) -> Self::Number;
    /// A number divided by the value of a register.
    fn over(&mut self, a: Self::Number, r: Reg) -> Self::Number;
    /// The first number on the positive branch of a kink, else the second.
    fn choose(&mut self, kink: u32, a: Self::Number, b: Self::Number) -> Self::Number;
    /// Σ rⱼ·b_{m−j} over a list b₀ … b_{m−s}, j from s: the series of a register, from a coefficient on,
    /// times that of a sensitivity; nothing if that is zero.
    fn product(&mut self, r: Reg, start: usize, b: &[Self::Number]) -> Option<Self::Number>;
    /// The product of the rate of a register with a list, like [`Along::product`].
    fn product_with_rate(&mut self, r: Reg, b: &[Self::Number]) -> Option<Self::Number>;
    /// The product of an acceleration or multiplier of the motion with a list, like [`Along::product`].
    fn product_with_unknown(&mut self, i: usize, b: &[Self::Number]) -> Option<Self::Number>;
    /// The solution of the linear system.
    fn solve(&mut self, right: Vec<Self::Number>) -> Vec<Self::Number>;
}

/// The registers of which sensitivities are computed.
#[derive(Clone, Debug)]
pub(crate) struct Reach {
    needs: Needs,
    /// All registers with series, in the order of the tape.
    all: Vec<Reg>,
    rules: Vec<Rule>,
    packed: bool,
}

impl Reach {
    pub(crate) fn new(tape: &Tape, rates: &Rates, packed: bool) -> Self {
        let needs = Needs::new(tape, rates, &[], packed);
        let mut all: Vec<Reg> = needs.still.iter().chain(&needs.moving).copied().collect();
        all.sort_unstable();
        Self {
            needs,
            all,
            rules: (0..tape.ops.len()).map(|r| tape.rule(r as Reg)).collect(),
            packed,
        }
    }
}

/// The known coefficients of a sensitivity.
#[derive(Clone, Debug)]
pub(crate) struct Sensitivity<'a, N> {
    tape: &'a Tape,
    rates: &'a Rates,
    reach: &'a Reach,
    /// Coefficients by register; constants have none.
    coefficients: Vec<Vec<N>>,
    /// The newest coefficient with that of δu taken as zero, of registers that depend on u.
    partial: Vec<Option<N>>,
    /// Whether the partial coefficients are used.
    part: bool,
    /// The coefficients of the accelerations and multipliers.
    unknowns: Vec<Vec<N>>,
}

impl<'a, N: Copy> Sensitivity<'a, N> {
    /// A sensitivity of the initial state: δx, then δu, then the parameters in the order of the tape.
    pub(crate) fn new<A: Along<Number = N>>(
        a: &mut A,
        (tape, rates): (&'a Tape, &'a Rates),
        reach: &'a Reach,
        seeds: &[N],
    ) -> Self {
        let mut this = Self {
            tape,
            rates,
            reach,
            coefficients: vec![Vec::new(); tape.ops.len()],
            partial: vec![None; tape.ops.len()],
            part: false,
            unknowns: vec![Vec::new(); rates.unknowns],
        };
        let n = rates.dimension;
        this.coefficients[0].push(a.zero());
        for (i, &seed) in seeds.iter().enumerate() {
            let at = match i.checked_sub(2 * n) {
                None => 1 + i,
                Some(k) => tape.parameters[k] as usize,
            };
            this.coefficients[at].push(seed);
        }
        this.advance(a, &reach.all, 0);
        this
    }

    /// Coefficient k of δu.
    pub(crate) fn velocity(&self, i: usize, k: usize) -> N {
        self.coefficients[1 + self.rates.dimension + i][k]
    }

    /// The sensitivity of a register at the start; it must be one that the motion needs.
    pub(crate) fn value<A: Along<Number = N>>(&self, a: &mut A, r: Reg) -> N {
        self.get(a, r, 0, 0)
    }

    /// Coefficient k ≥ 1, where the motion is known to that order; `last` says that none follows.
    pub(crate) fn step<A: Along<Number = N>>(&mut self, a: &mut A, k: usize, last: bool) {
        let n = self.rates.dimension;
        let over = 1.0 / k as f64;
        let zero = a.zero();
        self.coefficients[0].push(zero);
        for &r in &self.tape.parameters {
            self.coefficients[r as usize].push(zero);
        }
        for i in 1..=n {
            let u = self.coefficients[i + n][k - 1];
            let x = a.scale(u, over);
            self.coefficients[i].push(x);
        }
        self.advance(a, &self.reach.needs.still, k);
        self.part = true;
        for i in 1..=n {
            self.partial[i + n] = Some(zero);
        }
        for &r in &self.reach.needs.squared {
            let c = self.coefficient(a, r, k);
            self.partial[r as usize] = Some(c);
        }
        let right = self.right(a, k);
        self.part = false;
        let solution = a.solve(right);
        for (list, &s) in self.unknowns.iter_mut().zip(&solution) {
            list.push(s);
        }
        for i in 0..n {
            let u = a.scale(solution[i], over);
            self.coefficients[1 + n + i].push(u);
        }
        if !last {
            self.advance(a, &self.reach.needs.moving, k);
        }
    }

    fn advance<A: Along<Number = N>>(&mut self, a: &mut A, list: &[Reg], k: usize) {
        for &r in list {
            if self.reach.rules[r as usize] != Rule::Given {
                let c = self.coefficient(a, r, k);
                self.coefficients[r as usize].push(c);
            }
        }
    }

    /// Coefficient j, while coefficient k is computed.
    fn get<A: Along<Number = N>>(&self, a: &mut A, r: Reg, j: usize, k: usize) -> N {
        let at = r as usize;
        if self.part
            && j == k
            && let Some(c) = self.partial[at]
        {
            return c;
        }
        match self.coefficients[at].get(j) {
            Some(&c) => c,
            None => a.zero(),
        }
    }

    /// Coefficients 0 … m, while coefficient k is computed.
    fn list<A: Along<Number = N>>(&self, a: &mut A, r: Reg, m: usize, k: usize) -> Vec<N> {
        (0..=m).map(|j| self.get(a, r, j, k)).collect()
    }

    fn coefficient<A: Along<Number = N>>(&self, a: &mut A, r: Reg, k: usize) -> N {
        match &self.reach.rules[r as usize] {
            Rule::Given | Rule::Nothing => a.zero(),
            &Rule::Side {
                kink,
                positive,
                other,
                number,
            } => {
                let p = self.get(a, positive, k, k);
                let q = self.get(a, other, k, k);
                let q = a.scale(q, number);
                a.choose(kink, p, q)
            }
            Rule::Linear { divisor, terms } => {
                let mut sum: Option<N> = None;
                for t in terms {
                    let value = match t.factor {
                        None => Some(self.get(a, t.argument, k, k)),
                        Some(factor) => {
                            let other = self.list(a, t.argument, k, k);
                            a.product(factor, 0, &other)
                        }
                    };
                    sum = plus(a, sum, value, t.number);
                }
                let Some(divisor) = *divisor else {
                    return sum.unwrap_or_else(|| a.zero());
                };
                if k > 0 {
                    let own = self.list(a, r, k - 1, k);
                    let behind = a.product(divisor, 1, &own);
                    sum = plus(a, sum, behind, -1.0);
                }
                match sum {
                    None => a.zero(),
                    Some(sum) => a.over(sum, divisor),
                }
            }
        }
    }

    /// The right-hand side of order k − 1, with the newest δu taken as zero.
    fn right<A: Along<Number = N>>(&self, a: &mut A, k: usize) -> Vec<N> {
        let (size, low) = (self.rates.unknowns, k - 1);
        let (matrix, right) = match &self.rates.squares {
            None => (&self.rates.matrix, &self.rates.right),
            Some(s) => (&s.rest, &s.right),
        };
        let mut sums: Vec<Option<N>> = Vec::with_capacity(size);
        for &f in right {
            let c = self.get(a, f, low, k);
            sums.push((!a.is_zero(c)).then_some(c));
        }
        let squares = self.rates.squares.iter();
        for (i, b, w) in squares.flat_map(|s| s.terms(self.reach.packed)) {
            // δb·ẇ + b·δẇ
            let own = self.list(a, b, low, k);
            let first = a.product_with_rate(w, &own);
            sums[i] = plus(a, sums[i], first, -1.0);
            let mut changes = Vec::with_capacity(k);
            for j in 1..=k {
                let c = self.get(a, w, j, k);
                changes.push(a.scale(c, j as f64));
            }
            let second = a.product(b, 0, &changes);
            sums[i] = plus(a, sums[i], second, -1.0);
        }
        for i in 0..size {
            for j in 0..size {
                let entry = matrix[i * size + j];
                if self.reach.rules[entry as usize] == Rule::Nothing {
                    continue;
                }
                // δM·a, and M·δa without the unknown coefficient.
                let own = self.list(a, entry, low, k);
                let first = a.product_with_unknown(j, &own);
                sums[i] = plus(a, sums[i], first, -1.0);
                let second = a.product(entry, 1, &self.unknowns[j][..low]);
                sums[i] = plus(a, sums[i], second, -1.0);
            }
        }
        sums.into_iter()
            .map(|sum| sum.unwrap_or_else(|| a.zero()))
            .collect()
    }
}

/// sum + number·value
fn plus<A: Along>(
    a: &mut A,
    sum: Option<A::Number>,
    value: Option<A::Number>,
    number: f64,
) -> Option<A::Number> {
    let Some(value) = value.filter(|&v| !a.is_zero(v)) else {
        return sum;
    };
    Some(match (sum, number) {
        (None, 1.0) => value,
        (None, c) => a.scale(value, c),
        (Some(s), -1.0) => a.sub(s, value),
        (Some(s), c) => {
            let t = a.scale(value, c);
            a.add(s, t)
        }
    })
}
