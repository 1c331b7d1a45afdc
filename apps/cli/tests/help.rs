//! `galilei help`: the language reference on the command line.

mod common;

use common::{Json, galilei, scratch};
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

/// Keys of an object and of the objects in it, except names of the model.
fn keys(json: &Json, found: &mut Vec<String>) {
    match json {
        Json::Object(entries) => {
            for (key, value) in entries {
                found.push(key.clone());
                if !["outputs", "sensitivities", "by_parameters"].contains(&key.as_str()) {
                    keys(value, found);
                }
            }
        }
        Json::List(list) => list.iter().for_each(|value| keys(value, found)),
        _ => {}
    }
}

#[test]
fn every_key_of_every_document_is_in_the_reference() {
    let text = "param k = 4\ncoord x\nparticle p: mass 1 at x\nforce: x = -k*x\ninitial x = 1\noutput y: x^2\n\
                event middle: x\nsimulate to 1\n";
    let rod = "coord x, y\nparticle p: mass 1 at (x, y)\nconstraint rod: x^2 + y^2 = 1\ninitial x = 1, y' = 1\n";
    let folder = scratch("documents");
    let page = folder.join("page.html");
    let page = page.to_str().expect("UTF-8");
    for (entry, words, text) in [
        ("JSON of check", &["check", "-", "--json"][..], text),
        ("JSON of check", &["check", "-", "--json"], rod),
        ("JSON of eval", &["eval", "-", "--json"], rod),
        (
            "JSON of modes",
            &["modes", "-", "--json", "--at", "x=0"],
            text,
        ),
        ("JSON of simulate", &["simulate", "-", "--json"], text),
        (
            "JSON of stationary",
            &["stationary", "-", "--json", "--end", "x=0"],
            text,
        ),
        (
            "JSON of sweep",
            &["sweep", "-", "--json", "--grid", "x in [1, 2]"],
            text,
        ),
        (
            "JSON of other commands",
            &["report", "-", "--json", "-o", page],
            text,
        ),
        (
            "JSON of other commands",
            &["export", "-", "--json", "--to", "c"],
            text,
        ),
        ("JSON of other commands", &["bench", "-", "--json"], text),
        (
            "JSON of other commands",
            &["decide", "--json", "x = x"],
            text,
        ),
        ("JSON", &["check", "-", "--json"], "coord x\nkinetic: y\n"),
    ] {
        let told = galilei(&["help", entry], "").out;
        let mut found = Vec::new();
        keys(&galilei(words, text).json(), &mut found);
        assert!(!found.is_empty(), "{words:?}");
        for key in found {
            // Diagnostics and witnesses have their own keys everywhere.
            let known = told.contains(&format!("`{key}`")) || told.contains(&format!("\"{key}\""));
            assert!(known || key == "warnings", "{entry}: `{key}`");
        }
    }
    let told = galilei(&["help", "JSON of sensitivities"], "").out
        + &galilei(&["help", "JSON of simulate"], "").out;
    let mut found = Vec::new();
    let words = [
        "sensitivities",
        "-",
        "--json",
        "--by",
        "k",
        "--gradient",
        "x",
    ];
    keys(&galilei(&words, text).json(), &mut found);
    for key in found {
        assert!(told.contains(&format!("`{key}`")), "`{key}`");
    }
}
