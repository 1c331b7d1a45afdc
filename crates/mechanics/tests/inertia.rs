//! T-38 … T-41, T-108 … T-110: kinetic energy and inertia forces, for undetermined g and R.

mod common;

use common::*;
use galilei_expr::{Expr, Pool};
use galilei_geometry::Matrix;
use galilei_mechanics::{
    AdaptedChart, GalileanMetric, Inertia, KineticEnergy, ReferenceField, StateSpace,
};

#[test]
fn t_38_t_39_the_field_of_the_kinetic_energy() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let (g, r) = (metric(s.base()), reference(s.base(), "R"));
        let kinetic = KineticEnergy::new(&s, &g, &r);
        let omega = kinetic.action_two_form();
        // Ω_R = (d(∂T/∂uⁱ) − (∂T/∂xⁱ)dt)∧θⁱ
        let t = kinetic.energy();
        let mut expected = galilei_geometry::Form::zero(s.chart(), 2);
        for i in 0..n {
            let p = galilei_geometry::Form::function(s.chart(), t.diff(s.velocity(i))).d();
            let one = p.minus(&s.dt().scaled(t.diff(s.position(i))));
            expected = expected.plus(&one.wedge(&s.contact(i)));
        }
        proved(omega.decide_equal(&expected));
        // Its field, by the closed form and by X ⌟ Ω = 0.
        let field = kinetic.field().unwrap();
        proved(field.as_vector().interior(&omega).decide_zero());
        let action = action_form(&g.matrix(), &field);
        proved(action.as_two_form().decide_equal(&omega));
    }
}

#[test]
fn t_109_homogeneous_parts() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let kinetic = KineticEnergy::new(&s, &metric(s.base()), &reference(s.base(), "R"));
        let parts = kinetic.homogeneous_parts();
        proved(kinetic.energy().decide_equal(pool.sum(parts)));
        for (part, degree) in parts.iter().zip([2, 1, 0]) {
            let euler = pool.sum(s.velocities().iter().map(|&u| u * part.diff(u)));
            proved(euler.decide_equal(degree * *part));
        }
    }
}

#[test]
fn t_40_t_41_inertia_forces_are_potential() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let g = metric(s.base());
        let (r, q) = (reference(s.base(), "R"), reference(s.base(), "Q"));
        let omega = |r: &ReferenceField<'_>| {
            let here = ReferenceField::new(
                s.base(),
                r.components().iter().map(|c| pool.expr(c.id())).collect(),
            );
            KineticEnergy::new(&s, &g, &here).action_two_form()
        };
        let inertia = Inertia::new(&s, &g, &r, &q);
        // Ψ = Ω_R̃ − Ω_R = dα = the two-form of the force
        let difference = omega(&q).minus(&omega(&r));
        let alpha = s.projection().pullback(&inertia.one_form());
        proved(difference.decide_equal(&alpha.d()));
        let force = inertia.force();
        proved(force.two_form().as_two_form().decide_equal(&difference));
        refuted(
            force
                .two_form()
                .as_two_form()
                .decide_equal(&difference.negated()),
        );
        // α(R) = ½g(R − R̃, R − R̃), α(v) = g(v, R − R̃)
        let relative: Vec<_> = r
            .components()
            .iter()
            .zip(q.components())
            .map(|(&a, &b)| a - b)
            .collect();
        let half = g.pair(&relative, &relative) / 2;
        proved(
            inertia
                .one_form()
                .evaluate(&[&r.as_vector()])
                .decide_equal(half),
        );
        let v = reference(s.base(), "v");
        let spacelike = v.as_vector().minus(&r.as_vector());
        let components: Vec<_> = v
            .components()
            .iter()
            .zip(r.components())
            .map(|(&a, &b)| a - b)
            .collect();
        let paired = g.pair(&components, &relative);
        proved(
            inertia
                .one_form()
                .evaluate(&[&spacelike])
                .decide_equal(paired),
        );
    }
}

#[test]
fn t_108_centrifugal_euler_coriolis() {
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let g = metric(s.base());
        let inertia = Inertia::new(&s, &g, &reference(s.base(), "R"), &reference(s.base(), "Q"));
        let parts = inertia.parts();
        let sum = parts.centrifugal.plus(&parts.euler).plus(&parts.coriolis);
        for (a, b) in sum.components().iter().zip(inertia.force().components()) {
            proved(a.decide_equal(*b));
        }
        let without = parts.centrifugal.plus(&parts.coriolis);
        refuted(without.components()[0].decide_equal(inertia.force().components()[0]));
    }
}

