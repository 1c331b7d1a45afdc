//! Known results about constrained motion, through the command.

mod common;

use common::{Json, galilei, model, verdict};

fn run(name: &str, more: &[&str]) -> Json {
    let file = model(name);
    let mut arguments = vec!["simulate", &file, "--json", "--quiet"];
    arguments.extend(more);
    let answer = galilei(&arguments, "");
    assert_eq!(answer.code, 0, "{name}: {}{}", answer.out, answer.err);
    answer.json()
}

fn derived(file: &str, what: &str, input: &str) -> Json {
    let answer = galilei(&["derive", file, what, "--json", "--quiet"], input);
    assert_eq!(answer.code, 0, "{}{}", answer.out, answer.err);
    answer.json().get(what).clone()
}

/// What `check` says about the claim that begins like this.
fn finding(json: &Json, name: &str) -> String {
    let all = json.get("findings").list();
    let found = all.iter().find(|f| f.get("name").text().starts_with(name));
    let found = found.unwrap_or_else(|| panic!("no finding {name}"));
    found.get("status").text().to_owned()
}

fn check(file: &str, input: &str) -> Json {
    let answer = galilei(&["check", file, "--json", "--quiet"], input);
    assert_eq!(answer.code, 0, "{}{}", answer.out, answer.err);
    answer.json()
}

#[track_caller]
fn near(what: &str, found: &[f64], wanted: &[f64], tolerance: f64) {
    let scale = wanted.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    assert_eq!(found.len(), wanted.len(), "{what}");
    for (a, b) in found.iter().zip(wanted) {
        let fine = (a - b).abs() <= tolerance * scale;
        assert!(fine, "{what}: {found:?} instead of {wanted:?}");
    }
}

/// q1'' = −2 q2' q3'/cos(q2), and not what the constrained Lagrangian would give by itself.
#[test]
fn thin_rolling_disk() {
    let json = derived(&model("thin-rolling-disk"), "nonholonomic", "");
    let right = json.get("accelerations").get("q1").text();
    assert_eq!(verdict(right, "-2*q2'*q3'/cos(q2)"), "proved");
    // The same Lagrangian as that of a system without constraints.
    let l = json.get("lagrangian").text();
    let naive = format!("param m = 1.5, r = 0.3, g = 9.81\ncoord q1, q2, q3\nlagrangian: {l}\n");
    let json = derived("-", "lagrange", &naive);
    let wrong = json.get("accelerations").get("q1").text();
    assert_eq!(verdict(wrong, "-2*q2'*q3'/cos(q2)"), "refuted");
    let json = check(&model("thin-rolling-disk"), "");
    for name in [
        "constraints: i_Γ",
        "Gauss",
        "constraints: Hamilton",
        "power",
        "conserved: E",
    ] {
        assert_eq!(finding(&json, name), "proved", "{name}");
    }
    assert_eq!(finding(&json, "constraints: integrable"), "fails");
}

/// From rest at θ' = ω: x = (g sin α/2ω²) sin²ωt, y = (g sin α/2ω²)(ωt − ½ sin 2ωt).
#[test]
fn knife_edge() {
    let json = run("knife-edge", &["--to", "4"]);
    let (w, t) = (0.6_f64, 4.0);
    let k = 9.81 * 0.4_f64.sin() / (2.0 * w * w);
    let wanted = [
        k * (w * t).sin().powi(2),
        k * (w * t - (2.0 * w * t).sin() / 2.0),
        w * t,
    ];
    near("position", &json.get("position").numbers(), &wanted, 1e-12);
    let residual = json.get("constraint_residual").number();
    assert!(residual < 1e-12, "{residual}");
}

