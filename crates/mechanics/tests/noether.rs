//! T-91, T-111: the first variational formula and Noether's theorem, for undetermined functions at
//! n = 1, 2, 3 and for systems with known first integrals.

mod common;

use common::*;
use galilei_expr::{Assumptions, Expr, Pool};
use galilei_mechanics::{
    AdaptedChart, AdmissibleCodistribution, ConstrainedSystem, Constraint, Force, Lagrangian,
    ReferenceField, RootChoice, SolvedForm, SpaceTimeField, StateSpace, System,
};

fn any() -> Assumptions<'static> {
    Assumptions::new()
}

fn undetermined<'p>(s: &StateSpace<'p>, time: Expr<'p>) -> SpaceTimeField<'p> {
    let n = s.degrees_of_freedom();
    let v = (0..n).map(|i| of_base(s.base(), &format!("v{i}")));
    SpaceTimeField::new(s.base(), time, v.collect())
}

#[test]
fn t_91_first_variational_formula() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let l = Lagrangian::new(&s, of_state(&s, "L"));
        let z = field(&s, "Z");
        let slopes = l.function().gradient(s.base().positions());
        let euler: Vec<Expr<'_>> = (slopes.iter().zip(l.momenta()))
            .map(|(&slope, p)| slope - z.rate(p))
            .collect();
        for v0 in [pool.zero(), pool.one(), pool.symbol("k")] {
            let v = undetermined(&s, v0);
            let change = v.prolonged(&s).apply(l.function());
            let along = v.characteristic(&s);
            let work = pool.sum(along.iter().zip(&euler).map(|(&a, &e)| a * e));
            let charge = v.charge(&l);
            // Off shell, along every second-order field.
            proved(change.decide_equal(work + z.rate(charge)));
            refuted(change.decide_equal(work - z.rate(charge)));
            refuted(change.decide_equal(z.rate(charge)));
        }
        // The prolongation is the complete lift: it keeps the contact forms among themselves.
        let v = undetermined(&s, pool.zero());
        let lifted = v.prolonged(&s);
        for i in 0..n {
            let moved = lifted.lie(&s.contact(i));
            let on = (0..n).fold(moved, |form, j| {
                let slope = of_base(s.base(), &format!("v{i}")).diff(s.position(j));
                form.minus(&s.contact(j).scaled(slope))
            });
            proved(on.decide_zero());
        }
        // A reference field is one of these, and its charge is minus its energy. (T-92)
        let r = reference(s.base(), "R");
        proved(r.as_field().charge(&l).decide_equal(-l.energy_in(&r)));
    }
}

#[test]
fn t_111_rates_of_charges() {
    // d_t(charge − h) is what `noether` says, for undetermined L, F, v.
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let system =
            System::new(Lagrangian::new(&s, of_state(&s, "L"))).with_force("F", force(&s, "F"));
        let z = system.lagrange().expect("regular");
        for v0 in [pool.zero(), pool.one()] {
            let found = system.noether(&undetermined(&s, v0), &any());
            assert!(found.verdict.is_refuted());
            let quantity = found.quantity().expect("nothing is taken off");
            proved(z.rate(quantity).decide_equal(found.defect));
            refuted(z.rate(quantity).decide_equal(-found.defect));
        }
        // An undetermined L made invariant up to the gauge t: L(x², …, u) + x¹ and v = ∂₁.
        let rest = s.base().positions()[1..].iter().chain(s.velocities());
        let cyclic = pool.function("K").at(rest.copied());
        let system = System::new(Lagrangian::new(&s, cyclic + s.position(0)));
        let mut v = vec![pool.zero(); n];
        v[0] = pool.one();
        let found = system.noether(&SpaceTimeField::new(s.base(), pool.zero(), v), &any());
        proved(found.verdict.clone());
        let quantity = found.quantity().expect("a closed form");
        proved(quantity.decide_equal(cyclic.diff(s.velocity(0)) - s.time()));
        let z = system.lagrange().expect("regular");
        proved(z.rate(quantity).decide_zero());
    }
}

