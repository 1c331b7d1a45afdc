//! Systems given by action forms, accelerations and forms of force, compared with the same systems written by energies.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

/// The answer to a request about a model on standard input, and the exit status.
fn asked(model: &str, arguments: &[&str]) -> (Value, i32) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_galilei"))
        .arg(arguments[0])
        .arg("-")
        .args(&arguments[1..])
        .arg("--json")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command runs");
    let mut input = child.stdin.take().unwrap();
    input.write_all(model.as_bytes()).unwrap();
    drop(input);
    let out = child.wait_with_output().unwrap();
    let json = serde_json::from_slice(&out.stdout).expect("JSON");
    (json, out.status.code().unwrap_or(-1))
}

fn model(name: &str) -> String {
    let path = format!("{}/../../models/{name}.gal", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

fn numbers(v: &Value) -> Vec<f64> {
    match v {
        Value::Array(list) => list.iter().flat_map(numbers).collect(),
        Value::Number(x) => vec![x.as_f64().unwrap()],
        _ => vec![],
    }
}

fn close(a: &Value, b: &Value, what: &str) {
    let (a, b) = (numbers(a), numbers(b));
    assert!(!a.is_empty() && a.len() == b.len(), "{what}: {a:?} {b:?}");
    for (x, y) in a.iter().zip(&b) {
        assert!(
            (x - y).abs() <= 1e-12 * (1.0 + x.abs()),
            "{what}: {a:?} {b:?}"
        );
    }
}

/// Compares quantities of two models at a state.
fn same_at(a: &str, b: &str, at: &str, keys: &[&str]) {
    let (x, y) = (
        asked(a, &["eval", "--at", at]).0,
        asked(b, &["eval", "--at", at]).0,
    );
    for key in keys {
        close(&x[key], &y[key], key);
    }
}

/// Compares the ends of two runs.
fn same_run(a: &str, b: &str) {
    let (x, y) = (asked(a, &["simulate"]).0, asked(b, &["simulate"]).0);
    assert_eq!(x["status"], "finished");
    for key in ["position", "velocity"] {
        let (a, b) = (numbers(&x[key]), numbers(&y[key]));
        for (p, q) in a.iter().zip(&b) {
            assert!(
                (p - q).abs() < 1e-10 * (1.0 + p.abs()),
                "{key}: {a:?} {b:?}"
            );
        }
    }
    assert!(x["energy_balance"].as_f64().unwrap() < 1e-9);
}

/// Proves that two models have one set of Lagrange equations, up to the order of terms.
fn same_equations(a: &str, b: &str, coordinates: &[&str]) {
    let left = asked(a, &["derive", "lagrange"]).0;
    let right = asked(b, &["derive", "lagrange"]).0;
    for x in coordinates {
        let side = |v: &Value| {
            v["lagrange"]["accelerations"][x]
                .as_str()
                .map(str::to_owned)
        };
        let (p, q) = (side(&left), side(&right));
        let (Some(p), Some(q)) = (p, q) else {
            let (p, q) = (
                &left["lagrange"]["components"][x],
                &right["lagrange"]["components"][x],
            );
            let claim = format!("{} = {}", p.as_str().unwrap(), q.as_str().unwrap());
            assert!(
                galilei::decide(&claim, &[]).unwrap().verdict.is_proved(),
                "{claim}"
            );
            continue;
        };
        let claim = format!("{p} = {q}");
        assert!(
            galilei::decide(&claim, &[]).unwrap().verdict.is_proved(),
            "{claim}"
        );
    }
}

fn finding<'v>(check: &'v Value, theorem: &str) -> &'v Value {
    let list = check["findings"].as_array().unwrap();
    list.iter().find(|f| f["theorem"] == theorem).unwrap()
}

fn refused(text: &str) -> (String, String) {
    let (answer, status) = asked(text, &["check"]);
    assert_eq!(status, 1, "{text}{answer}");
    let e = &answer["errors"][0];
    let word = |k: &str| e[k].as_str().unwrap().to_owned();
    (word("code"), word("message"))
}

const ALL: [&str; 12] = [
    "mass_matrix",
    "kinetic_energy",
    "potential_energy",
    "lagrangian",
    "hamiltonian",
    "momentum",
    "force",
    "acceleration",
    "momentum_rate",
    "energy_rate",
    "reference_field",
    "velocity",
];

