//! `galilei studio`.

use std::io::Read;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::EXIT_WRONG;
use crate::terminal::{print, say};

/// The largest request that is read, in bytes.
const MAX_REQUEST_BYTES: u64 = 8 << 20;

#[derive(Args)]
pub(crate) struct StudioArguments {
    /// The model file; it need not exist yet
    model: Option<PathBuf>,
    /// The port on this machine; 0 for a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Answer the request on standard input: a part of the studio's work
    #[arg(long, hide = true)]
    answer: bool,
}

pub(crate) fn studio(arguments: &StudioArguments) -> ExitCode {
    if arguments.answer {
        let mut bytes = Vec::new();
        let _ = std::io::stdin()
            .take(MAX_REQUEST_BYTES)
            .read_to_end(&mut bytes);
        print(&galilei_studio::answer(&String::from_utf8_lossy(&bytes)));
        return ExitCode::SUCCESS;
    }
    if let Some(model) = &arguments.model {
        let folder = model.parent().filter(|p| !p.as_os_str().is_empty());
        if model.is_dir() || folder.is_some_and(|p| !p.is_dir()) {
            say(&format!("{} cannot be a model file", model.display()));
            return ExitCode::from(EXIT_WRONG);
        }
    }
    let served = std::env::current_exe().and_then(|program| {
        galilei_studio::serve(arguments.model.clone(), arguments.port, program)
    });
    match served {
        Ok(studio) => {
            print(&format!("The studio is at {}", studio.address()));
            say("It serves this machine alone. End it with Ctrl-C.");
            studio.run();
            ExitCode::SUCCESS
        }
        Err(why) => {
            say(&format!("the studio cannot be served: {why}"));
            ExitCode::from(EXIT_WRONG)
        }
    }
}
