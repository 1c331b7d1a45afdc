//! Work `decide`: one identity about the chain, on a graph of some thousand nodes.

use std::time::Instant;

use galilei_expr::{Expr, Pool, Rational};

use crate::chain::{Angles, Chain};

/// Energy along a motion with arbitrary accelerations a: with p = ∂L/∂u,
/// d/dt(p·u − L) = Σ uᵢ(d/dt pᵢ − ∂L/∂qᵢ), for L without explicit time. The total derivatives on
/// the right are written out with the Hessian and the mixed derivatives, those on the left are
/// taken of the whole.
fn claim<'p>(pool: &'p Pool, n: usize, angles: Angles) -> (Expr<'p>, Expr<'p>) {
    let chain = Chain::new(pool, n);
    let a: Vec<Expr<'p>> = (0..=n).map(|i| pool.symbol(&format!("a{i}"))).collect();
    let lagrangian = chain.lagrangian(pool, angles);
    let all: Vec<Expr<'p>> = chain.q.iter().chain(&chain.u).copied().collect();
    let gradient = lagrangian.gradient(&all);
    let (force, momentum) = gradient.split_at(n + 1);
    let energy = pool.sum(momentum.iter().zip(&chain.u).map(|(&p, &u)| p * u)) - lagrangian;
    let mut rates = Vec::new();
    for ((&q, &u), &a) in chain.q.iter().zip(&chain.u).zip(&a) {
        rates.push((q, u));
        rates.push((u, a));
    }
    let left = energy.derivative_along(&rates);
    let hessian = pool.jacobian(momentum, &chain.u);
    let mixed = pool.jacobian(momentum, &chain.q);
    let mut terms = Vec::new();
    for i in 0..=n {
        let mut rate = vec![-force[i]];
        for j in 0..=n {
            rate.push(hessian[i][j] * a[j]);
            rate.push(mixed[i][j] * chain.u[j]);
        }
        terms.push(chain.u[i] * pool.sum(rate));
    }
    (left, pool.sum(terms))
}

pub(crate) fn run(sizes: &[usize], angles: Angles) {
    for &n in sizes {
        let pool = Pool::new();
        let (left, right) = claim(&pool, n, angles);
        let nodes = (left - right).node_count();
        let time = |wrong: &Rational| {
            let mut best = f64::INFINITY;
            let mut verdict = String::new();
            for _ in 0..5 {
                let clock = Instant::now();
                let answer = (left * wrong.clone()).decide_equal(right);
                best = best.min(clock.elapsed().as_secs_f64());
                verdict = answer.to_string();
            }
            (best, verdict)
        };
        let (proved_s, proved) = time(&Rational::ONE);
        let (refuted_s, refuted) = time(&Rational::new(1_000_001, 1_000_000));
        let refuted = refuted.split(" at ").next().unwrap_or("").to_owned();
        println!(
            r#"{{"work":"decide","peer":"galilei","n":{n},"nodes":{nodes},"true_s":{proved_s:e},"true":"{proved}","false_s":{refuted_s:e},"false":"{refuted}"}}"#
        );
    }
}
