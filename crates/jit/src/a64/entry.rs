//! Entry and exit of machine code, and addresses in memory.
//!
//! Its arguments are the inputs (x0), the outputs (x1) and a workspace (x2). Code with calls keeps the bases of its memory
//! in registers that calls preserve; other code leaves them where they come.

use super::allocate::PRESERVED;
use super::encode::{self, BREAKPOINT, Couple, RETURN, SP, Size};
use super::{Emitted, Emitter};
use crate::workspace::Line;

/// A region of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    Inputs,
    Outputs,
    Constants,
    Frame,
}

/// A register for addresses of functions, and for numbers that take several instructions.
pub(super) const CALL: u8 = 16;
/// The frame pointer, which holds the stack pointer of the caller while there is a frame.
const LINK: u8 = 29;
/// The registers of the bases in code with calls, and in other code.
const PRESERVED_BASES: [u8; 4] = [19, 20, 21, 22];
const BASES: [u8; 4] = [0, 1, 4, 3];
/// The register of the workspace at entry.
const WORKSPACE: u8 = 2;

/// Registers that may point into a region: x9 to x15. Calls destroy them.
const FIRST_POINTER: u8 = 9;
const POINTERS: usize = 7;

/// Pointers into regions, for displacements that do not fit into an instruction.
#[derive(Debug)]
pub(super) struct Pointers {
    bases: [u8; 4],
    /// The region and the displacement that each register points to.
    held: [Option<(Base, u32)>; POINTERS],
    /// The register to be replaced next.
    turn: usize,
}

impl Pointers {
    pub(super) fn new(calls: bool) -> Self {
        Self {
            bases: if calls { PRESERVED_BASES } else { BASES },
            held: [None; POINTERS],
            turn: 0,
        }
    }

    /// The register of a base.
    pub(super) fn register(&self, base: Base) -> u8 {
        self.bases[base as usize]
    }

    /// Forgets all pointers.
    pub(super) fn clear(&mut self) {
        self.held = [None; POINTERS];
    }
}

/// The largest frame, in bytes, that is put on the stack.
const MAX_STACK_FRAME: usize = 32 << 10;
/// The distance that can be skipped without touching the guard page of the stack.
const PAGE_BYTES: usize = 4096;
/// Bytes reserved for preserved registers: two for the link, four bases, eight vector registers.
const SAVED_BYTES: u32 = 112;

impl Emitter<'_> {
    /// Loads a register from memory, or stores it.
    pub(super) fn access(&mut self, load: bool, size: Size, register: u8, base: Base, at: u32) {
        let unit = size as u32;
        let reach = 4096 * unit;
        if at.is_multiple_of(unit) && at < reach {
            let from = self.pointers.register(base);
            return self.push(encode::memory(load, size, register, from, at));
        }
        // A pointer with the remainder of the displacement makes the rest a multiple of the size.
        let window = at - at % unit - (at - at % unit) % reach + at % unit;
        let held = self.pointers.held.iter();
        let known = held.into_iter().position(|p| *p == Some((base, window)));
        let k = known.unwrap_or_else(|| {
            let k = self.pointers.turn;
            self.pointers.turn = (k + 1) % POINTERS;
            self.pointers.held[k] = Some((base, window));
            let from = self.pointers.register(base);
            self.address(FIRST_POINTER + k as u8, from, window);
            k
        });
        let pointer = FIRST_POINTER + k as u8;
        self.push(encode::memory(load, size, register, pointer, at - window));
    }

    /// An address in a general register.
    pub(super) fn address(&mut self, to: u8, base: u8, at: u32) {
        let (pages, rest) = (at >> 12, at & 4095);
        if pages >= 4096 {
            self.words.extend(encode::number(CALL, u64::from(at)));
            return self.push(encode::add_registers(to, base, CALL));
        }
        let mut from = base;
        if pages > 0 {
            self.push(encode::add_pages(to, from, pages));
            from = to;
        }
        if rest > 0 || pages == 0 {
            self.push(encode::add(to, from, rest));
        }
    }

    /// The complete code: entry, body, exit.
    pub(super) fn finish(self) -> Emitted {
        let calls = !self.runs.list.is_empty();
        let bases = self.pointers.bases;
        let frame = (self.frame.top as usize * 8).next_multiple_of(16);
        let on_stack = frame <= MAX_STACK_FRAME;
        let saved = self.registers.used & PRESERVED;
        let linked = calls || saved != 0 || (on_stack && frame > 0);
        let mut words: Vec<u32> = Vec::with_capacity(self.words.len() + 64);

        // Preserved registers in couples: the link, the bases, and vector registers, each with its place.
        let mut couples = vec![(Couple::General, [LINK, 30], 0)];
        if calls {
            couples.push((Couple::General, [19, 20], 16));
            couples.push((Couple::General, [21, 22], 32));
        }
        for k in 0..4 {
            let (r, at) = (8 + 2 * k as u8, 48 + 16 * k);
            if saved & 3 << r != 0 {
                couples.push((Couple::Singles, [r, r + 1], at));
            }
        }
        let save_or_restore = |words: &mut Vec<u32>, load: bool| {
            let each = couples.iter();
            words.extend(each.map(|&(kind, both, at)| encode::couple(load, kind, both, SP, at)));
        };
        if linked {
            words.push(encode::sub(SP, SP, SAVED_BYTES));
            save_or_restore(&mut words, false);
            words.push(encode::add(LINK, SP, 0));
        }
        let frame_base = bases[Base::Frame as usize];
        if on_stack && frame > 0 {
            let mut rest = frame;
            while rest > PAGE_BYTES {
                words.push(encode::sub_pages(SP, SP, 1));
                words.push(encode::touch_stack());
                rest -= PAGE_BYTES;
            }
            if rest == PAGE_BYTES {
                words.push(encode::sub_pages(SP, SP, 1));
            } else {
                words.push(encode::sub(SP, SP, rest as u32));
            }
            if frame > PAGE_BYTES / 2 {
                words.push(encode::touch_stack());
            }
            words.push(encode::add(frame_base, SP, 0));
        } else if frame > 0 {
            words.push(encode::copy_general(frame_base, WORKSPACE));
        }
        if calls {
            words.push(encode::copy_general(bases[Base::Inputs as usize], 0));
            words.push(encode::copy_general(bases[Base::Outputs as usize], 1));
        }

        let mut exit = Vec::new();
        if linked {
            exit.push(encode::add(SP, LINK, 0));
            save_or_restore(&mut exit, true);
            exit.push(encode::add(SP, SP, SAVED_BYTES));
        }
        exit.push(RETURN);

        // The constants are behind the code, in a line of their own.
        let here = words.len();
        let line = size_of::<Line>();
        let constants = bases[Base::Constants as usize];
        let distance = |setup: usize| {
            let end = here + setup + self.words.len() + exit.len();
            (end * 4).next_multiple_of(line) - here * 4
        };
        if !self.constants.is_empty() {
            if distance(1) < 1 << 20 {
                words.push(encode::address(constants, distance(1) as u32));
            } else {
                words.push(encode::address(constants, 0));
                words.extend(encode::long_number(CALL, distance(4) as u32));
                words.push(encode::add_registers(constants, constants, CALL));
            }
        }
        words.extend(self.words);
        words.extend(exit);
        while !(words.len() * 4).is_multiple_of(line) {
            words.push(BREAKPOINT);
        }
        let data_at = words.len() * 4;
        Emitted {
            code: words.iter().flat_map(|w| w.to_le_bytes()).collect(),
            data_at,
            data: self.constants,
            workspace: if on_stack { 0 } else { frame },
        }
    }
}
