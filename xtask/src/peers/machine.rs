//! The environment of the comparison: our program, the peers' Python, one core, one thread.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::installation::Installation;
use crate::repository;

use super::figure::Figure;
use super::work::{COMMAND, Environment, OURS, Work, with_values};

/// Environment variables for the thread pools of numerical libraries.
const THREADS: [&str; 8] = [
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "TBB_NUM_THREADS",
    "RAYON_NUM_THREADS",
];

/// Both sides, ready to run.
#[derive(Debug)]
pub(crate) struct Machine {
    root: PathBuf,
    /// Our program, or the reason why there is none.
    ours: Result<PathBuf, String>,
    /// The Python with most peers, or the reason why there is none.
    common: Result<PathBuf, String>,
    /// The Python with Sage, or the reason why there is none.
    sage: Result<PathBuf, String>,
    /// The command prefix that pins a command to one core.
    pin: Vec<&'static str>,
}

impl Machine {
    /// Builds our side and installs the peers, Sage only if it is requested; a side that cannot be installed is missing,
    /// with the reason.
    pub(crate) fn prepare(root: &Path, with_sage: bool) -> Result<Machine, String> {
        let metadata = repository::metadata(root)?;
        let target = repository::target(&metadata)?;
        let packages = metadata["packages"].as_array();
        let present = packages.is_some_and(|all| all.iter().any(|p| p["name"] == "galilei-bench"));
        let ours = if present {
            build(root)?;
            Ok(target.join("release").join("galilei-bench"))
        } else {
            Err("the workspace has no package galilei-bench".to_string())
        };
        let common = common(root, &target);
        let sage = Installation {
            requirements: root.join("bench/peers/requirements-sage.txt"),
            folder: target.join("peers-sage"),
        };
        Ok(Machine {
            root: root.to_path_buf(),
            ours,
            common: common.python(),
            sage: if with_sage || sage.is_current() {
                sage.python()
            } else {
                Err("not installed; `--with-sage` installs it".to_string())
            },
            pin: pin(),
        })
    }

    /// The path of our command, beside the program of the benchmarks; empty without it.
    fn command(&self) -> PathBuf {
        let beside = self
            .ours
            .as_ref()
            .map(|ours| ours.with_file_name("galilei"));
        beside.unwrap_or_default()
    }

    /// Runs one side of a work for one size.
    pub(crate) fn run(&self, work: &Work, side: &str, variant: &str, n: usize) -> Figure {
        let (program, arguments) = if side == OURS && work.is_by_python() {
            (&self.common, work.ours)
        } else if side == OURS {
            (&self.ours, work.ours)
        } else {
            let python = match work.environment(side) {
                Environment::Common => &self.common,
                Environment::Sage => &self.sage,
            };
            (python, work.theirs)
        };
        let program = match program {
            Ok(program) => program,
            Err(reason) => return Figure::Missing(reason.clone()),
        };
        let mut command = match self.pin.split_first() {
            Some((taskset, options)) => {
                let mut command = Command::new(taskset);
                command.args(options).arg(program);
                command
            }
            None => Command::new(program),
        };
        command
            .args(with_values(arguments, side, variant, n))
            .current_dir(&self.root)
            .envs(THREADS.map(|name| (name, "1")))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env(COMMAND, self.command())
            .stdin(Stdio::null())
            .stderr(Stdio::inherit());
        match command.output() {
            Err(error) => Figure::Failed(format!("did not start: {error}")),
            Ok(output) if !output.status.success() => {
                Figure::Failed(format!("stopped: {}", output.status))
            }
            Ok(output) => Figure::read(&String::from_utf8_lossy(&output.stdout), side, n),
        }
    }
}

/// The Python with most peers.
pub(super) fn common(root: &Path, target: &Path) -> Installation {
    Installation {
        requirements: root.join("bench/peers/requirements.txt"),
        folder: target.join("peers"),
    }
}

/// Builds our programs.
pub(super) fn build(root: &Path) -> Result<(), String> {
    let built = repository::cargo(root)
        .args(["build", "--release"])
        .args(["--package", "galilei-bench", "--package", "galilei-cli"])
        .status()
        .map_err(|error| format!("cargo build did not start: {error}"))?;
    if built.success() {
        Ok(())
    } else {
        Err("galilei-bench and the command do not build".to_string())
    }
}

/// `taskset` with the second core, which has less of the system's own work than the first, if there is
/// one; else the first; else nothing.
fn pin() -> Vec<&'static str> {
    for core in ["1", "0"] {
        let answer = Command::new("taskset")
            .args(["-c", core, "true"])
            .stderr(Stdio::null())
            .status();
        if answer.is_ok_and(|status| status.success()) {
            return vec!["taskset", "-c", core];
        }
    }
    eprintln!("no taskset: the programs are not pinned to one core");
    Vec::new()
}
