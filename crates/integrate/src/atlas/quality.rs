//! How well conditioned a chart is at a state.

use galilei_jit::Kernel;
use galilei_tape::Tape;

/// The size of ∂g of a chart, measured by g itself: zero for coordinates in which the metric is constant, infinite where
/// the coordinates degenerate. It does not depend on units, and not on linear changes of the coordinates: 1/r for polar
/// coordinates, the cotangent of the angle from the pole on a unit sphere.
#[derive(Clone)]
pub(super) struct Quality {
    n: usize,
    kernel: Kernel,
    inputs: Vec<f64>,
    values: Vec<f64>,
}

impl Quality {
    /// The measure of a chart, from a tape of gᵢⱼ with i ≤ j, then ∂ₖgᵢⱼ for each k.
    pub(super) fn new(n: usize, tape: &Tape) -> Self {
        let kernel = Kernel::new(tape.code(tape.outputs()), 1);
        Self {
            n,
            inputs: vec![0.0; 2 * n + 1],
            values: vec![0.0; tape.outputs().len()],
            kernel,
        }
    }

    /// At a time and a state (y, w).
    pub(super) fn at(&mut self, time: f64, state: &[f64]) -> f64 {
        let n = self.n;
        self.inputs[0] = time;
        self.inputs[1..].copy_from_slice(state);
        self.kernel.call(&self.inputs, &mut self.values);
        let triangle = n * (n + 1) / 2;
        let place = |i: usize, j: usize| {
            let (i, j) = if i <= j { (i, j) } else { (j, i) };
            i * n - i * (i + 1) / 2 + j
        };
        let g = |i: usize, j: usize| self.values[place(i, j)];
        // g = L·D·Lᵀ; with |D| in its place for metrics that are not definite.
        let mut l = vec![0.0; n * n];
        let mut d = vec![0.0; n];
        let size = (0..n).fold(0.0, |m: f64, i| m.max(g(i, i).abs()));
        for j in 0..n {
            let mut pivot = g(j, j);
            for k in 0..j {
                pivot -= l[j * n + k] * l[j * n + k] * d[k];
            }
            if !pivot.is_finite() || pivot.abs() <= f64::MIN_POSITIVE.max(1e-30 * size) {
                return f64::INFINITY;
            }
            d[j] = pivot;
            l[j * n + j] = 1.0;
            for i in j + 1..n {
                let mut e = g(i, j);
                for k in 0..j {
                    e -= l[i * n + k] * l[j * n + k] * d[k];
                }
                l[i * n + j] = e / pivot;
            }
        }
        let scale: Vec<f64> = d.iter().map(|d| d.abs().sqrt()).collect();
        // ∂g with each index along a unit vector of the frame.
        let solve = |v: &mut [f64]| {
            for i in 0..n {
                for k in 0..i {
                    v[i] -= l[i * n + k] * v[k];
                }
            }
            for i in 0..n {
                v[i] /= scale[i];
            }
        };
        let mut total = vec![0.0; n * n * n];
        let mut slice = vec![0.0; n];
        for k in 0..n {
            for i in 0..n {
                for j in 0..n {
                    slice[j] = self.values[triangle * (1 + k) + place(i, j)];
                }
                solve(&mut slice);
                for j in 0..n {
                    total[(k * n + i) * n + j] = slice[j];
                }
            }
            for j in 0..n {
                for i in 0..n {
                    slice[i] = total[(k * n + i) * n + j];
                }
                solve(&mut slice);
                for i in 0..n {
                    total[(k * n + i) * n + j] = slice[i];
                }
            }
        }
        let mut sum = 0.0;
        for ij in 0..n * n {
            for k in 0..n {
                slice[k] = total[k * n * n + ij];
            }
            solve(&mut slice);
            sum += slice.iter().map(|x| x * x).sum::<f64>();
        }
        match sum.is_finite() {
            true => sum.sqrt(),
            false => f64::INFINITY,
        }
    }
}
