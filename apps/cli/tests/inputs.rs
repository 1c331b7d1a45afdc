//! Inputs, tables and fits on the command line, against closed forms.

mod common;

use common::{galilei, scratch};
use serde_json::Value;

/// The document that a command prints for a model on standard input.
fn answer(words: &[&str], model: &str) -> Value {
    let mut all = words.to_vec();
    all.extend(["-", "--json"]);
    let out = galilei(&all, model);
    serde_json::from_str(&out.out).unwrap_or_else(|e| panic!("{e}: {}{}", out.out, out.err))
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().expect("a list").iter();
    list.map(|v| v.as_f64().expect("a number")).collect()
}

fn close(found: f64, wanted: f64, error: f64) {
    assert!((found - wanted).abs() <= error, "{found}, not {wanted}");
}

const PUSHED: &str = "coord x\ntable f(s) = [(0, 0), (1, 2), (2, -1), (3, 0)] KIND\nkinetic: x'^2/2\n\
                      force: x = f(t)\nsimulate to 3\n";

/// The velocity is the integral of the table, the position its second integral. The natural spline of these knots has the
/// second derivatives 0, −27/5·2, 33/5·… at its knots; the integrals below are those of SciPy's CubicSpline.
#[test]
fn runs_of_all_methods_follow_tables_of_time() {
    for (kind, x, v) in [
        ("linear", 3.0, 1.0),
        ("steps", 2.5, 1.0),
        ("cubic", 3.9, 1.1),
    ] {
        for method in ["taylor", "dop853", "radau", "gauss4", "gauss6"] {
            let words = ["simulate", "--method", method];
            let run = answer(&words, &PUSHED.replace("KIND", kind));
            assert_eq!(run["warnings"], Value::Array(vec![]), "{kind} {method}");
            close(numbers(&run["position"])[0], x, 1e-10);
            close(numbers(&run["velocity"])[0], v, 1e-10);
        }
    }
}

/// Without force, x' = 3 crosses the knots of a table of the position: the impulse of a step is f times the time in it.
#[test]
fn tables_of_the_state_switch_at_their_knots() {
    let text = "coord x\ntable f(s) = [(-1, 0), (1, -1), (2, 0)] steps\nkinetic: x'^2/2\nforce: x = f(x)\n\
                initial x' = 3\nsimulate to 2\n";
    let run = answer(&["simulate"], text);
    // Energy: v² falls by 2 over a unit of length.
    let slow = 7f64.sqrt();
    let inside = 3.0 - slow;
    let after = 2.0 - 1.0 / 3.0 - inside;
    close(numbers(&run["velocity"])[0], slow, 1e-12);
    close(numbers(&run["position"])[0], 2.0 + slow * after, 1e-11);
    assert_eq!(run["warnings"][0]["code"], "table_extrapolated");
}

#[test]
fn sensitivities_and_sweeps_cross_knots() {
    let text = PUSHED.replace("KIND", "linear").replace("f(t)", "k*f(t)");
    let text = format!("param k = 1\n{text}");
    let near = answer(&["sensitivities", "--by", "k"], &text);
    close(numbers(&near["sensitivities"]["k"])[0], 3.0, 1e-11);
    let sweep = galilei(
        &["sweep", "-", "--grid", "k in [1, 2, 3]", "--quiet"],
        &text,
    );
    assert_eq!(sweep.code, 0, "{}", sweep.err);
}

/// A mass on a spring under feedback u = −2x − 3x': A is that of the closed loop, B that of an increment.
#[test]
fn modes_have_inputs() {
    let text = "param m = 2\ncoord x\nkinetic: m*x'^2/2\npotential: 4*x^2\ninput u = -2*x - 3*x', w\n\
                force: x = u + 5*w\noutput y: x + u\n";
    let modes = answer(&["modes"], text);
    assert_eq!(modes["inputs"], serde_json::json!(["u", "w"]));
    assert_eq!(modes["A"], serde_json::json!([[0.0, 1.0], [-5.0, -1.5]]));
    assert_eq!(modes["B"], serde_json::json!([[0.0, 0.0], [0.5, 2.5]]));
    assert_eq!(modes["C"], serde_json::json!([[-1.0, -3.0]]));
    assert_eq!(modes["D"], serde_json::json!([[1.0, 0.0]]));
}

