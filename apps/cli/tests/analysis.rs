//! `galilei modes`, `equilibrium`, `periodic`, `lyapunov`: documents and exit statuses.

mod common;

use common::{Json, galilei};

const PENDULUM: &str = "param g = 9.81 [m/s^2], l = 0.5 [m], m = 1 [kg]\ncoord theta [rad]\n\
                        particle bob: mass m at (l*sin(theta), -l*cos(theta))\ngravity: (0, -g)\n\
                        output height: -l*cos(theta)\ninitial theta = 0.3\n";

fn keys(json: &Json) -> Vec<String> {
    match json {
        Json::Object(entries) => entries.iter().map(|e| e.0.clone()).collect(),
        _ => panic!("no object"),
    }
}

#[test]
fn the_document_of_modes() {
    let answer = galilei(&["modes", "-", "--at", "theta=0", "--json"], PENDULUM);
    assert_eq!((answer.code, answer.err.as_str()), (0, ""));
    let json = answer.json();
    let contract = [
        "state",
        "independent",
        "A",
        "B",
        "inputs",
        "C",
        "D",
        "eigenvalues",
        "frequencies_hz",
        "damping_ratios",
        "vectors",
    ];
    let found = keys(&json);
    assert!(
        contract.iter().all(|k| found.iter().any(|f| f == k)),
        "{found:?}"
    );
    assert_eq!(keys(json.get("state")).len(), 3);
    assert_eq!(*json.get("B"), Json::Null);
    assert_eq!(*json.get("D"), Json::Null);
    assert!(json.get("inputs").list().is_empty());
    assert_eq!(json.get("C").list()[0].numbers(), [0.0, 0.0]);
    let frequency = (9.81_f64 / 0.5).sqrt() / std::f64::consts::TAU;
    assert!((json.get("frequencies_hz").numbers()[1] - frequency).abs() < 1e-14);
    assert_eq!(json.get("vectors").list()[0].list().len(), 2);
}

#[test]
fn a_state_that_moves_is_linearised_with_a_warning() {
    let answer = galilei(&["modes", "-", "--json"], PENDULUM);
    assert_eq!(answer.code, 0);
    let json = answer.json();
    assert_eq!(
        json.get("warnings").list()[0].get("code").text(),
        "not_steady"
    );
    let text = galilei(&["modes", "-"], PENDULUM);
    assert!(
        text.err.contains("warning[not_steady]") && text.out.contains("eigenvalue"),
        "{}",
        text.err
    );
}

#[test]
fn a_state_off_the_constraints_is_refused() {
    let text = "coord x, y\nkinetic: x'^2 + y'^2\nconstraint c: x^2 + y^2 = 1\ninitial x = 2\n";
    let answer = galilei(&["modes", "-", "--json"], text);
    assert_eq!(answer.code, 1);
    let code = answer.json().get("errors").list()[0]
        .get("code")
        .text()
        .to_owned();
    assert_eq!(code, "state_violates_constraint");
}

#[test]
fn the_document_of_equilibrium() {
    let answer = galilei(&["equilibrium", "-", "--json"], PENDULUM);
    assert_eq!((answer.code, answer.err.as_str()), (0, ""));
    let json = answer.json();
    let list = json.get("equilibria").list();
    assert_eq!(list.len(), 2);
    let contract = [
        "position",
        "velocity",
        "multipliers",
        "residual",
        "verdict",
        "stable",
        "energy_hessian",
        "eigenvalues",
    ];
    let found = keys(&list[0]);
    assert!(
        contract.iter().all(|k| found.iter().any(|f| f == k)),
        "{found:?}"
    );
    assert_eq!(list[0].get("position").numbers(), [0.0]);
    assert_eq!(*list[0].get("stable"), Json::Bool(true));
    assert_eq!(list[0].get("energy_hessian").get("index").number(), 0.0);
    assert_eq!(list[0].get("verdict").text(), "proved");
    assert_eq!(*list[1].get("stable"), Json::Bool(false));
    assert_eq!(list[1].get("eigenvalues").list().len(), 2);
}

#[test]
fn no_equilibrium_is_a_failed_computation() {
    let fall = "coord x\nkinetic: x'^2/2\npotential: x\n";
    let answer = galilei(&["equilibrium", "-", "--json"], fall);
    assert_eq!(answer.code, 3);
    assert!(answer.json().get("equilibria").list().is_empty());
    let wrong = galilei(&["equilibrium", "-", "--free", "nothing", "--json"], fall);
    assert_eq!(wrong.code, 1);
    let code = wrong.json().get("errors").list()[0]
        .get("code")
        .text()
        .to_owned();
    assert_eq!(code, "unknown_parameter");
}

