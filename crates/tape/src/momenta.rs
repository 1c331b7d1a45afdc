//! The balance of momenta as code: p = ∂L/∂u, ṗ = ∂L/∂x + F.

use crate::code::{Assembler, Code, Value};
use crate::jets::Rates;
use crate::linearised::inputs;
use crate::lower::Sources;
use crate::tape::{Reg, Tape};

/// Momenta and their rates as functions of (t, x, u) and the fixed inputs; reactions of constraints are no part of
/// the rates. Behind those inputs, each kink has one that is positive on its positive branch.
///
/// Nothing is inverted: with g·a = f the equations of motion and p = ∂L/∂u, the rate of the momenta is
/// ṗ = ∂p/∂t + u∂p/∂x + g·a, and g·a is f.
#[derive(Clone, Debug)]
pub struct MomentumBalance {
    /// p, ṗ, then the values of some registers.
    pub values: Code,
    /// ∂p/∂x, ∂p/∂u, ∂ṗ/∂x, ∂ṗ/∂u, each row by row.
    pub slopes: Code,
    /// p, then ∂p/∂u row by row.
    pub momenta: Code,
}

impl Tape {
    /// The balance of momenta of a Lagrangian, with the values of some registers.
    pub fn momentum_balance(
        &self,
        rates: &Rates,
        lagrangian: Reg,
        registers: &[Reg],
    ) -> MomentumBalance {
        let n = rates.dimension;
        MomentumBalance {
            values: self.momentum_code(n, lagrangian, |asm, all, p| {
                let mut outputs = p.to_vec();
                outputs.extend(self.momentum_rates(asm, rates, all, p));
                outputs.extend(asm.append(&self.code_on_branches(registers), all));
                outputs
            }),
            slopes: self.momentum_code(n, lagrangian, |asm, all, p| {
                let changes = self.momentum_rates(asm, rates, all, p);
                let (x, u) = all[1..=2 * n].split_at(n);
                let mut outputs = Vec::with_capacity(4 * n * n);
                for (list, by) in [(p, x), (p, u), (&changes, x), (&changes, u)] {
                    outputs.extend(rows(asm, list, by));
                }
                outputs
            }),
            momenta: self.momentum_code(n, lagrangian, |asm, all, p| {
                let mut outputs = p.to_vec();
                outputs.extend(rows(asm, p, &all[1 + n..=2 * n]));
                outputs
            }),
        }
    }

    /// Code whose outputs are made from its inputs and the momenta.
    fn momentum_code(
        &self,
        n: usize,
        lagrangian: Reg,
        outputs: impl FnOnce(&mut Assembler, &[Value], &[Value]) -> Vec<Value>,
    ) -> Code {
        let count = self.inputs + self.branch_len();
        let mut asm = Assembler::new(count);
        let all = inputs(&mut asm, count);
        let value = asm.append(&self.code_on_branches(&[lagrangian]), &all)[0];
        let p = asm.gradient(value, &all[1 + n..=2 * n]);
        let outputs = outputs(&mut asm, &all, &p);
        asm.finish(outputs)
    }

    /// ∂p/∂t + u∂p/∂x + f
    fn momentum_rates(
        &self,
        asm: &mut Assembler,
        rates: &Rates,
        all: &[Value],
        p: &[Value],
    ) -> Vec<Value> {
        let n = rates.dimension;
        let (state, branches) = all.split_at(self.inputs);
        let (one, zero) = (asm.number(1.0), asm.number(0.0));
        let mut along = vec![(state[0], one)];
        along.extend((0..n).map(|i| (state[1 + i], state[1 + n + i])));
        let carried = asm.tangents(p, &along);
        let sources = Sources {
            inputs: state,
            branches: Some(branches),
            parameters: &[],
        };
        let (_, defects) = self.defects(asm, rates, &sources, &vec![zero; rates.unknowns]);
        let pairs = carried.into_iter().zip(defects);
        pairs.map(|(c, d)| asm.sub(c, d)).collect()
    }
}

/// The derivatives of some values with respect to others, row by row.
pub(crate) fn rows(asm: &mut Assembler, of: &[Value], by: &[Value]) -> Vec<Value> {
    let one = asm.number(1.0);
    let columns: Vec<Vec<Value>> = by.iter().map(|&z| asm.tangents(of, &[(z, one)])).collect();
    let row = |i: usize| columns.iter().map(move |c| c[i]);
    (0..of.len()).flat_map(row).collect()
}
