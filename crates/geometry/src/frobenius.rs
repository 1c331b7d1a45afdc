//! Integrability of codistributions.

use galilei_expr::{Assumptions, Rank, Verdict, generic_rank};

use crate::chart::Chart;
use crate::form::Form;

/// The span of some one-forms; its common kernel is a distribution.
#[derive(Clone, Debug, PartialEq)]
pub struct Codistribution<'p> {
    chart: Chart<'p>,
    forms: Vec<Form<'p>>,
}

/// The answer to whether a codistribution is spanned by differentials of functions.
#[derive(Clone, Debug, PartialEq)]
pub enum Integrability<'p> {
    /// dαᵃ∧α¹∧…∧αᶜ = 0 for all a: through every point there is a leaf.
    Integrable(Verdict),
    /// The first form whose obstruction does not vanish, the obstruction, and where it does not.
    NotIntegrable {
        /// The number of the form.
        form: usize,
        /// dαᵃ∧α¹∧…∧αᶜ
        obstruction: Form<'p>,
        /// The refutation of its vanishing.
        verdict: Verdict,
    },
    /// The question could not be decided.
    Undecided(Verdict),
}

impl<'p> Codistribution<'p> {
    /// The span of one-forms on a chart.
    ///
    /// # Panics
    /// If one of them is not a one-form of that chart.
    pub fn new(chart: &Chart<'p>, forms: Vec<Form<'p>>) -> Self {
        for form in &forms {
            chart.assert_same(form.chart());
            assert_eq!(form.degree(), 1, "a codistribution is spanned by one-forms");
        }
        Self {
            chart: chart.clone(),
            forms,
        }
    }

    /// The forms that span it.
    pub fn forms(&self) -> &[Form<'p>] {
        &self.forms
    }

    /// The generic rank.
    pub fn rank(&self) -> Rank {
        let rows: Vec<Vec<_>> = self
            .forms
            .iter()
            .map(|f| {
                (0..self.chart.dimension())
                    .map(|k| f.component(&[k]))
                    .collect()
            })
            .collect();
        generic_rank(&rows, &Assumptions::new())
    }

    /// Frobenius: integrable exactly if dαᵃ∧α¹∧…∧αᶜ = 0 for all a.
    pub fn integrability(&self) -> Integrability<'p> {
        // Linearly dependent forms would make the product vanish: take a basis.
        let basis: Vec<&Form<'p>> = self
            .rank()
            .minor
            .0
            .iter()
            .map(|&r| &self.forms[r])
            .collect();
        let one = Form::function(&self.chart, self.chart.pool().one());
        let volume = basis.iter().fold(one, |w, f| w.wedge(f));
        let mut so_far: Option<Verdict> = None;
        for (k, form) in self.forms.iter().enumerate() {
            let obstruction = form.d().wedge(&volume);
            let verdict = obstruction.decide_zero();
            if verdict.is_refuted() {
                return Integrability::NotIntegrable {
                    form: k,
                    obstruction,
                    verdict,
                };
            }
            so_far = Some(match so_far {
                None => verdict,
                Some(v) => v.and(verdict),
            });
        }
        match so_far {
            Some(v) if !v.is_proved() => Integrability::Undecided(v),
            Some(v) => Integrability::Integrable(v),
            None => Integrability::Integrable(Verdict::Proved(galilei_expr::Bound::CERTAIN)),
        }
    }
}
