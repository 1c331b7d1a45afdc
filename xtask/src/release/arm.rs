//! The wheel for 64-bit ARM: compiled here, and tried under QEMU with Debian's Python for that processor.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{ANOTHER, EXAMPLES, one_file};
use crate::cross::ARM;
use crate::installation::succeed;
use crate::{debian, foreign::Foreign};

/// Where Debian keeps the libraries that NumPy chooses from when packages are configured.
const ALGEBRA: &str =
    "LD_LIBRARY_PATH=/usr/lib/aarch64-linux-gnu/blas:/usr/lib/aarch64-linux-gnu/lapack";

/// Whether the wheel for ARM can be built and works. A machine that lacks the means is told and passes.
pub(super) fn wheel(root: &Path, target: &Path, python: &Path) -> Result<bool, String> {
    let foreign = match ARM.prepare(root) {
        Ok(foreign) => foreign,
        Err(why) => {
            println!("no wheel for 64-bit ARM: {why}");
            return Ok(true);
        }
    };
    let folder = target.join("release-files-arm");
    let _ = fs::remove_dir_all(&folder);
    build(root, &foreign, python, &folder)?;
    let wheel = one_file(&folder, ".whl").ok_or("there is no wheel for ARM")?;
    let system = target.join(format!("{ANOTHER}-arm64"));
    let packages = ["python3", "python3-numpy"];
    if let Err(why) = debian::bootstrap(ANOTHER, Some("arm64"), &packages, &system) {
        println!("the wheel for 64-bit ARM was not tried: {why}");
        return Ok(true);
    }
    let place = folder.join("unpacked");
    let mut unpack = Command::new("python3");
    unpack.args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&place);
    succeed(&mut unpack)?;
    let mut test = Command::new("qemu-aarch64");
    test.current_dir(root).arg("-L").arg(&system);
    for setting in [
        ALGEBRA.to_string(),
        format!("PYTHONHOME={}", system.join("usr").display()),
        format!("PYTHONPATH={}", place.display()),
    ] {
        test.args(["-E", &setting]);
    }
    test.arg(system.join("usr/bin/python3"));
    test.args(["-c", EXAMPLES])
        .arg(root.join("apps/python/README.md"));
    let well = succeed(&mut test).is_ok();
    let name = wheel.file_name().unwrap_or_default().to_string_lossy();
    println!("{name}: {}", if well { "ok" } else { "FAILED" });
    Ok(well)
}

fn build(root: &Path, foreign: &Foreign, python: &Path, folder: &Path) -> Result<(), String> {
    let mut build = Command::new(python);
    build.current_dir(root.join("apps/python"));
    build.args(["-m", "maturin", "build", "--release", "--strip", "--quiet"]);
    build
        .args(["--target", ARM.target])
        .arg("--out")
        .arg(folder);
    if let Some(parts) = foreign.library() {
        build.args(["-Z", parts]);
    }
    foreign.set(root, &mut build)?;
    succeed(ARM.set_linker(&mut build))
}
