//! Sensitivities through impacts, stick and slip: closed forms, and differences of runs. (T-207)

use crate::common::near;
use galilei::{Model, RunError, Sensitivities, Status};

fn followed(text: &str, by: &[&str]) -> Sensitivities {
    let model = Model::parse(text).unwrap();
    let found = model.sensitivities().by_all(by.iter().copied()).run();
    let found = found.unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert!(
        matches!(found.motion.run.status, Status::Finished | Status::Event(_)),
        "{:?}\n{text}",
        found.motion.run.status
    );
    found
}

/// Why sensitivities end.
fn refusal(text: &str, by: &[&str]) -> RunError {
    let model = Model::parse(text).unwrap();
    let found = model.sensitivities().by_all(by.iter().copied()).run().unwrap();
    match found.motion.run.status {
        Status::Failed(why) => why,
        other => panic!("{other:?}\n{text}"),
    }
}

/// The last state of a run with other values of parameters.
fn end(text: &str, name: &str, value: f64) -> Vec<f64> {
    let model = Model::reader()
        .set(format!("{name}={value:?}"))
        .parse(text)
        .unwrap();
    let motion = model.simulate().run().unwrap();
    assert_eq!(motion.run.status, Status::Finished, "{text}");
    motion.run.state
}

/// Derivatives by parameters agree with central differences of runs, extrapolated once.
fn agrees(text: &str, parameters: &[(&str, f64)], bound: f64) {
    let names: Vec<&str> = parameters.iter().map(|p| p.0).collect();
    let found = followed(text, &names);
    for (k, (name, value)) in parameters.iter().enumerate() {
        let slope = |h: f64| -> Vec<f64> {
            let (a, b) = (end(text, name, value + h), end(text, name, value - h));
            a.iter().zip(b).map(|(a, b)| (a - b) / (2.0 * h)).collect()
        };
        let h = 1e-4 * value.abs();
        let (coarse, fine) = (slope(2.0 * h), slope(h));
        let largest = fine.iter().fold(1e-3_f64, |m, x| m.max(x.abs()));
        for (i, (c, f)) in coarse.iter().zip(&fine).enumerate() {
            let expected = (4.0 * f - c) / 3.0;
            let own = found.by_parameters[k][i];
            assert!(
                (own - expected).abs() <= bound * largest,
                "∂z{i}/∂{name}: {own} and {expected}\n{text}"
            );
        }
    }
}

/// After k impacts x = v_k·s − g·s²/2 with v_k = e^k·√(2gh) and s = t − t_k.
#[test]
fn bouncing_ball_by_height_gravity_and_restitution() {
    let (g, h, e, t) = (9.81_f64, 1.3_f64, 0.8_f64, 2.0_f64);
    let text = format!(
        "param g = {g}\nparam e = {e}\nparam h = {h}\ncoord y\nkinetic: y'^2/2\npotential: g*y\ncontact floor: y >= 0 restitution e\ninitial y = h\nsimulate to {t}"
    );
    let found = followed(&text, &["g", "e", "h"]);
    let fall = (2.0 * h / g).sqrt();
    // t_k = fall·(1 + 2e + … + 2e^(k−1)) = fall·m, v_k = e^k·g·fall.
    let k = found.motion.run.contacts.collisions.len() as i32;
    assert_eq!(k, 3);
    let m: f64 = 1.0 + 2.0 * (1..k).map(|i| e.powi(i)).sum::<f64>();
    let slope: f64 = 2.0 * (1..k).map(|i| f64::from(i) * e.powi(i - 1)).sum::<f64>();
    let (s, v) = (t - fall * m, e.powi(k) * g * fall);
    // By g: d fall/dg = −fall/(2g).
    let by = |dfall: f64, dm: f64, dg: f64, dek: f64| {
        let ds = -(dfall * m + fall * dm);
        let dv = dek * g * fall + e.powi(k) * (dg * fall + g * dfall);
        [
            dv * s + v * ds - dg * s * s / 2.0 - g * s * ds,
            dv - dg * s - g * ds,
        ]
    };
    let dek = f64::from(k) * e.powi(k - 1);
    let expected = [
        by(-fall / (2.0 * g), 0.0, 1.0, 0.0),
        by(0.0, slope, 0.0, dek),
        by(fall / (2.0 * h), 0.0, 0.0, 0.0),
    ];
    for (own, expected) in found.by_parameters.iter().zip(expected) {
        near(own[0], expected[0], 1e-12);
        near(own[1], expected[1], 1e-12);
    }
    // The first column of the transition is the derivative by h.
    near(found.transition[0][0], expected[2][0], 1e-12);
}

