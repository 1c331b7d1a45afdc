//! Columns of numbers from files: CSV with names and units in its first line, NumPy archives, and Parquet.

use std::path::{Component, Path, PathBuf};

use galilei_syntax::Kind;

use crate::code::Code;
use crate::dimension::{self, Unit};

/// The largest file that is read, in bytes.
pub(crate) const MAX_DATA_BYTES: u64 = 256 << 20;
/// The largest number of columns of a file.
const MAX_COLUMNS: usize = 4096;

/// The folder that files of a model are read from, and what is allowed beyond it.
#[derive(Clone, Debug, Default)]
pub struct Folder {
    /// The folder of the model; the current one if there is none.
    pub path: Option<PathBuf>,
    /// Whether files outside of the folder may be read.
    pub anywhere: bool,
    /// Other folders from which files may be read.
    pub allowed: Vec<PathBuf>,
}

/// The reason why data cannot be used: its code, a message, a hint.
#[derive(Clone, Debug)]
pub struct DataError {
    /// The code of the diagnostic.
    pub code: Code,
    /// The message.
    pub message: String,
    /// The hint.
    pub hint: String,
}

impl DataError {
    fn new(code: Code, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: hint.into(),
        }
    }
}

/// A column of a file.
#[derive(Clone, Debug)]
pub struct Column {
    /// The name, without its unit.
    pub name: String,
    /// The unit as written in the first line, `deg` of `steer [deg]`.
    pub unit: Option<String>,
    /// The values in units of the column, row by row; text that is no number, or an empty cell, is an error with it.
    pub values: Vec<Result<f64, String>>,
}

impl Column {
    /// The unit of the column in SI units, with its dimension.
    pub(crate) fn read_unit(&self) -> Result<Option<Unit>, DataError> {
        let Some(text) = &self.unit else {
            return Ok(None);
        };
        let unknown = || {
            DataError::new(
                Code::UnknownUnit,
                format!(
                    "the column `{}` has the unit [{text}], which is no unit",
                    self.name
                ),
                "units are SI names with prefixes: kg, m, s, N, J, rad, deg, rpm, …",
            )
        };
        let line = format!("coord x [{text}]");
        let file = galilei_syntax::parse(&line);
        let written = match file.statements.first().map(|s| &s.kind) {
            Some(Kind::Coord(list)) if file.errors.is_empty() => {
                list.first().and_then(|d| d.unit.as_ref())
            }
            _ => None,
        };
        let written = written.ok_or_else(unknown)?;
        dimension::unit(written).map(Some).map_err(|_| unknown())
    }

    /// The unit of the column in SI units; 1 without one.
    ///
    /// # Errors
    /// Where the unit is none.
    pub fn scale(&self) -> Result<f64, DataError> {
        let unit = self.read_unit()?;
        Ok(unit.map_or(1.0, |u| u.factor.to_f64() * std::f64::consts::PI.powi(u.pi)))
    }
}

impl Folder {
    /// The folder of a file.
    pub fn of_file(path: &Path) -> Self {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
        Self {
            path: folder.map(Path::to_path_buf),
            ..Self::default()
        }
    }

    /// The file that a path of the model means, if it may be read.
    ///
    /// # Errors
    /// Where the path leads out of the folder, or to no file.
    pub fn resolve(&self, path: &str) -> Result<PathBuf, DataError> {
        let folder = self.path.clone().unwrap_or_else(|| PathBuf::from("."));
        let full = folder.join(path);
        let refused = || {
            DataError::new(
                Code::PathNotAllowed,
                format!("`{path}` lies outside of the folder of the model, and is not read"),
                "move the file next to the model, or allow it with --allow-path",
            )
        };
        let mut depth = 0_i64;
        for part in Path::new(path).components() {
            match part {
                Component::ParentDir => depth -= 1,
                Component::Normal(_) => depth += 1,
                Component::CurDir => {}
                Component::RootDir | Component::Prefix(_) => depth = -1 << 32,
            }
            let leaves = depth < 0 && !self.anywhere && self.allowed.is_empty();
            if leaves && !Path::new(path).is_absolute() {
                return Err(refused());
            }
        }
        let missing = |why: &str| {
            DataError::new(
                Code::TableFileMissing,
                format!("there is no file `{path}`{why}"),
                "paths are relative to the folder of the model",
            )
        };
        let inside = |full: &Path| {
            let within = |folder: &Path| folder.canonicalize().is_ok_and(|f| full.starts_with(f));
            self.anywhere || within(&folder) || self.allowed.iter().any(|f| within(f))
        };
        let Ok(real) = full.canonicalize() else {
            // Whether a file exists outside of the folder is not said.
            let outside = Path::new(path).is_absolute() && !inside(&full);
            return Err(if outside { refused() } else { missing("") });
        };
        if !inside(&real) {
            return Err(refused());
        }
        match real.metadata() {
            Ok(m) if m.is_file() => Ok(real),
            _ => Err(missing(": this is no file")),
        }
    }
}

