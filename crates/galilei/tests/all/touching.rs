//! Contacts of bodies: where they touch, what holds them, how they rest. References are closed forms and other programs. (T-203, T-204)

use crate::common;

use common::{balanced, by, model, near};
use galilei::{Code, EquilibriumSearch, Model};

const G: f64 = 9.81;

/// The code of the first diagnostic of a text that is refused.
fn refused(text: &str) -> Code {
    Model::parse(text).unwrap_err().diagnostics()[0].code
}

/// A disk whose gap is that of its centre less its radius touches below the centre: thrown with backspin it rolls with
/// (v − Rω)/2 as a hoop.
#[test]
fn a_hoop_touches_below_its_centre() {
    let motion = balanced(
        "param R = 0.5\ncoord x, y, phi\nbody hoop: mass 1 inertia R^2 at (x, y) angle phi\ngravity: (0, -9.81)\ncontact floor: y - R >= 0 friction 0.2\ninitial y = R, x' = 2, phi' = 10\nsimulate to 3",
    );
    near(motion.run.state[3], (2.0 - 0.5 * 10.0) / 2.0, 1e-12);
}

/// The foot of a rod that falls from rest slips where |F| = μN of the pivoted rod, a root of a closed form. The foot is known
/// from the gap alone, and by its name.
#[test]
fn the_foot_of_a_falling_rod_slips() {
    for gap in ["y - sin(q)/2", "position(rod, (-1/2, 0)).y"] {
        let text = format!(
            "param th = pi/2 - 0.05\ncoord x, y, q\nbody rod: mass 1 inertia 1/12 at (x, y) angle q\ngravity: (0, -9.81)\ncontact tip: {gap} >= 0 friction 0.3\ninitial q = th, y = sin(th)/2, x = cos(th)/2\n"
        );
        let motion = balanced(&format!("{text}simulate to 1.2"));
        let modes = &motion.run.contacts.modes;
        let slips = modes.iter().find(|m| m.sticking.is_empty()).unwrap().time;
        let there = balanced(&format!("{text}simulate to {slips:?}"));
        let angle = std::f64::consts::FRAC_PI_2 - there.run.state[2];
        let (start, (s, c)) = (0.05_f64, angle.sin_cos());
        let (square, rate) = (3.0 * G * (start.cos() - c), 1.5 * G * s);
        let force = 0.5 * (rate * c - square * s);
        let normal = G - 0.5 * (rate * s + square * c);
        near(force.abs(), 0.3 * normal, 1e-9);
    }
}

/// A block slides down a wedge that slides itself: three linear equations for the accelerations and the normal force.
#[test]
fn a_block_slides_down_a_rough_wedge_that_moves() {
    let motion = balanced(
        "param al = 0.6\ncoord X, Y, x, y\nparticle wedge: mass 2 at (X, Y)\nparticle p: mass 1 at (x, y)\ngravity: (0, -9.81)\ncontact floor: Y >= 0\ncontact slope: (y - Y)*cos(al) - (x - X)*sin(al) >= 0 friction 0.3\noutput N: multiplier(slope)\nsimulate to 0.5",
    );
    let ((s, c), mu) = (0.6_f64.sin_cos(), 0.3);
    // m·a·s = m·g − N(c + μs), M·A = N(s − μc), m(A − a·c) = −N(s − μc)
    let push = s - mu * c;
    let normal = G / ((c + mu * s) + s * push * (1.0 + 0.5) / c);
    let wedge = normal * push / 2.0;
    near(motion.run.outputs[0], normal, 1e-11);
    near(motion.run.state[0], wedge / 8.0, 1e-11);
}