fn plane<'p>(pool: &'p Pool) -> (StateSpace<'p>, Expr<'p>) {
    let s = StateSpace::new(AdaptedChart::new(pool, "t", ["x", "y"]));
    let u = s.velocities();
    let kinetic = pool.symbol("m") * (u[0].pow(2) + u[1].pow(2)) / 2;
    (s, kinetic)
}

/// Asserts that a field gives this first integral of a system.
#[track_caller]
fn gives<'p>(system: &System<'p>, v: &SpaceTimeField<'p>, wanted: Expr<'p>) {
    let found = system.noether(v, &any());
    proved(found.verdict.clone());
    let quantity = found.quantity().expect("a closed form");
    proved(quantity.decide_equal(wanted));
    let z = system.lagrange().expect("regular");
    proved(z.rate(quantity).decide_zero());
}

#[test]
fn t_111_known_first_integrals() {
    let pool = Pool::new();
    let (s, kinetic) = plane(&pool);
    let [x, y] = [s.position(0), s.position(1)];
    let [u, w] = [s.velocity(0), s.velocity(1)];
    let [m, g, c, t] = [
        pool.symbol("m"),
        pool.symbol("g"),
        pool.symbol("c"),
        s.time(),
    ];
    let (zero, one) = (pool.zero(), pool.one());
    let at = |time: Expr<'_>, v: [Expr<'_>; 2]| {
        let [a, b] = v.map(|e| pool.expr(e.id()));
        SpaceTimeField::new(s.base(), pool.expr(time.id()), vec![a, b])
    };
    let turn = at(zero, [-y, x]);
    // Any central force.
    let r = (x.pow(2) + y.pow(2)).sqrt();
    let potential = pool.function("V").at([r]);
    let central = System::new(Lagrangian::new(&s, kinetic - potential));
    gives(&central, &turn, m * (x * w - y * u));
    gives(&central, &at(one, [zero, zero]), -(kinetic + potential));
    // A uniform field: the momentum along it, corrected by the gauge −mgt, and Galilei's boost.
    let falling = System::new(Lagrangian::new(&s, kinetic - m * g * y));
    gives(&falling, &at(zero, [zero, one]), m * w + m * g * t);
    gives(
        &falling,
        &at(zero, [zero, t]),
        m * w * t - m * y + m * g * t.pow(2) / 2,
    );
    gives(&falling, &at(zero, [t, zero]), m * u * t - m * x);
    // The same field as a force: what it does along v is the rate of −mgt.
    let pushed = System::new(Lagrangian::new(&s, kinetic))
        .with_force("weight", Force::new(&s, vec![zero, -m * g]));
    gives(&pushed, &at(zero, [zero, one]), m * w + m * g * t);
    // Turning is no symmetry of it, and the term is shown.
    let found = falling.noether(&turn, &any());
    assert!(found.verdict.is_refuted());
    proved(found.defect.decide_equal(-m * g * x));
    // Friction breaks what L has: its moment −c(xw − yu).
    let damped = central
        .clone()
        .with_force("friction", Force::new(&s, vec![-c * u, -c * w]));
    let found = damped.noether(&turn, &any());
    assert!(found.verdict.is_refuted());
    proved(found.defect.decide_equal(-c * (x * w - y * u)));
    proved(found.charge.decide_equal(m * (x * w - y * u)));
    // A force towards the centre, whatever it depends on, does not.
    let pull = of_state(&s, "P");
    let pulled = pulled_to_the_centre(&central, &s, pull);
    gives(&pulled, &turn, m * (x * w - y * u));
}

