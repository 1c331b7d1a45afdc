//! Data files of runs: `.csv`, `.npz` and `.parquet`.

mod csv;
pub(crate) mod npz;
mod parquet;

use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// A table of numbers with named columns, and notes that are stored with it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<f64>>,
    /// Notes: the version, the parameters, the text of the model.
    pub notes: Vec<(String, String)>,
}

/// A table of numbers in decimal digits, for numbers of more digits than doubles have. Empty fields have no value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DecimalTable {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
    /// Notes: the version, the parameters, the text of the model.
    pub notes: Vec<(String, String)>,
}

impl DecimalTable {
    /// The bytes of a file of comma-separated values, the only format that has numbers of any length; with names of
    /// events, these are its first column.
    ///
    /// ```
    /// use galilei_export::data::DecimalTable;
    /// let table = DecimalTable {
    ///     columns: vec!["t".into(), "x".into()],
    ///     rows: vec![vec!["0.0".into(), "0.3333333333333333333333333".into()]],
    ///     notes: vec![],
    /// };
    /// assert_eq!(table.csv(None), b"t,x\n0.0,0.3333333333333333333333333\n");
    /// ```
    pub fn csv(&self, events: Option<&[String]>) -> Vec<u8> {
        csv::write_decimals(self, events)
    }
}

/// Events of a run: the name of each, and a table with a row for each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Events {
    /// The names, one for each row.
    pub names: Vec<String>,
    /// Times and states.
    pub table: Table,
}

/// The column with the chart of each state of a run through several charts: its place in the atlas, 0 for the model's own.
pub const CHART: &str = "chart";
/// The column with the names of events.
const EVENT: &str = "event";
/// The prefix of keys in an archive that belong to events.
const OF_EVENTS: &str = "events.";

/// A format of data files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values, with the notes as comments before them.
    Csv,
    /// An archive of NumPy arrays, one per column and note.
    Npz,
    /// Apache Parquet, with the notes as metadata.
    Parquet,
}

/// The error for an ending of a file name that belongs to no [`Format`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownFormat;

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "data files end in {}", Format::endings(|_| true, "or"))
    }
}

impl std::error::Error for UnknownFormat {}

impl Format {
    /// Every format.
    pub const ALL: [Self; 3] = [Self::Csv, Self::Npz, Self::Parquet];

    /// The ending of file names, without the dot.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Npz => "npz",
            Self::Parquet => "parquet",
        }
    }

    /// The format for the ending of a file name, upper or lower case.
    ///
    /// # Errors
    /// If the ending belongs to no format.
    ///
    /// ```
    /// use galilei_export::data::Format;
    /// assert_eq!(Format::of_path("a/run.CSV"), Ok(Format::Csv));
    /// assert!(Format::of_path("run.dat").is_err());
    /// ```
    pub fn of_path(path: &str) -> Result<Self, UnknownFormat> {
        let ending = Path::new(path).extension().ok_or(UnknownFormat)?;
        ending.to_string_lossy().to_lowercase().parse()
    }

    /// The endings of the formats that satisfy a condition, as a phrase: `.csv or .npz`.
    pub fn endings(wanted: impl Fn(Self) -> bool, conjunction: &str) -> String {
        let all = Self::ALL.into_iter().filter(|f| wanted(*f));
        let endings: Vec<String> = all.map(|f| format!(".{f}")).collect();
        crate::phrase(&endings, conjunction)
    }

    /// Whether [`Format::read`] can read files of this format.
    pub fn is_readable(self) -> bool {
        self != Self::Parquet
    }

    /// The bytes of a file; `None` if the table exceeds the limits of the format.
    pub fn write(self, table: &Table) -> Option<Vec<u8>> {
        match self {
            Self::Csv => Some(csv::write(table)),
            Self::Npz => npz::write(table),
            Self::Parquet => parquet::write(table),
        }
    }

    /// The bytes of a file, and those of a second file for the events if the format keeps one table in a file. An
    /// archive holds both: the names of the events in `events.name`, their times in `events.t`, and so on. `None` if a
    /// table exceeds the limits of the format.
    pub fn write_with_events(
        self,
        table: &Table,
        events: &Events,
    ) -> Option<(Vec<u8>, Option<Vec<u8>>)> {
        Some(match self {
            Self::Csv => (csv::write(table), Some(csv::write_events(events))),
            Self::Npz => (npz::write_with_events(table, Some(events))?, None),
            Self::Parquet => (
                parquet::write(table)?,
                Some(parquet::write_labelled(
                    &events.table,
                    Some((EVENT, &events.names)),
                )?),
            ),
        })
    }

    /// The table in a file that [`Format::write`] made.
    ///
    /// # Errors
    /// If the bytes are damaged or made by another program, or the format is not
    /// [readable](Format::is_readable): the reason, as the end of a sentence.
    pub fn read(self, bytes: &[u8]) -> Result<Table, String> {
        match self {
            Self::Csv => csv::read(bytes),
            Self::Npz => npz::read(bytes).ok_or_else(|| "it is damaged".to_owned()),
            Self::Parquet => Err(format!("files in .{self} are written only")),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.ending())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(ending: &str) -> Result<Self, UnknownFormat> {
        let mut all = Self::ALL.into_iter();
        all.find(|f| f.ending() == ending).ok_or(UnknownFormat)
    }
}
