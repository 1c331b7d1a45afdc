//! Products and sums in one instruction.

use super::{Code, Instr, Value};

impl Code {
    /// Fuses each product that is used once, by a sum or difference, with it: one rounding less. Multiples by numbers are
    /// also fused with several sums, if nothing else needs them.
    #[must_use]
    pub fn fused(&self) -> Self {
        let uses = self.uses();
        let shared = self.shared_multiples(&uses);
        let product = |v: Value| match self.instrs[v as usize] {
            Instr::Mul(a, b) if uses[v as usize] == 1 || shared[v as usize] => Some((a, b)),
            _ => None,
        };
        let mut code = self.clone();
        for i in &mut code.instrs {
            *i = match *i {
                Instr::Add(x, y) => match (product(x), product(y)) {
                    // The later product is fused: it waits for less.
                    (Some((a, b)), Some(_)) if x > y => Instr::Fma(a, b, y),
                    (_, Some((a, b))) => Instr::Fma(a, b, x),
                    (Some((a, b)), None) => Instr::Fma(a, b, y),
                    _ => *i,
                },
                Instr::Sub(x, y) => match (product(x), product(y)) {
                    (Some((a, b)), Some(_)) if x > y => Instr::Fms(a, b, y),
                    (_, Some((a, b))) => Instr::Fnma(a, b, x),
                    (Some((a, b)), None) => Instr::Fms(a, b, y),
                    _ => *i,
                },
                _ => *i,
            };
        }
        code.without_dead()
    }

    /// Multiples by numbers that are used several times, always in sums with something that is no product: fused with
    /// all of them they need not be computed.
    fn shared_multiples(&self, uses: &[u32]) -> Vec<bool> {
        let is_product = |v: Value| matches!(self.instrs[v as usize], Instr::Mul(..));
        let mut sums = vec![0; uses.len()];
        for i in &self.instrs {
            if let Instr::Add(x, y) | Instr::Sub(x, y) = *i {
                match (is_product(x), is_product(y)) {
                    (true, false) => sums[x as usize] += 1,
                    (false, true) => sums[y as usize] += 1,
                    _ => {}
                }
            }
        }
        let is_number =
            |v: Value| matches!(self.instrs[v as usize], Instr::Const(_) | Instr::Table(_));
        let multiple = |at: usize| match self.instrs[at] {
            Instr::Mul(a, b) => is_number(a) || is_number(b),
            _ => false,
        };
        let all = |at: usize| sums[at] > 1 && sums[at] == uses[at];
        (0..uses.len()).map(|at| all(at) && multiple(at)).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::code::{Assembler, Instr};

    /// Code for x + 3y, z − 3y and, if `more`, 3y itself.
    fn code(more: bool) -> crate::code::Code {
        let mut asm = Assembler::new(3);
        let [x, y, z] = [0, 1, 2].map(|k| asm.input(k));
        let multiple = asm.scale(y, 3.0);
        let mut outputs = vec![asm.add(x, multiple), asm.sub(z, multiple)];
        if more {
            outputs.push(multiple);
        }
        asm.finish(outputs)
    }

    #[test]
    fn a_multiple_in_sums_alone_is_not_computed() {
        for more in [false, true] {
            let fused = code(more).fused();
            let products = |i: &&Instr| matches!(i, Instr::Mul(..));
            assert_eq!(
                fused.instrs().iter().filter(products).count(),
                usize::from(more)
            );
            assert_eq!(fused.operations(), if more { 3 } else { 2 });
            let found = fused.run(&[[1.0], [0.5], [7.0]], &mut vec![]);
            assert_eq!(found[..2], [[2.5], [5.5]]);
        }
    }
}
