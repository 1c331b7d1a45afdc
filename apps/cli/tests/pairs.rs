//! Models that use forms, Hamiltonians and reactions of one's own against the same systems written with energies and forces alone:
//! equal equations are proved, runs are equal to rounding.

mod common;

use std::fs;

use common::{galilei, model};
use serde_json::Value;

fn asked(command: &str, file: &str, topics: &[&str], input: &str) -> Value {
    let mut arguments = vec![command, file];
    arguments.extend(topics);
    arguments.extend(["--json", "--quiet"]);
    let answer = galilei(&arguments, input);
    assert_eq!(answer.code, 0, "{arguments:?} {}", answer.out);
    serde_json::from_str(&answer.out).unwrap()
}

fn numbers(v: &Value) -> Vec<f64> {
    let list = v.as_array().unwrap().iter();
    list.map(|x| x.as_f64().unwrap()).collect()
}

fn proved(left: &str, right: &str) {
    let claim = format!("{left} = {right}");
    let verdict = galilei::decide(&claim, &[]).unwrap().verdict;
    assert!(verdict.is_proved(), "{claim}: {verdict}");
}

/// Runs of two models end alike.
fn same_ends(a: &Value, b: &Value, what: &str) {
    assert_eq!(a["status"], "finished", "{what}");
    assert_eq!(b["status"], "finished", "{what}");
    for key in ["position", "velocity"] {
        let (p, q) = (numbers(&a[key]), numbers(&b[key]));
        for (p, q) in p.iter().zip(&q) {
            assert!(
                (p - q).abs() < 1e-9 * (1.0 + p.abs()),
                "{what} {key}: {p} {q}"
            );
        }
    }
}

/// A line without its units.
fn without_units(line: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for c in line.chars() {
        match c {
            '[' => inside = true,
            ']' => inside = false,
            _ if !inside => out.push(c),
            _ => {}
        }
    }
    out
}

/// The system of a model with accelerations given by hand, as forces on unit masses.
fn by_hand(file: &str, accelerations: &[(&str, &str)]) -> String {
    let text = fs::read_to_string(file).unwrap();
    let kept = ["param", "coord", "initial", "simulate"];
    let mut lines: Vec<String> = (text.lines())
        .filter(|l| kept.iter().any(|word| l.starts_with(word)))
        .map(without_units)
        .collect();
    let squares: Vec<String> = accelerations
        .iter()
        .map(|(x, _)| format!("{x}'^2/2"))
        .collect();
    lines.push(format!("kinetic: {}", squares.join(" + ")));
    for (x, a) in accelerations {
        lines.push(format!("force on_{x}: {x} = {a}"));
    }
    lines.join("\n")
}

/// Compares a model with the accelerations that its equations have by hand.
fn moves_by(name: &str, accelerations: &[(&str, &str)]) {
    let file = model(name);
    let topic = match fs::read_to_string(&file).unwrap().contains("\nconstraint") {
        true => "reaction",
        false => "lagrange",
    };
    let derived = asked("derive", &file, &[topic], "");
    for (x, a) in accelerations {
        let found = derived[topic]["accelerations"][x].as_str();
        proved(found.unwrap_or_else(|| panic!("{name}: {derived}")), a);
    }
    let text = by_hand(&file, accelerations);
    let (own, hand) = (
        asked("simulate", &file, &[], ""),
        asked("simulate", "-", &[], &text),
    );
    same_ends(&own, &hand, name);
    assert!(own["energy_balance"].as_f64().unwrap() < 1e-9, "{name}");
}

/// Compares two models of the gallery.
fn same_models(a: &str, b: &str, topic: &str, coordinates: &[&str]) {
    let (p, q) = (model(a), model(b));
    let (left, right) = (
        asked("derive", &p, &[topic], ""),
        asked("derive", &q, &[topic], ""),
    );
    for x in coordinates {
        let side = |v: &Value| v[topic]["accelerations"][x].as_str().unwrap().to_owned();
        proved(&side(&left), &side(&right));
    }
    same_ends(
        &asked("simulate", &p, &[], ""),
        &asked("simulate", &q, &[], ""),
        a,
    );
}

