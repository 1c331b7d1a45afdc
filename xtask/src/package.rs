//! `cargo xtask package`: whether every crate can be published, in the order of their dependencies.
//!
//! Cargo packages all crates of the workspace together and resolves each against the packages of the others. Compiling the
//! packages once more takes minutes and is left to `--verify`. Metadata that a registry wants are checked here, since cargo
//! only warns of some.

use std::path::Path;

use serde_json::Value;

use crate::tally::Tally;
use crate::{USAGE, repository, stream};

/// Members that are not published, besides those that say so: the Python package is published elsewhere.
const ELSEWHERE: [&str; 1] = ["galilei-python"];
/// The most keywords and categories that a registry takes, and the longest keyword.
const MAX_WORDS: usize = 5;
const MAX_LETTERS: usize = 20;

/// Packages all crates; true if all of them can be published.
pub(crate) fn main(rest: &[String]) -> Result<bool, String> {
    let verify = match rest {
        [] => false,
        [word] if word == "--verify" => true,
        _ => return Err(USAGE.to_string()),
    };
    let root = repository::root()?;
    let (tally, note) = run(&root, verify)?;
    println!("{note}");
    Ok(tally.failed == 0)
}

/// Checks the metadata of all crates and packages them; the counts and a note.
pub(crate) fn run(root: &Path, verify: bool) -> Result<(Tally, String), String> {
    let metadata = repository::metadata(root)?;
    let members = metadata["packages"].as_array().cloned().unwrap_or_default();
    let published: Vec<&Value> = members.iter().filter(|p| is_published(p)).collect();
    let mut problems = Vec::new();
    for package in &published {
        problems.extend(problems_of(root, package));
    }
    for problem in &problems {
        eprintln!("{problem}");
    }
    let mut command = repository::cargo(root);
    command.args(["package", "--allow-dirty", "--quiet"]);
    if !verify {
        command.arg("--no-verify");
    }
    for package in &published {
        command.args(["--package", name(package)]);
    }
    let outcome = stream::run(&mut command).map_err(|error| format!("{command:?}: {error}"))?;
    let mut tally = Tally::one(problems.is_empty());
    tally += Tally::one(outcome.success);
    Ok((tally, format!("{} crates", published.len())))
}

fn name(package: &Value) -> &str {
    package["name"].as_str().unwrap_or_default()
}

fn is_published(package: &Value) -> bool {
    let refused = package["publish"].as_array().is_some_and(Vec::is_empty);
    !refused && !ELSEWHERE.contains(&name(package))
}

/// What a registry would miss in a crate.
fn problems_of(root: &Path, package: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    let crate_name = name(package);
    let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
    for key in ["description", "license", "readme", "rust_version"] {
        if text(key).is_empty() {
            problems.push(format!("{crate_name}: no `{key}`"));
        }
    }
    for key in ["keywords", "categories"] {
        let words = package[key].as_array().cloned().unwrap_or_default();
        if words.is_empty() || words.len() > MAX_WORDS {
            problems.push(format!("{crate_name}: {} {key}", words.len()));
        }
        let long = |w: &&Value| w.as_str().is_some_and(|w| w.len() > MAX_LETTERS);
        if key == "keywords" && words.iter().any(|w| long(&w)) {
            problems.push(format!("{crate_name}: a keyword is too long"));
        }
    }
    let manifest = text("manifest_path");
    let folder = Path::new(&manifest).parent().unwrap_or(root);
    if !folder.join("README.md").is_file() {
        problems.push(format!("{crate_name}: no README.md"));
    }
    // A registry knows versions only; a path without one cannot be published. Tests may use paths.
    let dependencies = package["dependencies"].as_array();
    for dependency in dependencies.into_iter().flatten() {
        let on_path = !dependency["path"].is_null();
        let for_tests = dependency["kind"].as_str() == Some("dev");
        if on_path && !for_tests && dependency["req"].as_str() == Some("*") {
            let other = name(dependency);
            problems.push(format!("{crate_name}: `{other}` has no version"));
        }
    }
    problems
}
