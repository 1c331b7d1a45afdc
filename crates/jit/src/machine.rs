//! Machine code that can be called.

use galilei_tape::code::Code;

use crate::check::well_formed;
use crate::emit::emit;
use crate::memory::{self, Executable};
use crate::mode::{Encoding, Mode};

/// Inputs, outputs, workspace.
type Entry = unsafe extern "sysv64" fn(*const f64, *mut f64, *mut Line);

/// Machine code for a [`Code`]: computes what [`Code::run`] computes, bit for bit (one value that is no
/// number may differ from another in its bits).
///
/// It owns its memory, may be moved to and called from any thread, and keeps nothing between calls.
#[derive(Debug)]
pub struct Machine {
    memory: Executable,
    inputs: usize,
    outputs: usize,
    workspace: usize,
    mode: Mode,
    encoding: Encoding,
    size: usize,
}

/// A cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Line {
    _bytes: [u8; 64],
}

/// Memory for the intermediate values of a [`Machine`] that has too many for the stack.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    lines: Vec<Line>,
}

impl Workspace {
    #[inline]
    fn reserve(&mut self, bytes: usize) -> *mut Line {
        let lines = bytes.div_ceil(size_of::<Line>());
        if self.lines.len() < lines {
            self.grow(lines);
        }
        self.lines.as_mut_ptr()
    }

    #[cold]
    fn grow(&mut self, lines: usize) {
        self.lines.resize(lines, Line { _bytes: [0; 64] });
    }
}

impl Machine {
    /// Whether this processor and system can run the mode.
    pub fn supported(mode: Mode) -> bool {
        mode.encoding().is_some()
    }

    /// Machine code for the code, in the best encoding this processor has. None where the processor or
    /// the system cannot run the mode, or where the code has wide values and the mode has lanes.
    ///
    /// # Panics
    /// If the code is malformed: an operand after its use, an input it does not have, mixed widths.
    pub fn compile(code: &Code, mode: Mode) -> Option<Self> {
        Self::compile_in(code, mode, mode.encoding()?)
    }

    /// Machine code in a given encoding. None also where the processor does not have it.
    ///
    /// # Panics
    /// As [`Machine::compile`].
    pub fn compile_in(code: &Code, mode: Mode, encoding: Encoding) -> Option<Self> {
        if !encoding.serves(mode) || !encoding.detected() {
            return None;
        }
        assert!(well_formed(code), "malformed code");
        if mode != Mode::Scalar && code.has_wide() {
            return None;
        }
        let emitted = emit(code, mode, encoding, memory::page())?;
        Some(Self {
            memory: Executable::new(&emitted.code, emitted.data_at, &emitted.data)?,
            inputs: code.inputs() * mode.lanes(),
            outputs: code.output_len() * mode.lanes(),
            workspace: emitted.workspace,
            mode,
            encoding,
            size: emitted.code.len(),
        })
    }

    /// How many states a call computes.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The encoding of the instructions.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// How many bytes of instructions there are.
    pub fn size(&self) -> usize {
        self.size
    }

    /// How many numbers a call reads: the inputs, times the lanes.
    pub fn input_len(&self) -> usize {
        self.inputs
    }

    /// How many numbers a call writes: the length of the result, times the lanes.
    pub fn output_len(&self) -> usize {
        self.outputs
    }

    /// Memory for intermediate values, to be used again with [`Machine::call_with`].
    pub fn workspace(&self) -> Workspace {
        let mut workspace = Workspace::default();
        workspace.reserve(self.workspace);
        workspace
    }

    /// Computes the outputs: variable i of lane l stands at `inputs[i·lanes + l]`, and likewise among the
    /// outputs. Code with very many intermediate values allocates memory for them: see
    /// [`Machine::call_with`].
    ///
    /// # Panics
    /// If the lengths are not [`Machine::input_len`] and [`Machine::output_len`].
    #[inline]
    pub fn call(&self, inputs: &[f64], outputs: &mut [f64]) {
        if self.workspace == 0 {
            self.enter(inputs, outputs, std::ptr::null_mut());
        } else {
            self.call_with(&mut Workspace::default(), inputs, outputs);
        }
    }

    /// The same with memory for intermediate values. It fits any machine, but one of another machine may
    /// have to grow.
    ///
    /// # Panics
    /// As [`Machine::call`].
    #[inline]
    pub fn call_with(&self, workspace: &mut Workspace, inputs: &[f64], outputs: &mut [f64]) {
        let lines = workspace.reserve(self.workspace);
        self.enter(inputs, outputs, lines);
    }

    #[inline]
    fn enter(&self, inputs: &[f64], outputs: &mut [f64], workspace: *mut Line) {
        assert_eq!(inputs.len(), self.inputs, "number of inputs");
        assert_eq!(outputs.len(), self.outputs, "number of outputs");
        // SAFETY: the memory holds a function of this type, emitted from well-formed code for features
        // this processor has. It reads `self.inputs` numbers, writes `self.outputs` numbers and uses
        // `self.workspace` bytes of the workspace: as many as there are.
        unsafe {
            let entry = std::mem::transmute::<*const u8, Entry>(self.memory.start());
            entry(inputs.as_ptr(), outputs.as_mut_ptr(), workspace);
        }
    }
}
