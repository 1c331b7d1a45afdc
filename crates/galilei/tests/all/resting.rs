//! Bodies that rest before they move: all velocities are rounding errors until a force has grown. (T-204)

use crate::common;

use common::{balanced, near};

const G: f64 = 9.81;

/// Fourth-order steps of q'' = a(t, q) from rest.
fn stepped(from: f64, to: f64, a: impl Fn(f64, f64) -> f64) -> (f64, f64) {
    let steps = 4000;
    let h = (to - from) / f64::from(steps);
    let (mut q, mut w) = (0.0, 0.0);
    for k in 0..steps {
        let t = from + f64::from(k) * h;
        let k1 = (w, a(t, q));
        let k2 = (w + h / 2.0 * k1.1, a(t + h / 2.0, q + h / 2.0 * k1.0));
        let k3 = (w + h / 2.0 * k2.1, a(t + h / 2.0, q + h / 2.0 * k2.0));
        let k4 = (w + h * k3.1, a(t + h, q + h * k3.0));
        q += h / 6.0 * (k1.0 + 2.0 * k2.0 + 2.0 * k3.0 + k4.0);
        w += h / 6.0 * (k1.1 + 2.0 * k2.1 + 2.0 * k3.1 + k4.1);
    }
    (q, w)
}

const BOX: &str = "param b = 0.2, h = 0.5\ncoord x, y, q\nbody box: mass 1 inertia (b^2 + h^2)/3 at (x, y) angle q\ncontact l: position(box, (-b, -h)).y >= 0 friction 0.6\ncontact r: position(box, (b, -h)).y >= 0 friction 0.6\ninitial y = h\n";

/// A box that is pushed at its top by a growing force tips about the corner ahead when the moment of the force reaches that of
/// its weight.
#[test]
fn a_box_that_is_pushed_tips_about_the_corner_ahead() {
    let (b, h) = (0.2_f64, 0.5_f64);
    let inertia = 4.0 / 3.0 * (b * b + h * h);
    let start = G * b / (2.0 * h) / 2.0;
    let to = start + 0.3;
    let motion = balanced(&format!(
        "{BOX}gravity: (0, -9.81)\nforce push: (2*t, 0) at position(box, (0, h))\nsimulate to {to}\n"
    ));
    // Clockwise about the corner ahead.
    let (q, w) = stepped(start, to, |t, q| {
        let (s, c) = q.sin_cos();
        (2.0 * t * (b * s + 2.0 * h * c) + G * (h * s - b * c)) / inertia
    });
    near(motion.run.state[2], -q, 1e-9);
    near(motion.run.state[5], -w, 1e-9);
    let modes = &motion.run.contacts.modes;
    near(modes[1].time, start, 1e-11);
    assert_eq!(modes[1].closed, ["r"]);
    assert!(motion.run.contacts.collisions.is_empty());
}

/// A box on a table that is tilted topples at tan α = b/h.
#[test]
fn a_box_on_a_tilting_table_topples() {
    let (b, h) = (0.2_f64, 0.5_f64);
    let inertia = 4.0 / 3.0 * (b * b + h * h);
    let start = (b / h).atan() / 0.3;
    let to = start + 0.6;
    let motion = balanced(&format!(
        "{BOX}force weight: x = 9.81*sin(0.3*t), y = -9.81*cos(0.3*t)\nsimulate to {to}\n"
    ));
    let (q, w) = stepped(start, to, |t, q| {
        let ((s, c), (gx, gy)) = (q.sin_cos(), (0.3 * t).sin_cos());
        G * (gx * (b * s + h * c) + gy * (h * s - b * c)) / inertia
    });
    near(motion.run.contacts.modes[1].time, start, 1e-11);
    near(motion.run.state[2], -q, 1e-9);
    near(motion.run.state[5], -w, 1e-9);
}

/// The pin of a pendulum holds it where its friction is larger than the moment of the weight, also where its arm is not upright:
/// the multipliers along both axes and of the friction cancel each other but for rounding.
#[test]
fn a_rough_pin_holds_a_pendulum() {
    for (limit, q) in [("5", 0.003), ("50", 0.5), ("50", 1.0)] {
        let motion = balanced(&format!(
            "coord x, y, q\nbody arm: mass 1 inertia 1 at (x, y) angle q\ngravity: (0, -9.81)\nconstraint px: x - sin(q) = 0\nconstraint py: y + cos(q) = 0\nfriction pin: limit {limit} along q'\noutput torque: multiplier(pin)\ninitial q = {q}, x = sin({q}), y = -cos({q})\nsimulate to 20\n"
        ));
        near(motion.run.state[2], q, 1e-12);
        near(motion.run.outputs[0], G * q.sin(), 1e-12);
        assert_eq!(motion.run.contacts.modes.len(), 1);
    }
}

/// A pendulum on a journal whose friction is 0.05 m of its force swings until it sticks: at the end of the swing the moment of
/// its weight is smaller than the friction.
#[test]
fn a_pendulum_on_a_journal_comes_to_rest() {
    let motion = balanced(
        "coord x, y, q\nbody arm: mass 1 inertia 1 at (x, y) angle q\ngravity: (0, -9.81)\nconstraint px: x - sin(q) = 0\nconstraint py: y + cos(q) = 0\nfriction pin: limit 0.05*sqrt(multiplier(px)^2 + multiplier(py)^2) along q'\ninitial q = 1, x = sin(1), y = -cos(1)\nsimulate to 20\n",
    );
    let modes = &motion.run.contacts.modes;
    assert_eq!(modes[modes.len() - 1].sticking, ["pin"]);
    assert!(motion.run.state[2].sin().abs() <= 0.05);
    near(motion.run.state[5], 0.0, 1e-12);
}
