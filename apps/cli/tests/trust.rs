//! Warnings of the command about runs that cannot be fully trusted.

mod common;

use common::galilei;

/// Constant steps that are too long leave the energy behind: a warning, and no failure.
#[test]
fn constant_steps_that_are_too_long_warn() {
    let text = "coord x\nkinetic: x'^2/2\npotential: -cos(x)\ninitial x = 2\nsimulate to 20\n";
    let arguments = [
        "simulate", "-", "--json", "--method", "midpoint", "--step", "0.5",
    ];
    let answer = galilei(&arguments, text);
    assert_eq!(answer.code, 0, "{}", answer.err);
    let json = answer.json();
    assert!(json.get("energy_balance").number() > 1e-6);
    let warnings = json.get("warnings").list();
    assert_eq!(warnings[0].get("code").text(), "energy_balance");
    // A run by Taylor series has none, and an empty list of them.
    let answer = galilei(&["simulate", "-", "--json"], text);
    assert!(answer.json().get("warnings").list().is_empty());
}

#[test]
fn derivatives_by_a_parameter_of_the_end_say_so() {
    let text = "param w = 2\ncoord x\nkinetic: x'^2/2\npotential: w^2*x^2/2\ninitial x = 1\nsimulate to pi/w\n";
    let answer = galilei(&["jacobi", "-", "--json", "--by", "w"], text);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(
        answer.out.contains("end_depends_on_parameter"),
        "{}",
        answer.out
    );
    let fixed = galilei(&["jacobi", "-", "--json", "--by", "w", "--to", "1"], text);
    assert!(!fixed.out.contains("end_depends_on_parameter"));
}
