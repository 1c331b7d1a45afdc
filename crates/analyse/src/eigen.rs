//! Eigenvalues and eigenvectors of real matrices, which need not be symmetric.

use nalgebra::{Complex, DMatrix, DVector, Schur};

/// Iterations of a Schur decomposition for each row of the matrix.
const ITERATIONS_PER_ROW: usize = 120;
/// Decompositions in other bases that are tried where one does not converge.
const MAX_TRIED_BASES: u64 = 8;
/// Eigenvalues closer than this, relative to the norm of the matrix, share their eigenspace.
const SAME_EIGENVALUE: f64 = 1e-9;
/// Singular values below this, relative to the norm of the matrix, belong to eigenvectors.
const NULL_SINGULAR_VALUE: f64 = 1e-6;

/// Eigenvalues with eigenvectors and their residuals.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Eigen {
    /// The eigenvalues as real and imaginary parts: falling real part, then rising frequency; of a conjugate pair the
    /// one with the positive imaginary part first.
    pub values: Vec<[f64; 2]>,
    /// An eigenvector of length one for each eigenvalue. Where eigenvectors are missing (a defective matrix), the same
    /// vector is given more than once.
    pub vectors: Vec<Vec<[f64; 2]>>,
    /// ‖Av − sv‖ relative to ‖A‖, for each eigenvalue.
    pub residuals: Vec<f64>,
}

/// The eigenvalues of a square matrix with their eigenvectors; `None` if the iteration does not converge.
///
/// ```
/// let rows = [vec![0.0, 1.0], vec![-4.0, 0.0]];
/// let eigen = galilei_analyse::eigen(&rows).unwrap();
/// assert!((eigen.values[0][1] - 2.0).abs() < 1e-15 && eigen.values[1][1] < 0.0);
/// assert!(eigen.residuals.iter().all(|r| *r < 1e-15));
/// ```
pub fn eigen(rows: &[Vec<f64>]) -> Option<Eigen> {
    let n = rows.len();
    let a = DMatrix::from_fn(n, n, |i, j| rows[i][j]);
    let values = sorted(eigenvalues(&a)?, a.norm());
    let mut eigen = Eigen {
        vectors: vectors(&a, &values)?,
        values: values.iter().map(|s| [s.re, s.im]).collect(),
        residuals: vec![],
    };
    let scale = a.norm().max(f64::MIN_POSITIVE);
    for (s, v) in values.iter().zip(&eigen.vectors) {
        let v = DVector::from_iterator(n, v.iter().map(|z| Complex::new(z[0], z[1])));
        let image = a.map(|x| Complex::new(x, 0.0)) * &v;
        eigen.residuals.push((image - v * *s).norm() / scale);
    }
    Some(eigen)
}

/// The eigenvalues of a square matrix, in no particular order.
pub(crate) fn eigenvalues(a: &DMatrix<f64>) -> Option<Vec<Complex<f64>>> {
    if a.iter().any(|x| !x.is_finite()) {
        return None;
    }
    let (mut values, rest) = isolated(a);
    let mut block = DMatrix::from_fn(rest.len(), rest.len(), |i, j| a[(rest[i], rest[j])]);
    balance(&mut block);
    values.extend(of_block(&block)?);
    Some(values)
}

/// Eigenvalues on the diagonal of a matrix that is triangular but for an inner block, and the rows of that block.
fn isolated(a: &DMatrix<f64>) -> (Vec<Complex<f64>>, Vec<usize>) {
    let mut rest: Vec<usize> = (0..a.nrows()).collect();
    let mut values = Vec::new();
    loop {
        let alone = |&i: &usize| {
            let others = || rest.iter().filter(|&&j| j != i);
            others().all(|&j| a[(i, j)] == 0.0) || others().all(|&j| a[(j, i)] == 0.0)
        };
        let Some(k) = rest.iter().position(alone) else {
            return (values, rest);
        };
        let i = rest.remove(k);
        values.push(Complex::new(a[(i, i)], 0.0));
    }
}

