//! Operations, and the interpreter that defines their meaning.

use std::f64::consts::{FRAC_PI_2, TAU};

use crate::function::Function;
use crate::lookup::{Lookup, looked_up};

/// A register: the index of an operation on its tape.
pub type Reg = u32;

/// One operation; operands are registers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Op {
    /// A number.
    Const(f64),
    /// An input.
    Input(u32),
    /// An input behind the state that does not change along a motion.
    Fixed(u32),
    /// A number with respect to which the tape can be differentiated: its value, and its index among the parameters.
    Parameter(f64, u32),
    Add(Reg, Reg),
    Sub(Reg, Reg),
    /// a·number
    Scale(Reg, f64),
    /// a + number
    Shift(Reg, f64),
    Mul(Reg, Reg),
    Square(Reg),
    Div(Reg, Reg),
    /// number/a
    Recip(Reg, f64),
    Sqrt(Reg),
    /// a^number, a > 0
    Power(Reg, f64),
    /// The odd root a^(1/n) or its powers, for any sign of a.
    OddPower(Reg, i32, i32),
    Exp(Reg),
    Log(Reg),
    /// The sine; the cosine is in the next register.
    Sin(Reg),
    /// The cosine; the sine is in the register before.
    Cos(Reg),
    /// The hyperbolic sine; the cosine is in the next register.
    Sinh(Reg),
    /// The hyperbolic cosine; the sine is in the register before.
    Cosh(Reg),
    /// tan a; the factor 1 + tan² of its derivative is in the given register.
    Tan(Reg, Reg),
    /// tanh a, with 1 − tanh².
    Tanh(Reg, Reg),
    /// asin a, with 1/√(1 − a²).
    Asin(Reg, Reg),
    /// acos a, with −1/√(1 − a²).
    Acos(Reg, Reg),
    /// atan a, with 1/(1 + a²).
    Atan(Reg, Reg),
    /// atan2(y, x), with x² + y². The given kink is the sign of y, which distinguishes the two branches at the cut.
    Atan2(Reg, Reg, Reg, u32),
    /// |a|, with the given kink.
    Abs(Reg, u32),
    /// sign a
    Sign(Reg, u32),
    /// a where the kink is on its positive branch, else b.
    Choose(Reg, Reg, u32),
    /// A number of the current piece of a lookup: see [`crate::Lookup`].
    Piece(u32, u8),
}

impl Op {
    /// Whether the coefficients of the operation need no sums of products.
    pub(crate) fn is_light(&self) -> bool {
        matches!(
            self,
            Self::Const(_)
                | Self::Input(_)
                | Self::Fixed(_)
                | Self::Parameter(..)
                | Self::Add(..)
                | Self::Sub(..)
                | Self::Scale(..)
                | Self::Shift(..)
                | Self::Abs(..)
                | Self::Sign(..)
                | Self::Choose(..)
                | Self::Piece(..)
        )
    }

    /// Whether the value stays what it is along a motion.
    pub(crate) fn is_fixed(&self) -> bool {
        matches!(
            self,
            Self::Const(_) | Self::Fixed(_) | Self::Parameter(..) | Self::Piece(..)
        )
    }

    /// The operands of the operation.
    pub fn operands(&self) -> Vec<Reg> {
        match *self {
            Self::Const(_)
            | Self::Input(_)
            | Self::Fixed(_)
            | Self::Parameter(..)
            | Self::Piece(..) => vec![],
            Self::Add(a, b) | Self::Sub(a, b) | Self::Mul(a, b) | Self::Div(a, b) => vec![a, b],
            Self::Scale(a, _) | Self::Shift(a, _) | Self::Recip(a, _) | Self::Power(a, _) => {
                vec![a]
            }
            Self::Square(a)
            | Self::Sqrt(a)
            | Self::Exp(a)
            | Self::Log(a)
            | Self::OddPower(a, _, _)
            | Self::Sin(a)
            | Self::Cos(a)
            | Self::Sinh(a)
            | Self::Cosh(a)
            | Self::Abs(a, _)
            | Self::Sign(a, _) => vec![a],
            Self::Tan(a, w)
            | Self::Tanh(a, w)
            | Self::Asin(a, w)
            | Self::Acos(a, w)
            | Self::Atan(a, w) => vec![a, w],
            Self::Choose(a, b, _) => vec![a, b],
            Self::Atan2(y, x, w, _) => vec![y, x, w],
        }
    }
}