/// A steering angle in a constraint turns the car without acting as a force: ψ' = v·tan(δ)/L.
#[test]
fn inputs_in_constraints_move_dependent_velocities() {
    let text = "param L = 2\ncoord x, psi\nkinetic: (x'^2 + psi'^2)/2\ninput delta\n\
                constraint: psi'*L*cos(delta) = x'*sin(delta)\ninitial x' = 3\n";
    let modes = answer(&["modes"], text);
    assert_eq!(modes["independent"], serde_json::json!(["x", "psi", "x'"]));
    let b: Vec<f64> = modes["B"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| numbers(r)[0])
        .collect();
    close(b[0], 0.0, 1e-14);
    close(b[1], 1.5, 1e-14);
    close(b[2], 0.0, 1e-14);
}

#[test]
fn fits_find_parameters_and_say_what_they_cannot() {
    let folder = scratch("fits");
    let data = folder.join("data.csv");
    let mut csv = String::from("t [ms],place [cm]\n");
    for k in 0..40 {
        let t = 0.1 * f64::from(k);
        let cell = match k {
            7 => String::new(),
            _ => format!("{}", 100.0 * 0.5 * (2.0 * t).cos()),
        };
        csv.push_str(&format!("{},{cell}\n", 1e3 * t));
    }
    std::fs::write(&data, csv).unwrap();
    let data = data.to_str().unwrap();
    let text = "param m = 1 [kg], k = 3 [N/m]\ncoord x [m]\nparticle p: mass m at x\npotential: k*x^2/2\n\
                output place: x\ninitial x = 0.4\n";
    let fit = answer(&["fit", "--data", data, "--free", "k,x"], text);
    close(fit["parameters"]["k"]["value"].as_f64().unwrap(), 4.0, 1e-9);
    close(fit["parameters"]["x"]["value"].as_f64().unwrap(), 0.5, 1e-9);
    assert_eq!(fit["identifiable"], true);
    let fit = answer(&["fit", "--data", data, "--free", "k,m,x"], text);
    assert_eq!(fit["identifiable"], false);
    assert!(fit["parameters"]["k"]["standard_error"].is_null());
    let said = fit["undetermined"][0].as_str().unwrap();
    assert!(
        said.contains("`k` and `m`") && !said.contains("`x`"),
        "{said}"
    );
    let wrong = answer(
        &["fit", "--data", data, "--free", "k"],
        &text.replace("place", "spot"),
    );
    assert_eq!(wrong["errors"][0]["code"], "data_column_unknown");
}

