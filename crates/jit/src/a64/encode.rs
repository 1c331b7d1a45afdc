//! Instructions of A64 as words of 32 bits.
//!
//! A word is the pattern of its instruction with the numbers of registers at fixed places: the result in bits 0 to 4,
//! the first operand in bits 5 to 9, the second in bits 16 to 20.
//! Arm Architecture Reference Manual for A-profile, chapters C6 and C7.

/// The number of the stack pointer, where an instruction can mean it.
pub(crate) const SP: u8 = 31;
/// The number of the register that reads as zero, where an instruction can mean it.
pub(crate) const ZERO: u8 = 31;

/// An instruction on vector registers with two operands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Two(u32);

/// An instruction on vector registers with one operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct One(u32);

/// Arithmetic on single numbers and on pairs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Forms<T> {
    pub(crate) single: T,
    pub(crate) pair: T,
}

/// The instructions of arithmetic for one number and for two.
pub(crate) const ADD: Forms<Two> = forms2(0x1e60_2800, 0x4e60_d400);
pub(crate) const SUB: Forms<Two> = forms2(0x1e60_3800, 0x4ee0_d400);
pub(crate) const MUL: Forms<Two> = forms2(0x1e60_0800, 0x6e60_dc00);
pub(crate) const DIV: Forms<Two> = forms2(0x1e60_1800, 0x6e60_fc00);
pub(crate) const NEG: Forms<One> = forms1(0x1e61_4000, 0x6ee0_f800);
pub(crate) const ABS: Forms<One> = forms1(0x1e60_c000, 0x4ee0_f800);
pub(crate) const SQRT: Forms<One> = forms1(0x1e61_c000, 0x6ee1_f800);

/// A copy of a single number, and of a whole register.
pub(crate) const COPY: One = One(0x1e60_4000);
/// first ← first + second·third, in pairs.
pub(crate) const ADD_PRODUCT: Two = Two(0x4e60_cc00);
/// first ← first − second·third, in pairs.
pub(crate) const SUB_PRODUCT: Two = Two(0x4ee0_cc00);
/// All bits where the second operand is greater than the third, in pairs; none for NaN.
pub(crate) const GREATER: Two = Two(0x6ee0_e400);
/// All bits where the operand is positive, in pairs; none for NaN.
pub(crate) const POSITIVE: One = One(0x4ee0_c800);
/// All bits where the operand is positive or zero, in pairs; none for NaN.
pub(crate) const NOT_NEGATIVE: One = One(0x6ee0_c800);
/// The bits of the second operand where the result has ones, else those of the third.
pub(crate) const SELECT: Two = Two(0x6e60_1c00);
/// The low halves of two registers.
pub(crate) const LOW: Two = Two(0x4ec0_3800);
/// The high halves of two registers.
pub(crate) const HIGH: Two = Two(0x4ec0_7800);
/// The high half of the second operand and the low half of the third.
pub(crate) const MIDDLE: Two = Two(0x6e00_4000);
/// The low half of the operand, twice.
pub(crate) const SPREAD: One = One(0x4e08_0400);
/// The high half of the operand as a single number.
pub(crate) const UPPER: One = One(0x5e18_0400);
/// Replaces the high half of the result by that of the operand.
pub(crate) const INSERT_UPPER: One = One(0x6e18_4400);

const fn forms2(single: u32, pair: u32) -> Forms<Two> {
    Forms {
        single: Two(single),
        pair: Two(pair),
    }
}

const fn forms1(single: u32, pair: u32) -> Forms<One> {
    Forms {
        single: One(single),
        pair: One(pair),
    }
}

impl Two {
    /// The instruction with its registers.
    pub(crate) fn word(self, to: u8, a: u8, b: u8) -> u32 {
        self.0 | u32::from(b) << 16 | u32::from(a) << 5 | u32::from(to)
    }
}

impl One {
    /// The instruction with its registers.
    pub(crate) fn word(self, to: u8, a: u8) -> u32 {
        self.0 | u32::from(a) << 5 | u32::from(to)
    }
}

/// A copy of a whole vector register.
pub(crate) fn copy_pair(to: u8, from: u8) -> u32 {
    Two(0x4ea0_1c00).word(to, from, from)
}

/// Fused products of single numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fused {
    /// c + a·b
    Add = 0x1f40_0000,
    /// c − a·b
    Sub = 0x1f40_8000,
    /// a·b − c
    Reversed = 0x1f60_8000,
}

/// A fused product of single numbers.
pub(crate) fn fused(op: Fused, to: u8, a: u8, b: u8, c: u8) -> u32 {
    Two(op as u32 | u32::from(c) << 10).word(to, a, b)
}

/// Compares two single numbers.
pub(crate) fn compare(a: u8, b: u8) -> u32 {
    Two(0x1e60_2000).word(0, a, b)
}

/// Compares a single number with zero.
pub(crate) fn compare_zero(a: u8) -> u32 {
    One(0x1e60_2008).word(0, a)
}

/// Results of a comparison; false if one of the numbers is NaN.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Condition {
    Less = 4,
    GreaterOrEqual = 10,
    Greater = 12,
}

