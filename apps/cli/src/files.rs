//! Tables as files, by the ending of their names.

use std::path::Path;

use galilei::report::data::{self, Table};
use galilei::{Code, Diagnostic};

use crate::{cannot_write, write_whole};

/// The endings of files that can be read.
const READ: [&str; 2] = ["csv", "npz"];

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

pub(crate) fn ending(path: &str) -> String {
    Path::new(path)
        .extension()
        .map(|e| e.to_string_lossy().to_lowercase())
        .unwrap_or_default()
}

/// A file of another name beside this one: `a.csv`, `a.events.csv`.
pub(crate) fn beside(path: &str, word: &str) -> String {
    let ending = Path::new(path).extension().unwrap_or_default();
    let beside = Path::new(path).with_extension(word);
    format!("{}.{}", beside.display(), ending.to_string_lossy())
}

/// Whether tables can be written under this name.
pub(crate) fn writable(path: &str) -> Result<(), Diagnostic> {
    if ["csv", "npz", "parquet"].contains(&ending(path).as_str()) {
        return Ok(());
    }
    Err(Diagnostic::error(
        Code::UnknownFormat,
        format!("`{path}` has an ending that cannot be written"),
        "write to a file that ends in .csv, .npz or .parquet",
        None,
    ))
}

/// Whether a part of a sweep under this name can be read again.
pub(crate) fn part(path: &str) -> Result<(), Diagnostic> {
    if READ.contains(&ending(path).as_str()) {
        return Ok(());
    }
    Err(Diagnostic::error(
        Code::UnknownFormat,
        format!("`{path}` would be a part of a sweep that `merge` cannot read"),
        "write parts to files that end in .csv or .npz; `merge` writes .parquet, too",
        None,
    ))
}

/// Writes a table: all of it, or nothing.
pub(crate) fn write(path: &str, table: &Table) -> Result<(), NoFile> {
    let bytes = match ending(path).as_str() {
        "npz" => data::npz(table),
        "parquet" => data::parquet(table),
        _ => Some(data::csv(table)),
    };
    write_whole(path, &bytes.ok_or(NoFile::TooLarge)?).map_err(NoFile::Io)
}

/// Reads a table that was written here.
pub(crate) fn read(path: &str) -> Result<Table, Diagnostic> {
    let unreadable = |why: String, hint: &str| {
        Diagnostic::error(
            Code::CannotRead,
            format!("`{path}` cannot be read: {why}"),
            hint,
            None,
        )
    };
    let ending = ending(path);
    if !READ.contains(&ending.as_str()) {
        let hint = "read .csv or .npz; what is written may be .parquet";
        return Err(unreadable("it has another format".to_owned(), hint));
    }
    let bytes = std::fs::read(path).map_err(|e| unreadable(e.to_string(), "check the path"))?;
    let table = match ending.as_str() {
        "npz" => data::read_npz(&bytes).ok_or_else(|| "it is damaged".to_owned()),
        _ => data::read_csv(&bytes),
    };
    table.map_err(|why| unreadable(why, "give files that this program wrote"))
}
