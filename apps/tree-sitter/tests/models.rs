//! The grammar against the parser of the language, on every model of the repository, right and wrong.

use std::fs;
use std::path::{Path, PathBuf};

use galilei_syntax::{Kind, LexemeKind, Statement, lexemes, parse, statement_words};
use galilei_tree_sitter::{FOLDS, HIGHLIGHTS, INDENTS, LANGUAGE, LOCALS};
use tree_sitter::{Node, Parser, Query, QueryCursor, StreamingIterator, Tree};

fn models(folder: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files: Vec<PathBuf> = fs::read_dir(root.join(folder))
        .unwrap()
        .map(|f| f.unwrap().path())
        .filter(|f| f.extension().is_some_and(|e| e == "gal"))
        .collect();
    files.sort();
    let read = |f: &PathBuf| (f.display().to_string(), fs::read_to_string(f).unwrap());
    files.iter().map(read).collect()
}

/// All models, right and wrong ones.
fn all() -> Vec<(String, String)> {
    let mut list = models("models");
    list.extend(models("apps/cli/tests/wrong"));
    assert!(list.len() > 200, "{}", list.len());
    list
}

fn tree(text: &str) -> Tree {
    let mut parser = Parser::new();
    parser.set_language(&LANGUAGE.into()).unwrap();
    parser.parse(text, None).unwrap()
}

/// The nodes without children, in order.
fn leaves<'t>(node: Node<'t>, list: &mut Vec<Node<'t>>) {
    if node.child_count() == 0 {
        list.push(node);
    }
    for k in 0..node.child_count() {
        leaves(node.child(k).unwrap(), list);
    }
}

/// The places of statements, those of blocks after the block.
fn statements(list: &[Statement], places: &mut Vec<(usize, usize)>) {
    for s in list {
        places.push((s.span.start as usize, s.span.end as usize));
        if let Kind::For { body, .. } = &s.kind {
            statements(body, places);
        }
    }
}

fn statement_nodes(node: Node<'_>, places: &mut Vec<(usize, usize)>) {
    for k in 0..node.named_child_count() {
        let child = node.named_child(k as u32).unwrap();
        let inside = node.kind() == "source_file" || node.kind() == "repetition";
        if inside && !matches!(child.kind(), "comment" | "keyword" | "binder") {
            places.push((child.start_byte(), child.end_byte()));
            statement_nodes(child, places);
        }
    }
}

#[test]
fn every_model_that_the_parser_reads_has_the_same_words_and_statements() {
    let mut read = 0;
    for (name, text) in all() {
        let parsed = parse(&text);
        if !parsed.errors.is_empty() {
            continue;
        }
        read += 1;
        let tree = tree(&text);
        assert!(
            !tree.root_node().has_error(),
            "{name}: {}",
            tree.root_node().to_sexp()
        );
        let mut own = Vec::new();
        leaves(tree.root_node(), &mut own);
        let own: Vec<(usize, usize)> = own
            .iter()
            .filter(|n| n.end_byte() > n.start_byte())
            .filter(|n| !text[n.byte_range()].trim().is_empty())
            .map(|n| {
                (
                    n.start_byte(),
                    n.start_byte() + text[n.byte_range()].trim_end().len(),
                )
            })
            .collect();
        let theirs: Vec<(usize, usize)> = lexemes(&text)
            .iter()
            .filter(|l| l.kind != LexemeKind::End)
            .map(|l| (l.span.start as usize, l.span.end as usize))
            .collect();
        assert_eq!(own, theirs, "{name}");
        let (mut ours, mut places) = (Vec::new(), Vec::new());
        statement_nodes(tree.root_node(), &mut ours);
        statements(&parsed.statements, &mut places);
        assert_eq!(ours, places, "{name}");
    }
    assert!(read > 150, "{read}");
}

#[test]
fn mistakes_of_syntax_are_errors_here_too() {
    let (mut refused, mut accepted) = (0, Vec::new());
    for (name, text) in models("apps/cli/tests/wrong") {
        if parse(&text).errors.is_empty() {
            continue;
        }
        match tree(&text).root_node().has_error() {
            true => refused += 1,
            false => accepted.push(name),
        }
    }
    // The grammar is more tolerant where the parser checks more than the form.
    println!("{refused} refused, accepted: {accepted:?}");
    assert!(refused >= 25, "{refused} {accepted:?}");
    assert!(accepted.len() <= 8, "{accepted:?}");
}

#[test]
fn every_statement_is_in_the_grammar() {
    let grammar = include_str!("../src/grammar.json");
    for word in statement_words() {
        let known = grammar.contains(&format!("\"value\": \"{word}\""));
        assert!(known, "`{word}` is missing in grammar.js");
    }
}

#[test]
fn every_word_has_a_colour() {
    let language = LANGUAGE.into();
    for text in [FOLDS, INDENTS, LOCALS] {
        Query::new(&language, text).unwrap();
    }
    let query = Query::new(&language, HIGHLIGHTS).unwrap();
    let colour = |text: &str, word: &str| {
        let tree = tree(text);
        let at = text.find(word).unwrap();
        let mut cursor = QueryCursor::new();
        let mut matches = cursor.matches(&query, tree.root_node(), text.as_bytes());
        let mut best = (0, String::new());
        while let Some(found) = matches.next() {
            for capture in found.captures() {
                let same = capture.node.byte_range() == (at..at + word.len());
                if same && found.pattern_index >= best.0 {
                    best = (
                        found.pattern_index,
                        query.capture_names()[capture.index as usize].to_owned(),
                    );
                }
            }
        }
        best.1
    };
    let model = "# A pendulum\nsystem \"P\"\nparam l = 2 [m]\ncoord φ₁ [rad]\n\
        particle bob: mass 3 at (l*sin(φ₁), 0)\noutput o: bob.y\n";
    for (word, class) in [
        ("# A pendulum", "comment"),
        ("\"P\"", "string"),
        ("system", "keyword"),
        ("mass", "keyword"),
        ("l", "variable.parameter"),
        ("2", "number"),
        ("φ₁", "variable.parameter"),
        ("rad", "type"),
        ("sin", "function"),
        ("bob", "label"),
    ] {
        // The first `l` is inside of another word.
        let text = match word {
            "l" => model.replace("pendulum", "system"),
            _ => model.to_owned(),
        };
        assert_eq!(colour(&text, word), class, "{word}");
    }
    // Every leaf of every model has a colour.
    for (name, text) in models("models") {
        let tree = tree(&text);
        let mut words = Vec::new();
        leaves(tree.root_node(), &mut words);
        let mut cursor = QueryCursor::new();
        let mut matches = cursor.matches(&query, tree.root_node(), text.as_bytes());
        let mut coloured = std::collections::HashSet::new();
        while let Some(found) = matches.next() {
            coloured.extend(found.captures().iter().map(|c| c.node.byte_range()));
        }
        for word in words {
            let text = &text[word.byte_range()];
            let blank = text.trim().is_empty();
            assert!(
                blank || coloured.contains(&word.byte_range()),
                "{name}: {text:?}"
            );
        }
    }
}
