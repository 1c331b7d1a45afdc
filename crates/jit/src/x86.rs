//! Machine code for x86-64: one pass over the code that emits an instruction of the processor for each instruction of the code.
//! For processors without AVX the instructions are taken apart when they become bytes (`encode::legacy`).

mod allocate;
mod calls;
mod constants;
pub(crate) mod encode;
mod entry;
mod fused;
mod listing;
mod pointers;

use galilei_tape::code::{Code, Instr, Value};

use crate::emitted::Emitted;
use crate::homes::{Frame, NEVER, Outputs};
use crate::mode::{Encoding, Mode};
use crate::runs::Runs;
use allocate::{NO_REGISTER, State};
use constants::Constants;
use encode::{
    ADD, AND, Arithmetic, BLEND, BLEND_MASKED, COMPARE, DIV, EXTRACT, FMADD, FMSUB, FNMADD, Fused,
    GREATER, GREATER_EQUAL, HIGH, INSERT, LOAD_HIGH, LOW, MAX, MIN, MUL, Opcode, Order, PERMUTE,
    Place, SPREAD, SQRT, SUB, Size, Vector, XOR,
};

/// Machine code for well-formed code. None if it would need displacements of more than 31 bits.
pub(crate) fn emit(code: &Code, mode: Mode, encoding: Encoding) -> Option<Emitted> {
    // Four kinds of homes share the range; none comes near it.
    let limit = (i32::MAX / 64) as usize;
    let values = code.instrs().len() + code.tables().len() * 4;
    if (values.max(code.inputs()).max(code.output_len())).checked_mul(2 * mode.lanes())? > limit {
        return None;
    }
    let mut emitter = Emitter::new(code, mode, encoding);
    emitter.body();
    Some(emitter.finish())
}

/// The state of the pass.
struct Emitter<'a> {
    code: &'a Code,
    encoding: Encoding,
    lanes: usize,
    asm: listing::Listing,
    constants: Constants,
    /// The state of each value.
    values: Vec<State>,
    /// The next use after each use, in the order of uses, reversed.
    ahead: Vec<u32>,
    registers: allocate::Registers,
    frame: Frame,
    outputs: Outputs,
    runs: Runs,
    /// The instruction being emitted.
    at: u32,
    biases: entry::Biases,
}

