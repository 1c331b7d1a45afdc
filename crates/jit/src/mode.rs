//! The number of states that are computed at once, and the encoding of instructions.

/// The number of states that one call computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Mode {
    /// One state. Wide values of the code take a vector register each.
    Scalar,
    /// Four states in lanes.
    Lanes4,
    /// Eight states in lanes.
    Lanes8,
}

impl Mode {
    /// The number of states.
    #[inline]
    pub(crate) fn lanes(self) -> usize {
        match self {
            Self::Scalar => 1,
            Self::Lanes4 => 4,
            Self::Lanes8 => 8,
        }
    }

    /// The mode with a number of lanes, if there is one.
    pub(crate) fn with_lanes(lanes: usize) -> Option<Self> {
        [Self::Scalar, Self::Lanes4, Self::Lanes8]
            .into_iter()
            .find(|m| m.lanes() == lanes)
    }

    /// The mode with the most lanes that this processor can run.
    pub(crate) fn best_lanes() -> Self {
        [Self::Lanes8, Self::Lanes4]
            .into_iter()
            .find(|m| m.encoding().is_some())
            .unwrap_or(Self::Scalar)
    }

    /// The encoding to use for this mode on this processor, if it has one.
    pub(crate) fn encoding(self) -> Option<Encoding> {
        [Encoding::Evex, Encoding::Vex]
            .into_iter()
            .find(|e| e.serves(self) && e.detected())
    }
}

/// The encoding of instructions: AVX2 or AVX-512.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// AVX2 and FMA: sixteen registers of four numbers.
    Vex,
    /// AVX-512 F, VL and DQ: thirty-two registers of eight numbers, constants read by broadcast.
    Evex,
}

impl Encoding {
    /// Whether this processor (and its operating system) supports the encoding.
    pub fn detected(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            let base = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            match self {
                Self::Vex => base,
                Self::Evex => {
                    base && is_x86_feature_detected!("avx512f")
                        && is_x86_feature_detected!("avx512vl")
                        && is_x86_feature_detected!("avx512dq")
                }
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        false
    }

    /// Whether the encoding can express the mode.
    pub(crate) fn serves(self, mode: Mode) -> bool {
        self == Self::Evex || mode != Mode::Lanes8
    }
}
