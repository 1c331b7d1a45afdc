//! `cargo xtask release`: the files of a release, as far as this machine can make them, and whether they work.
//!
//! The wheel is installed into a new environment that has nothing else but NumPy, and into a bare root of another release of Debian, where
//! the examples of the package's README run; so does the wheel for 64-bit ARM, under QEMU. The source package is looked through. The program
//! is built twice in different folders, and must have the same bytes. The workspace is compiled by the oldest compiler that it names.
//! Licences are checked by `cargo deny`, the Debian package is made by `cargo deb`, where they are installed. The test run checks one thing
//! of this: that all files name the same version.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::installation::{Installation, succeed};
use crate::tally::Tally;
use crate::test::succeeds;
use crate::{USAGE, debian, repository};

mod arm;
mod oldest;
mod twice;

/// Files that name the version, with the text around it.
const VERSIONS: [(&str, &str, &str); 8] = [
    ("Cargo.toml", "[workspace.package]\nversion = \"", "\""),
    ("CHANGELOG.md", "\n## ", " "),
    ("apps/vscode/package.json", "\"version\": \"", "\""),
    ("apps/studio/web/package.json", "\"version\": \"", "\""),
    ("apps/tree-sitter/tree-sitter.json", "\"version\": \"", "\""),
    ("packaging/homebrew/galilei.rb", "version \"", "\""),
    ("packaging/conda/recipe.yaml", "version: \"", "\""),
    ("docs/editors.md", "makes `galilei-", ".vsix`"),
];

/// The release of Debian where the wheel is tried, other than the one that most machines have.
const ANOTHER: &str = "trixie";

/// The parts of a release, in the order in which they are made.
const PARTS: [&str; 6] = ["versions", "rust", "python", "licences", "debian", "twice"];

/// Makes the files of a release and tries them, or one part of it; true if all work.
pub(crate) fn main(rest: &[String]) -> Result<bool, String> {
    let parts = match rest {
        [] => &PARTS[..],
        [word] => match PARTS.iter().position(|part| part == word) {
            Some(k) => &PARTS[k..=k],
            None => return Err(USAGE.to_string()),
        },
        _ => return Err(USAGE.to_string()),
    };
    let root = repository::root()?;
    let target = repository::target(&repository::metadata(&root)?)?;
    let folder = target.join("release-files");
    if parts.contains(&"python") {
        let _ = fs::remove_dir_all(&folder);
    }
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut tally = Tally::default();
    for part in parts {
        tally += Tally::one(match *part {
            "versions" => versions_agree(&root)?,
            "rust" => oldest::compiles(&root, &target)?,
            "python" => python(&root, &folder)?,
            "licences" => by_tool(
                &root,
                "cargo-deny",
                &["deny", "check", "licenses", "bans", "sources"],
            )?,
            "debian" => debian_package(&root, &folder)?,
            _ => twice::same(&root, &target)?,
        });
    }
    let sums = "sums=$(sha256sum -- [!S]* 2>/dev/null); echo \"$sums\" | tee SHA256SUMS";
    succeed(Command::new("sh").current_dir(&folder).args(["-c", sums]))?;
    println!("{} passed, {} failed", tally.passed, tally.failed);
    println!("{}", folder.display());
    Ok(tally.failed == 0)
}

/// Runs a subcommand of cargo that may not be installed; true if it succeeds, or is not there.
fn by_tool(root: &Path, tool: &str, arguments: &[&str]) -> Result<bool, String> {
    if !debian::has(tool) {
        println!("{tool} is not installed: skipped");
        return Ok(true);
    }
    let well = succeed(repository::cargo(root).args(arguments)).is_ok();
    println!("{tool}: {}", if well { "ok" } else { "FAILED" });
    Ok(well)
}

/// Makes the Debian package, if the tool for it is there.
fn debian_package(root: &Path, folder: &Path) -> Result<bool, String> {
    if debian::has("cargo-deb") {
        prepare_debian(root)?;
    }
    let place = folder.to_string_lossy();
    let arguments = ["deb", "--package", "galilei-cli", "--output", &place];
    by_tool(root, "cargo-deb", &arguments)
}

/// Whether all files name the same version; differences are printed.
pub(crate) fn versions_agree(root: &Path) -> Result<bool, String> {
    let mut found: Vec<(&str, String)> = Vec::new();
    for (file, before, after) in VERSIONS {
        let path = root.join(file);
        let text = fs::read_to_string(&path).map_err(|error| format!("{file}: {error}"))?;
        found.push((file, between(&text, before, after).unwrap_or_default()));
    }
    let wanted = found[0].1.clone();
    let mut agree = !wanted.is_empty();
    for (file, version) in &found {
        if *version != wanted {
            println!("{file} has version `{version}`, not {wanted}");
            agree = false;
        }
    }
    Ok(agree)
}

/// The text between two pieces of text, the first time they occur.
fn between(text: &str, before: &str, after: &str) -> Option<String> {
    let rest = &text[text.find(before)? + before.len()..];
    Some(rest[..rest.find(after)?].to_owned())
}

/// A script that runs the examples of a README.
const EXAMPLES: &str = "import doctest, sys\n\
    failed, tried = doctest.testfile(sys.argv[1], module_relative=False)\n\
    print(tried, 'examples,', failed, 'failed')\n\
    sys.exit(failed or not tried)";

