//! `cargo xtask studio`: the studio as one page with the engine inside, and its tests in a browser.
//!
//! The page is made by npm from `apps/studio/web`, the engine is `apps/studio` for WebAssembly. `--check` also compares the page
//! that the repository keeps with a new one, and runs the tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::browser::chromium;
use crate::debian;
use crate::foreign::Foreign;
use crate::repository;
use crate::stream;
use crate::tally::Tally;
use crate::test::succeeds;

/// The target of the engine.
const TARGET: &str = "wasm32-unknown-unknown";
/// The largest page with the engine inside, in bytes.
const MAX_PAGE_BYTES: u64 = 4_600_000;
/// The largest page without it.
const MAX_BARE_PAGE_BYTES: u64 = 450_000;
/// The driver of browsers, which only the tests need.
const PLAYWRIGHT: &str = "playwright-core@1.65.1";
/// Linker and processor flags of the engine: its stack is as large as that of the thread that reads a model natively needs for the limits
/// of the language. Its table of functions grows with the modules that the page compiles for it.
const FLAGS: &str = "-C link-arg=-zstack-size=67108864 -C link-arg=--export-table -C link-arg=--growable-table -C strip=symbols";

/// Builds the studio; with `--check` it is compared and tested, too. True if all is well.
pub(crate) fn main(rest: &[String]) -> Result<bool, String> {
    let root = repository::root()?;
    match rest {
        [] => match build(&root)? {
            Built::Page(page, _) => {
                println!("{}", page.display());
                Ok(true)
            }
            Built::Skipped(why) => Err(why),
        },
        [check] if check == "--check" => {
            let (tally, note) = run(&root)?;
            println!("{} passed, {} failed {note}", tally.passed, tally.failed);
            Ok(tally.failed == 0)
        }
        _ => Err(crate::USAGE.to_string()),
    }
}

/// The result of a build.
enum Built {
    /// The page with the engine inside, and the engine.
    Page(PathBuf, PathBuf),
    /// The tool that is missing.
    Skipped(String),
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let outcome = stream::run(command).map_err(|error| format!("{command:?}: {error}"))?;
    match outcome.success {
        true => Ok(()),
        false => Err(format!("{command:?} failed")),
    }
}

fn npm(folder: &Path) -> Command {
    let mut command = Command::new("npm");
    command.current_dir(folder).env("npm_config_fund", "false");
    command
}

/// Installs the packages of a folder. False without a registry; a lock file that does not fit its package is an error.
fn installed(folder: &Path) -> Result<bool, String> {
    let mut command = npm(folder);
    command.args(["ci", "--no-audit", "--loglevel=error"]);
    let outcome = stream::run(&mut command).map_err(|error| format!("{command:?}: {error}"))?;
    match outcome.text.contains("EUSAGE") {
        true => Err(format!(
            "{}: package-lock.json does not fit package.json",
            folder.display()
        )),
        false => Ok(outcome.success),
    }
}

/// Makes the page of the repository anew.
fn page(root: &Path) -> Result<Option<String>, String> {
    let web = root.join("apps/studio/web");
    if !succeeds(npm(&web).arg("--version")) {
        return Ok(Some("skipped: no npm".to_string()));
    }
    if !installed(&web)? {
        return Ok(Some(
            "skipped: npm cannot install the packages of the page".to_string(),
        ));
    }
    succeed(npm(&web).args(["run", "check"]))?;
    succeed(npm(&web).args(["run", "build"]))?;
    Ok(None)
}

fn build(root: &Path) -> Result<Built, String> {
    if let Some(why) = page(root)? {
        return Ok(Built::Skipped(why));
    }
    let foreign = match Foreign::new(root, TARGET) {
        Ok(foreign) => foreign,
        Err(why) => return Ok(Built::Skipped(format!("skipped: {why}"))),
    };
    let mut cargo = foreign.cargo(
        root,
        &[
            "rustc",
            "--quiet",
            "--release",
            "--package",
            "galilei-studio",
            "--lib",
            "--crate-type",
            "cdylib",
        ],
    )?;
    cargo
        .env("CARGO_PROFILE_RELEASE_DEBUG", "false")
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "2")
        .env("RUSTFLAGS", FLAGS);
    succeed(&mut cargo)?;
    let engine = foreign.folder(root)?.join("galilei_studio.wasm");
    let target = repository::target(&repository::metadata(root)?)?;
    let folder = target.join("studio");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let output = folder.join("index.html");
    let mut node = Command::new("node");
    node.current_dir(root.join("apps/studio/web"))
        .arg("assemble.mjs")
        .args([&engine, &root.join("models")])
        .arg(root.join("crates/model/reference/language.md"))
        .arg(&output);
    succeed(&mut node)?;
    Ok(Built::Page(output, engine))
}

