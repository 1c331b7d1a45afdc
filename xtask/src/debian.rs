//! Debian's packages: programs that checks use and a machine lacks, and single packages of other releases, unpacked into a
//! folder and not installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::test::succeeds;

/// The keys that sign Debian's archives, where Debian keeps them.
const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// Whether a program can be started.
pub(crate) fn has(program: &str) -> bool {
    succeeds(Command::new("sh").args(["-c", "command -v \"$0\"", program]))
}

/// Installs packages; false if there is no `apt-get`, or it may not. The lists of packages are fetched if they are too old.
pub(crate) fn install(packages: &[&str]) -> bool {
    println!("asking apt-get for {}", packages.join(", "));
    let apt = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive");
        command.args(arguments);
        succeeds(&mut command)
    };
    let install = || {
        let mut arguments = vec!["install", "--yes", "--no-install-recommends"];
        arguments.extend(packages);
        apt(&arguments)
    };
    install() || apt(&["update"]) && install()
}

/// Whether a program is there, or is there after packages were installed.
pub(crate) fn provide(program: &str, packages: &[&str]) -> bool {
    has(program) || install(packages) && has(program)
}

/// Another release than the one that is installed, with lists of packages in a folder of its own.
pub(crate) struct Release {
    folder: PathBuf,
}

impl Release {
    /// The release of a name (`trixie-backports`), from the archive that this machine uses.
    pub(crate) fn new(name: &str, folder: &Path) -> Result<Self, String> {
        let problem = |error| format!("{}: {error}", folder.display());
        for part in ["lists/partial", "archives/partial"] {
            fs::create_dir_all(folder.join(part)).map_err(problem)?;
        }
        let archive = archive().ok_or("apt-get knows no archive of Debian")?;
        let keys = match Path::new(KEYS).is_file() {
            true => format!("[signed-by={KEYS}] "),
            false => String::new(),
        };
        let source = format!("deb {keys}{archive} {name} main\n");
        fs::write(folder.join("sources.list"), source).map_err(problem)?;
        let release = Self {
            folder: folder.to_path_buf(),
        };
        match succeeds(release.command("apt-get").arg("update")) {
            true => Ok(release),
            false => Err(format!("apt-get has no lists of {name}")),
        }
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.folder);
        let set = |name: &str, path: &str| {
            let path = self.folder.join(path);
            format!("{name}={}", path.display())
        };
        for option in [
            set("Dir::State::lists", "lists"),
            set("Dir::Cache", ""),
            set("Dir::Cache::archives", "archives"),
            set("Dir::Etc::sourcelist", "sources.list"),
            "Dir::Etc::sourceparts=-".to_string(),
            "Acquire::Languages=none".to_string(),
            "APT::Sandbox::User=root".to_string(),
        ] {
            command.args(["-o", &option]);
        }
        command
    }

    /// Fetches a package of a version that begins in a certain way, and unpacks one folder of it. apt-get checks signatures
    /// and checksums.
    pub(crate) fn unpack(
        &self,
        package: &str,
        version: &str,
        part: &str,
        into: &Path,
    ) -> Result<(), String> {
        let listed = self
            .command("apt-cache")
            .args(["madison", package])
            .output();
        let listed = listed.map_err(|error| format!("apt-cache: {error}"))?;
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        let found = listed
            .lines()
            .filter_map(|line| line.split('|').nth(1))
            .map(str::trim)
            .find(|v| v.starts_with(version))
            .ok_or_else(|| format!("Debian has no {package} {version}"))?;
        let name = format!("{package}={found}");
        if !succeeds(self.command("apt-get").args(["download", &name])) {
            return Err(format!("apt-get cannot fetch {name}"));
        }
        let problem = |error| format!("{}: {error}", into.display());
        fs::create_dir_all(into).map_err(problem)?;
        let script =
            "dpkg-deb --fsys-tarfile \"$0\"_*.deb | tar --extract --directory \"$1\" \"$2\"";
        let mut shell = Command::new("sh");
        shell.current_dir(&self.folder).args(["-c", script]);
        shell.args([package.as_ref(), into.as_os_str(), part.as_ref()]);
        match succeeds(&mut shell) {
            true => Ok(()),
            false => Err(format!("{name} has no folder {part}")),
        }
    }
}

/// A folder with another release and some of its packages, for this machine's processor, where programs can run by `chroot`, or for
/// another one, where packages are unpacked and not configured. It is kept for the next time.
pub(crate) fn bootstrap(
    name: &str,
    architecture: Option<&str>,
    packages: &[&str],
    folder: &Path,
) -> Result<(), String> {
    let done = folder.join("galilei-complete");
    if done.is_file() {
        return Ok(());
    }
    if !provide("debootstrap", &["debootstrap"]) {
        return Err("there is no debootstrap".to_string());
    }
    let archive = archive().ok_or("apt-get knows no archive of Debian")?;
    let _ = fs::remove_dir_all(folder);
    let mut command = Command::new("debootstrap");
    command.arg("--variant=minbase");
    command.arg(format!("--include={}", packages.join(",")));
    if let Some(architecture) = architecture {
        command.args(["--foreign", "--arch", architecture]);
    }
    command.arg(name).arg(folder).arg(archive);
    let unpacked = || {
        let script =
            "for f in var/cache/apt/archives/*.deb; do dpkg-deb -x \"$f\" . || exit 1; done";
        let mut shell = Command::new("sh");
        succeeds(shell.current_dir(folder).args(["-c", script]))
    };
    if !succeeds(&mut command) || architecture.is_some() && !unpacked() {
        return Err(format!("debootstrap cannot make {name}"));
    }
    fs::write(done, "").map_err(|error| format!("{}: {error}", folder.display()))
}

/// The address of the archive that apt-get uses for the ordinary packages of Debian.
fn archive() -> Option<String> {
    let format = "$(REPO_URI)|$(ORIGIN)|$(COMPONENT)";
    let output = Command::new("apt-get")
        .args(["indextargets", "--format", format, "Created-By: Packages"])
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let wanted = |line: &&str| line.ends_with("|Debian|main") && !line.contains("security");
    let line = text.lines().find(wanted)?;
    Some(line.split('|').next()?.to_owned())
}
