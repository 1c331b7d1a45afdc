//! Entry and exit of machine code.
//!
//! Its arguments are the inputs (rdi), the outputs (rsi) and a workspace (rdx). The base registers point to a place
//! inside their regions, so that displacements of one byte reach more of them.

use galilei_tape::code::Code;

use super::encode::Base;
use super::pointers::Pointers;
use super::{Emitter, Encoding};
use crate::emitted::Emitted;
use crate::workspace::Line;

/// The offset of each base register from the start of its region, in bytes.
#[derive(Debug)]
pub(super) struct Biases {
    pub(super) inputs: i32,
    pub(super) outputs: i32,
    pub(super) constants: i32,
    pub(super) frame: i32,
}

impl Biases {
    pub(super) fn of(code: &Code, encoding: Encoding, lanes: usize, constants: usize) -> Self {
        // The number of bytes in a unit of short displacements.
        let (vector, number) = match encoding {
            Encoding::Evex => (8 * lanes, 8),
            _ => (1, 1),
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

/// The largest frame, in bytes, that is put on the stack.
const MAX_STACK_FRAME: usize = 32 << 10;

/// The distance that can be skipped without touching the guard page of the stack.
const PAGE_BYTES: usize = 4096;

/// The base registers, which are preserved across calls.
const BASES: [Base; 4] = [Base::Inputs, Base::Outputs, Base::Constants, Base::Frame];
/// Bytes reserved for preserved registers.
const SAVED_BYTES: usize = 64;

/// Saves registers below rbp, one after another, from an offset on (`mov [rbp-…], …`), or restores them.
fn save_or_restore(registers: &[Base], from: usize, back: bool) -> Vec<u8> {
    let operation = if back { 0x8b } else { 0x89 };
    let each = |(k, &r): (usize, &Base)| {
        let (r, at) = (r as u8, -8 * (from + k + 1) as i8);
        [0x48 | r >> 3 << 2, operation, 0x45 | (r & 7) << 3, at as u8]
    };
    registers.iter().enumerate().flat_map(each).collect()
}

impl Emitter<'_> {
    /// The complete code: entry, body, exit.
    pub(super) fn finish(mut self) -> Emitted {
        let calls = !self.runs.list.is_empty();
        let pointers = Pointers::set(&mut self.asm);
        let body = self.asm.bytes(&pointers, &save_or_restore(&BASES, 0, true));
        let borrowed: Vec<Base> = pointers.restored().collect();
        let frame = self.frame.top as usize * 8;
        let on_stack = frame <= MAX_STACK_FRAME;
        let mut code: Vec<u8> = Vec::with_capacity(body.len() + 256);
        let with = |code: &mut Vec<u8>, bytes: &[u8], number: i32| {
            code.extend(bytes);
            code.extend(number.to_le_bytes());
        };
        // Routines for fused products want an aligned stack, too.
        let routines = self.constants.routines.is_some();
        let linked = calls || routines || !borrowed.is_empty() || (on_stack && frame > 0);
        if linked {
            code.extend([0x55, 0x48, 0x89, 0xe5]); // push rbp; mov rbp, rsp
        }
        let slots = self.runs.arguments as i32 * 8 + self.biases.frame;
        if on_stack && frame > 0 {
            let touch = [0x48, 0x83, 0x0c, 0x24, 0x00]; // or qword [rsp], 0
            let mut rest = frame + SAVED_BYTES;
            while rest > PAGE_BYTES {
                with(&mut code, &[0x48, 0x81, 0xec], PAGE_BYTES as i32); // sub rsp, …
                code.extend(touch);
                rest -= PAGE_BYTES;
            }
            with(&mut code, &[0x48, 0x81, 0xec], rest as i32); // sub rsp, …
            code.extend([0x48, 0x83, 0xe4, 0xc0]); // and rsp, -64
            if frame > PAGE_BYTES / 2 {
                code.extend(touch);
            }
            with(&mut code, &[0x48, 0x8d, 0x8c, 0x24], slots); // lea rcx, [rsp + …]
        } else if linked {
            with(&mut code, &[0x48, 0x81, 0xec], SAVED_BYTES as i32); // sub rsp, …
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
            code.extend(save_or_restore(&BASES, 0, false));
        }
        code.extend(save_or_restore(&borrowed, BASES.len(), false));
        code.extend(body);
        code.extend(save_or_restore(&borrowed, BASES.len(), true));
        let upper = self.lanes > 1 || calls || self.code.has_wide();
        if upper && self.encoding != Encoding::Sse {
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
