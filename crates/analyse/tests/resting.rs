//! Contacts and friction of bodies that rest, and friction where the gap is no distance. (T-204)

use galilei_analyse::ContactCode;
use galilei_integrate::{Method, Options, Record, Run, Status};
use galilei_lower::{Form, Parameters, lower};
use galilei_model::{Model, Settings, read};

const G: f64 = 9.81;

fn model(text: &str) -> Model {
    let found = read(text, &Settings::default());
    found.model.unwrap_or_else(|| panic!("{text}"))
}

#[track_caller]
fn near(a: f64, b: f64, tolerance: f64) {
    assert!(
        (a - b).abs() <= tolerance * b.abs().max(1.0),
        "{a} is not {b}"
    );
}

fn options(to: f64) -> Options {
    Options {
        to,
        record: Record::Nothing,
        tolerance: 1e-13,
        ..Options::default()
    }
}

fn start(model: &Model) -> Vec<f64> {
    let state = model.initial_state().unwrap();
    let values = model.parameter_values().unwrap();
    let all = state.position.iter().chain(&state.velocity);
    all.map(|e| e.substitute(&values).evaluate_f64(&[]))
        .collect()
}

/// A run of a model with contacts.
fn run(text: &str, to: f64) -> Run {
    let model = model(text);
    let (code, _) = ContactCode::new(&model, Parameters::Constant).unwrap();
    let state = start(&model);
    let run = code.integrate(Method::Taylor, (&state, &[]), &options(to), |_| true);
    assert_eq!(run.status, Status::Finished, "{text}");
    assert!(run.energy_balance < 1e-11, "{text}");
    run
}

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
    let motion = run(
        &format!("{BOX}gravity: (0, -9.81)\nforce push: (2*t, 0) at position(box, (0, h))\n"),
        to,
    );
    // Clockwise about the corner ahead.
    let (q, w) = stepped(start, to, |t, q| {
        let (s, c) = q.sin_cos();
        (2.0 * t * (b * s + 2.0 * h * c) + G * (h * s - b * c)) / inertia
    });
    near(motion.state[2], -q, 1e-9);
    near(motion.state[5], -w, 1e-9);
    let modes = &motion.contacts.modes;
    near(modes[1].time, start, 1e-11);
    assert_eq!(modes[1].closed, ["r"]);
    assert!(motion.contacts.collisions.is_empty());
}

/// A box on a table that is tilted topples at tan α = b/h.
#[test]
fn a_box_on_a_tilting_table_topples() {
    let (b, h) = (0.2_f64, 0.5_f64);
    let inertia = 4.0 / 3.0 * (b * b + h * h);
    let start = (b / h).atan() / 0.3;
    let to = start + 0.6;
    let motion = run(
        &format!("{BOX}force weight: x = 9.81*sin(0.3*t), y = -9.81*cos(0.3*t)\n"),
        to,
    );
    let (q, w) = stepped(start, to, |t, q| {
        let ((s, c), (gx, gy)) = (q.sin_cos(), (0.3 * t).sin_cos());
        G * (gx * (b * s + h * c) + gy * (h * s - b * c)) / inertia
    });
    near(motion.contacts.modes[1].time, start, 1e-11);
    near(motion.state[2], -q, 1e-9);
    near(motion.state[5], -w, 1e-9);
}

/// A pendulum on a journal whose friction is 0.05 m of its force swings until it sticks: at the end of the swing the moment of
/// its weight is smaller than the friction.
#[test]
fn a_pendulum_on_a_journal_comes_to_rest() {
    let motion = run(
        "coord x, y, q\nbody arm: mass 1 inertia 1 at (x, y) angle q\ngravity: (0, -9.81)\nconstraint px: x - sin(q) = 0\nconstraint py: y + cos(q) = 0\nfriction pin: limit 0.05*sqrt(multiplier(px)^2 + multiplier(py)^2) along q'\ninitial q = 1, x = sin(1), y = -cos(1)\n",
        20.0,
    );
    let modes = &motion.contacts.modes;
    assert_eq!(modes[modes.len() - 1].sticking, ["pin"]);
    assert!(motion.state[2].sin().abs() <= 0.05);
    near(motion.state[5], 0.0, 1e-12);
}

