//! Machine code on WebAssembly: modules that the program around this one compiles.
//!
//! A WebAssembly program cannot make code executable; its host can. The host imports are `galilei.compile`, which compiles a module,
//! puts its function into the table of functions of this program, and returns its place there (or zero), and `galilei.release`,
//! which gives the place back. What modules call are exports of this program.

use std::num::NonZeroUsize;

use galilei_linear::fma_exact;
use galilei_tape::Function;
use galilei_tape::code::Code;

use crate::check::well_formed;
use crate::mode::{Encoding, Mode};
use crate::wasm;
use crate::workspace::{Line, Workspace};

#[link(wasm_import_module = "galilei")]
unsafe extern "C" {
    fn compile(start: *const u8, length: usize) -> usize;
    fn release(place: usize);
}

/// The signature of machine code: inputs, outputs, workspace.
type Entry = unsafe extern "C" fn(*const f64, *mut f64, *mut Line);

/// Machine code for a [`Code`], compiled by the host.
#[derive(Debug)]
pub(crate) struct Machine {
    /// The place in the table of functions.
    place: NonZeroUsize,
    inputs: usize,
    outputs: usize,
    size: usize,
}

impl Machine {
    /// Code for one state. None for several states, for code with tables, and where the host refuses the module.
    ///
    /// # Panics
    /// If the code is malformed: an operand after its use, an input it does not have, mixed widths.
    pub(crate) fn compile(code: &Code, mode: Mode, encoding: Encoding) -> Option<Self> {
        if !encoding.serves(mode) || !encoding.detected() {
            return None;
        }
        assert!(well_formed(code), "malformed code");
        let module = wasm::emit(code)?;
        // SAFETY: the host reads the bytes of the module and keeps no reference to them.
        let place = unsafe { compile(module.as_ptr(), module.len()) };
        Some(Self {
            place: NonZeroUsize::new(place)?,
            inputs: code.inputs(),
            outputs: code.output_len(),
            size: module.len(),
        })
    }

    /// The encoding of the instructions.
    pub(crate) fn encoding(&self) -> Encoding {
        Encoding::Wasm
    }

    /// The number of bytes of the module.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Memory for the intermediate values of a call.
    pub(crate) fn workspace(&self) -> Workspace {
        Workspace::new(wasm::WORKSPACE_BYTES)
    }

    /// Computes the outputs.
    ///
    /// # Panics
    /// If the lengths are not those of the code, or the workspace is too small for it.
    #[inline]
    pub(crate) fn call(&self, workspace: &mut Workspace, inputs: &[f64], outputs: &mut [f64]) {
        assert_eq!(inputs.len(), self.inputs, "number of inputs");
        assert_eq!(outputs.len(), self.outputs, "number of outputs");
        assert!(
            workspace.size() >= wasm::WORKSPACE_BYTES,
            "size of the workspace"
        );
        // SAFETY: on WebAssembly, a pointer to a function is its place in the table. The function at this place was made from
        // well-formed code; it reads and writes as many numbers as there are.
        unsafe {
            let entry = std::mem::transmute::<usize, Entry>(self.place.get());
            entry(inputs.as_ptr(), outputs.as_mut_ptr(), workspace.start());
        }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // SAFETY: nothing calls the function any more.
        unsafe { release(self.place.get()) }
    }
}

/// a·b + c for all arguments, for modules.
#[unsafe(no_mangle)]
extern "C" fn galilei_jit_fma(a: f64, b: f64, c: f64) -> f64 {
    fma_exact(a, b, c)
}

/// A function by its index, for modules.
#[unsafe(no_mangle)]
extern "C" fn galilei_jit_call(function: usize, a: f64, b: f64) -> f64 {
    Function::ALL[function].apply(&[a], &[b])[0]
}

/// A function and the one that shares its work, for modules.
///
/// # Safety
/// Two numbers can be written to the place.
#[unsafe(no_mangle)]
unsafe extern "C" fn galilei_jit_pair(function: usize, a: f64, place: *mut f64) {
    let first = Function::ALL[function];
    let (x, y) = first.apply_pair(&[a]).unwrap_or(([a], [a]));
    let both = match first.family() == first {
        true => [x[0], y[0]],
        false => [y[0], x[0]],
    };
    // SAFETY: the caller promises it.
    unsafe { place.cast::<[f64; 2]>().write_unaligned(both) }
}