#[test]
fn t_24_t_117_the_damped_oscillator_by_its_form() {
    let usual = "param m = 0.8 [kg], k = 5 [N/m], c = 0.3 [N*s/m]\ncoord x [m]\n\
                 kinetic: m*x'^2/2\npotential: k*x^2/2\nforce damping: x = -c*x'\n\
                 initial x = 0.5\nsimulate to 10\n";
    let form = model("damped-oscillator-by-form");
    same_at(&form, usual, "x=0.3, x'=-0.7", &ALL);
    same_equations(&form, usual, &["x"]);
    same_run(&form, usual);
    let (check, _) = asked(&form, &["check"]);
    assert_eq!(check["ok"], true);
    assert_eq!(check["closed"], false);
    assert_eq!(check["forces"][0]["potential"], false);
    assert_eq!(finding(&check, "T-117")["status"], "proved");
    let inverse = finding(&check, "T-120");
    assert_eq!(inverse["status"], "fails");
    assert!(
        inverse["detail"].as_str().unwrap().contains("T-89"),
        "{inverse}"
    );
    assert!(inverse["witness"].is_string());
}

#[test]
fn t_24_t_35_a_charge_by_its_form_has_potentials() {
    let (form, usual) = (model("charged-particle-by-form"), model("charged-particle"));
    same_at(
        &form,
        &usual,
        "t=0.4, x=0.3, y=-0.7, z=1, x'=1, y'=2, z'=-0.5",
        &ALL,
    );
    same_equations(&form, &usual, &["x", "y", "z"]);
    same_run(&form, &usual);
    let (check, _) = asked(&form, &["check"]);
    assert_eq!(
        (&check["ok"], &check["closed"]),
        (&true.into(), &true.into())
    );
    assert_eq!(check["forces"].as_array().unwrap().len(), 0);
    assert_eq!(check["time_dependent"], true);
}

#[test]
fn t_105_nonholonomic_systems_by_their_forms() {
    let (form, usual) = (model("knife-edge-by-form"), model("knife-edge"));
    let at = "theta=0.4, x'=0.9210609940028851, y'=0.3894183423086505, theta'=-0.7";
    same_at(&form, &usual, at, &ALL);
    let (a, b) = (
        asked(&form, &["eval", "--at", at]).0,
        asked(&usual, &["eval", "--at", at]).0,
    );
    close(
        &a["constraints"]["reaction"],
        &b["constraints"]["reaction"],
        "reaction",
    );
    same_run(&form, &usual);
    // The reaction as a force inside of Ω, without a constraint.
    let form = model("blade-by-form");
    let usual = "param m = 0.9 [kg], J = 0.3 [kg*m^2]\ncoord x [m], y [m], theta [rad]\n\
                 kinetic: (m*x'^2 + m*y'^2 + J*theta'^2)/2\n\
                 constraint blade: x'*sin(theta) = y'*cos(theta)\n\
                 initial theta = 0.3, theta' = 0.7, x' = cos(0.3), y' = sin(0.3)\nsimulate to 5\n";
    same_at(
        &form,
        usual,
        at,
        &[
            "acceleration",
            "mass_matrix",
            "kinetic_energy",
            "momentum_rate",
        ],
    );
    same_run(&form, usual);
}

#[test]
fn t_26_the_extended_notion_of_a_relativistic_particle() {
    let form = "param m = 1, c = 2\ncoord x, y\nlet p = m/sqrt(1 - (x'^2 + y'^2)/c^2)\n\
                action form: d(p*x') /\\ contact(x) + d(p*y') /\\ contact(y) - x*d(x) /\\ d(t)\n\
                initial x = 1, x' = 0.3, y' = 0.2\nsimulate to 2\n";
    let usual = "param m = 1, c = 2\ncoord x, y\n\
                 lagrangian: -m*c^2*sqrt(1 - (x'^2 + y'^2)/c^2) - x^2/2\n\
                 initial x = 1, x' = 0.3, y' = 0.2\nsimulate to 2\n";
    same_at(
        form,
        usual,
        "x=0.5, x'=1, y'=-0.6",
        &["mass_matrix", "momentum", "acceleration", "momentum_rate"],
    );
    same_run(form, usual);
    let (check, _) = asked(form, &["check"]);
    assert_eq!(check["ok"], true);
    assert_eq!(finding(&check, "T-26")["status"], "proved");
    let warnings = check["warnings"].as_array().unwrap();
    assert!(
        warnings
            .iter()
            .any(|w| w["code"] == "not_an_action_form_in_strict_sense")
    );
}

