//! `cargo xtask python`: the Python package, built and tested in a virtual environment of its own.
//!
//! The environment is in the target folder and contains what the tests need. The compiled part is built there, too, and
//! copied next to the Python files. pytest also checks docstrings, documents, the notebook and types.

use std::path::Path;
use std::process::Command;

use crate::installation::{Installation, succeed};
use crate::tally::{self, Tally};
use crate::{repository, stream};

/// Builds the package and runs its tests, with further arguments for pytest; true if all pass.
pub(crate) fn main(rest: &[String]) -> Result<bool, String> {
    let (tally, note) = run(&repository::root()?, rest)?;
    println!("{} passed, {} failed {note}", tally.passed, tally.failed);
    Ok(tally.failed == 0 && note.is_empty())
}

/// The numbers of passed and failed tests, and a note for the table.
pub(crate) fn run(root: &Path, rest: &[String]) -> Result<(Tally, String), String> {
    let package = root.join("apps/python");
    let installation = Installation {
        requirements: package.join("tests/requirements.txt"),
        folder: repository::target(&repository::metadata(root)?)?.join("python"),
    };
    let python = match installation.python() {
        Ok(python) => python,
        Err(why) => {
            eprintln!("{why}");
            let note = "skipped: no Python, or its packages cannot be installed; the package was not tested";
            return Ok((Tally::default(), note.to_string()));
        }
    };
    let module = |name: &str| {
        let mut command = Command::new(&python);
        command.args(["-m", name]).current_dir(&package);
        command.env("VIRTUAL_ENV", &installation.folder);
        command
    };
    succeed(module("maturin").args(["develop", "--quiet"]))?;
    let mut tests = module("pytest");
    tests.arg("--quiet").args(rest);
    let outcome = stream::run(&mut tests).map_err(|error| format!("{tests:?}: {error}"))?;
    let tally = tally::pytest(&outcome.text).ok_or("pytest gave no summary")?;
    match (outcome.success, tally.failed) {
        (false, 0) => Err("pytest stopped without a failed test".to_string()),
        _ => Ok((tally, String::new())),
    }
}
