//! `cargo xtask test`: every check of the repository, in order, to the end even after a failure.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::tally::{self, Tally};
use crate::{
    blocks, book, browser, cross, debian, layers, no_arguments, package, picture, python,
    repository, stream, studio,
};

/// Debian's packages with the LaTeX that documents of derivations need.
const LATEX: [&str; 2] = ["texlive-latex-base", "texlive-latex-recommended"];

/// One line of the closing table.
struct Row {
    stage: &'static str,
    tally: Tally,
    note: String,
    duration: Duration,
}

/// The result of a stage: its counts and a note for the table.
type Verdict = Result<(Tally, String), String>;

/// Runs the stages and prints the table and the closing line.
pub(crate) fn main(rest: &[String]) -> Result<bool, String> {
    let has = |flag: &str| rest.iter().any(|argument| argument == flag);
    let (quick, cross) = (has("--quick"), has("--cross"));
    let unknown = |argument: &&String| !matches!(argument.as_str(), "--quick" | "--cross");
    no_arguments(&rest.iter().filter(unknown).cloned().collect::<Vec<_>>())?;
    if env::var_os(blocks::MARK).is_some() {
        return Err("`cargo xtask test` runs the documentation's blocks and cannot be part of one: write ```sh".to_string());
    }
    let root = repository::root()?;
    let mut rows = Vec::new();

    stage(&mut rows, "format", || {
        component(&root, "rustfmt", &["fmt", "--all", "--check"])
    });
    stage(&mut rows, "lints", || {
        let arguments = [
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ];
        component(&root, "clippy", &arguments)
    });
    stage(&mut rows, "layers", || layering(&root));
    stage(&mut rows, "tests", || {
        if !quick && !debian::provide("pdflatex", &LATEX) {
            println!("no LaTeX: the documents of the models are not compiled");
        }
        tests(&root)
    });
    if !quick {
        stage(&mut rows, "doc tests", || {
            let arguments = ["test", "--doc", "--workspace", "--no-fail-fast"];
            // A workspace without a library has no doc tests, and prints no line about them.
            let read = |text: &str| Some(tally::libtest(text).unwrap_or_default());
            runner(repository::cargo(&root).args(arguments), read)
        });
        stage(&mut rows, "docs", || {
            let mut command = repository::cargo(&root);
            command.args(["doc", "--workspace", "--no-deps"]);
            command.env("RUSTDOCFLAGS", "-D warnings");
            documented(&mut command)
        });
        stage(&mut rows, "blocks", || {
            let files = blocks::documents(&root)?;
            blocks::run(&root, &files).map(|tally| (tally, String::new()))
        });
        stage(&mut rows, "book", || book::run(&root));
        stage(&mut rows, "packages", || package::run(&root, false));
        stage(&mut rows, "picture", || {
            picture::is_fresh(&root).map(|fresh| (Tally::one(fresh), String::new()))
        });
        stage(&mut rows, "examples", || examples(&root));
        stage(&mut rows, "python", || python::run(&root, &[]));
        stage(&mut rows, "browser", || browser::run(&root));
        stage(&mut rows, "studio", || studio::run(&root));
    }
    if cross {
        stage(&mut rows, "cross", || cross::run(&root, None));
    }
    Ok(close(&rows))
}

/// Runs one stage under its heading and keeps its row; an error is one failure.
fn stage(rows: &mut Vec<Row>, stage: &'static str, work: impl FnOnce() -> Verdict) {
    println!("\n== {stage}");
    let start = Instant::now();
    let (tally, note) = work().unwrap_or_else(|message| {
        eprintln!("{message}");
        let first = message.lines().next().unwrap_or_default().to_string();
        (Tally::one(false), first)
    });
    rows.push(Row {
        stage,
        tally,
        note,
        duration: start.elapsed(),
    });
}

/// Prints the table and the closing line; true if nothing failed.
fn close(rows: &[Row]) -> bool {
    println!(
        "\n{:<12} {:>7} {:>7} {:>9}",
        "stage", "passed", "failed", "seconds"
    );
    let mut sum = Tally::default();
    for row in rows {
        sum += row.tally;
        let line = format!(
            "{:<12} {:>7} {:>7} {:>9.1}  {}",
            row.stage,
            row.tally.passed,
            row.tally.failed,
            row.duration.as_secs_f64(),
            row.note
        );
        println!("{}", line.trim_end());
    }
    println!("{} passed, {} failed", sum.passed, sum.failed);
    sum.failed == 0
}

/// Runs a command to its end.
fn outcome_of(command: &mut Command) -> Result<stream::Outcome, String> {
    stream::run(command).map_err(|error| format!("{command:?}: {error}"))
}

