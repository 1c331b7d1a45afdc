//! Standard output and standard error: closed pipes are no errors, colours are for terminals.

use std::fmt::Write as _;
use std::io::{ErrorKind, IsTerminal, Write};

use crate::EXIT_FAILED;

/// Prints a line to standard output. The reader may have closed it; where it cannot be written for another reason, a full
/// disk for instance, the program ends.
pub(crate) fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let written = out
        .write_all(text.as_bytes())
        .and_then(|()| out.write_all(b"\n"))
        .and_then(|()| out.flush());
    if let Err(e) = written
        && e.kind() != ErrorKind::BrokenPipe
    {
        say(&format!("cannot write to standard output: {e}"));
        std::process::exit(EXIT_FAILED.into());
    }
}

/// Prints a result for people to standard output, in colours if it is a terminal.
pub(crate) fn print_result(text: &str) {
    let choice = anstream::AutoStream::choice(&std::io::stdout());
    match choice != anstream::ColorChoice::Never && std::io::stdout().is_terminal() {
        true => print(&coloured(text)),
        false => print(text),
    }
}

/// Prints a line to standard error; colours are removed unless it is a terminal.
pub(crate) fn say(text: &str) {
    let mut out = anstream::stderr().lock();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

const BOLD: &str = "1";
const DIM: &str = "2";
const GOOD: &str = "32";
const BAD: &str = "31";
const OPEN: &str = "33";

/// Words at the beginning of a line that say what holds, with their colours.
const WORDS: [(&str, &str); 9] = [
    ("proved", GOOD),
    ("certified", GOOD),
    ("sampled", OPEN),
    ("undecided", OPEN),
    ("fails", BAD),
    ("not proved", BAD),
    ("no", DIM),
    ("not applicable", DIM),
    ("note", OPEN),
];

/// A result with its title bold, verdicts coloured and numbers of theorems dimmed.
fn coloured(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 256);
    for (k, line) in text.lines().enumerate() {
        if k > 0 {
            out.push('\n');
        }
        if k == 0 {
            // The title, up to the facts about the model on its right.
            let end = line.find("   ").unwrap_or(line.len());
            let _ = write!(out, "\x1b[{BOLD}m{}\x1b[0m{}", &line[..end], &line[end..]);
            continue;
        }
        let (line, theorem) = match line.rfind("T-") {
            Some(at) if line[at + 2..].bytes().all(|b| b.is_ascii_digit()) => line.split_at(at),
            _ => (line, ""),
        };
        let body = line.trim_start();
        let word = WORDS.iter().find(|(word, _)| {
            let rest = body.strip_prefix(word);
            rest.is_some_and(|rest| rest.starts_with("  "))
        });
        match word {
            Some((word, colour)) if line.starts_with("  ") => {
                let indent = &line[..line.len() - body.len()];
                let _ = write!(
                    out,
                    "{indent}\x1b[{colour}m{word}\x1b[0m{}",
                    &body[word.len()..]
                );
            }
            _ => out.push_str(line),
        }
        if !theorem.is_empty() {
            let _ = write!(out, "\x1b[{DIM}m{theorem}\x1b[0m");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_mark_titles_verdicts_and_theorems_and_change_no_letter() {
        let text =
            "Pendulum   1 degree\n\n  proved     a = b     T-5\n  no way     T-6x\n  fails  c";
        let shown = coloured(text);
        assert!(shown.starts_with("\x1b[1mPendulum\x1b[0m   1 degree\n"));
        assert!(shown.contains("  \x1b[32mproved\x1b[0m     a = b     \x1b[2mT-5\x1b[0m\n"));
        assert!(shown.contains("\n  no way     T-6x\n"));
        assert!(shown.ends_with("  \x1b[31mfails\x1b[0m  c"));
        let plain = anstream::adapter::strip_str(&shown).to_string();
        assert_eq!(plain, text);
    }
}