/// Comparisons for open and closed choices; a closed interval includes its end.
const CLOSED: [u8; 2] = [GREATER, GREATER_EQUAL];

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
        match *i {
            Instr::Const(_) | Instr::Table(_) | Instr::Input(_) | Instr::Row(_) => {
                return self.leaf(v);
            }
            Instr::Add(a, b) => self.two(v, ADD, true, a, b),
            Instr::Sub(a, b) => self.two(v, SUB, false, a, b),
            Instr::Mul(a, b) => self.two(v, MUL, true, a, b),
            Instr::Div(a, b) => self.two(v, DIV, false, a, b),
            Instr::Least(a, b) => self.two(v, MIN, false, a, b),
            Instr::Greatest(a, b) => self.two(v, MAX, false, a, b),
            Instr::Neg(a) => self.masked(v, XOR, self.constants.sign, a),
            Instr::Abs(a) => self.masked(v, AND, self.constants.magnitude, a),
            Instr::Sqrt(a) => self.root(v, a),
            Instr::Fma(a, b, c) => self.fused(v, FMADD, a, b, c),
            Instr::Fnma(a, b, c) => self.fused(v, FNMADD, a, b, c),
            Instr::Fms(a, b, c) => self.fused(v, FMSUB, a, b, c),
            Instr::Positive(a, b, c) => self.choose(v, false, a, b, c),
            Instr::NotNegative(a, b, c) => self.choose(v, true, a, b, c),
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

    /// Whether instructions on a value are those for single numbers, and the size of its register.
    fn shape(&self, v: Value) -> (bool, Size) {
        match self.lanes {
            1 if self.values[v as usize].wide => (false, Size::Four),
            1 => (true, Size::Two),
            2 => (false, Size::Two),
            4 => (false, Size::Four),
            _ => (false, Size::Eight),
        }
    }

    /// A leaf is in memory; it is only moved if it is an output.
    fn leaf(&mut self, v: Value) {
        if self.outputs.has(v) {
            let r = self.load(v);
            self.store_outputs(v, r);
            if self.values[v as usize].next == NEVER {
                self.release_register(v);
            }
        }
    }

    fn two(&mut self, v: Value, op: Arithmetic, commutes: bool, mut a: Value, mut b: Value) {
        let (scalar, size) = self.shape(v);
        self.pin(a);
        self.pin(b);
        if commutes && !self.in_register(a) && self.in_register(b) {
            (a, b) = (b, a);
        }
        let mut x = self.bring(a);
        let mut y = self.operand(b);
        if commutes
            && let Place::Register(r) = y
            && r >= 8
            && x < 8
        {
            // This form is shorter.
            (x, y) = (r, Place::Register(x));
        }
        let to = self.result_in(&[a, b]);
        self.asm.vector(op.opcode(scalar), size, to, x, y);
        self.define(v, to);
    }

    fn masked(&mut self, v: Value, op: Opcode, mask: u32, a: Value) {
        let (_, size) = self.shape(v);
        let x = self.bring(a);
        let to = self.result_in(&[a]);
        let mask = self.mask(mask);
        self.asm.vector(op, size, to, x, mask);
        self.define(v, to);
    }

    fn root(&mut self, v: Value, a: Value) {
        let (scalar, size) = self.shape(v);
        if scalar {
            // The second operand gives the upper half; it is the argument itself, so that the instruction waits for
            // nothing else.
            let x = self.bring(a);
            let to = self.result_in(&[a]);
            let op = SQRT.opcode(true);
            self.asm.vector(op, size, to, x, Place::Register(x));
            self.define(v, to);
        } else {
            let x = self.operand(a);
            let to = self.result_in(&[a]);
            self.asm.vector(SQRT.opcode(false), size, to, 0, x);
            self.define(v, to);
        }
    }

    /// ±a·b ± c. The result takes the register of one of the operands: of one that dies here, of one that
    /// is read from memory anyway, or of a copy.
    fn fused(&mut self, v: Value, op: Fused, a: Value, b: Value, c: Value) {
        let (scalar, size) = self.shape(v);
        for x in [a, b, c] {
            self.pin(x);
        }
        for x in [a, b, c] {
            if !self.in_register(x) && self.soon(x) {
                self.load(x);
            }
        }
        let dies =
            |this: &Self, x: Value| this.in_register(x) && this.values[x as usize].next == NEVER;
        // The operand that is overwritten, and the kind of instruction.
        let in_place = [c, a, b].into_iter().find(|&x| dies(self, x));
        let (target, ready) = match in_place {
            Some(x) => (x, true),
            None => {
                let stored = [c, a, b].into_iter().find(|&x| !self.in_register(x));
                (stored.unwrap_or(c), false)
            }
        };
        // The other two operands: the first of them in a register, the second in a register or in memory.
        let (mut p, mut q) = if target == c {
            (a, b)
        } else if target == a {
            (b, c)
        } else {
            (a, c)
        };
        // A product commutes, and 132 and 213 let the summand change places with a factor.
        let product = target == c;
        let swapped = !self.in_register(p) && self.in_register(q);
        if swapped {
            (p, q) = (q, p);
        }
        let order = match (product, swapped) {
            (true, _) => Order::F231,
            (false, false) => Order::F213,
            (false, true) => Order::F132,
        };
        let second = self.bring(p);
        let third = self.operand(q);
        let to = if ready {
            let to = self.values[target as usize].register;
            for x in [a, b, c] {
                if self.values[x as usize].next == NEVER {
                    self.release_register(x);
                }
            }
            self.registers.claim(to);
            to
        } else {
            // The others are read after the target is written.
            if let Place::Register(r) = third {
                self.registers.pinned |= 1 << r;
            }
            let source = self.where_is(target);
            let to = self.take();
            self.copy(target, to, source);
            self.release_dead(&[a, b, c]);
            to
        };
        self.asm
            .vector(op.opcode(order, scalar), size, to, second, third);
        self.define(v, to);
    }

    /// b where a is positive (or zero, if `closed`), else c.
    fn choose(&mut self, v: Value, closed: bool, a: Value, b: Value, c: Value) {
        let (scalar, size) = self.shape(v);
        for x in [a, b, c] {
            self.pin(x);
        }
        let condition = self.bring(a);
        let no = self.bring(c);
        let yes = Place::Register(self.bring(b));
        let zero = if scalar {
            Place::Memory(encode::Base::Constants, self.mask_at(self.constants.zero))
        } else {
            self.mask(self.constants.zero)
        };
        let compare = COMPARE.opcode(scalar);
        let relation = CLOSED[usize::from(closed)];
        if self.encoding == Encoding::Evex {
            let to = self.result_in(&[a, b, c]);
            self.asm
                .push(Vector::new(compare, size, 1, condition, zero).with(relation));
            self.asm
                .push(Vector::new(BLEND_MASKED, size, to, no, yes).masked());
            self.define(v, to);
            return;
        }
        // The register of the result contains the mask until then.
        if a != b && a != c {
            self.registers.pinned &= !(1 << condition);
            self.release_dead(&[a]);
        }
        let to = self.take();
        self.asm
            .push(Vector::new(compare, size, to, condition, zero).with(relation));
        self.asm
            .push(Vector::new(BLEND, size, to, no, yes).with(to << 4));
        self.release_dead(&[a, b, c]);
        self.define(v, to);
    }

    /// Four narrow values in one register.
    fn pack(&mut self, v: Value, list: [Value; 4]) {
        let a = list[0];
        for x in list {
            self.pin(x);
        }
        if list == [a; 4] {
            let x = self.operand(a);
            let to = self.result_in(&[a]);
            self.asm.vector(SPREAD, Size::Four, to, 0, x);
            self.define(v, to);
            return;
        }
        let to = self.four(list);
        self.release_dead(&list);
        self.define(v, to);
    }

    /// Two narrow values in a new register, which is pinned.
    fn pair(&mut self, low: Value, high: Value) -> u8 {
        let x = self.bring(low);
        let y = self.operand(high);
        let to = self.take();
        self.registers.pinned |= 1 << to;
        let op = if matches!(y, Place::Register(_)) {
            LOW
        } else {
            LOAD_HIGH
        };
        self.asm.vector(op, Size::Two, to, x, y);
        to
    }

    /// Four narrow values in a new register, which is pinned.
    fn four(&mut self, [a, b, c, d]: [Value; 4]) -> u8 {
        let to = self.pair(a, b);
        let upper = self.pair(c, d);
        let place = Place::Register(upper);
        self.asm
            .push(Vector::new(INSERT, Size::Four, to, to, place).with(1));
        self.registers.free(upper);
        to
    }

    /// Number `l` of a wide value.
    fn lane(&mut self, v: Value, a: Value, l: u8) {
        if !self.in_register(a) && !self.soon(a) {
            // Read from the middle of its memory.
            let Place::Memory(base, at) = self.place(a) else {
                unreachable!("wide values are not broadcast");
            };
            let to = self.result_in(&[]);
            let place = Place::Memory(base, at + 8 * i32::from(l));
            let load = encode::LOAD.opcode(true);
            self.asm.vector(load, Size::Two, to, 0, place);
            self.define(v, to);
            return;
        }
        let x = self.bring(a);
        let to = self.result_in(&[a]);
        let mut half = x;
        if l >= 2 {
            // The source is in the place of results.
            let upper = Place::Register(to);
            self.asm
                .push(Vector::new(EXTRACT, Size::Four, x, 0, upper).with(1));
            half = to;
        }
        if l % 2 == 1 {
            self.asm
                .vector(HIGH, Size::Two, to, half, Place::Register(half));
        } else if half != to {
            self.asm.copy(Size::Two, to, half);
        }
        self.define(v, to);
    }

    /// A wide value in another order.
    fn permute(&mut self, v: Value, a: Value, order: [u8; 4]) {
        let x = self.operand(a);
        let to = self.result_in(&[a]);
        let immediate = (0..4).fold(0, |i, l| i | order[l] << (2 * l));
        self.asm
            .push(Vector::new(PERMUTE, Size::Four, to, 0, x).with(immediate));
        self.define(v, to);
    }

    fn in_register(&self, v: Value) -> bool {
        self.values[v as usize].register != NO_REGISTER
    }
}

#[cfg(test)]
mod simulator;
#[cfg(test)]
mod tests;
