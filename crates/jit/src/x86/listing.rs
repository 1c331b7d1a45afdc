//! The instructions in order, before they are bytes.

use super::encode::{Base, Encoder, Opcode, Pairs, Place, Size, Vector};
use super::pointers::Pointers;
use crate::mode::Encoding;

/// A call of a routine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    /// The number of the vector instruction that follows the call.
    pub(super) before: u32,
    /// Whether the upper halves of the registers are in use.
    pub(super) upper: bool,
    /// The addresses of the first and second arguments.
    pub(super) arguments: [(Base, i32); 2],
    /// The offsets of the results in the frame.
    pub(super) results: [i32; 2],
    pub(super) function: usize,
    /// The number of chunks that the routine computes.
    pub(super) count: u32,
}

/// Vector instructions, and calls between them.
#[derive(Debug)]
pub(super) struct Listing {
    encoding: Encoding,
    pub(super) pairs: Pairs,
    pub(super) lines: Vec<Vector>,
    pub(super) calls: Vec<Call>,
}

impl Listing {
    pub(super) fn new(encoding: Encoding, capacity: usize) -> Self {
        Self {
            encoding,
            pairs: Pairs::default(),
            lines: Vec::with_capacity(capacity),
            calls: Vec::new(),
        }
    }

    /// The encoding it is for.
    pub(super) fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Appends an instruction.
    #[inline]
    pub(super) fn push(&mut self, line: Vector) {
        self.lines.push(line);
    }

    /// Appends a vector instruction without an immediate byte or a mask.
    #[inline]
    pub(super) fn vector(&mut self, op: Opcode, size: Size, first: u8, second: u8, third: Place) {
        self.push(Vector::new(op, size, first, second, third));
    }

    /// Copies a register.
    pub(super) fn copy(&mut self, size: Size, to: u8, from: u8) {
        self.push(Vector::copy(self.encoding, size, to, from));
    }

    /// The bytes. After a call, `restore` restores the base registers.
    pub(super) fn bytes(&self, pointers: &Pointers, restore: &[u8]) -> Vec<u8> {
        let mut asm = Encoder::new(self.encoding, self.pairs, 8 * self.lines.len());
        let (mut calls, mut moves) = (self.calls.iter().peekable(), pointers.moves().peekable());
        for (k, line) in self.lines.iter().enumerate() {
            while let Some(call) = calls.next_if(|call| call.before as usize == k) {
                call.write(&mut asm, restore);
            }
            while let Some(m) = moves.next_if(|m| m.before as usize == k) {
                asm.address(m.register, m.base, m.at);
            }
            asm.vector(line);
        }
        for call in calls {
            call.write(&mut asm, restore);
        }
        asm.bytes
    }
}

impl Call {
    fn write(&self, asm: &mut Encoder, restore: &[u8]) {
        if self.upper {
            asm.zero_upper();
        }
        // The registers of the arguments are those of the bases: inputs and frame are overwritten last.
        let [a, b] = self.arguments;
        let [one, two] = self.results;
        asm.address(Base::Outputs, b.0, b.1);
        asm.address(Base::Inputs, a.0, a.1);
        asm.address(Base::Constants, Base::Frame, one);
        asm.address(Base::Frame, Base::Frame, two);
        asm.call(self.function, self.count);
        asm.bytes.extend(restore);
    }
}