/// The value of a force at rest does not determine it in motion: with a jump or a kink in the velocities its
/// work is not the rate of an h(t, x), and the term is reported.
#[test]
fn t_111_kinks_in_the_velocities_are_no_gauge() {
    let pool = Pool::new();
    let (s, kinetic) = plane(&pool);
    let (t, u, w) = (s.time(), s.velocity(0), s.velocity(1));
    let [m, k] = pool.symbols(["m", "k"]);
    let (zero, one) = (pool.zero(), pool.one());
    let along = |time: Expr<'_>, x: Expr<'_>| {
        let v = [x, zero].map(|e| pool.expr(e.id()));
        SpaceTimeField::new(s.base(), pool.expr(time.id()), v.to_vec())
    };
    let jump = u.if_less(zero, 1, -1) * k;
    let root = (u * u).sqrt();
    for f in [
        -k * u.sign(),
        -k * (u + w).sign(),
        jump,
        k * u.abs(),
        -k * u / root,
    ] {
        let rubbed = System::new(Lagrangian::new(&s, kinetic))
            .with_force("rub", Force::new(&s, vec![f, zero]));
        let momentum = rubbed.noether(&along(zero, one), &any());
        assert!(momentum.verdict.is_refuted(), "{f}");
        proved(momentum.defect.decide_equal(f));
        proved(momentum.quantity().expect("closed").decide_equal(m * u));
        let energy = rubbed.noether(&along(one, zero), &any());
        assert!(energy.verdict.is_refuted(), "{f}");
        proved(energy.defect.decide_equal(-f * u));
    }
    // What only looks kinked is a gauge.
    let smooth = k * (u.max(zero) + u.min(zero) - u) + k;
    let pushed = System::new(Lagrangian::new(&s, kinetic))
        .with_force("push", Force::new(&s, vec![smooth, zero]));
    gives(&pushed, &along(zero, one), m * u - k * t);
}

/// A central system with a force P(t, x, u)·(x, y).
fn pulled_to_the_centre<'p>(
    central: &System<'p>,
    s: &StateSpace<'p>,
    pull: Expr<'p>,
) -> System<'p> {
    let arm = [s.position(0), s.position(1)];
    let components = arm.iter().map(|&e| pull * e).collect();
    central
        .clone()
        .with_force("pull", Force::new(s, components))
}

fn first<'p>(_: Expr<'p>, roots: [Expr<'p>; 2]) -> Expr<'p> {
    roots[0]
}

/// Chaplygin's sleigh, with its blade below the mass centre if a = 0.
fn sleigh<'p>(
    pool: &'p Pool,
    a: Expr<'p>,
) -> (ConstrainedSystem<'p>, SolvedForm<'p>, Vec<Expr<'p>>) {
    let s = StateSpace::new(AdaptedChart::new(pool, "t", ["x", "y", "q"]));
    let q = s.position(2);
    let [u, v, w] = [s.velocity(0), s.velocity(1), s.velocity(2)];
    let [m, i] = pool.symbols(["m", "I"]);
    let (cu, cv) = (u - a * w * q.sin(), v + a * w * q.cos());
    let l = (m * (cu.pow(2) + cv.pow(2)) + i * w.pow(2)) / 2;
    let blade = Constraint::Velocity(v * q.cos() - u * q.sin());
    let d = AdmissibleCodistribution::new(&s, vec![blade], &any()).expect("admissible");
    let sheet: RootChoice<'_, 'p> = &first;
    let form = SolvedForm::of(&d, &[1], sheet, &any()).expect("linear");
    let system = ConstrainedSystem::new(System::new(Lagrangian::new(&s, l)), d);
    (system, form, vec![pool.symbol("multiplier(blade)")])
}