/// A ball in space touches below its centre, too: at rest against the lane v = 5/7·v₀ + 2/7·r·(ω_y, −ω_x).
#[test]
fn a_ball_in_space_touches_below_its_centre() {
    let motion = balanced(
        "param r = 0.1\ncoord x, y, z, R on rotations\nbody ball: mass 1 inertia (2/5*r^2, 2/5*r^2, 2/5*r^2) at (x, y, z) rotation R\ngravity: (0, 0, -9.81)\ncontact lane: z - r >= 0 friction 0.2\ninitial x' = 7, z = r, R = zxz(0, 0, 0), omega(R) = (35, 0, 0)\nsimulate to 4",
    );
    near(motion.run.state[6], 5.0, 1e-9);
    near(motion.run.state[7], -2.0 / 7.0 * 0.1 * 35.0, 1e-9);
}

/// Where a point of a body that turns touches something else than a surface through it, the file does not say what touches.
#[test]
fn points_that_are_not_known_are_asked_for() {
    let car = |gap: &str| {
        format!(
            "param R = 0.3\ncoord x, y, q\nbody car: mass 1 inertia 1 at (x, y) angle q\ncontact wheel: {gap} >= 0 friction 0.5\n"
        )
    };
    for gap in [
        "position(car, (1, 0)).y - R",
        "y - R - 1",
        "y + cos(q)/3 + sin(2*q)/8",
    ] {
        assert_eq!(refused(&car(gap)), Code::MissingTangent, "{gap}");
    }
    assert!(Model::parse(&car("position(car, (1, -R)).y")).is_ok());
    // A ball between two others: the radii are not known.
    let pair = "param d = 1\ncoord x, y, p, u, v, q\nbody a: mass 1 inertia 1 at (x, y) angle p\nbody b: mass 1 inertia 1 at (u, v) angle q\ncontact c: sqrt((x - u)^2 + (y - v)^2) - d >= 0 friction 0.5\n";
    assert_eq!(refused(pair), Code::MissingTangent);
}

/// A chain slides off a table: y'' = g·y/L, and the edge holds it until y(L − y) = y² − y₀², since what comes must be turned
/// downwards.
#[test]
fn a_chain_leaves_the_edge_of_a_table() {
    let (l, y0) = (1.0_f64, 0.3_f64);
    let motion = balanced(
        "param L = 1, g = 9.81, y0 = 0.3\ncoord y, X\nkinetic: (L - y)*(X' + y')^2/2 + y*(y'^2 + X'^2)/2\npotential: -g*y^2/2\ncontact edge: X >= 0\ninitial y = y0\nsimulate to 0.6",
    );
    let leaves = (l + (l * l + 8.0 * y0 * y0).sqrt()) / 4.0;
    let modes = &motion.run.contacts.modes;
    near(modes[1].time, (leaves / y0).acosh() / (G / l).sqrt(), 1e-11);
    assert!(modes[1].closed.is_empty());
    // With friction on the table: v² = g/L·(L² − y₀² − μ(L − y₀)²) at its end, or rest where y₀ ≤ μ(L − y₀).
    let rough = |mu: f64| {
        by("taylor", &format!("param L = 1, mu = {mu}\ncoord y\nkinetic: L*y'^2/2\npotential: -9.81*y^2/2\nfriction table: limit mu*9.81*(L - y) along y'\nevent off: y - L terminal\ninitial y = 0.3\nsimulate to 2"), None).run
    };
    let slides = rough(0.25);
    let square = G / l * (l * l - y0 * y0 - 0.25 * (l - y0).powi(2));
    near(slides.state[1].powi(2), square, 1e-10);
    assert_eq!(rough(0.5).state, [0.3, 0.0]);
}

