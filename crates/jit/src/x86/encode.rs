//! Instructions as bytes: VEX and EVEX prefixes, operands, displacements. (For SSE2, see `legacy`.)
//!
//! After the prefix come the opcode, one byte that names the registers (or a base and the size of its
//! displacement), the displacement, and an immediate byte where there is one. A displacement takes one
//! byte where it is small; in EVEX that byte counts units of the operand's size.
//! Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, sections 2.3 and 2.7.

mod legacy;

use crate::mode::Encoding;

/// A register that points to memory, with its number in the encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// rdi
    Inputs = 7,
    /// rsi
    Outputs = 6,
    /// rdx
    Constants = 2,
    /// rcx
    Frame = 1,
    Rax = 0,
    Rbx = 3,
    R8 = 8,
    R9 = 9,
    R10 = 10,
    R11 = 11,
    R13 = 13,
    R14 = 14,
    R15 = 15,
}

/// The last operand of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Register(u8),
    Memory(Base, i32),
    /// One number in memory, for every lane (EVEX only).
    Broadcast(Base, i32),
}

/// The number of doubles in a register that an instruction uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    Two = 0,
    Four = 1,
    Eight = 2,
}

/// A vector instruction: `first ← first-or-second ∘ second ∘ third`, depending on the opcode. Instructions of two
/// operands have zero for the second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vector {
    pub(crate) op: Opcode,
    pub(crate) size: Size,
    pub(crate) first: u8,
    pub(crate) second: u8,
    pub(crate) third: Place,
    /// Whether it is under the mask k1 (EVEX).
    pub(crate) masked: bool,
    pub(crate) immediate: Option<u8>,
}

impl Vector {
    pub(crate) fn new(op: Opcode, size: Size, first: u8, second: u8, third: Place) -> Self {
        Self {
            op,
            size,
            first,
            second,
            third,
            masked: false,
            immediate: None,
        }
    }

    /// The instruction with an immediate byte.
    pub(crate) fn with(self, immediate: u8) -> Self {
        Self {
            immediate: Some(immediate),
            ..self
        }
    }

    /// The instruction under the mask k1 (EVEX).
    pub(crate) fn masked(self) -> Self {
        Self {
            masked: true,
            ..self
        }
    }

    /// A copy of a register.
    pub(crate) fn copy(encoding: Encoding, size: Size, to: u8, from: u8) -> Self {
        if encoding == Encoding::Vex && from >= 8 && to < 8 {
            // This form is shorter.
            Self::new(MOVE_BACK, size, from, 0, Place::Register(to))
        } else {
            Self::new(MOVE, size, to, 0, Place::Register(from))
        }
    }
}

/// An instruction without its operands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opcode {
    /// The page of opcodes: 1 is 0F, 2 is 0F38, 3 is 0F3A.
    map: u8,
    /// The implied prefix: 1 is 66, 3 is F2.
    prefix: u8,
    /// The bit W under VEX; it is always set under EVEX.
    w: bool,
    byte: u8,
    /// Whether an operand in memory is a single number.
    single: bool,
}

const fn op(map: u8, prefix: u8, byte: u8) -> Opcode {
    Opcode {
        map,
        prefix,
        w: false,
        byte,
        single: prefix == 3,
    }
}

/// A fused product: `byte` is that of the packed form with the product of the second and third operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fused(u8);

pub(crate) const FMADD: Fused = Fused(0xb8);
pub(crate) const FMSUB: Fused = Fused(0xba);
pub(crate) const FNMADD: Fused = Fused(0xbc);

/// The operands of a fused product that are multiplied; the first is also the result.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Order {
    /// first·third + second
    F132 = 0x20,
    /// second·first + third
    F213 = 0x10,
    /// second·third + first
    F231 = 0,
}

impl Fused {
    pub(crate) fn opcode(self, order: Order, scalar: bool) -> Opcode {
        Opcode {
            map: 2,
            prefix: 1,
            w: true,
            byte: self.0 - order as u8 + u8::from(scalar),
            single: scalar,
        }
    }
}

