//! The homotopy operator about a point.

use galilei_expr::Expr;

use crate::chart::Chart;
use crate::form::Form;
use crate::integrate::unit_integral;
use crate::map::SmoothMap;

/// Contraction of a chart, or of some of its coordinates, onto a point: x ↦ x₀ + s(x − x₀).
///
/// For a form ω with ξ = (x − x₀)ⁱ∂ᵢ over the moving coordinates,
/// Kω = ∫₀¹ s^(m−1) (ξ ⌟ ω)(x₀ + s(x − x₀)) ds, where m counts the moving differentials of a term.
/// If all coordinates move, dK + Kd is the identity on forms of positive degree: a closed form is
/// d of its image. The domain must contain the segments to x₀. (T-35)
#[derive(Clone, Debug, PartialEq)]
pub struct Homotopy<'p> {
    chart: Chart<'p>,
    centre: Vec<Expr<'p>>,
    moving: Vec<bool>,
}

/// The image of a form under the homotopy operator.
#[derive(Clone, Debug, PartialEq)]
pub struct Contracted<'p> {
    /// Kω
    pub form: Form<'p>,
    /// Whether every integral was found; otherwise coefficients contain ∫ nodes.
    pub closed_form: bool,
}

impl<'p> Homotopy<'p> {
    /// All coordinates contract to the point.
    pub fn radial(chart: &Chart<'p>, centre: Vec<Expr<'p>>) -> Self {
        Self::partial(chart, centre, vec![true; chart.dimension()])
    }

    /// Only the coordinates marked as moving contract; the others are parameters.
    ///
    /// # Panics
    /// If the lists are not as long as the chart has coordinates.
    pub fn partial(chart: &Chart<'p>, centre: Vec<Expr<'p>>, moving: Vec<bool>) -> Self {
        assert_eq!(centre.len(), chart.dimension(), "coordinates of the centre");
        assert_eq!(
            moving.len(),
            chart.dimension(),
            "one mark for each coordinate"
        );
        Self {
            chart: chart.clone(),
            centre,
            moving,
        }
    }

    /// γ: x ↦ x₀ + s(x − x₀) at the stage s, an expression without coordinates.
    pub fn stage(&self, s: Expr<'p>) -> SmoothMap<'p> {
        let coordinates = self.chart.coordinates().iter().enumerate();
        let components = coordinates.map(|(k, &x)| {
            if self.moving[k] {
                self.centre[k] + s * (x - self.centre[k])
            } else {
                x
            }
        });
        SmoothMap::new(&self.chart, &self.chart, components.collect())
    }

    /// The integrand I(ω) = s^(m−1) (ξ ⌟ ω)(γ(s)), whose integral over s from 0 to 1 is Kω. For every ω,
    /// d I(ω) + I(dω) = d/ds γ*ω, which is why dK + Kd = 1.
    ///
    /// # Panics
    /// If ω is a function: the operator lowers the degree.
    pub fn integrand(&self, omega: &Form<'p>, s: Expr<'p>) -> Form<'p> {
        self.chart.assert_same(omega.chart());
        assert!(
            omega.degree() > 0,
            "the homotopy operator lowers the degree of a form"
        );
        let stage = self.stage(s);
        let arm = |k: usize| self.chart.coordinate(k) - self.centre[k];
        let mut terms: Vec<(Vec<usize>, Expr<'p>)> = Vec::new();
        for (indices, c) in omega.terms() {
            let m = indices.iter().filter(|&&k| self.moving[k]).count();
            if m == 0 {
                continue;
            }
            let moved = stage.pullback(&c) * s.pow(m as i64 - 1);
            for (slot, &k) in indices.iter().enumerate() {
                if self.moving[k] {
                    let mut rest = indices.clone();
                    rest.remove(slot);
                    let term = arm(k) * moved;
                    terms.push((rest, if slot % 2 == 0 { term } else { -term }));
                }
            }
        }
        Form::from_terms(&self.chart, omega.degree() - 1, terms)
    }

    /// Kω
    ///
    /// # Panics
    /// If ω is a function: the operator lowers the degree.
    pub fn contract(&self, omega: &Form<'p>) -> Contracted<'p> {
        let s = self.chart.pool().bound_variable();
        // Terms with the same differentials left are integrated together: singular parts of
        // single terms may cancel in the sum.
        let integrand = self.integrand(omega, s);
        let mut closed_form = true;
        let terms: Vec<(Vec<usize>, Expr<'p>)> = integrand
            .terms()
            .map(|(rest, sum)| {
                let (value, closed) = unit_integral(sum, s);
                closed_form &= closed;
                (rest, value)
            })
            .collect();
        Contracted {
            form: Form::from_terms(&self.chart, omega.degree() - 1, terms),
            closed_form,
        }
    }
}
