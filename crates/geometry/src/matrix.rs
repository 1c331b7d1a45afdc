//! Matrices of expressions: products, determinants, inverses, solutions.

use galilei_expr::{Expr, Pool};

/// A rectangular matrix of expressions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Matrix<'p> {
    pool: PoolOf<'p>,
    rows: Vec<Vec<Expr<'p>>>,
}

#[derive(Clone, Copy, Debug)]
struct PoolOf<'p>(&'p Pool);
impl PartialEq for PoolOf<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}
impl Eq for PoolOf<'_> {}

/// The error for a matrix without an inverse: its determinant vanishes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Singular;

impl std::fmt::Display for Singular {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the matrix is singular")
    }
}
impl std::error::Error for Singular {}

/// Rows up to which inverses are written with minors; larger ones are computed by elimination without expansion.
const MAX_ROWS_BY_MINORS: usize = 4;

impl<'p> Matrix<'p> {
    /// The matrix with these rows.
    ///
    /// # Panics
    /// If the rows have different lengths.
    pub fn new(pool: &'p Pool, rows: Vec<Vec<Expr<'p>>>) -> Self {
        let width = rows.first().map_or(0, Vec::len);
        assert!(
            rows.iter().all(|r| r.len() == width),
            "rows of different lengths"
        );
        Self {
            pool: PoolOf(pool),
            rows,
        }
    }

    /// The rows.
    pub fn rows(&self) -> &[Vec<Expr<'p>>] {
        &self.rows
    }

    /// Number of rows and of columns.
    pub fn size(&self) -> (usize, usize) {
        (self.rows.len(), self.rows.first().map_or(0, Vec::len))
    }

    /// The transposed matrix.
    pub fn transposed(&self) -> Self {
        let (m, n) = self.size();
        let rows = (0..n)
            .map(|j| (0..m).map(|i| self.rows[i][j]).collect())
            .collect();
        Self::new(self.pool.0, rows)
    }

    /// A·B
    pub fn times(&self, other: &Self) -> Self {
        let (m, k) = self.size();
        let (l, n) = other.size();
        assert_eq!(k, l, "sizes of the factors of a matrix product");
        let entry = |i: usize, j: usize| {
            self.pool
                .0
                .sum((0..k).map(|s| self.rows[i][s] * other.rows[s][j]))
        };
        let rows = (0..m)
            .map(|i| (0..n).map(|j| entry(i, j)).collect())
            .collect();
        Self::new(self.pool.0, rows)
    }

    /// A·v
    pub fn times_vector(&self, v: &[Expr<'p>]) -> Vec<Expr<'p>> {
        assert_eq!(self.size().1, v.len(), "sizes of a matrix and a vector");
        self.rows
            .iter()
            .map(|row| self.pool.0.sum(row.iter().zip(v).map(|(&a, &b)| a * b)))
            .collect()
    }

    /// The determinant: by minors for small matrices, otherwise by elimination.
    pub fn determinant(&self) -> Expr<'p> {
        let (m, n) = self.size();
        assert_eq!(m, n, "the determinant of a square matrix");
        if n <= MAX_ROWS_BY_MINORS + 2 {
            let all: Vec<usize> = (0..n).collect();
            return self.minor(&all, &all);
        }
        match self.eliminated(vec![]) {
            Ok((pivots, _)) => self.pool.0.product(pivots),
            Err(Singular) => self.pool.0.zero(),
        }
    }

    /// The determinant of some rows and columns, expanded along the first row.
    fn minor(&self, rows: &[usize], columns: &[usize]) -> Expr<'p> {
        let pool = self.pool.0;
        let Some((&first, rest)) = rows.split_first() else {
            return pool.one();
        };
        pool.sum(columns.iter().enumerate().filter_map(|(k, &c)| {
            let entry = self.rows[first][c];
            if entry.is_zero() {
                return None;
            }
            let mut others = columns.to_vec();
            others.remove(k);
            let term = entry * self.minor(rest, &others);
            Some(if k % 2 == 0 { term } else { -term })
        }))
    }

    /// The inverse.
    pub fn inverse(&self) -> Result<Self, Singular> {
        let (m, n) = self.size();
        assert_eq!(m, n, "the inverse of a square matrix");
        let pool = self.pool.0;
        if n > MAX_ROWS_BY_MINORS {
            let identity: Vec<Vec<Expr<'p>>> = (0..n)
                .map(|j| {
                    (0..n)
                        .map(|i| if i == j { pool.one() } else { pool.zero() })
                        .collect()
                })
                .collect();
            let columns = self.eliminated(identity)?.1;
            return Ok(Self::new(pool, columns).transposed());
        }
        let determinant = self.determinant();
        if determinant.decide_zero().is_proved() {
            return Err(Singular);
        }
        let inverse = determinant.recip();
        let without = |k: usize| (0..n).filter(|&i| i != k).collect::<Vec<_>>();
        let entry = |i: usize, j: usize| {
            let cofactor = self.minor(&without(j), &without(i));
            inverse
                * if (i + j).is_multiple_of(2) {
                    cofactor
                } else {
                    -cofactor
                }
        };
        let rows = (0..n)
            .map(|i| (0..n).map(|j| entry(i, j)).collect())
            .collect();
        Ok(Self::new(pool, rows))
    }

    /// The solution x of A·x = b.
    pub fn solve(&self, b: &[Expr<'p>]) -> Result<Vec<Expr<'p>>, Singular> {
        if self.rows.len() <= MAX_ROWS_BY_MINORS {
            return Ok(self.inverse()?.times_vector(b));
        }
        Ok(self.eliminated(vec![b.to_vec()])?.1.remove(0))
    }

    /// Gaussian elimination on the graph: pivots (with the sign of exchanges in the last) and the
    /// solutions for given right-hand sides. Entries are never expanded, so the result has O(n³)
    /// nodes.
    #[allow(clippy::type_complexity)]
    fn eliminated(
        &self,
        mut sides: Vec<Vec<Expr<'p>>>,
    ) -> Result<(Vec<Expr<'p>>, Vec<Vec<Expr<'p>>>), Singular> {
        let n = self.rows.len();
        let mut a = self.rows.clone();
        let mut negative = false;
        for k in 0..n {
            // A number is the best pivot; anything that does not vanish identically will do.
            let usable = |i: &usize| !a[*i][k].is_zero() && !a[*i][k].decide_zero().is_proved();
            let number = |i: &usize| a[*i][k].as_rational().is_some() && !a[*i][k].is_zero();
            let p = (k..n)
                .find(number)
                .or_else(|| (k..n).find(usable))
                .ok_or(Singular)?;
            if p != k {
                a.swap(p, k);
                sides.iter_mut().for_each(|s| s.swap(p, k));
                negative = !negative;
            }
            let inverse = a[k][k].recip();
            for i in k + 1..n {
                if a[i][k].is_zero() {
                    continue;
                }
                let factor = a[i][k] * inverse;
                for j in k + 1..n {
                    let entry = a[i][j] - factor * a[k][j];
                    a[i][j] = entry;
                }
                for side in &mut sides {
                    side[i] = side[i] - factor * side[k];
                }
            }
        }
        for side in &mut sides {
            for k in (0..n).rev() {
                let known = self.pool.0.sum((k + 1..n).map(|j| a[k][j] * side[j]));
                side[k] = (side[k] - known) / a[k][k];
            }
        }
        let mut pivots: Vec<Expr<'p>> = (0..n).map(|k| a[k][k]).collect();
        if let (true, Some(last)) = (negative, pivots.last_mut()) {
            *last = -*last;
        }
        Ok((pivots, sides))
    }
}
