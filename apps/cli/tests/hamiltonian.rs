//! Systems given by H(t, x, p), compared with the same systems written the usual way.

mod common;

use common::{Json, galilei, model};

/// Pairs of models in `models/`: by H, and by energies.
const PAIRS: [(&str, &str); 4] = [
    ("kepler-hamiltonian", "kepler-cartesian"),
    ("charged-particle-hamiltonian", "charged-particle"),
    ("relativistic-hamiltonian", "relativistic-particle"),
    ("knife-edge-hamiltonian", "knife-edge"),
];

fn run(arguments: &[&str], input: &str) -> Json {
    let answer = galilei(&[arguments, &["--json"]].concat(), input);
    assert_eq!(answer.code, 0, "{arguments:?} {}{}", answer.out, answer.err);
    answer.json()
}

fn codes(arguments: &[&str], input: &str) -> Vec<String> {
    let answer = galilei(&[arguments, &["--json"]].concat(), input);
    assert_eq!(answer.code, 1, "{}", answer.out);
    let errors = answer.json().get("errors").clone();
    let code = |e: &Json| e.get("code").text().to_owned();
    errors.list().iter().map(code).collect()
}

#[track_caller]
fn close(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{a} and {b}");
    }
}

#[test]
fn runs_are_those_of_the_energies() {
    for (own, usual) in PAIRS {
        let own = run(&["simulate", &model(own)], "");
        let usual = run(&["simulate", &model(usual)], "");
        for key in ["position", "velocity"] {
            close(&own.get(key).numbers(), &usual.get(key).numbers(), 1e-11);
        }
        assert!(own.get("energy_balance").number() < 1e-11);
    }
}

#[test]
fn numbers_at_a_state_are_those_of_the_energies() {
    let at = "x=0.7, y=-0.4, x'=0.3, y'=0.2";
    for (own, usual) in &PAIRS[..3] {
        let own = run(&["eval", &model(own), "--at", at], "");
        let usual = run(&["eval", &model(usual), "--at", at], "");
        for key in [
            "momentum",
            "acceleration",
            "momentum_rate",
            "force",
            "velocity",
        ] {
            close(&own.get(key).numbers(), &usual.get(key).numbers(), 1e-13);
        }
        close(
            &own.get("mass_matrix").flat(),
            &usual.get("mass_matrix").flat(),
            1e-13,
        );
        for key in ["lagrangian", "hamiltonian", "energy_rate"] {
            close(&[own.get(key).number()], &[usual.get(key).number()], 1e-13);
        }
    }
}

/// Lagrange's and Hamilton's equations are proved equal, term by term.
#[test]
fn equations_are_those_of_the_energies() {
    for (own, usual) in &PAIRS[..2] {
        for topic in ["lagrange", "hamilton"] {
            let [a, b] = [own, usual].map(|m| run(&["derive", &model(m), topic], ""));
            let [a, b] = [&a, &b].map(|d| d.get(topic).get("components").clone());
            let (Json::Object(a), Json::Object(b)) = (a, b) else {
                panic!("components by name");
            };
            assert_eq!(a.len(), b.len());
            for ((name, a), (other, b)) in a.iter().zip(&b) {
                assert_eq!(name, other);
                let claim = format!("{} = {}", a.text(), b.text());
                let verdict = run(&["decide", &claim], "");
                assert_eq!(verdict.get("verdict").text(), "proved", "{claim}");
            }
        }
    }
}

const OSCILLATOR: &str = "param m = 2, k = 8\ncoord x\nhamiltonian: p(x)^2/(2*m) + k*x^2/2\n";

#[test]
fn momenta_are_entries_of_states() {
    let state = run(&["eval", "-", "--at", "x=1, p(x)=3"], OSCILLATOR);
    assert_eq!(state.get("velocity").numbers(), [1.5]);
    assert_eq!(state.get("momentum").numbers(), [3.0]);
    assert_eq!(state.get("hamiltonian").number(), 6.25);
    // Missing entries come from `initial`, and entries of the state replace them.
    let text = format!("{OSCILLATOR}initial x = 2, p(x) = 4\n");
    let state = run(&["eval", "-"], &text);
    assert_eq!(state.get("velocity").numbers(), [2.0]);
    let state = run(&["eval", "-", "--at", "x'=7"], &text);
    assert_eq!(state.get("momentum").numbers(), [14.0]);
    let found = codes(&["eval", "-", "--at", "x'=7, p(x)=1"], OSCILLATOR);
    assert_eq!(found, ["momentum_beside_velocity"]);
}

