//! Vertical tangent bundles: a chart over time with the variations of its coordinates.
//!
//! V of a bundle over time with coordinates (t, z) has coordinates (t, z, ż), where ż are fibre
//! coordinates, the components of a variation at fixed time, and not velocities: they are named
//! `jacobi(z)`. The configuration space Q, the momentum phase space V*Q and T*Q all have one.

use galilei_expr::{Expr, Pool};
use galilei_geometry::{Chart, Form, SmoothMap, VectorField};

/// The vertical tangent bundle VB of a bundle B over time with coordinates (t, z¹ … zᵐ): its chart
/// (t, z, ż) and the vertical derivative ∂_V = żᵏ∂ₖ. (T-99)
///
/// ```
/// use galilei_expr::Pool;
/// use galilei_geometry::Chart;
/// use galilei_mechanics::VerticalBundle;
/// let pool = Pool::new();
/// let bundle = VerticalBundle::over(&Chart::new(&pool, ["t", "x"]));
/// let [t, x] = [bundle.base().coordinate(0), bundle.base().coordinate(1)];
/// assert_eq!(bundle.derivative(t * x.sin()).to_string(), "jacobi(x)*t*cos(x)");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct VerticalBundle<'p> {
    base: Chart<'p>,
    chart: Chart<'p>,
}

/// The symbol of a variation: `jacobi(z)`.
pub(crate) fn variation<'p>(pool: &'p Pool, z: Expr<'p>) -> Expr<'p> {
    pool.symbol(&format!("jacobi({z})"))
}

impl<'p> VerticalBundle<'p> {
    /// The vertical bundle of a chart, whose first coordinate is time.
    pub fn over(base: &Chart<'p>) -> Self {
        let z = base.coordinates()[1..].iter();
        let fibre = z.map(|&z| variation(base.pool(), z)).collect();
        Self::with_fibre(base, fibre)
    }

    /// The vertical bundle of a chart with given symbols for ż.
    ///
    /// # Panics
    /// If there is not one for each coordinate but time.
    pub fn with_fibre(base: &Chart<'p>, fibre: Vec<Expr<'p>>) -> Self {
        assert_eq!(fibre.len() + 1, base.dimension(), "variations");
        let all = base.coordinates().iter().copied().chain(fibre);
        Self {
            chart: Chart::of(base.pool(), all.collect::<Vec<_>>()),
            base: base.clone(),
        }
    }

    /// (t, z)
    pub fn base(&self) -> &Chart<'p> {
        &self.base
    }

    /// (t, z, ż)
    pub fn chart(&self) -> &Chart<'p> {
        &self.chart
    }

    /// ż
    pub fn fibre(&self) -> &[Expr<'p>] {
        &self.chart.coordinates()[self.base.dimension()..]
    }

    /// ∂_Vf = żᵏ∂ₖf of a function of (t, z). (T-99)
    pub fn derivative(&self, f: Expr<'p>) -> Expr<'p> {
        let z = &self.base.coordinates()[1..];
        let rates: Vec<(Expr<'p>, Expr<'p>)> = z
            .iter()
            .copied()
            .zip(self.fibre().iter().copied())
            .collect();
        f.derivative_along(&rates)
    }

    /// ∂_Vω, the derivation that commutes with d: ∂_Vdt = 0, ∂_Vdzᵏ = dżᵏ. (T-99)
    ///
    /// # Panics
    /// If the form is not one on the base.
    pub fn derivative_of_form(&self, omega: &Form<'p>) -> Form<'p> {
        assert!(self.base == *omega.chart(), "a form on another chart");
        let m = self.base.dimension() - 1;
        let mut terms = Vec::new();
        for (indices, c) in omega.terms() {
            terms.push((indices.clone(), self.derivative(c)));
            for (slot, &k) in indices.iter().enumerate().filter(|(_, k)| **k > 0) {
                let mut varied = indices.clone();
                varied[slot] = k + m;
                terms.push((varied, c));
            }
        }
        Form::from_terms(&self.chart, omega.degree(), terms)
    }

    /// Vf: (t, z, ż) ↦ (t, f(t, z), ∂_Vf), the vertical tangent map of a map over time. (T-115)
    ///
    /// # Panics
    /// If the map is not one between the bases, or moves time.
    pub fn tangent(&self, map: &SmoothMap<'p>, target: &Self) -> SmoothMap<'p> {
        assert!(
            self.base == *map.source() && target.base == *map.target(),
            "a map of other charts"
        );
        let image = map.components();
        assert!(image[0] == self.base.coordinate(0), "a map over time");
        let varied = image[1..].iter().map(|&f| self.derivative(f));
        let all = image.iter().copied().chain(varied).collect();
        SmoothMap::new(&self.chart, &target.chart, all)
    }

    /// Vγ = γ + ∂_Vγᵏ∂/∂żᵏ, the complete extension of γ = ∂ₜ + γᵏ∂ₖ: along its integral curves ż
    /// solves the linearised equations, so that z + εż is a solution up to ε². (T-101)
    ///
    /// # Panics
    /// If the field is not one on the base.
    pub fn extension(&self, field: &VectorField<'p>) -> VectorField<'p> {
        assert!(self.base == *field.chart(), "a field on another chart");
        let varied = field.components()[1..].iter().map(|&c| self.derivative(c));
        let all = field.components().iter().copied().chain(varied).collect();
        VectorField::new(&self.chart, all)
    }
}
