//! `cargo xtask test --cross`: the program on other machines, under emulation.
//!
//! ARM runs under QEMU, Windows under Wine. On each the tests of the crates between formulas and machine code run, and every model of
//! the repository is simulated: what the command prints must be that of this machine, byte for byte, apart from the times that
//! it took. So it must on a processor of this machine's kind without AVX, where the tests of machine code run, too. (WebAssembly is part of
//! the ordinary tests: the studio.) Debian's packages are installed where they are missing; a machine that cannot be had is named.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::foreign::Foreign;
use crate::tally::{self, Tally};
use crate::test::succeeds;
use crate::{debian, repository, stream};

mod steps;

/// The crates between formulas and machine code.
const CRATES: [&str; 4] = [
    "galilei-expr",
    "galilei-linear",
    "galilei-tape",
    "galilei-jit",
];
/// Wine in Debian's package, which has no command in the path.
const WINE: &str = "/usr/lib/wine/wine64";

/// A machine that is emulated.
pub(crate) struct Emulated {
    name: &'static str,
    pub(crate) target: &'static str,
    /// The C compiler, which links, and the packages with it and the emulator.
    linker: &'static str,
    packages: &'static [&'static str],
    /// The emulator and its first arguments.
    runner: &'static [&'static str],
    /// The end of the names of programs.
    suffix: &'static str,
}

/// 64-bit ARM under Linux.
pub(crate) const ARM: Emulated = Emulated {
    name: "64-bit ARM",
    target: "aarch64-unknown-linux-gnu",
    linker: "aarch64-linux-gnu-gcc",
    packages: &[
        "gcc-aarch64-linux-gnu",
        "libc6-dev-arm64-cross",
        "qemu-user",
    ],
    runner: &["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"],
    suffix: "",
};

/// The machines for which programs are compiled.
const MACHINES: [Emulated; 2] = [
    ARM,
    Emulated {
        name: "Windows",
        target: "x86_64-pc-windows-gnu",
        linker: "x86_64-w64-mingw32-gcc",
        packages: &["gcc-mingw-w64-x86-64", "wine64"],
        runner: &[WINE],
        suffix: ".exe",
    },
];

/// A processor of this machine's kind without AVX and fused operations, as QEMU emulates it.
const OLD_PROCESSOR: Emulated = Emulated {
    name: "x86-64 without AVX",
    target: "x86_64-old",
    linker: "cc",
    packages: &["qemu-user"],
    runner: &["qemu-x86_64", "-cpu", "Nehalem"],
    suffix: "",
};

/// A library of Windows 10 that older versions of Wine lack: random numbers.
const RANDOM: &str = "
int __stdcall SystemFunction036(void *, unsigned long);
__declspec(dllexport) int __stdcall ProcessPrng(unsigned char *data, unsigned long long size) {
  return SystemFunction036(data, size);
}
";

/// Runs the checks on all machines, or on one whose target contains a word; true if all pass.
pub(crate) fn main(rest: &[String]) -> Result<bool, String> {
    let only = match rest {
        [] => None,
        [word] => Some(word.as_str()),
        _ => return Err(crate::USAGE.to_string()),
    };
    if only == Some("steps") {
        return steps::run(&repository::root()?);
    }
    let (tally, note) = run(&repository::root()?, only)?;
    println!("{} passed, {} failed {note}", tally.passed, tally.failed);
    Ok(tally.failed == 0)
}

/// The numbers of checks that passed and failed on all machines, and a note on those that could not be had.
pub(crate) fn run(root: &Path, only: Option<&str>) -> Result<(Tally, String), String> {
    let native = repository::program(root, false)?;
    let mut tally = Tally::default();
    let mut notes = Vec::new();
    for machine in &MACHINES {
        if only.is_some_and(|name| !machine.target.contains(name)) {
            continue;
        }
        println!("\n-- {}", machine.name);
        match machine.prepare(root) {
            Ok(foreign) => tally += machine.check(root, &foreign, &native)?,
            Err(why) => {
                println!("{}: {why}", machine.name);
                notes.push(format!("{} not tried: {why}", machine.name));
            }
        }
    }
    let machine = &OLD_PROCESSOR;
    if cfg!(target_arch = "x86_64") && only.is_none_or(|name| machine.target.contains(name)) {
        println!("\n-- {}", machine.name);
        match machine.is_there() {
            true => {
                tally += machine.machine_code(root)?;
                tally += machine.gallery(root, &native, &native)?;
            }
            false => notes.push(format!("{} not tried: no QEMU", machine.name)),
        }
    }
    Ok((tally, notes.join("; ")))
}

