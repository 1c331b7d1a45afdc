//! Machine code for 64-bit ARM: one pass over the code that emits instructions of A64.
//!
//! A vector register has two numbers. A value of one state takes one register; a wide value, and a value of several
//! states, takes one register for every two of its numbers, its *parts*. Operands of instructions are always in
//! registers. A constant of several states takes a single register, which is read for every part.

mod allocate;
mod calls;
pub(crate) mod encode;
mod entry;

use galilei_tape::code::{Code, Instr, Value};

use crate::emitted::Emitted;
use crate::homes::{Frame, NEVER, Outputs};
use crate::mode::Mode;
use crate::runs::Runs;
use allocate::{Registers, State};
use encode::{
    ABS, ADD, ADD_PRODUCT, COPY, Condition, DIV, Forms, Fused, GREATER, HIGH, INSERT_UPPER, LOW,
    MIDDLE, MUL, NEG, NOT_NEGATIVE, One, POSITIVE, SELECT, SPREAD, SQRT, SUB, SUB_PRODUCT, Size,
    Two, UPPER,
};

/// The largest number of registers of a value.
const MAX_PARTS: usize = 4;

/// The registers of a value, part by part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Parts {
    list: [u8; MAX_PARTS],
    len: u8,
}

impl Parts {
    const NONE: Self = Self {
        list: [0; MAX_PARTS],
        len: 0,
    };

    fn push(&mut self, register: u8) {
        self.list[usize::from(self.len)] = register;
        self.len += 1;
    }

    /// The register of a part; a value with a single register has it for all parts.
    fn at(&self, part: usize) -> u8 {
        self.list[part.min(usize::from(self.len) - 1)]
    }

    fn iter(&self) -> impl Iterator<Item = u8> {
        self.list.into_iter().take(usize::from(self.len))
    }

    fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// Machine code for well-formed code. None if it would need displacements of more than 31 bits.
pub(crate) fn emit(code: &Code, mode: Mode) -> Option<Emitted> {
    let limit = (i32::MAX / 64) as usize;
    let values = code.instrs().len() + code.tables().len() * 4;
    if (values.max(code.inputs()).max(code.output_len())).checked_mul(2 * mode.lanes())? > limit {
        return None;
    }
    let mut emitter = Emitter::new(code, mode);
    emitter.body();
    Some(emitter.finish())
}

/// The state of the pass.
struct Emitter<'a> {
    code: &'a Code,
    lanes: usize,
    /// The instructions between entry and exit.
    words: Vec<u32>,
    /// Constants, in the order of their homes.
    constants: Vec<f64>,
    /// The state of each value.
    values: Vec<State>,
    /// The next use after each use, in the order of uses, reversed.
    ahead: Vec<u32>,
    registers: Registers,
    pointers: entry::Pointers,
    frame: Frame,
    outputs: Outputs,
    runs: Runs,
    /// The instruction being emitted.
    at: u32,
}

