//! Memory for intermediate values.

/// A cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Line {
    _bytes: [u8; 64],
}

/// Memory for the intermediate values of machine code that has too many for the stack, aligned to cache lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    #[cfg_attr(
        not(any(target_arch = "x86_64", target_arch = "aarch64")),
        allow(dead_code)
    )]
    lines: Vec<Line>,
}

#[cfg_attr(
    not(any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        all(target_arch = "wasm32", feature = "host")
    )),
    allow(dead_code)
)]
impl Workspace {
    /// A workspace of at least this many bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        let count = bytes.div_ceil(size_of::<Line>());
        Self {
            lines: vec![Line { _bytes: [0; 64] }; count],
        }
    }

    /// The number of bytes.
    #[inline]
    pub(crate) fn size(&self) -> usize {
        size_of_val(&self.lines[..])
    }

    /// The start of the memory.
    #[inline]
    pub(crate) fn start(&mut self) -> *mut Line {
        self.lines.as_mut_ptr()
    }
}