/// A rod with round ends that falls on a rough floor, against MuJoCo 4.0.0 in the limit of stiff contact
/// (`bench/peers/contact.py`). With time constants of 4e-4, 1e-4 and 2.5e-5 s it comes to rest at x = 0.45253, 0.45228 and
/// 0.45219; at t = 0.3 its angle is 0.45244, 0.45252 and 0.45253.
#[test]
fn a_falling_rod_agrees_with_stiff_contact() {
    let text = "param r = 0.05\ncoord x, y, q\nbody rod: mass 1 inertia 0.08 at (x, y) angle q\ngravity: (0, -9.81)\ncontact a: position(rod, (1/2, 0)).y - r >= 0 friction 0.3 along velocity(rod, (1/2, 0)).x + r*q'\ncontact b: position(rod, (-1/2, 0)).y - r >= 0 friction 0.3 along velocity(rod, (-1/2, 0)).x + r*q'\ninitial y = sin(0.6)/2 + r + 0.3, q = 0.6, x' = 1, q' = 0.5\n";
    let early = balanced(&format!("{text}simulate to 0.3"));
    near(early.run.state[0], 0.314_98, 5e-5);
    near(early.run.state[1], 0.268_62, 5e-5);
    near(early.run.state[2], 0.452_53, 5e-5);
    let late = balanced(&format!("{text}simulate to 0.8"));
    near(late.run.state[0], 0.452_17, 1e-4);
    near(late.run.state[1], 0.05, 1e-9);
    near(late.run.state[2], 0.0, 1e-9);
    assert_eq!(late.run.contacts.modes.last().unwrap().sticking.len(), 2);
}

/// A journal bearing: the friction is ρ times the size of the force on the pin. A balanced wheel under its weight and a
/// horizontal force F stops after Jω/(ρ√(F² + m²g²)).
#[test]
fn a_journal_bearing_stops_a_wheel() {
    let motion = balanced(
        "param rho = 0.02\ncoord x, y, q\nbody wheel: mass 2 inertia 0.5 at (x, y) angle q\ngravity: (0, -9.81)\nforce pull: x = 30\nconstraint pin: (x, y) = (0, 0)\nfriction journal: limit rho*sqrt(multiplier(pin.x)^2 + multiplier(pin.y)^2) along q'\noutput torque: multiplier(journal)\ninitial q' = 3\nsimulate to 10",
    );
    let size = 0.02 * (30.0_f64.powi(2) + (2.0 * G).powi(2)).sqrt();
    let modes = &motion.run.contacts.modes;
    near(modes[1].time, 0.5 * 3.0 / size, 1e-11);
    assert_eq!(modes[1].sticking, ["journal"]);
    near(motion.run.state[2], 0.25 * 9.0 / size, 1e-11);
    let slipping = balanced(
        "param rho = 0.02\ncoord x, y, q\nbody wheel: mass 2 inertia 0.5 at (x, y) angle q\ngravity: (0, -9.81)\nforce pull: x = 30\nconstraint pin: (x, y) = (0, 0)\nfriction journal: limit rho*sqrt(multiplier(pin.x)^2 + multiplier(pin.y)^2) along q'\noutput torque: multiplier(journal)\ninitial q' = 3\nsimulate to 1",
    );
    near(slipping.run.outputs[0], -size, 1e-12);
}

/// A compound pendulum on a thick pin: the force on the pin depends on the acceleration, which depends on the friction. The
/// balance of moments about the pin is a quadratic equation for its size, solved here by iteration with fourth-order steps.
#[test]
fn the_pin_of_a_pendulum_rubs() {
    let (d, inertia, rho) = (0.5_f64, 0.1, 0.012);
    let whole = inertia + d * d;
    let rate = |q: f64, w: f64| {
        let mut force = G;
        let mut a = 0.0;
        for _ in 0..60 {
            a = (-G * d * q.sin() + rho * force) / whole;
            let x = d * (a * q.cos() - w * w * q.sin());
            let y = d * (a * q.sin() + w * w * q.cos());
            force = x.hypot(y + G);
        }
        a
    };
    // From q = 1 at rest, turning backwards.
    let (mut q, mut w, h) = (1.0_f64, 0.0_f64, 0.4 / 4000.0);
    for _ in 0..4000 {
        let k1 = (w, rate(q, w));
        let k2 = (
            w + h / 2.0 * k1.1,
            rate(q + h / 2.0 * k1.0, w + h / 2.0 * k1.1),
        );
        let k3 = (
            w + h / 2.0 * k2.1,
            rate(q + h / 2.0 * k2.0, w + h / 2.0 * k2.1),
        );
        let k4 = (w + h * k3.1, rate(q + h * k3.0, w + h * k3.1));
        q += h / 6.0 * (k1.0 + 2.0 * k2.0 + 2.0 * k3.0 + k4.0);
        w += h / 6.0 * (k1.1 + 2.0 * k2.1 + 2.0 * k3.1 + k4.1);
    }
    let motion = balanced(
        "param d = 0.5, rho = 0.012\ncoord x, y, q\nbody arm: mass 1 inertia 0.1 at (x, y) angle q\ngravity: (0, -9.81)\nconstraint pin: (x - d*sin(q), y + d*cos(q)) = (0, 0)\nfriction journal: limit rho*sqrt(multiplier(pin.x)^2 + multiplier(pin.y)^2) along q'\ninitial q = 1, x = d*sin(1), y = -d*cos(1)\nsimulate to 0.4",
    );
    near(motion.run.state[2], q, 1e-10);
    near(motion.run.state[5], w, 1e-10);
}

