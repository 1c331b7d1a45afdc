//! `galilei import`.

use std::io::Read;
use std::process::ExitCode;

use clap::Args;
use galilei::document::{self, Answer};
use galilei::{Code, Diagnostic};
use galilei_import::{Floating, Imported, Options, urdf};

use crate::{EXIT_WRONG, cannot_write, print, print_document, show_diagnostics, write_whole};

#[derive(Args)]
pub(crate) struct ImportArguments {
    /// The URDF file, or - for standard input
    file: String,
    /// Where the model is written; standard output if left out
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
    /// Leave out damping and friction of the joints
    #[arg(long)]
    no_friction: bool,
    /// The root link moves freely: with a quaternion, or with Euler's angles
    #[arg(long, value_name = "quaternion|euler", num_args = 0..=1, require_equals = true, default_missing_value = "quaternion")]
    floating: Option<String>,
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
    /// Nothing but the answer
    #[arg(long)]
    quiet: bool,
}

/// The model as a document.
#[derive(serde::Serialize)]
struct Document<'a> {
    model: &'a str,
}

pub(crate) fn import(arguments: &ImportArguments) -> ExitCode {
    let mut text = String::new();
    match imported(arguments, &mut text) {
        Ok(Imported {
            text: model,
            warnings,
        }) => {
            if arguments.json {
                let model = Document { model: &model };
                print_document(&Answer::new(model, &warnings, &text));
                return ExitCode::SUCCESS;
            }
            show_diagnostics(&warnings, &arguments.file, &text, arguments.quiet);
            if arguments.output.is_none() {
                print(model.trim_end());
            }
            ExitCode::SUCCESS
        }
        Err(diagnostics) => {
            if arguments.json {
                print_document(&document::Refusal::new(&diagnostics, &text));
            } else {
                show_diagnostics(&diagnostics, &arguments.file, &text, arguments.quiet);
            }
            ExitCode::from(EXIT_WRONG)
        }
    }
}

fn imported(arguments: &ImportArguments, text: &mut String) -> Result<Imported, Vec<Diagnostic>> {
    let read = match arguments.file.as_str() {
        "-" => std::io::stdin().lock().read_to_string(text).map(|_| ()),
        path => std::fs::read_to_string(path).map(|t| *text = t),
    };
    if let Err(why) = read {
        return Err(vec![Diagnostic::error(
            Code::CannotRead,
            format!("`{}` cannot be read: {why}", arguments.file),
            "check the path",
            None,
        )]);
    }
    let attitude = match arguments.floating.as_deref() {
        None | Some("quaternion") => Floating::Quaternion,
        Some("euler") => Floating::Euler,
        Some(other) => {
            return Err(vec![Diagnostic::error(
                Code::InvalidSetting,
                format!("there are no coordinates `{other}` of a floating base"),
                "write --floating, --floating=quaternion or --floating=euler",
                None,
            )]);
        }
    };
    let options = Options {
        no_friction: arguments.no_friction,
        floating: arguments.floating.is_some(),
        attitude,
    };
    let model = urdf(text, &options)?;
    if let Some(path) = &arguments.output {
        write_whole(path, model.text.as_bytes()).map_err(|e| vec![cannot_write(path, &e)])?;
    }
    Ok(model)
}