impl Emitter<'_> {
    fn body(&mut self) {
        let code = self.code;
        let mut run = 0;
        let mut k = 0;
        while k < code.instrs().len() {
            self.at = k as u32;
            if let Some(&(first, end)) = self.runs.list.get(run)
                && first as usize == k
            {
                run += 1;
                self.run(first, end);
                k = end as usize;
                continue;
            }
            self.instruction(k as Value, &code.instrs()[k]);
            k += 1;
        }
    }

    fn instruction(&mut self, v: Value, i: &Instr) {
        self.registers.pinned = 0;
        let operands = i.operands();
        for &x in operands.iter() {
            self.advance(x);
        }
        // Operands in registers first, so that loading the others does not give them up.
        for &x in operands.iter() {
            self.pin(x);
        }
        match *i {
            Instr::Const(_) | Instr::Table(_) | Instr::Input(_) | Instr::Row(_) => {
                return self.leaf(v);
            }
            Instr::Add(a, b) => self.two(v, ADD, a, b),
            Instr::Sub(a, b) => self.two(v, SUB, a, b),
            Instr::Mul(a, b) => self.two(v, MUL, a, b),
            Instr::Div(a, b) => self.two(v, DIV, a, b),
            Instr::Least(a, b) => self.extreme(v, Condition::Less, a, b),
            Instr::Greatest(a, b) => self.extreme(v, Condition::Greater, a, b),
            Instr::Neg(a) => self.one(v, NEG, a),
            Instr::Abs(a) => self.one(v, ABS, a),
            Instr::Sqrt(a) => self.one(v, SQRT, a),
            Instr::Fma(a, b, c) => self.fused(v, Fused::Add, a, b, c),
            Instr::Fnma(a, b, c) => self.fused(v, Fused::Sub, a, b, c),
            Instr::Fms(a, b, c) => self.fused(v, Fused::Reversed, a, b, c),
            Instr::Positive(a, b, c) => {
                self.choose(v, Condition::Greater, POSITIVE, [a, b, c]);
            }
            Instr::NotNegative(a, b, c) => {
                self.choose(v, Condition::GreaterOrEqual, NOT_NEGATIVE, [a, b, c]);
            }
            Instr::Pack(list) => self.pack(v, list),
            Instr::Lane(a, l) => self.lane(v, a, l),
            Instr::Permute(a, order) => self.permute(v, a, order),
            Instr::Call(..) => unreachable!("calls stand in runs"),
            Instr::Lookup(..) => unreachable!("code with tables is interpreted"),
        }
        // Not earlier: the memory of operands was read until here.
        for &x in operands.iter() {
            self.release_memory(x);
        }
    }

    /// Appends an instruction.
    fn push(&mut self, word: u32) {
        self.words.push(word);
    }

    /// Whether a value is a single number, for which there are instructions of their own.
    fn is_single(&self, v: Value) -> bool {
        self.lanes == 1 && !self.values[v as usize].wide
    }

    /// The number of parts of a value that is computed.
    fn parts(&self, v: Value) -> usize {
        match self.lanes {
            1 if self.values[v as usize].wide => 2,
            1 => 1,
            lanes => lanes / 2,
        }
    }

    /// A leaf is in memory; it is only moved if it is an output.
    fn leaf(&mut self, v: Value) {
        if self.outputs.has(v) {
            self.bring(v);
            self.store_outputs(v);
            if self.values[v as usize].next == NEVER {
                self.release_register(v);
            }
        }
    }

    fn two(&mut self, v: Value, op: Forms<Two>, a: Value, b: Value) {
        let (x, y) = (self.bring(a), self.bring(b));
        let to = self.result_over(v, &[a, b]);
        let op = if self.is_single(v) {
            op.single
        } else {
            op.pair
        };
        for p in 0..self.parts(v) {
            self.push(op.word(to.at(p), x.at(p), y.at(p)));
        }
        self.define(v, to);
    }

    fn one(&mut self, v: Value, op: Forms<One>, a: Value) {
        let x = self.bring(a);
        let to = self.result_over(v, &[a]);
        let op = if self.is_single(v) {
            op.single
        } else {
            op.pair
        };
        for p in 0..self.parts(v) {
            self.push(op.word(to.at(p), x.at(p)));
        }
        self.define(v, to);
    }

    /// a if it is less (or greater) than b, else b.
    fn extreme(&mut self, v: Value, condition: Condition, a: Value, b: Value) {
        let (x, y) = (self.bring(a), self.bring(b));
        if self.is_single(v) {
            let to = self.result_over(v, &[a, b]);
            self.push(encode::compare(x.at(0), y.at(0)));
            self.push(encode::choose(condition, to.at(0), x.at(0), y.at(0)));
            return self.define(v, to);
        }
        // The register of the result contains the mask until then.
        let to = self.result_apart(v);
        for p in 0..self.parts(v) {
            let (large, small) = match condition {
                Condition::Less => (y.at(p), x.at(p)),
                _ => (x.at(p), y.at(p)),
            };
            self.push(GREATER.word(to.at(p), large, small));
            self.push(SELECT.word(to.at(p), x.at(p), y.at(p)));
        }
        self.release_dead(&[a, b]);
        self.define(v, to);
    }

    /// ±a·b ± c, rounded once.
    fn fused(&mut self, v: Value, op: Fused, a: Value, b: Value, c: Value) {
        let (x, y, z) = (self.bring(a), self.bring(b), self.bring(c));
        if self.is_single(v) {
            let to = self.result_over(v, &[a, b, c]);
            self.push(encode::fused(op, to.at(0), x.at(0), y.at(0), z.at(0)));
            return self.define(v, to);
        }
        // The result replaces the summand: its own register if nothing else reads it, or a copy.
        let parts = self.parts(v);
        let dies = self.values[c as usize].next == NEVER && a != c && b != c;
        let in_place = dies && usize::from(z.len) == parts;
        let to = if in_place {
            self.registers.forget(&z);
            self.values[c as usize].registers = Parts::NONE;
            self.registers.claim(&z);
            z
        } else {
            self.result_apart(v)
        };
        let product = match op {
            Fused::Sub => SUB_PRODUCT,
            _ => ADD_PRODUCT,
        };
        for p in 0..parts {
            match op {
                Fused::Reversed => self.push(NEG.pair.word(to.at(p), z.at(p))),
                _ if in_place => {}
                _ => self.push(encode::copy_pair(to.at(p), z.at(p))),
            }
            self.push(product.word(to.at(p), x.at(p), y.at(p)));
        }
        self.release_dead(&[a, b, c]);
        self.define(v, to);
    }

    /// b where the condition holds for a, else c.
    fn choose(&mut self, v: Value, condition: Condition, test: One, [a, b, c]: [Value; 3]) {
        let (x, y, z) = (self.bring(a), self.bring(b), self.bring(c));
        if self.is_single(v) {
            let to = self.result_over(v, &[a, b, c]);
            self.push(encode::compare_zero(x.at(0)));
            self.push(encode::choose(condition, to.at(0), y.at(0), z.at(0)));
            return self.define(v, to);
        }
        // The register of the result contains the mask until then.
        let to = self.result_apart(v);
        for p in 0..self.parts(v) {
            self.push(test.word(to.at(p), x.at(p)));
            self.push(SELECT.word(to.at(p), y.at(p), z.at(p)));
        }
        self.release_dead(&[a, b, c]);
        self.define(v, to);
    }

    /// Four narrow values as a wide one.
    fn pack(&mut self, v: Value, list: [Value; 4]) {
        let [a, b, c, d] = list.map(|x| self.bring(x).at(0));
        let to = self.result_apart(v);
        for (p, (low, high)) in [(a, b), (c, d)].into_iter().enumerate() {
            self.push(if low == high {
                SPREAD.word(to.at(p), low)
            } else {
                LOW.word(to.at(p), low, high)
            });
        }
        self.release_dead(&list);
        self.define(v, to);
    }

    /// Number `l` of a wide value.
    fn lane(&mut self, v: Value, a: Value, l: u8) {
        if !self.in_register(a) && !self.soon(a) {
            // Read from the middle of its memory.
            let (base, at) = self.place(a);
            let to = self.result_apart(v);
            self.access(true, Size::Single, to.at(0), base, at + 8 * u32::from(l));
            return self.define(v, to);
        }
        let x = self.bring(a).at(usize::from(l / 2));
        let to = self.result_over(v, &[a]);
        let op = if l % 2 == 1 { UPPER } else { COPY };
        self.push(op.word(to.at(0), x));
        self.define(v, to);
    }

    /// A wide value in another order.
    fn permute(&mut self, v: Value, a: Value, order: [u8; 4]) {
        let x = self.bring(a);
        let to = self.result_apart(v);
        for p in 0..2 {
            let [l, h] = [order[2 * p], order[2 * p + 1]];
            let (low, high) = (x.at(usize::from(l / 2)), x.at(usize::from(h / 2)));
            match (l % 2, h % 2) {
                (0, 0) => self.push(LOW.word(to.at(p), low, high)),
                (1, 1) => self.push(HIGH.word(to.at(p), low, high)),
                (1, 0) => self.push(MIDDLE.word(to.at(p), low, high)),
                _ => {
                    self.push(encode::copy_pair(to.at(p), low));
                    self.push(INSERT_UPPER.word(to.at(p), high));
                }
            }
        }
        self.release_dead(&[a]);
        self.define(v, to);
    }
}

#[cfg(test)]
mod simulator;
#[cfg(test)]
mod tests;
