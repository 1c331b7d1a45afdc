//! Errors that concern a state point at the expression that is undefined there.

use galilei_model::{Code, Settings, read};

/// The expression that `eval` points at, with a state given as text.
fn culprit(text: &str, at: &str) -> Option<String> {
    let outcome = read(text, &Settings::default());
    let model = outcome.model.expect("a model");
    let state = model.state_at(at).expect("a state");
    match model.evaluate(&state) {
        Ok(_) => None,
        Err(list) => {
            assert_eq!(list[0].code, Code::NotDefinedAtState, "{list:?}");
            Some(list[0].span.map_or("", |s| s.text(text)).to_owned())
        }
    }
}

const START: &str = "param k = 2\ncoord x, y\nkinetic: (x'^2 + y'^2)/2\n";

#[test]
fn the_smallest_undefined_expression_is_shown() {
    for (text, at, wanted) in [
        // A divisor, a logarithm, a root of something negative.
        ("potential pole: y + k/x", "x = 0", "k/x"),
        (
            "potential pole: y + k/(x - 1)*y^2",
            "x = 1",
            "k/(x - 1)*y^2",
        ),
        ("force f: y = 3*log(x - 2)", "x = 1", "log(x - 2)"),
        ("force f: y = sin(sqrt(x)) + 1", "x = -1", "sqrt(x)"),
        ("kinetic: x'^2*(1 + 1/y)", "y = 0", "1/y"),
        // A value that exists where its derivatives do not.
        (
            "potential cone: k*sqrt(x^2 + y^2) + x^3",
            "x = 0, y = 0",
            "sqrt(x^2 + y^2)",
        ),
        // Through an abbreviation or a function of one's own, and not what no motion depends on.
        ("let r = k/x\npotential: y*r\noutput o: 1/y", "x = 0", "k/x"),
        (
            "let f(s) = 1/s\npotential: 5 + f(x)*f(y + 1)",
            "x = 0",
            "f(x)",
        ),
        // A force is not confused with an energy.
        ("potential: 1/x\nforce f: y = log(x)*k", "x = 0", "log(x)"),
        ("constraint c: x'/x = y'/(y + 1)", "x = 0", "x'/x"),
    ] {
        let text = format!("{START}{text}\n");
        assert_eq!(culprit(&text, at).as_deref(), Some(wanted), "{text}");
        assert_eq!(culprit(&text, "x = 3, y = 2"), None, "{text}");
    }
}

/// `check` and runs judge the initial state.
#[test]
fn the_initial_state_is_judged_where_it_is_undefined() {
    let text = format!("{START}constraint c: x'*sqrt(y - 1) = y'\ninitial y = 0\n");
    let outcome = read(&text, &Settings::default());
    let model = outcome.model.expect("a model");
    let list = model.validate();
    assert_eq!(list[0].code, Code::NotDefinedAtState, "{list:?}");
    assert_eq!(list[0].span.unwrap().text(&text), "sqrt(y - 1)");
}
