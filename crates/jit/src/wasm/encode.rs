//! The binary format of WebAssembly: instructions, functions, modules.

/// The type of numbers.
pub(crate) const F64: u8 = 0x7c;
/// The type of addresses.
pub(crate) const I32: u8 = 0x7f;
/// The type of bits.
pub(crate) const I64: u8 = 0x7e;

/// Instructions without operands of their own.
pub(crate) mod op {
    pub(crate) const RETURN: u8 = 0x0f;
    pub(crate) const SELECT: u8 = 0x1b;
    pub(crate) const END: u8 = 0x0b;
    pub(crate) const I32_OR: u8 = 0x72;
    pub(crate) const I32_AND: u8 = 0x71;
    pub(crate) const I32_EQ: u8 = 0x46;
    pub(crate) const I64_EQZ: u8 = 0x50;
    pub(crate) const I64_GT_U: u8 = 0x56;
    pub(crate) const I64_ADD: u8 = 0x7c;
    pub(crate) const I64_SUB: u8 = 0x7d;
    pub(crate) const I64_AND: u8 = 0x83;
    pub(crate) const I64_SHR_U: u8 = 0x88;
    pub(crate) const NE: u8 = 0x62;
    pub(crate) const LT: u8 = 0x63;
    pub(crate) const GT: u8 = 0x64;
    pub(crate) const GE: u8 = 0x66;
    pub(crate) const ABS: u8 = 0x99;
    pub(crate) const NEG: u8 = 0x9a;
    pub(crate) const SQRT: u8 = 0x9f;
    pub(crate) const ADD: u8 = 0xa0;
    pub(crate) const SUB: u8 = 0xa1;
    pub(crate) const MUL: u8 = 0xa2;
    pub(crate) const DIV: u8 = 0xa3;
    pub(crate) const TO_BITS: u8 = 0xbd;
    pub(crate) const FROM_BITS: u8 = 0xbf;
}

fn unsigned(bytes: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn signed(bytes: &mut Vec<u8>, mut value: i64) {
    loop {
        let low = value as u8 & 0x7f;
        value >>= 7;
        if value == 0 && low & 0x40 == 0 || value == -1 && low & 0x40 != 0 {
            bytes.push(low);
            return;
        }
        bytes.push(low | 0x80);
    }
}

/// The instructions of a function.
#[derive(Debug, Default)]
pub(crate) struct Body {
    bytes: Vec<u8>,
}

impl Body {
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn op(&mut self, op: u8) {
        self.bytes.push(op);
    }

    fn with(&mut self, op: u8, operand: u32) {
        self.bytes.push(op);
        unsigned(&mut self.bytes, operand);
    }

    /// Pushes a local.
    pub(crate) fn get(&mut self, local: u32) {
        self.with(0x20, local);
    }

    /// Pops into a local.
    pub(crate) fn set(&mut self, local: u32) {
        self.with(0x21, local);
    }

    /// Copies the top into a local.
    pub(crate) fn tee(&mut self, local: u32) {
        self.with(0x22, local);
    }

    pub(crate) fn call(&mut self, function: u32) {
        self.with(0x10, function);
    }

    /// Reads a number, aligned to its size.
    pub(crate) fn load(&mut self, offset: u32) {
        self.bytes.extend([0x2b, 3]);
        unsigned(&mut self.bytes, offset);
    }

    /// Writes a number.
    pub(crate) fn store(&mut self, offset: u32) {
        self.bytes.extend([0x39, 3]);
        unsigned(&mut self.bytes, offset);
    }

    /// Pushes a number.
    pub(crate) fn number(&mut self, value: f64) {
        self.bytes.push(0x44);
        self.bytes.extend(value.to_le_bytes());
    }

    /// Pushes an integer of 32 bits.
    pub(crate) fn index(&mut self, value: u32) {
        self.bytes.push(0x41);
        signed(&mut self.bytes, i64::from(value as i32));
    }

    /// Pushes an integer of 64 bits.
    pub(crate) fn bits(&mut self, value: i64) {
        self.bytes.push(0x42);
        signed(&mut self.bytes, value);
    }

    /// Begins a block that is run if the top is not zero, and leaves nothing.
    pub(crate) fn when(&mut self) {
        self.bytes.extend([0x04, 0x40]);
    }

    /// The function with its locals: numbers of locals of a type each.
    pub(crate) fn function(self, locals: &[(u32, u8)]) -> Vec<u8> {
        let mut code = Vec::with_capacity(self.bytes.len() + 16);
        unsigned(&mut code, locals.len() as u32);
        for &(count, kind) in locals {
            unsigned(&mut code, count);
            code.push(kind);
        }
        code.extend(self.bytes);
        code.push(op::END);
        code
    }
}

fn name(bytes: &mut Vec<u8>, text: &str) {
    unsigned(bytes, text.len() as u32);
    bytes.extend(text.bytes());
}

/// A module that imports memory and functions from `galilei`, and exports one function. Functions are given with the index of their
/// type.
pub(crate) fn module(
    types: &[(&[u8], &[u8])],
    imports: &[(&str, u32)],
    functions: &[(u32, Vec<u8>)],
    export: (&str, u32),
) -> Vec<u8> {
    let mut bytes = b"\0asm\x01\0\0\0".to_vec();
    let mut section = |id: u8, count: usize, contents: &dyn Fn(&mut Vec<u8>)| {
        let mut inside = Vec::new();
        unsigned(&mut inside, count as u32);
        contents(&mut inside);
        bytes.push(id);
        unsigned(&mut bytes, inside.len() as u32);
        bytes.extend(inside);
    };
    section(1, types.len(), &|b| {
        for (parameters, results) in types {
            b.push(0x60);
            for list in [parameters, results] {
                unsigned(b, list.len() as u32);
                b.extend(*list);
            }
        }
    });
    section(2, imports.len() + 1, &|b| {
        name(b, "galilei");
        name(b, "memory");
        // Memory of at least one page.
        b.extend([2, 0, 1]);
        for &(function, kind) in imports {
            name(b, "galilei");
            name(b, function);
            b.push(0);
            unsigned(b, kind);
        }
    });
    section(3, functions.len(), &|b| {
        for &(kind, _) in functions {
            unsigned(b, kind);
        }
    });
    section(7, 1, &|b| {
        name(b, export.0);
        b.push(0);
        unsigned(b, export.1);
    });
    section(10, functions.len(), &|b| {
        for (_, code) in functions {
            unsigned(b, code.len() as u32);
            b.extend(code);
        }
    });
    bytes
}