/// A switching surface of a piecewise function: the register that changes sign there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kink {
    /// The register that changes sign.
    pub register: Reg,
    /// Whether zero itself belongs to the positive branch.
    pub closed: bool,
    /// Whether it is the cut of an angle, at which an event jumps without a zero.
    pub cut: bool,
}

/// A list of operations, each written once.
#[derive(Clone, Debug)]
pub struct Tape {
    pub(crate) ops: Vec<Op>,
    pub(crate) inputs: usize,
    pub(crate) outputs: Vec<Reg>,
    pub(crate) kinks: Vec<Kink>,
    pub(crate) lookups: Vec<Lookup>,
    /// The registers of the parameters.
    pub(crate) parameters: Vec<Reg>,
}

impl Tape {
    /// The operations.
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// The number of operations.
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// Whether the tape has no operations.
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The registers of the outputs.
    pub fn outputs(&self) -> &[Reg] {
        &self.outputs
    }

    /// The registers of the parameters, with respect to which the tape can be differentiated.
    pub fn parameters(&self) -> &[Reg] {
        &self.parameters
    }

    /// The tape with numbers for its last inputs, those that do not change along a motion.
    #[must_use]
    pub fn with_fixed(&self, values: &[f64]) -> Self {
        let mut tape = self.clone();
        tape.inputs -= values.len();
        for op in &mut tape.ops {
            if let Op::Fixed(i) = *op {
                *op = Op::Const(values[i as usize - tape.inputs]);
            }
        }
        tape
    }

    /// The tape with other values of the parameters by which it can be differentiated.
    ///
    /// # Panics
    /// If there are fewer values than parameters.
    #[must_use]
    pub fn with_parameters(&self, values: &[f64]) -> Self {
        let mut tape = self.clone();
        for op in &mut tape.ops {
            if let Op::Parameter(value, k) = op {
                *value = values[*k as usize];
            }
        }
        tape
    }

    /// The kinks of the tape.
    pub fn kinks(&self) -> &[Kink] {
        &self.kinks
    }

    /// The registers from `first` on from which the given ones and the kinks are computed, including themselves, in
    /// order.
    pub(crate) fn reached(&self, from: impl Iterator<Item = Reg>, first: usize) -> Vec<Reg> {
        self.reached_only(from.chain(self.kinks.iter().map(|k| k.register)), first)
    }

    /// The registers from `first` on from which the given ones are computed, without kinks that they do not need.
    pub(crate) fn reached_only(&self, from: impl Iterator<Item = Reg>, first: usize) -> Vec<Reg> {
        self.reached_before(from, first, &[])
    }

    /// The registers from which the given ones are computed, without known ones and their operands.
    pub(crate) fn reached_before(
        &self,
        from: impl Iterator<Item = Reg>,
        first: usize,
        known: &[Reg],
    ) -> Vec<Reg> {
        let mut seen = vec![false; self.ops.len()];
        let mut stack: Vec<Reg> = from.collect();
        while let Some(r) = stack.pop() {
            if known.contains(&r) || std::mem::replace(&mut seen[r as usize], true) {
                continue;
            }
            let op = self.ops[r as usize];
            stack.extend(op.operands());
            match op {
                Op::Sin(_) | Op::Sinh(_) => stack.push(r + 1),
                Op::Cos(_) | Op::Cosh(_) => stack.push(r - 1),
                Op::Abs(_, k) | Op::Sign(_, k) | Op::Choose(_, _, k) | Op::Atan2(_, _, _, k) => {
                    stack.push(self.kinks[k as usize].register);
                }
                Op::Piece(l, _) => stack.push(self.lookups[l as usize].argument),
                _ => {}
            }
        }
        (first..self.ops.len())
            .filter(|&k| seen[k])
            .map(|k| k as Reg)
            .collect()
    }

