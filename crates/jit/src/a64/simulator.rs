//! A processor in software for the emitted instructions of A64. It runs on every machine that runs tests, and detects
//! errors that a real processor hides: reads of memory that was never written or is out of bounds.

use std::collections::BTreeSet;

use crate::emitted::Emitted;
use crate::mode::Encoding;
use crate::testing::{CODE, INPUTS, Memory, OUTPUTS, POISON, STACK, STACK_BYTES, WORKSPACE};

/// The state of the processor.
pub(super) struct Simulator {
    memory: Memory,
    /// General registers; the last one is the stack pointer.
    general: [u64; 32],
    vectors: [[u64; 2]; 32],
    /// The result of the last comparison: whether less, equal, greater.
    order: Option<std::cmp::Ordering>,
    at: u64,
    /// The instructions that were met, without the numbers of registers and displacements.
    pub(super) met: BTreeSet<&'static str>,
}

const SP: usize = 31;

impl Simulator {
    pub(super) fn new(emitted: &Emitted, inputs: &[f64], outputs: usize) -> Self {
        let mut general = std::array::from_fn(|r| POISON + r as u64);
        general[0] = INPUTS;
        general[1] = OUTPUTS;
        general[2] = WORKSPACE;
        general[SP] = STACK + STACK_BYTES as u64 - 1024;
        Self {
            memory: Memory::new(emitted, inputs, outputs),
            general,
            vectors: std::array::from_fn(|r| [POISON + r as u64; 2]),
            order: None,
            at: CODE,
            met: BTreeSet::new(),
        }
    }

    /// Runs until the code returns, and gives the outputs.
    pub(super) fn run(&mut self) -> Vec<f64> {
        // Registers that a function must restore: x18 to x30, the stack pointer, the low halves of v8 to v15.
        let kept = |this: &Self| -> Vec<u64> {
            let low = this.vectors[8..16].iter().map(|v| v[0]);
            this.general[18..].iter().copied().chain(low).collect()
        };
        let before = kept(self);
        while self.step() {}
        assert_eq!(kept(self), before);
        self.memory.outputs()
    }

    fn read(&mut self, at: u64) -> u64 {
        self.memory.word(at)
    }

    fn write(&mut self, at: u64, word: u64) {
        self.memory.write(at, &word.to_le_bytes());
    }

    /// Runs one instruction; false for the return.
    fn step(&mut self) -> bool {
        let word = u32::from_le_bytes(self.memory.read(self.at, 4).try_into().unwrap());
        self.at += 4;
        let field = |low: u32, bits: u32| (word >> low & ((1 << bits) - 1)) as usize;
        let (to, a, b) = (field(0, 5), field(5, 5), field(16, 5));
        // Three operands, then two, then memory, then general registers.
        if let Some(name) = self
            .arithmetic(word & 0xffe0_fc00, to, a, b)
            .or_else(|| self.unary(word & 0xffff_fc00, to, a))
        {
            self.met.insert(name);
            return true;
        }
        let name = match word {
            0xd65f_03c0 => return false,
            _ if word & 0xffe0_fc1f == 0x1e60_2000 => {
                let [x, y] = [a, b].map(|r| f64::from_bits(self.vectors[r][0]));
                self.order = x.partial_cmp(&y);
                "fcmp"
            }
            _ if word & 0xffff_fc1f == 0x1e60_2008 => {
                self.order = f64::from_bits(self.vectors[a][0]).partial_cmp(&0.0);
                "fcmp 0"
            }
            _ if word & 0xffe0_0c00 == 0x1e60_0c00 => {
                use std::cmp::Ordering::{Equal, Greater, Less};
                let (holds, name) = match field(12, 4) {
                    4 => (self.order == Some(Less), "fcsel mi"),
                    10 => (matches!(self.order, Some(Greater | Equal)), "fcsel ge"),
                    12 => (self.order == Some(Greater), "fcsel gt"),
                    other => panic!("condition {other}"),
                };
                let from = if holds { a } else { b };
                self.vectors[to] = [self.vectors[from][0], 0];
                name
            }
            _ if word & 0xffa0_0000 == 0x1f00_0000 || word & 0xff60_0000 == 0x1f40_0000 => {
                let number = |r: usize| f64::from_bits(self.vectors[r][0]);
                let (x, y, z) = (number(a), number(b), number(field(10, 5)));
                let (value, name) = match word & 0xffe0_8000 {
                    0x1f40_0000 => (x.mul_add(y, z), "fmadd"),
                    0x1f40_8000 => ((-x).mul_add(y, z), "fmsub"),
                    other => panic!("{other:x}"),
                };
                self.vectors[to] = [value.to_bits(), 0];
                name
            }
            _ if word & 0xffe0_8000 == 0x1f60_8000 => {
                let number = |r: usize| f64::from_bits(self.vectors[r][0]);
                let value = number(a).mul_add(number(b), -number(field(10, 5)));
                self.vectors[to] = [value.to_bits(), 0];
                "fnmsub"
            }
            _ => self.memory_or_general(word, to, a, b),
        };
        self.met.insert(name);
        true
    }