/// The horizontal speed falls at the rate a g/(1 + a²), along a straight line.
#[test]
fn appell_and_hamel() {
    let json = run("appell-hamel", &[]);
    let v = 2.0 - 0.6 * 1.7 / 1.36;
    let (x, z) = (0.5 * (2.0 + v), 0.6);
    near(
        "position",
        &json.get("position").numbers(),
        &[0.8 * x, -0.6 * x, z * x],
        1e-12,
    );
    near(
        "velocity",
        &json.get("velocity").numbers(),
        &[0.8 * v, -0.6 * v, z * v],
        1e-12,
    );
    // The speed is used up at the vertex of the cone: the run ends there, on its sheet.
    let json = run("appell-hamel", &["--to", "3"]);
    assert_eq!(json.get("status").text(), "event");
    let event = &json.get("events").list()[0];
    assert_eq!(event.get("name").text(), "vertex of rise");
    near("time", &[json.get("time").number()], &[8.0 / 3.0], 1e-12);
    let answer = galilei(&["simulate", &model("appell-hamel"), "--to", "3"], "");
    let said = "ended by the event vertex of rise: a branch point of the constraint";
    assert!(
        answer.code == 0 && answer.out.contains(said),
        "{}",
        answer.out
    );
    let json = derived(&model("appell-hamel"), "nonholonomic", "");
    assert_eq!(json.get("kind").text(), "nonlinear");
    assert_eq!(
        verdict(
            json.get("dependent").get("z").text(),
            "sqrt(a^2*(x'^2 + y'^2))"
        ),
        "proved"
    );
    let json = check(&model("appell-hamel"), "");
    for name in [
        "constraints: i_Γ",
        "constraints: regular",
        "Gauss",
        "constraints: Hamilton",
    ] {
        assert_eq!(finding(&json, name), "proved", "{name}");
    }
    assert_eq!(finding(&json, "constraints: integrable"), "not applicable");
    assert_eq!(*json.get("constraints").get("linear"), Json::Bool(false));
    // From a state on the other sheet, the other root.
    let text = std::fs::read_to_string(model("appell-hamel")).expect("a file");
    let text = text.replace("z' = 1.2", "z' = -1.2");
    let json = derived("-", "nonholonomic", &text);
    assert_eq!(
        verdict(
            json.get("dependent").get("z").text(),
            "-sqrt(a^2*(x'^2 + y'^2))"
        ),
        "proved"
    );
}

/// The centre goes round a circle at 2/7 of the rate of the table, and the table does work.
#[test]
fn ball_on_a_turntable() {
    let (rate, v, start) = (2.0 / 7.0 * 1.4, 0.3, 0.1);
    let radius = v / rate;
    for (part, turn) in [("7*pi/(2*w)", 0.5), ("7*pi/w", 1.0)] {
        let text = std::fs::read_to_string(model("ball-on-turntable")).expect("a file");
        let text = text.replace("simulate to 7*pi/w", &format!("simulate to {part}"));
        let answer = galilei(&["simulate", "-", "--json", "--quiet"], &text);
        let json = answer.json();
        // It starts at the right end of the circle, going up.
        let angle = std::f64::consts::TAU * turn;
        let wanted = [start - radius + radius * angle.cos(), radius * angle.sin()];
        near(
            "position",
            &json.get("position").numbers()[..2],
            &wanted,
            1e-10,
        );
    }
    let json = check(&model("ball-on-turntable"), "");
    assert_eq!(finding(&json, "power of reactions: uⁱFᶜᵢ"), "fails");
    assert_eq!(finding(&json, "power of reactions: (uⁱ − Γⁱ)"), "proved");
    assert_eq!(finding(&json, "constraints: i_Γ"), "proved");
    assert_eq!(finding(&json, "conserved: E"), "fails");
}

/// Pushed backwards, the sleigh turns round and ends on a straight line with its mass centre ahead,
/// all energy in that motion.
#[test]
fn chaplygin_sleigh_turns_to_its_stable_motion() {
    let text = std::fs::read_to_string(model("chaplygin-sleigh")).expect("a file");
    let text = text.replace("theta' = 0.8", "theta' = 0.01");
    let text = text.replace("param v = 0.9", "param v = -0.9");
    let answer = galilei(&["simulate", "-", "--json", "--quiet", "--to", "60"], &text);
    let json = answer.json();
    let (x, u) = (
        json.get("position").numbers(),
        json.get("velocity").numbers(),
    );
    let ahead = u[0] * x[2].cos() + u[1] * x[2].sin();
    let start = (0.9_f64).hypot(0.9 * 0.1_f64.tan());
    let energy = 1.6 * start * start + (0.7 + 1.6 * 0.16) * 1e-4;
    near("speed", &[ahead], &[(energy / 1.6).sqrt()], 1e-10);
    assert!(u[2].abs() < 1e-10, "still turning at {}", u[2]);
    assert!(x[2].abs() > 1.0, "turned by {}", x[2]);
}

