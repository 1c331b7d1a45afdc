//! `cargo xtask blocks`: runs the console blocks of the documentation and compares their output
//! with the documented one.
//!
//! ```` ```console ```` blocks count, ```` ```sh ```` blocks do not. A line `$ command` is given to `sh -c` in the
//! repository root, with the workspace's programs on the path; the lines up to the next command are its
//! standard output. A line `…` or `[..]` matches any number of lines, `…` within a line any text. A command
//! must succeed, unless the block opens with ```` ```console fails ````: then each must fail.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use self::block::{Block, Step};
use crate::repository;
use crate::tally::Tally;

mod block;
mod compare;

/// The environment variable that is set for every command of a block.
pub(crate) const MARK: &str = "GALILEI_DOCUMENTATION_BLOCK";

/// Runs the blocks of the files given, or of all documents; true if all hold.
pub(crate) fn main(rest: &[String]) -> Result<bool, String> {
    let root = repository::root()?;
    let files = if rest.is_empty() {
        documents(&root)?
    } else {
        let here = env::current_dir().map_err(|error| format!("no current folder: {error}"))?;
        rest.iter().map(|file| here.join(file)).collect()
    };
    let tally = run(&root, &files)?;
    println!("{} blocks hold, {} do not", tally.passed, tally.failed);
    Ok(tally.failed == 0)
}

/// The top-level markdown files, those under `docs/`, and the README of each crate, sorted.
pub(crate) fn documents(root: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let problem = |error| format!("{}: {error}", folder.display());
        for entry in fs::read_dir(&folder).map_err(problem)? {
            let path = entry.map_err(problem)?.path();
            if path.is_dir() {
                if folder != root || path.ends_with("docs") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "md") {
                files.push(path);
            }
        }
    }
    for folder in ["crates", "apps"] {
        let members = fs::read_dir(root.join(folder));
        let readmes = members
            .into_iter()
            .flatten()
            .flatten()
            .map(|member| member.path().join("README.md"));
        files.extend(readmes.filter(|path| path.is_file()));
    }
    files.sort();
    Ok(files)
}

/// Runs every console block of the files, counts those that hold and prints the differences of the others.
pub(crate) fn run(root: &Path, files: &[PathBuf]) -> Result<Tally, String> {
    let mut blocks = Vec::new();
    for file in files {
        let text =
            fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let name = file.strip_prefix(root).unwrap_or(file);
        blocks.extend(block::parse(&name.display().to_string(), &text));
    }
    let mut tally = Tally::default();
    if blocks.is_empty() {
        return Ok(tally);
    }
    let path = path_with_programs(root)?;
    for block in &blocks {
        let problems = problems(block, root, &path);
        let word = if problems.is_empty() { "ok" } else { "FAILED" };
        println!("{}:{} ... {word}", block.file, block.line);
        for problem in &problems {
            println!("{problem}");
        }
        tally += Tally::one(problems.is_empty());
    }
    Ok(tally)
}

/// Builds the workspace's programs and puts them in front of the path.
fn path_with_programs(root: &Path) -> Result<OsString, String> {
    let built = repository::cargo(root)
        .args(["build", "--quiet", "--workspace", "--bins"])
        .stdin(Stdio::null())
        .status()
        .map_err(|error| format!("cargo build did not start: {error}"))?;
    if !built.success() {
        return Err("the workspace's programs do not build".to_string());
    }
    let programs = repository::target(&repository::metadata(root)?)?.join("debug");
    let rest = env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(programs).chain(env::split_paths(&rest));
    env::join_paths(folders).map_err(|error| format!("the path to the programs: {error}"))
}

fn problems(block: &Block, root: &Path, path: &OsString) -> Vec<String> {
    let mut problems = block.problems.clone();
    for step in &block.steps {
        if let Err(problem) = problem(step, block.fails, root, path) {
            problems.push(format!("{}:{}: {problem}", block.file, step.line));
        }
    }
    problems
}

/// Runs one command and compares its output; the error is the difference.
fn problem(step: &Step, fails: bool, root: &Path, path: &OsString) -> Result<(), String> {
    let output = Command::new("sh")
        .args(["-c", &step.command])
        .current_dir(root)
        .env("PATH", path)
        .env("NO_COLOR", "1")
        .env(MARK, "1")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("sh did not start: {error}"))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    let mut said = String::new();
    if output.status.success() == fails {
        let wanted = if fails { "should fail" } else { "failed" };
        said = format!("`{}` {wanted}: {}\n", step.command, output.status);
    }
    if let Some(difference) = compare::difference(&step.expected, &printed) {
        said += &format!(
            "`{}` printed something else (- documented, + printed):\n{difference}",
            step.command
        );
    }
    if said.is_empty() {
        return Ok(());
    }
    if !errors.trim().is_empty() {
        said += &format!("  on standard error:\n{errors}");
    }
    Err(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(markdown: &str) -> Vec<String> {
        let blocks = block::parse("X.md", markdown);
        assert_eq!(blocks.len(), 1);
        let path = env::var_os("PATH").unwrap_or_default();
        problems(&blocks[0], Path::new("."), &path)
    }

    #[test]
    fn a_correct_block_holds() {
        let text = "```console\n$ echo one; echo 12 ms\none\n… ms\n$ printf 'a\\nb\\nc\\n'\na\n…\n$ true\n```\n";
        assert_eq!(check(text), [""; 0]);
    }

    #[test]
    fn a_wrong_block_is_named_with_file_and_line() {
        let problems = check("text\n\n```console\n$ echo one\ntwo\n```\n");
        assert_eq!(problems.len(), 1);
        assert!(problems[0].starts_with("X.md:4: "), "{}", problems[0]);
        assert!(problems[0].contains("- two") && problems[0].contains("+ one"));
    }

    #[test]
    fn a_failing_command_is_a_problem_unless_announced() {
        assert!(check("```console\n$ echo no >&2; exit 1\n```\n")[0].contains("no"));
        assert_eq!(check("```console fails\n$ exit 1\n```\n"), [""; 0]);
        assert!(check("```console fails\n$ true\n```\n")[0].contains("should fail"));
    }
}
