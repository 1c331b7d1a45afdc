//! Pointers into memory, so that displacements take one byte instead of four.
//!
//! Long straight-line code is bound by its length. A displacement of one byte reaches 256 bytes, a
//! *window*; registers that are free otherwise point to the windows used most.

use super::listing::Listing;
use crate::encode::{Base, Place};
use crate::mode::Encoding;

/// What may point to windows; what a call destroys, and then what must be given back as it was.
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
/// How many of them a call destroys.
const VOLATILE: usize = 5;

/// How many bytes a window has. A register points to its middle.
const WINDOW: i32 = 256;

/// Setting a pointer takes 7 bytes and saves 3 at each use: so many uses it must have. Measured with AVX2 on
/// the series of a double pendulum: 3 to 6 are within 2 %, 2 costs 3 %.
const WORTH: usize = 6;
/// Code with fewer long displacements is left as it is.
const LEAST: usize = 64;

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

/// How the operands of a listing are reached.
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

/// What a register points to.
#[derive(Clone, Copy)]
struct Pointer {
    window: Option<(Base, i32)>,
    /// The access that uses it next.
    next: u32,
}

const NOWHERE: Pointer = Pointer {
    window: None,
    next: NEVER,
};

impl Pointers {
    /// Rewrites long displacements of a listing to short ones from pointers, where that pays. EVEX counts
    /// short displacements in units of the operand's size and needs none of it.
    pub(super) fn set(listing: &mut Listing) -> Self {
        if listing.encoding() == Encoding::Evex {
            return Self::default();
        }
        let accesses = accesses(listing);
        if accesses.len() < LEAST {
            return Self::default();
        }
        let mut this = Self::default();
        let mut pointers = [NOWHERE; REGISTERS.len()];
        let mut calls = listing.calls.iter().peekable();
        for (k, access) in accesses.iter().enumerate() {
            while calls.next_if(|call| call.before <= access.line).is_some() {
                pointers[..VOLATILE].fill(NOWHERE);
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
            let third = Place::Memory(REGISTERS[r], *at - access.window.1 * WINDOW);
            listing.lines[access.line as usize].third = third;
        }
        this
    }

    /// The pointers set, in the order of instructions.
    pub(super) fn moves(&self) -> impl Iterator<Item = &Move> {
        self.moves.iter()
    }

    /// Which registers must be given back as they were.
    pub(super) fn kept(&self) -> impl Iterator<Item = Base> {
        let kept = REGISTERS[VOLATILE..].iter().copied();
        kept.filter(|&r| self.moves.iter().any(|m| m.register == r))
    }

    /// Sets a pointer for an access: that which is not needed for longest, if this one is needed often
    /// enough before.
    fn point(
        &mut self,
        accesses: &[Access],
        k: usize,
        pointers: &[Pointer; REGISTERS.len()],
    ) -> Option<usize> {
        let mut last = k as u32;
        for _ in 1..WORTH {
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
            at: window * WINDOW,
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
                window: (base, (at + WINDOW / 2).div_euclid(WINDOW)),
                next: NEVER,
            });
        }
    }
    // By base, and from the lowest window on.
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
