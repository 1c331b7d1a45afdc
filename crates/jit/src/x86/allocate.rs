//! Locations of values: registers, and homes in memory.
//!
//! A value is read from a register if it has one, else from its home. Inputs and constants have a home
//! from the start, outputs from the moment they are computed; others get one (a slot of the frame) when
//! their register is given up while they are still needed.

use galilei_tape::code::{Code, Value};

use super::constants::Constants;
use super::encode::{Base, LOAD, Pairs, Place, SPREAD, STORE};
use super::entry::Biases;
use super::listing::Listing;
use super::{Emitter, Encoding, Mode};
use crate::homes::{Frame, Home, NEVER, Outputs, uses};
use crate::runs::Runs;

pub(super) const NO_REGISTER: u8 = u8::MAX;
/// The number of registers of two numbers that values may have without AVX. Four numbers are in two of them.
const PAIR_REGISTERS: usize = 12;

/// The state of a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    /// The instruction that uses it next.
    pub(super) next: u32,
    pub(super) home: Home,
    pub(super) register: u8,
    pub(super) wide: bool,
}

/// The contents of the vector registers.
#[derive(Debug)]
pub(super) struct Registers {
    /// Free registers, as bits.
    free: u32,
    /// Registers that must not be given up now, as bits.
    pub(super) pinned: u32,
    count: usize,
    /// The value in each.
    held: [Value; 32],
    /// The next use of each value held.
    next: [u32; 32],
}

impl Registers {
    fn new(encoding: Encoding, fours: bool) -> Self {
        let count = match encoding {
            Encoding::Evex => 32,
            Encoding::Sse if fours => PAIR_REGISTERS / 2,
            Encoding::Sse => PAIR_REGISTERS,
            _ => 16,
        };
        Self {
            free: u32::MAX >> (32 - count),
            pinned: 0,
            count,
            held: [0; 32],
            next: [NEVER; 32],
        }
    }

    pub(super) fn free(&mut self, r: u8) {
        self.free |= 1 << r;
    }

    /// Takes a register that is free.
    pub(super) fn claim(&mut self, r: u8) {
        debug_assert!(self.free & 1 << r != 0);
        self.free &= !(1 << r);
    }
}

/// The largest distance in instructions to the next use at which a value in memory is loaded into a register instead
/// of being read in place. Measured with AVX2 on unrolled factorisations of 8 to 32 rows: distances from 4 to 24 are
/// within 1 %, never loading costs 3 % and 100 costs 4 %. AVX-512 has twice the registers.
const fn near(encoding: Encoding) -> u32 {
    match encoding {
        Encoding::Evex => 24,
        _ => 12,
    }
}

impl<'a> Emitter<'a> {
    pub(super) fn new(code: &'a Code, mode: Mode, encoding: Encoding) -> Self {
        let lanes = mode.lanes();
        let n = code.instrs().len();
        let mut values: Vec<State> = (0..n)
            .map(|v| State {
                next: NEVER,
                home: Home::NONE,
                register: NO_REGISTER,
                wide: code.is_wide(v as Value),
            })
            .collect();
        let ahead = uses(code, |v, k| {
            std::mem::replace(&mut values[v as usize].next, k)
        });
        let constants = Constants::of(code, encoding, lanes, &mut values);
        let runs = Runs::of(code, lanes);
        let frame = Frame::new(runs.arguments, lanes);
        let biases = Biases::of(code, encoding, lanes, constants.data.len());
        let mut asm = Listing::new(encoding, 2 * n);
        asm.pairs = Pairs {
            upper: PAIR_REGISTERS as u8 / 2,
            routines: constants.routines.unwrap_or(0) as i32 * 8 - biases.constants,
        };
        // Arguments of functions are put together by four, too.
        let fours = lanes == 4 || lanes == 1 && (code.has_wide() || !runs.list.is_empty());
        Self {
            code,
            encoding,
            lanes,
            asm,
            biases,
            constants,
            values,
            ahead,
            registers: Registers::new(encoding, fours),
            frame,
            outputs: Outputs::of(code, lanes),
            runs,
            at: 0,
        }
    }