/// The first single number if the condition holds, else the second.
pub(crate) fn choose(condition: Condition, to: u8, a: u8, b: u8) -> u32 {
    Two(0x1e60_0c00 | (condition as u32) << 12).word(to, a, b)
}

/// The size of a vector register in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// One number.
    Single = 8,
    /// Two numbers.
    Pair = 16,
}

/// Loads a vector register from a base and a displacement, or stores it. The displacement is a multiple of the size
/// below 4096 times the size.
pub(crate) fn memory(load: bool, size: Size, register: u8, base: u8, at: u32) -> u32 {
    let scaled = at / size as u32;
    debug_assert!(at.is_multiple_of(size as u32) && scaled < 4096);
    let word = match (size, load) {
        (Size::Single, true) => 0xfd40_0000,
        (Size::Single, false) => 0xfd00_0000,
        (Size::Pair, true) => 0x3dc0_0000,
        (Size::Pair, false) => 0x3d80_0000,
    };
    One(word | scaled << 10).word(register, base)
}

/// Two registers in memory, one behind the other.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Couple {
    /// Vector registers of two numbers.
    Pairs,
    /// Vector registers of one number.
    Singles,
    /// General registers.
    General,
}

/// Loads two registers, or stores them. The displacement is a multiple of their size below 64 times the size.
pub(crate) fn couple(
    load: bool,
    kind: Couple,
    registers: [u8; 2],
    base: u8,
    displacement: u32,
) -> u32 {
    let (word, size) = match kind {
        Couple::Pairs => (0xad00_0000, 16),
        Couple::Singles => (0x6d00_0000, 8),
        Couple::General => (0xa900_0000, 8),
    };
    let scaled = displacement / size;
    debug_assert!(displacement.is_multiple_of(size) && scaled < 64);
    let [first, second] = registers;
    One(word | u32::from(load) << 22 | scaled << 15 | u32::from(second) << 10).word(first, base)
}

/// Adds a number below 4096 to a general register or the stack pointer.
pub(crate) fn add(to: u8, from: u8, number: u32) -> u32 {
    debug_assert!(number < 4096);
    One(0x9100_0000 | number << 10).word(to, from)
}

/// Adds a multiple of 4096, given by its factor below 4096.
pub(crate) fn add_pages(to: u8, from: u8, pages: u32) -> u32 {
    debug_assert!(pages < 4096);
    One(0x9140_0000 | pages << 10).word(to, from)
}

/// Subtracts a number below 4096 from a general register or the stack pointer.
pub(crate) fn sub(to: u8, from: u8, number: u32) -> u32 {
    debug_assert!(number < 4096);
    One(0xd100_0000 | number << 10).word(to, from)
}

/// Subtracts a multiple of 4096, given by its factor below 4096.
pub(crate) fn sub_pages(to: u8, from: u8, pages: u32) -> u32 {
    debug_assert!(pages < 4096);
    One(0xd140_0000 | pages << 10).word(to, from)
}

/// Adds two general registers.
pub(crate) fn add_registers(to: u8, a: u8, b: u8) -> u32 {
    Two(0x8b00_0000).word(to, a, b)
}

/// Copies a general register.
pub(crate) fn copy_general(to: u8, from: u8) -> u32 {
    Two(0xaa00_0000).word(to, ZERO, from)
}

/// Sets a general register to a number: as many words as it has parts of 16 bits that are not zero, at least one.
pub(crate) fn number(to: u8, number: u64) -> impl Iterator<Item = u32> {
    let parts = (0..4u32).map(move |k| (k, (number >> (16 * k)) as u16));
    let used = parts.filter(move |&(k, part)| part != 0 || (number == 0 && k == 0));
    used.enumerate().map(move |(n, (k, part))| {
        let word = if n == 0 { 0xd280_0000 } else { 0xf280_0000 };
        word | k << 21 | u32::from(part) << 5 | u32::from(to)
    })
}

/// Sets a general register to a number of 32 bits, always in two words.
pub(crate) fn long_number(to: u8, number: u32) -> [u32; 2] {
    let part = |k: u32| (number >> (16 * k) & 0xffff) << 5 | u32::from(to);
    [0xd280_0000 | part(0), 0xf2a0_0000 | part(1)]
}

/// The address of this instruction plus a distance, which is below a mebibyte.
pub(crate) fn address(to: u8, distance: u32) -> u32 {
    debug_assert!(distance < 1 << 20);
    0x1000_0000 | (distance & 3) << 29 | (distance >> 2) << 5 | u32::from(to)
}

/// Stores zero where the stack pointer points, which touches the page.
pub(crate) fn touch_stack() -> u32 {
    One(0xf900_0000).word(ZERO, SP)
}

/// Calls the function whose address is in a general register.
pub(crate) fn call(register: u8) -> u32 {
    One(0xd63f_0000).word(0, register)
}

/// Returns to the caller.
pub(crate) const RETURN: u32 = 0xd65f_03c0;
/// A breakpoint, in words that are never reached.
pub(crate) const BREAKPOINT: u32 = 0xd420_0000;

#[cfg(test)]
mod tests;
