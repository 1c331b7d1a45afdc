//! The elementary functions an expression may call.

/// An elementary function of one or two arguments.
///
/// Square roots and powers are not here: they are powers with rational exponents.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Function {
    /// sine
    Sin,
    /// cosine
    Cos,
    /// tangent
    Tan,
    /// inverse sine, in [−π/2, π/2]
    Asin,
    /// inverse cosine, in [0, π]
    Acos,
    /// inverse tangent, in (−π/2, π/2)
    Atan,
    /// hyperbolic sine
    Sinh,
    /// hyperbolic cosine
    Cosh,
    /// hyperbolic tangent
    Tanh,
    /// exponential
    Exp,
    /// natural logarithm
    Log,
    /// absolute value
    Abs,
    /// −1, 0 or 1
    Sign,
    /// angle of the point (x, y), in (−π, π]; arguments in the order y, x
    Atan2,
    /// the smaller of two
    Min,
    /// the larger of two
    Max,
}

impl Function {
    /// Every function, in the order of its code.
    pub const ALL: [Self; 16] = [
        Self::Sin,
        Self::Cos,
        Self::Tan,
        Self::Asin,
        Self::Acos,
        Self::Atan,
        Self::Sinh,
        Self::Cosh,
        Self::Tanh,
        Self::Exp,
        Self::Log,
        Self::Abs,
        Self::Sign,
        Self::Atan2,
        Self::Min,
        Self::Max,
    ];

    /// The name in the model language.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sin => "sin",
            Self::Cos => "cos",
            Self::Tan => "tan",
            Self::Asin => "asin",
            Self::Acos => "acos",
            Self::Atan => "atan",
            Self::Sinh => "sinh",
            Self::Cosh => "cosh",
            Self::Tanh => "tanh",
            Self::Exp => "exp",
            Self::Log => "log",
            Self::Abs => "abs",
            Self::Sign => "sign",
            Self::Atan2 => "atan2",
            Self::Min => "min",
            Self::Max => "max",
        }
    }

    /// The function of that name in the model language.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }

    /// The number of arguments.
    pub fn arity(self) -> usize {
        match self {
            Self::Atan2 | Self::Min | Self::Max => 2,
            _ => 1,
        }
    }

    /// Whether f(−x) = −f(x).
    pub fn is_odd(self) -> bool {
        matches!(
            self,
            Self::Sin | Self::Tan | Self::Asin | Self::Atan | Self::Sinh | Self::Tanh | Self::Sign
        )
    }

    /// Whether f(−x) = f(x).
    pub fn is_even(self) -> bool {
        matches!(self, Self::Cos | Self::Cosh | Self::Abs)
    }
}

#[cfg(test)]
mod tests {
    use super::Function;

    #[test]
    fn codes_and_names_are_inverse() {
        for (code, f) in Function::ALL.into_iter().enumerate() {
            assert_eq!(f as usize, code);
            assert_eq!(Function::from_name(f.name()), Some(f));
        }
    }
}
