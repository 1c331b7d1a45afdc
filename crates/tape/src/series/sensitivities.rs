//! Sensitivities as code, four at a time.

use super::Wanted;
use super::plan::Plan;
use super::system::System;
use super::unroll::Unroll;
use crate::code::{Value, WIDTH};
use crate::jets::Rates;
use crate::sensitivity::{Along, Reach, Sensitivity};
use crate::tape::{Reg, Tape};

/// All sensitivities of a motion.
pub(super) struct Sensitivities<'a> {
    tape: &'a Tape,
    system: System,
    velocities: usize,
    /// Sensitivities, four at a time.
    list: Vec<Sensitivity<'a, Value>>,
}

impl<'a> Sensitivities<'a> {
    /// Sensitivities with the linear system of the motion, and the first of the inputs that contain directions.
    pub(super) fn new(
        w: &mut Unroll<'a>,
        plan: &Plan<'_>,
        (tape, rates): (&'a Tape, &'a Rates),
        reach: &'a Reach,
        (system, first): (&System, usize),
        wanted: &Wanted,
    ) -> Self {
        let mut this = Self {
            tape,
            system: system.spread(&mut w.asm),
            velocities: plan.velocities,
            list: Vec::new(),
        };
        let size = 2 * rates.dimension + tape.parameters.len();
        for start in (first..first + wanted.directions).step_by(WIDTH) {
            let rows: Vec<Value> = (0..size)
                .map(|i| w.asm.row(start + i * wanted.directions))
                .collect();
            let mut along = this.along(w, &[]);
            let four = Sensitivity::new(&mut along, (tape, rates), reach, &rows);
            this.list.push(four);
        }
        this
    }

    fn along<'w>(&'w self, w: &'w mut Unroll<'a>, unknowns: &'w [Vec<Value>]) -> Written<'w, 'a> {
        Written {
            w,
            system: &self.system,
            velocities: self.velocities,
            unknowns,
        }
    }

    /// Computes coefficient k, where the motion is known to that order; `last` marks the last one.
    pub(super) fn step(
        &mut self,
        w: &mut Unroll<'a>,
        unknowns: &[Vec<Value>],
        k: usize,
        last: bool,
    ) {
        let mut list = std::mem::take(&mut self.list);
        for four in &mut list {
            four.step(&mut self.along(w, unknowns), k, last);
        }
        self.list = list;
    }

    /// The coefficients 0 … p of δu, order by order, and the sensitivities of the kinks' registers.
    pub(super) fn outputs(&self, w: &mut Unroll<'a>, p: usize) -> Vec<Value> {
        let mut list = Vec::new();
        for k in 0..=p {
            for i in 0..w.n {
                list.extend(self.list.iter().map(|four| four.velocity(i, k)));
            }
        }
        for kink in &self.tape.kinks {
            let mut along = self.along(w, &[]);
            for four in &self.list {
                list.push(four.value(&mut along, kink.register));
            }
        }
        list
    }
}

/// The series of a motion as far as they are unrolled, with its linear system for four right-hand sides.
pub(super) struct Written<'w, 'a> {
    pub(super) w: &'w mut Unroll<'a>,
    /// The system with each entry four times.
    pub(super) system: &'w System,
    pub(super) velocities: usize,
    pub(super) unknowns: &'w [Vec<Value>],
}

impl Written<'_, '_> {
    pub(super) fn spread(&mut self, v: Value) -> Value {
        self.w.asm.pack([v; WIDTH])
    }

    pub(super) fn sum(&mut self, list: &[Value], b: &[Value]) -> Option<Value> {
        let list: Vec<Value> = list.iter().map(|&v| self.spread(v)).collect();
        // The newest coefficient may still change.
        let known = b.len().saturating_sub(1);
        let w = &mut *self.w;
        w.tiles.convolve(&mut w.asm, (&list, b), known, true)
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

    fn choose(&mut self, kink: u32, a: Value, b: Value) -> Value {
        let (side, closed) = self.w.branches[kink as usize];
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
        // An empty sum is one zero, not four.
        list.into_iter()
            .map(|v| match self.w.asm.is_wide(v) {
                true => v,
                false => self.spread(v),
            })
            .collect()
    }
}
