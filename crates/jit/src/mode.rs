//! The number of states that are computed at once, and the encoding of instructions.

/// The number of states that one call computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Mode {
    /// One state. Wide values of the code take a vector register each, or two.
    Scalar,
    /// Two states in lanes.
    Lanes2,
    /// Four states in lanes.
    Lanes4,
    /// Eight states in lanes.
    Lanes8,
}

impl Mode {
    /// All modes, those with the most lanes first.
    const ALL: [Self; 4] = [Self::Lanes8, Self::Lanes4, Self::Lanes2, Self::Scalar];

    /// The number of states.
    #[inline]
    pub(crate) fn lanes(self) -> usize {
        match self {
            Self::Scalar => 1,
            Self::Lanes2 => 2,
            Self::Lanes4 => 4,
            Self::Lanes8 => 8,
        }
    }

    /// The mode with a number of lanes, if there is one.
    pub(crate) fn with_lanes(lanes: usize) -> Option<Self> {
        Self::ALL.into_iter().find(|m| m.lanes() == lanes)
    }

    /// The mode in which this processor computes the most states in a given time.
    pub(crate) fn best_lanes() -> Self {
        if Encoding::Neon.detected() {
            // Eight lanes are four registers a value, which leaves room for few values.
            return Self::Lanes4;
        }
        Self::ALL
            .into_iter()
            .find(|m| m.encoding().is_some())
            .unwrap_or(Self::Scalar)
    }

    /// The encoding to use for this mode on this processor, if it has one.
    pub(crate) fn encoding(self) -> Option<Encoding> {
        let better = Encoding::Vex.detected();
        Encoding::ALL
            .into_iter()
            .filter(|&e| e != Encoding::Sse || !better)
            .find(|e| e.serves(self) && e.detected())
    }
}

/// The encoding of instructions: SSE2, AVX2 or AVX-512 on x86-64, NEON on 64-bit ARM, WebAssembly in browsers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// AVX2 and FMA: sixteen registers of four numbers.
    Vex,
    /// AVX-512 F, VL and DQ: thirty-two registers of eight numbers, constants read by broadcast.
    Evex,
    /// SSE2, which every x86-64 processor has: sixteen registers of two numbers. Fused products are computed by sums and
    /// products with their errors. For processors without AVX2 or FMA.
    Sse,
    /// A64 with its vector instructions (NEON), which every 64-bit ARM processor has: thirty-two registers of two
    /// numbers.
    Neon,
    /// WebAssembly, compiled by the program around this one, with the feature `host`.
    Wasm,
}

impl Encoding {
    /// All encodings, the one to be preferred first.
    pub const ALL: [Self; 5] = [Self::Evex, Self::Vex, Self::Sse, Self::Neon, Self::Wasm];

    /// Whether this processor (and its operating system) supports the encoding.
    pub fn detected(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Vex => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            #[cfg(target_arch = "x86_64")]
            Self::Evex => {
                Self::Vex.detected()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512dq")
            }
            Self::Sse => cfg!(target_arch = "x86_64"),
            Self::Neon => cfg!(target_arch = "aarch64"),
            Self::Wasm => cfg!(all(target_arch = "wasm32", feature = "host")),
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// Whether the encoding can express the mode.
    pub(crate) fn serves(self, mode: Mode) -> bool {
        match self {
            Self::Vex => matches!(mode, Mode::Scalar | Mode::Lanes4),
            Self::Evex => mode != Mode::Lanes2,
            Self::Sse => mode != Mode::Lanes8,
            Self::Neon => true,
            Self::Wasm => mode == Mode::Scalar,
        }
    }

    /// The name of the encoding for people: the processor and its vector instructions.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vex => "x86-64, AVX2",
            Self::Evex => "x86-64, AVX-512",
            Self::Sse => "x86-64, SSE2",
            Self::Neon => "ARM64, NEON",
            Self::Wasm => "WebAssembly",
        }
    }
}

impl std::fmt::Display for Encoding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
