//! Work in a process of its own, which can be stopped: a model that takes too long, or needs a newer answer, is no longer computed.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The interval in which a process is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// The bytes of output that are kept.
const MAX_OUTPUT_BYTES: u64 = 16 << 20;

/// The result of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It ended: whether well, its output and its messages.
    Ended(bool, String, String),
    /// It took too long.
    TimedOut,
    /// Nobody needs it any more.
    Cancelled,
    /// It could not be started.
    Failed(String),
}

/// The command of Galilei, which does the work.
#[derive(Clone, Debug)]
pub struct Program(pub PathBuf);

impl Program {
    /// Runs the command with a text as its standard input, in the folder of the model.
    pub fn run(
        &self,
        arguments: &[&str],
        text: &str,
        folder: Option<&Path>,
        limit: Duration,
        wanted: impl Fn() -> bool,
    ) -> Outcome {
        let mut command = Command::new(&self.0);
        command
            .args(arguments)
            .env("COLUMNS", "100")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(folder) = folder.filter(|f| f.is_dir()) {
            command.current_dir(folder);
        }
        let started = Instant::now();
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(why) => return Outcome::Failed(why.to_string()),
        };
        let (input, output, messages) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        thread::scope(|scope| {
            scope.spawn(move || {
                // A process that ends early closes the pipe.
                if let Some(mut input) = input {
                    let _ = input.write_all(text.as_bytes());
                }
            });
            let output = scope.spawn(move || read_all(output));
            let messages = scope.spawn(move || read_all(messages));
            let ended = loop {
                match child.try_wait() {
                    Ok(Some(status)) => break Ok(status.success()),
                    Ok(None) => {}
                    Err(why) => break Err(Outcome::Failed(why.to_string())),
                }
                if !wanted() {
                    break Err(Outcome::Cancelled);
                }
                if started.elapsed() > limit {
                    break Err(Outcome::TimedOut);
                }
                thread::sleep(POLL_INTERVAL);
            };
            if ended.is_err() {
                let _ = child.kill();
                let _ = child.wait();
            }
            let output = output.join().unwrap_or_default();
            let messages = messages.join().unwrap_or_default();
            match ended {
                Ok(well) => Outcome::Ended(well, output, messages),
                Err(outcome) => outcome,
            }
        })
    }
}

fn read_all(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        let _ = pipe.take(MAX_OUTPUT_BYTES).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
