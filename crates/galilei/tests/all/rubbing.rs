//! Problems of contact and friction as users write them, against closed forms, and the words that answer what they write
//! otherwise. (T-203, T-204)

use crate::common;

use common::{balanced, by, near};
use galilei::{Code, Model};

const G: f64 = 9.81;

/// A rod that falls flat lies on both ends at once, each of which takes half of its weight.
#[test]
fn a_rod_that_falls_flat_lies_on_both_ends() {
    let rod = "param l = 1\ncoord x, y, q\nbody rod: mass 1 inertia l^2/12 at (x, y) angle q\ngravity: (0, -9.81)\ncontact a: y - l/2*sin(q) >= 0\ncontact b: y + l/2*sin(q) >= 0\noutput A: multiplier(a)\noutput B: multiplier(b)\nsimulate to 1\n";
    let falls = balanced(&format!("{rod}initial y = 1\n"));
    let hits = &falls.run.contacts.collisions;
    assert_eq!(hits.len(), 2);
    for hit in hits {
        near(
            hit.impulse.as_ref().unwrap()[0],
            (2.0 * G).sqrt() / 2.0,
            1e-12,
        );
    }
    for motion in [falls, balanced(rod)] {
        near(motion.run.outputs[0], G / 2.0, 1e-12);
        near(motion.run.outputs[1], G / 2.0, 1e-12);
        near(motion.run.state[1], 0.0, 1e-12);
    }
}

/// The limit of friction on a curve is a multiple of the multiplier, whatever the form of the constraint: a bead on a rotating
/// rod, r'' = ω²r − 2μω·r'.
#[test]
fn a_limit_has_multiples_of_multipliers() {
    let motion = balanced(
        "param mu = 0.3, w = 2\ncoord r, phi\nkinetic: (r'^2 + r^2*phi'^2)/2\nconstraint turn: phi - w*t = 0\nfriction f: limit mu*abs(multiplier(turn)/r) along r'\ninitial r = 0.5, r' = 0.2, phi' = w\nsimulate to 2",
    );
    let (mu, w) = (0.3_f64, 2.0_f64);
    let root = w * (mu * mu + 1.0).sqrt();
    let (p, q) = (-mu * w + root, -mu * w - root);
    let a = (0.2 - q * 0.5) / (p - q);
    let r = a * (2.0 * p).exp() + (0.5 - a) * (2.0 * q).exp();
    near(motion.run.state[0], r, 1e-10);
}

/// A particle at a plane in space has tangents, wherever the plane is: it stops after v²/(2μg), or v²/(2g(sin α + μ cos α)).
#[test]
fn a_particle_at_a_plane_in_space_has_tangents() {
    let flat = balanced(
        "coord x, y, z\nparticle p: mass 2 at (x, y, z)\ngravity: (0, 0, -9.81)\ncontact f: z >= 0 friction 0.25\ninitial x' = 3, y' = -4\nsimulate to 5",
    );
    let way = 25.0 / (2.0 * 0.25 * G);
    near(flat.run.state[0], 0.6 * way, 1e-11);
    near(flat.run.state[1], -0.8 * way, 1e-11);
    near(flat.run.contacts.modes[1].time, 5.0 / (0.25 * G), 1e-10);
    let (slope, mu) = (0.5_f64, 0.8);
    let (s, c) = slope.sin_cos();
    for (normal, [a, b]) in [
        ("z*cos(al) - x*sin(al)", [1.0, 0.0]),
        ("z*cos(al) - (3*x + 4*y)/5*sin(al)", [0.6, 0.8]),
    ] {
        let motion = balanced(&format!(
            "param al = {slope}, mu = {mu}\ncoord x, y, z\nparticle p: mass 2 at (x, y, z)\ngravity: (0, 0, -9.81)\ncontact f: {normal} >= 0 friction mu\ninitial x' = {a}*cos(al), y' = {b}*cos(al), z' = sin(al)\nsimulate to 1"
        ));
        let way = 0.5 / (G * (s + mu * c));
        for (k, part) in [a * c, b * c, s].into_iter().enumerate() {
            near(motion.run.state[k], way * part, 1e-10);
        }
    }
    // A sphere has no tangents that are smooth everywhere.
    let sphere = "coord x, y, z\nparticle p: mass 2 at (x, y, z)\ncontact f: x^2 + y^2 + z^2 - 1 >= 0 friction 0.25\n";
    let refused = Model::parse(sphere).unwrap_err();
    assert_eq!(refused.diagnostics()[0].code, Code::MissingTangent);
}

