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
    let found = model
        .sensitivities()
        .by_all(by.iter().copied())
        .run()
        .unwrap();
    match found.motion.run.status {
        Status::Failed(why) => why,
        other => panic!("{other:?}\n{text}"),
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

/// λ of the adjoint at the start is a row of the transition, through impacts as well.
#[test]
fn adjoint_through_impacts() {
    let text = "param g = 9.81\nparam e = 0.8\ncoord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: g*y\ncontact floor: y - 0.1*x >= 0 restitution e friction 0.1 along x'\ninitial y = 1, x' = 1\nsimulate to 1.5";
    let model = Model::parse(text).unwrap();
    let found = model
        .sensitivities()
        .by("e")
        .by("g")
        .gradient("y")
        .run()
        .unwrap();
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

/// Beyond the limit of impacts there are no derivatives, and the reason is said.
#[test]
fn no_derivatives_beyond_the_limit_of_impacts() {
    let ball = "param e = 0.5\ncoord y\nkinetic: y'^2/2\npotential: 9.81*y\ncontact floor: y >= 0 restitution e\ninitial y = 1\nsimulate to 5";
    assert_eq!(refusal(ball, &["e"]), RunError::AccumulatingImpacts);
}

/// Bunimovich's stadium: a particle whose velocity is reversed returns to its start, as exactly as the growth of errors by
/// the largest Lyapunov exponent (0.43 for this stadium and speed 1) lets it.
#[test]
fn stadium_is_reversible() {
    let text = |z: &[f64]| {
        format!(
            "coord x, y\nkinetic: (x'^2 + y'^2)/2\ncontact wall: 1 - sqrt(max(abs(x) - 1, 0)^2 + y^2) >= 0 restitution 1\ninitial x = {:?}, y = {:?}, x' = {:?}, y' = {:?}\nsimulate to 15\n",
            z[0], z[1], z[2], z[3]
        )
    };
    let go = |z: &[f64]| {
        let motion = Model::parse(&text(z)).unwrap().simulate().run().unwrap();
        assert_eq!(motion.run.status, Status::Finished);
        motion.run
    };
    let first = [0.3, 0.2, 0.6, 0.8];
    let there = go(&first);
    let bounces = there.contacts.collisions.len();
    assert!(bounces >= 6);
    let z = &there.state;
    let back = go(&[z[0], z[1], -z[2], -z[3]]);
    assert_eq!(back.contacts.collisions.len(), bounces);
    for (a, b) in back.state.iter().zip([0.3, 0.2, -0.6, -0.8]) {
        near(*a, b, 1e-13 * (0.43 * 30.0_f64).exp());
    }
}