/// Arithmetic in its packed and scalar forms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arithmetic(u8);

pub(crate) const ADD: Arithmetic = Arithmetic(0x58);
pub(crate) const MUL: Arithmetic = Arithmetic(0x59);
pub(crate) const SUB: Arithmetic = Arithmetic(0x5c);
pub(crate) const DIV: Arithmetic = Arithmetic(0x5e);
pub(crate) const MIN: Arithmetic = Arithmetic(0x5d);
pub(crate) const MAX: Arithmetic = Arithmetic(0x5f);
pub(crate) const SQRT: Arithmetic = Arithmetic(0x51);
pub(crate) const LOAD: Arithmetic = Arithmetic(0x10);
pub(crate) const STORE: Arithmetic = Arithmetic(0x11);
pub(crate) const COMPARE: Arithmetic = Arithmetic(0xc2);

impl Arithmetic {
    pub(crate) fn opcode(self, scalar: bool) -> Opcode {
        op(1, if scalar { 3 } else { 1 }, self.0)
    }
}

/// A copy of a whole register, and the form with exchanged operands.
const MOVE: Opcode = op(1, 1, 0x28);
const MOVE_BACK: Opcode = op(1, 1, 0x29);
pub(crate) const AND: Opcode = op(1, 1, 0x54);
pub(crate) const XOR: Opcode = op(1, 1, 0x57);
/// The low halves of two pairs.
pub(crate) const LOW: Opcode = op(1, 1, 0x14);
/// The high halves of two pairs.
pub(crate) const HIGH: Opcode = op(1, 1, 0x15);
/// A pair with its high half from memory.
pub(crate) const LOAD_HIGH: Opcode = Opcode {
    single: true,
    ..op(1, 1, 0x16)
};
/// The third operand where the mask (in a register) has its sign set, else the second (VEX).
pub(crate) const BLEND: Opcode = op(3, 1, 0x4b);
/// The third operand where the mask k1 is set, else the second (EVEX).
pub(crate) const BLEND_MASKED: Opcode = op(2, 1, 0x65);
/// A pair put in the upper half of four.
pub(crate) const INSERT: Opcode = op(3, 1, 0x18);
/// The upper half of four; the source is the register, the result the place.
pub(crate) const EXTRACT: Opcode = op(3, 1, 0x19);
/// Four in another order.
pub(crate) const PERMUTE: Opcode = Opcode {
    w: true,
    ..op(3, 1, 0x01)
};
/// One number in every lane.
pub(crate) const SPREAD: Opcode = Opcode {
    single: true,
    ..op(2, 1, 0x19)
};

/// Greater; false for NaN, without a signal.
pub(crate) const GREATER: u8 = 0x1e;
/// Greater or equal; false for NaN, without a signal.
pub(crate) const GREATER_EQUAL: u8 = 0x1d;

/// The bytes of instructions.
#[derive(Debug)]
pub(crate) struct Encoder {
    pub(crate) bytes: Vec<u8>,
    pub(crate) encoding: Encoding,
    pub(crate) pairs: Pairs,
}

/// The means of processors without AVX.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pairs {
    /// The register with the upper half of four numbers is this many registers after that of the lower half.
    pub(crate) upper: u8,
    /// The displacement of the addresses of routines for fused products, from the register of the constants.
    pub(crate) routines: i32,
}

/// The largest number of bytes of an instruction.
const MAX_INSTRUCTION_BYTES: usize = 16;