#[test]
fn t_41_rotating_frame() {
    // A chart turning with Ω(t) = w(t): the inertial field seen from it is w(y, −x).
    let pool = Pool::new();
    let base = AdaptedChart::new(&pool, "t", ["x", "y"]);
    let s = StateSpace::new(base.clone());
    let m = pool.symbol("m");
    let w = pool.function("w").at([base.time()]);
    let [x, y] = [base.position(0), base.position(1)];
    let [u, v] = [s.velocity(0), s.velocity(1)];
    let zero = pool.zero();
    let g = GalileanMetric::new(&base, vec![vec![m, zero], vec![zero, m]]).unwrap();
    let rotating = ReferenceField::resting(&base);
    let inertial = ReferenceField::new(&base, vec![w * y, -w * x]);
    let inertia = Inertia::new(&s, &g, &rotating, &inertial);
    let potentials = inertia.potentials();
    proved(
        potentials
            .scalar
            .decide_equal(-m * w.pow(2) * (x.pow(2) + y.pow(2)) / 2),
    );
    proved(potentials.vector[0].decide_equal(-m * w * y));
    proved(potentials.vector[1].decide_equal(m * w * x));
    let parts = inertia.parts();
    let dw = w.diff(base.time());
    for (got, expected) in [
        (
            parts.centrifugal.components(),
            [m * w.pow(2) * x, m * w.pow(2) * y],
        ),
        (parts.euler.components(), [m * dw * y, -m * dw * x]),
        (parts.coriolis.components(), [2 * m * w * v, -2 * m * w * u]),
    ] {
        proved(got[0].decide_equal(expected[0]));
        proved(got[1].decide_equal(expected[1]));
    }
}

#[test]
fn t_110_charts_in_which_a_field_rests() {
    // Coordinates y = Y(t, x), undetermined.
    for n in 1..=3 {
        let pool = Pool::new();
        let base = base(&pool, "x", n);
        let y: Vec<Expr<'_>> = (0..n).map(|i| of_base(&base, &format!("Y{i}"))).collect();
        let rest = ReferenceField::resting_in(&base, &y).unwrap();
        proved(rest.decide_rests_in(&y));
        // Only this field rests in them: J⁻¹R[Y] = R − it, for any R.
        let r = reference(&base, "R");
        refuted(r.decide_rests_in(&y));
        let rates: Vec<Expr<'_>> = y.iter().map(|&y| r.as_vector().apply(y)).collect();
        let jacobian = Matrix::new(&pool, pool.jacobian(&y, base.positions()));
        let excess = jacobian.solve(&rates).unwrap();
        for i in 0..n {
            let difference = r.components()[i] - rest.components()[i];
            proved(excess[i].decide_equal(difference));
        }
        // It rests in all coordinates that are functions of these, but not of time:
        let turned: Vec<Expr<'_>> = (0..n)
            .map(|i| pool.function(&format!("f{i}")).at(y.iter().copied()))
            .collect();
        proved(rest.decide_rests_in(&turned));
        let same = ReferenceField::resting_in(&base, &turned).unwrap();
        proved(rest.as_vector().decide_equal(&same.as_vector()));
        let moving: Vec<Expr<'_>> = (0..n)
            .map(|i| {
                let all = y.iter().copied().chain([base.time()]);
                pool.function(&format!("f{i}")).at(all)
            })
            .collect();
        refuted(rest.decide_rests_in(&moving));
        // The chart itself is one of them.
        let here = ReferenceField::resting_in(&base, base.positions()).unwrap();
        let dt = ReferenceField::resting(&base).as_vector();
        proved(here.as_vector().decide_equal(&dt));
        // What are no coordinates has no such field.
        assert!(ReferenceField::resting_in(&base, &vec![base.time(); n]).is_err());
    }
}

#[test]
fn t_110_a_chart_that_turns() {
    let pool = Pool::new();
    let base = AdaptedChart::new(&pool, "t", ["x", "y"]);
    let w = pool.symbol("w");
    let ([x, y], t) = ([base.position(0), base.position(1)], base.time());
    let r = ReferenceField::new(&base, vec![-w * y, w * x]);
    let turned = [
        x * (w * t).cos() + y * (w * t).sin(),
        y * (w * t).cos() - x * (w * t).sin(),
    ];
    proved(r.decide_rests_in(&turned));
    let found = ReferenceField::resting_in(&base, &turned).unwrap();
    proved(found.as_vector().decide_equal(&r.as_vector()));
    refuted(r.decide_rests_in(&[x, y]));
}

#[test]
fn t_108_a_frame_in_translation() {
    // A lift that moves by a(t), undetermined: nothing but −m·ä, and that is an Euler force.
    for n in 1..=3 {
        let pool = Pool::new();
        let s = state(&pool, n);
        let (base, t) = (s.base(), s.time());
        let a: Vec<Expr<'_>> = (0..n)
            .map(|i| pool.function(&format!("a{i}")).at([t]))
            .collect();
        let m = pool.symbol("m");
        let rows = square(n, |i, j| if i == j { m } else { pool.zero() });
        let g = GalileanMetric::new(base, rows).unwrap();
        // The lift's own chart: it rests, and the ground moves by −ȧ.
        let ground = ReferenceField::new(base, a.iter().map(|a| -a.diff(t)).collect());
        let inertia = Inertia::new(&s, &g, &ReferenceField::resting(base), &ground);
        let parts = inertia.parts();
        let [centrifugal, euler, coriolis] = parts.named();
        assert_eq!(
            [centrifugal.0, euler.0, coriolis.0],
            ["centrifugal", "Euler", "Coriolis"]
        );
        for i in 0..n {
            proved(centrifugal.1.components()[i].decide_zero());
            proved(coriolis.1.components()[i].decide_zero());
            let weight = -m * a[i].diff(t).diff(t);
            proved(euler.1.components()[i].decide_equal(weight));
            refuted(euler.1.components()[i].decide_equal(-weight));
        }
    }
}
