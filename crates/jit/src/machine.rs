//! Machine code that can be called.

use galilei_tape::code::Code;
use memmap2::{Mmap, MmapMut};

use crate::check::well_formed;
use crate::emit::{Emitted, emit};
use crate::mode::{Encoding, Mode};
use crate::workspace::{Line, Workspace};

/// The signature of machine code: inputs, outputs, workspace.
type Entry = unsafe extern "sysv64" fn(*const f64, *mut f64, *mut Line);

/// Machine code for a [`Code`]. It owns its memory, may be moved to and called from any thread, and keeps nothing
/// between calls.
#[derive(Debug)]
pub(crate) struct Machine {
    memory: Mmap,
    inputs: usize,
    outputs: usize,
    workspace: usize,
    encoding: Encoding,
    size: usize,
}

/// Memory that holds the code and its constants: written first, then made executable, never both at once. None if the
/// system gives no such memory.
fn executable(emitted: &Emitted) -> Option<Mmap> {
    let image = emitted.image();
    let mut memory = MmapMut::map_anon(image.len()).ok()?;
    memory.copy_from_slice(&image);
    memory.make_exec().ok()
}

impl Machine {
    /// Machine code in an encoding. None where the processor does not have it, where it cannot express the mode, where
    /// the code has wide values and the mode has lanes, and where the system gives no executable memory.
    ///
    /// # Panics
    /// If the code is malformed: an operand after its use, an input it does not have, mixed widths.
    pub(crate) fn compile(code: &Code, mode: Mode, encoding: Encoding) -> Option<Self> {
        if !encoding.serves(mode) || !encoding.detected() {
            return None;
        }
        assert!(well_formed(code), "malformed code");
        if mode != Mode::Scalar && code.has_wide() {
            return None;
        }
        let emitted = emit(code, mode, encoding)?;
        Some(Self {
            memory: executable(&emitted)?,
            inputs: code.inputs() * mode.lanes(),
            outputs: code.output_len() * mode.lanes(),
            workspace: emitted.workspace,
            encoding,
            size: emitted.code.len(),
        })
    }

    /// The encoding of the instructions.
    pub(crate) fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The number of bytes of instructions.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Memory for the intermediate values of a call.
    pub(crate) fn workspace(&self) -> Workspace {
        Workspace::new(self.workspace)
    }

    /// Computes the outputs: variable i of lane l is `inputs[i·lanes + l]`, and likewise among the outputs.
    ///
    /// # Panics
    /// If the lengths are not those of the code, or the workspace is too small for it.
    #[inline]
    pub(crate) fn call(&self, workspace: &mut Workspace, inputs: &[f64], outputs: &mut [f64]) {
        assert_eq!(inputs.len(), self.inputs, "number of inputs");
        assert_eq!(outputs.len(), self.outputs, "number of outputs");
        assert!(workspace.size() >= self.workspace, "size of the workspace");
        // SAFETY: the memory holds a function of this type, emitted from well-formed code for features
        // this processor has. It reads `self.inputs` numbers, writes `self.outputs` numbers and uses
        // `self.workspace` bytes of the workspace: as many as there are.
        unsafe {
            let entry = std::mem::transmute::<*const u8, Entry>(self.memory.as_ptr());
            entry(inputs.as_ptr(), outputs.as_mut_ptr(), workspace.start());
        }
    }
}