impl Encoder {
    pub(crate) fn new(encoding: Encoding, pairs: Pairs, capacity: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(capacity),
            encoding,
            pairs,
        }
    }

    /// Writes a vector instruction.
    pub(crate) fn vector(&mut self, line: &Vector) {
        if self.encoding == Encoding::Sse {
            return self.legacy(line);
        }
        let &Vector {
            op,
            size,
            first,
            second,
            third,
            masked,
            immediate,
        } = line;
        let mask = u8::from(masked);
        // The high bits of the third operand's number.
        let (b, x) = match third {
            Place::Register(r) => (r >> 3 & 1, r >> 4 & 1),
            Place::Memory(base, _) | Place::Broadcast(base, _) => (base as u8 >> 3, 0),
        };
        let not = |bit: u8| bit & 1 ^ 1;
        let mut buffer = [0u8; MAX_INSTRUCTION_BYTES];
        let mut len;
        // The unit of short displacements.
        let unit;
        match self.encoding {
            Encoding::Evex => {
                let broadcast = matches!(third, Place::Broadcast(..));
                unit = if op.single || broadcast {
                    8
                } else {
                    16 << size as i32
                };
                buffer[0] = 0x62;
                buffer[1] = not(first >> 3) << 7
                    | not(x) << 6
                    | not(b) << 5
                    | not(first >> 4) << 4
                    | op.map;
                buffer[2] = 0x80 | (!second & 15) << 3 | 4 | op.prefix;
                buffer[3] =
                    (size as u8) << 5 | u8::from(broadcast) << 4 | not(second >> 4) << 3 | mask;
                len = 4;
            }
            _ => {
                debug_assert!(first < 16 && second < 16 && x == 0 && mask == 0);
                debug_assert!(!matches!(third, Place::Broadcast(..)) && size != Size::Eight);
                unit = 1;
                let last = (!second & 15) << 3 | (size as u8) << 2 | op.prefix;
                if op.map == 1 && !op.w && b == 0 {
                    buffer[..2].copy_from_slice(&[0xc5, not(first >> 3) << 7 | last]);
                    len = 2;
                } else {
                    buffer[0] = 0xc4;
                    buffer[1] = not(first >> 3) << 7 | 0x40 | not(b) << 5 | op.map;
                    buffer[2] = u8::from(op.w) << 7 | last;
                    len = 3;
                }
            }
        }
        buffer[len] = op.byte;
        len += 1;
        let register = (first & 7) << 3;
        match third {
            Place::Register(r) => {
                buffer[len] = 0xc0 | register | (r & 7);
                len += 1;
            }
            Place::Memory(base, at) | Place::Broadcast(base, at) => {
                let base = base as u8 & 7;
                let short = at / unit;
                // The encoding of r13 without displacement has another meaning.
                if at == 0 && base != 5 {
                    buffer[len] = register | base;
                    len += 1;
                } else if short * unit == at && i32::from(short as i8) == short {
                    buffer[len] = 0x40 | register | base;
                    buffer[len + 1] = short as u8;
                    len += 2;
                } else {
                    buffer[len] = 0x80 | register | base;
                    buffer[len + 1..len + 5].copy_from_slice(&at.to_le_bytes());
                    len += 5;
                }
            }
        }
        if let Some(i) = immediate {
            buffer[len] = i;
            len += 1;
        }
        self.bytes.extend_from_slice(&buffer[..len]);
    }

    /// Clears the upper halves of the registers, where there are such.
    pub(crate) fn zero_upper(&mut self) {
        if self.encoding != Encoding::Sse {
            self.bytes.extend([0xc5, 0xf8, 0x77]);
        }
    }

    /// An address in a register.
    pub(crate) fn address(&mut self, to: Base, base: Base, at: i32) {
        let (to, base) = (to as u8, base as u8);
        let wide = 0x48 | to >> 3 << 2 | base >> 3;
        self.bytes
            .extend([wide, 0x8d, 0x80 | (to & 7) << 3 | base & 7]);
        self.bytes.extend(at.to_le_bytes());
    }

    /// A call of a function, with a count as its fifth argument.
    pub(crate) fn call(&mut self, function: usize, count: u32) {
        self.bytes.extend([0x41, 0xb8]);
        self.bytes.extend(count.to_le_bytes());
        self.bytes.extend([0x48, 0xb8]);
        self.bytes.extend((function as u64).to_le_bytes());
        self.bytes.extend([0xff, 0xd0]);
    }
}

#[cfg(test)]
mod tests;
