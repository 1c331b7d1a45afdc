//! Motions between given ends by stationary action, against closed forms, against shooting with Taylor series,
//! and Morse's index against conjugate points, which are computed by another route.

use std::f64::consts::PI;

use galilei::{ActionKind, Code, Model, StationaryMotions};
use galilei_integrate::{Ends, Search, Solution};

use crate::common::{distance, model};

fn between(model: &Model, start: &str, end: &str, to: f64, starts: usize) -> StationaryMotions {
    let search = model.stationary().start(start).end(end).starts(starts);
    search.to(to).run().unwrap()
}

/// One instant is conjugate for each half period; the index counts them (Morse).
fn checked(found: &StationaryMotions) {
    for motion in &found.motions {
        let s = &motion.solution;
        assert!(s.residual <= found.tolerance, "{}", s.residual);
        assert!(motion.closure < 1e-8, "{}", motion.closure);
        if !found.forced
            && let Some(conjugate) = &motion.conjugate
        {
            let count: usize = conjugate.iter().map(|c| c.multiplicity).sum();
            assert_eq!(s.index, Some(count), "{conjugate:?}");
        }
    }
}

const OSCILLATOR: &str = "coord x\nkinetic: x'^2/2\npotential: x^2/2\n";

#[test]
fn an_oscillator_is_least_within_half_a_period_and_only_stationary_beyond() {
    let model = model(OSCILLATOR);
    for (to, index) in [(1.0, 0), (3.0, 0), (3.3, 1), (6.0, 1), (6.5, 2), (10.0, 3)] {
        let found = between(&model, "x=0.3", "x=1", to, 1);
        checked(&found);
        let motion = &found.motions[0];
        assert_eq!(motion.solution.index, Some(index), "{to}");
        // x = a·cos t + b·sin t; the action is ½[xẋ].
        let (a, b) = (0.3, (1.0 - 0.3 * f64::cos(to)) / f64::sin(to));
        let action = 0.5 * (-a * f64::sin(to) + b * f64::cos(to)) - 0.5 * a * b;
        assert!((motion.solution.action - action).abs() < 1e-9 * (1.0 + action.abs()));
        assert!((motion.solution.states[0][1] - b).abs() < 1e-8 * (1.0 + b.abs()));
        for (k, c) in motion.conjugate.as_ref().unwrap().iter().enumerate() {
            assert!((c.time - (k as f64 + 1.0) * PI).abs() < 1e-7, "{}", c.time);
        }
    }
}

#[test]
fn ends_that_are_conjugate_have_no_isolated_motion() {
    let model = model(OSCILLATOR);
    let found = between(&model, "x=0", "x=1", PI, 3);
    assert!(found.motions.is_empty());
    assert_eq!(found.unsolved.len(), 3);
}

/// From rest at the bottom back to it: swings of several amplitudes and full turns do that in one time.
#[test]
fn a_pendulum_has_several_motions_between_two_points() {
    let model = model("coord a\nkinetic: a'^2/2\npotential: -cos(a)\n");
    let found = between(&model, "a=0", "a=0.5", 8.0, 40);
    checked(&found);
    assert!(found.motions.len() >= 3, "{}", found.motions.len());
    let indices: Vec<usize> = found
        .motions
        .iter()
        .filter_map(|m| m.solution.index)
        .collect();
    assert!(
        indices.contains(&0) && indices.iter().any(|i| *i > 0),
        "{indices:?}"
    );
}

#[test]
fn a_projectile_flies_its_parabola() {
    let model = model("coord x, y\nparticle p: mass 2 at (x, y)\ngravity: (0, -10)\n");
    let found = between(&model, "x=0, y=0", "x=3, y=1", 2.0, 4);
    checked(&found);
    assert_eq!(found.motions.len(), 1);
    let s = &found.motions[0].solution;
    assert_eq!(s.index, Some(0));
    // What is held is held to the last bit.
    assert_eq!(s.states[0][..2], [0.0, 0.0]);
    assert_eq!(s.states[s.elements()][..2], [3.0, 1.0]);
    let (vx, vy) = (1.5, (1.0 + 20.0) / 2.0);
    assert!((s.states[0][2] - vx).abs() < 1e-10 && (s.states[0][3] - vy).abs() < 1e-10);
    for t in [0.3, 1.0, 1.7] {
        let x = s.position(t);
        assert!((x[0] - vx * t).abs() < 1e-10 && (x[1] - (vy * t - 5.0 * t * t)).abs() < 1e-10);
    }
}

