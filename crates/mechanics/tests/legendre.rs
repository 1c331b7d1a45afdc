//! T-26, T-51 … T-54 where L is regular but not quadratic: the Legendre map in formulas.

mod common;
#[path = "../../expr/tests/common/mod.rs"]
mod reader;

use common::*;
use galilei_expr::{Assumptions, Expr, Pool};
use galilei_mechanics::{AdaptedChart, Canonical, Force, Lagrangian, StateSpace, System};

#[test]
fn t_26_newton_step() {
    // For undetermined L: where ∂L/∂u = p the step stays, its derivative in u vanishes there, and
    // for a quadratic L one step from anywhere is the inverse.
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let l = Lagrangian::new(&s, of_state(&s, "L"));
        let map = l.legendre_map();
        let step = map.newton_step().unwrap();
        let at: Vec<_> = map.momenta().iter().copied().zip(l.momenta()).collect();
        for i in 0..n {
            proved(map.residual()[i].substitute(&at).decide_zero());
            let u = s.velocity(i);
            proved(step[i].substitute(&at).decide_equal(u));
            refuted(step[i].decide_equal(u));
            for &v in s.velocities() {
                proved(step[i].diff(v).substitute(&at).decide_zero());
            }
        }
        let kinetic = pool.sum((0..n * n).map(|k| {
            let (i, j) = (k / n, k % n);
            metric(s.base()).component(i, j) * s.velocity(i) * s.velocity(j) / 2
        }));
        let linear = (0..n).map(|i| of_base(s.base(), &format!("a{i}")) * s.velocity(i));
        let l = Lagrangian::new(&s, kinetic + pool.sum(linear));
        let step = l.legendre_map().newton_step().unwrap();
        let known = Canonical::new(&l).unwrap().unwrap().to_natural();
        for i in 0..n {
            proved(step[i].decide_equal(known.components()[1 + n + i]));
        }
    }
}

/// −m·c²·√(1 − u²/c²) − k(x² + y²)/2
fn relativistic<'p>(pool: &'p Pool) -> Lagrangian<'p> {
    let s = StateSpace::new(AdaptedChart::new(pool, "t", ["x", "y"]));
    let l = reader::read(pool, "-c^2*m*sqrt(1 - (x'^2 + y'^2)/c^2) - k*(x^2 + y^2)/2");
    Lagrangian::new(&s, l)
}

#[test]
fn t_26_relativistic_particle_in_formulas() {
    let pool = Pool::new();
    let l = relativistic(&pool);
    let s = l.state();
    assert!(Canonical::new(&l).is_none());
    let map = l.legendre_map();
    let [c, m, k] = pool.symbols(["c", "m", "k"]);
    let (p, [x, y]) = (map.momenta(), [s.position(0), s.position(1)]);
    let positive = Assumptions::new().positive(c).positive(m);
    let energy = (c.pow(2) * m.pow(2) + p[0].pow(2) + p[1].pow(2)).sqrt();
    let velocities = vec![c * p[0] / energy, c * p[1] / energy];
    let canonical = Canonical::with_velocities(&l, velocities.clone(), &positive).unwrap();
    // Without m > 0, or with another sign, they are no inverse.
    let everywhere = Assumptions::new();
    assert!(Canonical::with_velocities(&l, velocities.clone(), &everywhere).is_err());
    let wrong = velocities.iter().map(|&u| -u).collect();
    assert!(Canonical::with_velocities(&l, wrong, &positive).is_err());
    // H and Hamilton's equations, derived classically.
    let h = c * energy + k * (x.pow(2) + y.pow(2)) / 2;
    // Where ∂L/∂u is defined: nothing is as fast as light.
    let speed2 = velocities[0].pow(2) + velocities[1].pow(2);
    let slow = (1 - speed2 / c.pow(2)).sqrt().recip();
    let equal = |a: Expr<'_>, b: Expr<'_>| {
        galilei_expr::Query::equal(pool.expr(a.id()), pool.expr(b.id()))
            .defined([slow])
            .assuming(&positive)
            .decide()
            .verdict
    };
    proved(equal(canonical.hamiltonian(), h));
    refuted(equal(canonical.hamiltonian(), -h));
    let none = Force::new(s, vec![pool.zero(); 2]);
    let flow = canonical.hamilton(&none);
    let expected = [velocities[0], velocities[1], -k * x, -k * y];
    for (i, e) in expected.into_iter().enumerate() {
        proved(equal(flow.component(1 + i), e));
    }
    // The same motion as Lagrange's: u̇ along the flow is the acceleration.
    let z = System::new(l.clone()).lagrange().unwrap();
    let natural = canonical.to_natural();
    for i in 0..2 {
        let u = natural.components()[3 + i];
        proved(equal(
            flow.apply(u),
            natural.pullback(&z.accelerations()[i]),
        ));
    }
}

#[test]
fn t_26_relativistic_particle_point_by_point() {
    // Momenta and velocities computed elsewhere to 25 digits: Newton's steps from rest find u from
    // p, and ∂L/∂u gives p from u.
    let states = [
        (
            [0.852, 0.814],
            [0.926_457_973_999_116, 0.885_137_078_445_164_8],
        ),
        (
            [-0.123, -0.464],
            [-0.124_605_465_750_328_8, -0.470_056_391_123_191_6],
        ),
        (
            [0.128, -0.517],
            [0.130_066_204_446_017_4, -0.525_345_528_895_242_2],
        ),
    ];
    let pool = Pool::new();
    let l = relativistic(&pool);
    let s = l.state();
    let map = l.legendre_map();
    let (step, momenta) = (map.newton_step().unwrap(), l.momenta());
    let fixed = [("m", 1.0), ("c", 3.0)].map(|(name, v)| (pool.symbol(name), v));
    let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-14);
    for (u, p) in states {
        let at = |u: &[f64]| {
            let u = s.velocities().iter().copied().zip(u.iter().copied());
            let p = map.momenta().iter().copied().zip(p);
            fixed.into_iter().chain(u).chain(p).collect::<Vec<_>>()
        };
        assert!(close(&pool.evaluate_f64(&momenta, &at(&u)), &p));
        let mut found = vec![0.0, 0.0];
        for _ in 0..8 {
            found = pool.evaluate_f64(&step, &at(&found));
        }
        assert!(close(&found, &u), "{found:?}");
    }
}
