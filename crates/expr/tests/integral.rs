//! The ∫ node: bound, differentiated under the sign, evaluated by quadrature.

use galilei_expr::Pool;

#[test]
fn quadrature_reaches_rounding() {
    let pool = Pool::new();
    let (s, x) = (pool.bound_variable(), pool.symbol("x"));
    // ∫₀¹ x·exp(s²x²) ds has no elementary form; ∫₀¹ x·cos(sx) ds = sin x has.
    let cosine = pool.integral(s, x * (s * x).cos());
    for value in [0.1, 1.0, 7.5, 40.0] {
        let got = cosine.evaluate_f64(&[(x, value)]);
        assert!(
            (got - value.sin()).abs() <= 64.0 * f64::EPSILON * value,
            "{got} {}",
            value.sin()
        );
    }
    let gauss = pool.integral(s, (-(s * x).pow(2)).exp());
    // √π/2·erf(1)
    let expected = 0.746_824_132_812_427;
    assert!((gauss.evaluate_f64(&[(x, 1.0)]) - expected).abs() <= 4.0 * f64::EPSILON);
}

#[test]
fn derivatives_go_under_the_sign() {
    let pool = Pool::new();
    let s = pool.bound_variable();
    let [x, y] = pool.symbols(["x", "y"]);
    let e = pool.integral(s, (s * x).sin() * y);
    assert_eq!(e.diff(x), pool.integral(s, y * s * (s * x).cos()));
    assert_eq!(e.gradient(&[x, y]), [e.diff(x), e.diff(y)]);
    // The variable is bound: substitution and evaluation do not see it from outside.
    let shifted = e.substitute(&[(x, x + 1)]);
    assert_eq!(shifted, pool.integral(s, (s * (x + 1)).sin() * y));
    // Nested: ∫∫ s·(∫ s·x) = ¼x
    let nested = pool.integral(s, s * pool.integral(s, s * x * (s * y).cos()));
    let got = nested.evaluate_f64(&[(x, 2.0), (y, 0.0)]);
    assert!((got - 0.5).abs() < 1e-15);
}

#[test]
fn integrals_are_opaque_to_the_decision() {
    let pool = Pool::new();
    let (s, x) = (pool.bound_variable(), pool.symbol("x"));
    let e = pool.integral(s, x * (s * x).cos());
    let verdict = e.decide_equal(x.sin());
    assert!(!verdict.is_proved() && !verdict.is_refuted(), "{verdict}");
    assert!((e - e).decide_zero().is_proved());
    assert_eq!(pool.integral(s, x), x);
}