/// What a run prints, without the times that it took.
fn without_times(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let lines = text.lines().filter(|line| !line.contains("_seconds\":"));
    lines.collect::<Vec<_>>().join("\n")
}

impl Emulated {
    /// Whether compiler and emulator are there, perhaps after they were installed.
    fn is_there(&self) -> bool {
        let there = || {
            let emulator = self.runner[0];
            debian::has(self.linker) && (Path::new(emulator).is_file() || debian::has(emulator))
        };
        there() || (debian::install(self.packages) && there())
    }

    /// Installs what is missing. The error tells why the machine cannot be had.
    pub(crate) fn prepare(&self, root: &Path) -> Result<Foreign, String> {
        if !self.is_there() {
            return Err(format!("no {}", self.packages.join(", ")));
        }
        let foreign = Foreign::new(root, self.target)?;
        if self.suffix == ".exe" {
            self.prepare_windows(root, &foreign)?;
        }
        Ok(foreign)
    }

    fn folder(&self, root: &Path) -> Result<PathBuf, String> {
        let folder = repository::target(&repository::metadata(root)?)?;
        Ok(folder.join("foreign").join(self.target))
    }

    /// The library that Wine lacks, and the objects that programs begin and end with, where rustup does not bring them.
    fn prepare_windows(&self, root: &Path, foreign: &Foreign) -> Result<(), String> {
        let folder = self.folder(root)?.join("wine");
        let problem = |error| format!("{}: {error}", folder.display());
        fs::create_dir_all(&folder).map_err(problem)?;
        let source = folder.join("random.c");
        fs::write(&source, RANDOM).map_err(problem)?;
        let mut link = Command::new(self.linker);
        link.args(["-shared", "-o"])
            .arg(folder.join("bcryptprimitives.dll"))
            .arg(&source)
            .arg("-ladvapi32");
        if !succeeds(&mut link) {
            return Err("the C compiler does not work".to_string());
        }
        for (path, text) in foreign.missing_objects() {
            let mut compile = Command::new(self.linker);
            let source = folder.join("empty.c");
            fs::write(&source, text).map_err(problem)?;
            compile.arg("-c").arg(&source).arg("-o").arg(&path);
            if !succeeds(&mut compile) {
                return Err(format!("{} cannot be made", path.display()));
            }
        }
        Ok(())
    }

    /// A cargo command for the machine.
    fn cargo(&self, root: &Path, foreign: &Foreign, arguments: &[&str]) -> Result<Command, String> {
        let mut cargo = foreign.cargo(root, arguments)?;
        self.set_emulator(root, self.set_linker(&mut cargo))?;
        Ok(cargo)
    }

