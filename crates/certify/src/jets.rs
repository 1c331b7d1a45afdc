//! Taylor series of all registers of a tape along a motion, over any arithmetic.
//!
//! Coefficient k of a register follows from lower ones of itself and from those of its operands up to k. The recurrences
//! are exact identities of power series, so over enclosures the coefficients of the series at every point of a box are
//! enclosed. (Moore, Interval Analysis, 1966, ch. 11)

use galilei_expr::{Arithmetic, Fail};

use crate::field::Field;
use crate::tape::{Op, Reg, Tape};

/// The branch on which a motion is, at one switching function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Branch {
    Positive,
    Negative,
    /// Either: values are hulls of both branches.
    Either,
}

/// The rate of a component of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rate {
    /// Another component of the state.
    State(usize),
    /// An unknown of the linear system.
    Unknown(usize),
}

/// A system of first order: the rates of a state, some of them by a linear system M·a = f.
#[derive(Clone, Debug)]
pub(crate) struct Equations {
    pub(crate) tape: Tape,
    /// The rates of the components of the state.
    pub(crate) rates: Vec<Rate>,
    /// M by rows.
    pub(crate) matrix: Vec<Reg>,
    /// f
    pub(crate) right: Vec<Reg>,
    /// The number of parameters behind the state that are no constants of the tape.
    pub(crate) parameters: usize,
}

impl Equations {
    /// The number of components of the state.
    pub(crate) fn dimension(&self) -> usize {
        self.rates.len()
    }

    /// The number of unknowns of the linear system.
    pub(crate) fn unknowns(&self) -> usize {
        self.right.len()
    }
}

/// The series of all registers and unknowns.
pub(crate) struct Jets<F: Field> {
    order: usize,
    values: Vec<F::Value>,
    unknowns: Vec<F::Value>,
    numbers: Vec<F::Value>,
    exponents: Vec<F::Value>,
    solver: Solver<F>,
}

/// M₀ times an approximate inverse of its midpoint, factored: nearly the unit matrix, so that no pivots are needed.
struct Solver<F: Field> {
    size: usize,
    inverse: Vec<F::Value>,
    factors: Vec<F::Value>,
}

impl<F: Field> Jets<F> {
    /// Memory for series of equations up to an order.
    pub(crate) fn new(field: &mut F, equations: &Equations, order: usize) -> Result<Self, Fail> {
        let tape = &equations.tape;
        let numbers: Result<Vec<_>, _> = tape.numbers.iter().map(|q| field.number(q)).collect();
        let exponents: Result<Vec<_>, _> = tape.exponents.iter().map(|q| field.number(q)).collect();
        let size = equations.unknowns();
        let zero = field.zero();
        Ok(Self {
            order,
            values: vec![zero.clone(); tape.ops.len() * (order + 1)],
            unknowns: vec![zero; size * (order + 1)],
            numbers: numbers?,
            exponents: exponents?,
            solver: Solver::new(field, size),
        })
    }

    /// The coefficients 0 … order of a register. The inputs (t, state, parameters) are the first registers.
    pub(crate) fn series(&self, r: Reg) -> &[F::Value] {
        let start = r as usize * (self.order + 1);
        &self.values[start..=start + self.order]
    }

    /// The coefficients of a component of the state.
    pub(crate) fn state(&self, i: usize) -> &[F::Value] {
        self.series(i as Reg + 1)
    }

    /// The coefficients 0 … order − 1 of an unknown of the linear system: accelerations, then multipliers.
    pub(crate) fn unknown(&self, j: usize) -> &[F::Value] {
        let start = j * (self.order + 1);
        &self.unknowns[start..start + self.order.max(1)]
    }

    /// Solves the linear system with the matrix at the start of the series.
    pub(crate) fn solved(&self, field: &mut F, right: &[F::Value]) -> Result<Vec<F::Value>, Fail> {
        self.solver.solve(field, right)
    }

