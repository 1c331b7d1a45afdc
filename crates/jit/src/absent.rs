//! No machine code on this system: nothing is ever compiled.

use std::convert::Infallible;

use galilei_tape::code::Code;

use crate::mode::{Encoding, Mode};

/// Machine code for a [`Code`]. There is none on this system: [`Machine::compile`] gives nothing.
#[derive(Debug)]
pub struct Machine(Infallible);

/// Memory for the intermediate values of a [`Machine`].
#[derive(Clone, Debug, Default)]
pub struct Workspace(());

#[allow(missing_docs)]
impl Machine {
    pub fn supported(_: Mode) -> bool {
        false
    }

    pub fn compile(_: &Code, _: Mode) -> Option<Self> {
        None
    }

    pub fn compile_in(_: &Code, _: Mode, _: Encoding) -> Option<Self> {
        None
    }

    pub fn mode(&self) -> Mode {
        match self.0 {}
    }

    pub fn encoding(&self) -> Encoding {
        match self.0 {}
    }

    pub fn size(&self) -> usize {
        match self.0 {}
    }

    pub fn input_len(&self) -> usize {
        match self.0 {}
    }

    pub fn output_len(&self) -> usize {
        match self.0 {}
    }

    pub fn workspace(&self) -> Workspace {
        match self.0 {}
    }

    pub fn call(&self, _: &[f64], _: &mut [f64]) {
        match self.0 {}
    }

    pub fn call_with(&self, _: &mut Workspace, _: &[f64], _: &mut [f64]) {
        match self.0 {}
    }
}
