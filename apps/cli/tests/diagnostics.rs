//! Degenerate systems, each with the code it must get.

mod common;

use common::{Answer, Json, galilei};

fn codes(answer: &Answer, list: &str) -> Vec<String> {
    let json = answer.json();
    match json.get(list) {
        Json::Null => vec![],
        found => found
            .list()
            .iter()
            .map(|d| d.get("code").text().to_owned())
            .collect(),
    }
}

/// `check` refuses, with one code and no other.
fn refused(text: &str, code: &str) {
    let answer = galilei(&["check", "-", "--json"], text);
    assert_eq!(codes(&answer, "errors"), [code], "{text}{}", answer.out);
    assert_eq!(answer.code, 1);
}

/// `check` accepts, with a warning.
fn warned(text: &str, code: &str) {
    let answer = galilei(&["check", "-", "--json"], text);
    assert_eq!(codes(&answer, "warnings"), [code], "{text}{}", answer.out);
    assert_eq!(answer.code, 0);
    assert_eq!(*answer.json().get("ok"), Json::Bool(true));
}

fn acceleration(text: &str, at: &str) -> Vec<f64> {
    let answer = galilei(&["eval", "-", "--json", "--at", at], text);
    assert_eq!(answer.code, 0, "{text}{}", answer.out);
    answer.json().get("acceleration").numbers()
}

const FREE: &str = "coord x, y, z\nkinetic: (x'^2 + y'^2 + z'^2)/2\n";

#[test]
fn singular_hessian() {
    refused(
        "coord x, y\nlagrangian: (x' + y')^2/2 - x*y\n",
        "degenerate_lagrangian",
    );
    refused(
        "coord x, y\nlagrangian: x*y' - (x^2 + y^2)/2\n",
        "degenerate_lagrangian",
    );
}

#[test]
fn indefinite_metric() {
    let text = "coord x, y\nlagrangian: x'*y' - x*y\n";
    warned(text, "metric_not_positive_definite");
    assert_eq!(acceleration(text, "x=2, y=3"), [-2.0, -3.0]);
    // As a `metric` it is an error.
    refused(
        "coord x, y\nmetric: x y = 1\n",
        "metric_not_positive_definite",
    );
}

/// `eval` judges the state asked for, not the initial one.
#[test]
fn definite_where_it_is_asked() {
    let text = "coord x, y\nmetric: x x = y, y y = 1\ninitial y = -1, x' = 1\n";
    refused(text, "metric_not_positive_definite");
    assert_eq!(acceleration(text, "y=2"), [0.0, 0.5]);
    let answer = galilei(&["eval", "-", "--json", "--at", "y=-2"], text);
    assert_eq!(
        codes(&answer, "errors"),
        ["metric_not_positive_definite"],
        "{}",
        answer.out
    );
}

#[test]
fn metric_depends_on_velocity() {
    let text = "coord x\nlagrangian: x'^4/12 + x'^2/2 - x^2/2\n";
    warned(text, "not_an_action_form_in_strict_sense");
    assert_eq!(acceleration(text, "x=3, x'=1"), [-1.5]);
    let json = galilei(&["eval", "-", "--json", "--at", "x'=2"], text).json();
    assert_eq!(json.get("mass_matrix").flat(), [5.0]);
    assert!(json.get("kinetic_energy").is_null());
}

#[test]
fn hessian_singular_at_state() {
    let text = "coord x\nlagrangian: x'^4/12 - x^2/2\ninitial x = 1, x' = 0\n";
    refused(text, "degenerate_lagrangian_at_state");
    let answer = galilei(&["eval", "-", "--json"], text);
    assert_eq!(codes(&answer, "errors"), ["degenerate_lagrangian_at_state"]);
    assert_eq!(acceleration(text, "x'=2"), [-0.25]);
}

#[test]
fn constraints() {
    refused(
        &format!("{FREE}constraint: x' + y' = 0\nconstraint: 2*x' + 2*y' = 0\n"),
        "inadmissible_constraint",
    );
    refused(
        &format!("{FREE}constraint: z'^2 = x'^2 + y'^2\n"),
        "inadmissible_constraint_at_state",
    );
    refused(
        &format!("{FREE}constraint: z' = y*x'\ninitial y = 1, x' = 1\n"),
        "state_violates_constraint",
    );
    refused(
        "coord x, y\nlagrangian: (x'^2 - y'^2)/2\nconstraint: y' = x'\n",
        "constrained_dynamics_not_unique",
    );
    refused(
        "coord x\nkinetic: x'^2/2\nconstraint: x' = 0\nconstraint: x' = 1\n",
        "inadmissible_constraint",
    );
}

/// Away from the vertex the cone is a good constraint; positions make a holonomic one.
#[test]
fn admissible_constraints() {
    let kinds = |text: &str| {
        let answer = galilei(&["check", "-", "--json"], text);
        assert_eq!(answer.code, 0, "{text}{}", answer.out);
        let json = answer.json();
        ["admissible", "linear", "integrable", "regular"]
            .map(|key| *json.get("constraints").get(key) == Json::Bool(true))
    };
    assert_eq!(
        kinds(&format!(
            "{FREE}constraint: z'^2 = x'^2 + y'^2\ninitial z' = 5, x' = 3, y' = 4\n"
        )),
        [true, false, false, true]
    );
    assert_eq!(
        kinds("coord x, y\nkinetic: (x'^2 + y'^2)/2\nconstraint: x = y\n"),
        [true, true, true, true]
    );
    assert_eq!(
        kinds(&format!("{FREE}constraint: z' = y*x'\n")),
        [true, true, false, true]
    );
    assert_eq!(
        kinds(&format!("{FREE}constraint: z' = y*x' + x*y'\n")),
        [true, true, true, true]
    );
}

/// Stiffness and natural length of a spring belong to a potential, which is smooth.
#[test]
fn springs_are_smooth() {
    let spring =
        |what: &str| format!("coord x\nparticle: mass 1 at x\nspring: {what} from 0 to x\n");
    refused(&spring("stiffness abs(x)"), "not_smooth");
    refused(&spring("stiffness 2 length max(x, 1)"), "not_smooth");
}
