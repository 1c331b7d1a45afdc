//! `galilei report`.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use galilei::Told;
use galilei::integrate::Status;
use galilei::report::{Json, contract, typeset};

use crate::run::{Bar, Span};
use crate::{Common, FAILED, load, print, refuse, tell, write_whole};

/// What `report` writes.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Html,
    Latex,
}

#[derive(Args)]
pub(crate) struct ReportArguments {
    /// Where the page is written; the name of the model with .html or .tex if absent, - for standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
    /// A page, or the derivation as a document
    #[arg(long, value_enum, default_value = "html")]
    format: Format,
    #[command(flatten)]
    span: Span,
}

/// The file beside which nothing else is written: the model's name in the current folder.
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

pub(crate) fn report(common: &Common, arguments: &ReportArguments) -> ExitCode {
    let loaded = load(common);
    let Some(model) = &loaded.model else {
        return refuse(common, &loaded, &loaded.diagnostics);
    };
    let diagnostics = match arguments.span.allowed(model, &loaded) {
        Ok(warnings) => warnings,
        Err(errors) => return refuse(common, &loaded, &errors),
    };
    let output = arguments
        .output
        .clone()
        .unwrap_or_else(|| default_output(&common.model, arguments.format));
    let (text, failed) = match arguments.format {
        Format::Latex => {
            let text = typeset::latex(model.title(), &galilei::derived(model));
            (text, None)
        }
        Format::Html => {
            let told = Told {
                source: &loaded.source,
                command: command(common, arguments),
                version: env!("CARGO_PKG_VERSION"),
            };
            let mut bar = Bar::new(common.quiet || common.json);
            let page = galilei::page(model, told, &arguments.span.settings(), |t, from, to| {
                bar.show(t, from, to);
                true
            });
            bar.done();
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
        tell(&diagnostics, &loaded, common.quiet);
        print(text.trim_end());
    } else if let Err(e) = write_whole(&output, text.as_bytes()) {
        return refuse(common, &loaded, &[crate::cannot_write(&output, &e)]);
    } else if common.json {
        let answer = Json::object([
            ("system", Json::text(model.title())),
            ("file", Json::text(&output)),
            ("bytes", Json::Integer(text.len() as i64)),
        ]);
        print(&contract::with_warnings(answer, &diagnostics, &loaded.source).to_string());
    } else {
        tell(&diagnostics, &loaded, common.quiet);
        if !common.quiet {
            print(&format!(
                "{}: {output}, {} kB",
                model.title(),
                text.len().div_ceil(1000)
            ));
        }
    }
    match failed {
        None => ExitCode::SUCCESS,
        Some(why) => {
            eprintln!("{why}");
            ExitCode::from(FAILED)
        }
    }
}

/// The command that makes the same page again.
fn command(common: &Common, arguments: &ReportArguments) -> String {
    let mut words = vec!["galilei report".to_owned(), quoted(&common.model)];
    words.extend(common.set.iter().map(|s| format!("--set {}", quoted(s))));
    words.extend(arguments.span.words());
    words.join(" ")
}

/// As a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,[]+".contains(c);
    match word.chars().all(plain) && !word.contains('[') {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
