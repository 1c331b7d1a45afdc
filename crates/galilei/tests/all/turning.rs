//! Angular velocities as quasi-velocities of rotations, against the same motion in the velocities of the chart, which shares
//! no equation with it. (T-79)

use galilei::{Compiled, Form};
use galilei_tape::{Jets, Rates, Wanted};

use crate::common::model;

const ORDER: usize = 10;

/// Rotations in every surrounding: alone, with other coordinates, under forces of all kinds, under constraints. The number is
/// that of degrees of freedom.
const SHAPES: [(&str, usize, &str); 10] = [
    (
        "a free body whose axes are no principal ones",
        3,
        "coord R on rotations\nbody b: mass 1 inertia (1, 2, 2.5, 0.3, -0.2, 0.1) at (0, 0, 0) rotation R\n",
    ),
    (
        "a heavy body, supported off its axes",
        3,
        "coord R on rotations\nbody b: mass 2 inertia (1, 2, 2.5) at R*(0.1, 0.2, 0.4) rotation R\ngravity: (1, 0, -9.81)\n",
    ),
    (
        "a torque in space and friction",
        3,
        "coord R on rotations\nbody b: mass 2 inertia (1, 2, 2.5) at (0, 0, 0) rotation R\nforce drive: torque (sin(t), 0.3, 0.1) on b\n\
         force drag: torque -0.2*omega(R) on b\n",
    ),
    (
        "a free body off the origin of its place",
        6,
        "coord x, y, z\ncoord R on rotations\nbody b: mass 2 inertia (1, 2, 2.5) at (x, y, z) + R*(0.1, 0, 0.3) rotation R\n\
         gravity: (0, 0, -9.81)\nspring s: stiffness 3 from (0, 0, 1) to (x, y, z)\n",
    ),
    (
        "two bodies and a spring between them",
        6,
        "coord R on rotations\ncoord S on rotations\nbody b: mass 2 inertia (1, 2, 2.5) at R*(0.1, 0, 0.3) rotation R\n\
         body c: mass 1 inertia (1, 1.5, 1) at R*(0, 0, 1) + S*(0, 0.4, 0) rotation S\ngravity: (0, 0, -9.81)\n\
         spring s: stiffness 3 length 0.2 from (1, 0, 0) to position(c, (0, 0.3, 0.1))\n",
    ),
    (
        "a gradient of gravity, quadratic in the entries",
        3,
        "coord R on rotations\nbody b: mass 1 inertia (1, 2, 2.5) at (0, 0, 0) rotation R\nlet e = R^-1*(cos(t), sin(t), 0)\n\
         potential: 3/2*(e.x^2 + 2*e.y^2 + 2.5*e.z^2)\n",
    ),
    (
        "a potential of velocities and a turning frame",
        4,
        "coord a\ncoord R on rotations\nlet w = omega(R)\nbody b: mass 1 inertia (1, 2, 2.5) at (cos(a), sin(a), 0) rotation R\n\
         lagrangian: 0.3*w.z*sin(a) + 0.2*a'*dot((0, 0, 1), R*(1, 0, 0)) + t*w.x\n",
    ),
    (
        "a ball on a slope, loaded off its centre",
        3,
        "param r = 0.5\ncoord x, y\ncoord R on rotations\n\
         body ball: mass 1 inertia (0.1, 0.12, 0.15) at (x, y, r) + R*(0, 0.1, 0.05) rotation R\ngravity: (1, 0, -9.81)\n\
         let contact = (x', y', 0) + cross(omega(R), (0, 0, -r))\nconstraint rolling: (contact.x, contact.y) = (0, 0)\n",
    ),
    (
        "a body that may not turn about an axis of its own",
        2,
        "coord R on rotations\nbody b: mass 1 inertia (1, 2, 2.5) at R*(0, 0, 0.2) rotation R\ngravity: (0, 0, -9.81)\n\
         let w = R^-1*omega(R)\nconstraint suslov: w.x + 0.3*w.y = 0\n",
    ),
    (
        "a body held at a point",
        3,
        "coord x, y, z\ncoord R on rotations\nbody b: mass 1 inertia (1, 2, 2.5) at (x, y, z) rotation R\ngravity: (0, 0, -9.81)\n\
         constraint pin: position(b, (0.3, -0.2, 0.4)) = (0, 0, 0)\n",
    ),
];

