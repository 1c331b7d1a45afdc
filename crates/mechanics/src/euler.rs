//! The Euler operator, whose zeros are the curves on which an integral is stationary.
//!
//! For A = ∫F(t, y, ẏ, …, y⁽ʳ⁾)dt and a family of curves y + εη + …, integration by parts gives
//! dF/dε = E_A ηᴬ + dB/dt with
//!
//!   E_A = Σₖ (−d/dt)ᵏ ∂F/∂yᴬ⁽ᵏ⁾,   B = Σⱼ πᴬ⁽ʲ⁾ ηᴬ⁽ʲ⁾,   π_A⁽ʲ⁾ = Σ_{k>j} (−d/dt)ᵏ⁻ʲ⁻¹ ∂F/∂yᴬ⁽ᵏ⁾.
//!
//! This module does not depend on mechanics.

use galilei_expr::Expr;

use crate::jets::CurveJets;

impl<'p> CurveJets<'p> {
    /// E_A = Σₖ (−d/dt)ᵏ ∂F/∂yᴬ⁽ᵏ⁾, one for each component. (T-63 … T-65)
    ///
    /// ```
    /// use galilei_expr::Pool;
    /// use galilei_mechanics::CurveJets;
    /// let pool = Pool::new();
    /// let [t, x, m, k] = pool.symbols(["t", "x", "m", "k"]);
    /// let curve = CurveJets::new(t, &[x], 1);
    /// let v = curve.derivatives(1)[0];
    /// // An oscillator: kx + mx'' = 0.
    /// let e = curve.euler(m * v.pow(2) / 2 - k * x.pow(2) / 2);
    /// assert_eq!(e[0], -k * x - m * curve.derivatives(2)[0]);
    /// ```
    pub fn euler(&self, integrand: Expr<'p>) -> Vec<Expr<'p>> {
        let slopes = self.slopes(integrand);
        let count = self.components().len();
        (0..count)
            .map(|a| self.by_parts(slopes.iter().map(|s| s[a])))
            .collect()
    }

    /// B = Σⱼ π_A⁽ʲ⁾ ηᴬ⁽ʲ⁾, the boundary terms of integration by parts. (T-62)
    ///
    /// # Panics
    /// If η has not as many components as the curve.
    pub fn boundary(&self, integrand: Expr<'p>, variations: &Self) -> Expr<'p> {
        let slopes = self.slopes(integrand);
        let count = self.components().len();
        assert_eq!(variations.components().len(), count, "variations");
        let terms = (0..self.order()).flat_map(|j| {
            let slopes = &slopes;
            (0..count).map(move |a| {
                let above = slopes[j + 1..].iter().map(|s| s[a]);
                self.by_parts(above) * variations.derivatives(j)[a]
            })
        });
        self.pool().sum(terms)
    }

    /// dF/dε = Σₖ (∂F/∂yᴬ⁽ᵏ⁾) ηᴬ⁽ᵏ⁾, before any integration by parts.
    ///
    /// # Panics
    /// If η has not as many components as the curve.
    pub fn variation(&self, integrand: Expr<'p>, variations: &Self) -> Expr<'p> {
        let slopes = self.slopes(integrand);
        let count = self.components().len();
        assert_eq!(variations.components().len(), count, "variations");
        let pairs = slopes.iter().enumerate();
        let terms = pairs.flat_map(|(k, s)| s.iter().zip(variations.derivatives(k)));
        self.pool().sum(terms.map(|(&f, &eta)| f * eta))
    }

    /// ∂F/∂yᴬ⁽ᵏ⁾ for k = 0 … r.
    fn slopes(&self, integrand: Expr<'p>) -> Vec<Vec<Expr<'p>>> {
        let orders = 0..=self.order();
        orders
            .map(|k| integrand.gradient(self.derivatives(k)))
            .collect()
    }

    /// f₀ − df₁/dt + d²f₂/dt² − …
    fn by_parts(&self, terms: impl DoubleEndedIterator<Item = Expr<'p>>) -> Expr<'p> {
        let zero = self.pool().zero();
        terms.rfold(zero, |inner, f| f - self.total_derivative(inner))
    }
}