/// The pin of a pendulum holds it where its friction is larger than the moment of the weight, also where its arm is not upright:
/// the multipliers along both axes and of the friction cancel each other but for rounding.
#[test]
fn a_rough_pin_holds_a_pendulum() {
    for (limit, q) in [("5", 0.003), ("50", 0.5), ("50", 1.0)] {
        let text = format!(
            "coord x, y, q\nbody arm: mass 1 inertia 1 at (x, y) angle q\ngravity: (0, -9.81)\nconstraint px: x - sin(q) = 0\nconstraint py: y + cos(q) = 0\nfriction pin: limit {limit} along q'\ninitial q = {q}, x = sin({q}), y = -cos({q})\n"
        );
        let held = run(&text, 20.0);
        near(held.state[2], q, 1e-12);
        assert_eq!(held.contacts.modes.len(), 1);
    }
}

/// Friction is a part of the normal force, also where the gap is no distance and its multiplier is another number: a particle on
/// a slope given by y ≥ −x·tan α or a multiple of it, in the plane and in space, and inside a drum, where v' = −μv²/r.
#[test]
fn friction_follows_the_normal_force_whatever_the_gap() {
    let (slope, mu) = (0.7_f64, 0.3);
    let (s, c) = slope.sin_cos();
    let way = G * (s - mu * c) / 2.0;
    for gap in ["y + x*tan(0.7)", "3*(y*cos(0.7) + x*sin(0.7))"] {
        for (coordinates, pull) in [("x, y", "0, -9.81"), ("x, y, z", "0, -9.81, 0")] {
            let text = format!(
                "coord {coordinates}\nparticle p: mass 2 at ({coordinates})\ngravity: ({pull})\ncontact f: {gap} >= 0 friction {mu}\n"
            );
            let slid = run(&text, 1.0);
            near(slid.state[0], way * c, 1e-10);
            near(slid.state[1], -way * s, 1e-10);
        }
    }
    let drum = run(
        "coord x, y\nparticle p: mass 2 at (x, y)\ncontact wall: 4 - x^2 - y^2 >= 0 friction 0.3\ninitial x = 2, y' = 3\n",
        1.0,
    );
    let speed = 3.0 / (1.0 + 0.3 * 3.0 / 2.0);
    let angle = (1.0_f64 + 0.3 * 3.0 / 2.0).ln() / 0.3;
    near(drum.state[0], 2.0 * angle.cos(), 1e-10);
    near(drum.state[3], speed * angle.cos(), 1e-10);
}

/// A pendulum whose body has next to no moment of inertia: its quasi-velocity is −1 times a quotient, and the velocities are
/// −1 times it.
#[test]
fn velocities_follow_from_multiples_that_are_quasi_velocities() {
    let bob = model(
        "coord x, y, q\nbody bob: mass 1 inertia 1e-12 at (x, y) angle q\ngravity: (0, -9.81)\nconstraint px: x - sin(q) = 0\nconstraint py: y + cos(q) = 0\ninitial q = 1, x = sin(1), y = -cos(1)\n",
    );
    let plain = model("coord q\nkinetic: q'^2/2\npotential: -9.81*cos(q)\ninitial q = 1\n");
    let ends = [(&bob, Form::Reduced), (&plain, Form::Closed)].map(|(model, form)| {
        let lowered = lower(model, form, Parameters::Constant).unwrap();
        Method::Taylor.integrate(&lowered.problem, &start(model), &options(1.0), |_| true)
    });
    near(ends[0].state[2], ends[1].state[0], 1e-11);
    near(ends[0].state[5], ends[1].state[1], 1e-11);
}
