//! Progress on standard error, if that is a terminal.

use std::cell::Cell;
use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use galilei::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::interrupt::{self, Stoppable};

/// The largest number of redraws of a bar in a second.
const REDRAWS_PER_SECOND: u8 = 10;
/// The number of parts into which a time span is divided.
const PARTS: u64 = 1000;

fn bar(quiet: bool, length: u64, template: &str) -> ProgressBar {
    let target = match quiet {
        true => ProgressDrawTarget::hidden(),
        false => ProgressDrawTarget::stderr_with_hz(REDRAWS_PER_SECOND),
    };
    let style = ProgressStyle::with_template(template).expect("a template of our own");
    let bar = ProgressBar::with_draw_target(Some(length), target);
    bar.with_style(style.progress_chars("█·"))
}

/// Work whose end is not known in advance: a word and the seconds so far, shown after the first second.
pub(crate) struct Waiting(Option<(Sender<()>, JoinHandle<()>)>);

/// The time before a line appears, and between two of its changes.
const TICK: Duration = Duration::from_secs(1);

impl Waiting {
    pub(crate) fn new(quiet: bool, word: &'static str) -> Self {
        if quiet || !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let (done, waiting) = channel::<()>();
        let thread = std::thread::spawn(move || {
            if waiting.recv_timeout(TICK) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("  {msg} … {elapsed}");
            bar.set_style(style.expect("a template of our own"));
            bar.set_message(word);
            bar.set_elapsed(TICK);
            bar.tick();
            while waiting.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                bar.tick();
            }
            bar.finish_and_clear();
        });
        Self(Some((done, thread)))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some((done, thread)) = self.0.take() {
            drop(done);
            let _ = thread.join();
        }
    }
}

/// The progress of a run in time.
pub(crate) struct RunProgress {
    bar: ProgressBar,
    /// The part of the span that is shown.
    part: Cell<u64>,
    _stoppable: Stoppable,
}

impl RunProgress {
    pub(crate) fn new(quiet: bool) -> Self {
        Self {
            bar: bar(quiet, PARTS, "  [{bar:40}] {percent:>3} %  {msg}"),
            part: Cell::new(0),
            _stoppable: Stoppable::new(),
        }
    }

    /// Shows the progress of a run, and lets it go on unless Ctrl-C was pressed. It is called after every step and
    /// usually does nothing.
    pub(crate) fn show(&self, progress: Progress) -> bool {
        let part = (progress.fraction() * PARTS as f64) as u64;
        if self.part.replace(part) != part {
            self.bar.set_message(format!("t = {:.6}", progress.time));
            self.bar.set_position(part);
        }
        !interrupt::asked()
    }
}

impl Drop for RunProgress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The progress of a sweep in runs.
pub(crate) struct SweepProgress(ProgressBar);

impl SweepProgress {
    /// A bar for `total` runs, of which `before` were computed earlier.
    pub(crate) fn new(quiet: bool, total: u64, before: u64) -> Self {
        let template = "  [{bar:40}] {percent:>3} %  {per_sec}, {eta} left";
        let bar = bar(quiet, total, template);
        bar.set_position(before);
        bar.reset_eta();
        Self(bar)
    }

    /// Shows how many runs are done.
    pub(crate) fn show(&self, done: u64) {
        self.0.set_position(done);
    }
}

impl Drop for SweepProgress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
