//! `galilei report`.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use galilei::Error;
use galilei::Status;
use galilei::document;
use galilei_report::typeset;

use crate::interrupt::{self, EXIT_INTERRUPTED};
use crate::progress::{RunProgress, Waiting};
use crate::run::{Span, quoted};
use crate::terminal::say;
use crate::{Common, EXIT_FAILED, answer, print, show_diagnostics, write_whole};

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
    /// Further questions that the page answers
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "modes,equilibria"
    )]
    with: Vec<With>,
    #[command(flatten)]
    span: Span,
}

/// A further question that a page answers.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum With {
    /// The modes about an equilibrium, in motion
    Modes,
    /// Rest positions and steady motions, with stability
    Equilibria,
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
    let model = &arguments.span.load(common)?;
    let (settings, diagnostics) = arguments.span.allowed(model)?;
    let output = arguments
        .output
        .clone()
        .unwrap_or_else(|| default_output(&common.model, arguments.format));
    let (text, failed) = match arguments.format {
        Format::Latex => {
            let _waiting = Waiting::new(common.quiet || common.json, "deriving");
            let text = typeset::latex(model.title(), &model.derive_all());
            (text, None)
        }
        Format::Html => {
            let bar = RunProgress::new(common.quiet || common.json);
            let run = model
                .simulate()
                .settings(settings)
                .progress(|p| bar.show(p));
            let mut page = run.page(command(common, arguments), env!("CARGO_PKG_VERSION"));
            if !arguments.with.is_empty() {
                let asked = |w: With| arguments.with.contains(&w);
                page.additions = model.additions(asked(With::Equilibria), asked(With::Modes));
            }
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
    if interrupt::asked() {
        say("interrupted: no page was written");
        return Ok(ExitCode::from(EXIT_INTERRUPTED));
    }
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
            say(&why);
            ExitCode::from(EXIT_FAILED)
        }
    })
}

/// The command that reproduces the page.
fn command(common: &Common, arguments: &ReportArguments) -> String {
    let mut words = vec!["galilei report".to_owned(), quoted(&common.model)];
    words.extend(common.set.iter().map(|s| format!("--set {}", quoted(s))));
    words.extend(arguments.span.words());
    for with in &arguments.with {
        let name = match with {
            With::Modes => "modes",
            With::Equilibria => "equilibria",
        };
        words.push(format!("--with {name}"));
    }
    words.join(" ")
}
