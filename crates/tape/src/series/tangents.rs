//! Variations as code, four side by side.

use super::job::convolve;
use super::system::System;
use super::unroll::Unroll;
use crate::code::{Value, WIDTH};
use crate::tangent::Along;
use crate::tape::Reg;

/// The series of a motion as far as they are written, and how its linear system is solved for four
/// right-hand sides.
pub(super) struct Written<'w, 'a> {
    pub(super) w: &'w mut Unroll<'a>,
    /// With entries four times each.
    pub(super) system: &'w System,
    pub(super) velocities: usize,
    pub(super) unknowns: &'w [Vec<Value>],
}

impl Written<'_, '_> {
    fn spread(&mut self, v: Value) -> Value {
        self.w.asm.pack([v; WIDTH])
    }

    fn sum(&mut self, list: &[Value], b: &[Value]) -> Option<Value> {
        let list: Vec<Value> = list.iter().map(|&v| self.spread(v)).collect();
        convolve(&mut self.w.asm, None, &list, b, true)
    }
}

impl Along for Written<'_, '_> {
    type Number = Value;

    fn zero(&mut self) -> Value {
        self.w.asm.table([0.0; WIDTH])
    }

    fn is_zero(&self, a: Value) -> bool {
        self.w.asm.is_zero(a)
    }

    fn add(&mut self, a: Value, b: Value) -> Value {
        self.w.asm.add(a, b)
    }

    fn sub(&mut self, a: Value, b: Value) -> Value {
        self.w.asm.sub(a, b)
    }

    fn scale(&mut self, a: Value, c: f64) -> Value {
        self.w.asm.scale(a, c)
    }

    fn over(&mut self, a: Value, r: Reg) -> Value {
        let (one, value) = (self.w.asm.number(1.0), self.w.get(r, 0, 0));
        let factor = self.w.asm.div(one, value);
        let factor = self.spread(factor);
        self.w.asm.mul(a, factor)
    }

    fn side(&mut self, kink: u32, a: Value, b: Value) -> Value {
        let (side, closed) = self.w.sides[kink as usize];
        let side = self.spread(side);
        self.w.asm.choose(side, closed, a, b)
    }

    fn product(&mut self, r: Reg, start: usize, b: &[Value]) -> Option<Value> {
        let list: Vec<Value> = (start..start + b.len())
            .map(|j| self.w.get(r, j, usize::MAX))
            .collect();
        self.sum(&list, b)
    }

    fn product_with_rate(&mut self, r: Reg, b: &[Value]) -> Option<Value> {
        let list: Vec<Value> = (1..=b.len())
            .map(|j| {
                let c = self.w.get(r, j, usize::MAX);
                self.w.asm.scale(c, j as f64)
            })
            .collect();
        self.sum(&list, b)
    }

    fn product_with_unknown(&mut self, i: usize, b: &[Value]) -> Option<Value> {
        let list = self.unknowns[i][..b.len()].to_vec();
        self.sum(&list, b)
    }

    fn solve(&mut self, mut right: Vec<Value>) -> Vec<Value> {
        for f in &mut right[self.w.n..] {
            *f = self.w.asm.neg(*f);
        }
        let list = self
            .system
            .solve(&mut self.w.asm, right, self.velocities, false);
        // A sum of nothing is one zero, not four.
        list.into_iter()
            .map(|v| match self.w.asm.is_wide(v) {
                true => v,
                false => self.spread(v),
            })
            .collect()
    }
}
