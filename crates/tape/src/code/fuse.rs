//! Products and sums in one instruction.

use super::{Code, Instr, Value};

impl Code {
    /// Fuses each product that is used once, by a sum or difference, with it: one rounding less.
    #[must_use]
    pub fn fused(&self) -> Self {
        let uses = self.uses();
        let product = |v: Value| match self.instrs[v as usize] {
            Instr::Mul(a, b) if uses[v as usize] == 1 => Some((a, b)),
            _ => None,
        };
        let mut code = self.clone();
        for i in &mut code.instrs {
            *i = match *i {
                Instr::Add(x, y) => match (product(x), product(y)) {
                    // The product that stands later waits for less.
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
}
