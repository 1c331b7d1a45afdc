//! Symbols for a curve and its derivatives, in which functionals are written.

use galilei_expr::{Expr, Pool};

/// A curve t ↦ (y¹, …, yᴺ) with a symbol for every derivative: y, `y'`, `y''`, ….
///
/// Integrands are functions F(t, y, ẏ, …) of these symbols up to an order r; their Euler operators
/// contain derivatives up to the order 2r. The symbols are independent: an identity that is
/// proved for them holds along every curve.
///
/// The derivative of a position x is named as the natural coordinate u is, `x'`. Where positions and
/// velocities vary independently, velocities need another name.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveJets<'p> {
    time: Expr<'p>,
    /// `derivatives[k]` are the k-th derivatives, for k = 0 … 2r.
    derivatives: Vec<Vec<Expr<'p>>>,
}

impl<'p> CurveJets<'p> {
    /// The jets of a curve with these components, for integrands of an order.
    ///
    /// # Panics
    /// If time or a component is not a symbol.
    pub fn new(time: Expr<'p>, components: &[Expr<'p>], order: usize) -> Self {
        let symbols = components.iter().chain([&time]);
        assert!(symbols.clone().all(|s| s.is_symbol()), "symbols");
        let pool = time.pool();
        let named = |y: &Expr<'p>, k: usize| pool.symbol(&format!("{y}{}", "'".repeat(k)));
        let derivatives = (0..=2 * order)
            .map(|k| components.iter().map(|y| named(y, k)).collect())
            .collect();
        Self { time, derivatives }
    }

    /// The pool.
    pub fn pool(&self) -> &'p Pool {
        self.time.pool()
    }

    /// t
    pub fn time(&self) -> Expr<'p> {
        self.time
    }

    /// y¹, …, yᴺ
    pub fn components(&self) -> &[Expr<'p>] {
        &self.derivatives[0]
    }

    /// The k-th derivatives of the components.
    ///
    /// # Panics
    /// If k is more than twice the order.
    pub fn derivatives(&self, k: usize) -> &[Expr<'p>] {
        &self.derivatives[k]
    }

    /// The order of integrands.
    pub fn order(&self) -> usize {
        self.derivatives.len() / 2
    }

    /// The jets of a first-order variation of the curve: a component δy, named `delta(y)`, for each.
    #[must_use]
    pub fn variations(&self) -> Self {
        let named = self.components().iter().map(|&y| variation_symbol(y));
        Self::new(self.time, &named.collect::<Vec<_>>(), self.order())
    }

    /// The curve with the components of both curves.
    #[must_use]
    pub fn joined(&self, other: &Self) -> Self {
        let both = [self.components(), other.components()].concat();
        Self::new(self.time, &both, self.order().max(other.order()))
    }

    /// De/dt = ∂e/∂t + Σ y⁽ᵏ⁺¹⁾ ∂e/∂y⁽ᵏ⁾ along the curve.
    pub fn total_derivative(&self, e: Expr<'p>) -> Expr<'p> {
        let mut rates = vec![(self.time, self.pool().one())];
        for pair in self.derivatives.windows(2) {
            rates.extend(pair[0].iter().copied().zip(pair[1].iter().copied()));
        }
        e.derivative_along(&rates)
    }
}

/// The symbol of the variation of a quantity: `delta(x)`.
pub(crate) fn variation_symbol(of: Expr<'_>) -> Expr<'_> {
    of.pool().symbol(&format!("delta({of})"))
}
