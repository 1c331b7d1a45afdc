//! The homotopy operator and its integrals.

mod common;

use common::*;
use galilei_expr::{Expr, Pool};
use galilei_geometry::{Chart, Form, Homotopy};

/// d(Kα) = α for a closed one-form, with K in closed form.
#[track_caller]
fn potential<'p>(chart: &Chart<'p>, centre: Vec<Expr<'p>>, force: &[Expr<'p>]) -> Expr<'p> {
    let alpha = Form::one_form(chart, force);
    let found = Homotopy::radial(chart, centre).contract(&alpha);
    assert!(found.closed_form, "{}", found.form);
    proved(found.form.d().decide_equal(&alpha));
    found.form.component(&[])
}

fn origin<'p>(chart: &Chart<'p>) -> Vec<Expr<'p>> {
    vec![chart.pool().zero(); chart.dimension()]
}

#[test]
fn potentials_in_closed_form() {
    let pool = Pool::new();
    let chart = Chart::new(&pool, ["x", "y"]);
    let [x, y] = [chart.coordinate(0), chart.coordinate(1)];
    let [k, l, g, m, w] = pool.symbols(["k", "l", "g", "m", "w"]);
    let r = (x.pow(2) + y.pow(2)).sqrt();

    // uniform field
    let v = potential(&chart, origin(&chart), &[pool.zero(), -m * g]);
    proved(v.decide_equal(-m * g * y));
    // linear field
    let v = potential(&chart, origin(&chart), &[-k * x, -2 * k * y]);
    proved(v.decide_equal(-k * (x.pow(2) + 2 * y.pow(2)) / 2));
    // Kepler's force: homogeneous of degree −2 (T-107)
    let v = potential(
        &chart,
        origin(&chart),
        &[-k * x / r.pow(3), -k * y / r.pow(3)],
    );
    proved(v.decide_equal(k / r));
    // a spring with a length of its own, about its anchor: degrees 1 and 0
    let tension = -k * (r - l) / r;
    let v = potential(&chart, origin(&chart), &[tension * x, tension * y]);
    proved(v.decide_equal(-k * (r - l).pow(2) / 2 + k * l.pow(2) / 2));
    // waves and growth, with products
    let f = (w * x).sin() * y.exp() + x * (w * y).cos();
    potential(&chart, origin(&chart), &[f.diff(x), f.diff(y)]);
    let f = x.pow(2) * (x + 2 * y).cos() * (x - y).sin() + (x * w).cosh();
    potential(&chart, origin(&chart), &[f.diff(x), f.diff(y)]);
    // about another point
    let f = (1 + x).pow((3, 2)) + (x * y).pow(3);
    potential(
        &chart,
        vec![pool.one(), pool.number(2)],
        &[f.diff(x), f.diff(y)],
    );
}

#[test]
fn homotopy_formula_on_forms_of_all_degrees() {
    // dK + Kd = id, for polynomial coefficients with undetermined constants.
    let pool = Pool::new();
    let chart = Chart::new(&pool, ["x", "y", "z"]);
    let [x, y, z] = [0, 1, 2].map(|k| chart.coordinate(k));
    let [a, b, c] = pool.symbols(["a", "b", "c"]);
    let centre = vec![a, pool.zero(), b];
    let k = Homotopy::radial(&chart, centre);
    let one = Form::one_form(&chart, &[x * y + c, a * z.pow(2), x * y * z]);
    let two = Form::from_terms(
        &chart,
        2,
        [
            (vec![0, 1], c * z * x),
            (vec![2, 0], y.pow(3)),
            (vec![1, 2], b * x),
        ],
    );
    let three = Form::from_terms(&chart, 3, [(vec![0, 1, 2], x * y.pow(2) + a)]);
    for omega in [&one, &two] {
        let sum = k
            .contract(omega)
            .form
            .d()
            .plus(&k.contract(&omega.d()).form);
        proved(sum.decide_equal(omega));
        refuted(k.contract(omega).form.d().decide_equal(omega));
    }
    proved(k.contract(&three).form.d().decide_equal(&three));
}

#[test]
fn homotopy_formula_for_undetermined_forms() {
    // d/ds γ*ω = d(integrand of ω) + integrand of dω, whatever moves; over 0 ≤ s ≤ 1 that is
    // ω − γ₀*ω = dKω + Kdω.
    for n in 1..=4 {
        let pool = Pool::new();
        let chart = chart(&pool, "x", n);
        let s = pool.symbol("s");
        let centre: Vec<Expr<'_>> = (0..n).map(|k| pool.symbol(&format!("c{k}"))).collect();
        let all = Homotopy::radial(&chart, centre.clone());
        let moving = (0..n).map(|k| k > 0).collect();
        let slice = Homotopy::partial(&chart, centre, moving);
        for (k, degree) in [&all, &slice]
            .into_iter()
            .flat_map(|k| (1..=n).map(move |d| (k, d)))
        {
            let omega = form(&chart, degree, "w");
            let pulled = k.stage(s).pullback(&omega);
            let rates = pulled.terms().map(|(i, c)| (i, c.diff(s)));
            let rate = Form::from_terms(&chart, degree, rates);
            let first = k.integrand(&omega, s).d();
            let second = k.integrand(&omega.d(), s);
            proved(rate.decide_equal(&first.plus(&second)));
            if degree < n {
                refuted(rate.decide_equal(&first.minus(&second)));
            }
            proved(k.stage(pool.one()).pullback(&omega).decide_equal(&omega));
        }
        // γ₀ maps to a point: forms of positive degree pull back to zero.
        let top = form(&chart, n, "w");
        proved(all.stage(pool.zero()).pullback(&top).decide_zero());
    }
}

#[test]
fn only_some_coordinates_move() {
    // In space only: φ = −V dt + A with Φ = dφ closed; the result has no time integral (T-35).
    let pool = Pool::new();
    let chart = Chart::new(&pool, ["t", "x", "y"]);
    let [t, x, y] = [0, 1, 2].map(|k| chart.coordinate(k));
    let w = pool.symbol("w");
    let phi = Form::one_form(&chart, &[-(w * t).cos() * x * y, y * t, x.pow(2)]);
    let closed = phi.d();
    let k = Homotopy::partial(&chart, origin(&chart), vec![false, true, true]);
    let found = k.contract(&closed);
    assert!(found.closed_form);
    proved(found.form.d().decide_equal(&closed));
}

#[test]
fn what_cannot_be_integrated_is_left_as_an_integral() {
    let pool = Pool::new();
    let chart = Chart::new(&pool, ["x", "y"]);
    let [x, y] = [chart.coordinate(0), chart.coordinate(1)];
    let f = (x.pow(2) + y).exp();
    let force = [f, pool.zero()];
    let found = Homotopy::radial(&chart, origin(&chart)).contract(&Form::one_form(&chart, &force));
    assert!(!found.closed_form);
    // ∫₀¹ x·exp(s²x² + s·y) ds at x = 1, y = 0: ∫₀¹ e^{s²} ds = 1.4626517459071817…
    let value = found
        .form
        .component(&[])
        .evaluate_f64(&[(x, 1.0), (y, 0.0)]);
    assert!((value - 1.462_651_745_907_181_7).abs() < 1e-14, "{value}");
    // undetermined functions too
    let v = pool.function("V");
    let force = [v.at([x]), pool.zero()];
    let found = Homotopy::radial(&chart, origin(&chart)).contract(&Form::one_form(&chart, &force));
    assert!(!found.closed_form);
}
