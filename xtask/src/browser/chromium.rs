//! Chromium without a window.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The names under which it is installed.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// Which paper a reader prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paper {
    Light,
    Dark,
}

/// A browser that is installed.
pub(crate) struct Chromium {
    program: &'static str,
}

impl Chromium {
    /// The browser that is installed, or that Debian's packages can install.
    pub(crate) fn find() -> Option<Self> {
        installed().or_else(|| {
            println!("Chromium is not installed; asking apt-get for it");
            let mut command = Command::new("apt-get");
            command.args(["install", "--yes", "--no-install-recommends", "chromium"]);
            let added = quiet(&mut command);
            added.then(installed).flatten()
        })
    }

    /// The document of a page after it was measured.
    pub(crate) fn document(&self, page: &Path, width: u32, paper: Paper) -> Result<String, String> {
        let profile = Profile::new();
        let scheme = match paper {
            Paper::Dark => 0,
            Paper::Light => 1,
        };
        let output = Command::new(self.program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
            ])
            .args([
                "--disable-dev-shm-usage",
                "--virtual-time-budget=6000",
                "--dump-dom",
            ])
            .arg(format!("--user-data-dir={}", profile.0.display()))
            .arg(format!("--window-size={width},900"))
            .arg(format!("--blink-settings=preferredColorScheme={scheme}"))
            .arg(format!("file://{}", page.display()))
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("{}: {error}", self.program))?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// A folder of the browser's own, gone when it is closed.
struct Profile(PathBuf);

impl Profile {
    fn new() -> Self {
        let name = format!("galilei-browser-{}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }
}

impl Drop for Profile {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn installed() -> Option<Chromium> {
    let answers = |program: &&str| quiet(Command::new(program).arg("--version"));
    let program = NAMES.into_iter().find(|p| answers(p))?;
    Some(Chromium { program })
}

fn quiet(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
