//! T-56 … T-61: virtual displacements, virtual work, central equations; ERRATA E3, E4, E5.

mod common;

use common::*;
use galilei_expr::{Expr, Pool};
use galilei_geometry::{Diffeomorphism, SmoothMap, VectorField};
use galilei_mechanics::{
    AdaptedChart, DisplacementKind, Force, Lagrangian, SecondOrderField, StateSpace, System,
    VirtualDisplacement,
};

/// An undetermined element of Virt(A¹M).
fn displacement<'p>(s: &StateSpace<'p>) -> VirtualDisplacement<'p> {
    VirtualDisplacement::new(s, of_state_list(s, "dx"), of_state_list(s, "du"))
}

/// An undetermined element of Virt_Z.
fn along<'p>(z: &SecondOrderField<'p>) -> VirtualDisplacement<'p> {
    VirtualDisplacement::along(z, of_state_list(z.state(), "dx"))
}

/// An undetermined complete lift.
fn lift<'p>(s: &StateSpace<'p>) -> VirtualDisplacement<'p> {
    VirtualDisplacement::complete_lift(s, of_base_list(s.base(), "dx")).unwrap()
}

/// Undetermined L and force.
fn generic<'p>(s: &StateSpace<'p>) -> System<'p> {
    System::new(Lagrangian::new(s, of_state(s, "L"))).with_force("F", force(s, "F"))
}

#[test]
fn t_56_canonical_components() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let y = displacement(&s);
        // δpᵢ = (∂pᵢ/∂xʲ)δxʲ + mᵢⱼδuʲ for every L.
        let l = Lagrangian::new(&s, of_state(&s, "L"));
        let (p, m) = (l.momenta(), l.mass_matrix());
        for (i, dp) in y.momenta(&l).into_iter().enumerate() {
            let slopes = (0..n).map(|j| p[i].diff(s.position(j)) * y.positions()[j]);
            let moved = (0..n).map(|j| m.rows()[i][j] * y.velocities()[j]);
            let sum = pool.sum(slopes.chain(moved));
            proved(dp.decide_equal(sum));
            // mᵢⱼδuʲ alone forgets how the momentum depends on the place.
            let without = (0..n).map(|j| m.rows()[i][j] * y.velocities()[j]);
            refuted(dp.decide_equal(pool.sum(without)));
        }
        // The same field in both charts: Y = δxⁱ∂/∂xⁱ + δpᵢ∂/∂pᵢ in the canonical frame of every regular L …
        let frame = l.canonical_frame().unwrap();
        let f = of_state(&s, "f");
        let there = y.pair(&frame.by_positions(f)) + dot(&y.momenta(&l), &frame.by_momenta(f));
        proved(there.decide_equal(y.as_vector().apply(f)));
        // … and with u(t, x, p) substituted, for undetermined g, R, V, A.
        let l = quadratic(&s);
        let canonical = System::new(l.clone()).canonical().unwrap();
        let map = canonical.to_natural();
        let there = y.in_canonical_chart(&l, &canonical).apply(map.pullback(&f));
        let here = map.pullback(&y.as_vector().apply(f));
        proved(there.decide_equal(here));
    }
}

#[test]
fn t_56_displacements_are_spacelike() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let y = displacement(&s);
        let back = VirtualDisplacement::of_vector(&s, &y.as_vector()).unwrap();
        assert_eq!(back, y);
        // A second-order field moves time as well.
        let z = field(&s, "Z").as_vector();
        let why = VirtualDisplacement::of_vector(&s, &z).unwrap_err();
        assert!(why.0.is_refuted());
        assert!(why.to_string().contains("fixed time"));
        // δx that depends on velocities has no complete lift.
        let why = VirtualDisplacement::complete_lift(&s, of_state_list(&s, "dx")).unwrap_err();
        assert!(why.to_string().contains("complete lift"));
    }
}

