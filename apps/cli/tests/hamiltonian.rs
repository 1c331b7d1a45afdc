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
        &["jacobi", "-"],
        &["modes", "-"],
        &["sweep", "-", "--sample", "2", "--vary", "x in 0..1"],
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