/// The coefficients 0 … order of all velocities.
fn series(compiled: &Compiled, rates: &Rates, state: &[f64]) -> Vec<f64> {
    let wanted = Wanted {
        packed: true,
        own_branches: true,
        ..Wanted::default()
    };
    let series = compiled.tape().series(rates, &wanted, ORDER);
    let inputs: Vec<[f64; 1]> = state.iter().map(|x| [*x]).collect();
    let out = series.code.fused().run(&inputs, &mut vec![]);
    assert!(out[series.guard_at()][0] > 0.0);
    let count = rates.dimension * (ORDER + 1);
    out[..count].iter().map(|x| x[0]).collect()
}

/// T-79: the coefficients of all orders, at a state that the constraints admit.
#[test]
fn t_79_angular_velocities_have_the_same_series() {
    for (name, freedom, text) in SHAPES {
        let model = model(text);
        let compiled = model.compile_as(Form::Reduced).unwrap();
        let rates = compiled.rates();
        let n = rates.dimension;
        let own = rates.reduced.as_ref().expect(name);
        assert_eq!(own.quasi.len(), freedom, "{name}");
        let position = |i: usize| format!("{:?}", 0.31 * (1.7 * i as f64 + 0.4).cos());
        let velocity = |i: usize| format!("{:?}", 0.7 * (2.3 * i as f64 + 0.9).sin());
        let entries = model.contents().coordinates.iter().enumerate();
        let entries = entries
            .map(|(i, c)| format!("{0} = {1}, {0}' = {2}", c.name, position(i), velocity(i)));
        let at = format!("t = 0.3, {}", entries.collect::<Vec<_>>().join(", "));
        let there = model.projected(&model.state_at(&at).unwrap()).unwrap();
        let values = std::iter::once(there.time).chain(there.position);
        let state: Vec<f64> = (values.chain(there.velocity))
            .map(|e| e.evaluate_f64(&[]))
            .collect();
        let whole = Rates {
            reduced: None,
            ..Rates::clone(rates)
        };
        let mut jets = Jets::new(compiled.tape(), &whole, &[], ORDER);
        jets.compute(compiled.tape(), &whole, &state, &[]).unwrap();
        let found = series(&compiled, rates, &state);
        for k in 0..=ORDER {
            let own = &found[k * n..(k + 1) * n];
            let other: Vec<f64> = (0..n).map(|i| jets.series((1 + n + i) as u32)[k]).collect();
            let size = other.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            for i in 0..n {
                let far = (own[i] - other[i]).abs();
                assert!(far <= 1e-11 * size, "{name}, order {k}: {own:?}, {other:?}");
            }
        }
    }
}

/// The way of fewer operations is taken: that of angular velocities for bodies and tops, and it is shorter than that of
/// quaternions under their constraint.
#[test]
fn t_79_rotations_are_shorter_than_quaternions() {
    let operations = |text: &str| {
        let model = model(text);
        let compiled = model.compile().unwrap();
        let rates = compiled.rates();
        let wanted = Wanted {
            packed: true,
            ..Wanted::default()
        };
        let code = compiled.tape().series(rates, &wanted, 20).code;
        (rates.reduced.is_some(), code.fused().operations())
    };
    for (ours, theirs) in [
        (
            "coord R on rotations\nbody b: mass 1 inertia (1, 2, 3) at (0, 0, 0) rotation R\n",
            "coord a, b, c, d\nbody b: mass 1 inertia (1, 2, 3) at (0, 0, 0) rotation quaternion(a, b, c, d)\ninitial a = 1\n",
        ),
        (
            "coord R on rotations\nbody b: mass 1 inertia (1, 1, 2) at 0.3*R*(0, 0, 1) rotation R\ngravity: (0, 0, -9.81)\n",
            "coord a, b, c, d\nlet axis = (2*(b*d + a*c), 2*(c*d - a*b), a^2 - b^2 - c^2 + d^2)\n\
             body b: mass 1 inertia (1, 1, 2) at 0.3*axis rotation quaternion(a, b, c, d)\ngravity: (0, 0, -9.81)\ninitial a = 1\n",
        ),
    ] {
        let (reduced, ours) = operations(ours);
        let (_, theirs) = operations(theirs);
        assert!(reduced && ours < theirs, "{ours} {theirs}");
    }
}
