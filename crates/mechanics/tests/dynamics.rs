//! T-42 … T-55: Lagrangians, the postulate, Lagrange's and Hamilton's equations; ERRATA E2, E3.

mod common;

use common::*;
use galilei_expr::{Expr, Pool};
use galilei_geometry::{Form, VectorField};
use galilei_mechanics::{
    ActionForm, Definiteness, KineticEnergy, Lagrangian, Notion, ReferenceField, StateSpace, System,
};

#[test]
fn t_42_t_43_cartan_form() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let l = Lagrangian::new(&s, of_state(&s, "L"));
        // L = Z ⌟ ω for every second-order Z
        let inserted = l.cartan_form().evaluate(&[&field(&s, "Z").as_vector()]);
        proved(inserted.decide_equal(l.function()));
        // dω = (d(∂L/∂uⁱ) − (∂L/∂xⁱ)dt)∧θⁱ
        let mut expected = Form::zero(s.chart(), 2);
        for (i, p) in l.momenta().into_iter().enumerate() {
            let slope = l.function().diff(s.position(i));
            let one = Form::function(s.chart(), p)
                .d()
                .minus(&s.dt().scaled(slope));
            expected = expected.plus(&one.wedge(&s.contact(i)));
        }
        proved(l.cartan_form().d().decide_equal(&expected));
    }
}

#[test]
fn t_43_kinetic_and_potential_parts() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let base = s.base();
        let kinetic = KineticEnergy::new(&s, &metric(base), &reference(base, "R"));
        let phi = s.projection().pullback(&potentials(base).one_form());
        let sum = kinetic.action_two_form().plus(&phi.d());
        proved(quadratic(&s).cartan_form().d().decide_equal(&sum));
        let other = kinetic.action_two_form().minus(&phi.d());
        refuted(quadratic(&s).cartan_form().d().decide_equal(&other));
    }
}

/// ∂ₜh + uⁱ∂ᵢh
fn total_rate<'p>(s: &StateSpace<'p>, h: Expr<'p>) -> Expr<'p> {
    let n = s.degrees_of_freedom();
    let space = (0..n).map(|i| s.velocity(i) * h.diff(s.position(i)));
    h.diff(s.time()) + s.pool().sum(space)
}

#[test]
fn t_44_gauge() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let (x, t) = (s.base().positions(), s.time());
        let l = Lagrangian::new(&s, of_state(&s, "L"));
        // For undetermined h: dω′ = dω, p′ = p + ∂h, H′ = H − ∂ₜh, the same motion.
        let h = of_base(s.base(), "h");
        let other = Lagrangian::new(&s, l.function() + total_rate(&s, h));
        proved(l.decide_gauge(&other).0);
        for i in 0..n {
            let moved = l.momenta()[i] + h.diff(x[i]);
            proved(other.momenta()[i].decide_equal(moved));
        }
        proved(other.energy().decide_equal(l.energy() - h.diff(t)));
        refuted(other.energy().decide_equal(l.energy()));
        let f = force(&s, "F");
        let (a, b) = (l.field(&f).unwrap(), other.field(&f).unwrap());
        proved(a.as_vector().decide_equal(&b.as_vector()));
        // And back: dω′ = dω has such an h, here found.
        let h = x[0].pow(2) * x[n - 1] * (2 * t).cos() + t.pow(3);
        let other = Lagrangian::new(&s, l.function() + total_rate(&s, h));
        let (verdict, found) = l.decide_gauge(&other);
        proved(verdict);
        let found = found.expect("a closed form");
        proved(total_rate(&s, found).decide_equal(total_rate(&s, h)));
        // Nothing else will do.
        let broken = Lagrangian::new(&s, l.function() + t * x[0] * s.velocity(n - 1));
        refuted(l.decide_gauge(&broken).0);
        let nonlinear = Lagrangian::new(&s, l.function() + s.velocity(0).pow(2));
        refuted(l.decide_gauge(&nonlinear).0);
    }
}

#[test]
fn t_45_t_46_recovery() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let l = quadratic(&s);
        proved(l.decide_quadratic());
        // For any reference field the parts give back L.
        for r in [
            reference(s.base(), "Q"),
            reference(s.base(), "R"),
            ReferenceField::resting(s.base()),
            l.natural_reference().unwrap(),
        ] {
            let found = l.recover(&r).unwrap();
            let kinetic = KineticEnergy::new(&s, &found.metric, &r).energy();
            let pairs = found.potentials.vector.iter().zip(s.velocities());
            let linear = pool.sum(pairs.map(|(&a, &u)| a * u));
            let again = kinetic - found.potentials.scalar + linear;
            proved(again.decide_equal(l.function()));
            proved(found.metric.decide_equal(&metric(s.base())));
        }
        // With the field L was made with, its V and A; with the natural one, A = 0.
        let found = l.recover(&reference(s.base(), "R")).unwrap();
        let known = potentials(s.base()).one_form();
        proved(found.potentials.one_form().decide_equal(&known));
        let found = l.recover(&l.natural_reference().unwrap()).unwrap();
        for a in &found.potentials.vector {
            proved(a.decide_zero());
        }
        let other = l.recover(&ReferenceField::resting(s.base())).unwrap();
        refuted(other.potentials.vector[0].decide_zero());
        // dω is an action form in the strict sense exactly if ∂³L/∂u³ = 0.
        let strict = |l: &Lagrangian<'_>| {
            let omega = l.cartan_form().d();
            let minors = positive_minors(&l.mass_matrix());
            let asked = Definiteness::Assuming(&minors);
            ActionForm::recognise(l.state(), &omega, asked)
                .unwrap()
                .action
                .notion()
        };
        assert_eq!(strict(&l), Notion::Strict);
        let cosh = pool.sum(s.velocities().iter().map(|u| u.cosh()));
        let not = Lagrangian::new(&s, cosh);
        refuted(not.decide_quadratic());
        assert!(not.recover(&ReferenceField::resting(s.base())).is_none());
        assert_eq!(strict(&not), Notion::Extended);
    }
}