#[test]
fn t_30_forces_as_forms() {
    let charge = ["charged-particle-force-form", "charged-particle-lorentz"];
    same_models(charge[0], charge[1], "lagrange", &["x", "y", "z"]);
    let ball = ["projectile-force-form", "projectile-with-drag"];
    same_models(ball[0], ball[1], "lagrange", &["x", "y"]);
}

#[test]
fn t_82_codistributions() {
    let edge = ["knife-edge-codistribution", "knife-edge"];
    same_models(edge[0], edge[1], "reaction", &["x", "y", "theta"]);
    let machine = ["appell-hamel-codistribution", "appell-hamel"];
    same_models(machine[0], machine[1], "reaction", &["x", "y", "z"]);
}

#[test]
fn t_82_constraints_of_second_order() {
    let second = "k*(a - b - d) + c*(a' - b')";
    moves_by(
        "following-wagon",
        &[("a", "(f*sin(w*t) - r*a')/m"), ("b", second)],
    );
    // Gravity without its part along the velocity.
    let x = "g*y'*x'/(x'^2 + y'^2)";
    moves_by(
        "constant-speed",
        &[("x", x), ("y", "g*y'^2/(x'^2 + y'^2) - g")],
    );
}

#[test]
fn t_113_connections() {
    let down = "g*sin(slope)";
    let y = "g*sin(slope)*tan(phi) + x'*phi'/cos(phi)^2";
    moves_by(
        "blade-by-connection",
        &[("x", down), ("y", y), ("phi", "0")],
    );
    let z = "(y'*x' - k*x*y/m)/l";
    moves_by(
        "particle-by-connection",
        &[("x", "-k*x/m"), ("y", "-k*y/m"), ("z", z)],
    );
}

#[test]
fn t_83_servo_constraints() {
    // The rope swings as the trolley's acceleration makes it: l θ'' + s'' cos θ + g sin θ = 0.
    let angle = "-(g*sin(theta) + cos(theta)*(h*w^2*cos(w*t) + l/2*theta'^2*sin(theta)))/(l - l/2*cos(theta)^2)";
    let trolley = format!("h*w^2*cos(w*t) - l/2*(({angle})*cos(theta) - theta'^2*sin(theta))");
    moves_by("crane-servo", &[("s", &trolley), ("theta", angle)]);
    moves_by(
        "robot-arm",
        &[("alpha", "A*w^2*cos(w*t)"), ("beta", "B*w^2*cos(w*t)")],
    );
}

#[test]
fn t_102_t_103_first_order_systems_by_their_vertical_extensions() {
    let run = asked("simulate", &model("predator-prey"), &[], "");
    assert_eq!(run["status"], "finished");
    // x' = x (a − b y), y' = −y (c − d x) from (10, 5), by an integration of its own in 30 digits.
    let near = |key: &str, wanted: f64| {
        let found = run["outputs"][key].as_f64().unwrap();
        assert!((found - wanted).abs() < 1e-9 * wanted, "{key}: {found}");
    };
    near("prey", 10.214_110_659_314_55);
    near("predators", 1.3338083105636491);
    let start: f64 = 0.1 * 10.0 - 0.4 * 10.0_f64.ln() + 0.4 * 5.0 - 1.1 * 5.0_f64.ln();
    near("first_integral", start);
    // Hamilton's equations of x and of its predators, which are the momentum of xi.
    let derived = asked("derive", &model("predator-prey"), &["hamilton"], "");
    let hamilton = &derived["hamilton"]["components"];
    let component = |k: &str| hamilton[k].as_str().unwrap();
    proved(component("x"), "x*(a - b*p(xi))");
    proved(component("p(xi)"), "-p(xi)*(c - d*x)");
}