/// Great circles: conjugate at the antipode and at the start itself.
#[test]
fn geodesics_of_the_sphere_are_conjugate_at_the_antipode() {
    let model = model("coord a, b\nkinetic: (a'^2 + sin(a)^2*b'^2)/2\n");
    // Along the equator, at unit speed.
    for (to, index) in [(2.0, 0), (4.0, 1)] {
        let found = between(&model, "a=pi/2, b=0", &format!("a=pi/2, b={to}"), to, 1);
        checked(&found);
        let motion = &found.motions[0];
        assert_eq!(motion.solution.index, Some(index));
        assert!((motion.solution.action - 0.5 * to).abs() < 1e-10);
        if index == 1 {
            let time = motion.conjugate.as_ref().unwrap()[0].time;
            assert!((time - PI).abs() < 1e-7, "{time}");
        }
    }
    // Between two points off the equator: the length is that of spherical trigonometry.
    let found = between(&model, "a=1, b=0", "a=1.3, b=0.9", 1.0, 1);
    checked(&found);
    let cosine = 1f64.cos() * 1.3f64.cos() + 1f64.sin() * 1.3f64.sin() * 0.9f64.cos();
    let length = cosine.acos();
    assert!((found.motions[0].solution.action - 0.5 * length * length).abs() < 1e-10);
}

/// The inner equator of a torus is curved negatively: nothing is conjugate. On the outer one, of length
/// parameter s, Jacobi's equation has the constant curvature K = 1/(r(R + r)): conjugate at π/√K.
#[test]
fn geodesics_of_the_torus_are_conjugate_where_jacobi_puts_them() {
    let model = model("coord v, u\nkinetic: (v'^2 + (2 + cos(v))^2*u'^2)/2\n");
    let outer = between(&model, "v=0, u=0", "v=0, u=2", 6.0, 1);
    checked(&outer);
    let motion = &outer.motions[0];
    // Unit speed: length 3·2 = 6; π·√3 = 5.44.
    assert_eq!(motion.solution.index, Some(1));
    let time = motion.conjugate.as_ref().unwrap()[0].time;
    assert!((time - PI * 3f64.sqrt()).abs() < 1e-6, "{time}");
    let inner = between(&model, "v=pi, u=0", "v=pi, u=6", 6.0, 1);
    checked(&inner);
    assert_eq!(inner.motions[0].solution.index, Some(0));
}

const DRIVEN: &str = "param m = 1.3\ncoord x, y\nlet p = (x + 0.3*cos(2*t), y)\nparticle p: mass m at p\n\
                      potential: (x^2 + 2*y^2 + x^2*y)/2*(1 + t/10)\n";

#[test]
fn six_functionals_have_the_same_stationary_curves() {
    let model = model(DRIVEN);
    let compiled = model.compile().unwrap();
    let ends = Ends {
        from: 0.2,
        to: 2.2,
        start: vec![Some(0.1), Some(0.4)],
        end: vec![Some(0.7), None],
    };
    let search = Search {
        degree: 5,
        elements: 6,
        tolerance: 1e-9,
        refine: true,
    };
    let mut first: Option<Solution> = None;
    for kind in ActionKind::ALL {
        let mut solver = compiled.stationary_solver(&model, kind).unwrap();
        let guess = |t: f64| vec![0.1 + 0.3 * (t - 0.2), 0.4];
        let found = solver.solve(&ends, guess, &search).unwrap();
        let first = first.get_or_insert_with(|| found.clone());
        assert!((found.action - first.action).abs() < 1e-12, "({kind})");
        assert_eq!(found.index, first.index, "({kind})");
        for (a, b) in found
            .states
            .iter()
            .flatten()
            .zip(first.states.iter().flatten())
        {
            assert!((a - b).abs() < 1e-11, "({kind}): {a} {b}");
        }
        // At a free end the momentum vanishes.
        assert!(found.momenta[found.elements()][1].abs() < 1e-10);
    }
}

