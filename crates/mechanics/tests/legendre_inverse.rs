//! Hamiltonians given as data: their Legendre transform in closed form, and where there is none. (T-51, T-114)

use galilei_expr::{Assumptions, Expr, Pool, Query};
use galilei_mechanics::{AdaptedChart, ClosedLegendre, HamiltonianForm, StateSpace};

fn state<'p>(pool: &'p Pool, names: &[&str]) -> StateSpace<'p> {
    StateSpace::new(AdaptedChart::new(pool, "t", names.iter().copied()))
}

fn momenta<'p>(pool: &'p Pool, names: &[&str]) -> Vec<Expr<'p>> {
    (names.iter())
        .map(|x| pool.symbol(&format!("p({x})")))
        .collect()
}

fn legendre<'p>(state: &StateSpace<'p>, h: Expr<'p>) -> Option<ClosedLegendre<'p>> {
    HamiltonianForm::over(state, h).legendre(state, &Assumptions::new())
}

#[track_caller]
fn equal<'p>(a: Expr<'p>, b: Expr<'p>, domain: &Assumptions<'p>) {
    let verdict = Query::equal(a, b).assuming(domain).decide().verdict;
    assert!(verdict.is_proved(), "{a} and {b}: {verdict}");
}

#[test]
fn t_51_quadratic_hamiltonians_give_back_their_lagrangians() {
    let pool = Pool::new();
    let names = ["x", "y"];
    let (s, p) = (state(&pool, &names), momenta(&pool, &names));
    let [a, b, c, v] = pool.symbols(["a", "b", "c", "v"]);
    let field = pool.function("A").at([s.time(), s.base().position(0)]);
    // ½ Mⁱʲ(p − A)ᵢ(p − A)ⱼ + v p_x with a general M
    let q = [p[0] - field, p[1]];
    let h = (a * q[0].pow(2) + 2 * b * q[0] * q[1] + c * q[1].pow(2)) / 2 + v * p[0];
    let found = legendre(&s, h).expect("quadratic");
    let u = s.velocities();
    let det = a * c - b.pow(2);
    let w = [u[0] - v, u[1]];
    let none = Assumptions::new();
    let expected = [
        (c * w[0] - b * w[1]) / det + field,
        (a * w[1] - b * w[0]) / det,
    ];
    for (p, e) in found.momenta.iter().zip(expected) {
        equal(*p, e, &none);
    }
    let l = (c * w[0].pow(2) - 2 * b * w[0] * w[1] + a * w[1].pow(2)) / (2 * det) + field * w[0];
    equal(found.lagrangian.function(), l, &none);
}

#[test]
fn t_114_relativistic_particles_have_the_textbook_lagrangian() {
    let pool = Pool::new();
    let names = ["x", "y"];
    let (s, p) = (state(&pool, &names), momenta(&pool, &names));
    let [m, c, m1, m2] = pool.symbols(["m", "c", "n", "o"]);
    let h = (m.pow(2) * c.pow(4) + c.pow(2) * (p[0].pow(2) + p[1].pow(2))).sqrt();
    let found = legendre(&s, h).expect("a function of one quadratic form");
    let u = s.velocities();
    let l = found.lagrangian.function();
    let at = [(m, 2.0), (c, 3.0), (u[0], 1.0), (u[1], -2.0)];
    let gamma = 1.0 / (1.0_f64 - 5.0 / 9.0).sqrt();
    assert!((found.momenta[1].evaluate_f64(&at) + 4.0 * gamma).abs() < 1e-13);
    assert!((l.evaluate_f64(&at) + 18.0 / gamma).abs() < 1e-13);
    // Two particles: two blocks, each a function of its own quadratic form.
    let one = |m: Expr<'_>, p: Expr<'_>| pool.expr((m.pow(2) + p.pow(2)).sqrt().id());
    let found = legendre(&s, one(m1, p[0]) + one(m2, p[1])).expect("two blocks");
    assert!(!found.momenta[0].contains(u[1]));
}

#[test]
fn monotonic_slopes_are_undone() {
    let pool = Pool::new();
    let (s, p) = (state(&pool, &["x"]), pool.symbol("p(x)"));
    let u = s.velocity(0);
    let none = Assumptions::new();
    let found = |h: Expr<'_>| legendre(&s, pool.expr(h.id())).map(|l| l.momenta[0]);
    equal(found(p.exp()).unwrap(), u.log(), &none);
    equal(found(p.cosh()).unwrap().sinh(), u, &none);
    equal(found(p.pow(4) / 4).unwrap().pow(3), u, &none);
    equal(found(3 * p + p.pow(6) / 6).unwrap().pow(5), u - 3, &none);
}

#[test]
fn legendre_maps_without_a_closed_inverse_have_none() {
    let pool = Pool::new();
    let (s, p) = (state(&pool, &["x"]), pool.symbol("p(x)"));
    // A cubic equation; two slopes that are not one to one; one that is linear.
    for h in [p.pow(2) / 2 + p.pow(4) / 4, p.cos(), p.pow(3), 2 * p] {
        assert!(legendre(&s, h).is_none(), "{h}");
    }
}