/// Two runs of an oscillator with the same stiffness and other amplitudes, with deterministic scatter.
#[test]
fn fits_of_several_runs_have_profiles_and_pictures() {
    let folder = scratch("fit-runs");
    let file = |name: &str, amplitude: f64| {
        let mut csv = String::from("t,place\n");
        for k in 0..40 {
            let t = 0.1 * f64::from(k);
            let scatter = 0.01 * (7.0 * f64::from(k * k) + amplitude).sin();
            csv.push_str(&format!("{t},{}\n", amplitude * (2.0 * t).cos() + scatter));
        }
        let path = folder.join(name);
        std::fs::write(&path, csv).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (first, second) = (file("first.csv", 0.5), file("second.csv", 0.8));
    let picture = folder.join("fit.svg");
    let text = "param k = 3\ncoord x\nkinetic: x'^2/2\npotential: k*x^2/2\noutput place: x\ninitial x = 0.4\n";
    let common = [
        "fit", "--data", &first, "--data", &second, "--runs", "--free", "k,x",
    ];
    let more = [
        "--profile",
        "--segments",
        "3",
        "--plot",
        picture.to_str().unwrap(),
    ];
    let one = answer(&common, text);
    let fit = answer(&[&common[..], &more].concat(), text);
    for (name, expected) in [("k", 4.0), ("x@1", 0.5), ("x@2", 0.8)] {
        let (found, alone) = (&fit["parameters"][name], &one["parameters"][name]);
        let (value, error) = (&found["value"], &found["standard_error"]);
        close(
            value.as_f64().unwrap(),
            expected,
            4.0 * error.as_f64().unwrap(),
        );
        close(
            value.as_f64().unwrap(),
            alone["value"].as_f64().unwrap(),
            1e-8,
        );
    }
    assert_eq!(fit["profiles"][2]["name"], "x@2");
    let [low, high] = [0, 1].map(|k| fit["profiles"][0]["interval"][k].as_f64().unwrap());
    assert!(low < 4.0 && 4.0 < high && high - low < 0.1, "{low} {high}");
    assert!(one.get("profiles").is_none());
    let drawn = std::fs::read_to_string(picture).unwrap();
    assert!(drawn.contains("data and fit"), "{drawn}");
}

#[test]
fn files_outside_of_the_folder_need_permission() {
    let folder = scratch("tables");
    let inner = folder.join("inner");
    std::fs::create_dir_all(&inner).unwrap();
    std::fs::write(folder.join("data.csv"), "t,y\n0,1\n1,1\n").unwrap();
    let model = inner.join("model.gal");
    let text = "coord x\nkinetic: x'^2/2\ntable f(s) from \"../data.csv\" columns \"t\", \"y\" linear\n\
                force: x = f(t)\nsimulate to 1\n";
    std::fs::write(&model, text).unwrap();
    let model = model.to_str().unwrap();
    let refused = galilei(&["simulate", model, "--json"], "");
    assert!(refused.code == 1 && refused.out.contains("path_not_allowed"));
    for words in [
        &["--allow-path"][..],
        &["--allow-path", folder.to_str().unwrap()],
    ] {
        let mut all = vec!["simulate"];
        all.extend(words);
        all.extend([model, "--json"]);
        let allowed = galilei(&all, "");
        assert_eq!(allowed.code, 0, "{}", allowed.out);
    }
}

#[test]
fn inputs_have_units_that_fit_without_a_second_anywhere() {
    let refused = |unit: &str| {
        let text = format!(
            "param m = 2 [kg]\ncoord x [m]\nkinetic: m*x'^2/2\ninput u {unit} = 0\nforce: x = u\n"
        );
        let answer = galilei(&["check", "-", "--json"], &text);
        let json = answer.json();
        (answer.code != 0).then(|| json.get("errors").list()[0].get("code").text().to_owned())
    };
    // Only a time in √kg would make it a force.
    assert_eq!(refused("[m]").as_deref(), Some("dimension_mismatch"));
    assert_eq!(refused("[N]"), None);
    assert_eq!(refused(""), None);
    // Natural units, in which a time is a length.
    let text = "coord x [m]\nlagrangian: -sqrt(1 - x'^2)\n";
    let answer = galilei(&["check", "-", "--json"], text);
    assert_eq!(answer.code, 0, "{}", answer.out);
}

#[test]
fn settings_of_no_parameter_are_explained() {
    let hint = |text: &str| {
        let answer = galilei(&["check", "-", "--json", "--set", "u=3"], text);
        let json = answer.json();
        let error = &json.get("errors").list()[0];
        assert_eq!(error.get("code").text(), "unknown_parameter");
        error.get("hint").text().to_owned()
    };
    let free = "coord x\nkinetic: x'^2/2\n";
    assert!(hint(&format!("{free}input u = 2\nforce: x = u\n")).contains("is an input"));
    assert!(hint(free).contains("declares none"));
    assert!(hint(&format!("param mass = 2\n{free}")).contains("are mass"));
}

/// x'' = −k x + u from x = 1, u = u₀ = 1/2: a constant added to u is one added to u₀, and ∂x/∂u = (1 − cos ωt)/ω².
#[test]
fn sensitivities_by_inputs() {
    let text = "param k = 4, u0 = 0.5\ncoord x\nkinetic: x'^2/2\npotential: k*x^2/2\ninput u = u0\n\
                input drag = -3*x'\nforce: x = u\ninitial x = 1\nsimulate to 1\n";
    let words = ["jacobi", "--by", "u0,u,k", "--gradient", "x"];
    let found = answer(&words, text);
    let by = |name: &str| numbers(&found["sensitivities"][name]);
    close(by("u")[0], (1.0 - 2f64.cos()) / 4.0, 1e-13);
    close(by("u")[1], 2f64.sin() / 2.0, 1e-13);
    close(by("u")[0], by("u0")[0], 1e-14);
    let gradient = &found["gradient"]["by_parameters"]["u"];
    close(gradient.as_f64().unwrap(), by("u")[0], 1e-14);
    let json = galilei(&["jacobi", "-", "--json", "--by", "w,u"], text).json();
    let error = &json.get("errors").list()[0];
    assert_eq!(error.get("code").text(), "unknown_parameter");
    assert!(error.get("hint").text().contains("k, u0, u, drag"));
}