    /// Computes the series up to `order` at inputs (t, state, parameters). Registers that `wanted` leaves out have no
    /// coefficients from order 1 on; they may not be needed by the rates unless the order is 1.
    pub(crate) fn compute(
        &mut self,
        field: &mut F,
        equations: &Equations,
        inputs: &[F::Value],
        branches: &[Branch],
        (order, wanted): (usize, Option<&[bool]>),
    ) -> Result<(), Fail> {
        let (tape, d, stride) = (&equations.tape, equations.dimension(), self.order + 1);
        for at in 0..tape.ops.len() {
            let value = self.value(field, tape, at, inputs, branches)?;
            if !field.is_bounded(&value) {
                return Err(Fail::Unknown);
            }
            self.values[at * stride] = value;
        }
        let size = self.solver.size;
        if size > 0 {
            let values = &self.values;
            let entry = |k: usize| &values[equations.matrix[k] as usize * stride];
            self.solver.factor(field, entry)?;
        }
        for k in 0..=order {
            if k > 0 {
                // The inputs: t′ = 1, rates of the state, parameters that do not change.
                self.values[k] = field.double(if k == 1 { 1.0 } else { 0.0 });
                for i in 0..d {
                    let rate = match equations.rates[i] {
                        Rate::State(j) => &self.values[(1 + j) * stride + k - 1],
                        Rate::Unknown(j) => &self.unknowns[j * stride + k - 1],
                    };
                    let value = field.over(rate, k)?;
                    if !field.is_bounded(&value) {
                        return Err(Fail::Unknown);
                    }
                    self.values[(1 + i) * stride + k] = value;
                }
                for i in 1 + d..1 + d + equations.parameters {
                    self.values[i * stride + k] = field.zero();
                }
                for at in 1 + d + equations.parameters..tape.ops.len() {
                    if wanted.is_some_and(|w| !w[at]) {
                        continue;
                    }
                    let value = match tape.constant[at] {
                        true => field.zero(),
                        false => self.coefficient(field, tape, at, k, branches)?,
                    };
                    if !field.is_bounded(&value) {
                        return Err(Fail::Unknown);
                    }
                    self.values[at * stride + k] = value;
                }
            }
            if size > 0 && k < order.max(1) {
                self.solve(field, equations, k)?;
            }
        }
        Ok(())
    }

    /// Coefficient k of the unknowns: M₀aₖ = fₖ − Σ Mⱼaₖ₋ⱼ.
    fn solve(&mut self, field: &mut F, equations: &Equations, k: usize) -> Result<(), Fail> {
        let (size, stride) = (self.solver.size, self.order + 1);
        let mut right = Vec::with_capacity(size);
        for i in 0..size {
            let mut f = self.values[equations.right[i] as usize * stride + k].clone();
            for j in 0..size {
                let g = equations.matrix[i * size + j] as usize;
                if equations.tape.constant[g] {
                    continue;
                }
                for l in 1..=k {
                    let (m, a) = (
                        &self.values[g * stride + l],
                        &self.unknowns[j * stride + k - l],
                    );
                    let product = field.mul(m, a);
                    f = field.sub(&f, &product);
                }
            }
            right.push(f);
        }
        let solution = self.solver.solve(field, &right)?;
        for (j, value) in solution.into_iter().enumerate() {
            if !field.is_bounded(&value) {
                return Err(Fail::Unknown);
            }
            self.unknowns[j * stride + k] = value;
        }
        Ok(())
    }

    /// The value of one operation.
    fn value(
        &self,
        field: &mut F,
        tape: &Tape,
        at: usize,
        inputs: &[F::Value],
        branches: &[Branch],
    ) -> Result<F::Value, Fail> {
        let v = |r: Reg| &self.values[r as usize * (self.order + 1)];
        match tape.ops[at] {
            Op::Number(k) => Ok(self.numbers[k as usize].clone()),
            Op::Pi => field.pi(),
            Op::Input(k) => Ok(inputs[k as usize].clone()),
            Op::Sum(a, b) => Ok(self.sum(field, tape, (a, b), 0)),
            Op::Mul(a, b) => Ok(field.mul(v(a), v(b))),
            Op::Square(a) => field.pow(at, v(a), &2.into()),
            Op::Div(a, b) => field.div(v(a), v(b)),
            Op::Power(a, q) => field.pow(at, v(a), &tape.exponents[q as usize]),
            Op::Integral {
                function, argument, ..
            } => field.call(at, function, v(argument), None),
            Op::Angle { y, x, .. } => {
                field.call(at, galilei_expr::Function::Atan2, v(y), Some(v(x)))
            }
            Op::Select {
                switch,
                positive,
                negative,
                ..
            } => match branches[switch as usize] {
                Branch::Positive => Ok(v(positive).clone()),
                Branch::Negative => Ok(v(negative).clone()),
                Branch::Either => field.hull(v(positive), v(negative)),
            },
        }
    }

