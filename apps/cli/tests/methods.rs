//! `galilei simulate --method …`, `--step`, and what is refused.

mod common;

use common::{Answer, galilei};

const SPRING: &str = "coord x\nkinetic: x'^2/2\npotential: x^2/2\ninitial x = 1\nsimulate to 1\n";
const CIRCLE: &str = "coord x, y\nkinetic: (x'^2 + y'^2)/2\nconstraint: x^2 + y^2 = 1\n\
                      initial x = 1, y' = 1\nsimulate to 1\n";

fn simulate(words: &[&str], text: &str) -> Answer {
    galilei(&[&["simulate", "-", "--json"][..], words].concat(), text)
}

#[test]
fn every_method_has_its_name() {
    for (method, order) in [
        ("taylor", None),
        ("dop853", Some(8)),
        ("gauss2", Some(2)),
        ("gauss4", Some(4)),
        ("gauss6", Some(6)),
        ("radau", Some(5)),
        ("midpoint", Some(2)),
        ("trapezoid", Some(2)),
        ("galerkin2", Some(2)),
        ("galerkin4", Some(4)),
        ("galerkin6", Some(6)),
    ] {
        let words = ["--method", method, "--tolerance", "1e-8"];
        let answer = simulate(&words, SPRING);
        let json = answer.json();
        assert_eq!(json.get("method").text(), method);
        let x = json.get("position").numbers()[0];
        assert!((x - 1f64.cos()).abs() < 1e-5, "{method}: {x}");
        assert!(json.get("warnings").list().is_empty(), "{}", answer.out);
        // The file may say it, too.
        let text = SPRING.replace("to 1", &format!("to 1 tolerance 1e-8 method {method}"));
        assert_eq!(simulate(&[], &text).json().get("position").numbers()[0], x);
        let people = galilei(&[&["simulate", "-"][..], &words].concat(), SPRING);
        let line = format!("  {method}: ");
        assert!(people.out.contains(&line), "{}", people.out);
        if let Some(order) = order {
            let part = format!("steps of order {order}");
            assert!(people.out.contains(&part), "{}", people.out);
        }
    }
}

#[test]
fn steps_have_the_length_that_is_asked_for() {
    let answer = simulate(&["--method", "gauss2", "--step", "0.125"], SPRING);
    let json = answer.json();
    assert_eq!(json.get("steps").number(), 8.0);
    // The midpoint rule turns by 2·atan(h/2) in each step.
    let angle = 16.0 * 0.0625f64.atan();
    assert!((json.get("position").numbers()[0] - angle.cos()).abs() < 1e-14);
}

#[test]
fn what_does_not_fit_is_refused() {
    for (words, code) in [
        (&["--step", "0.1"][..], "wrong_setting"),
        (&["--step", "0.1", "--method", "radau"], "wrong_setting"),
        (&["--step", "0", "--method", "gauss4"], "wrong_setting"),
        (&["--step", "nan", "--method", "gauss4"], "wrong_setting"),
        (&["--step", "-0.1", "--method", "gauss4"], "`step` is -0.1"),
        (&["--every", "-1"], "`every` is -1"),
        (&["--tolerance", "-1e-9"], "`tolerance` is -"),
        (&["--tolerance", "1e-30"], "`tolerance` is 1e-30"),
        (&["--tolerance", "2"], "`tolerance` is 2"),
        (&["--method", "euler"], "unknown_method"),
        (&["--method", "euler"], "`trapezoid`"),
    ] {
        let answer = simulate(words, SPRING);
        assert_eq!(answer.code, 1, "{words:?}");
        assert!(answer.out.contains(code), "{}", answer.out);
    }
}

/// More steps than a run may have are known beforehand, unless an event may end it.
#[test]
fn a_run_of_too_many_steps_is_refused_at_once() {
    let words = ["--method", "gauss4", "--step", "1e-12", "--to", "0.1"];
    let answer = simulate(&words, SPRING);
    assert_eq!(answer.code, 1, "{}", answer.out);
    assert!(answer.out.contains("wrong_setting"), "{}", answer.out);
    assert!(answer.out.contains("1.0e11 steps"), "{}", answer.out);
    let words = ["--method", "gauss4", "--step", "0.1", "--to", "1e9"];
    let ended = format!("{SPRING}event half: x - 0.5 terminal\n");
    let answer = simulate(&words, &ended);
    assert_eq!(answer.code, 0, "{}", answer.out);
    assert!(
        answer.out.contains("\"status\": \"event\""),
        "{}",
        answer.out
    );
}