/// A time-dependent Lagrangian by shooting: Newton's method on the initial velocity, with Taylor series.
#[test]
fn a_driven_system_agrees_with_shooting() {
    let model = model(DRIVEN);
    let found = between(&model, "x=0.1, y=0.4", "x=0.7, y=-0.2", 1.2, 1);
    checked(&found);
    let compiled = model.compile().unwrap();
    let options = galilei_integrate::Options {
        to: 1.2,
        record: galilei_integrate::Record::Every(1e9),
        tolerance: 1e-16,
        max_steps: 10_000,
        ..galilei_integrate::Options::default()
    };
    let end = |u: [f64; 2]| {
        let run = compiled.integrate(&[0.1, 0.4, u[0], u[1]], &options, |_| true);
        [run.state[0] - 0.7, run.state[1] + 0.2]
    };
    let mut u = [0.3, -0.3];
    for _ in 0..20 {
        let (h, r) = (1e-6, end(u));
        let column = |d: [f64; 2]| {
            let (p, q) = (
                end([u[0] + d[0], u[1] + d[1]]),
                end([u[0] - d[0], u[1] - d[1]]),
            );
            [(p[0] - q[0]) / (2.0 * h), (p[1] - q[1]) / (2.0 * h)]
        };
        let (a, b) = (column([h, 0.0]), column([0.0, h]));
        let det = a[0] * b[1] - a[1] * b[0];
        u[0] -= (b[1] * r[0] - b[0] * r[1]) / det;
        u[1] -= (a[0] * r[1] - a[1] * r[0]) / det;
    }
    let state = &found.motions[0].solution.states[0];
    assert!((state[2] - u[0]).abs() < 1e-9 && (state[3] - u[1]).abs() < 1e-9);
}

/// Back in time it is the same curve with the same action, its index that of the curve and not of the pieces.
#[test]
fn a_motion_backwards_has_the_action_of_the_one_forwards() {
    let model = model(OSCILLATOR);
    for (to, index) in [(2.0, 0), (4.0, 1), (7.0, 2)] {
        let [there, back] = [to, -to].map(|to| between(&model, "x=0.3", "x=1", to, 1));
        checked(&back);
        let [there, back] = [&there, &back].map(|found| &found.motions[0].solution);
        assert_eq!([there.index, back.index], [Some(index); 2], "{to}");
        assert!((there.action - back.action).abs() < 1e-9, "{to}");
    }
    let rod = self::model("coord x, y\nkinetic: (x'^2 + y'^2)/2\nconstraint c: x^2 + y^2 = 1\n");
    let found = between(&rod, "x=1, y=0", "x=0, y=1", -1.0, 1);
    let least = &found.motions[0].solution;
    assert_eq!(least.index, Some(0));
    assert!((least.action - PI * PI / 8.0).abs() < 1e-9);
}

/// Friction has no potential: the virtual work vanishes. m·ẍ = −c·ẋ has x = a + b·exp(−c·t/m).
#[test]
fn forces_enter_through_their_virtual_work() {
    let model = model("coord x\nkinetic: x'^2/2\nforce: x = -0.7*x'\n");
    let found = between(&model, "x=0", "x=1", 3.0, 1);
    checked(&found);
    assert!(found.forced);
    let b = 1.0 / (1.0 - f64::exp(-2.1));
    let s = &found.motions[0].solution;
    // The action itself is not stationary: it has no index.
    assert_eq!(s.index, None);
    assert!((s.states[0][1] - 0.7 * b).abs() < 1e-9);
    assert!((s.position(1.0)[0] - b * (1.0 - f64::exp(-0.7))).abs() < 1e-9);
}

