//! Locations of values: registers, and homes in memory.
//!
//! A value is read from its registers; one that has none is loaded from its home. Inputs and constants have a home from
//! the start, outputs from the moment they are computed; others get one (a slot of the frame) when their registers are
//! given up while they are still needed.

use galilei_tape::code::{Code, Instr, Value};

use super::encode::{self, Couple, Size};
use super::entry::{Base, Pointers};
use super::{Emitter, MAX_PARTS, Mode, Parts};
use crate::homes::{Frame, Home, NEVER, Outputs, uses};
use crate::runs::Runs;

/// The state of a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    /// The instruction that uses it next.
    pub(super) next: u32,
    pub(super) home: Home,
    pub(super) registers: Parts,
    pub(super) wide: bool,
}

/// The number of vector registers.
const REGISTERS: usize = 32;
/// Registers that a function must restore, as bits: v8 to v15.
pub(super) const PRESERVED: u32 = 0xff00;

/// The largest distance in instructions to the next use at which a wide value in memory is loaded for one of its
/// numbers, instead of that number alone.
const NEAR_USE: u32 = 24;

/// The contents of the vector registers.
#[derive(Debug)]
pub(super) struct Registers {
    /// Free registers, as bits.
    free: u32,
    /// Registers that must not be given up now, as bits.
    pub(super) pinned: u32,
    /// Registers that were ever used, as bits.
    pub(super) used: u32,
    /// The value in each.
    held: [Value; REGISTERS],
}

impl Registers {
    /// Takes free registers.
    pub(super) fn claim(&mut self, parts: &Parts) {
        for r in parts.iter() {
            debug_assert!(self.free & 1 << r != 0);
            self.free &= !(1 << r);
        }
    }

    /// Frees registers.
    pub(super) fn forget(&mut self, parts: &Parts) {
        for r in parts.iter() {
            self.free |= 1 << r;
        }
    }

    /// A free register, those that need not be restored first.
    fn pop(&mut self) -> Option<u8> {
        let cheap = self.free & (self.used | !PRESERVED);
        let from = if cheap != 0 { cheap } else { self.free };
        if from == 0 {
            return None;
        }
        let r = from.trailing_zeros() as u8;
        self.free &= !(1 << r);
        self.used |= 1 << r;
        Some(r)
    }
}

impl<'a> Emitter<'a> {
    pub(super) fn new(code: &'a Code, mode: Mode) -> Self {
        let lanes = mode.lanes();
        let mut values: Vec<State> = (0..code.instrs().len())
            .map(|v| State {
                next: NEVER,
                home: Home::NONE,
                registers: Parts::NONE,
                wide: code.is_wide(v as Value),
            })
            .collect();
        let ahead = uses(code, |v, k| {
            std::mem::replace(&mut values[v as usize].next, k)
        });
        let mut constants = Vec::new();
        for (k, i) in code.instrs().iter().enumerate() {
            let at = constants.len() as u32;
            values[k].home = match *i {
                Instr::Table(row) => {
                    constants.extend(code.tables()[row as usize]);
                    Home::new(Home::CONSTANT, at)
                }
                Instr::Const(c) => {
                    // One register of it serves all lanes.
                    constants.extend(std::iter::repeat_n(c, lanes.min(2)));
                    Home::new(Home::CONSTANT, at)
                }
                Instr::Input(j) => Home::new(Home::INPUT, j * lanes as u32),
                Instr::Row(j) => Home::new(Home::INPUT, j),
                _ => Home::NONE,
            };
        }
        let runs = Runs::of(code, lanes);
        Self {
            code,
            lanes,
            words: Vec::with_capacity(2 * code.instrs().len()),
            constants,
            values,
            ahead,
            registers: Registers {
                free: u32::MAX,
                pinned: 0,
                used: 0,
                held: [0; REGISTERS],
            },
            pointers: Pointers::new(!runs.list.is_empty()),
            frame: Frame::new(runs.arguments, lanes),
            outputs: Outputs::of(code, lanes),
            runs,
            at: 0,
        }
    }

    /// Advances to the next use of a value.
    pub(super) fn advance(&mut self, v: Value) {
        self.values[v as usize].next = self.ahead.pop().expect("every use was listed");
    }

    /// Whether a value is used again soon.
    pub(super) fn soon(&self, v: Value) -> bool {
        let next = self.values[v as usize].next;
        next != NEVER && next - self.at < NEAR_USE
    }

    pub(super) fn in_register(&self, v: Value) -> bool {
        !self.values[v as usize].registers.is_empty()
    }

    /// Keeps the registers of a value, if it has any, until the next instruction.
    pub(super) fn pin(&mut self, v: Value) {
        for r in self.values[v as usize].registers.iter() {
            self.registers.pinned |= 1 << r;
        }
    }

    /// The home of a value: its base and its displacement in bytes.
    pub(super) fn place(&self, v: Value) -> (Base, u32) {
        let home = self.values[v as usize].home;
        let base = match home.kind() {
            Home::INPUT => Base::Inputs,
            Home::CONSTANT => Base::Constants,
            Home::OUTPUT => Base::Outputs,
            Home::SLOT => Base::Frame,
            _ => unreachable!("a value that is nowhere"),
        };
        (base, home.at() * 8)
    }