/// The published position at t = 0.03.
#[test]
fn andrews_squeezing_mechanism() {
    let wanted = [
        15.81077119629904,
        -15.75637105984298,
        0.04082224013073101,
        -0.5347301163226948,
        0.5244099658805304,
        0.5347301163226948,
        1.048080741042263,
    ];
    let json = run("andrews-squeezer", &[]);
    // Both angles that turn lag behind the published ones by 10⁻¹² s, at every tolerance.
    near("position", &json.get("position").numbers(), &wanted, 1e-10);
    let residual = json.get("constraint_residual").number();
    assert!(residual < 1e-11, "{residual}");
    let json = check(&model("andrews-squeezer"), "");
    for name in [
        "constraints: integrable",
        "constraints: i_Γ",
        "constraints: Hamilton",
    ] {
        assert_eq!(finding(&json, name), "proved", "{name}");
    }
}

/// A holonomic constraint written with velocities is found out, with its integral.
#[test]
fn integrals_are_found() {
    let text = "param l = 1.1\ncoord x, y\nparticle: mass 1 at (x, y)\nconstraint rod: x*x' + y*y' = 0\n\
                initial x = l, y' = 1\n";
    let json = check("-", text);
    assert_eq!(finding(&json, "constraints: integrable"), "proved");
    assert_eq!(*json.get("constraints").get("integrable"), Json::Bool(true));
    let json = derived("-", "nonholonomic", text);
    let h = json.get("integrals").get("rod").text();
    assert_eq!(verdict(h, "(x^2 + y^2)/2"), "proved");
}

/// `dependent` is used, completed, and overruled with a warning where it cannot be.
#[test]
fn dependent_velocities() {
    let text = |more: &str, angle: &str| {
        format!(
            "coord x, y, th\nkinetic: (x'^2 + y'^2 + th'^2)/2\nconstraint blade: x'*sin(th) = y'*cos(th)\n\
             initial th = {angle}, th' = 1\n{more}\n"
        )
    };
    let solved = |text: &str| {
        let json = derived("-", "nonholonomic", text);
        json.get("dependent").entries()[0].0.clone()
    };
    assert_eq!(solved(&text("", "0")), "y");
    assert_eq!(solved(&text("", "1.5")), "x");
    assert_eq!(solved(&text("dependent x'", "1")), "x");
    let refused = text("dependent th'", "1");
    assert_eq!(solved(&refused), "x");
    let answer = galilei(&["check", "-", "--json"], &refused);
    let warnings = answer.json().get("warnings").list().to_vec();
    assert!(
        warnings
            .iter()
            .any(|w| w.get("code").text() == "dependent_not_determined")
    );
    let answer = galilei(&["check", "-", "--json"], &text("dependent x', y'", "1"));
    assert_eq!(answer.code, 1);
    let errors = answer.json().get("errors").list().to_vec();
    assert_eq!(errors[0].get("code").text(), "too_many_dependent");
}

/// The sections are there for every kind of model, and say why where they are empty.
#[test]
fn sections_say_why_they_are_empty() {
    for what in ["nonholonomic", "reaction", "constrained-hamilton"] {
        let json = derived(&model("double-pendulum"), what, "");
        assert_eq!(json.get("reason").text(), "there are no constraints");
    }
    // No solution in formulas: construction B alone.
    let text =
        "coord x, y\nkinetic: (x'^2 + y'^2)/2\nconstraint odd: x' + sin(x') + y' + exp(y') = 1\n";
    let json = derived("-", "nonholonomic", text);
    assert!(
        json.get("reason")
            .text()
            .contains("no solution in formulas")
    );
    let json = derived("-", "reaction", text);
    assert!(!json.get("multipliers").get("odd").is_null());
    let json = check("-", text);
    assert_eq!(finding(&json, "constraints: i_Γ"), "not applicable");
    assert_eq!(finding(&json, "Gauss"), "proved");
    // Not quadratic: no Hamiltonian in formulas.
    let text = "coord x, y\nlagrangian: -sqrt(1 - x'^2 - y'^2)\nconstraint skate: y' = x*x'\ninitial x' = 0.1\n";
    let json = derived("-", "constrained-hamilton", text);
    assert!(json.get("reason").text().contains("not quadratic"));
    assert_eq!(finding(&check("-", text), "constraints: i_Γ"), "proved");
}

/// As many constraints as coordinates: the motion is given, the reactions are not.
#[test]
fn nothing_is_left_to_move() {
    let text = "coord x, y\nkinetic: (x'^2 + y'^2)/2\nconstraint a: x' = 1\nconstraint b: y' = x\ninitial x' = 1\n";
    let json = check("-", text);
    assert_eq!(finding(&json, "constraints: i_Γ"), "proved");
    let json = derived("-", "nonholonomic", text);
    assert_eq!(
        json.get("reason").text(),
        "the constraints determine all velocities"
    );
    let json = derived("-", "reaction", text);
    assert_eq!(
        verdict(json.get("multipliers").get("b").text(), "x'"),
        "proved"
    );
}