#[test]
fn t_24_wrong_forms_are_refused_with_condition_component_and_point() {
    let said = |form: &str| refused(&format!("coord x, y\naction form: {form}\n"));
    let good = r"d(x') /\ contact(x) + d(y') /\ contact(y)";
    for (form, condition, component) in [
        (
            r"d(x') /\ d(x) + d(y') /\ contact(y)".to_owned(),
            "(i)",
            "∂/∂x'",
        ),
        (format!(r"{good} + x*d(x') /\ d(y')"), "(i)", "∂/∂y'"),
        (format!(r"{good} + x*d(x') /\ contact(y)"), "(ii)", "∂/∂y"),
        (r"d(x') /\ contact(x)".to_owned(), "(ii)", "y"),
        (
            format!(r"{good} + y'*x*d(x) /\ d(t)"),
            "(iii)",
            r"d(t) /\ d(x) /\ d(y)",
        ),
        (
            format!(r"{good} + x*y'*d(x') /\ contact(x)"),
            "(ii)",
            "g_xx",
        ),
    ] {
        let (code, message) = said(&form);
        assert_eq!(code, "not_an_action_form", "{form}: {message}");
        assert!(message.contains(condition), "{form}: {message}");
        assert!(message.contains(component), "{form}: {message}");
        assert!(
            message.contains(" = ") && message.contains(" at "),
            "{form}: {message}"
        );
    }
    assert_eq!(said("d(x)").0, "degree_mismatch");
    assert_eq!(said("0").0, "not_an_action_form");
    let kinked = r"(1 + abs(x))*d(x') /\ contact(x) + d(y') /\ contact(y)";
    assert!(["not_smooth", "not_an_action_form"].contains(&said(kinked).0.as_str()));
    // Regular and indefinite: a warning.
    let text = "coord x, y\naction form: d(x') /\\ contact(x) - d(y') /\\ contact(y)\n";
    let (check, status) = asked(text, &["check"]);
    assert_eq!((status, &check["ok"]), (0, &true.into()));
    assert_eq!(check["warnings"][0]["code"], "metric_not_positive_definite");
}

#[test]
fn t_37_t_117_reference_fields_kinks_and_forces_beside_the_form() {
    // In a turning reference field the same motion has other energies.
    let at = "x=0.3, y=-0.8, x'=1, y'=0.4";
    let form = "param m = 2, w = 0.7\ncoord x, y\n\
                action form: m*d(x') /\\ contact(x) + m*d(y') /\\ contact(y) - x*d(x) /\\ d(t)\n";
    let turning = format!("{form}reference: x = -w*y, y = w*x\n");
    let usual = "param m = 2, w = 0.7\ncoord x, y\nmetric: x x = m, y y = m\nreference: x = -w*y, y = w*x\n\
                 potential: x^2/2 + m*w^2*(x^2 + y^2)/2\nvector potential: x = -m*w*y, y = m*w*x\n";
    same_at(&turning, usual, at, &ALL);
    same_at(&turning, form, at, &["acceleration", "mass_matrix"]);
    // Coulomb friction stays a force.
    let form = "coord x\naction form: d(x') /\\ contact(x) - (2*x + 0.1*sign(x'))*d(x) /\\ d(t)\n\
                initial x = 1\nsimulate to 5\n";
    let usual = "coord x\nkinetic: x'^2/2\npotential: x^2\nforce f: x = -0.1*sign(x')\n\
                 initial x = 1\nsimulate to 5\n";
    same_at(form, usual, "x=0.2, x'=-1", &ALL);
    same_run(form, usual);
    // Forces add to Ω.
    let form = "coord x\naction form: d(x') /\\ contact(x) - 2*x*d(x) /\\ d(t)\n\
                force f: form -x'*contact(x)\n";
    let usual = "coord x\nkinetic: x'^2/2\npotential: x^2\nforce f: x = -x'\n";
    same_at(form, usual, "x=0.2, x'=-1", &ALL);
    assert_eq!(asked(form, &["check"]).0["ok"], true);
    // Energies do not.
    for line in [
        "kinetic: x'^2",
        "potential: x^2",
        "lagrangian: x'^2",
        "metric: x x = 1",
        "particle: mass 1 at (x)",
        "acceleration: x = 1",
    ] {
        let text = format!("coord x\naction form: d(x') /\\ contact(x)\n{line}\n");
        let (code, message) = refused(&text);
        let expected = if line.starts_with("acc") {
            "duplicate_statement"
        } else {
            "mixed_formulations"
        };
        assert_eq!(code, expected, "{message}");
    }
}

