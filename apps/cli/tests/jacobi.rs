//! `galilei sensitivities`, also by its older name `jacobi`.

mod common;

use common::{Json, galilei};

const SPRING: &str = "param k = 4\ncoord x\nkinetic: x'^2/2\npotential: k*x^2/2\n\
                      initial x = 1\nsimulate to 1 every 0.5\noutput double: 2*x\n";

fn numbers(json: &Json) -> Vec<f64> {
    match json {
        Json::Number(x) => vec![x.parse().expect("a number")],
        Json::List(list) => list.iter().flat_map(numbers).collect(),
        _ => vec![],
    }
}

fn close(found: &Json, wanted: &[f64]) {
    let found = numbers(found);
    assert_eq!(found.len(), wanted.len());
    for (a, b) in found.iter().zip(wanted) {
        assert!((a - b).abs() < 1e-11, "{found:?} instead of {wanted:?}");
    }
}

#[test]
fn a_spring_by_closed_form() {
    let words = ["jacobi", "-", "--json", "--by", "k", "--gradient", "double"];
    let answer = galilei(&words, SPRING);
    assert_eq!(answer.code, 0, "{}", answer.out);
    let json = answer.json();
    let get = |key: &str| json.get(key);
    let (s, c) = 2f64.sin_cos();
    let matrix = [c, s / 2.0, -2.0 * s, c];
    close(get("transition"), &matrix);
    close(get("canonical_transition"), &matrix);
    // ∂/∂k of cos(√k) and −√k·sin(√k).
    close(
        get("sensitivities").get("k"),
        &[-s / 4.0, -s / 4.0 - c / 2.0],
    );
    let defect = numbers(get("symplectic_defect"));
    assert!(defect[0] < 1e-12);
    let gradient = get("gradient");
    let part = |key: &str| gradient.get(key);
    close(part("value"), &[2.0 * c]);
    close(part("times"), &[0.0, 0.5, 1.0]);
    let (s1, c1) = 1f64.sin_cos();
    close(part("by_state"), &[2.0 * c, s, 2.0 * c1, s1, 2.0, 0.0]);
    close(part("by_parameters").get("k"), &[-s / 2.0]);
    close(get("position"), &[c]);
}

#[test]
fn people_get_a_table() {
    let answer = galilei(&["jacobi", "-", "--by", "k", "--gradient", "x'"], SPRING);
    assert_eq!(answer.code, 0);
    for part in [
        "by the state at the start",
        "by parameters",
        "adjoint",
        "symplectic to",
    ] {
        assert!(answer.out.contains(part), "{}", answer.out);
    }
}

#[test]
fn what_is_unknown_is_refused() {
    for (words, code) in [
        (["--by", "m"], "unknown_parameter"),
        (["--gradient", "y"], "unknown_name"),
        (["--method", "dop853"], "not_available"),
    ] {
        let words = [&["jacobi", "-", "--json"][..], &words].concat();
        let answer = galilei(&words, SPRING);
        assert_eq!(answer.code, 1);
        assert!(answer.out.contains(code), "{}", answer.out);
    }
    let projected = ["jacobi", "-", "--json", "--by", "k", "--project"];
    assert!(galilei(&projected, SPRING).out.contains("not_available"));
}

/// The cone of Appell and Hamel has a vertex, where runs end; nearby motions have no derivatives there, and come near.
#[test]
fn a_run_ends_at_the_vertex_of_its_constraint() {
    let text = "param a = 0.6\ncoord x, y, z\nparticle p: mass 1 at (x, y, z)\ngravity: (0, 0, -9.81)\n\
                constraint rise: z'^2 = a^2*(x'^2 + y'^2)\ninitial x' = 1, z' = 0.6\nsimulate to 1\n";
    let run = galilei(&["simulate", "-", "--json"], text).json();
    let answer = galilei(&["jacobi", "-", "--json"], text);
    assert_eq!(answer.code, 0, "{}", answer.out);
    let json = answer.json();
    assert_eq!(json.get("status").text(), "event");
    assert!(json.get("steps").number() < 200.0);
    let time = run.get("time").number();
    assert!((json.get("time").number() - time).abs() < 1e-12);
    let event = &json.get("events").list()[0];
    assert_eq!(event.get("name").text(), "vertex of rise");
    assert!((event.get("time").number() - time).abs() < 1e-12);
    let people = galilei(&["jacobi", "-"], text).out;
    assert!(
        people.contains("ended by the event vertex of rise"),
        "{people}"
    );
}

/// An event that is no vertex ends a run and its sensitivities alike.
#[test]
fn a_run_ends_at_an_event() {
    let text = format!("{SPRING}event half: x - 0.5 terminal\n").replace("to 1", "to 3");
    let json = galilei(&["jacobi", "-", "--json"], &text).json();
    let run = galilei(&["simulate", "-", "--json"], &text).json();
    assert_eq!(json.get("status").text(), "event");
    assert_eq!(json.get("events").list().len(), 1);
    let times = [&json, &run].map(|j| j.get("time").number());
    assert!((times[0] - times[1]).abs() < 1e-14, "{times:?}");
}

/// A pendulum on a rod is symplectic along it; other directions do not count.
#[test]
fn a_motion_under_a_constraint_is_symplectic_along_it() {
    let text = "coord x, y\nparticle p: mass 1 at (x, y)\ngravity: (0, -9.81)\nconstraint rod: x^2 + y^2 = 1\n\
                initial x = sin(1), y = -cos(1)\nsimulate to 3\n";
    let json = galilei(&["jacobi", "-", "--json"], text).json();
    let defect = json.get("symplectic_defect").number();
    assert!(defect < 1e-9, "{defect}");
    let people = galilei(&["jacobi", "-"], text).out;
    assert!(
        people.contains("in (x, p) along the constraints"),
        "{people}"
    );
}