#[test]
fn t_47_t_49_the_postulate_gives_lagranges_equations() {
    // For every regular L and every force.
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let system =
            System::new(Lagrangian::new(&s, of_state(&s, "L"))).with_force("F", force(&s, "F"));
        proved(system.decide_postulate_is_lagrange().unwrap());
        // The form is the action form of its field.
        let z = system.lagrange().unwrap();
        let action = action_form(&system.lagrangian().mass_matrix(), &z);
        proved(action.as_two_form().decide_equal(&system.action_two_form()));
        // A sign planted in the force breaks it.
        let minus = force(&s, "F").components().iter().map(|&f| -f).collect();
        let wrong = System::new(Lagrangian::new(&s, of_state(&s, "L")))
            .with_force("F", galilei_mechanics::Force::new(&s, minus));
        let (x, z) = (
            system.postulate().unwrap(),
            wrong.lagrange().unwrap().as_vector(),
        );
        refuted(x.decide_equal(&z));
    }
}

#[test]
fn t_48_every_second_order_field() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let (l, f, z) = (of_state(&s, "L"), force(&s, "F"), field(&s, "Z"));
        let system = System::new(Lagrangian::new(&s, l)).with_force("F", f.clone());
        let mut expected = Form::zero(s.chart(), 1);
        for i in 0..n {
            let c = z.rate(l.diff(s.velocity(i))) - l.diff(s.position(i)) - f.components()[i];
            expected = expected.plus(&s.contact(i).scaled(c));
        }
        let inserted = z.as_vector().interior(&system.action_two_form());
        proved(inserted.decide_equal(&expected));
    }
}

#[test]
fn t_50_energy() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let system =
            System::new(Lagrangian::new(&s, of_state(&s, "L"))).with_force("F", force(&s, "F"));
        let rate = system
            .lagrange()
            .unwrap()
            .rate(system.lagrangian().energy());
        proved(rate.decide_equal(system.energy_rate()));
        refuted(rate.decide_equal(-system.energy_rate()));
    }
}

#[test]
fn t_51_t_53_t_54_the_canonical_side() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let system = System::new(quadratic(&s)).with_force("F", force(&s, "F"));
        let canonical = system.canonical().unwrap();
        let map = canonical.to_natural();
        // p = ∂L/∂u, H = the energy, both at u(t, x, p)
        for (i, p) in system.lagrangian().momenta().iter().enumerate() {
            proved(map.pullback(p).decide_equal(canonical.momentum(i)));
        }
        let energy = map.pullback(&system.lagrangian().energy());
        proved(energy.decide_equal(canonical.hamiltonian()));
        // ω and Φ are the same forms.
        proved(
            map.pullback(&system.lagrangian().cartan_form())
                .decide_equal(&canonical.cartan_form()),
        );
        let f = system.total_force();
        let phi = map.pullback(f.two_form().as_two_form());
        proved(canonical.force_two_form(&f).decide_equal(&phi));
        // Hamilton's field solves the postulate, and is Lagrange's: ẋ = u, and u̇ = Z.
        let flow = canonical.hamilton(&f);
        let omega = canonical.cartan_form().d().plus(&phi);
        proved(flow.interior(&omega).decide_zero());
        let z = system.lagrange().unwrap();
        for i in 0..n {
            let u = map.components()[1 + n + i];
            proved(flow.component(1 + i).decide_equal(u));
            proved(
                flow.apply(u)
                    .decide_equal(map.pullback(&z.accelerations()[i])),
            );
        }
    }
}

