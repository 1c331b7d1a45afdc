//! From a tape to code: the values of its registers.

use std::f64::consts::{FRAC_PI_2, TAU};

use crate::code::{Assembler, Code, Value};
use crate::function::Function;
use crate::tape::{Op, Reg, Tape};

/// The sources that a lowered tape reads.
pub(crate) struct Sources<'a> {
    /// The inputs of the tape.
    pub(crate) inputs: &'a [Value],
    /// For each kink a value that is positive on its positive branch, then the numbers of the pieces of the lookups;
    /// without them the kinks' own registers and the arguments decide.
    pub(crate) branches: Option<&'a [Value]>,
    /// The parameters with respect to which the code is differentiated, where they are not constants.
    pub(crate) parameters: &'a [Value],
}

impl Tape {
    /// Code that computes registers from the inputs, each kink on the branch of its register.
    pub fn code(&self, registers: &[Reg]) -> Code {
        self.code_as(registers, true)
    }

    /// Code that computes registers on given branches: behind the inputs, each kink has an input that is positive on
    /// its positive branch, and each lookup has the numbers of its piece: see [`Tape::branches`].
    pub fn code_on_branches(&self, registers: &[Reg]) -> Code {
        self.code_as(registers, false)
    }

    fn code_as(&self, registers: &[Reg], own_branches: bool) -> Code {
        let kinks = if own_branches { 0 } else { self.branch_len() };
        let mut asm = Assembler::new(self.inputs + kinks);
        let all: Vec<Value> = (0..self.inputs + kinks).map(|k| asm.input(k)).collect();
        let (inputs, branches) = all.split_at(self.inputs);
        let sources = Sources {
            inputs,
            branches: (!own_branches).then_some(branches),
            parameters: &[],
        };
        let wanted = self.reached(registers.iter().copied(), 0);
        let values = self.lower(&mut asm, &sources, &wanted);
        let outputs = registers.iter().map(|&r| values[r as usize]).collect();
        asm.finish(outputs)
    }

    /// Appends the values of some registers, given with all registers they need and in order. The result is indexed
    /// by register; entries of other registers are meaningless.
    pub(crate) fn lower(
        &self,
        asm: &mut Assembler,
        sources: &Sources<'_>,
        wanted: &[Reg],
    ) -> Vec<Value> {
        let mut values = vec![Value::MAX; self.ops.len()];
        self.lower_into(asm, sources, wanted, &mut values);
        values
    }

    /// Appends the values of some registers to those that are known already.
    pub(crate) fn lower_into(
        &self,
        asm: &mut Assembler,
        sources: &Sources<'_>,
        wanted: &[Reg],
        values: &mut [Value],
    ) {
        for &at in wanted {
            let value = self.lower_one(asm, sources, at, |r| values[r as usize]);
            values[at as usize] = value;
        }
    }

    fn lower_one(
        &self,
        asm: &mut Assembler,
        sources: &Sources<'_>,
        at: Reg,
        v: impl Fn(Reg) -> Value,
    ) -> Value {
        let side = |kink: u32| {
            let k = self.kinks[kink as usize];
            match sources.branches {
                Some(branches) => (branches[kink as usize], false),
                None => (v(k.register), k.closed),
            }
        };
        match self.ops[at as usize] {
            Op::Const(c) => asm.number(c),
            Op::Piece(l, field) => match sources.branches {
                Some(branches) => branches[self.piece_place(l as usize) + field as usize],
                None => {
                    let lookup = &self.lookups[l as usize];
                    asm.lookup(&lookup.table, field, v(lookup.argument))
                }
            },
            Op::Parameter(c, k) => match sources.parameters.get(k as usize) {
                Some(&value) => value,
                None => asm.number(c),
            },
            Op::Input(i) | Op::Fixed(i) => sources.inputs[i as usize],
            Op::Add(a, b) => asm.add(v(a), v(b)),
            Op::Sub(a, b) => asm.sub(v(a), v(b)),
            Op::Scale(a, c) => asm.scale(v(a), c),
            Op::Shift(a, c) => {
                let c = asm.number(c);
                asm.add(v(a), c)
            }
            Op::Mul(a, b) => asm.mul(v(a), v(b)),
            Op::Square(a) => asm.mul(v(a), v(a)),
            Op::Div(a, b) => asm.div(v(a), v(b)),
            Op::Recip(a, c) => {
                let c = asm.number(c);
                asm.div(c, v(a))
            }
            Op::Sqrt(a) => asm.sqrt(v(a)),
            Op::Power(a, r) => {
                let r = asm.number(r);
                asm.call(Function::Pow, v(a), Some(r))
            }
            Op::OddPower(a, n, d) => {
                let size = asm.abs(v(a));
                let r = asm.number(f64::from(n) / f64::from(d));
                let size = asm.call(Function::Pow, size, Some(r));
                if n % 2 == 0 {
                    size
                } else {
                    let other = asm.neg(size);
                    asm.choose(v(a), true, size, other)
                }
            }
            Op::Exp(a) => asm.call(Function::Exp, v(a), None),
            Op::Log(a) => asm.call(Function::Log, v(a), None),
            Op::Sin(a) => asm.call(Function::Sin, v(a), None),
            Op::Cos(a) => asm.call(Function::Cos, v(a), None),
            Op::Sinh(a) => asm.call(Function::Sinh, v(a), None),
            Op::Cosh(a) => asm.call(Function::Cosh, v(a), None),
            Op::Tan(a, _) => asm.call(Function::Tan, v(a), None),
            Op::Tanh(a, _) => asm.call(Function::Tanh, v(a), None),
            Op::Asin(a, _) => asm.call(Function::Asin, v(a), None),
            Op::Acos(a, _) => asm.call(Function::Acos, v(a), None),
            Op::Atan(a, _) => asm.call(Function::Atan, v(a), None),
            Op::Atan2(y, x, _, kink) => {
                let angle = asm.call(Function::Atan2, v(y), Some(v(x)));
                if sources.branches.is_none() {
                    return angle;
                }
                let [right, turn] = [FRAC_PI_2, TAU].map(|c| asm.number(c));
                let (more, less) = (asm.add(angle, turn), asm.sub(angle, turn));
                let minus = asm.neg(right);
                let below = asm.sub(minus, angle);
                let above = asm.sub(angle, right);
                let positive = asm.choose(below, false, more, angle);
                let negative = asm.choose(above, false, less, angle);
                let (s, closed) = side(kink);
                asm.choose(s, closed, positive, negative)
            }
            Op::Abs(a, kink) => match sources.branches {
                None => asm.abs(v(a)),
                Some(_) => {
                    let (s, closed) = side(kink);
                    let minus = asm.neg(v(a));
                    asm.choose(s, closed, v(a), minus)
                }
            },
            Op::Sign(a, kink) => {
                let (one, minus) = (asm.number(1.0), asm.number(-1.0));
                match sources.branches {
                    None => {
                        let opposite = asm.neg(v(a));
                        let below = asm.choose(opposite, false, minus, v(a));
                        asm.choose(v(a), false, one, below)
                    }
                    Some(_) => {
                        let (s, closed) = side(kink);
                        asm.choose(s, closed, one, minus)
                    }
                }
            }
            Op::Choose(a, b, kink) => {
                let (s, closed) = side(kink);
                asm.choose(s, closed, v(a), v(b))
            }
        }
    }
}