/// The columns of a file: `.npz` is NumPy's, `.parquet` is Parquet, everything else is CSV.
///
/// # Errors
/// Where the file is too large, cannot be read, or is not such a file.
pub fn read_columns(path: &Path) -> Result<Vec<Column>, DataError> {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let unreadable = |why: String| {
        DataError::new(
            Code::CannotRead,
            format!("`{name}` cannot be read: {why}"),
            "data files are CSV with the names of the columns in the first line, NumPy archives, or Parquet",
        )
    };
    let size = std::fs::metadata(path).map(|m| m.len());
    if size.is_ok_and(|n| n > MAX_DATA_BYTES) {
        return Err(unreadable(format!(
            "it has more than {} MB",
            MAX_DATA_BYTES >> 20
        )));
    }
    let bytes = std::fs::read(path).map_err(|e| unreadable(e.to_string()))?;
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    let columns = match ending.as_deref() {
        Some("npz") => crate::npz::columns(&bytes).map_err(unreadable),
        Some("parquet") => crate::parquet::columns(&bytes).map_err(unreadable),
        _ => match String::from_utf8(bytes) {
            Ok(text) => csv_columns(&text).map_err(unreadable),
            Err(_) => Err(unreadable("it is not UTF-8 text".into())),
        },
    }?;
    let twice = (columns.iter().enumerate())
        .find(|(k, c)| !c.name.is_empty() && columns[..*k].iter().any(|d| d.name == c.name));
    match twice {
        Some((_, c)) => Err(unreadable(format!("it has two columns `{}`", c.name))),
        None => Ok(columns),
    }
}

/// The fields of a line of CSV.
fn fields(line: &str, separator: char) -> Vec<String> {
    let mut list = vec![String::new()];
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let Some(last) = list.last_mut() else { break };
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                last.push('"');
            }
            '"' => quoted = !quoted,
            c if c == separator && !quoted => list.push(String::new()),
            c => last.push(c),
        }
    }
    list.iter().map(|f| f.trim().to_owned()).collect()
}

/// A name and its unit: `steer [deg]`, `steer (deg)`.
pub(crate) fn named(header: &str) -> (String, Option<String>) {
    for (open, close) in [('[', ']'), ('(', ')')] {
        if let Some((name, rest)) = header.split_once(open)
            && let Some(unit) = rest.strip_suffix(close)
            && !name.trim().is_empty()
        {
            let unit = unit.trim();
            // A column of pure numbers: `ratio [-]`.
            let none = matches!(unit, "" | "-" | "1");
            return (name.trim().to_owned(), (!none).then(|| unit.to_owned()));
        }
    }
    (header.to_owned(), None)
}

/// The columns of a text in CSV: names in the first line, separated by commas, semicolons or tabs. Lines that are empty or
/// begin with `#` are left out.
fn csv_columns(text: &str) -> Result<Vec<Column>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty() && !l.starts_with('#'));
    let header = lines.next().ok_or("it is empty")?;
    let count = |c: char| header.matches(c).count();
    let separator = [',', ';', '\t']
        .into_iter()
        .rev()
        .max_by_key(|c| count(*c))
        .unwrap_or(',');
    let mut columns: Vec<Column> = fields(header, separator)
        .iter()
        .map(|f| {
            let (name, unit) = named(f);
            Column {
                name,
                unit,
                values: vec![],
            }
        })
        .collect();
    if columns.len() > MAX_COLUMNS {
        return Err(format!("it has more than {MAX_COLUMNS} columns"));
    }
    for (row, line) in lines.enumerate() {
        let cells = fields(line, separator);
        if cells.len() > columns.len() && cells[columns.len()..].iter().any(|c| !c.is_empty()) {
            return Err(format!(
                "row {} has {} entries, the first line has {}",
                row + 1,
                cells.len(),
                columns.len()
            ));
        }
        for (k, column) in columns.iter_mut().enumerate() {
            let cell = cells.get(k).map_or("", String::as_str);
            column.values.push(match cell.parse::<f64>() {
                Ok(x) if x.is_finite() => Ok(x),
                _ => Err(cell.to_owned()),
            });
        }
    }
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_has_names_units_and_empty_cells() {
        let text =
            "\u{feff}t [s]; \"steer; left\" (deg) ;n\r\n# a comment\r\n0;1.5;\r\n\r\n1e-1;nan;3\n";
        let columns = csv_columns(text).unwrap();
        let names: Vec<&str> = columns.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["t", "steer; left", "n"]);
        assert_eq!(columns[1].unit.as_deref(), Some("deg"));
        assert!((columns[1].scale().unwrap() - std::f64::consts::PI / 180.0).abs() < 1e-17);
        assert_eq!(columns[0].values, [Ok(0.0), Ok(0.1)]);
        assert_eq!(columns[1].values, [Ok(1.5), Err("nan".into())]);
        assert_eq!(columns[2].values, [Err(String::new()), Ok(3.0)]);
        assert!(csv_columns("a,b\n1,2,3\n").unwrap_err().contains("row 1"));
    }

    #[test]
    fn paths_stay_in_the_folder() {
        let folder = std::env::temp_dir().join(format!("galilei-folder-{}", std::process::id()));
        let inner = folder.join("model");
        std::fs::create_dir_all(&inner).unwrap();
        std::fs::write(folder.join("secret.csv"), "t,y\n0,0\n").unwrap();
        std::fs::write(inner.join("own.csv"), "t,y\n0,0\n").unwrap();
        let own = Folder {
            path: Some(inner.clone()),
            ..Folder::default()
        };
        let code = |f: &Folder, path: &str| f.resolve(path).map_err(|e| e.code).err();
        assert_eq!(code(&own, "own.csv"), None);
        assert_eq!(code(&own, "./own.csv"), None);
        assert_eq!(code(&own, "../secret.csv"), Some(Code::PathNotAllowed));
        assert_eq!(code(&own, "../model/own.csv"), Some(Code::PathNotAllowed));
        assert_eq!(code(&own, "/etc/hostname"), Some(Code::PathNotAllowed));
        assert_eq!(code(&own, "no.csv"), Some(Code::TableFileMissing));
        assert_eq!(code(&own, "."), Some(Code::TableFileMissing));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(folder.join("secret.csv"), inner.join("link.csv")).unwrap();
            assert_eq!(code(&own, "link.csv"), Some(Code::PathNotAllowed));
        }
        let free = Folder {
            anywhere: true,
            ..own
        };
        assert_eq!(code(&free, "../secret.csv"), None);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