    /// Sets the linker, and the emulator that runs tests, for a command that runs cargo.
    pub(crate) fn set_linker<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        let key = self.target.to_uppercase().replace('-', "_");
        command
            .env(format!("CARGO_TARGET_{key}_LINKER"), self.linker)
            .env(format!("CARGO_TARGET_{key}_RUNNER"), self.runner.join(" "))
    }

    fn set_emulator(&self, root: &Path, command: &mut Command) -> Result<(), String> {
        let folder = self.folder(root)?.join("wine");
        command
            .env("WINEPREFIX", folder.join("prefix"))
            .env("WINEPATH", &folder)
            .env("WINEDEBUG", "-all");
        Ok(())
    }

    fn check(&self, root: &Path, foreign: &Foreign, native: &Path) -> Result<Tally, String> {
        let mut arguments = vec!["test", "--no-fail-fast", "--lib", "--tests"];
        for name in CRATES {
            arguments.extend(["--package", name]);
        }
        let mut tests = self.cargo(root, foreign, &arguments)?;
        let outcome = stream::run(&mut tests).map_err(|error| format!("{tests:?}: {error}"))?;
        let mut tally = tally::libtest(&outcome.text).unwrap_or_default();
        if !outcome.success && tally.failed == 0 {
            println!("the tests do not compile for {}", self.name);
            tally += Tally::one(false);
        }
        let mut build = self.cargo(root, foreign, &["build", "--package", "galilei-cli"])?;
        let built = stream::run(&mut build).map_err(|error| format!("{build:?}: {error}"))?;
        tally += Tally::one(built.success);
        if built.success {
            let program = self.folder(root)?.join("debug");
            let program = program.join(format!("galilei{}", self.suffix));
            tally += self.gallery(root, native, &program)?;
        }
        Ok(tally)
    }

    /// Runs the tests of machine code that were compiled for this machine.
    fn machine_code(&self, root: &Path) -> Result<Tally, String> {
        let mut tests = repository::cargo(root);
        tests.args(["test", "--no-fail-fast", "--package", "galilei-jit"]);
        tests.args(["--lib", "--tests"]);
        // This machine's target has a name of its own; QEMU runs what it makes.
        let host = format!("{}_UNKNOWN_LINUX_GNU", std::env::consts::ARCH);
        let key = format!("CARGO_TARGET_{}_RUNNER", host.to_uppercase());
        tests.env(key, self.runner.join(" "));
        let outcome = stream::run(&mut tests).map_err(|error| format!("{tests:?}: {error}"))?;
        let mut tally = tally::libtest(&outcome.text).unwrap_or_default();
        if !outcome.success && tally.failed == 0 {
            tally += Tally::one(false);
        }
        Ok(tally)
    }

    /// Runs every model on both machines.
    fn gallery(&self, root: &Path, native: &Path, program: &Path) -> Result<Tally, String> {
        let folder = root.join("models");
        let mut models: Vec<PathBuf> = fs::read_dir(&folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?
            .flatten()
            .map(|f| f.path())
            .filter(|f| f.extension().is_some_and(|e| e == "gal"))
            .collect();
        models.sort();
        let mut tally = Tally::default();
        for model in &models {
            let name = model.file_name().unwrap_or_default();
            let arguments = |command: &mut Command| {
                command.current_dir(&folder).arg("simulate").arg(name);
                command.arg("--json").output()
            };
            let mut emulated = Command::new(self.runner[0]);
            emulated.args(&self.runner[1..]).arg(program);
            self.set_emulator(root, &mut emulated)?;
            let here = arguments(&mut Command::new(native));
            let there = arguments(&mut emulated);
            let text = |output: std::io::Result<std::process::Output>| {
                let output = output.map_err(|error| format!("{}: {error}", self.name))?;
                Ok::<_, String>(without_times(&output.stdout))
            };
            let (here, there) = (text(here)?, text(there)?);
            let same = here == there && !here.is_empty();
            if !same {
                println!("{}: {} differs", self.name, name.to_string_lossy());
                let lines = here.lines().zip(there.lines());
                if let Some((a, b)) = lines.into_iter().find(|(a, b)| a != b) {
                    println!("  {a}\n  {b}");
                }
            }
            tally += Tally::one(same);
        }
        println!(
            "{}: {} of {} models give the same bytes, apart from times",
            self.name,
            tally.passed,
            models.len()
        );
        Ok(tally)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_compared_without_times() {
        let text = |seconds: &str, end: &str| {
            format!(
                "{{\r\n  \"steps\": 3,\r\n  \"integrate_seconds\": {seconds},\r\n  \"time\": {end}\r\n}}"
            )
        };
        let [a, b, c] = [("0.1", "1.0"), ("0.2", "1.0"), ("0.1", "1.5")];
        let of = |(seconds, end)| without_times(text(seconds, end).as_bytes());
        assert_eq!(of(a), of(b));
        assert_ne!(of(a), of(c));
        assert_eq!(of(a), "{\n  \"steps\": 3,\n  \"time\": 1.0\n}");
    }
}
