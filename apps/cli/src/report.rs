//! `galilei report`.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use galilei::Error;
use galilei::Status;
use galilei::document;
use galilei_report::typeset;

use crate::progress::RunProgress;
use crate::run::Span;
use crate::{Common, EXIT_FAILED, answer, load, print, show_diagnostics, write_whole};

/// Formats that `report` writes.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Html,
    Latex,
}

#[derive(Args)]
pub(crate) struct ReportArguments {
    /// Path of the page; the name of the model with .html or .tex if absent, - for standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
    /// A page, or the derivation as a document
    #[arg(long, value_enum, default_value = "html")]
    format: Format,
    #[command(flatten)]
    span: Span,
}

/// The default path: the model's name in the current folder.
fn default_output(model: &str, format: Format) -> String {
    let stem = Path::new(model).file_stem().map(|s| s.to_string_lossy());
    let stem = match stem {
        Some(s) if model != "-" => s.into_owned(),
        _ => "model".to_owned(),
    };
    match format {
        Format::Html => format!("{stem}.html"),
        Format::Latex => format!("{stem}.tex"),
    }
}

pub(crate) fn report(common: &Common, arguments: &ReportArguments) -> Result<ExitCode, Error> {
    let model = &load(common)?;
    let (settings, diagnostics) = arguments.span.allowed(model)?;
    let output = arguments
        .output
        .clone()
        .unwrap_or_else(|| default_output(&common.model, arguments.format));
    let (text, failed) = match arguments.format {
        Format::Latex => {
            let text = typeset::latex(model.title(), &model.derive_all());
            (text, None)
        }
        Format::Html => {
            let bar = RunProgress::new(common.quiet || common.json);
            let run = model
                .simulate()
                .settings(settings)
                .progress(|p| bar.show(p));
            let page = run.page(command(common, arguments), env!("CARGO_PKG_VERSION"));
            let failed = match &page.record {
                Ok(r) => match &r.run.status {
                    Status::Failed(why) => {
                        Some(format!("the run failed at t = {}: {why}", r.run.time))
                    }
                    _ => None,
                },
                Err(_) => None,
            };
            (page.to_html(), failed)
        }
    };
    if output == "-" {
        show_diagnostics(&diagnostics, model.name(), model.source(), common.quiet);
        print(text.trim_end());
    } else if let Err(e) = write_whole(&output, text.as_bytes()) {
        return Err(model.error(crate::cannot_write(&output, &e)));
    } else {
        answer(
            common,
            model,
            &diagnostics,
            || document::Page {
                system: model.title(),
                file: &output,
                bytes: text.len(),
            },
            || match common.quiet {
                true => String::new(),
                false => format!(
                    "{}: {output}, {} kB",
                    model.title(),
                    text.len().div_ceil(1000)
                ),
            },
        );
    }
    Ok(match failed {
        None => ExitCode::SUCCESS,
        Some(why) => {
            eprintln!("{why}");
            ExitCode::from(EXIT_FAILED)
        }
    })
}

/// The command that reproduces the page.
fn command(common: &Common, arguments: &ReportArguments) -> String {
    let mut words = vec!["galilei report".to_owned(), quoted(&common.model)];
    words.extend(common.set.iter().map(|s| format!("--set {}", quoted(s))));
    words.extend(arguments.span.words());
    words.join(" ")
}

/// A word, quoted for the shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,[]+".contains(c);
    match word.chars().all(plain) && !word.contains('[') {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
