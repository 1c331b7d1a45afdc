//! The Euler operator on curves: integration by parts, null Lagrangians, classical problems.

mod common;

use common::*;
use galilei_expr::{Expr, Pool};
use galilei_mechanics::CurveJets;

fn curve(pool: &Pool, count: usize, order: usize) -> CurveJets<'_> {
    let y: Vec<Expr<'_>> = (1..=count).map(|k| pool.symbol(&format!("y{k}"))).collect();
    CurveJets::new(pool.symbol("t"), &y, order)
}

/// An undetermined function of t and the derivatives up to an order.
fn integrand<'p>(curve: &CurveJets<'p>, order: usize, name: &str) -> Expr<'p> {
    let jets = (0..=order).flat_map(|k| curve.derivatives(k).iter().copied());
    curve
        .pool()
        .function(name)
        .at(std::iter::once(curve.time()).chain(jets))
}

#[test]
fn t_62_integration_by_parts() {
    // dF/dε = E_A ηᴬ + dB/dt for undetermined F of the first, second and third order.
    for (count, order) in [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (1, 3)] {
        let pool = Pool::new();
        let y = curve(&pool, count, order);
        let eta = y.variations();
        let both = y.joined(&eta);
        let f = integrand(&y, order, "F");
        let e = y.euler(f);
        let pairs = e.iter().zip(eta.components());
        let inner = pool.sum(pairs.map(|(&e, &d)| e * d));
        let boundary = y.boundary(f, &eta);
        let whole = inner + both.total_derivative(boundary);
        proved(y.variation(f, &eta).decide_equal(whole));
        // Neither part can be missed.
        refuted(y.variation(f, &eta).decide_equal(inner));
        let other = inner - both.total_derivative(boundary);
        refuted(y.variation(f, &eta).decide_equal(other));
    }
}

#[test]
fn total_derivatives_are_stationary_on_every_curve() {
    for (count, order) in [(1, 1), (3, 1), (2, 2), (1, 3)] {
        let pool = Pool::new();
        let y = curve(&pool, count, order);
        let h = integrand(&y, order - 1, "h");
        for e in y.euler(y.total_derivative(h)) {
            proved(e.decide_zero());
        }
        // And a product of one with anything else is not.
        let other = y.total_derivative(h) * y.components()[0];
        refuted(y.euler(other)[0].decide_zero());
    }
}

/// A second-order expression along the curve y = f(t).
fn on_graph<'p>(curve: &CurveJets<'p>, e: Expr<'p>, f: Expr<'p>) -> Expr<'p> {
    let t = curve.time();
    let values = [f, f.diff(t), f.diff(t).diff(t)];
    let symbols = [0, 1, 2].map(|k| curve.derivatives(k)[0]);
    e.substitute(&symbols.into_iter().zip(values).collect::<Vec<_>>())
}

#[test]
fn classical_problems() {
    let pool = Pool::new();
    let y = curve(&pool, 1, 2);
    let [u, v, w] = [1, 2, 4].map(|k| y.derivatives(k)[0]);
    let x = y.components()[0];
    // Shortest lines in the plane are straight: −ÿ/(1 + ẏ²)^(3/2) = 0.
    let length = (1 + u.pow(2)).sqrt();
    let expected = -v / length.pow(3);
    proved(y.euler(length)[0].decide_equal(expected));
    // The catenary y = cosh t is stationary for ∫y√(1 + ẏ²)dt, the parabola is not.
    let surface = y.euler(x * length)[0];
    let t = y.time();
    proved(on_graph(&y, surface, t.cosh()).decide_zero());
    refuted(on_graph(&y, surface, 1 + t.pow(2) / 2).decide_zero());
    // A beam ∫(½EI ÿ² − q(t)y)dt bends by EI y⁗ = q.
    let stiffness = pool.symbol("EI");
    let load = pool.function("q").at([y.time()]);
    let beam = y.euler(stiffness * v.pow(2) / 2 - load * x)[0];
    proved(beam.decide_equal(stiffness * w - load));
    // Its ends carry the moment EI ÿ and the shear force −EI y‴.
    let eta = y.variations();
    let third = y.derivatives(3)[0];
    let ends = stiffness * (v * eta.derivatives(1)[0] - third * eta.components()[0]);
    let boundary = y.boundary(stiffness * v.pow(2) / 2 - load * x, &eta);
    proved(boundary.decide_equal(ends));
}
