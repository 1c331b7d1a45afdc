//! Variations from the derivatives of the equations of motion: where E = M·a − f,
//! M·δa = −(∂E/∂x·δx + ∂E/∂u·δu + ∂E/∂θ·δθ).

use super::tangents::Written;
use crate::code::Value;
use crate::jets::Rates;
use crate::tangent::Along;
use crate::tape::{Op, Reg};

/// Four variations side by side.
pub(super) struct Linear<'a> {
    rates: &'a Rates,
    slopes: &'a [Reg],
    /// δx, δu and the parameters, as series.
    state: Vec<Vec<Value>>,
    /// δa and those of the multipliers.
    unknowns: Vec<Vec<Value>>,
}

impl<'a> Linear<'a> {
    pub(super) fn new(rates: &'a Rates, slopes: &'a [Reg], rows: &[Value]) -> Self {
        Self {
            rates,
            slopes,
            state: rows.iter().map(|&v| vec![v]).collect(),
            unknowns: vec![Vec::new(); rates.unknowns],
        }
    }

    /// Coefficient k of δu.
    pub(super) fn velocity(&self, i: usize, k: usize) -> Value {
        self.state[self.rates.dimension + i][k]
    }

    /// Coefficient k ≥ 1.
    pub(super) fn step(&mut self, a: &mut Written<'_, '_>, k: usize) {
        let (n, size) = (self.rates.dimension, self.rates.unknowns);
        let mut right = Vec::with_capacity(size);
        for i in 0..size {
            right.push(self.right(a, i, k));
        }
        let solution = a.solve(right);
        let over = 1.0 / k as f64;
        for i in 0..n {
            let x = a.scale(self.state[n + i][k - 1], over);
            self.state[i].push(x);
        }
        for (i, &s) in solution.iter().enumerate() {
            self.unknowns[i].push(s);
            if i < n {
                let u = a.scale(s, over);
                self.state[n + i].push(u);
            }
        }
    }

    /// −Σ (∂E/∂z)ⱼδz_{k−1−j} − Σ Mⱼδa_{k−1−j}, j ≥ 1 in the last. What was found last is added last.
    fn right(&self, a: &mut Written<'_, '_>, i: usize, k: usize) -> Value {
        let (n, low) = (self.rates.dimension, k - 1);
        let (mut sums, mut newest) = (Vec::new(), Vec::new());
        let columns = self.state.len();
        for (j, series) in self.state.iter().enumerate() {
            let entry = self.slopes[i * columns + j];
            let parameter = j >= 2 * n;
            match a.w.tape.ops[entry as usize] {
                Op::Const(0.0) => {}
                Op::Const(_) if parameter && low > 0 => {}
                Op::Const(c) => newest.push(a.scale(series[low], c)),
                // A parameter stays what it is.
                _ if parameter => {
                    let factor = a.coefficient(entry, low);
                    newest.push(a.w.asm.mul(factor, series[0]));
                }
                _ if low == 0 => {
                    let factor = a.coefficient(entry, 0);
                    newest.push(a.w.asm.mul(factor, series[0]));
                }
                _ => {
                    sums.extend(a.product(entry, 1, &series[..low]));
                    let factor = a.coefficient(entry, 0);
                    newest.push(a.w.asm.mul(factor, series[low]));
                }
            }
        }
        let size = self.rates.unknowns;
        for (j, series) in self.unknowns.iter().enumerate() {
            let entry = self.rates.matrix[i * size + j];
            if low > 0 && !matches!(a.w.tape.ops[entry as usize], Op::Const(_)) {
                sums.extend(a.product(entry, 1, &series[..low]));
            }
        }
        let mut sum: Option<Value> = None;
        for t in sums.into_iter().chain(newest) {
            if !a.is_zero(t) {
                sum = Some(match sum {
                    None => t,
                    Some(s) => a.add(s, t),
                });
            }
        }
        match sum {
            None => a.zero(),
            Some(s) => a.w.asm.neg(s),
        }
    }
}
