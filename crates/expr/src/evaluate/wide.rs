//! Floating-point numbers of N·64 bits, without allocation.
//!
//! A value is ±0.m·2^e with the mantissa m in N limbs, little endian, top bit set. Results are
//! truncated: the error is below one unit in the last place, which [`Wide::ulp_exponent`] gives,
//! and which the balls built on this type account for.

use std::cmp::Ordering;

use dashu_base::Sign;
use dashu_int::IBig;

use crate::limbs::{from_limbs, limbs_of};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Wide<const N: usize> {
    pub(crate) negative: bool,
    pub(crate) exponent: i64,
    /// All zero for the value zero.
    pub(crate) limbs: [u64; N],
}

/// Exponents beyond this count as overflow.
pub(crate) const MAX_EXPONENT: i64 = 1 << 61;

impl<const N: usize> Wide<N> {
    pub(crate) const ZERO: Self = Self {
        negative: false,
        exponent: 0,
        limbs: [0; N],
    };

    pub(crate) fn is_zero(&self) -> bool {
        self.limbs[N - 1] == 0
    }

    /// The value is at least 2^(exponent−1) and below 2^exponent in magnitude; one unit in the
    /// last place is 2^this.
    pub(crate) fn ulp_exponent(&self) -> i64 {
        self.exponent - 64 * N as i64
    }

    pub(crate) fn from_i64(n: i64) -> Self {
        if n == 0 {
            return Self::ZERO;
        }
        let mut limbs = [0; N];
        let m = n.unsigned_abs();
        let shift = m.leading_zeros();
        limbs[N - 1] = m << shift;
        Self {
            negative: n < 0,
            exponent: 64 - i64::from(shift),
            limbs,
        }
    }

    /// An integer, truncated, and whether it was exact.
    pub(crate) fn from_big(n: &IBig) -> (Self, bool) {
        let (sign, words) = n.as_sign_words();
        let words = limbs_of(words);
        let Some(&top) = words.last() else {
            return (Self::ZERO, true);
        };
        let shift = top.leading_zeros();
        let mut limbs = [0; N];
        let take = |k: isize| {
            if k < 0 {
                0
            } else {
                words.get(k as usize).copied().unwrap_or(0)
            }
        };
        let len = words.len() as isize;
        for (j, limb) in limbs.iter_mut().rev().enumerate() {
            let at = len - 1 - j as isize;
            *limb = take(at) << shift
                | if shift == 0 {
                    0
                } else {
                    take(at - 1) >> (64 - shift)
                };
        }
        let cut = len - N as isize;
        let exact = cut <= 0
            || (words[..cut as usize - 1].iter().all(|&w| w == 0)
                && (words[cut as usize - 1] << shift) == 0);
        let exponent = 64 * len as i64 - i64::from(shift);
        (
            Self {
                negative: sign == Sign::Negative,
                exponent,
                limbs,
            },
            exact,
        )
    }

    /// The exact value of a finite double.
    pub(crate) fn from_f64(x: f64) -> Self {
        if x == 0.0 || !x.is_finite() {
            return Self::ZERO;
        }
        let bits = x.to_bits();
        let raw = (bits >> 52 & 0x7ff) as i64;
        let fraction = bits & ((1 << 52) - 1);
        let (m, e) = if raw == 0 {
            (fraction, -1074)
        } else {
            (fraction | 1 << 52, raw - 1075)
        };
        let mut value = Self::from_i64(m as i64);
        value.exponent += e;
        value.negative = x < 0.0;
        value
    }

    /// The nearest double, ties to even; infinite beyond the range.
    pub(crate) fn to_f64(self) -> f64 {
        if self.is_zero() {
            return 0.0;
        }
        let top = self.limbs[N - 1];
        let (mut m, rest) = (top >> 11, top & 0x7ff);
        let below = self.limbs[..N - 1].iter().any(|l| *l != 0);
        if rest > 0x400 || (rest == 0x400 && (below || m & 1 == 1)) {
            m += 1;
        }
        let magnitude = scale(m as f64, self.exponent - 53);
        if self.negative { -magnitude } else { magnitude }
    }

    pub(crate) fn neg(mut self) -> Self {
        self.negative = !self.negative && !self.is_zero();
        self
    }

    pub(crate) fn abs(mut self) -> Self {
        self.negative = false;
        self
    }

    /// self·2^k
    pub(crate) fn shifted(mut self, k: i64) -> Self {
        if !self.is_zero() {
            self.exponent += k;
        }
        self
    }

    fn compare_magnitude(&self, other: &Self) -> Ordering {
        match (self.is_zero(), other.is_zero()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            _ => self
                .exponent
                .cmp(&other.exponent)
                .then_with(|| self.limbs.iter().rev().cmp(other.limbs.iter().rev())),
        }
    }