    fn sum(&self, field: &mut F, tape: &Tape, (a, b): (u32, u32), k: usize) -> F::Value {
        let stride = self.order + 1;
        let mut sum: Option<F::Value> = None;
        for (q, r) in &tape.terms[a as usize..b as usize] {
            if k > 0 && tape.constant[*r as usize] {
                continue;
            }
            let term = &self.values[*r as usize * stride + k];
            let scaled = q.map(|q| field.mul(&self.numbers[q as usize], term));
            let term = scaled.as_ref().unwrap_or(term);
            sum = Some(match sum {
                None => term.clone(),
                Some(s) => field.add(&s, term),
            });
        }
        sum.unwrap_or_else(|| field.zero())
    }

    /// Coefficient k ≥ 1 of one operation.
    fn coefficient(
        &self,
        field: &mut F,
        tape: &Tape,
        at: usize,
        k: usize,
        branches: &[Branch],
    ) -> Result<F::Value, Fail> {
        let stride = self.order + 1;
        let s = |r: Reg| &self.values[r as usize * stride..][..=k];
        let still = |r: Reg| tape.constant[r as usize];
        match tape.ops[at] {
            Op::Number(_) | Op::Pi | Op::Input(_) => Ok(field.zero()),
            Op::Sum(a, b) => Ok(self.sum(field, tape, (a, b), k)),
            Op::Mul(a, b) if still(a) => Ok(field.mul(&s(a)[0], &s(b)[k])),
            Op::Mul(a, b) if still(b) => Ok(field.mul(&s(b)[0], &s(a)[k])),
            Op::Mul(a, b) => {
                let (a, b) = (s(a), s(b));
                let mut sum = field.mul(&a[0], &b[k]);
                for j in 1..=k {
                    let product = field.mul(&a[j], &b[k - j]);
                    sum = field.add(&sum, &product);
                }
                Ok(sum)
            }
            Op::Square(a) => {
                let a = s(a);
                let mut sum = field.mul(&a[0], &a[k]);
                for j in 1..k.div_ceil(2) {
                    let product = field.mul(&a[j], &a[k - j]);
                    sum = field.add(&sum, &product);
                }
                sum = field.times(&sum, 2.0);
                if k.is_multiple_of(2) {
                    let middle = field.pow(at, &a[k / 2], &2.into())?;
                    sum = field.add(&sum, &middle);
                }
                Ok(sum)
            }
            Op::Div(a, b) => {
                let own = s(at as Reg);
                let (a, b) = (s(a), s(b));
                let mut sum = a[k].clone();
                for j in 0..k {
                    let product = field.mul(&own[j], &b[k - j]);
                    sum = field.sub(&sum, &product);
                }
                field.div(&sum, &b[0])
            }
            Op::Power(a, q) => {
                // y′a = q·a′y: k·a₀·y_k = Σ_{j<k} (q(k − j) − j)·a_{k−j}·y_j
                let own = s(at as Reg);
                let (a, q) = (s(a), &self.exponents[q as usize]);
                let mut sum = field.zero();
                for j in 0..k {
                    let scaled = field.times(q, (k - j) as f64);
                    let whole = field.double(j as f64);
                    let factor = field.sub(&scaled, &whole);
                    let product = field.mul(&a[k - j], &own[j]);
                    let product = field.mul(&factor, &product);
                    sum = field.add(&sum, &product);
                }
                let divisor = field.times(&a[0], k as f64);
                field.div(&sum, &divisor)
            }
            Op::Integral {
                argument,
                slope,
                negative,
                ..
            } => {
                let value = self.along(field, s(argument), slope, k)?;
                Ok(if negative { field.neg(&value) } else { value })
            }
            Op::Angle {
                y,
                x,
                along_y,
                along_x,
            } => {
                let first = self.along(field, s(y), along_y, k)?;
                let second = self.along(field, s(x), along_x, k)?;
                Ok(field.sub(&first, &second))
            }
            Op::Select {
                switch,
                positive,
                negative,
                continuous,
            } => match branches[switch as usize] {
                Branch::Positive => Ok(s(positive)[k].clone()),
                Branch::Negative => Ok(s(negative)[k].clone()),
                // The rate across a kink is one of both, or in between; that across a jump is none.
                Branch::Either if continuous && k == 1 => {
                    field.hull(&s(positive)[k], &s(negative)[k])
                }
                Branch::Either => Err(Fail::Unknown),
            },
        }
    }