/// With a vector potential p = mu + A: momenta belong to a place and a time.
#[test]
fn momenta_of_a_moved_state_are_kept() {
    let text = "coord x, y\nhamiltonian: (p(x) - 3*y*t)^2/2 + (p(y) - x)^2/4\n\
                initial x = 1, y = 2, p(x) = 5, p(y) = 2\nsimulate from 1 to 2\n";
    let velocity = |at: &str| {
        run(&["eval", "-", "--at", at], text)
            .get("velocity")
            .numbers()
    };
    assert_eq!(velocity(""), [-1.0, 0.5]);
    assert_eq!(velocity("y=1, x=4"), [2.0, -1.0]);
    assert_eq!(velocity("t=0"), [5.0, 0.5]);
    // One momentum and one velocity, of an H that couples nothing and of one that does.
    assert_eq!(velocity("y'=9"), [-1.0, 9.0]);
    let coupled = "coord x, y\nhamiltonian: p(x)^2 + p(x)*p(y) + p(y)^2\n";
    let state = run(&["eval", "-", "--at", "p(x)=3, y'=6"], coupled);
    // y' = p_x + 2p_y = 6, so p_y = 3/2 and x' = 2p_x + p_y.
    close(&state.get("velocity").numbers(), &[7.5, 6.0], 1e-15);
    close(&state.get("momentum").numbers(), &[3.0, 1.5], 1e-15);
    // Where a momentum is given, the momentum of the other coordinate is zero; else its velocity.
    let state = run(&["eval", "-", "--at", "p(x)=3"], coupled);
    assert_eq!(state.get("momentum").numbers(), [3.0, 0.0]);
    let state = run(&["eval", "-", "--at", "x'=3"], coupled);
    assert_eq!(state.get("velocity").numbers(), [3.0, 0.0]);
}

/// The start of a run, of sensitivities and of a sweep is the one of the momenta.
#[test]
fn starts_follow_from_momenta() {
    let text = "param m = 2, q = 6\ncoord x\nhamiltonian: p(x)^2/(2*m*x)\n\
                initial x = 3, p(x) = q\nsimulate to 0\n";
    assert_eq!(
        run(&["simulate", "-"], text).get("velocity").numbers(),
        [1.0]
    );
    let slopes = run(&["sensitivities", "-", "--by", "m,q", "--to", "1e-9"], text);
    // u = q/(mx): ∂u/∂m = −1/2, ∂u/∂q = 1/6 at the start.
    let by = |name: &str| slopes.get("sensitivities").get(name).numbers()[1];
    close(&[by("m"), by("q")], &[-0.5, 1.0 / 6.0], 1e-6);
}

#[test]
fn forces_and_constraints_may_use_velocities_or_momenta() {
    let force = |f: &str| format!("{OSCILLATOR}force f: x = {f}\ninitial x = 1, x' = 3\n");
    let a = run(&["eval", "-"], &force("-x'/10"));
    let b = run(&["eval", "-"], &force("-p(x)/20"));
    assert_eq!(
        a.get("acceleration").numbers(),
        b.get("acceleration").numbers()
    );
    let c = run(
        &["eval", "-"],
        &format!("{OSCILLATOR}dissipation d: p(x)^2/80\ninitial x = 1, x' = 3\n"),
    );
    // D = m²x'²/80, F = −m²x'/40 = −x'/10
    assert_eq!(a.get("force").numbers(), c.get("force").numbers());
}

#[test]
fn what_cannot_be_is_refused() {
    let check = |text: &str| codes(&["check", "-"], text);
    assert_eq!(
        check("coord x, y\nhamiltonian: (p(x) + p(y))^2\n"),
        ["degenerate_hamiltonian"]
    );
    assert_eq!(
        check("coord x\nhamiltonian: p(x)^4 + x^2\n"),
        ["degenerate_hamiltonian"]
    );
    assert_eq!(
        check("coord x\nhamiltonian: p(x)^2\nkinetic: x'^2\n"),
        ["mixed_formulations"]
    );
    assert_eq!(
        check("coord x\nhamiltonian: p(x)^2 + x'\n"),
        ["velocity_not_allowed"]
    );
    assert_eq!(
        check("coord x\nhamiltonian: p(x)^2\npotential: p(x)\n").len(),
        1
    );
}

