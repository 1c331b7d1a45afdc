//! Legendre transforms without a closed form, against those that have one.

use galilei_expr::{Assumptions, Pool, generic_rank};

/// h = a·p²/2 + b·p·q + c·q² has the transform ½uᵀM⁻¹u, and each derivative is known.
#[test]
fn quadratic_functions_have_the_known_transform() {
    let pool = Pool::new();
    let [a, b, c, x, p, q, u, v] = pool.symbols(["a", "b", "c", "x", "p", "q", "u", "v"]);
    let h = a * p.pow(2) / 2 + b * p * q + c * q.pow(2) + x.sin() * p;
    let l = pool.legendre("L", h, &[p, q], &[u, v]).unwrap();
    let w = u - x.sin();
    let determinant = 2 * a * c - b.pow(2);
    let known = (2 * c * w.pow(2) - 2 * b * w * v + a * v.pow(2)) / (2 * determinant);
    // Claims with and without the transform are decided in (p, q).
    for (found, wanted) in [
        (l, known),
        (l.diff(u), known.diff(u)),
        (l.diff(x), known.diff(x)),
        (l.diff(u).diff(v), known.diff(u).diff(v)),
        (l.diff(x).diff(x), known.diff(x).diff(x)),
        (l.diff(a).diff(u).diff(x), known.diff(a).diff(u).diff(x)),
    ] {
        assert!(found.decide_equal(wanted).is_proved(), "{found} {wanted}");
        assert!(found.decide_equal(wanted + u).is_refuted());
    }
    let rows = vec![
        vec![l.diff(u).diff(u), l.diff(u).diff(v)],
        vec![l.diff(v).diff(u), l.diff(v).diff(v)],
    ];
    let rank = generic_rank(&rows, &Assumptions::new());
    assert!(rank.rank == 2 && rank.verdict.is_proved());
    // Numbers, by Newton's method.
    let at = [(a, 2.0), (b, 0.5), (c, 1.5), (x, 0.3), (u, 0.7), (v, -0.4)];
    for (found, wanted) in [
        (l, known),
        (l.diff(v), known.diff(v)),
        (l.diff(x).diff(u), known.diff(x).diff(u)),
    ] {
        let (found, wanted) = (found.evaluate_f64(&at), wanted.evaluate_f64(&at));
        assert!(
            (found - wanted).abs() < 1e-14 * (1.0 + wanted.abs()),
            "{found} {wanted}"
        );
    }
}

/// u = p + p³ is inverted by Cardano's formula, p = 2/√3·sinh(asinh(3√3/2·u)/3).
#[test]
fn newton_finds_cardanos_root() {
    let pool = Pool::new();
    let [p, u] = pool.symbols(["p", "u"]);
    let l = pool
        .legendre("L", p.pow(2) / 2 + p.pow(4) / 4, &[p], &[u])
        .unwrap();
    for value in [-1e6, -3.0, -1e-9, 0.0, 0.25, 2.0, 1e4] {
        let found = l.diff(u).evaluate_f64(&[(u, value)]);
        let root3 = 3f64.sqrt();
        let wanted = 2.0 / root3 * ((1.5 * root3 * value).asinh() / 3.0).sinh();
        assert!(
            (found - wanted).abs() <= 1e-14 * wanted.abs(),
            "{value}: {found} {wanted}"
        );
    }
}

/// Velocities that no momentum has get no number, and neither do those at different arguments a proof.
#[test]
fn nothing_is_claimed_where_nothing_is_known() {
    let pool = Pool::new();
    let [p, u, v] = pool.symbols(["p", "u", "v"]);
    // tanh-like: |u| < 1.
    let l = pool.legendre("L", p.cosh().log(), &[p], &[u]).unwrap();
    assert!(l.diff(u).evaluate_f64(&[(u, 0.5)]).is_finite());
    assert!(l.diff(u).evaluate_f64(&[(u, 1.5)]).is_nan());
    let moved = l.substitute(&[(u, 2 * v)]);
    assert!(!(l - moved).decide_zero().is_proved());
    assert!(!(l - moved).decide_zero().is_refuted());
    assert!(pool.legendre("M", p.pow(2), &[p], &[u]).is_none());
}
