//! Machine code that can be called.

use galilei_tape::code::Code;

use crate::check::well_formed;
use crate::memory::Executable;
use crate::mode::{Encoding, Mode};
use crate::workspace::{Line, Workspace};

#[cfg(target_arch = "aarch64")]
use crate::a64;
#[cfg(target_arch = "x86_64")]
use crate::x86;

/// The signature of machine code: inputs, outputs, workspace.
#[cfg(target_arch = "x86_64")]
type Entry = unsafe extern "sysv64" fn(*const f64, *mut f64, *mut Line);
/// The signature of machine code: inputs, outputs, workspace.
#[cfg(target_arch = "aarch64")]
type Entry = unsafe extern "C" fn(*const f64, *mut f64, *mut Line);

/// Machine code for a [`Code`]. It owns its memory, may be moved to and called from any thread, and keeps nothing
/// between calls.
#[derive(Debug)]
pub(crate) struct Machine {
    memory: Executable,
    inputs: usize,
    outputs: usize,
    workspace: usize,
    encoding: Encoding,
    size: usize,
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
        // Tables are looked up by the interpreter.
        if !code.lookup_tables().is_empty() || mode != Mode::Scalar && code.has_wide() {
            return None;
        }
        #[cfg(target_arch = "x86_64")]
        let emitted = x86::emit(code, mode, encoding)?;
        #[cfg(target_arch = "aarch64")]
        let emitted = a64::emit(code, mode)?;
        Some(Self {
            memory: Executable::new(&emitted.image())?,
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
            let entry = std::mem::transmute::<*const u8, Entry>(self.memory.start());
            entry(inputs.as_ptr(), outputs.as_mut_ptr(), workspace.start());
        }
    }
}