/// Scales rows and columns by powers of two until they have similar sizes.
fn balance(a: &mut DMatrix<f64>) {
    let n = a.nrows();
    for _ in 0..60 {
        let mut done = true;
        for i in 0..n {
            let others = || (0..n).filter(|&j| j != i);
            let column: f64 = others().map(|j| a[(j, i)].abs()).sum();
            let row: f64 = others().map(|j| a[(i, j)].abs()).sum();
            if column == 0.0 || row == 0.0 {
                continue;
            }
            let power = (0.5 * (row / column).log2()).round();
            if power != 0.0 && power.is_finite() {
                let factor = power.clamp(-200.0, 200.0).exp2();
                for j in 0..n {
                    a[(j, i)] *= factor;
                    a[(i, j)] /= factor;
                }
                done = false;
            }
        }
        if done {
            return;
        }
    }
}

fn of_block(a: &DMatrix<f64>) -> Option<Vec<Complex<f64>>> {
    let n = a.nrows();
    if n == 0 {
        return Some(vec![]);
    }
    let limit = ITERATIONS_PER_ROW * n + 100;
    for attempt in 0..MAX_TRIED_BASES {
        let a = match attempt {
            0 => a.clone(),
            // The shifts of the iteration can cycle in one basis; they do not in a random one.
            _ => {
                let mut random = Random::new(attempt);
                let v = DVector::from_fn(n, |_, _| random.unit() - 0.5).normalize();
                let mirror = DMatrix::identity(n, n) - 2.0 * &v * v.transpose();
                &mirror * a * &mirror
            }
        };
        if let Some(schur) = Schur::try_new(a, f64::EPSILON, limit) {
            return Some(schur.complex_eigenvalues().iter().copied().collect());
        }
    }
    None
}

fn sorted(mut values: Vec<Complex<f64>>, norm: f64) -> Vec<Complex<f64>> {
    let grain = SAME_EIGENVALUE * norm.max(f64::MIN_POSITIVE);
    let key = |s: &Complex<f64>| {
        (
            // No negative zeros.
            0.0 - (s.re / grain).round() + 0.0,
            (s.im.abs() / grain).round(),
            -s.im.signum(),
        )
    };
    values.sort_by(|a, b| {
        let (a, b) = (key(a), key(b));
        let first = a.0.total_cmp(&b.0);
        first.then(a.1.total_cmp(&b.1)).then(a.2.total_cmp(&b.2))
    });
    // No negative zeros.
    values
        .iter()
        .map(|s| Complex::new(s.re + 0.0, s.im + 0.0))
        .collect()
}

/// Eigenvectors of length one, their largest component real and positive.
fn vectors(a: &DMatrix<f64>, values: &[Complex<f64>]) -> Option<Vec<Vec<[f64; 2]>>> {
    let n = a.nrows();
    let norm = a.norm();
    let complex = a.map(|x| Complex::new(x, 0.0));
    let mut list: Vec<Vec<[f64; 2]>> = Vec::new();
    for (k, s) in values.iter().enumerate() {
        let near = |r: &Complex<f64>| (r - s).norm() <= SAME_EIGENVALUE * norm;
        let conjugate = |r: &Complex<f64>| r.im > 0.0 && s.im < 0.0 && *r == s.conj();
        if let Some(twin) = values[..k].iter().position(conjugate) {
            list.push(list[twin].iter().map(|z| [z[0], 0.0 - z[1]]).collect());
            continue;
        }
        let before = values[..k].iter().filter(|r| near(r)).count();
        let shifted = &complex - DMatrix::from_diagonal_element(n, n, *s);
        let limit = 200 * n + 200;
        let svd = shifted.try_svd(false, true, f64::EPSILON, limit)?;
        let basis = svd.v_t?;
        // Singular values fall.
        let own = n - 1 - before.min(n - 1);
        let own = match svd.singular_values[own] <= NULL_SINGULAR_VALUE * norm {
            true => own,
            false => n - 1,
        };
        let v: Vec<Complex<f64>> = basis.row(own).iter().map(|z| z.conj()).collect();
        let largest = v.iter().fold(Complex::new(0.0, 0.0), |m, z| {
            if z.norm() > m.norm() * (1.0 + 1e-9) {
                *z
            } else {
                m
            }
        });
        let turn = largest.conj() / largest.norm();
        list.push(
            v.iter()
                .map(|z| z * turn)
                .map(|z| [z.re + 0.0, z.im + 0.0])
                .collect(),
        );
    }
    Some(list)
}