/// Impacts with friction that slides and that sticks, of a ball that turns.
#[test]
fn impacts_with_friction() {
    let text = |mu: f64, w: f64| {
        format!(
            "param g = 9.81\nparam e = 0.7\nparam mu = {mu}\nparam k = 0.4\nparam v = 1\ncoord x, y, a\nkinetic: (x'^2 + y'^2)/2 + k*a'^2/2\npotential: g*y\ncontact floor: y - 0.1*x^2 - 0.2 >= 0 restitution e friction mu along x' + 0.3*a'\ninitial y = 1, x' = v, a' = {w}\nsimulate to 1.1"
        )
    };
    let parameters = [("g", 9.81), ("e", 0.7), ("k", 0.4), ("v", 1.0)];
    agrees(&text(0.05, 3.0), &[&parameters[..], &[("mu", 0.05)]].concat(), 1e-8);
    agrees(&text(0.9, 0.1), &[&parameters[..], &[("mu", 0.9)]].concat(), 1e-8);
}

/// Friction in a plane: the direction of the slip turns in the impact.
#[test]
fn impacts_with_friction_in_space() {
    let text = "param g = 9.81\nparam e = 0.5\nparam mu = 0.1\nparam v = 1\nparam k = 0.4\ncoord x, y, z, a\nkinetic: (x'^2 + 2*y'^2 + z'^2)/2 + k*a'^2/2\npotential: g*z\ncontact floor: z - 0.1*x*y >= 0 restitution e friction mu along (x' + a', y')\ninitial z = 1, x' = v, y' = 0.6, a' = 1.3\nsimulate to 1";
    agrees(text, &[("mu", 0.1), ("e", 0.5), ("v", 1.0), ("k", 0.4), ("g", 9.81)], 1e-8);
}

/// A block that is driven by a belt through a spring sticks and slips; static friction is larger.
#[test]
fn stick_and_slip() {
    let text = "param c = 3\nparam v = 0.5\nparam F = 1\nparam F0 = 1.4\nparam m = 1.1\ncoord x\nkinetic: m*x'^2/2\npotential: c*x^2/2\nfriction belt: limit F static F0 along x' - v\ninitial x = 0.1, x' = v\nsimulate to 9";
    agrees(text, &[("c", 3.0), ("v", 0.5), ("F", 1.0), ("F0", 1.4), ("m", 1.1)], 1e-8);
    // The start within a time of sticking is forgotten but for its position: the monodromy has a multiplier zero.
    let found = followed(text, &[]);
    let t = &found.transition;
    assert!((t[0][0] * t[1][1] - t[0][1] * t[1][0]).abs() < 1e-12);
}

/// A block slides down, hits a stop that keeps it, is lifted, and a mass in flight is kicked at an event.
#[test]
fn contacts_that_close_open_and_kicks() {
    let text = "param A = 0.4\nparam w = 4\nparam g = 9.81\ncoord y\nkinetic: y'^2/2\npotential: g*y\ncontact table: y - A*sin(w*t) >= 0\ninitial y = 0.9\nsimulate to 4\nparam k = 0\n";
    agrees(text, &[("A", 0.4), ("w", 4.0), ("g", 9.81)], 1e-7);
    let kick = "param k = 1.3\nparam g = 2\nparam h = 0.5\ncoord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: g*y\nevent low: y - h - 0.1*x falling\nimpact kick: low y' = k*abs(before(y')) + 0.1*x, x' = before(x')*k + 0.05*y\ninitial y = 1, x' = 0.3\nsimulate to 2";
    agrees(kick, &[("k", 1.3), ("g", 2.0), ("h", 0.5)], 1e-8);
}

