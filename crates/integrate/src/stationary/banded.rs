//! Banded linear systems, by elimination with row pivoting.

use galilei_linear::Singular;

/// A square matrix whose entries vanish beyond a distance from the diagonal.
#[derive(Clone, Debug)]
pub(super) struct Banded {
    n: usize,
    /// The largest distance of an entry from the diagonal. Exchanging rows moves entries above the diagonal up to twice as
    /// far.
    width: usize,
    /// Row by row the columns from i − width to i + 2·width, whether the matrix has them or not.
    rows: Vec<f64>,
}

impl Banded {
    pub(super) fn new(n: usize, width: usize) -> Self {
        Self {
            n,
            width,
            rows: vec![0.0; n * (3 * width + 1)],
        }
    }

    /// The place of an entry in `rows`.
    fn place(&self, i: usize, j: usize) -> usize {
        i * (3 * self.width + 1) + j + self.width - i
    }

    /// Adds to an entry.
    pub(super) fn add(&mut self, i: usize, j: usize, value: f64) {
        debug_assert!(i.abs_diff(j) <= self.width);
        let at = self.place(i, j);
        self.rows[at] += value;
    }

    /// Makes a row that of the unit matrix.
    pub(super) fn fix(&mut self, i: usize) {
        let stride = 3 * self.width + 1;
        self.rows[i * stride..(i + 1) * stride].fill(0.0);
        let at = self.place(i, i);
        self.rows[at] = 1.0;
    }

    /// Solves for one right-hand side, in place; the matrix is used up.
    pub(super) fn solve(mut self, b: &mut [f64]) -> Result<(), Singular> {
        let (n, w) = (self.n, self.width);
        let largest = self.rows.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if !largest.is_finite() {
            return Err(Singular);
        }
        for k in 0..n {
            let below = (k + w).min(n - 1);
            let size = |i: usize| self.rows[self.place(i, k)].abs();
            let best = (k..=below)
                .max_by(|&i, &j| size(i).total_cmp(&size(j)))
                .unwrap_or(k);
            if size(best) <= 1e-15 * f64::MIN_POSITIVE.max(largest * 1e-3) {
                return Err(Singular);
            }
            let right = (k + 2 * w).min(n - 1);
            if best != k {
                for j in k..=right {
                    let (p, q) = (self.place(k, j), self.place(best, j));
                    self.rows.swap(p, q);
                }
                b.swap(k, best);
            }
            let pivot = self.rows[self.place(k, k)];
            for i in k + 1..=below {
                let factor = self.rows[self.place(i, k)] / pivot;
                if factor == 0.0 {
                    continue;
                }
                for j in k + 1..=right {
                    let above = self.rows[self.place(k, j)];
                    let at = self.place(i, j);
                    self.rows[at] -= factor * above;
                }
                b[i] -= factor * b[k];
            }
        }
        for k in (0..n).rev() {
            let right = (k + 2 * w).min(n - 1);
            let sum: f64 = (k + 1..=right)
                .map(|j| self.rows[self.place(k, j)] * b[j])
                .sum();
            b[k] = (b[k] - sum) / self.rows[self.place(k, k)];
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the product with the matrix, with zeros on the diagonal so that rows must be exchanged.
    #[test]
    fn solutions_satisfy_their_system() {
        let (n, w) = (23, 3);
        let entry = |i: usize, j: usize| match i.abs_diff(j) {
            0 => 0.0,
            d if d <= w => ((7 * i + 3 * j) as f64).sin() + 0.1,
            _ => 0.0,
        };
        let mut m = Banded::new(n, w);
        for i in 0..n {
            for j in i.saturating_sub(w)..(i + w + 1).min(n) {
                m.add(i, j, entry(i, j));
            }
        }
        let x: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        let mut b: Vec<f64> = (0..n)
            .map(|i| (0..n).map(|j| entry(i, j) * x[j]).sum())
            .collect();
        m.solve(&mut b).unwrap();
        for (a, b) in b.iter().zip(&x) {
            assert!((a - b).abs() < 1e-11);
        }
    }
}
