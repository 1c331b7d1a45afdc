//! Tables as files; the format follows from the ending of the name.

use std::path::Path;

use galilei::{Code, Diagnostic};
use galilei_export::data::{Events, Format, Table};

use crate::{cannot_write, write_whole};

/// The reason why a file was not written.
pub(crate) enum WriteError {
    /// The table exceeds the limits of the format.
    TooLarge,
    /// The operating system reports an error.
    Io(std::io::Error),
}

impl From<WriteError> for std::io::Error {
    fn from(why: WriteError) -> Self {
        match why {
            WriteError::TooLarge => {
                Self::other("too many numbers for this format; use .csv or record less")
            }
            WriteError::Io(e) => e,
        }
    }
}

/// The diagnostic for a file that was not written.
pub(crate) fn not_written(path: &str, why: WriteError) -> Diagnostic {
    cannot_write(path, &std::io::Error::from(why))
}

/// The name of a companion file, next to the given one: `a.csv`, `a.events.csv`.
pub(crate) fn companion(path: &str, word: &str) -> String {
    let ending = Path::new(path).extension().unwrap_or_default();
    let companion = Path::new(path).with_extension(word);
    format!("{}.{}", companion.display(), ending.to_string_lossy())
}

/// The format of a table by the name of its file.
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

/// The format of a part of a sweep by the name of its file; it must be readable.
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
pub(crate) fn write(path: &str, table: &Table) -> Result<(), WriteError> {
    let format = Format::of_path(path).map_err(|e| WriteError::Io(std::io::Error::other(e)))?;
    let bytes = format.write(table).ok_or(WriteError::TooLarge)?;
    write_whole(path, &bytes).map_err(WriteError::Io)
}

/// Writes a table and its events: in an archive together, else in two files, `a.csv` and `a.events.csv`.
pub(crate) fn write_with_events(
    path: &str,
    table: &Table,
    events: Option<&Events>,
) -> Result<(), Diagnostic> {
    let Some(events) = events else {
        return write(path, table).map_err(|e| not_written(path, e));
    };
    let format = writable(path)?;
    let (bytes, more) = (format.write_with_events(table, events))
        .ok_or_else(|| not_written(path, WriteError::TooLarge))?;
    write_whole(path, &bytes).map_err(|e| cannot_write(path, &e))?;
    if let Some(bytes) = more {
        let path = companion(path, "events");
        write_whole(&path, &bytes).map_err(|e| cannot_write(&path, &e))?;
    }
    Ok(())
}

/// Reads a table that this program wrote.
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
