//! A processor in software for the emitted instructions. It runs encodings that the machine may not have, and detects
//! errors that a real processor hides: reads of memory that was never written or is out of bounds.

use crate::emitted::Emitted;
use crate::mode::Encoding;
use crate::testing::{CODE, INPUTS, Memory, OUTPUTS, POISON, STACK, STACK_BYTES, WORKSPACE};

/// The state of the processor.
pub(super) struct Simulator {
    encoding: Encoding,
    memory: Memory,
    general: [u64; 16],
    vectors: [[u64; 8]; 32],
    k1: u64,
    at: u64,
    /// The vector instructions that were met: page, prefix and opcode.
    pub(super) met: std::collections::BTreeSet<(u8, u8, u8)>,
}

const RAX: usize = 0;
const RCX: usize = 1;
const RDX: usize = 2;
const RBX: usize = 3;
const RSP: usize = 4;
const RBP: usize = 5;
const RSI: usize = 6;
const RDI: usize = 7;
const R8: usize = 8;

/// A vector instruction, taken apart.
struct Vector {
    evex: bool,
    map: u8,
    prefix: u8,
    byte: u8,
    /// The number of doubles in a register.
    count: usize,
    first: usize,
    second: usize,
    third: Third,
    broadcast: bool,
    masked: bool,
}

enum Third {
    Register(usize),
    Memory(u64),
}

impl Simulator {
    pub(super) fn new(
        emitted: &Emitted,
        encoding: Encoding,
        inputs: &[f64],
        outputs: usize,
    ) -> Self {
        let mut general = std::array::from_fn(|r| POISON + r as u64);
        general[RDI] = INPUTS;
        general[RSI] = OUTPUTS;
        general[RDX] = WORKSPACE;
        general[RSP] = STACK + STACK_BYTES as u64 - 1000;
        Self {
            encoding,
            memory: Memory::new(emitted, inputs, outputs),
            general,
            vectors: [[POISON; 8]; 32],
            k1: POISON,
            at: CODE,
            met: std::collections::BTreeSet::new(),
        }
    }

    /// Runs until the code returns, and gives the outputs.
    pub(super) fn run(&mut self) -> Vec<f64> {
        // Registers that a function must restore.
        let kept = |this: &Self| [RSP, RBP, RBX, 12, 13, 14, 15].map(|r| this.general[r]);
        let before = kept(self);
        assert_eq!(before[0] % 16, 8, "as after a call");
        while self.step() {}
        assert_eq!(kept(self), before);
        self.memory.outputs()
    }

    fn next(&mut self) -> u8 {
        self.at += 1;
        self.memory.read(self.at - 1, 1)[0]
    }

    fn next_i32(&mut self) -> u64 {
        self.at += 4;
        let bytes = self.memory.read(self.at - 4, 4).try_into().unwrap();
        i64::from(i32::from_le_bytes(bytes)) as u64
    }

    fn next_i8(&mut self) -> u64 {
        i64::from(self.next() as i8) as u64
    }

    fn step(&mut self) -> bool {
        match self.next() {
            0x55 => {
                self.general[RSP] -= 8;
                self.memory
                    .write(self.general[RSP], &self.general[RBP].to_le_bytes());
            }
            0xc9 => {
                self.general[RBP] = {
                    let at = self.general[RBP];
                    self.general[RSP] = at + 8;
                    self.memory.word(at)
                };
            }
            0xc3 => return false,
            prefix @ (0x48..=0x4f) => self.general_instruction(prefix),
            0x41 => {
                assert_eq!(self.next(), 0xb8);
                self.general[R8] = self.next_i32() & 0xffff_ffff;
            }
            0xff => {
                assert_eq!(self.next(), 0xd0);
                self.call();
            }
            first @ (0xc5 | 0xc4 | 0x62) => self.vector(first),
            other => panic!("byte {other:x} at {:x}", self.at - 1),
        }
        true
    }

    fn general_instruction(&mut self, prefix: u8) {
        let op = self.next();
        if op == 0xb8 {
            self.at += 8;
            self.general[RAX] = self.memory.word(self.at - 8);
            return;
        }
        let operands = self.next();
        let (how, register, other) = (
            operands >> 6,
            usize::from(operands >> 3 & 7 | prefix << 1 & 8),
            usize::from(operands & 7 | prefix << 3 & 8),
        );
        match (op, how) {
            (0x89, 3) => self.general[other] = self.general[register],
            (0x89, 1) => {
                let at = self.general[other].wrapping_add(self.next_i8());
                self.memory.write(at, &self.general[register].to_le_bytes());
            }
            (0x8b, 1) => {
                let at = self.general[other].wrapping_add(self.next_i8());
                self.general[register] = self.memory.word(at);
            }
            (0x8d, 0) => {
                assert_eq!(other, 5);
                let by = self.next_i32();
                self.general[register] = self.at.wrapping_add(by);
            }
            (0x8d, 2) => {
                if other == RSP {
                    assert_eq!(self.next(), 0x24);
                }
                let by = self.next_i32();
                self.general[register] = self.general[other].wrapping_add(by);
            }
            (0x81, 3) => {
                let by = self.next_i32();
                let x = self.general[other];
                self.general[other] = match register {
                    0 => x.wrapping_add(by),
                    5 => x.wrapping_sub(by),
                    _ => panic!("81 /{register}"),
                };
            }
            (0x83, 3) => {
                assert_eq!(register, 4);
                self.general[other] &= self.next_i8();
            }
            (0x83, 0) => {
                assert_eq!((operands, self.next(), self.next()), (0x0c, 0x24, 0));
                self.memory.touch(self.general[RSP]);
            }
            _ => panic!("{op:x} {operands:x}"),
        }
    }

