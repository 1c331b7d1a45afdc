//! The n-link pendulum on a cart, the common subject of the benchmarks.

use galilei_expr::{Expr, Pool, Rational};

/// Coordinates, velocities and Lagrangian of n point masses on massless rods under a cart.
pub(crate) struct Chain<'p> {
    pub(crate) q: Vec<Expr<'p>>,
    pub(crate) u: Vec<Expr<'p>>,
}

/// Which angles describe the links.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Angles {
    Absolute,
    Relative,
}

/// The mass of the cart.
pub(crate) const CART: f64 = 1.5;
/// The acceleration of free fall.
pub(crate) const GRAVITY: f64 = 9.81;

/// The mass of the k-th link, from 1.
pub(crate) fn mass(k: usize) -> f64 {
    (1000.0 * (1.0 + 0.1 * (k as f64).cos())).round() / 1000.0
}

/// The length of the k-th rod, from 1.
pub(crate) fn length(k: usize) -> f64 {
    (1000.0 * (0.5 + 0.05 * (2.0 * k as f64).sin())).round() / 1000.0
}

fn thousandths(x: f64) -> Rational {
    Rational::new((x * 1000.0).round() as i64, 1000)
}

impl<'p> Chain<'p> {
    pub(crate) fn new(pool: &'p Pool, n: usize) -> Self {
        Self {
            q: (0..=n).map(|i| pool.symbol(&format!("q{i}"))).collect(),
            u: (0..=n).map(|i| pool.symbol(&format!("u{i}"))).collect(),
        }
    }

    /// L(q, u): q₀ the cart, the other coordinates angles from the downward vertical. Masses
    /// 1 + cos(k)/10 and lengths ½ + sin(2k)/20, rounded to thousandths.
    pub(crate) fn lagrangian(&self, pool: &'p Pool, angles: Angles) -> Expr<'p> {
        let half = Rational::new(1, 2);
        let gravity = thousandths(GRAVITY);
        let (mut vx, mut vy, mut y) = (self.u[0], pool.zero(), pool.zero());
        let (mut theta, mut omega) = (pool.zero(), pool.zero());
        let mut terms = vec![thousandths(CART / 2.0) * vx * vx];
        for (k, (&q, &u)) in (1..).zip(self.q[1..].iter().zip(&self.u[1..])) {
            let m = thousandths(mass(k));
            let l = thousandths(length(k));
            (theta, omega) = match angles {
                Angles::Absolute => (q, u),
                Angles::Relative => (theta + q, omega + u),
            };
            vx += l.clone() * theta.cos() * omega;
            vy += l.clone() * theta.sin() * omega;
            y -= l * theta.cos();
            terms.push((&half * &m) * (vx * vx + vy * vy) - (&m * &gravity) * y);
        }
        pool.sum(terms)
    }
}
