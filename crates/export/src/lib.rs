//! Output for other programs: data files, the journal of a sweep, and equations of motion as source code.
//!
//! ```
//! use galilei_export::data::{Format, Table};
//! let table = Table {
//!     columns: vec!["t".into(), "x".into()],
//!     rows: vec![vec![0.0, 1.0], vec![0.5, 0.8]],
//!     notes: vec![("galilei_version".into(), "0.2.0".into())],
//! };
//! let format = Format::of_path("run.npz").expect("a known ending");
//! let bytes = format.write(&table).expect("room for two rows");
//! assert_eq!(format.read(&bytes), Ok(table));
//! ```

pub mod data;
pub mod fmu;
pub mod journal;
pub mod source;

/// Words as a phrase: `a, b and c`.
fn phrase(words: &[String], conjunction: &str) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} {conjunction} {last}", first.join(", ")),
    }
}