    /// A call of a routine: computes its result, and overwrites the registers that a call may destroy.
    fn call(&mut self) {
        let arguments = [RDI, RSI, RDX, RCX].map(|r| self.general[r]);
        let [function, chunks, stack] = [RAX, R8, RSP].map(|r| self.general[r]);
        self.memory
            .call(function, self.encoding, arguments, chunks, stack);
        self.vectors = [[POISON; 8]; 32];
        self.k1 = POISON;
        for r in [RAX, RCX, RDX, RSI, RDI, 8, 9, 10, 11] {
            self.general[r] = POISON;
        }
    }

    /// Takes a vector instruction apart.
    fn decode(&mut self, first_byte: u8) -> Vector {
        let bit = |byte: u8, k: u8| usize::from(byte >> k & 1);
        let not = |byte: u8, k: u8| usize::from(!byte >> k & 1);
        let (mut first, mut second, mut b, mut x) = (0, 0, 0, 0);
        let (map, prefix, length);
        let (mut broadcast, mut masked) = (false, false);
        match first_byte {
            0xc5 => {
                let p = self.next();
                first += not(p, 7) << 3;
                (map, prefix, length) = (1, p & 3, bit(p, 2));
                second += usize::from(!p >> 3 & 15);
            }
            0xc4 => {
                let (p, q) = (self.next(), self.next());
                first += not(p, 7) << 3;
                b += not(p, 5) << 3;
                (map, prefix, length) = (p & 31, q & 3, bit(q, 2));
                second += usize::from(!q >> 3 & 15);
            }
            _ => {
                let (p, q, r) = (self.next(), self.next(), self.next());
                assert!(p & 8 == 0 && q & 4 == 4 && q & 0x80 != 0 && r & 0x80 == 0);
                first += (not(p, 7) << 3) + (not(p, 4) << 4);
                b += not(p, 5) << 3;
                x += not(p, 6) << 4;
                (map, prefix, length) = (p & 7, q & 3, usize::from(r >> 5 & 3));
                second += usize::from(!q >> 3 & 15) + (not(r, 3) << 4);
                broadcast = r & 16 != 0;
                masked = r & 7 != 0;
                assert!(r & 7 <= 1);
            }
        }
        let byte = self.next();
        let evex = first_byte == 0x62;
        let count = 2 << length;
        let mut this = Vector {
            evex,
            map,
            prefix,
            byte,
            count,
            first,
            second,
            third: Third::Register(0),
            broadcast,
            masked,
        };
        if (map, prefix, byte) == (1, 0, 0x77) {
            return this;
        }
        let operands = self.next();
        this.first += usize::from(operands >> 3 & 7);
        let other = usize::from(operands & 7);
        if operands >> 6 == 3 {
            this.third = Third::Register(other + b + x);
            return this;
        }
        let unit = if !evex {
            1
        } else if broadcast || this.single() {
            8
        } else {
            8 * count as u64
        };
        let by = match operands >> 6 {
            0 => 0,
            1 => self.next_i8().wrapping_mul(unit),
            _ => self.next_i32(),
        };
        assert!(x == 0 && other != 4 && (other != 5 || operands >> 6 != 0));
        this.third = Third::Memory(self.general[other + b].wrapping_add(by));
        this
    }

