//! Sums, products and quotients with their rounding errors; rounding to integers.

/// Adding and subtracting this rounds to the nearest integer; the low bits of the sum are that
/// integer in two's complement.
pub(super) const ROUND: f64 = 6755399441055744.0;

/// a + b and its rounding error, for |a| ≥ |b|, or a a multiple of the last place of b, or a = 0.
#[inline(always)]
pub(super) fn fast_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    (s, b - (s - a))
}

/// a + b and its rounding error.
#[inline(always)]
pub(super) fn sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let t = s - a;
    (s, (a - (s - t)) + (b - t))
}

/// a·b and its rounding error.
#[inline(always)]
pub(super) fn product(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    (p, a.mul_add(b, -p))
}

/// (a + aₗ)/(b + bₗ) as a leading part and a correction.
#[inline(always)]
pub(super) fn quotient(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    let inverse = 1.0 / b.0;
    let q = a.0 * inverse;
    let rest = (-q).mul_add(b.0, a.0);
    (q, (-q).mul_add(b.1, rest + a.1) * inverse)
}

/// The polynomial of 5 coefficients, from the constant one on, by pairs.
#[inline(always)]
pub(super) fn polynomial_5(c: &[f64; 5], x: f64) -> f64 {
    let a0 = c[1].mul_add(x, c[0]);
    let a1 = c[3].mul_add(x, c[2]);
    let x2 = x * x;
    let b0 = a1.mul_add(x2, a0);
    let x4 = x2 * x2;
    c[4].mul_add(x4, b0)
}

/// The polynomial of 6 coefficients, from the constant one on, by pairs.
#[inline(always)]
pub(super) fn polynomial_6(c: &[f64; 6], x: f64) -> f64 {
    let a0 = c[1].mul_add(x, c[0]);
    let a1 = c[3].mul_add(x, c[2]);
    let a2 = c[5].mul_add(x, c[4]);
    let x2 = x * x;
    let b0 = a1.mul_add(x2, a0);
    let x4 = x2 * x2;
    a2.mul_add(x4, b0)
}

/// The polynomial of 7 coefficients, from the constant one on, by pairs.
#[inline(always)]
pub(super) fn polynomial_7(c: &[f64; 7], x: f64) -> f64 {
    let a0 = c[1].mul_add(x, c[0]);
    let a1 = c[3].mul_add(x, c[2]);
    let a2 = c[5].mul_add(x, c[4]);
    let x2 = x * x;
    let b0 = a1.mul_add(x2, a0);
    let b1 = c[6].mul_add(x2, a2);
    let x4 = x2 * x2;
    b1.mul_add(x4, b0)
}

/// The polynomial of 11 coefficients, from the constant one on, by pairs.
#[inline(always)]
pub(super) fn polynomial_11(c: &[f64; 11], x: f64) -> f64 {
    let a0 = c[1].mul_add(x, c[0]);
    let a1 = c[3].mul_add(x, c[2]);
    let a2 = c[5].mul_add(x, c[4]);
    let a3 = c[7].mul_add(x, c[6]);
    let a4 = c[9].mul_add(x, c[8]);
    let x2 = x * x;
    let b0 = a1.mul_add(x2, a0);
    let b1 = a3.mul_add(x2, a2);
    let b2 = c[10].mul_add(x2, a4);
    let x4 = x2 * x2;
    let c0 = b1.mul_add(x4, b0);
    let x8 = x4 * x4;
    b2.mul_add(x8, c0)
}

/// The polynomial of 13 coefficients, from the constant one on, by pairs.
#[inline(always)]
pub(super) fn polynomial_13(c: &[f64; 13], x: f64) -> f64 {
    let a0 = c[1].mul_add(x, c[0]);
    let a1 = c[3].mul_add(x, c[2]);
    let a2 = c[5].mul_add(x, c[4]);
    let a3 = c[7].mul_add(x, c[6]);
    let a4 = c[9].mul_add(x, c[8]);
    let a5 = c[11].mul_add(x, c[10]);
    let x2 = x * x;
    let b0 = a1.mul_add(x2, a0);
    let b1 = a3.mul_add(x2, a2);
    let b2 = a5.mul_add(x2, a4);
    let x4 = x2 * x2;
    let c0 = b1.mul_add(x4, b0);
    let c1 = c[12].mul_add(x4, b2);
    let x8 = x4 * x4;
    c1.mul_add(x8, c0)
}
