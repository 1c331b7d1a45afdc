//! Small dense matrices: inverses and orthogonal factors in doubles, products of intervals.

use galilei_expr::Interval;

/// An approximate inverse of a square matrix by rows; `None` where it is singular.
pub(crate) fn inverse(a: &[f64], n: usize) -> Option<Vec<f64>> {
    let mut a = a.to_vec();
    let mut b = vec![0.0; n * n];
    for i in 0..n {
        b[i * n + i] = 1.0;
    }
    for k in 0..n {
        let size = |r: &usize| a[r * n + k].abs();
        let pivot = (k..n).max_by(|i, j| size(i).total_cmp(&size(j)))?;
        if a[pivot * n + k] == 0.0 || !a[pivot * n + k].is_finite() {
            return None;
        }
        for j in 0..n {
            a.swap(k * n + j, pivot * n + j);
            b.swap(k * n + j, pivot * n + j);
        }
        let scale = 1.0 / a[k * n + k];
        for j in 0..n {
            a[k * n + j] *= scale;
            b[k * n + j] *= scale;
        }
        for i in (0..n).filter(|i| *i != k) {
            let factor = a[i * n + k];
            if factor == 0.0 {
                continue;
            }
            for j in 0..n {
                a[i * n + j] -= factor * a[k * n + j];
                b[i * n + j] -= factor * b[k * n + j];
            }
        }
    }
    b.iter().all(|x| x.is_finite()).then_some(b)
}

/// A matrix with orthogonal columns, approximately, that span those of `a` one after the other in the given order.
pub(crate) fn orthogonal(a: &[f64], n: usize, order: &[usize]) -> Vec<f64> {
    let mut columns: Vec<Vec<f64>> = Vec::with_capacity(n);
    let own = order
        .iter()
        .map(|&j| (0..n).map(|i| a[i * n + j]).collect());
    let units = (0..n).map(|j| (0..n).map(|i| f64::from(u8::from(i == j))).collect());
    for mut v in own.chain(units).collect::<Vec<Vec<f64>>>() {
        if columns.len() == n {
            break;
        }
        let before = norm(&v);
        // Twice is enough (Kahan, Parlett).
        for _ in 0..2 {
            for c in &columns {
                let dot: f64 = c.iter().zip(&v).map(|(a, b)| a * b).sum();
                v.iter_mut().zip(c).for_each(|(v, c)| *v -= dot * c);
            }
        }
        let size = norm(&v);
        if size > 1e-10 * before && size.is_normal() {
            v.iter_mut().for_each(|x| *x /= size);
            columns.push(v);
        }
    }
    let mut q = vec![0.0; n * n];
    for (j, c) in columns.iter().enumerate() {
        for i in 0..n {
            q[i * n + j] = c[i];
        }
    }
    q
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// A matrix of intervals by rows times one of doubles with `columns` columns.
pub(crate) fn product(a: &[Interval], b: &[f64], n: usize, columns: usize) -> Vec<Interval> {
    let mut out = vec![Interval::ZERO; n * columns];
    for i in 0..n {
        for j in 0..columns {
            let mut sum = Interval::ZERO;
            for l in 0..n {
                sum = sum + a[i * n + l] * Interval::point(b[l * columns + j]);
            }
            out[i * columns + j] = sum;
        }
    }
    out
}

/// A matrix by rows times a vector.
pub(crate) fn times(a: &[Interval], v: &[Interval]) -> Vec<Interval> {
    let rows = a.chunks(v.len().max(1));
    rows.map(|row| {
        let products = row.iter().zip(v).map(|(a, v)| *a * *v);
        products.fold(Interval::ZERO, |sum, p| sum + p)
    })
    .collect()
}

/// The inverse of a matrix that is nearly orthogonal, as a map of vectors: Q⁻¹ = (QᵀQ)⁻¹Qᵀ, with the distance of
/// QᵀQ from the unit matrix bounded.
pub(crate) struct Inverse<'q> {
    q: &'q [f64],
    n: usize,
    /// A bound of the row sums of (QᵀQ)⁻¹ − 1.
    defect: f64,
}

impl<'q> Inverse<'q> {
    /// The inverse; `None` where the matrix is far from orthogonal.
    pub(crate) fn new(q: &'q [f64], n: usize) -> Option<Self> {
        if q.iter().any(|x| !x.is_finite()) {
            return None;
        }
        let mut worst = 0.0f64;
        for i in 0..n {
            let mut row = Interval::ZERO;
            for j in 0..n {
                let mut sum = Interval::point(if i == j { -1.0 } else { 0.0 });
                for l in 0..n {
                    sum = sum + Interval::point(q[l * n + i]) * Interval::point(q[l * n + j]);
                }
                row = row + Interval::point(sum.magnitude());
            }
            if !row.is_finite() {
                return None;
            }
            worst = worst.max(row.high());
        }
        let bound = Interval::point(worst).divided_by(Interval::ONE - Interval::point(worst))?;
        (worst < 0.5).then(|| Self {
            q,
            n,
            defect: bound.high(),
        })
    }

    /// Q⁻¹v
    pub(crate) fn apply(&self, v: &[Interval]) -> Vec<Interval> {
        let n = self.n;
        let mut w: Vec<Interval> = (0..n)
            .map(|i| {
                let products = (0..n).map(|l| Interval::point(self.q[l * n + i]) * v[l]);
                products.fold(Interval::ZERO, |sum, p| sum + p)
            })
            .collect();
        let largest = w.iter().map(|x| x.magnitude()).fold(0.0, f64::max);
        let slack = Interval::symmetric(self.defect) * Interval::point(largest);
        w.iter_mut().for_each(|x| *x = *x + slack);
        w
    }
}

/// Whether all matrices between the bounds, by rows, are proved to be regular.
pub(crate) fn is_regular(a: &[Interval], n: usize) -> bool {
    let middle: Vec<f64> = a.iter().map(|x| x.middle()).collect();
    let Some(approximate) = inverse(&middle, n) else {
        return false;
    };
    // ‖1 − A·M‖ < 1 in the norm of row sums.
    (0..n).all(|i| {
        let mut row = Interval::ZERO;
        for j in 0..n {
            let mut entry = Interval::point(f64::from(u8::from(i == j)));
            for l in 0..n {
                entry = entry - Interval::point(approximate[i * n + l]) * a[l * n + j];
            }
            row = row + Interval::point(entry.magnitude());
        }
        row.high() < 1.0
    })
}
