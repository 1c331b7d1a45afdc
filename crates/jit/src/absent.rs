//! Processors without an emitter: nothing is compiled, and the interpreter is used.

use galilei_tape::code::Code;

use crate::mode::{Encoding, Mode};
use crate::workspace::Workspace;

/// Machine code, of which there is none for this processor.
#[derive(Debug)]
pub(crate) enum Machine {}

impl Machine {
    pub(crate) fn compile(_: &Code, _: Mode, _: Encoding) -> Option<Self> {
        None
    }

    pub(crate) fn encoding(&self) -> Encoding {
        match *self {}
    }

    pub(crate) fn size(&self) -> usize {
        match *self {}
    }

    pub(crate) fn workspace(&self) -> Workspace {
        match *self {}
    }

    pub(crate) fn call(&self, _: &mut Workspace, _: &[f64], _: &mut [f64]) {
        match *self {}
    }
}
