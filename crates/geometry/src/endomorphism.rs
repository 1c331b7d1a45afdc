//! (1,1)-tensors: linear maps of tangent spaces.

use galilei_expr::{Expr, Verdict};

use crate::chart::Chart;
use crate::form::Form;
use crate::lie::LieDerivative;
use crate::vector::VectorField;
use crate::vector_form::VectorForm;
use crate::verdict::decide_all_zero;

/// A (1,1)-tensor field K with components Kⁱⱼ: (KX)ⁱ = Kⁱⱼ Xʲ. (T-4)
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Endomorphism<'p> {
    chart: Chart<'p>,
    rows: Vec<Vec<Expr<'p>>>,
}

impl<'p> Endomorphism<'p> {
    /// The tensor with these rows, Kⁱⱼ in row i and column j.
    pub fn new(chart: &Chart<'p>, rows: Vec<Vec<Expr<'p>>>) -> Self {
        let n = chart.dimension();
        assert!(
            rows.len() == n && rows.iter().all(|r| r.len() == n),
            "components of a (1,1)-tensor"
        );
        Self {
            chart: chart.clone(),
            rows,
        }
    }

    /// The zero tensor.
    pub fn zero(chart: &Chart<'p>) -> Self {
        let n = chart.dimension();
        Self::new(chart, vec![vec![chart.zero(); n]; n])
    }

    /// The identity.
    pub fn identity(chart: &Chart<'p>) -> Self {
        let mut k = Self::zero(chart);
        for i in 0..chart.dimension() {
            k.rows[i][i] = chart.pool().one();
        }
        k
    }

    /// X⊗α: Y ↦ α(Y)·X.
    pub fn simple(x: &VectorField<'p>, alpha: &Form<'p>) -> Self {
        x.chart().assert_same(alpha.chart());
        assert_eq!(alpha.degree(), 1, "the second factor is a one-form");
        let n = x.chart().dimension();
        let rows = (0..n)
            .map(|i| {
                (0..n)
                    .map(|j| x.component(i) * alpha.component(&[j]))
                    .collect()
            })
            .collect();
        Self::new(x.chart(), rows)
    }

