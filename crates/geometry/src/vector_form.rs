//! Vector-valued forms.

use galilei_expr::{Expr, Verdict};

use crate::chart::Chart;
use crate::form::Form;
use crate::vector::VectorField;
use crate::verdict::decide_all_zero;

/// A vector-valued form Σ ∂ᵢ⊗ωⁱ; torsion and curvature are vector-valued two-forms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VectorForm<'p> {
    chart: Chart<'p>,
    components: Vec<Form<'p>>,
}

impl<'p> VectorForm<'p> {
    /// Σ ∂ᵢ⊗ωⁱ for forms of one degree.
    pub fn new(chart: &Chart<'p>, components: Vec<Form<'p>>) -> Self {
        assert_eq!(
            components.len(),
            chart.dimension(),
            "components of a vector-valued form"
        );
        let degree = components.first().map_or(0, Form::degree);
        for c in &components {
            chart.assert_same(c.chart());
            assert_eq!(c.degree(), degree, "components of different degrees");
        }
        Self {
            chart: chart.clone(),
            components,
        }
    }

    /// The two-form with value `f(i, j)` on (∂ᵢ, ∂ⱼ), i < j.
    pub(crate) fn two_form(chart: &Chart<'p>, f: impl Fn(usize, usize) -> VectorField<'p>) -> Self {
        let n = chart.dimension();
        let mut terms: Vec<Vec<(Vec<usize>, Expr<'p>)>> = vec![Vec::new(); n];
        for i in 0..n {
            for j in i + 1..n {
                for (k, &c) in f(i, j).components().iter().enumerate() {
                    if !c.is_zero() {
                        terms[k].push((vec![i, j], c));
                    }
                }
            }
        }
        let components = terms
            .into_iter()
            .map(|t| Form::from_terms(chart, 2, t))
            .collect();
        Self::new(chart, components)
    }

    /// The form that is the coefficient of ∂ᵢ.
    pub fn component(&self, i: usize) -> &Form<'p> {
        &self.components[i]
    }

    /// The vector-valued form with X in the first slot.
    pub fn with_first(&self, x: &VectorField<'p>) -> Self {
        Self::new(
            &self.chart,
            self.components.iter().map(|c| x.interior(c)).collect(),
        )
    }

    /// The value on vectors.
    pub fn evaluate(&self, vectors: &[&VectorField<'p>]) -> VectorField<'p> {
        let values = self
            .components
            .iter()
            .map(|c| c.evaluate(vectors))
            .collect();
        VectorField::new(&self.chart, values)
    }

    /// Whether the form vanishes.
    pub fn decide_zero(&self) -> Verdict {
        decide_all_zero(
            self.components
                .iter()
                .flat_map(|c| c.terms().map(|t| t.1).collect::<Vec<_>>()),
        )
    }

    /// The sum of two vector-valued forms.
    pub fn plus(&self, other: &Self) -> Self {
        let pairs = self.components.iter().zip(&other.components);
        Self::new(&self.chart, pairs.map(|(a, b)| a.plus(b)).collect())
    }

    /// The difference of two vector-valued forms.
    pub fn minus(&self, other: &Self) -> Self {
        let pairs = self.components.iter().zip(&other.components);
        Self::new(&self.chart, pairs.map(|(a, b)| a.minus(b)).collect())
    }

    /// Whether two vector-valued forms are equal.
    pub fn decide_equal(&self, other: &Self) -> Verdict {
        self.minus(other).decide_zero()
    }
}
