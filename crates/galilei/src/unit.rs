//! Functional mock-up units of a model, with a shared library for this machine where it has a C compiler.

use std::process::{Command, Stdio};

use galilei_export::fmu::{Fmi, Unit};
use galilei_model::{Code, Diagnostic};

use crate::error::Error;
use crate::model::Model;

/// The commands that are tried for a C compiler.
const COMPILERS: [&str; 3] = ["cc", "gcc", "clang"];

impl Model {
    /// The model as a functional mock-up unit, an archive with C sources for model exchange and co-simulation, and warnings.
    /// Where this machine has a C compiler, the archive has a shared library, too.
    ///
    /// # Errors
    /// Where a value is missing, the model has no numbers, or the source would be too long.
    pub fn export_unit(&self, version: Fmi) -> Result<(Vec<u8>, Vec<Diagnostic>), Error> {
        let model = self.with_increments()?;
        let unit = Unit::new(&model, version).map_err(|e| self.error(e))?;
        let mut warnings = Vec::new();
        if !unit.left_out.is_empty() {
            warnings.push(Diagnostic::warning(
                Code::NotAvailable,
                format!("the unit has no output {}", unit.left_out.join(", ")),
                "outputs that use multipliers or reactions are not exported",
                None,
            ));
        }
        let library = compiled(&unit);
        if library.is_none() {
            warnings.push(Diagnostic::warning(
                Code::NotAvailable,
                "the unit has sources, but no shared library: there is no C compiler for it on this machine",
                "compile sources/*.c where the unit is used, or install gcc and export again",
                None,
            ));
        }
        Ok((unit.archive(library), warnings))
    }
}

/// The shared library of a unit, compiled on this machine.
fn compiled(unit: &Unit) -> Option<Vec<u8>> {
    let folder = std::env::temp_dir().join(format!(
        "galilei-unit-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    ));
    std::fs::create_dir_all(&folder).ok()?;
    let (source, library) = (folder.join("unit.c"), folder.join("unit.so"));
    let written = std::fs::write(&source, &unit.source).is_ok();
    let works = |compiler: &&str| {
        let mut command = Command::new(compiler);
        command.args([
            "-std=c99",
            "-O2",
            "-fPIC",
            "-shared",
            "-fvisibility=hidden",
            "-o",
        ]);
        command.arg(&library).arg(&source).arg("-lm");
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|s| s.success())
    };
    let bytes = match written && COMPILERS.iter().any(works) {
        true => std::fs::read(&library).ok(),
        false => None,
    };
    let _ = std::fs::remove_dir_all(&folder);
    bytes
}