#[test]
fn the_document_of_periodic() {
    let text = "coord x\nkinetic: x'^2/2\npotential: x^4/4\ninitial x = 1\nsimulate to 50\n";
    let answer = galilei(&["periodic", "-", "--period", "7", "--json"], text);
    assert_eq!((answer.code, answer.err.as_str()), (0, ""));
    let json = answer.json();
    let motion = &json.get("motions").list()[0];
    let contract = [
        "period",
        "state",
        "residual",
        "parameter",
        "multipliers",
        "trivial",
        "stable",
        "bifurcation",
    ];
    let found = keys(motion);
    assert!(
        contract.iter().all(|k| found.iter().any(|f| f == k)),
        "{found:?}"
    );
    assert!((motion.get("period").number() - 7.416_298_709_205_487).abs() < 1e-9);
    assert!(motion.get("parameter").is_null() && motion.get("bifurcation").is_null());
    assert_eq!(motion.get("trivial").number(), 2.0);
    let fall = "coord x\nkinetic: x'^2/2\npotential: x\ninitial x' = 1\n";
    let none = galilei(&["periodic", "-", "--period", "1", "--json"], fall);
    assert_eq!(none.code, 3);
    assert!(none.json().get("motions").list().is_empty());
}

#[test]
fn the_document_of_lyapunov() {
    let text = "coord x\nkinetic: x'^2/2\npotential: -2*x^2\nforce: x = -3*x'\nsimulate to 30\n";
    let answer = galilei(&["lyapunov", "-", "--json"], text);
    assert_eq!((answer.code, answer.err.as_str()), (0, ""));
    let json = answer.json();
    let found = keys(&json);
    for key in ["exponents", "standard_error", "time", "sum", "expected_sum"] {
        assert!(found.iter().any(|f| f == key), "{key}");
    }
    assert!((json.get("exponents").list()[0].number() - 1.0).abs() < 1e-6);
    assert!((json.get("expected_sum").number() + 3.0).abs() < 1e-12);
    assert_eq!(json.get("time").number(), 30.0);
    let one = galilei(&["lyapunov", "-", "--count", "1", "--json"], text);
    assert_eq!(one.json().get("exponents").list().len(), 1);
    assert!(one.json().get("expected_sum").is_null());
    let wrong = galilei(&["lyapunov", "-", "--method", "radau", "--json"], text);
    assert_eq!(wrong.code, 1);
}

