//! Whether the workspace compiles with the oldest compiler that it names.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::between;
use crate::debian;
use crate::installation::succeed;
use crate::test::succeeds;

/// Compiles every crate, without code, by the compiler that `rust-version` names. A machine that cannot have it is told and passes.
pub(super) fn compiles(root: &Path, target: &Path) -> Result<bool, String> {
    let file = root.join("Cargo.toml");
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let version =
        between(&text, "\nrust-version = \"", "\"").ok_or("Cargo.toml names no rust-version")?;
    let mut install = Command::new("rustup");
    install.args(["toolchain", "install", &version]);
    install.args(["--profile", "minimal", "--no-self-update"]);
    if !debian::has("rustup") || !succeeds(&mut install) {
        println!("Rust {version} cannot be had here: not tried");
        return Ok(true);
    }
    let mut check = Command::new("rustup");
    check.current_dir(root).args(["run", &version, "cargo"]);
    check.args(["check", "--workspace", "--locked", "--quiet"]);
    check.env("CARGO_TARGET_DIR", target.join("oldest-rust"));
    let well = succeed(&mut check).is_ok();
    println!("Rust {version}: {}", if well { "ok" } else { "FAILED" });
    Ok(well)
}
