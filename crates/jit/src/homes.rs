//! Memory of values during a pass over code, and their uses: shared by the emitters of all processors.

use galilei_tape::code::{Code, Value};

/// No further use.
pub(crate) const NEVER: u32 = u32::MAX;

/// A location in memory: its region, and its offset in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Home(u32);

impl Home {
    pub(crate) const NONE: Self = Self(0);
    pub(crate) const INPUT: u32 = 1;
    pub(crate) const CONSTANT: u32 = 2;
    pub(crate) const OUTPUT: u32 = 3;
    pub(crate) const SLOT: u32 = 4;

    pub(crate) fn new(kind: u32, at: u32) -> Self {
        Self(at << 3 | kind)
    }

    pub(crate) fn kind(self) -> u32 {
        self.0 & 7
    }

    pub(crate) fn at(self) -> u32 {
        self.0 >> 3
    }

    /// The home `k` numbers further.
    pub(crate) fn plus(self, k: u32) -> Self {
        Self(self.0 + (k << 3))
    }
}

/// The memory of the pass itself: arguments of routines first, then slots.
#[derive(Debug)]
pub(crate) struct Frame {
    /// The number of doubles of the whole frame.
    pub(crate) top: u32,
    /// Slots for a narrow value, free again.
    narrow: Vec<u32>,
    /// Slots for a wide value, free again.
    wide: Vec<u32>,
    lanes: u32,
}

impl Frame {
    /// A frame that begins with the arguments of routines.
    pub(crate) fn new(arguments: u32, lanes: usize) -> Self {
        Self {
            top: arguments,
            narrow: Vec::new(),
            wide: Vec::new(),
            lanes: lanes as u32,
        }
    }

    /// A slot for a value.
    pub(crate) fn slot(&mut self, wide: bool) -> u32 {
        if wide {
            self.wide.pop().unwrap_or_else(|| self.block(4, 4))
        } else {
            self.narrow.pop().unwrap_or_else(|| {
                self.top += self.lanes;
                self.top - self.lanes
            })
        }
    }

    /// Allocates `count` consecutive numbers, at a multiple of `align`.
    pub(crate) fn block(&mut self, count: u32, align: u32) -> u32 {
        while !self.top.is_multiple_of(align) {
            self.narrow.push(self.top);
            self.top += self.lanes;
        }
        self.top += count;
        self.top - count
    }

    pub(crate) fn free(&mut self, slot: u32, wide: bool) {
        if wide {
            self.wide.push(slot);
        } else {
            self.narrow.push(slot);
        }
    }
}

/// The outputs of each value.
#[derive(Debug)]
pub(crate) struct Outputs {
    /// The first output of each value, or [`NEVER`].
    pub(crate) first: Vec<u32>,
    /// Another output of the same value, or [`NEVER`].
    pub(crate) more: Vec<u32>,
    /// The position of each output, in numbers.
    pub(crate) at: Vec<u32>,
}

impl Outputs {
    pub(crate) fn of(code: &Code, lanes: usize) -> Self {
        let count = code.outputs().len();
        let mut this = Self {
            first: vec![NEVER; code.instrs().len()],
            more: vec![NEVER; count],
            at: Vec::with_capacity(count),
        };
        let mut at = 0;
        for (k, &v) in code.outputs().iter().enumerate() {
            this.more[k] = std::mem::replace(&mut this.first[v as usize], k as u32);
            this.at.push(at);
            at += if code.is_wide(v) { 4 } else { lanes as u32 };
        }
        this
    }

    pub(crate) fn has(&self, v: Value) -> bool {
        self.first[v as usize] != NEVER
    }
}

/// The next use after each use of a value, in the order of uses, reversed. `exchange(v, k)` records the use of value v
/// by instruction k and returns the use recorded before; instructions come in reverse order.
pub(crate) fn uses(code: &Code, mut exchange: impl FnMut(Value, u32) -> u32) -> Vec<u32> {
    let mut ahead = Vec::with_capacity(2 * code.instrs().len());
    for (k, i) in code.instrs().iter().enumerate().rev() {
        for &v in i.operands().iter().rev() {
            ahead.push(exchange(v, k as u32));
        }
    }
    ahead
}
