//! VERIFICATION.md says for every statement of the theory how it is reached; this holds it to the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use galilei_report::Topic;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The numbers of the theory, section 19 and its like excepted.
const LAST: u32 = 125;

/// Numbers `T-…` of a cell, ranges written out.
fn numbers(cell: &str) -> Vec<u32> {
    let mut out = Vec::new();
    for part in cell.split(',') {
        let ends: Vec<u32> = part
            .split('…')
            .map(|t| t.trim().trim_start_matches("T-").parse().unwrap())
            .collect();
        out.extend(ends[0]..=*ends.last().unwrap());
    }
    out
}

/// What stands between backquotes.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

struct Row {
    numbers: Vec<u32>,
    commands: Vec<String>,
    items: Vec<String>,
}

fn table() -> Vec<Row> {
    let text = std::fs::read_to_string(root().join("VERIFICATION.md")).unwrap();
    let section = text
        .split("## How each statement is reached")
        .nth(1)
        .unwrap();
    section
        .lines()
        .filter(|l| l.starts_with("| T-"))
        .map(|l| {
            let cells: Vec<&str> = l.split('|').map(str::trim).collect();
            let commands: Vec<String> = quoted(cells[2]).into_iter().map(str::to_owned).collect();
            assert!(
                !commands.is_empty() || cells[2].starts_with("library only"),
                "{l}"
            );
            Row {
                numbers: numbers(cells[1]),
                commands,
                items: quoted(cells[3]).into_iter().map(str::to_owned).collect(),
            }
        })
        .collect()
}

fn sources(folder: &Path, out: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push_str(&std::fs::read_to_string(path).unwrap());
        }
    }
}

#[test]
fn every_statement_is_reached_once() {
    let mut seen: BTreeMap<u32, usize> = BTreeMap::new();
    for row in table() {
        for n in row.numbers {
            *seen.entry(n).or_default() += 1;
        }
    }
    for n in 1..=LAST {
        assert_eq!(seen.get(&n), Some(&1), "T-{n}");
    }
    // Later sections have numbers above 200.
    assert!(seen.values().all(|count| *count == 1), "{seen:?}");
}

#[test]
fn named_items_and_commands_exist() {
    let mut text = String::new();
    for name in ["mechanics", "geometry", "analyse"] {
        sources(&root().join("crates").join(name).join("src"), &mut text);
    }
    for row in table() {
        assert!(!row.items.is_empty(), "T-{:?}", row.numbers);
        for item in &row.items {
            let last = item.rsplit("::").next().unwrap();
            let known = ["struct ", "enum ", "fn "]
                .iter()
                .any(|kind| text.contains(&format!("pub {kind}{last}")));
            assert!(known, "{item}");
            if let Some((owner, _)) = item.split_once("::") {
                assert!(text.contains(&format!("pub struct {owner}")), "{item}");
            }
        }
        for command in &row.commands {
            let mut words = command.split(' ');
            match words.next().unwrap() {
                "derive" => {
                    // Capital letters are names of the model, as in `derive inertia A B`.
                    let is_name = |w: &&str| w.chars().all(|c| c.is_ascii_uppercase());
                    let topics = words.take_while(|w| !w.starts_with("--") && !is_name(w));
                    for w in topics {
                        assert!(w.parse::<Topic>().is_ok(), "{command}");
                    }
                }
                // A statement of the model.
                _ if command.contains(':') => {}
                other => {
                    let known = [
                        "check",
                        "decide",
                        "eval",
                        "simulate",
                        "report",
                        "modes",
                        "equilibrium",
                        "periodic",
                        "lyapunov",
                    ];
                    assert!(known.contains(&other), "{command}");
                }
            }
        }
    }
}

/// What derivations print is said to be printed: the numbers in the kept derivations of the models.
#[test]
fn printed_statements_have_a_command() {
    let rows = table();
    let mut printed = BTreeSet::new();
    for entry in std::fs::read_dir(root().join("models")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "txt") {
            let text = std::fs::read_to_string(path).unwrap();
            for part in text.split("T-").skip(1) {
                let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
                printed.extend(digits.parse::<u32>());
            }
        }
    }
    assert!(printed.len() > 30);
    for n in printed {
        let row = rows.iter().find(|r| r.numbers.contains(&n)).unwrap();
        let derived = row.commands.iter().any(|c| c.starts_with("derive"));
        assert!(derived, "T-{n} is printed by `derive`");
    }
}

/// The language reference lists the topics of `derive`.
#[test]
fn the_reference_lists_every_topic() {
    let entry = galilei::reference::entry("topics of derive").expect("an entry");
    for topic in Topic::ALL {
        let row = format!("| `{}` |", topic.name());
        assert!(
            entry.contains(&row),
            "{row} is missing in crates/model/reference/language.md"
        );
    }
}
