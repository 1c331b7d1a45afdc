//! The models tell what they are about, and together they show the whole language and every paper.

use std::collections::BTreeSet;

use galilei_report::PAPERS;
use galilei_syntax::{parse, statement_words};

use crate::common::gallery as models;

/// The lines of the comment a file begins with.
fn story(text: &str) -> Vec<&str> {
    text.lines().take_while(|l| l.starts_with('#')).collect()
}

#[test]
fn every_model_has_a_story_of_two_lines() {
    let list = models();
    assert!(list.len() >= 20);
    for (name, text) in list {
        let story = story(&text);
        assert!(story.len() >= 2, "{name}: {story:?}");
        let letters = story.concat().len();
        assert!(letters > 60, "{name}: hardly anything is told: {story:?}");
    }
}

#[test]
fn every_statement_of_the_language_occurs() {
    let mut met = BTreeSet::new();
    for (name, text) in models() {
        let file = parse(&text);
        assert!(file.errors.is_empty(), "{name}");
        let first = |line: &str| {
            let letters = line.trim_start().chars();
            letters.take_while(char::is_ascii_lowercase).collect()
        };
        met.extend(text.lines().map(first).collect::<Vec<String>>());
    }
    for word in statement_words() {
        assert!(met.contains(word), "no model has a statement `{word}`");
    }
}

#[test]
fn every_paper_is_named() {
    let stories: Vec<String> = models().iter().map(|m| story(&m.1).join("\n")).collect();
    for (letters, paper) in PAPERS {
        let sign = format!("[{letters}]");
        assert!(
            stories.iter().any(|s| s.contains(&sign)),
            "no model names {sign}, {paper}"
        );
    }
}
