//! The Galilean metric: the mass matrix, a metric on spacelike vectors only.

use std::fmt;

use galilei_expr::{Expr, Interval, Rational, SymmetricMatrix, Verdict};
use galilei_geometry::{Matrix, Singular, decide_all_zero};

use crate::space_time::AdaptedChart;

/// The metric gᵢⱼ(t, x), a symmetric matrix; its positive definiteness is decided on request. Only spatial components
/// exist. (T-6)
#[derive(Clone, Debug, PartialEq)]
pub struct GalileanMetric<'p> {
    base: AdaptedChart<'p>,
    rows: Vec<Vec<Expr<'p>>>,
}

/// The reason why a matrix is not a Galilean metric.
#[derive(Clone, Debug, PartialEq)]
pub enum NotAMetric {
    /// It is not n × n.
    Size,
    /// gᵢⱼ ≠ gⱼᵢ, or it could not be decided.
    NotSymmetric(usize, usize, Verdict),
}

impl fmt::Display for NotAMetric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size => f.write_str("the metric needs one row and column for each coordinate"),
            Self::NotSymmetric(i, j, v) => {
                write!(f, "the metric is not symmetric in entries {i}, {j}: {v}")
            }
        }
    }
}
impl std::error::Error for NotAMetric {}

impl<'p> GalileanMetric<'p> {
    /// The metric with these components; symmetry is decided.
    pub fn new(base: &AdaptedChart<'p>, rows: Vec<Vec<Expr<'p>>>) -> Result<Self, NotAMetric> {
        let n = base.degrees_of_freedom();
        if rows.len() != n || rows.iter().any(|r| r.len() != n) {
            return Err(NotAMetric::Size);
        }
        for i in 0..n {
            for j in 0..i {
                let verdict = rows[i][j].decide_equal(rows[j][i]);
                if !verdict.is_proved() {
                    return Err(NotAMetric::NotSymmetric(i, j, verdict));
                }
            }
        }
        // Both entries have one handle from here on.
        let rows = (0..n)
            .map(|i| (0..n).map(|j| rows[i.min(j)][i.max(j)]).collect())
            .collect();
        Ok(Self {
            base: base.clone(),
            rows,
        })
    }

    /// The adapted chart.
    pub fn base(&self) -> &AdaptedChart<'p> {
        &self.base
    }

    /// gᵢⱼ
    pub fn component(&self, i: usize, j: usize) -> Expr<'p> {
        self.rows[i][j]
    }

    /// The mass matrix.
    pub fn matrix(&self) -> Matrix<'p> {
        Matrix::new(self.base.pool(), self.rows.clone())
    }

    /// gⁱʲ
    pub fn inverse(&self) -> Result<Matrix<'p>, Singular> {
        self.matrix().inverse()
    }

    /// gᵢⱼvʲ
    pub fn lower(&self, v: &[Expr<'p>]) -> Vec<Expr<'p>> {
        self.matrix().times_vector(v)
    }

    /// g(v, w) of spacelike components.
    pub fn pair(&self, v: &[Expr<'p>], w: &[Expr<'p>]) -> Expr<'p> {
        let lowered = self.lower(v);
        self.base
            .pool()
            .sum(lowered.iter().zip(w).map(|(&a, &b)| a * b))
    }

    fn symmetric(&self) -> Option<SymmetricMatrix<'p>> {
        SymmetricMatrix::new(self.rows.clone())
    }

    /// Whether the metric is positive definite at given values of all its symbols.
    pub fn positive_definite_at(&self, values: &[(Expr<'p>, Rational)]) -> Verdict {
        match self.symmetric() {
            Some(m) => m.positive_definite_at(values),
            None => Verdict::Certified,
        }
    }

    /// Whether the metric is positive definite everywhere on a box.
    pub fn positive_definite_on(&self, domain: &[(Expr<'p>, Interval)]) -> Verdict {
        match self.symmetric() {
            Some(m) => m.positive_definite_on(domain),
            None => Verdict::Certified,
        }
    }

    /// Whether two metrics are equal.
    pub fn decide_equal(&self, other: &Self) -> Verdict {
        let pairs = self.rows.iter().flatten().zip(other.rows.iter().flatten());
        decide_all_zero(pairs.map(|(&a, &b)| a - b))
    }
}

/// Space-time with its metric: (M, ϑ, g). (T-5, T-6)
#[derive(Clone, Debug, PartialEq)]
pub struct GalileanManifold<'p> {
    metric: GalileanMetric<'p>,
}

impl<'p> GalileanManifold<'p> {
    /// The manifold of an adapted chart and a metric on it.
    pub fn new(metric: GalileanMetric<'p>) -> Self {
        Self { metric }
    }

    /// The adapted chart.
    pub fn base(&self) -> &AdaptedChart<'p> {
        self.metric.base()
    }

    /// The metric.
    pub fn metric(&self) -> &GalileanMetric<'p> {
        &self.metric
    }

    /// The state space.
    pub fn state_space(&self) -> crate::StateSpace<'p> {
        crate::StateSpace::new(self.base().clone())
    }
}
