//! The formatter: stable, with the meaning and the comments of every text kept.

use std::fs;
use std::path::{Path, PathBuf};

use galilei_syntax::{LexemeKind, edits, format, lexemes, parse};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All models, right and wrong, and the blocks of the language reference.
fn corpus() -> Vec<(String, String)> {
    let mut list = Vec::new();
    for folder in ["models", "apps/cli/tests/wrong", "docs/tutorial"] {
        let entries = fs::read_dir(root().join(folder)).unwrap();
        let paths = entries.map(|e| e.unwrap().path());
        for path in paths.filter(|p| p.extension().is_some_and(|e| e == "gal")) {
            let bytes = fs::read(&path).unwrap();
            let name = path.display().to_string();
            list.push((name, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    let reference = root().join("crates/model/reference/language.md");
    let text = fs::read_to_string(reference).unwrap();
    for (k, block) in text.split("```gal\n").skip(1).enumerate() {
        let code = block.split("```").next().unwrap();
        list.push((format!("block {k} of the reference"), code.to_owned()));
    }
    assert!(list.len() > 150, "{} texts", list.len());
    list.sort();
    list
}

/// The tree and the errors of a text without places.
fn meaning(text: &str) -> String {
    let file = parse(text);
    let mut shown = format!("{:?} {:?}", file.statements, file.lost);
    for e in &file.errors {
        // Messages quote the text with its white space; empty lines at the end of the file go.
        let said = format!("\n{} {} {}", e.code, e.message, e.hint);
        let said = said.replace("the end of the file", "the end of the line");
        shown.extend(said.split_whitespace());
    }
    let mut out = String::new();
    let mut rest = shown.as_str();
    while let Some(at) = rest.find("Span { start: ") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        rest = &rest[rest.find('}').unwrap() + 1..];
    }
    out + rest
}

fn comments(text: &str) -> Vec<String> {
    let list = lexemes(text).into_iter();
    let list = list.filter(|l| l.kind == LexemeKind::Comment);
    list.map(|l| l.span.text(text).trim_end().to_owned())
        .collect()
}

/// Demands what a formatter promises.
fn demand(name: &str, text: &str) {
    let once = format(text);
    assert_eq!(format(&once), once, "{name}: formatting twice differs");
    assert_eq!(comments(&once), comments(text), "{name}: comments differ");
    assert_eq!(meaning(&once), meaning(text), "{name}: meaning differs");
    for line in once.lines() {
        assert_eq!(line, line.trim_end(), "{name}: white space at an end");
    }
    let mut edited = text.to_owned();
    for (span, new) in edits(text, &once).into_iter().rev() {
        edited.replace_range(span.start as usize..span.end as usize, &new);
    }
    assert_eq!(edited, once, "{name}: edits differ");
}

#[test]
fn every_model_keeps_its_meaning_and_comments() {
    for (name, text) in corpus() {
        demand(&name, &text);
        demand(&name, &text.replace('\n', "\r\n"));
    }
}

#[test]
fn the_models_of_the_repository_are_formatted() {
    for (name, text) in corpus() {
        if name.contains("models/") {
            assert_eq!(format(&text), text, "{name}: run `galilei fmt`");
        }
    }
}

/// Numbers for tests, the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

#[test]
fn any_text_keeps_its_meaning_and_comments() {
    const PIECES: [&str; 40] = [
        " ",
        "  ",
        "\t",
        "\n",
        "\n\n",
        "\r\n",
        "#",
        "# note\n",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        ";",
        "=",
        "==",
        "+",
        "-",
        "*",
        "**",
        "/",
        "//",
        "/\\",
        "^",
        ".",
        "..",
        "'",
        "\"",
        "×",
        "θ",
        "½",
        "in ",
        "for k in 1..n-1 {",
        "let ",
        "1.5e-3",
        "\u{a0}",
        "simulate from -1 to",
    ];
    let texts: Vec<(String, String)> = corpus();
    let mut dice = Dice(7);
    for round in 0..3000 {
        let (name, text) = &texts[dice.below(texts.len())];
        let mut text = text.clone();
        for _ in 0..1 + dice.below(6) {
            let ends: Vec<usize> = text.char_indices().map(|c| c.0).collect();
            let at = ends.get(dice.below(ends.len())).copied().unwrap_or(0);
            match dice.below(3) {
                0 if !text.is_empty() => {
                    text.remove(at);
                }
                1 => text.insert_str(at, PIECES[dice.below(PIECES.len())]),
                _ => {
                    let end = ends.get(dice.below(ends.len())).copied().unwrap_or(0);
                    let end = end.min(at + 40).max(at);
                    if text.is_char_boundary(end) {
                        text.replace_range(at..end, PIECES[dice.below(PIECES.len())]);
                    }
                }
            }
        }
        demand(&format!("{name}, changed in round {round}"), &text);
    }
}

#[test]
fn spaces_are_where_they_belong() {
    for (before, after) in [
        ("let a=b+c -d* e", "let a = b + c - d*e\n"),
        ("let a = -b^ -1*-c", "let a = -b^-1*-c\n"),
        ("coord q[1 .. n][m] , x[m]", "coord q[1..n] [m], x[m]\n"),
        (
            "let r[k in 1..n-1]=q[k+ 1]+q[k +1]",
            "let r[k in 1..n-1] = q[k+1] + q[k + 1]\n",
        ),
        (
            "for k in 1..n-1{\nparticle p[k]:mass m at(x,y)\n}",
            "for k in 1..n-1 {\n  particle p[k]: mass m at(x, y)\n}\n",
        ),
        ("kinetic :(a\n- b)", "kinetic: (a\n  - b)\n"),
        ("simulate from -1 to 10", "simulate from -1 to 10\n"),
        (
            "action form:m*d(x')/\\contact(x)",
            "action form: m*d(x') /\\ contact(x)\n",
        ),
        (
            "\n\n\nlet a = 1\n\n\n\nlet b = 2\n\n",
            "let a = 1\n\nlet b = 2\n",
        ),
        ("let a   = 1\nlet bcd = 2", "let a   = 1\nlet bcd = 2\n"),
        (
            "let a     = 1\nlet bcd   = 2\nlet e = 3",
            "let a   = 1\nlet bcd = 2\nlet e = 3\n",
        ),
        (
            "coord x   # one\ncoord yy  # two\ncoord z # three",
            "coord x   # one\ncoord yy  # two\ncoord z  # three\n",
        ),
        (
            "event e: x rising terminal;output o:x",
            "event e: x rising terminal; output o: x\n",
        ),
        ("let a = 2×b", "let a = 2×b\n"),
        ("", ""),
        ("#", "#\n"),
    ] {
        assert_eq!(format(before), after, "{before}");
    }
}
