//! a·b + c with one rounding, in WebAssembly: the steps of `galilei_linear::fma`.

use super::encode::{Body, F64, I64, op};

const A: u32 = 0;
const B: u32 = 1;
const C: u32 = 2;
/// The exponents of the arguments, and bits.
const EXPONENTS: [u32; 3] = [3, 4, 5];
const BITS: u32 = 6;
/// The product and its rounding error.
const UH: u32 = 7;
const UL: u32 = 8;
/// Halves of the factors.
const AH: u32 = 9;
const AL: u32 = 10;
const BH: u32 = 11;
const BL: u32 = 12;
/// Sums and their errors.
const TH: u32 = 13;
const TL: u32 = 14;
const VH: u32 = 15;
const VL: u32 = 16;
const ZH: u32 = 17;
const ZL: u32 = 18;
const T: u32 = 19;
const LOCALS: [(u32, u8); 2] = [(4, I64), (13, F64)];

/// The function.
pub(super) fn body() -> Vec<u8> {
    let mut b = Body::default();
    guard(&mut b);
    product(&mut b);
    two_sum(&mut b, C, UL, TH, TL);
    two_sum(&mut b, UH, TH, VH, VL);
    two_sum(&mut b, TL, VL, ZH, ZL);
    round_to_odd(&mut b);
    b.get(VH);
    b.get(ZH);
    b.op(op::ADD);
    b.function(&LOCALS)
}

/// Leaves arguments with extreme exponents, and zeros, to the imported function.
fn guard(b: &mut Body) {
    for (argument, exponent) in [A, B, C].into_iter().zip(EXPONENTS) {
        b.get(argument);
        b.op(op::TO_BITS);
        b.bits(52);
        b.op(op::I64_SHR_U);
        b.bits(0x7ff);
        b.op(op::I64_AND);
        b.set(exponent);
    }
    for exponent in EXPONENTS {
        b.get(exponent);
        b.bits(1973);
        b.op(op::I64_GT_U);
    }
    for exponent in &EXPONENTS[..2] {
        b.get(*exponent);
        b.op(op::I64_EQZ);
    }
    b.get(EXPONENTS[0]);
    b.get(EXPONENTS[1]);
    b.op(op::I64_ADD);
    b.bits(1146);
    b.op(op::I64_SUB);
    b.bits(2946 - 1146);
    b.op(op::I64_GT_U);
    for _ in 0..5 {
        b.op(op::I32_OR);
    }
    b.when();
    for argument in [A, B, C] {
        b.get(argument);
    }
    b.call(super::EXACT);
    b.op(op::RETURN);
    b.op(op::END);
}

/// The product and its error.
fn product(b: &mut Body) {
    for (x, high, low) in [(A, AH, AL), (B, BH, BL)] {
        b.get(x);
        b.number(134_217_729.0);
        b.op(op::MUL);
        b.tee(T);
        b.get(T);
        b.get(x);
        b.op(op::SUB);
        b.op(op::SUB);
        b.set(high);
        b.get(x);
        b.get(high);
        b.op(op::SUB);
        b.set(low);
    }
    b.get(A);
    b.get(B);
    b.op(op::MUL);
    b.set(UH);
    // al·bl − (((p − ah·bh) − al·bh) − ah·bl)
    b.get(AL);
    b.get(BL);
    b.op(op::MUL);
    b.get(UH);
    for (x, y) in [(AH, BH), (AL, BH), (AH, BL)] {
        b.get(x);
        b.get(y);
        b.op(op::MUL);
        b.op(op::SUB);
    }
    b.op(op::SUB);
    b.set(UL);
}

/// The sum of two numbers and its error.
fn two_sum(b: &mut Body, x: u32, y: u32, sum: u32, error: u32) {
    b.get(x);
    b.get(y);
    b.op(op::ADD);
    b.tee(sum);
    b.get(x);
    b.op(op::SUB);
    b.set(T);
    b.get(x);
    b.get(sum);
    b.get(T);
    b.op(op::SUB);
    b.op(op::SUB);
    b.get(y);
    b.get(T);
    b.op(op::SUB);
    b.op(op::ADD);
    b.set(error);
}

/// Makes the last bit of the sum odd if the sum is not exact: one step up or down, to where the exact sum is.
fn round_to_odd(b: &mut Body) {
    b.get(ZL);
    b.number(0.0);
    b.op(op::NE);
    b.get(ZH);
    b.op(op::TO_BITS);
    b.tee(BITS);
    b.bits(1);
    b.op(op::I64_AND);
    b.op(op::I64_EQZ);
    b.op(op::I32_AND);
    b.when();
    b.get(BITS);
    b.bits(1);
    b.op(op::I64_ADD);
    b.get(BITS);
    b.bits(1);
    b.op(op::I64_SUB);
    for part in [ZL, ZH] {
        b.get(part);
        b.number(0.0);
        b.op(op::GT);
    }
    b.op(op::I32_EQ);
    b.op(op::SELECT);
    b.op(op::FROM_BITS);
    b.set(ZH);
    b.op(op::END);
}
