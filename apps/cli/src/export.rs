//! `galilei export`.

use std::process::ExitCode;

use clap::Args;
use galilei::document;
use galilei::{Code, Diagnostic, Error, Fmi, Language, Model};

use crate::{Common, allowed, answer, cannot_write, load, write_whole};

#[derive(Args)]
pub(crate) struct ExportArguments {
    #[arg(long, visible_alias = "lang", value_name = "LANGUAGE", help = languages())]
    to: String,
    /// With the derivatives of the accelerations by time, positions and velocities, which take up most of the file
    #[arg(long)]
    jacobian: bool,
    /// Where the file is written; standard output if left out
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
}

fn languages() -> String {
    format!(
        "The language: {}; or fmu (FMI 3.0) or fmu2 (FMI 2.0), a functional mock-up unit",
        Language::ALL.map(Language::name).join(", ")
    )
}

pub(crate) fn export(common: &Common, arguments: &ExportArguments) -> Result<ExitCode, Error> {
    let model = &load(common)?;
    let diagnostics = allowed(model, model.diagnostics())?;
    let unit = match arguments.to.as_str() {
        "fmu" | "fmu3" => Some(Fmi::Three),
        "fmu2" => Some(Fmi::Two),
        _ => None,
    };
    if let Some(version) = unit {
        return export_unit(common, model, arguments, version, diagnostics);
    }
    let language = arguments.to.parse::<Language>();
    let language = language.map_err(|e| model.error(e))?;
    let source = match arguments.jacobian {
        true => model.export_with_jacobian(language)?,
        false => model.export(language)?,
    };
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

/// Writes a functional mock-up unit.
fn export_unit(
    common: &Common,
    model: &Model,
    arguments: &ExportArguments,
    version: Fmi,
    mut diagnostics: Vec<Diagnostic>,
) -> Result<ExitCode, Error> {
    let Some(path) = &arguments.output else {
        return Err(model.error(Diagnostic::error(
            Code::WrongSetting,
            "a unit is an archive, not a text",
            "give the file with -o model.fmu",
            None,
        )));
    };
    let (bytes, mut warnings) = model.export_unit(version)?;
    diagnostics.append(&mut warnings);
    if let Err(e) = write_whole(path, &bytes) {
        return Err(model.error(cannot_write(path, &e)));
    }
    answer(
        common,
        model,
        &diagnostics,
        || document::Source {
            system: model.title(),
            language: &arguments.to,
            source: path,
        },
        String::new,
    );
    Ok(ExitCode::SUCCESS)
}
