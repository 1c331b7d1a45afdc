//! `galilei man`: pages for `man`, one for the command and one for each of its subcommands.

use std::path::Path;
use std::process::ExitCode;

use clap::{Args, CommandFactory};

use crate::EXIT_WRONG;
use crate::terminal::{print, say};

#[derive(Args)]
pub(crate) struct ManArguments {
    /// The folder for the pages, which is created if it is missing; without it, the page of the command itself goes to
    /// standard output
    #[arg(value_name = "FOLDER")]
    folder: Option<String>,
}

/// Writes the pages.
pub(crate) fn man(arguments: &ManArguments) -> ExitCode {
    let command = crate::Arguments::command();
    let Some(folder) = &arguments.folder else {
        print(String::from_utf8_lossy(&page(command)).trim_end());
        return ExitCode::SUCCESS;
    };
    let pages = 1 + command.get_subcommands().count();
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(command, Path::new(folder)));
    match written {
        Ok(()) => {
            print(&format!(
                "{pages} pages in {folder}; read one with `man -l {folder}/galilei.1`"
            ));
            ExitCode::SUCCESS
        }
        Err(why) => {
            say(&format!("pages cannot be written to `{folder}`: {why}"));
            ExitCode::from(EXIT_WRONG)
        }
    }
}

/// The page of a command in roff.
fn page(command: clap::Command) -> Vec<u8> {
    let mut text = Vec::new();
    // Writing to memory does not fail.
    let _ = clap_mangen::Man::new(command).render(&mut text);
    text
}
