//! The language reference is complete, and its models are models.

use galilei_model::{Settings, read, reference};

/// The blocks of model text in the reference.
fn models() -> Vec<String> {
    let parts = reference::LANGUAGE.split("```gal\n").skip(1);
    parts
        .map(|p| p.split("```").next().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn every_topic_has_an_entry() {
    for topic in reference::topics() {
        assert!(
            reference::entry(topic).is_some(),
            "`{topic}` has no entry in crates/model/reference/language.md"
        );
    }
}

#[test]
fn every_statement_has_an_entry_with_a_model_that_uses_it() {
    for word in galilei_syntax::statement_words() {
        let topic = match word {
            "vector" => "vector potential",
            "action" => "action form",
            word => word,
        };
        let entry = reference::entry(topic).unwrap_or_else(|| panic!("no entry for {topic}"));
        let used = entry
            .split("```gal\n")
            .skip(1)
            .any(|block| block.lines().any(|l| l.trim_start().starts_with(topic)));
        assert!(used, "the entry of `{topic}` has no model with it");
    }
}

#[test]
fn the_forms_of_hints_are_those_of_the_reference() {
    for word in galilei_syntax::statement_words() {
        let topic = match word {
            "vector" => "vector potential",
            "action" => "action form",
            word => word,
        };
        let entry = reference::entry(topic).unwrap_or_else(|| panic!("no entry for {topic}"));
        let forms = galilei_syntax::statement_forms(word);
        assert!(!forms.is_empty(), "no form of {word}");
        for form in forms {
            assert!(entry.contains(form), "the entry of {topic} has no `{form}`");
        }
    }
}

#[test]
fn every_model_of_the_reference_is_read_without_a_diagnostic() {
    let models = models();
    assert!(models.len() > 25);
    for text in models {
        let outcome = read(&text, &Settings::default());
        assert!(outcome.model.is_some(), "{text}{:?}", outcome.diagnostics);
        assert!(
            outcome.diagnostics.is_empty(),
            "{text}{:?}",
            outcome.diagnostics
        );
    }
}

#[test]
fn an_unknown_topic_has_no_entry_and_a_suggestion() {
    assert_eq!(reference::entry("forse"), None);
    assert_eq!(reference::nearest_topic("forse"), Some("force"));
}