/// A tolerance can ask for as many.
#[test]
fn a_tolerance_that_asks_for_too_many_steps_is_told_at_once() {
    let words = [
        "--method",
        "midpoint",
        "--tolerance",
        "1e-15",
        "--to",
        "1e6",
    ];
    let answer = simulate(&words, SPRING);
    assert_eq!(answer.code, 3, "{}", answer.out);
    assert_eq!(answer.json().get("steps").number(), 0.0);
}

/// Störmer and Verlet turn a spring by the angle whose cosine is 1 − h²/2, around an ellipse; momenta are reported of
/// variational methods alone.
#[test]
fn variational_methods_report_their_momenta() {
    let heavy = SPRING
        .replace("x'^2/2", "x'^2")
        .replace("x^2/2", "x^2")
        .replace("to 1", "to 1 method trapezoid");
    let answer = simulate(&["--step", "0.125"], &heavy);
    let json = answer.json();
    assert_eq!(json.get("steps").number(), 8.0);
    let (h, turn) = (0.125_f64, 8.0 * (1.0 - 0.125_f64.powi(2) / 2.0).acos());
    let x = json.get("position").numbers()[0];
    assert!((x - turn.cos()).abs() < 1e-14, "{x}");
    let u = -turn.sin() * (1.0 - h * h / 4.0).sqrt();
    assert!((json.get("velocity").numbers()[0] - u).abs() < 1e-14);
    assert!((json.get("momentum").numbers()[0] - 2.0 * u).abs() < 1e-14);
    let people = galilei(&["simulate", "-", "--step", "0.125"], &heavy);
    assert!(
        people.out.contains(&format!("{:.12e}", 2.0 * u)),
        "{}",
        people.out
    );
    let other = simulate(&["--method", "gauss2"], &heavy);
    assert!(other.json().get("momentum").is_null());
}

/// A nonholonomic motion is refused with the reason and the place; constraints between positions are held to rounding,
/// without a warning.
#[test]
fn variational_methods_take_constraints_between_positions() {
    let skate = "coord x, y, p\nkinetic: (x'^2 + y'^2 + p'^2)/2\n\
                 constraint edge: x'*sin(p) = y'*cos(p)\ninitial x' = 1, p' = 1\nsimulate to 3\n";
    let answer = simulate(&["--method", "midpoint"], skate);
    assert_eq!(answer.code, 1);
    assert!(answer.out.contains("not_variational"), "{}", answer.out);
    let people = galilei(&["simulate", "-", "--method", "midpoint"], skate);
    for part in [
        "`edge` restricts velocities",
        "stationary",
        "`taylor`",
        ":3:",
    ] {
        assert!(people.err.contains(part), "{part}: {}", people.err);
    }
    let answer = simulate(&["--method", "galerkin4", "--step", "0.01"], CIRCLE);
    let json = answer.json();
    assert!(json.get("warnings").list().is_empty(), "{}", answer.out);
    assert!((json.get("position").numbers()[0] - 1f64.cos()).abs() < 1e-9);
    assert!(json.get("constraint_residual").number() < 1e-15);
}

#[test]
fn a_gauss_method_under_constraints_says_what_it_is_not() {
    let answer = simulate(&["--method", "gauss4", "--tolerance", "1e-9"], CIRCLE);
    assert_eq!(answer.code, 0);
    let json = answer.json();
    let warnings = json.get("warnings").list();
    assert_eq!(warnings[0].get("code").text(), "not_symplectic");
    assert!((json.get("position").numbers()[0] - 1f64.cos()).abs() < 1e-7);
    assert!(json.get("constraint_residual").number() < 1e-9);
    let other = simulate(&["--method", "radau", "--tolerance", "1e-9"], CIRCLE);
    assert!(other.json().get("warnings").list().is_empty());
}

/// What is there and no file stays what it is: results go through it.
#[cfg(unix)]
#[test]
fn a_device_stays_a_device() {
    let folder = common::scratch("device");
    let link = folder.join("rows.csv");
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink("/dev/null", &link).unwrap();
    let path = link.to_str().unwrap();
    let answer = simulate(&["-o", path], SPRING);
    assert_eq!(answer.json().get("status").text(), "finished");
    let kept = std::fs::symlink_metadata(&link).unwrap();
    assert!(kept.file_type().is_symlink());
}