    /// Advances to the next use of a value.
    pub(super) fn advance(&mut self, v: Value) {
        let next = self.ahead.pop().expect("every use was listed");
        let state = &mut self.values[v as usize];
        state.next = next;
        if state.register != NO_REGISTER {
            self.registers.next[state.register as usize] = next;
        }
    }

    /// Whether a value is used again soon.
    pub(super) fn soon(&self, v: Value) -> bool {
        let next = self.values[v as usize].next;
        next != NEVER && next - self.at < near(self.encoding)
    }

    /// Keeps the register of a value, if it has one, until the next instruction.
    pub(super) fn pin(&mut self, v: Value) {
        let r = self.values[v as usize].register;
        if r != NO_REGISTER {
            self.registers.pinned |= 1 << r;
        }
    }

    /// The home of a value as an operand.
    pub(super) fn place(&self, v: Value) -> Place {
        let state = &self.values[v as usize];
        let at = state.home.at() as i32 * 8;
        match state.home.kind() {
            Home::INPUT => Place::Memory(Base::Inputs, at - self.biases.inputs),
            Home::OUTPUT => Place::Memory(Base::Outputs, at - self.biases.outputs),
            Home::SLOT => Place::Memory(Base::Frame, self.frame_at(state.home.at())),
            Home::CONSTANT => {
                let at = at - self.biases.constants;
                if self.encoding == Encoding::Evex && self.lanes > 1 {
                    Place::Broadcast(Base::Constants, at)
                } else {
                    Place::Memory(Base::Constants, at)
                }
            }
            _ => unreachable!("a value that is nowhere"),
        }
    }

    /// The displacement of a number of the frame.
    pub(super) fn frame_at(&self, slot: u32) -> i32 {
        (slot as i32 - self.runs.arguments as i32) * 8 - self.biases.frame
    }

    /// The displacement of a mask.
    pub(super) fn mask_at(&self, at: u32) -> i32 {
        at as i32 * 8 - self.biases.constants
    }

    /// A mask as an operand of vectors.
    pub(super) fn mask(&self, at: u32) -> Place {
        match self.encoding {
            Encoding::Evex => Place::Broadcast(Base::Constants, self.mask_at(at)),
            _ => Place::Memory(Base::Constants, self.mask_at(at)),
        }
    }

    /// The register of a value, or its home.
    pub(super) fn where_is(&self, v: Value) -> Place {
        match self.values[v as usize].register {
            NO_REGISTER => self.place(v),
            r => Place::Register(r),
        }
    }

    /// A value as an operand: its location, or a register if it is used again soon.
    pub(super) fn operand(&mut self, v: Value) -> Place {
        if !self.in_register(v) && self.soon(v) {
            self.load(v);
        }
        self.where_is(v)
    }

    /// The register of a value, which is loaded if it has none; pinned.
    pub(super) fn bring(&mut self, v: Value) -> u8 {
        if self.in_register(v) {
            self.pin(v);
            self.values[v as usize].register
        } else {
            self.load(v)
        }
    }

    /// Loads a value from its home into a register of its own; pinned.
    pub(super) fn load(&mut self, v: Value) -> u8 {
        let r = self.take();
        let place = self.place(v);
        self.copy(v, r, place);
        self.hold(v, r);
        self.registers.pinned |= 1 << r;
        r
    }

    /// Copies a value from a place into a register.
    pub(super) fn copy(&mut self, v: Value, to: u8, from: Place) {
        let (scalar, size) = self.shape(v);
        match from {
            Place::Register(r) => self.asm.copy(size, to, r),
            Place::Memory(..) => self.asm.vector(LOAD.opcode(scalar), size, to, 0, from),
            Place::Broadcast(base, at) => {
                self.asm
                    .vector(SPREAD, size, to, 0, Place::Memory(base, at));
            }
        }
    }

    /// Records that the register contains the value.
    pub(super) fn hold(&mut self, v: Value, r: u8) {
        let state = &mut self.values[v as usize];
        state.register = r;
        self.registers.held[r as usize] = v;
        self.registers.next[r as usize] = state.next;
    }

