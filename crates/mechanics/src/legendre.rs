//! The Legendre map of any regular Lagrangian, in formulas.

use std::fmt;

use galilei_expr::{Assumptions, Expr, Verdict};
use galilei_geometry::{Chart, Matrix, Singular, decide_equal_on};

use crate::lagrangian::Lagrangian;
use crate::legendre_inverse::canonical_chart;

/// The map (t, x, u) ↦ (t, x, p = ∂L/∂u) with its derivative, for any L. (T-26, T-51)
///
/// Where L is not quadratic in u, the inverse has no formula in general: it is found point by
/// point, by Newton's iteration. This type has the formulas of the iteration; numeric code runs it.
#[derive(Clone, Debug, PartialEq)]
pub struct LegendreMap<'p> {
    lagrangian: Lagrangian<'p>,
    chart: Chart<'p>,
}

/// The error for formulas u(t, x, p) that were not shown to invert the Legendre map.
#[derive(Clone, Debug, PartialEq)]
pub struct NotLegendreInverse(pub Verdict);

impl fmt::Display for NotLegendreInverse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the velocities do not give back the momenta, ∂L/∂u(t, x, u(t, x, p)) = p: {}",
            self.0
        )
    }
}
impl std::error::Error for NotLegendreInverse {}

impl<'p> Lagrangian<'p> {
    /// The Legendre map, its target with coordinates (t, x, p), pᵢ named `p(x)`. (T-51)
    pub fn legendre_map(&self) -> LegendreMap<'p> {
        LegendreMap {
            lagrangian: self.clone(),
            chart: canonical_chart(self.state()),
        }
    }
}

impl<'p> LegendreMap<'p> {
    /// (t, x, p)
    pub fn chart(&self) -> &Chart<'p> {
        &self.chart
    }

    /// p₁, …, pₙ, the coordinates.
    pub fn momenta(&self) -> &[Expr<'p>] {
        let n = self.lagrangian.state().degrees_of_freedom();
        &self.chart.coordinates()[1 + n..]
    }

    /// ∂L/∂uⁱ − pᵢ, a function of (t, x, u, p): zero where u is the velocity that belongs to p.
    pub fn residual(&self) -> Vec<Expr<'p>> {
        let values = self.lagrangian.momenta().into_iter();
        values.zip(self.momenta()).map(|(a, &p)| a - p).collect()
    }

    /// mᵢⱼ = ∂²L/∂uⁱ∂uʲ, the derivative of the residual with respect to u.
    pub fn derivative(&self) -> Matrix<'p> {
        self.lagrangian.mass_matrix()
    }

    /// Newton's step u ↦ u − m⁻¹(∂L/∂u − p), a function of (t, x, u, p). Its fixed points are the
    /// velocities that belong to p; near one it converges quadratically where m is regular.
    pub fn newton_step(&self) -> Result<Vec<Expr<'p>>, Singular> {
        let step = self.derivative().solve(&self.residual())?;
        let u = self.lagrangian.state().velocities().iter();
        Ok(u.zip(step).map(|(&u, s)| u - s).collect())
    }

    /// Whether u(t, x, p) inverts the map, ∂L/∂uⁱ(t, x, u(t, x, p)) = pᵢ, on a domain.
    ///
    /// # Panics
    /// If there are not as many velocities as degrees of freedom.
    pub fn decide_inverse(&self, velocities: &[Expr<'p>], domain: &Assumptions<'p>) -> Verdict {
        let state = self.lagrangian.state();
        assert_eq!(velocities.len(), state.degrees_of_freedom(), "velocities");
        let u = state.velocities().iter().copied();
        let pairs: Vec<(Expr<'p>, Expr<'p>)> = u.zip(velocities.iter().copied()).collect();
        let values = state
            .pool()
            .substitute_all(&self.lagrangian.momenta(), &pairs);
        decide_equal_on(&values, self.momenta(), domain)
    }
}