/// In another chart the sections are those of that chart.
#[test]
fn constraints_in_another_chart() {
    let text = "coord x, y\nparticle: mass 1 at (x, y)\nconstraint circle: x^2 + y^2 = 1\n\
                chart polar(r, phi): x = r*cos(phi), y = r*sin(phi)\ninitial x = 1, y' = 1\n";
    let answer = galilei(
        &[
            "derive",
            "-",
            "nonholonomic",
            "reaction",
            "--chart",
            "polar",
            "--json",
            "--quiet",
        ],
        text,
    );
    assert_eq!(answer.code, 0, "{}{}", answer.out, answer.err);
    let json = answer.json();
    let reduced = json.get("nonholonomic");
    assert_eq!(
        verdict(reduced.get("dependent").get("r").text(), "0"),
        "proved"
    );
    assert_eq!(
        verdict(reduced.get("accelerations").get("phi").text(), "0"),
        "proved"
    );
    let lambda = json.get("reaction").get("multipliers").get("circle").text();
    assert_eq!(verdict(lambda, "-(r'^2 + r^2*phi'^2)/(2*r^2)"), "proved");
}

/// Twelve coordinates are too many for Frobenius' condition; nothing is said then.
#[test]
fn what_is_undecided_is_not_denied() {
    let answer = galilei(&["check", &model("whipple-bicycle")], "");
    assert!(
        answer.out.contains("integrable or not is undecided"),
        "{}",
        answer.out
    );
    let answer = galilei(&["check", &model("chaplygin-sleigh")], "");
    assert!(answer.out.contains("not integrable"), "{}", answer.out);
}

/// A belt whose speed changes: the state is judged at the time at which the run starts.
#[test]
fn a_start_is_judged_at_its_time() {
    let belt = "coord x, y\nparticle p: mass 1 at (x, y)\nconstraint belt: y' = cos(t)\n\
                initial x' = 1, y' = 1\nsimulate to 3\n";
    let later = belt.replace("to 3", "from 1 to 3");
    let lift = "coord x, y\nparticle p: mass 1 at (x, y)\nconstraint lift: y = t\n\
                initial y = 1, y' = 1\nsimulate from 1 to 3\n";
    let page = std::env::temp_dir().join(format!("galilei-{}-belt.html", std::process::id()));
    let page = page.to_str().unwrap();
    let commands: [&[&str]; 3] = [&["simulate"], &["jacobi"], &["report", "-o", page]];
    for command in commands {
        let ran =
            |text: &str, more: &[&str]| galilei(&[command, &["-", "--json"], more].concat(), text);
        for (text, from) in [(belt, "1"), (later.as_str(), "1"), (lift, "0")] {
            let answer = ran(text, &["--from", from]);
            assert_eq!(answer.code, 1, "{command:?} {}", answer.out);
            assert!(answer.out.contains("state_violates_constraint"));
            assert!(
                answer
                    .out
                    .contains("the nearest admissible state: initial ")
            );
            assert_eq!(ran(text, &["--from", from, "--project"]).code, 0);
        }
        assert_eq!(ran(&later, &["--from", "0"]).code, 0, "{command:?}");
        assert_eq!(ran(lift, &[]).code, 0, "{command:?}");
    }
    let _ = std::fs::remove_file(page);
    // The projected start is on the belt: y is the integral of its speed.
    let words = ["simulate", "-", "--json", "--from", "1", "--project"];
    let json = galilei(&words, belt).json();
    let y = json.get("position").numbers()[1];
    assert!((y - (3f64.sin() - 1f64.sin())).abs() < 1e-12, "{y}");
    assert!(json.get("energy_balance").number() < 1e-12);
}

/// The message of the only error, and its hint; it has a place.
fn error(command: &[&str], text: &str) -> (String, String, String) {
    let answer = galilei(&[command, &["-", "--json"]].concat(), text);
    assert_eq!(answer.code, 1, "{command:?} {}", answer.out);
    let json = answer.json();
    let [error] = json.get("errors").list() else {
        panic!("{}", answer.out)
    };
    assert!(error.get("line").number() >= 1.0, "{}", answer.out);
    let word = |key: &str| error.get(key).text().to_owned();
    (word("code"), word("message"), word("hint"))
}

const FREE: &str = "coord x, y\nparticle p: mass 1 at (x, y)\nsimulate to 1\n";

