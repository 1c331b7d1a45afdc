//! Ctrl-C: a computation that can be continued stops at the next opportunity and keeps its results; a second Ctrl-C, or
//! one at any other time, ends the command at once.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit status of a command that was interrupted.
pub(crate) const EXIT_INTERRUPTED: u8 = 130;

static STOPPABLE: AtomicBool = AtomicBool::new(false);
static ASKED: AtomicBool = AtomicBool::new(false);
static LISTENING: Once = Once::new();

/// The time during which the first Ctrl-C asks a computation to stop instead of ending the command.
pub(crate) struct Stoppable(());

impl Stoppable {
    pub(crate) fn new() -> Self {
        LISTENING.call_once(|| {
            // Without a handler Ctrl-C ends the command, as it does in other programs.
            let _ = ctrlc::set_handler(|| {
                if !STOPPABLE.load(Ordering::SeqCst) || ASKED.swap(true, Ordering::SeqCst) {
                    std::process::exit(i32::from(EXIT_INTERRUPTED));
                }
            });
        });
        STOPPABLE.store(true, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for Stoppable {
    fn drop(&mut self) {
        STOPPABLE.store(false, Ordering::SeqCst);
    }
}

/// Whether Ctrl-C was pressed.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