#[test]
fn t_52_e_2_the_vertical_basis_in_the_canonical_chart() {
    // Printed: ∂/∂uⁱ = gʲⁱ ∂/∂pⱼ. Corrected: ∂/∂uⁱ = gⱼᵢ ∂/∂pⱼ.
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let l = quadratic(&s);
        let canonical = System::new(l.clone()).canonical().unwrap();
        let map = canonical.to_natural();
        let (p, g) = (l.momenta(), l.mass_matrix());
        let inverse = g.inverse().unwrap();
        for i in 0..n {
            let du: VectorField<'_> = s.chart().partial(1 + n + i);
            for j in 0..n {
                proved(du.apply(p[j]).decide_equal(g.rows()[j][i]));
                refuted(du.apply(p[j]).decide_equal(inverse.rows()[j][i]));
            }
        }
        // For any f(t, x, u): its slopes at fixed u are those at fixed p and what p adds.
        let f = of_state(&s, "f");
        let f_canonical = map.pullback(&f);
        for k in 0..=2 * n {
            let z = s.chart().coordinate(k);
            let own = if k <= n {
                f_canonical.diff(z)
            } else {
                pool.zero()
            };
            let added = (0..n).map(|j| {
                let slope = f_canonical.diff(canonical.momentum(j));
                map.pullback(&p[j].diff(z)) * slope
            });
            let sum = own + pool.sum(added);
            proved(map.pullback(&f.diff(z)).decide_equal(sum));
        }
        // ∂H/∂x = −∂L/∂x, ∂H/∂t = −∂L/∂t, ∂H/∂p = u
        let h = canonical.hamiltonian();
        for &z in s.base().chart().coordinates() {
            let slope = map.pullback(&l.function().diff(z));
            proved(h.diff(z).decide_equal(-slope));
            refuted(h.diff(z).decide_equal(slope));
        }
        for i in 0..n {
            let u = map.components()[1 + n + i];
            proved(h.diff(canonical.momentum(i)).decide_equal(u));
        }
    }
}

#[test]
fn t_52_t_53_t_54_every_regular_lagrangian() {
    // In the canonical frame, without an inverse of the Legendre map.
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let l = Lagrangian::new(&s, of_state(&s, "L"));
        let frame = l.canonical_frame().unwrap();
        let p = l.momenta();
        // It is the frame dual to (dt, dx, dp).
        let fields = [&[frame.time().clone()], frame.positions(), frame.momenta()].concat();
        let functions = [s.base().chart().coordinates(), &p].concat();
        for (k, v) in fields.iter().enumerate() {
            for (j, &f) in functions.iter().enumerate() {
                let expected = pool.number(i64::from(k == j));
                proved(v.apply(f).decide_equal(expected));
            }
        }
        refuted(s.chart().partial(1).apply(p[0]).decide_zero());
        // ∂H/∂x = −∂L/∂x, ∂H/∂t = −∂L/∂t, ∂H/∂p = u
        let h = frame.hamiltonian();
        let slope = |z| l.function().diff(z);
        proved((frame.time().apply(h) + slope(s.time())).decide_zero());
        refuted((h.diff(s.time()) + slope(s.time())).decide_zero());
        for i in 0..n {
            let at_x = frame.by_positions(h)[i];
            proved((at_x + slope(s.position(i))).decide_zero());
            proved(frame.by_momenta(h)[i].decide_equal(s.velocity(i)));
        }
        // dω = −dH∧dt + dpᵢ∧dxⁱ
        let d = |f| Form::function(s.chart(), f).d();
        let first = d(h).wedge(&s.dt()).negated();
        let sum = (0..n).fold(first, |sum, i| sum.plus(&d(p[i]).wedge(&d(s.position(i)))));
        proved(sum.decide_equal(&l.cartan_form().d()));
        // Hamilton's equations along Lagrange's field with any force.
        let system = System::new(l).with_force("F", force(&s, "F"));
        let routes = system.routes();
        proved(routes.decide_hamilton().unwrap());
        let mut broken = routes;
        broken.lagrange[0] = -broken.lagrange[0];
        refuted(broken.decide_hamilton().unwrap());
    }
}

#[test]
fn t_54_more_degrees_of_freedom_than_inverses_are_written_for() {
    let pool = Pool::new();
    let s = state(&pool, 4);
    let system =
        System::new(Lagrangian::new(&s, of_state(&s, "L"))).with_force("F", force(&s, "F"));
    let mut routes = system.routes();
    proved(routes.decide_hamilton().unwrap());
    routes.lagrange[3] += s.position(0);
    refuted(routes.decide_hamilton().unwrap());
}

#[test]
fn t_55_e_3_the_canonical_component_of_a_field() {
    // Printed: Zᵢ = gᵢⱼZʲ. Corrected (T-55): Zᵢ = Z[pᵢ] = ∂ₜpᵢ + uʲ∂ⱼpᵢ + gᵢⱼZʲ, for undetermined g, R, V, A and
    // for every L.
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        for l in [quadratic(&s), Lagrangian::new(&s, of_state(&s, "L"))] {
            let (z, g) = (field(&s, "Z"), l.mass_matrix());
            for (i, p) in l.momenta().into_iter().enumerate() {
                let printed = pool.sum((0..n).map(|j| g.rows()[i][j] * z.accelerations()[j]));
                let drift = (0..n).map(|j| s.velocity(j) * p.diff(s.position(j)));
                let corrected = p.diff(s.time()) + pool.sum(drift) + printed;
                proved(z.rate(p).decide_equal(corrected));
                refuted(z.rate(p).decide_equal(printed));
            }
        }
    }
}
