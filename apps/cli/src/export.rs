//! `galilei export`.

use std::process::ExitCode;

use clap::Args;
use galilei::document;
use galilei::export::source::UnknownLanguage;
use galilei::{Diagnostic, Language, Model};

use crate::{Common, answer, cannot_write, load, refuse, write_whole};

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

pub(crate) fn export(common: &Common, arguments: &ExportArguments) -> ExitCode {
    let loaded = load(common);
    let Some(model) = &loaded.model else {
        return refuse(common, &loaded, &loaded.diagnostics);
    };
    let diagnostics = loaded.before_formulas(model);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return refuse(common, &loaded, &diagnostics);
    }
    let source = match written(model, arguments) {
        Ok(source) => source,
        Err(errors) => return refuse(common, &loaded, &errors),
    };
    if let Some(path) = &arguments.output
        && let Err(e) = write_whole(path, source.as_bytes())
    {
        return refuse(common, &loaded, &[cannot_write(path, &e)]);
    }
    answer(
        common,
        &loaded,
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
    ExitCode::SUCCESS
}

fn written(model: &Model, arguments: &ExportArguments) -> Result<String, Vec<Diagnostic>> {
    let language: Language = arguments
        .to
        .parse()
        .map_err(|e: UnknownLanguage| vec![e.into()])?;
    galilei::export(model, language)
}