/// With k = 0, b = 1 and m = 1 Cardano's formula is the inverse of u = p + p³.
const CARDANO: &str = "coord x
let p0 = 2/sqrt(3)*sinh(log(3*sqrt(3)/2*x' + sqrt(27*x'^2/4 + 1))/3)
lagrangian: p0*x' - p0^2/2 - p0^4/4 - x^2
force drag: x = -0.1*x'
output momentum: p0
initial x = 1, x' = 0.625
simulate to 5
";

#[test]
fn t_114_hamiltonians_without_a_closed_lagrangian() {
    let text = "coord x
hamiltonian: p(x)^2/2 + p(x)^4/4 + x^2
force drag: x = -0.1*x'
output momentum: p(x)
initial x = 1, p(x) = 0.5
simulate to 5
";
    // The kinetic energy is a sum: not one of the forms that are inverted in closed form.
    let (own, usual) = (run(&["eval", "-"], text), run(&["eval", "-"], CARDANO));
    for key in [
        "velocity",
        "momentum",
        "force",
        "acceleration",
        "momentum_rate",
    ] {
        close(&own.get(key).numbers(), &usual.get(key).numbers(), 1e-13);
    }
    for key in ["lagrangian", "hamiltonian", "energy_rate"] {
        close(&[own.get(key).number()], &[usual.get(key).number()], 1e-13);
    }
    let by_velocity = text.replace("p(x) = 0.5", "x' = 0.625");
    for method in ["taylor", "dop853", "radau"] {
        let usual = run(&["simulate", "-", "--method", method], CARDANO);
        for text in [text, by_velocity.as_str()] {
            let own = run(&["simulate", "-", "--method", method], text);
            assert_eq!(own.get("status").text(), "finished");
            for key in ["position", "velocity"] {
                close(&own.get(key).numbers(), &usual.get(key).numbers(), 1e-9);
            }
            let output = |run: &Json| run.get("outputs").get("momentum").number();
            close(&[output(&own)], &[output(&usual)], 1e-9);
            assert!(own.get("energy_balance").number() < 1e-9);
        }
    }
    let check = run(&["check", "-"], &text.replace("force", "#"));
    assert!(matches!(check.get("ok"), Json::Bool(true)));
    let conserved = |f: &&Json| f.get("name").text() == "conserved: E";
    let findings = check.get("findings").clone();
    let found = findings
        .list()
        .iter()
        .find(conserved)
        .unwrap()
        .get("status");
    assert_eq!(found.text(), "proved");
    // Everything else says why not.
    for command in [
        &["export", "-", "--to", "c"][..],
        &["jacobi", "-", "--gradient", "x"],
        &["sweep", "-", "--sample", "2", "--vary", "x' in 0..1"],
        &["simulate", "-", "--method", "gauss4"],
    ] {
        assert_eq!(codes(command, text), ["not_available"], "{command:?}");
    }
}

#[test]
fn t_98_constraints_of_hamiltonians_without_a_closed_lagrangian() {
    let file = model("coupled-quartic-hamiltonian");
    let run = run(&["simulate", &file], "");
    assert_eq!(run.get("status").text(), "finished");
    assert!(run.get("constraint_residual").number() < 1e-11);
    assert!(run.get("energy_balance").number() < 1e-11);
}

#[test]
fn momenta_on_another_branch_are_refused() {
    // ∂H/∂p = p³ − p has three momenta for small velocities.
    let text =
        "coord x\nhamiltonian: p(x)^4/4 - p(x)^2/2 + x^2\ninitial p(x) = 1.05\nsimulate to 1\n";
    assert_eq!(codes(&["simulate", "-"], text), ["not_available"]);
}

