//! `cargo xtask layers`: checks that a crate uses only crates above it in the table of ARCHITECTURE.md, and of those
//! only the ones that its row allows.

use std::fs;
use std::path::Path;

use crate::{no_arguments, repository};

mod member;
mod rule;
mod table;

/// Prints the violations; true if there are none.
pub(crate) fn main(rest: &[String]) -> Result<bool, String> {
    no_arguments(rest)?;
    let violations = violations(&repository::root()?)?;
    for violation in &violations {
        eprintln!("{violation}");
    }
    if violations.is_empty() {
        println!("the layers hold");
    }
    Ok(violations.is_empty())
}

/// The dependencies of the workspace that the table of ARCHITECTURE.md does not allow, one sentence each.
pub(crate) fn violations(root: &Path) -> Result<Vec<String>, String> {
    let file = root.join("ARCHITECTURE.md");
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let table = table::Table::parse(&text)?;
    let members = member::members(&repository::metadata(root)?)?;
    Ok(rule::violations(&table, &members))
}
