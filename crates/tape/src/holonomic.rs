//! Constraints between positions as code: g(t, x) = 0.

use crate::code::{Assembler, Code, Value};
use crate::linearised::inputs;
use crate::momenta::rows;
use crate::tape::{Reg, Tape};

/// Constraints g(t, x) = 0 with their derivatives, as functions of (t, x, u) and the fixed inputs. Behind those, each
/// kink has an input that is positive on its positive branch.
#[derive(Clone, Debug)]
pub struct Holonomic {
    /// g, then ∂g/∂t, then J = ∂g/∂x row by row.
    pub values: Code,
    /// ∂(Jᵀμ)/∂x, row by row, with impulses μ behind the inputs.
    pub curvature: Code,
}

impl Tape {
    /// The constraints that some registers are zero, which depend on time and positions alone.
    pub fn holonomic(&self, dimension: usize, registers: &[Reg]) -> Holonomic {
        let (n, m) = (dimension, registers.len());
        let count = self.inputs + self.branch_len();
        let code = |further: usize, outputs: &dyn Fn(&mut Assembler, &[Value], &[Value]) -> _| {
            let mut asm = Assembler::new(count + further);
            let all = inputs(&mut asm, count + further);
            let g = asm.append(&self.code_on_branches(registers), &all[..count]);
            let outputs: Vec<Value> = outputs(&mut asm, &all, &g);
            asm.finish(outputs)
        };
        Holonomic {
            values: code(0, &|asm, all, g| {
                let mut outputs = g.to_vec();
                outputs.extend(rows(asm, g, &all[..1]));
                outputs.extend(rows(asm, g, &all[1..=n]));
                outputs
            }),
            curvature: code(m, &|asm, all, g| {
                let mut sum = asm.number(0.0);
                for (&g, &impulse) in g.iter().zip(&all[count..]) {
                    let part = asm.mul(impulse, g);
                    sum = asm.add(sum, part);
                }
                let x = &all[1..=n];
                let force = asm.gradient(sum, x);
                rows(asm, &force, x)
            }),
        }
    }
}