    /// The chart.
    pub fn chart(&self) -> &Chart<'p> {
        &self.chart
    }

    /// Kⁱⱼ
    pub fn component(&self, i: usize, j: usize) -> Expr<'p> {
        self.rows[i][j]
    }

    /// The rows.
    pub fn rows(&self) -> &[Vec<Expr<'p>>] {
        &self.rows
    }

    fn map2(&self, other: &Self, f: impl Fn(Expr<'p>, Expr<'p>) -> Expr<'p>) -> Self {
        self.chart.assert_same(&other.chart);
        let rows = self.rows.iter().zip(&other.rows);
        let rows = rows.map(|(a, b)| a.iter().zip(b).map(|(&x, &y)| f(x, y)).collect());
        Self::new(&self.chart, rows.collect())
    }

    /// K + L
    pub fn plus(&self, other: &Self) -> Self {
        self.map2(other, |a, b| a + b)
    }

    /// K − L
    pub fn minus(&self, other: &Self) -> Self {
        self.map2(other, |a, b| a - b)
    }

    /// f·K
    pub fn scaled(&self, f: Expr<'p>) -> Self {
        self.map2(self, |a, _| f * a)
    }

    /// K∘L
    pub fn compose(&self, other: &Self) -> Self {
        self.chart.assert_same(&other.chart);
        let n = self.chart.dimension();
        let pool = self.chart.pool();
        let entry =
            |i: usize, j: usize| pool.sum((0..n).map(|k| self.rows[i][k] * other.rows[k][j]));
        let rows = (0..n)
            .map(|i| (0..n).map(|j| entry(i, j)).collect())
            .collect();
        Self::new(&self.chart, rows)
    }

    /// Kⁱᵢ
    pub fn trace(&self) -> Expr<'p> {
        let n = self.chart.dimension();
        self.chart.pool().sum((0..n).map(|i| self.rows[i][i]))
    }

    /// KX
    pub fn on_vector(&self, x: &VectorField<'p>) -> VectorField<'p> {
        self.chart.assert_same(x.chart());
        let pool = self.chart.pool();
        let components = self
            .rows
            .iter()
            .map(|row| pool.sum(row.iter().zip(x.components()).map(|(&k, &c)| k * c)))
            .collect();
        VectorField::new(&self.chart, components)
    }

    /// Kα with (Kα)(X) = α(KX).
    pub fn on_one_form(&self, alpha: &Form<'p>) -> Form<'p> {
        assert_eq!(alpha.degree(), 1, "a one-form");
        self.derivation(alpha)
    }

    /// D_Kω, the derivation of degree 0 that K induces: (D_Kω)(X₁…) = Σ ω(…, KXᵢ, …). It
    /// annihilates functions. (T-16)
    pub fn derivation(&self, omega: &Form<'p>) -> Form<'p> {
        self.chart.assert_same(omega.chart());
        let n = self.chart.dimension();
        let mut terms = Vec::new();
        for (indices, c) in omega.terms() {
            for (slot, &i) in indices.iter().enumerate() {
                // dxⁱ becomes Kⁱⱼ dxʲ in its slot.
                for j in 0..n {
                    let k = self.rows[i][j];
                    if !k.is_zero() {
                        let mut list = indices.clone();
                        list[slot] = j;
                        terms.push((list, c * k));
                    }
                }
            }
        }
        Form::from_terms(&self.chart, omega.degree(), terms)
    }

    /// D_K d − d D_K, the anti-derivation of degree 1 that K induces. (T-17)
    pub fn differential(&self, omega: &Form<'p>) -> Form<'p> {
        self.derivation(&omega.d())
            .minus(&self.derivation(omega).d())
    }

    /// The Nijenhuis torsion 𝒩(X, Y) = \[KX, KY\] + K²\[X, Y\] − K\[KX, Y\] − K\[X, KY\], without
    /// factor ½ or 2. (T-75)
    pub fn torsion(&self) -> VectorForm<'p> {
        let n = self.chart.dimension();
        let basis: Vec<VectorField<'p>> = (0..n).map(|i| self.chart.partial(i)).collect();
        let images: Vec<VectorField<'p>> = basis.iter().map(|e| self.on_vector(e)).collect();
        VectorForm::two_form(&self.chart, |i, j| {
            // Coordinate fields commute: the term K²[X, Y] is zero on them.
            let crossed = images[i]
                .bracket(&basis[j])
                .plus(&basis[i].bracket(&images[j]));
            images[i]
                .bracket(&images[j])
                .minus(&self.on_vector(&crossed))
        })
    }

    /// Whether the tensor vanishes.
    pub fn decide_zero(&self) -> Verdict {
        decide_all_zero(self.rows.iter().flatten().copied())
    }

    /// Whether two tensors are equal.
    pub fn decide_equal(&self, other: &Self) -> Verdict {
        self.minus(other).decide_zero()
    }
}

impl<'p> LieDerivative<'p> for Endomorphism<'p> {
    /// (L_XK)(Y) = \[X, KY\] − K\[X, Y\]. (T-4)
    fn lie_along(&self, x: &VectorField<'p>) -> Self {
        let n = self.chart.dimension();
        let columns: Vec<VectorField<'p>> = (0..n)
            .map(|j| {
                let e = self.chart.partial(j);
                let image = x.bracket(&self.on_vector(&e));
                image.minus(&self.on_vector(&x.bracket(&e)))
            })
            .collect();
        let rows = (0..n)
            .map(|i| (0..n).map(|j| columns[j].component(i)).collect())
            .collect();
        Self::new(&self.chart, rows)
    }
}
