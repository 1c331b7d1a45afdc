//! Whether a build can be reproduced: the program of the same commit, built in two folders, has the same bytes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::installation::succeed;
use crate::repository;

/// Builds the committed sources in two folders and compares the programs.
pub(super) fn same(root: &Path, target: &Path) -> Result<bool, String> {
    let built = [
        build(root, target, "one")?,
        build(root, target, "another-place")?,
    ];
    let [first, second] =
        built.map(|path| fs::read(&path).map_err(|error| format!("{}: {error}", path.display())));
    let (first, second) = (first?, second?);
    let same = first == second;
    println!(
        "the program built in two folders: {}",
        if same { "the same bytes" } else { "DIFFERS" }
    );
    Ok(same)
}

/// The program of the committed sources in a folder of a given name.
fn build(root: &Path, target: &Path, name: &str) -> Result<PathBuf, String> {
    let folder = target.join("reproduced").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let script = "git archive HEAD | tar --extract --directory \"$0\"";
    let mut copy = Command::new("sh");
    succeed(copy.current_dir(root).args(["-c", script]).arg(&folder))?;
    // Paths of this machine do not belong into a program; without them its place does not matter.
    let home =
        std::env::var("CARGO_HOME").or_else(|_| std::env::var("HOME").map(|h| h + "/.cargo"));
    let flags = format!(
        "--remap-path-prefix={}=/galilei --remap-path-prefix={}=/cargo",
        folder.display(),
        home.map_err(|error| error.to_string())?
    );
    let mut cargo = repository::cargo(&folder);
    cargo.env("RUSTFLAGS", flags);
    cargo.env("CARGO_TARGET_DIR", folder.join("target"));
    cargo.args([
        "build",
        "--release",
        "--locked",
        "--quiet",
        "--package",
        "galilei-cli",
    ]);
    succeed(&mut cargo)?;
    Ok(folder.join("target/release/galilei"))
}
