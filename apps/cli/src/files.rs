//! Tables as files, by the ending of their names.

use std::path::Path;

use galilei::{Code, Diagnostic};
use galilei_export::data::{Format, Table};

use crate::{cannot_write, write_whole};

/// Why a file was not written.
pub(crate) enum NoFile {
    /// The format has no room for it.
    TooLarge,
    /// The system says no.
    Io(std::io::Error),
}

impl From<NoFile> for std::io::Error {
    fn from(why: NoFile) -> Self {
        match why {
            NoFile::TooLarge => {
                Self::other("too many numbers for this format; use .csv or record less")
            }
            NoFile::Io(e) => e,
        }
    }
}

/// Says that a file was not written.
pub(crate) fn not_written(path: &str, why: NoFile) -> Diagnostic {
    cannot_write(path, &std::io::Error::from(why))
}

/// A file of another name beside this one: `a.csv`, `a.events.csv`.
pub(crate) fn beside(path: &str, word: &str) -> String {
    let ending = Path::new(path).extension().unwrap_or_default();
    let beside = Path::new(path).with_extension(word);
    format!("{}.{}", beside.display(), ending.to_string_lossy())
}

/// The format of tables that are written under this name.
pub(crate) fn writable(path: &str) -> Result<Format, Diagnostic> {
    Format::of_path(path).map_err(|_| {
        Diagnostic::error(
            Code::UnknownFormat,
            format!("`{path}` has an ending that cannot be written"),
            format!(
                "write to a file that ends in {}",
                Format::endings(|_| true, "or")
            ),
            None,
        )
    })
}

/// The format of a part of a sweep under this name, which must be readable again.
pub(crate) fn part(path: &str) -> Result<Format, Diagnostic> {
    let format = writable(path)?;
    if format.is_readable() {
        return Ok(format);
    }
    Err(Diagnostic::error(
        Code::UnknownFormat,
        format!("`{path}` would be a part of a sweep that `merge` cannot read"),
        format!(
            "write parts to files that end in {}; `merge` writes .{format}, too",
            Format::endings(Format::is_readable, "or")
        ),
        None,
    ))
}

/// Writes a table: all of it, or nothing.
pub(crate) fn write(path: &str, table: &Table) -> Result<(), NoFile> {
    let format = Format::of_path(path).map_err(|e| NoFile::Io(std::io::Error::other(e)))?;
    let bytes = format.write(table).ok_or(NoFile::TooLarge)?;
    write_whole(path, &bytes).map_err(NoFile::Io)
}

/// Reads a table that was written here.
pub(crate) fn read(path: &str) -> Result<Table, Diagnostic> {
    let unreadable = |why: String, hint: String| {
        let message = format!("`{path}` cannot be read: {why}");
        Diagnostic::error(Code::CannotRead, message, hint, None)
    };
    let format = Format::of_path(path).ok().filter(|f| f.is_readable());
    let format = format.ok_or_else(|| {
        let hint = format!(
            "read {}; what is written may be {}",
            Format::endings(Format::is_readable, "or"),
            Format::endings(|f| !f.is_readable(), "or"),
        );
        unreadable("it has another format".to_owned(), hint)
    })?;
    let bytes =
        std::fs::read(path).map_err(|e| unreadable(e.to_string(), "check the path".into()))?;
    let table = format.read(&bytes);
    table.map_err(|why| unreadable(why, "give files that this program wrote".into()))
}
