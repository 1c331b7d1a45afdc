//! Data files of runs: `.csv`, `.npz` and `.parquet`, written by hand: no run waits for a library.

mod csv;
mod npz;
mod parquet;

pub use csv::{csv, read_csv};
pub use npz::{npz, read_npz};
pub use parquet::parquet;

/// A table with named columns and notes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<f64>>,
    /// Notes: the version, the parameters, the text of the model.
    pub notes: Vec<(String, String)>,
}