/// Whether the wheel works on another release of Debian, in a root with nothing but Python and NumPy.
fn on_another_debian(root: &Path, target: &Path, wheel: &Path) -> Result<bool, String> {
    let system = target.join(ANOTHER);
    if let Err(why) = debian::bootstrap(ANOTHER, None, &["python3", "python3-numpy"], &system) {
        println!("the wheel was not tried on {ANOTHER}: {why}");
        return Ok(true);
    }
    let place = system.join("opt/galilei");
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).map_err(|error| format!("{}: {error}", place.display()))?;
    let mut unpack = Command::new("python3");
    unpack.args(["-m", "zipfile", "-e"]).arg(wheel).arg(&place);
    succeed(&mut unpack)?;
    let mut copy = Command::new("cp");
    copy.arg("-r").arg(root.join("models"));
    succeed(copy.arg(root.join("apps/python/README.md")).arg(&place))?;
    let mut test = Command::new("chroot");
    test.arg(&system).args(["sh", "-c"]);
    test.arg("cd /opt/galilei && PYTHONPATH=/opt/galilei exec python3 -c \"$0\" README.md");
    let well = succeed(test.arg(EXAMPLES)).is_ok();
    println!(
        "the wheel on {ANOTHER}: {}",
        if well { "ok" } else { "FAILED" }
    );
    Ok(well)
}

/// Manual pages and completions, which the Debian package contains.
fn prepare_debian(root: &Path) -> Result<(), String> {
    let galilei = repository::program(root, true)?;
    let target = repository::target(&repository::metadata(root)?)?;
    succeed(Command::new(&galilei).arg("man").arg(target.join("man")))?;
    let folder = target.join("completions");
    let problem = |error| format!("{}: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(problem)?;
    let mut command = Command::new(&galilei);
    let output = command.args(["completions", "bash"]).output();
    fs::write(folder.join("galilei.bash"), output.map_err(problem)?.stdout).map_err(problem)
}

fn one_file(folder: &Path, ending: &str) -> Option<PathBuf> {
    let files = fs::read_dir(folder).ok()?.flatten().map(|f| f.path());
    let mut files = files.filter(|f| f.to_string_lossy().ends_with(ending));
    files.next()
}

/// The wheel and the source package; whether the wheel works in a new environment.
fn python(root: &Path, folder: &Path) -> Result<bool, String> {
    let target = repository::target(&repository::metadata(root)?)?;
    let tools = Installation {
        requirements: root.join("apps/python/tests/requirements.txt"),
        folder: target.join("python"),
    };
    let python = match tools.python() {
        Ok(python) => python,
        Err(why) => {
            println!("no Python package: {why}");
            return Ok(true);
        }
    };
    let maturin = |arguments: &[&str]| {
        let mut command = Command::new(&python);
        command.args(["-m", "maturin"]).args(arguments);
        command
            .current_dir(root.join("apps/python"))
            .arg("--out")
            .arg(folder);
        succeed(&mut command)
    };
    maturin(&["build", "--release", "--strip", "--quiet"])?;
    maturin(&["sdist", "--quiet"])?;
    let wheel = one_file(folder, ".whl").ok_or("there is no wheel")?;
    let source = one_file(folder, ".tar.gz").ok_or("there is no source package")?;
    // One wheel for all versions of Python.
    let name = wheel.file_name().unwrap_or_default().to_string_lossy();
    if !name.contains("-cp310-abi3-") {
        println!("{name} is for one version of Python");
        return Ok(false);
    }
    let listed = Command::new("tar").arg("tzf").arg(&source).output();
    let listed = listed.map_err(|error| format!("tar: {error}"))?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    for part in ["/Cargo.lock", "/crates/expr/src/lib.rs", "/pyproject.toml"] {
        if !listed.lines().any(|line| line.ends_with(part)) {
            println!("the source package has no {part}");
            return Ok(false);
        }
    }
    let bare = target.join("bare-python");
    let _ = fs::remove_dir_all(&bare);
    succeed(Command::new("python3").args(["-m", "venv"]).arg(&bare))?;
    let own = bare.join("bin/python");
    let pip = ["-m", "pip", "install", "--quiet"];
    succeed(Command::new(&own).args(pip).arg(&wheel))?;
    // The README's examples, in the folder of the repository, with the installed package.
    let mut test = Command::new(&own);
    test.current_dir(root).args(["-I", "-c", EXAMPLES]);
    test.arg(root.join("apps/python/README.md"));
    let well = succeeds(&mut test);
    println!("{name}: {}", if well { "ok" } else { "FAILED" });
    let other = on_another_debian(root, &target, &wheel)?;
    Ok(well && other && arm::wheel(root, &target, &python)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_files_name_one_version() {
        let root = repository::root().unwrap();
        assert!(versions_agree(&root).unwrap());
    }

    #[test]
    fn text_between_pieces() {
        let text = "a\nversion = \"1.2\"\nversion = \"3\"";
        assert_eq!(between(text, "version = \"", "\""), Some("1.2".to_owned()));
        assert_eq!(between(text, "none", "\""), None);
    }
}