#[test]
fn t_111_under_constraints() {
    let pool = Pool::new();
    let a = pool.symbol("a");
    let (zero, one) = (pool.zero(), pool.one());
    let (system, form, lambda) = sleigh(&pool, a);
    let s = system.state();
    let q = s.position(2);
    let at = |time: Expr<'_>, v: [Expr<'_>; 3]| {
        let v = v.map(|e| pool.expr(e.id()));
        SpaceTimeField::new(s.base(), pool.expr(time.id()), v.to_vec())
    };
    // The energy: the blade does no work, where the constraint holds.
    let energy = system.noether(&at(one, [zero; 3]), &lambda, Some(&form), &any());
    proved(energy.verdict.clone());
    let wanted = -system.system().lagrangian().energy();
    proved(energy.quantity().expect("closed").decide_equal(wanted));
    // A translation is a symmetry of L, and the blade breaks it: d/dt = −λ sin q.
    let along_x = system.noether(&at(zero, [one, zero, zero]), &lambda, Some(&form), &any());
    assert!(along_x.verdict.is_refuted());
    proved(along_x.defect.decide_equal(-lambda[0] * q.sin()));
    let reaction = system.ideal().expect("regular");
    let rate = reaction.field.rate(along_x.charge);
    proved(rate.decide_equal(along_x.solved.expect("solved")));
    // Turning about the blade: no moment of the reaction, but L is not invariant.
    let turn = system.noether(&at(zero, [zero, zero, one]), &lambda, Some(&form), &any());
    assert!(turn.verdict.is_refuted());
    // With the mass centre over the blade it is, and the spin is conserved.
    let (round, form, lambda) = sleigh(&pool, zero);
    let turn = round.noether(&at(zero, [zero, zero, one]), &lambda, Some(&form), &any());
    proved(turn.verdict);
    // Then the speed along the blade is conserved, by a field that is a symmetry of L on the
    // constraint only: v = cos q ∂x + sin q ∂y.
    let ahead = at(zero, [q.cos(), q.sin(), zero]);
    assert!(!round.system().noether(&ahead, &any()).verdict.is_proved());
    let speed = round.noether(&ahead, &lambda, Some(&form), &any());
    proved(speed.verdict.clone());
    let z = round.ideal().expect("regular").field;
    let rate = z.rate(speed.quantity().expect("closed"));
    proved(form.embedding().pullback(&rate).decide_zero());
    refuted(rate.decide_zero());
    // Without the solved form nothing is refuted: only states on the constraint count.
    let open = round.noether(&at(zero, [one, zero, zero]), &lambda, None, &any());
    assert!(!open.verdict.is_refuted() && !open.verdict.is_proved());
    // The energy needs none: (vⁱ − v⁰uⁱ)ṡᵢ = −f.
    let open = round.noether(&at(one, [zero; 3]), &lambda, None, &any());
    proved(open.verdict);
}

#[test]
fn t_111_constraints_between_positions() {
    // A particle on a circle: turning does no work with its reaction, a translation does, but that
    // cannot be decided off the circle.
    let pool = Pool::new();
    let (s, kinetic) = plane(&pool);
    let [x, y] = [s.position(0), s.position(1)];
    let circle = Constraint::Position(x.pow(2) + y.pow(2) - 1);
    let d = AdmissibleCodistribution::new(&s, vec![circle], &any()).expect("admissible");
    let system = ConstrainedSystem::new(System::new(Lagrangian::new(&s, kinetic)), d);
    let lambda = [pool.symbol("multiplier(circle)")];
    let turn = SpaceTimeField::new(s.base(), pool.zero(), vec![-y, x]);
    proved(system.noether(&turn, &lambda, None, &any()).verdict);
    let along = SpaceTimeField::new(s.base(), pool.zero(), vec![pool.one(), pool.zero()]);
    let found = system.noether(&along, &lambda, None, &any());
    assert!(!found.verdict.is_refuted() && !found.verdict.is_proved());
    proved(found.defect.decide_equal(lambda[0] * 2 * x));
    // The energy.
    let rest = ReferenceField::resting(s.base()).as_field();
    proved(system.noether(&rest, &lambda, None, &any()).verdict);
}