/// A puck on a moving belt keeps the direction of its velocity relative to the belt, and rests on it after s/(μg).
#[test]
fn a_puck_stops_relative_to_a_belt_at_the_time_of_the_closed_form() {
    let motion = balanced(
        "coord x, y\nparticle p: mass 1 at (x, y)\nfriction f: limit 0.2*9.81 along (x', y' - 1.5)\ninitial x' = 2\nsimulate to 3",
    );
    let stop = 2.5 / (0.2 * G);
    near(motion.run.contacts.modes[1].time, stop, 1e-11);
    near(motion.run.state[0], stop, 1e-11);
    near(
        motion.run.state[1],
        1.5 * stop / 2.0 + 1.5 * (3.0 - stop),
        1e-11,
    );
}

/// A tennis ball on a basketball: the second impact follows when they meet again.
#[test]
fn a_tennis_ball_flies_off_a_basketball() {
    let (m, big, gap) = (0.06_f64, 0.6_f64, 1e-3_f64);
    let motion = balanced(&format!(
        "coord a, b\nparticle basket: mass {big} at (0, a)\nparticle tennis: mass {m} at (0, b)\ngravity: (0, -9.81)\ncontact floor: a >= 0 restitution 1\ncontact ball: b - a >= 0 restitution 1\ninitial a = 1, b = 1 + {gap}\nsimulate to 0.6"
    ));
    let v = (2.0 * G).sqrt();
    let wait = gap / (2.0 * v);
    let (up, down) = (v - G * wait, -v - G * wait);
    let hit = &motion.run.contacts.collisions[1];
    near(hit.time, v / G + wait, 1e-11);
    near(
        hit.after[0],
        (up * (big - m) + 2.0 * m * down) / (big + m),
        1e-11,
    );
    near(
        hit.after[1],
        (down * (m - big) + 2.0 * big * up) / (big + m),
        1e-11,
    );
    assert!(motion.warnings.is_empty());
}

/// Time runs forward through contacts: backward they would be passed through.
#[test]
fn runs_backward_through_contacts_are_refused() {
    let text = "coord x\nkinetic: x'^2/2\ncontact wall: x >= 0 restitution 1\ninitial x = 1, x' = 1\nsimulate from 0 to -3\n";
    let refused = Model::parse(text).unwrap().simulate().run().unwrap_err();
    assert_eq!(refused.diagnostics()[0].code, Code::NotAvailable);
}

/// Dry friction by a sign is recognised in its usual forms, drag is not, and a run that sticks says what to write.
#[test]
fn dry_friction_by_a_sign_is_recognised() {
    let suggested = |text: &str| -> Vec<String> {
        let model = Model::parse(text).unwrap();
        let list = model.dry_frictions();
        list.into_iter().map(|f| f.statement).collect()
    };
    let with = |force: &str| {
        suggested(&format!(
            "param mu = 0.1, N = 2, v = 1, eps = 1e-3, c = 1\ncoord x, y\nkinetic: (x'^2 + y'^2)/2\nforce rub: {force}\n"
        ))
    };
    for force in [
        "x = -mu*N*sign(x' - v)",
        "x = -mu*N*(x' - v)/abs(x' - v) - c*x",
        "x = -mu*N*tanh((x' - v)/eps)",
    ] {
        let list = with(force);
        assert_eq!(list.len(), 1, "{force}");
        // The statement is one that is understood, and the friction of the force.
        let friction = &list[0];
        assert!(friction.starts_with("friction rub: limit "), "{friction}");
        let motion = balanced(&format!(
            "param mu = 0.1, N = 2, v = 1, eps = 1e-3, c = 1\ncoord x, y\nkinetic: (x'^2 + y'^2)/2\n{friction}\nsimulate to 10\n"
        ));
        near(motion.run.contacts.modes[1].time, 1.0 / 0.2, 1e-11);
        near(motion.run.state[2], 1.0, 1e-12);
    }
    let both = with("x = -mu*N*x'/sqrt(x'^2 + y'^2), y = -mu*N*y'/sqrt(x'^2 + y'^2)");
    assert_eq!(both.len(), 1);
    assert!(both[0].ends_with("along (x', y')"), "{}", both[0]);
    for drag in [
        "x = -c*x'*abs(x')",
        "x = -c*sign(x')*x'^2",
        "x = mu*sign(x)",
        "x = -c*x'",
    ] {
        assert!(with(drag).is_empty(), "{drag}");
    }
    let text = "coord x\nkinetic: x'^2/2\nforce rub: x = -sign(x')\ninitial x' = 1\nsimulate to 3";
    let stuck = by("taylor", text, None);
    let warning = stuck.warnings.iter().find(|w| w.code == Code::DryFriction);
    let hint = &warning.unwrap().hint;
    assert!(hint.contains("`friction rub: limit 1 along x'`"), "{hint}");
    let check = Model::parse(text).unwrap();
    let check = check.check();
    assert!(check.findings.iter().any(|f| f.name == "dry friction: rub"));
}