/// Random numbers with a seed (xorshift of 64 bits, multiplied).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x2545_F491_4F6C_DD1D)
    }

    /// A number in [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(rows: &[Vec<f64>]) -> Vec<[f64; 2]> {
        eigen(rows).unwrap().values
    }

    /// A cyclic permutation, on which shifts of Francis cycle for ever: its eigenvalues are the roots of one.
    #[test]
    fn roots_of_one() {
        for n in 3..9 {
            let rows: Vec<Vec<f64>> = (0..n)
                .map(|i| {
                    (0..n)
                        .map(|j| f64::from(u8::from((j + 1) % n == i)))
                        .collect()
                })
                .collect();
            let found = values(&rows);
            for k in 0..n {
                let angle = std::f64::consts::TAU * k as f64 / n as f64;
                let near = |s: &[f64; 2]| (s[0] - angle.cos()).hypot(s[1] - angle.sin()) < 1e-13;
                assert_eq!(found.iter().filter(|s| near(s)).count(), 1, "{n} {k}");
            }
        }
    }

    /// Companion matrices of polynomials with known roots, badly scaled.
    #[test]
    fn companions_of_polynomials() {
        let roots = [1e-3, 0.5, -2.0, 40.0, -300.0];
        let mut polynomial = vec![1.0];
        for r in roots {
            let mut next = vec![0.0; polynomial.len() + 1];
            for (k, c) in polynomial.iter().enumerate() {
                next[k] += c;
                next[k + 1] -= r * c;
            }
            polynomial = next;
        }
        let n = roots.len();
        let entry = |i: usize, j: usize| match i {
            0 => -polynomial[j + 1],
            _ => f64::from(u8::from(j + 1 == i)),
        };
        let rows: Vec<Vec<f64>> = (0..n)
            .map(|i| (0..n).map(|j| entry(i, j)).collect())
            .collect();
        let found = eigen(&rows).unwrap();
        for r in roots {
            assert!(
                found
                    .values
                    .iter()
                    .any(|s| (s[0] - r).abs() < 1e-10 * r.abs().max(1e-2) && s[1] == 0.0),
                "{r}"
            );
        }
        assert!(found.residuals.iter().all(|r| *r < 1e-14));
    }

    /// Coordinates on which nothing depends have exact zeros, and a Jordan block repeats its vector.
    #[test]
    fn drifting_coordinates() {
        let rows = vec![
            vec![0.0, 0.0, 1.0, 0.0],
            vec![0.0, 0.0, 0.0, 1.0],
            vec![0.0, 3.0, 0.0, 0.0],
            vec![0.0, -7.0, 0.0, 0.0],
        ];
        let found = eigen(&rows).unwrap();
        let zeros = found.values.iter().filter(|s| **s == [0.0, 0.0]).count();
        assert_eq!(zeros, 2);
        assert!((found.values[2][1] - 7f64.sqrt()).abs() < 1e-15);
        assert!(found.residuals.iter().all(|r| *r < 1e-15), "{found:?}");
        assert_eq!(values(&[]), Vec::<[f64; 2]>::new());
    }

    #[test]
    fn nothing_comes_of_what_is_not_finite() {
        assert_eq!(eigen(&[vec![f64::NAN]]), None);
    }
}
