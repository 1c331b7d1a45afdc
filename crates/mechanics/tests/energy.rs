//! T-92, T-49, T-50, T-111: energy with respect to a reference field, and conserved quantities.

mod common;

use common::*;
use galilei_expr::{Expr, Pool};
use galilei_mechanics::{
    AdaptedChart, Force, KineticEnergy, Lagrangian, ReferenceField, StateSpace, System,
};

/// Undetermined L and two undetermined forces.
fn generic<'p>(s: &StateSpace<'p>) -> System<'p> {
    System::new(Lagrangian::new(s, of_state(s, "L")))
        .with_force("F", force(s, "F"))
        .with_force("G", force(s, "G"))
}

#[test]
fn t_92_energy_with_respect_to_any_reference_field() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let system = generic(&s);
        let r = reference(s.base(), "R");
        let balance = system.energy_balance(&r);
        // Along the motion, accelerations and all:
        let rate = system.lagrange().unwrap().rate(balance.energy);
        proved(rate.decide_equal(balance.rate()));
        refuted(rate.decide_equal(-balance.rate()));
        let powers: Vec<&str> = balance.powers.iter().map(|p| p.0.as_str()).collect();
        assert_eq!(powers, ["F", "G"]);
        // Each part counts.
        refuted(rate.decide_equal(balance.drift));
        refuted(rate.decide_equal(balance.rate() - balance.drift));
        refuted(rate.decide_equal(balance.rate() - balance.powers[1].1));
        refuted(balance.decide_conserved());
        // The resting field gives T-50.
        let rest = system.energy_balance(&ReferenceField::resting(s.base()));
        proved(rest.energy.decide_equal(system.lagrangian().energy()));
        proved(rest.rate().decide_equal(system.energy_rate()));
        refuted(rest.energy.decide_equal(balance.energy));
    }
}

#[test]
fn t_92_quadratic_lagrangians() {
    // For L = T_R − V: E_R = T_R + V, whatever R.
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let r = reference(s.base(), "R");
        let kinetic = KineticEnergy::new(&s, &metric(s.base()), &r).energy();
        let v = of_base(s.base(), "V");
        let l = Lagrangian::new(&s, kinetic - v);
        proved(l.energy_in(&r).decide_equal(kinetic + v));
        refuted(l.energy().decide_equal(kinetic + v));
    }
}

#[test]
fn t_92_the_jacobi_integral() {
    // With respect to a turning field the energy of a particle on a round spring is its Jacobi
    // integral, E_R = E − w·(angular momentum), and conserved.
    let pool = Pool::new();
    let base = AdaptedChart::new(&pool, "t", ["x", "y"]);
    let s = StateSpace::new(base.clone());
    let [m, w, k] = pool.symbols(["m", "w", "k"]);
    let [x, y] = [base.position(0), base.position(1)];
    let [u, v] = [s.velocity(0), s.velocity(1)];
    let r2 = x.pow(2) + y.pow(2);
    let l = Lagrangian::new(&s, m * (u.pow(2) + v.pow(2)) / 2 - k * r2 / 2);
    let turning = ReferenceField::new(&base, vec![-w * y, w * x]);
    let system = System::new(l.clone());
    proved(system.energy_balance(&turning).decide_conserved());
    let jacobi = l.energy() - w * m * (x * v - y * u);
    proved(l.energy_in(&turning).decide_equal(jacobi));
    // A spring that is not round breaks it.
    let oval = Lagrangian::new(&s, l.function() - k * x.pow(2));
    let balance = System::new(oval).energy_balance(&turning);
    refuted(balance.decide_conserved());
    // Friction against the turning field takes from it (u − R)·F.
    let c = pool.symbol("c");
    let relative = [u + w * y, v - w * x];
    let friction = Force::new(&s, relative.iter().map(|&v| -c * v).collect());
    let damped = System::new(l).with_force("friction", friction);
    let lost = -c * (relative[0].pow(2) + relative[1].pow(2));
    let balance = damped.energy_balance(&turning);
    proved(balance.rate().decide_equal(lost));
}

#[test]
fn t_49_t_50_rates_of_momenta_and_energy() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let system = generic(&s);
        let z = system.lagrange().unwrap();
        let found = system.conservation();
        for p in found.momenta.iter().chain([&found.energy]) {
            proved(z.rate(p.quantity).decide_equal(p.rate));
            refuted(z.rate(p.quantity).decide_equal(-p.rate));
            assert!(p.verdict.is_refuted());
        }
        assert!(found.conserved_momenta().is_empty());
    }
}

#[test]
fn t_111_cyclic_coordinates() {
    // L(x², …, u) without t and x¹, but otherwise undetermined.
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let rest = s.base().positions()[1..].iter().chain(s.velocities());
        let l = pool.function("L").at(rest.copied());
        let system = System::new(Lagrangian::new(&s, l));
        let found = system.conservation();
        assert_eq!(found.conserved_momenta(), [0]);
        assert!(found.energy.is_conserved());
        // A force along x¹ spoils the momentum and the energy, one that does no work only the
        // momentum.
        let mut components = vec![pool.zero(); n];
        components[0] = of_state(&s, "F");
        let pushed = system.clone().with_force("F", Force::new(&s, components));
        assert!(pushed.conservation().conserved_momenta().is_empty());
        assert!(!pushed.conservation().energy.is_conserved());
        if n > 1 {
            let b = of_state(&s, "B");
            let mut components = vec![pool.zero(); n];
            components[0] = b * s.velocity(1);
            components[1] = -b * s.velocity(0);
            let bent = system.clone().with_force("B", Force::new(&s, components));
            assert!(bent.conservation().conserved_momenta().is_empty());
            assert!(bent.conservation().energy.is_conserved());
        }
        // A force may make up for a slope: L + f(x¹, …) and F = −∂f.
        let f = pool.function("f").at(s.base().positions().iter().copied());
        let slopes: Vec<Expr<'_>> = f.gradient(s.base().positions());
        let minus = slopes.iter().map(|&f| -f).collect();
        let balanced =
            System::new(Lagrangian::new(&s, l + f)).with_force("F", Force::new(&s, minus));
        assert_eq!(balanced.conservation().conserved_momenta(), [0]);
    }
}

#[test]
fn t_111_dependences_that_cancel() {
    // Spherical pendulum with a clock and an angle that cancel: both conserved, and not the other
    // angle's momentum.
    let pool = Pool::new();
    let s = StateSpace::new(AdaptedChart::new(&pool, "t", ["a", "b"]));
    let (a, b, t) = (s.position(0), s.position(1), s.time());
    let [u, v] = [s.velocity(0), s.velocity(1)];
    let one = (b + t).sin().pow(2) + (b + t).cos().pow(2);
    let l = one * (u.pow(2) + a.sin().pow(2) * v.pow(2)) / 2 - a.cos();
    let found = System::new(Lagrangian::new(&s, l)).conservation();
    assert_eq!(found.conserved_momenta(), [1]);
    assert!(found.energy.is_conserved());
    let driven = Lagrangian::new(&s, l + (b - t).cos());
    let found = System::new(driven.clone()).conservation();
    assert!(found.conserved_momenta().is_empty());
    assert!(!found.energy.is_conserved());
    // The driven one conserves the energy with respect to the field that turns with the drive.
    let turning = ReferenceField::new(s.base(), vec![pool.zero(), pool.one()]);
    proved(
        System::new(driven)
            .energy_balance(&turning)
            .decide_conserved(),
    );
}