/// Impulses and friction keep the momenta in whose direction they have no component; the energy is kept by elastic contacts
/// at rest without friction.
#[test]
fn check_says_what_contacts_keep() {
    let kept = |contact: &str| -> Vec<(String, bool)> {
        let model = Model::parse(&format!(
            "coord x, y, z\nkinetic: (x'^2 + y'^2 + z'^2)/2\npotential: y^2/2\n{contact}\n"
        ))
        .unwrap();
        let check = model.check();
        let found = check.findings.iter().filter_map(|f| {
            let name = f.name.strip_prefix("conserved through contacts: ")?;
            Some((name.to_owned(), f.word() == "proved"))
        });
        found.collect()
    };
    let is = |list: Vec<(String, bool)>, expected: [bool; 3]| {
        let names = ["E", "p(x)", "p(z)"].map(str::to_owned);
        let expected: Vec<_> = names.into_iter().zip(expected).collect();
        assert_eq!(list, expected);
    };
    is(kept("contact f: y >= 0 restitution 1"), [true, true, true]);
    is(
        kept("contact f: y >= 0 restitution 0.5"),
        [false, true, true],
    );
    is(
        kept("contact f: y - sin(t) >= 0 restitution 1"),
        [false, true, true],
    );
    is(
        kept("contact f: y - x >= 0 restitution 1"),
        [true, false, true],
    );
    is(
        kept("contact f: y >= 0 restitution 1 friction 0.1 along x'"),
        [false, false, true],
    );
    is(kept("friction f: limit 1 along z'"), [false, true, false]);
}

/// The mode at a state: what is closed and sticks, its forces and accelerations.
#[test]
fn a_state_has_its_mode() {
    let model = Model::parse(
        "param al = 0.3\ncoord x, y\nparticle p: mass 2 at (x, y)\ngravity: (-9.81*sin(al), -9.81*cos(al))\ncontact f: y >= 0 friction 0.5 along x'\n",
    )
    .unwrap();
    let at = |state: [f64; 4]| model.contacts_at(0.0, &state).unwrap().unwrap().unwrap();
    let normal = 2.0 * G * 0.3_f64.cos();
    let slides = at([0.0, 0.0, 1.0, 0.0]);
    assert_eq!((slides.closed.len(), slides.sticking.len()), (1, 0));
    near(slides.multipliers[0].1[0], normal, 1e-13);
    near(slides.multipliers[0].1[1], -0.5 * normal, 1e-13);
    near(
        slides.acceleration[0],
        -G * 0.3_f64.sin() - 0.25 * normal,
        1e-13,
    );
    let rests = at([0.0; 4]);
    assert_eq!(rests.sticking, ["f"]);
    near(rests.multipliers[0].1[1], 2.0 * G * 0.3_f64.sin(), 1e-13);
    near(rests.acceleration[0], 0.0, 1e-13);
    assert!(at([0.0, 0.1, 0.0, 0.0]).closed.is_empty());
    assert_eq!(at([0.0, 0.0, 0.0, -1.0]).hitting, ["f"]);
    let inside = model.contacts_at(0.0, &[0.0, -1.0, 0.0, 0.0]).unwrap();
    assert_eq!(inside.unwrap().unwrap_err().code, Code::ContactPenetrated);
}

/// The cause of a motion that is not determined is named: Painlevé's paradox only where friction makes it.
#[test]
fn only_friction_is_called_painleves_paradox() {
    let message = |text: &str| {
        let motion = by("taylor", text, None);
        let found = motion
            .warnings
            .into_iter()
            .find(|w| w.code == Code::ContactNotUnique);
        found.map(|w| w.message)
    };
    let rod = "param g = 9.81, l = 1, mu = 2\ncoord x, y, theta\nkinetic: (x'^2 + y'^2)/2 + l^2/6*theta'^2\npotential: g*y\ncontact tip: y - l*sin(theta) >= 0 friction mu along x' + l*sin(theta)*theta'\ninitial theta = 1.1, y = l*sin(1.1), x' = -5\nsimulate to 1";
    assert!(message(rod).unwrap().contains("Painlevé"));
    // A press that closes on a particle, which cannot give way.
    let press = "coord y\nkinetic: y'^2/2\ncontact a: y >= 0\ncontact b: 1 - t - y >= 0\ninitial y = 0.5\nsimulate to 2";
    let said = message(press).unwrap();
    assert!(
        !said.contains("Painlevé") && said.contains("a, b"),
        "{said}"
    );
}
