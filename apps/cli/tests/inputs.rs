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

/// SciPy 1.17, `CubicSpline(…, bc_type="periodic")` of the times modulo 4, integrated twice; a road of the position with
/// `solve_ivp` to 1e-13.
#[test]
fn periodic_tables_repeat_themselves() {
    let knots = "[(0.5, 1), (1, -2), (2.25, 0.5), (2.5, 3), (4.5, 1)] periodic";
    let driven = format!(
        "coord x\ntable f(s) = {knots}\nkinetic: x'^2/2\nforce: x = f(t)\nsimulate to 11\n"
    );
    let road = format!(
        "coord x\ntable f(s) = {knots}\nkinetic: x'^2/2\npotential: 0.1*f(x)\ninitial x = -3, x' = 1.5\nsimulate to 9\n"
    );
    for method in ["taylor", "dop853", "radau"] {
        let run = answer(&["simulate", "--method", method], &driven);
        assert_eq!(run["warnings"], Value::Array(vec![]), "{method}");
        close(numbers(&run["position"])[0], 73.91418177829772, 1e-9);
        close(numbers(&run["velocity"])[0], 14.395656624744076, 1e-9);
        let run = answer(&["simulate", "--method", method], &road);
        assert_eq!(run["warnings"], Value::Array(vec![]), "{method}");
        close(numbers(&run["position"])[0], 7.262462260374386, 1e-8);
        close(numbers(&run["velocity"])[0], 0.7739231798623297, 1e-8);
    }
    let end = answer(&["simulate", "--from", "11", "--to", "-2"], &driven);
    assert_eq!(end["status"], "finished");
}

/// Exported sources look up the same polynomials in all repetitions.
#[test]
fn exported_tables_repeat_themselves() {
    let text = "coord x\ntable f(s) = [(0.5, 1), (1, -2), (2.25, 0.5), (2.5, 3), (4.5, 1)] periodic\n\
                kinetic: x'^2/2\nforce: x = f(t)\n";
    let source = galilei(&["export", "-", "--to", "python"], text).out;
    let folder = scratch("periodic");
    std::fs::write(folder.join("exported.py"), source).unwrap();
    let driver = "import exported as e\nprint(*[e.accelerations(s + 4.0*k, [0.0], [0.0])[0][0] \
                  for k in (-3, 0, 5) for s in (0.7, 1.5, 2.3, 3.9)])\n";
    let out = std::process::Command::new("python3")
        .args(["-B", "-c", driver])
        .current_dir(&folder)
        .output();
    let Ok(out) = out else { return };
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{said}");
    let text = String::from_utf8(out.stdout).unwrap();
    let found: Vec<f64> = text
        .split_whitespace()
        .map(|w| w.parse().unwrap())
        .collect();
    // The values of the test of splines, by SciPy.
    let values = [
        -0.312_011_699_327_288_45,
        -3.082_889_733_840_304,
        0.989_561_860_193_037,
        4.546_363_264_112_315_5,
    ];
    assert_eq!(found.len(), 12);
    for (found, value) in found.iter().zip(values.iter().cycle()) {
        close(*found, *value, 1e-12);
    }
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
/// Distances that a ball rolled down Galileo's groove after equal times (Manuscript 72, folio 107v), by a linear regression of s on
/// t²/2 and t with NumPy.
#[test]
fn a_fit_to_the_data_of_galileo_is_a_regression() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/tutorial/");
    let text = std::fs::read_to_string(format!("{root}incline.gal")).unwrap();
    let data = format!("{root}incline.csv");
    let fit = answer(&["fit", "--data", &data, "--free", "a,s'"], &text);
    for (name, value, error) in [
        ("a", 65.749_890_78, 0.324_821_7),
        ("s'", 0.632_699_87, 1.064_999_16),
    ] {
        let found = &fit["parameters"][name];
        close(found["value"].as_f64().unwrap(), value, 1e-7);
        close(found["standard_error"].as_f64().unwrap(), error, 1e-6);
    }
    close(fit["residual_rms"].as_f64().unwrap(), 3.264_180_007_7, 1e-8);
    close(numbers(&fit["covariance"][0])[1], -0.335_146_67, 1e-6);
}

/// cos 5t has a minimum of the squares for every half wave that a frequency is wrong by; searches from points that are spread evenly
/// find the deepest one with every seed. Bounds are in the unit of the parameter.
#[test]
fn searches_start_all_over_the_bounds() {
    let folder = scratch("starts");
    let data = folder.join("data.csv");
    let rows = (0..=100).map(|k| {
        let t = 0.1 * f64::from(k);
        format!("{t},{}\n", (5.0 * t).cos())
    });
    std::fs::write(&data, format!("t,place\n{}", rows.collect::<String>())).unwrap();
    let data = data.to_str().unwrap();
    let text = "param w = 1000 [1/ks]\ncoord x\nkinetic: x'^2/2\npotential: w^2*x^2/2\ninitial x = 1\noutput place: x\n";
    let bounds = ["--bounds", "w in 500..10000", "--starts", "40"];
    for seed in ["1", "2", "3", "4", "5"] {
        let words = [
            &["fit", "--data", data, "--free", "w", "--seed", seed],
            &bounds[..],
        ]
        .concat();
        let fit = answer(&words, text);
        close(fit["parameters"]["w"]["value"].as_f64().unwrap(), 5.0, 1e-9);
    }
}

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
