//! a·b + c, rounded once, for processors without the instruction: routines that emitted code calls with arguments in registers.
//!
//! The steps are those of `galilei_linear::fma`, for one number or for two at once: the product and the sums with their errors, the
//! errors added with rounding to odd (Boldo and Melquiond 2008). Arguments for which the steps are not exact, and zeros, are left to
//! `galilei_linear::fma`.
//!
//! A routine takes a, b and c in [`ARGUMENTS`], gives the result in the first of them, overwrites the registers from there on,
//! and preserves everything else, also what ordinary functions destroy. It wants the stack aligned to 16 bytes where it is called.

use std::arch::naked_asm;

/// The registers of a, b and c.
pub(crate) const ARGUMENTS: [u8; 3] = [12, 13, 14];
/// A register that routines overwrite too.
pub(crate) const SCRATCH: u8 = 15;

/// The signs of a product and of a summand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// a·b + c
    Add,
    /// a·b − c
    Subtract,
    /// c − a·b
    Negated,
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::Add, Self::Subtract, Self::Negated];
}

/// The address of a routine, for single numbers or for pairs.
pub(crate) fn routine(kind: Kind, single: bool) -> usize {
    let function: unsafe extern "C" fn() = match (kind, single) {
        (Kind::Add, true) => single::add,
        (Kind::Add, false) => pair::add,
        (Kind::Subtract, true) => single::subtract,
        (Kind::Subtract, false) => pair::subtract,
        (Kind::Negated, true) => single::negated,
        (Kind::Negated, false) => pair::negated,
    };
    function as *const () as usize
}

/// Numbers in memory, each twice.
#[repr(C, align(16))]
struct Constants {
    sign: [u64; 2],
    magnitude: [u64; 2],
    /// The largest size of arguments.
    largest: [f64; 2],
    /// The smallest size of a product whose error is a number.
    smallest: [f64; 2],
    /// Splits a number into halves.
    split: [f64; 2],
}

static CONSTANTS: Constants = Constants {
    sign: [1 << 63; 2],
    magnitude: [!(1 << 63); 2],
    largest: [f64::from_bits((1023 + 450) << 52); 2],
    smallest: [f64::from_bits((1023 - 900) << 52); 2],
    split: [134_217_729.0; 2],
};

/// Replaces the first of three pairs of numbers by a·b + c.
extern "sysv64" fn exact(numbers: &mut [[f64; 2]; 3], count: usize) {
    for k in 0..count {
        let [a, b, c] = [numbers[0][k], numbers[1][k], numbers[2][k]];
        numbers[0][k] = galilei_linear::fma(a, b, c);
    }
}