/// Pieces of degree s give end states of order 2s.
#[test]
fn the_order_is_twice_the_degree() {
    let model = model("coord a\nkinetic: a'^2/2\npotential: -cos(a)\n");
    let compiled = model.compile().unwrap();
    let mut solver = compiled.stationary_solver(&model, ActionKind::E).unwrap();
    let ends = Ends {
        from: 0.0,
        to: 2.0,
        start: vec![Some(0.2)],
        end: vec![Some(1.5)],
    };
    let mut momentum = |degree: usize, elements: usize| {
        let search = Search {
            degree,
            elements,
            tolerance: 0.0,
            refine: false,
        };
        let found = solver.solve(&ends, |t| vec![0.2 + 0.65 * t], &search);
        found.unwrap().momenta[0][0]
    };
    let exact = momentum(10, 16);
    for degree in 1..=3 {
        let errors = [8, 16].map(|k| (momentum(degree, k) - exact).abs());
        let order = (errors[0] / errors[1]).log2();
        assert!(
            (order - 2.0 * degree as f64).abs() < 0.35,
            "{degree}: {order}"
        );
    }
}

#[test]
fn constraints_and_missing_ends_are_refused_with_their_reason() {
    let refused = |text: &str, end: &str, free: &[&str]| {
        let model = model(text);
        let search = model.stationary().end(end).free_end(free.iter().copied());
        let error = search.to(1.0).run().unwrap_err();
        error.diagnostics()[0].code.to_string()
    };
    let blade =
        "coord x, y, a\nkinetic: (x'^2 + y'^2 + a'^2)/2\nconstraint: x'*sin(a) = y'*cos(a)\n";
    assert_eq!(refused(blade, "", &[]), "not_variational");
    let rod = "coord x, y\nkinetic: (x'^2 + y'^2)/2\nconstraint: x^2 + y^2 = 1\ninitial x = 1\n";
    let off = refused(rod, "x=0.5, y=0.5", &[]);
    assert_eq!(off, "state_violates_constraint");
    assert_eq!(refused(rod, "x=0", &["y"]), "not_available");
    assert_eq!(refused(OSCILLATOR, "", &[]), "missing_end");
    assert_eq!(refused(OSCILLATOR, "x'=1", &[]), "invalid_state");
    assert_eq!(refused(OSCILLATOR, "x=1", &["x"]), "invalid_state");
    assert_eq!(refused(OSCILLATOR, "x=1", &["q"]), "unknown_coordinate");
}

#[test]
fn a_search_that_is_stopped_gives_what_it_has() {
    let model = model(OSCILLATOR);
    let search = || model.stationary().to(1.0).end("x=1").starts(1_000_000);
    let mut asked = 0;
    let counted = search().progress(|_| {
        asked += 1;
        asked <= 3
    });
    let found = counted.run().unwrap();
    assert_eq!((found.starts, found.motions.len()), (3, 1));
    assert!(found.warning().is_none());
    let none = search().progress(|_| false).run().unwrap();
    assert_eq!(none.starts, 0);
    assert_eq!(none.warning().unwrap().code, Code::NoMotionFound);
}

/// A pendulum as a point on a circle against the same one by its angle; and a great circle in space.
#[test]
fn constraints_between_positions_hold_along_stationary_curves() {
    let angle = model("coord a\nkinetic: a'^2/2\npotential: -cos(a)\n");
    let point = model(
        "coord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: y\nconstraint rod: x^2 + y^2 = 1\n\
         initial y = -1\n",
    );
    let (sine, cosine) = 0.5f64.sin_cos();
    let end = format!("x={sine:?}, y={:?}", -cosine);
    for to in [2.0, 5.0] {
        let by_angle = between(&angle, "a=0", "a=0.5", to, 1);
        let by_point = between(&point, "x=0, y=-1", &end, to, 6);
        let found = by_angle.motions[0].solution.clone();
        let same = by_point
            .motions
            .iter()
            .map(|m| &m.solution)
            .find(|s| (s.action - found.action).abs() < 1e-8)
            .expect("the same motion");
        assert!((same.states[0][2] - found.states[0][1]).abs() < 1e-8);
        assert!(same.residual <= 1e-10);
        assert_eq!(same.index, found.index);
        for k in 0..=20 {
            let x = same.position(to * f64::from(k) / 20.0);
            assert!((x[0].hypot(x[1]) - 1.0).abs() < 1e-7);
        }
        for state in &same.states {
            assert!((state[0].hypot(state[1]) - 1.0).abs() < 1e-13);
            assert!((state[0] * state[2] + state[1] * state[3]).abs() < 1e-12);
        }
    }
    let sphere = model(
        "coord x, y, z\nkinetic: (x'^2 + y'^2 + z'^2)/2\nconstraint: x^2 + y^2 + z^2 = 1\ninitial x = 1\n",
    );
    let found = between(&sphere, "x=1, y=0, z=0", "x=0, y=0.6, z=0.8", 1.0, 1);
    let length = PI / 2.0;
    assert!((found.motions[0].solution.action - 0.5 * length * length).abs() < 1e-10);
    assert_eq!(found.motions[0].solution.index, Some(0));
}