    /// Brings the top bit up again.
    fn normalised(mut self) -> Self {
        if self.limbs[N - 1] >> 63 == 1 {
            return self;
        }
        let Some(top) = (0..N).rev().find(|&k| self.limbs[k] != 0) else {
            return Self::ZERO;
        };
        let up = N - 1 - top;
        if up > 0 {
            self.limbs.copy_within(0..=top, up);
            self.limbs[..up].fill(0);
        }
        let shift = self.limbs[N - 1].leading_zeros();
        if shift > 0 {
            for k in (1..N).rev() {
                self.limbs[k] = self.limbs[k] << shift | self.limbs[k - 1] >> (64 - shift);
            }
            self.limbs[0] <<= shift;
        }
        self.exponent -= 64 * up as i64 + i64::from(shift);
        self
    }

    /// The limbs shifted right by a number of bits, truncated.
    fn moved_down(limbs: &[u64; N], bits: u64) -> [u64; N] {
        let (whole, part) = ((bits / 64) as usize, (bits % 64) as u32);
        if whole == 0 {
            let mut out = *limbs;
            if part > 0 {
                for k in 0..N - 1 {
                    out[k] = limbs[k] >> part | limbs[k + 1] << (64 - part);
                }
                out[N - 1] = limbs[N - 1] >> part;
            }
            return out;
        }
        let mut out = [0; N];
        if whole >= N {
            return out;
        }
        for k in 0..N - whole {
            let low = limbs[k + whole];
            let high = limbs.get(k + whole + 1).copied().unwrap_or(0);
            out[k] = if part == 0 {
                low
            } else {
                low >> part | high << (64 - part)
            };
        }
        out
    }

    /// a + b, truncated.
    pub(crate) fn add(&self, other: &Self) -> Self {
        if self.is_zero() {
            return *other;
        }
        if other.is_zero() {
            return *self;
        }
        let less = self.exponent < other.exponent
            || (self.exponent == other.exponent && self.compare_magnitude(other) == Ordering::Less);
        let (big, small) = if less { (other, self) } else { (self, other) };
        let distance = big.exponent.abs_diff(small.exponent);
        let lower = Self::moved_down(&small.limbs, distance);
        let mut result = *big;
        if big.negative == small.negative {
            let mut carry = false;
            for (a, b) in result.limbs.iter_mut().zip(lower) {
                let (s, c) = a.overflowing_add(b);
                let (s, d) = s.overflowing_add(u64::from(carry));
                (*a, carry) = (s, c | d);
            }
            if carry {
                result.limbs = Self::moved_down(&result.limbs, 1);
                result.limbs[N - 1] |= 1 << 63;
                result.exponent += 1;
            }
            result
        } else {
            let mut borrow = false;
            for (a, b) in result.limbs.iter_mut().zip(lower) {
                let (s, c) = a.overflowing_sub(b);
                let (s, d) = s.overflowing_sub(u64::from(borrow));
                (*a, borrow) = (s, c | d);
            }
            result.normalised()
        }
    }

    /// Whether a + b lost bits: if not, the sum is exact.
    pub(crate) fn add_is_exact(&self, other: &Self) -> bool {
        if self.is_zero() || other.is_zero() {
            return true;
        }
        let low = self.lowest_bit().min(other.lowest_bit());
        let high = self.exponent.max(other.exponent) + 1;
        high - low <= 64 * N as i64
    }

    /// Exponent of the lowest set bit.
    fn lowest_bit(&self) -> i64 {
        let zeros = match self.limbs.iter().position(|&l| l != 0) {
            Some(k) => 64 * k as i64 + i64::from(self.limbs[k].trailing_zeros()),
            None => 0,
        };
        self.ulp_exponent() + zeros
    }

    /// The number of bits from the top bit to the lowest set bit.
    fn significant(&self) -> i64 {
        self.exponent - self.lowest_bit()
    }

    /// Whether a·b has no more bits than fit.
    pub(crate) fn mul_is_exact(&self, other: &Self) -> bool {
        self.is_zero()
            || other.is_zero()
            || self.significant() + other.significant() <= 64 * N as i64
    }