/// The routines for one form of arithmetic: `sd` or `pd`, the size of its operands in memory, the mask of the numbers that count,
/// and their count.
macro_rules! routines {
    ($module:ident, $form:literal, $memory:literal, $mask:literal, $count:literal) => {
        mod $module {
            use super::{CONSTANTS, Constants, exact, naked_asm};
            use std::mem::offset_of;

            /// a·b + c
            #[unsafe(naked)]
            pub(super) unsafe extern "C" fn add() {
                naked_asm!("jmp {body}", body = sym body)
            }

            /// a·b − c
            #[unsafe(naked)]
            pub(super) unsafe extern "C" fn subtract() {
                naked_asm!(
                    "xorpd xmm14, xmmword ptr [rip + {constants} + {sign}]",
                    "jmp {body}",
                    constants = sym CONSTANTS,
                    sign = const offset_of!(Constants, sign),
                    body = sym body,
                )
            }

            /// c − a·b
            #[unsafe(naked)]
            pub(super) unsafe extern "C" fn negated() {
                naked_asm!(
                    "xorpd xmm12, xmmword ptr [rip + {constants} + {sign}]",
                    "jmp {body}",
                    constants = sym CONSTANTS,
                    sign = const offset_of!(Constants, sign),
                    body = sym body,
                )
            }

            /// a·b + c. Memory on the stack: a, b, c from 0 on, later ah, th, vh, zh; the product at 48; rax at 64.
            #[unsafe(naked)]
            unsafe extern "C" fn body() {
                naked_asm!(
                    "sub rsp, 88",
                    "movapd xmmword ptr [rsp], xmm12",
                    "movapd xmmword ptr [rsp + 16], xmm13",
                    "movapd xmmword ptr [rsp + 32], xmm14",
                    "mov qword ptr [rsp + 64], rax",
                    // Whether the steps are exact: no argument is too large, nor the product too small.
                    "movapd xmm15, xmmword ptr [rip + {constants} + {magnitude}]",
                    "andpd xmm14, xmm15",
                    "andpd xmm13, xmm15",
                    "andpd xmm15, xmm12",
                    concat!("max", $form, " xmm15, xmm13"),
                    concat!("max", $form, " xmm15, xmm14"),
                    concat!("cmple", $form, " xmm15, ", $memory, " ptr [rip + {constants} + {largest}]"),
                    concat!("mul", $form, " xmm12, ", $memory, " ptr [rsp + 16]"),
                    "movapd xmmword ptr [rsp + 48], xmm12",
                    "andpd xmm12, xmmword ptr [rip + {constants} + {magnitude}]",
                    "movapd xmm13, xmmword ptr [rip + {constants} + {smallest}]",
                    concat!("cmple", $form, " xmm13, xmm12"),
                    "andpd xmm13, xmm15",
                    "movmskpd eax, xmm13",
                    concat!("and eax, ", $mask),
                    concat!("cmp eax, ", $mask),
                    "jne 2f",
                    // Halves of a: ah in xmm15 and memory, al in xmm12.
                    "movapd xmm12, xmmword ptr [rsp]",
                    "movapd xmm15, xmmword ptr [rip + {constants} + {split}]",
                    "movapd xmm14, xmm15",
                    concat!("mul", $form, " xmm15, xmm12"),
                    "movapd xmm13, xmm15",
                    concat!("sub", $form, " xmm13, xmm12"),
                    concat!("sub", $form, " xmm15, xmm13"),
                    concat!("sub", $form, " xmm12, xmm15"),
                    "movapd xmmword ptr [rsp], xmm15",
                    // Halves of b: bh in xmm14, bl in xmm13.
                    "movapd xmm13, xmmword ptr [rsp + 16]",
                    concat!("mul", $form, " xmm14, xmm13"),
                    "movapd xmm15, xmm14",
                    concat!("sub", $form, " xmm15, xmm13"),
                    concat!("sub", $form, " xmm14, xmm15"),
                    concat!("sub", $form, " xmm13, xmm14"),
                    // The error of the product: al·bl + (((ah·bh − p) + al·bh) + ah·bl).
                    "movapd xmm15, xmmword ptr [rsp]",
                    concat!("mul", $form, " xmm15, xmm14"),
                    concat!("sub", $form, " xmm15, ", $memory, " ptr [rsp + 48]"),
                    concat!("mul", $form, " xmm14, xmm12"),
                    concat!("add", $form, " xmm15, xmm14"),
                    "movapd xmm14, xmmword ptr [rsp]",
                    concat!("mul", $form, " xmm14, xmm13"),
                    concat!("add", $form, " xmm15, xmm14"),
                    concat!("mul", $form, " xmm12, xmm13"),
                    concat!("add", $form, " xmm12, xmm15"),
                    // c + ul: th in memory, tl in xmm13.
                    "movapd xmm13, xmmword ptr [rsp + 32]",
                    "movapd xmm14, xmm13",
                    concat!("add", $form, " xmm14, xmm12"),
                    "movapd xmm15, xmm14",
                    concat!("sub", $form, " xmm15, xmm13"),
                    concat!("sub", $form, " xmm12, xmm15"),
                    "movapd xmmword ptr [rsp], xmm14",
                    concat!("sub", $form, " xmm14, xmm15"),
                    concat!("sub", $form, " xmm13, xmm14"),
                    concat!("add", $form, " xmm13, xmm12"),
                    // p + th: vh in memory, vl in xmm14.
                    "movapd xmm14, xmmword ptr [rsp + 48]",
                    "movapd xmm12, xmm14",
                    concat!("add", $form, " xmm12, ", $memory, " ptr [rsp]"),
                    "movapd xmmword ptr [rsp + 16], xmm12",
                    "movapd xmm15, xmm12",
                    concat!("sub", $form, " xmm15, xmm14"),
                    concat!("sub", $form, " xmm12, xmm15"),
                    concat!("sub", $form, " xmm14, xmm12"),
                    "movapd xmm12, xmmword ptr [rsp]",
                    concat!("sub", $form, " xmm12, xmm15"),
                    concat!("add", $form, " xmm14, xmm12"),
                    // tl + vl: zh in memory, zl in xmm13.
                    "movapd xmm12, xmm13",
                    concat!("add", $form, " xmm12, xmm14"),
                    "movapd xmmword ptr [rsp], xmm12",
                    "movapd xmm15, xmm12",
                    concat!("sub", $form, " xmm15, xmm13"),
                    concat!("sub", $form, " xmm14, xmm15"),
                    concat!("sub", $form, " xmm12, xmm15"),
                    concat!("sub", $form, " xmm13, xmm12"),
                    concat!("add", $form, " xmm13, xmm14"),
                    // Rounding to odd: if the sum is not exact, cut off what is beyond the last bit, and set that.
                    "movapd xmm12, xmmword ptr [rsp]",
                    "movapd xmm15, xmm13",
                    "xorpd xmm15, xmm12",
                    "psrlq xmm15, 63",
                    "xorpd xmm14, xmm14",
                    concat!("cmpneq", $form, " xmm13, xmm14"),
                    "andpd xmm15, xmm13",
                    "psubq xmm12, xmm15",
                    "psrlq xmm13, 63",
                    "orpd xmm12, xmm13",
                    concat!("add", $form, " xmm12, ", $memory, " ptr [rsp + 16]"),
                    "mov rax, qword ptr [rsp + 64]",
                    "add rsp, 88",
                    "ret",
                    // Where all products have a factor zero, a·b + c is exact, or no number.
                    "2:",
                    "xorpd xmm15, xmm15",
                    "movapd xmm13, xmm15",
                    concat!("cmpeq", $form, " xmm15, ", $memory, " ptr [rsp]"),
                    concat!("cmpeq", $form, " xmm13, ", $memory, " ptr [rsp + 16]"),
                    "orpd xmm15, xmm13",
                    "movmskpd eax, xmm15",
                    concat!("and eax, ", $mask),
                    concat!("cmp eax, ", $mask),
                    "jne 3f",
                    "movapd xmm12, xmmword ptr [rsp + 48]",
                    concat!("add", $form, " xmm12, ", $memory, " ptr [rsp + 32]"),
                    "mov rax, qword ptr [rsp + 64]",
                    "add rsp, 88",
                    "ret",
                    // All else, with the registers of the caller put away.
                    "3:",
                    "push rcx",
                    "push rdx",
                    "push rsi",
                    "push rdi",
                    "push r8",
                    "push r9",
                    "push r10",
                    "push r11",
                    "lea rdi, [rsp + 64]",
                    "mov esi, {count}",
                    "sub rsp, 192",
                    "movapd xmmword ptr [rsp], xmm0",
                    "movapd xmmword ptr [rsp + 16], xmm1",
                    "movapd xmmword ptr [rsp + 32], xmm2",
                    "movapd xmmword ptr [rsp + 48], xmm3",
                    "movapd xmmword ptr [rsp + 64], xmm4",
                    "movapd xmmword ptr [rsp + 80], xmm5",
                    "movapd xmmword ptr [rsp + 96], xmm6",
                    "movapd xmmword ptr [rsp + 112], xmm7",
                    "movapd xmmword ptr [rsp + 128], xmm8",
                    "movapd xmmword ptr [rsp + 144], xmm9",
                    "movapd xmmword ptr [rsp + 160], xmm10",
                    "movapd xmmword ptr [rsp + 176], xmm11",
                    "call {exact}",
                    "movapd xmm0, xmmword ptr [rsp]",
                    "movapd xmm1, xmmword ptr [rsp + 16]",
                    "movapd xmm2, xmmword ptr [rsp + 32]",
                    "movapd xmm3, xmmword ptr [rsp + 48]",
                    "movapd xmm4, xmmword ptr [rsp + 64]",
                    "movapd xmm5, xmmword ptr [rsp + 80]",
                    "movapd xmm6, xmmword ptr [rsp + 96]",
                    "movapd xmm7, xmmword ptr [rsp + 112]",
                    "movapd xmm8, xmmword ptr [rsp + 128]",
                    "movapd xmm9, xmmword ptr [rsp + 144]",
                    "movapd xmm10, xmmword ptr [rsp + 160]",
                    "movapd xmm11, xmmword ptr [rsp + 176]",
                    "add rsp, 192",
                    "pop r11",
                    "pop r10",
                    "pop r9",
                    "pop r8",
                    "pop rdi",
                    "pop rsi",
                    "pop rdx",
                    "pop rcx",
                    "movapd xmm12, xmmword ptr [rsp]",
                    "mov rax, qword ptr [rsp + 64]",
                    "add rsp, 88",
                    "ret",
                    constants = sym CONSTANTS,
                    magnitude = const offset_of!(Constants, magnitude),
                    largest = const offset_of!(Constants, largest),
                    smallest = const offset_of!(Constants, smallest),
                    split = const offset_of!(Constants, split),
                    count = const $count,
                    exact = sym exact,
                )
            }
        }
    };
}

routines!(single, "sd", "qword", "1", 1);
routines!(pair, "pd", "xmmword", "3", 2);
