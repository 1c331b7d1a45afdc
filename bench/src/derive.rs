//! Work `derive`: the Lagrangian, its gradient, its Hessian in the velocities and the mixed
//! second derivatives.

use std::time::Instant;

use galilei_expr::{Expr, Pool};

use crate::chain::{Angles, Chain};

/// Seconds of the four stages, the number of nodes made, and the sum of all results at the
/// state q_i = 0.1 + 0.01·i, u_i = 0.2 − 0.01·i.
struct Measured {
    seconds: [f64; 4],
    nodes: usize,
    bytes: usize,
    check: f64,
}

fn once(n: usize, angles: Angles, check: bool) -> Measured {
    let pool = Pool::new();
    let chain = Chain::new(&pool, n);
    let mut seconds = [0.0; 4];
    let mut clock = Instant::now();
    let mut lap = |k: usize| {
        seconds[k] = clock.elapsed().as_secs_f64();
        clock = Instant::now();
    };
    let lagrangian = chain.lagrangian(&pool, angles);
    lap(0);
    let all: Vec<Expr<'_>> = chain.q.iter().chain(&chain.u).copied().collect();
    let gradient = lagrangian.gradient(&all);
    lap(1);
    let momenta = &gradient[n + 1..];
    let hessian = lagrangian.hessian(&chain.u);
    lap(2);
    let mixed = pool.jacobian(momenta, &chain.q);
    lap(3);
    let mut sum = 0.0;
    if check {
        let mut values = Vec::new();
        for i in 0..=n {
            values.push((chain.q[i], 0.1 + 0.01 * i as f64));
            values.push((chain.u[i], 0.2 - 0.01 * i as f64));
        }
        let outputs: Vec<Expr<'_>> = gradient
            .iter()
            .chain(hessian.iter().flatten())
            .chain(mixed.iter().flatten())
            .copied()
            .collect();
        sum = pool.evaluate_f64(&outputs, &values).iter().sum();
    }
    Measured {
        seconds,
        nodes: pool.len(),
        bytes: pool.bytes(),
        check: sum,
    }
}

pub(crate) fn run(sizes: &[usize], angles: Angles) {
    for &n in sizes {
        let check = once(n, angles, true).check;
        let runs: Vec<Measured> = (0..15).map(|_| once(n, angles, false)).collect();
        let best = runs
            .iter()
            .min_by(|a, b| total(a).total_cmp(&total(b)))
            .expect("there are runs");
        let name = if angles == Angles::Relative {
            "rel"
        } else {
            "abs"
        };
        println!(
            r#"{{"work":"derive","peer":"galilei","n":{n},"angles":"{name}","build_s":{:e},"gradient_s":{:e},"hessian_s":{:e},"mixed_s":{:e},"total_s":{:e},"nodes":{},"bytes_per_node":{:.1},"check":{check:?}}}"#,
            best.seconds[0],
            best.seconds[1],
            best.seconds[2],
            best.seconds[3],
            total(best),
            best.nodes,
            best.bytes as f64 / best.nodes as f64,
        );
    }
}

fn total(m: &Measured) -> f64 {
    m.seconds.iter().sum()
}
