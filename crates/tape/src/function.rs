//! Elementary functions: one implementation for the interpreter and for machine code.

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
}

impl Function {
    /// All of them.
    pub const ALL: [Self; 13] = [
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
    ];

    /// Whether it has two arguments.
    pub fn binary(self) -> bool {
        matches!(self, Self::Pow | Self::Atan2)
    }

    /// The function that computes it together with others: a sine comes with its cosine.
    pub fn family(self) -> Self {
        match self {
            Self::Cos => Self::Sin,
            Self::Cosh => Self::Sinh,
            f => f,
        }
    }

    /// The value in every lane; functions of one argument ignore the second.
    #[inline]
    pub fn apply<const N: usize>(self, a: &[f64; N], b: &[f64; N]) -> [f64; N] {
        let one = |f: fn(f64) -> f64| a.map(f);
        match self {
            Self::Sin => one(f64::sin),
            Self::Cos => one(f64::cos),
            Self::Tan => one(f64::tan),
            Self::Exp => one(f64::exp),
            Self::Log => one(f64::ln),
            Self::Pow => std::array::from_fn(|l| a[l].powf(b[l])),
            Self::Sinh => one(f64::sinh),
            Self::Cosh => one(f64::cosh),
            Self::Tanh => one(f64::tanh),
            Self::Asin => one(f64::asin),
            Self::Acos => one(f64::acos),
            Self::Atan => one(f64::atan),
            Self::Atan2 => std::array::from_fn(|l| a[l].atan2(b[l])),
        }
    }
}
