//! Space-time: the time structure and the charts adapted to it.

use std::fmt;

use galilei_expr::{Expr, Pool};
use galilei_geometry::{Chart, Form, VectorField, Verdict};

/// A closed one-form ϑ that vanishes nowhere. (T-5)
#[derive(Clone, Debug, PartialEq)]
pub struct TimeStructure<'p> {
    form: Form<'p>,
}

/// The reason why a one-form is not a time structure.
#[derive(Clone, Debug, PartialEq)]
pub enum NotATimeStructure {
    /// It is not a one-form.
    Degree(usize),
    /// dϑ ≠ 0, or it could not be decided.
    NotClosed(Verdict),
    /// No component is a number other than zero, so it may vanish somewhere.
    MayVanish,
}

impl fmt::Display for NotATimeStructure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Degree(k) => write!(f, "a time structure is a one-form, not a {k}-form"),
            Self::NotClosed(v) => write!(f, "the time structure is not closed: {v}"),
            Self::MayVanish => f.write_str("the time structure may vanish somewhere"),
        }
    }
}
impl std::error::Error for NotATimeStructure {}

impl<'p> TimeStructure<'p> {
    /// Takes ϑ if it is closed and evidently has no zero: a component that is a non-zero number.
    pub fn new(form: Form<'p>) -> Result<Self, NotATimeStructure> {
        if form.degree() != 1 {
            return Err(NotATimeStructure::Degree(form.degree()));
        }
        let closed = form.d().decide_zero();
        if !closed.is_proved() {
            return Err(NotATimeStructure::NotClosed(closed));
        }
        let number = |c: Expr<'p>| c.as_rational().is_some_and(|q| !q.is_zero());
        if !form.terms().any(|(_, c)| number(c)) {
            return Err(NotATimeStructure::MayVanish);
        }
        Ok(Self { form })
    }

    /// ϑ
    pub fn as_form(&self) -> &Form<'p> {
        &self.form
    }

    /// Whether a vector field is spacelike, ϑ(v) = 0: a section of A⁰M.
    pub fn decide_spacelike(&self, v: &VectorField<'p>) -> Verdict {
        self.form.evaluate(&[v]).decide_zero()
    }

    /// Whether a vector field is time-normalised, ϑ(v) = 1: a section of A¹M.
    pub fn decide_normalised(&self, v: &VectorField<'p>) -> Verdict {
        let one = v.chart().pool().one();
        self.form.evaluate(&[v]).decide_equal(one)
    }
}

/// A chart (t, x¹, …, xⁿ) of space-time in which ϑ = dt. (T-5)
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AdaptedChart<'p> {
    chart: Chart<'p>,
}

impl<'p> AdaptedChart<'p> {
    /// The adapted chart with these names.
    pub fn new<S: AsRef<str>>(
        pool: &'p Pool,
        time: &str,
        positions: impl IntoIterator<Item = S>,
    ) -> Self {
        let t = pool.symbol(time);
        let x = positions.into_iter().map(|n| pool.symbol(n.as_ref()));
        Self {
            chart: Chart::of(pool, std::iter::once(t).chain(x)),
        }
    }

    /// The chart (t, x¹, …, xⁿ) of M.
    pub fn chart(&self) -> &Chart<'p> {
        &self.chart
    }

    /// The pool.
    pub fn pool(&self) -> &'p Pool {
        self.chart.pool()
    }

    /// n, the number of degrees of freedom.
    pub fn degrees_of_freedom(&self) -> usize {
        self.chart.dimension() - 1
    }

    /// t
    pub fn time(&self) -> Expr<'p> {
        self.chart.coordinate(0)
    }

    /// xⁱ, i = 0 … n−1
    pub fn position(&self, i: usize) -> Expr<'p> {
        self.chart.coordinate(i + 1)
    }

    /// x¹, …, xⁿ
    pub fn positions(&self) -> &[Expr<'p>] {
        &self.chart.coordinates()[1..]
    }

    /// ϑ = dt
    pub fn time_structure(&self) -> TimeStructure<'p> {
        TimeStructure {
            form: self.chart.differential(0),
        }
    }
}
