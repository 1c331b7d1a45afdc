//! Hyperbolic functions.

use super::double::{fast_sum, polynomial_5, product, quotient};
use super::exponential::{exp_of_pair_any, ordinary_exp, reduce};

const SINH: [f64; 5] = [
    0.16666666666666677,
    0.008333333333321615,
    0.00019841269886160354,
    2.7557244180170143e-06,
    2.5109045474253977e-08,
];
const COSH: [f64; 5] = [
    0.041666666666666685,
    0.0013888888888873461,
    2.4801587348795714e-05,
    2.755725220449014e-07,
    2.0921641051708715e-09,
];
/// The smallest argument whose hyperbolic tangent rounds to 1.
const SATURATED: f64 = 20.0;

/// The sine and cosine of a ≥ 0, each as a leading part and a correction.
#[inline(always)]
fn pairs(a: f64) -> ((f64, f64), (f64, f64)) {
    let (r, low, k) = reduce(a, 0.0);
    // a = k·ln 2 + r; the sine and cosine of k·ln 2:
    let half_up = f64::from_bits(k.wrapping_add(1022) << 52);
    let half_down = f64::from_bits(1022u64.wrapping_sub(k) << 52);
    let (c, c_low) = fast_sum(half_up, half_down);
    let (s, s_low) = fast_sum(half_up, -half_down);
    // The functions of r: r + a small part, 1 + a small part.
    let z = r * r;
    let sine = (r * z).mul_add(polynomial_5(&SINH, z), low);
    let cosine = (z * z).mul_add(polynomial_5(&COSH, z), r.mul_add(low, 0.5 * z));
    let sum = |p: f64, p_low: f64, q: f64, q_low: f64| {
        let (product, lost) = product(q, r);
        let (lead, rest) = fast_sum(p, product);
        let rest = rest + q_low.mul_add(r, lost + p_low);
        (lead, q.mul_add(sine, p.mul_add(cosine, rest)))
    };
    (sum(s, s_low, c, c_low), sum(c, c_low, s, s_low))
}

/// Hyperbolic sine and cosine of an ordinary argument.
#[inline(always)]
pub(super) fn sinh_cosh(x: f64) -> (f64, f64) {
    let (s, c) = pairs(x.abs());
    ((s.0 + s.1).copysign(x), c.0 + c.1)
}

/// Hyperbolic sine and cosine of any argument.
pub(super) fn sinh_cosh_any(x: f64) -> (f64, f64) {
    if ordinary_exp(x) {
        sinh_cosh(x)
    } else if x.is_nan() {
        (f64::NAN, f64::NAN)
    } else {
        let half = exp_of_pair_any(x.abs(), 0.0, -1);
        (half.copysign(x), half)
    }
}

/// The hyperbolic tangent of any number.
#[inline(always)]
pub(super) fn tanh(x: f64) -> f64 {
    let a = x.abs();
    let (s, c) = pairs(if a > SATURATED { SATURATED } else { a });
    let (q, rest) = quotient(fast_sum(s.0, s.1), fast_sum(c.0, c.1));
    let t = (q + rest).copysign(x);
    if x.is_nan() { f64::NAN } else { t }
}
