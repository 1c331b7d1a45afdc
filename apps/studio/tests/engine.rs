//! Answers of the engine against closed forms.

use serde_json::{Value, json};

fn answer(request: &Value) -> Value {
    let text = galilei_studio::answer(&request.to_string());
    serde_json::from_str(&text).expect("an answer is JSON")
}

/// Length in centimetres, so that units matter; x = a·cos(ωt) with ω² = k/m.
const OSCILLATOR: &str = "param k = 4 [N/m], m = 1 [kg], a = 10 [cm]\ncoord x [cm]\n\
    particle p: mass m at (x, 0)\nspring: stiffness k from (0, 0) to (x, 0)\ninitial x = a\nsimulate to 3\n";

fn close(got: &Value, want: f64, size: f64) {
    let got = got.as_f64().expect("a number");
    // Slopes are written with four digits.
    assert!(
        (got - want).abs() <= 6e-4 * want.abs() + 1e-6 * size,
        "{got} for {want}"
    );
}

#[test]
fn slopes_of_the_mechanism_are_those_of_the_motion() {
    for (by, slope) in [
        // By x₀ in cm: cos ωt, in metres for each centimetre.
        (
            "x",
            &(|t: f64| 0.01 * (2.0 * t).cos()) as &dyn Fn(f64) -> f64,
        ),
        // By x'₀ in cm/s: sin(ωt)/ω.
        ("x'", &|t| 0.01 * (2.0 * t).sin() / 2.0),
        // By k in N/m: −a·t·sin(ωt)/(2ωm).
        ("k", &|t| -0.1 * t * (2.0 * t).sin() / 4.0),
        // By a in cm, on which the start depends.
        ("a", &|t| 0.01 * (2.0 * t).cos()),
    ] {
        let got = answer(&json!({ "command": "nearby", "text": OSCILLATOR, "by": by, "to": 3.0 }));
        let times = got["times"].as_array().expect("times");
        assert!(times.len() > 300, "{got}");
        for (t, points) in times.iter().zip(got["points"].as_array().expect("points")) {
            let t = t.as_f64().expect("a time");
            close(&points[0], slope(t), 0.1);
            assert_eq!(points[1], 0.0);
        }
    }
}

/// The slopes of curves on the picture: what the plot of a run with another value shows, drawn in the same axes.
#[test]
fn slopes_of_plots_are_in_units_of_the_picture() {
    let got = answer(&json!({ "command": "nearby", "text": OSCILLATOR, "by": "x", "to": 3.0 }));
    let plots = got["plots"].as_array().expect("plots");
    // Coordinates, velocities, the phase portrait; energies have no slopes.
    let numbers: Vec<_> = plots
        .iter()
        .map(|p| p["number"].as_u64().expect("a number"))
        .collect();
    assert_eq!(numbers, [1, 2, 3]);
    // x swings between −10 and 10 cm with 6 % of room on both sides.
    let area: Vec<f64> = plots[0]["area"]
        .as_array()
        .expect("an area")
        .iter()
        .filter_map(Value::as_f64)
        .collect();
    let unit = (area[3] - area[1]) / (1.12 * 20.0);
    let curve = &plots[0]["curves"][0];
    let times = got["times"].as_array().expect("times");
    for (t, slope) in times
        .iter()
        .zip(curve["slopes"].as_array().expect("slopes"))
    {
        let t = t.as_f64().expect("a time");
        assert_eq!(slope[0], 0.0);
        let (got, want) = (slope[1].as_f64().expect("a slope"), -unit * (2.0 * t).cos());
        // The run does not end at its extremes exactly.
        assert!((got - want).abs() < 0.01 * unit, "{got} for {want}");
    }
}

#[test]
fn starts_are_in_units_of_the_model() {
    let text = "param l = 50 [cm], m = 1 [kg], g = 9.81 [m/s^2]\ncoord theta [deg]\n\
                particle bob: mass m at (l*sin(theta), -l*cos(theta))\ngravity: (0, -g)\ninitial theta = 10\n";
    let angle = 10_f64.to_radians();
    // To 40° on the circle of 0.5 m.
    let to = 40_f64.to_radians();
    let way = [
        0.5 * (to.sin() - angle.sin()),
        0.5 * (angle.cos() - to.cos()),
    ];
    let got = answer(&json!({ "command": "drag", "text": text, "point": 0, "way": way }));
    let entry = &got["start"][0];
    assert_eq!(
        (&entry["name"], &entry["unit"]),
        (&json!("theta"), &json!("deg"))
    );
    assert!(
        (entry["value"].as_f64().expect("a value") - 40.0).abs() < 1e-6,
        "{got}"
    );
    assert!((got["moved"][0][0].as_f64().expect("a way") - way[0]).abs() < 1e-9);
    // From where the sliders are.
    let got = answer(
        &json!({ "command": "drag", "text": text, "at": "theta = 40", "point": 0, "way": [0.0, 0.0] }),
    );
    assert_eq!(
        (&got["start"][0]["value"], &got["moved"]),
        (&json!(40.0), &json!([[0.0, 0.0], [0.0, 0.0]]))
    );
}

#[test]
fn what_has_no_preview_is_refused() {
    let refused = |request: Value| {
        let got = answer(&request);
        assert_eq!(got["ok"], false, "{got}");
        got.to_string()
    };
    let got =
        refused(json!({ "command": "nearby", "text": OSCILLATOR, "by": "nothing", "to": 3.0 }));
    assert!(got.contains("there is no `nothing`"), "{got}");
    let long = "coord q[1..25]\nkinetic: sum(i in 1..25: q[i]'^2)\n";
    let got = refused(json!({ "command": "nearby", "text": long, "by": "q[1]", "to": 1.0 }));
    assert!(got.contains("24 coordinates"), "{got}");
    refused(
        json!({ "command": "drag", "text": "coord x\nkinetic: x'^2\n", "point": 0, "way": [1.0, 0.0] }),
    );
    refused(json!({ "command": "drag", "text": OSCILLATOR, "point": 1000, "way": [1.0, 0.0] }));
}
