//! Kinetic energies as sums of squares.

use galilei_expr::{Expr, Rational, View};

use crate::lagrangian::Lagrangian;

/// L = Σ ½m·v² + rest, each v affine in the velocities and each m a constant.
#[derive(Clone, Debug)]
pub struct SumOfSquares<'p> {
    /// The squares.
    pub squares: Vec<SquaredVelocity<'p>>,
    /// L without the squares.
    pub rest: Lagrangian<'p>,
}

/// ½m·v² with v = bᵢuⁱ + b₀.
#[derive(Clone, Debug)]
pub struct SquaredVelocity<'p> {
    /// m
    pub mass: Expr<'p>,
    /// v
    pub velocity: Expr<'p>,
    /// bᵢ = ∂v/∂uⁱ
    pub row: Vec<Expr<'p>>,
    /// b₀
    pub drift: Expr<'p>,
    /// ḃᵢ − ∂v/∂xⁱ, which is zero if v is the rate of a position.
    pub twist: Vec<Expr<'p>>,
}

impl<'p> Lagrangian<'p> {
    /// Finds the squares in L as it is written: nothing is expanded or completed.
    pub fn sum_of_squares(&self) -> SumOfSquares<'p> {
        let state = self.state();
        let pool = state.pool();
        let (x, u) = (state.base().positions(), state.velocities());
        let variables: Vec<Expr<'p>> = std::iter::once(state.time())
            .chain(x.iter().copied())
            .chain(u.iter().copied())
            .collect();
        let constant = |e: Expr<'p>| !e.contains_any(&variables);
        let mut rest = Vec::new();
        let mut found: Vec<(Expr<'p>, Expr<'p>)> = Vec::new();
        let mut work = vec![(pool.one(), self.function())];
        while let Some((factor, e)) = work.pop() {
            match e.view() {
                View::Sum(terms) => {
                    work.extend(terms.into_iter().rev().map(|(q, t)| (factor * q, t)));
                }
                View::Product(factors) => {
                    let (scalars, others): (Vec<_>, Vec<_>) =
                        factors.into_iter().partition(|f| constant(f.0));
                    let scalar = scalars
                        .iter()
                        .fold(factor, |a, (b, q)| a * b.pow(q.clone()));
                    match &others[..] {
                        [(base, q)] if q.is_one() => work.push((scalar, *base)),
                        _ => {
                            let root = others
                                .iter()
                                .map(|(b, q)| {
                                    let half = q.to_i64().filter(|q| q % 2 == 0)?;
                                    Some(b.pow(half / 2))
                                })
                                .collect::<Option<Vec<_>>>()
                                .map(|f| pool.product(f));
                            match root {
                                Some(v) => found.push((scalar * Rational::from(2), v)),
                                None => rest.push(factor * e),
                            }
                        }
                    }
                }
                _ => rest.push(factor * e),
            }
        }
        let mut squares: Vec<SquaredVelocity<'p>> = Vec::new();
        for (mass, velocity) in found {
            if let Some(same) = squares.iter_mut().find(|s| s.velocity == velocity) {
                same.mass += mass;
                continue;
            }
            let row = velocity.gradient(u);
            let affine = row.iter().all(|b| !b.contains_any(u));
            if !affine || row.iter().all(|b| b.is_zero()) {
                rest.push(mass * velocity * velocity * Rational::new(1, 2));
                continue;
            }
            let nothing: Vec<(Expr<'p>, Expr<'p>)> = u.iter().map(|&u| (u, pool.zero())).collect();
            let drift = velocity.substitute(&nothing);
            // ∂bᵢ/∂t − ∂b₀/∂xⁱ + (∂bᵢ/∂xʲ − ∂bⱼ/∂xⁱ)uʲ; where the slopes are symmetric, equal
            // products cancel.
            let drift_slopes = drift.gradient(x);
            let mut terms: Vec<Vec<Expr<'p>>> =
                drift_slopes.into_iter().map(|s| vec![-s]).collect();
            for (i, b) in row.iter().enumerate().filter(|(_, b)| !b.is_zero()) {
                terms[i].push(b.diff(state.time()));
                for (j, slope) in b.gradient(x).into_iter().enumerate() {
                    if !slope.is_zero() && i != j {
                        terms[i].push(slope * u[j]);
                        terms[j].push(-(slope * u[i]));
                    }
                }
            }
            let twist = terms.into_iter().map(|t| pool.sum(t)).collect();
            squares.push(SquaredVelocity {
                mass,
                velocity,
                row,
                drift,
                twist,
            });
        }
        SumOfSquares {
            squares,
            rest: Lagrangian::new(state, pool.sum(rest)),
        }
    }
}
