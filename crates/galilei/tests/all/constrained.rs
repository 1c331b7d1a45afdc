//! Motion under constraints against the same motion without them.

use galilei::{Code, Model};
use galilei_integrate::{Options, Record};

use crate::common::{all_near as near, model};

/// A pendulum as a particle on a circle, its constraint between positions, is the pendulum.
#[test]
fn a_position_constraint_gives_the_pendulum() {
    let circle = model(
        "param g = 9.81\ncoord x, y\nparticle bob: mass 1 at (x, y)\ngravity: (0, -g)\n\
         constraint rod: x^2 + y^2 = 1\noutput tension: 2*multiplier(rod)\noutput size: reaction(rod)\n\
         initial x = 0.8, y = -0.6\nsimulate to 3\n",
    );
    let angle = model(
        "param g = 9.81\ncoord a\nparticle bob: mass 1 at (sin(a), -cos(a))\ngravity: (0, -g)\n\
         initial a = atan2(8, 6)\nsimulate to 3\n",
    );
    let one = circle.simulate().run().unwrap();
    let other = angle.simulate().run().unwrap();
    let a = other.run.state[0];
    near("pendulum", &one.run.state[..2], &[a.sin(), -a.cos()], 1e-10);
    // The rod pulls with g·cos a + a'².
    let pull = 9.81 * a.cos() + other.run.state[1].powi(2);
    near("tension", &one.run.outputs, &[-pull, pull], 1e-9);
    assert!(one.run.constraint_residual.unwrap() < 1e-10);
}

/// The components of a constraint between tuples have multipliers of their own.
#[test]
fn components_of_constraints_have_multipliers() {
    let both = model(
        "coord x, y\nparticle p: mass 1 at (x, y)\ngravity: (3, -9)\n\
         constraint hold: (x, y) = (0, 0)\noutput side: multiplier(hold.x)\n\
         output up: multiplier(hold.y)\noutput size: reaction(hold.y)\nsimulate to 1\n",
    );
    let run = both.simulate().run().unwrap();
    near("multipliers", &run.run.outputs, &[-3.0, 9.0, 9.0], 1e-10);
}

/// A body given by a quaternion moves as the same body given by Euler's angles.
#[test]
fn a_quaternion_body_is_the_body_with_angles() {
    let quaternion = model(
        "coord a, b, c, d\nbody top: mass 1 inertia (1, 2, 3) at (0, 0, 0) rotation quaternion(a, b, c, d)\n\
         output w: omega(top).z\ninitial a = 1, b' = 0.5, c' = 0.25, d' = -0.125\nsimulate to 4\n",
    );
    let angles = model(
        "coord p, q, r\nbody top: mass 1 inertia (1, 2, 3) at (0, 0, 0) rotation xyz(p, q, r)\n\
         output w: omega(top).z\ninitial p' = 1, q' = 0.5, r' = -0.25\nsimulate to 4\n",
    );
    let one = quaternion.simulate().run().unwrap();
    let other = angles.simulate().run().unwrap();
    near("spin", &one.run.outputs, &other.run.outputs, 1e-9);
    let energy = |m: &Model, s: &[f64]| {
        let n = s.len() / 2;
        let names: Vec<String> = m
            .contents()
            .coordinates
            .iter()
            .map(|c| c.name.clone())
            .collect();
        let text: Vec<String> = (0..n)
            .map(|i| format!("{0}={1:?}, {0}'={2:?}", names[i], s[i], s[n + i]))
            .collect();
        m.evaluate(&m.state_at(&text.join(", ")).unwrap())
            .unwrap()
            .hamiltonian
    };
    near(
        "energy",
        &[energy(&quaternion, &one.run.state)],
        &[energy(&angles, &other.run.state)],
        1e-10,
    );
}

#[test]
fn states_off_the_constraint_are_refused() {
    let m = model(
        "coord x, y\nkinetic: (x'^2 + y'^2)/2\nconstraint skate: y' = x'\ninitial x' = 1, y' = 1\n",
    );
    let state = m.state_at("x'=2").unwrap();
    assert_eq!(
        m.evaluate(&state).unwrap_err().diagnostics()[0].code,
        Code::StateViolatesConstraint
    );
}

/// Long runs stay on their constraints, at position and velocity level, linear or not; without
/// projection they drift away with the tolerance, and no faster.
#[test]
fn projection_keeps_long_runs_on_their_constraints() {
    let circle = "param g = 9.81\ncoord x, y\nparticle bob: mass 1 at (x, y)\ngravity: (0, -g)\n\
                  constraint rod: x^2 + y^2 = 1\ninitial x = 0.8, y = -0.6\nsimulate to 300\n";
    let sleigh = "param m = 1, k = 0.4\ncoord x, y, a\n\
                  kinetic: m/2*(x'^2 + y'^2) + k/2*a'^2 - 0.3*a'*(x'*sin(a) - y'*cos(a))\n\
                  constraint skate: x'*sin(a) = y'*cos(a)\ninitial x' = 0.5, a' = 1\nsimulate to 300\n";
    let speed = "coord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: x^2/2 + y^2\n\
                 constraint speed: x'^2 + y'^2 = 1\ninitial x = 1, y' = 1\nsimulate to 300\n";
    for text in [circle, sleigh, speed] {
        let model = model(text);
        let compiled = model.compile().unwrap();
        let free = model.compile().unwrap().without_projection();
        let state = model.initial_state().unwrap();
        let start: Vec<f64> = state
            .position
            .iter()
            .chain(&state.velocity)
            .map(|e| e.evaluate_f64(&[]))
            .collect();
        let mut drifts = Vec::new();
        for tolerance in [1e-6, 1e-9, 1e-12] {
            let options = Options {
                to: 300.0,
                record: Record::Every(1e3),
                tolerance,
                max_steps: 1_000_000,
                ..Options::default()
            };
            let run = compiled.integrate(&start, &options, |_| true);
            let residual = run.constraint_residual.unwrap();
            assert!(residual <= tolerance, "{residual} at {tolerance}: {text}");
            drifts.push(
                free.integrate(&start, &options, |_| true)
                    .constraint_residual
                    .unwrap(),
            );
        }
        // A thousandth of the tolerance, about a thousandth of the drift.
        assert!(
            drifts[1] < 0.05 * drifts[0] && drifts[2] < 1e-9 && drifts[0] < 1e-2,
            "{drifts:?}: {text}"
        );
    }
}
