//! `galilei export`.

use std::process::ExitCode;

use clap::Args;
use galilei::document;
use galilei::{Error, Language};

use crate::{Common, allowed, answer, cannot_write, load, write_whole};

#[derive(Args)]
pub(crate) struct ExportArguments {
    #[arg(long, value_name = "LANGUAGE", help = languages())]
    to: String,
    /// Where the file is written; standard output if left out
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
}

fn languages() -> String {
    format!(
        "The language: {}",
        Language::ALL.map(Language::name).join(", ")
    )
}

pub(crate) fn export(common: &Common, arguments: &ExportArguments) -> Result<ExitCode, Error> {
    let model = &load(common)?;
    let diagnostics = allowed(model, model.diagnostics())?;
    let language = arguments.to.parse::<Language>();
    let source = model.export(language.map_err(|e| model.error(e))?)?;
    if let Some(path) = &arguments.output
        && let Err(e) = write_whole(path, source.as_bytes())
    {
        return Err(model.error(cannot_write(path, &e)));
    }
    answer(
        common,
        model,
        &diagnostics,
        || document::Source {
            system: model.title(),
            language: &arguments.to,
            source: &source,
        },
        || match arguments.output {
            None => source.clone(),
            Some(_) => String::new(),
        },
    );
    Ok(ExitCode::SUCCESS)
}