#[test]
fn t_119_t_120_accelerations_and_the_inverse_problem() {
    let with = model("newtonian-with-lagrangian");
    let usual = "param m1 = 1 [kg], m2 = 2 [kg], k = 3 [N/m], b = 0.7 [kg/s]\ncoord x [m], y [m]\n\
                 kinetic: (m1*x'^2 + m2*y'^2)/2\npotential: k*(x - y)^2/2\nforce g: x = b*y', y = -b*x'\n\
                 initial x = 0.4, y = -0.1, x' = 0.2, y' = 0.5\nsimulate to 5\n";
    let at = "x=1, y=-2, x'=0.3, y'=0.7";
    same_at(
        &with,
        usual,
        at,
        &["mass_matrix", "kinetic_energy", "acceleration"],
    );
    same_equations(&with, usual, &["x", "y"]);
    same_run(&with, usual);
    let (check, _) = asked(&with, &["check"]);
    let inverse = finding(&check, "T-120");
    assert_eq!(
        (&check["ok"], &inverse["status"]),
        (&true.into(), &"proved".into())
    );
    assert!(
        inverse["detail"].as_str().unwrap().contains("L = "),
        "{inverse}"
    );
    assert_eq!(check["forces"][0]["potential"], true);
    // The Lagrangian that is found has the accelerations that were given.
    let (derived, _) = asked(&with, &["derive", "lagrangian"]);
    let l = derived["lagrangian"]["value"].as_str().unwrap();
    let found = format!("param m1 = 1, m2 = 2, k = 3, b = 0.7\ncoord x, y\nlagrangian: {l}\n");
    same_at(&with, &found, at, &["acceleration", "mass_matrix"]);

    let without = model("newtonian-without-lagrangian");
    let usual = "param m1 = 1 [kg], m2 = 2 [kg], k = 3 [N/m], p = 0.4 [N/m]\ncoord x [m], y [m]\n\
                 kinetic: (m1*x'^2 + m2*y'^2)/2\npotential: k*(x - y)^2/2\nforce f: x = -p*y\n\
                 initial x = 0.4, y = -0.1\nsimulate to 5\n";
    same_equations(&without, usual, &["x", "y"]);
    same_run(&without, usual);
    let (check, _) = asked(&without, &["check"]);
    let inverse = finding(&check, "T-120");
    assert_eq!(
        (&check["ok"], &inverse["status"]),
        (&true.into(), &"fails".into())
    );
    let detail = inverse["detail"].as_str().unwrap();
    assert!(
        detail.contains("Jacobi endomorphism") && detail.contains('p'),
        "{detail}"
    );
    assert!(inverse["witness"].is_string());
    let (derived, _) = asked(&without, &["derive", "lagrangian"]);
    assert!(derived["lagrangian"]["value"].is_null());
    // In polar coordinates: the metric depends on the position, the force is g(Z − Z_R).
    let polar = "param m = 2\ncoord r, phi\nmetric: r r = m, phi phi = m*r^2\n\
                 acceleration: r = r*phi'^2 - 1/r^2, phi = -2*r'*phi'/r\ninitial r = 1\n";
    let (eval, _) = asked(polar, &["eval", "--at", "r=2, phi'=3, r'=1"]);
    close(&eval["force"], &serde_json::json!([-0.5, 0.0]), "force");
    close(
        &eval["acceleration"],
        &serde_json::json!([17.75, -3.0]),
        "acceleration",
    );
}