/// Contacts on each other: an impact passes on through a closed contact, and friction depends on the load.
#[test]
fn impacts_on_closed_contacts() {
    let text = "param m = 0.5\nparam mu = 0.3\nparam e = 0.4\nparam v = 2\ncoord x, y, a, b\nkinetic: (x'^2 + y'^2)/2 + m*(a'^2 + b'^2)/2\npotential: 9.81*(y + m*b)\ncontact floor: y >= 0 friction mu along x'\ncontact top: b - y - 0.3 + 0.1*x >= 0 restitution e friction mu along a' - x'\ninitial x' = v, b = 0.8, a' = 0.4\nsimulate to 0.45";
    agrees(text, &[("m", 0.5), ("mu", 0.3), ("e", 0.4), ("v", 2.0)], 1e-8);
}

/// λ of the adjoint at the start is a row of the transition, through impacts as well.
#[test]
fn adjoint_through_impacts() {
    let text = "param g = 9.81\nparam e = 0.8\ncoord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: g*y\ncontact floor: y - 0.1*x >= 0 restitution e friction 0.1 along x'\ninitial y = 1, x' = 1\nsimulate to 1.5";
    let model = Model::parse(text).unwrap();
    let found = model.sensitivities().by("e").by("g").gradient("y").run().unwrap();
    let gradient = found.gradient.as_ref().unwrap();
    assert_eq!(gradient.rows.len(), found.motion.run.rows.len());
    for (a, b) in gradient.rows[0].1.iter().zip(&found.transition[1]) {
        near(*a, *b, 1e-12);
    }
    for (k, p) in gradient.parameters.iter().enumerate() {
        near(*p, found.by_parameters[k][1], 1e-12);
    }
    // λ·δz is the same at all times: that of the rows before and after an impact, too.
    let columns = 4 + 2;
    for (row, (_, lambda)) in found.rows.iter().zip(&gradient.rows) {
        let dot: f64 = (0..4).map(|i| lambda[i] * row[i * columns]).sum();
        near(dot, found.transition[1][0], 1e-11);
    }
}

/// Where nearby motions part there are no derivatives, and the reason is said.
#[test]
fn motions_without_derivatives_are_refused() {
    let ball = "param e = 0.5\ncoord y\nkinetic: y'^2/2\npotential: 9.81*y\ncontact floor: y >= 0 restitution e\ninitial y = 1\nsimulate to 5";
    assert_eq!(refusal(ball, &["e"]), RunError::AccumulatingImpacts);
    // Two corners of a block that falls flat.
    let flat = "coord y, a\nkinetic: (y'^2 + a'^2)/2\npotential: 9.81*y\ncontact left: y - a >= 0 restitution 0.5\ncontact right: y + 2*a >= 0 restitution 0.5\ninitial y = 1\nsimulate to 0.6";
    assert_eq!(refusal(flat, &[]), RunError::ModesEndTogether);
    // A parabola that touches the ceiling.
    let graze = "param v = 2\ncoord y\nkinetic: y'^2/2\npotential: y\ncontact ceiling: 2 - y >= 0 restitution 0.5\ninitial y' = v\nsimulate to 3";
    let model = Model::parse(graze).unwrap();
    let found = model.sensitivities().by("v").run().unwrap();
    let touched = !found.motion.run.contacts.collisions.is_empty();
    match found.motion.run.status {
        Status::Failed(RunError::GrazingContact) => {}
        Status::Finished => assert!(!touched),
        other => panic!("{other:?}"),
    }
    let start = "param h = 0\ncoord y\nkinetic: y'^2/2\npotential: y\ncontact floor: y - h >= 0\nsimulate to 3";
    assert_eq!(refusal(start, &["h"]), RunError::StartOffContact);
}
