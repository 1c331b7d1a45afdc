//! Exponential, logarithm, circular and inverse circular functions of balls.

use galilei_linear::math::scalar;

use super::ball::{Ball, ProvenSign, Radius};
use super::wide::{MAX_EXPONENT, Wide};

/// π and log 2 to the precision at hand.
#[derive(Clone)]
pub(crate) struct Constants<const N: usize> {
    pub(crate) pi: Ball<N>,
    pub(crate) ln2: Ball<N>,
}

impl<const N: usize> Constants<N> {
    pub(crate) fn new() -> Self {
        Self {
            pi: Ball::pi(),
            ln2: Ball::ln2(),
        }
    }
}

/// Halvings of the argument of the exponential before its series is summed.
const EXP_HALVINGS: i64 = 8;

impl<const N: usize> Ball<N> {
    fn is_wider_than(&self, exponent: i64) -> bool {
        self.radius_log2() > exponent as f64
    }

    /// e^self; `None` if the ball is wider than 1 or the result beyond any exponent.
    pub(crate) fn exp(&self, c: &Constants<N>) -> Option<Self> {
        if self.is_wider_than(0) {
            return None;
        }
        let x = self.midpoint();
        // x = k·log 2 + r, |r| ≤ 0.35; e^r = (e^(r/2^h))^(2^h)
        let k = x.div(&c.ln2)?.mid.round_to_i64()?;
        if k.abs() > MAX_EXPONENT / 2 {
            return None;
        }
        let r = x.sub(&c.ln2.mul(&Ball::int(k))).shifted(-EXP_HALVINGS);
        let mut term = Ball::int(1);
        let mut sum = term;
        let mut n = 1;
        while !term.mid.is_zero() && term.mid.exponent > -(64 * N as i64) - 8 {
            term = term.mul(&r).div_small(n);
            sum = sum.add(&term);
            n += 1;
        }
        // |r| < 2⁻⁸: the rest is below the last term.
        sum = sum.widened_by(&term);
        for _ in 0..EXP_HALVINGS {
            sum = sum.square();
        }
        let value = sum.shifted(k);
        if self.mid.is_zero() && self.is_exact() {
            return Some(Ball::int(1));
        }
        // e^(x+d) − e^x for |d| ≤ rad ≤ 1 is below 2·rad·e^x.
        Some(value.widened_twice(&value, self))
    }

    /// log self; `None` unless the ball is positive and not too wide.
    pub(crate) fn log(&self, c: &Constants<N>) -> Option<Self> {
        if self.sign() != ProvenSign::Positive {
            return None;
        }
        if *self == Ball::int(1) {
            return Some(Ball::ZERO);
        }
        // m·2^k with ½ ≤ m < 1
        let k = self.mid.exponent;
        let m = self.shifted(-k);
        let x = m.midpoint();
        let mut y = Ball {
            mid: Wide::from_f64(scalar::log(x.to_f64())),
            rad: Radius::ZERO,
        };
        let mut bits = 48;
        loop {
            // log x = y + log(x·e^−y) = y + log(1 + δ), |log(1 + δ) − δ| ≤ δ² for |δ| ≤ ½
            let delta = x.mul(&y.neg().exp(c)?).sub(&Ball::int(1));
            let better = y.add(&delta);
            if 2 * bits >= 64 * N {
                let value = better.widened_by(&delta.square());
                let whole = value.add(&c.ln2.mul(&Ball::int(k)));
                // |log(x + d) − log x| ≤ |d|/(x − |d|)
                if m.is_exact() {
                    return Some(whole);
                }
                let relative = m.spread().div(&m)?;
                return Some(whole.widened_by(&relative));
            }
            y = better.midpoint();
            bits *= 2;
        }
    }

    /// (sin, cos) of self.
    pub(crate) fn sin_cos(&self, c: &Constants<N>) -> Option<(Self, Self)> {
        if self.is_wider_than(1) {
            let all = Ball::ZERO.widened_by(&Ball::int(1));
            return Some((all, all));
        }
        let x = self.midpoint();
        let half_pi = c.pi.shifted(-1);
        let k = x.div(&half_pi)?.mid.round_to_i64()?;
        let r = x.sub(&half_pi.mul(&Ball::int(k)));
        let square = r.square().neg();
        let (mut s_term, mut c_term) = (r, Ball::int(1));
        let (mut sin, mut cos) = (s_term, c_term);
        let mut n = 1u32;
        // |r| ≤ 0.79 (or a little more): alternating series, rest below the next term.
        while !c_term.mid.is_zero() && c_term.mid.exponent > -(64 * N as i64) - 8 {
            c_term = c_term.mul(&square).div_small(n * (n + 1));
            s_term = s_term.mul(&square).div_small((n + 1) * (n + 2));
            cos = cos.add(&c_term);
            sin = sin.add(&s_term);
            n += 2;
        }
        cos = cos.widened_by(&c_term);
        sin = sin.widened_by(&s_term);
        let (sin, cos) = match k.rem_euclid(4) {
            0 => (sin, cos),
            1 => (cos, sin.neg()),
            2 => (sin.neg(), cos.neg()),
            _ => (cos.neg(), sin),
        };
        // Both have derivatives below 1.
        let spread = self.spread();
        Some((sin.widened_by(&spread), cos.widened_by(&spread)))
    }

