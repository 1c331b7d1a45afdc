//! Compiling for other machines: a target's standard library from rustup, or built from Debian's package of its source.
//!
//! A machine with rustup and a network has `rustup target add`. Where that fails, Debian's `rust-src` of the compiler's own version
//! is unpacked, and cargo builds the standard library from it. Cargo looks for the source in the folder of the compiler; a script
//! runs the compiler with another such folder, which has links to everything in the first one.

use std::fs;
#[cfg(unix)]
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

#[cfg(unix)]
use crate::debian::Release;
use crate::repository;
use crate::test::succeeds;

/// The releases of Debian that may have the source of the compiler's version.
#[cfg(unix)]
const RELEASES: [&str; 4] = ["trixie-backports", "trixie", "forky", "sid"];

/// A target that can be compiled for.
#[derive(Debug)]
pub(crate) struct Foreign {
    target: &'static str,
    /// The script that stands for the compiler, if the standard library is built.
    compiler: Option<PathBuf>,
}

fn output(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|o| o.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Whether the compiler has the standard library of a target.
fn is_installed(root: &Path, target: &str) -> bool {
    let mut rustc = Command::new("rustc");
    rustc
        .current_dir(root)
        .args(["--print", "target-libdir", "--target", target]);
    let Some(folder) = output(&mut rustc) else {
        return false;
    };
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names = files.map(|f| f.file_name().to_string_lossy().into_owned());
    names.any(|name| name.starts_with("libstd-"))
}

impl Foreign {
    /// Prepares a target. The error tells why nothing can be compiled for it.
    pub(crate) fn new(root: &Path, target: &'static str) -> Result<Self, String> {
        let plain = Self {
            target,
            compiler: None,
        };
        if is_installed(root, target) {
            return Ok(plain);
        }
        println!("the target {target} is not installed; asking rustup for it");
        let mut rustup = Command::new("rustup");
        rustup.current_dir(root).args(["target", "add", target]);
        if succeeds(&mut rustup) && is_installed(root, target) {
            return Ok(plain);
        }
        println!("rustup does not have it; building the standard library from Debian's source");
        let compiler = compiler(root)
            .map_err(|why| format!("the target {target} cannot be installed: {why}"))?;
        Ok(Self {
            target,
            compiler: Some(compiler),
        })
    }

    /// A cargo command for the target, in a target folder of its own: `arguments` begin with the subcommand.
    pub(crate) fn cargo(&self, root: &Path, arguments: &[&str]) -> Result<Command, String> {
        let mut cargo = repository::cargo(root);
        if let Some(parts) = self.library() {
            cargo.arg(format!("-Z{parts}"));
        }
        self.set(root, &mut cargo)?;
        cargo.args(arguments).args(["--target", self.target]);
        Ok(cargo)
    }

    /// The unstable option of cargo that builds the standard library, if it has to be built.
    pub(crate) fn library(&self) -> Option<&'static str> {
        self.compiler.as_ref()?;
        match self.target.starts_with("wasm") {
            true => Some("build-std=std,panic_abort"),
            false => Some("build-std"),
        }
    }

    /// Sets the compiler and the target folder for a command that runs cargo.
    pub(crate) fn set(&self, root: &Path, command: &mut Command) -> Result<(), String> {
        let folder = repository::target(&repository::metadata(root)?)?.join("foreign");
        command.env("CARGO_TARGET_DIR", folder);
        if let Some(compiler) = &self.compiler {
            command.env("RUSTC", compiler).env("RUSTC_BOOTSTRAP", "1");
        }
        Ok(())
    }

    /// The objects that programs for Windows begin and end with, and that a compiler without the target does not have: empty ones,
    /// since their contents are for processors of 32 bits.
    pub(crate) fn missing_objects(&self) -> Vec<(PathBuf, &'static str)> {
        let Some(folder) = self.compiler.as_ref().and_then(|script| script.parent()) else {
            return vec![];
        };
        let folder = folder.join("sysroot/lib/rustlib").join(self.target);
        let folder = folder.join("lib");
        if fs::create_dir_all(&folder).is_err() {
            return vec![];
        }
        ["rsbegin.o", "rsend.o"]
            .map(|name| (folder.join(name), ""))
            .into()
    }

    /// The folder where a release build puts its files.
    pub(crate) fn folder(&self, root: &Path) -> Result<PathBuf, String> {
        let folder = repository::target(&repository::metadata(root)?)?;
        Ok(folder.join("foreign").join(self.target).join("release"))
    }
}

/// A script that runs the compiler with the source of the standard library.
#[cfg(not(unix))]
fn compiler(_: &Path) -> Result<PathBuf, String> {
    Err("only rustup can install it here".to_string())
}

/// A script that runs the compiler with the source of the standard library.
#[cfg(unix)]
fn compiler(root: &Path) -> Result<PathBuf, String> {
    let ask = |arguments: &[&str]| {
        let mut rustc = Command::new("rustc");
        output(rustc.current_dir(root).args(arguments)).ok_or("rustc does not run")
    };
    let version = ask(&["--version"])?;
    let version = version.split(' ').nth(1).unwrap_or_default().to_owned();
    let original = PathBuf::from(ask(&["--print", "sysroot"])?);
    let folder = repository::target(&repository::metadata(root)?)?.join("foreign");
    let folder = folder.join(format!("rust-{version}"));
    let script = folder.join("rustc");
    if script.is_file() {
        return Ok(script);
    }
    let source = source(&version, &folder)?;
    let problem = |error| format!("{}: {error}", folder.display());
    let copy = folder.join("sysroot");
    let _ = fs::remove_dir_all(&copy);
    let library = copy.join("lib/rustlib/src/rust");
    fs::create_dir_all(&library).map_err(problem)?;
    symlink(source, library.join("library")).map_err(problem)?;
    link_all(&original, &copy, "lib").map_err(problem)?;
    link_all(&original, &copy, "").map_err(problem)?;
    link_all(&original, &copy, "lib/rustlib").map_err(problem)?;
    let text = format!(
        "#!/bin/sh\nexec \"{}\" --sysroot \"{}\" \"$@\"\n",
        original.join("bin/rustc").display(),
        copy.display()
    );
    // The script is the last file: it tells that everything is there.
    let unfinished = folder.join("rustc.new");
    fs::write(&unfinished, text).map_err(problem)?;
    fs::set_permissions(&unfinished, fs::Permissions::from_mode(0o755)).map_err(problem)?;
    fs::rename(&unfinished, &script).map_err(problem)?;
    Ok(script)
}

/// Links the entries of a folder into a copy of it, where the copy does not have them.
#[cfg(unix)]
fn link_all(original: &Path, copy: &Path, part: &str) -> std::io::Result<()> {
    for entry in fs::read_dir(original.join(part))? {
        let entry = entry?;
        let place = copy.join(part).join(entry.file_name());
        if !place.exists() {
            symlink(entry.path(), place)?;
        }
    }
    Ok(())
}

/// The source of the standard library of a version, from Debian.
#[cfg(unix)]
fn source(version: &str, folder: &Path) -> Result<PathBuf, String> {
    let part = format!("./usr/src/rustc-{version}/library");
    let place = folder.join(&part);
    let mut why = String::new();
    for name in RELEASES {
        let fetched = Release::new(name, &folder.join(name))
            .and_then(|release| release.unpack("rust-src", &format!("{version}+"), &part, folder));
        match fetched {
            Ok(()) => return Ok(place),
            Err(reason) => why = reason,
        }
    }
    Err(why)
}
