//! The repository: its root folder, and its metadata from cargo.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The repository root: the folder above this crate as `cargo run` names it, else the nearest workspace
/// above the current folder.
pub(crate) fn root() -> Result<PathBuf, String> {
    if let Some(here) = env::var_os("CARGO_MANIFEST_DIR")
        && let Some(root) = Path::new(&here).parent()
        && is_workspace(root)
    {
        return Ok(root.to_path_buf());
    }
    let here = env::current_dir().map_err(|error| format!("no current folder: {error}"))?;
    here.ancestors()
        .find(|folder| is_workspace(folder))
        .map(Path::to_path_buf)
        .ok_or_else(|| format!("{} is in no cargo workspace", here.display()))
}

fn is_workspace(folder: &Path) -> bool {
    fs::read_to_string(folder.join("Cargo.toml"))
        .is_ok_and(|text| text.lines().any(|line| line.trim() == "[workspace]"))
}

/// A cargo command, run from the root by the cargo that runs this program.
pub(crate) fn cargo(root: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.current_dir(root);
    command
}

/// `cargo metadata`, workspace members only: it needs neither the network nor a lock file.
pub(crate) fn metadata(root: &Path) -> Result<Value, String> {
    let output = cargo(root)
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .output()
        .map_err(|error| format!("cargo metadata did not start: {error}"))?;
    if !output.status.success() {
        return Err(format!(
            "cargo metadata failed:\n{}",
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("cargo metadata is not JSON: {error}"))
}

/// The one target directory, from metadata.
pub(crate) fn target(metadata: &Value) -> Result<PathBuf, String> {
    metadata["target_directory"]
        .as_str()
        .map(PathBuf::from)
        .ok_or_else(|| "cargo metadata names no target directory".to_string())
}

/// Builds the `galilei` program and returns its path.
pub(crate) fn program(root: &Path, release: bool) -> Result<PathBuf, String> {
    let mut build = cargo(root);
    // With the features of the whole workspace: the tests have built these crates already.
    build.args(["build", "--quiet", "--workspace", "--bin", "galilei"]);
    if release {
        build.arg("--release");
    }
    let built = build
        .status()
        .map_err(|error| format!("cargo build did not start: {error}"))?;
    if !built.success() {
        return Err("the galilei program does not build".to_string());
    }
    let profile = if release { "release" } else { "debug" };
    Ok(target(&metadata(root)?)?.join(profile).join("galilei"))
}