#[test]
fn accelerations_need_a_metric_all_coordinates_and_no_forces() {
    assert_eq!(
        refused("coord x\nacceleration: x = -x\n").0,
        "acceleration_without_metric"
    );
    let (code, message) = refused("coord x, y\nmetric: x x = 1, y y = 1\nacceleration: x = -x\n");
    assert_eq!(code, "missing_acceleration");
    assert!(message.contains('y'), "{message}");
    for line in [
        "force f: x = 1",
        "potential: x",
        "kinetic: x'^2",
        "dissipation: x'^2",
    ] {
        let text = format!("coord x\nmetric: x x = 1\nacceleration: x = -x\n{line}\n");
        assert_eq!(refused(&text).0, "mixed_formulations", "{line}");
    }
    // Constraints restrict the motion that the accelerations give.
    let form = "coord x, y\nmetric: x x = 1, y y = 3\nacceleration: x = 1, y = -2\n\
                constraint c: x' = 2*y'\n";
    let usual =
        "coord x, y\nkinetic: (x'^2 + 3*y'^2)/2\nforce f: x = 1, y = -6\nconstraint c: x' = 2*y'\n";
    same_at(form, usual, "x'=2, y'=1", &["acceleration"]);
}

#[test]
fn the_page_and_the_derivation_begin_with_the_form() {
    let (derived, _) = asked(
        &model("damped-oscillator-by-form"),
        &["derive", "action-form"],
    );
    let all = Command::new(env!("CARGO_BIN_EXE_galilei"))
        .args([
            "derive",
            "../../models/damped-oscillator-by-form.gal",
            "all",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let text = String::from_utf8(all.stdout).unwrap();
    assert!(
        text.trim_start().starts_with("Action form, as given"),
        "{text}"
    );
    let section = &derived["action-form"];
    assert_eq!(section["components"]["x' x"], "m");
    let z = section["field"]["x"].as_str().unwrap();
    let (derived, _) = asked("coord x\nkinetic: x'^2/2\n", &["derive", "cartan"]);
    let form = derived["cartan"]["form"].as_str().unwrap();
    let claim = format!("{form} = x'*contact(x) + x'^2/2*d(t)");
    assert!(
        galilei::decide(&claim, &[]).unwrap().verdict.is_proved(),
        "{claim}"
    );
    let claim = format!("{z} = -(k*x + c*x')/m");
    assert!(
        galilei::decide(&claim, &[]).unwrap().verdict.is_proved(),
        "{claim}"
    );
    let form = section["form"].as_str().unwrap();
    let claim = format!(r"{form} = m*d(x') /\ contact(x) - (k*x + c*x')*d(x) /\ d(t)");
    assert!(
        galilei::decide(&claim, &[]).unwrap().verdict.is_proved(),
        "{claim}"
    );
}

#[test]
fn t_35_undetermined_functions_are_potentials() {
    let form = "param m = 1\nfunction V(x, y)\ncoord x, y\n\
                action form: m*d(x') /\\ contact(x) + m*d(y') /\\ contact(y) - d(V(x, y)) /\\ d(t)\n";
    let (check, _) = asked(form, &["check"]);
    let named = |name: &str| {
        let list = check["findings"].as_array().unwrap();
        list.iter().find(|f| f["name"] == name).unwrap()
    };
    assert_eq!(check["forces"].as_array().unwrap().len(), 0);
    assert_eq!(named("conserved: E")["status"], "proved");
    let (derived, _) = asked(form, &["derive", "lagrangian"]);
    let l = derived["lagrangian"]["value"].as_str().unwrap();
    let claim = format!("{l} = m*(x'^2 + y'^2)/2 - V(x, y)");
    assert!(
        galilei::decide(&claim, &[]).unwrap().verdict.is_proved(),
        "{claim}"
    );
}

#[test]
fn t_120_friction_has_lagrangians_only_between_its_kinks() {
    let text = "coord x\nkinetic: x'^2/2\nforce f: x = -sign(x')\n";
    let (check, _) = asked(text, &["check"]);
    let detail = finding(&check, "T-120")["detail"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(detail.contains("away from the kinks of f"), "{detail}");
}

#[test]
fn decide_answers_about_forms() {
    let proved = |claim: &str| {
        let out = Command::new(env!("CARGO_BIN_EXE_galilei"))
            .args(["decide", claim, "--json"])
            .output()
            .unwrap();
        let v: Value = serde_json::from_slice(&out.stdout).unwrap();
        (v, out.status.code())
    };
    let (v, status) = proved(r"d(x*d(t)) = d(x) /\ d(t)");
    assert_eq!((&v["verdict"], status), (&"proved".into(), Some(0)));
    let (v, _) = proved(r"d(x) /\ d(y) = d(y) /\ d(x)");
    assert_eq!(v["verdict"], "refuted");
    let (v, status) = proved("d(x) = x");
    assert_eq!(status, Some(1));
    assert_eq!(v["errors"][0]["code"], "degree_mismatch");
}
