//! The largest step size that the series of the state allow.

use galilei_tape::math::rough_log2;

use crate::expansion::{exp2, root};
use crate::sum::{larger, smaller, with_known_size};

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
        with_known_size!(self.x.len(), |n| self.radius_of(n, time))
    }

    /// The radius of the series of n coordinates.
    #[inline(always)]
    fn radius_of(&self, n: usize, time: f64) -> f64 {
        let p = self.order;
        // All of the same length, so that no place is checked.
        let x = &self.x[..n];
        let (first, last_three) = (&self.u[..3 * n], &self.u[(p - 2) * n..][..3 * n]);
        let (u0, u1, u2) = (&first[..n], &first[n..2 * n], &first[2 * n..]);
        let (beneath, below, top) = (
            &last_three[..n],
            &last_three[n..2 * n],
            &last_three[2 * n..],
        );
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
