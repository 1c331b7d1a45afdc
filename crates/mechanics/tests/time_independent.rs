//! T-67 … T-70: the three time-independent formulations agree with each other and with T-49, T-54.

mod common;

use common::*;
use galilei_expr::{Expr, Pool};
use galilei_geometry::{Chart, Form, SmoothMap};
use galilei_mechanics::{
    DependsOnTime, Force, GalileanMetric, KineticEnergy, Lagrangian, ReferenceField, StateSpace,
    System, TimeIndependent,
};

/// Undetermined g(x), V(x), f(x, u).
fn still<'p>(s: &StateSpace<'p>) -> System<'p> {
    let (pool, n) = (s.pool(), s.degrees_of_freedom());
    let x = s.base().positions();
    let of_x = |name: &str| pool.function(name).at(x.iter().copied());
    let entry = |i: usize, j: usize| of_x(&format!("g{}{}", i.min(j), i.max(j)));
    let rows = (0..n)
        .map(|i| (0..n).map(|j| entry(i, j)).collect())
        .collect();
    let g = GalileanMetric::new(s.base(), rows).unwrap();
    let kinetic = KineticEnergy::new(s, &g, &ReferenceField::resting(s.base())).energy();
    let of_state = |name: &str| {
        pool.function(name)
            .at(x.iter().chain(s.velocities()).copied())
    };
    let force = Force::new(s, (0..n).map(|i| of_state(&format!("f{i}"))).collect());
    System::new(Lagrangian::new(s, kinetic - of_x("V"))).with_force("f", force)
}

#[test]
fn t_67_t_70_three_formulations_and_lagrange_agree() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let system = still(&s);
        let special = TimeIndependent::new(&system).unwrap();
        let lagrange = system.lagrange().unwrap();
        let first = special.by_christoffel().unwrap();
        let second = special.on_tangent_bundle().unwrap();
        for i in 0..n {
            proved(first[i].decide_equal(lagrange.accelerations()[i]));
            proved(second.component(i).decide_equal(s.velocity(i)));
            proved(second.component(n + i).decide_equal(first[i]));
        }
        // On T*Q: q̇ = u(q, p), and ü along Y is the acceleration.
        let (third, u) = special.on_cotangent_bundle().unwrap();
        let pairs: Vec<(Expr<'_>, Expr<'_>)> = s
            .velocities()
            .iter()
            .copied()
            .zip(u.iter().copied())
            .collect();
        for i in 0..n {
            proved(third.component(i).decide_equal(u[i]));
            proved(third.apply(u[i]).decide_equal(first[i].substitute(&pairs)));
            refuted(third.apply(u[i]).decide_equal(-first[i].substitute(&pairs)));
        }
    }
}

#[test]
fn t_70_the_sign_bridge() {
    // On a time slice dω = −Ω_L = dθ_L, θ_L = pᵢdqⁱ.
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let system = still(&s);
        let omega = system.lagrangian().cartan_form().d();
        let slice = Chart::of(&pool, s.chart().coordinates()[1..].iter().copied());
        let into = SmoothMap::new(&slice, s.chart(), s.chart().coordinates().to_vec());
        let mut theta = system.lagrangian().momenta();
        theta.resize(2 * n, pool.zero());
        let omega_l = Form::one_form(&slice, &theta).d().negated();
        let restricted = into.pullback(&omega);
        proved(restricted.decide_equal(&omega_l.negated()));
        refuted(restricted.decide_equal(&omega_l));
    }
}

#[test]
fn what_depends_on_time_is_refused() {
    let pool = Pool::new();
    let s = state(&pool, 1);
    let (t, u, x) = (s.time(), s.velocity(0), s.position(0));
    let moving = System::new(Lagrangian::new(&s, u.pow(2) / 2 - x * t.cos()));
    assert!(matches!(
        TimeIndependent::new(&moving),
        Err(DependsOnTime::Time(_))
    ));
    let magnetic = System::new(Lagrangian::new(&s, u.pow(2) / 2 + x * u));
    assert!(matches!(
        TimeIndependent::new(&magnetic),
        Err(DependsOnTime::LinearPart(_))
    ));
    let relativistic = System::new(Lagrangian::new(&s, -(1 - u.pow(2)).sqrt()));
    assert!(matches!(
        TimeIndependent::new(&relativistic),
        Err(DependsOnTime::NotQuadratic)
    ));
    // t that only seems to be there is no matter.
    let seeming = u.pow(2) / 2 * (t.sin().pow(2) + t.cos().pow(2)) - x.pow(2);
    assert!(TimeIndependent::new(&System::new(Lagrangian::new(&s, seeming))).is_ok());
}