/// H = p²/2 + ap⁴/4 + x²/2 has no closed Legendre transform. With q = p and p_q = −x it is p_q²/2 + q²/2 + aq⁴/4, an oscillator
/// with the usual Lagrangian: the second model. So (x, p) = (−q', q).
const QUARTIC: [&str; 2] = [
    "param a = 1\ncoord x\nhamiltonian: p(x)^2/2 + a*p(x)^4/4 + x^2/2\ninitial p(x) = 1\noutput p: p(x)\nsimulate to 5\n",
    "param a = 1\ncoord q\nkinetic: q'^2/2\npotential: q^2/2 + a*q^4/4\ninitial q = 1\noutput p: q\nsimulate to 5\n",
];

fn table(json: &Json) -> Vec<Vec<f64>> {
    json.list().iter().map(Json::numbers).collect()
}

#[test]
fn t_54_sensitivities_in_positions_and_momenta() {
    let ask = |text: &str| run(&["jacobi", "-", "--by", "a"], text);
    let (own, usual) = (ask(QUARTIC[0]), ask(QUARTIC[1]));
    // (x, p) by (x, p), and (q, q') by (q, q').
    let (c, m) = (
        table(own.get("canonical_transition")),
        table(usual.get("transition")),
    );
    close(&[c[0][0], c[0][1]], &[m[1][1], -m[1][0]], 1e-11);
    close(&[c[1][0], c[1][1]], &[-m[0][1], m[0][0]], 1e-11);
    assert!(own.get("symplectic_defect").number() < 1e-12);
    // u = p + ap³ at p = 1 at the start.
    let p = usual.get("position").numbers()[0];
    let slope = 1.0 + 3.0 * p * p;
    let t = table(own.get("transition"));
    close(&[t[0][0], t[0][1]], &[c[0][0], c[0][1] / 4.0], 1e-11);
    close(
        &[t[1][0], t[1][1]],
        &[slope * c[1][0], slope * c[1][1] / 4.0],
        1e-11,
    );
    let by = |j: &Json| j.get("sensitivities").get("a").numbers();
    let (own_a, q_a) = (by(&own), by(&usual));
    close(&own_a, &[-q_a[1], slope * q_a[0] + p.powi(3)], 1e-11);
    close(
        &own.get("position").numbers(),
        &[-usual.get("velocity").numbers()[0]],
        1e-11,
    );
    assert_eq!(own.get("velocity").numbers().len(), 1);
    // The momentum of the start follows from the parameter where the velocity is given.
    let still = QUARTIC[0].replace("p(x) = 1", "x' = 2");
    let moved = ask(&still);
    // 0 = ∂(p + ap³)/∂a at fixed u: ∂p/∂a = −p³/(1 + 3ap²) = −1/4.
    close(
        &by(&moved),
        &[own_a[0] - c[0][1] / 4.0, own_a[1] - slope * c[1][1] / 4.0],
        1e-10,
    );
}

#[test]
fn t_54_analyses_in_positions_and_momenta() {
    let both = |arguments: &[&str]| QUARTIC.map(|text| run(arguments, text));
    let [own, usual] = both(&["periodic", "-", "--period", "5"]);
    let motion = |j: &Json, key: &str| j.get("motions").list()[0].get(key).clone();
    close(
        &[motion(&own, "period").number()],
        &[motion(&usual, "period").number()],
        1e-11,
    );
    assert_eq!(motion(&own, "trivial").number(), 2.0);
    assert_eq!(motion(&own, "state").get("position").numbers().len(), 1);
    let [own, usual] = both(&["lyapunov", "-", "--to", "50"]);
    assert!(own.get("sum").number().abs() < 1e-10);
    assert_eq!(own.get("expected_sum").number(), 0.0);
    assert_eq!(
        usual.get("exponents").numbers().len(),
        own.get("exponents").numbers().len()
    );
    // x'' = −(1 + 3ap²)x at p = 0.
    let found = run(&["equilibrium", "-", "--at", "x=0.3"], QUARTIC[0]);
    let rest = &found.get("equilibria").list()[0];
    assert_eq!(rest.get("position").numbers(), [0.0]);
    assert_eq!(rest.get("velocity").numbers(), [0.0]);
    assert!(matches!(rest.get("stable"), Json::Bool(true)));
    let modes = run(&["modes", "-", "--at", "x=0, p(x)=0"], QUARTIC[0]);
    close(
        &table(modes.get("A")).concat(),
        &[0.0, 1.0, -1.0, 0.0],
        1e-14,
    );
    assert_eq!(modes.get("state").get("position").numbers(), [0.0]);
    let names: Vec<&str> = modes
        .get("independent")
        .list()
        .iter()
        .map(Json::text)
        .collect();
    assert_eq!(names, ["x", "p(x)"]);
    // A damped one: ṗ = −x − cp has the divergence −c.
    let damped = QUARTIC[0].replace("initial", "force drag: x = -0.1*p(x)\ninitial");
    let found = run(&["lyapunov", "-", "--to", "50"], &damped);
    close(&[found.get("sum").number()], &[-0.1], 1e-9);
    close(&[found.get("expected_sum").number()], &[-0.1], 1e-9);
}

