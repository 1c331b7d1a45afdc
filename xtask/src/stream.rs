//! Runs commands whose output is shown as it is written, and collected.

use std::io::{self, IsTerminal, Read, Write};
use std::process::{Command, Stdio};
use std::thread;

/// The exit status of a command, and everything it wrote.
pub(crate) struct Outcome {
    /// Exit status zero.
    pub(crate) success: bool,
    /// Standard output, then standard error, colours removed.
    pub(crate) text: String,
}

/// Runs the command to its end, passing its output on live.
pub(crate) fn run(command: &mut Command) -> io::Result<Outcome> {
    if io::stderr().is_terminal() {
        command.env("CARGO_TERM_COLOR", "always");
    }
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let out = child.stdout.take();
    let err = child.stderr.take();
    let (out, err) = thread::scope(|scope| {
        let err = scope.spawn(|| pass_on(err, io::stderr()));
        let out = pass_on(out, io::stdout());
        (out, err.join().unwrap_or_default())
    });
    let success = child.wait()?.success();
    let text = format!(
        "{}\n{}",
        String::from_utf8_lossy(&out),
        String::from_utf8_lossy(&err)
    );
    Ok(Outcome {
        success,
        text: without_colours(&text),
    })
}

/// Copies a pipe to our own output until it closes; a reader that went away stops the copy, not the reading.
fn pass_on(from: Option<impl Read>, mut to: impl Write) -> Vec<u8> {
    let mut kept = Vec::new();
    let Some(mut from) = from else { return kept };
    let mut buffer = [0; 4096];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return kept,
            Ok(count) => {
                kept.extend_from_slice(&buffer[..count]);
                let _ = to.write_all(&buffer[..count]).and_then(|()| to.flush());
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return kept,
        }
    }
}

/// Removes terminal escape sequences of the form `ESC [ ... letter`.
fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c == '\u{1b}' {
            rest.by_ref().find(char::is_ascii_alphabetic);
        } else {
            plain.push(c);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_removed() {
        assert_eq!(
            without_colours("\u{1b}[32;1m3 passed\u{1b}[0m, ü"),
            "3 passed, ü"
        );
    }

    #[test]
    fn both_outputs_and_the_status_are_kept() {
        let outcome = run(Command::new("sh").args(["-c", "echo out; echo err >&2; exit 3"]))
            .expect("sh starts");
        assert!(!outcome.success);
        assert!(outcome.text.contains("out\n") && outcome.text.contains("err\n"));
    }
}