/// A limit may be any sum of multipliers and sizes; what is none is refused with the reason.
#[test]
fn limits_that_are_no_sizes_are_refused() {
    let with = |limit: &str| {
        let text = format!(
            "coord x, y, q\nbody wheel: mass 2 inertia 0.5 at (x, y) angle q\nconstraint pin: (x, y) = (0, 0)\nfriction f: limit {limit} along q'\nsimulate to 1\n"
        );
        model(&text)
            .simulate()
            .run()
            .map(|_| ())
            .map_err(|e| e.diagnostics()[0].code)
    };
    assert_eq!(
        with(
            "0.1 + sqrt(multiplier(pin.x)^2 + 2*multiplier(pin.y)^2)/9 + abs(multiplier(pin.x))/7"
        ),
        Ok(())
    );
    for limit in [
        "multiplier(pin.x)^2",
        "sqrt(1 + multiplier(pin.x)^2)",
        "sqrt(multiplier(pin.x)^4 + multiplier(pin.y)^4)",
        "reaction(pin)",
    ] {
        assert_eq!(with(limit), Err(Code::NotAvailable), "{limit}");
    }
}

/// A ball that rolls far turns past half a turn again and again: R.zz = cos(x/r).
#[test]
fn a_ball_in_contact_turns_past_half_a_turn() {
    let motion = balanced(
        "param r = 0.1\ncoord x, y, z, R on rotations\nbody ball: mass 1 inertia (2/5*r^2, 2/5*r^2, 2/5*r^2) at (x, y, z) rotation R\ngravity: (0, 0, -9.81)\ncontact lane: z - r >= 0 friction 0.2\ninitial x' = 7, z = r, omega(R) = (0, 70, 0)\nlet e = R*(0, 0, 1)\nlet f = R*(1, 0, 0)\noutput zz: e.z\noutput zx: f.z\nsimulate to 5.03",
    );
    near(motion.run.state[0], 35.21, 1e-9);
    near(motion.run.outputs[0], 352.1_f64.cos(), 1e-8);
    near(motion.run.outputs[1], -352.1_f64.sin(), 1e-8);
}

/// The top of the next tests, with Euler's angles.
const TOP: &str = "param m = 0.015, R = 0.02, a = 0.006, mu = 0.02, C = 0.4*m*R^2, A = 0.95*C, n = 150\ncoord x, y, z, phi, theta, psi\nbody top: mass m inertia (A, A, C) at (x, y, z) rotation zxz(phi, theta, psi)\ngravity: (0, 0, -9.81)\nlet arm = (a*sin(theta)*sin(phi), -a*sin(theta)*cos(phi), a*cos(theta) - R)\nlet slip = (x', y', z') + cross(omega(top), arm)\ncontact table: z + a*cos(theta) - R >= 0 friction mu along (slip.x, slip.y)\noutput jellett: C*(psi' + phi'*cos(theta))*(a - R*cos(theta)) - A*phi'*sin(theta)^2*R\noutput up: cos(theta)\ninitial theta = th, z = R - a*cos(th), psi' = n\nparam th = ";