/// A command that counts as one check.
fn one(command: &mut Command) -> Verdict {
    let outcome = outcome_of(command)?;
    Ok((Tally::one(outcome.success), String::new()))
}

/// Runs a command that writes documentation; cargo's warning that two crates write the same pages counts as a failure.
fn documented(command: &mut Command) -> Verdict {
    let outcome = outcome_of(command)?;
    let apart = !outcome.text.contains("output filename collision");
    let note = if apart {
        ""
    } else {
        "two crates write the same pages"
    };
    Ok((Tally::one(outcome.success && apart), note.to_string()))
}

/// Runs a cargo command of a toolchain component, which is installed if it is missing; skipped if that fails.
fn component(root: &Path, name: &str, arguments: &[&str]) -> Verdict {
    let present = || succeeds(repository::cargo(root).args([arguments[0], "--version"]));
    if !present() {
        println!("{name} is not installed; asking rustup for it");
        let added =
            succeeds(
                Command::new("rustup")
                    .current_dir(root)
                    .args(["component", "add", name]),
            );
        if !added || !present() {
            return Ok((Tally::default(), format!("skipped: no {name}")));
        }
    }
    one(repository::cargo(root).args(arguments))
}

/// True if the command runs and succeeds; its output does not matter.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn layering(root: &Path) -> Verdict {
    let violations = layers::violations(root)?;
    for violation in &violations {
        eprintln!("{violation}");
    }
    Ok((Tally::one(violations.is_empty()), String::new()))
}

/// All Rust tests but the doc tests: by nextest where it is installed, else by cargo's own runner.
fn tests(root: &Path) -> Verdict {
    let mut command = repository::cargo(root);
    if succeeds(repository::cargo(root).args(["nextest", "--version"])) {
        command.args([
            "nextest",
            "run",
            "--workspace",
            "--no-fail-fast",
            "--no-tests=pass",
        ]);
        return runner(&mut command, tally::nextest);
    }
    command.args(["test", "--workspace", "--all-targets", "--no-fail-fast"]);
    let (tally, note) = runner(&mut command, tally::libtest)?;
    Ok((tally, format!("cargo test {note}")))
}

/// Builds the examples of all crates and runs each of them: it must succeed.
fn examples(root: &Path) -> Verdict {
    let built = succeeds(repository::cargo(root).args(["build", "--workspace", "--examples"]));
    let metadata = repository::metadata(root)?;
    let folder = repository::target(&metadata)?.join("debug/examples");
    let mut tally = Tally::one(built);
    for name in example_names(&metadata) {
        let works = succeeds(Command::new(folder.join(&name)).current_dir(root));
        if !works {
            eprintln!("example {name} failed");
        }
        tally += Tally::one(works);
    }
    Ok((tally, String::new()))
}

/// The names of all examples of the workspace.
fn example_names(metadata: &Value) -> Vec<String> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let packages = list(&metadata["packages"]);
    let targets = packages.iter().flat_map(|p| list(&p["targets"]));
    let examples = targets.filter(|t| list(&t["kind"]).iter().any(|k| k == "example"));
    examples
        .filter_map(|t| t["name"].as_str().map(str::to_owned))
        .collect()
}

/// Runs a command that runs tests and counts them. A command that fails without a failed test (it did not compile),
/// or succeeds without a summary of tests, is itself a failure.
fn runner(command: &mut Command, read: impl Fn(&str) -> Option<Tally>) -> Verdict {
    let outcome = outcome_of(command)?;
    let read = read(&outcome.text);
    let mut tally = read.unwrap_or_default();
    let mut note = "";
    if !outcome.success && tally.failed == 0 {
        tally.failed = 1;
        note = "stopped without a failed test";
    } else if read.is_none() {
        tally.failed += 1;
        note = "no summary found";
    }
    Ok((tally, note.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_found_in_all_packages() {
        let metadata = serde_json::json!({"packages": [
            {"targets": [{"kind": ["lib"], "name": "one"}, {"kind": ["example"], "name": "first"}]},
            {"targets": [{"kind": ["example"], "name": "second"}, {"kind": ["test"], "name": "all"}]},
        ]});
        assert_eq!(example_names(&metadata), ["first", "second"]);
    }

    #[test]
    fn every_example_file_is_an_example() {
        let root = repository::root().expect("the repository");
        let metadata = repository::metadata(&root).expect("metadata");
        let mut names = example_names(&metadata);
        names.sort();
        let mut files = Vec::new();
        for member in std::fs::read_dir(root.join("crates")).expect("crates") {
            let folder = member.expect("a crate").path().join("examples");
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            files.extend(entries.filter_map(|e| Some(e.path().file_stem()?.to_str()?.to_owned())));
        }
        files.sort();
        assert!(names.len() >= 5);
        assert_eq!(names, files);
    }
}