    /// The registers of a value, which is loaded if it has none; pinned.
    pub(super) fn bring(&mut self, v: Value) -> Parts {
        if !self.in_register(v) {
            let constant = matches!(self.code.instrs()[v as usize], Instr::Const(_));
            let count = if constant { 1 } else { self.parts(v) };
            let parts = self.take(count);
            let (base, at) = self.place(v);
            self.transfer(true, v, &parts, count, base, at);
            self.hold(v, parts);
        }
        self.pin(v);
        self.values[v as usize].registers
    }

    /// Loads the parts of a value from memory, or stores them.
    fn transfer(&mut self, load: bool, v: Value, parts: &Parts, count: usize, base: Base, at: u32) {
        if self.is_single(v) {
            return self.access(load, Size::Single, parts.at(0), base, at);
        }
        let mut p = 0;
        while p < count {
            let here = at + 16 * p as u32;
            if p + 1 < count && here.is_multiple_of(16) && here < 16 * 64 {
                let both = [parts.at(p), parts.at(p + 1)];
                let register = self.pointers.register(base);
                self.push(encode::couple(load, Couple::Pairs, both, register, here));
                p += 2;
            } else {
                self.access(load, Size::Pair, parts.at(p), base, here);
                p += 1;
            }
        }
    }

    /// Stores a value.
    pub(super) fn store(&mut self, v: Value, base: Base, at: u32) {
        let parts = self.values[v as usize].registers;
        self.transfer(false, v, &parts, self.parts(v), base, at);
    }

    /// Records that the registers contain the value.
    pub(super) fn hold(&mut self, v: Value, parts: Parts) {
        self.values[v as usize].registers = parts;
        for r in parts.iter() {
            self.registers.held[usize::from(r)] = v;
        }
    }

    /// Registers for a new value; pinned.
    pub(super) fn take(&mut self, count: usize) -> Parts {
        debug_assert!(count <= MAX_PARTS);
        let mut parts = Parts::NONE;
        for _ in 0..count {
            let r = loop {
                match self.registers.pop() {
                    Some(r) => break r,
                    None => self.give_up(),
                }
            };
            self.registers.pinned |= 1 << r;
            parts.push(r);
        }
        parts
    }

    /// Gives up the registers of the value whose next use is farthest. A value without a home counts as needed twice
    /// as soon, because it must be stored.
    fn give_up(&mut self) {
        let mut best = None;
        for r in 0..REGISTERS {
            if self.registers.pinned & 1 << r != 0 {
                continue;
            }
            let v = self.registers.held[r];
            let state = &self.values[v as usize];
            let homed = state.home != Home::NONE;
            let distance = u64::from(state.next - self.at) << u32::from(homed);
            if best.is_none_or(|(_, furthest)| distance > furthest) {
                best = Some((v, distance));
            }
        }
        let (v, _) = best.expect("fewer operands than registers");
        self.store_home(v);
        self.release_register(v);
    }

    /// Gives a value in registers a home in memory.
    pub(super) fn store_home(&mut self, v: Value) {
        let state = self.values[v as usize];
        if state.home == Home::NONE {
            let slot = self.frame.slot(state.wide);
            self.values[v as usize].home = Home::new(Home::SLOT, slot);
            self.store(v, Base::Frame, slot * 8);
        }
    }

    /// Frees the registers of a value.
    pub(super) fn release_register(&mut self, v: Value) {
        let parts = std::mem::replace(&mut self.values[v as usize].registers, Parts::NONE);
        self.registers.forget(&parts);
    }

    /// Frees the registers of those values that are not used again.
    pub(super) fn release_dead(&mut self, list: &[Value]) {
        for &v in list {
            if self.values[v as usize].next == NEVER {
                self.release_register(v);
            }
        }
    }

    /// Registers for the result of instructions that read part p of their operands, and nothing else, before they write
    /// part p: those of an operand without further use, or new ones.
    pub(super) fn result_over(&mut self, v: Value, operands: &[Value]) -> Parts {
        let count = self.parts(v);
        let dies = |x: &&Value| {
            let state = &self.values[**x as usize];
            state.next == NEVER && usize::from(state.registers.len) == count
        };
        let reused = operands.iter().find(dies).copied();
        let parts = match reused {
            Some(x) => self.values[x as usize].registers,
            None => self.take(count),
        };
        self.release_dead(operands);
        if reused.is_some() {
            self.registers.claim(&parts);
        }
        parts
    }

    /// Registers for the result of several instructions, none of them that of an operand.
    pub(super) fn result_apart(&mut self, v: Value) -> Parts {
        self.take(self.parts(v))
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

    /// Records that a value was computed in registers.
    pub(super) fn define(&mut self, v: Value, parts: Parts) {
        self.hold(v, parts);
        if let Some(at) = self.store_outputs(v) {
            self.values[v as usize].home = Home::new(Home::OUTPUT, at);
        }
        if self.values[v as usize].next == NEVER {
            self.release_register(v);
        }
    }

    /// Stores a value in all its places among the outputs; returns one of them.
    pub(super) fn store_outputs(&mut self, v: Value) -> Option<u32> {
        let mut output = self.outputs.first[v as usize];
        let mut found = None;
        while output != NEVER {
            let at = self.outputs.at[output as usize];
            self.store(v, Base::Outputs, at * 8);
            found = Some(at);
            output = self.outputs.more[output as usize];
        }
        found
    }

    /// Empties all registers: values that are still needed get a home.
    pub(super) fn store_all(&mut self) {
        for r in 0..REGISTERS {
            if self.registers.free & 1 << r != 0 {
                continue;
            }
            let v = self.registers.held[r];
            if self.values[v as usize].next != NEVER {
                self.store_home(v);
            }
            self.release_register(v);
        }
    }
}
