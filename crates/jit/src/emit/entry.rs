//! How the code is entered and left.
//!
//! Its arguments are the inputs (rdi), the outputs (rsi) and a workspace (rdx). The base registers point
//! some way into what they stand for, so that more of it is reached with displacements of one byte.

use galilei_tape::code::Code;

use super::pointers::Pointers;
use super::{Emitted, Emitter, Encoding};
use crate::encode::Base;
use crate::workspace::Line;

/// How far each base register points into what it stands for, in bytes.
#[derive(Debug)]
pub(super) struct Biases {
    pub(super) inputs: i32,
    pub(super) outputs: i32,
    pub(super) constants: i32,
    pub(super) frame: i32,
}

impl Biases {
    pub(super) fn of(code: &Code, encoding: Encoding, lanes: usize, constants: usize) -> Self {
        // The number of bytes that a unit of short displacements has.
        let (vector, number) = match encoding {
            Encoding::Vex => (1, 1),
            Encoding::Evex => (8 * lanes, 8),
        };
        let bias = |numbers: usize, unit: usize| {
            if numbers * 8 <= 128 * unit {
                0
            } else {
                128 * unit as i32
            }
        };
        Self {
            inputs: bias(code.inputs() * lanes, vector),
            outputs: bias(code.output_len() * lanes, vector),
            constants: bias(constants, number),
            frame: 128 * vector as i32,
        }
    }
}

/// Larger frames are not put on the stack.
const LARGEST_ON_STACK: usize = 32 << 10;

/// What can be skipped without touching the page that guards the stack.
const PAGE: usize = 4096;

/// The base registers: they are kept across calls.
const BASES: [Base; 4] = [Base::Inputs, Base::Outputs, Base::Constants, Base::Frame];
/// Room for whatever is kept.
const KEPT: usize = 64;

/// Keeps registers below rbp, one after another, from a place on (`mov [rbp-…], …`), or brings them back.
fn kept(registers: &[Base], from: usize, back: bool) -> Vec<u8> {
    let operation = if back { 0x8b } else { 0x89 };
    let each = |(k, &r): (usize, &Base)| {
        let (r, at) = (r as u8, -8 * (from + k + 1) as i8);
        [0x48 | r >> 3 << 2, operation, 0x45 | (r & 7) << 3, at as u8]
    };
    registers.iter().enumerate().flat_map(each).collect()
}

impl Emitter<'_> {
    /// The whole: entry, body, exit.
    pub(super) fn finish(mut self) -> Emitted {
        let calls = !self.calls.runs.is_empty();
        let pointers = Pointers::set(&mut self.asm);
        let body = self.asm.bytes(&pointers, &kept(&BASES, 0, true));
        let borrowed: Vec<Base> = pointers.kept().collect();
        let frame = self.frame.top as usize * 8;
        let on_stack = frame <= LARGEST_ON_STACK;
        let mut code: Vec<u8> = Vec::with_capacity(body.len() + 256);
        let with = |code: &mut Vec<u8>, bytes: &[u8], number: i32| {
            code.extend(bytes);
            code.extend(number.to_le_bytes());
        };
        let linked = calls || !borrowed.is_empty() || (on_stack && frame > 0);
        if linked {
            code.extend([0x55, 0x48, 0x89, 0xe5]); // push rbp; mov rbp, rsp
        }
        let slots = self.frame.arguments as i32 * 8 + self.biases.frame;
        if on_stack && frame > 0 {
            let touch = [0x48, 0x83, 0x0c, 0x24, 0x00]; // or qword [rsp], 0
            let mut rest = frame + KEPT;
            while rest > PAGE {
                with(&mut code, &[0x48, 0x81, 0xec], PAGE as i32); // sub rsp, …
                code.extend(touch);
                rest -= PAGE;
            }
            with(&mut code, &[0x48, 0x81, 0xec], rest as i32); // sub rsp, …
            code.extend([0x48, 0x83, 0xe4, 0xc0]); // and rsp, -64
            if frame > PAGE / 2 {
                code.extend(touch);
            }
            with(&mut code, &[0x48, 0x8d, 0x8c, 0x24], slots); // lea rcx, [rsp + …]
        } else if linked {
            with(&mut code, &[0x48, 0x81, 0xec], KEPT as i32); // sub rsp, …
        }
        if !on_stack {
            with(&mut code, &[0x48, 0x8d, 0x8a], slots); // lea rcx, [rdx + …]
        }
        if self.biases.inputs != 0 {
            with(&mut code, &[0x48, 0x81, 0xc7], self.biases.inputs); // add rdi, …
        }
        if self.biases.outputs != 0 {
            with(&mut code, &[0x48, 0x81, 0xc6], self.biases.outputs); // add rsi, …
        }
        let mut to_constants = None;
        if !self.constants.data.is_empty() {
            with(&mut code, &[0x48, 0x8d, 0x15], 0); // lea rdx, [rip + …]
            to_constants = Some(code.len());
        }
        if calls {
            code.extend(kept(&BASES, 0, false));
        }
        code.extend(kept(&borrowed, BASES.len(), false));
        code.extend(body);
        code.extend(kept(&borrowed, BASES.len(), true));
        if self.lanes > 1 || calls || self.code.has_wide() {
            code.extend([0xc5, 0xf8, 0x77]); // vzeroupper
        }
        if linked {
            code.push(0xc9); // leave
        }
        code.push(0xc3); // ret
        let data_at = code.len().next_multiple_of(size_of::<Line>());
        if let Some(at) = to_constants {
            let distance = (data_at - at) as i32 + self.biases.constants;
            code[at - 4..at].copy_from_slice(&distance.to_le_bytes());
        }
        Emitted {
            code,
            data_at,
            data: self.constants.data,
            workspace: if on_stack { 0 } else { frame },
        }
    }
}