    /// Σ ±x^(2k+1)/d(k) for |x| < 2⁻¹⁶, with d(k) = 2k+1 or (2k+1)!: atan and sinh near zero, where
    /// other ways lose the relative precision.
    fn odd_series(&self, alternating: bool, factorial: bool) -> Self {
        let square = self.square();
        let (mut power, mut sum, mut k) = (*self, *self, 1u32);
        let mut term = power;
        while !term.mid.is_zero() && term.mid.exponent > self.mid.exponent - 64 * N as i64 - 8 {
            power = power.mul(&square);
            if factorial {
                power = power.div_small(2 * k * (2 * k + 1));
            }
            term = if factorial {
                power
            } else {
                power.div_small(2 * k + 1)
            };
            let negative = alternating && k % 2 == 1;
            sum = if negative {
                sum.sub(&term)
            } else {
                sum.add(&term)
            };
            k += 1;
        }
        // Terms fall by 2⁻³² and more: the rest is below the last one.
        sum.widened_by(&term)
    }

    /// Whether |self| is so small that its power series is used.
    pub(crate) fn is_tiny(&self) -> bool {
        self.magnitude_log2() < -16.0
    }

    /// sinh self near zero.
    pub(crate) fn sinh_tiny(&self) -> Self {
        self.odd_series(false, true)
    }

    /// atan self
    pub(crate) fn atan(&self, c: &Constants<N>) -> Option<Self> {
        if self.is_tiny() {
            return Some(self.odd_series(true, false));
        }
        if self.mid.exponent > 1 {
            // ±π/2 − atan(1/x)
            let inverse = Ball::int(1).div(self)?.atan(c)?;
            let half = c.pi.shifted(-1);
            let half = if self.mid.negative { half.neg() } else { half };
            return Some(half.sub(&inverse));
        }
        let x = self.midpoint();
        let mut y = Ball {
            mid: Wide::from_f64(scalar::atan(x.to_f64())),
            rad: Radius::ZERO,
        };
        let mut bits = 48;
        loop {
            // atan x = y + atan δ, δ = (x·cos y − sin y)/(cos y + x·sin y), |atan δ − δ| ≤ |δ|³
            let (s, k) = y.sin_cos(c)?;
            let delta = x.mul(&k).sub(&s).div(&k.add(&x.mul(&s)))?;
            let better = y.add(&delta);
            if 3 * bits >= 64 * N {
                let cube = delta.square().mul(&delta);
                return Some(better.widened_by(&cube).widened_by(&self.spread()));
            }
            y = better.midpoint();
            bits *= 3;
        }
    }

    /// asin self; `None` unless the ball lies inside (−1, 1) or is ±1 exactly.
    pub(crate) fn asin(&self, c: &Constants<N>) -> Option<Self> {
        let rest = Ball::int(1).sub(&self.square());
        if rest.sign() == ProvenSign::Zero {
            let half = c.pi.shifted(-1);
            return Some(if self.mid.negative { half.neg() } else { half });
        }
        self.div(&rest.sqrt()?)?.atan(c)
    }

    /// The angle of (x, self) in (−π, π]; `None` on the cut or at the origin.
    pub(crate) fn atan2(&self, x: &Self, c: &Constants<N>) -> Option<Self> {
        match (self.sign(), x.sign()) {
            (_, ProvenSign::Positive) => self.div(x)?.atan(c),
            (ProvenSign::Positive, _) => Some(c.pi.shifted(-1).sub(&x.div(self)?.atan(c)?)),
            (ProvenSign::Negative, _) => Some(c.pi.shifted(-1).neg().sub(&x.div(self)?.atan(c)?)),
            (ProvenSign::Zero, ProvenSign::Negative) => Some(c.pi),
            _ => None,
        }
    }

    fn is_exact(&self) -> bool {
        self.radius_log2() == f64::NEG_INFINITY
    }

    /// The radius as a ball around zero that contains exactly ±rad.
    fn spread(&self) -> Self {
        Ball {
            mid: Wide::ZERO,
            rad: self.rad,
        }
    }
}