    /// a·b, truncated.
    pub(crate) fn mul(&self, other: &Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return Self::ZERO;
        }
        // Coordinates of points and many coefficients have one limb that is not zero: the others
        // are passed over.
        let (left, right) = if other.limbs[0] == 0 {
            (other, self)
        } else {
            (self, other)
        };
        // The full product in two halves; the lower one only serves for carries and the top bit.
        let mut low = [0u64; N];
        let mut high = [0u64; N];
        for i in 0..N {
            if left.limbs[i] == 0 {
                continue;
            }
            let mut carry = 0u64;
            for j in 0..N {
                let at = i + j;
                let slot = if at < N {
                    &mut low[at]
                } else {
                    &mut high[at - N]
                };
                let t = u128::from(left.limbs[i]) * u128::from(right.limbs[j])
                    + u128::from(*slot)
                    + u128::from(carry);
                *slot = t as u64;
                carry = (t >> 64) as u64;
            }
            high[i] = carry;
        }
        let mut exponent = self.exponent + other.exponent;
        if high[N - 1] >> 63 == 0 {
            for k in (1..N).rev() {
                high[k] = high[k] << 1 | high[k - 1] >> 63;
            }
            high[0] = high[0] << 1 | low[N - 1] >> 63;
            exponent -= 1;
        }
        Self {
            negative: self.negative != other.negative,
            exponent,
            limbs: high,
        }
    }

    /// a/n for a small positive integer, truncated.
    pub(crate) fn div_small(&self, n: u32) -> Self {
        if self.is_zero() {
            return *self;
        }
        let n = u64::from(n);
        let mut out = *self;
        let mut remainder = 0u64;
        // Half a limb at a time: n and the remainder have 32 bits.
        for limb in out.limbs.iter_mut().rev() {
            let high = remainder << 32 | *limb >> 32;
            let low = (high % n) << 32 | *limb & 0xffff_ffff;
            *limb = ((high / n) << 32) | (low / n);
            remainder = low % n;
        }
        // Bits lost at the bottom reappear at the top after normalising: fetch them.
        let shift = out.limbs[N - 1].leading_zeros();
        let mut normal = out.normalised();
        if shift > 0 && shift <= 32 && out.limbs[N - 1] != 0 {
            // At most 32 bits, since n has no more.
            let extra = (remainder << 32) / n;
            normal.limbs[0] |= extra >> (32 - shift);
        }
        normal
    }

    /// 1/self approximately: Newton's iteration from a double. Not rigorous by itself.
    pub(crate) fn recip_approx(&self) -> Self {
        let one = Self::from_i64(1);
        let unit = Self {
            exponent: 0,
            negative: false,
            ..*self
        };
        let mut x = Self::from_f64(1.0 / unit.to_f64());
        let mut bits = 50;
        while bits < 64 * N {
            // x ← x + x(1 − u·x)
            let error = one.add(&unit.mul(&x).neg());
            x = x.add(&x.mul(&error));
            bits *= 2;
        }
        x.negative = self.negative;
        x.shifted(-self.exponent)
    }

    /// √self approximately, for self > 0. Not rigorous by itself.
    pub(crate) fn sqrt_approx(&self) -> Self {
        let even = self.exponent.div_euclid(2);
        let unit = self.shifted(-2 * even);
        // y → 1/√u: y ← y + y(1 − u·y²)/2
        let one = Self::from_i64(1);
        let mut y = Self::from_f64(1.0 / unit.to_f64().sqrt());
        let mut bits = 50;
        while bits < 64 * N {
            let error = one.add(&unit.mul(&y).mul(&y).neg());
            y = y.add(&y.mul(&error).shifted(-1));
            bits *= 2;
        }
        unit.mul(&y).shifted(even)
    }

    /// The nearest integer, if it fits; and self minus it exactly enough.
    pub(crate) fn round_to_i64(self) -> Option<i64> {
        if self.is_zero() || self.exponent < 0 {
            return Some(0);
        }
        if self.exponent > 62 {
            return None;
        }
        let doubled = (self.limbs[N - 1] >> (63 - self.exponent)) as i64;
        let n = (doubled + 1) >> 1;
        Some(if self.negative { -n } else { n })
    }

    /// The value as a fraction: mantissa·2^exponent.
    pub(crate) fn to_parts(self) -> (IBig, i64) {
        let magnitude = from_limbs(&self.limbs);
        let sign = if self.negative {
            Sign::Negative
        } else {
            Sign::Positive
        };
        (IBig::from_parts(sign, magnitude), self.ulp_exponent())
    }
}

/// m·2^e, overflowing to infinity and underflowing gradually.
pub(crate) fn scale(m: f64, e: i64) -> f64 {
    if (-1022..=1023).contains(&e) {
        return m * power_of_two(e);
    }
    let e = e.clamp(-3000, 3000);
    let third = e / 3;
    m * power_of_two(third) * power_of_two(third) * power_of_two(e - 2 * third)
}

/// 2^e for −1022 ≤ e ≤ 1023.
pub(crate) fn power_of_two(e: i64) -> f64 {
    f64::from_bits(((1023 + e) as u64) << 52)
}
