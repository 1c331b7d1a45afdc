//! Virtual environments of Python.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A virtual environment. It contains a copy of the requirements that are installed in it.
pub(crate) struct Installation {
    /// The requirements file, in pip's format.
    pub(crate) requirements: PathBuf,
    /// The folder of the environment.
    pub(crate) folder: PathBuf,
}

impl Installation {
    fn interpreter(&self) -> PathBuf {
        self.folder.join("bin").join("python")
    }

    fn stamp(&self) -> PathBuf {
        self.folder.join("requirements.txt")
    }

    /// Whether the environment exists and satisfies the current requirements.
    pub(crate) fn is_current(&self) -> bool {
        let read = |path: &PathBuf| fs::read_to_string(path).ok();
        let required = read(&self.requirements);
        required.is_some() && read(&self.stamp()) == required && self.interpreter().exists()
    }

    /// The Python of the environment, which is created anew if the requirements have changed.
    pub(crate) fn python(&self) -> Result<PathBuf, String> {
        let python = self.interpreter();
        if self.is_current() {
            return Ok(python);
        }
        eprintln!("installing {}", self.folder.display());
        let venv = ["-m", "venv", "--clear"];
        succeed(Command::new("python3").args(venv).arg(&self.folder))?;
        let pip = [
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--requirement",
        ];
        succeed(Command::new(&python).args(pip).arg(&self.requirements))?;
        fs::copy(&self.requirements, self.stamp())
            .map_err(|error| format!("{}: {error}", self.requirements.display()))?;
        Ok(python)
    }
}

/// Runs a command with its output on standard error; a failure is described.
pub(crate) fn succeed(command: &mut Command) -> Result<(), String> {
    match command
        .stdin(Stdio::null())
        .stdout(std::io::stderr())
        .status()
    {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?}: {status}")),
        Err(error) => Err(format!("{command:?}: {error}")),
    }
}