    /// (1/k) Σ_{j=1}^{k} j·a_j·w_{k−j}: the integral of a′w.
    fn along(&self, field: &mut F, a: &[F::Value], slope: Reg, k: usize) -> Result<F::Value, Fail> {
        let w = &self.values[slope as usize * (self.order + 1)..][..k];
        let mut sum = field.zero();
        for j in 1..=k {
            let product = field.mul(&a[j], &w[k - j]);
            let product = field.times(&product, j as f64);
            sum = field.add(&sum, &product);
        }
        field.over(&sum, k)
    }
}

/// The solution of a small dense system.
pub(crate) fn linear_solution<F: Field>(
    field: &mut F,
    matrix: &[F::Value],
    right: &[F::Value],
) -> Result<Vec<F::Value>, Fail> {
    let mut solver = Solver::new(field, right.len());
    solver.factor(field, |k| &matrix[k])?;
    solver.solve(field, right)
}

impl<F: Field> Solver<F> {
    fn new(field: &F, size: usize) -> Self {
        let zeros = vec![field.zero(); size * size];
        Self {
            size,
            inverse: zeros.clone(),
            factors: zeros,
        }
    }

    fn factor<'v>(
        &mut self,
        field: &mut F,
        entry: impl Fn(usize) -> &'v F::Value,
    ) -> Result<(), Fail>
    where
        F::Value: 'v,
    {
        let n = self.size;
        let middle: Vec<f64> = (0..n * n).map(|k| field.middle(entry(k))).collect();
        let inverse = crate::matrix::inverse(&middle, n).ok_or(Fail::Unknown)?;
        self.inverse = inverse.iter().map(|x| field.double(*x)).collect();
        for i in 0..n {
            for j in 0..n {
                let mut sum = field.zero();
                for l in 0..n {
                    let product = field.mul(&self.inverse[i * n + l], entry(l * n + j));
                    sum = field.add(&sum, &product);
                }
                self.factors[i * n + j] = sum;
            }
        }
        for k in 0..n {
            for i in k + 1..n {
                let l = field.div(&self.factors[i * n + k], &self.factors[k * n + k])?;
                for j in k + 1..n {
                    let product = field.mul(&l, &self.factors[k * n + j]);
                    self.factors[i * n + j] = field.sub(&self.factors[i * n + j], &product);
                }
                self.factors[i * n + k] = l;
            }
        }
        Ok(())
    }

    fn solve(&self, field: &mut F, right: &[F::Value]) -> Result<Vec<F::Value>, Fail> {
        let n = self.size;
        let mut x: Vec<F::Value> = Vec::with_capacity(n);
        for i in 0..n {
            let mut sum = field.zero();
            for j in 0..n {
                let product = field.mul(&self.inverse[i * n + j], &right[j]);
                sum = field.add(&sum, &product);
            }
            for j in 0..i {
                let product = field.mul(&self.factors[i * n + j], &x[j]);
                sum = field.sub(&sum, &product);
            }
            x.push(sum);
        }
        for i in (0..n).rev() {
            let mut sum = x[i].clone();
            for j in i + 1..n {
                let product = field.mul(&self.factors[i * n + j], &x[j]);
                sum = field.sub(&sum, &product);
            }
            x[i] = field.div(&sum, &self.factors[i * n + i])?;
        }
        Ok(x)
    }
}

/// Σ cᵢhⁱ by Horner's rule.
pub(crate) fn horner<A: Arithmetic>(
    field: &mut A,
    coefficients: &[A::Value],
    h: &A::Value,
) -> Option<A::Value> {
    let (last, rest) = coefficients.split_last()?;
    let mut sum = last.clone();
    for c in rest.iter().rev() {
        let product = field.mul(&sum, h);
        sum = field.add(&product, c);
    }
    Some(sum)
}