#[test]
fn sections_and_pages() {
    let folder = std::env::temp_dir().join(format!("galilei-sections-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (picture, page) = (folder.join("s.svg"), folder.join("p.html"));
    let text = "param k = 1\ncoord x, y\nparticle a: mass 1 at (x, y)\npotential: k*x^2/2 + 2*y^2\ninitial x = 1, y = 1\n\
                event section: x rising\nsimulate to 40\n";
    let drawn = galilei(
        &[
            "sweep",
            "-",
            "--grid",
            "k in [1, 2, 3]",
            "--plot",
            picture.to_str().unwrap(),
            "--axes",
            "k, y",
            "--event",
            "section",
        ],
        text,
    );
    assert_eq!(drawn.code, 0, "{}", drawn.err);
    let svg = std::fs::read_to_string(&picture).unwrap();
    assert!(
        svg.contains("class=\"curve dot") && svg.matches("h0").count() > 12,
        "{svg}"
    );
    let wrong = galilei(
        &[
            "sweep",
            "-",
            "--grid",
            "k in [1, 2]",
            "--plot",
            picture.to_str().unwrap(),
            "--axes",
            "k, q",
        ],
        text,
    );
    assert_eq!(wrong.code, 1);
    let made = galilei(
        &[
            "report",
            "-",
            "--with",
            "modes,equilibria",
            "-o",
            page.to_str().unwrap(),
        ],
        text,
    );
    assert_eq!(made.code, 0, "{}", made.err);
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(
        html.contains("Equilibria and modes") && html.matches("class=\"animation\"").count() >= 2
    );
    let _ = std::fs::remove_dir_all(&folder);
}

/// No coordinate matters for the equilibrium of a free particle with friction along x.
#[test]
fn a_free_particle_has_matrices() {
    let text =
        "param c = 2\ncoord x, y\nkinetic: (x'^2 + y'^2)/2\nforce f: x = -c*x'\ninitial x = 1\n";
    let answer = galilei(&["derive", "-", "linear", "--json"], text);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let json = answer.json();
    let rows = |name: &str| -> Vec<String> {
        let matrix = json.get("linear").get(name);
        let rows = ["x", "y"].map(|i| ["x", "y"].map(|j| matrix.get(i).get(j).text().to_owned()));
        rows.concat()
    };
    assert_eq!(rows("C"), ["c", "0", "0", "0"]);
    assert_eq!(rows("K"), ["0", "0", "0", "0"]);
}

/// The columns of a sweep's file by name; all numbers of a column in the order of the runs.
fn swept(text: &str, words: &[&str]) -> impl Fn(&str) -> Vec<f64> + use<> {
    let folder = common::scratch(&format!("map-{}", words.join("").len() + text.len()));
    let file = folder.join("map.csv");
    let path = file.to_str().unwrap();
    let answer = galilei(&[&["sweep", "-", "-o", path][..], words].concat(), text);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let read = std::fs::read_to_string(&file).unwrap();
    let _ = std::fs::remove_dir_all(&folder);
    let lines = read.lines().filter(|l| !l.starts_with('#'));
    let rows: Vec<Vec<String>> = lines
        .map(|l| l.split(',').map(str::to_owned).collect())
        .collect();
    move |name| {
        let place = rows[0].iter().position(|c| c == name).expect("a column");
        rows[1..]
            .iter()
            .map(|r| r[place].parse().unwrap())
            .collect()
    }
}

/// T-206: exponents of linear systems in closed form, those of `lyapunov` for chaotic motions; lanes and threads change no
/// bit; under constraints motions are followed one by one.
#[test]
fn maps_of_lyapunov_exponents() {
    let linear = "param k = 1, c = 1\ncoord x, y\nkinetic: x'^2/2 + y'^2/2\npotential: -k*x^2/2 + y^2\n\
                  force: x = -c*x', y = -c*y'\nsimulate to 200\n";
    let grid = ["--grid", "k in [1, 4], c in [0.5, 1, 2]", "--lyapunov", "4"];
    let wide = swept(
        linear,
        &[&grid[..], &["--lanes", "8", "--threads", "2"]].concat(),
    );
    let (k, c) = (wide("k"), wide("c"));
    assert_eq!(k.len(), 6);
    let found: Vec<Vec<f64>> = (1..=4).map(|i| wide(&format!("lyapunov[{i}]"))).collect();
    for run in 0..k.len() {
        let root = (c[run] * c[run] / 4.0 + k[run]).sqrt();
        let mut wanted = [root, -root, 0.0, 0.0].map(|r| r - c[run] / 2.0);
        wanted.sort_by(|a, b| b.total_cmp(a));
        for (own, wanted) in found.iter().zip(wanted) {
            assert!((own[run] - wanted).abs() < 0.02, "{} {wanted}", own[run]);
        }
    }
    for other in [
        ["--lanes", "1", "--threads", "1"],
        ["--lanes", "4", "--threads", "2"],
    ] {
        let again = swept(linear, &[&grid[..], &other[..]].concat());
        assert_eq!(again("lyapunov[3]"), found[2]);
        assert_eq!(again("lyapunov_error[1]"), wide("lyapunov_error[1]"));
    }
    let chaotic = "coord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: (x^2 + y^2)/2 + x^2*y - y^3/3\n\
                   initial y = 0.1, y' = 0.1, x' = 0.55\nsimulate to 1000\n";
    let map = swept(chaotic, &["--grid", "y in [0.1, -0.1]", "--lyapunov"]);
    let alone = galilei(&["lyapunov", "-", "--count", "1", "--json"], chaotic).json();
    let first = |list: &Json| list.list()[0].number();
    let (rate, error) = (
        first(alone.get("exponents")),
        first(alone.get("standard_error")),
    );
    let error = error.hypot(map("lyapunov_error[1]")[0]);
    assert!(rate > 0.04 && error < 0.04, "{rate} {error}");
    assert!((map("lyapunov[1]")[0] - rate).abs() < 4.0 * error);
    // A pendulum upside down on a rod: √g.
    let rod = "coord x, y\nkinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\nconstraint rod: x^2 + y^2 = 1\n\
               initial y = 1\nsimulate to 8\n";
    let map = swept(rod, &["--grid", "x' in [0, 1e-12]", "--lyapunov", "1"]);
    assert!((map("lyapunov[1]")[0] - 9.81_f64.sqrt()).abs() < 0.05);
    let refused = galilei(
        &["sweep", "-", "--grid", "x' in [0, 1]", "--lyapunov", "5"],
        rod,
    );
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("at most 4"), "{}", refused.err);
}