#[test]
fn t_57_second_order_displacements() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let (z, other) = (field(&s, "Z"), field(&s, "W"));
        // [Y, Z]xⁱ = δuⁱ − Z[δxⁱ], [Y, Z]t = 0
        let y = displacement(&s);
        let bracket = y.bracket(&z);
        proved(bracket.component(0).decide_zero());
        for i in 0..n {
            let expected = y.velocities()[i] - z.rate(y.positions()[i]);
            proved(bracket.component(1 + i).decide_equal(expected));
        }
        refuted(y.decide_second_order(&z));
        // Virt_Z belongs to Z; complete lifts to every field.
        proved(along(&z).decide_second_order(&z));
        refuted(along(&z).decide_second_order(&other));
        proved(lift(&s).decide_second_order(&z));
        proved(lift(&s).decide_second_order(&other));
        // A complete lift is the Virt_Z of its δx.
        let by_z = VirtualDisplacement::along(&z, lift(&s).positions().to_vec());
        proved(lift(&s).as_vector().decide_equal(&by_z.as_vector()));
    }
}

/// d/dε at ε = 0 of φ_ε acting on Z, from the flow to first order.
fn pushed_rate<'p>(
    y: &VirtualDisplacement<'p>,
    z: &VectorField<'p>,
    flow: impl Fn(Expr<'p>) -> SmoothMap<'p>,
) -> VectorField<'p> {
    let pool = y.state().pool();
    let e = pool.symbol("ε");
    let pushed = Diffeomorphism::assume_inverse(flow(e), flow(-e)).pushforward(z);
    let rates = pushed.components().iter();
    let rates = rates.map(|c| c.diff(e).substitute(&[(e, pool.zero())]));
    VectorField::new(y.state().chart(), rates.collect())
}

#[test]
fn t_57_e_5_the_sign_of_the_pushed_field() {
    // Printed: [Y, Z] = d/dε (φ_ε)_*Z. Corrected: that is −[Y, Z]; (φ_{−ε})_* gives [Y, Z].
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let (y, z) = (displacement(&s), field(&s, "Z"));
        let bracket = y.bracket(&z);
        let pushed = pushed_rate(&y, &z.as_vector(), |e| y.flow(e));
        refuted(pushed.decide_equal(&bracket));
        proved(pushed.decide_equal(&bracket.negated()));
        let pulled = pushed_rate(&y, &z.as_vector(), |e| y.flow(-e));
        proved(pulled.decide_equal(&bracket));
        // The conclusion is not touched: vertical for Virt_Z, whatever the sign.
        let y = along(&z);
        let pushed = pushed_rate(&y, &z.as_vector(), |e| y.flow(e));
        for k in 0..=n {
            proved(pushed.component(k).decide_zero());
        }
    }
}

/// The plane turned by an angle, with its velocities.
fn turned<'p>(s: &StateSpace<'p>, angle: Expr<'p>) -> SmoothMap<'p> {
    let (sin, cos) = (angle.sin(), angle.cos());
    let turn = |v: &[Expr<'p>]| [cos * v[0] - sin * v[1], sin * v[0] + cos * v[1]];
    let (x, u) = (turn(s.base().positions()), turn(s.velocities()));
    let image = [&[s.time()][..], &x, &u].concat();
    SmoothMap::new(s.chart(), s.chart(), image)
}

#[test]
fn t_57_e_5_with_an_exact_flow() {
    // Turning in the plane: the flow is known, and its lift to velocities.
    let pool = Pool::new();
    let s = StateSpace::new(AdaptedChart::new(&pool, "t", ["x", "y"]));
    let z = field(&s, "Z");
    let x = s.base().positions();
    let y = VirtualDisplacement::complete_lift(&s, vec![-x[1], x[0]]).unwrap();
    let pushed = pushed_rate(&y, &z.as_vector(), |e| turned(&s, e));
    let bracket = y.bracket(&z);
    proved(pushed.decide_equal(&bracket.negated()));
    refuted(pushed.decide_equal(&bracket));
}

#[test]
fn t_57_complete_lifts_displace_lifted_curves() {
    // (89): the lift of a displaced curve is the lifted curve displaced by the complete lift.
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let e = pool.symbol("ε");
        let moved = lift(&s).flow(e);
        for i in 0..n {
            // The velocity of x + εδx(t, x) along a curve with velocity u.
            let rate = s.drift(moved.components()[1 + i]);
            proved(moved.components()[1 + n + i].decide_equal(rate));
        }
        // No other δu does.
        let other =
            VirtualDisplacement::new(&s, lift(&s).positions().to_vec(), vec![pool.zero(); n]);
        let moved = other.flow(e);
        let rate = s.drift(moved.components()[1]);
        refuted(moved.components()[1 + n].decide_equal(rate));
    }
}

