//! Machine code before it is in executable memory.

/// Machine code, its constants and its demand for memory.
#[derive(Debug)]
pub(crate) struct Emitted {
    /// The code, to be entered at its first byte.
    pub(crate) code: Vec<u8>,
    /// The offset of its constants from its first byte.
    pub(crate) data_at: usize,
    /// The constants.
    pub(crate) data: Vec<f64>,
    /// The number of bytes of workspace it needs; zero if it uses the stack.
    pub(crate) workspace: usize,
}

impl Emitted {
    /// The bytes of the code and, behind it, of its constants.
    pub(crate) fn image(&self) -> Vec<u8> {
        let mut image = self.code.clone();
        // On x86-64, bytes that are never reached are breakpoints; elsewhere the code fills its last line itself.
        image.resize(self.data_at, 0xcc);
        image.extend(self.data.iter().flat_map(|x| x.to_le_bytes()));
        image
    }
}