    fn vector(&mut self, first_byte: u8) {
        let v = self.decode(first_byte);
        if v.byte == 0x77 {
            for r in &mut self.vectors {
                r[2..].fill(0);
            }
            return;
        }
        self.met.insert((v.map, v.prefix, v.byte));
        let (a, b) = (self.vectors[v.first], self.vectors[v.second]);
        // Stores write their third operand.
        if v.map == 1 && matches!(v.byte, 0x11 | 0x29) {
            let single = v.single();
            match v.third {
                Third::Memory(at) => {
                    let count = if single { 1 } else { v.count };
                    let bytes: Vec<u8> = a[..count].iter().flat_map(|w| w.to_le_bytes()).collect();
                    self.memory.write(at, &bytes);
                }
                Third::Register(r) => self.set(r, v.count, |k| a[k]),
            }
            return;
        }
        if v.map == 3 && v.byte == 0x19 {
            let half = usize::from(self.next()) * 2;
            let Third::Register(r) = v.third else {
                panic!("to a register only");
            };
            return self.set(r, 2, |k| a[half + k]);
        }
        let c = self.third(&v);
        let f = f64::from_bits;
        let scalar = v.single();
        let count = v.count;
        let mut result = [0; 8];
        // The upper half of single results is that of the second operand, or of the first.
        let each = |result: &mut [u64; 8], upper: u64, g: &dyn Fn(usize) -> f64| {
            if scalar {
                result[0] = g(0).to_bits();
                result[1] = upper;
            } else {
                for k in 0..count {
                    result[k] = g(k).to_bits();
                }
            }
        };
        match (v.map, v.byte) {
            (1, 0x58) => each(&mut result, b[1], &|k| f(b[k]) + f(c[k])),
            (1, 0x59) => each(&mut result, b[1], &|k| f(b[k]) * f(c[k])),
            (1, 0x5c) => each(&mut result, b[1], &|k| f(b[k]) - f(c[k])),
            (1, 0x5e) => each(&mut result, b[1], &|k| f(b[k]) / f(c[k])),
            (1, 0x5d) => each(&mut result, b[1], &|k| {
                f(if f(b[k]) < f(c[k]) { b[k] } else { c[k] })
            }),
            (1, 0x5f) => each(&mut result, b[1], &|k| {
                f(if f(b[k]) > f(c[k]) { b[k] } else { c[k] })
            }),
            (1, 0x51) => each(&mut result, b[1], &|k| f(c[k]).sqrt()),
            (1, 0x10 | 0x28) => result[..count].copy_from_slice(&c[..count]),
            (1, 0x54) => (0..count).for_each(|k| result[k] = b[k] & c[k]),
            (1, 0x57) => (0..count).for_each(|k| result[k] = b[k] ^ c[k]),
            (1, 0x14) => result[..2].copy_from_slice(&[b[0], c[0]]),
            (1, 0x15) => result[..2].copy_from_slice(&[b[1], c[1]]),
            (1, 0x16) => result[..2].copy_from_slice(&[b[0], c[0]]),
            (1, 0xc2) => {
                let relation = self.next();
                let holds = |k: usize| match relation {
                    0x1e => f(b[k]) > f(c[k]),
                    0x1d => f(b[k]) >= f(c[k]),
                    _ => panic!("relation {relation:x}"),
                };
                if v.evex {
                    assert_eq!(v.first, 1);
                    let lanes = if scalar { 1 } else { count };
                    self.k1 = (0..lanes).map(|k| u64::from(holds(k)) << k).sum();
                    return;
                }
                each(&mut result, b[1], &|k| {
                    f(if holds(k) { u64::MAX } else { 0 })
                });
            }
            (2, 0x19) => result[..count].fill(c[0]),
            (3, 0x01) => {
                let order = usize::from(self.next());
                (0..count).for_each(|k| result[k] = c[order >> (2 * k) & 3]);
            }
            (2, 0x65) => {
                assert!(v.masked && v.evex);
                (0..count)
                    .for_each(|k| result[k] = if self.k1 >> k & 1 == 1 { c[k] } else { b[k] });
            }
            (2, byte) => each(&mut result, a[1], &|k| {
                let (x, y, z) = match byte >> 4 {
                    0x9 => (a[k], c[k], b[k]),
                    0xa => (b[k], a[k], c[k]),
                    0xb => (b[k], c[k], a[k]),
                    _ => panic!("opcode {byte:x}"),
                };
                let (x, y, z) = (f(x), f(y), f(z));
                match byte & 0xe {
                    0x8 => x.mul_add(y, z),
                    0xa => x.mul_add(y, -z),
                    0xc => (-x).mul_add(y, z),
                    _ => panic!("opcode {byte:x}"),
                }
            }),
            (3, 0x18) => {
                assert_eq!(self.next(), 1);
                result[..4].copy_from_slice(&[b[0], b[1], c[0], c[1]]);
            }
            (3, 0x4b) => {
                assert!(!v.evex);
                let mask = self.vectors[usize::from(self.next() >> 4)];
                (0..count).for_each(|k| result[k] = if mask[k] >> 63 == 1 { c[k] } else { b[k] });
            }
            _ => panic!("opcode {:x} of {}", v.byte, v.map),
        }
        self.vectors[v.first] = result;
    }

    fn set(&mut self, r: usize, count: usize, of: impl Fn(usize) -> u64) {
        self.vectors[r] = std::array::from_fn(|k| if k < count { of(k) } else { 0 });
    }

    /// The third operand; zeros beyond the part that is read.
    fn third(&mut self, v: &Vector) -> [u64; 8] {
        let at = match v.third {
            Third::Register(r) => return self.vectors[r],
            Third::Memory(at) => at,
        };
        let mut words = [0; 8];
        if v.broadcast {
            words = [self.memory.word(at); 8];
        } else if v.single() {
            words[0] = self.memory.word(at);
        } else {
            for k in 0..v.count {
                words[k] = self.memory.word(at + 8 * k as u64);
            }
        }
        words
    }
}

impl Vector {
    /// Whether the instruction is for a single number.
    fn single(&self) -> bool {
        match self.map {
            1 => self.prefix == 3 || self.byte == 0x16,
            2 => self.byte == 0x19 || self.byte & 0x89 == 0x89,
            _ => false,
        }
    }
}