#[test]
fn t_54_sweeps_and_fits_in_positions_and_momenta() {
    let folder = std::env::temp_dir().join(format!("galilei-quartic-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut ends = Vec::new();
    for (text, name, start) in [(QUARTIC[0], "own", "p(x)"), (QUARTIC[1], "usual", "q")] {
        let file = folder.join(format!("{name}.csv"));
        let file = file.to_str().unwrap();
        let vary = format!("{start} in [0.5, 1, 1.5], a in [0.5, 2]");
        let swept = run(&["sweep", "-", "--grid", &vary, "-o", file], text);
        assert_eq!(swept.get("failed").number(), 0.0);
        let table = std::fs::read_to_string(file).unwrap();
        let mut lines = table.lines().filter(|l| !l.starts_with('#'));
        let names: Vec<&str> = lines.next().unwrap().split(',').collect();
        let column = names.iter().position(|n| *n == "p").unwrap();
        let numbers = lines.map(|l| l.split(',').nth(column).unwrap().parse::<f64>().unwrap());
        ends.push(numbers.collect::<Vec<f64>>());
    }
    assert_eq!(ends[0].len(), 6);
    close(&ends[0], &ends[1], 1e-9);
    // Measurements of p(t) from the usual model at a = 1.3 and q = 0.8.
    let mut data = String::from("t,p\n");
    for k in 0..20 {
        let to = format!("{}", 0.1 + 0.25 * f64::from(k));
        let at = run(
            &[
                "simulate", "-", "--to", &to, "--set", "a=1.3", "--at", "q=0.8",
            ],
            QUARTIC[1],
        );
        data += &format!("{to},{:?}\n", at.get("outputs").get("p").number());
    }
    let file = folder.join("data.csv");
    std::fs::write(&file, data).unwrap();
    let file = file.to_str().unwrap();
    let common = ["fit", "-", "--data", file, "--free", "a,p(x)"];
    let twice = ["--data", file, "--runs"];
    for (more, name) in [
        (&[][..], "p(x)"),
        (&["--segments", "3"], "p(x)"),
        (&twice, "p(x)@2"),
    ] {
        let fit = run(&[&common[..], more].concat(), QUARTIC[0]);
        let value = |name: &str| fit.get("parameters").get(name).get("value").number();
        close(&[value("a"), value(name)], &[1.3, 0.8], 1e-8);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn t_48_regularity_of_a_given_hamiltonian() {
    let finding = |text: &str, name: &str| {
        let check = run(&["check", "-"], text);
        let list = check.get("findings").list().iter();
        let mut found = list.filter(|f| f.get("name").text().starts_with(name));
        found.next().unwrap().clone()
    };
    let regular = finding(QUARTIC[0], "regular:");
    assert_eq!(regular.get("status").text(), "proved");
    assert!(matches!(regular.get("generic"), Json::Bool(false)));
    let definite = finding(QUARTIC[0], "metric: positive definite");
    assert_eq!(definite.get("status").text(), "certified");
    let well = "coord x\nhamiltonian: p(x)^4/4 - p(x)^2/2 + x^2/2\ninitial p(x) = 2\n";
    let regular = finding(well, "regular:");
    assert!(matches!(regular.get("generic"), Json::Bool(true)));
    assert!(
        regular.get("except").text().contains("p(x)^2"),
        "{}",
        regular.get("except").text()
    );
    let cosh = "coord x\nhamiltonian: cosh(p(x)) + x^2/2\ninitial x = 1\n";
    assert_eq!(finding(cosh, "regular:").get("status").text(), "proved");
}
