//! `galilei help`: the language reference on the command line.

mod common;

use common::galilei;
use galilei::Method;

#[test]
fn help_prints_statements_units_functions_and_commands() {
    for (topic, expected) in [
        ("coord", "`coord x [m], y [m]`"),
        ("units", "`rpm`"),
        ("sqrt", "square root"),
        ("vector potential", "Aᵢ·uⁱ"),
        ("simulate", "galilei simulate --help"),
        ("sweep", "--sample"),
    ] {
        let out = galilei(&["help", topic], "");
        assert_eq!(out.code, 0, "{topic}");
        assert!(out.out.contains(expected), "{topic}");
    }
}

#[test]
fn help_without_a_topic_lists_commands_and_topics() {
    let out = galilei(&["help"], "");
    let said = out.out;
    assert!(
        said.contains("derive") && said.contains("constraint, "),
        "{said}"
    );
}

#[test]
fn an_unknown_topic_is_refused_with_the_nearest_one() {
    let out = galilei(&["help", "forse"], "");
    assert_eq!(out.code, 2);
    assert!(out.err.contains("did you mean `force`?"));
}

#[test]
fn methods_of_integration_are_in_the_reference() {
    let entry = galilei(&["help", "simulate"], "").out;
    for method in Method::ALL {
        assert!(
            entry.contains(&format!("`{}`", method.name())),
            "{method:?}"
        );
    }
}