/// The tippe top, a sphere with its mass centre below its middle: friction turns it over. The product of the angular momentum
/// with the arm of the contact point is kept (Jellett), whatever the friction.
#[test]
fn a_tippe_top_turns_over() {
    let run = |end: f64| balanced(&format!("{TOP}0.3\nsimulate to {end}")).run;
    let (start, half, over) = (run(1e-6), run(8.0), run(18.0));
    assert!(over.outputs[1] < -0.99, "{}", over.outputs[1]);
    for later in [half, over] {
        near(later.outputs[0] / start.outputs[0], 1.0, 1e-9);
    }
}

/// A top that begins to slip while it rolls: at the limit slip has no acceleration yet, and its direction shows later. With its
/// attitude on the rotations, whose coordinates change all the time, the motion is the same.
#[test]
fn a_top_that_rolls_begins_to_slip() {
    let text = format!("{TOP}0.1\nsimulate to 1.2");
    let angles = balanced(&text);
    let modes = &angles.run.contacts.modes;
    assert!(modes[1].sticking == ["table"] && modes[2].sticking.is_empty());
    let start = balanced(&text.replace("1.2", "1e-6"));
    near(angles.run.outputs[0] / start.run.outputs[0], 1.0, 1e-8);
    let other = text
        .replace("phi, theta, psi\n", "Q on rotations\n")
        .replace(
            "rotation zxz(phi, theta, psi)",
            "rotation Q\nlet e = Q*(0, 0, 1)",
        )
        .replace(
            "(a*sin(theta)*sin(phi), -a*sin(theta)*cos(phi), a*cos(theta) - R)",
            "(a*e.x, a*e.y, a*e.z - R)",
        )
        .replace("z + a*cos(theta)", "z + a*e.z")
        .replace(
            "initial theta = th, z = R - a*cos(th), psi' = n",
            "initial z = R - a*cos(th), Q = zxz(0, th, 0), omega(Q) = (0, -n*sin(th), n*cos(th))",
        )
        .replace("output up: cos(theta)\n", "output up: e.z\n");
    let jellett = other
        .lines()
        .position(|l| l.starts_with("output jellett"))
        .unwrap();
    let kept: Vec<&str> = (other.lines().enumerate())
        .filter(|(k, _)| *k != jellett)
        .map(|l| l.1)
        .collect();
    let rotations = balanced(&kept.join("\n").replace("1.2", "0.75"));
    let angles = balanced(&text.replace("1.2", "0.75"));
    near(rotations.run.outputs[0], angles.run.outputs[1], 1e-7);
    near(rotations.run.state[0], angles.run.state[0], 1e-7);
    let (a, b) = (&rotations.run.contacts.modes, &angles.run.contacts.modes);
    near(a[1].time, b[1].time, 1e-8);
    near(a[2].time, b[2].time, 1e-6);
}

/// A hoop with a heavy point on its rim skids before it hops: N → 0 at the top needs more friction than there is (Pritchett,
/// 1999). Times by SciPy: DOP853 with events over the equations of rolling, then of slipping.
#[test]
fn a_hoop_with_a_point_mass_skids_before_it_hops() {
    let motion = balanced(
        "param R = 0.5, m = 1, M = 0.2\ncoord x, y, q\nkinetic: M*(x'^2 + y'^2)/2 + M*R^2*q'^2/2\nparticle p: mass m at (x + R*sin(q), y + R*cos(q))\npotential: M*9.81*y + m*9.81*(y + R*cos(q))\ncontact floor: y - R >= 0 friction 50 along x' - R*q'\ninitial y = R, q = pi, q' = 40, x' = 20\nsimulate to 0.07",
    );
    let modes = &motion.run.contacts.modes;
    near(modes[1].time, 0.034_394_43, 1e-8);
    assert!(modes[1].sticking.is_empty() && modes[1].closed == ["floor"]);
    near(modes[2].time, 0.067_499_84, 1e-8);
    assert!(modes[2].closed.is_empty());
}