    /// A register for a new value. If none is free, the one whose next use is farthest is given up; a value without a
    /// home counts as needed twice as soon, because it must be stored.
    pub(super) fn take(&mut self) -> u8 {
        let registers = &mut self.registers;
        if registers.free != 0 {
            let r = registers.free.trailing_zeros() as u8;
            registers.free &= registers.free - 1;
            return r;
        }
        let (mut best, mut furthest) = (NO_REGISTER, 0);
        for r in 0..registers.count {
            if registers.pinned & 1 << r != 0 {
                continue;
            }
            let v = registers.held[r] as usize;
            let homed = self.values[v].home != Home::NONE;
            let distance = u64::from(registers.next[r] - self.at) << u32::from(homed);
            if best == NO_REGISTER || distance > furthest {
                (best, furthest) = (r as u8, distance);
            }
        }
        assert_ne!(best, NO_REGISTER, "more operands than registers");
        let v = self.registers.held[best as usize];
        self.store_home(v);
        self.values[v as usize].register = NO_REGISTER;
        best
    }

    /// Gives a value in a register a home in memory.
    pub(super) fn store_home(&mut self, v: Value) {
        let state = self.values[v as usize];
        if state.home == Home::NONE {
            let slot = self.frame.slot(state.wide);
            self.values[v as usize].home = Home::new(Home::SLOT, slot);
            self.store(
                v,
                state.register,
                Place::Memory(Base::Frame, self.frame_at(slot)),
            );
        }
    }

    pub(super) fn store(&mut self, v: Value, from: u8, to: Place) {
        let (scalar, size) = self.shape(v);
        self.asm.vector(STORE.opcode(scalar), size, from, 0, to);
    }

    /// Frees the register of a value.
    pub(super) fn release_register(&mut self, v: Value) {
        let state = &mut self.values[v as usize];
        if state.register != NO_REGISTER {
            self.registers.free |= 1 << state.register;
            state.register = NO_REGISTER;
        }
    }

    /// Frees the registers of those values that are not used again.
    pub(super) fn release_dead(&mut self, list: &[Value]) {
        for &v in list {
            if self.values[v as usize].next == NEVER {
                self.release_register(v);
            }
        }
    }

    /// A register for the result of an instruction that reads its operands before it writes. It may be that of an
    /// operand without further use, and any may be given up.
    pub(super) fn result_in(&mut self, operands: &[Value]) -> u8 {
        self.release_dead(operands);
        self.registers.pinned = 0;
        self.take()
    }

    /// Frees the slot of a value that is not used again.
    pub(super) fn release_memory(&mut self, v: Value) {
        let state = &mut self.values[v as usize];
        if state.next == NEVER && state.home.kind() == Home::SLOT {
            let (slot, wide) = (state.home.at(), state.wide);
            state.home = Home::NONE;
            self.frame.free(slot, wide);
        }
    }

    /// Records that a value was computed in a register.
    pub(super) fn define(&mut self, v: Value, r: u8) {
        if let Some(at) = self.store_outputs(v, r) {
            self.values[v as usize].home = Home::new(Home::OUTPUT, at);
        }
        if self.values[v as usize].next == NEVER {
            self.registers.free(r);
        } else {
            self.hold(v, r);
        }
    }

    /// Stores a value in all its places among the outputs; returns one of them.
    pub(super) fn store_outputs(&mut self, v: Value, r: u8) -> Option<u32> {
        let mut output = self.outputs.first[v as usize];
        let mut found = None;
        while output != NEVER {
            let at = self.outputs.at[output as usize];
            let displacement = at as i32 * 8 - self.biases.outputs;
            self.store(v, r, Place::Memory(Base::Outputs, displacement));
            found = Some(at);
            output = self.outputs.more[output as usize];
        }
        found
    }

    /// Empties all registers: values that are still needed get a home.
    pub(super) fn store_all(&mut self) {
        let all = u32::MAX >> (32 - self.registers.count);
        let mut busy = all & !self.registers.free;
        while busy != 0 {
            let r = busy.trailing_zeros();
            busy &= busy - 1;
            let v = self.registers.held[r as usize];
            if self.values[v as usize].next != NEVER {
                self.store_home(v);
            }
            self.values[v as usize].register = NO_REGISTER;
        }
        self.registers.free = all;
    }
}
