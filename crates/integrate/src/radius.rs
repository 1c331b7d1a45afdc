//! The largest step size that the series of the state allow.

use galilei_tape::math::rough_log2;

use crate::expansion::{exp2, root};

/// Positions, velocities and coefficients below this are taken for zero: relative errors of numbers next to the
/// smallest ones say nothing.
pub(crate) const NOTHING: f64 = 1e-60;

/// The series of a state: x, and the coefficients 0 … p of u, order by order.
pub(crate) struct Coefficients<'a> {
    pub(crate) x: &'a [f64],
    pub(crate) u: &'a [f64],
    pub(crate) order: usize,
    /// 1/k
    pub(crate) inverse: &'a [f64],
}

impl Coefficients<'_> {
    /// Coefficient k of all velocities.
    #[inline]
    fn at(&self, k: usize) -> &[f64] {
        let n = self.x.len();
        &self.u[k * n..(k + 1) * n]
    }

    /// Jorba and Zou's radius of convergence, by all components together and by each. `time` is about how
    /// long a step is; a component's size is the largest of its first terms within it.
    #[inline]
    pub(crate) fn radius(&self, time: f64) -> f64 {
        let (n, p) = (self.x.len(), self.order);
        let larger = |a: f64, b: f64| if a > b { a } else { b };
        let smaller = |a: f64, b: f64| if a < b { a } else { b };
        let x = self.x;
        let [u0, u1, u2] = [self.at(0), self.at(1), self.at(2)];
        let [top, below, beneath] = [self.at(p), self.at(p - 1), self.at(p - 2)];
        let (over, over_below) = (self.inverse[p], self.inverse[p - 1]);
        let (half, square) = (0.5 * time * time, time * time);
        let [mut low, mut last, mut before] = [0.0; 3];
        let [mut most_last, mut most_before] = [0.0; 2];
        for i in 0..n {
            let (x0, v0) = (x[i].abs(), u0[i].abs());
            let (a, b) = (u1[i].abs(), u2[i].abs());
            low = larger(low, larger(x0, v0));
            let sizes = [
                larger(x0, larger(v0 * time, a * half)),
                larger(v0, larger(a * time, b * square)),
            ];
            let lasts = [below[i].abs() * over, top[i].abs()];
            let befores = [beneath[i].abs() * over_below, below[i].abs()];
            for c in 0..2 {
                last = larger(last, lasts[c]);
                before = larger(before, befores[c]);
                // Nothing over nothing compares false.
                let over = 1.0 / sizes[c];
                most_last = larger(lasts[c] * over, most_last);
                most_before = larger(befores[c] * over, most_before);
            }
        }
        if low <= NOTHING {
            return self.at_rest();
        }
        let logs = rough_log2(&[low / last, low / before, most_last, most_before]);
        let all = smaller(logs[0] * over, logs[1] * over_below);
        let own = smaller(-logs[2] * over, -logs[3] * over_below);
        // A component that is small on the way is not worth tiny steps.
        exp2(smaller(all, larger(own, all - 1.0)))
    }

    /// The radius where positions and velocities are zero: the first coefficient that is not counts.
    fn at_rest(&self) -> f64 {
        let p = self.order;
        let norm = |k: usize| {
            let size = |list: &[f64]| list.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            size(self.at(k)).max(size(self.at(k - 1)) * self.inverse[k])
        };
        let Some(m) = (1..p).find(|&k| norm(k) > NOTHING) else {
            return f64::INFINITY;
        };
        let at = |k: usize| match norm(k) {
            top if top > 0.0 && k > m => root(norm(m) / top, k - m),
            _ => f64::INFINITY,
        };
        at(p).min(at(p - 1))
    }
}