#[test]
fn t_58_virtual_work_in_both_charts() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let (z, y) = (field(&s, "Z"), displacement(&s));
        // In both charts for every L and F; in the canonical one by its frame, and with H(t, x, p) written out
        // for undetermined g, R, V, A.
        for l in [Lagrangian::new(&s, of_state(&s, "L")), quadratic(&s)] {
            let system = System::new(l).with_force("F", force(&s, "F"));
            let work = system.virtual_work(&z, &y);
            proved(work.decide_equal(system.virtual_work_by_lagrange(&z, &y)));
            let canonical = system.virtual_work_by_hamilton(&z, &y).unwrap();
            proved(work.decide_equal(canonical));
            refuted(work.decide_equal(-canonical));
        }
        let system = generic(&s);
        let work = system.virtual_work(&z, &y);
        // The forces take part with a minus.
        let [(name, of_force)] = system.work_of_forces(&y).try_into().unwrap();
        assert_eq!(name, "F");
        let without = System::new(system.lagrangian().clone()).virtual_work(&z, &y);
        proved(work.decide_equal(without - of_force));
        refuted(work.decide_equal(without + of_force));
        // Blind on vertical displacements.
        let none = vec![pool.zero(); n];
        let vertical = VirtualDisplacement::new(&s, none, of_state_list(&s, "du"));
        proved(system.virtual_work(&z, &vertical).decide_zero());
    }
}

/// (Zᵢ + ∂H/∂xⁱ − Fᵢ)δxⁱ in the canonical chart, for given Zᵢ.
fn assembled<'p>(system: &System<'p>, y: &VirtualDisplacement<'p>, z: &[Expr<'p>]) -> Expr<'p> {
    let (s, canonical) = (system.state(), system.canonical().unwrap());
    let (map, f) = (canonical.to_natural(), system.total_force());
    let terms = z.iter().enumerate().map(|(i, &z)| {
        let slope = canonical.hamiltonian().diff(s.position(i));
        let rest = map.pullback(&(z - f.components()[i]));
        (rest + slope) * map.pullback(&y.positions()[i])
    });
    s.pool().sum(terms)
}

