//! H(t, x, p) of a quadratic Lagrangian without an inverse of its mass matrix.

use galilei_expr::{Expr, Rational};
use galilei_geometry::Matrix;

use crate::lagrangian::Lagrangian;

/// H(t, x, p) = ½wⁱ(pᵢ − aᵢ) − a₀ with the velocities w(t, x, p) defined by gᵢⱼwʲ + aᵢ − pᵢ = 0. (T-51)
///
/// Neither L nor its derivatives by x occur: g, a and a₀ are differentiated, entry by entry.
#[derive(Clone, Debug, PartialEq)]
pub struct ImplicitHamiltonian<'p> {
    /// Symbols for wⁱ.
    pub velocities: Vec<Expr<'p>>,
    /// Symbols for pᵢ.
    pub momenta: Vec<Expr<'p>>,
    /// H as a function of (t, x, w, p).
    pub function: Expr<'p>,
    /// gᵢⱼwʲ + aᵢ − pᵢ, which vanishes for w(t, x, p).
    pub defining: Vec<Expr<'p>>,
}

impl<'p> ImplicitHamiltonian<'p> {
    /// H of L = ½g(u, u) + a·u + a₀. L must be quadratic in the velocities.
    pub fn new(l: &Lagrangian<'p>) -> Self {
        let state = l.state();
        let (pool, n) = (state.pool(), state.degrees_of_freedom());
        let symbols = |name: &str| -> Vec<Expr<'p>> {
            let one = |i: usize| pool.symbol(&format!("{name}#{i}"));
            (0..n).map(one).collect()
        };
        let (w, p) = (symbols("w"), symbols("p"));
        let zero = pool.zero();
        let rest: Vec<_> = state.velocities().iter().map(|&u| (u, zero)).collect();
        let (a, a0) = (l.linear_part(), l.function().substitute(&rest));
        let gw = Matrix::new(pool, l.at_rest_matrix()).times_vector(&w);
        let paired = pool.sum((0..n).map(|i| w[i] * (p[i] - a[i])));
        Self {
            defining: (0..n).map(|i| gw[i] + a[i] - p[i]).collect(),
            function: Rational::new(1, 2) * paired - a0,
            velocities: w,
            momenta: p,
        }
    }

    /// The partial derivatives of H(t, x, p) by some of the coordinates t, x, p.
    ///
    /// The derivatives of w are symbols s; those of the defining equation, g·s + … = 0, are linear equations
    /// for them. ½wⁱ times these equations is subtracted from the derivative of H. That changes nothing, since
    /// they vanish, and the symbols cancel in the result wherever gw = p − a and g is symmetric. If an equation is
    /// wrong the symbols remain, and no comparison with the result is proved.
    ///
    /// The factors wⁱ are held fixed: H − ½Wⁱ(gᵢⱼwʲ + aᵢ − pᵢ) is one function, of which one gradient at W = w gives the
    /// coefficients of all symbols s. Its length is that of H, however many coordinates there are.
    pub fn by(&self, coordinates: &[Expr<'p>]) -> Vec<Expr<'p>> {
        let w = &self.velocities;
        let pool = self.function.pool();
        let held: Vec<Expr<'p>> = w
            .iter()
            .map(|w| pool.symbol(&format!("held({w})")))
            .collect();
        let pairs = held.iter().zip(&self.defining);
        let vanishing = pool.sum(pairs.map(|(&w, &c)| w * c));
        let whole = self.function - Rational::new(1, 2) * vanishing;
        let symbols: Vec<Expr<'p>> = coordinates.iter().chain(w).copied().collect();
        let released: Vec<(Expr<'p>, Expr<'p>)> = held.into_iter().zip(w.iter().copied()).collect();
        let slopes = pool.substitute_all(&whole.gradient(&symbols), &released);
        let (own, through) = slopes.split_at(coordinates.len());
        let one = |(along, &slope): (&Expr<'p>, &Expr<'p>)| {
            let rates = through.iter().enumerate().map(|(i, &c)| {
                let symbol = pool.symbol(&format!("dw#{i}#{along}"));
                c * symbol
            });
            slope + pool.sum(rates)
        };
        coordinates.iter().zip(own).map(one).collect()
    }
}
