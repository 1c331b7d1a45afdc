//! `cargo xtask robots`: robots of `example-robot-data` in Galilei and in Pinocchio.

use std::process::Command;

use crate::repository;

use super::machine::{build, common};

/// Random states for each robot.
const STATES: &str = "3";

/// Compares all robots, or those whose path contains one of the arguments; true if all agree.
pub(crate) fn main(parts: &[String]) -> Result<bool, String> {
    let root = repository::root()?;
    let target = repository::target(&repository::metadata(&root)?)?;
    let python = common(&root, &target).python()?;
    build(&root)?;
    let programs = target.join("release");
    let status = Command::new(python)
        .arg("bench/peers/robots.py")
        .args([programs.join("galilei"), programs.join("galilei-bench")])
        .arg(STATES)
        .args(parts)
        .current_dir(&root)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .status()
        .map_err(|error| format!("Python did not start: {error}"))?;
    Ok(status.success())
}
