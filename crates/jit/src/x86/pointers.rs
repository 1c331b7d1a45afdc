//! Pointers into memory, so that displacements take one byte instead of four.
//!
//! The length of long straight-line code limits its speed. A displacement of one byte reaches 256 bytes, a *window*;
//! registers that are otherwise free point to the windows used most.

use super::encode::{Base, Place};
use super::listing::Listing;
use crate::mode::Encoding;

/// Registers that may point to windows: first those that a call destroys, then those that must be restored.
const REGISTERS: [Base; 9] = [
    Base::Rax,
    Base::R8,
    Base::R9,
    Base::R10,
    Base::R11,
    Base::Rbx,
    Base::R13,
    Base::R14,
    Base::R15,
];
/// The number of these registers that a call destroys.
const CALL_CLOBBERED: usize = 5;

/// The number of bytes of a window. A register points to its middle.
const WINDOW_BYTES: i32 = 256;

/// The smallest number of uses of a pointer: setting one takes 7 bytes and saves 3 at each use. Measured with AVX2 on
/// the series of a double pendulum: 3 to 6 are within 2 %, 2 costs 3 %.
const MIN_USES: usize = 6;
/// The smallest number of long displacements in code that gets pointers.
const MIN_LONG_DISPLACEMENTS: usize = 64;

/// No further use.
const NEVER: u32 = u32::MAX;

/// A pointer set before an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    pub(super) before: u32,
    pub(super) register: Base,
    pub(super) base: Base,
    pub(super) at: i32,
}

/// The pointers by which the operands of a listing are reached.
#[derive(Debug, Default)]
pub(super) struct Pointers {
    moves: Vec<Move>,
}

/// An operand with a long displacement.
struct Access {
    line: u32,
    window: (Base, i32),
    /// The next access of the same window.
    next: u32,
}

/// The window of a register.
#[derive(Clone, Copy)]
struct Pointer {
    window: Option<(Base, i32)>,
    /// The access that uses it next.
    next: u32,
}

const NO_POINTER: Pointer = Pointer {
    window: None,
    next: NEVER,
};

impl Pointers {
    /// Replaces long displacements of a listing by short ones relative to pointers, where that pays. EVEX counts
    /// short displacements in units of the operand's size and does not need it.
    pub(super) fn set(listing: &mut Listing) -> Self {
        if listing.encoding() == Encoding::Evex {
            return Self::default();
        }
        let accesses = accesses(listing);
        if accesses.len() < MIN_LONG_DISPLACEMENTS {
            return Self::default();
        }
        let mut this = Self::default();
        let mut pointers = [NO_POINTER; REGISTERS.len()];
        let mut calls = listing.calls.iter().peekable();
        for (k, access) in accesses.iter().enumerate() {
            while calls.next_if(|call| call.before <= access.line).is_some() {
                pointers[..CALL_CLOBBERED].fill(NO_POINTER);
            }
            let held = pointers
                .iter()
                .position(|p| p.window == Some(access.window));
            let Some(r) = held.or_else(|| this.point(&accesses, k, &pointers)) else {
                continue;
            };
            pointers[r] = Pointer {
                window: Some(access.window),
                next: access.next,
            };
            let Place::Memory(_, at) = &mut listing.lines[access.line as usize].third else {
                unreachable!("an access is to memory");
            };
            let third = Place::Memory(REGISTERS[r], *at - access.window.1 * WINDOW_BYTES);
            listing.lines[access.line as usize].third = third;
        }
        this
    }

    /// The pointers set, in the order of instructions.
    pub(super) fn moves(&self) -> impl Iterator<Item = &Move> {
        self.moves.iter()
    }

    /// Registers that must be restored.
    pub(super) fn restored(&self) -> impl Iterator<Item = Base> {
        let kept = REGISTERS[CALL_CLOBBERED..].iter().copied();
        kept.filter(|&r| self.moves.iter().any(|m| m.register == r))
    }

    /// Sets a pointer for an access. It replaces the pointer whose next use is farthest, if the new one is used often
    /// enough before.
    fn point(
        &mut self,
        accesses: &[Access],
        k: usize,
        pointers: &[Pointer; REGISTERS.len()],
    ) -> Option<usize> {
        let mut last = k as u32;
        for _ in 1..MIN_USES {
            last = accesses[last as usize].next;
            if last == NEVER {
                return None;
            }
        }
        let (r, furthest) = pointers
            .iter()
            .enumerate()
            .max_by_key(|(r, p)| (p.next, std::cmp::Reverse(*r)))?;
        if furthest.next <= last {
            return None;
        }
        let (base, window) = accesses[k].window;
        self.moves.push(Move {
            before: accesses[k].line,
            register: REGISTERS[r],
            base,
            at: window * WINDOW_BYTES,
        });
        Some(r)
    }
}

/// The operands with long displacements, in order.
fn accesses(listing: &Listing) -> Vec<Access> {
    let mut list = Vec::new();
    for (line, vector) in listing.lines.iter().enumerate() {
        if let Place::Memory(base, at) = vector.third
            && i32::from(at as i8) != at
        {
            list.push(Access {
                line: line as u32,
                window: (base, (at + WINDOW_BYTES / 2).div_euclid(WINDOW_BYTES)),
                next: NEVER,
            });
        }
    }
    // Windows are counted per base, from the lowest one on.
    let lowest = list.iter().map(|a| a.window.1).min().unwrap_or(0);
    let mut upcoming: [Vec<u32>; 8] = Default::default();
    for (k, access) in list.iter_mut().enumerate().rev() {
        let (base, window) = access.window;
        let row = &mut upcoming[base as usize & 7];
        let at = (window - lowest) as usize;
        if row.len() <= at {
            row.resize(at + 1, NEVER);
        }
        access.next = std::mem::replace(&mut row[at], k as u32);
    }
    list
}
