//! Positive definiteness of symmetric matrices whose entries are known up to rounding.

/// Whether every symmetric matrix with entries in middle ± radius is positive definite; `false` says nothing.
///
/// Only the entries on and below the diagonal are read; both lists are row by row.
///
/// ```
/// use galilei_linear::is_positive_definite;
/// assert!(is_positive_definite(vec![2.0, 0.0, 1.0, 1.0], vec![1e-10; 4]));
/// assert!(!is_positive_definite(vec![1.0, 0.0, 1.0, 1.0], vec![0.0; 4]));
/// assert!(!is_positive_definite(vec![2.0, 0.0, 1.0, 1.0], vec![0.5; 4]));
/// ```
pub fn is_positive_definite(middle: Vec<f64>, radius: Vec<f64>) -> bool {
    shifted(middle.clone(), &radius) || enclosed(middle, radius)
}

/// Whether a matrix smaller than all of the given ones has positive pivots in doubles.
///
/// Where an elimination in doubles has positive pivots, L·D·Lᵀ differs from its matrix B by at most γ·√(bᵢᵢbⱼⱼ) with γ = (n + 1)ε. An error with
/// |eᵢⱼ| ≤ rᵢⱼ changes the quadratic form of x by at most Σ xᵢ²·Σⱼ rᵢⱼwⱼ/wᵢ for any positive weights, here wᵢ = 1/√aᵢᵢ: B is the matrix less these
/// sums on its diagonal. (Demmel 1989, Rump 2006)
fn shifted(mut middle: Vec<f64>, radius: &[f64]) -> bool {
    let n = middle.len().isqrt();
    let weights: Vec<f64> = (0..n).map(|i| 1.0 / middle[i * n + i].sqrt()).collect();
    // Twice the bound, so that its own rounding does not matter.
    let rounding = 2.0 * n as f64 * (n + 2) as f64 * f64::EPSILON;
    for i in 0..n {
        let spread = |j: usize| radius[i.max(j) * n + i.min(j)] * weights[j];
        let sum: f64 = (0..n).map(spread).sum();
        let shift = 2.0 * sum / weights[i] + rounding * middle[i * n + i] + f64::MIN_POSITIVE;
        middle[i * n + i] -= shift;
    }
    for k in (0..n).rev() {
        let (above, row) = middle.split_at_mut(k * n);
        let pivot = row[k];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return false;
        }
        for i in (0..k).filter(|&i| row[i] != 0.0) {
            let factor = row[i] / pivot;
            let entries = above[i * n..=i * n + i].iter_mut();
            entries
                .zip(&*row)
                .for_each(|(entry, v)| *entry -= factor * v);
        }
    }
    true
}

/// Whether all pivots are positive with bounds of their errors, which may become much too large.
///
/// Rows are eliminated from the last to the first: from the outermost body of a tree to its root, so that pivots are the inertias of bodies
/// with what they carry; in the other direction they would be differences of large numbers.
fn enclosed(mut middle: Vec<f64>, mut radius: Vec<f64>) -> bool {
    let n = middle.len().isqrt();
    // Each entry of a radius is itself rounded at most a few times in each elimination, which the factor 2 before it covers.
    const ROUNDING: f64 = 2.0 * f64::EPSILON;
    for k in (0..n).rev() {
        let (above, row) = middle.split_at_mut(k * n);
        let (above_radius, row_radius) = radius.split_at_mut(k * n);
        let (pivot, uncertain) = (row[k], row_radius[k]);
        if !(pivot > 2.0 * uncertain && pivot.is_finite()) {
            return false;
        }
        for i in 0..k {
            let factor = row[i] / pivot;
            let spread = (row_radius[i] + factor.abs() * uncertain) / (pivot - uncertain)
                + ROUNDING * factor.abs();
            if factor == 0.0 && spread == 0.0 {
                continue;
            }
            let entries = above[i * n..=i * n + i].iter_mut();
            let radii = above_radius[i * n..=i * n + i].iter_mut();
            let pairs = row.iter().zip(row_radius.iter());
            for ((entry, own), (&v, &r)) in entries.zip(radii).zip(pairs) {
                let product = factor * v;
                *own += factor.abs() * r
                    + spread * (v.abs() + r)
                    + ROUNDING * (entry.abs() + 2.0 * product.abs())
                    + f64::MIN_POSITIVE;
                *entry -= product;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::is_positive_definite;

    /// Hilbert's matrices, whose smallest eigenvalue is known: 3.29e-6 for n = 5 (Gregory and Karney, 1969).
    #[test]
    fn perturbations_up_to_the_smallest_eigenvalue() {
        let n = 5;
        let hilbert = |shift: f64| -> Vec<f64> {
            let entry = |k: usize| {
                1.0 / (k / n + k % n + 1) as f64 - shift * f64::from(u8::from(k / n == k % n))
            };
            (0..n * n).map(entry).collect()
        };
        assert!(is_positive_definite(hilbert(3.2e-6), vec![0.0; n * n]));
        assert!(!is_positive_definite(hilbert(3.3e-6), vec![0.0; n * n]));
        // The eigenvector has Σ|v| = 1.77: radii of 3.29e-6/1.77² = 1.05e-6 admit a singular matrix.
        assert!(is_positive_definite(hilbert(0.0), vec![1e-12; n * n]));
        assert!(!is_positive_definite(hilbert(0.0), vec![1.1e-6; n * n]));
    }

    #[test]
    fn large_and_strange_matrices() {
        // The inverse of the second difference, min(i, j): condition about n².
        let n = 300;
        let entry = |k: usize| 1.0 + (k / n).min(k % n) as f64;
        let matrix: Vec<f64> = (0..n * n).map(entry).collect();
        assert!(is_positive_definite(matrix.clone(), vec![1e-13; n * n]));
        let mut indefinite = matrix;
        indefinite[n * n - 1] = -1.0;
        assert!(!is_positive_definite(indefinite, vec![0.0; n * n]));
        assert!(!is_positive_definite(vec![f64::NAN], vec![0.0]));
        assert!(!is_positive_definite(vec![f64::INFINITY], vec![0.0]));
        assert!(!is_positive_definite(vec![0.0], vec![0.0]));
        assert!(is_positive_definite(vec![], vec![]));
    }
}
