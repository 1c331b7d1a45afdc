//! Work `forms`: d of the Cartan one-form of the chain, all components.
//!
//! n counts degrees of freedom: the cart and n − 1 links, on a chart of dimension 2n + 1.

use std::time::Instant;

use galilei_expr::{Expr, Pool};
use galilei_geometry::Form;
use galilei_mechanics::{AdaptedChart, StateSpace};

use crate::chain::{Angles, Chain};

struct Measured {
    form_s: f64,
    d_s: f64,
    nonzero: usize,
    check: f64,
}

fn once(n: usize, check: bool) -> Measured {
    let pool = Pool::new();
    let state = StateSpace::new(AdaptedChart::new(
        &pool,
        "t",
        (0..n).map(|i| format!("x{i}")),
    ));
    let chain = Chain {
        q: state.base().positions().to_vec(),
        u: state.velocities().to_vec(),
    };
    let clock = Instant::now();
    let lagrangian = chain.lagrangian(&pool, Angles::Absolute);
    let momenta = lagrangian.gradient(&chain.u);
    let energy = pool.sum(momenta.iter().zip(&chain.u).map(|(&p, &u)| p * u)) - lagrangian;
    let mut components = vec![-energy];
    components.extend(&momenta);
    components.extend((0..n).map(|_| pool.zero()));
    let cartan = Form::one_form(state.chart(), &components);
    let form_s = clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let omega = cartan.d();
    let d_s = clock.elapsed().as_secs_f64();
    let terms: Vec<(Vec<usize>, Expr<'_>)> = omega.terms().collect();
    let mut sum = 0.0;
    if check {
        let values: Vec<(Expr<'_>, f64)> = (0..n)
            .flat_map(|i| {
                let i_f = i as f64;
                [
                    (chain.q[i], 0.1 + 0.01 * i_f),
                    (chain.u[i], 0.2 - 0.01 * i_f),
                ]
            })
            .collect();
        let outputs: Vec<Expr<'_>> = terms.iter().map(|t| t.1).collect();
        // Weighted with the indices, so that a permuted component shows.
        let weights = terms
            .iter()
            .map(|(i, _)| 1.0 + i[0] as f64 + 0.37 * i[1] as f64);
        sum = pool
            .evaluate_f64(&outputs, &values)
            .iter()
            .zip(weights)
            .map(|(v, w)| v * w)
            .sum();
    }
    Measured {
        form_s,
        d_s,
        nonzero: terms.len(),
        check: sum,
    }
}

pub(crate) fn run(sizes: &[usize]) {
    for &n in sizes {
        let checked = once(n, true);
        let runs: Vec<Measured> = (0..15).map(|_| once(n, false)).collect();
        let best = runs
            .iter()
            .min_by(|a, b| a.d_s.total_cmp(&b.d_s))
            .expect("there are runs");
        println!(
            r#"{{"work":"forms","peer":"galilei","n":{n},"variant":"cartan","form_s":{:e},"d_s":{:e},"total_s":{:e},"nonzero":{},"check":{:?}}}"#,
            best.form_s, best.d_s, best.d_s, best.nonzero, checked.check
        );
    }
}