#[test]
fn t_58_e_3_e_4_the_momentum_component_of_the_field() {
    // Printed: virtual work (Zᵢ + ∂H/∂xⁱ − Fᵢ)δxⁱ with Zᵢ = gᵢⱼZʲ. Corrected: Zᵢ = Z[pᵢ].
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let (z, y) = (field(&s, "Z"), displacement(&s));
        let system = System::new(quadratic(&s)).with_force("F", force(&s, "F"));
        let l = system.lagrangian();
        let canonical = system.canonical().unwrap();
        let map = canonical.to_natural();
        let f = system.total_force();
        let (g, p) = (l.mass_matrix(), l.momenta());
        let work = map.pullback(&system.virtual_work(&z, &y));
        let printed = assembled(&system, &y, &g.times_vector(z.accelerations()));
        let rates: Vec<Expr<'_>> = p.iter().map(|&p| z.rate(p)).collect();
        let corrected = assembled(&system, &y, &rates);
        proved(work.decide_equal(corrected));
        refuted(work.decide_equal(printed));
        // (95): Z ⌟ dω = −(Z[H] − ∂ₜH)dt + (∂H/∂xⁱ + Zᵢ)dxⁱ in the canonical chart, and (104): along the
        // motion Zᵢ = −∂H/∂xⁱ + Fᵢ. Both need Zᵢ = Z[pᵢ].
        let motion = system.lagrange().unwrap();
        let h = canonical.hamiltonian();
        for i in 0..n {
            let force_i = map.pullback(&f.components()[i]);
            let expected = force_i - h.diff(s.position(i));
            let found = map.pullback(&motion.rate(p[i]));
            proved(found.decide_equal(expected));
            let wrong = g.times_vector(motion.accelerations())[i];
            refuted(map.pullback(&wrong).decide_equal(expected));
        }
        let components = z.accelerations().iter().enumerate();
        let components = components.map(|(i, _)| map.pullback(&z.rate(p[i])));
        let mut field = vec![pool.one()];
        field.extend((0..n).map(|i| h.diff(canonical.momentum(i))));
        field.extend(components);
        let there = VectorField::new(canonical.chart(), field);
        let contracted = there.interior(&canonical.cartan_form().d());
        let time = h.diff(s.time()) - there.apply(h);
        proved(contracted.component(&[0]).decide_equal(time));
        for i in 0..n {
            let expected = h.diff(s.position(i)) + there.component(1 + n + i);
            proved(contracted.component(&[1 + i]).decide_equal(expected));
            proved(contracted.component(&[1 + n + i]).decide_zero());
        }
    }
}

#[test]
fn t_58_e_3_e_4_for_every_lagrangian() {
    // The same where H has no formula, in the canonical frame: Zᵢ = Z[pᵢ] and not mᵢⱼZʲ, in the virtual work,
    // in Z ⌟ dω and along the motion.
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let (z, y, system) = (field(&s, "Z"), displacement(&s), generic(&s));
        let l = system.lagrangian();
        let frame = l.canonical_frame().unwrap();
        let (h, f, p) = (frame.hamiltonian(), system.total_force(), l.momenta());
        let slopes = frame.by_positions(h);
        let rest = y.pair(&slopes) - y.pair(f.components());
        let rates: Vec<Expr<'_>> = p.iter().map(|&p| z.rate(p)).collect();
        let lowered = l.mass_matrix().times_vector(z.accelerations());
        let work = system.virtual_work(&z, &y);
        proved(work.decide_equal(y.pair(&rates) + rest));
        refuted(work.decide_equal(y.pair(&lowered) + rest));
        // (95): Z ⌟ dω = −(Z[H] − ∂H/∂t)dt + (∂H/∂xⁱ + Zᵢ)dxⁱ
        let contracted = z.as_vector().interior(&l.cartan_form().d());
        let time = frame.time().apply(h) - z.rate(h);
        proved(contracted.component(&[0]).decide_equal(time));
        let motion = system.lagrange().unwrap();
        let lowered_there = l.mass_matrix().times_vector(motion.accelerations());
        for i in 0..n {
            proved(
                contracted
                    .component(&[1 + i])
                    .decide_equal(slopes[i] + rates[i]),
            );
            refuted(
                contracted
                    .component(&[1 + i])
                    .decide_equal(slopes[i] + lowered[i]),
            );
            proved(contracted.component(&[1 + n + i]).decide_zero());
            // (104): Zᵢ = −∂H/∂xⁱ + Fᵢ along the motion.
            let expected = f.components()[i] - slopes[i];
            proved(motion.rate(p[i]).decide_equal(expected));
            refuted(lowered_there[i].decide_equal(expected));
        }
    }
}