#[test]
fn a_constraint_without_a_value_is_named() {
    for (constraint, said) in [
        ("constraint a: x'/y = y'\ninitial x = 1", "is"),
        ("constraint a: sqrt(x') = y'\ninitial x' = -1", "is"),
        // Here it has a value, but no derivatives.
        (
            "constraint a: sqrt(x') = y'\ninitial x = 1",
            "has derivatives that are",
        ),
    ] {
        let text = format!("{FREE}{constraint}\n");
        for command in ["check", "eval", "simulate", "jacobi", "report"] {
            let (code, message, _) = error(&[command], &text);
            assert_eq!(code, "not_defined_at_state", "{command}");
            let said = format!("the constraint `a` {said} not defined at ");
            assert!(message.starts_with(&said), "{message}");
        }
        // Another state may do.
        let at = ["eval", "-", "--at", "y=1, x'=4, y'=2"];
        let fine = constraint.contains("sqrt");
        assert_eq!(galilei(&at, &text).code == 0, fine);
        assert_eq!(galilei(&["derive", "-"], &text).code, 0);
    }
}

#[test]
fn contradictions_are_not_called_repetitions() {
    for (constraints, said) in [
        (
            "constraint a: x' = 1\nconstraint b: x' = 2",
            "`b` contradicts the others: where they hold, its left side − right side is -1",
        ),
        (
            "constraint a: x^2 + y^2 = 1\nconstraint b: x^2 + y^2 = 4",
            "`b` contradicts",
        ),
        (
            "constraint a: x' = y'\nconstraint b: 2*y' - 2*x' = t + 1",
            "`b` contradicts",
        ),
        (
            "constraint a: x^2 + y^2 = 1\nconstraint b: x*x' + y*y' = 1",
            "`b` contradicts",
        ),
        (
            "constraint a: x' = y'\nconstraint b: 2*y' = 2*x'",
            "`b` depends on the others",
        ),
        (
            "constraint a: x^2 + y^2 = 1\nconstraint b: x*x' + y*y' = 0",
            "`b` depends",
        ),
        (
            "constraint b: x*x' + y*y' = 0\nconstraint a: x^2 + y^2 = 1",
            "`a` depends",
        ),
        (
            "constraint a: sin(x)^2 + cos(x)^2 = 1",
            "the constraint `a` restricts nothing",
        ),
        (
            "constraint b: x' = y'\nconstraint a: sin(y')^2 + cos(y')^2 = 1",
            "the constraint `a` restricts nothing",
        ),
    ] {
        let (code, message, hint) = error(&["check"], &format!("{FREE}{constraints}\n"));
        assert_eq!(code, "inadmissible_constraint");
        assert!(message.contains(said), "{message}");
        assert_eq!(hint.contains("repeats"), said.contains("depends"), "{hint}");
    }
}

#[test]
fn the_nearest_state_is_offered() {
    let text = format!("{FREE}constraint a: x' = t + 1\ninitial x' = 1\n");
    let (code, _, hint) = error(&["eval", "--at", "t=1, y=3"], &text);
    assert_eq!(code, "state_violates_constraint");
    let state = "t = 1, x = 0, y = 3, x' = 2, y' = 0";
    assert!(hint.contains(&format!("--at \"{state}\"")), "{hint}");
    assert!(hint.contains("--project"), "{hint}");
    assert_eq!(galilei(&["eval", "-", "--at", state], &text).code, 0);
    // Of many coordinates those that change.
    let many = "coord q[1..20]\nkinetic: sum(k in 1..20: q[k]'^2)\nconstraint a: q[3]' = 1\n\
                initial q[1]' = 1\n";
    let (_, _, hint) = error(&["check"], many);
    assert!(
        hint.contains("initial q[3]' = 1; or run with --project"),
        "{hint}"
    );
}

#[test]
fn a_state_that_nobody_gave_is_called_that() {
    let text = "function V(r)\ncoord r, f\nkinetic: (r'^2 + r^2*f'^2)/2\npotential: V(r)\n";
    let (code, message, hint) = error(&["check"], text);
    assert_eq!(code, "degenerate_lagrangian_at_state");
    assert!(
        message.contains("zero is assumed, as the model gives none"),
        "{message}"
    );
    assert!(hint.contains("`initial"), "{hint}");
    let (_, message, _) = error(&["check"], &format!("{text}initial r' = 1\n"));
    assert!(!message.contains("assumed"), "{message}");
}
