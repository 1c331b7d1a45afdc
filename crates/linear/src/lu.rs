//! Linear systems that are factored once and solved often.

/// Pivots below this part of the largest entry of their row at the start are zero.
const LEAST_PIVOT: f64 = 1e-13;

/// The matrix is singular to working precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Singular;

/// The factors L and U of a matrix, PA = LU, by partial pivoting with row scaling.
#[derive(Clone, Debug, Default)]
pub struct Factors {
    n: usize,
    lu: Vec<f64>,
    order: Vec<u32>,
    scratch: Vec<f64>,
}

impl Factors {
    /// Room for an n × n matrix.
    pub fn new(n: usize) -> Self {
        Self {
            n,
            lu: vec![0.0; n * n],
            order: (0..n as u32).collect(),
            scratch: vec![0.0; n],
        }
    }

    /// Factors a matrix given by its entries, row by row.
    pub fn factor(&mut self, entry: impl Fn(usize, usize) -> f64) -> Result<(), Singular> {
        let n = self.n;
        let a = &mut self.lu;
        for i in 0..n {
            let mut largest = 0.0_f64;
            for j in 0..n {
                let v = entry(i, j);
                a[i * n + j] = v;
                largest = largest.max(v.abs());
            }
            self.scratch[i] = largest;
            self.order[i] = i as u32;
            if !largest.is_finite() || largest == 0.0 {
                return Err(Singular);
            }
        }
        for k in 0..n {
            let mut p = k;
            let mut best = -1.0;
            for i in k..n {
                let v = a[i * n + k].abs() / self.scratch[i];
                if v > best {
                    (best, p) = (v, i);
                }
            }
            if best.is_nan() || best <= LEAST_PIVOT {
                return Err(Singular);
            }
            if p != k {
                for j in 0..n {
                    a.swap(p * n + j, k * n + j);
                }
                self.order.swap(p, k);
                self.scratch.swap(p, k);
            }
            let inverse = 1.0 / a[k * n + k];
            for i in k + 1..n {
                let f = a[i * n + k] * inverse;
                a[i * n + k] = f;
                if f != 0.0 {
                    for j in k + 1..n {
                        a[i * n + j] -= f * a[k * n + j];
                    }
                }
            }
        }
        Ok(())
    }

    /// Factors (g −Jᵀ; J 0), g of n rows: its solution for (0, r) is the shortest d, in the metric g, with J·d = r, and
    /// behind it the multipliers μ of g·d = Jᵀμ. `rows` gives the entries of J.
    pub fn factor_constrained(
        &mut self,
        n: usize,
        metric: impl Fn(usize, usize) -> f64,
        rows: impl Fn(usize, usize) -> f64,
    ) -> Result<(), Singular> {
        self.factor(|i, j| match (i < n, j < n) {
            (true, true) => metric(i, j),
            (true, false) => -rows(j - n, i),
            (false, true) => rows(i - n, j),
            (false, false) => 0.0,
        })
    }

    /// Solves for one right-hand side, in place.
    pub fn solve(&mut self, b: &mut [f64]) {
        let n = self.n;
        for i in 0..n {
            self.scratch[i] = b[self.order[i] as usize];
        }
        let (a, y) = (&self.lu, &mut self.scratch);
        for i in 0..n {
            let mut s = y[i];
            for j in 0..i {
                s -= a[i * n + j] * y[j];
            }
            y[i] = s;
        }
        for i in (0..n).rev() {
            let mut s = y[i];
            for j in i + 1..n {
                s -= a[i * n + j] * y[j];
            }
            y[i] = s / a[i * n + i];
        }
        b.copy_from_slice(y);
    }
}

/// The solution of a linear system with one step of iterative refinement, for matrices that are used once. A matrix with
/// entries that are not finite counts as singular.
pub fn solve(matrix: &[Vec<f64>], right: &[f64]) -> Result<Vec<f64>, Singular> {
    let mut factors = Factors::new(right.len());
    factors.factor(|i, j| matrix[i][j])?;
    let mut x = right.to_vec();
    factors.solve(&mut x);
    let rows = matrix.iter().zip(right);
    let residual =
        rows.map(|(row, &b)| (row.iter().zip(&x)).fold(b, |r, (a, x)| (-a).mul_add(*x, r)));
    let mut correction: Vec<f64> = residual.collect();
    factors.solve(&mut correction);
    for (x, d) in x.iter_mut().zip(correction) {
        // The sum with zero leaves no negative zeros.
        *x += d + 0.0;
    }
    match x.iter().all(|x| x.is_finite()) {
        true => Ok(x),
        false => Err(Singular),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_where_a_pivot_is_zero_and_refuses_what_is_singular() {
        let m = [[0.0, 2.0, 1.0], [1.0, 0.0, 3.0], [4.0, 1.0, 0.0]];
        let mut f = Factors::new(3);
        f.factor(|i, j| m[i][j]).unwrap();
        let mut b = [7.0, 10.0, 6.0];
        f.solve(&mut b);
        for (x, y) in b.iter().zip([1.0, 2.0, 3.0]) {
            assert!((x - y).abs() < 1e-14, "{b:?}");
        }
        let m = [[1.0, 2.0], [2.0, 4.0]];
        assert_eq!(Factors::new(2).factor(|i, j| m[i][j]), Err(Singular));
    }

    /// Hilbert's matrix of order 6, of condition 1.5e7, with the right-hand side of the solution 1, …, 1.
    #[test]
    fn refined_solutions_lose_only_what_the_condition_takes() {
        let row = |i: usize| (0..6).map(|j| 1.0 / (i + j + 1) as f64).collect();
        let hilbert: Vec<Vec<f64>> = (0..6).map(row).collect();
        let right: Vec<f64> = hilbert.iter().map(|row| row.iter().sum()).collect();
        let x = solve(&hilbert, &right).unwrap();
        assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-8), "{x:?}");
        assert_eq!(solve(&[vec![0.0]], &[1.0]), Err(Singular));
        assert_eq!(solve(&[], &[]), Ok(vec![]));
        let zero = solve(&[vec![-2.0]], &[0.0]).unwrap();
        assert!(zero[0].is_sign_positive());
    }

    /// The point of the line x + 2y = 5 next to the origin, with y four times as heavy as x: both move by half of what
    /// the line asks for.
    #[test]
    fn constrained_steps_are_the_shortest() {
        let (metric, row) = ([1.0, 4.0], [1.0, 2.0]);
        let mut f = Factors::new(3);
        let g = |i: usize, j: usize| if i == j { metric[i] } else { 0.0 };
        f.factor_constrained(2, g, |_, j| row[j]).unwrap();
        let mut step = [0.0, 0.0, 5.0];
        f.solve(&mut step);
        for (x, y) in step.iter().zip([2.5, 1.25, 2.5]) {
            assert!((x - y).abs() < 1e-15, "{step:?}");
        }
    }
}
