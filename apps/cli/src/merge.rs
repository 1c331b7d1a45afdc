//! `galilei merge`: the parts of a sweep as one.

use std::process::ExitCode;

use clap::Args;
use galilei::document;
use galilei::{Code, Diagnostic};
use galilei_export::data::Table;

use crate::failures::Failures;
use crate::files::{self, not_written};
use crate::{print, print_document, show_diagnostics};

#[derive(Args)]
pub(crate) struct MergeArguments {
    /// The files of all parts: .csv or .npz
    #[arg(required = true)]
    parts: Vec<String>,
    /// Path of the merged file: .csv, .npz, .parquet
    #[arg(short, long, value_name = "FILE")]
    output: String,
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
    /// Nothing but the answer
    #[arg(long)]
    quiet: bool,
}

pub(crate) fn merge(arguments: &MergeArguments) -> ExitCode {
    match merged(arguments) {
        Ok((runs, failures)) => {
            if arguments.json {
                let parts = arguments.parts.len();
                print_document(&document::Merge { runs, parts });
            } else if !arguments.quiet {
                print(&format!(
                    "{runs} runs from {} parts in {}",
                    arguments.parts.len(),
                    arguments.output
                ));
            }
            failures.report(runs as u64, arguments.quiet);
            ExitCode::SUCCESS
        }
        Err(d) => {
            if arguments.json {
                print_document(&document::Refusal::new(&[d], ""));
            } else {
                show_diagnostics(&[d], "", "", arguments.quiet);
            }
            ExitCode::from(crate::EXIT_WRONG)
        }
    }
}

/// A part whose file, or whose file of events, is an output file, perhaps by another path.
fn overwritten(arguments: &MergeArguments) -> Option<&String> {
    let file = |path: &str| std::fs::canonicalize(path).ok();
    let both = |path: &str| [file(path), file(&files::companion(path, "events"))];
    let written: Vec<_> = both(&arguments.output).into_iter().flatten().collect();
    let mut parts = arguments.parts.iter();
    parts.find(|part| {
        both(part)
            .iter()
            .flatten()
            .any(|read| written.contains(read))
    })
}

/// The number of runs, and the failed ones.
fn merged(arguments: &MergeArguments) -> Result<(usize, Failures), Diagnostic> {
    files::writable(&arguments.output)?;
    if let Some(part) = overwritten(arguments) {
        return Err(Diagnostic::error(
            Code::CannotWrite,
            format!(
                "`{}` would be written over the part `{part}`",
                arguments.output
            ),
            "write the whole to another file",
            None,
        ));
    }
    let whole = joined(&arguments.parts)?;
    let wrong =
        |message: String, hint: &str| Diagnostic::error(Code::PartsDoNotFit, message, hint, None);
    let total = whole.notes.iter().find(|(name, _)| name == "runs");
    let total: usize = total.and_then(|(_, n)| n.parse().ok()).ok_or_else(|| {
        wrong(
            "these files do not say how many runs their sweep has".to_owned(),
            "merge files that `galilei sweep` wrote",
        )
    })?;
    let numbers = || whole.rows.iter().map(|r| r[0] as usize);
    if let Some((k, n)) = numbers().enumerate().find(|(k, n)| k != n) {
        let message = if n < k {
            format!("run {n} is there twice")
        } else {
            format!("run {k} is missing")
        };
        return Err(wrong(message, "give every part of the sweep once"));
    }
    if whole.rows.len() != total {
        let message = format!("run {} is missing of {total}", whole.rows.len());
        return Err(wrong(message, "give every part of the sweep once"));
    }
    files::write(&arguments.output, &whole).map_err(|e| not_written(&arguments.output, e))?;
    if whole.notes.iter().any(|(name, _)| name == "events") {
        let parts: Vec<String> = arguments
            .parts
            .iter()
            .map(|p| files::companion(p, "events"))
            .collect();
        let events = files::companion(&arguments.output, "events");
        files::write(&events, &joined(&parts)?).map_err(|e| not_written(&events, e))?;
    }
    let mut failures = Failures::default();
    // The time follows the status; varied quantities and outputs may have the same name.
    let names = whole.columns.windows(2);
    if let Some(status) = names.into_iter().position(|pair| pair == ["status", "t"]) {
        failures.count(&whole.rows, status);
    }
    Ok((whole.rows.len(), failures))
}

/// Tables of several files as one, in the order of the runs.
fn joined(paths: &[String]) -> Result<Table, Diagnostic> {
    let mut whole: Option<Table> = None;
    for path in paths {
        let table = files::read(path)?;
        match &mut whole {
            None => whole = Some(table),
            Some(whole) => {
                let fits = whole.columns == table.columns && whole.notes == table.notes;
                if !fits {
                    return Err(Diagnostic::error(
                        Code::PartsDoNotFit,
                        format!("`{path}` belongs to another sweep than `{}`", paths[0]),
                        "merge parts of one sweep: the same model, request and version",
                        None,
                    ));
                }
                whole.rows.extend(table.rows);
            }
        }
    }
    let mut whole = whole.unwrap_or_default();
    // Stable: events of one run stay in their order.
    whole.rows.sort_by(|a, b| a[0].total_cmp(&b[0]));
    Ok(whole)
}