    /// Vector instructions with two operands, and arithmetic of single numbers.
    fn arithmetic(&mut self, pattern: u32, to: usize, a: usize, b: usize) -> Option<&'static str> {
        let (x, y, old) = (self.vectors[a], self.vectors[b], self.vectors[to]);
        let f = f64::from_bits;
        let each = |g: &dyn Fn(f64, f64) -> f64| [0, 1].map(|k| g(f(x[k]), f(y[k])).to_bits());
        let single = |value: f64| [value.to_bits(), 0];
        let (value, name) = match pattern {
            0x1e60_2800 => (single(f(x[0]) + f(y[0])), "fadd d"),
            0x1e60_3800 => (single(f(x[0]) - f(y[0])), "fsub d"),
            0x1e60_0800 => (single(f(x[0]) * f(y[0])), "fmul d"),
            0x1e60_1800 => (single(f(x[0]) / f(y[0])), "fdiv d"),
            0x4e60_d400 => (each(&|x, y| x + y), "fadd 2d"),
            0x4ee0_d400 => (each(&|x, y| x - y), "fsub 2d"),
            0x6e60_dc00 => (each(&|x, y| x * y), "fmul 2d"),
            0x6e60_fc00 => (each(&|x, y| x / y), "fdiv 2d"),
            0x4e60_cc00 => (
                [0, 1].map(|k| f(x[k]).mul_add(f(y[k]), f(old[k])).to_bits()),
                "fmla",
            ),
            0x4ee0_cc00 => (
                [0, 1].map(|k| (-f(x[k])).mul_add(f(y[k]), f(old[k])).to_bits()),
                "fmls",
            ),
            0x6ee0_e400 => (
                [0, 1].map(|k| if f(x[k]) > f(y[k]) { u64::MAX } else { 0 }),
                "fcmgt",
            ),
            0x6e60_1c00 => ([0, 1].map(|k| old[k] & x[k] | !old[k] & y[k]), "bsl"),
            0x4ec0_3800 => ([x[0], y[0]], "zip1"),
            0x4ec0_7800 => ([x[1], y[1]], "zip2"),
            0x6e00_4000 => ([x[1], y[0]], "ext"),
            0x4ea0_1c00 => {
                assert_eq!(a, b);
                (x, "mov 16b")
            }
            _ => return None,
        };
        self.vectors[to] = value;
        Some(name)
    }

    /// Vector instructions with one operand.
    fn unary(&mut self, pattern: u32, to: usize, a: usize) -> Option<&'static str> {
        let (x, old) = (self.vectors[a], self.vectors[to]);
        let f = f64::from_bits;
        let sign = 1u64 << 63;
        let mask = |yes: bool| if yes { u64::MAX } else { 0 };
        let (value, name) = match pattern {
            0x1e61_4000 => ([x[0] ^ sign, 0], "fneg d"),
            0x1e60_c000 => ([x[0] & !sign, 0], "fabs d"),
            0x1e61_c000 => ([f(x[0]).sqrt().to_bits(), 0], "fsqrt d"),
            0x1e60_4000 => ([x[0], 0], "fmov d"),
            0x6ee0_f800 => (x.map(|x| x ^ sign), "fneg 2d"),
            0x4ee0_f800 => (x.map(|x| x & !sign), "fabs 2d"),
            0x6ee1_f800 => (x.map(|x| f(x).sqrt().to_bits()), "fsqrt 2d"),
            0x4ee0_c800 => (x.map(|x| mask(f(x) > 0.0)), "fcmgt 0"),
            0x6ee0_c800 => (x.map(|x| mask(f(x) >= 0.0)), "fcmge 0"),
            0x4e08_0400 => ([x[0]; 2], "dup 2d"),
            0x5e18_0400 => ([x[1], 0], "dup d"),
            0x6e18_4400 => ([old[0], x[1]], "ins"),
            _ => return None,
        };
        self.vectors[to] = value;
        Some(name)
    }

    fn memory_or_general(&mut self, word: u32, to: usize, a: usize, b: usize) -> &'static str {
        let field = |low: u32, bits: u32| u64::from(word >> low & ((1 << bits) - 1));
        let second = field(10, 5) as usize;
        let scaled = |unit: u64| self.general[a] + field(10, 12) * unit;
        let coupled = |unit: u64| self.general[a] + field(15, 7) * unit;
        match word >> 22 {
            0x3f5 => {
                let value = self.read(scaled(8));
                self.vectors[to] = [value, 0];
                "ldr d"
            }
            0x3f4 => {
                self.write(scaled(8), self.vectors[to][0]);
                "str d"
            }
            0x0f7 => {
                let at = scaled(16);
                self.vectors[to] = [self.read(at), self.read(at + 8)];
                "ldr q"
            }
            0x0f6 => {
                let (at, [low, high]) = (scaled(16), self.vectors[to]);
                self.write(at, low);
                self.write(at + 8, high);
                "str q"
            }
            0x2b5 => {
                let at = coupled(16);
                self.vectors[to] = [self.read(at), self.read(at + 8)];
                self.vectors[second] = [self.read(at + 16), self.read(at + 24)];
                "ldp q"
            }
            0x2b4 => {
                let at = coupled(16);
                let list = [self.vectors[to], self.vectors[second]].concat();
                for (k, value) in list.into_iter().enumerate() {
                    self.write(at + 8 * k as u64, value);
                }
                "stp q"
            }
            0x1b5 => {
                let at = coupled(8);
                self.vectors[to] = [self.read(at), 0];
                self.vectors[second] = [self.read(at + 8), 0];
                "ldp d"
            }
            0x1b4 => {
                let at = coupled(8);
                self.write(at, self.vectors[to][0]);
                self.write(at + 8, self.vectors[second][0]);
                "stp d"
            }
            0x2a5 => {
                let at = coupled(8);
                self.general[to] = self.read(at);
                self.general[second] = self.read(at + 8);
                "ldp x"
            }
            0x2a4 => {
                let at = coupled(8);
                self.write(at, self.general[to]);
                self.write(at + 8, self.general[second]);
                "stp x"
            }
            0x244 | 0x245 => {
                let shift = 12 * (word >> 22 & 1);
                self.general[to] = self.general[a] + (field(10, 12) << shift);
                "add"
            }
            0x344 | 0x345 => {
                let shift = 12 * (word >> 22 & 1);
                self.general[to] = self.general[a] - (field(10, 12) << shift);
                "sub"
            }
            _ if word & 0xffe0_fc00 == 0x8b00_0000 => {
                self.general[to] = self.general[a] + self.general[b];
                "add x"
            }
            _ if word & 0xffe0_ffe0 == 0xaa00_03e0 => {
                self.general[to] = self.general[b];
                "mov x"
            }
            _ if word & 0xff80_0000 == 0xd280_0000 => {
                self.general[to] = field(5, 16) << (16 * field(21, 2));
                "movz"
            }
            _ if word & 0xff80_0000 == 0xf280_0000 => {
                let shift = 16 * field(21, 2);
                self.general[to] = self.general[to] & !(0xffff << shift) | field(5, 16) << shift;
                "movk"
            }
            _ if word & 0x9f00_0000 == 0x1000_0000 => {
                let distance = field(5, 19) << 2 | field(29, 2);
                self.general[to] = self.at - 4 + distance;
                "adr"
            }
            0x3e4 => {
                assert_eq!((to, a), (31, SP));
                self.memory.touch(self.general[SP]);
                "str xzr"
            }
            _ if word & 0xffff_fc1f == 0xd63f_0000 => {
                self.call(a);
                "blr"
            }
            _ => panic!("{word:08x} at {:x}", self.at - 4),
        }
    }

    /// A call of a routine: computes its result, and overwrites the registers that a call may destroy.
    fn call(&mut self, register: usize) {
        let arguments = [0, 1, 2, 3].map(|r| self.general[r]);
        let [function, chunks, stack] = [register, 4, SP].map(|r| self.general[r]);
        self.memory
            .call(function, Encoding::Neon, arguments, chunks, stack);
        for (r, vector) in self.vectors.iter_mut().enumerate() {
            // The low halves of v8 to v15 survive.
            let low = if (8..16).contains(&r) {
                vector[0]
            } else {
                POISON
            };
            *vector = [low, POISON];
        }
        self.general[..18].fill(POISON);
        self.general[30] = POISON;
        self.order = None;
    }
}
