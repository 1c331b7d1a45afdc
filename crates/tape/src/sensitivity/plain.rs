//! Sensitivities in numbers: the recurrences of [`Along`], which are written once for numbers and for code, over the Taylor
//! coefficients that [`Jets`] has computed.

use super::Along;
use crate::jets::Jets;
use crate::tape::{Reg, Tape};

/// Computed Taylor coefficients of a motion, with the side of each kink (true where its register is positive).
pub(crate) struct Plain<'a> {
    pub(crate) tape: &'a Tape,
    pub(crate) jets: &'a mut Jets,
    pub(crate) branches: &'a [f64],
}

/// Σ aₖ₋ⱼ·bⱼ: one coefficient of a product of two series, of which `a` is given in ascending order.
fn dot(a: impl DoubleEndedIterator<Item = f64>, b: &[f64]) -> Option<f64> {
    Some(a.rev().zip(b).map(|(a, b)| a * b).sum())
}

impl Along for Plain<'_> {
    type Number = f64;

    fn zero(&mut self) -> f64 {
        0.0
    }

    fn is_zero(&self, a: f64) -> bool {
        a == 0.0
    }

    fn add(&mut self, a: f64, b: f64) -> f64 {
        a + b
    }

    fn sub(&mut self, a: f64, b: f64) -> f64 {
        a - b
    }

    fn scale(&mut self, a: f64, c: f64) -> f64 {
        a * c
    }

    fn over(&mut self, a: f64, r: Reg) -> f64 {
        a / self.jets.series(r)[0]
    }

    fn choose(&mut self, kink: u32, a: f64, b: f64) -> f64 {
        if self.jets.positive(self.tape, kink, self.branches) {
            a
        } else {
            b
        }
    }

    fn product(&mut self, r: Reg, start: usize, b: &[f64]) -> Option<f64> {
        let series = &self.jets.series(r)[start..start + b.len()];
        dot(series.iter().copied(), b)
    }

    fn product_with_rate(&mut self, r: Reg, b: &[f64]) -> Option<f64> {
        let series = self.jets.series(r)[1..=b.len()].iter();
        let rate: Vec<f64> = (1..).zip(series).map(|(j, c)| f64::from(j) * c).collect();
        dot(rate.into_iter(), b)
    }

    fn product_with_unknown(&mut self, i: usize, b: &[f64]) -> Option<f64> {
        dot(self.jets.unknown(i)[..b.len()].iter().copied(), b)
    }

    fn solve(&mut self, mut right: Vec<f64>) -> Vec<f64> {
        self.jets.solve(&mut right);
        right
    }
}