#[test]
fn t_59_the_principle_of_virtual_work() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let system = generic(&s);
        let principle = system.principle_of_virtual_work();
        proved(principle.decide_equivalent());
        assert_eq!(
            principle.forms.clone().map(|f| f.kind),
            DisplacementKind::ALL
        );
        // Each form demands Lagrange's equations: δx = eᵢ is constant, so of every kind.
        let motion = system.lagrange().unwrap();
        for i in 0..n {
            let mut e = vec![pool.zero(); n];
            e[i] = pool.one();
            let y = VirtualDisplacement::complete_lift(&s, e).unwrap();
            proved(system.virtual_work(&motion, &y).decide_zero());
            let z = field(&s, "Z");
            proved(y.decide_second_order(&z));
            let expected = system.by_lagrange(z.accelerations())[i];
            proved(system.virtual_work(&z, &y).decide_equal(expected));
            refuted(system.virtual_work(&z, &y).decide_zero());
        }
        // Along the motion it vanishes for undetermined displacements of all kinds.
        for y in [displacement(&s), along(&motion), lift(&s)] {
            proved(system.virtual_work(&motion, &y).decide_zero());
        }
        // A planted sign is seen.
        let mut broken = principle;
        broken.residual[0] = -broken.residual[0];
        refuted(broken.decide_equivalent());
    }
}

#[test]
fn t_60_t_61_central_equations() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let system = generic(&s);
        let z = field(&s, "Z");
        let rate = |e| z.rate(e);
        // Hamel's is Ω(Z, Y) for every displacement, Lagrange's only for those in Virt_Z.
        let y = displacement(&s);
        let central = system.central_equation(&y, rate);
        let work = system.virtual_work(&z, &y);
        proved(central.hamel().decide_equal(work));
        refuted(central.lagrange().decide_equal(work));
        refuted((central.hamel() - 2 * central.transposition).decide_equal(work));
        for y in [along(&z), lift(&s)] {
            let central = system.central_equation(&y, rate);
            let work = system.virtual_work(&z, &y);
            proved(central.transposition.decide_zero());
            proved(central.lagrange().decide_equal(work));
            proved(central.hamel().decide_equal(work));
            refuted((central.lagrange() + 2 * central.work).decide_equal(work));
        }
        // For symbols instead of fields.
        let symbolic = system.central_equation_in_symbols();
        let a = SecondOrderField::new(&s, system.acceleration_symbols());
        let work = system.virtual_work(&a, &VirtualDisplacement::symbols(&s));
        proved(symbolic.hamel().decide_equal(work));
        refuted(symbolic.lagrange().decide_equal(work));
    }
}

#[test]
fn t_61_a_textbook_case() {
    // Two masses over a pulley: (m₁ + m₂)ẍδx = (m₁ − m₂)gδx, from δT and δW by hand.
    let pool = Pool::new();
    let s = StateSpace::new(AdaptedChart::new(&pool, "t", ["x"]));
    let [a, b, g] = pool.symbols(["a", "b", "g"]);
    let (x, u) = (s.position(0), s.velocity(0));
    let l = Lagrangian::new(&s, (a + b) * u.pow(2) / 2 + (a - b) * g * x);
    let brake = pool.symbol("F");
    let system = System::new(l).with_force("brake", Force::new(&s, vec![-brake]));
    let [dx, du, rate] = pool.symbols(["delta(x)", "delta(x')", "delta(x)'"]);
    let acceleration = pool.symbol("x''");
    let c = system.central_equation_in_symbols();
    assert_eq!(c.momentum, (a + b) * u * dx);
    proved(
        c.variation
            .decide_equal((a + b) * u * du + (a - b) * g * dx),
    );
    assert_eq!(c.work, -brake * dx);
    proved(c.transposition.decide_equal((a + b) * u * (du - rate)));
    let expected = ((a + b) * acceleration - (a - b) * g + brake) * dx;
    proved(c.hamel().decide_equal(expected));
}
