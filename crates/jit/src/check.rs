//! Conditions that code must satisfy before its numbers are used as addresses.

use galilei_tape::code::{Code, Instr, WIDTH};

/// Whether every operand comes before its use, inputs, tables and lanes exist, and widths agree.
pub(crate) fn well_formed(code: &Code) -> bool {
    let n = code.instrs().len();
    let formed = |(at, i): (usize, &Instr)| {
        let operands = i.operands();
        if operands.iter().any(|&v| v as usize >= at) {
            return false;
        }
        let wide = code.is_wide(at as u32);
        let all = |w: bool| operands.iter().all(|&v| code.is_wide(v) == w);
        match *i {
            Instr::Const(_) => !wide,
            Instr::Input(k) => !wide && (k as usize) < code.inputs(),
            Instr::Row(k) => wide && k as usize + WIDTH <= code.inputs(),
            Instr::Table(k) => wide && (k as usize) < code.tables().len(),
            Instr::Call(..) => !wide && all(false),
            Instr::Lookup(k, ..) => {
                !wide && all(false) && (k as usize) < code.lookup_tables().len()
            }
            Instr::Pack(_) => wide && all(false),
            Instr::Lane(_, l) => !wide && all(true) && (l as usize) < WIDTH,
            Instr::Permute(_, order) => {
                wide && all(true) && order.iter().all(|&l| (l as usize) < WIDTH)
            }
            _ => all(wide),
        }
    };
    code.instrs().iter().enumerate().all(formed) && code.outputs().iter().all(|&v| (v as usize) < n)
}
