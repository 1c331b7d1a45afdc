//! The number of negative eigenvalues of a symmetric matrix of blocks.

use galilei_linear::Factors;

/// The eigenvalues of a symmetric matrix given row by row, by Jacobi's rotations.
fn eigenvalues(n: usize, mut m: Vec<f64>) -> Vec<f64> {
    for _ in 0..60 {
        let off: f64 = (0..n)
            .flat_map(|i| (0..i).map(move |j| (i, j)))
            .map(|(i, j)| m[i * n + j] * m[i * n + j])
            .sum();
        let all: f64 = m.iter().map(|x| x * x).sum();
        if off <= 1e-30 * all {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(n, &mut m, p, q);
            }
        }
    }
    (0..n).map(|i| m[i * n + i]).collect()
}

fn rotate(n: usize, m: &mut [f64], p: usize, q: usize) {
    let entry = m[p * n + q];
    if entry == 0.0 {
        return;
    }
    let theta = (m[q * n + q] - m[p * n + p]) / (2.0 * entry);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let t = if theta == 0.0 { 1.0 } else { t };
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for k in 0..n {
        let (a, b) = (m[k * n + p], m[k * n + q]);
        m[k * n + p] = c * a - s * b;
        m[k * n + q] = s * a + c * b;
    }
    for k in 0..n {
        let (a, b) = (m[p * n + k], m[q * n + k]);
        m[p * n + k] = c * a - s * b;
        m[q * n + k] = s * a + c * b;
    }
}

/// A symmetric block that is eliminated: inertia adds up.
pub(super) struct Block {
    n: usize,
    factors: Factors,
    /// The number of its negative eigenvalues.
    pub(super) negative: usize,
}

impl Block {
    /// A block given row by row; `None` where it is singular to working precision.
    pub(super) fn new(n: usize, matrix: &[f64]) -> Option<Self> {
        let values = eigenvalues(n, matrix.to_vec());
        let largest = values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let zero = |v: &f64| v.abs() <= 1e-13 * largest || !v.is_finite();
        if values.iter().any(zero) {
            return None;
        }
        let mut factors = Factors::new(n);
        factors.factor(|i, j| matrix[i * n + j]).ok()?;
        Some(Self {
            n,
            factors,
            negative: values.iter().filter(|v| **v < 0.0).count(),
        })
    }

    /// Takes aᵀ·B⁻¹·b from a matrix, B the block: what is left of it when the block is eliminated.
    pub(super) fn take_from(&mut self, matrix: &mut [f64], a: &[f64], b: &[f64]) {
        let n = self.n;
        if n == 0 {
            return;
        }
        let (rows, columns) = (a.len() / n, b.len() / n);
        for j in 0..columns {
            let mut column: Vec<f64> = (0..n).map(|i| b[i * columns + j]).collect();
            self.factors.solve(&mut column);
            for i in 0..rows {
                let sum: f64 = (0..n).map(|k| a[k * rows + i] * column[k]).sum();
                matrix[i * columns + j] -= sum;
            }
        }
    }
}

/// The number of negative eigenvalues of a matrix that couples block k only with block k + 1, by
/// elimination. `None` where a pivot is singular to working precision.
///
/// Diagonal blocks, and behind each but the last what couples it with the next (rows: this block, columns:
/// the next), row by row.
pub(super) fn negative(diagonal: &[Vec<f64>], coupling: &[Vec<f64>]) -> Option<usize> {
    let mut count = 0;
    let mut pivot = diagonal.first()?.clone();
    for k in 0..diagonal.len() {
        let n = (pivot.len() as f64).sqrt().round() as usize;
        let mut block = Block::new(n, &pivot)?;
        count += block.negative;
        if let (Some(next), Some(c)) = (diagonal.get(k + 1), coupling.get(k)) {
            pivot = next.clone();
            block.take_from(&mut pivot, c, c);
        }
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvalues_of_a_known_matrix() {
        let mut values = eigenvalues(3, vec![2.0, -1.0, 0.0, -1.0, 2.0, -1.0, 0.0, -1.0, 2.0]);
        values.sort_by(f64::total_cmp);
        let root = 2f64.sqrt();
        for (a, b) in values.iter().zip([2.0 - root, 2.0, 2.0 + root]) {
            assert!((a - b).abs() < 1e-14);
        }
    }

    /// −1 on the diagonal shifted: the eigenvalues are s − 2cos(kπ/(n + 1)).
    #[test]
    fn negative_eigenvalues_of_a_chain_are_counted() {
        let n = 20;
        for shift in [-3.0, -1.3, 0.1, 0.9, 1.7, 2.5] {
            let diagonal = vec![vec![shift]; n];
            let coupling = vec![vec![-1.0]; n - 1];
            let angle = |k: usize| k as f64 * std::f64::consts::PI / (n as f64 + 1.0);
            let exact = (1..=n).filter(|&k| shift - 2.0 * angle(k).cos() < 0.0);
            assert_eq!(negative(&diagonal, &coupling), Some(exact.count()));
        }
    }
}
