//! Elementary functions: one implementation for the interpreter and for machine code.

use crate::math;

/// A function that code can call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Function {
    Sin,
    Cos,
    Tan,
    Exp,
    Log,
    /// a^b for a ≥ 0.
    Pow,
    Sinh,
    Cosh,
    Tanh,
    Asin,
    Acos,
    Atan,
    /// The angle of (b, a).
    Atan2,
    /// log₂ to four digits, for the lengths of steps.
    RoughLog2,
    /// 2ᵃ to five digits.
    RoughExp2,
}

impl Function {
    /// All functions.
    pub const ALL: [Self; 15] = [
        Self::Sin,
        Self::Cos,
        Self::Tan,
        Self::Exp,
        Self::Log,
        Self::Pow,
        Self::Sinh,
        Self::Cosh,
        Self::Tanh,
        Self::Asin,
        Self::Acos,
        Self::Atan,
        Self::Atan2,
        Self::RoughLog2,
        Self::RoughExp2,
    ];

    /// Whether the function has two arguments.
    pub fn binary(self) -> bool {
        matches!(self, Self::Pow | Self::Atan2)
    }

    /// The function that is computed together with others: a sine comes with its cosine.
    pub fn family(self) -> Self {
        match self {
            Self::Cos => Self::Sin,
            Self::Cosh => Self::Sinh,
            f => f,
        }
    }

    /// The value in every lane; functions of one argument ignore the second.
    #[inline(always)]
    pub fn apply<const N: usize>(self, a: &[f64; N], b: &[f64; N]) -> [f64; N] {
        match self {
            Self::Sin => math::sin_cos(a).0,
            Self::Cos => math::sin_cos(a).1,
            Self::Tan => math::tan(a),
            Self::Exp => math::exp(a),
            Self::Log => math::log(a),
            Self::Pow => math::pow(a, b),
            Self::Sinh => math::sinh_cosh(a).0,
            Self::Cosh => math::sinh_cosh(a).1,
            Self::Tanh => math::tanh(a),
            Self::Asin => math::asin(a),
            Self::Acos => math::acos(a),
            Self::Atan => math::atan(a),
            Self::Atan2 => math::atan2(a, b),
            Self::RoughLog2 => math::rough_log2(a),
            Self::RoughExp2 => math::rough_exp2(a),
        }
    }

    /// The values of a function and of the one that shares its work, if there is one: sine and cosine.
    #[inline(always)]
    pub fn apply_pair<const N: usize>(self, a: &[f64; N]) -> Option<([f64; N], [f64; N])> {
        match self.family() {
            Self::Sin => Some(math::sin_cos(a)),
            Self::Sinh => Some(math::sinh_cosh(a)),
            _ => None,
        }
    }

    /// The value at a number.
    pub fn at(self, a: f64) -> f64 {
        self.apply(&[a], &[a])[0]
    }
}