/// The actions of the motions that were found, and their indices.
fn actions(found: &StationaryMotions) -> Vec<(f64, Option<usize>)> {
    let motions = found.motions.iter();
    motions
        .map(|m| (m.solution.action, m.solution.index))
        .collect()
}

/// Great circles of length α, 2π − α, …: through poles at which charts end, to an end that the chart of the start does not
/// have. (T-125)
#[test]
fn t_125_geodesics_between_ends_in_different_charts() {
    let model = model("coord n on sphere\nparticle: mass 1 at n\ninitial n = (0, 0, 1)\n");
    for end in ["n=(0, 0, -1)", "n=(0.28, 0, -0.96)"] {
        let found = between(&model, "n=(0.6, 0, 0.8)", end, 2.0, 10);
        let at: Vec<f64> = end
            .split(&['(', ')', ','][..])
            .filter_map(|x| x.trim().parse().ok())
            .collect();
        let angle = (0.6 * at[0] + 0.8 * at[2]).clamp(-1.0, 1.0).acos();
        let list = actions(&found);
        for (length, index) in [(angle, 0), (2.0 * PI - angle, 1)] {
            let action = length * length / 4.0;
            let near = |m: &&(f64, Option<usize>)| (m.0 - action).abs() < 1e-9 * action;
            let own = list.iter().find(near);
            let own = own.unwrap_or_else(|| panic!("{end}: {action} is not in {list:?}"));
            assert_eq!(own.1, Some(index), "{end}");
        }
        for m in &found.motions {
            assert!(m.closure < 1e-8, "{}", m.closure);
            let last = &m.motion.run.outputs;
            assert!(distance(last, &at) < 1e-8, "{last:?}");
        }
    }
}

/// A body turns by 3 about an axis, or by 2π − 3 in the other sense. (T-125)
#[test]
fn t_125_rotations_have_two_ways() {
    let text = "coord R on rotations\nbody b: mass 1 inertia (1, 1, 1) at (0, 0, 0) rotation R\n";
    let found = between(&model(text), "R=x(0)", "R=x(3)", 1.0, 10);
    let list = actions(&found);
    for (angle, index) in [(3.0, 0), (2.0 * PI - 3.0, 0)] {
        let near = |m: &&(f64, Option<usize>)| (m.0 - angle * angle / 2.0).abs() < 1e-8;
        let own = list.iter().find(near);
        let own = own.unwrap_or_else(|| panic!("{angle} is not in {list:?}"));
        assert_eq!(own.1, Some(index), "{list:?}");
    }
}

/// The shortest way between two places of a sphere leads near the pole of its angles, and through the chart given for that
/// place. (T-125)
#[test]
fn t_125_curves_through_charts_of_ones_own() {
    let text = "coord theta, phi\n\
         particle: mass 1 at (sin(theta)*cos(phi), sin(theta)*sin(phi), -cos(theta))\n\
         chart tilted(a, b): theta = acos(-sin(a)*sin(b)), phi = atan2(cos(a), sin(a)*cos(b))\n\
         inverse tilted: a = acos(sin(theta)*sin(phi)), b = atan2(-cos(theta), sin(theta)*cos(phi))\n\
         atlas: tilted\ninitial theta = 1\n";
    let found = between(&model(text), "theta=1, phi=0", "theta=1, phi=3.1", 1.0, 10);
    let (s, c) = 1.0_f64.sin_cos();
    let angle = (c * c + s * s * 3.1_f64.cos()).acos();
    let list = actions(&found);
    let near = |m: &(f64, Option<usize>)| (m.0 - angle * angle / 2.0).abs() < 1e-8;
    assert!(list.iter().any(near), "{list:?}");
}