/// A session of the language server with Neovim; `None` without it.
fn neovim(root: &Path, galilei: &Path) -> Result<Option<bool>, String> {
    if !debian::provide("nvim", &["neovim"]) {
        return Ok(None);
    }
    let folder = repository::target(&repository::metadata(root)?)?.join("neovim");
    let problem = |error| format!("{}: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(problem)?;
    let model =
        "param k=4 [N/m], m = 1 [kg]\ncoord θx [m]\nkinetic: m*θx'^2/2\npotential: kk*θx^2/2\n";
    fs::write(folder.join("model.gal"), model).map_err(problem)?;
    let script = root.join("apps/lsp/tests/neovim.lua");
    let output = Command::new("nvim")
        .current_dir(&folder)
        .args(["--headless", "-u", "NONE", "model.gal", "-c"])
        .arg(format!("luafile {}", script.display()))
        .env("GALILEI", galilei)
        .output()
        .map_err(|error| format!("nvim: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    println!("Neovim: {}", said.trim());
    Ok(Some(said.lines().any(|line| line.trim() == "ok")))
}

/// Packages the extension for Visual Studio Code; `None` if npm cannot install its packages.
fn extension(root: &Path) -> Result<Option<bool>, String> {
    let folder = repository::target(&repository::metadata(root)?)?.join("vscode");
    let problem = |error| format!("{}: {error}", folder.display());
    fs::create_dir_all(folder.join("syntaxes")).map_err(problem)?;
    for name in [
        "package.json",
        "package-lock.json",
        "extension.js",
        "language-configuration.json",
        "README.md",
        "syntaxes/galilei.tmLanguage.json",
    ] {
        let from = root.join("apps/vscode").join(name);
        fs::copy(from, folder.join(name)).map_err(problem)?;
    }
    if !installed(&folder)? {
        return Ok(None);
    }
    let package = folder.join(format!("galilei-{}.vsix", env!("CARGO_PKG_VERSION")));
    let _ = fs::remove_file(&package);
    let made = succeeds(npm(&folder).args(["run", "package"]));
    Ok(Some(made && package.is_file()))
}

/// The numbers of checks that passed and failed, and a note for the table.
pub(crate) fn run(root: &Path) -> Result<(Tally, String), String> {
    let kept = root.join("apps/studio/page.html");
    let before = fs::read_to_string(&kept).unwrap_or_default();
    let (page, engine) = match build(root)? {
        Built::Page(page, engine) => (page, engine),
        Built::Skipped(why) => {
            println!("{why}");
            return Ok((Tally::default(), why));
        }
    };
    let mut tally = Tally::default();
    let after = fs::read_to_string(&kept).unwrap_or_default();
    if before != after {
        println!("apps/studio/page.html was out of date and has been made anew");
    }
    tally += Tally::one(before == after);
    for (path, limit) in [(&page, MAX_PAGE_BYTES), (&kept, MAX_BARE_PAGE_BYTES)] {
        let size = fs::metadata(path).map_or(0, |m| m.len());
        println!("{}: {size} bytes, at most {limit}", path.display());
        tally += Tally::one(size > 0 && size <= limit);
    }
    match extension(root)? {
        Some(packaged) => tally += Tally::one(packaged),
        None => println!("npm cannot install the packages of the extension; it was not packaged"),
    }
    let web = root.join("apps/studio/web");
    let galilei = repository::program(root, false)?;
    match neovim(root, &galilei)? {
        Some(well) => tally += Tally::one(well),
        None => println!("no Neovim: the language server was not tried with it"),
    }
    let mut node = Command::new("node");
    node.current_dir(&web)
        .arg("engine.mjs")
        .args([&engine, &galilei, &root.join("models")]);
    tally += Tally::one(succeed(&mut node).is_ok());
    let Some(program) = chromium::program() else {
        return Ok((tally, "no Chromium: the page was not tried".to_string()));
    };
    let mut install = npm(&web);
    install.args(["install", "--no-save", "--no-audit", PLAYWRIGHT]);
    if !succeeds(&mut install) {
        return Ok((tally, "no Playwright: the page was not tried".to_string()));
    }
    let pictures = page.parent().unwrap_or(root).to_path_buf();
    let mut node = Command::new("node");
    node.current_dir(&web)
        .arg("test.mjs")
        .args([&page, &galilei])
        .arg(program)
        .arg(&pictures);
    let outcome = stream::run(&mut node).map_err(|error| format!("{node:?}: {error}"))?;
    let lines = |word: &str| outcome.text.lines().filter(|l| l.starts_with(word)).count();
    for _ in 0..lines("ok ") {
        tally += Tally::one(true);
    }
    for _ in 0..lines("FAILED ").max(usize::from(!outcome.success)) {
        tally += Tally::one(false);
    }
    Ok((tally, String::new()))
}