    /// Computes the outputs. `branches` fixes the branches, as [`Tape::branches`] lists them; if it is empty, each kink is on
    /// the branch of its register and each lookup on the piece of its argument.
    pub fn run(&self, inputs: &[f64], branches: &[f64]) -> Vec<f64> {
        let mut values = vec![0.0; self.ops.len()];
        self.evaluate(inputs, branches, &mut values);
        self.outputs.iter().map(|&r| values[r as usize]).collect()
    }

    /// Computes every register.
    pub fn evaluate(&self, inputs: &[f64], branches: &[f64], values: &mut [f64]) {
        for k in 0..self.ops.len() {
            values[k] = self.order_zero(k, |r| values[r as usize], inputs, branches);
        }
    }

    /// The value of one operation.
    pub(crate) fn order_zero(
        &self,
        at: usize,
        v: impl Fn(Reg) -> f64,
        inputs: &[f64],
        branches: &[f64],
    ) -> f64 {
        let positive = |kink: u32| {
            if let Some(side) = branches.get(kink as usize) {
                return *side > 0.0;
            }
            let k = self.kinks[kink as usize];
            let x = v(k.register);
            x > 0.0 || (k.closed && x == 0.0)
        };
        match self.ops[at] {
            Op::Const(c) | Op::Parameter(c, _) => c,
            Op::Piece(l, field) => {
                match branches.get(self.piece_place(l as usize) + field as usize) {
                    Some(number) => *number,
                    None => {
                        let lookup = &self.lookups[l as usize];
                        looked_up(&lookup.table, field, v(lookup.argument))
                    }
                }
            }
            Op::Input(i) | Op::Fixed(i) => inputs[i as usize],
            Op::Add(a, b) => v(a) + v(b),
            Op::Sub(a, b) => v(a) - v(b),
            Op::Scale(a, c) => v(a) * c,
            Op::Shift(a, c) => v(a) + c,
            Op::Mul(a, b) => v(a) * v(b),
            Op::Square(a) => v(a) * v(a),
            Op::Div(a, b) => v(a) / v(b),
            Op::Recip(a, c) => c / v(a),
            Op::Sqrt(a) => v(a).sqrt(),
            Op::Power(a, r) => Function::Pow.apply(&[v(a)], &[r])[0],
            Op::OddPower(a, n, d) => {
                let x = v(a);
                let r = f64::from(n) / f64::from(d);
                let size = Function::Pow.apply(&[x.abs()], &[r])[0];
                if x < 0.0 && n % 2 != 0 { -size } else { size }
            }
            Op::Exp(a) => Function::Exp.at(v(a)),
            Op::Log(a) => Function::Log.at(v(a)),
            Op::Sin(a) => Function::Sin.at(v(a)),
            Op::Cos(a) => Function::Cos.at(v(a)),
            Op::Sinh(a) => Function::Sinh.at(v(a)),
            Op::Cosh(a) => Function::Cosh.at(v(a)),
            Op::Tan(a, _) => Function::Tan.at(v(a)),
            Op::Tanh(a, _) => Function::Tanh.at(v(a)),
            Op::Asin(a, _) => Function::Asin.at(v(a)),
            Op::Acos(a, _) => Function::Acos.at(v(a)),
            Op::Atan(a, _) => Function::Atan.at(v(a)),
            Op::Atan2(y, x, _, kink) => {
                let angle = Function::Atan2.apply(&[v(y)], &[v(x)])[0];
                if branches.is_empty() {
                    angle
                } else if positive(kink) {
                    // Beyond the cut the angle continues until the motion is set to the other branch.
                    if angle < -FRAC_PI_2 {
                        angle + TAU
                    } else {
                        angle
                    }
                } else if angle > FRAC_PI_2 {
                    angle - TAU
                } else {
                    angle
                }
            }
            Op::Abs(a, kink) => {
                if branches.is_empty() {
                    v(a).abs()
                } else if positive(kink) {
                    v(a)
                } else {
                    -v(a)
                }
            }
            Op::Sign(a, kink) => {
                if branches.is_empty() && (v(a) == 0.0 || v(a).is_nan()) {
                    v(a)
                } else if positive(kink) {
                    1.0
                } else {
                    -1.0
                }
            }
            Op::Choose(a, b, kink) => {
                if positive(kink) {
                    v(a)
                } else {
                    v(b)
                }
            }
        }
    }
}
