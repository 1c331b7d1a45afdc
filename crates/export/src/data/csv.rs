//! Comma-separated values.

use super::{DecimalTable, EVENT, Events, Table};

/// The bytes of a file; notes are comments before the numbers.
pub(super) fn write(table: &Table) -> Vec<u8> {
    lines(table, None)
}

/// The bytes of a file of events; their names are in the first column.
pub(super) fn write_events(events: &Events) -> Vec<u8> {
    lines(&events.table, Some(&events.names))
}

/// A field, in quotes if it needs them.
fn quoted(field: &str) -> String {
    match field.contains([',', '"']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    }
}

/// The bytes of a file of numbers in decimal digits.
pub(super) fn write_decimals(table: &DecimalTable, events: Option<&[String]>) -> Vec<u8> {
    let rows = table.rows.iter().map(|row| row.join(","));
    written((&table.notes, &table.columns), rows, events)
}

fn lines(table: &Table, events: Option<&[String]>) -> Vec<u8> {
    // Where the first chart of an atlas has no coordinates, there are none.
    let gaps = table.columns.iter().any(|c| c == super::CHART);
    let number = |x: &f64| match gaps && x.is_nan() {
        true => String::new(),
        false => format!("{x:?}"),
    };
    let rows = (table.rows.iter()).map(|row| row.iter().map(number).collect::<Vec<_>>().join(","));
    written((&table.notes, &table.columns), rows, events)
}

fn written(
    (notes, columns): (&[(String, String)], &[String]),
    rows: impl Iterator<Item = String>,
    events: Option<&[String]>,
) -> Vec<u8> {
    let mut out = String::new();
    for (name, text) in notes {
        for (k, line) in text.lines().enumerate() {
            let head = if k == 0 {
                format!("{name}: ")
            } else {
                "  ".into()
            };
            out.push_str(&format!("# {head}{line}\n"));
        }
    }
    let head = events.map(|_| EVENT.to_owned()).into_iter();
    let head = head.chain(columns.iter().map(|c| quoted(c)));
    out.push_str(&head.collect::<Vec<_>>().join(","));
    out.push('\n');
    for (at, row) in rows.enumerate() {
        if let Some(names) = events {
            out.push_str(&quoted(&names[at]));
            out.push(',');
        }
        out.push_str(&row);
        out.push('\n');
    }
    out.into_bytes()
}

/// Splits a line at its commas, outside quotes.
fn fields(line: &str) -> Vec<String> {
    let (mut list, mut field, mut quoted) = (Vec::new(), String::new(), false);
    let mut letters = line.chars().peekable();
    while let Some(c) = letters.next() {
        match c {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => list.push(std::mem::take(&mut field)),
            c => field.push(c),
        }
    }
    list.push(field);
    list
}

/// Reads what [`write`] wrote; the reason if it cannot be read.
pub(super) fn read(bytes: &[u8]) -> Result<Table, String> {
    let text = std::str::from_utf8(bytes).map_err(|e| e.to_string())?;
    let mut table = Table::default();
    for (at, line) in text.lines().enumerate() {
        if let Some(more) = line.strip_prefix("#   ") {
            let last = table.notes.last_mut();
            let (_, text) = last.ok_or("it begins in the middle of a note")?;
            text.push('\n');
            text.push_str(more);
        } else if let Some(note) = line.strip_prefix("# ") {
            let (name, text) = note.split_once(": ").unwrap_or((note, ""));
            table.notes.push((name.to_owned(), text.to_owned()));
        } else if table.columns.is_empty() {
            table.columns = fields(line);
        } else {
            let number = |field: &str| match field {
                "" => Ok(f64::NAN),
                _ => field.parse(),
            };
            let row: Result<Vec<f64>, _> = line.split(',').map(number).collect();
            let row = row.map_err(|e| format!("line {}: {e}", at + 1))?;
            if row.len() != table.columns.len() {
                return Err(format!("line {} has {} numbers", at + 1, row.len()));
            }
            table.rows.push(row);
        }
    }
    Ok(table)
}
