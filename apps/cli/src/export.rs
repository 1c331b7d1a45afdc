//! `galilei export`.

use std::process::ExitCode;

use clap::Args;
use galilei::report::Json;
use galilei::report::contract;
use galilei::{Diagnostic, Model};

use crate::{Common, cannot_write, load, print, refuse, tell, write_whole};

#[derive(Args)]
pub(crate) struct ExportArguments {
    /// The language: rust, c, python, julia
    #[arg(long, value_name = "LANGUAGE")]
    to: String,
    /// Where the file is written; standard output if left out
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
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
    if common.json {
        let entries = [
            ("system", Json::text(model.title())),
            ("language", Json::text(&arguments.to)),
            ("source", Json::text(&source)),
        ];
        let answer = Json::object(entries);
        print(&contract::with_warnings(answer, &diagnostics, &loaded.source).to_string());
    } else {
        tell(&diagnostics, &loaded, common.quiet);
        if arguments.output.is_none() {
            print(source.trim_end());
        }
    }
    ExitCode::SUCCESS
}

fn written(model: &Model, arguments: &ExportArguments) -> Result<String, Vec<Diagnostic>> {
    galilei::export(model, galilei::language(&arguments.to)?)
}