/// Statics in a mode: a particle in a bowl swings with √(g/R); it rests at the bottom, where the bowl presses with its weight.
#[test]
fn a_particle_in_a_bowl_has_modes() {
    let bowl = model(
        "param R = 2\ncoord x, y\nparticle p: mass 3 at (x, y)\ngravity: (0, -9.81)\ncontact bowl: R - sqrt(x^2 + y^2) >= 0\ninitial y = -R\n",
    );
    let modes = bowl.modes(&bowl.state_at("").unwrap()).unwrap();
    let frequency = (G / 2.0).sqrt() / std::f64::consts::TAU;
    near(modes.frequencies_hz[0], frequency, 1e-12);
    assert!(modes.warnings.iter().any(|w| w.code == Code::ContactMode));
    let found = bowl.equilibria(&EquilibriumSearch::default()).unwrap();
    // The top of the bowl is no equilibrium: the bowl would have to pull.
    assert_eq!(found.list.len(), 1, "{:?}", found.list);
    near(found.list[0].position[1], -2.0, 1e-12);
    assert_eq!(found.list[0].stable, Some(true));
    // Apart from the bowl there is no equilibrium, and at the rim nothing presses.
    let refused = |at: &str| bowl.modes(&bowl.state_at(at).unwrap()).unwrap_err();
    assert_eq!(
        refused("x=2, y=0").diagnostics()[0].code,
        Code::NotDifferentiable
    );
    assert_eq!(
        refused("x=3, y=0").diagnostics()[0].code,
        Code::NotDifferentiable
    );
}

/// Kicks drive motions near the rest of a damped oscillator away: nothing is said about its stability.
#[test]
fn kicks_leave_stability_open() {
    let clock = "coord x\nkinetic: x'^2/2\npotential: 2*x^2\nforce: x = -0.2*x'\n";
    let found = |text: &str| {
        model(text)
            .equilibria(&EquilibriumSearch::default())
            .unwrap()
    };
    assert_eq!(found(clock).list[0].stable, Some(true));
    let kicked = format!("{clock}event up: x rising\nimpact kick: up x' = before(x') + 0.5\n");
    let found = found(&kicked);
    assert_eq!(
        (found.list[0].stable, found.list[0].linearly_stable),
        (None, None)
    );
    assert!(
        found.list[0].reason.contains("kick"),
        "{}",
        found.list[0].reason
    );
}

/// A block held by friction rests wherever it is, so nothing is said about its stability; a spring on it swings without it.
#[test]
fn what_sticks_rests_in_a_family() {
    let text = "param al = 0.3\ncoord s, n, q\nkinetic: (s'^2 + n'^2)/2 + q'^2/2\npotential: 9.81*(s*sin(al) + n*cos(al)) + 8*q^2\ncontact plane: n >= 0 friction MU along s'\n";
    let holds = model(&text.replace("MU", "0.5"));
    let found = holds.equilibria(&EquilibriumSearch::default()).unwrap();
    assert!(found.list.iter().all(|e| e.family && e.stable.is_none()));
    assert!(!found.list.is_empty());
    let modes = holds.modes(&holds.state_at("").unwrap()).unwrap();
    let fastest = modes.frequencies_hz.iter().fold(0.0_f64, |m, f| m.max(*f));
    near(fastest, 4.0 / std::f64::consts::TAU, 1e-12);
    // It begins to slide at rest: motions on both sides have other equations.
    let slides = model(&text.replace("MU", "0.2"));
    let refused = slides.modes(&slides.state_at("").unwrap()).unwrap_err();
    assert_eq!(refused.diagnostics()[0].code, Code::NotDifferentiable);
}
