//! `galilei lsp` and `galilei fmt`.

use std::io::Read;
use std::process::ExitCode;

use clap::Args;
use galilei::{Code, Diagnostic, Error};
use galilei_lsp::Analysis;

use crate::terminal::{print, say};
use crate::{EXIT_FAILED, EXIT_WRONG, cannot_write, show_diagnostics, write_whole};

/// The largest text that is read, in bytes; a longer one is refused by the language.
const MAX_BYTES_READ: u64 = 2 << 20;

#[derive(Args)]
pub(crate) struct LspArguments {
    /// Analyse the model on standard input and print its diagnostics and names: a part of the server's work
    #[arg(long, hide = true)]
    analyse: bool,
    /// Use standard input and output, which is the only way; many editors pass this
    #[arg(long, hide = true)]
    stdio: bool,
}

pub(crate) fn lsp(arguments: &LspArguments) -> ExitCode {
    if arguments.analyse {
        let mut bytes = Vec::new();
        let _ = std::io::stdin()
            .take(MAX_BYTES_READ)
            .read_to_end(&mut bytes);
        let analysis = Analysis::of(&String::from_utf8_lossy(&bytes));
        print(&galilei::document::to_text(&analysis));
        return ExitCode::SUCCESS;
    }
    let served = match std::env::current_exe() {
        Ok(program) => galilei_lsp::serve(program),
        Err(why) => Err(why.to_string()),
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            say(&format!("the language server ended: {why}"));
            ExitCode::from(EXIT_FAILED)
        }
    }
}

#[derive(Args)]
pub(crate) struct FormatArguments {
    /// The model files, or - for standard input to standard output
    #[arg(required = true)]
    models: Vec<String>,
    /// Change nothing; exit with 1 if a file is not formatted
    #[arg(long)]
    check: bool,
}

pub(crate) fn format(arguments: &FormatArguments) -> ExitCode {
    let mut status = ExitCode::SUCCESS;
    for model in &arguments.models {
        match format_file(model, arguments.check) {
            Ok(true) => {}
            Ok(false) => status = ExitCode::from(EXIT_WRONG),
            Err(error) => {
                show_diagnostics(error.diagnostics(), error.name(), error.text(), false);
                status = ExitCode::from(EXIT_WRONG);
            }
        }
    }
    status
}

/// Formats a file; false if it should have been formatted before.
fn format_file(model: &str, check: bool) -> Result<bool, Error> {
    let unreadable = |why: String| {
        let message = format!("{model} cannot be read: {why}");
        let diagnostic = Diagnostic::error(Code::CannotRead, message, "check the path", None);
        Error::about(model, "", vec![diagnostic])
    };
    let mut bytes = Vec::new();
    let read = match model {
        "-" => std::io::stdin().lock().read_to_end(&mut bytes),
        path => std::fs::File::open(path).and_then(|mut f| f.read_to_end(&mut bytes)),
    };
    read.map_err(|e| unreadable(e.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8 text".into()))?;
    let formatted = galilei::format_text(&text);
    if check {
        let same = formatted == text;
        if !same {
            say(&format!(
                "{model} is not formatted: run `galilei fmt {model}`"
            ));
        }
        return Ok(same);
    }
    if model == "-" {
        print(formatted.trim_end_matches('\n'));
    } else if formatted != text {
        let wrong = |e| Error::about(model, &text, vec![cannot_write(model, &e)]);
        write_whole(model, formatted.as_bytes()).map_err(wrong)?;
    }
    Ok(true)
}
