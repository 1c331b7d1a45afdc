//! The journal of a sweep, to which finished runs are written at once, so that a sweep that is killed loses
//! none of them.
//!
//! A journal begins with the request it belongs to, followed by records, each with its length and a checksum.
//! An incomplete record is the result of a kill during writing; the journal ends before it.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Rows of a sweep with consecutive numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Its number.
    pub number: u64,
    /// One row for each run.
    pub rows: Vec<Vec<f64>>,
    /// One row for each event.
    pub events: Vec<Vec<f64>>,
    /// One row for each run that failed: its number and that of the reason.
    pub failures: Vec<Vec<f64>>,
}

/// A journal that is open for writing.
#[derive(Debug)]
pub struct Journal {
    file: File,
}

const MAGIC: &[u8; 16] = b"galilei sweep 2\n";

/// The reason why a journal cannot be used.
#[derive(Debug)]
pub enum JournalError {
    /// The journal belongs to another request.
    Other,
    /// Another process is writing the journal.
    Busy,
    /// The journal cannot be read or written.
    Io(std::io::Error),
}

impl From<std::io::Error> for JournalError {
    fn from(e: std::io::Error) -> Self {
        Self::Io(e)
    }
}

impl std::fmt::Display for JournalError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Other => f.write_str("it belongs to another sweep"),
            Self::Busy => f.write_str("another process is writing it"),
            Self::Io(e) => e.fmt(f),
        }
    }
}

/// A checksum of 64 bits. (FNV-1a)
pub fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| {
        (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3)
    })
}

impl Journal {
    /// Opens or creates the journal of a request, and returns it with its records.
    ///
    /// # Errors
    /// If the journal belongs to another request, is in use, or cannot be read or written.
    pub fn open(path: &Path, request: &str) -> Result<(Self, Vec<Record>), JournalError> {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(std::fs::TryLockError::WouldBlock) => return Err(JournalError::Busy),
            Err(std::fs::TryLockError::Error(e)) => return Err(e.into()),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let mut head = MAGIC.to_vec();
        head.extend(checksum(request.as_bytes()).to_le_bytes());
        if bytes.len() < head.len() {
            // Not even the head was complete.
            if !head.starts_with(&bytes) {
                return Err(JournalError::Other);
            }
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&head)?;
            return Ok((Self { file }, vec![]));
        }
        if !bytes.starts_with(&head) {
            return Err(JournalError::Other);
        }
        let (mut at, mut records) = (head.len(), Vec::new());
        while let Some((record, next)) = record(&bytes, at) {
            records.push(record);
            at = next;
        }
        file.set_len(at as u64)?;
        file.seek(SeekFrom::Start(at as u64))?;
        Ok((Self { file }, records))
    }

    /// Appends a record.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&mut self, record: &Record) -> std::io::Result<()> {
        let mut body = record.number.to_le_bytes().to_vec();
        for rows in [&record.rows, &record.events, &record.failures] {
            body.extend((rows.len() as u64).to_le_bytes());
            let width = rows.first().map_or(0, Vec::len);
            body.extend((width as u64).to_le_bytes());
            body.extend(rows.iter().flatten().flat_map(|x| x.to_le_bytes()));
        }
        let mut bytes = (body.len() as u64).to_le_bytes().to_vec();
        bytes.extend(checksum(&body).to_le_bytes());
        bytes.extend(body);
        self.file.write_all(&bytes)
    }
}

fn word(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let end = at.checked_add(8)?;
    let part = bytes.get(*at..end)?.try_into().ok()?;
    *at = end;
    Some(u64::from_le_bytes(part))
}

fn rows(bytes: &[u8], at: &mut usize) -> Option<Vec<Vec<f64>>> {
    let (count, width) = (word(bytes, at)?, word(bytes, at)?);
    let rest = (bytes.len() - *at) as u64;
    if count.checked_mul(width)?.checked_mul(8)? > rest {
        return None;
    }
    let row = |at: &mut usize| {
        let numbers = (0..width).map(|_| word(bytes, at).map(f64::from_bits));
        numbers.collect::<Option<Vec<f64>>>()
    };
    (0..count).map(|_| row(at)).collect()
}

/// The record at a position, and the position of the next one.
fn record(bytes: &[u8], mut at: usize) -> Option<(Record, usize)> {
    let length = usize::try_from(word(bytes, &mut at)?).ok()?;
    let sum = word(bytes, &mut at)?;
    let body = bytes.get(at..at.checked_add(length)?)?;
    if checksum(body) != sum {
        return None;
    }
    let mut inner = 0;
    let number = word(body, &mut inner)?;
    let mut table = || rows(body, &mut inner);
    let record = Record {
        number,
        rows: table()?,
        events: table()?,
        failures: table()?,
    };
    Some((record, at + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("galilei-{}-{name}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        path
    }

    fn some(number: u64) -> Record {
        Record {
            number,
            rows: vec![
                vec![number as f64, f64::NAN.abs(), 0.1],
                vec![1.0, 2.0, 3.0],
            ],
            events: if number == 1 { vec![vec![7.0]] } else { vec![] },
            failures: vec![vec![number as f64, 3.0]; number as usize],
        }
    }

    fn bits(record: &Record) -> Vec<u64> {
        let all = record
            .rows
            .iter()
            .chain(&record.events)
            .chain(&record.failures);
        all.flatten()
            .map(|x| x.to_bits())
            .chain([record.number])
            .collect()
    }

    /// Wherever a process is killed, whole records are found again, and writing goes on behind them.
    #[test]
    fn a_journal_cut_anywhere_keeps_its_whole_records() {
        let path = scratch("cut");
        let (mut journal, found) = Journal::open(&path, "a").unwrap();
        assert!(found.is_empty());
        for k in 0..3 {
            journal.write(&some(k)).unwrap();
        }
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        let mut last = 0;
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let (mut journal, found) = Journal::open(&path, "a").unwrap();
            assert!(found.len() >= last && found.len() <= 3);
            last = found.len();
            for (k, record) in found.iter().enumerate() {
                assert_eq!(bits(record), bits(&some(k as u64)));
            }
            journal.write(&some(9)).unwrap();
            drop(journal);
            let (_, again) = Journal::open(&path, "a").unwrap();
            assert_eq!(again.len(), found.len() + 1);
            assert_eq!(bits(&again[found.len()]), bits(&some(9)));
        }
        assert_eq!(last, 3);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_journal_of_another_request_and_one_in_use_are_refused() {
        let path = scratch("other");
        let (journal, _) = Journal::open(&path, "a").unwrap();
        assert!(matches!(Journal::open(&path, "a"), Err(JournalError::Busy)));
        drop(journal);
        assert!(matches!(
            Journal::open(&path, "b"),
            Err(JournalError::Other)
        ));
        std::fs::remove_file(&path).unwrap();
    }
}
